"""How long it takes until one can play: importing the package, compiling its kernels or reading them from the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

# Everything that a program needs first: deal, step and observe a batch, and look at one table.
SCRIPT = """
import json, sys, time
ruleset = sys.argv[1]
start = time.perf_counter()
import rummy_env
imported = time.perf_counter()
batch = rummy_env.vector.make(ruleset, 64, seed=1)
batch.step(batch.sample_actions())
game = rummy_env.Game.deal(rummy_env.Rules.preset(ruleset), seed=1)
game.play(game.legal_moves()[0])
game.view(0).observation, game.action_mask(0)
played = time.perf_counter()
json.dump([imported - start, played - start], sys.stdout)
"""


@dataclass(frozen=True)
class Start:
    """Seconds. ``cold``: import and first moves with everything compiled anew; ``warm``: with a filled cache."""

    importing: float
    cold: float
    warm: float


def measure(num_runs: int = 3, ruleset: str = "straight") -> Start:
    """Start new processes with a cache of their own; imports and warm starts are the fastest of ``num_runs``."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"RUMMY_CACHE_DIR": cache}
        _, cold = _run(environment, ruleset)
        warm_runs = [_run(environment, ruleset) for _ in range(num_runs)]
    return Start(min(imported for imported, _ in warm_runs), cold, min(played for _, played in warm_runs))


def _run(environment: dict[str, str], ruleset: str) -> tuple[float, float]:
    command = [sys.executable, "-c", SCRIPT, ruleset]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    imported, played = json.loads(done.stdout)
    return imported, played
