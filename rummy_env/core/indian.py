"""Indian rummy on the machine for hand games: the cut card, packing, declaring, and what is legal."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.actions import INDIAN_ACTIONS, first_ids
from rummy_env.cards import JOKER
from rummy_env.core.bits import bit, put
from rummy_env.core.declaration import declaring_discards, least_points, wild_cards
from rummy_env.core.hand_game import clear_round, draw_card, put_away, turn_to
from rummy_env.core.hands import give_up_hand, reveal
from rummy_env.core.kernel import inner
from rummy_env.core.rounds import (
    deal_cards,
    finish,
    finish_void,
    no_action,
    pay,
    shuffle,
    shuffle_deck,
    take_card,
)
from rummy_env.core.state import DRAW, NO_CARD, NOBODY, PACKED_FIRST, PACKED_LATER, PLAY

_IDS: Final = first_ids(INDIAN_ACTIONS)
DRAW_ID: Final = _IDS["draw"]
TAKE_ID: Final = _IDS["take"]
PACK_ID: Final = _IDS["pack"]
DISCARD_ID: Final = _IDS["discard"]
DECLARE_ID: Final = _IDS["declare"]
"""The ids of jokers follow those of the cards, as jokers are numbered."""


@inner
def cut_card(view, card):
    """A card was cut: its rank is wild, of a joker none."""
    view["cut"] = card
    view["wild"] = wild_cards(card)


@inner
def deal(rules, state, dealer):
    """Start a round: cut a card, deal."""
    view = state["view"]
    stock = state["hidden"]["stock"]
    clear_round(state)
    for seat in range(len(view["packed"])):
        view["packed"][seat] = 0
        view["turns"][seat] = 0
    size = shuffle_deck(rules, state) - 1
    cut_card(view, np.int64(stock[size]))
    stock[size] = 0
    deal_cards(rules, state, dealer, size)
    start_turn(rules, state)


@inner
def start_turn(rules, state):
    """Begin the turn of ``to_play``; end a round that cannot go on."""
    view = state["view"]
    view["phase"] = DRAW
    turn_to(state, view["to_play"])
    left = last_in(rules, view)
    if left != NOBODY:
        win(rules, state, left)
    elif view["turn"] >= rules["max_turns"]:
        finish_void(view, 1)
    elif view["stock_size"] == 0 and view["pile_size"] == 0:
        finish_void(view, 0)


@inner
def last_in(rules, view):
    """The only seat that has not packed, or NOBODY where there are more."""
    last = NOBODY
    for seat in range(rules["num_players"]):
        if view["packed"][seat] == 0:
            if last != NOBODY:
                return NOBODY
            last = seat
    return last


@inner
def play(rules, state, action):
    """Play a legal action."""
    view = state["view"]
    if action == DRAW_ID:
        draw_card(state)
    elif action == TAKE_ID:
        take_card(state)
    elif action == PACK_ID:
        pack(rules, state)
    elif action >= DECLARE_ID:
        declare(rules, state, action - DECLARE_ID)
    else:
        put_away(state, action - DISCARD_ID)
        end_turn(rules, state)
    refresh_legal(rules, view)


@inner
def end_turn(rules, state):
    """The turn of the seat to play is over. The round is, too, where the stock is used up; else it is the turn of the
    next who has not packed."""
    view = state["view"]
    seat = view["to_play"]
    view["turns"][seat] += 1
    view["turn"] += 1
    if view["stock_size"] == 0 and last_in(rules, view) == NOBODY:
        finish_void(view, 0)
        return
    for _ in range(rules["num_players"]):
        seat += 1
        if seat == rules["num_players"]:
            seat = 0
        if view["packed"][seat] == 0:
            break
    view["to_play"] = seat
    start_turn(rules, state)


@inner
def pack(rules, state):
    """Drop out. In the first turn the hand goes under the stock, shuffled; later it is set aside."""
    view = state["view"]
    seat = view["to_play"]
    if view["turns"][seat] == 0:
        view["packed"][seat] = PACKED_FIRST
        _under_the_stock(state, seat)
    else:
        view["packed"][seat] = PACKED_LATER
    end_turn(rules, state)


@inner
def _under_the_stock(state, seat):
    view = state["view"]
    hidden = state["hidden"]
    stock = hidden["stock"]
    size = view["hand_sizes"][seat]
    for k in range(view["stock_size"] - 1, -1, -1):
        stock[k + size] = stock[k]
    give_up_hand(state, seat, stock)
    hidden["rng"] = shuffle(hidden["rng"], stock, size)
    view["stock_size"] += size


@inner
def declare(rules, state, card):
    """Discard, show all hands that were not packed, and settle."""
    view = state["view"]
    put_away(state, card)
    view["closer"] = view["to_play"]
    for seat in range(rules["num_players"]):
        if view["packed"][seat] == 0:
            reveal(state, seat)
    win(rules, state, view["to_play"])


@inner
def win(rules, state, winner):
    """Everybody pays the winner."""
    view = state["view"]
    for seat in range(rules["num_players"]):
        if seat != winner:
            points = what_it_costs(rules, state, seat)
            pay(view, seat, -points)
            pay(view, winner, points)
    finish(view, winner)


@inner
def what_it_costs(rules, state, seat):
    """What a seat pays to the winner."""
    view = state["view"]
    if view["packed"][seat] == PACKED_FIRST:
        return np.int64(rules["pack_first"])
    if view["packed"][seat] == PACKED_LATER:
        return np.int64(rules["pack_later"])
    hidden = state["hidden"]
    points = least_points(
        rules,
        np.int64(hidden["hands"][seat]),
        np.int64(hidden["hands2"][seat]),
        np.int64(hidden["hands3"][seat]),
        np.int64(hidden["jokers"][seat]),
        np.int64(view["cut"]),
    )
    view["deadwood"][seat] = points
    return points if rules["points_cap"] == 0 else min(points, np.int64(rules["points_cap"]))


@inner
def may_discard(rules, view):
    """The cards of the hand that may be discarded, bit `JOKER` for a joker: all, or where a rule says so, not the one
    taken in this turn, unless there is no other."""
    cards = np.int64(view["hand"])
    if view["hand_jokers"] > 0:
        cards |= bit(JOKER)
    if view["taken"] == NO_CARD or rules["discard_taken"] != 0:
        return cards
    others = cards & ~bit(view["taken"])
    return others if others != 0 else cards


@inner
def refresh_legal(rules, view):
    """Work out anew the legal actions of the seat to play."""
    legal = view["legal"]
    if view["phase"] == PLAY:
        no_action(view)
        allowed = may_discard(rules, view)
        put(legal, DISCARD_ID, allowed)
        declaring = declaring_discards(
            rules,
            np.int64(view["hand"]),
            np.int64(view["hand2"]),
            np.int64(view["hand3"]),
            np.int64(view["hand_jokers"]),
            np.int64(view["cut"]),
        )
        put(legal, DECLARE_ID, declaring & allowed)
    else:
        refresh_draws(rules, view)


@inner
def refresh_draws(rules, view):
    """The same where no card was drawn yet."""
    legal = view["legal"]
    no_action(view)
    if view["phase"] == DRAW:
        legal[0] |= np.uint64(1 << PACK_ID)
        if view["stock_size"] > 0:
            legal[0] |= np.uint64(1 << DRAW_ID)
        if view["pile_size"] > 0:
            legal[0] |= np.uint64(1 << TAKE_ID)
