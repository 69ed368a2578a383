"""Cards in hands, on the pile and in people's memory: one deck, or two decks with jokers.

Sets of cards are 52-bit integers. Where cards come twice, a second integer holds the faces that are there twice, and
jokers are counted. Functions come in two versions, for the record of a game with one deck and of one with two.
"""

from __future__ import annotations

import numpy as np

from rummy_env.cards import JOKER
from rummy_env.core.bits import bit, popcount
from rummy_env.core.dispatch import by_ruleset
from rummy_env.core.kernel import inner
from rummy_env.rules import NUM_VALUE_BITS

# --- one deck ------------------------------------------------------------------------------------------------


@inner
def _deal_one(state, seat, card):
    state["hidden"]["hands"][seat] |= bit(card)


@inner
def _hold_one(state, card):
    view = state["view"]
    seat = view["to_play"]
    view["hand"] |= bit(card)
    state["hidden"]["hands"][seat] = view["hand"]
    view["hand_sizes"][seat] += 1


@inner
def _know_one(view, seat, card):
    view["known"][seat] |= bit(card)


@inner
def _let_go_one(state, card):
    let_go_faces(state, bit(card), 1)


@inner
def let_go_faces(state, cards, count):
    """Take a set of ``count`` cards out of the hand of the seat to play; everybody sees them. One deck."""
    view = state["view"]
    seat = view["to_play"]
    view["hand"] &= ~cards
    state["hidden"]["hands"][seat] = view["hand"]
    view["hand_sizes"][seat] -= count
    view["known"][seat] &= ~cards
    view["returned"] &= ~cards


@inner
def _onto_pile_one(view, card):
    view["pile_cards"] |= bit(card)


@inner
def _off_pile_one(view, card):
    view["pile_cards"] &= ~bit(card)


@inner
def _return_pile_one(view, top):
    view["returned"] = view["pile_cards"] & ~bit(top)
    view["pile_cards"] = bit(top)


@inner
def _show_hand_one(state, view, seat):
    view["hand"] = state["hidden"]["hands"][seat]


@inner
def _points_in_hand_one(rules, state, seat):
    return points_of(rules, state["hidden"]["hands"][seat])


@inner
def _clear_cards_one(state):
    view = state["view"]
    for seat in range(len(view["known"])):
        state["hidden"]["hands"][seat] = 0


@inner
def _begin_turn_one(view):
    pass


@inner
def _note_taken_one(view):
    pass


# --- two decks and jokers ------------------------------------------------------------------------------------


@inner
def _deal_two(state, seat, card):
    hidden = state["hidden"]
    if card == JOKER:
        hidden["jokers"][seat] += 1
    else:
        hidden["hands2"][seat] |= hidden["hands"][seat] & bit(card)
        hidden["hands"][seat] |= bit(card)


@inner
def _hold_two(state, card):
    view = state["view"]
    seat = view["to_play"]
    _deal_two(state, seat, card)
    _show_hand_two(state, view, seat)
    view["hand_sizes"][seat] += 1


@inner
def _know_two(view, seat, card):
    if card == JOKER:
        view["known_jokers"][seat] += 1
    else:
        view["known2"][seat] |= view["known"][seat] & bit(card)
        view["known"][seat] |= bit(card)


@inner
def forget_face(view, seat, card):
    """A copy of a face, or a joker, has left a hand in everybody's sight. Two decks."""
    if card == JOKER:
        view["known_jokers"][seat] = max(0, view["known_jokers"][seat] - 1)
        view["returned_jokers"] = max(0, view["returned_jokers"] - 1)
        return
    face = bit(card)
    view["known"][seat] &= ~(face & ~view["known2"][seat])
    view["known2"][seat] &= ~face
    view["returned"] &= ~(face & ~view["returned2"])
    view["returned2"] &= ~face


@inner
def _let_go_two(state, card):
    view = state["view"]
    seat = view["to_play"]
    if card == JOKER:
        view["hand_jokers"] -= 1
    else:
        view["hand"] &= ~(bit(card) & ~view["hand2"])
        view["hand2"] &= ~bit(card)
    keep_hand(state)
    view["hand_sizes"][seat] -= 1
    forget_face(view, seat, card)


@inner
def keep_hand(state):
    """Write the hand of the view, that of the seat to play, back to the table. Two decks."""
    view = state["view"]
    hidden = state["hidden"]
    seat = view["to_play"]
    hidden["hands"][seat] = view["hand"]
    hidden["hands2"][seat] = view["hand2"]
    hidden["jokers"][seat] = view["hand_jokers"]


@inner
def _onto_pile_two(view, card):
    if card == JOKER:
        view["pile_jokers"] += 1
    else:
        view["pile_cards2"] |= view["pile_cards"] & bit(card)
        view["pile_cards"] |= bit(card)


@inner
def _off_pile_two(view, card):
    if card == JOKER:
        view["pile_jokers"] -= 1
    else:
        view["pile_cards"] &= ~(bit(card) & ~view["pile_cards2"])
        view["pile_cards2"] &= ~bit(card)


@inner
def _return_pile_two(view, top):
    _off_pile_two(view, top)
    view["returned"] = view["pile_cards"]
    view["returned2"] = view["pile_cards2"]
    view["returned_jokers"] = view["pile_jokers"]
    view["pile_cards"] = 0
    view["pile_cards2"] = 0
    view["pile_jokers"] = 0
    _onto_pile_two(view, top)


@inner
def _show_hand_two(state, view, seat):
    hidden = state["hidden"]
    view["hand"] = hidden["hands"][seat]
    view["hand2"] = hidden["hands2"][seat]
    view["hand_jokers"] = hidden["jokers"][seat]


@inner
def _points_in_hand_two(rules, state, seat):
    hidden = state["hidden"]
    points = points_of(rules, hidden["hands"][seat]) + points_of(rules, hidden["hands2"][seat])
    return points + hidden["jokers"][seat] * rules["joker_points"]


@inner
def _clear_cards_two(state):
    view = state["view"]
    hidden = state["hidden"]
    view["table2"] = 0
    view["table_jokers"] = 0
    view["pile_cards2"] = 0
    view["pile_jokers"] = 0
    view["returned2"] = 0
    view["returned_jokers"] = 0
    view["joker_set"] = 0
    view["joker_low"] = 0
    view["joker_high"] = 0
    view["swaps_set"] = 0
    view["swaps_run"] = 0
    for seat in range(len(view["known"])):
        view["known2"][seat] = 0
        view["known_jokers"][seat] = 0
        hidden["hands"][seat] = 0
        hidden["hands2"][seat] = 0
        hidden["jokers"][seat] = 0
    _begin_turn_two(view)


@inner
def _begin_turn_two(view):
    view["taken_used"] = 0
    view["untaken"] = 0
    view["untouched"] = 0
    view["freed"] = 0
    view["opening"] = 0
    view["opening_from"] = 0


@inner
def _note_taken_two(view):
    view["taken_used"] = 0
    view["untouched"] = 1


# --- for both ------------------------------------------------------------------------------------------------


@inner
def points_of(rules, cards):
    """Points of a set of natural cards left in a hand."""
    points = np.int64(0)
    for k in range(NUM_VALUE_BITS):
        points += np.int64(popcount(cards & rules["value_bits"][k])) << k
    return points


def _both(parameters, record, one, two):
    return by_ruleset(parameters, record, straight=one, rami=two)


deal_card = _both("state, seat, card", "state", _deal_one, _deal_two)
"""Put a card into the hand of a seat, at the deal."""
hold = _both("state, card", "state", _hold_one, _hold_two)
"""Put a card into the hand of the seat to play."""
let_go = _both("state, card", "state", _let_go_one, _let_go_two)
"""Take a card out of the hand of the seat to play; everybody sees it."""
know = _both("view, seat, card", "view", _know_one, _know_two)
"""Everybody has seen the card go into that hand."""
onto_pile = _both("view, card", "view", _onto_pile_one, _onto_pile_two)
off_pile = _both("view, card", "view", _off_pile_one, _off_pile_two)
return_pile = _both("view, top", "view", _return_pile_one, _return_pile_two)
"""All cards of the pile but its top go back to the stock."""
show_hand = _both("state, view, seat", "view", _show_hand_one, _show_hand_two)
"""Write the hand of a seat into a view."""
points_in_hand = _both("rules, state, seat", "state", _points_in_hand_one, _points_in_hand_two)
clear_cards = _both("state", "state", _clear_cards_one, _clear_cards_two)
"""Nobody holds or knows a card of the round before."""
begin_turn = _both("view", "view", _begin_turn_one, _begin_turn_two)
"""Forget what was done in the turn before."""
note_taken = _both("view", "view", _note_taken_one, _note_taken_two)
"""The seat to play has taken the top of the pile."""
