"""Table games: melds lie on the table. How a round goes, from the deal to the score.

A turn: draw or take one card; meld and lay off at will; discard one card. The round ends at once when a hand is
empty. What a seat may put down in between is `straight`'s or `rami`'s. Rules: RULES.md.

Every function changes one table's record in place. The view in it is that of the seat to play; its legal actions are
worked out by whoever calls, when all is done (`machine.refresh_legal`). Nothing here checks that a move is legal:
callers do, before.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS
from rummy_env.core.bits import bit, get, lowest, popcount
from rummy_env.core.hands import (
    begin_turn,
    clear_cards,
    deal_card,
    hold,
    know,
    let_go,
    note_taken,
    off_pile,
    onto_pile,
    points_in_hand,
    return_pile,
    show_hand,
)
from rummy_env.core.kernel import inner
from rummy_env.core.random import advance, below
from rummy_env.core.state import DRAW, LAID_OFF, MELDED, NO_CARD, NOBODY, OVER, PLAY

ONTO_SET: Final = 0
ONTO_LOW: Final = 1
ONTO_HIGH: Final = 2
"""Where a card is laid off: onto a set, onto the low or the high end of a run."""

# --- the deal ------------------------------------------------------------------------------------------------


@inner
def shuffle(rng, cards, size):
    """Shuffle ``cards[:size]`` in place (Fisher-Yates); returns the generator's new state."""
    for i in range(size - 1, 0, -1):
        rng = advance(rng)
        j = below(rng, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return rng


@inner
def clear_round(state):
    """Forget the last round; the match (totals, round) stays."""
    view = state["view"]
    clear_cards(state)
    view["table"] = 0
    view["fits_set"] = 0
    view["fits_low"] = 0
    view["fits_high"] = 0
    view["pile_cards"] = 0
    view["returned"] = 0
    view["taken"] = NO_CARD
    view["down_now"] = 0
    view["turn"] = 0
    view["reshuffles"] = 0
    view["num_melds"] = 0
    view["winner"] = NOBODY
    view["doubled"] = 0
    view["blocked"] = 0
    view["void"] = 0
    view["truncated"] = 0
    for seat in range(len(view["known"])):
        view["known"][seat] = 0
        view["discarded"][seat] = 0
        view["refused"][seat] = 0
        view["hand_sizes"][seat] = 0
        view["put_down"][seat] = 0
        view["drawn"][seat] = 0
        view["scores"][seat] = 0
    for k in range(len(view["pile"])):
        view["pile"][k] = 0
    for k in range(len(view["meld_kind"])):
        view["meld_kind"][k] = 0
        view["meld_key"][k] = 0
        view["meld_low"][k] = 0
        view["meld_size"][k] = 0
        view["meld_suits"][k] = 0
        view["meld_jokers"][k] = 0
        view["meld_by"][k] = 0


@inner
def fill_stock(rules, stock):
    """Write the whole deck into the stock; returns its size."""
    size = 0
    for _ in range(rules["num_decks"]):
        for suit in range(rules["num_suits"]):
            for rank in range(rules["num_ranks"]):
                stock[size] = suit * NUM_RANKS + rank
                size += 1
    for _ in range(rules["num_jokers"]):
        stock[size] = JOKER
        size += 1
    return size


@inner
def deal(rules, state, dealer):
    """Start a round: shuffle, deal one card at a time from the player after the dealer on, turn one card up."""
    view = state["view"]
    hidden = state["hidden"]
    clear_round(state)
    num_players = rules["num_players"]
    stock = hidden["stock"]
    size = fill_stock(rules, stock)
    hidden["rng"] = shuffle(hidden["rng"], stock, size)
    for k in range(rules["hand_size"] * num_players):
        size -= 1
        deal_card(state, (dealer + 1 + k) % num_players, np.int64(stock[size]))
        stock[size] = 0
    for seat in range(num_players):
        view["hand_sizes"][seat] = rules["hand_size"]
    size -= 1
    view["pile"][0] = stock[size]
    onto_pile(view, np.int64(stock[size]))
    view["pile_size"] = 1
    stock[size] = 0
    view["stock_size"] = size
    view["dealer"] = dealer
    view["to_play"] = (dealer + 1) % num_players
    start_turn(rules, state)


@inner
def start_match(rules, state, first_dealer):
    """Start a match: totals at zero; the first dealer is ``first_dealer`` or, where that is -1, drawn."""
    view = state["view"]
    hidden = state["hidden"]
    view["round"] = 0
    for seat in range(len(view["totals"])):
        view["totals"][seat] = 0
    dealer = first_dealer
    if dealer < 0:
        hidden["rng"] = advance(hidden["rng"])
        dealer = below(hidden["rng"], rules["num_players"])
    deal(rules, state, dealer)


@inner
def deal_on(rules, state):
    """Start the next round of a match: the deal moves one seat."""
    view = state["view"]
    dealer = view["dealer"]
    if view["void"] == 0 or rules["void_moves_deal"] != 0:
        dealer = (dealer + 1) % rules["num_players"]
    deal(rules, state, dealer)


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
    hidden = state["hidden"]
    seat = view["to_play"]
    if view["pile_size"] > 0:
        view["refused"][seat] |= bit(view["pile"][view["pile_size"] - 1])
    if view["stock_size"] == 0:
        refill(state)
    size = view["stock_size"] - 1
    card = np.int64(hidden["stock"][size])
    hidden["stock"][size] = 0
    view["stock_size"] = size
    view["drawn"][seat] += 1
    hold(state, card)
    view["phase"] = PLAY


@inner
def take_card(state):
    view = state["view"]
    size = view["pile_size"] - 1
    card = np.int64(view["pile"][size])
    view["pile"][size] = 0
    view["pile_size"] = size
    off_pile(view, card)
    know(view, view["to_play"], card)
    view["taken"] = card
    note_taken(view)
    hold(state, card)
    view["phase"] = PLAY


@inner
def give_back(state):
    """Put the taken card back on the pile; the seat to play has to draw."""
    view = state["view"]
    card = np.int64(view["taken"])
    let_go(state, card)
    put_on_pile(view, card)
    begin_turn(view)
    view["taken"] = NO_CARD
    view["untaken"] = 1
    view["phase"] = DRAW


@inner
def put_on_pile(view, card):
    view["pile"][view["pile_size"]] = card
    view["pile_size"] += 1
    onto_pile(view, card)


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
    view["down_now"] = 0
    view["taken"] = NO_CARD
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


# --- actions -------------------------------------------------------------------------------------------------


@inner
def is_legal(view, action):
    """Whether an action id, any whole number, is legal for the view's seat."""
    return 0 <= action < 64 * len(view["legal"]) and get(view["legal"], action)


@inner
def random_legal(view, number):
    """A legal action, each with the same chance, from the random number ``number``."""
    legal = view["legal"]
    count = 0
    for word in range(len(legal)):
        count += np.int64(popcount(legal[word]))
    chosen = below(number, count)
    for word in range(len(legal)):
        bits = legal[word]
        here = np.int64(popcount(bits))
        if chosen < here:
            for _ in range(chosen):
                bits &= bits - np.uint64(1)
            return word * 64 + np.int64(lowest(bits))
        chosen -= here
    return -1


@inner
def no_action(view):
    """Nothing is legal (yet)."""
    for word in range(len(view["legal"])):
        view["legal"][word] = 0


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
    _finish(view, winner, score)


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
    _finish(view, winner, total - rules["num_players"] * least)


@inner
def _finish(view, winner, score):
    view["phase"] = OVER
    view["winner"] = winner
    view["scores"][winner] = score
    view["totals"][winner] += score
    view["round"] += 1


@inner
def finish_void(view, truncated):
    """Nobody wins. ``truncated``: 1 where only the limit on turns ended the round."""
    view["phase"] = OVER
    view["void"] = 1
    view["truncated"] = truncated
    view["round"] += 1


@inner
def forfeit(state):
    """End the round because the seat to play chose an illegal action: a void round that names no winner."""
    finish_void(state["view"], 0)
    no_action(state["view"])


@inner
def match_over(rules, view):
    """Whether the match has ended after this round: someone reached the target, or one scored round was enough."""
    if rules["target"] == 0:
        return view["void"] == 0
    for seat in range(rules["num_players"]):
        if view["totals"][seat] >= rules["target"]:
            return True
    return False
