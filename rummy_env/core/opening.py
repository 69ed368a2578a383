"""The opening of rami, exactly: what a hand can put down in one go.

A hand is three numbers: ``one``, the faces held at least once, ``two``, the faces held twice, and ``jokers``. The
search looks at the lowest face left: a copy of it stays in the hand, or goes into one of the melds of which it is the
lowest natural card. A run of eight or more always splits into two that are worth the same together, so runs of up to
seven are enough. What was found for a hand is kept in a hash table, so equal rests are searched once.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, has, lowest, popcount
from rummy_env.core.kernel import inner, kernel, scratch
from rummy_env.core.places import places_mask, suit_places
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, LEAST_NATURALS
from rummy_env.rules import MAX_JOKERS

TOTAL: Final = 0
LEFT: Final = 1
"""What is searched for: the highest total, or the fewest cards left in the hand (as a negative number)."""

IMPOSSIBLE: Final = -100_000
"""Less than anything that a hand can reach: the card that must go down cannot."""

LONGEST: Final = 7
TABLE_BITS: Final = 10
TABLE_SIZE: Final = 1 << TABLE_BITS
_HALF: Final = np.uint64(0xFFFFFFFF)
_MIXERS: Final = (np.uint64(0x9E3779B1), np.uint64(0xD6E8FEB9), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D))

SOLVER_DTYPE: Final = np.dtype(
    [
        # What was found for a hand, by the hash of its key.
        ("key", "u8", (TABLE_SIZE,)),
        ("twice", "i8", (TABLE_SIZE,)),
        ("found", "i4", (TABLE_SIZE,)),
        ("filled", "u1", (TABLE_SIZE,)),
        ("must", "i8"),  # the face that must go down, bit 52 for a joker
        ("low_ace_points", "i8"),
        ("nodes", "i8"),  # hands looked at
    ],
    align=True,
)
"""The memory of one search. All zero is an empty one; it serves one hand and one ``must``."""


def _run_patterns() -> npt.NDArray[np.int64]:
    """Every way to fill a run of three to seven places: (jokers, places, joker places, natural places)."""
    rows = []
    for size in range(LEAST_CARDS, LONGEST + 1):
        for jokers in range(1 << size):
            naturals = (1 << size) - 1 & ~jokers
            if not jokers & jokers >> 1 and naturals.bit_count() >= LEAST_NATURALS:
                rows.append((jokers.bit_count(), size, jokers, naturals))
    return np.array(sorted(rows), dtype=np.int64)


PATTERNS: Final = _run_patterns()
PATTERNS_WITH: Final = np.array([(PATTERNS[:, 0] <= k).sum() for k in range(MAX_JOKERS + 1)], dtype=np.int64)
"""How many of `PATTERNS`, which are sorted by their jokers, use at most k jokers."""


@inner
def place_points(place):
    """Points of a run's place in an opening, but for the ace below a 2."""
    return 11 if place == HIGH_ACE else min(place + 1, 10)


@inner
def rank_points(rank):
    """Points of a set's card in an opening."""
    return 11 if rank == 0 else min(rank + 1, 10)


@inner
def run_points(low_ace_points, low, size):
    """What a run counts in an opening."""
    points = np.int64(0)
    for place in range(low, low + size):
        points += low_ace_points if place == 0 else place_points(place)
    return points


@inner
def _still_must(solver, must, cards, jokers):
    """Whether the card that must go down still has to after ``cards`` and ``jokers`` jokers went down."""
    if must and (cards & solver["must"] or (solver["must"] == bit(JOKER) and jokers > 0)):
        return 0
    return must


@inner
def memory_slot(key, twice):
    """Where a hand is kept: by halves, whose products have room in a word."""
    half = np.uint64(32)
    word = np.uint64(twice)
    mixed = (key & _HALF) * _MIXERS[0] ^ (key >> half) * _MIXERS[1]
    mixed ^= (word & _HALF) * _MIXERS[2] ^ (word >> half) * _MIXERS[3]
    return np.int64(mixed >> np.uint64(64 - TABLE_BITS))


@inner
def _search(solver, goal, one, two, jokers, must):
    """See `search`."""
    solver["nodes"] += 1
    if one == 0:
        if must:
            return IMPOSSIBLE
        return -jokers if goal == LEFT else 0
    key = np.uint64(one | jokers << 52 | goal << 57 | must << 58)
    slot = memory_slot(key, two)
    if solver["filled"][slot] and solver["key"][slot] == key and solver["twice"][slot] == two:
        return np.int64(solver["found"][slot])
    face = np.int64(lowest(one))
    me = bit(face)
    suit = face // NUM_RANKS
    rank = face % NUM_RANKS
    best = np.int64(IMPOSSIBLE)

    # A copy of the lowest face stays in the hand.
    if not (must and me == solver["must"] and not two & me):
        best = _search(solver, goal, one if two & me else one & ~me, two & ~me, jokers, must)
        if goal == LEFT:
            best -= 1

    # Sets of which it is the lowest card.
    others = np.int64(0)
    for s in range(suit + 1, NUM_SUITS):
        if has(one, s * NUM_RANKS + rank):
            others |= 1 << s
    if others:
        for chosen in range(2 << suit, 1 << NUM_SUITS):
            if chosen & ~others:
                continue
            cards = me
            for s in range(suit + 1, NUM_SUITS):
                if chosen >> s & 1:
                    cards |= bit(s * NUM_RANKS + rank)
            naturals = np.int64(popcount(cards))
            for used in range(max(0, LEAST_CARDS - naturals), min(jokers, NUM_SUITS - naturals) + 1):
                points = rank_points(rank) * (naturals + used) if goal == TOTAL else 0
                still = _still_must(solver, must, cards, used)
                rest = _search(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, still)
                best = max(best, points + rest)

    # Runs of which it is the lowest natural card, or the ace above the king.
    places = suit_places(one, suit)
    for k in range(PATTERNS_WITH[min(jokers, MAX_JOKERS)]):
        used = PATTERNS[k, 0]
        size = PATTERNS[k, 1]
        naturals = PATTERNS[k, 3]
        for high in range(2 if rank == 0 else 1):
            if high:
                low = HIGH_ACE + 1 - size
                if not naturals >> (size - 1) & 1:
                    continue
            else:
                low = rank - (PATTERNS[k, 2] & 1)
                if low < 0 or low + size > HIGH_ACE + 1:
                    continue
            if (naturals << low) & ~places:
                continue
            cards = places_mask(suit, naturals << low)
            points = run_points(solver["low_ace_points"], low, size) if goal == TOTAL else 0
            still = _still_must(solver, must, cards, used)
            rest = _search(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, still)
            best = max(best, points + rest)

    solver["key"][slot] = key
    solver["twice"][slot] = two
    solver["found"][slot] = best
    solver["filled"][slot] = 1
    return best


@inner
def search(solver, goal, one, two, jokers, must):
    """The best of ``goal`` that a hand reaches, or something far below 0 where it is impossible.

    ``must``: 1 as long as the card ``solver["must"]`` has to go down. The recursion is always entered with numbers of
    one type: compiled for constants as well, numba cannot load it from its cache.
    """
    return _search(solver, np.int64(goal), np.int64(one), np.int64(two), np.int64(jokers), np.int64(must))


@kernel
def best_total(rules, one, two, jokers):
    """The highest total that a hand can open with; 0 where it has no meld. ``rules``: an array of one record."""
    solver = scratch(SOLVER_DTYPE)
    solver["low_ace_points"] = rules[0]["low_ace_points"]
    return search(solver, TOTAL, one, two, jokers, 0)
