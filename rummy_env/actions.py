"""The action table: what every action id means, for kernels, documentation and players alike.

An action names cards, never slots, so an id means the same in every position of a ruleset. Longer melds are a
meld of three and lay-offs. Kernels take their offsets from here; the documentation page is made from here.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Final

from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS, card_text, cards_text

ACTION_TABLE_VERSION: Final = 1
"""Raised when an id changes its meaning; exported policies carry it."""

RUN_STARTS: Final = NUM_RANKS - 2
"""Lowest cards of a run of three in one suit with the ace low: A to J."""


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


TABLE_GAME_ACTIONS: Final = _blocks(
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

_TABLES: Final = {"straight": TABLE_GAME_ACTIONS}


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


def action_id(action: Any) -> int:
    """An action as a Python number, whatever kind of whole number it came as.

    Raises:
        ValueError: for anything but a whole number.
    """
    try:
        return operator.index(action)
    except TypeError:
        raise ValueError(f"expected the id of an action, a whole number, got {action!r}") from None


def describe_action(ruleset: str, action: int) -> str:
    """Short text of an action without a position: ``meld 4d 5d 6d``, ``layoff 7d high``.

    Raises:
        ValueError: if the ruleset has no such id.
    """
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
                case "discard":
                    return f"discard {card_text(index)}"
                case name:
                    return name
    raise ValueError(f"expected an action of {ruleset} from 0 to {num_actions(ruleset) - 1}, got {action}")
