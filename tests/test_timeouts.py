"""What the game does when a clock runs out, on positions that rooms meet rarely."""

from __future__ import annotations

import pytest

from game.events import back_to
from game.timeouts import next_move, rolled_back
from rummy_env import Game, Rules

RAMI = Rules.preset("rami", opening=30)


def a_turn(hand: str, pile: str, moves: list[str]) -> Game:
    game = Game.from_position(RAMI, {"hands": [hand, "2c 5d 8h"], "pile": pile, "stock": "3h 4s 9c 6d"})
    for move in moves:
        game.play(move)
    return game


@pytest.mark.parametrize(
    ("pile", "moves", "stay"),
    [
        ("8c", ["draw"], 1),
        ("8c", ["draw", "piece Ks Kh Kd"], 1),  # an opening in the making goes back to the hand
        ("Kc", ["take"], 0),
        ("Kc", ["take", "piece Ks Kh Kd Kc"], 0),
        ("Kc", ["take", "open Ks Kh Kd Kc"], 2),
    ],
)
def test_what_stays_of_a_turn_whose_clock_ran_out(pile: str, moves: list[str], stay: int) -> None:
    game = a_turn("Ks Kh Kd 7c 9s Jd", pile, moves)
    assert rolled_back(game) == stay
    earlier = back_to(game, stay)
    for _ in range(2):
        if earlier.to_play == 0:
            earlier.play(next_move(earlier, None))
    assert earlier.to_play == 1
