"""Melds in sets of cards: which are there, which cards lie in one, which cards would complete one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.actions import RUN_STARTS, run_cards, set_cards
from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS, to_mask
from rummy_env.core.kernel import inner

_SUIT: Final = (1 << NUM_RANKS) - 1


def _every_suit(ranks: int) -> int:
    return sum(ranks << NUM_RANKS * suit for suit in range(NUM_SUITS))


ONE_OF_EACH_SUIT: Final = _every_suit(1)
STARTS_OF_3: Final = _every_suit(_SUIT >> 2)
"""Cards with two more of their suit above them: all but queens and kings."""
STARTS_OF_2: Final = _every_suit(_SUIT >> 1)
NOT_ACE: Final = _every_suit(_SUIT & ~1)
NOT_KING: Final = _every_suit(_SUIT >> 1)
RUN_STARTS_MASK: Final = _SUIT >> 2
_HIGH_RUN: Final = 1 | 3 << (NUM_RANKS - 2)
"""Q K A of spades."""


@inner
def runs_of_3(cards):
    """Lowest cards of all runs of three in ``cards``."""
    return cards & (cards >> 1) & (cards >> 2) & STARTS_OF_3


@inner
def in_rows(cards):
    """The cards that lie in rows of three or more of a suit, the ace below the 2."""
    starts = runs_of_3(cards)
    return starts | (starts << 1) | (starts << 2)


@inner
def in_high_runs(cards):
    """The cards that lie in a run of queen, king and ace."""
    aces = cards & (cards >> (NUM_RANKS - 2)) & (cards >> (NUM_RANKS - 1)) & ONE_OF_EACH_SUIT
    return aces * _HIGH_RUN


@inner
def run_indices(starts):
    """Lowest cards of runs of three as a set of indices of the ``meld_run`` actions (11 for each suit)."""
    packed = starts & RUN_STARTS_MASK
    packed |= ((starts >> 13) & RUN_STARTS_MASK) << 11
    packed |= ((starts >> 26) & RUN_STARTS_MASK) << 22
    packed |= ((starts >> 39) & RUN_STARTS_MASK) << 33
    return packed


@inner
def sets_of_3(cards):
    """All sets of three in ``cards``, each as the card of its rank that it leaves out."""
    s = cards & _SUIT
    h = (cards >> 13) & _SUIT
    d = (cards >> 26) & _SUIT
    c = cards >> 39
    return (h & d & c) | ((s & d & c) << 13) | ((s & h & c) << 26) | ((s & h & d) << 39)


@inner
def ranks_in_sets(cards):
    """Ranks of which ``cards`` hold three or more, bit r for rank r."""
    sets = sets_of_3(cards)
    return (sets | (sets >> 13) | (sets >> 26) | (sets >> 39)) & _SUIT


@inner
def in_melds(cards):
    """The cards that are part of some meld within ``cards``."""
    return in_rows(cards) | (ranks_in_sets(cards) * ONE_OF_EACH_SUIT & cards)


@inner
def completing_runs(cards):
    """Cards outside ``cards`` that would form a run of three with two cards of it, the ace low."""
    # The gap between two, or either side of two neighbours.
    above = cards & STARTS_OF_2 & (cards >> 1)
    runs = ((cards & NOT_KING) << 1 & (cards >> 1 & NOT_KING)) | ((above & NOT_ACE) >> 1) | ((above & STARTS_OF_3) << 2)
    return runs & ~cards


@inner
def completing_high(cards):
    """Cards outside ``cards`` that would form a run of queen, king and ace with two cards of it."""
    aces = cards & ONE_OF_EACH_SUIT
    kings = (cards >> (NUM_RANKS - 1)) & ONE_OF_EACH_SUIT
    queens = (cards >> (NUM_RANKS - 2)) & ONE_OF_EACH_SUIT
    found = queens & kings & ~aces
    found |= (queens & aces & ~kings) << (NUM_RANKS - 1)
    return found | (kings & aces & ~queens) << (NUM_RANKS - 2)


@inner
def completing(cards):
    """Cards outside ``cards`` that would form a meld of three with two cards of it, the ace low. May name cards that a
    small deck does not have."""
    s = cards & _SUIT
    h = (cards >> 13) & _SUIT
    d = (cards >> 26) & _SUIT
    c = cards >> 39
    pairs = (s & h) | (s & d) | (s & c) | (h & d) | (h & c) | (d & c)
    return completing_runs(cards) | (pairs * ONE_OF_EACH_SUIT & ~cards)


@inner
def run_mask(suit, low, size):
    """The cards of a run."""
    return ((np.int64(1) << np.int64(size)) - np.int64(1)) << np.int64(suit * NUM_RANKS + low)


@inner
def set_mask(rank, suits):
    """The cards of a set of ``rank``; ``suits`` has bit s for suit s."""
    cards = np.int64(0)
    for suit in range(NUM_SUITS):
        if suits >> suit & 1:
            cards |= np.int64(1) << np.int64(suit * NUM_RANKS + rank)
    return cards


NUM_PAIRS: Final = 6


def _pairs() -> tuple[Any, Any]:
    """What `PAIRS` and `REVEALING` hold."""
    pairs = np.zeros((NUM_FACES, NUM_PAIRS), np.int64)
    revealing = np.zeros((NUM_FACES, NUM_PAIRS), np.int64)
    melds = [to_mask(set_cards(left_out)) for left_out in range(NUM_FACES)]
    melds += [to_mask(run_cards(index)) for index in range(NUM_SUITS * RUN_STARTS)]
    for card in range(NUM_FACES):
        own = [meld & ~(1 << card) for meld in melds if meld >> card & 1]
        for k, pair in enumerate(own):
            others = [meld & ~pair for meld in melds if meld & pair == pair and not meld >> card & 1]
            pairs[card, k] = pair
            revealing[card, k] = sum(others)
    return pairs, revealing


PAIRS, REVEALING = _pairs()
"""``PAIRS``: for each card the (at most six) sets of two cards that make a meld of three with it, then zeros.
``REVEALING``: the other cards with which the same two make a meld. Who lets one of those lie has not got the two."""
