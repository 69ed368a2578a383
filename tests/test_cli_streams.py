"""Commands with no input at all, with a pipe for a file, and with numbers and files beyond all bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rummy_cli
from rummy_env import Game, Rules


def record() -> str:
    game = Game.deal(Rules.preset("straight"), seed=5)
    game.play("draw")
    return game.record()


@pytest.mark.skipif(os.name == "nt", reason="`<&-` is of a shell of Unix")
@pytest.mark.parametrize(
    ("arguments", "said"), [("play --terminal --seed 1 --bots easy", "--resume"), ("replay --step {file}", "seat")]
)
def test_a_closed_input_is_an_empty_one(tmp_path: Path, arguments: str, said: str) -> None:
    (tmp_path / "game.txt").write_text(record(), encoding="utf-8")
    command = f"{sys.executable} -m rummy_cli {arguments.format(file='game.txt')} <&-"
    env = os.environ | {"PYTHONPATH": str(Path(rummy_cli.__file__).parent), "LANG": "C.UTF-8"}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert said in done.stdout.lower()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_serves_as_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert rummy_cli._file(str(pipe)) == pipe


def test_seeds_that_no_deal_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (2**63 - 1, 10**40):
        assert rummy_cli.main(["evaluate", "--agents", "random", "easy", "--deals", "2", "--seed", str(seed)]) == 2
        assert "seed: expected a whole number from 0 to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [("play --terminal --resume", "expected a saved game in"), ("train --config", "expected YAML")],
)
def test_lists_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, words: str) -> None:
    (tmp_path / "deep").write_text("[" * 10_000, encoding="utf-8")
    assert rummy_cli.main([*command.split(), str(tmp_path / "deep")]) == 2
    assert words in capsys.readouterr().err


def test_a_number_of_too_many_digits_is_told_by_its_line() -> None:
    with pytest.raises(ValueError, match="line 4: expected a number"):
        Game.from_record(record().replace('[Seed "5"]', f'[Seed "{"9" * 5000}"]'))


@pytest.mark.parametrize("seat", [True, 0.5, 1.0, "a", None, np.array([0])])
def test_what_is_no_seat(seat: object) -> None:
    game = Game.deal(Rules.preset("straight"), seed=7)
    for asked in (game.hand, game.view, game.observation, game.action_mask, game.resample):
        with pytest.raises(ValueError, match="expected a seat from 0 to 1, got"):
            asked(seat)  # type: ignore[arg-type]
    assert game.hand(np.int64(1)) == game.hand(1)
