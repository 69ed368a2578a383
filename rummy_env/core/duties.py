"""What a player of rami owes before the turn may end, and openings in the making: no move may lead into a dead end.

A card taken from the pile has to go down, a freed joker too, and an opening once begun has to reach the threshold.
Whether it still can is searched exactly, by trying moves on the cards of a view and taking them back. The search for
duties is cut off after `NODE_LIMIT` positions and then says no: a bound for hands and tables that only a position made
by hand can have; hands of 14 cards need far less.

What a duty needs can be done in one order: first all swaps, then what puts the taken card down, then what puts down the
jokers that are left. A swap needs a card of the hand and the joker of a meld, which nothing else takes away or brings;
and nothing that the other two need lies in the way of the taken card. Moves that serve none of the three are of no use.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.actions import JOKER_RUN_STARTS, RAMI_ACTIONS, RUN_STARTS, SUIT_PAIRS, first_ids
from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import WORD, bit, has, lowest, popcount, put
from rummy_env.core.jokers import (
    end_place,
    extend,
    meld_points,
    missing_suits,
    replace_joker,
    swap_place,
    takes_joker,
    takes_natural,
)
from rummy_env.core.kernel import inner, scratch
from rummy_env.core.melds import run_indices, runs_of_3, set_mask, sets_of_3
from rummy_env.core.opening import LEFT, TOTAL, memory_slot, mix, rank_points, reaches, set_out
from rummy_env.core.places import card_at, places_mask, suit_places
from rummy_env.core.state import NO_CARD, RUN, SET
from rummy_env.core.straight import (
    DISCARD_ID,
    LAYOFF_HIGH_ID,
    LAYOFF_LOW_ID,
    LAYOFF_SET_ID,
    MELD_RUN_ID,
    MELD_SET_ID,
)
from rummy_env.core.table_game import ONTO_HIGH, ONTO_LOW, ONTO_SET
from rummy_env.melds import HIGH_ACE, LONGEST_RUN

_IDS: Final = first_ids(RAMI_ACTIONS)
HIGH_RUN_ID: Final = _IDS["meld_high_run"]
SET_JOKER_ID: Final = _IDS["meld_set_joker"]
RUN_JOKER_ID: Final = _IDS["meld_run_joker"]
JOKER_SET_ID: Final = _IDS["layoff_joker_set"]
JOKER_LOW_ID: Final = _IDS["layoff_joker_low"]
JOKER_HIGH_ID: Final = _IDS["layoff_joker_high"]
SWAP_SET_ID: Final = _IDS["swap_set"]
SWAP_RUN_ID: Final = _IDS["swap_run"]
AFTER_SWAPS_ID: Final = _IDS["discard_joker"]

PAIR_BITS: Final = np.array([1 << low | 1 << high for low, high in SUIT_PAIRS], dtype=np.int64)
NODE_LIMIT: Final = 1_000_000
ACTION_SET: Final = np.dtype([("words", "u8", (-(-RAMI_ACTIONS[-1].stop // WORD),))])
"""A set of actions: bit a for action a."""
NEW_MELD: Final = -1
"""Instead of the number of a table meld: the move makes a new one."""


# --- a move on the cards of a view, and back ------------------------------------------------------------------


@inner
def saved(view):
    """What a move changes besides melds of the table; `restore` brings it back."""
    return view["hand"], view["hand2"], view["hand_jokers"], view["taken_used"], view["freed"], view["num_melds"]


@inner
def restore(view, before):
    tried = view["num_melds"]
    view["hand"], view["hand2"], view["hand_jokers"], view["taken_used"], view["freed"], view["num_melds"] = before
    if tried > view["num_melds"]:  # What was tried out shows the hand, and everybody may read the table.
        forget_meld(view, view["num_melds"])


@inner
def forget_meld(view, number):
    """Leave nothing in the place of a meld that is not on the table."""
    view["meld_kind"][number] = 0
    view["meld_key"][number] = 0
    view["meld_low"][number] = 0
    view["meld_size"][number] = 0
    view["meld_suits"][number] = 0
    view["meld_jokers"][number] = 0
    view["meld_by"][number] = 0


@inner
def saved_meld(view, number):
    """The fields of a table meld that a move changes; meld 0's where the move makes a new one."""
    n = max(number, 0)
    return view["meld_low"][n], view["meld_size"][n], view["meld_suits"][n], view["meld_jokers"][n]


@inner
def restore_meld(view, number, before):
    n = max(number, 0)
    view["meld_low"][n], view["meld_size"][n], view["meld_suits"][n], view["meld_jokers"][n] = before


@inner
def _put_cards(view, cards):
    """Take one copy of each of ``cards`` out of the hand. One equal to the taken card meets its duty."""
    view["hand"] &= ~(cards & ~view["hand2"])
    view["hand2"] &= ~cards
    if view["taken"] != NO_CARD and has(cards, view["taken"]):
        view["taken_used"] = 1


@inner
def _put_jokers(view, count):
    """Take jokers out of the hand. The first meets the duty of a taken joker, the others those of freed ones."""
    view["hand_jokers"] -= count
    if count > 0 and view["taken"] == JOKER and view["taken_used"] == 0:
        view["taken_used"] = 1
        count -= 1
    view["freed"] = max(0, view["freed"] - count)


@inner
def lay_meld(view, kind, key, low, size, suits, jokers):
    """Make a new meld from the hand (fields: see `state`)."""
    if kind == RUN:
        places = ((np.int64(1) << np.int64(size)) - 1) << np.int64(low)
        _put_cards(view, places_mask(key, places & ~jokers))
        _put_jokers(view, np.int64(popcount(np.int64(jokers))))
    else:
        _put_cards(view, set_mask(key, suits))
        _put_jokers(view, jokers)
    number = view["num_melds"]
    view["meld_kind"][number] = kind
    view["meld_key"][number] = key
    view["meld_low"][number] = low
    view["meld_size"][number] = size
    view["meld_suits"][number] = suits
    view["meld_jokers"][number] = jokers
    view["meld_by"][number] = view["to_play"]
    view["num_melds"] = number + 1


@inner
def lay_off(view, card, end, number):
    """Lay a card or a joker off onto meld ``number``."""
    if card == JOKER:
        _put_jokers(view, 1)
    else:
        _put_cards(view, bit(card))
    extend(view, number, card, end)


@inner
def swap(rules, view, card, number):
    """Put a card in the place of a joker of meld ``number`` and take the joker."""
    used = view["taken_used"]
    _put_cards(view, bit(card))
    if rules["swap_uses_taken"] == 0:
        view["taken_used"] = used
    view["hand_jokers"] += 1
    view["freed"] += 1
    replace_joker(view, number, card, swap_place(view, number, card))


# --- actions that put cards down -----------------------------------------------------------------------------


@inner
def is_meld_action(action):
    return MELD_SET_ID <= action < LAYOFF_SET_ID or HIGH_RUN_ID <= action < JOKER_SET_ID


@inner
def is_layoff(action):
    return LAYOFF_SET_ID <= action < DISCARD_ID or JOKER_SET_ID <= action < SWAP_SET_ID


@inner
def is_swap(action):
    return SWAP_SET_ID <= action < AFTER_SWAPS_ID


@inner
def layoff_card(action):
    return (action - LAYOFF_SET_ID) % NUM_FACES if action < DISCARD_ID else JOKER


@inner
def layoff_end(action):
    if action < DISCARD_ID:
        return (action - LAYOFF_SET_ID) // NUM_FACES
    if action < JOKER_LOW_ID:
        return ONTO_SET
    return ONTO_LOW if action < JOKER_HIGH_ID else ONTO_HIGH


@inner
def lay(rules, view, action, number):
    """Play a meld, a lay-off or a swap on the cards of a view; the latter two at table meld ``number``."""
    if is_swap(action):
        swap(rules, view, (action - SWAP_SET_ID) % NUM_FACES, number)
    elif is_layoff(action):
        lay_off(view, layoff_card(action), layoff_end(action), number)
    elif action < MELD_RUN_ID:
        left_out = action - MELD_SET_ID
        suits = (1 << NUM_SUITS) - 1 & ~(1 << left_out // NUM_RANKS)
        lay_meld(view, SET, left_out % NUM_RANKS, 0, 3, suits, 0)
    elif action < LAYOFF_SET_ID:
        index = action - MELD_RUN_ID
        lay_meld(view, RUN, index // RUN_STARTS, index % RUN_STARTS, 3, 0, 0)
    elif action < SET_JOKER_ID:
        lay_meld(view, RUN, action - HIGH_RUN_ID, HIGH_ACE - 2, 3, 0, 0)
    elif action < RUN_JOKER_ID:
        index = action - SET_JOKER_ID
        lay_meld(view, SET, index % NUM_RANKS, 0, 3, PAIR_BITS[index // NUM_RANKS], 1)
    else:
        index = action - RUN_JOKER_ID
        low = index // 3 % JOKER_RUN_STARTS
        lay_meld(view, RUN, index // (3 * JOKER_RUN_STARTS), low, 3, 0, 1 << (low + index % 3))


@inner
def takes_action(rules, view, number, action):
    """Whether table meld ``number`` takes a lay-off or a swap action."""
    if is_swap(action):
        kind = SET if action < SWAP_RUN_ID else RUN
        return view["meld_kind"][number] == kind and swap_place(view, number, (action - SWAP_SET_ID) % NUM_FACES) >= 0
    end = layoff_end(action)
    card = layoff_card(action)
    if card != JOKER:
        return has(takes_natural(view, number, end), card)
    if not takes_joker(rules, view, number, end):
        return False
    if end == ONTO_SET:
        return view["meld_key"][number] == action - JOKER_SET_ID
    stands_for = action - (JOKER_LOW_ID if end == ONTO_LOW else JOKER_HIGH_ID)
    return stands_for == card_at(np.int64(view["meld_key"][number]), end_place(view, number, end))


@inner
def next_meld(rules, view, action, number):
    """The first table meld from ``number`` on that takes a lay-off or a swap action, or -1."""
    for n in range(number, view["num_melds"]):
        if takes_action(rules, view, n, action):
            return n
    return -1


@inner
def set_bit(words, index):
    words[index >> 6] |= np.uint64(1) << np.uint64(index & 63)


@inner
def clear_bit(words, index):
    words[index >> 6] &= ~(np.uint64(1) << np.uint64(index & 63))


@inner
def mark_melds(view, words):
    """Mark every meld of three that the hand holds."""
    hand = view["hand"]
    put(words, MELD_SET_ID, sets_of_3(hand))
    put(words, MELD_RUN_ID, run_indices(runs_of_3(hand)))
    for suit in range(NUM_SUITS):
        places = suit_places(hand, suit)
        if places >> (HIGH_ACE - 2) == 0b111:
            set_bit(words, HIGH_RUN_ID + suit)
        if view["hand_jokers"] > 0 and places & (places >> 1 | places >> 2):
            for low in range(JOKER_RUN_STARTS):
                window = places >> low & 0b111
                for joker in range(3):
                    if window | 1 << joker == 0b111:
                        set_bit(words, RUN_JOKER_ID + (suit * JOKER_RUN_STARTS + low) * 3 + joker)
    if view["hand_jokers"] > 0:
        for pair in range(len(SUIT_PAIRS)):
            low = hand >> np.int64(NUM_RANKS * SUIT_PAIRS[pair][0])
            high = hand >> np.int64(NUM_RANKS * SUIT_PAIRS[pair][1])
            put(words, SET_JOKER_ID + NUM_RANKS * pair, low & high & ((1 << NUM_RANKS) - 1))


@inner
def mark_table_moves(view, words):
    """Mark every lay-off and swap that some meld of the table takes."""
    hand = view["hand"]
    put(words, LAYOFF_SET_ID, hand & view["fits_set"])
    put(words, LAYOFF_LOW_ID, hand & view["fits_low"])
    put(words, LAYOFF_HIGH_ID, hand & view["fits_high"])
    put(words, SWAP_SET_ID, hand & view["swaps_set"])
    put(words, SWAP_RUN_ID, hand & view["swaps_run"])
    if view["hand_jokers"] > 0:
        put(words, JOKER_SET_ID, view["joker_set"])
        put(words, JOKER_LOW_ID, view["joker_low"])
        put(words, JOKER_HIGH_ID, view["joker_high"])


@inner
def mark_pending_layoffs(rules, view, words):
    """Mark every lay-off onto a meld of the opening in the making."""
    for number in range(view["opening_from"], view["num_melds"]):
        key = np.int64(view["meld_key"][number])
        for end in range(ONTO_HIGH + 1):
            cards = takes_natural(view, number, end)
            joker = view["hand_jokers"] > 0 and takes_joker(rules, view, number, end)
            put(words, LAYOFF_SET_ID + end * NUM_FACES, cards & view["hand"])
            if joker and end == ONTO_SET:
                set_bit(words, JOKER_SET_ID + key)
            elif joker:
                put(words, JOKER_LOW_ID if end == ONTO_LOW else JOKER_HIGH_ID, cards)


# --- openings ------------------------------------------------------------------------------------------------


@inner
def owes_taken(view):
    """Whether the taken card still has to go down."""
    return view["taken"] != NO_CARD and view["taken_used"] == 0


@inner
def hand_count(view):
    return np.int64(popcount(view["hand"])) + np.int64(popcount(view["hand2"])) + view["hand_jokers"]


@inner
def pending_points(rules, view):
    """What the opening in the making counts so far."""
    points = np.int64(0)
    for number in range(view["opening_from"], view["num_melds"]):
        points += meld_points(rules, view, number)
    return points


@inner
def opening_stands(rules, view):
    """Whether the opening in the making may be confirmed as it is: the threshold, or at most one card left."""
    return not owes_taken(view) and (hand_count(view) <= 1 or pending_points(rules, view) >= rules["opening"])


@inner
def _reaches_with_new_melds(rules, view, solver):
    """Whether new melds from the hand, beside those that are pending, make an opening."""
    must = 1 if owes_taken(view) else 0
    hand = view["hand"]
    twice = view["hand2"]
    jokers = np.int64(view["hand_jokers"])
    if reaches(solver, LEFT, hand, twice, jokers, must, 1):
        return True
    return reaches(solver, TOTAL, hand, twice, jokers, must, rules["opening"] - pending_points(rules, view))


@inner
def completes_opening(rules, view, solver, first, first_end):
    """Whether an opening in the making can still be made to stand, by new melds, or by lengthening the pending melds
    from number ``first`` on, that one at the ends from ``first_end`` on: in whatever order, the same comes of it."""
    if _reaches_with_new_melds(rules, view, solver):
        return True
    before = saved(view)
    for number in range(first, view["num_melds"]):
        meld = saved_meld(view, number)
        for end in range(first_end if number == first else ONTO_SET, ONTO_HIGH + 1):
            cards = takes_natural(view, number, end) & view["hand"]
            if view["hand_jokers"] > 0 and takes_joker(rules, view, number, end):
                cards |= bit(JOKER)
            while cards:
                card = np.int64(lowest(cards))
                cards &= cards - 1
                lay_off(view, card, end, number)
                done = completes_opening(rules, view, solver, np.int64(number), np.int64(end))
                restore(view, before)
                restore_meld(view, number, meld)
                if done:
                    return True
    return False


@inner
def cannot_open(rules, view):
    """A quick look that proves most hands unable to open: their cards with a partner are worth too little, and two or
    more have none."""
    hand = view["hand"]
    jokers = view["hand_jokers"]
    melds = sets_of_3(hand)
    if jokers > 0:
        s = hand & ((1 << NUM_RANKS) - 1)
        h = (hand >> NUM_RANKS) & ((1 << NUM_RANKS) - 1)
        d = (hand >> 2 * NUM_RANKS) & ((1 << NUM_RANKS) - 1)
        c = hand >> 3 * NUM_RANKS
        melds = (s & h) | (s & d) | (s & c) | (h & d) | (h & c) | (d & c)
    ranks = (melds | melds >> NUM_RANKS | melds >> 2 * NUM_RANKS | melds >> 3 * NUM_RANKS) & ((1 << NUM_RANKS) - 1)
    useful = ranks | ranks << NUM_RANKS | ranks << 2 * NUM_RANKS | ranks << 3 * NUM_RANKS
    for suit in range(NUM_SUITS):
        places = suit_places(hand, suit)
        if jokers > 0:
            near = places & (places << 1 | places >> 1 | places << 2 | places >> 2)
        else:
            starts = places & places >> 1 & places >> 2
            near = starts | starts << 1 | starts << 2
        useful |= places_mask(suit, near)
    useful &= hand
    ace = max(rank_points(0), np.int64(rules["low_ace_points"]))
    points = ace * jokers
    for cards in (useful, useful & view["hand2"]):
        left = cards
        while left:
            rank = np.int64(lowest(left)) % NUM_RANKS
            points += ace if rank == 0 else rank_points(rank)
            left &= left - 1
    useless = popcount(hand & ~useful) + popcount(view["hand2"] & ~useful)
    return points < rules["opening"] and useless > 1


# --- duties --------------------------------------------------------------------------------------------------


@inner
def num_duties(view):
    """How many cards still have to go down before the turn may end: the taken card and freed jokers."""
    return (1 if owes_taken(view) else 0) + view["freed"]


@inner
def _jokers_to_swap(view):
    """How many jokers of the table could come to the hand at most."""
    count = np.int64(0)
    for number in range(view["num_melds"]):
        if view["meld_jokers"][number] > 0:
            cards = _swapping(view, number)
            if cards:
                run = view["meld_kind"][number] == RUN
                jokers = np.int64(view["meld_jokers"][number])
                count += min(np.int64(popcount(cards)), np.int64(popcount(jokers)) if run else jokers)
    return count


@inner
def _swapping(view, number):
    """The cards of the hand that could take the place of a joker of meld ``number``."""
    key = np.int64(view["meld_key"][number])
    if view["meld_jokers"][number] == 0:
        return np.int64(0)
    if view["meld_kind"][number] == SET:
        return missing_suits(view, number) & view["hand"]
    return places_mask(key, np.int64(view["meld_jokers"][number])) & view["hand"]


@inner
def _has_company(view, card, jokers):
    """Whether a card of the hand could be in a meld with others of the hand, if jokers were free where ``jokers``."""
    hand = view["hand"]
    suit = card // NUM_RANKS
    rank = card % NUM_RANKS
    same = 0
    for s in range(NUM_SUITS):
        if has(hand, s * NUM_RANKS + rank):
            same += 1
    if same >= (2 if jokers else 3):
        return True
    places = suit_places(hand, suit)
    for place in range(rank, HIGH_ACE + 1, HIGH_ACE):  # An ace has two places.
        for low in range(max(place - 2, 0), min(place, HIGH_ACE - 2) + 1):
            window = places >> low & 0b111
            if window == 0b111 or (jokers and popcount(np.int64(window)) == 2):
                return True
    return False


@inner
def _gap(view, number, place):
    """The places between a run of the table and a place outside it."""
    low = np.int64(view["meld_low"][number])
    high = low + np.int64(view["meld_size"][number]) - 1
    if place < low:
        return ((np.int64(1) << low) - 1) & ~((np.int64(2) << place) - 1)
    return ((np.int64(1) << place) - 1) & ~((np.int64(2) << high) - 1)


@inner
def _has_road(view, number, card, place, jokers):
    """Whether a card could come to lie at ``place`` of table run ``number``, by way of other cards of the hand and of
    as many as ``jokers`` jokers, which never lie side by side."""
    low = np.int64(view["meld_low"][number])
    if view["meld_key"][number] != card // NUM_RANKS or low <= place < low + view["meld_size"][number]:
        return False
    gaps = _gap(view, number, place) & ~suit_places(view["hand"], card // NUM_RANKS)
    return not gaps & gaps >> 1 and popcount(gaps) <= jokers


@inner
def _could_go_down(view, card):
    """Whether the taken card could go down at all, were no card needed twice. What is False here is impossible."""
    jokers = view["hand_jokers"] + _jokers_to_swap(view)
    if _has_company(view, card, jokers > 0):
        return True
    rank = card % NUM_RANKS
    for number in range(view["num_melds"]):
        if view["meld_kind"][number] == SET:
            if view["meld_key"][number] == rank and has(missing_suits(view, number), card):
                return True
        elif has(_swapping(view, number), card):
            return True
        else:
            for place in range(rank, HIGH_ACE + 1, HIGH_ACE):  # An ace has two places.
                if _has_road(view, number, card, place, jokers):
                    return True
    return False


@inner
def _joker_places(rules, view):
    """How many jokers the table takes as it is, each at an end of its own."""
    count = np.int64(0)
    for number in range(view["num_melds"]):
        if view["meld_kind"][number] == SET:
            count += 1 if takes_joker(rules, view, number, ONTO_SET) else 0
        elif view["meld_size"][number] < LONGEST_RUN:
            here = np.int64(1 if takes_joker(rules, view, number, ONTO_LOW) else 0)
            here += 1 if takes_joker(rules, view, number, ONTO_HIGH) else 0
            count += min(here, LONGEST_RUN - np.int64(view["meld_size"][number]))
    return count


@inner
def _table_hash(view):
    """A number for the melds of the table, in whatever order they lie."""
    total = np.uint64(0)
    for number in range(view["num_melds"]):
        word = np.uint64(view["meld_kind"][number])
        word |= np.uint64(view["meld_key"][number]) << np.uint64(1)
        word |= np.uint64(view["meld_low"][number]) << np.uint64(6)
        word |= np.uint64(view["meld_size"][number]) << np.uint64(11)
        word |= np.uint64(view["meld_suits"][number]) << np.uint64(16)
        word |= np.uint64(view["meld_jokers"][number]) << np.uint64(20)
        total += mix(mix(word)) >> np.uint64(8)  # The sum of as many as a table holds has room.
    return total


@inner
def meets_duties(rules, view, solver):
    """Whether some way to go on in this turn puts down the taken card and every freed joker, or the whole hand."""
    if num_duties(view) == 0:
        return True
    if owes_taken(view) and view["taken"] != JOKER and not _could_go_down(view, np.int64(view["taken"])):
        return False
    return _meets_duties(rules, view, solver, np.int64(1))


@inner
def _leads_down(rules, view, number, end):
    """What table meld ``number`` takes at ``end`` that is the taken card, a natural one, or lies on its road; bit 52
    for a joker."""
    card = np.int64(view["taken"])
    cards = takes_natural(view, number, end) & view["hand"]
    if end == ONTO_SET or cards & bit(card):
        return cards & bit(card)
    rank = card % NUM_RANKS
    for place in range(rank, HIGH_ACE + 1, HIGH_ACE):
        if (place < view["meld_low"][number]) == (end == ONTO_LOW):
            if _has_road(view, number, card, place, view["hand_jokers"]):
                if view["hand_jokers"] > 0 and takes_joker(rules, view, number, end):
                    cards |= bit(JOKER)
                return cards
    return np.int64(0)


@inner
def _leads_jokers_down(rules, view, number, end):
    """What table meld ``number`` takes at ``end`` that is a joker, bit 52, or after which a joker may follow."""
    cards = np.int64(0)
    if end != ONTO_SET:
        cards = takes_natural(view, number, end) & view["hand"]
    if view["hand_jokers"] > 0 and takes_joker(rules, view, number, end):
        cards |= bit(JOKER)
    return cards


@inner
def _meets_duties(rules, view, solver, swaps):
    """See `meets_duties`. ``swaps``: 1 as long as swaps come first."""
    duties = num_duties(view)
    natural = owes_taken(view) and view["taken"] != JOKER
    jokers = duties - 1 if natural else duties
    if jokers > view["hand_jokers"]:
        return False
    if not natural and jokers <= _joker_places(rules, view):
        return True
    solver["nodes"] += 1
    if solver["nodes"] > NODE_LIMIT:
        return False
    key = np.uint64(view["hand"]) | np.uint64(view["hand_jokers"]) << np.uint64(52)
    key |= np.uint64(view["freed"]) << np.uint64(56)
    key |= np.uint64(duties - view["freed"]) << np.uint64(60) | np.uint64(swaps) << np.uint64(61)
    rest = np.int64(np.uint64(view["hand2"]) ^ _table_hash(view))
    slot = memory_slot(key, rest)
    if solver["filled"][slot] and solver["key"][slot] == key and solver["twice"][slot] == rest:
        return False
    before = saved(view)
    for number in range(view["num_melds"] if swaps else 0):
        cards = _swapping(view, number)
        meld = saved_meld(view, number)
        while cards:
            card = np.int64(lowest(cards))
            cards &= cards - 1
            swap(rules, view, card, number)
            done = _meets_duties(rules, view, solver, np.int64(1))
            restore(view, before)
            restore_meld(view, number, meld)
            if done:
                return True
    for number in range(view["num_melds"]):
        meld = saved_meld(view, number)
        for end in range(ONTO_HIGH + 1):
            cards = _leads_down(rules, view, number, end) if natural else _leads_jokers_down(rules, view, number, end)
            while cards:
                card = np.int64(lowest(cards))
                cards &= cards - 1
                lay_off(view, card, end, number)
                done = _meets_duties(rules, view, solver, np.int64(0))
                restore(view, before)
                restore_meld(view, number, meld)
                if done:
                    return True
    words = scratch(ACTION_SET)["words"]
    mark_melds(view, words)
    for word in range(len(words)):
        bits = words[word]
        while bits != np.uint64(0):
            action = word * WORD + np.int64(lowest(bits))
            bits &= bits - np.uint64(1)
            lay(rules, view, action, NEW_MELD)
            lessens = owes_taken(view) == 0 if natural else num_duties(view) < duties
            done = lessens and _meets_duties(rules, view, solver, np.int64(0))
            restore(view, before)
            if done:
                return True
    if solver["nodes"] <= NODE_LIMIT:  # A search that was cut off has proved nothing.
        solver["key"][slot] = key
        solver["twice"][slot] = rest
        solver["filled"][slot] = 1
    return False


@inner
def stays_open(rules, view, solver, action, number):
    """Whether a move leaves every duty, and the opening in the making, within reach."""
    before = saved(view)
    meld = saved_meld(view, number)
    lay(rules, view, action, number)
    if view["opening"] != 0:
        reached = completes_opening(rules, view, solver, np.int64(view["opening_from"]), np.int64(ONTO_SET))
    else:
        solver["nodes"] = 0
        reached = meets_duties(rules, view, solver)
    restore(view, before)
    restore_meld(view, number, meld)
    return reached


@inner
def first_open_meld(rules, view, solver, action):
    """The first table meld on which a lay-off or a swap is legal, or -1. An opening is lengthened only itself."""
    number = next_meld(rules, view, action, view["opening_from"] if view["opening"] != 0 else 0)
    while number >= 0 and not stays_open(rules, view, solver, action, number):
        number = next_meld(rules, view, action, number + 1)
    return number


@inner
def drop_dead_ends(rules, view, solver, words, first):
    """Drop from the marked actions, from id ``first`` on, those that lead into a dead end."""
    for word in range(first // 64, len(words)):
        bits = words[word]
        while bits != np.uint64(0):
            action = word * 64 + np.int64(lowest(bits))
            bits &= bits - np.uint64(1)
            if action < first:
                continue
            if is_meld_action(action):
                keep = stays_open(rules, view, solver, action, NEW_MELD)
            else:
                keep = first_open_meld(rules, view, solver, action) >= 0
            if not keep:
                clear_bit(words, action)


@inner
def prepare(solver, rules, view):
    """Make an empty memory ready to search for this view."""
    must = view["taken"] if owes_taken(view) else NO_CARD
    set_out(solver, rules["low_ace_points"], view["hand"], must)
