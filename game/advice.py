"""Hints and reviews: what the strongest player at hand does in a seat's place, and what the difference is worth.

An agent that knows what its choices are worth has ``values(view)`` (`agents.expert.Expert.values`). Of another one,
only its choice is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from game import hints, offers, players
from game.events import replayed
from game.messages import Words
from rummy_env import Game, Move
from rummy_env.cards import cards_text
from rummy_env.moves import parse_move

if TYPE_CHECKING:
    from agents import Agent
    from game.records import Round
    from rummy_env import View

MOST_VALUES: Final = 5


class Worth(Protocol):
    """What an action is worth, and how well that is known."""

    @property
    def points(self) -> float:
        """Points of the round that the seat gains on the mean of the others."""

    @property
    def worlds(self) -> int:
        """How often it was tried."""


@runtime_checkable
class Valuer(Protocol):
    """An agent that knows what its choices are worth."""

    def values(self, view: View) -> Mapping[int, Worth]:
        """The worth of each legal action."""


def valued(agent: Agent, view: View) -> tuple[int, dict[int, float]]:
    """What ``agent`` would play, and the points that it expects of its choices, empty where it cannot tell."""
    if not isinstance(agent, Valuer):
        return int(agent.act(view)), {}
    worth = agent.values(view)
    most = max(one.worlds for one in worth.values())  # what was dropped early may look better than it is
    best = max((action for action in worth if worth[action].worlds == most), key=lambda action: worth[action].points)
    return int(best), {int(action): float(one.points) for action, one in worth.items()}


def _seed(game: Game) -> int:
    """Of the adviser's random numbers: who asks twice in one position is told the same."""
    return len(game.history)


# --- hints -----------------------------------------------------------------------------------------------------


def hint(game: Game, name: str, lang: str) -> dict[str, Any]:
    """What the agent of a name would play in the place of the seat to play, and why, in a language."""
    agent, words = players.agent(name, game.rules), Words(lang)
    agent.reset(_seed(game))
    found = hints.hint(game, agent)
    move = found.move
    points = words("points", n=found.points)
    reason = words(found.reason, cards=" ".join(found.cards), points=points) if found.reason else ""
    told: dict[str, Any] = {"move": str(move), "kind": move.kind, "by": agent.name, "text": reason}
    if move.cards:
        told["cards"] = cards_text(move.cards).split()
    if move.meld is not None:
        told["meld"] = move.meld
    return told


# --- reviews ---------------------------------------------------------------------------------------------------


def decisions(one: Round, seat: int) -> list[int]:
    """The steps of a round at which a seat's person moved."""
    events = [event for event in one.events if event["kind"] != "deal"]
    return [step for step, event in enumerate(events) if _is_decision(event, seat)]


def _is_decision(event: dict[str, Any], seat: int) -> bool:
    return event["seat"] == seat and event["by"] == "person" and "move" in event


def review(start: Game, events: Sequence[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """What the agent of a name says of the last of ``events``, a person's move in the round that began with
    ``start``; None where there was nothing to decide."""
    played = [event for event in events if event["kind"] != "deal"]
    game = replayed(start.copy(), played[:-1])
    return _decision(game, played[-1], len(played) - 1, players.agent(name, game.rules))


def _decision(game: Game, event: dict[str, Any], step: int, agent: Agent) -> dict[str, Any] | None:
    legal = game.legal_actions()
    if len(legal) == 1:
        return None
    view = game.view(game.to_play)
    agent.reset(_seed(game))
    played = set(_first_actions(game, parse_move(event["move"])))
    best, values = valued(agent, view)
    known = [values[action] for action in played if action in values]
    worth = round(max(0.0, values[best] - max(known)), 2) if known else None
    if best in played:
        text, worth = event["move"], 0.0 if values else None
    else:
        text = _text(game, best, agent)
    found: dict[str, Any] = {"step": step, "played": event["move"], "best": text, "worth": worth}
    if values:
        ranked = sorted(values, key=lambda action: -values[action])[:MOST_VALUES]
        found["values"] = [[str(game.move_of(action)), round(values[action], 2)] for action in ranked]
    return found


def _text(game: Game, action: int, agent: Agent) -> str:
    """The move that an action begins, as people make it."""
    move = game.move_of(action)
    if move.kind not in offers.INNER_KINDS:
        return str(move)
    trial, first = game.copy(), len(game.table)
    while move.kind != "confirm":
        trial.step(action)
        action = int(agent.act(trial.view(trial.to_play)))
        move = trial.move_of(action)
    return offers.opening_on_table(trial, first)


def _first_actions(game: Game, move: Move) -> Iterator[int]:
    """The legal actions by which a move may be made: itself, or where it takes several the first of them."""
    wanted = [set(move.cards)] if move.cards else [set(meld) for meld in move.melds]
    kinds = {"open": ("piece",)}.get(move.kind, (move.kind,))
    for action in game.legal_actions():
        one = game.move_of(action)
        if one.kind not in kinds:
            continue
        if not wanted or any(set(one.cards) <= cards for cards in wanted):
            yield action
