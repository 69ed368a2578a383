"""Arrangements of hands by trying everything, in plain Python over card texts, from RULES.md alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations

from oracle import RANKS, SUITS, is_run, is_set, melds_in

Melds = tuple[tuple[str, ...], ...]


# --- gin -----------------------------------------------------------------------------------------------------


def gin_points(cards: list[str], ace: int = 1, court: int = 10) -> int:
    values = {rank: number for number, rank in enumerate(RANKS, 1)} | {"A": ace, "J": court, "Q": court, "K": court}
    return sum(values[card[0]] for card in cards)


def arrangements(cards: list[str]) -> Iterator[tuple[Melds, list[str]]]:
    """(melds, cards in none) of every way to lay some of these cards in melds."""

    def ways(melds: list[list[str]], left: list[str]) -> Iterator[tuple[Melds, list[str]]]:
        if not melds:
            yield (), left
            return
        first, *others = melds
        yield from ways(others, left)
        if set(first) <= set(left):
            rest = [card for card in left if card not in first]
            for more, unmelded in ways([meld for meld in others if set(meld) <= set(rest)], rest):
                yield (tuple(first), *more), unmelded

    yield from ways(melds_in(cards), cards)


def fewest(cards: list[str], **values: int) -> int:
    """The fewest points of deadwood."""
    return min(gin_points(left, **values) for _, left in arrangements(cards))


def after_layoffs(cards: list[str], table: list[tuple[str, ...]], **values: int) -> int:
    """The fewest points of cards that may be laid off, one after the other and in any order, onto melds."""
    least = gin_points(cards, **values)
    for card in cards:
        for number, meld in enumerate(table):
            longer = (*meld, card)
            if is_set(longer) or is_run(longer):
                rest = [other for other in cards if other != card]
                after = [*table[:number], longer, *table[number + 1 :]]
                least = min(least, after_layoffs(rest, after, **values))
    return least


def settlement(knocker: list[str], defender: list[str], **values: int) -> tuple[int, int]:
    """(points of the knocker, of the defender) once a knock is settled."""
    least = fewest(knocker, **values)
    own = [left for _, left in arrangements(defender)]
    if least == 0:
        return 0, min(gin_points(left, **values) for left in own)
    tables = [list(melds) for melds, left in arrangements(knocker) if gin_points(left, **values) == least]
    return least, max(min(after_layoffs(left, table, **values) for left in own) for table in tables)


# --- indian --------------------------------------------------------------------------------------------------

JOKER = "Jk"
PLACES = RANKS + "A"
"""The ranks of a run's places, the ace at both ends."""


def is_wild(card: str, cut: str) -> bool:
    """Whether a card is wild when ``cut`` was cut."""
    return card == JOKER or (cut != JOKER and card[0] == cut[0])


def naturals_in_set(cards: tuple[str, ...], cut: str) -> int:
    """The most natural cards in these cards as a set; -1 where they are none."""
    if len(cards) not in (3, 4):
        return -1
    most = -1
    for rank in RANKS:
        fixed = [card for card in cards if not is_wild(card, cut)]
        if any(card[0] != rank for card in fixed) or len({card[1] for card in fixed}) < len(fixed):
            continue
        own = {card for card in cards if card != JOKER and is_wild(card, cut) and card[0] == rank}
        most = max(most, len(fixed) + len(own))
    return most


def naturals_in_run(cards: tuple[str, ...], cut: str) -> int:
    """The most natural cards in these cards as a run; -1 where they are none."""
    if not 3 <= len(cards) <= 13:
        return -1
    most = -1
    fixed = [card for card in cards if not is_wild(card, cut)]
    for suit in SUITS if not fixed else fixed[0][1]:
        for low in range(len(PLACES) - len(cards) + 1):
            row = [rank + suit for rank in PLACES[low : low + len(cards)]]
            if all(fixed.count(card) <= row.count(card) for card in fixed):
                own = {card for card in cards if is_wild(card, cut)} & set(row)
                most = max(most, len(fixed) + len(own))
    return most


@cache
def kinds(cards: tuple[str, ...], cut: str, naturals: int, triplets: bool) -> str:
    """What cards are as one meld: some of (n)atural run, (r)un, (t)riplet, (s)et."""
    in_run = naturals_in_run(cards, cut)
    found = "n" if in_run == len(cards) else "r" if in_run >= naturals else ""
    if triplets and len(cards) == 3 and len(set(cards)) == 1 and JOKER not in cards:
        found += "t"
    return found + ("s" if naturals_in_set(cards, cut) >= naturals else "")


def card_points(card: str, cut: str, ace: int = 11) -> int:
    """Points of a card left in a hand."""
    return 0 if is_wild(card, cut) else gin_points([card], ace=ace)


class Hand:
    """A hand whose arrangements are all tried. ``naturals``: the fewest natural cards of a meld."""

    def __init__(
        self, cards: Iterable[str], cut: str, naturals: int = 1, triplets: bool = False, ace: int = 11
    ) -> None:
        self.cards = tuple(sorted(cards, key=lambda card: (is_wild(card, cut), card)))
        self.cut = cut
        self.points = [card_points(card, cut, ace) for card in self.cards]
        self.melds: list[list[tuple[int, str]]] = [[] for _ in self.cards]
        """(cards as bits, kinds) of every meld, by its first card."""
        for size in range(3, len(self.cards) + 1):
            for some in combinations(range(len(self.cards)), size):
                what = kinds(tuple(self.cards[k] for k in some), cut, naturals, triplets)
                if what:
                    self.melds[some[0]].append((sum(1 << k for k in some), what))

    def _left(self, weights: list[int]) -> float:
        """The least weight of the cards in no meld, where there are a natural run or triplet and another one or run."""

        @cache
        def least(rest: int, natural: bool, second: bool) -> float:
            if not rest:
                return 0 if natural and second else float("inf")
            first = (rest & -rest).bit_length() - 1
            found = weights[first] + least(rest & (rest - 1), natural, second)
            for meld, what in self.melds[first]:
                if meld & ~rest:
                    continue
                for kind in what:
                    after = natural, second
                    if kind in "nt":
                        # The second has to be another meld.
                        after = (True, second or natural)
                        found = min(found, least(rest & ~meld, natural, True))
                    elif kind == "r":
                        after = natural, True
                    found = min(found, least(rest & ~meld, *after))
            return found

        return least((1 << len(self.cards)) - 1, False, False)

    def fewest(self) -> float:
        """The fewest points that the hand costs."""
        alone = [
            sum(points for k, points in enumerate(self.points) if not meld >> k & 1)
            for melds in self.melds
            for meld, what in melds
            if set(what) & set("nt")
        ]
        return min([sum(self.points), *alone, self._left(self.points)])

    def declarable(self) -> bool:
        """Whether all cards lie in melds as a declaration asks."""
        return self._left([1] * len(self.cards)) == 0
