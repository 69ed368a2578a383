"""A training run of seconds, for the tests of what reads and writes runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CONFIG = """\
ruleset: straight
options: {num_ranks: 5, hand_size: 3}
total_steps: 512
network: {card_width: 4, suit_width: 8, table_width: 8}
environment: {num_envs: 8}
opponents: {random: 1, normal: 1, self: 1}
selves: {every: 128, keep: 3, at_once: 2}
ppo: {n_steps: 16, batch_size: 64}
checkpoints: {every: 128, keep: 2}
validation: {every: 256, deals: 4, opponents: [random, easy]}
"""
"""Four updates; earlier selves, validations and checkpoints among them."""


def write_config(folder: Path) -> Path:
    path = folder / "tiny.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def parameters(model: Path) -> dict[str, Any]:
    """The numbers of a saved policy."""
    from training.learner import FastMaskablePPO

    return {name: value.numpy() for name, value in FastMaskablePPO.load(model).policy.state_dict().items()}
