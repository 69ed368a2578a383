"""Runs with the ace at either end: a suit's 14 places, 0 for the ace below a 2 to 13 for the ace above the king."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import NUM_RANKS
from rummy_env.core.kernel import inner
from rummy_env.melds import HIGH_ACE

_SUIT: Final = (1 << NUM_RANKS) - 1


@inner
def suit_places(cards, suit):
    """The places of a suit's runs that a set of cards can fill, 14 bits; an ace fills both ends."""
    ranks = (cards >> np.int64(NUM_RANKS * suit)) & np.int64(_SUIT)
    return ranks | (ranks & 1) << HIGH_ACE


@inner
def places_mask(suit, places):
    """The cards that fill ``places``."""
    ranks = (places | places >> HIGH_ACE) & np.int64(_SUIT)
    return ranks << np.int64(NUM_RANKS * suit)


@inner
def card_at(suit, place):
    """The card that stands at a place."""
    return suit * NUM_RANKS + (0 if place == HIGH_ACE else place)
