"""Table games: melds lie on the table. How a round goes, from the deal to the score.

A turn: draw or take one card; meld and lay off at will; discard one card. The round ends at once when a hand is
empty. What a seat may put down in between is `straight`'s or `rami`'s. Rules: RULES.md.

Every function changes one table's record in place, as in `rounds`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.core import rounds
from rummy_env.core.bits import bit
from rummy_env.core.hands import begin_turn, clear_cards, let_go, points_in_hand, return_pile, show_hand
from rummy_env.core.kernel import inner
from rummy_env.core.rounds import (
    deal_cards,
    draw_from_stock,
    finish,
    finish_void,
    leave_top,
    pay,
    put_on_pile,
    shuffle,
    shuffle_deck,
)
from rummy_env.core.state import DRAW, LAID_OFF, MELDED

ONTO_SET: Final = 0
ONTO_LOW: Final = 1
ONTO_HIGH: Final = 2
"""Where a card is laid off: onto a set, onto the low or the high end of a run."""

# --- the deal ------------------------------------------------------------------------------------------------


@inner
def clear_round(state):
    """Forget the last round; the match (totals, round) stays."""
    view = state["view"]
    clear_cards(state)
    rounds.clear_round(view)
    view["table"] = 0
    view["fits_set"] = 0
    view["fits_low"] = 0
    view["fits_high"] = 0
    view["returned"] = 0
    view["down_now"] = 0
    view["reshuffles"] = 0
    view["num_melds"] = 0
    for seat in range(len(view["put_down"])):
        view["put_down"][seat] = 0
        view["drawn"][seat] = 0
    for k in range(len(view["meld_kind"])):
        view["meld_kind"][k] = 0
        view["meld_key"][k] = 0
        view["meld_low"][k] = 0
        view["meld_size"][k] = 0
        view["meld_suits"][k] = 0
        view["meld_jokers"][k] = 0
        view["meld_by"][k] = 0


@inner
def deal(rules, state, dealer):
    """Start a round."""
    clear_round(state)
    deal_cards(rules, state, dealer, shuffle_deck(rules, state))
    start_turn(rules, state)


# --- a turn --------------------------------------------------------------------------------------------------


@inner
def can_refill(rules, view):
    """Whether the pile, except its top card, may be shuffled into the stock."""
    return view["pile_size"] > 1 and (rules["max_refills"] < 0 or view["reshuffles"] < rules["max_refills"])


@inner
def can_draw(rules, view):
    """Whether there is a card to draw, or there will be after a refill."""
    return view["stock_size"] > 0 or (rules["refill_on_draw"] != 0 and can_refill(rules, view))


@inner
def refill(state):
    """Shuffle the pile except its top card into the empty stock."""
    view = state["view"]
    hidden = state["hidden"]
    size = view["pile_size"] - 1
    top = np.int64(view["pile"][size])
    for k in range(size):
        hidden["stock"][k] = view["pile"][k]
    for k in range(size + 1):
        view["pile"][k] = 0
    view["pile"][0] = top
    view["pile_size"] = 1
    return_pile(view, top)
    hidden["rng"] = shuffle(hidden["rng"], hidden["stock"], size)
    view["stock_size"] = size
    view["reshuffles"] += 1
    for seat in range(len(view["drawn"])):
        view["drawn"][seat] = 0


@inner
def start_turn(rules, state):
    """Begin the turn of ``to_play``: refill the stock where the rules say so, end a round that cannot go on."""
    view = state["view"]
    view["phase"] = DRAW
    view["seat"] = view["to_play"]
    show_hand(state, view, view["to_play"])
    if view["turn"] >= rules["max_turns"]:
        finish_void(view, 1)
    elif view["stock_size"] == 0:
        if rules["refill_on_draw"] == 0 and can_refill(rules, view):
            refill(state)
        elif rules["blocks"] != 0:
            finish_blocked(rules, state)
        elif view["pile_size"] == 0 or rules["must_draw"] != 0:
            finish_void(view, 0)


@inner
def draw_card(state):
    view = state["view"]
    leave_top(view)
    if view["stock_size"] == 0:
        refill(state)
    view["drawn"][view["to_play"]] += 1
    draw_from_stock(state)


@inner
def give_back(state):
    """Put the taken card back on the pile; the seat to play has to draw."""
    view = state["view"]
    card = np.int64(view["taken"])
    times = view["untaken"] + 1
    let_go(state, card)
    put_on_pile(view, card)
    begin_turn(view)
    view["untaken"] = times
    view["phase"] = DRAW


@inner
def discard_card(rules, state, card):
    """Discard and end the turn."""
    view = state["view"]
    seat = view["to_play"]
    let_go(state, card)
    put_on_pile(view, card)
    view["discarded"][seat] |= bit(card)
    if view["hand_sizes"][seat] == 0:
        finish_won(rules, state, True)
        return
    spoils = MELDED | LAID_OFF if rules["layoff_spoils_rummy"] != 0 else MELDED
    if view["down_now"] & spoils:
        view["put_down"][seat] = 1
    begin_turn(view)
    view["turn"] += 1
    view["to_play"] = (seat + 1) % rules["num_players"]
    start_turn(rules, state)


@inner
def go_out_if_empty(rules, state):
    """The round ends the moment that a meld or a lay-off empties the hand."""
    view = state["view"]
    if view["hand_sizes"][view["to_play"]] == 0:
        finish_won(rules, state, False)


# --- the end of a round --------------------------------------------------------------------------------------


@inner
def finish_won(rules, state, by_discard):
    """The seat to play has an empty hand: it wins the points of all other hands."""
    view = state["view"]
    winner = view["to_play"]
    rummy = view["put_down"][winner] == 0
    if by_discard and rules["rummy_with_discard"] == 0:
        rummy = False
    if view["down_now"] & MELDED == 0 and rules["rummy_by_layoffs"] == 0:
        rummy = False
    score = np.int64(0)
    for seat in range(rules["num_players"]):
        score += points_in_hand(rules, state, seat)
    if rummy:
        score *= rules["rummy_factor"]
    view["doubled"] = rummy and rules["rummy_factor"] > 1
    pay(view, winner, score)
    finish(view, winner)


@inner
def finish_blocked(rules, state):
    """Nobody can go on: the hand with the fewest points, the lowest seat of equals, wins what the others have more."""
    view = state["view"]
    winner = 0
    least = points_in_hand(rules, state, 0)
    total = least
    for seat in range(1, rules["num_players"]):
        points = points_in_hand(rules, state, seat)
        total += points
        if points < least:
            winner = seat
            least = points
    view["blocked"] = 1
    pay(view, winner, total - rules["num_players"] * least)
    finish(view, winner)
