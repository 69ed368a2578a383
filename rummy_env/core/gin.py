"""Gin on the machine for hand games: the upcard, knocking, and what is legal."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.actions import GIN_ACTIONS, first_ids
from rummy_env.core.bits import put
from rummy_env.core.deadwood import SHOWDOWN_DTYPE, knocking_discards, settle_knock
from rummy_env.core.hand_game import clear_round, draw_card, put_away, show_hands, turn_to
from rummy_env.core.kernel import inner, scratch
from rummy_env.core.rounds import (
    deal_cards,
    finish,
    finish_void,
    leave_top,
    may_discard,
    no_action,
    pay,
    shuffle_deck,
    take_card,
)
from rummy_env.core.state import DRAW, PLAY, UPCARD

_IDS: Final = first_ids(GIN_ACTIONS)
DRAW_ID: Final = _IDS["draw"]
TAKE_ID: Final = _IDS["take"]
PASS_ID: Final = _IDS["pass"]
DISCARD_ID: Final = _IDS["discard"]
KNOCK_ID: Final = _IDS["knock"]

ALL_PASSED: Final = 2
"""How many refuse the upcard before the first player draws."""


@inner
def deal(rules, state, dealer):
    """Start a round: the first player may take the upcard or pass."""
    view = state["view"]
    clear_round(state)
    deal_cards(rules, state, dealer, shuffle_deck(rules, state))
    view["passes"] = 0
    view["phase"] = UPCARD
    turn_to(state, view["to_play"])


@inner
def start_turn(rules, state):
    """Begin the turn of ``to_play``; end a round that cannot go on."""
    view = state["view"]
    view["phase"] = DRAW
    turn_to(state, view["to_play"])
    if view["turn"] >= rules["max_turns"]:
        finish_void(view, 1)
    elif view["stock_size"] == 0 and (view["pile_size"] == 0 or view["passes"] == ALL_PASSED):
        finish_void(view, 0)


@inner
def play(rules, state, action):
    """Play a legal action."""
    view = state["view"]
    if action == DRAW_ID:
        draw_card(state)
        view["passes"] = 0
    elif action == TAKE_ID:
        take_card(state)
        view["passes"] = 0
    elif action == PASS_ID:
        pass_upcard(rules, state)
    elif action >= KNOCK_ID:
        knock(rules, state, action - KNOCK_ID)
    else:
        discard(rules, state, action - DISCARD_ID)
    refresh_legal(rules, view)


@inner
def pass_upcard(rules, state):
    """Refuse the first upcard; when both have, the first player draws from the stock."""
    view = state["view"]
    leave_top(view)
    view["passes"] += 1
    turn_to(state, (view["to_play"] + 1) % rules["num_players"])
    if view["passes"] == ALL_PASSED:
        start_turn(rules, state)


@inner
def discard(rules, state, card):
    """Discard and end the turn, and where the stock is used up, the round."""
    view = state["view"]
    put_away(state, card)
    view["turn"] += 1
    if view["stock_size"] <= rules["void_stock"]:
        finish_void(view, 0)
        return
    view["to_play"] = (view["to_play"] + 1) % rules["num_players"]
    start_turn(rules, state)


@inner
def knock(rules, state, card):
    """Discard, show both hands and settle."""
    view = state["view"]
    hands = state["hidden"]["hands"]
    knocker = view["to_play"]
    defender = (knocker + 1) % rules["num_players"]
    put_away(state, card)
    show_hands(rules, state)
    shown = scratch(SHOWDOWN_DTYPE)
    settle_knock(rules, hands[knocker], hands[defender], shown)
    view["deadwood"][knocker] = shown["knocker"]["points"]
    view["deadwood"][defender] = shown["defender"]["points"]
    more = view["deadwood"][defender] - view["deadwood"][knocker]
    if view["deadwood"][knocker] == 0:
        pay(view, knocker, more + rules["gin_bonus"])
        finish(view, knocker)
    elif more > 0:
        pay(view, knocker, more)
        finish(view, knocker)
    else:
        pay(view, defender, rules["undercut_bonus"] - more)
        finish(view, defender)


@inner
def refresh_legal(rules, view):
    """Work out anew the legal actions of the seat to play."""
    if view["phase"] != PLAY:
        refresh_draws(rules, view)
        return
    legal = view["legal"]
    no_action(view)
    allowed = may_discard(rules, view)
    put(legal, DISCARD_ID, allowed)
    put(legal, KNOCK_ID, knocking_discards(rules, view["hand"], np.int64(rules["knock_limit"])) & allowed)


@inner
def refresh_draws(rules, view):
    """The same where no card was drawn yet."""
    legal = view["legal"]
    phase = view["phase"]
    no_action(view)
    if phase == UPCARD:
        legal[0] |= np.uint64(1 << PASS_ID)
    if phase == DRAW and view["stock_size"] > 0:
        legal[0] |= np.uint64(1 << DRAW_ID)
    if (phase == DRAW or phase == UPCARD) and view["pile_size"] > 0 and view["passes"] < ALL_PASSED:
        legal[0] |= np.uint64(1 << TAKE_ID)
