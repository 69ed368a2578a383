"""A match: rounds until someone reaches the target."""

from __future__ import annotations

from rummy_env import record as records
from rummy_env.core import batch, kernel
from rummy_env.core.random import streams
from rummy_env.core.state import new_states
from rummy_env.game import Game
from rummy_env.rules import Rules, check_rules
from rummy_env.view import Result


class Match:
    """Rounds to the target. ``game`` is the round being played; after it, `next_round` deals the next one.

    >>> match = Match(Rules.preset("straight"), seed=7)
    >>> match.totals, match.over
    ((0, 0), False)

    Raises:
        ValueError: for what are no `Rules`, and a seed that is not a whole number from 0 on.
    """

    def __init__(self, rules: Rules, seed: int | None = None) -> None:
        check_rules(rules)
        kernel.announce(rules.ruleset)
        self.rules = rules
        self.games: list[Game] = []
        """All rounds so far, `game` included."""
        states = new_states(rules.ruleset, 1)
        batch.first_round(rules.record, states, streams(seed, 1)[0], rules.first_dealer)
        self.seed = None if seed is None else int(seed)
        self.games.append(Game(rules, states))

    @property
    def game(self) -> Game:
        return self.games[-1]

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of every seat, the scores of a finished round included."""
        return self.game.totals

    @property
    def results(self) -> list[Result]:
        """Of the rounds that are over."""
        return [game.result for game in self.games if game.result is not None]

    @property
    def over(self) -> bool:
        """Whether someone has reached the target (target 0: one round has been won), `Rules.rounds` rounds have been
        played where the match has so many, or `Rules.max_rounds` rounds are over."""
        if self.game.result is None:
            return False
        if self.rules.rounds:
            return len(self.games) >= self.rules.rounds
        reached = max(self.totals) >= self.rules.target if self.rules.target else not self.game.result.void
        return reached or len(self.games) >= self.rules.max_rounds

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the highest total once the match is over; empty before. A match of one round is won by the
        winner of that round, also with a score of 0."""
        if not self.over:
            return ()
        one_round = not self.rules.target and not self.rules.rounds
        if one_round and self.game.result is not None and self.game.result.winner is not None:
            return (self.game.result.winner,)
        return tuple(seat for seat, total in enumerate(self.totals) if total == max(self.totals))

    def next_round(self, seed: int | None = None) -> Game:
        """Deal the next round; the deal moves one seat.

        ``seed``: shuffle from this seed instead of going on with the random numbers of the last round, so that a
        record of the rounds so far says nothing about the next one.

        Raises:
            ValueError: if the round is not over yet, or the match is; for a seed that is not a whole number from 0 on.
        """
        if not self.game.over:
            raise ValueError("expected a round that is over before the next one, got one in progress")
        if self.over:
            raise ValueError("expected a match in progress, got one that is over")
        states = self.game.state.copy()
        if seed is not None:
            states["hidden"]["rng"] = streams(seed, 1)[0]
        batch.next_round(self.rules.record, states)
        self.games.append(Game(self.rules, states))
        return self.game

    def record(self, form: str = "text") -> str:
        """The records of all rounds; `rummy_env.record.read_all` reads them."""
        return records.write_all(self.games, form)
