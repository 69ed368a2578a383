"""Training configurations: what is wrong is refused with one sentence, what is right comes back as it was."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import yaml

from training.config import Config, Schedule, load

SHIPPED = sorted((Path(__file__).parent.parent / "configs" / "train").glob("*.yaml"))
PLAIN: dict[str, Any] = {"total_steps": 1000}


def written(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def plain(folder: Path, **values: Any) -> Path:
    return written(folder, yaml.safe_dump(PLAIN | values))


def refusal(path: Path, overrides: list[str] | None = None) -> str:
    with pytest.raises(ValueError) as caught:
        load(path, overrides or [])
    said = str(caught.value)
    assert "\n" not in said
    assert re.search("expected|has no option", said), said
    return said


# --- what is right ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configurations_load_and_say_how_they_are_run(path: Path) -> None:
    config = load(path)
    assert config.name == path.stem
    assert f"rummy train --config configs/train/{path.name}" in path.read_text(encoding="utf-8")


def test_there_is_one_for_each_number_of_players_of_straight() -> None:
    assert {load(path).num_players for path in SHIPPED if load(path).ruleset == "straight"} == {2, 3, 4}


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["clone.decisions=5", "ppo.learning_rate={start: 1.0e-3, end: 1.0e-5}"],
        ["options.num_ranks=5", "options.hand_size=3", "opponents={easy: 0.5, self: 1}", "num_players=3"],
        [
            "environment.reward_scale=null",
            "environment.match=true",
            "validation.opponents=[easy]",
            "precision=bfloat16",
        ],
    ],
)
def test_a_written_configuration_reads_back_the_same(tmp_path: Path, overrides: list[str]) -> None:
    config = load(plain(tmp_path), overrides)
    assert load(written(tmp_path, config.to_yaml(), "again.yaml")) == config


def test_the_name_is_that_of_the_file_unless_it_is_given(tmp_path: Path) -> None:
    assert load(plain(tmp_path)).name == "mine"
    assert load(plain(tmp_path, name="other")).name == "other"


def test_overrides_change_one_value_and_make_sections_that_are_not_there(tmp_path: Path) -> None:
    path = plain(tmp_path, ppo={"epochs": 5, "n_steps": 7})
    config = load(path, ["ppo.epochs=3", "seed=7", "clone.teacher=easy"])
    assert (config.ppo.epochs, config.ppo.n_steps, config.seed) == (3, 7, 7)
    assert config.clone is not None
    assert config.clone.teacher == "easy"
    assert load(path, ["seed=1", "seed=2"]).seed == 2
    assert load(path, ["clone=null"]).clone is None


def test_a_schedule_is_a_number_or_a_line_between_two(tmp_path: Path) -> None:
    config = load(plain(tmp_path, ppo={"learning_rate": 0.5, "clip_range": {"start": 0.4, "end": 0.2}}))
    assert [config.ppo.learning_rate(remaining) for remaining in (1, 0.5, 0)] == [0.5, 0.5, 0.5]
    assert [config.ppo.clip_range(remaining) for remaining in (1, 0.5, 0)] == pytest.approx([0.4, 0.3, 0.2])
    # An override of one end leaves a plain number behind: both ends are asked for then.
    assert "learning_rate.start: expected a value" in refusal(
        plain(tmp_path, ppo={"learning_rate": 0.5}), ["ppo.learning_rate.end=0"]
    )
    assert Schedule(start=3, end=1)(0.5) == 2


def test_a_configuration_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load(plain(tmp_path)).seed = 3  # type: ignore[misc]


def test_the_game_is_that_of_the_options(tmp_path: Path) -> None:
    rules = load(plain(tmp_path, num_players=3, options={"hand_size": 5})).rules()
    assert (rules.ruleset, rules.num_players, rules.hand_size) == ("straight", 3, 5)


# --- what is wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sead": 1}, ["got 'sead'", "did you mean 'seed'?"]),
        ({"ppo": {"epoch": 1}}, ["in 'ppo'", "got 'epoch'", "did you mean 'ppo.epochs'?"]),
        ({"clone": {"teecher": "hard"}}, ["in 'clone'", "did you mean 'clone.teacher'?"]),
        ({"ppo": {"learning_rate": {"stop": 1}}}, ["ppo.learning_rate"]),
        ({"xyzzy": 1}, ["got 'xyzzy'", "total_steps"]),
        ({"total_steps": 0}, ["total_steps: expected greater than or equal to 1, got 0"]),
        ({"total_steps": "many"}, ["total_steps: expected a valid integer", "got 'many'"]),
        ({"total_steps": 1.5}, ["total_steps: expected", "got 1.5"]),
        ({"seed": -1}, ["seed: expected greater than or equal to 0, got -1"]),
        ({"seed": 9_000_000}, ["seed: expected less than 9000000"]),
        ({"ppo": {"gamma": 1.1}}, ["ppo.gamma: expected less than or equal to 1, got 1.1"]),
        ({"ppo": {"learning_rate": -1}}, ["ppo.learning_rate", "got -1"]),
        ({"ppo": 5}, ["ppo: expected", "got 5"]),
        ({"precision": "float16"}, ["precision: expected 'float32' or 'bfloat16', got 'float16'"]),
        ({"name": "../up"}, ["name: expected", "got '../up'"]),
        ({"ruleset": "bridge"}, ["expected a ruleset of straight", "got 'bridge'"]),
        ({"num_players": 9}, ["num_players: expected a whole number from 2 to 4, got 9"]),
        ({"options": {"num_rank": 5}}, ["no option 'num_rank'", "did you mean 'num_ranks'?"]),
        ({"options": {"hand_size": 99}}, ["hand_size: expected", "got 99"]),
        ({"opponents": {}}, ["opponents: expected", "got {}"]),
        ({"opponents": {"hard": 0}}, ["opponents: expected a weight above 0"]),
        ({"opponents": {"hard": -1}}, ["opponents.hard: expected greater than or equal to 0, got -1"]),
        ({"validation": {"opponents": []}}, ["validation.opponents: expected"]),
        ({"validation": {"seed": 5}}, ["validation.seed: expected greater than or equal to 10000000, got 5"]),
        ({"environment": {"rewards": "gold"}}, ["environment", "rewards", "got 'gold'"]),
    ],
    ids=str,
)
def test_wrong_values(tmp_path: Path, values: dict[str, Any], words: list[str]) -> None:
    said = refusal(plain(tmp_path, **values))
    assert all(word in said for word in words), said
    assert said.startswith(str(tmp_path / "mine.yaml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["expected a mapping of keys and values, got NoneType"]),
        ("- a\n- b\n", ["expected a mapping", "got list"]),
        ("7", ["expected a mapping", "got int"]),
        ("a: [1,", ["expected YAML, got"]),
        ("a: b: c", ["expected YAML, got"]),
        ("seed: 1", ["total_steps: expected a value, got none"]),
    ],
    ids=repr,
)
def test_wrong_files(tmp_path: Path, text: str, words: list[str]) -> None:
    said = refusal(written(tmp_path, text))
    assert all(word in said for word in words), said


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"\xff\xfe\x00seed")
    assert "expected YAML in UTF-8, got other bytes" in refusal(tmp_path / "mine.yaml")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("seed", ["expected key=value", "got 'seed'"]),
        ("=7", ["expected key=value", "got '=7'"]),
        ("ppo..epochs=7", ["expected key=value"]),
        ("seed=[", ["seed: expected a YAML value, got '['"]),
        ("sead=7", ["did you mean 'seed'?"]),
        ("ppo.epohcs=7", ["did you mean 'ppo.epochs'?"]),
        ("seed.deep=7", ["seed: expected"]),
        ("ppo.epochs=no", ["ppo.epochs: expected", "got False"]),
    ],
)
def test_wrong_overrides(tmp_path: Path, override: str, words: list[str]) -> None:
    said = refusal(plain(tmp_path), [override])
    assert all(word in said for word in words), said


def test_an_override_does_not_touch_the_file(tmp_path: Path) -> None:
    path = plain(tmp_path)
    before = path.read_bytes()
    load(path, ["seed=9"])
    assert path.read_bytes() == before
    assert isinstance(load(path), Config)
