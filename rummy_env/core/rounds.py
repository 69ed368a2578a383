"""What a round of any game has: the deal, drawing and taking, the pile, what is legal, the end.

Every function changes one table's record in place. The view in it is that of the seat to play; its legal actions are
worked out by whoever calls, when all is done (`machine.refresh_legal`). Nothing here checks that a move is legal:
callers do, before.
"""

from __future__ import annotations

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS
from rummy_env.core.bits import bit, get, lowest, popcount
from rummy_env.core.hands import deal_card, hold, know, note_taken, off_pile, onto_pile
from rummy_env.core.kernel import inner
from rummy_env.core.random import advance, below
from rummy_env.core.state import NO_CARD, NOBODY, OVER, PLAY

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
def clear_round(view):
    """Forget the last round, as far as all games have its fields; the match (totals, round) stays."""
    view["pile_cards"] = 0
    view["taken"] = NO_CARD
    view["turn"] = 0
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
        view["scores"][seat] = 0
    for k in range(len(view["pile"])):
        view["pile"][k] = 0


@inner
def shuffle_deck(rules, state):
    """Shuffle the whole deck into the stock; returns its size."""
    stock = state["hidden"]["stock"]
    size = 0
    for _ in range(rules["num_decks"]):
        for suit in range(rules["num_suits"]):
            for rank in range(rules["num_ranks"]):
                stock[size] = suit * NUM_RANKS + rank
                size += 1
    for _ in range(rules["num_jokers"]):
        stock[size] = JOKER
        size += 1
    state["hidden"]["rng"] = shuffle(state["hidden"]["rng"], stock, size)
    return size


@inner
def deal_cards(rules, state, dealer, size):
    """Deal from a stock of ``size`` cards, one at a time from the player after the dealer on, and turn one card up.
    That player begins."""
    view = state["view"]
    stock = state["hidden"]["stock"]
    num_players = rules["num_players"]
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


# --- a turn --------------------------------------------------------------------------------------------------


@inner
def leave_top(view):
    """The seat to play leaves the top of the pile to the others."""
    if view["pile_size"] > 0:
        view["refused"][view["to_play"]] |= bit(view["pile"][view["pile_size"] - 1])


@inner
def draw_from_stock(state):
    view = state["view"]
    hidden = state["hidden"]
    size = view["stock_size"] - 1
    card = np.int64(hidden["stock"][size])
    hidden["stock"][size] = 0
    view["stock_size"] = size
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
def put_on_pile(view, card):
    view["pile"][view["pile_size"]] = card
    view["pile_size"] += 1
    onto_pile(view, card)


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


@inner
def may_discard(rules, view):
    """Natural cards of the hand that may be discarded: not the one taken in this turn, unless it is the last."""
    hand = view["hand"]
    taken = view["taken"]
    if taken == NO_CARD or rules["discard_taken"] != 0:
        return hand
    others = hand & ~bit(taken)
    return others if others != 0 else hand


# --- the end of a round --------------------------------------------------------------------------------------


@inner
def pay(view, seat, points):
    """Add points to what a seat has from this round, and to its total."""
    view["scores"][seat] += points
    view["totals"][seat] += points


@inner
def finish(view, winner):
    """The round is over; ``winner`` may be NOBODY."""
    view["phase"] = OVER
    view["winner"] = winner
    view["round"] += 1


@inner
def finish_void(view, truncated):
    """Nobody wins. ``truncated``: 1 where only the limit on turns ended the round."""
    view["void"] = 1
    view["truncated"] = truncated
    finish(view, NOBODY)


@inner
def forfeit(state):
    """End the round because the seat to play chose an illegal action: a void round that names no winner."""
    finish_void(state["view"], 0)
    no_action(state["view"])


@inner
def match_over(rules, view):
    """Whether the match has ended after this round: its rounds are played, someone reached the target, or one scored
    round was enough."""
    if rules["rounds"] > 0:
        return view["round"] >= rules["rounds"]
    if rules["target"] == 0:
        return view["void"] == 0
    for seat in range(rules["num_players"]):
        if view["totals"][seat] >= rules["target"]:
            return True
    return False
