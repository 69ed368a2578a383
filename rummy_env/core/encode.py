"""The observation of a view, packed: one bit for each byte of the row that `rummy_env.fields` describes."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.core.bits import bit, put, thermometer
from rummy_env.core.kernel import inner
from rummy_env.core.melds import completing, in_melds
from rummy_env.core.state import NO_CARD, OVER
from rummy_env.core.table_game import points_of
from rummy_env.fields import (
    HAND_SIZE_BITS,
    OTHER_OFFSETS,
    OTHER_SIZE,
    OWN_OFFSETS,
    OWN_SIZE,
    POINTS_BITS,
    POINTS_STEP,
    RESHUFFLE_BITS,
    STOCK_BITS,
    STOCK_STEP,
    TOTAL_BITS,
    TURN_BITS,
    observation_size,
)
from rummy_env.rules import MAX_SEATS

PACKED_WORDS: Final = -(-observation_size(MAX_SEATS) // 64) + 1
"""Words of a packed observation of the largest game, with one to spare for `put`."""

_HAND: Final = OWN_OFFSETS["hand"]
_TAKEN: Final = OWN_OFFSETS["taken"]
_PILE_TOP: Final = OWN_OFFSETS["pile_top"]
_PILE: Final = OWN_OFFSETS["pile"]
_TABLE: Final = OWN_OFFSETS["table"]
_FITS_SET: Final = OWN_OFFSETS["fits_set"]
_FITS_LOW: Final = OWN_OFFSETS["fits_low"]
_FITS_HIGH: Final = OWN_OFFSETS["fits_high"]
_RETURNED: Final = OWN_OFFSETS["returned"]
_UNSEEN: Final = OWN_OFFSETS["unseen"]
_IN_MELD: Final = OWN_OFFSETS["in_meld"]
_COMPLETES: Final = OWN_OFFSETS["completes"]
_PHASE: Final = OWN_OFFSETS["phase"]
_MY_TURN: Final = OWN_OFFSETS["my_turn"]
_HAND_SIZE: Final = OWN_OFFSETS["hand_size"]
_POINTS: Final = OWN_OFFSETS["points"]
_PUT_DOWN: Final = OWN_OFFSETS["put_down"]
_STOCK_SIZE: Final = OWN_OFFSETS["stock_size"]
_RESHUFFLES: Final = OWN_OFFSETS["reshuffles"]
_TURNS: Final = OWN_OFFSETS["turns"]
_TOTAL: Final = OWN_OFFSETS["total"]
_OTHER_KNOWN: Final = OTHER_OFFSETS["known"]
_OTHER_DISCARDED: Final = OTHER_OFFSETS["discarded"]
_OTHER_REFUSED: Final = OTHER_OFFSETS["refused"]
_OTHER_TO_PLAY: Final = OTHER_OFFSETS["to_play"]
_OTHER_HAND_SIZE: Final = OTHER_OFFSETS["hand_size"]
_OTHER_PUT_DOWN: Final = OTHER_OFFSETS["put_down"]
_OTHER_TOTAL: Final = OTHER_OFFSETS["total"]


@inner
def total_mark(rules, total):
    """How many tenths of the target a total has reached."""
    return max(0, total) * TOTAL_BITS // rules["target"]


@inner
def encode(rules, view, packed):
    """Write the observation of a view into ``packed``: (PACKED_WORDS,) uint64."""
    for word in range(PACKED_WORDS):
        packed[word] = 0
    num_players = rules["num_players"]
    me = view["seat"]
    hand = view["hand"]
    pile = view["pile_cards"]
    deck = rules["deck"]
    top = np.int64(0)
    if view["pile_size"] > 0:
        top = bit(view["pile"][view["pile_size"] - 1])
    unseen = deck & ~(hand | pile | view["table"])
    for k in range(1, num_players):
        other = (me + k) % num_players
        unseen &= ~view["known"][other]
        at = OWN_SIZE + (k - 1) * OTHER_SIZE
        put(packed, at + _OTHER_KNOWN, view["known"][other])
        put(packed, at + _OTHER_DISCARDED, view["discarded"][other])
        put(packed, at + _OTHER_REFUSED, view["refused"][other])
        put(packed, at + _OTHER_TO_PLAY, np.int64(view["to_play"] == other and view["phase"] != OVER))
        put(packed, at + _OTHER_HAND_SIZE, thermometer(view["hand_sizes"][other], HAND_SIZE_BITS))
        put(packed, at + _OTHER_PUT_DOWN, np.int64(view["put_down"][other]))
        put(packed, at + _OTHER_TOTAL, thermometer(total_mark(rules, view["totals"][other]), TOTAL_BITS))
    put(packed, _HAND, hand)
    if view["taken"] != NO_CARD:
        put(packed, _TAKEN, bit(view["taken"]))
    put(packed, _PILE_TOP, top)
    put(packed, _PILE, pile & ~top)
    put(packed, _TABLE, view["table"])
    put(packed, _FITS_SET, view["fits_set"])
    put(packed, _FITS_LOW, view["fits_low"])
    put(packed, _FITS_HIGH, view["fits_high"])
    put(packed, _RETURNED, view["returned"] & unseen)
    put(packed, _UNSEEN, unseen)
    put(packed, _IN_MELD, in_melds(hand))
    put(packed, _COMPLETES, completing(hand) & deck)
    if view["phase"] != OVER:
        put(packed, _PHASE, np.int64(1) << np.int64(view["phase"]))
        put(packed, _MY_TURN, np.int64(view["to_play"] == me))
    put(packed, _HAND_SIZE, thermometer(view["hand_sizes"][me], HAND_SIZE_BITS))
    put(packed, _POINTS, thermometer((points_of(rules, hand) + POINTS_STEP - 1) // POINTS_STEP, POINTS_BITS))
    put(packed, _PUT_DOWN, np.int64(view["put_down"][me]))
    put(packed, _STOCK_SIZE, thermometer((view["stock_size"] + STOCK_STEP - 1) // STOCK_STEP, STOCK_BITS))
    put(packed, _RESHUFFLES, thermometer(view["reshuffles"], RESHUFFLE_BITS))
    put(packed, _TURNS, thermometer(view["turn"] * TURN_BITS // rules["max_turns"], TURN_BITS))
    put(packed, _TOTAL, thermometer(total_mark(rules, view["totals"][me]), TOTAL_BITS))
