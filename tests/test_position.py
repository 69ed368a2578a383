"""Positions as dicts: what is left out, what is read and written, and which fault an error names."""

from __future__ import annotations

from typing import Any

import pytest

from rummy_env import Game, Rules
from rummy_env.position import KEYS

pytestmark = pytest.mark.core

FULL: dict[str, Any] = {
    "hands": ["9h Th Kd", "Ah Kh", "2c"],
    "table": [{"cards": "4s 5s 6s", "by": 0}, {"cards": "7s 7h 7d 7c", "by": 2}, {"cards": "9d Td Jd Qd", "by": 1}],
    "pile": "Qs Js",
    "stock": "Qc Jh 2h",
    "to_play": 1,
    "phase": "play",
    "taken": "Kh",
    "taken_used": False,
    "melded_now": True,
    "laid_off_now": False,
    "put_down": [False, True, True],
    "reshuffles": 2,
    "turns": [3, 4, 3],
    "dealer": 0,
}


def read(changes: dict[str, Any], players: int = 3) -> Game:
    return Game.from_position(Rules.preset("straight", num_players=players), FULL | changes)


def test_every_key_is_read_and_written() -> None:
    assert set(FULL) == set(KEYS["straight"])
    game = read({})
    assert game.position() == FULL
    assert (game.to_play, game.phase, game.turn, game.dealer, game.stock_size) == (1, "play", 10, 0, 3)
    assert [meld.by for meld in game.table] == [0, 2, 1]
    assert game.view(0).put_down == [False, True, True]
    assert game.view(2).known(1) == ["Kh"], "everybody saw that it was taken"


def test_what_is_left_out_is_a_fresh_turn() -> None:
    game = Game.from_position(Rules.preset("straight", num_players=3), {"hands": ["7s", "8s", "9s"], "pile": "2h 3h"})
    assert game.position() == {
        "hands": ["7s", "8s", "9s"],
        "table": [],
        "pile": "3h",
        "stock": "2h",
        "to_play": 0,
        "phase": "draw",
        "taken": None,
        "taken_used": False,
        "melded_now": False,
        "laid_off_now": False,
        "put_down": [False, False, False],
        "reshuffles": 1,
        "turns": [0, 0, 0],
        "dealer": 2,
    }


def test_a_taken_card_on_the_table_is_in_no_hand() -> None:
    game = read({"hands": ["9h", "Ah", "2c"], "taken": "7c", "taken_used": True})
    assert game.view(0).known(1) == []
    assert game.position()["taken_used"] is True


def test_a_round_that_is_over_says_so_and_is_no_position_to_start_from() -> None:
    game = read({"hands": ["9h", "Kh", "2c"]})
    game.play("discard Kh")
    position = game.position()
    assert (position["phase"], position["hands"]) == ("over", ["9h", "", "2c"])
    with pytest.raises(ValueError, match="phase: expected 'draw' or 'play', got 'over'"):
        Game.from_position(game.rules, position)


def test_the_position_given_is_not_changed() -> None:
    position = {"hands": [["7s"], ["8s"]], "table": [{"cards": "6d 4d 5d", "by": 0}], "pile": ["2h", "3h"]}
    kept = {"hands": [["7s"], ["8s"]], "table": [{"cards": "6d 4d 5d", "by": 0}], "pile": ["2h", "3h"]}
    game = Game.from_position(Rules.preset("straight"), position)
    game.play("draw")
    assert position == kept
    assert game.table[0].cards == ("4d", "5d", "6d")


@pytest.mark.parametrize("seed", [0, 7])
def test_the_seed_is_for_refills(seed: int) -> None:
    rules = Rules.preset("straight")
    position: dict[str, Any] = {"hands": ["7s", "8s"], "pile": "2h 3h 4h 5h 6h 9h Th Jh Qh Kh"}
    stock = Game.from_position(rules, position, seed=seed).position()["stock"]
    assert sorted(stock.split()) == sorted(position["pile"].split()[:-1])
    assert Game.from_position(rules, position, seed=seed).position()["stock"] == stock
    assert Game.from_position(rules, position, seed=seed + 1).position()["stock"] != stock


@pytest.mark.parametrize("position", [None, [], "hands", 3])
def test_a_position_is_a_dict(position: Any) -> None:
    with pytest.raises(ValueError, match="expected a position as a dict, got"):
        Game.from_position(Rules.preset("straight"), position)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hands": ["9h Th 4s", "Kh", "2c"]}, "got 4s in the hand of seat 0 and in meld 0 of the table"),
        ({"stock": "Qc Js"}, "got Js in the pile and in the stock"),
        ({"pile": "Qs 1s"}, "pile: expected cards like"),
        ({"hands": ["9h", "Kh"]}, "hands: expected a list of 3, one for each seat"),
        ({"table": [{"cards": "4s 5s 7s", "by": 0}]}, "meld 0 of the table: expected a set or a run, got 4s 5s 7s"),
        ({"table": [{"cards": "4s 5s 6s", "by": 3}]}, "by: expected a whole number from 0 to 2, got 3"),
        ({"phase": "over"}, "phase: expected 'draw' or 'play', got 'over'"),
        ({"hands": ["9h", "", "2c"], "taken": None}, "expected cards in the hand of seat 1 in phase play, got none"),
        ({"taken": "9h"}, "taken: expected 9h in the hand of the seat to play"),
        ({"taken_used": True}, "taken: expected Kh on the table, since it was used"),
        ({"phase": "draw", "melded_now": False}, "taken: expected no taken card in phase draw, got Kh"),
        ({"phase": "draw", "taken": None}, "melded_now: expected false in phase draw, got true"),
        ({"put_down": [False, True]}, "put_down: expected a list of 3"),
        ({"freed": 1}, "straight has no 'freed' in a position, got 1"),
        ({"stok": "2c"}, "got 'stok'; did you mean 'stock'"),
        ({7: "2c"}, "got 7"),
    ],
)
def test_the_fault_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(changes)
