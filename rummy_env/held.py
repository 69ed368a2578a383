"""The cards that records hold as sets, as lists: hands, what is known of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummy_env.cards import JOKER, Card, from_mask


def layers(record: npt.NDArray[np.void], name: str) -> list[str]:
    """The fields that hold a set of cards in a record: those there at least once, and where it has fields for them,
    twice, three times."""
    return [field for field in (name, f"{name}2", f"{name}3") if field in (record.dtype.names or ())]


def _cards(record: npt.NDArray[np.void], name: str, jokers: str, seat: int = -1) -> list[Card]:
    """The cards of a set in a record of one table, sorted. ``seat``: of fields that have a row for each."""
    found: list[Card] = []
    for field in layers(record, name):
        found += from_mask(record[field][0] if seat < 0 else record[field][0, seat])
    if jokers in (record.dtype.names or ()):
        found += [JOKER] * int(record[jokers][0] if seat < 0 else record[jokers][0, seat])
    return sorted(found)


def hand_cards(record: npt.NDArray[np.void]) -> list[Card]:
    """The hand of a view record, sorted."""
    return _cards(record, "hand", "hand_jokers")


def known_cards(record: npt.NDArray[np.void], seat: int) -> list[Card]:
    """The cards that everybody knows to be in a seat's hand, sorted."""
    return _cards(record, "known", "known_jokers", seat)


def held_cards(states: npt.NDArray[np.void], seat: int) -> list[Card]:
    """The hand of a seat at a table, sorted."""
    return _cards(states["hidden"], "hands", "jokers", seat)
