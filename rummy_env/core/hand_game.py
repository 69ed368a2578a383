"""Hand games: melds stay in the hand until the end. What gin and indian rummy share.

A turn: draw or take one card, then discard one; the stock is never refilled. How a round begins and ends is `gin`'s or
`indian`'s. Rules: RULES.md. Functions change one table's record in place, as in `rounds`.
"""

from __future__ import annotations

from rummy_env.core import rounds
from rummy_env.core.bits import bit
from rummy_env.core.hands import clear_cards, let_go, reveal, show_hand
from rummy_env.core.kernel import inner
from rummy_env.core.rounds import draw_from_stock, leave_top, put_on_pile
from rummy_env.core.state import NO_CARD, NOBODY


@inner
def clear_round(state):
    """Forget the last round; the match (totals, round) stays."""
    clear_cards(state)
    rounds.clear_round(state["view"])
    view = state["view"]
    view["closer"] = NOBODY
    for seat in range(len(view["deadwood"])):
        view["deadwood"][seat] = 0


@inner
def turn_to(state, seat):
    """It is a seat's turn to choose."""
    view = state["view"]
    view["to_play"] = seat
    view["seat"] = seat
    show_hand(state, view, seat)


@inner
def draw_card(state):
    leave_top(state["view"])
    draw_from_stock(state)


@inner
def put_away(state, card):
    """Put a card of the hand of the seat to play on the pile."""
    view = state["view"]
    let_go(state, card)
    put_on_pile(view, card)
    view["discarded"][view["to_play"]] |= bit(card)
    view["taken"] = NO_CARD


@inner
def show_hands(rules, state):
    """The seat to play has knocked or declared: all hands are shown."""
    view = state["view"]
    view["closer"] = view["to_play"]
    for seat in range(rules["num_players"]):
        reveal(state, seat)


@inner
def refresh_fits(rules, view):
    """No meld lies on the table that a card could be laid off onto."""
