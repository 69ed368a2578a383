"""A round of gin by the book, slow and readable: what the compiled engine is compared with.

Written from RULES.md alone, over card texts; it shares no code with `rummy_env`. From `Rules` it reads the values of
options, never a method. It also remembers what everybody at the table has seen.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from arrangement_oracle import fewest, settlement
from oracle import CARDS, sort

ACTIONS = ["draw", "take", "pass", *(f"discard {card}" for card in CARDS), *(f"knock {card}" for card in CARDS)]
"""Every action by its id, as the docs describe the table."""


@dataclass
class GinOracle:
    rules: Any
    hands: list[list[str]]
    pile: list[str]
    stock: list[str]
    """The next card to be drawn first."""
    dealer: int
    to_play: int
    phase: str = "upcard"
    passes: int = 0
    taken: str | None = None
    turns: list[int] = field(default_factory=lambda: [0, 0])
    winner: int | None = None
    scores: list[int] = field(default_factory=lambda: [0, 0])
    how: str | None = None
    truncated: bool = False
    known: list[set[str]] = field(default_factory=lambda: [set(), set()])
    discarded: list[set[str]] = field(default_factory=lambda: [set(), set()])
    refused: list[set[str]] = field(default_factory=lambda: [set(), set()])

    @property
    def over(self) -> bool:
        return self.phase == "over"

    @property
    def hand(self) -> list[str]:
        return self.hands[self.to_play]

    @property
    def values(self) -> dict[str, int]:
        return {"ace": self.rules.ace_points, "court": self.rules.court_points}

    def copy(self) -> GinOracle:
        twin = copy.copy(self)
        for name in ("hands", "pile", "stock", "turns", "scores", "known", "discarded", "refused"):
            setattr(twin, name, copy.deepcopy(getattr(self, name)))
        return twin

    def all_cards(self) -> list[str]:
        return sort([*self.hands[0], *self.hands[1], *self.pile, *self.stock])

    # --- what is legal ---------------------------------------------------------------------------------------

    def moves(self) -> Iterator[str]:
        return (text for text in ACTIONS if self.allows(text))

    def legal_ids(self) -> list[int]:
        return [number for number, text in enumerate(ACTIONS) if self.allows(text)]

    def allows(self, text: str) -> bool:
        kind, *cards = text.split()
        if self.phase == "upcard":
            return kind == "pass" or (kind == "take" and bool(self.pile))
        if self.phase == "draw":
            if kind == "take":
                return bool(self.pile) and self.passes < 2
            return kind == "draw" and bool(self.stock)
        if self.phase != "play" or kind not in ("discard", "knock") or cards[0] not in self.hand:
            return False
        if cards[0] == self.taken and len(self.hand) > 1 and not self.rules.discard_taken:
            return False
        return kind == "discard" or self.deadwood_without(cards[0]) <= self.rules.knock_limit

    def deadwood_without(self, card: str) -> int:
        return fewest([other for other in self.hand if other != card], **self.values)

    # --- moves -----------------------------------------------------------------------------------------------

    def play(self, text: str) -> None:
        assert self.allows(text), text
        kind, *cards = text.split()
        me = self.to_play
        if kind == "pass":
            self.refused[me].add(self.pile[-1])
            self.passes += 1
            self.to_play = 1 - me
            if self.passes == 2:
                self.begin_turn()
        elif kind in ("draw", "take"):
            if kind == "draw":
                self.refused[me].update(self.pile[-1:])
                card = self.stock.pop(0)
            else:
                card = self.taken = self.pile.pop()
                self.known[me].add(card)
            self.hands[me] = sort([*self.hand, card])
            self.phase, self.passes = "play", 0
        else:
            self.hand.remove(cards[0])
            self.pile.append(cards[0])
            self.known[me].discard(cards[0])
            self.discarded[me].add(cards[0])
            self.taken = None
            if kind == "knock":
                self.settle()
            else:
                self.turns[me] += 1
                if len(self.stock) <= self.rules.void_stock:
                    self.phase = "over"
                else:
                    self.to_play = 1 - me
                    self.begin_turn()

    def begin_turn(self) -> None:
        self.phase = "draw"
        if sum(self.turns) >= self.rules.max_turns:
            self.phase, self.truncated = "over", True
        elif not any(map(self.allows, ("draw", "take"))):
            self.phase = "over"

    def settle(self) -> None:
        me = self.to_play
        other = 1 - me
        mine, theirs = settlement(self.hands[me], self.hands[other], **self.values)
        if mine == 0:
            self.winner, points, self.how = me, theirs + self.rules.gin_bonus, "gin"
        elif mine < theirs:
            self.winner, points, self.how = me, theirs - mine, "knock"
        else:
            self.winner, points, self.how = other, mine - theirs + self.rules.undercut_bonus, "undercut"
        self.scores[self.winner] = points
        self.phase = "over"
        self.known = [set(hand) for hand in self.hands]
