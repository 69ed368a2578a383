"""Computer players: rule-based bots and trained policies, by name or by path.

>>> import agents
>>> agents.names()[:4]
('random', 'easy', 'normal', 'hard')

Anybody's package can add players: an entry point of the group ``rummy_env.opponents`` that names an
`agents.agent.AgentFactory`. Nothing here needs torch; onnxruntime is imported when a policy is loaded.
"""

from __future__ import annotations

import difflib
import os
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from agents.agent import Agent, AgentFactory, View
from rummy_env.rules import Rules

__all__ = ["Agent", "AgentFactory", "View", "load", "names"]

GROUP: Final = "rummy_env.opponents"

BUILT_IN: Final = {
    "random": "agents.rule_bots:RANDOM",
    "easy": "agents.rule_bots:EASY",
    "normal": "agents.rule_bots:NORMAL",
    "hard": "agents.rule_bots:HARD",
    "expert": "agents.expert:Expert",
    "trained": "agents.policy:TRAINED",
    "simple": "agents.rule_bots:SIMPLE",
}
"""The players of this package, weakest first, and `simple`, a yardstick that plays gin alone. Also in its metadata,
which a mere source tree does not have."""


def _registered() -> dict[str, EntryPoint]:
    own = {name: EntryPoint(name, target, GROUP) for name, target in BUILT_IN.items()}
    others = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return own | {entry.name: entry for entry in others if entry.name not in own}


def names() -> tuple[str, ...]:
    """Names that `load` knows: the built-in players, weakest first, then `simple`, then those of other packages."""
    return tuple(_registered())


def load(name_or_path: str | os.PathLike[str], rules: Rules, seed: int | None = None) -> Agent:
    """The player of a name, or the exported policy at a path, for games by ``rules``.

    ``seed`` is for the player's own random numbers.

    Raises:
        ValueError: for an unknown name, or a policy made for other rules; says what was expected.
    """
    registered = _registered()
    if isinstance(name_or_path, str) and name_or_path in registered:
        factory: AgentFactory = registered[name_or_path].load()
        return factory(rules, seed=seed)
    if Path(name_or_path).exists():
        from agents.policy import Policy

        return Policy.load(Path(name_or_path), rules)
    raise ValueError(_unknown(os.fspath(name_or_path), tuple(registered)))


def _unknown(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"expected a player of {', '.join(known)} or the path of an exported policy, got {name!r}{hint}"
