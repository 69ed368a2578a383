"""Compiling a ruleset's kernels before anybody waits for them at a table.

The first time on a machine takes minutes, later starts load them from the cache in a second or two.
"""

from __future__ import annotations

import gc
from typing import Any, Final

import agents
from game import hints, offers, seen, timeouts
from game.players import plays_level
from rummy_env import Game, Match, Rules

MOVES: Final = 60


def warm(ruleset: str) -> None:
    """Do once all that a table of a ruleset does while it is played."""
    rules = Rules.preset(ruleset)
    match = Match(rules, seed=1)
    game = match.game
    bot = agents.load(plays_level("normal", rules)[0], rules)
    for _ in range(MOVES):
        if game.over:
            break
        public = seen.public(game)
        for seat in range(rules.num_players):
            seen.private(game, seat, public)
        if not seen.duties(game):
            timeouts.next_move(game, None)
        move = game.move_of(bot.act(game.view(game.to_play)))
        trial = game.copy()
        if move.kind in offers.INNER_KINDS:
            trial.play(hints.opening_of(game) or move)
        else:
            trial.play(move)
        game = trial
    if offers.opens(rules):
        _warm_opening(rules)
    # The compiler leaves a million objects that stay for good. Looking through them again and again for garbage would
    # hold every room up for half a second each time.
    gc.collect()
    gc.freeze()


def _warm_opening(rules: Rules) -> None:
    """An opening, a lay-off and a swap, which a short game may not have."""
    position: dict[str, Any] = {
        "hands": ["Ks Kh Kd Kc 6s Th 2c 9d", "3s 4s"],
        "phase": "play",
        "pile": "2d",
        "stock": "3c 4c 9c",
    }
    position |= {"table": [{"cards": "3s 4s 5s", "by": 1}, {"cards": "9h Jk Jh", "by": 1}]}
    game = Game.from_position(rules, position)
    seen.private(game, 0, seen.public(game))
    game.play("open Ks Kh Kd Kc")
    offers.ways(game, ["6s"], 0)
    game.play("swap Th 1")
    timeouts.rolled_back(game)
