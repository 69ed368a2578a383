"""The observation of straight rummy: the row of bytes that `rummy_env.fields` describes, written field by field."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import NUM_FACES
from rummy_env.core.bits import bit, close, push, thermometer
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner
from rummy_env.core.melds import completing, in_melds
from rummy_env.core.state import NO_CARD, OVER
from rummy_env.fields import (
    HAND_SIZE_BITS,
    PHASE_BITS,
    POINTS_BITS,
    POINTS_STEP,
    RESHUFFLE_BITS,
    STOCK_BITS,
    STOCK_STEP,
    TOTAL_BITS,
    TURN_BITS,
)
from rummy_env.rules import SEATS

MAX_SEATS: Final = SEATS["straight"][1]


@inner
def mark(count, size, whole):
    """How many ``size``-ths of ``whole`` a count has reached. Unsigned in 32 bits: the fast division."""
    return np.uint32(max(0, count) * size) // np.uint32(whole)


@inner
def total_bits(rules, view, seat):
    """The thermometer of a seat's total."""
    # A match of one round has no target.
    return thermometer(mark(view["totals"][seat], TOTAL_BITS, max(1, rules["target"])), TOTAL_BITS)


@inner
def encode(rules, view, row):
    """Write the observation of a view, the fields in the order of their table. ``row``: uint64 words of the bytes."""
    num_players = rules["num_players"]
    me = view["seat"]
    hand = view["hand"]
    deck = rules["deck"]
    top = np.int64(0)
    if view["pile_size"] > 0:
        top = bit(view["pile"][view["pile_size"] - 1])
    taken = np.int64(0)
    if view["taken"] != NO_CARD:
        taken = bit(view["taken"])
    seen = hand | view["pile_cards"] | view["table"]
    for seat in range(MAX_SEATS):
        seen |= view["known"][seat]
    unseen = deck & ~seen
    plays = view["phase"] != OVER
    phase = np.int64(1) << np.int64(view["phase"]) if plays else np.int64(0)
    stock_mark = (view["stock_size"] + STOCK_STEP - 1) // STOCK_STEP
    points_mark = (points_of(rules, hand) + POINTS_STEP - 1) // POINTS_STEP
    turns_mark = mark(view["turn"], TURN_BITS, rules["max_turns"])

    at, word = push(row, 0, np.uint64(0), hand, NUM_FACES)
    at, word = push(row, at, word, taken, NUM_FACES)
    at, word = push(row, at, word, top, NUM_FACES)
    at, word = push(row, at, word, view["pile_cards"] & ~top, NUM_FACES)
    at, word = push(row, at, word, view["table"], NUM_FACES)
    at, word = push(row, at, word, view["fits_set"], NUM_FACES)
    at, word = push(row, at, word, view["fits_low"], NUM_FACES)
    at, word = push(row, at, word, view["fits_high"], NUM_FACES)
    at, word = push(row, at, word, view["returned"] & unseen, NUM_FACES)
    at, word = push(row, at, word, unseen, NUM_FACES)
    at, word = push(row, at, word, in_melds(hand), NUM_FACES)
    at, word = push(row, at, word, completing(hand) & deck, NUM_FACES)
    at, word = push(row, at, word, phase, PHASE_BITS)
    at, word = push(row, at, word, np.int64(plays and view["to_play"] == me), 1)
    at, word = push(row, at, word, thermometer(view["hand_sizes"][me], HAND_SIZE_BITS), HAND_SIZE_BITS)
    at, word = push(row, at, word, thermometer(points_mark, POINTS_BITS), POINTS_BITS)
    at, word = push(row, at, word, np.int64(view["put_down"][me]), 1)
    at, word = push(row, at, word, thermometer(stock_mark, STOCK_BITS), STOCK_BITS)
    at, word = push(row, at, word, thermometer(view["reshuffles"], RESHUFFLE_BITS), RESHUFFLE_BITS)
    at, word = push(row, at, word, thermometer(turns_mark, TURN_BITS), TURN_BITS)
    at, word = push(row, at, word, total_bits(rules, view, me), TOTAL_BITS)

    other = me
    for k in range(MAX_SEATS - 1):  # a constant, so that offsets are
        if k == num_players - 1:
            break
        other += 1
        if other == num_players:
            other = 0
        at, word = push(row, at, word, view["known"][other], NUM_FACES)
        at, word = push(row, at, word, view["discarded"][other], NUM_FACES)
        at, word = push(row, at, word, view["refused"][other], NUM_FACES)
        at, word = push(row, at, word, np.int64(plays and view["to_play"] == other), 1)
        at, word = push(row, at, word, thermometer(view["hand_sizes"][other], HAND_SIZE_BITS), HAND_SIZE_BITS)
        at, word = push(row, at, word, np.int64(view["put_down"][other]), 1)
        at, word = push(row, at, word, total_bits(rules, view, other), TOTAL_BITS)
    close(row, at, word)
