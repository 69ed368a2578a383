"""The tables of a ruleset's observation and actions, from which spaces and documentation are made."""

from __future__ import annotations

from typing import NamedTuple

from rummy_env.actions import ActionBlock, action_table
from rummy_env.fields import Field, observation_table
from rummy_env.rules import Rules


class Spaces(NamedTuple):
    """``fields``: the observation, uint8, 0 or 1. ``actions``: blocks of action ids."""

    fields: tuple[Field, ...]
    actions: tuple[ActionBlock, ...]

    @property
    def observation_size(self) -> int:
        return self.fields[-1].offset + self.fields[-1].size

    @property
    def num_actions(self) -> int:
        return self.actions[-1].stop


def spaces(ruleset: str, num_players: int = 2) -> Spaces:
    """The observation fields and action blocks of a ruleset.

    >>> spaces("straight", 2).num_actions
    306

    Raises:
        ValueError: for an unknown ruleset or a number of players that it does not have.
    """
    rules = Rules.preset(ruleset, num_players=num_players)
    return Spaces(observation_table(rules.ruleset, rules.num_players), action_table(rules.ruleset))
