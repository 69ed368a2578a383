"""Moves of people at a hand game, gin or indian rummy: every one of them is one action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rummy_env.cards import JOKER, card_text
from rummy_env.core import batch
from rummy_env.game_moves import GameMoves
from rummy_env.held import held_cards
from rummy_env.moves import ONE_CARD_MOVES, Move

if TYPE_CHECKING:
    from rummy_env.game import Game


class HandMoves(GameMoves):
    """What gin and indian rummy share."""

    def move_of(self, game: Game, action: int) -> Move:
        block = self.block(action)
        kind = block.name.removesuffix("_joker")
        if kind not in ONE_CARD_MOVES:
            return Move(kind)
        return Move(kind, (JOKER if kind != block.name else action - block.first,))

    def action_of(self, game: Game, move: Move) -> int | None:
        if move.kind not in ONE_CARD_MOVES:
            return self.ids.get(move.kind)
        if move.cards[0] == JOKER:
            return self.ids.get(f"{move.kind}_joker")
        return self.ids[move.kind] + move.cards[0] if move.kind in self.ids else None

    def canonical(self, game: Game, move: Move) -> Move:
        return move

    def apply(self, game: Game, move: Move) -> None:
        batch.play_action(game.rules.record, game.state, self.action_of(game, move))

    def may(self, game: Game, move: Move) -> bool:
        """Whether the action of a move is legal."""
        action = self.action_of(game, move)
        return action is not None and self.allows(game, action)

    def draw_refusal(self, game: Game, move: Move) -> str | None:
        if self.may(game, move):
            return None
        if move.kind in ONE_CARD_MOVES:
            return "a turn begins with draw or take"
        return "the stock is empty" if move.kind == "draw" else "the pile is empty"

    def taken_refusal(self, game: Game, move: Move) -> str | None:
        """Why the card of a move may not leave the hand in this turn."""
        view = game.state["view"][0]
        card = move.cards[0]
        alone = held_cards(game.state, game.to_play) == [card]
        if view["taken"] != card or game.rules.discard_taken or alone:
            return None
        return f"{card_text(card)} was taken from the pile in this turn"


class GinMoves(HandMoves):
    """Gin."""

    kinds = ("draw", "take", "pass", "discard", "knock")

    def draw_refusal(self, game: Game, move: Move) -> str | None:
        if not self.may(game, move):
            if game.phase == "upcard" and move.kind != "take":
                return "the first upcard has to be taken or refused first, by pass"
            if move.kind == "pass":
                return "only the first upcard can be refused"
            if move.kind == "take" and game.pile:
                return "both players have refused the upcard, so this turn begins with draw"
        return super().draw_refusal(game, move)

    def play_refusal(self, game: Game, move: Move) -> str | None:
        if self.may(game, move):
            return None
        if move.kind == "pass":
            return "only the first upcard can be refused"
        if reason := self.taken_refusal(game, move):
            return reason
        left = [card_text(card) for card in held_cards(game.state, game.to_play) if card != move.cards[0]]
        points = game.rules.arrange(left).points
        return f"expected at most {game.rules.knock_limit} points of deadwood after the discard, got {points}"


class IndianMoves(HandMoves):
    """Indian rummy."""

    kinds = ("draw", "take", "pack", "discard", "declare")

    def play_refusal(self, game: Game, move: Move) -> str | None:
        if self.may(game, move):
            return None
        if move.kind == "pack":
            return "a player packs before drawing, not after"
        if reason := self.taken_refusal(game, move):
            return reason
        left = [card_text(card) for card in held_cards(game.state, game.to_play)]
        left.remove(card_text(move.cards[0]))
        found = game.rules.arrange(left, game.wild)
        first = "a natural run or triplet" if game.rules.has_triplets else "a natural run"
        if not found.melds:
            return f"expected {first} among the other cards, got none"
        rest = f"{' '.join(found.deadwood)} left over" if found.deadwood else "no second run"
        return f"expected {first}, a second run and all other cards in melds, got {rest}"


MOVES: Final = {"gin": GinMoves("gin"), "indian": IndianMoves("indian")}
