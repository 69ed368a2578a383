"""Opponents for the environments: agents by name, from anybody's package, or given as they are.

A package offers agents by entry points of the group ``rummy_env.opponents``; each names something that, called as
``factory(rules, seed=None)``, makes an agent. Nothing here imports one before it is asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from math import inf
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from rummy_env.actions import action_id
from rummy_env.numbers import real_number
from rummy_env.rules import Rules
from rummy_env.view import View

GROUP: Final = "rummy_env.opponents"


@runtime_checkable
class Agent(Protocol):
    """A player of one seat, made for certain rules.

    Three things are optional: ``reset(seed)`` starts the agent's own random numbers anew; ``decider`` is a compiled
    function (`rummy_env.core.bot`) that batches call inside their kernels; ``act_batch(observation, mask)`` chooses
    at many tables at once, (K, W) uint8 and (K, A) int8 to (K,) int64.
    """

    name: str

    def act(self, view: View) -> int:
        """A legal action id for the seat whose view it is, which is to play."""


Opponent: TypeAlias = str | Agent | Callable[[View], int]
"""What `load` takes: the name of an agent, an agent, or a plain function from a view to an action id."""


@dataclass
class FunctionAgent:
    """A plain function as an agent."""

    function: Callable[[View], int]
    name: str

    def act(self, view: View) -> int:
        return action_id(self.function(view))


def _registered() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found


def names() -> tuple[str, ...]:
    """The agents that can be had by name, in the order in which their packages list them."""
    return tuple(_registered())


def load(opponent: Opponent, rules: Rules, seed: int | None = None) -> Agent:
    """The agent of a name, made for ``rules``; an agent as it is; or a function of a view, wrapped.

    ``seed`` is for the random numbers of an agent that is made here.

    Raises:
        ValueError: for an unknown name, or what is no opponent, saying what was expected; and what the agent's own
            maker raises where it cannot play by these rules.
    """
    if isinstance(opponent, str):
        registered = _registered()
        if opponent not in registered:
            raise ValueError(_unknown(opponent, tuple(registered)))
        made: Agent = registered[opponent].load()(rules, seed=seed)
        return made
    if isinstance(opponent, type):
        raise ValueError(f"opponents: expected an agent, got the class {opponent.__name__}: make one of it first")
    if isinstance(opponent, Agent):
        return opponent
    if callable(opponent):
        return FunctionAgent(opponent, getattr(opponent, "__name__", type(opponent).__name__))
    raise ValueError(
        f"opponents: expected a name, an agent with 'name' and 'act', or a function of a view, got {opponent!r}"
    )


def _unknown(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    if not known:
        hint = " (no installed package names any; install this one: pip install -e .)"
    return f"opponents: expected a name of {', '.join(known) or 'an installed agent'}, got {name!r}{hint}"


# --- who sits where ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """The agents of which one is drawn for a seat in every episode. ``weights``: their chances, which add up to 1."""

    agents: tuple[Agent, ...]
    weights: tuple[float, ...]

    def draw(self, rng: np.random.Generator) -> Agent:
        """One of the agents by its chance."""
        if len(self.agents) == 1:
            return self.agents[0]
        return self.agents[int(rng.choice(len(self.agents), p=self.weights))]


def line_up(opponents: Any, rules: Rules) -> tuple[Pool, ...]:
    """A pool for each of the learner's opponents, the next player's first.

    ``opponents``: one of what `load` takes, or a weighted pool ``[(opponent, weight), …]``, for every other seat
    alike; or a list with one of these for each other seat. A name makes an agent of its own for every seat.

    Raises:
        ValueError: for a list of another length, a weight that is none, and what `load` refuses.
    """
    others = rules.num_players - 1
    if _is_list(opponents) and not _is_pool(opponents):
        if len(opponents) != others:
            raise ValueError(
                f"opponents: expected one for every other seat or a list of {others}, "
                f"got {len(opponents)} in {opponents!r}"
            )
        return tuple(_pool(one, rules) for one in opponents)
    return tuple(_pool(opponents, rules) for _ in range(others))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_pool(value: Any) -> bool:
    """Whether this is a list of pairs of an opponent and a number."""
    return (
        _is_list(value)
        and len(value) > 0
        and all(_is_list(one) and len(one) == 2 and _is_number(one[1]) for one in value)
    )


def _is_number(value: Any) -> bool:
    """Whether this is meant as a weight: a number, also one that is none, like true."""
    return isinstance(value, (bool, np.bool_)) or real_number(value) is not None


def _pool(opponent: Any, rules: Rules) -> Pool:
    if not _is_pool(opponent):
        return Pool((load(opponent, rules),), (1.0,))
    weights = []
    for _, given in opponent:
        weight = real_number(given)
        if weight is None or not 0 <= weight < inf:
            raise ValueError(f"opponents: expected weights from 0 on, got {given!r}")
        weights.append(weight)
    total = sum(weights)
    if total <= 0:
        raise ValueError(f"opponents: expected a weight above 0 in a pool, got {opponent!r}")
    return Pool(tuple(load(one, rules) for one, _ in opponent), tuple(weight / total for weight in weights))
