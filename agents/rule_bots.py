"""The rule-based players: random, easy, normal and hard (RULES.md, "The computer players"), and gin's simple.

Each is one compiled function ``decide(rules, view, number) -> action`` (signature: `rummy_env.core.bot.DECIDE`)
that reads the view alone; ``number`` is its only chance. ``RANDOM``, ``EASY``, ``NORMAL``, ``HARD`` and ``SIMPLE`` are
what entry points name: called with rules they make an agent, and their ``decider`` is the compiled function. A function
is compiled when it is first asked for, not on import.

Sets of cards are 52-bit integers (`rummy_env.core.bits`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from agents import gin_bots, hand_bots, indian_bots, rami_bots
from agents.agent import View
from agents.danger import expected_melds
from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.bot import decider
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner
from rummy_env.core.melds import (
    NOT_ACE,
    NOT_KING,
    NUM_PAIRS,
    ONE_OF_EACH_SUIT,
    PAIRS,
    completing,
    in_melds,
    ranks_in_sets,
    run_indices,
    runs_of_3,
)
from rummy_env.core.random import advance, below
from rummy_env.core.rounds import is_legal, may_discard, random_legal
from rummy_env.core.state import DRAW, NO_CARD
from rummy_env.core.straight import (
    DISCARD_ID,
    DRAW_ID,
    LAYOFF_HIGH_ID,
    LAYOFF_LOW_ID,
    LAYOFF_SET_ID,
    MELD_RUN_ID,
    MELD_SET_ID,
    TAKE_ID,
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

# fmt: off
_HARD_TABLE: Final[tuple[tuple[str, float, float, float], ...]] = (
    # Melds are held back for rummy while the sum of these is above 0: always, in the short rounds of three or four.
    ("hold", 13.3, 1.0, 1.0),
    ("hold_loose", -0.94, 0.0, 0.0),  # for each card outside melds
    ("hold_points", -1.41, 0.0, 0.0),  # for every 10 points that could be put down
    ("hold_win", 1.99, 0.0, 0.0),  # for every 10% of chance that the next draw wins
    ("hold_turn", -1.12, 0.0, 0.0),  # for each turn that it has had
    ("hold_stock", 1.66, 0.0, 0.0),  # for every 10 cards of the stock
    ("hold_fewest", 0.26, 0.0, 0.0),  # for each card of the smallest other hand
    ("hold_known", -3.12, 0.0, 0.0),  # for each card that others took and still hold: they hold melds too
    ("hold_open", 4.77, 0.0, 0.0),  # for each of the others who has put something down
    # What it is worth to be rid of a card.
    ("points", -0.15, -0.19, 0.05),  # for each of its points
    ("points_late", 2.67, 0.15, -0.01),  # for each of its points, after 10 turns (half after 5)
    ("points_urgent", -0.06, 0.46, 0.26),  # for each of its points, where another has four cards (half with eight)
    ("join", 4.16, 6.58, 7.68),  # less for each draw of 30 that could be put down together with it
    ("win", 2.59, 1.69, 1.56),  # more for each draw of 30 that would win without it
    ("pair", 1.1, 0.11, 0.27),  # less for every two live cards that would make a meld with it
    ("lone", 3.07, 1.03, 7.6),  # more for a card that has no partner in the hand
    ("danger", 6.56, 23.27, 9.67),  # less for each meld that the next player is expected to make of it
    ("company", 0.85, 0.49, 0.31),  # the chance that a card taken by the next player has a certain partner in that hand
    ("doubt", 0.9, 0.05, 0.55),  # factor on the chance of two cards that the next player seems not to have
)
# fmt: on
"""The weights of `decide_hard` for 2, 3 and 4 players, found by search: rounds against itself and against `normal`."""

HARD_DTYPE: Final = np.dtype([(name, "f8") for name, *_ in _HARD_TABLE])
HARD_WEIGHTS: Final = np.array(list(zip(*(row[1:] for row in _HARD_TABLE), strict=True)), HARD_DTYPE)
"""One record for each number of players from 2 on."""

DANGEROUS_HAND: Final = 3
"""It puts everything down once another has no more cards than this …"""
LOW_STOCK: Final = 2
"""… or once no more cards than this are to come for each player, those of a refill included."""


@inner
def _num_pairs(card, cards):
    """How many pairs of ``cards`` make a meld of three with ``card``."""
    count = 0
    for k in range(NUM_PAIRS):
        pair = PAIRS[card, k]
        if pair != 0 and pair & ~cards == 0:
            count += 1
    return count


@inner
def _fitting(view):
    """The cards that can be laid off onto the table."""
    return view["fits_set"] | view["fits_low"] | view["fits_high"]


@inner
def _of_use(view, hand, down):
    """The cards that could be put down together with cards of ``hand``, of which ``down`` can be put down now."""
    beside = (down & NOT_KING) << 1 | (down & NOT_ACE) >> 1
    return completing(hand) | _fitting(view) | beside


NO_COUNTS: Final = (0, 0, 0, 0, 0, 0)
"""A count for every card, all at once: bit c of number k is bit k of card c's count."""


@inner
def _count(counts, cards):
    """Add one to the count of each of ``cards``."""
    a, b, c, d, e, f = counts
    ab = a & cards
    bc = b & ab
    cd = c & bc
    de = d & cd
    return a ^ cards, b ^ ab, c ^ bc, d ^ cd, e ^ de, f ^ (e & de)


@inner
def _count_of(counts, card):
    total = np.int64(0)
    for k in range(len(NO_COUNTS)):
        total += (counts[k] >> card & 1) << k
    return total


@inner
def _look_ahead(rules, view, hand, down, live):
    """What each live card would do if it came next, everything being put down then.

    Returns two counts for each card of the hand: the draws together with which it can be put down, and the draws
    that win the round if it is discarded now.
    """
    loose = hand & ~down
    num_loose = popcount(loose)
    joins = wins = NO_COUNTS
    draws = _of_use(view, hand, down) & live
    while draws:
        drawn = draws & -draws
        draws ^= drawn
        _, down_then = best_sets(rules, view, hand | drawn)
        left = (hand | drawn) & ~down_then
        if popcount(left) < num_loose:
            joins = _count(joins, loose & down_then)
        # Of two that are left one is discarded now, the other ends the round as the last discard.
        if popcount(left) <= 2:
            wins = _count(wins, left & loose)
    return joins, wins


@inner
def _fewest_cards(rules, view):
    """Cards of the smallest hand of the others."""
    fewest = NUM_FACES
    for seat in range(rules["num_players"]):
        if seat != view["seat"]:
            fewest = min(fewest, np.int64(view["hand_sizes"][seat]))
    return fewest


@inner
def _turns_had(rules, view):
    return view["turn"] // rules["num_players"]


@inner
def _worth_of_a_point(rules, view, weights):
    """What a point less in hand is worth: more, the sooner the round may end."""
    late = weights["points_late"] * 0.1 * _turns_had(rules, view)
    urgent = weights["points_urgent"] * 4.0 / max(1, _fewest_cards(rules, view))
    return weights["points"] + late + urgent


@inner
def _discard(rules, view, weights, down, candidates, live):
    """The best of the ``candidates`` to discard, and the chance that the next draw then wins.

    ``down``: what could be put down of the hand. What completes a meld of cards that the next player took is
    discarded only where nothing else can be.
    """
    hand = view["hand"]
    next_seat = (view["seat"] + 1) % rules["num_players"]
    harmless = candidates & ~completing(view["known"][next_seat])
    if harmless:
        candidates = harmless
    joins, wins = _look_ahead(rules, view, hand, down, live)
    num_live = max(1, popcount(live))
    per_draw = 30.0 / num_live
    per_point = _worth_of_a_point(rules, view, weights)
    share = (view["hand_sizes"][next_seat] - popcount(view["known"][next_seat])) / num_live
    best = NO_CARD
    best_wins = np.int64(0)
    most = -1e9
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        num_wins = _count_of(wins, card)
        worth = per_point * points_of(rules, bit(card))
        worth += per_draw * (weights["win"] * num_wins - weights["join"] * _count_of(joins, card))
        worth -= weights["pair"] * _num_pairs(card, live)
        worth -= weights["danger"] * expected_melds(view, weights, card, next_seat, live, share)
        if neighbours(bit(card)) & hand & ~down == 0:
            worth += weights["lone"]
        if worth > most:
            most = worth
            best = card
            best_wins = num_wins
    return best, best_wins / num_live


@inner
def _holds(rules, view, weights, down, chance):
    """Whether to hold melds back for rummy. ``chance``: that the next draw wins."""
    num_players = rules["num_players"]
    me = view["seat"]
    fewest = _fewest_cards(rules, view)
    to_come = view["stock_size"] + max(0, view["pile_size"] - 1)
    if fewest <= DANGEROUS_HAND or to_come <= LOW_STOCK * num_players:
        return False
    loose = view["hand"] & ~down
    num_known = 0
    num_open = 0
    for seat in range(num_players):
        if seat != me:
            num_known += popcount(view["known"][seat])
            num_open += view["put_down"][seat]
    return (
        weights["hold"]
        + weights["hold_loose"] * popcount(loose)
        + weights["hold_points"] * 0.1 * points_of(rules, down)
        + weights["hold_win"] * 10.0 * chance
        + weights["hold_turn"] * _turns_had(rules, view)
        + weights["hold_stock"] * 0.1 * view["stock_size"]
        + weights["hold_fewest"] * fewest
        + weights["hold_known"] * num_known
        + weights["hold_open"] * num_open
        > 0.0
    )


@inner
def _can_put_down_more(rules, view, top):
    """Whether with the pile's top no more cards would stay in hand than without, everything being put down."""
    hand = view["hand"]
    _, down = best_sets(rules, view, hand)
    _, down_then = best_sets(rules, view, hand | top)
    return popcount((hand | top) & ~down_then) <= popcount(hand & ~down)


@inner
def hard_action(rules, view, weights):
    """The action of `decide_hard` with any weights (a `HARD_DTYPE` record)."""
    if view["phase"] == DRAW:
        if not is_legal(view, DRAW_ID):
            return TAKE_ID
        top = pile_top(view)
        return TAKE_ID if top and _can_put_down_more(rules, view, top) else DRAW_ID
    hand = view["hand"]
    sets, down = best_sets(rules, view, hand)
    goes_out = popcount(hand & ~down) <= 1
    if goes_out or view["put_down"][view["seat"]] != 0 or view["down_now"] != 0:
        action = first_step(view, sets)
        if action != NO_ACTION:
            return action
    allowed = may_discard(rules, view)
    candidates = allowed & ~down
    if candidates == 0:
        candidates = allowed
    card, chance = _discard(rules, view, weights, down, candidates, live_cards(rules, view))
    if down and not _holds(rules, view, weights, down, chance):
        return first_step(view, sets)
    return DISCARD_ID + card


def decide_hard(rules, view, number):
    """Goes out when it can, holds melds back while that pays, gives nothing to the next player."""
    return hard_action(rules, view, HARD_WEIGHTS[rules["num_players"] - 2])


# --- the players ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleBotKind:
    """One of the rule-based players, for any rules: an `agents.agent.AgentFactory`."""

    name: str
    functions: Mapping[str, Callable[..., int]]
    """``decide(rules, view, number)`` of every ruleset, uncompiled."""
    _deciders: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def decider(self, ruleset: str) -> Any:
        """The function of a ruleset compiled for batches; compiled (or read from the cache) when first asked for.

        Raises:
            ValueError: for a ruleset that this player does not know.
        """
        if ruleset not in self.functions:
            raise ValueError(f"{self.name}: expected rules of {', '.join(self.functions)}, got {ruleset}")
        if ruleset not in self._deciders:
            self._deciders[ruleset] = decider(self.functions[ruleset], ruleset)
        return self._deciders[ruleset]

    def __call__(self, rules: Rules, seed: int | None = None) -> RuleBot:
        return RuleBot(self, rules, seed)


class RuleBot:
    """A rule-based player at one seat."""

    def __init__(self, kind: RuleBotKind, rules: Rules, seed: int | None = None) -> None:
        self.name = kind.name
        self.rules = rules
        self._kind = kind
        if rules.ruleset not in kind.functions:
            raise ValueError(f"{kind.name}: expected rules of {', '.join(kind.functions)}, got {rules.ruleset}")
        self.reset(seed)

    @property
    def decider(self) -> Any:
        """``decide(rules, view, number)``, compiled."""
        return self._kind.decider(self.rules.ruleset)

    def reset(self, seed: int | None = None) -> None:
        """Start its random numbers anew."""
        self._chance = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """The action that it chooses in a view."""
        number = self._chance.integers(1, 1 << 64, dtype=np.uint64)
        return int(self.decider(view.rules.record[0], view.record[0], number))

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rules.ruleset}, {self.rules.num_players} players>"


RANDOM: Final = RuleBotKind(
    "random",
    {
        "straight": decide_random,
        "rami": rami_bots.decide_random,
        "indian": hand_bots.decide_random,
        "gin": hand_bots.decide_random,
    },
)
EASY: Final = RuleBotKind(
    "easy",
    {
        "straight": decide_easy,
        "rami": rami_bots.decide_easy,
        "indian": indian_bots.decide_easy,
        "gin": gin_bots.decide_easy,
    },
)
NORMAL: Final = RuleBotKind(
    "normal",
    {
        "straight": decide_normal,
        "rami": rami_bots.decide_normal,
        "indian": indian_bots.decide_normal,
        "gin": gin_bots.decide_normal,
    },
)
HARD: Final = RuleBotKind(
    "hard",
    {
        "straight": decide_hard,
        "rami": rami_bots.decide_hard,
        "indian": indian_bots.decide_hard,
        "gin": gin_bots.decide_hard,
    },
)
SIMPLE: Final = RuleBotKind("simple", {"gin": gin_bots.decide_simple})
