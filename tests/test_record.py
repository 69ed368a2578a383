"""Records of rounds: read back they are the same round; broken ones are refused with the line that is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_rounds import Chooser, fields_of

from rummy_env import Game, Match, Rules
from rummy_env.record import read_all, result_text

pytestmark = pytest.mark.core

TEXT = """\
[Format "rummy 1"]
[Ruleset "straight"]
[Option num_players "2"]
[Option refill "draw"]
[Hand 0 "4d 5d 6d Kc"]
[Hand 1 "As Kd"]
[Meld 1 "Ts Js Qs"]
[Pile "2h"]
[Stock "9s 3c"]
[Dealer "1"]
[Random "9b3f"]
[Result "seat 0 wins, scores 20 0"]

# A lay-off in the first turn: no rummy in the third.
1. seat 0: draw, layoff 9s 0, discard Kc
2. seat 1: take, discard As
3. seat 0: draw, meld 4d 5d 6d, discard 3c
"""
DATA = {
    "format": "rummy 1",
    "ruleset": "straight",
    "options": {"num_players": 2, "refill": "draw"},
    "position": {
        "hands": ["4d 5d 6d Kc", "As Kd"],
        "table": [{"cards": "Ts Js Qs", "by": 1}],
        "pile": "2h",
        "stock": "9s 3c",
        "dealer": 1,
    },
    "random": "9b3f",
    "turns": [
        {"turn": 1, "seat": 0, "moves": ["draw", "layoff 9s 0", "discard Kc"]},
        {"turn": 2, "seat": 1, "moves": ["take", "discard As"]},
        {"turn": 3, "seat": 0, "moves": ["draw", "meld 4d 5d 6d", "discard 3c"]},
    ],
    "result": "seat 0 wins, scores 20 0",
}


def with_line(number: int, line: str) -> str:
    """TEXT with another line, counted from 1."""
    lines = TEXT.splitlines()
    lines[number - 1] = line
    return "\n".join(lines)


def with_value(path: str, value: Any) -> str:
    """DATA as JSON with another value at a path like "turns.0.seat"."""
    data = json.loads(json.dumps(DATA))
    *parents, last = path.split(".")
    inside = data
    for key in parents:
        inside = inside[int(key) if isinstance(inside, list) else key]
    inside[int(last) if isinstance(inside, list) else last] = value
    return json.dumps(data)


def played(seed: int, moves: int = 10_000, **options: Any) -> Game:
    game, choose = Game.deal(Rules.preset("straight", **options), seed=seed), Chooser(seed)
    while not game.over and len(game.history) < moves:
        game.play(choose([str(move) for move in game.legal_moves()]))
    return game


# --- what is written is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [TEXT, json.dumps(DATA), json.dumps([DATA])], ids=["text", "JSON", "list"])
def test_a_record_written_by_hand(text: str) -> None:
    game = Game.from_record(text)
    assert game.rules == Rules.preset("straight", refill="draw")
    assert game.result is not None
    assert (game.result.winner, game.result.scores, game.result.doubled) == (0, (20, 0), False)
    assert [len(game.history), game.turn, str(game.history[-2])] == [8, 2, "meld 4d 5d 6d"]
    assert game.seed is None
    assert game.record().endswith(TEXT[TEXT.index("\n1. seat") :])


def test_most_of_a_record_may_be_left_out() -> None:
    game = Game.from_record('[Format "rummy 1"]\n[Ruleset "straight"]\n[Hand 0 "4d"]\n[Hand 1 ""]\n[Pile "2h"]')
    assert (game.phase, game.to_play, game.hand(0), game.pile, game.result) == ("draw", 0, ["4d"], ["2h"], None)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n", "\ufeff\n"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_line_ends_blank_lines_and_byte_order_marks_do_not_matter(form: str, start: str, ending: str) -> None:
    game = played(3)
    assert fields_of(Game.from_record(start + game.record(form).replace("\n", ending)).state) == fields_of(game.state)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("moves", [0, 1, 7, 10_000])
def test_text_and_json_say_the_same(players: int, moves: int) -> None:
    game = played(5, moves, num_players=players, target=50, refill="draw", discard_taken=True)
    text, data = game.record(), json.loads(game.record("json"))
    assert list(data) == ["format", "ruleset", "options", "seed", "position", "random", "turns", "result"]
    assert data["seed"] == 5
    assert data["result"] == result_text(game.result) == ("unfinished" if moves < 10_000 else data["result"])
    for form in (text, json.dumps(data)):
        again = Game.from_record(form)
        assert fields_of(again.state) == fields_of(game.state)
        assert (again.rules, again.seed, again.result) == (game.rules, 5, game.result)
        assert again.record() == text


def test_a_round_that_starts_in_the_middle_of_a_turn() -> None:
    position = {
        "hands": ["9h Th Kd", "Ah Kh", "2c"],
        "table": [{"cards": "4s 5s 6s", "by": 0}, {"cards": "7d 8d 9d Td", "by": 2}],
        "pile": "Qd",
        "stock": "Qc Jh 2h",
        "phase": "play",
        "taken": "7d",
        "taken_used": True,
        "melded_now": True,
        "laid_off_now": True,
        "put_down": [False, True, False],
        "reshuffles": 2,
        "turns": [4, 3, 3],
        "dealer": 2,
    }
    game = Game.from_position(Rules.preset("straight", num_players=3), position)
    game.play("discard 9h")
    for form in ("text", "json"):
        again = Game.from_record(game.record(form))
        assert again.start().position() == game.start().position()
        assert fields_of(again.state) == fields_of(game.state)
    tags = {line.split()[0].strip("[") for line in game.record().split("\n\n")[0].splitlines()}
    assert tags >= {"Phase", "Taken", "TakenUsed", "MeldedNow", "LaidOffNow", "PutDown", "Reshuffles", "Turns", "Meld"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_rounds_of_a_match_are_one_record(form: str) -> None:
    match, choose = Match(Rules.preset("straight", target=60), seed=2), Chooser(1)
    while True:
        while not match.game.over:
            match.game.play(choose([str(move) for move in match.game.legal_moves()]))
        if match.over:
            break
        match.next_round()
    games = read_all(match.record(form))
    assert len(games) == len(match.games) > 1
    for again, game in zip(games, match.games, strict=True):
        assert again.result == game.result
        assert again.position() == game.position()
    with pytest.raises(ValueError, match=f"expected a record of one round, got {len(games)}"):
        Game.from_record(match.record(form))


def test_a_record_has_two_forms() -> None:
    with pytest.raises(ValueError, match="form: expected 'text' or 'json', got 'xml'"):
        played(1, 3).record("xml")


# --- what is broken is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "line", "words"),
    [
        (1, '[Format "rummy 2"]', "line 1: expected format 'rummy 1', got 'rummy 2'"),
        (2, '[Ruleset "poker"]', "line 1: expected a ruleset of straight"),
        (2, "", "line 1: expected a ruleset of straight, rami, indian, gin, got ''"),
        (3, '[Option num_players "5"]', "line 1: num_players: expected a whole number from 2 to 4, got 5"),
        (3, '[Option num_players "two"]', "line 3: expected a number, true, false or a list, got 'two'"),
        (3, '[Option name "2"]', "line 1: straight has no option 'name'"),
        (4, '[Option refill "never"]', "line 1: refill: expected one of turn, draw, got 'never'"),
        (4, '[Option num_players "2"]', "line 4: expected every tag once"),
        (4, '[Option "2"]', "line 4: expected a tag of a record"),
        (5, '[Hand 0 "4d 5d 6x"]', "line 1: hand of seat 0: expected cards like"),
        (5, '[Hand 1 "4d 5d 6d Kc"]', "line 5: expected the hand of seat 0, got"),
        (5, '[Hand zero "4d 5d 6d Kc"]', "line 5: expected the hand of seat 0"),
        (5, '[Hand "4d 5d 6d Kc"]', "line 5: expected a tag of a record"),
        (6, "", "line 1: hands: expected a list of 2, one for each seat"),
        (6, '[Hand 0 "As Kd"]', "line 6: expected every tag once"),
        (
            6,
            '[Hand 1 "As 4d"]',
            "line 1: expected each card once, got 4d in the hand of seat 0 and in the hand of seat",
        ),
        (7, '[Meld 2 "Ts Js Qs"]', "line 1: by: expected a whole number from 0 to 1, got 2"),
        (7, '[Meld 1 "Ts Js Ks"]', "line 1: meld 0 of the table: expected a set or a run"),
        (7, '[Meld me "Ts Js Qs"]', "line 7: expected a number, true, false or a list, got 'me'"),
        (8, '[Pile 2 "2h"]', "line 8: expected a tag of a record"),
        (8, '[Pile "2h"', "line 8: expected a tag or a turn"),
        (8, '[Heap "2h"]', "line 8: expected a tag of a record, got '.Heap"),
        (10, '[Dealer "2"]', "line 1: dealer: expected a whole number from 0 to 1, got 2"),
        (10, '[Dealer "[1]"]', "line 1: dealer: expected a whole number from 0 to 1"),
        (10, '[Dealer "last"]', "line 10: expected a number"),
        (10, '[Dealer "0"]', "line 15: expected turn 1 of seat 1, got turn 1 of seat 0"),
        (10, f'[Dealer "{"[" * 100_000}"]', "line 10: expected a number, true, false or a list"),
        (10, '[Seed "-1"]', "line 1: seed: expected a whole number from 0 on or None, got -1"),
        (10, '[Seed "[7]"]', "line 1: seed: expected a whole number from 0 on"),
        (11, '[Random "0"]', "line 1: random: expected up to 16 hexadecimal digits, not all 0, got '0'"),
        (11, '[Random "xyz"]', "line 1: random: expected up to 16 hexadecimal digits"),
        (11, '[Random "12345678901234567"]', "line 1: random: expected up to 16"),
        (
            12,
            '[Result "seat 1 wins, scores 20 0"]',
            "line 12: expected the result 'seat 0 wins, scores 20 0', got 'seat 1",
        ),
        (12, '[Result "seat 0 wins, rummy, scores 40 0"]', "line 12: expected the result 'seat 0 wins, scores 20 0'"),
        (12, '[Result "void"]', "line 12: expected the result"),
        (12, '[Result ""]', "line 12: expected the result"),
        (15, "1. seat 0: draw, layoff 9s 0, discard As", "line 15: discard As is not legal: As is not in the hand"),
        (
            15,
            "1. seat 0: draw, layoff 9s 0 high, discard Kc",
            "line 15: layoff 9s 0 high is not legal: 9s does not fit",
        ),
        (15, "1. seat 0: draw, fold", "line 15: expected a move like"),
        (15, "1. seat 0: draw,, discard Kc", "line 15: expected a move like"),
        (15, "1. seat 0 draw", "line 15: expected a tag or a turn like"),
        (15, "1. seat 0:", "line 15: expected a tag or a turn like"),
        (15, "draw, discard Kc", "line 15: expected a tag or a turn like"),
        (15, "1. seat 1: draw, layoff 9s 0, discard Kc", "line 15: expected turn 1 of seat 0, got turn 1 of seat 1"),
        (15, "2. seat 0: draw, layoff 9s 0, discard Kc", "line 15: expected turn 1 of seat 0, got turn 2 of seat 0"),
        (15, "", "line 16: expected turn 1 of seat 0, got turn 2 of seat 1"),
        (16, "2. seat 1: take", "line 17: expected turn 2 of seat 1, got turn 3 of seat 0"),
        (
            16,
            "2. seat 1: take, discard Kc",
            "line 16: discard Kc is not legal: Kc was taken from the pile in this turn",
        ),
        (16, "2. seat 1: take, discard As, draw", "line 16: expected turn 3 of seat 0, got turn 2 of seat 1"),
        (17, "3. seat 0: draw, meld 4d 5d 6d, discard 3c, draw", "line 17: draw is not legal: the round is over"),
        (17, "3. seat 0: draw, forfeit", "line 12: expected the result 'void', got 'seat 0 wins"),
        (17, "3. seat 0: draw, meld 4d 5d 6d, discard 3c, forfeit", "line 17: forfeit is not legal: the round is over"),
        (17, "", "line 12: expected the result 'unfinished', got 'seat 0 wins, scores 20 0'"),
    ],
)
def test_the_line_that_is_wrong_is_named(number: int, line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Game.from_record(with_line(number, line))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("format", "rummy 2", "record 0: expected format 'rummy 1', got 'rummy 2'"),
        ("format", None, "record 0: expected format 'rummy 1', got None"),
        ("ruleset", ["straight"], "record 0: expected a ruleset of straight"),
        ("options", [], "record 0: options: expected an object, got"),
        ("options", {"num_players": "2"}, "record 0: num_players: expected a whole number from 2 to 4, got '2'"),
        ("options", {"name": 2}, "record 0: straight has no option 'name'"),
        ("position", None, "record 0: expected a position as a dict, got NoneType"),
        ("position.hands", ["4d", "4d"], "record 0: expected each card once"),
        ("position.phase", "over", "record 0: phase: expected 'draw' or 'play', got 'over'"),
        ("position.heap", "2h", "record 0: expected keys of a position"),
        ("random", 7, "record 0: random: expected up to 16 hexadecimal digits"),
        ("seed", True, "record 0: seed: expected a whole number"),
        ("turns", {}, "record 0: expected an object with 'format', 'position' and 'turns'"),
        ("turns.0", [], "record 0: expected turns with 'turn', 'seat' and 'moves'"),
        ("turns.0.moves", "draw", "record 0: expected turns with 'turn', 'seat' and 'moves'"),
        ("turns.0.moves.0", 0, "record 0, turn 1: expected the text of a move, got 0"),
        ("turns.0.moves.0", "fold", "record 0, turn 1: expected a move like"),
        ("turns.1.moves.1", "discard Kc", "record 0, turn 2: discard Kc is not legal"),
        ("turns.1.seat", 0, "record 0, turn 2: expected turn 2 of seat 1, got turn 2 of seat 0"),
        ("turns.1.turn", None, "record 0, turn None: expected turn 2 of seat 1, got turn null of seat 1"),
        ("turns.0.turn", True, "record 0, turn True: expected turn 1 of seat 0, got turn true of seat 0"),
        ("turns.0.turn", 1.0, "record 0, turn 1.0: expected turn 1 of seat 0, got turn 1.0 of seat 0"),
        ("turns.1.seat", True, "record 0, turn 2: expected turn 2 of seat 1, got turn 2 of seat true"),
        ("turns.0.seat", False, "record 0, turn 1: expected turn 1 of seat 0, got turn 1 of seat false"),
        ("turns.0.seat", 0.0, "record 0, turn 1: expected turn 1 of seat 0, got turn 1 of seat 0.0"),
        ("position.dealer", True, "record 0: dealer: expected a whole number from 0 to 1, got True"),
        ("position.to_play", 0.0, "record 0: to_play: expected a whole number from 0 to 1, got 0.0"),
        ("options", {"num_players": 2.0}, "record 0: num_players: expected a whole number from 2 to 4, got 2.0"),
        ("options", {"discard_taken": 0}, "record 0: discard_taken: expected true or false, got 0"),
        ("result", "void", "record 0: expected the result 'seat 0 wins, scores 20 0', got 'void'"),
        ("result", 3, "record 0: expected the result"),
        ("rezult", "void", "record 0: expected keys of format, ruleset, options, .*, got 'rezult'"),
    ],
)
def test_the_turn_of_json_that_is_wrong_is_named(path: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Game.from_record(with_value(path, value))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a record, got an empty text"),
        (" \n\ufeff", "expected"),
        ("1. e4 e5", "line 1: expected .Format \"rummy 1\"., got '1. e4 e5'"),
        ("hello\n" + TEXT, "line 1: expected .Format"),
        ("[]", "expected a record, got an empty list"),
        ("{}", "record 0: expected an object"),
        ("[1]", "line 1: expected .Format"),
        ("[{}, 1]", "record 0: expected an object"),
        ("{", "line 1: expected a record in JSON"),
        (json.dumps(DATA, indent=1)[:-20], "line [0-9]+: expected a record in JSON"),
        ('{"turns": ' + "[" * 100_000, "expected a record in JSON, got lists within lists"),
    ],
)
def test_foreign_files_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_all(text)


def test_a_record_that_breaks_off_is_refused() -> None:
    """Wherever it breaks off after its result, which the moves that are left do not come to."""
    for end in range(TEXT.index("\n1. seat"), len(TEXT) - 1):
        with pytest.raises(ValueError, match="line "):
            Game.from_record(TEXT[:end])
    data = json.dumps(DATA)
    for end in range(len(data)):
        with pytest.raises(ValueError, match=r"line |empty"):
            Game.from_record(data[:end])


pieces = st.sampled_from(
    [
        "",
        " ",
        "\n",
        '"',
        "[",
        "]",
        ",",
        "0",
        "-1",
        "99",
        "Kc",
        "Jk",
        "draw",
        "x",
        "null",
        "true",
        "[]",
        "\x0b",
        "\u2028",
    ]
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.sampled_from([TEXT, json.dumps(DATA)]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), pieces), max_size=4),
)
def test_a_damaged_record_is_a_record_or_a_value_error(text: str, damages: list[tuple[float, int, str]]) -> None:
    for where, length, piece in damages:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + length :]
    try:
        games = read_all(text)
    except ValueError:
        return
    assert all(isinstance(game, Game) for game in games)


junk: Any = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 60), st.floats(), st.sampled_from(["", "Kc", "draw", "play", "x"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["cards", "by", "x"]), inner)),
    max_leaves=4,
)
paths = st.sampled_from(
    ["format", "ruleset", "options", "options.refill", "options.max_turns", "seed", "random", "result", "turns",
     "turns.0", "turns.1.seat", "turns.1.turn", "turns.2.moves", "turns.2.moves.1", "position", "position.hands",
     "position.hands.1", "position.table", "position.table.0", "position.table.0.by", "position.pile",
     "position.stock", "position.dealer", "position.phase", "position.taken", "position.taken_used",
     "position.melded_now", "position.put_down", "position.turns", "position.reshuffles", "position.wild"]
)  # fmt: skip


@settings(max_examples=400, deadline=None, derandomize=True)
@given(paths, junk)
@example("options", {"name": 1})
@example("options", {"cls": 1})
def test_json_with_anything_anywhere_is_a_record_or_a_value_error(path: str, value: Any) -> None:
    try:
        games = read_all(with_value(path, value))
    except ValueError:
        return
    assert len(games) == 1


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text())
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_all(text)
