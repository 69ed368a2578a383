"""Gin in text and as a picture: no table, hidden cards hidden, and after a knock what was shown."""

from __future__ import annotations

import numpy as np
import pytest

from rummy_env import Game, Rules
from rummy_env.render import picture, text

pytestmark = pytest.mark.core

POSITION = {
    "hands": ["4d 5d 6d 9s 9h 9c Kc Kh Ks 2c Qd", "7d Js Jh Jc 2s 3s 4s Td 8h 4c"],
    "phase": "play",
    "pile": "3c",
    "stock": "Ah 5c 6c 7c",
}


def knocked() -> Game:
    game = Game.from_position(Rules.preset("gin"), POSITION)
    game.play("knock Qd")
    return game


def test_a_view_shows_its_own_hand_and_no_table() -> None:
    game = Game.from_position(Rules.preset("gin"), POSITION)
    assert text(game.view(1)).splitlines() == [
        "gin rummy, turn 1: seat 0 to play (play)",
        "  pile:  3♣",
        "  stock: 4 cards",
        "> seat 0: 11 cards, total 0",
        "    11 face down",
        "  seat 1: 10 cards, worth 68, total 0, dealer",
        "    2♠ 3♠ 4♠ J♠ 8♥ J♥ 7♦ T♦ 4♣ J♣",
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_after_a_knock_everybody_sees_melds_lay_offs_and_deadwood(seat: int) -> None:
    game = knocked()
    assert text(game.view(seat)) == text(game)
    assert text(game).splitlines() == [
        "gin rummy, turn 1: seat 0 wins, knock, scores 20 0",
        "  pile:  3♣ Q♦",
        "  stock: 4 cards",
        "  seat 0: 10 cards, worth 74, total 20",
        "    9♠ K♠ 9♥ K♥ 4♦ 5♦ 6♦ 2♣ 9♣ K♣",
        "  seat 1: 10 cards, worth 68, total 0, dealer",
        "    2♠ 3♠ 4♠ J♠ 8♥ J♥ 7♦ T♦ 4♣ J♣",
        "  seat 0 shows 9♠ 9♥ 9♣, K♠ K♥ K♣, 4♦ 5♦ 6♦, deadwood 2♣ (2)",
        "  seat 1 shows J♠ J♥ J♣, 2♠ 3♠ 4♠, laid off 7♦, deadwood 8♥ T♦ 4♣ (22)",
    ]


def test_a_picture_hides_the_other_hand_until_it_is_shown() -> None:
    before = Game.from_position(Rules.preset("gin"), POSITION)
    other = before.resample(1, 3)
    assert other.hand(0) != before.hand(0)
    assert np.array_equal(picture(before.view(1)), picture(other.view(1)))
    assert not np.array_equal(picture(before), picture(other))
    shown = knocked()
    assert picture(shown).shape == picture(before.view(0)).shape
    assert np.array_equal(picture(shown.view(0)), picture(shown.view(1)))
    hidden = Game.from_position(Rules.preset("gin"), POSITION)
    hidden.forfeit()
    assert not np.array_equal(picture(shown.view(0)), picture(hidden.view(0)))
