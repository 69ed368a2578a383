"""Arrangements of hands by trying everything, in plain Python over card texts, from RULES.md alone."""

from __future__ import annotations

from collections.abc import Iterator

from oracle import RANKS, is_run, is_set, melds_in

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
