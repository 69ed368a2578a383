"""What was shown at the end of a round of a hand game: melds, lay-offs and deadwood of every hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummy_env.arrangement import arrange_indian, sets_and_runs
from rummy_env.cards import JOKER, Card, card_text, from_mask
from rummy_env.core import deadwood
from rummy_env.core.state import NO_CARD, NOBODY
from rummy_env.held import known_cards
from rummy_env.rules import Rules


@dataclass(frozen=True, slots=True)
class ShownHand:
    """One hand as it was laid out. Cards are texts; ``laid_off``: those put to the melds of the one who knocked.
    ``points``: of the deadwood."""

    melds: tuple[tuple[str, ...], ...]
    deadwood: tuple[str, ...]
    points: int
    laid_off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Showdown:
    """``closer``: the seat that knocked or declared. ``hands``: by seat, None for one that was not shown."""

    closer: int
    hands: tuple[ShownHand | None, ...]


def showdown_of(rules: Rules, record: npt.NDArray[np.void]) -> Showdown | None:
    """The showdown of a view record, or None where nobody has knocked or declared."""
    if "closer" not in (record.dtype.names or ()) or record["closer"][0] == NOBODY:
        return None
    return _gin(rules, record) if rules.ruleset == "gin" else _indian(rules, record)


def _gin(rules: Rules, record: npt.NDArray[np.void]) -> Showdown:
    known = record["known"][0]
    knocker = int(record["closer"][0])
    settled = np.zeros(1, deadwood.SHOWDOWN_DTYPE)
    deadwood.settle(rules.record, int(known[knocker]), int(known[1 - knocker]), settled)
    laid_off = int(settled["laid_off"][0])
    hands = [
        _shown(int(known[knocker]), settled["knocker"][0], 0),
        _shown(int(known[1 - knocker]), settled["defender"][0], laid_off),
    ]
    return Showdown(knocker, (hands[0], hands[1]) if knocker == 0 else (hands[1], hands[0]))


def _indian(rules: Rules, record: npt.NDArray[np.void]) -> Showdown:
    cut = int(record["cut"][0])
    hands: list[ShownHand | None] = []
    for seat in range(rules.num_players):
        if record["packed"][0, seat]:
            hands.append(None)
            continue
        found = arrange_indian(rules, known_cards(record, seat), JOKER if cut == NO_CARD else cut)
        hands.append(ShownHand(found.melds, found.deadwood, found.points))
    return Showdown(int(record["closer"][0]), tuple(hands))


def _shown(hand: int, arrangement: np.void, laid_off: int) -> ShownHand:
    sets, runs = int(arrangement["sets"]), int(arrangement["runs"])
    return ShownHand(
        melds=tuple(_texts(meld) for meld in sets_and_runs(sets, runs)),
        deadwood=_texts(from_mask(hand & ~sets & ~runs & ~laid_off)),
        points=int(arrangement["points"]),
        laid_off=_texts(from_mask(laid_off)),
    )


def _texts(cards: list[Card]) -> tuple[str, ...]:
    return tuple(map(card_text, cards))
