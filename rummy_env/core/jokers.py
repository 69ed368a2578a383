"""Melds of the table that may hold jokers: what fits them, whose joker a card replaces, what they count.

A meld's ``jokers`` are the joker places of a run, the number of jokers of a set (see `state`).
"""

from __future__ import annotations

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit
from rummy_env.core.kernel import inner
from rummy_env.core.opening import rank_points, run_points
from rummy_env.core.places import card_at, places_mask
from rummy_env.core.state import RUN, SET
from rummy_env.core.table_game import ONTO_HIGH, ONTO_LOW, ONTO_SET
from rummy_env.melds import HIGH_ACE, LONGEST_RUN


@inner
def end_place(view, number, end):
    """The place at which a run would grow, or -1 where that end cannot."""
    size = np.int64(view["meld_size"][number])
    low = np.int64(view["meld_low"][number])
    if view["meld_kind"][number] != RUN or size >= LONGEST_RUN:
        return -1
    if end == ONTO_LOW:
        return low - 1
    return low + size if low + size <= HIGH_ACE else -1


@inner
def missing_suits(view, number):
    """The cards of a set's rank whose suits it has no natural card of."""
    cards = np.int64(0)
    for suit in range(NUM_SUITS):
        if not view["meld_suits"][number] >> suit & 1:
            cards |= bit(suit * NUM_RANKS + np.int64(view["meld_key"][number]))
    return cards


@inner
def takes_natural(view, number, end):
    """The natural cards that meld ``number`` takes at ``end``."""
    if end == ONTO_SET:
        if view["meld_kind"][number] == SET and view["meld_size"][number] < NUM_SUITS:
            return missing_suits(view, number)
        return np.int64(0)
    place = end_place(view, number, end)
    return bit(card_at(np.int64(view["meld_key"][number]), place)) if place >= 0 else np.int64(0)


@inner
def takes_joker(rules, view, number, end):
    """Whether meld ``number`` takes a joker at ``end``: in a run no two stand side by side."""
    if end == ONTO_SET:
        if view["meld_kind"][number] != SET or view["meld_size"][number] >= NUM_SUITS:
            return False
        # A piece of an opening in the making is not on the table yet, and may become any set.
        return rules["joker_onto_set"] != 0 or (view["opening"] != 0 and number >= view["opening_from"])
    place = end_place(view, number, end)
    neighbour = place + 1 if end == ONTO_LOW else place - 1
    return place >= 0 and not view["meld_jokers"][number] >> neighbour & 1


@inner
def swap_place(view, number, card):
    """The place of the joker of meld ``number`` that a card replaces (0 in a set), or -1."""
    jokers = np.int64(view["meld_jokers"][number])
    if jokers == 0:
        return -1
    rank = card % NUM_RANKS
    suit = card // NUM_RANKS
    if view["meld_kind"][number] == SET:
        return 0 if view["meld_key"][number] == rank and not view["meld_suits"][number] >> suit & 1 else -1
    if view["meld_key"][number] != suit:
        return -1
    if jokers >> rank & 1:
        return rank
    return HIGH_ACE if rank == 0 and jokers >> HIGH_ACE & 1 else -1


@inner
def meld_points(rules, view, number):
    """What meld ``number`` counts in an opening."""
    key = np.int64(view["meld_key"][number])
    size = np.int64(view["meld_size"][number])
    if view["meld_kind"][number] == SET:
        return rank_points(key) * size
    return run_points(rules["low_ace_points"], np.int64(view["meld_low"][number]), size)


@inner
def extend(view, number, card, end):
    """Add a card or a joker to meld ``number``."""
    view["meld_size"][number] += 1
    if end == ONTO_LOW:
        view["meld_low"][number] -= 1
    if card != JOKER:
        if end == ONTO_SET:
            view["meld_suits"][number] |= 1 << (card // NUM_RANKS)
    elif end == ONTO_SET:
        view["meld_jokers"][number] += 1
    else:
        place = np.int64(view["meld_low"][number])
        if end == ONTO_HIGH:
            place += np.int64(view["meld_size"][number]) - 1
        view["meld_jokers"][number] |= 1 << place


@inner
def replace_joker(view, number, card, place):
    """Put a card in the place of a joker of meld ``number``."""
    if view["meld_kind"][number] == SET:
        view["meld_jokers"][number] -= 1
        view["meld_suits"][number] |= 1 << (card // NUM_RANKS)
    else:
        view["meld_jokers"][number] = np.int64(view["meld_jokers"][number]) & ~(1 << place)


@inner
def refresh_fits(rules, view):
    """Work out anew what the melds of the table take."""
    onto_set = np.int64(0)
    onto_low = np.int64(0)
    onto_high = np.int64(0)
    joker_set = np.int64(0)
    joker_low = np.int64(0)
    joker_high = np.int64(0)
    swaps_set = np.int64(0)
    swaps_run = np.int64(0)
    for number in range(view["num_melds"]):
        key = np.int64(view["meld_key"][number])
        if view["meld_kind"][number] == SET:
            onto_set |= takes_natural(view, number, ONTO_SET)
            if takes_joker(rules, view, number, ONTO_SET):
                joker_set |= np.int64(1) << key
            if view["meld_jokers"][number] > 0:
                swaps_set |= missing_suits(view, number)
        else:
            low = takes_natural(view, number, ONTO_LOW)
            onto_low |= low
            if takes_joker(rules, view, number, ONTO_LOW):
                joker_low |= low
            high = takes_natural(view, number, ONTO_HIGH)
            onto_high |= high
            if takes_joker(rules, view, number, ONTO_HIGH):
                joker_high |= high
            swaps_run |= places_mask(key, np.int64(view["meld_jokers"][number]))
    view["fits_set"] = onto_set
    view["fits_low"] = onto_low
    view["fits_high"] = onto_high
    view["joker_set"] = joker_set
    view["joker_low"] = joker_low
    view["joker_high"] = joker_high
    view["swaps_set"] = swaps_set
    view["swaps_run"] = swaps_run
