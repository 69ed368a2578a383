"""What a room's finished rounds leave behind: records to download, and replays step by step with all hands open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from game import events, seen
from game.catalogue import match_state, rules_of
from game.offers import INNER_KINDS, opening_on_table
from game.protocol import Settings
from game.store import StoredRoom
from rummy_env import Game, record
from rummy_env.moves import parse_move


@dataclass
class Round:
    """A finished round: its beginning, what happened, its end, and how the match stood then."""

    number: int
    start: Game
    events: list[dict[str, Any]]
    game: Game
    match_over: bool
    winners: tuple[int, ...]
    names: list[str]

    @property
    def result(self) -> dict[str, Any] | None:
        return seen.result(self.game, self.match_over, self.winners)


def rounds_of(stored: StoredRoom) -> list[Round]:
    """The finished rounds of a room's match.

    Raises:
        ValueError: if they cannot be played again.
    """
    played = stored.state.get("played")
    if not stored.rounds or played is None:
        return []
    settings, names = Settings(**played["settings"]), played["names"]
    rules = rules_of(settings, len(names))
    found: list[Round] = []
    for one, start, match in events.played_again(rules, stored.rounds):
        if match.game.over:
            found.append(Round(one.number, start, one.events, match.game, *match_state(match, settings), names))
    return found


def rounds_of_file(games: Sequence[Game]) -> list[Round]:
    """The rounds of a record, as `rummy_env.record.read_all` gives them."""
    found = []
    for number, game in enumerate(games, 1):
        names = [f"{seat + 1}" for seat in range(game.rules.num_players)]
        last = number == len(games)
        winner = game.result.winner if game.result else None
        winners = () if winner is None or not last else (winner,)
        found.append(Round(number, game.start(), list(_events(game)), game, last, winners, names))
    return found


def _events(game: Game) -> Iterator[dict[str, Any]]:
    """The history of a round as events; an opening put together piece by piece is one."""
    now, first = game.start(), None
    for entry in game.history:
        seat, hand = now.to_play, now.hand(now.to_play)
        move = now.move_of(entry) if isinstance(entry, int) else entry
        if move.kind in INNER_KINDS and first is None:
            first = len(now.table)
        pile = now.pile
        text = opening_on_table(now, first) if move.kind == "confirm" and first is not None else str(move)
        now.repeat(entry)
        if move.kind in INNER_KINDS and move.kind != "confirm":
            continue
        if move.kind == "confirm":
            move, first = parse_move(text), None
        yield events.of_move(move, "computer", seat, hand, pile, now)


# --- replays ---------------------------------------------------------------------------------------------------


def replay(one: Round) -> dict[str, Any]:
    """A round step by step (game/PROTOCOL.md, "Replay of a round")."""
    game = one.start.copy()
    before = position(game)
    steps = []
    for event in one.events:
        if event["kind"] == "deal":
            continue
        game = events.replayed(game, [event])
        after = position(game)
        step: dict[str, Any] = {"event": events.told(event, event["seat"])}
        step |= {key: value for key, value in after.items() if key != "hands" and value != before[key]}
        hands = {str(s): hand for s, hand in enumerate(after["hands"]) if hand != before["hands"][s]}
        steps.append(step | {"hands": hands} if hands else step)
        before = after
    return {
        "ruleset": game.rules.ruleset,
        "options": game.rules.options(),
        "names": one.names,
        "round": one.number,
        "start": position(one.start),
        "steps": steps,
        "result": one.result,
    }


def position(game: Game) -> dict[str, Any]:
    """A position with everything open, as replays show it."""
    public = seen.public(game)
    return {
        "hands": [game.hand(seat) for seat in range(game.rules.num_players)],
        "table": public["table"],
        "pile": game.pile,
        "stock": game.stock_size,
        "to_play": game.to_play,
        "phase": game.phase,
        "turn": game.turn,
        "wild": public["wild"],
        "opened": [seat["opened"] for seat in public["seats"]],
        "packed": [seat["packed"] for seat in public["seats"]],
    }


# --- records ---------------------------------------------------------------------------------------------------


def record_of(rounds: Iterable[Round], form: str) -> str:
    """The records of rounds, ``form`` "text" or "json", with what the clock did: in text as comments after its turn,
    in JSON as ``clock`` of the turn."""
    if form == "json":
        return json.dumps([_json(one) for one in rounds], ensure_ascii=False, indent=1) + "\n"
    return "\n".join(_text(one) for one in rounds)


def _clocks(one: Round) -> dict[int, dict[str, list[str]]]:
    """By the number of a turn in which the clock ran out: the moves taken back, and those that the game made."""
    found: dict[int, dict[str, list[str]]] = {}
    game = one.start.copy()
    moves: list[str] = []
    for event in one.events:
        turn = game.turn + 1
        game = events.replayed(game, [event])
        if event["by"] == "clock":
            about = found.setdefault(turn, {"taken_back": [], "played": []})
            if event["kind"] == "rollback":
                about["taken_back"] = moves[-event["undone"] :]
            elif "move" in event:
                about["played"].append(event["move"])
        if "move" in event:
            moves.append(event["move"])
    return found


def _json(one: Round) -> dict[str, Any]:
    data = record.to_data(one.game)
    clocks = _clocks(one)
    for turn in data["turns"]:
        if turn["turn"] in clocks:
            turn["clock"] = clocks[turn["turn"]]
    return data


def _text(one: Round) -> str:
    clocks = _clocks(one)
    lines = []
    for line in record.write(one.game).splitlines():
        lines.append(line)
        number = line.partition(".")[0]
        if number.isdigit() and int(number) in clocks:
            about = clocks[int(number)]
            back = f"; taken back: {', '.join(about['taken_back'])}" if about["taken_back"] else ""
            lines.append(f"# the clock ran out; the game played: {', '.join(about['played'])}{back}")
    return "\n".join(lines) + "\n"
