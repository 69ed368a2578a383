"""A match against computer players, saved and taken up again."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import rummy_cli
from game import session as sessions
from game.session import PERSON, Session, write_whole
from rummy_env import Match, Rules, record
from rummy_env.moves import parse_move

RULES = Rules.preset("straight")


def step(session: Session) -> None:
    """One move: of the computer player, or the person's first legal one of the best kind."""
    if session.match.game.over:
        session.match.next_round()
    game = session.game
    move = session.bot_move() if game.to_play != session.me else game.legal_moves()[0]
    game.play(move)


def moves(match: Match) -> list[list[str]]:
    return [[str(move) for move in game.history] for game in match.games]


def play_on(session: Session) -> Session:
    while not session.match.over:
        step(session)
    return session


@pytest.mark.parametrize(
    ("players", "options"),
    [
        ((PERSON, "easy"), {}),
        ((PERSON, "random"), {"hand_size": 6, "target": 100}),
        ((PERSON, "easy", "normal"), {"target": 50}),
        ((PERSON, "easy", "random", "normal"), {"target": 150, "refill": "draw"}),
    ],
)
def test_a_match_goes_on_as_if_it_had_never_been_saved(
    tmp_path: Path, players: tuple[str, ...], options: dict[str, int]
) -> None:
    rules = Rules.preset("straight", num_players=len(players), **options)
    whole = play_on(Session(rules, players, seed=5))
    length = sum(map(len, moves(whole.match)))
    assert len(whole.match.games) > 1

    broken = Session(rules, players, seed=5)
    file = tmp_path / "game.json"
    breaks = {0, 1, 2, length // 3, length // 2, length - 1, len(whole.match.games[0].history)}
    for number in range(length):
        if number in breaks:
            broken.save(file)
            broken = Session.load(file)
            assert broken.rules == rules
            assert broken.players == players
            assert broken.seed == 5
        step(broken)
    assert moves(broken.match) == moves(whole.match)
    assert broken.match.totals == whole.match.totals
    assert broken.match.winners == whole.match.winners


def test_a_seed_is_drawn_and_kept(tmp_path: Path) -> None:
    session = Session(RULES, (PERSON, "easy"))
    session.save(tmp_path / "game.json")
    assert Session.load(tmp_path / "game.json").seed == session.seed
    assert Session(RULES, (PERSON, "easy")).seed != session.seed


def test_a_move_that_is_not_noted_yet_can_be_made_again(tmp_path: Path) -> None:
    """Ctrl-C between a move and the note of it."""
    session = Session(Rules.preset("straight", first_dealer=1), (PERSON, "easy"), seed=5)
    session.game.play("draw")
    session.game.history.clear()
    session.save(tmp_path / "game.json")
    taken_up = Session.load(tmp_path / "game.json")
    assert taken_up.game.phase == "draw"
    taken_up.game.play("draw")
    assert taken_up.game.hand(0) == session.game.hand(0)


def test_asking_for_a_hint_changes_nothing_of_the_match() -> None:
    asked, silent = (Session(RULES, (PERSON, "easy"), seed=8) for _ in range(2))
    for _ in range(60):
        if not asked.game.over and asked.game.to_play == asked.me:
            assert asked.hint() == asked.hint()
            assert asked.game.is_legal(asked.hint().move)
        step(asked)
        step(silent)
    assert moves(asked.match) == moves(silent.match)


@pytest.mark.parametrize("error", [ValueError("none for 2 players"), ImportError("no onnxruntime"), OSError("no file")])
def test_the_strongest_player_is_the_trained_one_if_it_can_play(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def load(name: str, rules: Rules) -> None:
        assert name == "trained"
        raise error

    monkeypatch.setattr(sessions.agents, "load", load)
    assert sessions.strongest(RULES) == ("hard", str(error))
    monkeypatch.setattr(sessions.agents, "load", lambda name, rules: None)
    assert sessions.strongest(RULES) == ("trained", "")


def test_a_saved_game_does_not_tell_the_hidden_cards(tmp_path: Path) -> None:
    session = Session(RULES, (PERSON, "normal"), seed=5)
    for _ in range(25):
        step(session)
    file = tmp_path / "game.json"
    session.save(file)
    told = set(re.findall(r"\b[A2-9TJQK][shdc]\b", file.read_text(encoding="utf-8")))
    played = {word for round_ in moves(session.match) for move in round_ for word in move.split()}
    assert told <= played
    assert set(session.game.hand(1)) - told


def test_the_record_has_the_finished_rounds_only() -> None:
    session = Session(RULES, (PERSON, "normal"), seed=5)
    assert session.record() == ""
    while len(session.match.games) < 3:
        step(session)
    for form in ("text", "json"):
        games = record.read_all(session.record(form))
        assert [game.result for game in games] == [game.result for game in session.match.games[:2]]


# ------------------------------------------------------------------------------------------------- what is refused


def saved(tmp_path: Path, **changes: object) -> Path:
    """A saved game of some moves, with some of its values changed."""
    session = Session(RULES, (PERSON, "normal"), seed=5)
    for _ in range(12):
        step(session)
    file = tmp_path / "game.json"
    session.save(file)
    data = json.loads(file.read_text(encoding="utf-8")) | changes
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "rummy save 9"}, ["expected format 'rummy save 1'", "'rummy save 9'"]),
        ({"format": None}, ["got None"]),
        ({"ruleset": "canasta"}, ["canasta"]),
        ({"ruleset": 7}, ["ruleset: expected text, got 7"]),
        ({"options": []}, ["options: expected an object, got []"]),
        ({"options": {"targt": 50}}, ["targt", "target"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"seed": True}, ["seed", "True"]),
        ({"seed": "five"}, ["seed: expected a whole number, got 'five'"]),
        ({"players": ["person"]}, ["num_players"]),
        ({"players": ["person", "nobody"]}, ["nobody"]),
        ({"players": ["person", 7]}, ["players: expected names"]),
        ({"players": ["easy", "easy"]}, ["one person"]),
        ({"rounds": {}}, ["rounds: expected a list, got {}"]),
        ({"rounds": [["draw", 7]]}, ["round 1: expected a list of moves"]),
        ({"rounds": ["draw"]}, ["round 1: expected a list of moves"]),
        ({"rounds": [["draw", "fly"]]}, ["round 1, move 2", "fly"]),
        ({"rounds": [["draw", "draw"]]}, ["round 1, move 2: draw is not legal"]),
        ({"rounds": [["draw"], ["draw"]]}, ["round"]),
        ({"rounds": [["draw"]]}, ["expected the position that was saved"]),
        ({"seed": 6}, ["not legal"]),
        ({"check": "0"}, ["expected the position that was saved"]),
    ],
)
def test_a_changed_file_is_refused(tmp_path: Path, changes: dict[str, object], words: list[str]) -> None:
    file = saved(tmp_path, **changes)
    with pytest.raises(ValueError, match="expected a saved game in") as refused:
        Session.load(file)
    for word in [str(file), *words]:
        assert word in str(refused.value)


def test_every_truncated_file_is_refused(tmp_path: Path) -> None:
    file = saved(tmp_path)
    whole = file.read_bytes()
    Session.load(file)
    for size in range(0, len(whole) - 1, 7):
        file.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"expected a saved game in .*: line \d+: "):
            Session.load(file)


@pytest.mark.parametrize("content", [b"", b"7", b"[]", b"null", b"\xff\xfe", b"PK\x03\x04", b'[Format "rummy 1"]'])
def test_the_command_refuses_a_foreign_file_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(content)
    assert rummy_cli.main(["play", "--terminal", "--resume", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rummy play: expected a saved game in {str(file)!r}: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("players", [(PERSON,), (PERSON, PERSON), ("easy", "easy"), (PERSON, "easy", "easy")])
def test_a_table_needs_one_person_and_a_player_at_every_other_seat(players: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected 2 players with one person"):
        Session(RULES, players)


def test_the_person_has_no_computer_move() -> None:
    session = Session(Rules.preset("straight", first_dealer=1), (PERSON, "easy"), seed=1)
    with pytest.raises(ValueError, match="computer player's turn"):
        session.bot_move()
    session.game.play(parse_move("draw"))


# ------------------------------------------------------------------------------------------------------------ files


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.json"
    write_whole(file, "old\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, "new\n")
    assert file.read_text(encoding="utf-8") == "old\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_is_not_there_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file") as refused:
        write_whole(tmp_path / "nowhere" / "game.json", "")
    assert refused.value.filename == str(tmp_path / "nowhere" / "game.json")


def test_a_policy_is_saved_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a game can be taken up from another folder."""
    (tmp_path / "policy").mkdir()
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []

    class Bot:
        name = "bot"

    def load(name: str, rules: Rules, seed: int | None = None) -> Bot:
        asked.append(name)
        return Bot()

    monkeypatch.setattr(sessions.agents, "load", load)
    assert Session(RULES, (PERSON, "policy"), seed=1).players == (PERSON, str(tmp_path / "policy"))
    assert asked == [str(tmp_path / "policy")]
