"""What a turn of rami allows, slowly and in plain Python, from RULES.md alone.

A hand is a sorted tuple of cards (52: a joker). A meld of the table is ``("set", rank, suits, jokers)`` or ``("run",
suit, lowest place, jokers)``, the last a tuple with True for a joker's place; place 13 is the ace above the king.
Moves are named, never numbered; whether one leads into a dead end is found by trying the whole rest of the turn.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

Hand = tuple[int, ...]
Meld = tuple[Any, ...]
Table = tuple[Meld, ...]

JOKER = 52


def place_points(place: int) -> int:
    return 11 if place == 13 else min(place + 1, 10)


def card_at(suit: int, place: int) -> int:
    return suit * 13 + place % 13


def points(meld: Meld) -> int:
    """What a meld counts in an opening."""
    if meld[0] == "set":
        _, rank, suits, jokers = meld
        return (11 if rank == 0 else min(rank + 1, 10)) * (len(suits) + jokers)
    _, _, low, jokers = meld
    return sum(place_points(low + k) for k in range(len(jokers)))


def is_meld(meld: Meld) -> bool:
    if meld[0] == "set":
        _, _, suits, jokers = meld
        return 3 <= len(suits) + jokers <= 4 and len(suits) >= 2
    _, _, low, jokers = meld
    return (
        3 <= len(jokers) <= 13
        and low >= 0
        and low + len(jokers) <= 14
        and jokers.count(False) >= 2
        and not any(left and right for left, right in itertools.pairwise(jokers))
    )


def cards_of(meld: Meld) -> list[int]:
    """The cards of a meld, jokers included."""
    if meld[0] == "set":
        return [suit * 13 + meld[1] for suit in meld[2]] + [JOKER] * meld[3]
    return [JOKER if joker else card_at(meld[1], meld[2] + k) for k, joker in enumerate(meld[3])]


def melds_of_three(hand: Hand) -> set[Meld]:
    """Every meld of three that the hand holds, with at most one joker."""
    held = Counter(hand)
    found: set[Meld] = set()
    for jokers in (0, 1):
        for rank in range(13):
            for suits in itertools.combinations(range(4), 3 - jokers):
                found.add(("set", rank, frozenset(suits), jokers))
    for suit in range(4):
        for low in range(12):
            for joker in (None, 0, 1, 2):
                found.add(("run", suit, low, tuple(k == joker for k in range(3))))
    return {meld for meld in found if is_meld(meld) and not Counter(cards_of(meld)) - held}


def layoffs(meld: Meld, hand: Hand) -> Iterator[tuple[int, str, Meld]]:
    """(card, end, longer meld) for every card of the hand that a meld takes."""
    for card in set(hand):
        if meld[0] == "set":
            _, rank, suits, jokers = meld
            if card == JOKER:
                longer: Meld = ("set", rank, suits, jokers + 1)
            elif card % 13 == rank and card // 13 not in suits:
                longer = ("set", rank, suits | {card // 13}, jokers)
            else:
                continue
            if is_meld(longer):
                yield card, "set", longer
            continue
        _, suit, low, places = meld
        for end in ("low", "high"):
            place = low - 1 if end == "low" else low + len(places)
            if card != JOKER and card != card_at(suit, place):
                continue
            joker = (card == JOKER,)
            longer = ("run", suit, min(low, place), joker + places if end == "low" else places + joker)
            if is_meld(longer):
                yield card, end, longer


def swaps(meld: Meld, hand: Hand) -> Iterator[tuple[int, Meld]]:
    """(card, meld afterwards) for every card of the hand that can take the place of a joker."""
    for card in set(hand) - {JOKER}:
        if meld[0] == "set":
            _, rank, suits, jokers = meld
            if jokers and card % 13 == rank and card // 13 not in suits:
                yield card, ("set", rank, suits | {card // 13}, jokers - 1)
            continue
        _, suit, low, places = meld
        for k, joker in enumerate(places):
            if joker and card == card_at(suit, low + k):
                yield card, ("run", suit, low, (*places[:k], False, *places[k + 1 :]))


def without(hand: Hand, cards: list[int]) -> Hand:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


Owed = tuple[int | None, int]
"""The taken card that has to go down, or None; how many freed jokers have to."""


def paid(owed: Owed, cards: list[int]) -> Owed:
    """What is owed after these cards went down. A joker meets the duty of a taken joker first."""
    taken, freed = owed
    jokers = cards.count(JOKER)
    if taken is not None and taken in cards:
        jokers -= taken == JOKER
        taken = None
    return taken, max(0, freed - jokers)


def moves(hand: Hand, table: Table, owed: Owed) -> Iterator[tuple[tuple[Any, ...], Hand, Table, Owed]]:
    """(name, hand, table, owed afterwards) of every meld of three, lay-off and swap of a player who has opened."""
    for meld in melds_of_three(hand):
        cards = cards_of(meld)
        yield ("meld", meld), without(hand, cards), (*table, meld), paid(owed, cards)
    for number, meld in enumerate(table):

        def with_meld(new: Meld, number: int = number) -> Table:
            return (*table[:number], new, *table[number + 1 :])

        for card, end, longer in layoffs(meld, hand):
            yield layoff_name(card, end, longer), without(hand, [card]), with_meld(longer), paid(owed, [card])
        for card, after in swaps(meld, hand):
            taken, freed = owed
            name = ("swap", meld[0], card)
            rest = tuple(sorted((*without(hand, [card]), JOKER)))
            yield name, rest, with_meld(after), (None if taken == card else taken, freed + 1)


def layoff_name(card: int, end: str, longer: Meld) -> tuple[Any, ...]:
    """A joker is named by what it stands for."""
    if card != JOKER:
        return ("layoff", end, card)
    if end == "set":
        return ("joker", end, longer[1])
    return ("joker", end, card_at(longer[1], longer[2] + (0 if end == "low" else len(longer[3]) - 1)))


def meets_duties(hand: Hand, table: Table, owed: Owed, seen: dict[Any, bool]) -> bool:
    """Whether the rest of the turn can pay all that is owed; an empty hand pays everything."""
    if owed == (None, 0) or not hand:
        return True
    key = (hand, tuple(sorted(map(repr, table))), owed)
    if key not in seen:
        seen[key] = False
        seen[key] = any(meets_duties(*after, seen) for _, *after in moves(hand, table, owed))
    return seen[key]


def legal_when_opened(hand: Hand, table: Table, owed: Owed) -> set[tuple[Any, ...]]:
    """Names of the legal melds of three, lay-offs and swaps of a player who has opened."""
    seen: dict[Any, bool] = {}
    return {name for name, *after in moves(hand, table, owed) if meets_duties(*after, seen)}


def pieces(hand: Hand, pending: Table) -> Iterator[tuple[tuple[Any, ...], Hand, Table, list[int]]]:
    """(name, hand, pending melds, cards put down) of every next piece of an opening."""
    for meld in melds_of_three(hand):
        yield ("meld", meld), without(hand, cards_of(meld)), (*pending, meld), cards_of(meld)
    for number, meld in enumerate(pending):
        for card, end, longer in layoffs(meld, hand):
            melds = (*pending[:number], longer, *pending[number + 1 :])
            yield layoff_name(card, end, longer), without(hand, [card]), melds, [card]


def stands(hand: Hand, pending: Table, taken: int | None, threshold: int) -> bool:
    """Whether the pending melds are an opening: the taken card in it, the threshold or at most one card left."""
    return bool(pending) and taken is None and (len(hand) <= 1 or sum(map(points, pending)) >= threshold)


def reaches(hand: Hand, pending: Table, taken: int | None, threshold: int, seen: dict[Any, bool]) -> bool:
    """Whether some pieces more make an opening."""
    if stands(hand, pending, taken, threshold):
        return True
    key = (hand, tuple(sorted(map(repr, pending))), taken)
    if key not in seen:
        seen[key] = False
        seen[key] = any(
            reaches(rest, melds, None if taken in cards else taken, threshold, seen)
            for _, rest, melds, cards in pieces(hand, pending)
        )
    return seen[key]


def legal_pieces(hand: Hand, pending: Table, taken: int | None, threshold: int) -> set[tuple[Any, ...]]:
    """Names of the pieces after which the opening can still be reached."""
    seen: dict[Any, bool] = {}
    return {
        name
        for name, rest, melds, cards in pieces(hand, pending)
        if reaches(rest, melds, None if taken in cards else taken, threshold, seen)
    }


def meld_of(table_meld: Any) -> Meld:
    """A meld of `Game.table`, as the oracle writes it."""
    meld = table_meld.meld
    if meld.is_run:
        return ("run", meld.key, meld.low, tuple(bool(meld.jokers >> place & 1) for place in meld.places))
    return ("set", meld.key, frozenset(suit for suit in range(4) if meld.suits >> suit & 1), meld.jokers)
