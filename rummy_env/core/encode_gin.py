"""The observation of gin: the row of bytes that `rummy_env.fields` describes, written field by field."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import NUM_FACES
from rummy_env.core.bits import bit, close, push, thermometer
from rummy_env.core.deadwood import deadwood_cards
from rummy_env.core.encode_straight import mark, total_bits
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner
from rummy_env.core.melds import completing, in_melds
from rummy_env.core.state import DRAW, NO_CARD, OVER, PLAY, UPCARD
from rummy_env.fields import (
    DEADWOOD_BITS,
    DEADWOOD_STEP,
    GIN_PHASE_BITS,
    PASS_BITS,
    STOCK_BITS,
    STOCK_STEP,
    TOTAL_BITS,
    TURN_BITS,
)

_PHASE_BIT: Final = {UPCARD: 0, DRAW: 1, PLAY: 2}
UPCARD_BIT: Final = 1 << _PHASE_BIT[UPCARD]
DRAW_BIT: Final = 1 << _PHASE_BIT[DRAW]
PLAY_BIT: Final = 1 << _PHASE_BIT[PLAY]


@inner
def _phase_bits(view):
    phase = view["phase"]
    if phase == OVER:
        return np.int64(0)
    if phase == PLAY:
        return np.int64(PLAY_BIT)
    return np.int64(DRAW_BIT) if phase == DRAW else np.int64(UPCARD_BIT)


@inner
def encode(rules, view, row):
    """Write the observation of a view, the fields in the order of their table. ``row``: uint64 words of the bytes."""
    me = view["seat"]
    other = 1 - me
    hand = view["hand"]
    top = np.int64(0)
    if view["pile_size"] > 0:
        top = bit(view["pile"][view["pile_size"] - 1])
    taken = np.int64(0)
    if view["taken"] != NO_CARD:
        taken = bit(view["taken"])
    # What the other holds may be shown after a knock.
    unseen = rules["deck"] & ~(hand | view["pile_cards"] | view["known"][other])
    completes = completing(hand)
    deadwood = deadwood_cards(rules, hand)
    points = points_of(rules, deadwood)
    points_mark = (points + DEADWOOD_STEP - 1) // DEADWOOD_STEP
    stock_mark = (view["stock_size"] + STOCK_STEP - 1) // STOCK_STEP
    turns_mark = mark(view["turn"], TURN_BITS, rules["max_turns"])
    plays = view["phase"] != OVER

    at, word = push(row, 0, np.uint64(0), hand, NUM_FACES)
    at, word = push(row, at, word, taken, NUM_FACES)
    at, word = push(row, at, word, top, NUM_FACES)
    at, word = push(row, at, word, view["pile_cards"] & ~top, NUM_FACES)
    at, word = push(row, at, word, unseen, NUM_FACES)
    at, word = push(row, at, word, in_melds(hand), NUM_FACES)
    at, word = push(row, at, word, deadwood, NUM_FACES)
    at, word = push(row, at, word, completes, NUM_FACES)
    at, word = push(row, at, word, _phase_bits(view), GIN_PHASE_BITS)
    at, word = push(row, at, word, np.int64(plays and view["to_play"] == me), 1)
    at, word = push(row, at, word, np.int64(view["dealer"] == me), 1)
    at, word = push(row, at, word, thermometer(view["passes"], PASS_BITS), PASS_BITS)
    at, word = push(row, at, word, np.int64(completes & top != 0), 1)
    at, word = push(row, at, word, thermometer(points, DEADWOOD_BITS), DEADWOOD_BITS)
    at, word = push(row, at, word, thermometer(points_mark, DEADWOOD_BITS), DEADWOOD_BITS)
    at, word = push(row, at, word, thermometer(stock_mark, STOCK_BITS), STOCK_BITS)
    at, word = push(row, at, word, thermometer(turns_mark, TURN_BITS), TURN_BITS)
    at, word = push(row, at, word, total_bits(rules, view, me), TOTAL_BITS)

    at, word = push(row, at, word, view["known"][other], NUM_FACES)
    at, word = push(row, at, word, view["discarded"][other], NUM_FACES)
    at, word = push(row, at, word, view["refused"][other], NUM_FACES)
    at, word = push(row, at, word, np.int64(plays and view["to_play"] == other), 1)
    at, word = push(row, at, word, total_bits(rules, view, other), TOTAL_BITS)
    close(row, at, word)
