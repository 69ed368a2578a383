"""Kernels for moves of people at one table of rami: any meld, a named meld of the table, a whole opening.

``states``: an array of one table. What a move needs besides the duties, callers have checked: the cards are in the
hand, the meld is one, the table meld takes the card.
"""

from __future__ import annotations

from rummy_env.core.duties import (
    NEW_MELD,
    first_open_meld,
    is_meld_action,
    opening_stands,
    prepare,
)
from rummy_env.core.kernel import kernel, scratch
from rummy_env.core.opening import SOLVER_DTYPE
from rummy_env.core.rami import (
    begin_opening,
    confirm_opening,
    may_put_layoff,
    may_put_meld,
    may_put_swap,
    put_meld,
    put_swap,
    refresh_legal,
)


@kernel
def may_meld(rules, states, kind, key, low, size, suits, jokers):
    """Whether a meld leaves every duty within reach."""
    return may_put_meld(rules[0], states[0]["view"], kind, key, low, size, suits, jokers)


@kernel
def may_layoff(rules, states, card, end, number):
    """Whether a lay-off onto meld ``number`` leaves every duty within reach."""
    return may_put_layoff(rules[0], states[0]["view"], card, end, number)


@kernel
def may_swap(rules, states, card, number):
    """Whether a swap for a joker of meld ``number`` leaves every duty within reach."""
    return may_put_swap(rules[0], states[0]["view"], card, number)


@kernel
def play_swap(rules, states, card, number):
    """Put a card in the place of a joker of meld ``number``."""
    put_swap(rules[0], states[0], card, number)
    refresh_legal(rules[0], states[0]["view"])


@kernel
def lay_piece(rules, states, kind, key, low, size, suits, jokers):
    """Lay a meld down as a piece of an opening; the opening is begun with the first. Legal actions are left as they
    were."""
    begin_opening(states[0]["view"])
    put_meld(rules[0], states[0], kind, key, low, size, suits, jokers)


@kernel
def stands(rules, states):
    """Whether the pieces laid down are an opening."""
    return opening_stands(rules[0], states[0]["view"])


@kernel
def confirm(rules, states):
    """The pieces laid down are the opening."""
    confirm_opening(rules[0], states[0])
    refresh_legal(rules[0], states[0]["view"])


@kernel
def target_of(rules, states, action):
    """The table meld that a legal lay-off or swap action means, -1 for an action that makes a new meld."""
    view = states[0]["view"]
    if is_meld_action(action):
        return NEW_MELD
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules[0], view)
    return first_open_meld(rules[0], view, solver, action)
