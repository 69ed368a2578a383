"""Table games: melds lie on the table. How a round goes, from the deal to the score.

A turn: draw or take one card; meld and lay off at will; discard one card. The round ends at once when a hand is
empty. Rules: RULES.md, "straight".

Every function changes one table's record in place and leaves its view that of the seat to play, with that
seat's legal actions. Nothing here checks legality except through ``view["legal"]``: callers do, before.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.actions import RUN_STARTS, TABLE_GAME_ACTIONS, first_ids
from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import bit, get, lowest, popcount, put
from rummy_env.core.kernel import inner
from rummy_env.core.melds import run_indices, run_mask, runs_of_3, set_mask, sets_of_3
from rummy_env.core.random import advance, below
from rummy_env.core.state import (
    DRAW,
    LAID_OFF,
    LEGAL_WORDS,
    MELDED,
    NO_CARD,
    NOBODY,
    OVER,
    PLAY,
    RUN,
    SET,
)
from rummy_env.rules import NUM_VALUE_BITS

_IDS: Final = first_ids(TABLE_GAME_ACTIONS)
DRAW_ID: Final = _IDS["draw"]
TAKE_ID: Final = _IDS["take"]
MELD_SET_ID: Final = _IDS["meld_set"]
MELD_RUN_ID: Final = _IDS["meld_run"]
LAYOFF_SET_ID: Final = _IDS["layoff_set"]
LAYOFF_LOW_ID: Final = _IDS["layoff_low"]
LAYOFF_HIGH_ID: Final = _IDS["layoff_high"]
DISCARD_ID: Final = _IDS["discard"]
NUM_ACTIONS: Final = TABLE_GAME_ACTIONS[-1].stop

ONTO_SET: Final = 0
ONTO_LOW: Final = 1
ONTO_HIGH: Final = 2

ALL_SUITS: Final = (1 << NUM_SUITS) - 1


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
    """Forget the last round; the match (totals, round) stays."""
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
        view["meld_by"][k] = 0


@inner
def deal(rules, state, dealer):
    """Start a round: shuffle, deal one card at a time from the player after the dealer on, turn one card up."""
    view = state["view"]
    hidden = state["hidden"]
    clear_round(view)
    num_players = rules["num_players"]
    stock = hidden["stock"]
    size = 0
    for suit in range(rules["num_suits"]):
        for rank in range(rules["num_ranks"]):
            stock[size] = suit * NUM_RANKS + rank
            size += 1
    hidden["rng"] = shuffle(hidden["rng"], stock, size)
    for seat in range(len(hidden["hands"])):
        hidden["hands"][seat] = 0
    for k in range(rules["hand_size"] * num_players):
        size -= 1
        hidden["hands"][(dealer + 1 + k) % num_players] |= bit(stock[size])
        stock[size] = 0
    for seat in range(num_players):
        view["hand_sizes"][seat] = rules["hand_size"]
    size -= 1
    view["pile"][0] = stock[size]
    view["pile_cards"] = bit(stock[size])
    view["pile_size"] = 1
    stock[size] = 0
    view["stock_size"] = size
    view["dealer"] = dealer
    view["to_play"] = (dealer + 1) % num_players
    start_turn(rules, state)


@inner
def first_deal(rules, state, first_dealer):
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
def next_deal(rules, state):
    """Start the next round of a match: the deal moves one seat."""
    view = state["view"]
    dealer = view["dealer"]
    if view["void"] == 0 or rules["void_moves_deal"] != 0:
        dealer = (dealer + 1) % rules["num_players"]
    deal(rules, state, dealer)


# --- a turn --------------------------------------------------------------------------------------------------


@inner
def refill(state):
    """Shuffle the pile except its top card into the empty stock."""
    view = state["view"]
    hidden = state["hidden"]
    size = view["pile_size"] - 1
    top = view["pile"][size]
    for k in range(size):
        hidden["stock"][k] = view["pile"][k]
    for k in range(size + 1):
        view["pile"][k] = 0
    view["pile"][0] = top
    view["pile_size"] = 1
    view["returned"] = view["pile_cards"] & ~bit(top)
    view["pile_cards"] = bit(top)
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
    view["hand"] = state["hidden"]["hands"][view["to_play"]]
    if view["turn"] >= rules["max_turns"]:
        finish_void(view, 1)
    elif view["stock_size"] == 0:
        if view["pile_size"] == 0:
            finish_void(view, 0)
        elif view["pile_size"] > 1 and rules["refill_on_draw"] == 0:
            refill(state)
    refresh_legal(rules, view)


@inner
def draw_card(rules, state):
    view = state["view"]
    hidden = state["hidden"]
    seat = view["to_play"]
    if view["pile_size"] > 0:
        view["refused"][seat] |= bit(view["pile"][view["pile_size"] - 1])
    if view["stock_size"] == 0:
        refill(state)
    size = view["stock_size"] - 1
    card = hidden["stock"][size]
    hidden["stock"][size] = 0
    view["stock_size"] = size
    view["drawn"][seat] += 1
    _add_to_hand(state, card)
    view["phase"] = PLAY
    refresh_legal(rules, view)


@inner
def take_card(rules, state):
    view = state["view"]
    seat = view["to_play"]
    size = view["pile_size"] - 1
    card = view["pile"][size]
    view["pile"][size] = 0
    view["pile_size"] = size
    view["pile_cards"] &= ~bit(card)
    view["known"][seat] |= bit(card)
    view["taken"] = card
    _add_to_hand(state, card)
    view["phase"] = PLAY
    refresh_legal(rules, view)


@inner
def _add_to_hand(state, card):
    view = state["view"]
    seat = view["to_play"]
    view["hand"] |= bit(card)
    state["hidden"]["hands"][seat] = view["hand"]
    view["hand_sizes"][seat] += 1


@inner
def _put_from_hand(state, cards, count):
    view = state["view"]
    seat = view["to_play"]
    view["hand"] &= ~cards
    state["hidden"]["hands"][seat] = view["hand"]
    view["hand_sizes"][seat] -= count
    view["known"][seat] &= ~cards
    view["returned"] &= ~cards


@inner
def put_meld(rules, state, kind, key, low, size, suits):
    """Lay a meld from the hand on the table (fields of a meld: see `VIEW_DTYPE`)."""
    view = state["view"]
    cards = run_mask(key, low, size) if kind == RUN else set_mask(key, suits)
    _put_from_hand(state, cards, size)
    number = view["num_melds"]
    view["meld_kind"][number] = kind
    view["meld_key"][number] = key
    view["meld_low"][number] = low
    view["meld_size"][number] = size
    view["meld_suits"][number] = suits
    view["meld_by"][number] = view["to_play"]
    view["num_melds"] = number + 1
    view["table"] |= cards
    view["down_now"] |= MELDED
    refresh_fits(rules, view)
    _go_on_or_out(rules, state)


@inner
def put_layoff(rules, state, card, end, number):
    """Lay ``card`` off from the hand onto meld ``number`` at ``end`` (ONTO_SET, ONTO_LOW, ONTO_HIGH)."""
    view = state["view"]
    _put_from_hand(state, bit(card), 1)
    view["meld_size"][number] += 1
    if end == ONTO_SET:
        view["meld_suits"][number] |= 1 << (card // NUM_RANKS)
    elif end == ONTO_LOW:
        view["meld_low"][number] -= 1
    view["table"] |= bit(card)
    view["down_now"] |= LAID_OFF
    refresh_fits(rules, view)
    _go_on_or_out(rules, state)


@inner
def _go_on_or_out(rules, state):
    view = state["view"]
    if view["hand_sizes"][view["to_play"]] == 0:
        finish_won(rules, state, False)
    refresh_legal(rules, view)


@inner
def discard_card(rules, state, card):
    """Discard and end the turn."""
    view = state["view"]
    seat = view["to_play"]
    _put_from_hand(state, bit(card), 1)
    view["pile"][view["pile_size"]] = card
    view["pile_size"] += 1
    view["pile_cards"] |= bit(card)
    view["discarded"][seat] |= bit(card)
    if view["hand_sizes"][seat] == 0:
        finish_won(rules, state, True)
        refresh_legal(rules, view)
        return
    spoils = MELDED | LAID_OFF if rules["layoff_spoils_rummy"] != 0 else MELDED
    if view["down_now"] & spoils:
        view["put_down"][seat] = 1
    view["down_now"] = 0
    view["taken"] = NO_CARD
    view["turn"] += 1
    view["to_play"] = (seat + 1) % rules["num_players"]
    start_turn(rules, state)


@inner
def find_meld(view, card, end):
    """Number of the first meld that ``card`` can be laid off onto at ``end``, or -1."""
    suit = card // NUM_RANKS
    rank = card % NUM_RANKS
    for number in range(view["num_melds"]):
        if fits_meld(view, number, card, suit, rank, end):
            return number
    return -1


@inner
def fits_meld(view, number, card, suit, rank, end):
    """Whether a card can be laid off onto meld ``number`` at ``end``."""
    if end == ONTO_SET:
        return (
            view["meld_kind"][number] == SET
            and view["meld_key"][number] == rank
            and not view["meld_suits"][number] >> suit & 1
        )
    if view["meld_kind"][number] != RUN or view["meld_key"][number] != suit:
        return False
    if end == ONTO_LOW:
        return view["meld_low"][number] == rank + 1
    return view["meld_low"][number] + view["meld_size"][number] == rank


@inner
def play(rules, state, action):
    """Play a legal action."""
    if action == DRAW_ID:
        draw_card(rules, state)
    elif action == TAKE_ID:
        take_card(rules, state)
    elif action >= DISCARD_ID:
        discard_card(rules, state, action - DISCARD_ID)
    elif action >= LAYOFF_SET_ID:
        end = (action - LAYOFF_SET_ID) // NUM_FACES
        card = (action - LAYOFF_SET_ID) % NUM_FACES
        put_layoff(rules, state, card, end, find_meld(state["view"], card, end))
    elif action >= MELD_RUN_ID:
        index = action - MELD_RUN_ID
        put_meld(rules, state, RUN, index // RUN_STARTS, index % RUN_STARTS, 3, 0)
    else:
        left_out = action - MELD_SET_ID
        put_meld(rules, state, SET, left_out % NUM_RANKS, 0, 3, ALL_SUITS & ~(1 << left_out // NUM_RANKS))


# --- what is legal -------------------------------------------------------------------------------------------


@inner
def refresh_fits(rules, view):
    """Work out anew which cards can be laid off onto the melds of the table."""
    onto_set = np.int64(0)
    onto_low = np.int64(0)
    onto_high = np.int64(0)
    deck_suits = (1 << rules["num_suits"]) - 1
    for number in range(view["num_melds"]):
        key = np.int64(view["meld_key"][number])
        if view["meld_kind"][number] == SET:
            onto_set |= set_mask(key, deck_suits & ~np.int64(view["meld_suits"][number]))
        else:
            low = np.int64(view["meld_low"][number])
            above = low + np.int64(view["meld_size"][number])
            if low > 0:
                onto_low |= bit(key * NUM_RANKS + low - 1)
            if above < rules["num_ranks"]:
                onto_high |= bit(key * NUM_RANKS + above)
    view["fits_set"] = onto_set & ~view["table"]
    view["fits_low"] = onto_low & ~view["table"]
    view["fits_high"] = onto_high & ~view["table"]


@inner
def refresh_legal(rules, view):
    """Work out anew the legal actions of the seat to play."""
    legal = view["legal"]
    for word in range(LEGAL_WORDS):
        legal[word] = 0
    phase = view["phase"]
    if phase == DRAW:
        if view["stock_size"] > 0 or view["pile_size"] > 1:
            legal[0] |= np.uint64(1 << DRAW_ID)
        if view["pile_size"] > 0:
            legal[0] |= np.uint64(1 << TAKE_ID)
    elif phase == PLAY:
        hand = view["hand"]
        put(legal, MELD_SET_ID, sets_of_3(hand))
        put(legal, MELD_RUN_ID, run_indices(runs_of_3(hand)))
        put(legal, LAYOFF_SET_ID, hand & view["fits_set"])
        put(legal, LAYOFF_LOW_ID, hand & view["fits_low"])
        put(legal, LAYOFF_HIGH_ID, hand & view["fits_high"])
        put(legal, DISCARD_ID, may_discard(rules, view))


@inner
def may_discard(rules, view):
    """Cards of the hand that may be discarded: not the one taken in this turn, unless it is the last."""
    hand = view["hand"]
    taken = view["taken"]
    if taken == NO_CARD or rules["discard_taken"] != 0:
        return hand
    others = hand & ~bit(taken)
    return others if others != 0 else hand


@inner
def is_legal(view, action):
    """Whether an action id, any whole number, is legal for the view's seat."""
    return 0 <= action < NUM_ACTIONS and get(view["legal"], action)


@inner
def random_legal(view, number):
    """A legal action, each with the same chance, from the random number ``number``."""
    legal = view["legal"]
    count = 0
    for word in range(LEGAL_WORDS):
        count += np.int64(popcount(legal[word]))
    chosen = below(number, count)
    for word in range(LEGAL_WORDS):
        bits = legal[word]
        here = np.int64(popcount(bits))
        if chosen < here:
            for _ in range(chosen):
                bits &= bits - np.uint64(1)
            return word * 64 + np.int64(lowest(bits))
        chosen -= here
    return -1


# --- the end of a round --------------------------------------------------------------------------------------


@inner
def points_of(rules, cards):
    """Points of cards left in a hand."""
    points = np.int64(0)
    for k in range(NUM_VALUE_BITS):
        points += np.int64(popcount(cards & rules["value_bits"][k])) << k
    return points


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
        score += points_of(rules, state["hidden"]["hands"][seat])
    if rummy:
        score *= rules["rummy_factor"]
    view["phase"] = OVER
    view["winner"] = winner
    view["doubled"] = rummy and rules["rummy_factor"] > 1
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
def forfeit(rules, state, seat):
    """End the round because ``seat`` played an illegal action: a void round that names no winner."""
    finish_void(state["view"], 0)
    refresh_legal(rules, state["view"])


@inner
def match_over(rules, view):
    """Whether the match has ended after this round: someone reached the target."""
    for seat in range(rules["num_players"]):
        if view["totals"][seat] >= rules["target"]:
            return True
    return False
