"""Cards in hands, on the pile and in people's memory: one deck, two decks or three with jokers.

Sets of cards are 52-bit integers. Where cards come twice, a second integer holds the faces that are there twice, where
they come three times, a third one those, and jokers are counted. Functions come in versions, for the record of a game
with one deck, with two, and with three.
"""

from __future__ import annotations

import numpy as np

from rummy_env.cards import JOKER
from rummy_env.core.bits import bit, lowest, popcount
from rummy_env.core.dispatch import by_ruleset
from rummy_env.core.kernel import inner
from rummy_env.core.state import NO_CARD
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
    _not_returned(view, cards)


@inner
def _not_returned_table(view, cards):
    view["returned"] &= ~cards


@inner
def _not_returned_hand(view, cards):
    pass  # A hand game shuffles nothing back.


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
    view["taken"] = NO_CARD
    view["down_now"] = 0


@inner
def _begin_turn_hand(view):
    view["taken"] = NO_CARD


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
    _begin_turn_one(view)
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


# --- up to three decks and jokers ----------------------------------------------------------------------------


@inner
def _deal_three(state, seat, card):
    hidden = state["hidden"]
    if card == JOKER:
        hidden["jokers"][seat] += 1
    else:
        hidden["hands3"][seat] |= hidden["hands2"][seat] & bit(card)
        hidden["hands2"][seat] |= hidden["hands"][seat] & bit(card)
        hidden["hands"][seat] |= bit(card)


@inner
def _hold_three(state, card):
    view = state["view"]
    seat = view["to_play"]
    _deal_three(state, seat, card)
    _show_hand_three(state, view, seat)
    view["hand_sizes"][seat] += 1


@inner
def _know_three(view, seat, card):
    if card == JOKER:
        view["known_jokers"][seat] += 1
    else:
        view["known3"][seat] |= view["known2"][seat] & bit(card)
        view["known2"][seat] |= view["known"][seat] & bit(card)
        view["known"][seat] |= bit(card)


@inner
def _let_go_three(state, card):
    view = state["view"]
    hidden = state["hidden"]
    seat = view["to_play"]
    if card == JOKER:
        hidden["jokers"][seat] -= 1
        view["known_jokers"][seat] = max(0, view["known_jokers"][seat] - 1)
    else:
        face = bit(card)
        hidden["hands"][seat] &= ~(face & ~hidden["hands2"][seat])
        hidden["hands2"][seat] &= ~(face & ~hidden["hands3"][seat])
        hidden["hands3"][seat] &= ~face
        view["known"][seat] &= ~(face & ~view["known2"][seat])
        view["known2"][seat] &= ~(face & ~view["known3"][seat])
        view["known3"][seat] &= ~face
    _show_hand_three(state, view, seat)
    view["hand_sizes"][seat] -= 1


@inner
def give_up_hand(state, seat, cards):
    """Take all cards out of a hand, seen by nobody, and write them to the beginning of ``cards``. Three decks."""
    view = state["view"]
    hidden = state["hidden"]
    size = 0
    for copies in (hidden["hands"][seat], hidden["hands2"][seat], hidden["hands3"][seat]):
        rest = copies
        while rest != 0:
            cards[size] = lowest(rest)
            size += 1
            rest &= rest - 1
    for _ in range(hidden["jokers"][seat]):
        cards[size] = JOKER
        size += 1
    hidden["hands"][seat] = 0
    hidden["hands2"][seat] = 0
    hidden["hands3"][seat] = 0
    hidden["jokers"][seat] = 0
    view["known"][seat] = 0
    view["known2"][seat] = 0
    view["known3"][seat] = 0
    view["known_jokers"][seat] = 0
    view["hand_sizes"][seat] = 0


@inner
def _onto_pile_three(view, card):
    if card == JOKER:
        view["pile_jokers"] += 1
    else:
        view["pile_cards3"] |= view["pile_cards2"] & bit(card)
        view["pile_cards2"] |= view["pile_cards"] & bit(card)
        view["pile_cards"] |= bit(card)


@inner
def _off_pile_three(view, card):
    if card == JOKER:
        view["pile_jokers"] -= 1
    else:
        face = bit(card)
        view["pile_cards"] &= ~(face & ~view["pile_cards2"])
        view["pile_cards2"] &= ~(face & ~view["pile_cards3"])
        view["pile_cards3"] &= ~face


@inner
def _show_hand_three(state, view, seat):
    hidden = state["hidden"]
    view["hand"] = hidden["hands"][seat]
    view["hand2"] = hidden["hands2"][seat]
    view["hand3"] = hidden["hands3"][seat]
    view["hand_jokers"] = hidden["jokers"][seat]


@inner
def _clear_cards_three(state):
    view = state["view"]
    hidden = state["hidden"]
    view["pile_cards2"] = 0
    view["pile_cards3"] = 0
    view["pile_jokers"] = 0
    for seat in range(len(view["known"])):
        view["known2"][seat] = 0
        view["known3"][seat] = 0
        view["known_jokers"][seat] = 0
        hidden["hands"][seat] = 0
        hidden["hands2"][seat] = 0
        hidden["hands3"][seat] = 0
        hidden["jokers"][seat] = 0


# --- hands that are shown ------------------------------------------------------------------------------------


@inner
def _reveal_one(state, seat):
    state["view"]["known"][seat] = state["hidden"]["hands"][seat]


@inner
def _reveal_three(state, seat):
    view = state["view"]
    hidden = state["hidden"]
    view["known"][seat] = hidden["hands"][seat]
    view["known2"][seat] = hidden["hands2"][seat]
    view["known3"][seat] = hidden["hands3"][seat]
    view["known_jokers"][seat] = hidden["jokers"][seat]


# --- for all -------------------------------------------------------------------------------------------------


@inner
def points_of(rules, cards):
    """Points of a set of natural cards left in a hand."""
    points = np.int64(0)
    for k in range(NUM_VALUE_BITS):
        points += np.int64(popcount(cards & rules["value_bits"][k])) << k
    return points


def _by_decks(parameters, record, one, two, three):
    return by_ruleset(parameters, record, straight=one, gin=one, rami=two, indian=three)


def _at_table(parameters, record, one, two):
    """For table games alone."""
    return by_ruleset(parameters, record, straight=one, rami=two)


def _in_hand(parameters, record, one, three):
    """For hand games alone."""
    return by_ruleset(parameters, record, gin=one, indian=three)


deal_card = _by_decks("state, seat, card", "state", _deal_one, _deal_two, _deal_three)
"""Put a card into the hand of a seat, at the deal."""
hold = _by_decks("state, card", "state", _hold_one, _hold_two, _hold_three)
"""Put a card into the hand of the seat to play."""
let_go = _by_decks("state, card", "state", _let_go_one, _let_go_two, _let_go_three)
"""Take a card out of the hand of the seat to play; everybody sees it."""
know = _by_decks("view, seat, card", "view", _know_one, _know_two, _know_three)
"""Everybody has seen the card go into that hand."""
onto_pile = _by_decks("view, card", "view", _onto_pile_one, _onto_pile_two, _onto_pile_three)
off_pile = _by_decks("view, card", "view", _off_pile_one, _off_pile_two, _off_pile_three)
return_pile = _at_table("view, top", "view", _return_pile_one, _return_pile_two)
"""All cards of the pile but its top go back to the stock."""
_not_returned = by_ruleset("view, cards", "view", straight=_not_returned_table, gin=_not_returned_hand)
"""Cards have been seen, which the last refill may have given back to the stock. One deck."""
show_hand = _by_decks("state, view, seat", "view", _show_hand_one, _show_hand_two, _show_hand_three)
"""Write the hand of a seat into a view."""
points_in_hand = _at_table("rules, state, seat", "state", _points_in_hand_one, _points_in_hand_two)
clear_cards = _by_decks("state", "state", _clear_cards_one, _clear_cards_two, _clear_cards_three)
"""Nobody holds or knows a card of the round before."""
begin_turn = by_ruleset(
    "view", "view", straight=_begin_turn_one, rami=_begin_turn_two, indian=_begin_turn_hand, gin=_begin_turn_hand
)
"""Forget what was done in the turn before."""
note_taken = _by_decks("view", "view", _note_taken_one, _note_taken_two, _note_taken_one)
"""The seat to play has taken the top of the pile."""
reveal = _in_hand("state, seat", "state", _reveal_one, _reveal_three)
"""Everybody sees the whole hand of a seat."""
