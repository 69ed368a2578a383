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
from rummy_env.rules import MAX_SEATS

DRAW: Final = 0
PLAY: Final = 1
OVER: Final = 2
PHASES: Final = ("draw", "play", "over")
"""Names of the phases by their number."""

SET: Final = 0
RUN: Final = 1

NOBODY: Final = -1
NO_CARD: Final = -1

MELDED: Final = 1
LAID_OFF: Final = 2
"""Bits of ``down_now``: what the seat to play put down in this turn."""

MAX_MELDS: Final = NUM_FACES // 3
LEGAL_WORDS: Final = -(-num_actions("straight") // WORD)

VIEW_DTYPE: Final = np.dtype(
    [
        # Sets of cards, bit c for card c.
        ("hand", "i8"),  # of `seat`; the only field that not everybody knows, with `legal`
        ("table", "i8"),  # cards in melds
        ("fits_set", "i8"),  # cards that could be laid off onto a set …
        ("fits_low", "i8"),  # … onto the low end of a run
        ("fits_high", "i8"),  # … onto the high end of a run
        ("pile_cards", "i8"),
        ("returned", "i8"),  # shuffled back by the last refill and not seen since
        ("known", "i8", (MAX_SEATS,)),  # taken from the pile by that seat and not put down since
        ("discarded", "i8", (MAX_SEATS,)),  # by that seat in this round
        ("refused", "i8", (MAX_SEATS,)),  # left on the pile by that seat when it drew
        ("legal", "u8", (LEGAL_WORDS,)),  # legal actions of `seat`, bit a for action a; none where it waits
        ("seat", "i4"),  # whose view this is
        ("to_play", "i4"),
        ("phase", "i4"),  # DRAW, PLAY, OVER
        ("taken", "i4"),  # card taken from the pile in this turn, or NO_CARD
        ("down_now", "i4"),  # MELDED | LAID_OFF: put down in this turn
        ("turn", "i4"),  # turns finished in this round
        ("dealer", "i4"),
        ("reshuffles", "i4"),
        ("stock_size", "i4"),
        ("pile_size", "i4"),
        ("num_melds", "i4"),
        ("round", "i4"),  # rounds finished in this match
        ("hand_sizes", "i4", (MAX_SEATS,)),
        ("put_down", "i4", (MAX_SEATS,)),  # 1: put something on the table in an earlier turn, no rummy any more
        ("drawn", "i4", (MAX_SEATS,)),  # cards drawn from the stock since the last refill
        ("totals", "i4", (MAX_SEATS,)),
        # The outcome, once the phase is OVER.
        ("winner", "i4"),  # or NOBODY
        ("doubled", "i4"),
        ("void", "i4"),
        ("truncated", "i4"),  # void because of max_turns
        ("scores", "i4", (MAX_SEATS,)),
        # The pile from bottom to top, and the melds in the order in which they were put down.
        ("pile", "u1", (NUM_FACES,)),
        ("meld_kind", "u1", (MAX_MELDS,)),  # SET, RUN
        ("meld_key", "u1", (MAX_MELDS,)),  # a set's rank, a run's suit
        ("meld_low", "u1", (MAX_MELDS,)),  # a run's lowest rank; 0 for a set
        ("meld_size", "u1", (MAX_MELDS,)),
        ("meld_suits", "u1", (MAX_MELDS,)),  # a set's suits, bit s for suit s; 0 for a run
        ("meld_by", "u1", (MAX_MELDS,)),
    ],
    align=True,
)
"""What one seat may know. Seats are absolute; `seat` says who looks."""

HIDDEN_DTYPE: Final = np.dtype(
    [
        ("rng", "u8"),  # shuffles
        ("bot_rng", "u8"),  # random numbers of bots that play inside a batch
        ("hands", "i8", (MAX_SEATS,)),
        ("stock", "u1", (NUM_FACES,)),  # the next card to be drawn is the last, stock[stock_size - 1]
    ],
    align=True,
)

STATE_DTYPE: Final = np.dtype([("view", VIEW_DTYPE), ("hidden", HIDDEN_DTYPE)], align=True)
"""One table."""


def new_states(count: int) -> npt.NDArray[np.void]:
    """``count`` tables without a game: all zero. Shape (count,), `STATE_DTYPE`."""
    return np.zeros(count, STATE_DTYPE)


def numba_type(dtype: np.dtype[Any]) -> Any:
    """numba's type of one record of ``dtype``, for signatures of bots' compiled functions."""
    import numba

    return numba.from_dtype(dtype)
