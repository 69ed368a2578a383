"""Gin's arrangements against trying everything: deadwood, knocking discards, the settlement of a knock."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from arrangement_oracle import after_layoffs, fewest, gin_points, settlement
from oracle import CARDS, RANKS, SUITS, is_run, is_set, melds_in

from rummy_env import Rules
from rummy_env.core import deadwood
from rummy_env.core.kernel import JIT

pytestmark = pytest.mark.core

VALUES = ({}, {"ace": 11, "court": 10}, {"ace": 0, "court": 3})
"""Points of cards, in the houses that are tried."""


MELDS = {size: [meld for meld in melds_in(CARDS) if len(meld) == size] for size in (3, 4)}


def record(ace: int = 1, court: int = 10) -> np.ndarray:
    return Rules.preset("gin", ace_points=ace, court_points=court).record


def read(text: str) -> list[str]:
    return text.split()


def as_bits(cards: list[str]) -> int:
    return sum(1 << CARDS.index(card) for card in cards)


def as_cards(bits: int) -> list[str]:
    return [card for number, card in enumerate(CARDS) if int(bits) >> number & 1]


def hands(count: int, size: int, seed: int) -> Iterator[list[str]]:
    """Random hands: of a whole deck, two suits, five ranks that follow each other, sets and runs that cross."""
    chance = random.Random(seed)
    for number in range(count if JIT else count // 20):
        low = chance.randrange(9)
        deck = (
            CARDS,
            [card for card in CARDS if card[1] in "sd"],
            [card for card in CARDS if card[0] in RANKS[low : low + 5]],
            crossing(chance),
        )[number % 4]
        yield chance.sample(deck, size)


def crossing(chance: random.Random) -> list[str]:
    """A small deck of whole ranks and long rows, which share cards."""
    ranks, suit, low = chance.sample(RANKS, 2), chance.choice(SUITS), chance.randrange(5)
    row = [rank + suit for rank in RANKS[low : low + 8]]
    return sorted({*row, *(rank + suit for rank in ranks for suit in SUITS), *chance.sample(CARDS, 8)})


def arranged(cards: list[str], **values: int) -> np.void:
    out = np.zeros(1, deadwood.ARRANGEMENT_DTYPE)
    deadwood.arrange(record(**values), as_bits(cards), out)
    return out[0]


def rows(cards: list[str]) -> list[list[str]]:
    """Cards by suits, cut where a rank is missing."""
    found: list[list[str]] = []
    for card in sorted(cards, key=CARDS.index):
        last = found[-1][-1] if found else None
        if last and last[1] == card[1] and RANKS.index(last[0]) + 1 == RANKS.index(card[0]):
            found[-1].append(card)
        else:
            found.append([card])
    return found


def check_melds(sets: list[str], runs: list[str]) -> None:
    """Every rank of the cards in sets is one set, every row of the cards in runs a run."""
    for rank in {card[0] for card in sets}:
        assert is_set([card for card in sets if card[0] == rank])
    assert all(map(is_run, rows(runs)))


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("size", [10, 11])
def test_fewest_deadwood(size: int, values: dict[str, int]) -> None:
    for cards in hands(3000, size, seed=size):
        found = arranged(cards, **values)
        sets, runs = as_cards(found["sets"]), as_cards(found["runs"])
        check_melds(sets, runs)
        assert not set(sets) & set(runs)
        assert set(sets) | set(runs) <= set(cards)
        left = [card for card in cards if card not in sets + runs]
        assert found["points"] == gin_points(left, **values) == fewest(cards, **values)


@pytest.mark.parametrize("size", [0, 1, 3, 7, 13])
def test_hands_of_any_size(size: int) -> None:
    for cards in hands(60, size, seed=size):
        assert arranged(cards)["points"] == fewest(cards)


def test_a_whole_deck_lies_in_sets() -> None:
    assert arranged(CARDS)["points"] == 0


@pytest.mark.parametrize("limit", [10, 0, 25])
def test_knocking_discards(limit: int) -> None:
    knocks = 0
    for cards in hands(1500, 11, seed=limit):
        wanted = {card for card in cards if fewest([other for other in cards if other != card]) <= limit}
        assert set(as_cards(deadwood.knocking(record(), as_bits(cards), limit))) == wanted
        knocks += bool(wanted)
    assert knocks > (20 if JIT else 0)


def test_the_deadwood_of_eleven_cards_that_a_rival_gets_wrong() -> None:
    cards = read("3s 4s 5s 6s 6c 2d 4d 5d 6d 3h 5h")
    assert "6c" in as_cards(deadwood.knocking(record(), as_bits(cards), 10))


def settled(knocker: list[str], defender: list[str], **values: int) -> np.void:
    out = np.zeros(1, deadwood.SHOWDOWN_DTYPE)
    deadwood.settle(record(**values), as_bits(knocker), as_bits(defender), out)
    return out[0]


def gin_hand(chance: random.Random) -> list[str]:
    """Ten cards that lie in three melds."""
    while True:
        cards = {card for size in (3, 3, 4) for card in chance.choice(MELDS[size])}
        if len(cards) == 10:
            return sorted(cards)


def knocks(count: int, seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """(knocker's hand, defender's) drawn from small decks in which much fits; every third knocker has melds of four,
    three and three, so that it is gin."""
    chance = random.Random(seed)
    for number in range(count if JIT else count // 20):
        low, suits = chance.randrange(7), chance.sample(SUITS, 3)
        deck = (
            [card for card in CARDS if card[0] in RANKS[low : low + 6]],
            [card for card in CARDS if card[1] in suits and card[0] in RANKS[low : low + 7]],
        )[number % 2]
        knocker = chance.sample(deck, 10) if number % 3 else gin_hand(chance)
        rest = [card for card in deck if card not in knocker]
        yield knocker, chance.sample(rest, 10)


@pytest.mark.parametrize("values", VALUES[:2])
def test_settlement(values: dict[str, int]) -> None:
    laid = gin = 0
    for knocker, defender in knocks(600, seed=3):
        found = settled(knocker, defender, **values)
        points = found["knocker"]["points"], found["defender"]["points"]
        assert points == settlement(knocker, defender, **values)
        melds = [as_cards(found[who][kind]) for who in ("knocker", "defender") for kind in ("sets", "runs")]
        check_melds(*melds[:2])
        check_melds(*melds[2:])
        off = as_cards(found["laid_off"])
        assert set(melds[0] + melds[1]) <= set(knocker)
        assert sorted(melds[2] + melds[3] + off) == sorted({*melds[2], *melds[3], *off} & set(defender))
        table = [tuple(card for card in melds[0] if card[0] == rank) for rank in {card[0] for card in melds[0]}]
        assert after_layoffs(off, table + [tuple(row) for row in rows(melds[1])]) == 0
        left = [card for card in defender if card not in melds[2] + melds[3] + off]
        assert gin_points(left, **values) == points[1]
        laid += bool(off)
        gin += points[0] == 0
        assert not (off and points[0] == 0)
    if JIT:
        assert laid > 100
        assert gin > 5


def test_the_knocker_takes_the_arrangement_that_leaves_the_defender_more() -> None:
    # 7s belongs to a set of four or to the run: all the same to the knocker, but 6s and 5s fit onto 7s 8s 9s Ts only.
    found = settled(read("7s 7h 7d 7c 8s 9s Ts 2d 3h Ac"), read("6s 5s Kd Qh Jc 9d 8h 4c 3d 2h"))
    assert (found["knocker"]["points"], found["defender"]["points"]) == (6, 67)
    assert as_cards(found["knocker"]["sets"]) == ["7s", "7h", "7d", "7c"]
    assert as_cards(found["laid_off"]) == []


def test_the_defender_lays_off_and_arranges_at_once() -> None:
    # 7d reaches 6d, and 8d behind it. 9d could follow and 9c lead a run of four, but with 9h they are worth more.
    found = settled(read("4d 5d 6d Ks Kh Kc 2s 2h 2c Ad"), read("7d 8d 9d 9h 9c Kd Qc Jc Tc 2d"))
    assert (found["knocker"]["points"], found["defender"]["points"]) == (1, 0)
    assert as_cards(found["laid_off"]) == ["2d", "7d", "8d", "Kd"]
    assert as_cards(found["defender"]["sets"]) == ["9h", "9d", "9c"]
    assert as_cards(found["defender"]["runs"]) == ["Tc", "Jc", "Qc"]
