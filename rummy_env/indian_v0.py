"""Indian rummy for PettingZoo: ``indian_v0.env()``. See `rummy_env.aec.TableEnv` for the options.

The version rises when behaviour changes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rummy_env.aec import Ordered, TableEnv


class raw_env(TableEnv):
    """Indian rummy without wrappers; an illegal action is refused, unless ``illegal="lose"``."""

    ruleset: ClassVar[str] = "indian"
    metadata: ClassVar[dict[str, Any]] = {**TableEnv.metadata, "name": "indian_v0"}


def env(num_players: int = 2, *, illegal: str = "lose", **options: Any) -> Any:
    """Indian rummy in PettingZoo's usual wrappers; an illegal action loses the round, unless ``illegal="raise"``.

    Raises:
        ValueError: for an argument that does not exist or is out of range, saying what is allowed.
    """
    return Ordered(raw_env(num_players, illegal=illegal, **options))
