"""What the game does when a player's clock runs out (RULES.md, "Turn clock"): it draws and discards, never melds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from game.hints import opening_of
from game.offers import INNER_KINDS
from game.seen import duties
from rummy_env.cards import card_text

if TYPE_CHECKING:
    from rummy_env import Game


def turn_begins(game: Game) -> int:
    """How many moves of the round were made before the turn being played."""
    replayed, at = game.start(), 0
    for number, entry in enumerate(game.history):
        turn = replayed.turn
        replayed.repeat(entry)
        if replayed.turn != turn:
            at = number + 1
    return at


def back_to(game: Game, count: int) -> Game:
    """The round after its first ``count`` moves."""
    earlier = game.start()
    for entry in game.history[:count]:
        earlier.repeat(entry)
    return earlier


def rolled_back(game: Game) -> int:
    """How many moves stay when the clock runs out: all of them, unless a taken card, a freed joker or an opening in the
    making is pending; then those before it was taken, freed or begun."""
    if not _pending(game):
        return len(game.history)
    first = turn_begins(game)
    for count in range(len(game.history) - 1, first - 1, -1):
        if not _pending(back_to(game, count)):
            return count
    return first


def _pending(game: Game) -> bool:
    """Whether the seat to play has to put something down before its turn can end."""
    return bool(duties(game)) or all(move.kind in INNER_KINDS for move in game.legal_moves())


def next_move(game: Game, drawn: str | None) -> str:
    """The next of the moves that the game makes for the seat to play, until its turn is over.

    ``drawn``: the card that the seat drew from the stock in this turn, if it did.
    """
    moves = [move for move in game.legal_moves() if move.kind in ("draw", "take", "pass", "discard")]
    kinds = {move.kind for move in moves}
    for kind in ("pass", "draw", "take"):
        if kind in kinds:
            return kind
    cards = [move.cards[0] for move in moves]
    texts = [card_text(card) for card in cards]
    if drawn in texts:
        return f"discard {drawn}"
    wild = game.view(game.to_play).wild
    points = [game.rules.hand_points([text], wild) for text in texts]
    return f"discard {texts[points.index(max(points))]}"


def any_move(game: Game) -> str:
    """Some legal move of the seat to play: for a computer player that fails."""
    moves = [move for move in game.legal_moves() if move.kind not in INNER_KINDS]
    return str(moves[-1]) if moves else str(opening_of(game))


def drawn_card(before: Sequence[str], after: Sequence[str]) -> str | None:
    """The card by which a hand grew."""
    return next((Counter(after) - Counter(before)).elements(), None)
