"""What one seat may know, for people and bots in Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummy_env.actions import num_actions
from rummy_env.cards import card_text, cards_text, from_mask
from rummy_env.core import batch
from rummy_env.core.bits import row_words
from rummy_env.core.state import NO_CARD, NOBODY, OVER, PACKS, PHASES, RUN
from rummy_env.fields import observation_size
from rummy_env.held import hand_cards, known_cards
from rummy_env.melds import Meld
from rummy_env.rules import Rules
from rummy_env.showdown import Showdown, showdown_of


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table, and the seat that put it down."""

    meld: Meld
    by: int

    @property
    def cards(self) -> tuple[str, ...]:
        """A run from low to high, a joker in its place; a set by suits, jokers last."""
        return tuple(map(card_text, self.meld.cards))

    def __str__(self) -> str:
        return " ".join(self.cards)


@dataclass(frozen=True, slots=True)
class Result:
    """How a round ended. ``scores``: what it adds to each seat's total."""

    winner: int | None
    scores: tuple[int, ...]
    doubled: bool = False
    blocked: bool = False
    void: bool = False
    truncated: bool = False
    """Void because `Rules.max_turns` turns were over."""
    how: str | None = None
    """How a hand game was won: gin: "gin", "knock" or "undercut"; indian: "declare" or "last", the others having
    packed."""


class View:
    """What ``seat`` may know: its own hand and everything public.

    ``record`` is an array of one `rummy_env.core.state.VIEW_DTYPE` record, the form that compiled bots read.
    A seat that waits has no legal actions.
    """

    __slots__ = ("record", "rules")

    def __init__(self, rules: Rules, record: npt.NDArray[np.void]) -> None:
        self.rules = rules
        self.record = record

    def __eq__(self, other: object) -> bool:
        # Field by field: the bytes between fields mean nothing.
        return (
            isinstance(other, View)
            and self.rules == other.rules
            and self.record.dtype == other.record.dtype
            and all(np.array_equal(self.record[name], other.record[name]) for name in self.record.dtype.names or ())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def seat(self) -> int:
        return int(self.record["seat"][0])

    @property
    def to_play(self) -> int:
        return int(self.record["to_play"][0])

    @property
    def phase(self) -> str:
        return PHASES[int(self.record["phase"][0])]

    @property
    def turn(self) -> int:
        """Turns finished in this round."""
        return int(self.record["turn"][0])

    @property
    def dealer(self) -> int:
        return int(self.record["dealer"][0])

    @property
    def hand(self) -> list[str]:
        """My cards, sorted."""
        return [card_text(card) for card in hand_cards(self.record)]

    @property
    def hand_sizes(self) -> list[int]:
        """Cards in every hand, seat 0 first."""
        return self._seats("hand_sizes")

    @property
    def totals(self) -> list[int]:
        return self._seats("totals")

    @property
    def put_down(self) -> list[bool]:
        """Who has put something on the table in an earlier turn; in a hand game nobody."""
        if "put_down" not in (self.record.dtype.names or ()):
            return [False] * self.rules.num_players
        return [bool(flag) for flag in self._seats("put_down")]

    @property
    def table(self) -> list[TableMeld]:
        """The melds that lie on the table; in a hand game none."""
        return table_melds(self.record)

    @property
    def pile(self) -> list[str]:
        """Bottom to top."""
        return pile_cards(self.record)

    @property
    def stock_size(self) -> int:
        return int(self.record["stock_size"][0])

    @property
    def taken(self) -> str | None:
        """The card that the seat to play took from the pile in this turn."""
        taken = int(self.record["taken"][0])
        return None if taken == NO_CARD else card_text(taken)

    @property
    def result(self) -> Result | None:
        """None until the round is over."""
        return result_of(self.rules, self.record)

    @property
    def wild(self) -> str | None:
        """The cut card (indian), None in other games."""
        return wild_of(self.record)

    @property
    def packed(self) -> list[str | None]:
        """Of every seat: None, "first" where it packed in its first turn, "later" where it did later (indian)."""
        if "packed" not in (self.record.dtype.names or ()):
            return [None] * self.rules.num_players
        return [PACKS[packed] for packed in self._seats("packed")]

    @property
    def showdown(self) -> Showdown | None:
        """What was shown after a knock or a declaration (hand games), else None."""
        return showdown_of(self.rules, self.record)

    def known(self, seat: int) -> list[str]:
        """Cards that everybody knows to be in that hand: taken from the pile and not put down since, or shown."""
        return [card_text(card) for card in known_cards(self.record, seat)]

    def discarded(self, seat: int) -> list[str]:
        """Cards that the seat discarded in this round."""
        return [card_text(card) for card in from_mask(self.record["discarded"][0, seat])]

    def refused(self, seat: int) -> list[str]:
        """Cards that the seat left on the pile when it drew from the stock."""
        return [card_text(card) for card in from_mask(self.record["refused"][0, seat])]

    @property
    def observation(self) -> npt.NDArray[np.uint8]:
        """Shape (`observation_size`,), uint8, 0 or 1: see `rummy_env.fields`."""
        return self.rows()[0]

    @property
    def action_mask(self) -> npt.NDArray[np.int8]:
        """Shape (`num_actions`,), int8: 1 for a legal action. All 0 where the seat waits."""
        return self.rows()[1]

    def rows(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
        """Observation and action mask together."""
        size, count = observation_size(self.rules.ruleset, self.rules.num_players), num_actions(self.rules.ruleset)
        observation, mask = np.empty(row_words(size), np.uint64), np.empty(row_words(count), np.uint64)
        batch.write_rows(self.rules.record, self.record, observation, mask)
        return observation.view(np.uint8)[:size], mask.view(np.int8)[:count]

    def __repr__(self) -> str:
        return f"<View of seat {self.seat}: {cards_text(hand_cards(self.record))}, {self.phase}>"

    def _seats(self, name: str) -> list[int]:
        return [int(value) for value in self.record[name][0, : self.rules.num_players]]


def table_melds(record: npt.NDArray[np.void]) -> list[TableMeld]:
    """The melds of a view record, in the order in which they were put down; none in a hand game."""
    if "num_melds" not in (record.dtype.names or ()):
        return []
    view = record[0]
    melds = []
    for number in range(int(view["num_melds"])):
        parts = (int(view[f"meld_{name}"][number]) for name in ("key", "low", "size", "suits", "jokers"))
        meld = Meld(bool(view["meld_kind"][number] == RUN), *parts)
        melds.append(TableMeld(meld, int(view["meld_by"][number])))
    return melds


def wild_of(record: npt.NDArray[np.void]) -> str | None:
    """The cut card of a view record, None where the game has none."""
    if "cut" not in (record.dtype.names or ()) or record["cut"][0] == NO_CARD:
        return None
    return card_text(int(record["cut"][0]))


def pile_cards(record: npt.NDArray[np.void]) -> list[str]:
    """The pile of a view record from bottom to top."""
    view = record[0]
    return [card_text(int(card)) for card in view["pile"][: view["pile_size"]]]


def result_of(rules: Rules, record: npt.NDArray[np.void]) -> Result | None:
    """How the round of a view record ended, or None until it is over."""
    view = record[0]
    if view["phase"] != OVER:
        return None
    winner = int(view["winner"])
    return Result(
        winner=None if winner == NOBODY else winner,
        scores=tuple(int(score) for score in view["scores"][: rules.num_players]),
        doubled=bool(view["doubled"]),
        blocked=bool(view["blocked"]),
        void=bool(view["void"]),
        truncated=bool(view["truncated"]),
        how=_how(rules, view, winner),
    )


def _how(rules: Rules, view: np.void, winner: int) -> str | None:
    """How a hand game was won."""
    if winner == NOBODY or rules.has_table:
        return None
    closer = int(view["closer"])
    if rules.ruleset == "indian":
        return "last" if closer == NOBODY else "declare"
    if winner != closer:
        return "undercut"
    return "knock" if view["deadwood"][closer] else "gin"
