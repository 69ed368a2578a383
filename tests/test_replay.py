"""`rummy replay`: a recorded round or match, turn by turn, with all hands open."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

import rummy_cli
from game import replay
from game.messages import LANGUAGES, Words
from rummy_env import Game, Match, Rules

RULES = Rules.preset("straight")


@pytest.fixture(autouse=True)
def _plain_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)


def short_round() -> Game:
    """Seat 0 melds its sevens and keeps a king; seat 1 lays off the fourth seven and goes out: rummy."""
    position = {"hands": ["7s 7h 7d Kc 2c", "7c"], "pile": "Qd", "stock": "9h 4s"}
    game = Game.from_position(RULES, position)
    for move in ("draw", "meld 7s 7h 7d", "discard 2c", "draw", "layoff 7c 0", "discard 4s"):
        game.play(move)
    return game


def shown(capsys: pytest.CaptureFixture[str], *games: Game, lang: str = "en") -> list[str]:
    replay.show(games, lang=lang)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_round_as_it_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str) -> None:
    file = tmp_path / "game"
    file.write_text(short_round().record(form), encoding="utf-8")
    assert rummy_cli.main(["replay", str(file), "--lang", "en"]) == 0
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Straight rummy, 2 players, to 100 points",
        "───────────────────────────────── Round 1 of 1 ─────────────────────────────────",
        "Seat 0  7♠ 7♥ 7♦ 2♣ K♣",
        "Seat 1  7♣",
        "Pile    [Q♦] (1 card)",
        "Stock   2 cards",
        "Table   no melds yet",
        "",
        "1. Seat 0 draws 9♥, lays 7♠ 7♥ 7♦, discards 2♣.",
        "Seat 0  9♥ K♣",
        "Seat 1  7♣",
        "Pile    [2♣] Q♦ (2 cards)",
        "Stock   1 card",
        "Table   0: 7♠ 7♥ 7♦ (Seat 0)",
        "",
        "2. Seat 1 draws 4♠, lays 7♣ off onto 7♠ 7♥ 7♦, discards 4♠, goes out.",
        "Seat 1: round won with rummy, doubled, 38 points",
        "Seat 0  left: 9♥ K♣ (19 points), total 0",
        "Seat 1  went out, total 38",
    ]


def test_rounds_by_the_same_rules_are_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    other = Game.deal(Rules.preset("straight", num_players=3), seed=1)
    lines = shown(capsys, short_round(), short_round(), other)
    assert [line.strip("─ ") for line in lines if "─" in line] == ["Round 1 of 2", "Round 2 of 2", "Round 1 of 1"]
    assert [line for line in lines if line.startswith("Seat 1  went out")] == [
        "Seat 1  went out, total 38",
        "Seat 1  went out, total 76",
    ]
    assert lines[lines.index("Round  Seat 0  Seat 1") :][:4] == [
        "Round  Seat 0  Seat 1",
        "    1      19  +38 x2",
        "    2      19  +38 x2",
        "Total       0      76",
    ]
    assert "Straight rummy, 3 players, to 100 points" in lines


def test_a_round_that_was_left_is_shown_as_far_as_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game.from_position(RULES, {"hands": ["7s 7h 7d Kc 2c", "7c"], "pile": "Qd", "stock": "9h 4s"})
    game.play("take")
    game.play("meld 7s 7h 7d")
    lines = shown(capsys, game)
    assert "1. Seat 0 takes Q♦, lays 7♠ 7♥ 7♦." in lines
    assert "The record ends here, the round was not finished." in lines


@pytest.mark.parametrize(
    ("rules", "end", "sentence"),
    [
        (RULES, lambda game: game.forfeit(), "The round is void: nobody scores."),
        (
            Rules.preset("straight", max_turns=1),
            lambda game: game.play("discard 2c"),
            "The round is void after 1 turn: nobody scores.",
        ),
    ],
)
def test_a_void_round_is_shown(
    capsys: pytest.CaptureFixture[str], rules: Rules, end: Callable[[Game], None], sentence: str
) -> None:
    game = Game.from_position(rules, {"hands": ["7s 7h 7d Kc 2c", "7c"], "pile": "Qd", "stock": "9h 4s"})
    game.play("draw")
    end(game)
    assert sentence in "\n".join(shown(capsys, game))


def match(players: int) -> Match:
    """A match of whoever lays down what can be laid down, and throws the first card away."""
    match = Match(Rules.preset("straight", num_players=players, target=50), seed=2)
    while not match.over:
        if match.game.over:
            match.next_round()
        match.game.step(match.game.legal_actions()[0])
    return match


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_match_fits_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], players: int, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    played = match(players)
    lines = shown(capsys, *played.games, lang=lang)
    assert [line for line in lines if cell_len(line) > 40] == []
    turns = re.findall(r"^\d+\. ", "\n".join(lines), re.MULTILINE)
    assert len(turns) == sum(game.turn + (game.result is not None and not game.result.void) for game in played.games)
    *_, sum_line = [line.split() for line in lines if line.split()[:1] == [Words(lang)("score_total")]]
    assert sum_line[1:] == [str(total) for total in played.totals]


def test_step_waits_where_somebody_can_press_enter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts: list[str] = []

    def enter(prompt: str) -> str:
        prompts.append(prompt)
        return ""

    monkeypatch.setattr(builtins, "input", enter)
    replay.show([short_round()], lang="en", step=True)
    at_once = capsys.readouterr().out
    assert prompts == []

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    replay.show([short_round()], lang="en", step=True)
    assert capsys.readouterr().out == at_once
    assert prompts == ["Enter: next turn> "] * 2


def test_the_end_of_the_input_ends_the_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(builtins, "input", gone)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    replay.show([short_round()], lang="en", step=True)
    assert capsys.readouterr().out.rstrip().endswith("Seat 1  went out, total 38")


def test_delay_waits_after_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(replay.time, "sleep", waited.append)
    replay.show([short_round()], lang="en", delay=0.5)
    assert waited == [0.5, 0.5]


@pytest.mark.parametrize(
    ("lang", "turn"),
    [
        ("en", "1. Seat 0 draws J♦, opens with K♠ K♥ K♦ Jk | 5♥ 6♥ 7♥ (58 points), discards 2♣."),
        ("ko", "1. 자리 0: 더미에서 J♦ 뽑음, K♠ K♥ K♦ Jk | 5♥ 6♥ 7♥ 오픈 (58점), 2♣ 버림"),
    ],
)
def test_an_opening_laid_piece_by_piece_is_told_as_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str, turn: str
) -> None:
    rules = Rules.preset("rami")
    game = Game.from_position(rules, {"hands": ["Ks Kh Kd 5h 6h 7h Jk 2c 9c", "3s"], "pile": "2d", "stock": "Jd 7d"})
    for move in (
        "draw",
        "piece Ks Kh Kd",
        "lengthen Jk 0",
        "piece 5h 6h 7h",
        "confirm",
        "discard 2c",
        "take",
        "untake",
    ):
        game.play(move)
    lines = shown(capsys, game, lang=lang)
    assert turn in lines
    file = tmp_path / "game"
    file.write_text(game.record(), encoding="utf-8")
    assert rummy_cli.main(["replay", str(file), "--lang", lang]) == 0
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == lines
    assert {"en": "2. Seat 1 takes 2♣, gives 2♣ back.", "ko": "2. 자리 1: 버린 더미에서 2♣ 가져옴, 2♣ 되돌림"}[
        lang
    ] in lines


def test_an_opening_that_a_record_leaves_unfinished_is_told_by_its_pieces(capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules.preset("rami")
    game = Game.from_position(rules, {"hands": ["Ks Kh Kd 5h 6h 7h Jk 2c 9c", "3s"], "pile": "2d", "stock": "Jd 7d"})
    for move in ("draw", "piece Ks Kh Kd", "lengthen Jk 0"):
        game.play(move)
    lines = shown(capsys, game)
    assert "1. Seat 0 draws J♦, lays K♠ K♥ K♦ for an opening, adds Jk to K♠ K♥ K♦." in lines
    assert "Table   0: K♠ K♥ K♦ Jk (Seat 0, opening)" in lines
