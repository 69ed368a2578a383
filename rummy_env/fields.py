"""The observation table: one flat row of bits with named fields, the same for every seat.

Every field is a set of cards (a plane of 52 bits, bit c for card c) or a number written as a *thermometer*:
the first k of its bits are 1. Small networks read both without scaling. The encoder takes its offsets from
here; the documentation page is made from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rummy_env.cards import NUM_FACES

FIELD_TABLE_VERSION: Final = 1
"""Raised when a field changes its meaning; exported policies carry it."""

PHASE_BITS: Final = 2
HAND_SIZE_BITS: Final = 16
POINTS_BITS: Final = 16
POINTS_STEP: Final = 6
STOCK_BITS: Final = 16
STOCK_STEP: Final = 2
RESHUFFLE_BITS: Final = 3
TURN_BITS: Final = 10
TOTAL_BITS: Final = 10


@dataclass(frozen=True, slots=True)
class Field:
    """A row of the table: ``size`` bytes from ``offset`` on, each 0 or 1."""

    name: str
    offset: int
    size: int
    known_to: str
    meaning: str

    @property
    def slice(self) -> slice:
        return slice(self.offset, self.offset + self.size)


_OWN: Final = (
    ("hand", NUM_FACES, "this seat", "cards in my hand"),
    ("taken", NUM_FACES, "all", "the card that the player whose turn it is took from the pile in this turn"),
    ("pile_top", NUM_FACES, "all", "top card of the pile: what `take` takes"),
    ("pile", NUM_FACES, "all", "cards of the pile below its top"),
    ("table", NUM_FACES, "all", "cards in melds on the table"),
    ("fits_set", NUM_FACES, "all", "cards that could be laid off onto a set"),
    ("fits_low", NUM_FACES, "all", "cards that could be laid off onto the low end of a run"),
    ("fits_high", NUM_FACES, "all", "cards that could be laid off onto the high end of a run"),
    ("returned", NUM_FACES, "all", "cards shuffled from the pile into the stock by the last refill and not seen since"),
    ("unseen", NUM_FACES, "this seat", "cards in the stock or in a hand, nobody but their holder knows where"),
    ("in_meld", NUM_FACES, "this seat", "cards of my hand that are part of a meld in my hand"),
    ("completes", NUM_FACES, "this seat", "cards not in my hand that would form a meld with two cards of it"),
    ("phase", PHASE_BITS, "all", "draw, play: one-hot"),
    ("my_turn", 1, "all", "1 if it is my turn"),
    ("hand_size", HAND_SIZE_BITS, "all", "cards in my hand, thermometer"),
    ("points", POINTS_BITS, "this seat", f"points in my hand, thermometer in steps of {POINTS_STEP}"),
    ("put_down", 1, "all", "1 if I put something on the table in an earlier turn: no rummy any more"),
    ("stock_size", STOCK_BITS, "all", f"cards in the stock, thermometer in steps of {STOCK_STEP}, rounded up"),
    ("reshuffles", RESHUFFLE_BITS, "all", "refills of the stock so far, thermometer"),
    ("turns", TURN_BITS, "all", f"turns finished, thermometer in {TURN_BITS}ths of max_turns"),
    ("total", TOTAL_BITS, "all", f"my total in the match, thermometer in {TOTAL_BITS}ths of the target"),
)

_OTHER: Final = (
    ("known", NUM_FACES, "all", "cards known to be in that hand: taken from the pile and not put down since"),
    ("discarded", NUM_FACES, "all", "cards that seat discarded in this round"),
    ("refused", NUM_FACES, "all", "cards that seat left on the pile when it drew from the stock"),
    ("to_play", 1, "all", "1 if it is that seat's turn"),
    ("hand_size", HAND_SIZE_BITS, "all", "cards in that hand, thermometer"),
    ("put_down", 1, "all", "1 if that seat put something on the table in an earlier turn"),
    ("total", TOTAL_BITS, "all", f"that seat's total in the match, thermometer in {TOTAL_BITS}ths of the target"),
)

OWN_SIZE: Final = sum(size for _, size, *_ in _OWN)
OTHER_SIZE: Final = sum(size for _, size, *_ in _OTHER)


def _offsets(rows: tuple[tuple[str, int, str, str], ...]) -> dict[str, int]:
    offsets: dict[str, int] = {}
    at = 0
    for name, size, *_ in rows:
        offsets[name] = at
        at += size
    return offsets


OWN_OFFSETS: Final = _offsets(_OWN)
"""Offset of every field about me and the table."""
OTHER_OFFSETS: Final = _offsets(_OTHER)
"""Offset of every field about another seat inside that seat's block; the blocks follow the own fields, the next
player's first."""


def observation_size(num_players: int) -> int:
    """Bytes of an observation."""
    return OWN_SIZE + (num_players - 1) * OTHER_SIZE


def observation_table(num_players: int) -> tuple[Field, ...]:
    """All fields in the order of their offsets, without gaps. Fields of another seat are named ``next_1.known``
    for the next player, ``next_2.known`` for the one after, and so on."""

    def rows() -> Iterator[Field]:
        for name, size, known_to, meaning in _OWN:
            yield Field(name, OWN_OFFSETS[name], size, known_to, meaning)
        for other in range(1, num_players):
            block = OWN_SIZE + (other - 1) * OTHER_SIZE
            for name, size, known_to, meaning in _OTHER:
                yield Field(f"next_{other}.{name}", block + OTHER_OFFSETS[name], size, known_to, meaning)

    return tuple(rows())
