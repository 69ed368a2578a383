"""Cards: small integers inside, two characters outside.

A card is ``suit * 13 + rank`` with the suits in the order spades, hearts, diamonds, clubs and the ranks from
the ace (0) to the king (12), so that a set of cards is a 52-bit integer in which a run is a row of bits. A
printed joker is 52. The text of a card is RULES.md's: ``Ts``, ``Ah``, ``Jk``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from rummy_env.numbers import in_range

Card: TypeAlias = int
"""0-51, or ``JOKER``."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
SUIT_SIGNS: Final = "♠♥♦♣"
SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs")
NUM_RANKS: Final = 13
NUM_SUITS: Final = 4
NUM_FACES: Final = 52
JOKER: Final = 52

# ASCII: letters of other scripts whose case folds to one of ours (the Kelvin sign) are no cards. A sign may be followed
# by U+FE0F, which asks for its coloured picture.
_CARD: Final = re.compile(r"(?P<joker>jk)|(?P<rank>10|[a2-9tjqk])(?P<suit>[shdc♠♥♦♣])\ufe0f?", re.IGNORECASE | re.ASCII)
_TEXT: Final = tuple(rank + suit for suit in SUITS for rank in RANKS) + ("Jk",)


def rank_of(card: Card) -> int:
    """Rank of a natural card, 0 (ace) to 12 (king)."""
    return card % NUM_RANKS


def suit_of(card: Card) -> int:
    """Suit of a natural card, 0-3 for spades, hearts, diamonds, clubs."""
    return card // NUM_RANKS


def card_text(card: Card) -> str:
    """``Ts`` for the ten of spades.

    >>> card_text(0), card_text(51), card_text(JOKER)
    ('As', 'Kc', 'Jk')

    Raises:
        ValueError: for what is no card.
    """
    return _TEXT[check_card(card)]


def check_card(card: Any) -> Card:
    """A card as Python's number.

    Raises:
        ValueError: for anything but a whole number from 0 to ``JOKER``.
    """
    return in_range("card", card, 0, JOKER)


def cards_text(cards: Iterable[Card]) -> str:
    """The texts of ``cards`` in the given order, separated by spaces.

    Raises:
        ValueError: for what are no cards.
    """
    return " ".join(map(card_text, cards))


def parse_cards(cards: str | Iterable[str]) -> list[Card]:
    """Read a list of cards: text with or without spaces, or an iterable of texts.

    ``10`` for ``T``, any case and the signs ♠♥♦♣ are read too.

    >>> parse_cards("7s7h 10♦")
    [6, 19, 35]

    Raises:
        ValueError: where the text stops being cards, and for what is no text or list.
    """
    if not isinstance(cards, Iterable):
        raise ValueError(f"expected cards as text or a list of texts, got {cards!r}")
    text = cards if isinstance(cards, str) else " ".join(map(str, cards))
    found: list[Card] = []
    at = 0
    while at < len(text):
        if text[at] in " ,\t\n":
            at += 1
            continue
        match = _CARD.match(text, at)
        if match is None:
            raise ValueError(
                f"expected cards like 'Ts', '10♥' or 'Jk' in {text!r}, got {text[at : at + 2]!r} at character {at}"
            )
        if match["joker"]:
            found.append(JOKER)
        else:
            rank = RANKS.index("T" if match["rank"] == "10" else match["rank"].upper())
            suit = SUITS.find(match["suit"].lower())
            found.append((suit if suit >= 0 else SUIT_SIGNS.index(match["suit"])) * NUM_RANKS + rank)
        at = match.end()
    return found


def parse_card(text: str) -> Card:
    """Read exactly one card.

    Raises:
        ValueError: if ``text`` is not one card.
    """
    cards = parse_cards(text)
    if len(cards) != 1:
        raise ValueError(f"expected one card, got {len(cards)} in {text!r}")
    return cards[0]


def to_mask(cards: Iterable[Card]) -> int:
    """The faces of ``cards`` as a 52-bit integer; bit c stands for card c."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def from_mask(mask: int) -> list[Card]:
    """The cards of a 52-bit integer, lowest first."""
    mask = int(mask)
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards
