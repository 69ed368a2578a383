"""Speed of the PettingZoo loop: ``last``, a legal action by lot, ``step``.

Alone: ``python benchmarks/aec_loop.py [seconds]``.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


def measure_aec(seconds: float = 3.0, num_players: int = 2) -> float:
    """Steps a second of ``straight_v0.env()``, wrappers included, in random legal play; resets count as steps."""
    from rummy_env import straight_v0

    env = straight_v0.env(num_players=num_players)
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    play(env, rng, 2_000)
    steps, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        steps += play(env, rng, 2_000)
    return steps / elapsed


def play(env: Any, rng: np.random.Generator, steps: int) -> int:
    """Random legal play from wherever ``env`` is; returns ``steps``."""
    lots = rng.random(steps)
    for lot in lots.tolist():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            continue
        legal = observation["action_mask"].nonzero()[0]
        env.step(int(legal[int(lot * len(legal))]))
    return steps


if __name__ == "__main__":
    print(f"{measure_aec(float(sys.argv[1]) if sys.argv[1:] else 3.0):,.0f} steps a second")
