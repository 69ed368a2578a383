"""Moves of people at any game: which action they are, why they may not be made, and making them.

They read the position and never change it, except `GameMoves.apply`. Whether an action is legal only the kernels know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING

from rummy_env.actions import ActionBlock, action_table, first_ids
from rummy_env.cards import card_text, parse_cards
from rummy_env.moves import Move

if TYPE_CHECKING:
    from rummy_env.game import Game


class GameMoves(ABC):
    """The moves of one ruleset. ``kinds``: of moves that it has."""

    kinds: tuple[str, ...]

    def __init__(self, ruleset: str) -> None:
        self.blocks = action_table(ruleset)
        self.ids = first_ids(self.blocks)

    def block(self, action: int) -> ActionBlock:
        return next(block for block in self.blocks if action in block)

    def allows(self, game: Game, action: int) -> bool:
        """Whether an action is legal."""
        return bool(int(game.state["view"]["legal"][0, action // 64]) >> action % 64 & 1)

    @abstractmethod
    def move_of(self, game: Game, action: int) -> Move:
        """The move that an action makes in this position, legal or not."""

    @abstractmethod
    def action_of(self, game: Game, move: Move) -> int | None:
        """The one action that makes a move of this position, or None where there is none, or it takes several."""

    @abstractmethod
    def canonical(self, game: Game, move: Move) -> Move:
        """The move as it is written down."""

    @abstractmethod
    def apply(self, game: Game, move: Move) -> None:
        """Make a legal move."""

    def refusal(self, game: Game, move: Move) -> str | None:
        """Why the seat to play may not make a move, or None where it may."""
        if game.over:
            return "the round is over"
        if move.kind not in self.kinds:
            return f"{game.rules.ruleset} rummy has no such move"
        if game.phase != "play":
            return self.draw_refusal(game, move)
        if move.kind in ("draw", "take"):
            return "a card was drawn already in this turn"
        missing = Counter(card for cards in (move.cards, *move.melds) for card in cards)
        missing.subtract(Counter(parse_cards(game.hand(game.to_play))))
        if lacking := [card for card, count in missing.items() if count > 0]:
            return f"{card_text(lacking[0])} is not in the hand"
        return self.play_refusal(game, move)

    @abstractmethod
    def draw_refusal(self, game: Game, move: Move) -> str | None:
        """Why a move may not be made before a card was drawn."""

    @abstractmethod
    def play_refusal(self, game: Game, move: Move) -> str | None:
        """Why a move may not be made after a card was drawn; its cards are in the hand."""
