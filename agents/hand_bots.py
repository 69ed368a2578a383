"""How random plays gin and indian rummy. `agents.rule_bots` makes players of these functions.

Each is a function ``decide(rules, view, number) -> action`` (signature: `rummy_env.core.bot.DECIDE`) that reads the
view alone.
"""

from __future__ import annotations

from rummy_env.core.rounds import random_legal


def decide_random(rules, view, number):
    """Any legal action, each with the same chance."""
    return random_legal(view, number)
