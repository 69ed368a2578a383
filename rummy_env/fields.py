"""The observation table: one flat row of bits with named fields, the same for every seat.

Every field is a set of cards (a plane of 52 bits, bit c for card c) or a number written as a *thermometer*:
the first k of its bits are 1. Small networks read both without scaling. The encoder takes its offsets from
here; the documentation page is made from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from rummy_env.cards import NUM_FACES, NUM_RANKS

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
JOKER_BITS: Final = 8
RAMI_POINTS_BITS: Final = 24
RAMI_STOCK_STEP: Final = 6
OPENING_BITS: Final = 20
OPENING_STEP: Final = 3
DEADWOOD_BITS: Final = 16
DEADWOOD_STEP: Final = 6
GIN_PHASE_BITS: Final = 3
PASS_BITS: Final = 2
INDIAN_STOCK_BITS: Final = 20
INDIAN_STOCK_STEP: Final = 8
INDIAN_TOTAL_STEP: Final = 40
INDIAN_TOTAL_LEAST: Final = -INDIAN_TOTAL_STEP * TOTAL_BITS // 2
"""Up to 160 cards: as many as three decks with jokers leave for two players, near enough."""

Row: TypeAlias = tuple[str, int, str, str]
"""(name, size, known to, meaning)"""


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


_TO_PLAY: Final[Row] = ("to_play", 1, "all", "1 if it is that seat's turn")
_TURNS: Final[Row] = ("turns", TURN_BITS, "all", f"turns finished, thermometer in {TURN_BITS}ths of max_turns")
_MY_TOTAL: Final[Row] = (
    "total", TOTAL_BITS, "all", f"my total in the match, thermometer in {TOTAL_BITS}ths of the target"
)  # fmt: skip
_THEIR_TOTAL: Final[Row] = (
    "total", TOTAL_BITS, "all", f"that seat's total in the match, thermometer in {TOTAL_BITS}ths of the target"
)  # fmt: skip

_STRAIGHT_OWN: Final[tuple[Row, ...]] = (
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
    _TURNS,
    _MY_TOTAL,
)

_STRAIGHT_OTHER: Final[tuple[Row, ...]] = (
    ("known", NUM_FACES, "all", "cards known to be in that hand: taken from the pile and not put down since"),
    ("discarded", NUM_FACES, "all", "cards that seat discarded in this round"),
    ("refused", NUM_FACES, "all", "cards that seat left on the pile when it drew from the stock"),
    _TO_PLAY,
    ("hand_size", HAND_SIZE_BITS, "all", "cards in that hand, thermometer"),
    ("put_down", 1, "all", "1 if that seat put something on the table in an earlier turn"),
    _THEIR_TOTAL,
)

_RAMI_OWN: Final[tuple[Row, ...]] = (
    ("hand", NUM_FACES, "this seat", "cards in my hand"),
    ("hand_twice", NUM_FACES, "this seat", "cards that I hold two of"),
    ("taken", NUM_FACES, "all", "the card that the player whose turn it is took from the pile in this turn"),
    ("pile_top", NUM_FACES, "all", "top card of the pile: what `take` takes"),
    ("pile", NUM_FACES, "all", "cards of the pile, its top among them"),
    ("pile_twice", NUM_FACES, "all", "cards that lie twice in the pile"),
    ("table", NUM_FACES, "all", "cards in melds on the table"),
    ("table_twice", NUM_FACES, "all", "cards that lie twice on the table"),
    ("fits_set", NUM_FACES, "all", "cards that could be laid off onto a set"),
    ("fits_low", NUM_FACES, "all", "cards that could be laid off onto the low end of a run"),
    ("fits_high", NUM_FACES, "all", "cards that could be laid off onto the high end of a run"),
    ("joker_low", NUM_FACES, "all", "cards that a joker below a run would stand for"),
    ("joker_high", NUM_FACES, "all", "cards that a joker above a run would stand for"),
    ("swaps_set", NUM_FACES, "all", "cards that could take the place of a set's joker"),
    ("swaps_run", NUM_FACES, "all", "cards that could take the place of a run's joker"),
    ("unseen", NUM_FACES, "this seat", "cards of which a copy is in the stock or in a hand, nobody else knows where"),
    ("unseen_twice", NUM_FACES, "this seat", "cards of which both copies are so"),
    ("in_meld", NUM_FACES, "this seat", "cards of my hand that are part of a meld in my hand, jokers aside"),
    ("completes", NUM_FACES, "this seat", "cards not in my hand that would form a meld with two cards of it"),
    ("joker_set", NUM_RANKS, "all", "ranks of sets that a joker could be laid off onto"),
    ("phase", 2, "all", "draw, play: one-hot"),
    ("my_turn", 1, "all", "1 if it is my turn"),
    ("opened", 1, "all", "1 if I opened in an earlier turn: no hand rummy any more"),
    ("put_down_now", 1, "all", "1 if the player whose turn it is has put cards down in this turn"),
    ("opening", 1, "all", "1 while the player whose turn it is puts an opening together"),
    ("pending", OPENING_BITS, "all", f"points of that opening so far, thermometer in steps of {OPENING_STEP}"),
    ("threshold", OPENING_BITS, "all", f"points that an opening needs, thermometer in steps of {OPENING_STEP}"),
    ("taken_joker", 1, "all", "1 if a joker was taken from the pile in this turn"),
    ("owes_taken", 1, "all", "1 if the taken card has to go down before the turn may end"),
    ("untaken", 1, "all", "1 if the taken card was given back in this turn"),
    ("freed", JOKER_BITS, "all", "jokers freed in this turn that have to go down, thermometer"),
    ("hand_size", HAND_SIZE_BITS, "all", "cards in my hand, thermometer"),
    ("hand_jokers", JOKER_BITS, "this seat", "jokers in my hand, thermometer"),
    ("points", RAMI_POINTS_BITS, "this seat", f"points in my hand, thermometer in steps of {POINTS_STEP}"),
    ("top_joker", 1, "all", "1 if the pile's top is a joker"),
    ("pile_jokers", JOKER_BITS, "all", "jokers in the pile, thermometer"),
    ("table_jokers", JOKER_BITS, "all", "jokers on the table, thermometer"),
    ("stock_size", STOCK_BITS, "all", f"cards in the stock, thermometer in steps of {RAMI_STOCK_STEP}, rounded up"),
    ("reshuffles", RESHUFFLE_BITS, "all", "refills of the stock so far, thermometer"),
    _TURNS,
    _MY_TOTAL,
)

_RAMI_OTHER: Final[tuple[Row, ...]] = (
    (
        "known",
        NUM_FACES,
        "all",
        "cards known to be in that hand: taken from the pile, or freed, and not put down since",
    ),
    ("known_twice", NUM_FACES, "all", "cards known to be in that hand twice"),
    ("discarded", NUM_FACES, "all", "cards that seat discarded in this round"),
    ("refused", NUM_FACES, "all", "cards that seat left on the pile when it drew from the stock"),
    ("known_jokers", JOKER_BITS, "all", "jokers known to be in that hand, thermometer"),
    ("discarded_joker", 1, "all", "1 if that seat discarded a joker in this round"),
    ("refused_joker", 1, "all", "1 if that seat left a joker on the pile"),
    _TO_PLAY,
    ("hand_size", HAND_SIZE_BITS, "all", "cards in that hand, thermometer"),
    ("opened", 1, "all", "1 if that seat opened in an earlier turn"),
    _THEIR_TOTAL,
)


_KNOWN: Final[Row] = (
    "known", NUM_FACES, "all", "cards known to be in that hand: taken from the pile and not discarded since"
)  # fmt: skip
_DISCARDED: Final[Row] = ("discarded", NUM_FACES, "all", "cards that seat discarded in this round")
_REFUSED: Final[Row] = ("refused", NUM_FACES, "all", "cards that seat left on the pile when it passed or drew")

_GIN_OWN: Final[tuple[Row, ...]] = (
    ("hand", NUM_FACES, "this seat", "cards in my hand"),
    ("taken", NUM_FACES, "all", "the card that the player whose turn it is took from the pile in this turn"),
    ("pile_top", NUM_FACES, "all", "top card of the pile: what `take` takes"),
    ("pile", NUM_FACES, "all", "cards of the pile below its top"),
    ("unseen", NUM_FACES, "this seat", "cards in the stock or in the other hand, I do not know where"),
    ("in_meld", NUM_FACES, "this seat", "cards of my hand that are part of a meld in my hand"),
    ("deadwood_cards", NUM_FACES, "this seat", "cards of my hand outside its melds, arranged for the fewest points"),
    ("completes", NUM_FACES, "this seat", "cards not in my hand that would form a meld with two cards of it"),
    ("phase", GIN_PHASE_BITS, "all", "upcard, draw, play: one-hot"),
    ("my_turn", 1, "all", "1 if it is my turn"),
    ("dealt", 1, "all", "1 if I am the dealer"),
    ("passes", PASS_BITS, "all", "how often the upcard was refused just now, thermometer; 2: only `draw` is legal"),
    ("top_completes", 1, "this seat", "1 if the top of the pile would form a meld with two cards of my hand"),
    ("deadwood", DEADWOOD_BITS, "this seat", "points of my deadwood, thermometer"),
    (
        "points_left",
        DEADWOOD_BITS,
        "this seat",
        f"points of my deadwood, thermometer in steps of {DEADWOOD_STEP}, rounded up",
    ),
    ("stock_size", STOCK_BITS, "all", f"cards in the stock, thermometer in steps of {STOCK_STEP}, rounded up"),
    _TURNS,
    _MY_TOTAL,
)

_GIN_OTHER: Final[tuple[Row, ...]] = (_KNOWN, _DISCARDED, _REFUSED, _TO_PLAY, _THEIR_TOTAL)

_INDIAN_TOTAL: Final = f"thermometer in steps of {INDIAN_TOTAL_STEP} from {INDIAN_TOTAL_LEAST} on"

_INDIAN_OWN: Final[tuple[Row, ...]] = (
    ("hand", NUM_FACES, "this seat", "cards in my hand"),
    ("hand_twice", NUM_FACES, "this seat", "cards that I hold two of"),
    ("hand_thrice", NUM_FACES, "this seat", "cards that I hold three of"),
    ("wild", NUM_FACES, "all", "cards that are wild; none where the cut card is a joker"),
    ("taken", NUM_FACES, "all", "the card that the player whose turn it is took from the pile in this turn"),
    ("pile_top", NUM_FACES, "all", "top card of the pile: what `take` takes"),
    ("pile", NUM_FACES, "all", "cards of the pile, its top among them"),
    ("pile_twice", NUM_FACES, "all", "cards that lie twice in the pile"),
    ("pile_thrice", NUM_FACES, "all", "cards that lie three times in the pile"),
    ("unseen", NUM_FACES, "this seat", "cards of which a copy is in the stock or in a hand, I do not know where"),
    ("unseen_twice", NUM_FACES, "this seat", "cards of which two copies are so"),
    ("unseen_thrice", NUM_FACES, "this seat", "cards of which three copies are so"),
    ("in_run", NUM_FACES, "this seat", "cards of my hand that are part of a natural run in my hand"),
    ("in_meld", NUM_FACES, "this seat", "cards of my hand that are part of a meld without wilds in my hand"),
    ("deadwood_cards", NUM_FACES, "this seat", "cards of my hand that cost points, arranged for the fewest"),
    ("completes", NUM_FACES, "this seat", "cards not in my hand that would form a meld with two cards of it"),
    ("completes_run", NUM_FACES, "this seat", "cards not in my hand that would form a natural run with two of it"),
    ("phase", PHASE_BITS, "all", "draw, play: one-hot"),
    ("my_turn", 1, "all", "1 if it is my turn"),
    ("first_turn", 1, "all", "1 if I have finished no turn yet: to pack is cheap"),
    ("packed", 1, "all", "1 if I have packed"),
    ("hand_size", HAND_SIZE_BITS, "all", "cards in my hand, thermometer"),
    ("wilds", HAND_SIZE_BITS, "this seat", "wild cards in my hand, jokers among them, thermometer"),
    ("hand_jokers", JOKER_BITS, "this seat", "jokers in my hand, thermometer"),
    ("run", 1, "this seat", "1 if I hold a natural run (three decks: or a triplet)"),
    ("points", POINTS_BITS, "this seat", f"what my hand costs, thermometer in steps of {POINTS_STEP}, rounded up"),
    ("taken_joker", 1, "all", "1 if a joker was taken from the pile in this turn"),
    ("top_joker", 1, "all", "1 if the pile's top is a joker"),
    ("pile_jokers", JOKER_BITS, "all", "jokers in the pile, thermometer"),
    (
        "stock_size",
        INDIAN_STOCK_BITS,
        "all",
        f"cards in the stock, thermometer in steps of {INDIAN_STOCK_STEP}, rounded up",
    ),
    _TURNS,
    ("total", TOTAL_BITS, "all", f"what I have won in the match, {_INDIAN_TOTAL}"),
)

_INDIAN_OTHER: Final[tuple[Row, ...]] = (
    _KNOWN,
    ("known_twice", NUM_FACES, "all", "cards known to be in that hand twice"),
    _DISCARDED,
    _REFUSED,
    ("known_jokers", JOKER_BITS, "all", "jokers known to be in that hand, thermometer"),
    ("discarded_joker", 1, "all", "1 if that seat discarded a joker in this round"),
    ("refused_joker", 1, "all", "1 if that seat left a joker on the pile"),
    _TO_PLAY,
    ("first_turn", 1, "all", "1 if that seat has finished no turn yet"),
    ("packed", 1, "all", "1 if that seat has packed"),
    ("total", TOTAL_BITS, "all", f"what that seat has won in the match, {_INDIAN_TOTAL}"),
)


@dataclass(frozen=True)
class Layout:
    """The fields of a ruleset: those about me and the table, then a block for every other seat, the next player's
    first."""

    own: tuple[Row, ...]
    other: tuple[Row, ...]

    @cached_property
    def own_offsets(self) -> dict[str, int]:
        return _offsets(self.own)

    @cached_property
    def other_offsets(self) -> dict[str, int]:
        """Offsets inside the block of another seat."""
        return _offsets(self.other)

    @cached_property
    def own_size(self) -> int:
        return sum(size for _, size, *_ in self.own)

    @cached_property
    def other_size(self) -> int:
        return sum(size for _, size, *_ in self.other)

    def size(self, num_players: int) -> int:
        return self.own_size + (num_players - 1) * self.other_size


def _offsets(rows: tuple[Row, ...]) -> dict[str, int]:
    offsets: dict[str, int] = {}
    at = 0
    for name, size, *_ in rows:
        offsets[name] = at
        at += size
    return offsets


LAYOUTS: Final = {
    "straight": Layout(_STRAIGHT_OWN, _STRAIGHT_OTHER),
    "rami": Layout(_RAMI_OWN, _RAMI_OTHER),
    "indian": Layout(_INDIAN_OWN, _INDIAN_OTHER),
    "gin": Layout(_GIN_OWN, _GIN_OTHER),
}


def observation_size(ruleset: str, num_players: int) -> int:
    """Bytes of an observation."""
    return LAYOUTS[ruleset].size(num_players)


def observation_table(ruleset: str, num_players: int) -> tuple[Field, ...]:
    """All fields in the order of their offsets, without gaps. Fields of another seat are named ``next_1.known``
    for the next player, ``next_2.known`` for the one after, and so on."""
    layout = LAYOUTS[ruleset]

    def rows() -> Iterator[Field]:
        for name, size, known_to, meaning in layout.own:
            yield Field(name, layout.own_offsets[name], size, known_to, meaning)
        for other in range(1, num_players):
            block = layout.own_size + (other - 1) * layout.other_size
            for name, size, known_to, meaning in layout.other:
                yield Field(f"next_{other}.{name}", block + layout.other_offsets[name], size, known_to, meaning)

    return tuple(rows())
