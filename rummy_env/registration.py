"""The environments' ids in Gymnasium, from ``import rummy_env`` on: ``rummy_env/Straight-v0``.

Gymnasium 1.0 gave up plugins, so somebody must import this package: the program, or Gymnasium itself if it is asked
for ``"rummy_env:rummy_env/Straight-v0"``. What the ids stand for is imported when an environment is made.
"""

from __future__ import annotations

from typing import Final

from gymnasium.envs.registration import register, registry

VERSIONS: Final = {"straight": 0, "rami": 0, "gin": 0, "indian": 0}
"""Version of each ruleset's environment; it rises when behaviour changes."""


def environment_id(ruleset: str) -> str:
    """``rummy_env/Straight-v0`` for ``straight``."""
    return f"rummy_env/{ruleset.capitalize()}-v{VERSIONS[ruleset]}"


def register_environments() -> None:
    """Make the ids known to `gymnasium.make` and `gymnasium.make_vec`."""
    for ruleset in VERSIONS:
        if environment_id(ruleset) not in registry:
            register(
                environment_id(ruleset),
                entry_point="rummy_env.single:RummyEnv",
                vector_entry_point="rummy_env.gym_vector:RummyVectorEnv",
                kwargs={"ruleset": ruleset},
            )
