"""The observation of indian rummy: the row of bytes that `rummy_env.fields` describes, written field by field."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import JOKER, NUM_FACES
from rummy_env.core.bits import bit, close, has, push, thermometer
from rummy_env.core.declaration import (
    costing_cards,
    has_triplets,
    in_natural_melds,
    in_natural_runs,
    num_wilds,
)
from rummy_env.core.encode_straight import mark
from rummy_env.core.kernel import inner
from rummy_env.core.melds import completing, completing_high, completing_runs
from rummy_env.core.state import NO_CARD, OVER
from rummy_env.fields import (
    HAND_SIZE_BITS,
    INDIAN_STOCK_BITS,
    INDIAN_STOCK_STEP,
    INDIAN_TOTAL_LEAST,
    INDIAN_TOTAL_STEP,
    JOKER_BITS,
    PHASE_BITS,
    POINTS_BITS,
    POINTS_STEP,
    TOTAL_BITS,
    TURN_BITS,
)
from rummy_env.rules import SEATS

MAX_SEATS: Final = SEATS["indian"][1]


@inner
def _add(one, two, three, more, more2, more3):
    """Cards there at least once, twice and three times, of two lots together."""
    return (
        one | more,
        two | more2 | one & more,
        three | more3 | one & more2 | two & more,
    )


@inner
def _total_bits(rules, view, seat):
    """The thermometer of what a seat has won and lost in the match."""
    won = view["totals"][seat] - rules["start_points"] - INDIAN_TOTAL_LEAST
    return thermometer(max(0, won) // INDIAN_TOTAL_STEP, TOTAL_BITS)


@inner
def encode(rules, view, row):
    """Write the observation of a view, the fields in the order of their table. ``row``: uint64 words of the bytes."""
    num_players = rules["num_players"]
    me = view["seat"]
    hand = np.int64(view["hand"])
    hand2 = np.int64(view["hand2"])
    hand3 = np.int64(view["hand3"])
    deck = rules["deck"]
    cut = np.int64(view["cut"])
    wild = np.int64(view["wild"])
    jokers = np.int64(view["hand_jokers"])
    top = np.int64(NO_CARD)
    if view["pile_size"] > 0:
        top = np.int64(view["pile"][view["pile_size"] - 1])
    top_card = bit(top) if 0 <= top < JOKER else np.int64(0)
    taken = np.int64(view["taken"])
    taken_card = bit(taken) if 0 <= taken < JOKER else np.int64(0)
    # Copies that I can place.
    seen, seen2, seen3 = _add(hand, hand2, hand3, view["pile_cards"], view["pile_cards2"], view["pile_cards3"])
    if 0 <= cut < JOKER:
        seen, seen2, seen3 = _add(seen, seen2, seen3, bit(cut), np.int64(0), np.int64(0))
    for seat in range(num_players):
        if seat != me:
            known = view["known"][seat]
            seen, seen2, seen3 = _add(seen, seen2, seen3, known, view["known2"][seat], view["known3"][seat])
    decks = rules["num_decks"]
    unseen = deck & ~(seen3 if decks == 3 else seen2 if decks == 2 else seen)
    unseen2 = deck & ~(seen2 if decks == 3 else seen) if decks > 1 else np.int64(0)
    unseen3 = deck & ~seen if decks == 3 else np.int64(0)
    plays = view["phase"] != OVER
    phase = np.int64(1) << np.int64(view["phase"]) if plays else np.int64(0)
    points, costing = costing_cards(rules, hand, hand2, hand3, jokers, cut)
    triplets = hand3 if has_triplets(rules) else np.int64(0)
    points_mark = (points + POINTS_STEP - 1) // POINTS_STEP
    stock_mark = (view["stock_size"] + INDIAN_STOCK_STEP - 1) // INDIAN_STOCK_STEP
    turns_mark = mark(view["turn"], TURN_BITS, rules["max_turns"])
    runs = completing_runs(hand) | completing_high(hand)

    at, word = push(row, 0, np.uint64(0), hand, NUM_FACES)
    at, word = push(row, at, word, hand2, NUM_FACES)
    at, word = push(row, at, word, hand3, NUM_FACES)
    at, word = push(row, at, word, wild, NUM_FACES)
    at, word = push(row, at, word, taken_card, NUM_FACES)
    at, word = push(row, at, word, top_card, NUM_FACES)
    at, word = push(row, at, word, view["pile_cards"], NUM_FACES)
    at, word = push(row, at, word, view["pile_cards2"], NUM_FACES)
    at, word = push(row, at, word, view["pile_cards3"], NUM_FACES)
    at, word = push(row, at, word, unseen, NUM_FACES)
    at, word = push(row, at, word, unseen2, NUM_FACES)
    at, word = push(row, at, word, unseen3, NUM_FACES)
    at, word = push(row, at, word, in_natural_runs(hand), NUM_FACES)
    at, word = push(row, at, word, in_natural_melds(hand) | triplets, NUM_FACES)
    at, word = push(row, at, word, costing, NUM_FACES)
    at, word = push(row, at, word, (completing(hand) | runs) & ~hand, NUM_FACES)
    at, word = push(row, at, word, runs, NUM_FACES)
    at, word = push(row, at, word, phase, PHASE_BITS)
    at, word = push(row, at, word, np.int64(plays and view["to_play"] == me), 1)
    at, word = push(row, at, word, np.int64(view["turns"][me] == 0), 1)
    at, word = push(row, at, word, np.int64(view["packed"][me] != 0), 1)
    at, word = push(row, at, word, thermometer(view["hand_sizes"][me], HAND_SIZE_BITS), HAND_SIZE_BITS)
    wilds = num_wilds(hand, hand2, hand3, jokers, wild)
    at, word = push(row, at, word, thermometer(wilds, HAND_SIZE_BITS), HAND_SIZE_BITS)
    at, word = push(row, at, word, thermometer(jokers, JOKER_BITS), JOKER_BITS)
    at, word = push(row, at, word, np.int64(in_natural_runs(hand) | triplets != 0), 1)
    at, word = push(row, at, word, thermometer(points_mark, POINTS_BITS), POINTS_BITS)
    at, word = push(row, at, word, np.int64(taken == JOKER), 1)
    at, word = push(row, at, word, np.int64(top == JOKER), 1)
    at, word = push(row, at, word, thermometer(view["pile_jokers"], JOKER_BITS), JOKER_BITS)
    at, word = push(row, at, word, thermometer(stock_mark, INDIAN_STOCK_BITS), INDIAN_STOCK_BITS)
    at, word = push(row, at, word, thermometer(turns_mark, TURN_BITS), TURN_BITS)
    at, word = push(row, at, word, _total_bits(rules, view, me), TOTAL_BITS)

    other = me
    for k in range(MAX_SEATS - 1):  # a constant, so that offsets are
        if k == num_players - 1:
            break
        other += 1
        if other == num_players:
            other = 0
        at, word = push(row, at, word, view["known"][other], NUM_FACES)
        at, word = push(row, at, word, view["known2"][other], NUM_FACES)
        at, word = push(row, at, word, view["discarded"][other] & ~bit(JOKER), NUM_FACES)
        at, word = push(row, at, word, view["refused"][other] & ~bit(JOKER), NUM_FACES)
        at, word = push(row, at, word, thermometer(view["known_jokers"][other], JOKER_BITS), JOKER_BITS)
        at, word = push(row, at, word, np.int64(has(view["discarded"][other], JOKER)), 1)
        at, word = push(row, at, word, np.int64(has(view["refused"][other], JOKER)), 1)
        at, word = push(row, at, word, np.int64(plays and view["to_play"] == other), 1)
        at, word = push(row, at, word, np.int64(view["turns"][other] == 0), 1)
        at, word = push(row, at, word, np.int64(view["packed"][other] != 0), 1)
        at, word = push(row, at, word, _total_bits(rules, view, other), TOTAL_BITS)
    close(row, at, word)
