"""Moves as people write them (RULES.md, "Text for cards and moves")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from rummy_env.cards import JOKER, Card, cards_text, parse_card, parse_cards
from rummy_env.numbers import whole_number

BARE_MOVES: Final = ("draw", "take", "untake", "confirm", "pack", "pass")
ONE_CARD_MOVES: Final = ("discard", "knock", "declare")
FORFEIT_WORD: Final = "forfeit"
"""In records: the seat to play broke the rules and the round ended. No move, so `Game.play` refuses it."""
ENDS: Final = ("low", "high")
EXAMPLES: Final = "'draw', 'meld 4d 5d 6d', 'layoff 7d 0' or 'discard Ks'"


class IllegalMove(ValueError):
    """A move that the rules do not allow in this position; says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a person.

    ``cards``: of a meld in order, or the one card of a lay-off, swap, discard, knock or declaration.
    ``melds``: of an opening. ``meld``: number of a table meld. ``end``: "low" or "high", where it is named.

    >>> str(parse_move("LAYOFF 10♦ 2 high"))
    'layoff Td 2 high'

    Raises:
        ValueError: for parts that do not belong to the kind.
    """

    kind: str
    cards: tuple[Card, ...] = ()
    meld: int | None = None
    end: str | None = None
    melds: tuple[tuple[Card, ...], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(map(_card, self.cards)))
        object.__setattr__(self, "melds", tuple(tuple(map(_card, meld)) for meld in self.melds))
        if self.meld is not None:
            number = whole_number(self.meld)
            if number is None:
                raise ValueError(f"expected the number of a table meld in {self.kind!r}, got {self.meld!r}")
            object.__setattr__(self, "meld", number)
        if self.kind in BARE_MOVES and self.cards:
            raise ValueError(f"expected no cards in {self.kind!r}, got {cards_text(self.cards)}")
        if self.kind in (*ONE_CARD_MOVES, "layoff", "lengthen", "swap") and len(self.cards) != 1:
            raise ValueError(f"expected one card in {self.kind!r}, got {len(self.cards)}")
        if self.end is not None and (self.kind not in ("layoff", "lengthen") or self.end not in ENDS):
            raise ValueError(f"expected no end, or low or high in a lay-off, got {self.end!r} in {self.kind!r}")

    def __str__(self) -> str:
        if self.melds:
            return f"{self.kind} {' | '.join(cards_text(cards) for cards in self.melds)}"
        words = [self.kind]
        if self.cards:
            words.append(cards_text(self.cards))
        if self.meld is not None:
            words.append(str(self.meld))
        if self.end is not None:
            words.append(self.end)
        return " ".join(words)


def _card(card: Any) -> Card:
    """A card of a move as Python's number."""
    number = whole_number(card)
    if number is None or not 0 <= number <= JOKER:
        raise ValueError(f"expected cards from 0 to {JOKER} in a move, got {card!r}")
    return number


def parse_move(text: str) -> Move:
    """Read a move of any ruleset.

    Raises:
        ValueError: for text that is no move.
    """
    kind, rest = [*text.split(maxsplit=1), "", ""][:2]
    kind, rest = kind.lower(), rest.strip()
    if kind in (*BARE_MOVES, FORFEIT_WORD):
        if rest:
            raise ValueError(f"expected nothing after {kind!r}, got {rest!r}")
        return Move(kind)
    if kind in ONE_CARD_MOVES:
        return Move(kind, (parse_card(rest),))
    if kind in ("meld", "piece"):
        cards = tuple(parse_cards(rest))
        if not cards:
            raise ValueError(f"expected cards after {kind!r}, got none")
        return Move(kind, cards)
    if kind == "open":
        melds = tuple(tuple(parse_cards(part)) for part in rest.split("|"))
        if not all(melds):
            raise ValueError(f"expected melds like '4d 5d 6d | 7s 7h 7c' after 'open', got {rest!r}")
        return Move(kind, melds=melds)
    if kind in ("layoff", "lengthen", "swap"):
        match = re.fullmatch(r"(?P<card>\S+)\s+(?P<meld>[0-9]{1,9})(?:\s+(?P<end>low|high))?", rest, re.IGNORECASE)
        if match is None or (match["end"] and kind == "swap"):
            raise ValueError(f"expected '{kind} CARD N' with N the number of a table meld, got {text.strip()!r}")
        end = match["end"]
        return Move(kind, (parse_card(match["card"]),), int(match["meld"]), end.lower() if end else None)
    raise ValueError(f"expected a move like {EXAMPLES}, got {text.strip()!r}")
