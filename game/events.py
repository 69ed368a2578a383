"""What happens in a round, as events: made from moves, told to those who may know, and played again.

An event is what is shown (game/PROTOCOL.md, "table") and what is kept of it besides: ``drawn``, the card that was
drawn, ``undone``, how many moves were taken back, and ``t``, when it was, in seconds since 1970.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rummy_env import Game, Match
from rummy_env.cards import card_text
from rummy_env.moves import Move, parse_move

if TYPE_CHECKING:
    from game.store import StoredRound
    from rummy_env import Rules

Event = dict[str, Any]

_KEPT: Final = ("drawn", "t", "undone")
"""What is kept of an event and not told."""


# --- from moves to events ------------------------------------------------------------------------------------


def played(game: Game, move: Move | str, by: str) -> list[Event]:
    """Play a move of the seat to play on ``game``; returns the events, which have no number yet.

    Raises:
        ValueError: for what is no move, or not a legal one; nothing has changed.
    """
    move = parse_move(move) if isinstance(move, str) else move
    seat, refills = game.to_play, _refills(game)
    hand, pile = game.hand(seat), game.pile
    game.play(move)
    made = game.history[-1]
    move = made if isinstance(made, Move) else game.move_of(made)
    events = [of_move(move, by, seat, hand, pile, game)]
    if _refills(game) > refills:
        events.append({"seat": seat, "kind": "refill", "by": "computer"})
    return events


def of_move(move: Move, by: str, seat: int, hand: Sequence[str], pile: Sequence[str], after: Game) -> Event:
    """The event of a move of ``seat``. ``hand`` and ``pile``: as they were before it; ``after``: the round after it."""
    event: Event = {"seat": seat, "kind": move.kind, "move": str(move), "by": by}
    if move.kind == "draw":
        event["drawn"] = drawn_card(hand, after.hand(seat))
    cards = [card_text(card) for card in move.cards] or (list(pile[-1:]) if move.kind == "take" else [])
    if cards:
        event["cards"] = cards
    if move.melds:
        event["melds"] = [[card_text(card) for card in meld] for meld in move.melds]
    if move.meld is not None:
        event["meld"] = move.meld
    return event


def _refills(game: Game) -> int:
    view = game.state["view"]
    return int(view["reshuffles"][0]) if "reshuffles" in (view.dtype.names or ()) else 0


def drawn_card(before: Sequence[str], after: Sequence[str]) -> str | None:
    """The card by which a hand grew."""
    return next((Counter(after) - Counter(before)).elements(), None)


def still_drawn(drawn: str | None, events: Iterable[Event]) -> str | None:
    """The card that the seat to play drew from the stock in its turn, after ``events``. ``drawn``: the same before."""
    for event in events:
        if event["kind"] == "draw":
            drawn = event["drawn"]
        elif event["kind"] in ("rollback", "discard", "take", "deal"):
            drawn = None
    return drawn


# --- who may know --------------------------------------------------------------------------------------------


def timed(event: Event) -> Event:
    """An event of this moment, as it is kept."""
    return event | {"t": round(time.time(), 1)}


def told(event: Event, seat: int | None) -> Event:
    """An event as a seat may know it, None one who watches: a drawn card is the drawer's own."""
    found = {key: value for key, value in event.items() if key not in _KEPT}
    if event["kind"] == "draw":
        found["cards"] = [event["drawn"]] if seat == event["seat"] and event.get("drawn") else []
    return found


# --- again ---------------------------------------------------------------------------------------------------


def replayed(game: Game, events: Iterable[Event]) -> Game:
    """A round after its events, from ``game``, its beginning.

    Raises:
        IllegalMove: if one of them cannot be played.
    """
    for event in events:
        if event["kind"] == "rollback":
            game = back_to(game, len(game.history) - event["undone"])
        elif "move" in event:
            game.play(event["move"])
    return game


def played_again(rules: Rules, rounds: Iterable[StoredRound]) -> Iterator[tuple[StoredRound, Game, Match]]:
    """Each round of a match, as it began, and the match after it: one and the same, which grows.

    Raises:
        ValueError: if they cannot be played again.
    """
    match: Match | None = None
    for one in rounds:
        if match is None:
            match = Match(rules, seed=one.seed)
        else:
            match.next_round(one.seed)
        start = match.game
        match.games[-1] = replayed(start.copy(), one.events)
        yield one, start, match


def back_to(game: Game, count: int) -> Game:
    """The round after its first ``count`` moves."""
    earlier = game.start()
    for entry in game.history[:count]:
        earlier.repeat(entry)
    return earlier


# --- turns ---------------------------------------------------------------------------------------------------


def turn_of(game: Game) -> tuple[int, ...]:
    """What tells the turn being played from the others of its round."""
    return (game.turn, game.to_play)


def turn_begins(game: Game) -> int:
    """How many moves of the round were made before the turn being played."""
    again, at = game.start(), 0
    for number, entry in enumerate(game.history):
        turn = again.turn
        again.repeat(entry)
        if again.turn != turn:
            at = number + 1
    return at


def seconds_taken(game: Game, events: Sequence[Event]) -> float:
    """The seconds that the turn being played had taken when the last of its round's events was written."""
    moves = len(game.history) - turn_begins(game)
    of_turn = [event for event in events if "move" in event][-moves:] if moves else []
    before = events.index(of_turn[0]) - 1 if of_turn else len(events) - 1
    return float(events[-1]["t"] - events[before]["t"])
