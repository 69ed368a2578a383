"""A round of indian rummy by the book, slow and readable: what the compiled engine is compared with.

Written from RULES.md alone, over card texts; it shares no code with `rummy_env`. From `Rules` it reads the values of
options, never a method. It also remembers what everybody at the table has seen. How a hand is shuffled that goes under
the stock is not its business: it is told.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from arrangement_oracle import JOKER, Hand
from oracle import CARDS

EVERY_CARD = [*CARDS, JOKER]
ACTIONS = ["draw", "take", "pack", *(f"{kind} {card}" for kind in ("discard", "declare") for card in EVERY_CARD)]
"""Every action by its id, as the docs describe the table."""


def sort(cards: list[str]) -> list[str]:
    return sorted(cards, key=EVERY_CARD.index)


@dataclass
class IndianOracle:
    rules: Any
    hands: list[list[str]]
    pile: list[str]
    stock: list[str]
    """The next card to be drawn first."""
    cut: str
    to_play: int
    phase: str = "draw"
    taken: str | None = None
    turns: list[int] = field(default_factory=list)
    packed: list[str | None] = field(default_factory=list)
    winner: int | None = None
    scores: list[int] = field(default_factory=list)
    how: str | None = None
    truncated: bool = False
    known: list[Counter[str]] = field(default_factory=list)
    discarded: list[set[str]] = field(default_factory=list)
    refused: list[set[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.hands)
        self.turns = self.turns or [0] * n
        self.packed = [None] * n
        self.scores = [0] * n
        self.known = [Counter() for _ in range(n)]
        self.discarded = [set() for _ in range(n)]
        self.refused = [set() for _ in range(n)]

    @property
    def over(self) -> bool:
        return self.phase == "over"

    @property
    def hand(self) -> list[str]:
        return self.hands[self.to_play]

    def copy(self) -> IndianOracle:
        return copy.deepcopy(self)

    def all_cards(self) -> Counter[str]:
        return Counter([self.cut, *self.pile, *self.stock, *(card for hand in self.hands for card in hand)])

    def as_hand(self, cards: list[str]) -> Hand:
        rules = self.rules
        return Hand(cards, self.cut, rules.min_naturals, rules.num_decks == 3, rules.ace_points)

    def cost(self, seat: int) -> int:
        """The fewest points of a hand."""
        return int(self.as_hand(self.hands[seat]).fewest())

    # --- what is legal ---------------------------------------------------------------------------------------

    def moves(self) -> Iterator[str]:
        return (text for text in ACTIONS if self.allows(text))

    def legal_ids(self) -> list[int]:
        return [number for number, text in enumerate(ACTIONS) if self.allows(text)]

    def allows(self, text: str) -> bool:
        kind, *cards = text.split()
        if self.phase == "draw":
            return kind == "pack" or bool({"draw": self.stock, "take": self.pile}.get(kind))
        if self.phase != "play" or kind not in ("discard", "declare") or cards[0] not in self.hand:
            return False
        if cards[0] == self.taken and not self.rules.discard_taken and set(self.hand) != {self.taken}:
            return False
        return kind == "discard" or self.as_hand(self.without(cards[0])).declarable()

    def without(self, card: str) -> list[str]:
        rest = list(self.hand)
        rest.remove(card)
        return rest

    # --- moves -----------------------------------------------------------------------------------------------

    def play(self, text: str, stock: list[str] | None = None) -> None:
        """``stock``: how it lies after a hand was put under it."""
        assert self.allows(text), text
        kind, *cards = text.split()
        me = self.to_play
        if kind == "draw":
            self.refused[me].update(self.pile[-1:])
            self.hand.append(self.stock.pop(0))
            self.phase = "play"
        elif kind == "take":
            self.taken = self.pile.pop()
            self.known[me][self.taken] += 1
            self.hand.append(self.taken)
            self.phase = "play"
        elif kind == "pack":
            self.pack(stock)
        else:
            self.hand.remove(cards[0])
            self.pile.append(cards[0])
            self.known[me] -= Counter(cards)
            self.discarded[me].add(cards[0])
            self.taken = None
            if kind == "declare":
                self.how = "declare"
                self.known = [
                    known if how else Counter(hand)
                    for known, hand, how in zip(self.known, self.hands, self.packed, strict=True)
                ]
                self.pay(me)
            else:
                self.end_turn()

    def pack(self, stock: list[str] | None) -> None:
        me = self.to_play
        self.packed[me] = "later" if self.turns[me] else "first"
        if not self.turns[me]:
            assert stock is not None
            above = len(self.stock)
            assert stock[:above] == self.stock
            assert Counter(stock[above:]) == Counter(self.hand)
            self.stock, self.hands[me], self.known[me] = list(stock), [], Counter()
        self.end_turn()

    def end_turn(self) -> None:
        self.turns[self.to_play] += 1
        left = [seat for seat, how in enumerate(self.packed) if how is None]
        if len(left) == 1:
            self.how = "last"
            self.to_play = left[0]
            self.pay(left[0])
        elif not self.stock:
            self.phase = "over"
        else:
            self.to_play = next(seat for seat in [*range(self.to_play + 1, len(self.hands)), *left] if seat in left)
            self.phase = "draw"
            if sum(self.turns) >= self.rules.max_turns:
                self.phase, self.truncated = "over", True

    def pay(self, winner: int) -> None:
        rules = self.rules
        for seat, how in enumerate(self.packed):
            if seat != winner:
                if how is None:
                    points = min(self.cost(seat), rules.points_cap or 10_000)
                else:
                    points = rules.pack_first if how == "first" else rules.pack_later
                self.scores[seat] -= points
                self.scores[winner] += points
        self.winner, self.phase = winner, "over"
