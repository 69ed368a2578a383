"""Tournaments on duplicate deals: who sits where, and the play itself. What happened is counted, not judged.

Every deal is played in all *seatings* of a *contest*: the same cards in the same order, only the agents change
their seats. Deal d of a tournament has the seed ``seed + d``; its round r is shuffled by the streams 2r and 2r + 1 of
that seed (cards and bots), whatever the rounds before it used up, so every round of a match is a duplicate too, and
its first round is the first round of ``Match(rules, seed + d)``.

D deals, S seatings, P seats; a table is one deal in one seating, T tables in a block.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import permutations
from math import ceil
from queue import SimpleQueue
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.actions import describe_action, num_actions
from rummy_env.core.batch import find_illegal, observe_tables, play_at_tables, reset_tables
from rummy_env.core.bits import new_rows
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table
from rummy_env.core.kernel import announce, kernel
from rummy_env.core.machine import match_over, next_deal
from rummy_env.core.random import streams
from rummy_env.core.state import NOBODY, OVER, new_states
from rummy_env.fields import observation_size
from rummy_env.opponents import Agent
from rummy_env.rules import Rules
from rummy_env.view import View

BLOCKS: Final = 8
MIN_BLOCK: Final = 16
MAX_BLOCK: Final = 256
"""Deals are played in blocks, all tables of a block together: about `BLOCKS` of them, of this many deals each. They
depend on the number of deals alone, so figures do not depend on how many workers share the blocks."""

ALL_ORDERS_UP_TO: Final = 4
"""Up to this many players every order of a common table is played, beyond that its rotations."""


# --- who sits where ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contest:
    """Agents that meet, by their numbers, and the agent of every seat in each seating."""

    agents: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]


def duel(a: int, b: int, num_players: int) -> Contest:
    """``a`` alone among ``b`` s in every seat, and ``b`` alone among ``a`` s: for two players, both seatings."""
    seatings = [
        tuple(alone if seat == place else others for seat in range(num_players))
        for alone, others in ((a, b), (b, a))
        for place in range(num_players)
    ]
    return Contest((a, b), tuple(dict.fromkeys(seatings)))


def common_table(num_players: int) -> Contest:
    """The agents 0, 1, … at one table: in every order, since whoever sits before you decides what you may take."""
    agents = tuple(range(num_players))
    if num_players <= ALL_ORDERS_UP_TO:
        return Contest(agents, tuple(permutations(agents)))
    return Contest(agents, tuple(agents[k:] + agents[:k] for k in agents))


def duels(num_agents: int, num_players: int) -> list[Contest]:
    """Every pair of agents once."""
    return [duel(a, b, num_players) for a in range(num_agents) for b in range(a + 1, num_agents)]


# --- what is counted -----------------------------------------------------------------------------------------


def tally_dtype(num_players: int) -> np.dtype[Any]:
    """What is counted of a table."""
    return np.dtype(
        [
            ("rounds", "i4"),
            ("turns", "i4"),
            ("voids", "i4"),  # rounds without a winner
            ("scores", "i8", (num_players,)),  # sum over the rounds
            ("wins", "i4", (num_players,)),  # of rounds
            ("rummies", "i4", (num_players,)),  # of these, doubled
            ("match_wins", "f8", (num_players,)),  # 1, or an equal share of it; 0 where no match is played
        ],
        align=True,
    )


Tally = npt.NDArray[np.void]
"""(D, S) of `tally_dtype`."""


# --- the play ------------------------------------------------------------------------------------------------


class Stopped(Exception):
    """The tournament was called off while this block was being played."""


@kernel
def go_on(rules: Any, states: Any, tables: Any, deals: Any, shuffles: Any, closed: Any) -> None:
    """After a round: deal the next one at each of the tables, or close it where its match is over.

    ``deals``: (T,) the deal of every table; ``shuffles``: (D, rounds, 2) states of the generators for every round.
    """
    r = rules[0]
    for k in range(tables.shape[0]):
        i = tables[k]
        view = states[i]["view"]
        if match_over(r, view) or view["round"] >= r["max_rounds"]:
            closed[i] = True
        else:
            states[i]["hidden"]["rng"] = shuffles[deals[i], view["round"], 0]
            states[i]["hidden"]["bot_rng"] = shuffles[deals[i], view["round"], 1]
            next_deal(r, states[i])


class Block:
    """Some deals of a contest, all tables played at the same time.

    Compiled agents play inside the kernels until an agent of another kind is to play; these are asked for all their
    tables at once. ``players``: the agents by their numbers. ``seeds``: (D,) of the deals.
    """

    def __init__(
        self, rules: Rules, players: Sequence[Agent], contest: Contest, seeds: Sequence[int], match: bool
    ) -> None:
        num_deals, num_seatings = len(seeds), len(contest.seatings)
        count = num_deals * num_seatings
        rounds = rules.max_rounds if match else 1
        self.rules = rules
        self.match = match
        self.players = players
        self.shape = num_deals, num_seatings
        self.seeds = np.repeat(np.asarray(seeds, np.int64), num_seatings)
        self.deals = np.repeat(np.arange(num_deals), num_seatings)
        self.shuffles = np.stack([streams(seed, 2 * rounds).reshape(rounds, 2) for seed in seeds])
        self.seats = np.tile(np.array(contest.seatings), (num_deals, 1))
        """(T, P): the number of the agent of every seat."""
        self.states = new_states(rules.ruleset, count)
        self.closed = np.zeros(count, np.bool_)
        self.tally = np.zeros(count, tally_dtype(rules.num_players))
        deciders = {a: d for a in contest.agents if (d := getattr(players[a], "decider", None)) is not None}
        self.asked = [a for a in contest.agents if a not in deciders]
        """The agents that are not compiled."""
        self.bots = bot_table(list(deciders.values())) if deciders else None
        numbers = np.full(len(players), -1, np.int8)
        numbers[list(deciders)] = range(len(deciders))
        self.seat_bots = numbers[self.seats]
        width = observation_size(rules.ruleset, rules.num_players)
        rows = count if self.asked else 0
        self.observation_words, self.observations = new_rows(rows, width)
        self.mask_words, masks = new_rows(rows, num_actions(rules.ruleset))
        self.masks = masks.view(np.int8)
        for agent in contest.agents:
            if reset := getattr(players[agent], "reset", None):
                reset(int(seeds[0]))

    def play(self, on_closed: Callable[[int], None], stop: threading.Event) -> Tally:
        """Play it to the end; ``on_closed`` hears of the tables that have closed since it was called last.

        Raises:
            ValueError: if an agent chooses an action that is not legal.
            Stopped: once ``stop`` is set.
        """
        num_closed = 0
        reset_tables(self.rules.record, self.states, self.shuffles[self.deals, 0], 0, len(self.states))
        while num_closed < len(self.states):
            if stop.is_set():
                raise Stopped
            self._play_bots()
            self._finish_rounds()
            self._ask()
            closed = int(self.closed.sum())
            on_closed(closed - num_closed)
            num_closed = closed
        return self.tally.reshape(self.shape)

    def _play_bots(self) -> None:
        if self.bots is None:
            return
        states = self.states
        fault = advance_tables(self.rules.record, states, self.bots, self.seat_bots, 0, len(states))
        if fault != NO_FAULT:
            agent = self.seats[fault, states["view"]["to_play"][fault]]
            raise ValueError(f"{self.players[agent].name}: expected legal actions, got another in {self._deal(fault)}")

    def _finish_rounds(self) -> None:
        over = np.flatnonzero((self.states["view"]["phase"] == OVER) & ~self.closed)
        if not over.size:
            return
        self._count(over)
        if self.match:
            go_on(self.rules.record, self.states, over, self.deals, self.shuffles, self.closed)
            self._count_matches(over[self.closed[over]])
        else:
            self.closed[over] = True

    def _count(self, over: npt.NDArray[np.int64]) -> None:
        view = self.states["view"][over]
        void = view["winner"] == NOBODY
        self.tally["rounds"][over] += 1
        # The turn in which a round is won ends with the round and is not finished.
        self.tally["turns"][over] += view["turn"] + ~void
        self.tally["voids"][over] += void
        self.tally["scores"][over] += view["scores"][:, : self.rules.num_players]
        won, winner = over[~void], view["winner"][~void]
        self.tally["wins"][won, winner] += 1
        self.tally["rummies"][won, winner] += view["doubled"][~void]

    def _count_matches(self, ended: npt.NDArray[np.int64]) -> None:
        totals = self.states["view"]["totals"][ended, : self.rules.num_players]
        best = totals == totals.max(axis=1, keepdims=True)
        self.tally["match_wins"][ended] = best / best.sum(axis=1, keepdims=True)

    def _ask(self) -> None:
        """One action of every agent that is not compiled, wherever it is to play."""
        to_play = self.states["view"]["to_play"]
        agents = self.seats[np.arange(len(to_play)), to_play]
        for agent in self.asked:
            tables = np.flatnonzero((agents == agent) & ~self.closed)
            if tables.size:
                self._play(self.players[agent], tables)

    def _play(self, player: Agent, tables: npt.NDArray[np.int64]) -> None:
        asked = self.states[tables]
        actions = self._choose(player, asked)
        illegal = find_illegal(asked, actions, 0, len(tables))
        if illegal >= 0:
            action = int(actions[illegal])
            known = 0 <= action < num_actions(self.rules.ruleset)
            got = describe_action(self.rules.ruleset, action) if known else f"action {action}"
            raise ValueError(f"{player.name}: expected legal actions, got {got} in {self._deal(tables[illegal])}")
        play_at_tables(self.rules.record, self.states, tables, actions)

    def _choose(self, player: Agent, asked: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
        """The actions of a player at tables that wait for it, copies of ours: (K,)."""
        count = len(asked)
        act_batch = getattr(player, "act_batch", None)
        if act_batch is None:
            views = asked["view"]
            return np.array([player.act(View(self.rules, views[k : k + 1].copy())) for k in range(count)], np.int64)
        seats = np.empty(count, np.int32)
        observe_tables(self.rules.record, asked, self.observation_words, self.mask_words, seats, 0, count)
        actions = np.asarray(act_batch(self.observations[:count], self.masks[:count]))
        if actions.shape != (count,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"{player.name}: expected act_batch to return {count} whole numbers, "
                f"got shape {actions.shape} of {actions.dtype}"
            )
        return actions.astype(np.int64)

    def _deal(self, table: int) -> str:
        names = ", ".join(self.players[agent].name for agent in self.seats[table])
        return f"the deal of seed {self.seeds[table]}, seats {names}"


def blocks(num_deals: int) -> list[range]:
    """The deals in blocks, see `BLOCKS`."""
    size = min(max(ceil(num_deals / BLOCKS), MIN_BLOCK), MAX_BLOCK)
    return [range(first, min(first + size, num_deals)) for first in range(0, num_deals, size)]


def play_contests(
    rules: Rules,
    crews: Sequence[Sequence[Agent]],
    contests: Sequence[Contest],
    seed: int,
    num_deals: int,
    match: bool,
    on_closed: Callable[[int], None],
) -> list[Tally]:
    """Play all deals of all contests: a tally for each contest, the same for any number of crews.

    ``crews``: for each thread, the agents by their numbers; no thread touches the agents of another. ``match``: whole
    matches instead of single rounds. ``on_closed`` is called by all threads with numbers of tables that have closed.

    Raises:
        ValueError: if an agent chooses an action that is not legal.
    """
    announce(rules.ruleset)
    idle: SimpleQueue[Sequence[Agent]] = SimpleQueue()
    for crew in crews:
        idle.put(crew)
    stop = threading.Event()

    def work(contest: Contest, deals: range) -> Tally:
        crew = idle.get()
        try:
            return Block(rules, crew, contest, [seed + d for d in deals], match).play(on_closed, stop)
        finally:
            idle.put(crew)

    with ThreadPoolExecutor(len(crews), thread_name_prefix="rummy tournament") as pool:
        jobs = [[pool.submit(work, contest, deals) for deals in blocks(num_deals)] for contest in contests]
        try:
            # Not in the order of the jobs: whatever fails first, nothing more is begun.
            for job in wait([job for parts in jobs for job in parts], return_when=FIRST_EXCEPTION).done:
                job.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [np.concatenate([part.result() for part in parts]) for parts in jobs]
