"""The action table: what every action id means, for kernels, documentation and players alike.

An action names cards, never slots, so an id means the same in every position of a ruleset. Longer melds are a
meld of three and lay-offs. Kernels take their offsets from here; the documentation page is made from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from rummy_env.cards import JOKER, NUM_FACES, NUM_RANKS, NUM_SUITS, RANKS, card_text, cards_text
from rummy_env.numbers import whole_number

ACTION_TABLE_VERSION: Final = 1
"""Raised when an id changes its meaning; exported policies carry it."""

RUN_STARTS: Final = NUM_RANKS - 2
"""Lowest cards of a run of three in one suit with the ace low: A to J."""
JOKER_RUN_STARTS: Final = NUM_RANKS - 1
"""Lowest cards of a run of three in one suit with the ace low or high: A to Q."""
SUIT_PAIRS: Final = tuple((low, high) for low in range(NUM_SUITS) for high in range(low + 1, NUM_SUITS))


@dataclass(frozen=True, slots=True)
class ActionBlock:
    """A row of the table: ``count`` ids from ``first`` on that do one kind of thing."""

    name: str
    first: int
    count: int
    phase: str
    decode: str
    text: str

    @property
    def stop(self) -> int:
        return self.first + self.count

    def __contains__(self, action: int) -> bool:
        return self.first <= action < self.stop


def _blocks(*rows: tuple[str, int, str, str, str]) -> tuple[ActionBlock, ...]:
    blocks: list[ActionBlock] = []
    first = 0
    for name, count, phase, decode, text in rows:
        blocks.append(ActionBlock(name, first, count, phase, decode, text))
        first += count
    return tuple(blocks)


_TABLE_GAME: Final = (
    ("draw", 1, "draw", "—", "draw"),
    ("take", 1, "draw", "—", "take"),
    ("meld_set", NUM_FACES, "play", "card c = id - first: the three cards of c's rank without c", "meld CARDS"),
    ("meld_run", NUM_SUITS * RUN_STARTS, "play",
     "suit = (id - first) // 11, lowest rank = (id - first) % 11: three cards upwards", "meld CARDS"),
    ("layoff_set", NUM_FACES, "play", "card = id - first, onto the set of its rank", "layoff CARD N"),
    ("layoff_low", NUM_FACES, "play", "card = id - first, below the lowest card of a run", "layoff CARD N low"),
    ("layoff_high", NUM_FACES, "play", "card = id - first, above the highest card of a run", "layoff CARD N high"),
    ("discard", NUM_FACES, "play", "card = id - first", "discard CARD"),
)  # fmt: skip
"""The ids that every table game has. A ruleset with more kinds of moves appends blocks and renumbers none."""

_JOKERS: Final = (
    ("meld_high_run", NUM_SUITS, "play", "suit = id - first: queen, king and the ace above", "meld CARDS"),
    ("meld_set_joker", len(SUIT_PAIRS) * NUM_RANKS, "play",
     "suits = pair (id - first) // 13 of sh sd sc hd hc dc, rank = (id - first) % 13: two cards and a joker",
     "meld CARDS"),
    ("meld_run_joker", NUM_SUITS * JOKER_RUN_STARTS * 3, "play",
     "suit = (id - first) // 36, lowest rank = (id - first) // 3 % 12, joker in place (id - first) % 3 of three",
     "meld CARDS"),
    ("layoff_joker_set", NUM_RANKS, "play", "rank = id - first: a joker onto a set", "layoff Jk N"),
    ("layoff_joker_low", NUM_FACES, "play", "card c = id - first: a joker as c below a run", "layoff Jk N low"),
    ("layoff_joker_high", NUM_FACES, "play", "card c = id - first: a joker as c above a run", "layoff Jk N high"),
    ("swap_set", NUM_FACES, "play", "card = id - first, for the joker of a set", "swap CARD N"),
    ("swap_run", NUM_FACES, "play", "card = id - first, for the joker in its place of a run", "swap CARD N"),
    ("discard_joker", 1, "play", "—", "discard Jk"),
    ("untake", 1, "play", "—", "untake"),
    ("confirm", 1, "play", "the pieces laid out are the opening", "open CARDS | CARDS | …"),
)  # fmt: skip

_GIN: Final = (
    ("draw", 1, "draw", "—", "draw"),
    ("take", 1, "upcard, draw", "—", "take"),
    ("pass", 1, "upcard", "—", "pass"),
    ("discard", NUM_FACES, "play", "card = id - first", "discard CARD"),
    ("knock", NUM_FACES, "play", "card = id - first, the one discarded", "knock CARD"),
)

_INDIAN: Final = (
    ("draw", 1, "draw", "—", "draw"),
    ("take", 1, "draw", "—", "take"),
    ("pack", 1, "draw", "—", "pack"),
    ("discard", NUM_FACES, "play", "card = id - first", "discard CARD"),
    ("discard_joker", 1, "play", "—", "discard Jk"),
    ("declare", NUM_FACES, "play", "card = id - first, the one discarded", "declare CARD"),
    ("declare_joker", 1, "play", "—", "declare Jk"),
)

STRAIGHT_ACTIONS: Final = _blocks(*_TABLE_GAME)
RAMI_ACTIONS: Final = _blocks(*_TABLE_GAME, *_JOKERS)
GIN_ACTIONS: Final = _blocks(*_GIN)
INDIAN_ACTIONS: Final = _blocks(*_INDIAN)

_TABLES: Final = {
    "straight": STRAIGHT_ACTIONS,
    "rami": RAMI_ACTIONS,
    "indian": INDIAN_ACTIONS,
    "gin": GIN_ACTIONS,
}


def action_table(ruleset: str) -> tuple[ActionBlock, ...]:
    """The blocks of a ruleset, in the order of their ids, without gaps."""
    return _TABLES[ruleset]


def num_actions(ruleset: str) -> int:
    return action_table(ruleset)[-1].stop


def first_ids(blocks: tuple[ActionBlock, ...]) -> dict[str, int]:
    """First id of every block by its name."""
    return {block.name: block.first for block in blocks}


def set_cards(left_out: int) -> tuple[int, int, int]:
    """The three cards of ``left_out``'s rank in the other suits, in the order of the suits."""
    rank = left_out % NUM_RANKS
    a, b, c = (suit * NUM_RANKS + rank for suit in range(NUM_SUITS) if suit != left_out // NUM_RANKS)
    return a, b, c


def run_cards(index: int) -> tuple[int, int, int]:
    """The three cards of the run number ``index`` of the ``meld_run`` block, lowest first."""
    low = index // RUN_STARTS * NUM_RANKS + index % RUN_STARTS
    return low, low + 1, low + 2


def high_run_cards(suit: int) -> tuple[int, int, int]:
    """Queen, king and ace of a suit."""
    return suit * NUM_RANKS + 11, suit * NUM_RANKS + 12, suit * NUM_RANKS


def set_with_joker(index: int) -> tuple[int, int, int]:
    """The cards of number ``index`` of the ``meld_set_joker`` block."""
    low, high = SUIT_PAIRS[index // NUM_RANKS]
    rank = index % NUM_RANKS
    return low * NUM_RANKS + rank, high * NUM_RANKS + rank, JOKER


def run_with_joker(index: int) -> tuple[int, int, int]:
    """The cards of number ``index`` of the ``meld_run_joker`` block, lowest place first."""
    suit, low, joker = index // (3 * JOKER_RUN_STARTS), index // 3 % JOKER_RUN_STARTS, index % 3
    a, b, c = (JOKER if k == joker else suit * NUM_RANKS + (low + k) % NUM_RANKS for k in range(3))
    return a, b, c


def action_id(action: Any) -> int:
    """An action as a Python number, whatever kind of whole number it came as.

    Raises:
        ValueError: for anything but a whole number, true and false among it.
    """
    number = whole_number(action)
    if number is None:
        raise ValueError(f"expected the id of an action, a whole number, got {action!r}")
    return number


def describe_action(ruleset: str, action: int) -> str:
    """Short text of an action without a position: ``meld 4d 5d 6d``, ``layoff 7d high``.

    Raises:
        ValueError: if the ruleset has no such id.
    """
    action = action_id(action)
    for block in action_table(ruleset):
        if action in block:
            index = action - block.first
            match block.name:
                case "meld_set":
                    return f"meld {cards_text(set_cards(index))}"
                case "meld_run":
                    return f"meld {cards_text(run_cards(index))}"
                case "layoff_set" | "layoff_low" | "layoff_high":
                    return f"layoff {card_text(index)} {block.name.removeprefix('layoff_')}"
                case "meld_high_run":
                    return f"meld {cards_text(high_run_cards(index))}"
                case "meld_set_joker":
                    return f"meld {cards_text(set_with_joker(index))}"
                case "meld_run_joker":
                    return f"meld {cards_text(run_with_joker(index))}"
                case "layoff_joker_set":
                    return f"layoff Jk set of {RANKS[index]}"
                case "layoff_joker_low" | "layoff_joker_high":
                    return f"layoff Jk as {card_text(index)} {block.name.removeprefix('layoff_joker_')}"
                case "swap_set" | "swap_run":
                    return f"swap {card_text(index)} {block.name.removeprefix('swap_')}"
                case "discard" | "knock" | "declare":
                    return f"{block.name} {card_text(index)}"
                case "discard_joker" | "declare_joker":
                    return f"{block.name.removesuffix('_joker')} Jk"
                case name:
                    return name
    raise ValueError(f"expected an action of {ruleset} from 0 to {num_actions(ruleset) - 1}, got {action}")
