"""How easy, normal and hard play indian rummy. `agents.rule_bots` makes players of these functions.

All three look at *plans*: a plan lays the hand out in blocks, melds or two cards to which a third is missing, such that
they and what is still to be added make a hand that can be declared. A plan's *distance* is the number of cards that are
missing when all wilds have been put in; the natural run takes none. (Two cards with two wilds between them are not
looked at, so in one of fifty hands the distance is one too many.) `search` finds the least distance of all plans and,
for every card that such a plan can do without, the *outs*: cards that would complete or lengthen a meld and so bring it
nearer.

Sets of cards are 52-bit integers; a hand is three of them, the faces held at least once, twice and three times, and the
number of its *wilds*, jokers and cards of the wild rank together.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS, NUM_SUITS, to_mask
from rummy_env.core.bits import bit, get, lowest, popcount
from rummy_env.core.declaration import has_triplets, in_natural_melds, least_points, num_wilds
from rummy_env.core.hands import points_of
from rummy_env.core.indian import DECLARE_ID, DISCARD_ID, DRAW_ID, PACK_ID, TAKE_ID, may_discard
from rummy_env.core.kernel import inner, scratch
from rummy_env.core.melds import ONE_OF_EACH_SUIT
from rummy_env.core.random import advance, below
from rummy_env.core.rounds import is_legal
from rummy_env.core.state import NO_CARD, PACKED_FIRST, PLAY
from rummy_env.melds import HIGH_ACE, LEAST_CARDS

# --- blocks of runs ------------------------------------------------------------------------------------------

_SHAPES: Final = ("xxxxx", "xxxx", "xxx", "xx.x", "x.xx", "xx", "x.x")
"""The cards of a block from low to high: held, or missing between two that are. Two side by side take either end."""


def _run_blocks() -> Any:
    """What `RUN_BLOCKS` holds."""
    blocks: list[list[tuple[int, int, int, int]]] = [[] for _ in range(NUM_FACES)]
    for suit in range(NUM_SUITS):

        def cards(places: list[int], suit: int = suit) -> int:
            return to_mask([suit * NUM_RANKS + p % NUM_RANKS for p in places if 0 <= p <= HIGH_ACE])

        for shape in _SHAPES:
            for low in range(HIGH_ACE - len(shape) + 2):
                held = [low + k for k, there in enumerate(shape) if there == "x"]
                missing = [low + k for k, there in enumerate(shape) if there == "."]
                ends = [low - 1, low + len(shape)]
                if shape == "xx":
                    missing, ends = ends, []
                size = max(len(shape), LEAST_CARDS)
                first = suit * NUM_RANKS + min(p % NUM_RANKS for p in held)
                blocks[first].append((cards(held), cards(missing), cards(ends), size))
    table = np.zeros((NUM_FACES, max(map(len, blocks)) + 1, 4), np.int64)
    for face, found in enumerate(blocks):
        table[face, : len(found)] = np.array(found, np.int64).reshape(-1, 4)
    return table


RUN_BLOCKS: Final = _run_blocks()
"""For each card the blocks of runs of which it is the lowest, the ace always being that: (cards held, cards of which
one is missing, cards that could lengthen it, size of the run), longer ones first, then zeros."""

# --- plans ---------------------------------------------------------------------------------------------------

FAR: Final = 99
"""More cards than any plan lacks."""

MOST_NODES: Final = 3000
"""Steps after which a search ends with what it has found: hands with many wilds or three decks have countless plans."""

PLANS_DTYPE: Final = np.dtype(
    [
        ("wild", "i8"),  # cards of the wild rank
        ("wilds", "i8"),  # how many wilds there are
        ("triplets", "i8"),  # 1: three identical cards serve as a natural run
        ("total", "i8"),  # cards of a hand that is declared
        ("nodes", "i8"),
        ("distance", "i8"),  # the least found
        ("free", "i8"),  # cards without which it is not more
        ("outs", "i8"),  # of all plans of this distance
        ("outs_without", "i8", (NUM_FACES,)),  # … of those that can do without that card
    ],
    align=True,
)


@inner
def _take(one, two, three, cards):
    """The hand without a copy of each of ``cards``."""
    return one & ~(cards & ~two), two & ~(cards & ~three), three & ~cards


_LOW: Final = to_mask([suit * NUM_RANKS + rank for suit in range(NUM_SUITS) for rank in range(NUM_RANKS - 1)])
_LOW2: Final = to_mask([suit * NUM_RANKS + rank for suit in range(NUM_SUITS) for rank in range(NUM_RANKS - 2)])


@inner
def run_partners(cards):
    """The cards that go with one of ``cards`` into a run: next to it, or the next but one."""
    aces = cards & ONE_OF_EACH_SUIT
    high = (cards >> (NUM_RANKS - 1) | cards >> (NUM_RANKS - 2)) & ONE_OF_EACH_SUIT
    beside = (cards & _LOW) << 1 | (cards >> 1 & _LOW) | (cards & _LOW2) << 2 | (cards >> 2 & _LOW2)
    return beside | high | aces << (NUM_RANKS - 1) | aces << (NUM_RANKS - 2)


@inner
def set_partners(cards):
    """The cards of the ranks of ``cards``, in other suits than one of them."""
    turned = cards >> 13 | cards << 39 | cards >> 26 | cards << 26 | cards >> 39 | cards << 13
    return turned & ((np.int64(1) << NUM_FACES) - 1)


@inner
def _note(plans, full, part, pairs, size, held, loose, num_loose, run_missing, set_missing, ends):
    """A plan is complete: keep what it shows, if none is nearer."""
    room = plans["total"] - size
    places = room // LEAST_CARDS
    useful = held + min(num_loose, places)
    # No wild stands for these.
    natural = max(np.int64(0 if full > 0 else 1 if part > 0 else 2), pairs)
    others = plans["total"] - useful - plans["wilds"]
    distance = max(natural, others)
    if distance > plans["distance"]:
        return
    if distance < plans["distance"]:
        plans["distance"] = distance
        plans["free"] = 0
        plans["outs"] = 0
        for face in range(NUM_FACES):
            plans["outs_without"][face] = 0
    outs = run_missing
    # Else nothing is missing but what no wild stands for.
    if others > natural:
        outs |= set_missing
        if room % LEAST_CARDS:
            outs |= ends
    plans["outs"] |= outs
    plans["free"] |= loose
    while loose:
        face = lowest(loose)
        loose &= loose - 1
        plans["outs_without"][face] |= outs


@inner
def _search(
    plans, one, two, three, left, full, part, pairs, size, held, loose, num_loose, run_missing, set_missing, ends
):
    """Look at all plans of what is left of a hand.

    ``left``: how many cards that are not wild; ``full``, ``part``: blocks of runs (and triplets) with and without
    three natural cards; ``pairs``: those of ``part`` that are two identical cards; ``size``: cards that all blocks have
    in the end, ``held``: those of them held now that are not wild; ``loose``: the ``num_loose`` cards in no block; the
    last three: cards of which one is missing in runs and in sets, and that could lengthen melds.
    """
    room = plans["total"] - size
    runs = full + part
    if room < 0 or runs + room // LEAST_CARDS < 2:
        return
    most = held + min(room, left + min(num_loose + left, room // LEAST_CARDS))
    if plans["total"] - most - plans["wilds"] > plans["distance"]:
        return
    if one == 0:
        _note(plans, full, part, pairs, size, held, loose, num_loose, run_missing, set_missing, ends)
        return
    plans["nodes"] += 1
    if plans["nodes"] > MOST_NODES:
        return
    me = one & -one
    face = np.int64(lowest(me))
    wild = plans["wild"]
    is_wild = me & wild != 0

    if room >= LEAST_CARDS:
        for k in range(RUN_BLOCKS.shape[1]):
            cards = np.int64(RUN_BLOCKS[face, k, 0])
            if cards == 0:
                break
            if cards & ~one:
                continue
            naturals = np.int64(popcount(cards & ~wild))
            count = np.int64(popcount(cards))
            of_size = np.int64(RUN_BLOCKS[face, k, 3])
            complete = np.int64(count == of_size)
            # A wild in its own place is of use only in a natural run.
            if naturals < count and not complete:
                continue
            to = _take(one, two, three, cards)
            _search(
                plans,
                to[0],
                to[1],
                to[2],
                left - naturals,
                full + complete,
                part + 1 - complete,
                pairs,
                size + of_size,
                held + naturals,
                loose,
                num_loose,
                run_missing | np.int64(RUN_BLOCKS[face, k, 1]),
                set_missing,
                ends | np.int64(RUN_BLOCKS[face, k, 2]),
            )
        if plans["triplets"] and two & me and not is_wild:
            complete = np.int64(three & me != 0)
            _search(
                plans,
                one & ~me,
                two & ~me,
                three & ~me,
                left - 2 - complete,
                full + complete,
                part + 1 - complete,
                pairs + 1 - complete,
                size + LEAST_CARDS,
                held + 2 + complete,
                loose,
                num_loose,
                run_missing | (np.int64(0) if complete else me),
                set_missing,
                ends,
            )
        if not is_wild and runs + room // LEAST_CARDS > 2:
            rank = np.int64(ONE_OF_EACH_SUIT) << (face % NUM_RANKS)
            all_others = one & rank & ~me
            others = all_others
            while others:
                cards = others | me
                naturals = np.int64(popcount(cards))
                to = _take(one, two, three, cards)
                absent = rank & ~cards
                _search(
                    plans,
                    to[0],
                    to[1],
                    to[2],
                    left - naturals,
                    full,
                    part,
                    pairs,
                    size + max(naturals, np.int64(LEAST_CARDS)),
                    held + naturals,
                    loose,
                    num_loose,
                    run_missing,
                    set_missing | (absent if naturals < LEAST_CARDS else np.int64(0)),
                    ends | (absent if naturals == LEAST_CARDS else np.int64(0)),
                )
                others = (others - 1) & all_others

    copies = np.int64(0) if is_wild else np.int64(popcount(me) + popcount(two & me) + popcount(three & me))
    _search(
        plans,
        one & ~me,
        two & ~me,
        three & ~me,
        left - copies,
        full,
        part,
        pairs,
        size,
        held,
        loose if is_wild else loose | me,
        num_loose + copies,
        run_missing,
        set_missing,
        ends,
    )


@inner
def search(rules, view, plans, extra):
    """Find the least distance of the hand, with a card more where ``extra`` is one and not NO_CARD or a joker."""
    one = np.int64(view["hand"])
    two = np.int64(view["hand2"])
    three = np.int64(view["hand3"])
    wild = np.int64(view["wild"])
    jokers = np.int64(view["hand_jokers"])
    if extra == JOKER:
        jokers += 1
    elif extra != NO_CARD:
        three |= two & bit(extra)
        two |= one & bit(extra)
        one |= bit(extra)
    plans["wild"] = wild
    plans["wilds"] = num_wilds(one, two, three, jokers, wild)
    plans["triplets"] = has_triplets(rules)
    plans["total"] = rules["hand_size"]
    plans["nodes"] = 0
    plans["distance"] = FAR
    none = np.int64(0)
    left = np.int64(popcount(one & ~wild) + popcount(two & ~wild) + popcount(three & ~wild))
    _search(plans, one, two, three, left, none, none, none, none, none, none, none, none, none, none)


# --- what all use --------------------------------------------------------------------------------------------

PERCENT: Final = 100


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
def _top(view):
    """The card that could be taken, NO_CARD where none can."""
    return np.int64(view["pile"][view["pile_size"] - 1]) if is_legal(view, TAKE_ID) else np.int64(NO_CARD)


@inner
def _is_wild(view, card):
    return card == JOKER or (card != NO_CARD and view["wild"] & bit(card) != 0)


@inner
def _leave(view):
    """The action that leaves the top of the pile."""
    return np.int64(DRAW_ID if is_legal(view, DRAW_ID) else TAKE_ID)


@inner
def _declaration(rules, view):
    """The declaration that discards the lowest card it can, but no wild where it need not; NO_CARD where none is
    legal."""
    best = np.int64(NO_CARD)
    for card in range(JOKER, -1, -1):
        if get(view["legal"], DECLARE_ID + card) and (best == NO_CARD or not _is_wild(view, np.int64(card))):
            best = DECLARE_ID + np.int64(card)
    return best


@inner
def _not_wild(view, cards):
    """Those of ``cards`` that are not wild; all where there are no others."""
    others = cards & ~(view["wild"] | bit(JOKER))
    return others if others else cards


@inner
def _points(rules, view, card):
    """What a card counts."""
    return np.int64(0) if _is_wild(view, card) else points_of(rules, bit(card))


# --- easy ----------------------------------------------------------------------------------------------------

EASY_SEES_TOP: Final = 60
"""Percent of the tops that would be part of a meld that it notices."""
EASY_DECLARES: Final = 70
"""Percent of its turns in which it declares where it could."""
EASY_CARELESS: Final = 25
"""Percent of its discards that are any card outside melds, the others being one that has no partner."""


def decide_easy(rules, view, number):
    """Collects melds, but careless: overlooks tops and declarations, thinks neither of the runs that it needs nor of
    what others collect, never packs."""
    hand = np.int64(view["hand"])
    if view["phase"] != PLAY:
        top = _top(view)
        if _is_wild(view, top) or (top != NO_CARD and in_natural_melds(hand | bit(top)) & ~hand != 0):
            return np.int64(TAKE_ID) if _chance(number, EASY_SEES_TOP) else _leave(view)
        return _leave(view)
    declaration = _declaration(rules, view)
    if declaration != NO_CARD and _chance(number, EASY_DECLARES):
        return declaration
    allowed = _not_wild(view, may_discard(rules, view))
    loose = allowed & ~(in_natural_melds(hand) & ~view["hand2"])
    if loose == 0:
        loose = allowed
    number = advance(number)
    lone = loose & ~(run_partners(hand) | set_partners(hand))
    if lone and not _chance(number, EASY_CARELESS):
        loose = lone
    return DISCARD_ID + _lot(advance(number), loose)


# --- normal --------------------------------------------------------------------------------------------------


@inner
def _candidates(rules, view, plans):
    """The cards to choose the discard from: those that cost no distance, where they may be discarded."""
    allowed = may_discard(rules, view)
    others = _not_wild(view, allowed)
    return others & plans["free"] if others & plans["free"] else others


def decide_normal(rules, view, number):
    """Plans the shortest way to a declaration, takes what brings it nearer, discards the highest card that it can do
    without. Does not look at the others, never packs."""
    plans = scratch(PLANS_DTYPE)
    if view["phase"] != PLAY:
        top = _top(view)
        if top == NO_CARD:
            return _leave(view)
        if _is_wild(view, top):
            return np.int64(TAKE_ID)
        search(rules, view, plans, np.int64(NO_CARD))
        return np.int64(TAKE_ID) if plans["outs"] & bit(top) else _leave(view)
    declaration = _declaration(rules, view)
    if declaration != NO_CARD:
        return declaration
    search(rules, view, plans, np.int64(NO_CARD))
    candidates = _candidates(rules, view, plans)
    best = np.int64(NO_CARD)
    most = np.int64(-1)
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        points = _points(rules, view, card)
        if points > most:
            most = points
            best = card
    return DISCARD_ID + best


# --- hard ----------------------------------------------------------------------------------------------------

# fmt: off
_HARD_TABLE: Final[tuple[tuple[str, float], ...]] = (
    # What it is worth to be rid of a card.
    ("points", 0.4),  # for each of its points
    ("points_late", 1.0),  # for each of its points, after 10 turns
    ("outs", 1.0),  # for each live card that then brings the hand nearer
    ("danger", 2.0),  # less for each card that the next player took and that goes with it
    ("safe", 1.0),  # more where the next player discarded or left a card like it
    # It packs where that costs less than to play on is expected to, by so much.
    ("pack_margin", 0.0),
    # The logarithm of the odds of winning.
    ("win", 0.745),
    ("win_distance", -0.529),  # for each card that is missing
    ("win_rivals", -0.943),  # for the logarithm of the number of others who have not packed
    ("win_distance_rivals", -0.138),  # for each card that is missing and the same logarithm
    ("win_turn", 0.076),  # for each turn that it has had, 10 at most
    ("win_distance_turn", -0.178),  # for each turn and each card that is missing
    ("win_outs", 0.334),  # for every 10 live cards that complete or lengthen a meld
    ("win_wilds", 0.262),  # for each wild
    ("win_end", 3.108),  # as the stock runs out, see `_forecast`
    # What the hand costs if it does not win.
    ("cost", 6.535),
    ("cost_distance", -5.024),  # for each card that is missing
    ("cost_points", 0.739),  # for each point that the hand costs now
    ("cost_turn", 0.821),  # for each turn
    ("cost_end", -6.165),  # as the stock runs out, when the round may end with no winner
    # What each of the others pays who has not packed, if it wins.
    ("gain", 35.972),
    ("gain_turn", 0.052),  # for each turn
)
# fmt: on
"""The weights of `decide_hard`. Those of discards were found by search, rounds against itself; what it expects of a
round at the start of a turn was fitted to rounds of its own with 2 to 8 players."""

HARD_DTYPE: Final = np.dtype([(name, "f8") for name, _ in _HARD_TABLE])
HARD_WEIGHTS: Final = np.array([tuple(weight for _, weight in _HARD_TABLE)], HARD_DTYPE)


@inner
def _next_seat(rules, view):
    """The next seat that has not packed."""
    seat = np.int64(view["seat"])
    for _ in range(rules["num_players"]):
        seat = (seat + 1) % rules["num_players"]
        if view["packed"][seat] == 0:
            break
    return seat


@inner
def _num_live(rules, view, cards):
    """How many copies of ``cards`` are where nobody has seen them."""
    cards &= rules["deck"]
    count = rules["num_decks"] * popcount(cards)
    count -= popcount(cards & view["hand"]) + popcount(cards & view["hand2"]) + popcount(cards & view["hand3"])
    count -= popcount(cards & view["pile_cards"])
    count -= popcount(cards & view["pile_cards2"]) + popcount(cards & view["pile_cards3"])
    for seat in range(rules["num_players"]):
        if seat != view["seat"]:
            count -= popcount(cards & view["known"][seat])
            count -= popcount(cards & view["known2"][seat]) + popcount(cards & view["known3"][seat])
    return count


@inner
def _hard_discard(rules, view, weights):
    plans = scratch(PLANS_DTYPE)
    search(rules, view, plans, np.int64(NO_CARD))
    candidates = _candidates(rules, view, plans)
    after = _next_seat(rules, view)
    wanted = np.int64(view["known"][after])
    unwanted = np.int64(view["refused"][after] | view["discarded"][after])
    turns = view["turns"][view["seat"]]
    per_point = weights["points"] + weights["points_late"] * 0.1 * turns
    best = np.int64(NO_CARD)
    most = -1e9
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        worth = per_point * _points(rules, view, card)
        if card != JOKER:
            worth += weights["outs"] * _num_live(rules, view, plans["outs_without"][card])
            near = run_partners(bit(card)) | set_partners(bit(card))
            worth -= weights["danger"] * popcount(near & wanted)
            if (near | bit(card)) & unwanted:
                worth += weights["safe"]
        if worth > most:
            most = worth
            best = card
    return DISCARD_ID + best


MANY_TURNS: Final = 10
"""More turns than this make no difference to a forecast."""
LEAST_PACKED: Final = 3
"""A hand that lacks fewer cards is not packed."""


@inner
def _capped(rules, points):
    return points if rules["points_cap"] == 0 else min(points, float(rules["points_cap"]))


@inner
def _forecast(rules, view, weights, plans):
    """The points that a seat is expected to win, or with a minus to lose, that plays on."""
    rivals = -1
    paid = 0.0
    for seat in range(rules["num_players"]):
        if view["packed"][seat] == 0:
            rivals += 1
        else:
            paid += rules["pack_first"] if view["packed"][seat] == PACKED_FIRST else rules["pack_later"]
    turns = min(np.int64(view["turns"][view["seat"]]), MANY_TURNS)
    end = 1.0 / (1.0 + min(float(view["stock_size"]) / (rivals + 1), float(MANY_TURNS)))
    distance = plans["distance"]
    of_rivals = math.log(max(1, rivals))
    odds = (
        weights["win"]
        + weights["win_distance"] * distance
        + weights["win_rivals"] * of_rivals
        + weights["win_distance_rivals"] * distance * of_rivals
        + weights["win_turn"] * turns
        + weights["win_distance_turn"] * distance * turns
        + weights["win_outs"] * 0.1 * _num_live(rules, view, plans["outs"])
        + weights["win_wilds"] * plans["wilds"]
        + weights["win_end"] * end
    )
    wins = 1.0 / (1.0 + math.exp(-odds))
    points = least_points(
        rules,
        np.int64(view["hand"]),
        np.int64(view["hand2"]),
        np.int64(view["hand3"]),
        np.int64(view["hand_jokers"]),
        np.int64(view["cut"]),
    )
    cost = (
        weights["cost"]
        + weights["cost_distance"] * distance
        + weights["cost_points"] * points
        + weights["cost_turn"] * turns
        + weights["cost_end"] * end
    )
    gain = paid + rivals * _capped(rules, weights["gain"] + weights["gain_turn"] * turns)
    return wins * gain - (1.0 - wins) * _capped(rules, cost)


@inner
def _packs(rules, view, weights, plans):
    """Whether to drop out."""
    if plans["distance"] < LEAST_PACKED or not is_legal(view, PACK_ID):
        return False
    price = rules["pack_first"] if view["turns"][view["seat"]] == 0 else rules["pack_later"]
    return _forecast(rules, view, weights, plans) < -price - weights["pack_margin"]


@inner
def hard_action(rules, view, weights):
    """The action of `decide_hard` with any weights (a `HARD_DTYPE` record)."""
    if view["phase"] != PLAY:
        plans = scratch(PLANS_DTYPE)
        search(rules, view, plans, np.int64(NO_CARD))
        if _packs(rules, view, weights, plans):
            return np.int64(PACK_ID)
        top = _top(view)
        if _is_wild(view, top):
            return np.int64(TAKE_ID)
        if top != NO_CARD and plans["outs"] & bit(top):
            return np.int64(TAKE_ID)
        return _leave(view)
    declaration = _declaration(rules, view)
    if declaration != NO_CARD:
        return declaration
    return _hard_discard(rules, view, weights)


def decide_hard(rules, view, number):
    """Weighs what may come, gives the next player little, packs a hand that is worth less than the packing."""
    return hard_action(rules, view, HARD_WEIGHTS[0])
