"""What an episode of an environment is and what it pays: one round or a whole match at one table.

The environments that step one table at a time share this: the options that are not rules, checked once, and the
loop of play, settle, deal. Batches of tables do the same inside `rummy_env.core.batch`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rummy_env.core import batch
from rummy_env.core.batch import REWARD_SCHEMES, STEP_OPTIONS_DTYPE
from rummy_env.core.state import NOBODY
from rummy_env.game import Game
from rummy_env.match import Match
from rummy_env.moves import IllegalMove
from rummy_env.numbers import flag, real_number, whole_number
from rummy_env.rules import Rules
from rummy_env.view import Result

SCALE_WITHOUT_TARGET: Final = 100.0
"""Points that make a reward of 1 where one round is the whole match, and no other scale is given."""

ILLEGAL: Final = ("lose", "raise")
"""What an illegal action does: the seat that plays it loses the round and ends the episode, or it is refused."""


@dataclass(frozen=True, kw_only=True)
class EpisodeOptions:
    """The options of an environment that are not rules.

    ``rewards``: "zero_sum" (a seat's score minus the mean of the others'), "score" (its score), both divided by
    ``reward_scale`` (default: the rules' target, or `SCALE_WITHOUT_TARGET`), or "win" (1 for the winner, -1/(P-1) for
    each other seat).
    ``match``: an episode is a match to the target, not one round; each round pays at its end.
    ``illegal``: "lose" or "raise".

    Raises:
        ValueError: for a value that is none of these, saying what is allowed.
    """

    rewards: str = "zero_sum"
    reward_scale: float | None = None
    match: bool = False
    illegal: str = "lose"

    def __post_init__(self) -> None:
        for name, allowed in (("rewards", REWARD_SCHEMES), ("illegal", ILLEGAL)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}: expected one of {', '.join(allowed)}, got {getattr(self, name)!r}")
        object.__setattr__(self, "match", flag("match", self.match))
        if self.reward_scale is not None:
            scale = real_number(self.reward_scale)
            if scale is None or not 0 < scale < math.inf:
                raise ValueError(
                    f"reward_scale: expected a number above 0 or None for the target, got {self.reward_scale!r}"
                )
            object.__setattr__(self, "reward_scale", scale)

    def record(self, rules: Rules) -> npt.NDArray[np.void]:
        """These options as an array of one `STEP_OPTIONS_DTYPE` record, for the kernels."""
        record = np.zeros(1, STEP_OPTIONS_DTYPE)
        record["match"] = self.match
        record["rewards"] = REWARD_SCHEMES.index(self.rewards)
        record["lose"] = self.illegal == "lose"
        record["reward_scale"] = self.reward_scale or rules.target or SCALE_WITHOUT_TARGET
        return record


def rules_of(ruleset: str, num_players: int, options: Mapping[str, Any], own: Iterable[str] = ()) -> Rules:
    """The rules that an environment's keyword arguments ask for. ``own``: names of its arguments that are no rules.

    Raises:
        ValueError: for what `Rules.preset` refuses; a misspelt argument of the environment is recognised.
    """
    known = {*(field.name for field in fields(EpisodeOptions)), *own}
    for option in options.keys() - {field.name for field in fields(Rules)}:
        if near := difflib.get_close_matches(option, known, 1):
            raise ValueError(
                f"expected an option of the environment or the rules, got {option!r} (did you mean {near[0]!r}?)"
            )
    return Rules.preset(ruleset, num_players=num_players, **options)


def check_learner_seat(seat: int | None, rules: Rules) -> int | None:
    """The seat of the one learner at a table as Python's number; None: drawn for every episode.

    Raises:
        ValueError: for a seat that there is not.
    """
    number = whole_number(seat)
    if seat is not None and (number is None or not 0 <= number < rules.num_players):
        raise ValueError(f"learner_seat: expected a seat from 0 to {rules.num_players - 1} or None, got {seat!r}")
    return number


class Settled(NamedTuple):
    """A round that has just ended. ``rewards``: one for each seat. ``terminated``, ``truncated``: of the episode."""

    result: Result
    rewards: tuple[float, ...]
    terminated: bool
    truncated: bool

    @property
    def over(self) -> bool:
        """Whether the episode is over."""
        return self.terminated or self.truncated


class Episode:
    """One round, or one match, at one table. The first dealer is drawn, unless the rules name one.

    ``game`` is the round in progress, and the last one once the episode is over.
    """

    def __init__(self, rules: Rules, options: EpisodeOptions, seed: int) -> None:
        self.rules = rules
        self.options = options
        self.match = Match(rules, seed)
        self._record = options.record(rules)

    @property
    def game(self) -> Game:
        return self.match.game

    def play(self, action: Any) -> Settled | None:
        """Play an action for the seat to play. Where that ends the round, settle it, and deal the next one if the
        episode goes on; else return None.

        Raises:
            IllegalMove: naming seat and action; nothing has changed.
            ValueError: for what is no action at all.
        """
        game = self.game
        try:
            game.step(action)
        except IllegalMove as error:
            raise IllegalMove(f"seat {game.to_play}: {error}") from None
        return self._settle(NOBODY) if game.over else None

    def play_or_lose(self, action: Any) -> Settled | None:
        """As `play`, but where ``options.illegal`` is "lose", an illegal action loses the round and the episode."""
        try:
            return self.play(action)
        except IllegalMove:
            if self.options.illegal == "raise":
                raise
        loser = self.game.to_play
        self.game.forfeit()
        return self._settle(loser)

    def _settle(self, loser: int) -> Settled:
        game, rewards = self.game, np.zeros(self.rules.num_players)
        terminated, truncated = batch.settle_table(self.rules.record, self._record, game.state, loser, rewards)
        if not terminated and not truncated:
            self.match.next_round()
        assert game.result is not None
        return Settled(game.result, tuple(rewards.tolist()), bool(terminated), bool(truncated))
