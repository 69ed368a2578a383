"""The slowest decision of rami that a search finds, and what share of a decision its legal actions are.

Legal actions of rami need searches: which melds an opening can still be made with, and which moves leave a taken card
or a freed joker a way down. Most hands are done at a glance. Here the hands that are not are looked for: many jokers,
pairs and neighbours, tables with jokers to swap, changed card by card as long as they get slower.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from rummy_env import Game, Rules, vector
from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS, cards_text
from rummy_env.core.batch import refresh_table

TABLES: Final = (
    (),
    ("9h Th Jh Jk Kh", "Ks Kh Jk", "As 2s Jk", "9s Ts Js Qs Ks As"),
    ("Jk 4s 5s 6s Jk", "6s 6h 6d Jk", "4s 4h 4d Jk", "5s 5h 5d"),
    ("Jk 3h 4h Jk 6h Jk", "7s 8s 9s Ts"),
    ("7s 7h Jk", "4d 5d 6d 7d 8d 9d Td", "Jk Qc Kc Ac"),
)
"""Melds of others: the search for openings does not look at them, that for duties does."""
TRIES: Final = 40
"""A hand is given up after so many changes that did not make it slower."""


@dataclass(frozen=True)
class Hand:
    """A position of two, the first to play with these cards: opened where the table has melds."""

    cards: tuple[int, ...]
    taken: int | None
    table: tuple[str, ...]
    opening: int

    def game(self) -> Game:
        """Raises ValueError where there are not so many copies of a card."""
        position = {
            "hands": [cards_text(sorted(self.cards)), "2c"],
            "table": [{"cards": meld, "by": 1} for meld in self.table],
            "opened": [bool(self.table), bool(self.table)],
            "taken": None if self.taken is None else cards_text([self.taken]),
            "phase": "play",
            "pile": "",
            "stock": "",
        }
        return Game.from_position(Rules.preset("rami", opening=self.opening), position)

    def __str__(self) -> str:
        taken = "" if self.taken is None else f", taken {cards_text([self.taken])}"
        return f"{cards_text(sorted(self.cards))}{taken}, opening {self.opening}, table {' | '.join(self.table) or '-'}"


def _new(chance: random.Random) -> Hand:
    low, width, suits = chance.randrange(NUM_RANKS), chance.choice((3, 4, 5, 9)), chance.choice((2, 3, 4))
    pack = [suit * NUM_RANKS + (low + k) % NUM_RANKS for suit in range(suits) for k in range(width)] * 2
    chance.shuffle(pack)
    jokers = [JOKER] * chance.choice((0, 2, 3, 4, 4))
    table = chance.choice(TABLES) if chance.random() < 0.5 else ()
    cards = (jokers + pack)[: chance.randrange(6, 15) if table else 14]
    taken = chance.choice(cards) if chance.random() < 0.5 else None
    return Hand(tuple(cards), taken, table, chance.choice((30, 40, 51)))


def _changed(hand: Hand, chance: random.Random) -> Hand:
    cards = list(hand.cards)
    for _ in range(chance.choice((1, 1, 2))):
        cards[chance.randrange(len(cards))] = chance.choice((JOKER, chance.choice(cards), chance.randrange(NUM_FACES)))
    taken = hand.taken if hand.taken in cards else None
    if chance.random() < 0.2:
        taken = chance.choice(cards)
    return replace(hand, cards=tuple(cards), taken=taken, opening=chance.choice((hand.opening, 30, 40, 51)))


def seconds_of(hand: Hand, repeats: int = 3) -> float:
    """How long the legal actions take, at their fastest; -1 for a position that cannot be."""
    try:
        game = hand.game()
    except ValueError:
        return -1.0
    states, record = game.state.reshape(1).copy(), game.rules.record
    return min(_seconds(lambda: refresh_table(record, states)) for _ in range(repeats))


def _seconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def slowest(seconds: float, seed: int = 1) -> tuple[float, Hand]:
    """The slowest position found in so many seconds, and its own: of many climbs from other hands."""
    chance = random.Random(seed)
    end = time.perf_counter() + seconds
    found, worst = -1.0, _new(chance)
    while found < 0 or time.perf_counter() < end:
        hand = _new(chance)
        most, tries = seconds_of(hand), 0
        while tries < TRIES and time.perf_counter() < end:
            other = _changed(hand, chance)
            its = seconds_of(other)
            tries += 1
            if its > most:
                hand, most, tries = other, its, 0
        again = min(most, seconds_of(hand, 10))  # what only an interrupted moment made slow
        if again > found:
            found, worst = again, hand
    return found, worst


def legal_share(num_tables: int = 1024, num_players: int = 2) -> float:
    """The share of a random decision, rows written, that working out the legal actions is: openings, duties, marks.

    Every table is looked at once more by itself, so the call from Python is taken off: that of a table whose round is
    over, which has none.
    """
    batch = vector.make("rami", num_tables, num_players, seed=1)
    batch.play_randomly(40)
    record = batch.rules.record
    states = np.concatenate([batch.game(table).state for table in range(num_tables)])
    over = states[:1].copy()
    over["view"]["phase"] = 2

    def process(tables: Any) -> float:
        begin = time.process_time()
        for table in range(len(tables)):
            refresh_table(record, tables[table : table + 1])
        return (time.process_time() - begin) / len(tables)

    empty = np.repeat(over, num_tables)
    refreshing = min(process(states) for _ in range(3)) - min(process(empty) for _ in range(3))
    begin = time.process_time()
    decisions = batch.play_randomly(100)
    return max(0.0, refreshing * decisions / (time.process_time() - begin))


def figures(quick: bool) -> dict[str, Any]:
    """``seconds`` of the slowest decision, its ``position`` as text, and ``legal_share``."""
    seconds, hand = slowest(1.0 if quick else 30.0)
    return {"seconds": seconds, "position": str(hand), "legal_share": legal_share()}
