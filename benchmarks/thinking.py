"""How long the expert thinks about a decision, in every ruleset: ``python -m benchmarks.thinking``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.table import Table

import agents
from rummy_env import Game, Rules, View
from rummy_env.rules import RULESETS

FIRST_DEAL = 10_000_000
"""Of the seeds that are for tuning: no evaluation is on these deals."""

WARM_UP = 10
"""Decisions before the first that counts: they compile."""


def decisions(rules: Rules) -> Iterator[View]:
    """What seats see that have a choice, in rounds that `hard` plays."""
    hard = agents.load("hard", rules, seed=1)
    seed = FIRST_DEAL
    while True:
        game = Game.deal(rules, seed=seed)
        while not game.over:
            view = game.view(game.to_play)
            if len(game.legal_actions()) > 1:
                yield view
            game.step(hard.act(view))
        seed += 1


def seconds(rules: Rules, count: int) -> np.ndarray:
    """Processor time of so many decisions, (count,) float64, with everything compiled before."""
    expert = agents.load("expert", rules, seed=1)
    taken = []
    for number, view in zip(range(-WARM_UP, count), decisions(rules), strict=False):
        expert.reset(number + 1_000)
        start = time.process_time()
        expert.act(view)
        if number >= 0:
            taken.append(time.process_time() - start)
    return np.array(taken)


def report(count: int, num_players: int) -> Table:
    """The times as a table."""
    table = Table(title=f"Milliseconds of one core for a decision of expert, {count} decisions each")
    for column in ("ruleset", "players", "mean", "median", "99 %", "worst"):
        table.add_column(column, justify="left" if column == "ruleset" else "right")
    for ruleset in RULESETS:
        rules = Rules.preset(ruleset, num_players=2 if ruleset == "gin" else num_players)
        found = seconds(rules, count) * 1e3
        figures = (found.mean(), np.median(found), np.quantile(found, 0.99), found.max())
        table.add_row(ruleset, str(rules.num_players), *(f"{figure:.0f}" for figure in figures))
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=200, help="of each ruleset (default: 200)")
    parser.add_argument(
        "--players", type=int, default=2, choices=range(2, 5), help="gin is always for two (default: 2)"
    )
    arguments = parser.parse_args()
    Console(width=100).print(report(arguments.decisions, arguments.players))
