"""What the game does when a player's clock runs out (RULES.md, "Turn clock"): it draws and discards, never melds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.events import Event, back_to, played, turn_begins, turn_of
from game.hints import opening_of
from game.offers import INNER_KINDS
from game.seen import duties
from rummy_env.cards import card_text

if TYPE_CHECKING:
    from rummy_env import Game


def run_out(game: Game, drawn: str | None) -> tuple[Game, list[Event]]:
    """The round after the turn that the game ends for the seat to play, and what happens: events without numbers.

    ``drawn``: the card that the seat drew from the stock in this turn, if it did.
    """
    events: list[Event] = []
    kept = rolled_back(game)
    undone = len(game.history) - kept
    trial = back_to(game, kept) if undone else game.copy()
    if undone:
        events.append({"seat": game.to_play, "kind": "rollback", "by": "clock", "undone": undone})
        if trial.phase == "draw":
            drawn = None
    turn = turn_of(trial)
    while not trial.over and turn_of(trial) == turn:
        made = played(trial, next_move(trial, drawn), "clock")
        drawn = made[0].get("drawn", drawn)
        events += made
    return trial, events


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
