"""Imitation: a network learns what a teacher plays, before it learns to play better.

The teacher sits in every seat; what it decides is recorded with what its seat scored in the end. Reinforcement
learning from there needs a small part of the time that it needs from nothing.

N tables, T steps, P seats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from rummy_env.core.bot import bot_table, decide_tables
from rummy_env.opponents import Agent, load
from rummy_env.rules import Rules
from rummy_env.vector import Batch
from training.config import FIRST_TRAINING_SEED, Config
from training.network import CardPolicy

NUM_TABLES = 1024
STEPS_AT_ONCE = 64
"""Decisions of every table that are recorded, mixed and learnt at a time. Episodes go on from one part to the next."""


@dataclass(frozen=True)
class Demonstrations:
    """What was seen, what was legal, what the teacher chose, what its seat scored: (T * N, …) each.

    ``known``: where the score is known, because the episode ended within the part.
    """

    seen: torch.Tensor
    masks: torch.Tensor
    chosen: torch.Tensor
    scored: torch.Tensor
    known: torch.Tensor


class Teacher:
    """An agent asked at every table of a batch.

    Raises:
        ValueError: for an agent that cannot be asked for many tables at once.
    """

    def __init__(self, agent: Agent, seed: int) -> None:
        decider, act_batch = getattr(agent, "decider", None), getattr(agent, "act_batch", None)
        if decider is None and act_batch is None:
            raise ValueError(f"clone.teacher: expected an agent with 'decider' or 'act_batch', got {agent.name}")
        self._bots = None if decider is None else bot_table([decider])
        self._act_batch = act_batch if decider is None else None
        self._chance = np.random.default_rng(seed)

    def choose(self, batch: Batch) -> npt.NDArray[np.int64]:
        """(N,) what it plays for the seat to play at every table."""
        if self._act_batch is not None:
            return np.asarray(self._act_batch(batch.observation, batch.action_mask), np.int64)
        actions = np.empty(batch.num_envs, np.int64)
        numbers = self._chance.integers(1, 1 << 64, batch.num_envs, np.uint64)
        decide_tables(batch.rules.record, batch.views, self._bots, numbers, actions)
        return actions


def clone(policy: CardPolicy, config: Config, advance: Callable[[int], None]) -> dict[str, float]:
    """Teach ``policy``; ``advance`` hears of every number of decisions that was learnt.

    Returns the figures of the last part: ``loss``, ``agreement`` (share of decisions that it would make as the teacher
    does, before it learnt them).
    """
    settings = config.clone
    assert settings is not None
    rules = config.rules()
    seed = FIRST_TRAINING_SEED + config.seed
    teacher = Teacher(load(settings.teacher, rules, seed), seed)
    batch = _tables(rules, config, seed)
    chance = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(policy.parameters(), eps=1e-5)
    policy.set_training_mode(True)
    learnt, figures = 0, {"loss": float("nan"), "agreement": float("nan")}
    while learnt < settings.decisions:
        part = record(batch, teacher, settings.random_share, chance)
        losses, agreed = [], []
        for rows in torch.randperm(len(part.chosen)).split(settings.batch_size):
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate(max(0.0, 1 - learnt / settings.decisions))
            log_chances, values = policy.evaluate(part.seen[rows], part.masks[rows])
            chosen = part.chosen[rows]
            value_loss = ((values - part.scored[rows]).square() * part.known[rows]).mean()
            loss = functional.nll_loss(log_chances, chosen) + settings.value_weight * value_loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.detach())
            agreed.append((log_chances.argmax(1) == chosen).float().mean())
            learnt += len(rows)
            advance(len(rows))
        figures = {"loss": torch.stack(losses).mean().item(), "agreement": torch.stack(agreed).mean().item()}
    batch.close()
    return figures


def _tables(rules: Rules, config: Config, seed: int) -> Batch:
    environment = config.environment
    return Batch(
        rules,
        NUM_TABLES,
        seed,
        environment.num_threads,
        rewards=environment.rewards,
        reward_scale=environment.reward_scale,
        match=environment.match,
    )


def record(batch: Batch, teacher: Teacher, random_share: float, chance: np.random.Generator) -> Demonstrations:
    """Let the teacher play `STEPS_AT_ONCE` decisions at every table. A share is played at random instead, but
    recorded as the teacher would have played."""
    shape = (STEPS_AT_ONCE, batch.num_envs)
    seen = np.empty((*shape, batch.observation.shape[1]), np.uint8)
    masks = np.empty((*shape, batch.num_actions), np.bool_)
    chosen = np.empty(shape, np.int64)
    players = np.empty(shape, np.int64)
    rewards = np.empty((*shape, batch.num_players), np.float32)
    ended = np.empty(shape, np.bool_)
    for step in range(STEPS_AT_ONCE):
        seen[step], masks[step], players[step] = batch.observation, batch.action_mask, batch.player
        chosen[step] = teacher.choose(batch)
        at_random = chance.random(batch.num_envs) < random_share
        rewards[step], terminated, truncated = batch.step(np.where(at_random, batch.sample_actions(), chosen[step]))
        ended[step] = terminated | truncated
    scored = np.empty(shape, np.float32)
    known = np.empty(shape, np.bool_)
    of_seats = np.zeros((batch.num_envs, batch.num_players), np.float32)
    is_known = np.zeros(batch.num_envs, np.bool_)
    for step in reversed(range(STEPS_AT_ONCE)):
        of_seats = np.where(ended[step, :, None], 0, of_seats) + rewards[step]
        is_known |= ended[step]
        scored[step] = np.take_along_axis(of_seats, players[step, :, None], 1)[:, 0]
        known[step] = is_known
    return Demonstrations(*(torch.from_numpy(one).flatten(0, 1) for one in (seen, masks, chosen, scored, known)))
