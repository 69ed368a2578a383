"""Indian rummy's arrangements, exactly: the fewest points of a hand, and whether it can be declared.

A hand is the faces held at least once, twice and three times, and its printed jokers. Jokers and cards of the wild rank
together are its *wilds*; every place of a meld takes a natural card or costs a wild. A wild-rank card in its own place
costs one too, so where it makes no difference that it is natural there it is like any other wild.

The search first chooses the meld without which nothing counts, a natural run or, with three decks, a triplet. Then it
looks at the lowest face left that is not wild: its copies stay in the hand, or one of them goes into one of the melds
of which it is the lowest card. What was found for a rest of the hand is kept in a hash table. Some melds need not be
tried:

- runs of six or more, which are two runs;
- a wild in a place for which a natural card is left: the two change places, and if the other meld had no other natural
  card, its wilds are free and it is not needed (where it was the second run, this meld is one, or the lowest face can
  take its part);
- wilds beyond what a meld needs. Wilds left over lengthen the second run.

The first two do not hold where a meld needs two natural cards or more, nor the second beside triplets, which take no
wild: there everything is tried.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner, kernel, scratch
from rummy_env.core.melds import ONE_OF_EACH_SUIT, in_high_runs, in_melds, in_rows
from rummy_env.core.opening import TABLE_BITS, memory_slot
from rummy_env.core.places import places_mask, suit_places
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, LONGEST_RUN
from rummy_env.rules import MAX_DECKS, NUM_VALUE_BITS

POINTS: Final[Any] = np.int64(0)
FIT: Final[Any] = np.int64(1)
"""What is searched for: the fewest points left in the hand; or whether at most ``spare`` cards are left."""

NEEDS_NOTHING: Final[Any] = np.int64(0)
NEEDS_SECOND: Final[Any] = np.int64(1)
NEEDS_RUN: Final[Any] = np.int64(2)
"""What an arrangement still needs beside its first meld: a run or a triplet, or a run and nothing else."""

IMPOSSIBLE: Final = np.int64(1 << 30)
"""More points than any hand has."""

NO_RUN: Final = np.int64(1 << 20)
"""More wilds than any hand has: what a row of places costs that is no run."""

LEFT: Final = 0
RUN: Final = 1
SET: Final = 2
TRIPLET: Final = 3
"""What becomes of the lowest card: it stays in the hand, or lies in a meld."""

NUM_PLACES: Final = HIGH_ACE + 1
LONGEST: Final = 5
"""Longest run that is tried where longer ones are two."""


SLOT_BITS: Final = 7
TABLE_SIZE: Final = 1 << SLOT_BITS
"""Few, as they are emptied for every hand."""

SOLVER_DTYPE: Final = np.dtype(
    [
        # What was found for a rest of a hand, by the hash of it. A key of 0 is an empty place.
        ("key", "u8", (TABLE_SIZE,)),
        ("two", "i8", (TABLE_SIZE,)),
        ("three", "i8", (TABLE_SIZE,)),
        ("found", "i8", (TABLE_SIZE,)),
        # The best meld of its lowest card: a copy of each of these, of three copies of one where it is a triplet …
        ("meld", "i8", (TABLE_SIZE,)),
        ("meld_kind", "u1", (TABLE_SIZE,)),  # LEFT, RUN, SET, TRIPLET
        ("meld_wilds", "u1", (TABLE_SIZE,)),  # … and so many wilds
        ("value_bits", "i8", (NUM_VALUE_BITS,)),  # as in the rules, without the wild rank
        ("wild", "i8"),  # cards of the wild rank
        ("min_naturals", "i8"),
        ("triplets", "i8"),  # 1: three identical cards are a meld
        ("reach", "i8"),  # cards in no natural meld that one wild can bring into melds, at most
        # What is left beside the best first meld, if there is one and anything else is in melds.
        ("rest", "i8", (MAX_DECKS,)),  # faces left at least once, twice, three times
        ("rest_wilds", "i8"),
        ("alone", "i8"),  # 1: nothing else is
    ],
    align=True,
)
"""The memory of one search. All zero is an empty one."""


# --- sets of cards -------------------------------------------------------------------------------------------


@inner
def wild_cards(cut):
    """The cards of the wild rank. ``cut``: the cut card; a printed joker and NO_CARD make none wild."""
    return np.int64(0) if cut == JOKER or cut < 0 else np.int64(ONE_OF_EACH_SUIT) << np.int64(cut % NUM_RANKS)


@inner
def in_natural_runs(cards):
    """The cards that lie in some run of ``cards``, the ace low or high."""
    return in_rows(cards) | in_high_runs(cards)


@inner
def in_natural_melds(cards):
    """The cards that lie in some run or set of ``cards``, the ace low or high."""
    return in_melds(cards) | in_high_runs(cards)


@inner
def num_wilds(one, two, three, jokers, wild):
    """How many wilds a hand has, cards of the wild rank included."""
    return popcount(one & wild) + popcount(two & wild) + popcount(three & wild) + jokers


@inner
def _count(one, two, three, faces):
    """How many cards of the hand have these faces."""
    return popcount(one & faces) + popcount(two & faces) + popcount(three & faces)


@inner
def _points(solver, one, two, three):
    """The points of cards: none for the wild rank, which is left out of ``value_bits``."""
    return points_of(solver, one) + points_of(solver, two) + points_of(solver, three)


@inner
def _reach(cards):
    """How many cards in no natural meld one wild can bring into melds, at most. ``cards``: those that are not wild.

    Two in a set. In a run wilds stand between pieces of one or two cards (three are a natural meld), so it is four
    where two pieces of two have a gap of one between them, three where a piece of two has any card behind such a gap,
    else two.
    """
    reach = np.int64(2)
    for suit in range(NUM_SUITS):
        places = suit_places(cards, suit)
        pairs = places & places >> 1
        if pairs & pairs >> 3:
            return np.int64(4)
        if (pairs & places >> 3) | (places & pairs >> 2):
            reach = np.int64(3)
    return reach


# --- melds ---------------------------------------------------------------------------------------------------


@inner
def _take(one, two, three, cards):
    """The hand without a copy of each of ``cards``."""
    return one & ~(cards & ~two), two & ~(cards & ~three), three & ~cards


@inner
def _run(solver, one, suit, low, size, dropped):
    """(cards, wilds) of a run of ``size`` places from ``low`` on, of all natural cards left but the places ``dropped``.

    `NO_RUN` wilds where it is not worth trying: not enough natural cards, or a wild at an end of more than three.
    """
    window = ((np.int64(1) << size) - 1) << low
    held = suit_places(one & ~solver["wild"], suit) & window & ~dropped
    naturals = np.int64(popcount(held))
    own = suit_places(one & solver["wild"], suit) & window
    wilds = size - naturals
    if naturals == 0:
        return np.int64(0), NO_RUN
    ends = (np.int64(1) << low) | (np.int64(1) << (low + size - 1))
    if solver["min_naturals"] > 1:
        if size > LEAST_CARDS and ends & ~(held | own):
            return np.int64(0), NO_RUN
        if naturals < solver["min_naturals"] and own:
            # A wild-rank card in its own place costs a wild all the same, but is natural.
            naturals += 1
            held |= own
        if naturals < solver["min_naturals"]:
            return np.int64(0), NO_RUN
    elif size > LEAST_CARDS and ends & ~held:
        return np.int64(0), NO_RUN
    return places_mask(suit, held), wilds


@inner
def _longest(solver):
    """The longest run to try."""
    return np.int64(LONGEST if solver["min_naturals"] == 1 else LONGEST_RUN)


@inner
def _choosy(solver, three):
    """Whether a wild may have to stand where a natural card is left, see the module."""
    return solver["min_naturals"] > 1 or (solver["triplets"] != 0 and three & ~solver["wild"] != 0)


@inner
def _first_low(solver, place):
    """The lowest place of the runs to try for a lowest card at ``place``."""
    if solver["min_naturals"] > 1:
        return np.int64(0)
    if place == HIGH_ACE:
        return np.int64(NUM_PLACES - LONGEST)
    # Wilds below the lowest card may as well stand above the highest, if there is room.
    return min(place, np.int64(NUM_PLACES - LEAST_CARDS))


# --- the search ----------------------------------------------------------------------------------------------


@inner
def _loose(solver, live, three):
    """The cards in no natural meld, of those that are not wild."""
    loose = live & ~in_natural_melds(live)
    return loose & ~three if solver["triplets"] != 0 else loose


@inner
def _key(goal, one, wilds, spare, need):
    """What is kept of a rest of a hand beside its second and third copies."""
    return np.uint64(one | wilds << 52 | need << 58 | goal << 60 | spare << 61)


@inner
def _slot(key, two, three):
    """Where that is kept."""
    return memory_slot(key, two ^ three << 11) >> (TABLE_BITS - SLOT_BITS)


@inner
def _search(solver, goal, one, two, three, wilds, spare, need):
    """The fewest points of the cards left in no meld (`POINTS`), or 0 if ``spare`` cards at most are (`FIT`).

    ``one``, ``two``, ``three``, ``wilds``: the rest of the hand. ``need``: what the arrangement still lacks.
    `IMPOSSIBLE` where it cannot be had.
    """
    live = one & ~solver["wild"]
    if live == 0:
        # A card of the wild rank in its own place and two wilds more are a run.
        wild_run = wilds >= LEAST_CARDS and solver["min_naturals"] == 1 and one & solver["wild"] != 0
        return np.int64(0) if need == NEEDS_NOTHING or wild_run else IMPOSSIBLE
    lost = np.int64(0)
    if wilds == 0 or goal == FIT:
        loose = _loose(solver, live, three)
        if goal == FIT:
            if _count(one, two, three, loose) > spare + solver["reach"] * wilds:
                return IMPOSSIBLE
        elif loose != 0:
            lost = _points(solver, one & loose, two & loose, three & loose)
            one &= ~loose
            two &= ~loose
            three &= ~loose
            live &= ~loose
            if live == 0:
                return lost if need == NEEDS_NOTHING else IMPOSSIBLE
    key = _key(goal, one, wilds, spare, need)
    slot = _slot(key, two, three)
    if solver["key"][slot] == key and solver["two"][slot] == two and solver["three"][slot] == three:
        return lost + solver["found"][slot]
    me = live & -live
    suit = np.int64(lowest(me)) // NUM_RANKS
    rank = np.int64(lowest(me)) % NUM_RANKS
    choosy = _choosy(solver, three)
    best = IMPOSSIBLE
    meld = np.int64(0)
    kind = LEFT
    meld_wilds = np.int64(0)

    # Runs of which it is the lowest natural card, or the ace above the king.
    places = suit_places(live, suit)
    for end in range(2 if rank == 0 else 1):
        place = np.int64(HIGH_ACE) if end else rank
        for low in range(_first_low(solver, place), min(place, np.int64(NUM_PLACES - LEAST_CARDS)) + 1):
            last = min(_longest(solver), NUM_PLACES - low)
            for size in range(max(np.int64(LEAST_CARDS), place - low + 1), last + 1):
                choice = np.int64(0)
                if choosy and wilds > 0:
                    choice = places & (((np.int64(1) << size) - 1) << low) & ~(np.int64(1) << place)
                dropped = choice
                while best != 0:
                    cards, cost = _run(solver, one, suit, np.int64(low), np.int64(size), dropped)
                    if cost <= wilds:
                        to = _take(one, two, three, cards)
                        found = _search(solver, goal, to[0], to[1], to[2], wilds - cost, spare, NEEDS_NOTHING)
                        if found < best:
                            best, meld, kind, meld_wilds = found, cards, RUN, cost
                    if dropped == 0:
                        break
                    dropped = (dropped - 1) & choice

    # Three of it.
    if best != 0 and solver["triplets"] != 0 and three & me:
        still = need if need == NEEDS_RUN else NEEDS_NOTHING
        found = _search(solver, goal, one & ~me, two & ~me, three & ~me, wilds, spare, still)
        if found < best:
            best, meld, kind, meld_wilds = found, me, TRIPLET, np.int64(0)

    # Sets of which it is the lowest card.
    all_others = live & (np.int64(ONE_OF_EACH_SUIT) << rank) & ~me
    others = all_others
    while best != 0:
        naturals = np.int64(popcount(others)) + 1
        cost = max(LEAST_CARDS - naturals, np.int64(0))
        worthwhile = cost == 0 or choosy or others == all_others
        if worthwhile and cost <= wilds and naturals >= solver["min_naturals"]:
            to = _take(one, two, three, others | me)
            found = _search(solver, goal, to[0], to[1], to[2], wilds - cost, spare, need)
            if found < best:
                best, meld, kind, meld_wilds = found, others | me, SET, cost
        if others == 0:
            break
        others = (others - 1) & all_others

    # All its copies stay in the hand.
    if best != 0:
        copies = np.int64(_count(one, two, three, me))
        if goal == POINTS:
            points = points_of(solver, me) * copies
            if points < best:
                found = points + _search(solver, goal, one & ~me, two & ~me, three & ~me, wilds, spare, need)
                if found < best:
                    best, kind = found, LEFT
        elif copies <= spare:
            best = _search(solver, goal, one & ~me, two & ~me, three & ~me, wilds, spare - copies, need)
    solver["key"][slot] = key
    solver["two"][slot] = two
    solver["three"][slot] = three
    solver["found"][slot] = best
    solver["meld"][slot] = meld
    solver["meld_kind"][slot] = kind
    solver["meld_wilds"][slot] = meld_wilds
    return lost + best


@inner
def _sets_hold(solver, one, two, three, wilds, room, spare, need):
    """Whether all cards lie in sets and triplets, wilds included, but for ``spare``.

    For hands whose natural meld is a triplet and that have no run, which would take all wilds. ``room``: how many wilds
    sets can take beyond what they need. ``need``: `NEEDS_SECOND` until there is a second triplet.
    """
    if one == 0:
        return need == NEEDS_NOTHING and wilds <= room + spare
    me = one & -one
    is_wild = me & solver["wild"] != 0
    if three & me and (not is_wild or wilds >= LEAST_CARDS):
        used = np.int64(LEAST_CARDS if is_wild else 0)
        if _sets_hold(solver, one & ~me, two & ~me, three & ~me, wilds - used, room, spare, NEEDS_NOTHING):
            return True
    rank = np.int64(lowest(me)) % NUM_RANKS
    all_others = one & (np.int64(ONE_OF_EACH_SUIT) << rank) & ~me
    others = all_others
    # A natural card and two wilds are a run as well: two natural cards at least.
    while others != 0:
        naturals = np.int64(popcount(others)) + 1
        cost = max(LEAST_CARDS - naturals, np.int64(0)) + (naturals if is_wild else np.int64(0))
        if cost <= wilds and naturals >= solver["min_naturals"]:
            after = _take(one, two, three, others | me)
            more = room + NUM_SUITS - max(naturals, np.int64(LEAST_CARDS))
            if _sets_hold(solver, after[0], after[1], after[2], wilds - cost, more, spare, need):
                return True
        others = (others - 1) & all_others
    copies = np.int64(_count(one, two, three, me))
    if is_wild:  # A wild like any other.
        return _sets_hold(solver, one & ~me, two & ~me, three & ~me, wilds, room, spare, need)
    if copies > spare:
        return False
    return _sets_hold(solver, one & ~me, two & ~me, three & ~me, wilds, room, spare - copies, need)


# --- hands ---------------------------------------------------------------------------------------------------


@inner
def _prepare(rules, solver, one, wild):
    """Make an empty solver ready for a hand."""
    for k in range(NUM_VALUE_BITS):
        solver["value_bits"][k] = rules["value_bits"][k] & ~wild
    solver["wild"] = wild
    solver["min_naturals"] = rules["min_naturals"]
    solver["triplets"] = has_triplets(rules)
    solver["reach"] = _reach(one & ~wild)


@inner
def has_triplets(rules):
    """Whether three identical cards are a meld."""
    return np.int64(rules["num_decks"] == MAX_DECKS)


@inner
def _beside(solver, goal, one, two, three, wilds, spare, need, best):
    """The better of ``best`` and what the rest of a hand is worth beside its first meld."""
    found = _points(solver, one, two, three) if goal == POINTS else IMPOSSIBLE
    alone = found < best
    best = min(best, found)
    found = _search(solver, goal, one, two, three, wilds, spare, need)
    if alone or found < best:
        solver["rest"][0] = one
        solver["rest"][1] = two
        solver["rest"][2] = three
        solver["rest_wilds"] = wilds
        solver["alone"] = found >= best
    return min(best, found)


@inner
def _after_first(solver, goal, one, two, three, wilds, spare, best):
    """The best of all natural runs and triplets as the first meld, see `_search`."""
    for suit in range(NUM_SUITS):
        places = suit_places(one, suit)
        starts = places & places >> 1 & places >> 2
        while starts != 0:
            low = np.int64(lowest(starts))
            starts &= starts - 1
            for size in range(LEAST_CARDS, LONGEST + 1):
                if not places >> (low + size - 1) & 1:
                    break
                cards = places_mask(suit, ((np.int64(1) << size) - 1) << low)
                after = _take(one, two, three, cards)
                used = np.int64(popcount(cards & solver["wild"]))
                best = _beside(solver, goal, after[0], after[1], after[2], wilds - used, spare, NEEDS_SECOND, best)
                if best == 0:
                    return best
    if solver["triplets"] == 0:
        return best
    triplets = three
    while triplets != 0:
        me = triplets & -triplets
        triplets ^= me
        one_left = one & ~me
        two_left = two & ~me
        three_left = three & ~me
        left = wilds - (np.int64(LEAST_CARDS) if me & solver["wild"] else np.int64(0))
        need = NEEDS_SECOND if goal == POINTS else NEEDS_RUN
        best = _beside(solver, goal, one_left, two_left, three_left, left, spare, need, best)
        if best == 0:
            return best
        if goal == FIT and _sets_hold(solver, one_left, two_left, three_left, left, np.int64(0), spare, NEEDS_SECOND):
            return np.int64(0)
    return best


@inner
def _may_count(rules, hand, hand3):
    """Whether there is a natural run, or a triplet where that is a meld: without one every card counts."""
    return in_natural_runs(hand) != 0 or (hand3 != 0 and has_triplets(rules) != 0)


@inner
def costing_cards(rules, hand, hand2, hand3, jokers, cut):
    """(fewest points that a hand costs, the cards of an arrangement that costs so much).

    ``hand``, ``hand2``, ``hand3``: the faces held at least once, twice, three times. ``jokers``: printed ones.
    ``cut``: the cut card, `JOKER` for a printed joker.
    """
    wild = wild_cards(cut)
    if not _may_count(rules, hand, hand3):
        points = points_of(rules, hand & ~wild) + points_of(rules, hand2 & ~wild) + points_of(rules, hand3 & ~wild)
        return points, hand & ~wild
    solver = scratch(SOLVER_DTYPE)
    _prepare(rules, solver, hand, wild)
    wilds = np.int64(num_wilds(hand, hand2, hand3, jokers, wild))
    points = _after_first(solver, POINTS, hand, hand2, hand3, wilds, np.int64(0), IMPOSSIBLE)
    return points, _left_over(solver, points)


@inner
def _left_over(solver, points):
    """The cards that stay in the hand in the arrangement of ``points`` that the search has found."""
    one = np.int64(solver["rest"][0])
    two = np.int64(solver["rest"][1])
    three = np.int64(solver["rest"][2])
    wilds = np.int64(solver["rest_wilds"])
    wild = solver["wild"]
    left = np.int64(0)
    if points == 0:
        return left
    if solver["alone"]:
        return one & ~wild
    need = NEEDS_SECOND
    spare = np.int64(0)
    while True:
        live = one & ~wild
        if wilds == 0:
            loose = _loose(solver, live, three)
            left |= loose
            one &= ~loose
            two &= ~loose
            three &= ~loose
            live &= ~loose
        if live == 0:
            return left
        # What was found for these cards may have been forgotten for others'. Now it is the last to be kept.
        _search(solver, POINTS, one, two, three, wilds, spare, need)
        slot = _slot(_key(POINTS, one, wilds, spare, need), two, three)
        kind = solver["meld_kind"][slot]
        me = live & -live
        if kind == LEFT or kind == TRIPLET:
            one &= ~me
            two &= ~me
            three &= ~me
            if kind == LEFT:
                left |= me
        else:
            one, two, three = _take(one, two, three, np.int64(solver["meld"][slot]))
            wilds -= np.int64(solver["meld_wilds"][slot])
        if kind == RUN or kind == TRIPLET:
            need = NEEDS_NOTHING


@inner
def least_points(rules, hand, hand2, hand3, jokers, cut):
    """The fewest points that a hand costs. Arguments: see `costing_cards`."""
    wild = wild_cards(cut)
    if not _may_count(rules, hand, hand3):
        return points_of(rules, hand & ~wild) + points_of(rules, hand2 & ~wild) + points_of(rules, hand3 & ~wild)
    solver = scratch(SOLVER_DTYPE)
    _prepare(rules, solver, hand, wild)
    wilds = np.int64(num_wilds(hand, hand2, hand3, jokers, wild))
    return _after_first(solver, POINTS, hand, hand2, hand3, wilds, np.int64(0), IMPOSSIBLE)


@inner
def _holds(rules, hand, hand2, hand3, jokers, cut, spare):
    """Whether a hand can be declared without ``spare`` of its cards, 0 or 1. Where it says no for 1, no discard helps;
    which ones do is another matter."""
    if not _may_count(rules, hand, hand3):
        return False
    wild = wild_cards(cut)
    live = hand & ~wild
    loose = live & ~in_natural_melds(live)
    if has_triplets(rules):
        loose &= ~hand3
    wilds = np.int64(num_wilds(hand, hand2, hand3, jokers, wild))
    if _count(hand, hand2, hand3, loose) > _reach(live) * wilds + spare:
        return False
    solver = scratch(SOLVER_DTYPE)
    _prepare(rules, solver, hand, wild)
    return _after_first(solver, FIT, hand, hand2, hand3, wilds, np.int64(spare), IMPOSSIBLE) == 0


@inner
def is_declarable(rules, hand, hand2, hand3, jokers, cut):
    """Whether all cards of a hand, at most 16, lie in melds as `declare` asks. Arguments: see `costing_cards`."""
    return _holds(rules, hand, hand2, hand3, jokers, cut, np.int64(0))


@inner
def declaring_discards(rules, hand, hand2, hand3, jokers, cut):
    """The cards of a hand after whose discard it can be declared, bit `JOKER` for a joker."""
    found = np.int64(0)
    if not _holds(rules, hand, hand2, hand3, jokers, cut, np.int64(1)):
        return found
    rest = hand
    while rest != 0:
        card = rest & -rest
        rest ^= card
        after = _take(hand, hand2, hand3, card)
        if _holds(rules, after[0], after[1], after[2], jokers, cut, np.int64(0)):
            found |= card
    if jokers > 0 and _holds(rules, hand, hand2, hand3, jokers - 1, cut, np.int64(0)):
        found |= bit(JOKER)
    return found


@kernel
def arrange(rules, hand, hand2, hand3, jokers, cut):
    """(`least_points`, `is_declarable`, `declaring_discards`) for Python. ``rules``: an array of one record."""
    one = np.int64(hand)
    two = np.int64(hand2)
    three = np.int64(hand3)
    count = np.int64(jokers)
    points = least_points(rules[0], one, two, three, count, cut)
    declarable = is_declarable(rules[0], one, two, three, count, cut)
    return points, declarable, declaring_discards(rules[0], one, two, three, count, cut)


@kernel
def costing(rules, hand, hand2, hand3, jokers, cut):
    """`costing_cards` for Python. ``rules``: an array of one record."""
    return costing_cards(rules[0], np.int64(hand), np.int64(hand2), np.int64(hand3), np.int64(jokers), cut)


@kernel
def rest(rules, goal, one, two, three, wilds, cut, need):
    """The fewest points left of the rest of a hand, or 0 if it fits, see `_search`; for Python."""
    solver = scratch(SOLVER_DTYPE)
    _prepare(rules[0], solver, np.int64(one), wild_cards(cut))
    none = np.int64(0)
    return _search(
        solver, np.int64(goal), np.int64(one), np.int64(two), np.int64(three), np.int64(wilds), none, np.int64(need)
    )


@kernel
def sets_hold(rules, one, two, three, wilds, room, cut, need):
    """`_sets_hold` for Python, without a spare card."""
    solver = scratch(SOLVER_DTYPE)
    _prepare(rules[0], solver, np.int64(one), wild_cards(cut))
    count = np.int64(wilds)
    none = np.int64(0)
    return _sets_hold(
        solver, np.int64(one), np.int64(two), np.int64(three), count, np.int64(room), none, np.int64(need)
    )
