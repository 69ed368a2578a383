"""Rummy for people who train agents: rules, environments and batches.

The public contract is docs/API.md, the rules are docs/RULES.md: `Rules`, `Game`, `Match`, the environments
``straight_v0``, ``rami_v0``, ``indian_v0`` and ``gin_v0`` (PettingZoo), ``rummy_env/Straight-v0``,
``rummy_env/Rami-v0``, ``rummy_env/Indian-v0`` and ``rummy_env/Gin-v0`` (Gymnasium) and `rummy_env.vector` (batches).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rummy_env.moves import IllegalMove, Move
from rummy_env.registration import register_environments
from rummy_env.rules import Rules
from rummy_env.spaces import spaces

if TYPE_CHECKING:
    from rummy_env import gin_v0, indian_v0, rami_v0, straight_v0, testing, vector
    from rummy_env.game import Game
    from rummy_env.match import Match
    from rummy_env.view import Result, View

__version__ = "0.1.0"

__all__ = [
    "Game",
    "IllegalMove",
    "Match",
    "Move",
    "Result",
    "Rules",
    "View",
    "gin_v0",
    "indian_v0",
    "rami_v0",
    "spaces",
    "straight_v0",
    "testing",
    "vector",
]

# Compiled kernels and the environments' libraries take longer to import than everything else together.
_LAZY = {"Game": "game", "Match": "match", "Result": "view", "View": "view"}
_MODULES = ("gin_v0", "indian_v0", "rami_v0", "straight_v0", "testing", "vector")


register_environments()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"rummy_env.{_LAZY[name]}"), name)
    if name in _MODULES:
        return import_module(f"rummy_env.{name}")
    raise AttributeError(f"module 'rummy_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
