"""Many tables at once, a turn at a time: the fastest way to play.

>>> from rummy_env import vector
>>> batch = vector.make("straight", num_envs=1024, num_players=2, seed=1)
>>> batch.observation.shape, batch.action_mask.shape, batch.player.shape
((1024, 883), (1024, 306), (1024,))
>>> rewards, terminated, truncated = batch.step(batch.sample_actions())

At every table the seat to play plays one action; finished episodes start anew by themselves. The same seed plays the
same games whatever the number of tables and threads: table i of a seed is always the same table.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.actions import num_actions
from rummy_env.core import batch as kernels
from rummy_env.core import kernel
from rummy_env.core.bits import new_rows
from rummy_env.core.random import streams
from rummy_env.core.state import NOBODY, new_states
from rummy_env.episode import EpisodeOptions, rules_of
from rummy_env.fields import observation_size
from rummy_env.game import Game
from rummy_env.moves import IllegalMove
from rummy_env.numbers import whole_number
from rummy_env.parts import Parts, check_count
from rummy_env.rules import Rules
from rummy_env.view import Result

FEWEST_TABLES: Final = 2048
"""Tables for which waking another thread is worth its while: a step of them takes some 140 microseconds."""
FEWEST_GLANCES: Final = 4 * FEWEST_TABLES
"""The same where a table is only looked at: to draw an action, or to find an illegal one."""

FEWEST_ENDED: Final = 16
"""Room for the ended tables of one part, in the beginning: this many and a 32th of its tables. It grows."""


def make(
    ruleset: str,
    num_envs: int,
    num_players: int = 2,
    seed: int | None = None,
    num_threads: int = 1,
    rewards: str = "zero_sum",
    reward_scale: float | None = None,
    match: bool = False,
    illegal: str = "raise",
    **options: Any,
) -> Batch:
    """``num_envs`` tables of a ruleset, ready to play; ``options`` are those of the ruleset (`Rules.preset`).

    The other arguments: see `Batch`.

    Raises:
        ValueError: for an argument that does not exist or is out of range, saying what is allowed.
    """
    rules = rules_of(ruleset, num_players, options, ("num_envs", "seed", "num_threads"))
    return Batch(rules, num_envs, seed, num_threads, rewards, reward_scale, match, illegal)


class Ended:
    """The K tables whose rounds ended in one step, as they stood at the end. P is the number of seats.

    In a match, an episode goes on after a round: `Batch.step` says which episodes ended.
    """

    def __init__(self, rules: Rules, states: npt.NDArray[np.void], tables: npt.NDArray[np.int64]) -> None:
        self.rules = rules
        self.tables = tables[:, 0].copy()
        """(K,) int64: numbers of the tables, ascending."""
        self.losers = tables[:, 1].copy()
        """(K,) int64: the seat that lost the round by an illegal action, or -1."""
        self._states = states

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def winners(self) -> npt.NDArray[np.int32]:
        """(K,) int32: the winner's seat, or -1."""
        return self._states["view"]["winner"].copy()

    @property
    def scores(self) -> npt.NDArray[np.int32]:
        """(K, P) int32: what the round added to each seat's total."""
        return self._states["view"]["scores"][:, : self.rules.num_players].copy()

    @property
    def totals(self) -> npt.NDArray[np.int32]:
        """(K, P) int32: totals of the match, this round's scores included."""
        return self._states["view"]["totals"][:, : self.rules.num_players].copy()

    @property
    def doubled(self) -> npt.NDArray[np.bool_]:
        """(K,) bool: the winner scored double."""
        return self._states["view"]["doubled"].astype(np.bool_)

    @property
    def void(self) -> npt.NDArray[np.bool_]:
        """(K,) bool: nobody won."""
        return self._states["view"]["void"].astype(np.bool_)

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """(K,) bool: void because `Rules.max_turns` turns were over."""
        return self._states["view"]["truncated"].astype(np.bool_)

    def result(self, k: int) -> Result:
        """How the k-th of these rounds ended."""
        result = self.game(k).result
        assert result is not None
        return result

    def game(self, k: int) -> Game:
        """The k-th of these tables at its end."""
        return Game(self.rules, self._states[k : k + 1].copy())

    def observations(self, seat: int) -> npt.NDArray[np.uint8]:
        """(K, size) uint8: the final observations of a seat.

        Raises:
            ValueError: for a seat that does not exist.
        """
        return _observations(self.rules, self._states, seat)


class Batch:
    """N tables of one game with P seats. Make one with `make`, or from any `Rules`.

    Args:
        rules: the game.
        num_envs: N, from 1 on.
        seed: a whole number from 0 on; None draws one.
        num_threads: threads that share the tables, at most one for 2,048 of them; they change no game.
        rewards: what each seat gets at the end of a round: "zero_sum" (its score minus the mean of the others'),
            "score" (its score), both divided by ``reward_scale``, or "win" (1 for the winner, -1/(P-1) for the
            others, 0 if nobody wins).
        reward_scale: the points that make a reward of 1; None: the target of a match, 100 where it has none.
        match: an episode is a match to the target, else a round.
        illegal: "raise" refuses an illegal action, with nothing changed at any table; "lose" ends the episode, with
            a reward of -1 for the seat that played it and 1/(P-1) for each other.

    Raises:
        ValueError: for an argument out of range, saying what is allowed.
    """

    def __init__(
        self,
        rules: Rules,
        num_envs: int,
        seed: int | None = None,
        num_threads: int = 1,
        rewards: str = "zero_sum",
        reward_scale: float | None = None,
        match: bool = False,
        illegal: str = "raise",
    ) -> None:
        self.rules = rules
        self._parts = Parts(num_envs, num_threads, FEWEST_TABLES)
        self._glances = Parts(num_envs, num_threads, FEWEST_GLANCES)
        self.options = EpisodeOptions(rewards=rewards, reward_scale=reward_scale, match=match, illegal=illegal)
        self._options = self.options.record(rules)
        num_envs = int(num_envs)
        self.num_envs = num_envs
        self._states = new_states(rules.ruleset, num_envs)
        self._new_rows()
        self._ended = [
            (new_states(rules.ruleset, room := FEWEST_ENDED + (hi - lo) // 32), np.zeros((room, 2), np.int64))
            for lo, hi in self._parts.bounds
        ]
        self._num_ended = [0] * len(self._ended)
        self._deal(streams(seed, 2 * num_envs).reshape(num_envs, 2))

    def _new_rows(self) -> None:
        self._observation_words, self.observation = new_rows(
            self.num_envs, observation_size(self.rules.ruleset, self.rules.num_players)
        )
        """``observation``: (N, size) uint8, 0 or 1 (`rummy_env.fields`), of the seat to play; rewritten in place."""
        self._mask_words, mask = new_rows(self.num_envs, num_actions(self.rules.ruleset))
        self.action_mask: npt.NDArray[np.int8] = mask.view(np.int8)
        """(N, A) int8: 1 for the legal actions of the seat to play; rewritten in place."""
        self.player: npt.NDArray[np.int32] = np.zeros(self.num_envs, np.int32)
        """(N,) int32: the seat to play; rewritten in place."""

    @property
    def num_players(self) -> int:
        return self.rules.num_players

    @property
    def num_actions(self) -> int:
        return num_actions(self.rules.ruleset)

    @property
    def nbytes(self) -> int:
        """Bytes of all tables with everything that is kept for them."""
        rows = self._observation_words.nbytes + self._mask_words.nbytes + self.player.nbytes
        return self._states.nbytes + rows + sum(states.nbytes + tables.nbytes for states, tables in self._ended)

    @property
    def views(self) -> npt.NDArray[np.void]:
        """(N,) `rummy_env.core.state.VIEW_DTYPE`: what the seat to play may know, as compiled bots read it. Read it,
        do not write."""
        return self._states["view"]

    def reset(self, seed: int | None = None) -> None:
        """Start every table anew. With a seed, as a new batch of that seed; without, the tables' chance goes on.

        Raises:
            ValueError: for a seed that is not a whole number from 0 on.
        """
        if seed is None:
            hidden = self._states["hidden"]
            self._deal(np.stack([hidden["rng"], hidden["bot_rng"]], axis=1))
        else:
            self._deal(streams(seed, 2 * self.num_envs).reshape(self.num_envs, 2))

    def _deal(self, chance: npt.NDArray[np.uint64]) -> None:
        kernel.announce(self.rules.ruleset)
        self._num_ended = [0] * len(self._ended)

        def part(_: int, lo: int, hi: int) -> None:
            kernels.reset_tables(self.rules.record, self._states, chance, lo, hi)
            self._observe(lo, hi)

        self._parts.run(part)

    def _observe(self, lo: int, hi: int) -> None:
        kernels.observe_tables(
            self.rules.record, self._states, self._observation_words, self._mask_words, self.player, lo, hi
        )

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Play one action at every table. ``actions``: (N,) whole numbers, ids of actions.

        Returns:
            rewards: (N, P) float32, of every seat, 0 but at the end of a round.
            terminated: (N,) bool: the episode ended.
            truncated: (N,) bool: a limit of the rules cut the episode off (``max_turns``, in a match ``max_rounds``).

        Raises:
            IllegalMove: naming table, seat and action; nothing has changed at any table. Only with illegal="raise".
            ValueError: unless ``actions`` are N whole numbers.
        """
        actions = check_actions(actions, self.num_envs)
        if self.options.illegal == "raise":
            self._refuse_illegal(actions)
        rewards = np.empty((self.num_envs, self.num_players), np.float32)
        terminated = np.empty(self.num_envs, np.bool_)
        truncated = np.empty(self.num_envs, np.bool_)

        def part(number: int, lo: int, hi: int) -> int:
            ended: int = 0
            while True:
                states, tables = self._ended[number]
                count, lo = kernels.step_tables(
                    self.rules.record,
                    self._options,
                    self._states,
                    actions,
                    self._observation_words,
                    self._mask_words,
                    self.player,
                    rewards,
                    terminated,
                    truncated,
                    states[ended:],
                    tables[ended:],
                    lo,
                    hi,
                )
                ended += count
                if lo == hi:
                    return ended
                room = min(len(states), hi - lo)
                self._ended[number] = (
                    np.concatenate([states, new_states(self.rules.ruleset, room)]),
                    np.concatenate([tables, np.zeros((room, 2), np.int64)]),
                )

        self._num_ended = self._parts.run(part)
        return rewards, terminated, truncated

    def _refuse_illegal(self, actions: npt.NDArray[np.int64]) -> None:
        found = self._glances.run(lambda _, lo, hi: kernels.find_illegal(self._states, actions, lo, hi))
        table = next((table for table in found if table != NOBODY), None)
        if table is not None:
            raise illegal_action(self.game(table), table, int(actions[table]))

    @property
    def ended(self) -> Ended:
        """The tables whose rounds ended in the last step; stays as it is when the batch goes on."""
        parts = list(zip(self._ended, self._num_ended, strict=True))
        states = np.concatenate([states[:count] for (states, _), count in parts])
        tables = np.concatenate([tables[:count] for (_, tables), count in parts])
        return Ended(self.rules, states, tables)

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """(N,) int64: a legal action for every table, each with the same chance, drawn by the table itself."""
        actions = np.empty(self.num_envs, np.int64)
        self._glances.run(lambda _, lo, hi: kernels.random_actions(self._states, actions, lo, hi))
        return actions

    def play_randomly(self, num_steps: int) -> int:
        """Play ``num_steps`` random legal actions at every table without leaving compiled code, with observations
        and masks written each time; rounds follow one another. Returns the number of actions.

        Raises:
            ValueError: for a number of steps that is not a whole number from 1 on.
        """
        num_steps = check_count("num_steps", num_steps, 1 << 31)

        def part(_: int, lo: int, hi: int) -> int:
            count: int = kernels.play_randomly(
                self.rules.record, self._states, self._observation_words, self._mask_words, num_steps, lo, hi
            )
            self._observe(lo, hi)
            return count

        self._num_ended = [0] * len(self._ended)
        return sum(self._parts.run(part))

    def observe(self, seat: int) -> npt.NDArray[np.uint8]:
        """(N, size) uint8: the observations of one seat at every table, whoever is to play.

        Raises:
            ValueError: for a seat that does not exist.
        """
        return _observations(self.rules, self._states, seat)

    def game(self, table: int) -> Game:
        """A table as a `Game` of its own, which plays on by itself.

        Raises:
            ValueError: for a table that does not exist.
        """
        return table_as_game(self.rules, self._states, table)

    def close(self) -> None:
        """Stop the threads. A step starts them again."""
        self._parts.close()
        self._glances.close()

    def __getstate__(self) -> dict[str, Any]:
        rows = ("_observation_words", "observation", "_mask_words", "action_mask", "player")
        return {name: value for name, value in self.__dict__.items() if name not in rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._new_rows()
        self._observe(0, self.num_envs)

    def __repr__(self) -> str:
        return f"<Batch of {self.num_envs} tables: {self.rules.ruleset}, {self.num_players} players>"


def check_actions(actions: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Actions as kernels take them.

    Raises:
        ValueError: unless they are ``count`` whole numbers.
    """
    found = np.asarray(actions)
    if isinstance(actions, (list, tuple)) and any(isinstance(one, (bool, np.bool_)) for one in actions):
        raise ValueError(f"actions: expected {count} whole numbers, one for each table, got true or false among them")
    if found.dtype.kind not in "iu" or found.shape != (count,):
        raise ValueError(
            f"actions: expected {count} whole numbers, one for each table, got {found.dtype} of shape {found.shape}"
        )
    return np.ascontiguousarray(found, np.int64)


def table_as_game(rules: Rules, states: npt.NDArray[np.void], table: int) -> Game:
    """A copy of one of the tables.

    Raises:
        ValueError: for a table that does not exist.
    """
    number = whole_number(table)
    if number is None or not 0 <= number < len(states):
        raise ValueError(f"expected a table from 0 to {len(states) - 1}, got {table!r}")
    return Game(rules, states[number : number + 1].copy())


def illegal_action(game: Game, table: int, action: int) -> IllegalMove:
    """The error that says why an action is not legal at a table."""
    try:
        game.step(action)
    except ValueError as reason:
        return IllegalMove(f"table {table}, seat {game.to_play}, action {action}: {reason}")
    raise AssertionError(f"action {action} is legal at table {table}")


def _observations(rules: Rules, states: npt.NDArray[np.void], seat: int) -> npt.NDArray[np.uint8]:
    number = whole_number(seat)
    if number is None or not 0 <= number < rules.num_players:
        raise ValueError(f"expected a seat from 0 to {rules.num_players - 1}, got {seat!r}")
    states = states.copy()
    kernels.look_at_tables_from(states, number)
    return observe(rules, states)[0]


def observe(rules: Rules, states: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
    """Observations (K, size) and masks (K, A) of the views inside K tables."""
    words, observations = new_rows(len(states), observation_size(rules.ruleset, rules.num_players))
    mask_words, masks = new_rows(len(states), num_actions(rules.ruleset))
    players = np.empty(len(states), np.int32)
    kernels.observe_tables(rules.record, states, words, mask_words, players, 0, len(states))
    return observations, masks.view(np.int8)
