"""The rule-based players: random, easy, normal and hard (RULES.md, "The computer players").

Each is one compiled function ``decide(rules, view, number) -> action`` (signature: `rummy_env.core.bot.DECIDE`)
that reads the view alone; ``number`` is its only chance. ``RANDOM``, ``EASY``, ``NORMAL`` and ``HARD`` are what
entry points name: called with rules they make an agent, and their ``decider`` is the compiled function. A
function is compiled when it is first asked for, not on import.

Sets of cards are 52-bit integers (`rummy_env.core.bits`). numba's cache watches only the file of a compiled
function, so everything that the four call and that is not in ``rummy_env.core`` stands in this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from agents.agent import View
from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.bot import decider
from rummy_env.core.kernel import inner
from rummy_env.core.melds import (
    NOT_ACE,
    NOT_KING,
    ONE_OF_EACH_SUIT,
    completing,
    in_melds,
    ranks_in_sets,
    run_indices,
    runs_of_3,
)
from rummy_env.core.random import advance, below
from rummy_env.core.state import DRAW, NO_CARD
from rummy_env.core.table_game import (
    DISCARD_ID,
    DRAW_ID,
    LAYOFF_HIGH_ID,
    LAYOFF_LOW_ID,
    LAYOFF_SET_ID,
    MELD_RUN_ID,
    MELD_SET_ID,
    TAKE_ID,
    is_legal,
    may_discard,
    points_of,
    random_legal,
)
from rummy_env.rules import Rules

NO_ACTION: Final = -1

# --- what can be put down ------------------------------------------------------------------------------------


@inner
def _spread_down(cards, ends):
    """The cards that can go below runs one after another, ``ends`` being the cards that fit at once."""
    reached = cards & ends
    while True:
        further = reached | ((reached & NOT_ACE) >> 1 & cards)
        if further == reached:
            return reached
        reached = further


@inner
def _spread_up(cards, ends):
    """The cards that can go above runs one after another."""
    reached = cards & ends
    while True:
        further = reached | ((reached & NOT_KING) << 1 & cards)
        if further == reached:
            return reached
        reached = further


@inner
def _without_sets(cards, view):
    """The cards of ``cards`` that can be put down in runs and by lay-offs, all of them in one turn.

    They never compete: in a suit every row of three is a run, and every row that touches a run of the table
    can follow it.
    """
    starts = runs_of_3(cards)
    runs = starts | (starts << 1) | (starts << 2)
    layoffs = cards & view["fits_set"]
    if cards & view["fits_low"]:
        layoffs |= _spread_down(cards, view["fits_low"])
    if cards & view["fits_high"]:
        layoffs |= _spread_up(cards, view["fits_high"])
    return runs | layoffs


@inner
def _of_rank(cards, rank):
    return cards & (ONE_OF_EACH_SUIT << rank)


MAX_CONTESTED: Final = 4
"""Ranks whose sets are weighed against runs, all together: enough for hands of up to 14 cards, where it is exact."""

SET_CHOICES: Final = NUM_SUITS + 2
"""What to do with a rank: lay all of its cards as a set, leave out the one of some suit, or lay no set."""


@inner
def _chosen(cards, rank, choice):
    """The set of ``rank`` for a choice (see `SET_CHOICES`), 0 for no set. Choices that make no difference give 0."""
    all_of_rank = _of_rank(cards, rank)
    if choice == 0:
        return all_of_rank
    if choice <= NUM_SUITS and popcount(all_of_rank) == NUM_SUITS:
        return all_of_rank & ~bit((choice - 1) * NUM_RANKS + rank)
    return np.int64(0)


@inner
def best_sets(rules, view, cards):
    """The cards to lay as sets, so that the fewest cards stay in hand, and of these the fewest points.

    Exact: all choices of sets are tried for the ranks whose cards runs and lay-offs could use as well; the rest
    of the hand then has one best way. Returns (cards in sets, cards that can be put down in all).
    """
    ranks = ranks_in_sets(cards)
    elsewhere = _without_sets(cards, view)
    if ranks == 0:
        return np.int64(0), elsewhere
    certain = np.int64(0)
    contested = np.int64(0)
    num_contested = 0
    num_choices = 1
    while ranks:
        rank = np.int64(lowest(ranks))
        ranks &= ranks - 1
        if _of_rank(elsewhere, rank) == 0:
            certain |= _of_rank(cards, rank)
        elif num_contested < MAX_CONTESTED:
            contested |= np.int64(1) << rank
            num_contested += 1
            num_choices *= SET_CHOICES
    best = certain
    best_down = certain | _without_sets(cards & ~certain, view)
    if num_contested == 0:
        return best, best_down
    least = _cost_of_keeping(rules, cards & ~best_down)
    for number in range(num_choices):
        sets = certain
        digits = number
        left = contested
        while left:
            sets |= _chosen(cards, np.int64(lowest(left)), digits % SET_CHOICES)
            digits //= SET_CHOICES
            left &= left - 1
        down = sets | _without_sets(cards & ~sets, view)
        cost = _cost_of_keeping(rules, cards & ~down)
        if cost < least:
            least = cost
            best = sets
            best_down = down
    return best, best_down


@inner
def _cost_of_keeping(rules, cards):
    """Orders hands by their number of cards, then by their points."""
    return np.int64(popcount(cards)) * 1024 + points_of(rules, cards)


@inner
def first_step(view, sets):
    """The next action that puts down ``sets``, then runs, then lays off; NO_ACTION where nothing is left.

    Sets of four and longer runs come as a meld of three and lay-offs. Whoever decides anew after each step
    stays on a best way, because the step was part of one.
    """
    hand = view["hand"]
    if sets:
        rank = np.int64(lowest(sets)) % NUM_RANKS
        others = ~sets & (ONE_OF_EACH_SUIT << rank)
        left_out = np.int64(lowest(others)) if others else rank
        return MELD_SET_ID + left_out
    starts = runs_of_3(hand)
    if starts:
        return MELD_RUN_ID + np.int64(lowest(run_indices(starts & -starts)))
    return layoff_step(view)


@inner
def layoff_step(view):
    """Some lay-off, or NO_ACTION. Onto runs first, where the next card may follow."""
    hand = view["hand"]
    low = hand & view["fits_low"]
    if low:
        return LAYOFF_LOW_ID + np.int64(lowest(low))
    high = hand & view["fits_high"]
    if high:
        return LAYOFF_HIGH_ID + np.int64(lowest(high))
    onto_set = hand & view["fits_set"]
    if onto_set:
        return LAYOFF_SET_ID + np.int64(lowest(onto_set))
    return NO_ACTION


# --- what may still come -------------------------------------------------------------------------------------


@inner
def pile_top(view):
    """The card that could be taken, as a set; empty where there is none."""
    size = view["pile_size"]
    return bit(view["pile"][size - 1]) if size > 0 else np.int64(0)


@inner
def live_cards(rules, view):
    """The cards of the deck whose place is unknown: in the stock or in a hand, not seen there."""
    seen = view["hand"] | view["table"] | view["pile_cards"]
    for seat in range(rules["num_players"]):
        seen |= view["known"][seat]
    return rules["deck"] & ~seen


@inner
def neighbours(cards):
    """The cards that can be partners of ``cards`` in a meld of three: same rank, or one or two away in the suit."""
    up = (cards & NOT_KING) << 1
    down = (cards & NOT_ACE) >> 1
    ranks = (cards | cards >> 13 | cards >> 26 | cards >> 39) & ((1 << NUM_RANKS) - 1)
    near = up | (up & NOT_KING) << 1 | down | (down & NOT_ACE) >> 1
    return (near | ranks * ONE_OF_EACH_SUIT) & ~cards


# --- random --------------------------------------------------------------------------------------------------


def decide_random(rules, view, number):
    """Any legal action, each with the same chance."""
    return random_legal(view, number)


# --- easy ----------------------------------------------------------------------------------------------------

PERCENT: Final = 100
EASY_SEES_TOP: Final = 60
"""Percent of the useful tops of the pile that it notices."""
EASY_PUTS_DOWN: Final = 40
"""Percent of its decisions in which it puts down what it could."""
EASY_DISCARDS_HIGH: Final = 50
"""Percent of its discards that are its highest card outside melds, wanted or not; the others are drawn by lot."""


@inner
def _chance(number, percent):
    return below(number, PERCENT) < percent


@inner
def _lot(number, cards):
    """A card of ``cards`` by lot."""
    for _ in range(below(number, popcount(cards))):
        cards &= cards - 1
    return np.int64(lowest(cards))


@inner
def _highest(rules, cards):
    """The card worth the most points."""
    best = NO_CARD
    most = -1
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - 1
        points = points_of(rules, bit(card))
        if points > most:
            most = points
            best = card
    return best


def decide_easy(rules, view, number):
    """Plays by the rules of thumb, but careless: overlooks tops, leaves melds in hand, throws high cards."""
    hand = view["hand"]
    if view["phase"] == DRAW:
        top = pile_top(view)
        useful = in_melds(hand | top) & top
        if (useful and _chance(number, EASY_SEES_TOP)) or not is_legal(view, DRAW_ID):
            return TAKE_ID
        return DRAW_ID
    if _chance(number, EASY_PUTS_DOWN):
        action = first_step(view, best_sets(rules, view, hand)[0])
        if action != NO_ACTION:
            return action
    allowed = may_discard(rules, view)
    loose = allowed & ~in_melds(hand)
    if loose == 0:
        loose = allowed
    number = advance(number)
    if _chance(number, EASY_DISCARDS_HIGH):
        return DISCARD_ID + _highest(rules, loose)
    return DISCARD_ID + _lot(advance(number), loose)


# --- normal --------------------------------------------------------------------------------------------------

NORMAL_OUT: Final = 4
"""What a live card that would complete a meld is worth in points left."""
NORMAL_PARTNER: Final = 1
"""What a live card that could become a partner is worth in points left."""


@inner
def _is_useful(hand, view, top):
    """Whether the pile's top completes a meld or can be laid off."""
    return (in_melds(hand | top) | view["fits_set"] | view["fits_low"] | view["fits_high"]) & top != 0


@inner
def _least_wanted(rules, view, kept_from, candidates, out_weight, partner_weight):
    """The candidate to discard: many points, few live cards that would make a meld of it."""
    live = live_cards(rules, view)
    outs = np.int64(popcount(completing(kept_from) & live))
    best = NO_CARD
    most = np.int64(-(1 << 30))
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        lost_outs = outs - np.int64(popcount(completing(kept_from & ~bit(card)) & live))
        partners = np.int64(popcount(neighbours(bit(card)) & live))
        gain = points_of(rules, bit(card)) - out_weight * lost_outs - partner_weight * partners
        if gain > most:
            most = gain
            best = card
    return best


def decide_normal(rules, view, number):
    """Takes what completes a meld, puts down everything at once, discards by points and chances."""
    hand = view["hand"]
    if view["phase"] == DRAW:
        return TAKE_ID if _is_useful(hand, view, pile_top(view)) or not is_legal(view, DRAW_ID) else DRAW_ID
    action = first_step(view, best_sets(rules, view, hand)[0])
    if action != NO_ACTION:
        return action
    return DISCARD_ID + _least_wanted(rules, view, hand, may_discard(rules, view), NORMAL_OUT, NORMAL_PARTNER)


# --- hard ----------------------------------------------------------------------------------------------------


@inner
def _fewest_cards_of_others(rules, view):
    fewest = np.int64(99)
    for seat in range(rules["num_players"]):
        if seat != view["seat"]:
            fewest = min(fewest, np.int64(view["hand_sizes"][seat]))
    return fewest


@inner
def _holds(rules, view, down):
    """Whether to hold melds back for rummy."""
    me = view["seat"]
    if view["put_down"][me] or view["down_now"]:
        return False
    if _fewest_cards_of_others(rules, view) <= 3 or view["stock_size"] < 8:
        return False
    return popcount(view["hand"] & ~down) <= 4


def decide_hard(rules, view, number):
    """Goes out when it can, holds melds back while that pays, gives nothing to the next player."""
    hand = view["hand"]
    if view["phase"] == DRAW:
        return TAKE_ID if _is_useful(hand, view, pile_top(view)) or not is_legal(view, DRAW_ID) else DRAW_ID
    sets, down = best_sets(rules, view, hand)
    if popcount(hand & ~down) <= 1 or not _holds(rules, view, down):
        action = first_step(view, sets)
        if action != NO_ACTION:
            return action
    allowed = may_discard(rules, view)
    loose = allowed & ~down
    if loose == 0:
        loose = allowed
    return DISCARD_ID + _least_wanted(rules, view, hand & ~down, loose, NORMAL_OUT, NORMAL_PARTNER)


# --- the players ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleBotKind:
    """One of the rule-based players, for any rules: an `agents.agent.AgentFactory`."""

    name: str
    function: Callable[..., int]
    """``decide(rules, view, number)``, uncompiled."""

    @cached_property
    def decider(self) -> Any:
        """The function compiled for batches; compiled (or read from the cache) on first use."""
        return decider(self.function)

    def __call__(self, rules: Rules, seed: int | None = None) -> RuleBot:
        return RuleBot(self, rules, seed)


class RuleBot:
    """A rule-based player at one seat."""

    def __init__(self, kind: RuleBotKind, rules: Rules, seed: int | None = None) -> None:
        self.name = kind.name
        self.rules = rules
        self._kind = kind
        self.reset(seed)

    @property
    def decider(self) -> Any:
        """``decide(rules, view, number)``, compiled."""
        return self._kind.decider

    def reset(self, seed: int | None = None) -> None:
        """Start its random numbers anew."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """The action that it chooses in a view."""
        number = self._chance.integers(1, 1 << 64, dtype=np.uint64)
        # Called as it is: through `decide_table` numba would look at a tuple of functions every time, for 0.3 ms.
        return int(self.decider(view.rules.record[0], view.record[0], number))

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rules.ruleset}, {self.rules.num_players} players>"


RANDOM: Final = RuleBotKind("random", decide_random)
EASY: Final = RuleBotKind("easy", decide_easy)
NORMAL: Final = RuleBotKind("normal", decide_normal)
HARD: Final = RuleBotKind("hard", decide_hard)
