"""A hand laid out in melds for people to look at: what the compiled searches found, with every card in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS, Card, card_text, from_mask, rank_of, suit_of, to_mask
from rummy_env.core import deadwood, declaration
from rummy_env.core.declaration import FIT, NEEDS_NOTHING, NEEDS_RUN, NEEDS_SECOND, POINTS
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, LONGEST_RUN, Arrangement

if TYPE_CHECKING:
    from rummy_env.rules import Rules


def arrangement_of(
    melds: Sequence[Sequence[Card]], cards: Sequence[Card], points: int, declarable: bool
) -> Arrangement:
    """The arrangement of ``cards`` with these melds."""
    left = Counter(cards) - Counter(card for meld in melds for card in meld)
    texts = tuple(tuple(map(card_text, meld)) for meld in melds)
    return Arrangement(points, texts, tuple(map(card_text, sorted(left.elements()))), declarable)


# --- gin -----------------------------------------------------------------------------------------------------


def sets_and_runs(sets: int, runs: int) -> list[list[Card]]:
    """The melds of a gin hand: every rank of the cards ``sets`` is a set, every row of the cards ``runs`` a run."""
    by_rank: dict[int, list[Card]] = {}
    for card in from_mask(sets):
        by_rank.setdefault(rank_of(card), []).append(card)
    rows: list[list[Card]] = []
    for card in from_mask(runs):
        if rows and rows[-1][-1] + 1 == card and rank_of(card):
            rows[-1].append(card)
        else:
            rows.append([card])
    return [*by_rank.values(), *rows]


def arrange_gin(rules: Rules, cards: Sequence[Card]) -> Arrangement:
    """The arrangement of a gin hand, different cards, with the fewest points."""
    found = np.zeros(1, deadwood.ARRANGEMENT_DTYPE)
    deadwood.arrange(rules.record, to_mask(cards), found)
    sets, runs, points = found[0].tolist()
    return arrangement_of(sets_and_runs(sets, runs), cards, points, declarable=False)


# --- indian --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Meld:
    """A meld in the making. ``cards``: None where a wild is to stand. ``low``: the lowest place of a run, else -1.

    ``suit``: of a run. ``first``: without it nothing counts, so it takes no wilds.
    """

    cards: tuple[Card | None, ...]
    low: int = -1
    suit: int = 0
    first: bool = False

    @property
    def is_run(self) -> bool:
        return self.low >= 0

    @property
    def is_triplet(self) -> bool:
        return not self.is_run and self.cards[0] == self.cards[1]

    @property
    def naturals(self) -> list[Card]:
        return [card for card in self.cards if card is not None]

    def own(self, at: int) -> Card:
        """The card in whose place a run's wild stands."""
        return self.suit * NUM_RANKS + (self.low + at) % NUM_RANKS


@dataclass(frozen=True, slots=True)
class _Rest:
    """Cards not laid out yet, as `declaration` holds them: natural cards (those of the wild rank among them, as long as
    one may be wanted in its own place) and the number of wilds."""

    cards: tuple[Card, ...]
    wilds: int
    wild_rank: int

    @property
    def masks(self) -> tuple[int, int, int]:
        count = Counter(self.cards)
        one, two, three = (to_mask(card for card in count if count[card] >= copies) for copies in (1, 2, 3))
        return one, two, three

    @property
    def live(self) -> list[Card]:
        """The cards that are not wild, lowest first."""
        return sorted(card for card in self.cards if rank_of(card) != self.wild_rank)

    def without(self, meld: _Meld) -> _Rest | None:
        """What is left after a meld, or None where it takes more than there is."""
        naturals = meld.naturals
        wilds = len(meld.cards) - len(naturals) + sum(rank_of(card) == self.wild_rank for card in naturals)
        if wilds > self.wilds or Counter(naturals) - Counter(self.cards):
            return None
        return self.less(naturals, wilds)

    def less(self, cards: Sequence[Card], wilds: int = 0) -> _Rest:
        left = Counter(self.cards) - Counter(cards)
        return replace(self, cards=tuple(left.elements()), wilds=self.wilds - wilds)


def arrange_indian(rules: Rules, cards: Sequence[Card], cut: Card) -> Arrangement:
    """The arrangement of a hand of indian with the fewest points; declarable where it can be. ``cut``: the cut card."""
    naturals = [card for card in cards if card != JOKER]
    rank = -1 if cut == JOKER else rank_of(cut)
    wilds = [card for card in cards if card == JOKER or rank_of(card) == rank]
    whole = _Rest(tuple(naturals), len(wilds), rank)
    points, declarable, _ = declaration.arrange(rules.record, *whole.masks, cards.count(JOKER), cut)
    melds = _Layout(rules, cut, bool(declarable), points).of_hand(whole)
    return arrangement_of(_filled(melds, wilds), cards, int(points), bool(declarable))


@dataclass(frozen=True, slots=True)
class _Layout:
    """Melds that reach what the search found, put down one by one: each is the first that keeps it within reach."""

    rules: Rules
    cut: Card
    declarable: bool
    points: int

    def of_hand(self, whole: _Rest) -> list[_Meld]:
        firsts = [(meld, rest) for meld in self._firsts(whole) if (rest := whole.without(meld)) is not None]
        for first, rest in firsts:
            # Beside a triplet a run takes the wilds that are left over, see `declaration`.
            need = NEEDS_RUN if self.declarable and first.is_triplet else NEEDS_SECOND
            if self._left(rest, need) == self._wanted:
                return [first, *self._others(rest, need, self._wanted)]
        for first, rest in firsts:
            if self.declarable and first.is_triplet and self._sets_hold(rest, 0, NEEDS_SECOND):
                return [first, *self._sets(rest, 0, NEEDS_SECOND)]
        for first, rest in firsts:
            if sum(map(self.rules.card_points, rest.live)) == self.points:
                return [first]
        return []

    @property
    def _wanted(self) -> int:
        """What is left of the hand: no card where it can be declared."""
        return 0 if self.declarable else self.points

    def _left(self, rest: _Rest, need: int) -> int:
        goal = FIT if self.declarable else POINTS
        return int(declaration.rest(self.rules.record, goal, *rest.masks, rest.wilds, self.cut, need))

    def _sets_hold(self, rest: _Rest, room: int, need: int) -> bool:
        return bool(declaration.sets_hold(self.rules.record, *rest.masks, rest.wilds, room, self.cut, need))

    def _firsts(self, whole: _Rest) -> Iterator[_Meld]:
        for suit in range(NUM_SUITS):
            for low in range(HIGH_ACE - 1):
                for size in range(LEAST_CARDS, min(LONGEST_RUN, HIGH_ACE + 1 - low) + 1):
                    cards = tuple(suit * NUM_RANKS + place % NUM_RANKS for place in range(low, low + size))
                    if set(cards) <= set(whole.cards):
                        yield _Meld(cards, low, suit, first=True)
        if self.rules.has_triplets:
            yield from (_Meld((card,) * 3, first=True) for card in sorted(set(whole.cards)))

    def _others(self, rest: _Rest, need: int, wanted: int) -> Iterator[_Meld]:
        """Melds of the rest that leave ``wanted``."""
        while rest.live:
            lowest = rest.live[0]
            for meld in self._melds(rest, lowest):
                after = rest.without(meld)
                serves = meld.is_run or (meld.is_triplet and need != NEEDS_RUN)
                if after is not None and self._left(after, NEEDS_NOTHING if serves else need) == wanted:
                    yield meld
                    rest, need = after, NEEDS_NOTHING if serves else need
                    break
            else:
                copies = [card for card in rest.live if card == lowest]
                rest = rest.less(copies)
                wanted -= 0 if self.declarable else len(copies) * self.rules.card_points(lowest)
        if need != NEEDS_NOTHING:
            # A card of the wild rank in its own place, and two wilds.
            card = next(card for card in rest.cards if rank_of(card) == rest.wild_rank)
            low = min(rank_of(card), HIGH_ACE + 1 - LEAST_CARDS)
            row = [None if low + k != rank_of(card) else card for k in range(LEAST_CARDS)]
            yield _Meld(tuple(row), low, suit_of(card))

    def _melds(self, rest: _Rest, card: Card) -> Iterator[_Meld]:
        """Melds with a card of which it is the lowest that is not wild; the more natural cards the earlier."""
        held = set(rest.cards)
        suit = suit_of(card)
        for place in (rank_of(card),) if rank_of(card) else (0, HIGH_ACE):
            for low in range(min(place, HIGH_ACE - 2) + 1):
                for size in range(max(LEAST_CARDS, place - low + 1), min(LONGEST_RUN, HIGH_ACE + 1 - low) + 1):
                    row = [suit * NUM_RANKS + at % NUM_RANKS for at in range(low, low + size)]
                    for kept in _subsets([other for other in row if other in held and other != card]):
                        cards = tuple(other if other == card or other in kept else None for other in row)
                        if len(kept) + 1 >= self.rules.min_naturals:
                            yield _Meld(cards, low, suit)
        if self.rules.has_triplets:
            yield _Meld((card,) * 3)
        yield from self._sets_with(rest, card, 1)

    def _sets_with(self, rest: _Rest, card: Card, least: int) -> Iterator[_Meld]:
        """Sets with a card and others of its rank, natural cards above it, at least ``least`` natural."""
        others = sorted({other for other in rest.cards if rank_of(other) == rank_of(card) and other > card})
        for kept in _subsets(others):
            naturals = (card, *kept)
            if len(naturals) >= max(least, self.rules.min_naturals):
                yield _Meld(naturals + (None,) * (LEAST_CARDS - len(naturals)))

    def _sets(self, rest: _Rest, room: int, need: int) -> Iterator[_Meld]:
        """Sets and triplets that take all cards of the rest, wilds included."""
        while rest.cards:
            lowest = min(rest.cards)
            for meld in (_Meld((lowest,) * 3), *self._sets_with(rest, lowest, 2)):
                after = rest.without(meld)
                to = NEEDS_NOTHING if meld.is_triplet else need
                more = room if meld.is_triplet else room + NUM_SUITS - len(meld.cards)
                if after is not None and self._sets_hold(after, more, to):
                    yield meld
                    rest, room, need = after, more, to
                    break
            else:  # A wild like any other.
                rest = rest.less([card for card in rest.cards if card == lowest])


def _subsets(cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """All subsets, the whole first."""
    for chosen in reversed(range(1 << len(cards))):
        yield tuple(card for k, card in enumerate(cards) if chosen >> k & 1)


def _filled(melds: Sequence[_Meld], wilds: Sequence[Card]) -> list[list[Card]]:
    """The melds with wilds in their places, and those left over where melds have room for them."""
    pool = Counter(wilds)
    for meld in melds:
        pool -= Counter(card for card in meld.naturals if card in pool)
    laid: list[list[Card]] = []
    for meld in melds:
        row = list(meld.cards)
        for at, card in enumerate(row):
            if card is None and meld.is_run and pool[meld.own(at)]:
                row[at] = meld.own(at)
                pool[meld.own(at)] -= 1
        laid.append(row)  # type: ignore[arg-type] # filled below
    for filled in laid:
        for at, card in enumerate(filled):
            if card is None:
                filled[at] = _next(pool)
    if len(melds) > 1:
        # A run beside the first meld takes what is left over, a first run where a triplet can be the first; else sets.
        runs = [k for k, meld in enumerate(melds) if meld.is_run]
        runs = [k for k in runs if not melds[k].first or any(meld.is_triplet for meld in melds)]
        for k in runs:
            low, high = melds[k].low, melds[k].low + len(laid[k])
            while pool.total() and high - low < LONGEST_RUN:
                if high <= HIGH_ACE:
                    laid[k].append(_next(pool))
                    high += 1
                else:
                    laid[k].insert(0, _next(pool))
                    low -= 1
        for k, meld in enumerate(melds):
            if not meld.is_run and not meld.is_triplet and pool.total() and len(laid[k]) < NUM_SUITS:
                laid[k].append(_next(pool))
    return laid


def _next(pool: Counter[Card]) -> Card:
    """Take a wild, jokers last."""
    card = min(pool.elements())
    pool[card] -= 1
    return card
