"""The expert: it tries every legal action in many worlds, and plays the one that ends best.

A *world* is a table as it may be: everything that the seat cannot see is dealt at random, what is known stays where it
is (`rummy_env.position.possible_tables`). Hands of players who have drawn and discarded for some turns are better than
random ones, so in every world the others first play some turns of their own (`ripen_hands`), and worlds in which `hard`
would have discarded what they did are chosen more often (`count_agreed`).

In every world every action is tried, and the rest of the round is played by `hard` in all seats; an action is worth the
mean of what the seat gains then. All actions are tried in the same worlds with the same chance, so the luck of a world
falls on all of them; actions that are clearly worse are dropped early, and where none is surely better than what `hard`
would play, that is played.

This is a rollout policy on determinized worlds (Bertsekas and Castanon, Rollout algorithms for stochastic scheduling
problems, 1999; Ginsberg, GIB, 1999). It looks one action ahead, and does not see what hiding its cards is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import View
from agents.rule_bots import HARD
from rummy_env.actions import action_table, first_ids
from rummy_env.cards import JOKER, NUM_FACES, from_mask
from rummy_env.core.batch import play_at_tables
from rummy_env.core.bits import bit
from rummy_env.core.bot import advance_tables, bot_table, call_bot
from rummy_env.core.hands import begin_turn, hold, let_go, off_pile, show_hand
from rummy_env.core.kernel import kernel
from rummy_env.core.machine import refresh_legal
from rummy_env.core.random import advance, below
from rummy_env.core.state import NOBODY, PLAY, new_states
from rummy_env.position import possible_tables
from rummy_env.rules import Rules

WORLDS: Final = (64, 128, 256)
"""How many worlds are dealt, part by part; after every part, actions that are clearly worse are dropped."""

CLEARLY: Final = 2.0
"""An action is dropped when the best one is better by so many standard errors of their difference."""

ENOUGH: Final = 1.0
"""By so many standard errors an action must be better than that of `hard` to be played in its place."""


CANDIDATES: Final = 4
"""How many tables are dealt for every world."""

RIPE: Final = 3
"""Turns of drawing and discarding for every card that the seat drew, or every turn that it had."""

LAST_DISCARDS: Final = 4
"""Of every other seat so many discards are looked at …"""

AGREEMENT: Final = 1.5
"""… and every one that `hard` would have made with the hand of a table raises its logarithm of the odds by this."""


@kernel
def count_agreed(rules: Any, tables: Any, spare: Any, bots: Any, discards: Any, agreed: Any) -> None:
    """At how many of the ``discards``, (D, 3) seats, cards and actions, ``bots[0]`` would have done the same with the
    hand that the seat has at a table and the card: (W,) int64. ``spare``: one table to work on."""
    for i in range(tables.shape[0]):
        for k in range(discards.shape[0]):
            spare[0] = tables[i]
            state = spare[0]
            view = state["view"]
            hidden = state["hidden"]
            view["to_play"] = discards[k, 0]
            view["seat"] = discards[k, 0]
            view["phase"] = PLAY
            begin_turn(view)
            off_pile(view, discards[k, 1])
            show_hand(state, view, discards[k, 0])
            hold(state, discards[k, 1])
            refresh_legal(rules[0], view)
            if call_bot(bots, 0, rules[0], view, hidden["bot_rng"]) == discards[k, 2]:
                agreed[i] += 1


@kernel
def ripen_hands(rules: Any, tables: Any, hiddens: Any, spare: Any, bots: Any, turns: Any, discard_id: int) -> None:
    """Make the hands of the others what they would be after some turns of drawing and discarding.

    ``hiddens``: the field of ``tables``; ``spare``: one table to work on; ``turns``: (P,) int64 for every seat. A card
    is drawn from the stock, and what ``bots[0]`` would discard takes its place there; where it would do something
    else, or let go of a card that everybody knows to be still in the hand, the drawn card goes back.
    """
    for i in range(tables.shape[0]):
        for seat in range(turns.shape[0]):
            if turns[seat] == 0 or tables[i]["view"]["stock_size"] == 0:
                continue
            spare[0] = tables[i]
            state = spare[0]
            view = state["view"]
            hidden = state["hidden"]
            view["to_play"] = seat
            view["seat"] = seat
            view["phase"] = PLAY
            begin_turn(view)
            show_hand(state, view, seat)
            known = view["known"][seat]
            for _ in range(turns[seat]):
                hidden["bot_rng"] = advance(hidden["bot_rng"])
                place = below(hidden["bot_rng"], view["stock_size"])
                card = np.int64(hidden["stock"][place])
                hold(state, card)
                refresh_legal(rules[0], view)
                out = call_bot(bots, 0, rules[0], view, hidden["bot_rng"]) - discard_id
                if not 0 <= out < NUM_FACES or known & bit(out):
                    out = card
                let_go(state, out)
                hidden["stock"][place] = out
            hiddens[i] = hidden


@dataclass(frozen=True)
class Worth:
    """What an action is worth: the points of the round that the seat gains on the mean of the others."""

    points: float
    error: float
    """Standard error of the difference to what `hard` would play (of that: 0)."""
    worlds: int
    """In how many worlds it was tried."""


class Expert:
    """A player that looks ahead; slower than the others by far (some ten milliseconds an action)."""

    name = "expert"

    def __init__(self, rules: Rules, seed: int | None = None, worlds: tuple[int, ...] = WORLDS) -> None:
        self.rules = rules
        self.worlds = worlds
        self._spare = new_states(rules.ruleset, 1)
        self._discard_id = first_ids(action_table(rules.ruleset))["discard"]
        self.reset(seed)

    @cached_property
    def _hard(self) -> Any:
        """The compiled `hard`: compiled, or read from the cache, when it is first asked."""
        return HARD.decider(self.rules.ruleset)

    @cached_property
    def _bots(self) -> Any:
        return bot_table([self._hard])

    def reset(self, seed: int | None = None) -> None:
        """Start its random numbers anew."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """The action that is worth most; that of `hard` where none is surely better."""
        legal = _legal_actions(view)
        if len(legal) == 1:
            return legal[0]
        worth = self.values(view)
        usual = self._usual(view)
        # One that was dropped early may look better than it is.
        most_tried = max(one.worlds for one in worth.values())
        best = max((a for a in worth if worth[a].worlds == most_tried), key=lambda action: worth[action].points)
        is_better = worth[best].points - worth[usual].points > ENOUGH * worth[best].error
        return best if is_better else usual

    def values(self, view: View) -> dict[int, Worth]:
        """What every legal action is worth.

        Raises:
            ValueError: for the view of a seat that is not to play.
        """
        actions = _legal_actions(view)
        if not actions:
            raise ValueError(f"expected the view of the seat to play, got that of seat {int(view.record['seat'][0])}")
        usual = actions.index(self._usual(view))
        scores = np.empty((0, len(actions)))
        trying = list(range(len(actions)))
        for count in self.worlds:
            worlds = self.likely_tables(view, count)
            part = np.full((count, len(actions)), np.nan)
            for k in trying:
                part[:, k] = self._play_out(worlds, actions[k])
            scores = np.concatenate([scores, part])
            best = max(trying, key=lambda k: float(np.nanmean(scores[:, k])))
            behind, error = _behind(scores, best)
            trying = [k for k in trying if k == usual or behind[k] <= CLEARLY * error[k]]
            if trying == [usual]:
                break
        behind, error = _behind(scores, usual)
        return {
            action: Worth(
                float(scores[:, usual].mean() - behind[k]), float(error[k]), int((~np.isnan(scores[:, k])).sum())
            )
            for k, action in enumerate(actions)
        }

    def likely_tables(self, view: View, count: int) -> npt.NDArray[np.void]:
        """(W,) possible tables, more of those on which the others would have discarded what they did."""
        tables = possible_tables(self.rules, view.record, CANDIDATES * count, self._chance)
        turns = RIPE * self._turns_had(view)
        turns[[seat for seat in range(self.rules.num_players) if seat not in self._rivals(view)]] = 0
        ripen_hands(self.rules.record, tables, tables["hidden"], self._spare, self._bots, turns, self._discard_id)
        found = self._last_discards(view)
        if not len(found):
            return tables[:count]
        agreed = np.zeros(len(tables), np.int64)
        count_agreed(self.rules.record, tables, self._spare, self._bots, found, agreed)
        # The largest of logarithms with Gumbel noise are a draw without replacement.
        lot = AGREEMENT * agreed + self._chance.gumbel(size=len(tables))
        return tables[np.argpartition(-lot, count)[:count]]

    def _rivals(self, view: View) -> list[int]:
        """The other seats, without those that have packed, whose hands are of no account any more."""
        record, seats = view.record[0], range(self.rules.num_players)
        packed = record["packed"] if "packed" in (record.dtype.names or ()) else np.zeros(self.rules.num_players)
        return [seat for seat in seats if seat != record["seat"] and not packed[seat]]

    def _turns_had(self, view: View) -> npt.NDArray[np.int64]:
        """(P,) how often every seat has drawn: cards from the stock since its last refill, or where a game does not
        count them, turns."""
        record, seats = view.record[0], self.rules.num_players
        for counted in ("drawn", "turns"):
            if counted in (record.dtype.names or ()):
                drawn: npt.NDArray[np.int64] = record[counted][:seats].astype(np.int64)
                return drawn
        return np.full(seats, int(record["turn"]) // seats)

    def _last_discards(self, view: View) -> npt.NDArray[np.int64]:
        """(D, 3): seat, card and action of the last discards of the others that still lie in the pile."""
        record = view.record[0]
        left = dict.fromkeys(self._rivals(view), LAST_DISCARDS)
        found = []
        for card in map(int, record["pile"][: record["pile_size"]][::-1]):
            for seat in left:
                if card != JOKER and left[seat] and int(record["discarded"][seat]) >> card & 1:
                    left[seat] -= 1
                    found.append((seat, card, self._discard_id + card))
                    break
        return np.array(found, np.int64).reshape(-1, 3)

    def _usual(self, view: View) -> int:
        """What `hard` plays."""
        return int(self._hard(self.rules.record[0], view.record[0], np.uint64(1)))

    def _play_out(self, worlds: npt.NDArray[np.void], action: int) -> npt.NDArray[np.float64]:
        """(W,) what the seat to play gains on the mean of the others if it plays ``action`` and `hard` goes on."""
        record, count = self.rules.record, len(worlds)
        states = worlds.copy()
        seat = int(states["view"]["to_play"][0])
        play_at_tables(record, states, np.arange(count), np.full(count, action))
        fault = advance_tables(record, states, self._bots, np.zeros((count, self.rules.num_players), np.int8), 0, count)
        if fault != NOBODY:
            raise ValueError("expected legal actions of hard, got another")
        scores = states["view"]["scores"][:, : self.rules.num_players].astype(np.float64)
        others = (scores.sum(1) - scores[:, seat]) / (self.rules.num_players - 1)
        gained: npt.NDArray[np.float64] = scores[:, seat] - others
        return gained

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rules.ruleset}, {self.rules.num_players} players>"


def _behind(scores: npt.NDArray[np.float64], first: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How far every action is behind the ``first`` in the worlds in which both were tried, and the standard error."""
    differences = scores[:, [first]] - scores
    tried = np.maximum((~np.isnan(differences)).sum(0), 2)
    return np.nanmean(differences, 0), np.nanstd(differences, 0, ddof=1) / np.sqrt(tried)


def _legal_actions(view: View) -> list[int]:
    words: Any = view.record["legal"][0].tolist()
    return [64 * word + at for word, bits in enumerate(words) for at in from_mask(bits)]
