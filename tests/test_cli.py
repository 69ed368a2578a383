"""Bad input to every command: one line that says what was expected, exit code 2, never a traceback."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rummy_cli
from rummy_env import Game, Rules

ROOT = Path(__file__).parent.parent
COMMANDS = ("play", "train", "evaluate", "export", "replay", "bench")
CONFIG = str(ROOT / "configs" / "train" / "straight_quick.yaml")


def refused(capsys: pytest.CaptureFixture[str], argv: list[str]) -> str:
    """The line with which a command is refused."""
    code = rummy_cli.main(argv)
    out, err = capsys.readouterr()
    assert code == 2, err
    assert out == ""
    assert re.fullmatch(r"rummy[^\n]*: [^\n]+\n", err), err
    return err.rstrip("\n")


# ---------------------------------------------------------------------------- what needs no engine to be refused


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ("", ["expected a command", "play, train, evaluate, export, replay, bench", "got none"]),
        ("evalute", ["got 'evalute'", "did you mean 'evaluate'?"]),
        ("--verson", ["expected a command", "got '--verson'"]),
        ("play --plyers 3", ["rummy play: ", "got '--plyers'", "did you mean '--players'?"]),
        ("play --player 3", ["got '--player'"]),  # no abbreviations: a typo may not pass for an option
        ("play --players", ["--players: expected one argument"]),
        ("play --players two", ["--players: expected a whole number from 2 to 10", "got 'two'"]),
        ("play --players 1", ["from 2 to 10", "got '1'"]),
        ("play --players 2.5", ["got '2.5'"]),
        ("play --bots hard,", ["--bots: expected names separated by commas", "got 'hard,'"]),
        ("play --players 4 --bots hard,easy", ["--bots: expected 1 or 3 for 4 players, got 2"]),
        ("play --players 2 --bots hard,easy,easy", ["--bots: expected 1 for 2 players, got 3"]),
        ("play --seed -1", ["--seed: expected a whole number of at least 0", "got '-1'"]),
        ("play --port 70000", ["--port: expected a whole number from 0 to 65535", "got '70000'"]),
        (
            "play --name https://rummy.example.org",
            ["--name: expected a host's name", "got 'https://rummy.example.org'"],
        ),
        ("play --name rummy.example.org:443", ["--name: expected a host's name", "got 'rummy.example.org:443'"]),
        (
            "play --no-browser --port 0 --host no.such.host.invalid",
            ["host: expected an address or a name", "got 'no.such"],
        ),
        ("play --terminal --port 8000", ["--port: expected no --terminal with it"]),
        ("play --seed 3", ["--seed: expected --terminal with it"]),
        ("play --bots {file}", ["--bots: expected levels of easy, normal, hard, expert, or --terminal"]),
        ("play --store no/such/folder", ["--store: expected a file in a folder that is there"]),
        ("replay {file} --web --step", ["--step: expected no --web with it"]),
        ("replay {file} --port 8000", ["--port: expected --web with it"]),
        ("play --resume no-such-file", ["--resume: expected a file", "'no-such-file', which does not exist"]),
        ("play --resume {file} --seed 7", ["--resume: expected no --seed with it"]),
        ("play --resume {file} --ruleset straight", ["--resume: expected no --ruleset with it"]),
        ("play --lang fr", ["--lang: expected one of en, ko", "got 'fr'"]),
        ("play --option opening", ["--option: expected NAME=VALUE", "got 'opening'"]),
        ("play --option =3", ["got '=3'"]),
        ("play --option target=3 --option target=4", ["--option: expected target once"]),
        ("play --option num_players=3", ["--option: expected the number of players as --players 3"]),
        ("play here", ["expected no more arguments", "got 'here'"]),
        ("train", ["rummy train: expected --config"]),
        ("train --config", ["--config: expected one argument"]),
        ("train --config no-such.yaml", ["--config: expected a YAML file", "got 'no-such.yaml'"]),
        ("train --config .", ["--config: expected a YAML file", "got '.'"]),
        ("train --config {config} seed", ["expected key=value", "got 'seed'"]),
        ("train lr=1 --config {config} seed", ["expected key=value", "got 'seed'"]),
        ("train --config {config} =7", ["expected key=value", "got '=7'"]),
        ("train --config {config} --resume no-such-run", ["--resume: expected a folder", "got 'no-such-run'"]),
        ("train --config {config} --runs-dir {file}", ["--runs-dir: expected a folder"]),
        ("evaluate", ["expected --agents"]),
        ("evaluate --agents", ["--agents: expected at least one argument"]),
        ("evaluate --agents random", ["--agents: expected two or more, got 'random' alone"]),
        ("evaluate --agents random easy --deals 1", ["--deals: expected a whole number of at least 2", "got '1'"]),
        ("evaluate --agents random easy --deals 1e3", ["got '1e3'"]),
        ("evaluate --agents random easy --workers 0", ["--workers: expected a whole number from 1 to 1024"]),
        ("evaluate --agents random easy --json no/such/folder.json", ["--json: expected a file to write", "'no/such'"]),
        ("evaluate --agents random easy --json .", ["--json: expected a file to write", "which is a folder"]),
        ("evaluate --agents random easy --picture table.gif", ["--picture: expected", ".png or .svg", "'table.gif'"]),
        ("export", ["expected RUN OUT or --check POLICY, got nothing"]),
        ("export .", ["expected RUN OUT or --check POLICY, got '.' alone"]),
        ("export no-such-run out", ["RUN: expected a folder", "'no-such-run', which does not exist"]),
        ("export {file} out", ["RUN: expected a folder", "which is a file"]),
        ("export . out --check .", ["expected RUN OUT or --check POLICY, got both"]),
        ("export --check no-such-policy", ["--check: expected an exported policy", "'no-such-policy'"]),
        ("replay", ["expected FILE"]),
        ("replay no-such-file", ["FILE: expected a file", "'no-such-file', which does not exist"]),
        ("replay .", ["FILE: expected a file", "which is a folder"]),
        ("replay {file} --delay soon", ["--delay: expected seconds from 0 to 3600", "got 'soon'"]),
        ("replay {file} --delay nan", ["--delay: expected seconds from 0 to 3600", "got 'nan'"]),
        ("bench --jsn x", ["got '--jsn'", "did you mean '--json'?"]),
        ("bench --json .", ["--json: expected a file to write"]),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, argv: str, words: list[str]
) -> None:
    file = tmp_path / "file.yaml"
    file.write_text("")
    line = refused(capsys, argv.format(file=file, config=file).split())
    for word in words:
        assert word in line
    assert "usage" not in line


# ------------------------------------------------------------------------------- what the engine and others refuse


@pytest.mark.parametrize("command", ["play", "evaluate --agents random easy"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--ruleset canasta", ["canasta", "straight"]),
        ("--players 5", ["5", "4"]),
        ("--option turnz=3", ["turnz"]),
        ("--option max_turns=-1", ["max_turns", "-1"]),
        ("--option max_turns=many", ["max_turns", "many"]),
    ],
)
def test_a_game_that_does_not_exist_is_refused(
    capsys: pytest.CaptureFixture[str], command: str, arguments: str, words: list[str]
) -> None:
    line = refused(capsys, [*command.split(), *arguments.split()])
    for word in words:
        assert word in line


@pytest.mark.parametrize("command", ["play --terminal --bots rndom", "evaluate --deals 2 --agents rndom easy"])
def test_an_unknown_bot_is_refused(capsys: pytest.CaptureFixture[str], command: str) -> None:
    line = refused(capsys, command.split())
    assert "rndom" in line
    assert "random" in line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", []),
        ("no tags at all", []),
        ('{"half a', []),
        (b"\xff\xfe\x00 not text", ["UTF-8"]),
    ],
)
@pytest.mark.parametrize("command", ["replay {file}", "train --config {file}"])
def test_a_file_that_cannot_be_read_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, content: str | bytes, words: list[str]
) -> None:
    file = tmp_path / "file.yaml"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    line = refused(capsys, command.format(file=file).split())
    for word in words:
        assert word in line


def test_a_misspelt_key_of_a_configuration_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = refused(capsys, ["train", "--config", CONFIG, "--runs-dir", str(tmp_path / "runs"), "sead=7"])
    assert "sead" in line
    assert "seed" in line
    assert not (tmp_path / "runs").exists()


def test_a_folder_that_is_no_run_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    refused(capsys, ["export", str(tmp_path), str(tmp_path / "out")])
    refused(capsys, ["train", "--config", CONFIG, "--resume", str(tmp_path)])


def test_a_folder_that_is_no_policy_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    refused(capsys, ["export", "--check", str(tmp_path)])
    refused(capsys, ["play", "--terminal", "--bots", str(tmp_path)])


# ------------------------------------------------------------------------------------ what goes wrong inside a command


def fail_in_bench(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(_: object) -> None:
        raise error

    bench = dataclasses.replace(rummy_cli._COMMANDS["bench"], run=fail)
    monkeypatch.setitem(rummy_cli._COMMANDS, "bench", bench)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ValueError("expected a,\n  got b"), 2, "rummy bench: expected a, got b"),
        (FileNotFoundError(2, "No such file", "deals.txt"), 2, "rummy bench: 'deals.txt': No such file"),
        (OSError(28, "No space left on device", "last.zip"), 1, "rummy bench: 'last.zip': No space left on device"),
        (OSError("no room"), 1, "rummy bench: no room"),
        (KeyboardInterrupt(), 130, "rummy bench: interrupted"),
        (EOFError(), 2, "rummy bench: expected an answer, got the end of the input"),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            2,
            "rummy bench: expected the extra 'train', got no module 'torch': pip install 'rummy-env[train]'",
        ),
    ],
)
def test_an_expected_error_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str
) -> None:
    fail_in_bench(monkeypatch, error)
    assert rummy_cli.main(["bench"]) == code
    assert capsys.readouterr().err == line + "\n"


@pytest.mark.parametrize("error", [KeyError("seat"), ModuleNotFoundError("No module named 'rumy'", name="rumy")])
def test_a_bug_shows_its_traceback(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    fail_in_bench(monkeypatch, error)
    with pytest.raises(type(error)):
        rummy_cli.main(["bench"])


# --------------------------------------------------------------------------------------------- help and the program


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert rummy_cli.main([command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert re.search(rf"example:\n  rummy {command} ", out)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert rummy_cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", out, re.MULTILINE)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert rummy_cli.main(["--version"]) == 0
    assert re.fullmatch(r"rummy \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


def test_replay_names_the_line_of_an_illegal_move(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = Game.deal(Rules.preset("straight"), seed=7)
    game.play("draw")
    game.play(f"discard {game.hand(0)[0]}")
    lines = game.record().replace("0: draw,", "0: draw, draw,").splitlines()
    file = tmp_path / "game.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    line = refused(capsys, ["replay", str(file)])
    assert f"line {len(lines)}: draw is not legal" in line


def test_the_program_passes_the_exit_code_on_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, rummy_cli; code = rummy_cli.main(['evaluate']);"
        "heavy = {'numpy', 'numba', 'torch', 'gymnasium', 'rich'} & set(sys.modules);"
        "print(sorted(heavy)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stdout == "[]\n"
    assert done.stderr.startswith("rummy evaluate: expected --agents")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    code = "import sys, rummy_cli; sys.exit(rummy_cli.main(['play', '--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
