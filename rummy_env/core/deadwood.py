"""Gin's arrangements, exactly: the fewest points that a hand can be left with, and the settlement of a knock.

Once it is fixed which cards lie in sets, the rest is clear: a row of three or more cards of a suit that is left is a
run as a whole, since nothing else wants its cards. And a suit's row that reaches a run of the knocker's goes down there
as a whole, as if it were one row with that run. So a search has to try sets only, and of these only such as have a
card that a run may want: in a hand of eleven there are three at most, with six ways each.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner, kernel, scratch
from rummy_env.core.melds import ONE_OF_EACH_SUIT, in_melds, in_rows, ranks_in_sets
from rummy_env.rules import NUM_VALUE_BITS

WAYS: Final = np.int64(2 + NUM_SUITS)
"""Ways of a rank of which four cards are there: no set, all four, or all but one of them. With three: the first two."""

FORBIDDEN: Final = 1 << 30
"""More points than any hand has."""

ARRANGEMENT_DTYPE: Final = np.dtype(
    [
        # Of the best arrangement found: sets of cards, bit c for card c.
        ("sets", "i8"),  # cards in sets
        ("runs", "i8"),  # cards in runs, each of them a whole row of a suit
        ("points", "i8"),  # of the cards in neither and not laid off
    ]
)

SEARCH_DTYPE: Final = np.dtype(
    [
        ("value_bits", "i8", (NUM_VALUE_BITS,)),  # as in the rules
        ("hand", "i8"),
        ("runs", "i8"),  # cards of the knocker's runs, onto which the hand may be laid off …
        ("free", "i8"),  # … and cards that fit onto the knocker's sets
        ("least", "i8"),  # points of the best arrangement so far
        ("sets", "i8"),  # its cards in sets
    ],
    align=True,
)
"""The memory of one search."""

SHOWDOWN_DTYPE: Final = np.dtype(
    [
        ("knocker", ARRANGEMENT_DTYPE),
        ("defender", ARRANGEMENT_DTYPE),
        ("laid_off", "i8"),  # cards of the defender on the knocker's melds
    ],
    align=True,
)
"""A knock as it is settled. All zero before."""


@inner
def _set_cards(hand, rank, way):
    """The cards of ``rank`` that lie in a set when it is arranged in one of its `WAYS`."""
    if way == 0:
        return np.int64(0)
    cards = hand & (np.int64(ONE_OF_EACH_SUIT) << rank)
    return cards if way == 1 else cards & ~bit(rank + NUM_RANKS * (way - 2))


@inner
def _num_ways(hand, rank):
    """How many ways there are to arrange a rank of which the hand has three or four cards."""
    return WAYS if popcount(hand & (np.int64(ONE_OF_EACH_SUIT) << rank)) == NUM_SUITS else np.int64(2)


@inner
def _split(hand, runs):
    """(cards in sets that no run wants, ranks whose sets have to be tried)."""
    ranks = ranks_in_sets(hand)
    wanted = in_rows(hand | runs)
    wanted |= (wanted >> NUM_RANKS) | (wanted >> 2 * NUM_RANKS) | (wanted >> 3 * NUM_RANKS)
    free = ranks & ~wanted
    return free * ONE_OF_EACH_SUIT & hand, ranks & wanted


@inner
def _least(search, ranks, sets):
    """Try all sets of ``ranks`` beside the cards ``sets``, which lie in sets already."""
    if ranks == 0:
        rest = search["hand"] & ~sets
        points = points_of(search, rest & ~in_rows(rest | search["runs"]) & ~search["free"])
        if points < search["least"]:
            search["least"] = points
            search["sets"] = sets
        return
    rank = np.int64(lowest(ranks))
    for way in range(_num_ways(search["hand"], rank)):
        _least(search, ranks & (ranks - 1), sets | _set_cards(search["hand"], rank, np.int64(way)))
        if search["least"] == 0:
            return


@inner
def _search(rules, search, hand, runs, free):
    """The fewest points of a hand that may be laid off onto ``runs`` and has the cards ``free`` for nothing.

    Without ``runs`` and ``free``: arranged by itself. ``search["sets"]`` has the cards in sets afterwards.
    """
    for k in range(NUM_VALUE_BITS):
        search["value_bits"][k] = rules["value_bits"][k]
    search["hand"] = hand
    search["runs"] = runs
    search["free"] = free
    search["least"] = FORBIDDEN
    search["sets"] = 0
    sets, ranks = _split(hand, runs)
    _least(search, ranks, sets)
    return np.int64(search["least"])


@inner
def least_deadwood(rules, hand):
    """The fewest points of deadwood of a hand. ``hand``: a set of cards, usually ten or eleven."""
    return points_of(rules, deadwood_cards(rules, hand))


@inner
def deadwood_cards(rules, hand):
    """The cards of a hand in none of its melds, arranged for the fewest points."""
    sets, ranks = _split(hand, np.int64(0))
    if ranks != 0:  # seldom: a card could lie in a set as well as in a run
        search = scratch(SEARCH_DTYPE)
        _search(rules, search, hand, np.int64(0), np.int64(0))
        sets = np.int64(search["sets"])
    return hand & ~sets & ~in_rows(hand & ~sets)


@inner
def knocking_discards(rules, hand, limit):
    """The cards of a hand, a set of cards, after whose discard its deadwood is ``limit`` or less."""
    melded = in_melds(hand)
    # The card thrown takes off its own points, and no card has more than all bits that any has.
    dearest = np.int64(0)
    for k in range(NUM_VALUE_BITS):
        if hand & rules["value_bits"][k]:
            dearest |= np.int64(1) << k
    if points_of(rules, hand & ~melded) > limit + dearest:
        return np.int64(0)
    least = least_deadwood(rules, hand)
    found = np.int64(0)
    rest = hand
    while rest != 0:
        card = rest & -rest
        rest ^= card
        points = points_of(rules, card)
        if least - points > limit:
            continue
        # A card that is part of no meld only takes off its points.
        if not card & melded or least_deadwood(rules, hand & ~card) <= limit:
            found |= card
    return found


@inner
def _keep(arrangement, points, hand, sets):
    """Write down an arrangement of a hand whose cards ``sets`` lie in sets."""
    arrangement["sets"] = sets
    arrangement["runs"] = in_rows(hand & ~sets)
    arrangement["points"] = points


@inner
def _settle(rules, search, least, knocker_hand, defender_hand, ranks, sets, out):
    """Try all arrangements of the knocker that leave ``least`` points, as `_least` does; keep the defender's worst."""
    if ranks != 0:
        rank = np.int64(lowest(ranks))
        for way in range(_num_ways(knocker_hand, rank)):
            more = sets | _set_cards(knocker_hand, rank, np.int64(way))
            _settle(rules, search, least, knocker_hand, defender_hand, ranks & (ranks - 1), more, out)
        return
    runs = in_rows(knocker_hand & ~sets)
    if points_of(rules, knocker_hand & ~sets & ~runs) != least:
        return
    free = np.int64(0)
    if least == 0:
        runs_to_reach = np.int64(0)  # nothing is laid off against gin
    else:
        runs_to_reach = runs
        free = (ranks_in_sets(sets) * ONE_OF_EACH_SUIT) & ~sets
    points = _search(rules, search, defender_hand, runs_to_reach, free)
    if points > out["defender"]["points"]:
        _keep(out["knocker"], least, knocker_hand, sets)
        _keep(out["defender"], points, defender_hand, np.int64(search["sets"]))
        rest = defender_hand & ~out["defender"]["sets"] & ~out["defender"]["runs"]
        out["laid_off"] = rest & (in_rows(rest | runs_to_reach | out["defender"]["runs"]) | free)


@inner
def settle_knock(rules, knocker_hand, defender_hand, out):
    """Settle a knock: RULES.md, gin. ``out``: a record of `SHOWDOWN_DTYPE`, written as a whole.

    The knocker's hand, after the discard, is left with the fewest points; where several arrangements do that, with the
    one that leaves the defender the most. The defender lays off (not against gin) and arranges the rest for the fewest.
    """
    least = least_deadwood(rules, knocker_hand)
    out["defender"]["points"] = -1
    sets, ranks = _split(knocker_hand, np.int64(0))
    _settle(rules, scratch(SEARCH_DTYPE), least, knocker_hand, defender_hand, ranks, sets, out)


@kernel
def arrange(rules, hand, out):
    """Arrange a hand for the fewest points. ``rules``, ``out``: arrays of one record, ``out`` of
    `ARRANGEMENT_DTYPE`."""
    search = scratch(SEARCH_DTYPE)
    points = _search(rules[0], search, np.int64(hand), np.int64(0), np.int64(0))
    _keep(out[0], points, np.int64(hand), np.int64(search["sets"]))


@kernel
def settle(rules, knocker_hand, defender_hand, out):
    """`settle_knock` for Python: ``rules`` and ``out`` are arrays of one record."""
    settle_knock(rules[0], np.int64(knocker_hand), np.int64(defender_hand), out[0])


@kernel
def knocking(rules, hand, limit):
    """`knocking_discards` for Python: ``rules`` is an array of one record."""
    return knocking_discards(rules[0], np.int64(hand), np.int64(limit))
