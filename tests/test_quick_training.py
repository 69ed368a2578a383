"""Quick configurations, shortened: some minutes of training beat the easy bot. (Indian rummy takes longer.)"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.config import load
from training.ppo import train

CONFIGS = Path(__file__).parent.parent / "configs" / "train"
SHORTER = (
    "clone.decisions=400_000",
    "total_steps=131_072",
    "validation.every=131_072",
    "validation.deals=500",
    "validation.opponents=[easy]",
)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["straight", "rami", "gin"])
def test_some_minutes_of_training_beat_easy(ruleset: str, tmp_path: Path) -> None:
    config = CONFIGS / f"{ruleset}_quick.yaml"
    assert load(config).num_players == 2
    run = train(config, SHORTER, runs_dir=tmp_path)
    against = json.loads((run / "best.json").read_text(encoding="utf-8"))["against"]["easy"]
    assert against["points"] - against["margin"] > 0
