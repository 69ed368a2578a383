"""The record of one table: what everybody may see with the hand of one seat (the *view*), and what is hidden.

The view inside a table is always that of the seat to play, so encoders and bots read it in place, and can read
nothing else. `rummy_env.core.view` makes the view of any other seat.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.actions import num_actions
from rummy_env.cards import NUM_FACES
from rummy_env.core.bits import WORD
from rummy_env.rules import MAX_DECKS, MAX_JOKERS

DRAW: Final = 0
PLAY: Final = 1
OVER: Final = 2
UPCARD: Final = 3
PHASES: Final = ("draw", "play", "over", "upcard")
"""Names of the phases by their number."""

SET: Final = 0
RUN: Final = 1

NOBODY: Final = -1
NO_CARD: Final = -1

PACKED_FIRST: Final = 1
PACKED_LATER: Final = 2
PACKS: Final = (None, "first", "later")
"""How a seat of indian has dropped out, by the number in ``packed``: not at all, in its first turn, later."""

MELDED: Final = 1
LAID_OFF: Final = 2
"""Bits of ``down_now``: what the seat to play put down in this turn."""


_OUTCOME: Final[list[Any]] = [
    # The outcome, once the phase is OVER.
    ("winner", "i4"),  # or NOBODY
    ("doubled", "i4"),
    ("blocked", "i4"),
    ("void", "i4"),
    ("truncated", "i4"),  # void because of max_turns
]

_GENERATORS: Final[list[Any]] = [
    ("rng", "u8"),  # shuffles
    ("bot_rng", "u8"),  # random numbers of bots that play inside a batch
]


def _with_hidden(view: list[Any], hidden: list[Any]) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """(view, state) of these fields."""
    view_dtype = np.dtype(view, align=True)
    return view_dtype, np.dtype([("view", view_dtype), ("hidden", np.dtype(hidden, align=True))], align=True)


def _table_game(ruleset: str, seats: int, cards: int, two_decks: bool) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """(view, state) of a table game. ``cards``: of the whole deck; ``two_decks``: cards come twice, with jokers."""
    words = -(-num_actions(ruleset) // WORD)
    melds = cards // 3
    view: list[Any] = [
        # Sets of cards, bit c for card c.
        ("hand", "i8"),  # of `seat`; the only field that not everybody knows, with `legal`
        ("table", "i8"),  # cards in melds
        ("fits_set", "i8"),  # cards that could be laid off onto a set …
        ("fits_low", "i8"),  # … onto the low end of a run
        ("fits_high", "i8"),  # … onto the high end of a run
        ("pile_cards", "i8"),
        ("returned", "i8"),  # shuffled back by the last refill and not seen since
        ("known", "i8", (seats,)),  # taken from the pile by that seat and not put down since
        ("discarded", "i8", (seats,)),  # by that seat in this round; bit 52: a joker
        ("refused", "i8", (seats,)),  # left on the pile by that seat when it drew; bit 52: a joker
        ("legal", "u8", (words,)),  # legal actions of `seat`, bit a for action a; none where it waits
        ("seat", "i2"),  # whose view this is
        ("to_play", "i2"),
        ("phase", "i2"),  # DRAW, PLAY, OVER
        ("taken", "i2"),  # card taken from the pile in this turn, or NO_CARD
        ("down_now", "i2"),  # MELDED | LAID_OFF: put down in this turn
        ("turn", "i4"),  # turns finished in this round
        ("dealer", "i2"),
        ("reshuffles", "i4"),
        ("stock_size", "i2"),
        ("pile_size", "i2"),
        ("num_melds", "i2"),
        ("round", "i4"),  # rounds finished in this match
        ("hand_sizes", "i2", (seats,)),
        ("put_down", "i2", (seats,)),  # 1: put something on the table in an earlier turn (rami: has opened), no rummy
        ("drawn", "i2", (seats,)),  # cards drawn from the stock since the last refill
        ("totals", "i4", (seats,)),
        *_OUTCOME,
        ("scores", "i4", (seats,)),
    ]
    hidden: list[Any] = [*_GENERATORS, ("hands", "i8", (seats,))]
    if two_decks:
        view += [
            # Cards there twice, and jokers, of the sets above.
            ("hand2", "i8"),
            ("table2", "i8"),
            ("pile_cards2", "i8"),
            ("returned2", "i8"),
            ("known2", "i8", (seats,)),
            # What else melds of the table take.
            ("joker_set", "i8"),  # ranks of sets that take a joker, bit r for rank r
            ("joker_low", "i8"),  # cards that a joker laid off onto the low end of a run would stand for …
            ("joker_high", "i8"),  # … onto the high end
            ("swaps_set", "i8"),  # cards that could take the place of a set's joker …
            ("swaps_run", "i8"),  # … of a run's joker
            ("hand_jokers", "i2"),
            ("table_jokers", "i2"),
            ("pile_jokers", "i2"),
            ("returned_jokers", "i2"),
            ("known_jokers", "i2", (seats,)),
            ("taken_used", "i2"),  # 1: the taken card's face has been put down since
            ("untaken", "i2"),  # how often the card was given back in this turn: at most twice
            ("untouched", "i2"),  # 1: nothing was done in this turn but to take
            ("freed", "i2"),  # jokers freed in this turn and not put down again yet
            ("opening", "i2"),  # 1: the seat to play is putting an opening together …
            ("opening_from", "i2"),  # … from this meld of the table on
        ]
        hidden += [("hands2", "i8", (seats,)), ("jokers", "i2", (seats,))]
    view += [
        # The pile from bottom to top, and the melds in the order in which they were put down.
        ("pile", "u1", (cards,)),
        ("meld_kind", "u1", (melds,)),  # SET, RUN
        ("meld_key", "u1", (melds,)),  # a set's rank, a run's suit
        ("meld_low", "u1", (melds,)),  # a run's lowest place, 0 for the ace below a 2; 0 for a set
        ("meld_size", "u1", (melds,)),
        ("meld_suits", "u1", (melds,)),  # suits of a set's natural cards, bit s for suit s; 0 for a run
        ("meld_jokers", "u2", (melds,)),  # a run's joker places, bit p for place p; how many jokers a set has
        ("meld_by", "u1", (melds,)),
    ]
    hidden += [("stock", "u1", (cards,))]  # the next card to be drawn is the last, stock[stock_size - 1]
    return _with_hidden(view, hidden)


def _hand_game(ruleset: str, seats: int, cards: int, copies: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """(view, state) of a hand game. ``cards``: of the whole deck; ``copies``: of a card, more than one with jokers."""
    words = -(-num_actions(ruleset) // WORD)
    view: list[Any] = [
        # Sets of cards, bit c for card c.
        ("hand", "i8"),  # of `seat`; the only field that not everybody knows, with its copies and `legal`
        ("pile_cards", "i8"),
        ("known", "i8", (seats,)),  # taken from the pile by that seat and not discarded since; all that it showed
        ("discarded", "i8", (seats,)),  # by that seat in this round; bit 52: a joker
        ("refused", "i8", (seats,)),  # left on the pile by that seat when it passed or drew; bit 52: a joker
        ("legal", "u8", (words,)),  # legal actions of `seat`, bit a for action a; none where it waits
        ("seat", "i4"),  # whose view this is
        ("to_play", "i4"),
        ("phase", "i4"),  # DRAW, PLAY, OVER, UPCARD
        ("taken", "i4"),  # card taken from the pile in this turn, or NO_CARD
        ("turn", "i4"),  # turns finished in this round
        ("dealer", "i4"),
        ("stock_size", "i4"),
        ("pile_size", "i4"),
        ("round", "i4"),  # rounds finished in this match
        ("closer", "i4"),  # the seat that knocked or declared, all hands being shown then, or NOBODY
        ("hand_sizes", "i4", (seats,)),
        ("totals", "i4", (seats,)),
        *_OUTCOME,
        ("scores", "i4", (seats,)),
        ("deadwood", "i4", (seats,)),  # points of every hand that was shown, as it was laid out
    ]
    hidden: list[Any] = [*_GENERATORS, ("hands", "i8", (seats,))]
    if copies == 1:
        view += [("passes", "i4")]  # how often the upcard was refused, until a card is drawn or taken
    else:
        for name in ("hand", "pile_cards"):  # what of the sets above is there twice, three times
            view += [(f"{name}2", "i8"), (f"{name}3", "i8")]
        view += [
            ("known2", "i8", (seats,)),
            ("known3", "i8", (seats,)),
            ("wild", "i8"),  # cards of the cut card's rank; none where that is a joker
            ("cut", "i4"),  # the cut card, JOKER for a joker
            ("hand_jokers", "i4"),
            ("pile_jokers", "i4"),
            ("known_jokers", "i4", (seats,)),
            ("turns", "i4", (seats,)),  # turns finished by that seat, one in which it packed among them
            ("packed", "i4", (seats,)),  # 0, PACKED_FIRST, PACKED_LATER
        ]
        hidden += [("hands2", "i8", (seats,)), ("hands3", "i8", (seats,)), ("jokers", "i4", (seats,))]
    view += [("pile", "u1", (cards,))]  # from bottom to top
    hidden += [("stock", "u1", (cards,))]  # the next card to be drawn is the last, stock[stock_size - 1]
    return _with_hidden(view, hidden)


DTYPES: Final = {
    "straight": _table_game("straight", 4, NUM_FACES, two_decks=False),
    "rami": _table_game("rami", 6, 2 * NUM_FACES + MAX_JOKERS, two_decks=True),
    "indian": _hand_game("indian", 10, MAX_DECKS * NUM_FACES + MAX_JOKERS, copies=MAX_DECKS),
    "gin": _hand_game("gin", 2, NUM_FACES, copies=1),
}
"""(view, state) of every ruleset. A view is what one seat may know; seats in it are absolute, `seat` says who looks. A
state is one table: ``view``, that of the seat to play, and ``hidden``."""

VIEW_DTYPE: Final = DTYPES["straight"][0]
STATE_DTYPE: Final = DTYPES["straight"][1]


def view_dtype(ruleset: str) -> np.dtype[Any]:
    """The record of a seat's view."""
    return DTYPES[ruleset][0]


def new_states(ruleset: str, count: int) -> npt.NDArray[np.void]:
    """``count`` tables without a game: all zero. Shape (count,), the state of `DTYPES`."""
    return np.zeros(count, DTYPES[ruleset][1])


def numba_type(dtype: np.dtype[Any]) -> Any:
    """numba's type of one record of ``dtype``, for signatures of bots' compiled functions."""
    import numba

    return numba.from_dtype(dtype)
