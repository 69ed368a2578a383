"""The policies that come with the package: whole, small, what their manifest says, and measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.policy import SHIPPED, read_manifest
from rummy_env import Game, Rules
from rummy_env.rules import RULESETS
from training.config import load
from training.export import check

FOLDERS = sorted(SHIPPED.iterdir())


def rules_of(folder: Path) -> Rules:
    made = read_manifest(folder)["made_for"]
    return Rules.preset(made["ruleset"], num_players=made["num_players"], **made["options"])


def test_every_ruleset_has_one_for_two_players() -> None:
    assert {f"{ruleset}-2" for ruleset in RULESETS} <= {folder.name for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_shipped_policy_is_whole_and_small(folder: Path) -> None:
    rules = rules_of(folder)
    assert folder.name == f"{rules.ruleset}-{rules.num_players}"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 5_000_000
    check(folder)
    command = read_manifest(folder)["training"]["command"]
    config = command.split("--config ")[1].split()[0]
    assert command.startswith("rummy train ")
    assert load(SHIPPED.parent.parent / config).rules() == rules


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_its_evaluation_is_of_this_policy_on_seeds_kept_for_it(folder: Path) -> None:
    rules = rules_of(folder)
    found = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert (found["ruleset"], found["num_players"], found["options"]) == (rules.ruleset, rules.num_players, {})
    assert found["seed"] + found["deals"] < 1_000_000
    assert f"rummy evaluate --ruleset {rules.ruleset}" in found["command"]
    beaten = {
        pair["opponent"] for pair in found["pairs"] if pair["agent"] == "trained" and pair["duel"]["points"]["low"] > 0
    }
    assert beaten >= {"random", "easy", "normal"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_it_plays_a_round_and_never_an_illegal_action(folder: Path) -> None:
    rules = rules_of(folder)
    policy = agents.load("trained", rules)
    for seed in range(3):
        game = Game.deal(rules, seed=seed)
        while not game.over:
            action = policy.act(game.view(game.to_play))
            assert np.flatnonzero(game.action_mask(game.to_play)).tolist().count(action) == 1
            game.step(action)
