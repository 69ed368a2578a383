"""How random, easy, normal and hard play rami. `agents.rule_bots` makes players of these functions.

All but random put down by one exact plan (`planned_meld`): what leaves the fewest cards in the hand. They differ in
how much they overlook, in what they take and discard, and in what they hold back.

Sets of cards are 52-bit integers; a hand is three numbers: ``one``, its faces, ``two``, the faces that it holds twice,
and ``jokers``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.actions import JOKER_RUN_STARTS, RAMI_ACTIONS, RUN_STARTS
from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.core.bits import WORD, bit, has, lowest, popcount
from rummy_env.core.duties import (
    HIGH_RUN_ID,
    JOKER_SET_ID,
    PAIR_BITS,
    RUN_JOKER_ID,
    SET_JOKER_ID,
    SWAP_RUN_ID,
    SWAP_SET_ID,
    cannot_open,
    owes_taken,
)
from rummy_env.core.hands import points_of
from rummy_env.core.kernel import inner, scratch
from rummy_env.core.melds import NOT_ACE, NOT_KING, ONE_OF_EACH_SUIT, completing, in_melds
from rummy_env.core.opening import (
    IMPOSSIBLE,
    LEFT,
    PATTERNS,
    PATTERNS_WITH,
    SOLVER_DTYPE,
    TOTAL,
    rank_points,
    reaches,
    run_points,
    search,
    set_out,
)
from rummy_env.core.places import places_mask, suit_places
from rummy_env.core.rami import CONFIRM_ID, DISCARD_JOKER_ID, UNTAKE_ID
from rummy_env.core.random import advance, below
from rummy_env.core.rounds import is_legal, random_legal
from rummy_env.core.state import DRAW, MELDED, NO_CARD, RUN, SET
from rummy_env.core.straight import (
    DISCARD_ID,
    DRAW_ID,
    LAYOFF_HIGH_ID,
    LAYOFF_LOW_ID,
    LAYOFF_SET_ID,
    MELD_RUN_ID,
    MELD_SET_ID,
    TAKE_ID,
)
from rummy_env.melds import HIGH_ACE, LEAST_CARDS
from rummy_env.rules import MAX_JOKERS

NO_ACTION: Final = -1


def _action_words(*ranges: tuple[int, int]) -> Any:
    """A set of actions, (words,) uint64 as a view's ``legal``: those from the first to before the second of each."""
    words = np.zeros(-(-RAMI_ACTIONS[-1].stop // WORD), np.uint64)
    for first, stop in ranges:
        for action in range(first, stop):
            words[action // WORD] |= np.uint64(1 << action % WORD)
    return words


MELDS: Final = _action_words((MELD_SET_ID, LAYOFF_SET_ID), (HIGH_RUN_ID, JOKER_SET_ID))
JOKER_LAYOFFS: Final = _action_words((JOKER_SET_ID, SWAP_SET_ID))
PUT_DOWNS: Final = _action_words((MELD_SET_ID, DISCARD_ID), (HIGH_RUN_ID, DISCARD_JOKER_ID))

HAND_DTYPE: Final = np.dtype([("hand", "i8"), ("hand2", "i8"), ("hand_jokers", "i8")])
"""A hand with the names of a view's fields, for functions of the engine that look only at these."""

# --- the plan ------------------------------------------------------------------------------------------------

NO_MELD: Final = (-1, 0, 0, 0, 0, 0)


@inner
def _after(solver, goal, one, two, jokers, must, cards, used):
    """What `search` finds once ``cards`` and ``used`` jokers have gone."""
    if must and (cards & solver["must"] or (solver["must"] == bit(JOKER) and used > 0)):
        must = 0
    return search(solver, goal, one & ~(cards & ~two), two & ~cards, jokers - used, must)


@inner
def planned_meld(solver, goal, one, two, jokers, must):
    """A meld of a best way to put down the hand, as `search` means ``goal`` and ``must``.

    Returns (kind, key, low, size, suits, jokers) as `rummy_env.core.state` has them, NO_MELD where the best is to put
    down none. The solver remembers the hands of the search, so following it again costs little.
    """
    while one:
        best = search(solver, goal, one, two, jokers, must)
        face = np.int64(lowest(one))
        me = bit(face)
        suit = face // NUM_RANKS
        rank = face % NUM_RANKS
        others = np.int64(0)
        for s in range(suit + 1, NUM_SUITS):
            if has(one, s * NUM_RANKS + rank):
                others |= 1 << s
        for chosen in range(2 << suit if others else 1 << NUM_SUITS, 1 << NUM_SUITS):
            if chosen & ~others:
                continue
            cards = me
            for s in range(suit + 1, NUM_SUITS):
                if chosen >> s & 1:
                    cards |= bit(s * NUM_RANKS + rank)
            naturals = np.int64(popcount(cards))
            for used in range(max(0, LEAST_CARDS - naturals), min(jokers, NUM_SUITS - naturals) + 1):
                points = rank_points(rank) * (naturals + used) if goal == TOTAL else 0
                if points + _after(solver, goal, one, two, jokers, must, cards, used) == best:
                    return SET, rank, np.int64(0), naturals + used, np.int64(chosen | 1 << suit), np.int64(used)
        places = suit_places(one, suit)
        for k in range(PATTERNS_WITH[min(jokers, MAX_JOKERS)]):
            used = PATTERNS[k, 0]
            size = PATTERNS[k, 1]
            naturals = PATTERNS[k, 3]
            for high in range(2 if rank == 0 else 1):
                low = HIGH_ACE + 1 - size if high else rank - (PATTERNS[k, 2] & 1)
                if high and not naturals >> (size - 1) & 1:
                    continue
                if low < 0 or low + size > HIGH_ACE + 1 or (naturals << low) & ~places:
                    continue
                cards = places_mask(suit, naturals << low)
                points = run_points(solver["low_ace_points"], low, size) if goal == TOTAL else 0
                if points + _after(solver, goal, one, two, jokers, must, cards, used) == best:
                    return RUN, suit, low, size, np.int64(0), np.int64(PATTERNS[k, 2] << low)
        # None of its melds is as good: this copy stays in the hand.
        if not two & me:
            one &= ~me
        two &= ~me
    return NO_MELD


@inner
def piece_of(meld):
    """The action that puts down three cards of a meld; the others follow as lay-offs."""
    kind, key, low, size, suits, jokers = meld
    if kind == SET:
        if popcount(suits) == 2:
            for pair in range(len(PAIR_BITS)):
                if PAIR_BITS[pair] == suits:
                    return SET_JOKER_ID + pair * NUM_RANKS + key
        missing = ~suits & ((1 << NUM_SUITS) - 1)
        left_out = np.int64(lowest(missing)) if missing else NUM_SUITS - 1
        return MELD_SET_ID + left_out * NUM_RANKS + key
    for first in range(low, low + size - 2):
        window = jokers >> first & 0b111
        if window == 0:
            if first == HIGH_ACE - 2:
                return HIGH_RUN_ID + key
            return MELD_RUN_ID + key * RUN_STARTS + first
        if popcount(window) == 1:
            return RUN_JOKER_ID + (key * JOKER_RUN_STARTS + first) * 3 + np.int64(lowest(window))
    return NO_ACTION


@inner
def prepare(solver, rules, one, must):
    """An empty memory for searches in which the face ``must`` (NO_CARD: none) has to go down."""
    set_out(solver, rules["low_ace_points"], one, must)


@inner
def _fits(view):
    """The natural cards that the table takes as lay-offs."""
    return view["fits_set"] | view["fits_low"] | view["fits_high"]


@inner
def _layoff_of(view, card):
    """A legal lay-off of a card, or NO_ACTION."""
    if is_legal(view, LAYOFF_LOW_ID + card):
        return LAYOFF_LOW_ID + card
    if is_legal(view, LAYOFF_HIGH_ID + card):
        return LAYOFF_HIGH_ID + card
    return LAYOFF_SET_ID + card if is_legal(view, LAYOFF_SET_ID + card) else NO_ACTION


@inner
def _swap_of(view, card):
    """A legal swap for a card, or NO_ACTION."""
    if is_legal(view, SWAP_RUN_ID + card):
        return SWAP_RUN_ID + card
    return SWAP_SET_ID + card if is_legal(view, SWAP_SET_ID + card) else NO_ACTION


@inner
def _first_of(view, actions):
    """The first legal action of a set, or NO_ACTION."""
    for word in range(len(actions)):
        bits = view["legal"][word] & actions[word]
        if bits != np.uint64(0):
            return np.int64(word * WORD + np.int64(lowest(bits)))
    return np.int64(NO_ACTION)


@inner
def _must_go(view):
    """The face that has to go down: the taken card, or else a freed joker; NO_CARD where none."""
    if owes_taken(view):
        return np.int64(view["taken"])
    return np.int64(JOKER if view["freed"] > 0 else NO_CARD)


@inner
def opening_step(rules, view):
    """The next piece of an opening, its confirmation as soon as it stands, NO_ACTION where none can begin.

    It spends as few jokers as it can, then leaves as few cards as it can; where that is too little, it has as many
    points as it can.
    """
    if is_legal(view, CONFIRM_ID):
        return np.int64(CONFIRM_ID)
    any_step = _first_of(view, MELDS if view["opening"] == 0 else PUT_DOWNS)
    if any_step == NO_ACTION:
        return any_step
    must = _must_go(view)
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, view["hand"], must)
    for jokers in range(view["hand_jokers"] + 1):
        for goal in (LEFT, TOTAL):
            meld = planned_meld(solver, goal, view["hand"], view["hand2"], jokers, 1 if must != NO_CARD else 0)
            if meld[0] >= 0:
                action = piece_of(meld)
                if is_legal(view, action):
                    return action
    return any_step


# --- after the opening ---------------------------------------------------------------------------------------


@inner
def _without(one, two, card):
    """A hand's faces without one copy of a card."""
    me = bit(card)
    return one & ~(me & ~two), two & ~me


@inner
def _left(solver, one, two, jokers):
    """How many cards stay in the hand at least."""
    return -search(solver, LEFT, one, two, jokers, 0)


@inner
def _thrifty_jokers(solver, one, two, jokers):
    """How many of the jokers to spend on melds: those that take two more natural cards along, or all if that leaves no
    more than one card."""
    if _left(solver, one, two, jokers) <= 1:
        return jokers
    spent = np.int64(0)
    left = _left(solver, one, two, 0)
    for count in range(1, jokers + 1):
        left_then = _left(solver, one, two, count)
        if left_then <= left - 2 * (count - spent):
            spent = np.int64(count)
            left = left_then
    return spent


@inner
def put_down_step(rules, view, spends):
    """The next action that puts something down after the opening, NO_ACTION where nothing should.

    ``spends``: lay every joker down that can be.
    """
    any_step = _first_of(view, PUT_DOWNS)
    if any_step == NO_ACTION:
        return any_step
    one = view["hand"]
    two = view["hand2"]
    jokers = np.int64(view["hand_jokers"])
    must = _must_go(view)
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, one, must)
    left = _left(solver, one, two, jokers)

    # Swaps whose joker puts more down than the card that it cost, or can be laid off at once.
    cards = one & (view["swaps_set"] | view["swaps_run"])
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - 1
        action = _swap_of(view, card)
        if action != NO_ACTION:
            one_then, two_then = _without(one, two, card)
            left_then = _left(solver, one_then, two_then, jokers + 1)
            if left_then < left or (_joker_fits(view) and left_then - 1 < left):
                return action

    # Lay-offs of cards that no meld of the plan needs.
    cards = one & _fits(view)
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - 1
        action = _layoff_of(view, card)
        if action != NO_ACTION:
            one_then, two_then = _without(one, two, card)
            gain = left - _left(solver, one_then, two_then, jokers)
            if gain > 0 or (card == must and gain == 0):
                return action

    # The plan's melds.
    if must != NO_CARD:
        meld = planned_meld(solver, LEFT, one, two, jokers, 1)
        if meld[0] >= 0:
            action = piece_of(meld)
            if is_legal(view, action):
                return action
    spent = jokers if spends else _thrifty_jokers(solver, one, two, jokers)
    meld = planned_meld(solver, LEFT, one, two, spent, 0)
    if meld[0] >= 0:
        action = piece_of(meld)
        if is_legal(view, action):
            return action

    num_naturals = popcount(one) + popcount(two)
    if jokers > 0 and (must != NO_CARD or spends or num_naturals <= 1):
        action = _first_of(view, JOKER_LAYOFFS)
        if action != NO_ACTION:
            return action
    return any_step if must != NO_CARD else np.int64(NO_ACTION)


@inner
def _joker_fits(view):
    """Whether the table takes a joker."""
    return view["joker_low"] | view["joker_high"] | view["joker_set"] != 0


# --- the pile's top ------------------------------------------------------------------------------------------


@inner
def could_open(rules, one, two, jokers, must):
    """Whether a hand can open, with the face ``must`` in it (NO_CARD: any)."""
    hand = scratch(HAND_DTYPE)
    hand["hand"] = one
    hand["hand2"] = two
    hand["hand_jokers"] = jokers
    if cannot_open(rules, hand):
        return False
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, one, must)
    owes = 1 if must != NO_CARD else 0
    if reaches(solver, LEFT, one, two, jokers, owes, 1):
        return True
    return reaches(solver, TOTAL, one, two, jokers, owes, np.int64(rules["opening"]))


@inner
def is_of_use(rules, view):
    """Whether the pile's top could go down at once: in the opening, or else in any way."""
    size = view["pile_size"]
    if size == 0:
        return False
    top = np.int64(view["pile"][size - 1])
    one = view["hand"]
    two = view["hand2"]
    jokers = np.int64(view["hand_jokers"])
    if top == JOKER:
        jokers += 1
    else:
        two |= one & bit(top)
        one |= bit(top)
    if view["put_down"][view["seat"]] == 0:
        return could_open(rules, one, two, jokers, top)
    if _joker_fits(view) if top == JOKER else has(_fits(view) | view["swaps_set"] | view["swaps_run"], top):
        return True
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, one, top)
    return search(solver, LEFT, one, two, jokers, 1) > IMPOSSIBLE // 2


@inner
def draw_or_take(rules, view, interested):
    """The first action of a turn; ``interested``: whether it takes a top that is of use.

    Never takes again what it has given back.
    """
    if not is_legal(view, DRAW_ID):
        return np.int64(TAKE_ID)
    if interested and view["untaken"] == 0 and is_of_use(rules, view):
        return np.int64(TAKE_ID)
    return np.int64(DRAW_ID)


# --- discards ------------------------------------------------------------------------------------------------


@inner
def unseen(rules, view):
    """The faces of which a copy is where nobody has seen it, and those of which two are."""
    one = view["hand"]
    two = view["hand2"]
    for more, more2 in (
        (view["table"], view["table2"]),
        (view["pile_cards"], view["pile_cards2"]),
    ):
        two |= more2 | (one & more)
        one |= more
    for seat in range(rules["num_players"]):
        if seat != view["seat"]:
            more = view["known"][seat]
            two |= view["known2"][seat] | (one & more)
            one |= more
    deck = rules["deck"]
    if rules["num_decks"] == 1:
        return deck & ~one, np.int64(0)
    return deck & ~two, deck & ~one


@inner
def _aces_queens_kings(cards):
    """The suits whose ace, queen, king a set has: three sets of spade-like bits, at the aces."""
    return cards & ONE_OF_EACH_SUIT, cards >> 11 & ONE_OF_EACH_SUIT, cards >> 12 & ONE_OF_EACH_SUIT


@inner
def melded(cards):
    """The cards that are part of some natural meld within ``cards``."""
    a, q, k = _aces_queens_kings(cards)
    high = a & q & k
    return in_melds(cards) | high | high << 11 | high << 12


@inner
def outs_of(cards):
    """The cards that would make a natural meld with two of ``cards``."""
    a, q, k = _aces_queens_kings(cards)
    return (completing(cards) | (q & k) | (a & k) << 11 | (a & q) << 12) & ~cards


@inner
def partners_of(cards):
    """The cards that can be partners of ``cards`` in a meld: same rank, or one or two places away in the suit."""
    a, q, k = _aces_queens_kings(cards)
    up = (cards & NOT_KING) << 1
    down = (cards & NOT_ACE) >> 1
    ranks = (cards | cards >> 13 | cards >> 26 | cards >> 39) & ((1 << NUM_RANKS) - 1)
    near = up | (up & NOT_KING) << 1 | down | (down & NOT_ACE) >> 1
    near |= q | k | (a << 11) | (a << 12)
    return (near | ranks * ONE_OF_EACH_SUIT) & ~cards


@inner
def _live(cards, live, live2):
    """How many unseen copies there are of ``cards``."""
    return np.int64(popcount(cards & live)) + np.int64(popcount(cards & live2))


WEIGHTS_DTYPE: Final = np.dtype(
    [
        # What it is worth to be rid of a card: for each of its points …
        ("points", "f8"),
        # … less for each card that then lies in no meld any more, and for each point of these,
        ("melded", "f8"),
        ("melded_points", "f8"),
        # … for each unseen card that then makes no meld any more, for each unseen card that could be a partner,
        ("outs", "f8"),
        ("partners", "f8"),
        # … and for each partner in the hand;
        ("held_partners", "f8"),
        # less where the table takes it, or will after one card more,
        ("fits", "f8"),
        ("near", "f8"),
        # … where the next player has opened and the table takes it, and for each partner known to be in that hand;
        ("fits_next", "f8"),
        ("known", "f8"),
        # less (hard) for each draw of 30 that needs it, and where what the hand could put down now needs it.
        ("needed", "f8"),
        ("planned", "f8"),
    ],
    align=True,
)


@inner
def worth_discarding(rules, view, weights, card, live, live2):
    """What it is worth to be rid of a natural card."""
    one = view["hand"]
    one_then, _ = _without(one, view["hand2"], card)
    points = points_of(rules, bit(card))
    worth = weights["points"] * points
    if one_then != one:
        lost = melded(one) & ~melded(one_then)
        worth -= weights["melded"] * popcount(lost) + weights["melded_points"] * points_of(rules, lost)
        lost = outs_of(one) & ~outs_of(one_then)
        worth -= weights["outs"] * _live(lost, live, live2)
        partners = partners_of(bit(card))
        worth -= weights["partners"] * _live(partners, live, live2)
        worth -= weights["held_partners"] * popcount(partners & one)
    fits = _fits(view) | view["swaps_set"] | view["swaps_run"]
    if has(fits, card):
        worth -= weights["fits"]
    elif has((view["fits_low"] & NOT_ACE) >> 1 | (view["fits_high"] & NOT_KING) << 1, card):
        worth -= weights["near"]
    next_seat = (view["seat"] + 1) % rules["num_players"]
    if view["put_down"][next_seat] != 0 and has(fits, card):
        worth -= weights["fits_next"]
    worth -= weights["known"] * popcount((partners_of(bit(card)) | bit(card)) & view["known"][next_seat])
    return worth


@inner
def best_discard(rules, view, weights):
    """The natural card that it is worth the most to be rid of; a joker only where there is nothing else."""
    candidates = view["hand"]
    if candidates == 0:
        return np.int64(DISCARD_JOKER_ID)
    live, live2 = unseen(rules, view)
    best = np.int64(0)
    most = -1e9
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        worth = worth_discarding(rules, view, weights, card, live, live2)
        if worth > most:
            most = worth
            best = card
    return DISCARD_ID + best


@inner
def finish_turn(rules, view, discard):
    """Gives the taken card back where it is of no use after all, else discards, where a discard is legal."""
    if is_legal(view, UNTAKE_ID):
        return np.int64(UNTAKE_ID)
    if is_legal(view, discard):
        return discard
    return _first_of(view, PUT_DOWNS)


@inner
def _has_opened(view):
    """Whether the seat to play has opened, in an earlier turn or in this one."""
    return view["put_down"][view["seat"]] != 0 or view["down_now"] & MELDED != 0


# --- random --------------------------------------------------------------------------------------------------


def decide_random(rules, view, number):
    """Any legal action, each with the same chance."""
    return random_legal(view, number)


# --- easy ----------------------------------------------------------------------------------------------------

PERCENT: Final = 100
EASY_SEES_TOP: Final = 40
"""Percent of the useful tops of the pile that it notices."""
EASY_PUTS_DOWN: Final = 40
"""Percent of its decisions in which it puts down what it could."""
EASY_DISCARDS_HIGH: Final = 50
"""Percent of its discards that are its highest card outside melds, wanted or not; the others are drawn by lot."""


@inner
def _chance(number, percent):
    return below(number, PERCENT) < percent


@inner
def _lot(number, cards):
    """A card of ``cards`` by lot."""
    for _ in range(below(number, popcount(cards))):
        cards &= cards - 1
    return np.int64(lowest(cards))


@inner
def _highest(rules, cards):
    """The card worth the most points."""
    best = np.int64(NO_CARD)
    most = np.int64(-1)
    while cards:
        card = np.int64(lowest(cards))
        cards &= cards - 1
        points = points_of(rules, bit(card))
        if points > most:
            most = points
            best = card
    return best


def decide_easy(rules, view, number):
    """Plays by the rules of thumb, but careless: overlooks tops, leaves melds in hand, throws high cards."""
    if view["phase"] == DRAW:
        return draw_or_take(rules, view, _chance(number, EASY_SEES_TOP))
    if _chance(number, EASY_PUTS_DOWN) or _must_go(view) != NO_CARD or view["opening"] != 0:
        action = put_down_step(rules, view, False) if _has_opened(view) else opening_step(rules, view)
        if action != NO_ACTION:
            return action
    loose = view["hand"] & ~melded(view["hand"])
    if loose == 0:
        loose = view["hand"]
    discard = np.int64(DISCARD_JOKER_ID)
    if loose:
        number = advance(number)
        high = _chance(number, EASY_DISCARDS_HIGH)
        discard = DISCARD_ID + (_highest(rules, loose) if high else _lot(advance(number), loose))
    return finish_turn(rules, view, discard)


# --- normal --------------------------------------------------------------------------------------------------

NORMAL_WEIGHTS: Final = np.array([(1.0, 8.0, 0.0, 2.0, 0.5) + (0.0,) * 7], WEIGHTS_DTYPE)


def decide_normal(rules, view, number):
    """Takes what it can put down, opens and puts down everything at once, discards by points and chances."""
    if view["phase"] == DRAW:
        return draw_or_take(rules, view, True)
    action = put_down_step(rules, view, False) if _has_opened(view) else opening_step(rules, view)
    if action != NO_ACTION:
        return action
    return finish_turn(rules, view, best_discard(rules, view, NORMAL_WEIGHTS[0]))


# --- hard ----------------------------------------------------------------------------------------------------

HARD_WEIGHTS: Final = np.array(
    [
        (0.8, 8.0, 1.0, 1.0, 0.3, 0.5, 0.0, 0.0, 4.0, 1.0, 5.0, 8.0),
        (0.4, 8.0, 0.0, 2.0, 0.5, 0.0, 8.0, 1.0, 0.0, 1.0, 8.0, 8.0),
    ],
    WEIGHTS_DTYPE,
)
"""Before the opening, and after it. Found by rounds against `normal` of two and of four players."""

NEARLY_OUT: Final = 2
"""Jokers are shed where another who has opened has no more cards than this."""
HOLD_LEFT: Final = 2
"""An opening is held back for hand rummy as long as nobody has opened: it denies the others lay-offs, and nobody can go
out but by hand rummy. Later it is where it would leave no more cards than this, one draw from going out …"""
HOLD_FEWEST: Final = 5
"""… and nobody who has opened has fewer cards than this."""

COUNTS_DTYPE: Final = np.dtype([("needed", "f8", (NUM_FACES,))])
"""A count for every face of a hand (see `look_ahead`)."""


@inner
def _cards_of(meld):
    """The natural cards of a planned meld."""
    kind, key, low, size, suits, jokers = meld
    if kind == RUN:
        return places_mask(key, ((np.int64(1) << size) - 1 << low) & ~jokers)
    cards = np.int64(0)
    for suit in range(NUM_SUITS):
        if suits >> suit & 1:
            cards |= bit(suit * NUM_RANKS + key)
    return cards


@inner
def _num_jokers(meld):
    return np.int64(popcount(meld[5])) if meld[0] == RUN else meld[5]


@inner
def _kept(solver, goal, one, two, jokers):
    """The faces of a hand that stay in it, by a best plan."""
    while True:
        meld = planned_meld(solver, goal, one, two, jokers, 0)
        if meld[0] < 0:
            return one
        cards = _cards_of(meld)
        jokers -= _num_jokers(meld)
        one, two = one & ~(cards & ~two), two & ~cards


@inner
def look_ahead(rules, view, opened, live, live2, counts):
    """What each unseen card would do if it were drawn next, and what cards of the hand it would need for it.

    Counts for each face of the hand the draws that need it to open, or after the opening to put more down. Returns the
    faces that what the hand could put down without a draw needs.
    """
    one = view["hand"]
    two = view["hand2"]
    jokers = np.int64(view["hand_jokers"])
    goal = LEFT if opened else TOTAL
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, one, NO_CARD)
    hand = scratch(HAND_DTYPE)
    hand["hand_jokers"] = jokers
    best = search(solver, goal, one, two, jokers, 0)
    planned = one & ~_kept(solver, goal, one, two, jokers)
    draws = (outs_of(one) | one) & live
    if jokers > 0:
        draws |= partners_of(one) & live
    while draws:
        drawn = draws & -draws
        draws ^= drawn
        one_then = one | drawn
        two_then = two | (one & drawn)
        hand["hand"] = one_then
        hand["hand2"] = two_then
        if not opened and cannot_open(rules, hand):
            continue
        best_then = search(solver, goal, one_then, two_then, jokers, 0)
        if best_then < (best if opened else rules["opening"]):
            continue
        needed = one & ~_kept(solver, goal, one_then, two_then, jokers)
        copies = 2.0 if live2 & drawn else 1.0
        while needed:
            counts["needed"][lowest(needed)] += copies
            needed &= needed - 1
    return planned


@inner
def _fewest_cards(rules, view):
    """Cards of the smallest hand of those others who have opened; more than any where nobody has."""
    fewest = np.int64(NUM_FACES)
    for seat in range(rules["num_players"]):
        if seat != view["seat"] and view["put_down"][seat] != 0:
            fewest = min(fewest, np.int64(view["hand_sizes"][seat]))
    return fewest


@inner
def _hard_discard(rules, view, weights, opened):
    """The discard of hard: `worth_discarding`, and what the next draw may do."""
    candidates = view["hand"]
    if candidates == 0:
        return np.int64(DISCARD_JOKER_ID)
    live, live2 = unseen(rules, view)
    counts = scratch(COUNTS_DTYPE)
    planned = look_ahead(rules, view, opened, live, live2, counts)
    per_draw = 30.0 / max(1, popcount(live) + popcount(live2))
    best = np.int64(0)
    most = -1e9
    while candidates:
        card = np.int64(lowest(candidates))
        candidates &= candidates - 1
        worth = worth_discarding(rules, view, weights, card, live, live2)
        if has(planned, card):
            worth -= weights["planned"]
        worth -= per_draw * weights["needed"] * counts["needed"][card]
        if worth > most:
            most = worth
            best = card
    return DISCARD_ID + best


@inner
def _left_of_all(rules, view):
    """About how many cards would stay in the hand if all of its melds and lay-offs were put down."""
    one = view["hand"]
    two = view["hand2"]
    jokers = np.int64(view["hand_jokers"])
    solver = scratch(SOLVER_DTYPE)
    prepare(solver, rules, one, NO_CARD)
    kept = _kept(solver, LEFT, one, two, jokers)
    return _left(solver, one, two, jokers) - np.int64(popcount(kept & _fits(view)))


@inner
def _holds(rules, view):
    """Whether to hold an opening back for hand rummy."""
    if view["opening"] != 0 or _must_go(view) != NO_CARD or _first_of(view, MELDS) == NO_ACTION:
        return False
    left = _left_of_all(rules, view)
    if left <= 1:
        return False
    fewest = _fewest_cards(rules, view)
    return fewest == NUM_FACES or (left <= HOLD_LEFT and fewest >= HOLD_FEWEST)


def decide_hard(rules, view, number):
    """Plans its opening, holds it back while nobody else has opened, or one draw from hand rummy, sheds jokers when
    another may go out, gives nothing to the next player."""
    if view["phase"] == DRAW:
        return draw_or_take(rules, view, True)
    opened = _has_opened(view)
    holds = not opened and _holds(rules, view)
    action = np.int64(NO_ACTION)
    if opened:
        action = put_down_step(rules, view, _fewest_cards(rules, view) <= NEARLY_OUT)
    elif not holds:
        action = opening_step(rules, view)
    if action != NO_ACTION:
        return action
    ahead = opened or holds  # What holds can open: it wants to put down all.
    return finish_turn(rules, view, _hard_discard(rules, view, HARD_WEIGHTS[1 if ahead else 0], ahead))
