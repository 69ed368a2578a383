"""Rami in text and as a picture: jokers in hands, on the table and on the pile, for every number of players."""

from __future__ import annotations

import pytest

from rummy_env import Game, Rules
from rummy_env.render import picture, text

pytestmark = pytest.mark.core


@pytest.mark.parametrize("players", range(2, 7))
def test_jokers_are_shown(players: int) -> None:
    position = {
        "hands": ["Jk 5h 5h", *["2c 3c 4c"] * (players > 1), *[f"{rank}d Kc" for rank in "6789"][: players - 2]],
        "table": [{"cards": "5s Jk 7s", "by": 0}, {"cards": "8h 8d Jk", "by": 1}],
        "pile": "2d Jk",
        "stock": "9d 4s",
    }
    if players > 3:
        position["hands"] = [hand.replace(" Kc", "") for hand in position["hands"]]
    game = Game.from_position(Rules.preset("rami", num_players=players), position)
    shown = text(game.view(0))
    assert "5♠ Jk 7♠" in shown
    assert "8♥ 8♦ Jk" in shown
    assert "5♥ 5♥ Jk" in shown
    assert picture(game).shape == picture(game.view(0)).shape
