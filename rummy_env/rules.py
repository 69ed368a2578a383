"""What a house may decide: one frozen `Rules` for a game, checked when it is made.

Every choice that RULES.md marks is a field here; kernels read them from `Rules.record`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS, Card, cards_text, parse_cards, rank_of, suit_of, to_mask

RULESETS: Final = ("straight",)
"""Rulesets of this version."""

MAX_SEATS: Final = 4

NUM_VALUE_BITS: Final = 5
"""Points of a card fit in this many bits (0-31)."""

RULES_DTYPE: Final = np.dtype(
    [
        ("num_players", "i4"),
        ("num_ranks", "i4"),
        ("num_suits", "i4"),
        ("hand_size", "i4"),
        ("target", "i4"),
        ("rummy_factor", "i4"),
        ("layoff_spoils_rummy", "i4"),
        ("rummy_with_discard", "i4"),
        ("rummy_by_layoffs", "i4"),
        ("discard_taken", "i4"),
        ("refill_on_draw", "i4"),
        ("void_moves_deal", "i4"),
        ("max_turns", "i4"),
        ("max_rounds", "i4"),
        ("first_dealer", "i4"),
        ("deck", "i8"),
        ("value_bits", "i8", (NUM_VALUE_BITS,)),
    ],
    align=True,
)
"""`Rules` as the kernels read them. ``deck`` is the set of its cards. Bit c of ``value_bits[k]`` is set where card c's
points have the bit 2**k, so the points of a hand are a handful of bit counts."""


def _option(default: Any, low: int | None = None, high: int | None = None, *, doc: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "doc": doc})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one game. Make one with `Rules.preset`.

    Raises:
        ValueError: for a value out of range, saying what is allowed.
    """

    ruleset: str = "straight"
    num_players: int = _option(2, 2, MAX_SEATS, doc="seats")
    hand_size: int = _option(0, 0, 24, doc="cards dealt to each; 0: 10 for two players, 7 for more")
    num_ranks: int = _option(NUM_RANKS, 3, NUM_RANKS, doc="ranks of the deck, from the ace up (small decks for tests)")
    num_suits: int = _option(NUM_SUITS, 1, NUM_SUITS, doc="suits of the deck (small decks for tests)")
    ace_points: int = _option(1, 0, 31, doc="points of an ace left in a hand")
    court_points: int = _option(10, 0, 31, doc="points of a jack, queen or king left in a hand")
    target: int = _option(100, 1, 100_000, doc="total that ends the match")
    rummy_factor: int = _option(2, 1, 10, doc="factor on the score of a rummy")
    layoff_spoils_rummy: bool = _option(True, doc="a lay-off in an earlier turn rules rummy out, as a meld does")
    rummy_with_discard: bool = _option(True, doc="a hand whose last card is discarded can be rummy")
    rummy_by_layoffs: bool = _option(True, doc="a hand that goes out by lay-offs alone can be rummy")
    discard_taken: bool = _option(False, doc="the card taken from the pile may be discarded in the same turn")
    refill: Literal["turn", "draw"] = field(
        default="turn",
        metadata={
            "choices": ("turn", "draw"),
            "doc": "when an empty stock is refilled: at the start of a turn or on draw",
        },
    )
    max_turns: int = _option(0, 0, 100_000, doc="turns after which a round is void; 0: 100 for each player")
    first_dealer: int = _option(-1, -1, MAX_SEATS - 1, doc="dealer of a match's first round; -1: drawn at random")
    void_moves_deal: bool = _option(True, doc="the deal moves on after a void round too")
    max_rounds: int = _option(200, 1, 10_000, doc="rounds after which a match without a winner is cut off")

    @classmethod
    def preset(cls, name: str, /, **options: Any) -> Rules:
        """The rules of RULES.md under ``name``, with some of them changed.

        >>> Rules.preset("straight", num_players=3).hand_size
        7

        Raises:
            ValueError: for an unknown name or option, or a value out of range; names what is allowed.
        """
        if name not in RULESETS:
            raise ValueError(f"expected a ruleset of {', '.join(RULESETS)}, got {name!r}")
        allowed = {f.name for f in fields(cls)} - {"ruleset"}
        for option in options:
            if option not in allowed:
                near = difflib.get_close_matches(option, allowed, 1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"{name} has no option {option!r}{hint}; expected one of {', '.join(sorted(allowed))}")
        return cls(ruleset=name, **options)

    def __post_init__(self) -> None:
        for f in fields(self):
            if f.name != "ruleset":
                _check_option(f.name, getattr(self, f.name), f.default, f.metadata)
        if self.ruleset not in RULESETS:
            raise ValueError(f"expected a ruleset of {', '.join(RULESETS)}, got {self.ruleset!r}")
        if not self.hand_size:
            object.__setattr__(self, "hand_size", 10 if self.num_players == 2 else 7)
        if not self.max_turns:
            object.__setattr__(self, "max_turns", 100 * self.num_players)
        if self.first_dealer >= self.num_players:
            raise ValueError(f"first_dealer: expected -1 to {self.num_players - 1}, got {self.first_dealer}")
        if self.hand_size * self.num_players + 1 > self.num_cards:
            raise ValueError(
                f"hand_size: expected hands that leave an upcard from {self.num_cards} cards, "
                f"got {self.num_players} hands of {self.hand_size}"
            )

    @property
    def num_cards(self) -> int:
        """Cards of the whole deck."""
        return self.num_ranks * self.num_suits

    @property
    def deck(self) -> list[Card]:
        """Every card of the deck once, lowest first."""
        return [suit * NUM_RANKS + rank for suit in range(self.num_suits) for rank in range(self.num_ranks)]

    def options(self) -> dict[str, Any]:
        """What differs from the preset with this number of players, as arguments of `preset`."""
        plain = asdict(Rules(ruleset=self.ruleset, num_players=self.num_players))
        mine = asdict(self)
        return {name: value for name, value in mine.items() if name == "num_players" or value != plain[name]}

    @cached_property
    def record(self) -> npt.NDArray[np.void]:
        """These rules as an array of one `RULES_DTYPE` record, for the kernels. Do not write into it."""
        record = np.zeros(1, RULES_DTYPE)
        computed = {"refill_on_draw": self.refill == "draw", "deck": to_mask(self.deck), "value_bits": 0}
        for name in RULES_DTYPE.names or ():
            record[name] = computed[name] if name in computed else getattr(self, name)
        for card in self.deck:
            for k in range(NUM_VALUE_BITS):
                if self.card_points(card) >> k & 1:
                    record["value_bits"][0, k] |= 1 << card
        return record

    def card_points(self, card: Card) -> int:
        """Points of one card left in a hand."""
        rank = rank_of(card)
        return self.ace_points if rank == 0 else self.court_points if rank >= 10 else rank + 1

    def hand_points(self, cards: str | Iterable[str], wild: str | None = None) -> int:
        """Points of cards left in a hand. ``wild``: the cut card of rulesets that have one.

        >>> Rules.preset("straight").hand_points("As Td Jc Qh Ks 2d")
        43

        Raises:
            ValueError: for cards that cannot be read or are not in the deck, and for a wild card.
        """
        self._check_wild(wild)
        found = parse_cards(cards)
        self.check_cards(found)
        return sum(map(self.card_points, found))

    def is_meld(self, cards: str | Iterable[str], wild: str | None = None) -> bool:
        """Whether these cards, in any order, form one set or one run. Cards that the deck does not have form none.
        ``wild``: the cut card of rulesets that have one.

        >>> rules = Rules.preset("straight")
        >>> rules.is_meld("6d 4d 5d"), rules.is_meld("Qs Ks As")
        (True, False)

        Raises:
            ValueError: for cards that cannot be read, and for a wild card.
        """
        self._check_wild(wild)
        found = parse_cards(cards)
        return all(map(self.has_card, found)) and (self.is_set(found) or self.is_run(found))

    @staticmethod
    def is_set(cards: list[Card]) -> bool:
        """Three or four cards of a rank, all suits different."""
        return 3 <= len(cards) == len(set(map(suit_of, cards))) and len(set(map(rank_of, cards))) == 1

    @staticmethod
    def is_run(cards: list[Card]) -> bool:
        """Three or more cards of a suit with consecutive ranks, the ace low."""
        ranks = sorted(map(rank_of, cards))
        return (
            len(cards) >= 3
            and len(set(map(suit_of, cards))) == 1
            and all(high == low + 1 for low, high in pairwise(ranks))
        )

    def has_card(self, card: Card) -> bool:
        """Whether the deck has this card."""
        return card != JOKER and rank_of(card) < self.num_ranks and suit_of(card) < self.num_suits

    def check_cards(self, cards: Iterable[Card]) -> None:
        """Refuse cards that this deck does not have.

        Raises:
            ValueError: naming the first of them.
        """
        for card in cards:
            if not self.has_card(card):
                raise ValueError(
                    f"expected cards of a deck of {self.num_cards} without jokers, got {cards_text([card])}"
                )

    def _check_wild(self, wild: str | None) -> None:
        if wild is not None:
            raise ValueError(f"wild: {self.ruleset} has no wild cards, got {wild!r}")


def _check_option(name: str, value: Any, default: Any, metadata: Any) -> None:
    if "choices" in metadata:
        if value not in metadata["choices"]:
            raise ValueError(f"{name}: expected one of {', '.join(metadata['choices'])}, got {value!r}")
    elif isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"{name}: expected true or false, got {value!r}")
    elif isinstance(value, bool) or not isinstance(value, int) or not metadata["low"] <= value <= metadata["high"]:
        raise ValueError(f"{name}: expected a whole number from {metadata['low']} to {metadata['high']}, got {value!r}")
