"""Hints and reviews: what the strongest player at hand does in a seat's place, and what the difference is worth.

An agent that knows what its choices are worth has ``values(view)`` (`agents.expert.Expert.values`). Of another one,
only its choice is known.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from game import hints, offers
from game.messages import Words
from game.records import Round
from game.rooms import replayed
from rummy_env import Game, Move, Rules
from rummy_env.cards import cards_text
from rummy_env.moves import parse_move

if TYPE_CHECKING:
    from agents import Agent
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


# --- hints -----------------------------------------------------------------------------------------------------


def hint(game: Game, agent: Agent, words: Words) -> dict[str, Any]:
    """What ``agent`` would play in the place of the seat to play, and why."""
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


def review(one: Round, seat: int, agent_for: Callable[[Rules], Agent]) -> Iterator[dict[str, Any] | None]:
    """The decisions of a seat's person in a round, one after the other; None for what was none (a forced move)."""
    game, step = one.start.copy(), 0
    agent = agent_for(game.rules)
    for event in one.events:
        if event["kind"] == "deal":
            continue
        if event["seat"] == seat and event["by"] == "person" and "move" in event:
            yield _decision(game, event, step, agent)
        game = replayed(game, [event])
        step += 1


def decisions(one: Round, seat: int) -> int:
    """How many moves `review` goes through."""
    return sum(event["seat"] == seat and event["by"] == "person" and "move" in event for event in one.events)


def _decision(game: Game, event: dict[str, Any], step: int, agent: Agent) -> dict[str, Any] | None:
    legal = game.legal_actions()
    if len(legal) == 1:
        return None
    view = game.view(game.to_play)
    if hasattr(agent, "reset"):
        agent.reset(secrets.randbits(32))
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
