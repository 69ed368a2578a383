"""Straight rummy on the machine for table games: what may be put down, and what is legal."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.actions import RUN_STARTS, STRAIGHT_ACTIONS, first_ids
from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, put
from rummy_env.core.hands import let_go_faces
from rummy_env.core.kernel import inner
from rummy_env.core.melds import run_indices, run_mask, runs_of_3, set_mask, sets_of_3
from rummy_env.core.rounds import may_discard, no_action, take_card
from rummy_env.core.state import DRAW, LAID_OFF, MELDED, PLAY, RUN, SET
from rummy_env.core.table_game import ONTO_LOW, ONTO_SET, can_draw, discard_card, draw_card, go_out_if_empty

_IDS: Final = first_ids(STRAIGHT_ACTIONS)
DRAW_ID: Final = _IDS["draw"]
TAKE_ID: Final = _IDS["take"]
MELD_SET_ID: Final = _IDS["meld_set"]
MELD_RUN_ID: Final = _IDS["meld_run"]
LAYOFF_SET_ID: Final = _IDS["layoff_set"]
LAYOFF_LOW_ID: Final = _IDS["layoff_low"]
LAYOFF_HIGH_ID: Final = _IDS["layoff_high"]
DISCARD_ID: Final = _IDS["discard"]

ALL_SUITS: Final = (1 << NUM_SUITS) - 1


@inner
def play(rules, state, action):
    """Play a legal action."""
    view = state["view"]
    if action == DRAW_ID:
        draw_card(state)
    elif action == TAKE_ID:
        take_card(state)
    elif action >= DISCARD_ID:
        discard_card(rules, state, action - DISCARD_ID)
    elif action >= LAYOFF_SET_ID:
        end = (action - LAYOFF_SET_ID) // NUM_FACES
        card = (action - LAYOFF_SET_ID) % NUM_FACES
        put_layoff(rules, state, card, end, find_meld(view, card, end))
    elif action >= MELD_RUN_ID:
        index = action - MELD_RUN_ID
        put_meld(rules, state, RUN, index // RUN_STARTS, index % RUN_STARTS, 3, 0, 0)
    else:
        left_out = action - MELD_SET_ID
        put_meld(rules, state, SET, left_out % NUM_RANKS, 0, 3, ALL_SUITS & ~(1 << left_out // NUM_RANKS), 0)
    refresh_legal(rules, view)


# --- putting down --------------------------------------------------------------------------------------------


@inner
def put_meld(rules, state, kind, key, low, size, suits, jokers):
    """Lay a meld from the hand on the table (fields of a meld: see `state`); there are no jokers."""
    view = state["view"]
    cards = run_mask(key, low, size) if kind == RUN else set_mask(key, suits)
    let_go_faces(state, cards, size)
    number = view["num_melds"]
    view["meld_kind"][number] = kind
    view["meld_key"][number] = key
    view["meld_low"][number] = low
    view["meld_size"][number] = size
    view["meld_suits"][number] = suits
    view["meld_by"][number] = view["to_play"]
    view["num_melds"] = number + 1
    view["table"] |= cards
    view["down_now"] |= MELDED
    refresh_fits(rules, view)
    go_out_if_empty(rules, state)


@inner
def put_layoff(rules, state, card, end, number):
    """Lay ``card`` off from the hand onto meld ``number`` at ``end``."""
    view = state["view"]
    let_go_faces(state, bit(card), 1)
    view["meld_size"][number] += 1
    if end == ONTO_SET:
        view["meld_suits"][number] |= 1 << (card // NUM_RANKS)
    elif end == ONTO_LOW:
        view["meld_low"][number] -= 1
    view["table"] |= bit(card)
    view["down_now"] |= LAID_OFF
    refresh_fits(rules, view)
    go_out_if_empty(rules, state)


@inner
def find_meld(view, card, end):
    """Number of the first meld that ``card`` can be laid off onto at ``end``, or -1."""
    for number in range(view["num_melds"]):
        if fits_meld(view, number, card, end):
            return number
    return -1


@inner
def fits_meld(view, number, card, end):
    """Whether a card can be laid off onto meld ``number`` at ``end``."""
    suit = card // NUM_RANKS
    rank = card % NUM_RANKS
    if end == ONTO_SET:
        return (
            view["meld_kind"][number] == SET
            and view["meld_key"][number] == rank
            and not view["meld_suits"][number] >> suit & 1
        )
    if view["meld_kind"][number] != RUN or view["meld_key"][number] != suit:
        return False
    if end == ONTO_LOW:
        return view["meld_low"][number] == rank + 1
    return view["meld_low"][number] + view["meld_size"][number] == rank


# --- what is legal -------------------------------------------------------------------------------------------


@inner
def refresh_fits(rules, view):
    """Work out anew which cards can be laid off onto the melds of the table."""
    onto_set = np.int64(0)
    onto_low = np.int64(0)
    onto_high = np.int64(0)
    deck_suits = (1 << rules["num_suits"]) - 1
    for number in range(view["num_melds"]):
        key = np.int64(view["meld_key"][number])
        if view["meld_kind"][number] == SET:
            onto_set |= set_mask(key, deck_suits & ~np.int64(view["meld_suits"][number]))
        else:
            low = np.int64(view["meld_low"][number])
            above = low + np.int64(view["meld_size"][number])
            if low > 0:
                onto_low |= bit(key * NUM_RANKS + low - 1)
            if above < rules["num_ranks"]:
                onto_high |= bit(key * NUM_RANKS + above)
    view["fits_set"] = onto_set & ~view["table"]
    view["fits_low"] = onto_low & ~view["table"]
    view["fits_high"] = onto_high & ~view["table"]


@inner
def refresh_draws(rules, view):
    """Work out anew the legal actions at the start of a turn: none where the round is over."""
    legal = view["legal"]
    no_action(view)
    if view["phase"] == DRAW:
        if can_draw(rules, view):
            legal[0] |= np.uint64(1 << DRAW_ID)
        if view["pile_size"] > 0:
            legal[0] |= np.uint64(1 << TAKE_ID)


@inner
def refresh_legal(rules, view):
    """Work out anew the legal actions of the seat to play."""
    refresh_draws(rules, view)
    if view["phase"] == PLAY:
        legal = view["legal"]
        hand = view["hand"]
        put(legal, MELD_SET_ID, sets_of_3(hand))
        put(legal, MELD_RUN_ID, run_indices(runs_of_3(hand)))
        put(legal, LAYOFF_SET_ID, hand & view["fits_set"])
        put(legal, LAYOFF_LOW_ID, hand & view["fits_low"])
        put(legal, LAYOFF_HIGH_ID, hand & view["fits_high"])
        put(legal, DISCARD_ID, may_discard(rules, view))
