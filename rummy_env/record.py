"""Records of rounds: text that people read, and its twin in JSON.

A record holds the rules, the position from which the round began with the whole deal, the state of the generator
that shuffles refills, every move, and the result::

    [Format "rummy 1"]
    [Ruleset "straight"]
    [Option num_players "2"]
    [Seed "7"]
    [Hand 0 "2s 9s …"]
    [Hand 1 "As 5s …"]
    [Pile "Kd"]
    [Stock "3c 8h …"]
    [Dealer "1"]
    [Random "9b3f…"]
    [Result "seat 0 wins, scores 34 0"]

    1. seat 0: draw, meld 4d 5d 6d, discard Ks
    2. seat 1: take, discard 2h

A round that ended because a seat broke the rules has ``forfeit`` as its last move.
Several records follow each other in one file, as the rounds of a match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from rummy_env import arkadium
from rummy_env.core.random import check_seed
from rummy_env.moves import Move, parse_move
from rummy_env.numbers import whole_number
from rummy_env.position import from_states, to_states
from rummy_env.rules import Rules

if TYPE_CHECKING:
    from rummy_env.game import Game
    from rummy_env.view import Result

FORMAT: Final = "rummy 1"

_TAG: Final = re.compile(r'\[(?P<name>[A-Za-z]+)(?: (?P<which>\S+))? "(?P<value>[^"]*)"\]')
_TURN: Final = re.compile(r"(?P<turn>[0-9]{1,9})\. seat (?P<seat>[0-9]{1,9}): (?P<moves>.+)")

_TAG_OF_KEY: Final = {
    "pile": "Pile",
    "stock": "Stock",
    "dealer": "Dealer",
    "to_play": "ToPlay",
    "phase": "Phase",
    "taken": "Taken",
    "taken_used": "TakenUsed",
    "melded_now": "MeldedNow",
    "laid_off_now": "LaidOffNow",
    "put_down": "PutDown",
    "opened": "Opened",
    "opened_now": "OpenedNow",
    "untaken": "Untaken",
    "freed": "Freed",
    "pending": "Pending",
    "passes": "Passes",
    "wild": "Wild",
    "packed": "Packed",
    "reshuffles": "Reshuffles",
    "turns": "Turns",
}
"""Tags of the parts of a position that hold one value, as far as the ruleset has them. Texts stand as they are, who has
packed as words with ``-`` for nobody, all else as JSON."""
_TEXT_KEYS: Final = ("pile", "stock", "phase", "taken", "wild")

_JSON_KEYS: Final = ("format", "ruleset", "options", "seed", "position", "random", "turns", "result")


def result_text(result: Result | None) -> str:
    """One line that says how a round ended."""
    if result is None:
        return "unfinished"
    if result.winner is None:
        return "void, turns used up" if result.truncated else "void"
    how = ", rummy" if result.doubled else ", blocked" if result.blocked else f", {result.how}" if result.how else ""
    return f"seat {result.winner} wins{how}, scores {' '.join(map(str, result.scores))}"


# --- writing -------------------------------------------------------------------------------------------------


def write(game: Game, form: str = "text") -> str:
    """The record of a round, ``form`` "text" or "json".

    Raises:
        ValueError: for another form.
    """
    if form not in ("text", "json"):
        raise ValueError(f"form: expected 'text' or 'json', got {form!r}")
    data = to_data(game)
    return json.dumps(data, indent=1) + "\n" if form == "json" else "\n".join(_lines(data)) + "\n"


def write_all(games: Iterable[Game], form: str = "text") -> str:
    """The records of several rounds in one text, which `read_all` reads.

    Raises:
        ValueError: for another form.
    """
    records = [write(game, form) for game in games]
    return "\n".join(records) if form == "text" else f"[{','.join(records)}]\n"


def to_data(game: Game) -> dict[str, Any]:
    """The record as plain dicts and lists."""
    start = game.start_state
    position = from_states(game.rules, start)
    return {
        "format": FORMAT,
        "ruleset": game.rules.ruleset,
        "options": game.rules.options(),
        **({} if game.seed is None else {"seed": game.seed}),
        "position": position,
        "random": f"{int(start['hidden']['rng'][0]):016x}",
        "turns": _turns(game, begun=bool(position.get("pending"))),
        "result": result_text(game.result),
    }


def _turns(game: Game, begun: bool) -> list[dict[str, Any]]:
    """The moves of every turn. An opening put together piece by piece is one `open`, unless it had begun before the
    record (``begun``) or is not confirmed yet."""
    turns: list[dict[str, Any]] = []
    pieces_from: tuple[int, int] | None = None  # where the pieces begin: in the moves of the turn, on the table
    replayed = game.start()
    for entry in game.history:
        turn, seat = replayed.turn + 1, replayed.to_play
        move = replayed.move_of(entry) if isinstance(entry, int) else entry
        if not turns or (turns[-1]["turn"], turns[-1]["seat"]) != (turn, seat):
            turns.append({"turn": turn, "seat": seat, "moves": []})
        moves = turns[-1]["moves"]
        if move.kind == "piece" and pieces_from is None and not begun:
            pieces_from = len(moves), len(replayed.table)
        replayed.repeat(entry)
        if move.kind != "confirm" or pieces_from is None:
            moves.append(str(move))
        else:
            first_move, first_meld = pieces_from
            opening = Move("open", melds=tuple(pending.meld.cards for pending in replayed.table[first_meld:]))
            moves[first_move:] = [str(opening)]
        if move.kind == "confirm":
            pieces_from, begun = None, False
    return turns


def _lines(data: dict[str, Any]) -> Iterator[str]:
    position = data["position"]
    yield f'[Format "{data["format"]}"]'
    yield f'[Ruleset "{data["ruleset"]}"]'
    for name, value in data["options"].items():
        yield f'[Option {name} "{value if isinstance(value, str) else json.dumps(value)}"]'
    if "seed" in data:
        yield f'[Seed "{data["seed"]}"]'
    for seat, hand in enumerate(position["hands"]):
        yield f'[Hand {seat} "{hand}"]'
    for meld in position.get("table", ()):
        yield f'[Meld {meld["by"]} "{meld["cards"]}"]'
    fresh = {"to_play": (position["dealer"] + 1) % len(position["hands"]), "phase": "draw", "stock": ""}
    for key, tag in _TAG_OF_KEY.items():
        if key not in position:
            continue
        value = position[key]
        if key in ("pile", "stock", "dealer") or (value != fresh[key] if key in fresh else _any(value)):
            yield f'[{tag} "{_tag_value(key, value)}"]'
    yield f'[Random "{data["random"]}"]'
    yield f'[Result "{data["result"]}"]'
    yield ""
    for turn in data["turns"]:
        yield f"{turn['turn']}. seat {turn['seat']}: {', '.join(turn['moves'])}"


def _tag_value(key: str, value: Any) -> str:
    if key == "packed":
        return " ".join(how or "-" for how in value)
    return str(value) if key in _TEXT_KEYS else json.dumps(value)


def _any(value: Any) -> bool:
    return any(value) if isinstance(value, list) else bool(value)


# --- reading -------------------------------------------------------------------------------------------------


def read(text: str) -> Game:
    """Replay the one round of a record, text or JSON.

    Raises:
        ValueError: naming the line that is wrong.
    """
    games = read_all(text)
    if len(games) != 1:
        raise ValueError(f"expected a record of one round, got {len(games)}")
    return games[0]


def read_all(text: str) -> list[Game]:
    """Replay all rounds of a file, text or JSON (one round or a list of them), or logs of `rummy_env.arkadium`.

    Raises:
        ValueError: naming the line, or in JSON the turn, that is wrong.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected the text of a record, got {text!r}")
    text = text.lstrip("\ufeff")
    stripped = text.lstrip()
    if not stripped:
        raise ValueError("expected a record, got an empty text")
    if stripped.startswith("{") or re.match(r"\[\s*[{\]]", stripped):
        return _read_json(text)
    if arkadium.is_log(text):
        return arkadium.read_all(text)
    games = []
    lines = list(enumerate(text.splitlines(), 1))
    starts = [at for at, (_, line) in enumerate(lines) if line.startswith("[Format ")]
    if not starts or any(line.strip() for _, line in lines[: starts[0]]):
        raise ValueError(f'line 1: expected [Format "{FORMAT}"], got {lines[0][1][:60]!r}')
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        games.append(_replay(_parse(lines[start:stop])))
    return games


def _read_json(text: str) -> list[Game]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: expected a record in JSON, {error.msg}") from None
    except RecursionError:
        raise ValueError("expected a record in JSON, got lists within lists without end") from None
    games = []
    for number, one in enumerate(data if isinstance(data, list) else [data]):
        if not isinstance(one, dict) or not isinstance(one.get("turns"), list):
            raise ValueError(f"record {number}: expected an object with 'format', 'position' and 'turns'")
        if unknown := one.keys() - set(_JSON_KEYS):
            raise ValueError(f"record {number}: expected keys of {', '.join(_JSON_KEYS)}, got {min(unknown)!r}")
        for turn in one["turns"]:
            if not isinstance(turn, dict) or not isinstance(turn.get("moves"), list):
                raise ValueError(f"record {number}: expected turns with 'turn', 'seat' and 'moves', got {turn!r}")
            turn["where"] = f"record {number}, turn {turn.get('turn')}"
        games.append(_replay({**one, "where": f"record {number}"}))
    if not games:
        raise ValueError("expected a record, got an empty list")
    return games


def _parse(lines: list[tuple[int, str]]) -> dict[str, Any]:
    """The data of one record in text. ``lines``: with their numbers."""
    data: dict[str, Any] = {"where": f"line {lines[0][0]}", "options": {}, "turns": []}
    position: dict[str, Any] = {"table": []}
    hands: list[str] = []
    keys = {tag: key for key, tag in _TAG_OF_KEY.items()}
    seen: set[tuple[str, str | None]] = set()
    for number, line in lines:
        where, line = f"line {number}", line.strip()
        if not line or line.startswith("#"):
            continue
        if tag := _TAG.fullmatch(line):
            name, which, value = tag["name"], tag["which"], tag["value"]
            if name != "Meld" and (name, which) in seen:
                raise ValueError(f"{where}: expected every tag once, got {line!r} again")
            seen.add((name, which))
            if name == "Option" and which:
                data["options"][which] = value if which == "refill" else _json(value, where)
            elif name == "Hand" and which:
                if which != str(len(hands)):
                    raise ValueError(f"{where}: expected the hand of seat {len(hands)}, got {line!r}")
                hands.append(value)
            elif name == "Meld" and which:
                position["table"].append({"cards": value, "by": _json(which, where)})
            elif name in keys and not which:
                position[keys[name]] = _value_of_tag(keys[name], value, where)
            elif name == "Seed" and not which:
                data["seed"] = _json(value, where)
            elif name in ("Format", "Ruleset", "Random", "Result") and not which:
                data[name.lower()] = value
                data[f"{name.lower()}_where"] = where
            else:
                raise ValueError(f"{where}: expected a tag of a record, got {line!r}")
        elif turn := _TURN.fullmatch(line):
            moves = [move.strip() for move in turn["moves"].split(",")]
            data["turns"].append({"turn": int(turn["turn"]), "seat": int(turn["seat"]), "moves": moves, "where": where})
        else:
            raise ValueError(f"{where}: expected a tag or a turn like '1. seat 0: draw, discard Ks', got {line!r}")
    position["hands"] = hands
    dealer = position.get("dealer", len(hands) - 1)
    if "to_play" not in position and hands and isinstance(dealer, int):
        position["to_play"] = (dealer + 1) % len(hands)
    data["position"] = position
    return data


def _value_of_tag(key: str, value: str, where: str) -> Any:
    if key == "packed":
        return [None if how == "-" else how for how in value.split()]
    return value if key in _TEXT_KEYS else _json(value, where)


def _json(value: str, where: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError(f"{where}: expected a number, true, false or a list, got {value[:60]!r}") from None


def _replay(data: dict[str, Any]) -> Game:
    from rummy_env.game import Game

    where = data["where"]
    if data.get("format") != FORMAT:
        raise ValueError(f"{where}: expected format {FORMAT!r}, got {data.get('format')!r}")
    try:
        options = data.get("options")
        if not isinstance(options, dict):
            raise ValueError(f"options: expected an object, got {options!r}")
        rules = Rules.preset(data.get("ruleset", ""), **options)
        states = to_states(rules, data.get("position", {}))
        states["hidden"]["rng"] = _random_state(data.get("random", "1"))
        game = Game.from_start(rules, states, check_seed(data.get("seed")))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for turn in data["turns"]:
        for move in turn["moves"]:
            try:
                if (whole_number(turn.get("seat")), whole_number(turn.get("turn"))) != (game.to_play, game.turn + 1):
                    raise ValueError(
                        f"expected turn {game.turn + 1} of seat {game.to_play}, "
                        f"got turn {_said(turn, 'turn')} of seat {_said(turn, 'seat')}"
                    )
                if not isinstance(move, str):
                    raise ValueError(f"expected the text of a move, got {move!r}")
                game.repeat(parse_move(move))
            except ValueError as error:
                raise ValueError(f"{turn['where']}: {error}") from None
    if "result" in data and data["result"] != result_text(game.result):
        where = data.get("result_where", where)
        raise ValueError(f"{where}: expected the result {result_text(game.result)!r}, got {data['result']!r}")
    return game


def _said(turn: dict[str, Any], key: str) -> str:
    """What a turn says of itself, as JSON writes it."""
    return "none" if key not in turn else json.dumps(turn[key])


def _random_state(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{1,16}", text) or not int(text, 16):
        raise ValueError(f"random: expected up to 16 hexadecimal digits, not all 0, got {text!r}")
    return int(text, 16)
