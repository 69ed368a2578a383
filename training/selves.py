"""Earlier selves: the policy as it was, kept as opponents of what it becomes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from rummy_env.view import View
from training.network import CardPolicy, draw


class EarlierSelf:
    """A policy as it is now, as an agent that plays by its chances."""

    def __init__(self, policy: CardPolicy, steps: int, seed: int) -> None:
        self.name = f"self at {steps:,} steps"
        self._policy = copy.deepcopy(policy).eval().requires_grad_(False)
        self._policy.optimizer = None  # type: ignore[assignment]  # it never learns again
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Start its random numbers anew."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """An action by its chance."""
        observation, mask = view.rows()
        return int(self.act_batch(observation[None], mask[None])[0])

    def act_batch(self, observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Actions by their chances: (K, W) and (K, A) as environments give them, to (K,)."""
        numbers = torch.from_numpy(self._chance.random((len(mask), 1), np.float32))
        with torch.inference_mode():
            log_chances, _ = self._policy.evaluate(torch.from_numpy(observation), torch.from_numpy(mask.view(np.bool_)))
            return draw(log_chances, numbers).numpy()


class Pool:
    """The last ``keep`` selves, of which the newest and ``at_once`` - 1 older ones play at the same time.

    Few at once, since each answers for its own tables: many small batches cost more than a few large ones.
    """

    def __init__(self, keep: int, at_once: int, seed: int) -> None:
        self.keep = keep
        self.at_once = at_once
        self.members: list[EarlierSelf] = []
        self._chance = np.random.default_rng(seed)

    def add(self, policy: CardPolicy, steps: int) -> None:
        """Keep the policy as it is."""
        self.members = [*self.members, EarlierSelf(policy, steps, int(self._chance.integers(1 << 62)))][-self.keep :]

    def playing(self) -> list[EarlierSelf]:
        """Who plays until the next one is added: the newest, and others by lot."""
        *older, newest = self.members
        count = min(self.at_once - 1, len(older))
        drawn = self._chance.choice(len(older), count, replace=False).tolist() if count else []
        return [newest, *(older[number] for number in drawn)]


def weighted(opponents: dict[str, float], selves: list[EarlierSelf], name: str) -> list[tuple[Any, float]]:
    """Opponents as the environments take them, with the selves sharing the weight of ``name``."""
    shared = [(one, opponents.get(name, 0.0) / len(selves)) for one in selves]
    return [(other, weight) for other, weight in opponents.items() if other != name and weight > 0] + shared
