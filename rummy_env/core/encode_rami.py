"""The observation of rami: the row of bytes that `rummy_env.fields` describes, written field by field."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS
from rummy_env.core.bits import bit, close, has, push, thermometer
from rummy_env.core.duties import owes_taken, pending_points
from rummy_env.core.encode_straight import mark, total_bits
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner
from rummy_env.core.melds import completing, completing_high, in_high_runs, in_melds
from rummy_env.core.state import NO_CARD, OVER
from rummy_env.fields import (
    HAND_SIZE_BITS,
    JOKER_BITS,
    OPENING_BITS,
    OPENING_STEP,
    PHASE_BITS,
    POINTS_STEP,
    RAMI_POINTS_BITS,
    RAMI_STOCK_STEP,
    RESHUFFLE_BITS,
    STOCK_BITS,
    TOTAL_BITS,
    TURN_BITS,
)
from rummy_env.rules import SEATS

MAX_SEATS: Final = SEATS["rami"][1]


@inner
def encode(rules, view, row):
    """Write the observation of a view, the fields in the order of their table. ``row``: uint64 words of the bytes."""
    num_players = rules["num_players"]
    me = view["seat"]
    hand = view["hand"]
    hand2 = view["hand2"]
    deck = rules["deck"]
    top = np.int64(NO_CARD)
    if view["pile_size"] > 0:
        top = np.int64(view["pile"][view["pile_size"] - 1])
    top_card = bit(top) if 0 <= top < JOKER else np.int64(0)
    taken = np.int64(view["taken"])
    taken_card = bit(taken) if 0 <= taken < JOKER else np.int64(0)
    # Faces of which I can place a copy, and both.
    seen = hand | view["pile_cards"] | view["table"]
    both = hand2 | view["pile_cards2"] | view["table2"]
    both |= hand & view["pile_cards"] | hand & view["table"] | view["pile_cards"] & view["table"]
    for seat in range(MAX_SEATS):
        if seat != me:
            both |= view["known2"][seat] | view["known"][seat] & seen
            seen |= view["known"][seat]
    two_decks = rules["num_decks"] > 1
    unseen = deck & ~(both if two_decks else seen)
    unseen_twice = deck & ~seen if two_decks else np.int64(0)
    plays = view["phase"] != OVER
    phase = np.int64(1) << np.int64(view["phase"]) if plays else np.int64(0)
    pending = pending_points(rules, view) // OPENING_STEP if view["opening"] != 0 else np.int64(0)
    threshold = (rules["opening"] + OPENING_STEP - 1) // OPENING_STEP
    points = points_of(rules, hand) + points_of(rules, hand2) + view["hand_jokers"] * rules["joker_points"]
    points_mark = (points + POINTS_STEP - 1) // POINTS_STEP
    stock_mark = (view["stock_size"] + RAMI_STOCK_STEP - 1) // RAMI_STOCK_STEP
    turns_mark = mark(view["turn"], TURN_BITS, rules["max_turns"])

    at, word = push(row, 0, np.uint64(0), hand, NUM_FACES)
    at, word = push(row, at, word, hand2, NUM_FACES)
    at, word = push(row, at, word, taken_card, NUM_FACES)
    at, word = push(row, at, word, top_card, NUM_FACES)
    at, word = push(row, at, word, view["pile_cards"], NUM_FACES)
    at, word = push(row, at, word, view["pile_cards2"], NUM_FACES)
    at, word = push(row, at, word, view["table"], NUM_FACES)
    at, word = push(row, at, word, view["table2"], NUM_FACES)
    at, word = push(row, at, word, view["fits_set"], NUM_FACES)
    at, word = push(row, at, word, view["fits_low"], NUM_FACES)
    at, word = push(row, at, word, view["fits_high"], NUM_FACES)
    at, word = push(row, at, word, view["joker_low"], NUM_FACES)
    at, word = push(row, at, word, view["joker_high"], NUM_FACES)
    at, word = push(row, at, word, view["swaps_set"], NUM_FACES)
    at, word = push(row, at, word, view["swaps_run"], NUM_FACES)
    at, word = push(row, at, word, unseen, NUM_FACES)
    at, word = push(row, at, word, unseen_twice, NUM_FACES)
    at, word = push(row, at, word, in_melds(hand) | in_high_runs(hand), NUM_FACES)
    at, word = push(row, at, word, (completing(hand) | completing_high(hand)) & deck & ~hand, NUM_FACES)
    at, word = push(row, at, word, view["joker_set"], NUM_RANKS)
    at, word = push(row, at, word, phase, PHASE_BITS)
    at, word = push(row, at, word, np.int64(plays and view["to_play"] == me), 1)
    at, word = push(row, at, word, np.int64(view["put_down"][me]), 1)
    at, word = push(row, at, word, np.int64(view["down_now"] != 0), 1)
    at, word = push(row, at, word, np.int64(view["opening"]), 1)
    at, word = push(row, at, word, thermometer(pending, OPENING_BITS), OPENING_BITS)
    at, word = push(row, at, word, thermometer(threshold, OPENING_BITS), OPENING_BITS)
    at, word = push(row, at, word, np.int64(taken == JOKER), 1)
    at, word = push(row, at, word, np.int64(owes_taken(view)), 1)
    at, word = push(row, at, word, np.int64(view["untaken"] != 0), 1)
    at, word = push(row, at, word, thermometer(view["freed"], JOKER_BITS), JOKER_BITS)
    at, word = push(row, at, word, thermometer(view["hand_sizes"][me], HAND_SIZE_BITS), HAND_SIZE_BITS)
    at, word = push(row, at, word, thermometer(view["hand_jokers"], JOKER_BITS), JOKER_BITS)
    at, word = push(row, at, word, thermometer(points_mark, RAMI_POINTS_BITS), RAMI_POINTS_BITS)
    at, word = push(row, at, word, np.int64(top == JOKER), 1)
    at, word = push(row, at, word, thermometer(view["pile_jokers"], JOKER_BITS), JOKER_BITS)
    at, word = push(row, at, word, thermometer(view["table_jokers"], JOKER_BITS), JOKER_BITS)
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
        at, word = push(row, at, word, view["known2"][other], NUM_FACES)
        at, word = push(row, at, word, view["discarded"][other] & ~bit(JOKER), NUM_FACES)
        at, word = push(row, at, word, view["refused"][other] & ~bit(JOKER), NUM_FACES)
        at, word = push(row, at, word, thermometer(view["known_jokers"][other], JOKER_BITS), JOKER_BITS)
        at, word = push(row, at, word, np.int64(has(view["discarded"][other], JOKER)), 1)
        at, word = push(row, at, word, np.int64(has(view["refused"][other], JOKER)), 1)
        at, word = push(row, at, word, np.int64(plays and view["to_play"] == other), 1)
        at, word = push(row, at, word, thermometer(view["hand_sizes"][other], HAND_SIZE_BITS), HAND_SIZE_BITS)
        at, word = push(row, at, word, np.int64(view["put_down"][other]), 1)
        at, word = push(row, at, word, total_bits(rules, view, other), TOTAL_BITS)
    close(row, at, word)
