"""Rami on the machine for table games: jokers, the opening, the taken card and freed jokers.

A player who has not opened puts an opening together piece by piece, with the actions of melds and lay-offs, and then
confirms it; the pieces lie on the table as *pending* melds, from number ``opening_from`` on.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import JOKER
from rummy_env.core.bits import lowest, popcount, put
from rummy_env.core.duties import (
    _IDS,
    SWAP_SET_ID,
    cannot_open,
    completes_opening,
    drop_dead_ends,
    first_open_meld,
    is_meld_action,
    lay,
    lay_meld,
    lay_off,
    mark_melds,
    mark_pending_layoffs,
    mark_table_moves,
    meets_duties,
    num_duties,
    opening_stands,
    owes_taken,
    prepare,
    restore,
    restore_meld,
    saved,
    saved_meld,
    set_bit,
    swap,
)
from rummy_env.core.hands import forget_face, keep_hand
from rummy_env.core.jokers import refresh_fits
from rummy_env.core.kernel import inner, scratch
from rummy_env.core.opening import SOLVER_DTYPE
from rummy_env.core.rounds import no_action, take_card
from rummy_env.core.state import DRAW, LAID_OFF, MELDED, PLAY
from rummy_env.core.straight import DISCARD_ID, DRAW_ID, MELD_SET_ID, TAKE_ID
from rummy_env.core.table_game import ONTO_SET, can_draw, discard_card, draw_card, give_back, go_out_if_empty

DISCARD_JOKER_ID: Final = _IDS["discard_joker"]
UNTAKE_ID: Final = _IDS["untake"]
CONFIRM_ID: Final = _IDS["confirm"]


@inner
def play(rules, state, action):
    """Play a legal action."""
    view = state["view"]
    if action == DRAW_ID:
        draw_card(state)
    elif action == TAKE_ID:
        take_card(state)
    elif action == UNTAKE_ID:
        give_back(state)
    elif action == CONFIRM_ID:
        confirm_opening(rules, state)
    elif action == DISCARD_JOKER_ID:
        discard_card(rules, state, JOKER)
    elif DISCARD_ID <= action < DISCARD_ID + 52:
        discard_card(rules, state, action - DISCARD_ID)
    else:
        number = -1
        if not is_meld_action(action):
            solver = scratch(SOLVER_DTYPE)
            prepare(solver, rules, view)
            number = first_open_meld(rules, view, solver, action)
        before = (view["hand"], view["hand2"], view["hand_jokers"])
        begin_opening(view)
        lay(rules, view, action, number)
        _settle(rules, state, before, MELDED if is_meld_action(action) else LAID_OFF)
    refresh_legal(rules, view)


# --- putting down --------------------------------------------------------------------------------------------


@inner
def has_opened(view):
    """Whether the seat to play has opened, in an earlier turn or in this one."""
    return view["put_down"][view["to_play"]] != 0 or view["down_now"] & MELDED != 0


@inner
def begin_opening(view):
    """What a player who has not opened puts down next is the first piece of an opening."""
    if view["opening"] == 0 and not has_opened(view):
        view["opening"] = 1
        view["opening_from"] = view["num_melds"]


@inner
def confirm_opening(rules, state):
    """The pending melds are the opening."""
    view = state["view"]
    view["opening"] = 0
    view["opening_from"] = 0
    view["down_now"] |= MELDED
    refresh_fits(rules, view)  # A piece may take a joker where a meld of the table may not.
    go_out_if_empty(rules, state)


@inner
def put_meld(rules, state, kind, key, low, size, suits, jokers):
    """Lay a meld from the hand on the table (fields of a meld: see `state`)."""
    view = state["view"]
    before = (view["hand"], view["hand2"], view["hand_jokers"])
    lay_meld(view, kind, key, low, size, suits, jokers)
    _settle(rules, state, before, MELDED)


@inner
def put_layoff(rules, state, card, end, number):
    """Lay a card or a joker off from the hand onto meld ``number`` at ``end``."""
    view = state["view"]
    before = (view["hand"], view["hand2"], view["hand_jokers"])
    lay_off(view, card, end, number)
    _settle(rules, state, before, LAID_OFF)


@inner
def put_swap(rules, state, card, number):
    """Put a card in the place of a joker of meld ``number`` and take the joker."""
    view = state["view"]
    before = (view["hand"], view["hand2"], view["hand_jokers"])
    swap(rules, view, card, number)
    _settle(rules, state, before, LAID_OFF)


@inner
def _settle(rules, state, before, down):
    """Cards have gone from the view's hand to its melds: bring all else in line. ``before``: the hand's cards."""
    view = state["view"]
    seat = view["to_play"]
    hand, hand2, hand_jokers = before
    cards = (hand & ~view["hand"]) | (hand2 & ~view["hand2"])
    jokers = hand_jokers - view["hand_jokers"]
    view["hand_sizes"][seat] -= np.int64(popcount(cards)) + jokers
    view["table2"] |= view["table"] & cards
    view["table"] |= cards
    view["table_jokers"] += jokers
    left = cards
    while left:
        forget_face(view, seat, np.int64(lowest(left)))
        left &= left - 1
    for _ in range(jokers):
        forget_face(view, seat, JOKER)
    if jokers < 0:  # A swap: everybody sees the freed joker go to the hand.
        view["known_jokers"][seat] -= jokers
    view["untouched"] = 0
    keep_hand(state)
    refresh_fits(rules, view)
    if view["opening"] == 0:
        view["down_now"] |= down
        go_out_if_empty(rules, state)


# --- what is legal -------------------------------------------------------------------------------------------


@inner
def refresh_draws(rules, view):
    """Work out anew the legal actions at the start of a turn: none where the round is over."""
    legal = view["legal"]
    no_action(view)
    if view["phase"] == DRAW:
        if can_draw(rules, view):
            set_bit(legal, DRAW_ID)
        # Once more at most: a turn in which one player takes and gives back for ever would never end.
        if view["pile_size"] > 0 and view["untaken"] < (2 if rules["take_again"] != 0 else 1):
            set_bit(legal, TAKE_ID)


@inner
def refresh_legal(rules, view):
    """Work out anew the legal actions of the seat to play."""
    refresh_draws(rules, view)
    if view["phase"] == PLAY:
        legal = view["legal"]
        if view["opening"] != 0:
            _mark_pieces(rules, view)
        elif has_opened(view):
            _mark_moves(rules, view)
        else:
            _mark_first_pieces(rules, view)
        if view["opening"] == 0 and num_duties(view) == 0:
            put(legal, DISCARD_ID, view["hand"])
            if view["hand_jokers"] > 0:
                set_bit(legal, DISCARD_JOKER_ID)
        if view["untouched"] != 0 and owes_taken(view):
            set_bit(legal, UNTAKE_ID)


@inner
def _mark_moves(rules, view):
    """Melds, lay-offs and swaps of a player who has opened."""
    legal = view["legal"]
    mark_melds(view, legal)
    mark_table_moves(view, legal)
    swaps = view["hand"] & (view["swaps_set"] | view["swaps_run"])
    if num_duties(view) > 0 or swaps != 0:
        solver = scratch(SOLVER_DTYPE)
        prepare(solver, rules, view)
        # Without a duty only a swap, which makes one, can lead into a dead end.
        drop_dead_ends(rules, view, solver, legal, MELD_SET_ID if num_duties(view) > 0 else SWAP_SET_ID)


@inner
def _mark_first_pieces(rules, view):
    """Melds with which an opening can begin."""
    if cannot_open(rules, view):
        return
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view)
    view["opening"] = 1
    view["opening_from"] = view["num_melds"]
    if completes_opening(rules, view, solver, np.int64(view["num_melds"]), np.int64(ONTO_SET)):
        mark_melds(view, view["legal"])
        drop_dead_ends(rules, view, solver, view["legal"], MELD_SET_ID)
    view["opening"] = 0
    view["opening_from"] = 0


@inner
def _mark_pieces(rules, view):
    """Pieces that lengthen the opening in the making, and its confirmation."""
    legal = view["legal"]
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view)
    mark_melds(view, legal)
    mark_pending_layoffs(rules, view, legal)
    drop_dead_ends(rules, view, solver, legal, MELD_SET_ID)
    if opening_stands(rules, view):
        set_bit(legal, CONFIRM_ID)


# --- moves of people: any meld, a named meld of the table -----------------------------------------------------


@inner
def may_put_meld(rules, view, kind, key, low, size, suits, jokers):
    """Whether a meld of the hand, by a player who has opened, leaves every duty within reach."""
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view)
    before = saved(view)
    lay_meld(view, kind, key, low, size, suits, jokers)
    reached = meets_duties(rules, view, solver)
    restore(view, before)
    return reached


@inner
def may_put_layoff(rules, view, card, end, number):
    """Whether a card laid off onto meld ``number``, which takes it at ``end``, leaves every duty within reach."""
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view)
    before = saved(view)
    meld = saved_meld(view, number)
    lay_off(view, card, end, number)
    reached = meets_duties(rules, view, solver)
    restore(view, before)
    restore_meld(view, number, meld)
    return reached


@inner
def may_put_swap(rules, view, card, number):
    """Whether a card put in the place of a joker of meld ``number`` leaves every duty within reach."""
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view)
    before = saved(view)
    meld = saved_meld(view, number)
    swap(rules, view, card, number)
    reached = meets_duties(rules, view, solver)
    restore(view, before)
    restore_meld(view, number, meld)
    return reached
