"""Sets and runs as people put them down: reading cards as a meld, its cards in order, its worth in an opening.

A run has places 0 (the ace below a 2) to 13 (the ace above the king). Kernels keep the same fields for every meld of
the table, see `rummy_env.core.state`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS, Card, rank_of, suit_of

HIGH_ACE: Final = NUM_RANKS
LONGEST_RUN: Final = NUM_RANKS
LEAST_CARDS: Final = 3
LEAST_NATURALS: Final = 2


@dataclass(frozen=True, slots=True)
class Meld:
    """A set or a run.

    ``key``: a set's rank, a run's suit. ``low``: a run's lowest place, 0 for a set. ``suits``: of a set's natural
    cards, bit s for suit s, 0 for a run. ``jokers``: a run's joker places, bit p for place p; how many a set has.
    """

    is_run: bool
    key: int
    low: int
    size: int
    suits: int
    jokers: int

    @property
    def cards(self) -> tuple[Card, ...]:
        """A run from low to high with the jokers in their places; a set by suits, jokers last."""
        if self.is_run:
            return tuple(
                JOKER if self.jokers >> place & 1 else self.key * NUM_RANKS + place % NUM_RANKS for place in self.places
            )
        naturals = tuple(suit * NUM_RANKS + self.key for suit in range(NUM_SUITS) if self.suits >> suit & 1)
        return naturals + (JOKER,) * self.jokers

    @property
    def places(self) -> range:
        """The places of a run."""
        return range(self.low, self.low + self.size)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand in melds.

    ``points``: the fewest that it can cost. ``melds``: card texts, a run from low to high with a wild card where it
    stands. ``deadwood``: the cards in no meld that counts. ``declarable`` (indian): all cards lie in melds as a
    declaration asks.
    """

    points: int
    melds: tuple[tuple[str, ...], ...]
    deadwood: tuple[str, ...]
    declarable: bool = False


def read_meld(cards: Sequence[Card], high_ace: bool) -> Meld | None:
    """The meld that these cards form, or None.

    Natural cards may come in any order; with a joker in a run the order counts. ``high_ace``: an ace may stand above
    the king.
    """
    naturals = [card for card in cards if card != JOKER]
    if len(cards) < LEAST_CARDS or len(naturals) < LEAST_NATURALS:
        return None
    return _read_set(naturals, len(cards)) or _read_run(cards, naturals, high_ace)


def _read_set(naturals: list[Card], size: int) -> Meld | None:
    suits = {suit_of(card) for card in naturals}
    if len({rank_of(card) for card in naturals}) > 1 or len(suits) < len(naturals) or size > NUM_SUITS:
        return None
    return Meld(False, rank_of(naturals[0]), 0, size, sum(1 << suit for suit in suits), size - len(naturals))


def _read_run(cards: Sequence[Card], naturals: list[Card], high_ace: bool) -> Meld | None:
    suit = suit_of(naturals[0])
    if any(suit_of(card) != suit for card in naturals) or len(cards) > LONGEST_RUN:
        return None
    if len(naturals) == len(cards):
        last = rank_of(cards[-1])
        cards = sorted(cards)
        # All thirteen of a suit are a run with the ace at either end: then it stands where it is written.
        stands_high = rank_of(cards[1]) != 1 or (len(cards) == LONGEST_RUN and last == 0)
        if high_ace and rank_of(cards[0]) == 0 and stands_high:
            cards = [*cards[1:], cards[0]]
    if any(left == right == JOKER for left, right in pairwise(cards)):
        return None
    at = next((k for k, card in enumerate(cards) if card != JOKER and (rank_of(card) or k == 0)), None)
    if at is None:  # Aces behind jokers.
        return None
    low = rank_of(cards[at]) - at
    for place, card in enumerate(cards, low):
        if not 0 <= place <= (HIGH_ACE if high_ace else HIGH_ACE - 1):
            return None
        if card != JOKER and rank_of(card) != place % NUM_RANKS:
            return None
    return Meld(True, suit, low, len(cards), 0, sum(1 << low + k for k, card in enumerate(cards) if card == JOKER))


def is_meld_with_wilds(cards: Sequence[Card], wild_rank: int | None, least_naturals: int, triplets: bool) -> bool:
    """Whether these cards form a set or a run in which jokers and cards of the wild rank may stand for others.

    Natural cards may come in any order; with a wild in a run the order counts. A card of the wild rank in its own
    place is natural. ``least_naturals``: natural cards that a meld needs. ``triplets``: whether three identical cards
    are one.
    """
    if triplets and len(cards) == LEAST_CARDS and len(set(cards)) == 1 and cards[0] != JOKER:
        return True
    if JOKER not in cards and read_meld(cards, high_ace=True):
        return True

    def is_wild(card: Card) -> bool:
        return card == JOKER or rank_of(card) == wild_rank

    fixed = [card for card in cards if not is_wild(card)]
    own = {card for card in cards if card != JOKER and is_wild(card)}
    if LEAST_CARDS <= len(cards) <= NUM_SUITS and len({rank_of(card) for card in fixed}) <= 1:
        # Wilds alone are a set of the wild rank.
        naturals = len(fixed) or len(own)
        if len({suit_of(card) for card in fixed}) == len(fixed) and naturals >= least_naturals:
            return True
    if not LEAST_CARDS <= len(cards) <= LONGEST_RUN:
        return False
    for suit in range(NUM_SUITS):
        for low in range(HIGH_ACE + 2 - len(cards)):
            row = [suit * NUM_RANKS + place % NUM_RANKS for place in range(low, low + len(cards))]
            naturals = sum(card == place for card, place in zip(cards, row, strict=True))
            fits = all(card == place or is_wild(card) for card, place in zip(cards, row, strict=True))
            if fits and naturals >= least_naturals:
                return True
    return False


def extended(meld: Meld, card: Card, end: str, high_ace: bool) -> Meld | None:
    """The meld with one more card, natural or joker, or None where it does not take it.

    ``end``: "set" for a set, "low" or "high" for a run.
    """
    if meld.is_run != (end in ("low", "high")):
        return None
    longer = read_meld((card, *meld.cards) if end == "low" else (*meld.cards, card), high_ace)
    if longer is None or longer.is_run != meld.is_run or longer.low != meld.low - (end == "low"):
        return None
    return longer


def swap_place(meld: Meld, card: Card) -> int | None:
    """The place of the joker that a natural card can replace (0 in a set), or None."""
    if not meld.jokers or card == JOKER:
        return None
    if not meld.is_run:
        return 0 if rank_of(card) == meld.key and not meld.suits >> suit_of(card) & 1 else None
    if suit_of(card) != meld.key:
        return None
    places = (rank_of(card), HIGH_ACE) if rank_of(card) == 0 else (rank_of(card),)
    return next((place for place in places if meld.jokers >> place & 1), None)
