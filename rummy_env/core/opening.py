"""The opening of rami, exactly: what a hand can put down in one go.

A hand is three numbers: ``one``, the faces held at least once, ``two``, the faces held twice, and ``jokers``. The
search leaves out the cards that no meld can hold and looks at the lowest face left: a copy of it stays in the hand, or
goes into one of the melds of which it is the lowest natural card. A run of eight or more always splits into two that
are worth the same together, so runs of up to seven are enough. What was found for a hand is kept in a hash table, so
equal rests are searched once.

`search` finds the best that a hand reaches. Whether it reaches so much at all is asked far more often, and `reaches`
answers that faster: it starts from more than any hand could be worth, takes off what is wasted on the way, and gives up
as soon as too much is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, has, lowest, popcount
from rummy_env.core.kernel import inner, kernel, scratch
from rummy_env.core.melds import NOT_ACE, NOT_KING, ONE_OF_EACH_SUIT, in_melds
from rummy_env.core.places import places_mask, suit_places
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, LEAST_NATURALS
from rummy_env.rules import MAX_JOKERS

TOTAL: Final = 0
LEFT: Final = 1
"""What is searched for: the highest total, or the fewest cards left in the hand (as a negative number)."""

DECISION: Final = 2
"""Added to what is searched for in keys of the memory: whether a hand reaches it, instead of how much that is."""

IMPOSSIBLE: Final = -100_000
"""Less than anything that a hand can reach: the card that must go down cannot."""

LONGEST: Final = 7
TABLE_BITS: Final = 10
TABLE_SIZE: Final = 1 << TABLE_BITS
_HALF: Final = np.uint64(0xFFFFFFFF)
_MIXERS: Final = (np.uint64(0x9E3779B1), np.uint64(0xD6E8FEB9), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D))

SOLVER_DTYPE: Final = np.dtype(
    [
        # What was found for a hand, by the hash of its key: its best, or how much waste it is known not to do with.
        ("key", "u8", (TABLE_SIZE,)),
        ("twice", "i8", (TABLE_SIZE,)),
        ("found", "i4", (TABLE_SIZE,)),
        ("filled", "u1", (TABLE_SIZE,)),
        ("must", "i8"),  # the face that must go down, bit 52 for a joker …
        ("company", "i8"),  # … and the faces of which it needs one in its meld
        ("low_ace_points", "i8"),
        ("joker_points", "i8"),  # the most that a joker can count in a meld of the hand
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
def mix(word):
    """A word's bits in disorder: by halves, whose products have room in a word."""
    mixed = (word & _HALF) * _MIXERS[0] ^ (word >> np.uint64(32)) * _MIXERS[1]
    return mixed ^ mixed >> np.uint64(29)


@inner
def memory_slot(key, twice):
    """Where a hand is kept: by halves, whose products have room in a word."""
    half = np.uint64(32)
    word = np.uint64(twice)
    mixed = (key & _HALF) * _MIXERS[0] ^ (key >> half) * _MIXERS[1]
    mixed ^= (word & _HALF) * _MIXERS[2] ^ (word >> half) * _MIXERS[3]
    return np.int64(mixed >> np.uint64(64 - TABLE_BITS))


@inner
def may_go_down(one, jokers):
    """The faces of a hand that may lie in a meld: those that do in a natural one, or where there are jokers those that
    have another of their rank, or one of their suit no more than two places away. All others stay in the hand."""
    aces = one & ONE_OF_EACH_SUIT
    queens = one >> (NUM_RANKS - 2) & ONE_OF_EACH_SUIT
    kings = one >> (NUM_RANKS - 1) & ONE_OF_EACH_SUIT
    if jokers == 0:
        high = aces & queens & kings
        return in_melds(one) | high | high << (NUM_RANKS - 2) | high << (NUM_RANKS - 1)
    up = (one & NOT_KING) << 1
    down = (one & NOT_ACE) >> 1
    near = up | (up & NOT_KING) << 1 | down | (down & NOT_ACE) >> 1
    near |= queens | kings | aces << (NUM_RANKS - 2) | aces << (NUM_RANKS - 1)
    ranks = np.int64((1 << NUM_RANKS) - 1)
    spades, hearts = one & ranks, one >> NUM_RANKS & ranks
    diamonds, clubs = one >> 2 * NUM_RANKS & ranks, one >> 3 * NUM_RANKS & ranks
    paired = (spades & hearts) | (diamonds & clubs) | ((spades | hearts) & (diamonds | clubs))
    return one & (near | paired * ONE_OF_EACH_SUIT)


@inner
def _search(solver, goal, one, two, jokers, must):
    """See `search`."""
    solver["nodes"] += 1
    useful = may_go_down(one, jokers)
    if must and solver["must"] != bit(JOKER) and not useful & solver["must"]:
        return IMPOSSIBLE
    alone = np.int64(popcount(one & ~useful)) + np.int64(popcount(two & ~useful)) if goal == LEFT else np.int64(0)
    one &= useful
    two &= useful
    if one == 0:
        if must:
            return IMPOSSIBLE
        return -jokers - alone if goal == LEFT else 0
    key = np.uint64(one | jokers << 52 | goal << 57 | must << 59)
    slot = memory_slot(key, two)
    if solver["filled"][slot] and solver["key"][slot] == key and solver["twice"][slot] == two:
        return max(np.int64(IMPOSSIBLE), np.int64(solver["found"][slot]) - alone)
    face = np.int64(lowest(one))
    me = bit(face)
    suit = face // NUM_RANKS
    rank = face % NUM_RANKS
    best = np.int64(IMPOSSIBLE)

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
                if goal == TOTAL or best < 0:
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
            if goal == TOTAL or best < 0:
                rest = _search(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, still)
                best = max(best, points + rest)

    # A copy of it stays in the hand. That is never better than to put it down with all the others.
    stays = not (must and me == solver["must"] and not two & me)
    if stays and (goal == TOTAL or best < -1):
        rest = _search(solver, goal, one if two & me else one & ~me, two & ~me, jokers, must)
        best = max(best, rest - 1 if goal == LEFT else rest)

    solver["key"][slot] = key
    solver["twice"][slot] = two
    solver["found"][slot] = best
    solver["filled"][slot] = 1
    return max(np.int64(IMPOSSIBLE), best - alone)


@inner
def search(solver, goal, one, two, jokers, must):
    """The best of ``goal`` that a hand reaches, or something far below 0 where it is impossible.

    ``must``: 1 as long as the card ``solver["must"]`` has to go down. The recursion is always entered with numbers of
    one type: compiled for constants as well, numba cannot load it from its cache.
    """
    return _search(solver, np.int64(goal), np.int64(one), np.int64(two), np.int64(jokers), np.int64(must))


# --- whether a hand reaches so much --------------------------------------------------------------------------


@inner
def points_at_most(low_ace_points, cards):
    """The most that a set of cards can count in openings: an ace at its better end."""
    points = np.int64(0)
    while cards:
        rank = np.int64(lowest(cards)) % NUM_RANKS
        points += max(rank_points(0), low_ace_points) if rank == 0 else rank_points(rank)
        cards &= cards - 1
    return points


@inner
def joker_at_most(low_ace_points, cards):
    """The most that a joker can count in a meld with some of ``cards``: it stands for their rank or for a neighbour."""
    ranks = (cards | cards >> NUM_RANKS | cards >> 2 * NUM_RANKS | cards >> 3 * NUM_RANKS) & ((1 << NUM_RANKS) - 1)
    points = np.int64(low_ace_points) if ranks & 0b10 else np.int64(0)
    while ranks:
        rank = np.int64(lowest(ranks))
        points = max(points, np.int64(rank_points(0)) if rank == 0 else np.int64(place_points(rank + 1)))
        ranks &= ranks - 1
    return points


@inner
def company_of(card):
    """The faces of which a meld with a natural card has at least one: its rank, or no more than two places away."""
    suit = card // NUM_RANKS
    rank = card % NUM_RANKS
    places = np.int64(0b11111) << rank >> 2
    if rank == 0:
        places |= 0b11 << (HIGH_ACE - 2)
    faces = places_mask(suit, places & ((2 << HIGH_ACE) - 1))
    for s in range(NUM_SUITS):
        faces |= bit(s * NUM_RANKS + rank)
    return faces & ~bit(card)


@inner
def set_out(solver, low_ace_points, one, must):
    """Make an empty memory ready for searches of a hand with the faces ``one``; ``must``: the face that must go down,
    or -1."""
    solver["low_ace_points"] = low_ace_points
    solver["joker_points"] = joker_at_most(np.int64(low_ace_points), one)
    if must >= 0:
        solver["must"] = bit(must)
        if must != JOKER:
            solver["company"] = company_of(np.int64(must))


@inner
def _reaches(solver, goal, one, two, jokers, must, spare):
    """See `reaches`."""
    if spare < 0 or (must and not (one & solver["company"] if solver["must"] != bit(JOKER) else jokers)):
        return False
    useful = may_go_down(one, jokers)
    if must and solver["must"] != bit(JOKER) and not useful & solver["must"]:
        return False
    if goal == LEFT:
        spare -= np.int64(popcount(one & ~useful)) + np.int64(popcount(two & ~useful))
    else:
        ace = solver["low_ace_points"]
        spare -= points_at_most(ace, one & ~useful) + points_at_most(ace, two & ~useful)
    one &= useful
    two &= useful
    if spare < 0:
        return False
    joker_cost = np.int64(1) if goal == LEFT else np.int64(solver["joker_points"])
    if one == 0:
        return must == 0 and jokers * joker_cost <= spare
    solver["nodes"] += 1
    key = np.uint64(one | jokers << 52 | (DECISION + goal) << 57 | must << 59)
    slot = memory_slot(key, two)
    known = solver["filled"][slot] and solver["key"][slot] == key and solver["twice"][slot] == two
    if known and spare <= solver["found"][slot]:
        return False
    face = np.int64(lowest(one))
    me = bit(face)
    suit = face // NUM_RANKS
    rank = face % NUM_RANKS

    # Runs of which it is the lowest natural card, or the ace above the king.
    places = suit_places(one, suit)
    near = places & (0b111 << rank | (0b11 << (HIGH_ACE - 2) if rank == 0 else 0))
    for k in range(PATTERNS_WITH[min(jokers, MAX_JOKERS)] if near & (near - 1) else 0):
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
            waste = np.int64(0)
            if goal == TOTAL:
                waste = points_at_most(solver["low_ace_points"], cards) + used * joker_cost
                waste -= run_points(solver["low_ace_points"], low, size)
            still = _still_must(solver, must, cards, used)
            if _reaches(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, still, spare - waste):
                return True

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
                waste = np.int64(0)
                if goal == TOTAL:
                    waste = points_at_most(solver["low_ace_points"], cards) + used * joker_cost
                    waste -= rank_points(rank) * (naturals + used)
                still = _still_must(solver, must, cards, used)
                if _reaches(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, still, spare - waste):
                    return True

    # A copy of it stays in the hand.
    if not (must and me == solver["must"] and not two & me):
        waste = np.int64(1) if goal == LEFT else points_at_most(solver["low_ace_points"], me)
        if _reaches(solver, goal, one if two & me else one & ~me, two & ~me, jokers, must, spare - waste):
            return True

    if not known or spare > solver["found"][slot]:
        solver["key"][slot] = key
        solver["twice"][slot] = two
        solver["found"][slot] = spare
        solver["filled"][slot] = 1
    return False


@inner
def reaches(solver, goal, one, two, jokers, must, bound):
    """Whether melds of a hand count ``bound`` points together, or leave no more than ``bound`` cards, by ``goal``.

    ``must``: as for `search`. The waste that is allowed is the difference between the bound and what the hand would be
    worth if every card of it counted all that it can.
    """
    spare = np.int64(bound)
    if goal == TOTAL:
        ace = solver["low_ace_points"]
        spare = points_at_most(ace, one) + points_at_most(ace, two) + jokers * solver["joker_points"] - bound
    return _reaches(solver, np.int64(goal), np.int64(one), np.int64(two), np.int64(jokers), np.int64(must), spare)


@kernel
def best_total(rules, one, two, jokers):
    """The highest total that a hand can open with; 0 where it has no meld. ``rules``: an array of one record."""
    solver = scratch(SOLVER_DTYPE)
    solver["low_ace_points"] = rules[0]["low_ace_points"]
    return search(solver, TOTAL, one, two, jokers, 0)
