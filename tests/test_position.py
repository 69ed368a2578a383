"""Positions as dicts: what is left out, what is read and written, and which fault an error names."""

from __future__ import annotations

from typing import Any

import pytest

from rummy_env import Game, Rules, spaces
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


@pytest.mark.parametrize(
    ("position", "words"),
    [
        (
            {
                "hands": ["Ks 4h", "9c"],
                "taken": "Ks",
                "opened": [True, False],
                "melded_now": True,
                "laid_off_now": True,
            },
            "the taken card Ks can neither be put down nor given back",
        ),
        (
            {"hands": ["Jk 4h 9s", "9c"], "freed": 1, "opened": [True, False], "laid_off_now": True},
            "1 freed jokers cannot be put down",
        ),
        (
            {"hands": ["4h 9s", "9c"], "table": [{"cards": "2s 2h 2d", "by": 0}], "pending": 1},
            "the opening in the making cannot reach the threshold any more",
        ),
    ],
)
def test_a_duty_that_cannot_be_met_is_no_position(position: dict[str, Any], words: str) -> None:
    start = {"pile": "3c", "stock": "2h 2c", "phase": "play", **position}
    with pytest.raises(ValueError, match=f"expected a position in which seat 0 has a move, got one where {words}"):
        Game.from_position(Rules.preset("rami"), start)


def test_a_card_is_taken_and_given_back_twice_at_most() -> None:
    """Else a turn might never end."""
    start = {"hands": ["Ks 4h", "9c"], "pile": "3c 2d", "stock": "2h 2c"}
    for again in (False, True):
        game = Game.from_position(Rules.preset("rami", take_again=again), start)
        given_back = 0
        while game.is_legal("take"):
            game.play("take")
            assert Game.from_position(game.rules, game.position()).legal_moves() == game.legal_moves()
            game.play("untake")
            given_back += 1
            assert given_back < 9
            same = Game.from_position(game.rules, game.position())
            assert same.legal_moves() == game.legal_moves()
            assert same.position() == game.position()
            assert Game.from_record(same.record()).position() == game.position()
        assert given_back == 1 + again
        assert [str(move) for move in game.legal_moves()] == ["draw"]
        field = next(field for field in spaces("rami", 2).fields if field.name == "untaken")
        assert game.observation(0)[field.slice].tolist() == [1]


@pytest.mark.parametrize(("again", "value"), [(False, 2), (True, 3), (True, "x"), (True, 1)])
def test_how_often_a_card_was_given_back(again: bool, value: Any) -> None:
    with pytest.raises(ValueError, match="untaken: expected true, false"):
        Game.from_position(
            Rules.preset("rami", take_again=again),
            {"hands": ["Ks 4h", "9c"], "pile": "3c 2d", "stock": "2h 2c", "untaken": value},
        )


def test_a_joker_goes_onto_a_piece_but_not_onto_the_set_that_it_has_become() -> None:
    """In a house where sets of the table take no joker."""
    game = Game.from_position(
        Rules.preset("rami", joker_onto_set=False),
        {"hands": ["Ks Kh Kd Jk 5h 6h 7h 2c", "9c"], "pile": "3c", "stock": "2h 2c", "phase": "play"},
    )
    game.play("piece Ks Kh Kd")
    assert game.is_legal("lengthen Jk 0")
    game.play("piece 5h 6h 7h")
    game.play("confirm")
    assert [str(move) for move in game.legal_moves() if move.kind == "layoff"] == [
        "layoff Jk 1 low",
        "layoff Jk 1 high",
    ]
    assert not game.is_legal("layoff Jk 0")
