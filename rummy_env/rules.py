"""What a house may decide: one frozen `Rules` for a game, checked when it is made.

Every choice that RULES.md marks is a field here; kernels read them from `Rules.record`.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from importlib import import_module
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from rummy_env.cards import (
    JOKER,
    NUM_RANKS,
    NUM_SUITS,
    Card,
    card_text,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
    to_mask,
)
from rummy_env.melds import HIGH_ACE, Arrangement, Meld, is_meld_with_wilds, read_meld
from rummy_env.numbers import flag, in_range

RULESETS: Final = ("straight", "rami", "indian", "gin")
"""Rulesets of this version."""

MAX_SEATS: Final = 10
"""Seats of the largest game."""

MAX_JOKERS: Final = 8
MAX_DECKS: Final = 3

NUM_VALUE_BITS: Final = 5
"""Points of a card fit in this many bits (0-31)."""

RULES_DTYPE: Final = np.dtype(
    [
        ("num_players", "i4"),
        ("num_ranks", "i4"),
        ("num_suits", "i4"),
        ("num_decks", "i4"),
        ("num_jokers", "i4"),
        ("hand_size", "i4"),
        ("target", "i4"),
        ("rummy_factor", "i4"),
        ("layoff_spoils_rummy", "i4"),
        ("rummy_with_discard", "i4"),
        ("rummy_by_layoffs", "i4"),
        ("discard_taken", "i4"),
        ("refill_on_draw", "i4"),
        ("max_refills", "i4"),
        ("blocks", "i4"),
        ("must_draw", "i4"),
        ("opening", "i4"),
        ("low_ace_points", "i4"),
        ("joker_points", "i4"),
        ("joker_onto_set", "i4"),
        ("swap_uses_taken", "i4"),
        ("take_again", "i4"),
        ("void_moves_deal", "i4"),
        ("knock_limit", "i4"),
        ("gin_bonus", "i4"),
        ("undercut_bonus", "i4"),
        ("void_stock", "i4"),
        ("pack_first", "i4"),
        ("pack_later", "i4"),
        ("points_cap", "i4"),
        ("min_naturals", "i4"),
        ("start_points", "i4"),
        ("rounds", "i4"),
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


PRESETS: Final[dict[str, dict[str, Any]]] = {
    "straight": {},
    "rami": {
        "hand_size": 13,
        "num_decks": 2,
        "num_jokers": 4,
        "ace_points": 11,
        "target": 0,
        "max_refills": 2,
        "blocks": True,
        "void_moves_deal": False,
    },
    "indian": {
        "hand_size": 13,
        "num_decks": 0,
        "num_jokers": -1,
        "joker_points": 0,
        "ace_points": 11,
        "target": 0,
        "max_refills": 0,
        "discard_taken": True,
    },
    "gin": {"hand_size": 10, "max_refills": 0},
}
"""What RULES.md says of a ruleset, where it is not the default of the field."""

SEATS: Final = {"straight": (2, 4), "rami": (2, 6), "indian": (2, 10), "gin": (2, 2)}
"""Fewest and most players of a ruleset."""

_RANGES: Final = {
    ("straight", "target"): (1, 100_000),
    ("gin", "target"): (1, 100_000),
    ("gin", "hand_size"): (0, 10),
    # A run of J Q K that counts nothing would better stay in the knocker's hand, where nobody lays off onto it.
    ("gin", "court_points"): (1, 31),
    ("rami", "num_decks"): (1, 2),
    ("rami", "num_jokers"): (0, MAX_JOKERS),
}
"""Ranges of options that are narrower in a ruleset than elsewhere."""


def allowed_range(ruleset: str, name: str, low: int, high: int) -> tuple[int, int]:
    """The range of an option, which for some is narrower in a ruleset."""
    if name == "num_players":
        return SEATS[ruleset]
    if name == "first_dealer":
        return low, SEATS[ruleset][1] - 1
    return _RANGES.get((ruleset, name), (low, high))


_STRAIGHT: Final = ("straight",)
_RAMI: Final = ("rami",)
_INDIAN: Final = ("indian",)
_GIN: Final = ("gin",)
_TABLE_GAMES: Final = ("straight", "rami")
_ALL: Final = tuple(SEATS)


def _option(
    default: Any, low: int | None = None, high: int | None = None, *, doc: str, only: tuple[str, ...] = _ALL
) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "doc": doc, "only": only})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one game. Make one with `Rules.preset`.

    Raises:
        ValueError: for a value out of range, saying what is allowed.
    """

    ruleset: str = "straight"
    num_players: int = _option(2, 2, MAX_SEATS, doc="seats")
    hand_size: int = _option(
        0, 0, 24, doc="cards dealt to each; 0: 10 for two players, 7 for more", only=(*_TABLE_GAMES, "gin")
    )
    num_ranks: int = _option(
        NUM_RANKS, 3, NUM_RANKS, doc="ranks of the deck, from the ace up (small decks for tests)", only=_STRAIGHT
    )
    num_suits: int = _option(NUM_SUITS, 1, NUM_SUITS, doc="suits of the deck (small decks for tests)", only=_STRAIGHT)
    num_decks: int = _option(
        1,
        0,
        MAX_DECKS,
        doc="decks of 52 cards shuffled together; 0 (indian): 2 for up to six players, 3 for more",
        only=(*_RAMI, *_INDIAN),
    )
    num_jokers: int = _option(
        0, -1, MAX_JOKERS, doc="printed jokers; -1 (indian): as many as decks", only=(*_RAMI, *_INDIAN)
    )
    opening: int = _option(40, 0, 200, doc="points that a player's first melds must reach together", only=_RAMI)
    low_ace_points: int = _option(1, 0, 31, doc="points in an opening of an ace below a 2", only=_RAMI)
    joker_points: int = _option(20, 0, 100, doc="points of a joker left in a hand", only=_RAMI)
    joker_onto_set: bool = _option(True, doc="a joker may be laid off onto a set of three", only=_RAMI)
    swap_uses_taken: bool = _option(True, doc="a swap for a joker uses the taken card", only=_RAMI)
    take_again: bool = _option(False, doc="after `untake` the card may be taken once more in that turn", only=_RAMI)
    ace_points: int = _option(1, 0, 31, doc="points of an ace left in a hand")
    court_points: int = _option(10, 0, 31, doc="points of a jack, queen or king left in a hand")
    target: int = _option(
        100,
        0,
        100_000,
        doc="total that ends the match; 0: the first round that is not void ends it",
        only=(*_TABLE_GAMES, "gin"),
    )
    rummy_factor: int = _option(2, 1, 10, doc="factor on the score of a rummy", only=_TABLE_GAMES)
    layoff_spoils_rummy: bool = _option(
        True, doc="a lay-off in an earlier turn rules rummy out, as a meld does", only=_STRAIGHT
    )
    rummy_with_discard: bool = _option(True, doc="a hand whose last card is discarded can be rummy", only=_TABLE_GAMES)
    rummy_by_layoffs: bool = _option(True, doc="a hand that goes out by lay-offs alone can be rummy", only=_STRAIGHT)
    discard_taken: bool = _option(
        False,
        doc="the card taken from the pile may be discarded in the same turn",
        only=(*_STRAIGHT, *_INDIAN, *_GIN),
    )
    refill: Literal["turn", "draw"] = field(
        default="turn",
        metadata={
            "choices": ("turn", "draw"),
            "doc": "when an empty stock is refilled: at the start of a turn or on draw",
            "only": _STRAIGHT,
        },
    )
    max_refills: int = _option(
        -1, -1, 1000, doc="how often the pile may be shuffled back in a round; -1: no limit", only=_RAMI
    )
    blocks: bool = _option(
        False,
        doc="a stock that cannot be refilled blocks the round: the fewest points in hand win the differences; "
        "without, the round is void",
        only=_RAMI,
    )
    knock_limit: int = _option(10, 0, 100, doc="most points of deadwood with which a player may knock", only=_GIN)
    gin_bonus: int = _option(25, 0, 1000, doc="points for a knock without deadwood", only=_GIN)
    undercut_bonus: int = _option(
        25, 0, 1000, doc="points for the opponent who has no more than the knocker", only=_GIN
    )
    void_stock: int = _option(
        2, 0, 30, doc="cards left in the stock at which a turn that ends without a knock ends the round", only=_GIN
    )
    pack_first: int = _option(10, 0, 1000, doc="points that it costs to pack in the first turn", only=_INDIAN)
    pack_later: int = _option(40, 0, 1000, doc="points that it costs to pack in a later turn", only=_INDIAN)
    points_cap: int = _option(0, 0, 1000, doc="most points that a hand can cost; 0: no limit", only=_INDIAN)
    min_naturals: int = _option(1, 1, 3, doc="fewest natural cards in a meld", only=_INDIAN)
    start_points: int = _option(0, 0, 1_000_000, doc="total of every player when the match begins", only=_INDIAN)
    max_turns: int = _option(0, 0, 100_000, doc="turns after which a round is void; 0: 100 for each player")
    first_dealer: int = _option(-1, -1, MAX_SEATS - 1, doc="dealer of a match's first round; -1: drawn at random")
    void_moves_deal: bool = _option(True, doc="the deal moves on after a void round too", only=(*_TABLE_GAMES, "gin"))
    max_rounds: int = _option(
        200, 1, 10_000, doc="rounds after which a match without a winner is cut off", only=(*_TABLE_GAMES, "gin")
    )

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
        allowed = option_names(name)
        for option in options:
            if option not in allowed:
                near = difflib.get_close_matches(option, allowed, 1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"{name} has no option {option!r}{hint}; expected one of {', '.join(sorted(allowed))}")
        return cls(ruleset=name, **{**PRESETS[name], **options})

    def __post_init__(self) -> None:
        if self.ruleset not in RULESETS:
            raise ValueError(f"expected a ruleset of {', '.join(RULESETS)}, got {self.ruleset!r}")
        for f in fields(self):
            if f.name != "ruleset":
                self._check_option(f.name, getattr(self, f.name), f.default, f.metadata)
        if not self.hand_size:
            object.__setattr__(self, "hand_size", 10 if self.num_players == 2 else 7)
        if not self.num_decks:
            object.__setattr__(self, "num_decks", 2 if self.num_players <= 6 else 3)
        if self.num_jokers < 0:
            object.__setattr__(self, "num_jokers", self.num_decks)
        if not self.max_turns:
            object.__setattr__(self, "max_turns", 100 * self.num_players)
        if self.first_dealer >= self.num_players:
            raise ValueError(f"first_dealer: expected -1 to {self.num_players - 1}, got {self.first_dealer}")
        if self.hand_size * self.num_players + self.num_open > self.num_cards:
            raise ValueError(
                f"hand_size: expected hands that leave an upcard from {self.num_cards} cards, "
                f"got {self.num_players} hands of {self.hand_size}"
            )

    @property
    def num_open(self) -> int:
        """Cards that lie open after the deal: the upcard, and where the ruleset has one, the cut card."""
        return 2 if self.ruleset == "indian" else 1

    @property
    def rounds(self) -> int:
        """Rounds of a match that has a fixed number of them (indian: everyone deals once), else 0."""
        return self.num_players if self.ruleset == "indian" else 0

    @property
    def num_cards(self) -> int:
        """Cards of all decks together, jokers included."""
        return self.num_ranks * self.num_suits * self.num_decks + self.num_jokers

    def copies(self, card: Card) -> int:
        """How many of a card there are."""
        if card == JOKER:
            return self.num_jokers
        return self.num_decks if rank_of(card) < self.num_ranks and suit_of(card) < self.num_suits else 0

    @property
    def deck(self) -> list[Card]:
        """Every natural card once, lowest first."""
        return [suit * NUM_RANKS + rank for suit in range(self.num_suits) for rank in range(self.num_ranks)]

    def options(self) -> dict[str, Any]:
        """What differs from the preset with this number of players, as arguments of `preset`."""
        plain = asdict(Rules.preset(self.ruleset, num_players=self.num_players))
        mine = asdict(self)
        return {name: value for name, value in mine.items() if name == "num_players" or value != plain[name]}

    @cached_property
    def record(self) -> npt.NDArray[np.void]:
        """These rules as an array of one `RULES_DTYPE` record, for the kernels. Do not write into it."""
        record = np.zeros(1, RULES_DTYPE)
        computed = {
            "refill_on_draw": self.refill == "draw",
            "must_draw": self.ruleset == "rami",  # A taken card may have to be given back.
            "deck": to_mask(self.deck),
            "value_bits": 0,
        }
        for name in RULES_DTYPE.names or ():
            record[name] = computed[name] if name in computed else getattr(self, name)
        for card in self.deck:
            for k in range(NUM_VALUE_BITS):
                if self.card_points(card) >> k & 1:
                    record["value_bits"][0, k] |= 1 << card
        return record

    @property
    def has_table(self) -> bool:
        """Whether melds lie on the table; in hand games (gin, indian) they stay in the hand."""
        return self.ruleset in _TABLE_GAMES

    @property
    def high_ace(self) -> bool:
        """Whether an ace may stand above the king in a run."""
        return self.ruleset in ("rami", "indian")

    @property
    def has_triplets(self) -> bool:
        """Whether three identical cards are a meld (indian with three decks)."""
        return self.ruleset == "indian" and self.num_decks == MAX_DECKS

    def card_points(self, card: Card) -> int:
        """Points of one card left in a hand."""
        if card == JOKER:
            return self.joker_points
        rank = rank_of(card)
        return self.ace_points if rank == 0 else self.court_points if rank >= 10 else rank + 1

    def hand_points(self, cards: str | Iterable[str], wild: str | None = None) -> int:
        """Points of cards left in a hand. ``wild``: the cut card of rulesets that have one.

        >>> Rules.preset("straight").hand_points("As Td Jc Qh Ks 2d")
        43

        Raises:
            ValueError: for cards that cannot be read, for more copies of a card than there are, and for a wild card
                where there is none.
        """
        cut = self._cut_card(wild)
        return sum(self.card_points(card) for card in self._read_hand(cards) if not self._is_wild(card, cut))

    def meld(self, cards: Sequence[Card]) -> Meld | None:
        """The set or run that these cards form, or None. Natural cards in any order; with a joker in a run the order
        counts. Cards that the deck does not have, or not so often, form none."""
        return None if self._one_too_many(cards) else read_meld(cards, self.high_ace)

    def is_meld(self, cards: str | Iterable[str], wild: str | None = None) -> bool:
        """Whether these cards form one set or one run, as `meld` reads them. ``wild``: the cut card of rulesets that
        have one. More copies of a card than there are form none.

        >>> rules = Rules.preset("straight")
        >>> rules.is_meld("6d 4d 5d"), rules.is_meld("Qs Ks As")
        (True, False)
        >>> Rules.preset("indian").is_meld("7h 5c 9h", wild="5h")
        True

        Raises:
            ValueError: for cards that cannot be read, and for a wild card where there is none.
        """
        cut = self._cut_card(wild)
        found = parse_cards(cards)
        if self.ruleset != "indian":
            return self.meld(found) is not None
        if self._one_too_many(found):
            return False
        wild_rank = None if cut == JOKER else rank_of(cut)
        return is_meld_with_wilds(found, wild_rank, self.min_naturals, self.has_triplets)

    def arrange(self, cards: str | Iterable[str], wild: str | None = None) -> Arrangement:
        """A hand laid out in melds for the fewest points, exactly (gin and indian). ``wild``: the cut card of indian,
        ``Jk`` or None where only printed jokers are wild.

        >>> Rules.preset("gin").arrange("Jc 9d 8s 6d Js 8h Td 8d 7d Jd").points
        16

        Raises:
            ValueError: for cards that cannot be read, for more copies of a card than there are, for a wild card where
                there is none, and for a ruleset whose melds lie on the table.
        """
        cut = self._cut_card(wild)
        if self.ruleset not in ("indian", "gin"):
            raise ValueError(f"expected a ruleset whose melds stay in the hand (indian, gin), got {self.ruleset}")
        found = self._read_hand(cards)
        # The searches are compiled, and kernels are built on the rules: imported here, the layers would turn around.
        layout = import_module("rummy_env.arrangement")
        made = layout.arrange_gin(self, found) if self.ruleset == "gin" else layout.arrange_indian(self, found, cut)
        return cast(Arrangement, made)

    def opening_points(self, cards: str | Iterable[str]) -> int:
        """What one meld counts in an opening (rami).

        >>> Rules.preset("rami").opening_points("Jk Qs Ks")
        30

        Raises:
            ValueError: for cards that are no meld, or a ruleset without openings.
        """
        self._check_opens()
        meld = self.meld(self._read(cards))
        if meld is None:
            raise ValueError(f"expected a set or a run, got {cards if isinstance(cards, str) else ' '.join(cards)}")
        return self.meld_points(meld)

    def meld_points(self, meld: Meld) -> int:
        """What a meld counts in an opening; a joker counts as the card that it stands for."""
        if meld.is_run:
            return sum(self.low_ace_points if place == 0 else _opening_points(place) for place in meld.places)
        return meld.size * _opening_points(meld.key or HIGH_ACE)

    def best_opening(self, cards: str | Iterable[str]) -> int:
        """The highest total that can be put down from these cards in one opening (rami), 0 where there is no meld.

        Raises:
            ValueError: for cards that cannot be read or are not in the deck, or a ruleset without openings.
        """
        self._check_opens()
        # The solver is compiled, and kernels are built on the rules: imported here, the layers would turn around.
        solver = import_module("rummy_env.core.opening")
        return int(solver.best_total(self.record, *counted(self._read_hand(cards))))

    def check_cards(self, cards: Iterable[Card]) -> None:
        """Refuse cards that this deck does not have.

        Raises:
            ValueError: naming the first of them.
        """
        for card in cards:
            if not self.copies(card):
                jokers = f"with {self.num_jokers}" if self.num_jokers else "without"
                raise ValueError(f"expected cards of a deck of {self.num_cards} {jokers} jokers, got {card_text(card)}")

    def _read(self, cards: str | Iterable[str]) -> list[Card]:
        found = parse_cards(cards)
        self.check_cards(found)
        return found

    def _read_hand(self, cards: str | Iterable[str]) -> list[Card]:
        """Cards that one hand can hold. The cut card is not counted: for a hand it only says which rank is wild."""
        found = self._read(cards)
        one = self._one_too_many(found)
        if one is not None:
            raise ValueError(f"expected {card_text(one)} {at_most(self.copies(one))}, got it {found.count(one)} times")
        return found

    def _one_too_many(self, cards: Iterable[Card]) -> Card | None:
        """The first card of which there are not so many, or None."""
        return next((card for card, count in Counter(cards).items() if count > self.copies(card)), None)

    def _check_option(self, name: str, value: Any, default: Any, metadata: Any) -> None:
        if "choices" in metadata:
            if value not in metadata["choices"]:
                raise ValueError(f"{name}: expected one of {', '.join(metadata['choices'])}, got {value!r}")
        elif isinstance(default, bool):
            object.__setattr__(self, name, flag(name, value))
        else:
            low, high = allowed_range(self.ruleset, name, metadata["low"], metadata["high"])
            object.__setattr__(self, name, in_range(name, value, low, high))  # numpy's numbers are welcome

    def _cut_card(self, wild: str | None) -> Card:
        """The cut card, a joker where there is none: then only printed jokers are wild."""
        if wild is None:
            return JOKER
        if self.ruleset != "indian":
            raise ValueError(f"wild: {self.ruleset} has no wild cards, got {wild!r}")
        cut = parse_card(wild)
        self.check_cards([cut])
        return cut

    @staticmethod
    def _is_wild(card: Card, cut: Card) -> bool:
        """Whether a natural card is wild, when ``cut`` was cut."""
        return JOKER not in (card, cut) and rank_of(card) == rank_of(cut)

    def _check_opens(self) -> None:
        if self.ruleset != "rami":
            raise ValueError(f"expected a ruleset with openings (rami), got {self.ruleset}")


def _opening_points(place: int) -> int:
    """What a place of a run, or a rank with the ace as 13, counts in an opening."""
    return 11 if place == HIGH_ACE else min(place + 1, 10)


def counted(cards: Iterable[Card]) -> tuple[int, int, int]:
    """(faces held at least once, faces held twice, jokers), as kernels hold the cards of two decks."""
    once = twice = jokers = 0
    for card in cards:
        if card == JOKER:
            jokers += 1
        elif once >> card & 1:
            twice |= 1 << card
        else:
            once |= 1 << card
    return once, twice, jokers


def at_most(copies: int) -> str:
    """How often a card may be there, in words.

    >>> at_most(1), at_most(2), at_most(3)
    ('once', 'at most twice', 'at most 3 times')
    """
    return {1: "once", 2: "at most twice"}.get(copies, f"at most {copies} times")


def check_rules(rules: Any) -> None:
    """Raises:
    ValueError: unless ``rules`` are `Rules`.
    """
    if not isinstance(rules, Rules):
        raise ValueError(f"expected Rules, as Rules.preset makes them, got {rules!r}")


def option_names(ruleset: str) -> list[str]:
    """The options of a ruleset, in the order of the fields."""
    return [f.name for f in fields(Rules) if ruleset in f.metadata.get("only", ())]
