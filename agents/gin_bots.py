"""How simple, easy, normal and hard play gin. `agents.rule_bots` makes players of these functions.

``simple`` is the yardstick of the published literature: Todd W. Neller's SimpleGinRummyPlayer, against which the
entries of the EAAI-2021 undergraduate research challenge on gin rummy measured themselves (Neller and others, The Gin
Rummy EAAI Undergraduate Research Challenge, AAAI 2021). It looks at its own hand alone. The others know more: what may
still come, and hard also what the other player took, left and discarded.

Sets of cards are 52-bit integers.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from agents.danger import expected_melds
from rummy_env.cards import NUM_RANKS
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.deadwood import deadwood_cards, least_deadwood
from rummy_env.core.gin import DISCARD_ID, DRAW_ID, KNOCK_ID, PASS_ID, TAKE_ID
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner
from rummy_env.core.melds import (
    NOT_ACE,
    NOT_KING,
    ONE_OF_EACH_SUIT,
    completing,
    in_melds,
)
from rummy_env.core.random import advance, below
from rummy_env.core.rounds import is_legal, may_discard
from rummy_env.core.state import NO_CARD, PLAY, UPCARD
from rummy_env.rules import NUM_VALUE_BITS

MANY_POINTS: Final = 1 << 30
"""More than any hand has."""

# --- what all use --------------------------------------------------------------------------------------------


@inner
def _top(view):
    """The card that could be taken, as a set; empty where none can."""
    return bit(view["pile"][view["pile_size"] - 1]) if is_legal(view, TAKE_ID) else np.int64(0)


@inner
def _live(rules, view):
    """The cards of which nobody has seen where they are: in the stock or in the other hand."""
    return rules["deck"] & ~(view["hand"] | view["pile_cards"] | view["known"][1 - view["seat"]])


@inner
def _leave(view):
    """The action that leaves the top of the pile."""
    if view["phase"] == UPCARD:
        return np.int64(PASS_ID)
    return np.int64(DRAW_ID if is_legal(view, DRAW_ID) else TAKE_ID)


@inner
def _fewest_left(rules, hand, cards):
    """The fewest points of deadwood after the discard of one of ``cards``, exactly."""
    fewest = np.int64(MANY_POINTS)
    while cards:
        card = cards & -cards
        cards ^= card
        fewest = min(fewest, least_deadwood(rules, hand & ~card))
    return fewest


@inner
def _leaving(rules, hand, cards, points):
    """Those of ``cards`` whose discard leaves ``points`` of deadwood."""
    found = np.int64(0)
    while cards:
        card = cards & -cards
        cards ^= card
        if least_deadwood(rules, hand & ~card) == points:
            found |= card
    return found


@inner
def _throw(view, card):
    """Knock with the discard of a card where that is legal, else discard it."""
    return KNOCK_ID + card if is_legal(view, KNOCK_ID + card) else DISCARD_ID + card


@inner
def _chance(number, percent):
    return below(number, PERCENT) < percent


@inner
def _lot(number, cards):
    """A card of ``cards`` by lot."""
    for _ in range(below(number, popcount(cards))):
        cards &= cards - 1
    return np.int64(lowest(cards))


PERCENT: Final = 100

# --- simple --------------------------------------------------------------------------------------------------


def decide_simple(rules, view, number):
    """Takes the pile's top only where it is part of a meld, discards what leaves the least deadwood (by lot where
    several cards do), knocks as soon as it may. Remembers nothing."""
    hand = view["hand"]
    if view["phase"] != PLAY:
        top = _top(view)
        return np.int64(TAKE_ID) if in_melds(hand | top) & top else _leave(view)
    allowed = may_discard(rules, view)
    best = _leaving(rules, hand, allowed, _fewest_left(rules, hand, allowed))
    return _throw(view, _lot(number, best))


# --- easy ----------------------------------------------------------------------------------------------------

EASY_SEES_TOP: Final = 60
"""Percent of the tops that would be part of a meld that it notices."""
EASY_KNOCKS: Final = 40
"""Percent of its turns in which it knocks where it could."""
EASY_DISCARDS_HIGH: Final = 50
"""Percent of its discards that are its highest loose card, wanted or not; the others are loose cards by lot."""


@inner
def _highest(rules, cards):
    """The card worth the most points, of a set that is not empty."""
    for k in range(NUM_VALUE_BITS - 1, -1, -1):
        worth_more = cards & rules["value_bits"][k]
        if worth_more:
            cards = worth_more
    return np.int64(lowest(cards))


def decide_easy(rules, view, number):
    """Plays by the rules of thumb, but careless: overlooks tops and knocks, throws loose cards without a thought."""
    hand = view["hand"]
    if view["phase"] != PLAY:
        top = _top(view)
        if in_melds(hand | top) & top and _chance(number, EASY_SEES_TOP):
            return np.int64(TAKE_ID)
        return _leave(view)
    allowed = may_discard(rules, view)
    if _chance(number, EASY_KNOCKS):
        fewest = _fewest_left(rules, hand, allowed)
        if fewest <= rules["knock_limit"]:
            return KNOCK_ID + np.int64(lowest(_leaving(rules, hand, allowed, fewest)))
    loose = allowed & ~in_melds(hand)
    if loose == 0:
        loose = allowed
    number = advance(number)
    if _chance(number, EASY_DISCARDS_HIGH):
        return DISCARD_ID + _highest(rules, loose)
    return DISCARD_ID + _lot(advance(number), loose)


# --- normal --------------------------------------------------------------------------------------------------

NORMAL_OUT: Final = 2
"""What a live card that would complete a meld is worth in points of deadwood."""


@inner
def _helps(rules, view, top):
    """Whether the pile's top, taken, lies in a meld of the hand as it is best arranged, or lets the hand knock."""
    hand = view["hand"]
    before = least_deadwood(rules, hand)
    after = _fewest_left(rules, hand | top, hand)
    if before > rules["knock_limit"] >= after:
        return True
    return deadwood_cards(rules, hand | top) & top == 0 and after < before


def decide_normal(rules, view, number):
    """Takes what completes a meld or lets it knock, knocks at once, discards by deadwood and by the live cards that
    would complete what it keeps."""
    hand = view["hand"]
    if view["phase"] != PLAY:
        top = _top(view)
        return np.int64(TAKE_ID) if top and _helps(rules, view, top) else _leave(view)
    candidates = may_discard(rules, view)
    fewest = _fewest_left(rules, hand, candidates)
    if fewest <= rules["knock_limit"]:
        return KNOCK_ID + np.int64(lowest(_leaving(rules, hand, candidates, fewest)))
    live = _live(rules, view)
    best = np.int64(NO_CARD)
    most = np.int64(-MANY_POINTS)
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        kept = hand & ~bit(card)
        worth = NORMAL_OUT * np.int64(popcount(completing(kept) & live)) - least_deadwood(rules, kept)
        if worth > most:
            most = worth
            best = card
    return DISCARD_ID + best


# --- hard ----------------------------------------------------------------------------------------------------

# fmt: off
_HARD_TABLE: Final[tuple[tuple[str, float], ...]] = (
    # What a hand of ten is worth: all for one point of deadwood that is left.
    ("dead", -0.41),  # less for each point of deadwood
    ("dead_late", 0.38),  # for each point of deadwood, after 10 turns (half after 5)
    ("ahead", 1.33),  # less for each point of deadwood that is left after the next draw, on average
    ("knocks", 0.94),  # more for every 10% of chance that the next draw lets it knock
    ("gins", 1.88),  # more for every 10% of chance that the next draw makes it gin
    ("outs", 0.43),  # more for each live card of 30 that would complete a meld
    ("pairs", 0.09),  # more for each live card of 30 that would make a pair of a loose card
    # What a discard gives away.
    ("danger", 1.94),  # less for each meld that the other player is expected to make of it …
    ("danger_late", 3.79),  # … after 10 turns
    ("company", 0.50),  # the chance that a card that the other took has a certain partner in that hand
    ("doubt", 0.45),  # factor on the chance of two cards that the other seems not to have
    # The top of the pile is taken where this, and the worth of the hand then, is above the worth of the hand now.
    ("take", -7.75),
    ("take_upcard", -0.76),  # more, the first upcard
    ("take_meld", 6.23),  # more where it completes a meld (one that neither does nor lets it knock is left)
    ("take_knock", 5.94),  # more where it lets the hand knock
    # It goes on, for gin or for a better knock, while the sum of these is above 0.
    ("on", -1.59),
    ("on_dead", -0.48),  # for each point of deadwood it would knock with
    ("on_turn", 0.33),  # for each turn that it has had
    ("on_dead_late", 1.07),  # for each point of deadwood, after 10 turns
    ("on_gin", 2.10),  # for every 10% of chance that the next draw makes it gin
    ("on_known", -0.50),  # for each card that the other took and still holds: there are melds
    ("on_less", 1.46),  # for each point by which the next draw lowers the deadwood, on average
)
# fmt: on
"""The weights of `decide_hard`, found by search: rounds against itself, `normal` and `simple`."""

HARD_DTYPE: Final = np.dtype([(name, "f8") for name, _ in _HARD_TABLE])
HARD_WEIGHTS: Final = np.array([tuple(weight for _, weight in _HARD_TABLE)], HARD_DTYPE)

SLACK: Final = 12
"""Discards that leave more deadwood than the best by more points than this are not looked at."""


@inner
def _turns_had(view):
    return view["turn"] // 2


@inner
def _neighbours(cards):
    """The cards that are one step from being a pair with ``cards``: the same rank, or next to them in the suit."""
    up = (cards & NOT_KING) << 1
    down = (cards & NOT_ACE) >> 1
    ranks = (cards | cards >> 13 | cards >> 26 | cards >> 39) & ((1 << NUM_RANKS) - 1)
    return (up | down | ranks * ONE_OF_EACH_SUIT) & ~cards


@inner
def _cheaper(rules, cards, points):
    """Those of ``cards`` that are worth less than ``points``."""
    less = np.int64(0)
    for k in range(NUM_VALUE_BITS):
        without = cards & ~rules["value_bits"][k]
        less = less | without if points >> k & 1 else less & without
    return less


@inner
def look_ahead(rules, hand, live):
    """What the next card from the stock does to a hand of ten, every live card with the same chance.

    Returns (points of deadwood after it and the best discard, on average; chance that it may then knock; chance that
    it is gin then). The discard is the highest loose card, which is nearly always the best.
    """
    limit = np.int64(rules["knock_limit"])
    loose = deadwood_cards(rules, hand)
    left = points_of(rules, loose)
    highest = points_of(rules, bit(_highest(rules, loose))) if loose else np.int64(0)
    draws = completing(hand) & live
    # A card that completes nothing takes the place of the highest loose one, if it is cheaper.
    others = live & ~draws
    cheap = _cheaper(rules, others, highest)
    total = left * np.int64(popcount(others)) - highest * np.int64(popcount(cheap)) + points_of(rules, cheap)
    num_gins = np.int64(0)
    if left <= limit:
        num_knocks = np.int64(popcount(others))
    else:
        num_knocks = np.int64(popcount(_cheaper(rules, cheap, max(np.int64(0), limit - left + highest + 1))))
    while draws:
        card = draws & -draws
        draws ^= card
        loose = deadwood_cards(rules, hand | card)
        left_then = np.int64(0)
        if loose:
            left_then = min(left, points_of(rules, loose & ~bit(_highest(rules, loose))))
        total += left_then
        if left_then <= limit:
            num_knocks += 1
            if left_then == 0:
                num_gins += 1
    count = max(1.0, float(popcount(live)))
    return total / count, num_knocks / count, num_gins / count


@inner
def _worth(rules, view, weights, hand, dead, live):
    """What a hand of ten with ``dead`` points of deadwood is worth."""
    ahead, knocks, gins = look_ahead(rules, hand, live)
    late = 0.1 * _turns_had(view)
    per_card = 30.0 / max(1, popcount(live))
    worth = -(weights["dead"] + weights["dead_late"] * late) * dead - weights["ahead"] * ahead
    worth += 10.0 * (weights["knocks"] * knocks + weights["gins"] * gins)
    worth += weights["outs"] * per_card * popcount(completing(hand) & live)
    loose = hand & ~in_melds(hand)
    return worth + weights["pairs"] * per_card * popcount(_neighbours(loose) & live)


@inner
def _share(view, live):
    """The chance that a live card is in the other hand."""
    other = 1 - view["seat"]
    return (view["hand_sizes"][other] - popcount(view["known"][other])) / max(1, popcount(live))


@inner
def _best_discard(rules, view, weights, hand, candidates, live):
    """The best of ``candidates`` to discard from a hand of eleven, and what it is worth to have done so."""
    share = _share(view, live)
    danger = weights["danger"] + weights["danger_late"] * 0.1 * _turns_had(view)
    most_dead = _fewest_left(rules, hand, candidates) + SLACK
    best = np.int64(NO_CARD)
    most = -1e9
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        kept = hand & ~bit(card)
        dead = least_deadwood(rules, kept)
        if dead > most_dead:
            continue
        worth = _worth(rules, view, weights, kept, dead, live)
        worth -= danger * expected_melds(view, weights, card, 1 - view["seat"], live, share)
        if worth > most:
            most = worth
            best = card
    return best, most


@inner
def _takes(rules, view, weights, top):
    """Whether to take the top of the pile."""
    hand = view["hand"]
    live = _live(rules, view)
    dead = least_deadwood(rules, hand)
    after = _fewest_left(rules, hand | top, hand)
    if after == 0:
        return True
    melds = in_melds(hand | top) & top != 0
    knocks = dead > rules["knock_limit"] >= after
    if not melds and not knocks:
        return False
    gain = weights["take"]
    if view["phase"] == UPCARD:
        gain += weights["take_upcard"]
    if melds:
        gain += weights["take_meld"]
    if knocks:
        gain += weights["take_knock"]
    _, worth = _best_discard(rules, view, weights, hand | top, hand, live)
    return gain + worth > _worth(rules, view, weights, hand, dead, live)


@inner
def _goes_on(rules, view, weights, kept, dead, live):
    """Whether to play on with a hand of ten, ``kept``, that could knock with ``dead`` points."""
    if dead == 0:
        return False
    ahead, _, gins = look_ahead(rules, kept, live)
    turns = _turns_had(view)
    return (
        weights["on"]
        + weights["on_dead"] * dead
        + weights["on_turn"] * turns
        + weights["on_dead_late"] * 0.1 * turns * dead
        + weights["on_gin"] * 10.0 * gins
        + weights["on_known"] * popcount(view["known"][1 - view["seat"]])
        + weights["on_less"] * (dead - ahead)
        > 0.0
    )


@inner
def hard_action(rules, view, weights):
    """The action of `decide_hard` with any weights (a `HARD_DTYPE` record)."""
    hand = view["hand"]
    if view["phase"] != PLAY:
        top = _top(view)
        return np.int64(TAKE_ID) if top and _takes(rules, view, weights, top) else _leave(view)
    allowed = may_discard(rules, view)
    live = _live(rules, view)
    fewest = _fewest_left(rules, hand, allowed)
    card, _ = _best_discard(rules, view, weights, hand, allowed, live)
    if fewest <= rules["knock_limit"]:
        knocking = np.int64(lowest(_leaving(rules, hand, allowed, fewest)))
        if not _goes_on(rules, view, weights, hand & ~bit(knocking), fewest, live):
            return KNOCK_ID + knocking
    return DISCARD_ID + card


def decide_hard(rules, view, number):
    """Weighs what may come, gives the other player little. Knocks in the first turns, while the other hand is bad;
    later it goes on for gin, and for the undercut of a player who knocks with much."""
    return hard_action(rules, view, HARD_WEIGHTS[0])
