"""The Python face of a round: what it refuses and why, and what it says about itself."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from oracle import ACTIONS
from random_rounds import fields_of

from rummy_env import Game, IllegalMove, Move, Rules
from rummy_env.actions import describe_action, num_actions

pytestmark = pytest.mark.core

RULES = Rules.preset("straight")
POSITION = {
    "hands": ["4d 5d 6d 7s 9s Kc", "As Kd"],
    "table": [{"cards": "Ts Js Qs", "by": 1}, {"cards": "7h 7d 7c", "by": 0}],
    "pile": "2h 3h",
    "stock": "2c 3c",
}


def game_in(phase: str, **changes: Any) -> Game:
    return Game.from_position(RULES, POSITION | {"phase": phase} | changes)


def over() -> Game:
    game = game_in("play", hands=["Kc", "As Kd"])
    game.play("discard Kc")
    return game


# --- why a move is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "move", "reason"),
    [
        (game_in("draw"), "discard Kc", "a turn begins with draw or take"),
        (game_in("draw"), "meld 4d 5d 6d", "a turn begins with draw or take"),
        (game_in("draw"), "layoff 9s 0", "a turn begins with draw or take"),
        (game_in("draw", stock="", pile="3h"), "draw", "the stock is empty and the pile has only its top card"),
        (game_in("draw", pile=""), "take", "the pile is empty"),
        (game_in("play"), "draw", "a card was drawn already in this turn"),
        (game_in("play"), "take", "a card was drawn already in this turn"),
        (game_in("play"), "discard Qc", "Qc is not in the hand"),
        (game_in("play"), "discard Jk", "Jk is not in the hand"),
        (game_in("play"), "meld 4d 5d 3d", "3d is not in the hand"),
        (game_in("play"), "meld 4d 5d 7s", "4d 5d 7s is neither a set nor a run"),
        (game_in("play"), "meld 4d 5d", "4d 5d is neither a set nor a run"),
        (game_in("play"), "layoff 9s 2", "the table has 2 melds, numbered from 0, and no 2"),
        (game_in("play"), "layoff 9s 1", "9s does not fit 7h 7d 7c"),
        (game_in("play"), "layoff 9s 0 high", "9s does not fit the high end of Ts Js Qs"),
        (game_in("play"), "layoff 7s 1 low", "7s does not fit the low end of 7h 7d 7c"),
        (game_in("play", taken="Kc"), "discard Kc", "Kc was taken from the pile in this turn"),
        (game_in("play"), "untake", "straight rummy has no such move"),
        (game_in("play"), "knock Kc", "straight rummy has no such move"),
        (game_in("play"), "open 4d 5d 6d", "straight rummy has no such move"),
        (game_in("play"), "forfeit", "straight rummy has no such move"),
        (over(), "draw", "the round is over"),
        (over(), "untake", "the round is over"),
        (game_in("play"), Move("layoff", (8,)), "no meld on the table takes the card"),
        (game_in("play"), Move("layoff", (3,)), "4s is not in the hand"),
        (game_in("play"), Move("layoff", (8,), -1), "the table has 2 melds"),
    ],
)
def test_the_reason_is_given_in_one_sentence_and_nothing_changes(game: Game, move: Move | str, reason: str) -> None:
    before = fields_of(game.state)
    assert game.is_legal(move) is False
    with pytest.raises(IllegalMove, match=f" is not legal: {reason}") as caught:
        game.play(move)
    assert "\n" not in str(caught.value)
    assert fields_of(game.state) == before
    assert game.history == over().history if game.over else not game.history


@pytest.mark.parametrize(
    ("game", "action", "reason"),
    [
        (game_in("draw"), "discard Kc", "a turn begins with draw or take"),
        (game_in("draw"), "layoff Kc high", "a turn begins with draw or take"),
        (game_in("play"), "layoff Kc high", "no meld on the table takes the card"),
        (game_in("play"), "layoff Ks high", "Ks is not in the hand"),
        (game_in("play"), "layoff 9s set", "no meld on the table takes the card"),
        (game_in("play"), "meld 7h 7d 7c", "7h is not in the hand"),
        (game_in("play", taken="Kc"), "discard Kc", "Kc was taken from the pile in this turn"),
        (over(), "layoff Kc high", "the round is over"),
        (over(), "draw", "the round is over"),
    ],
)
def test_an_action_that_is_not_legal_says_why(game: Game, action: str, reason: str) -> None:
    before = fields_of(game.state)
    with pytest.raises(IllegalMove, match=f"{action} is not legal: {reason}"):
        game.step(ACTIONS.index(action))
    assert fields_of(game.state) == before


@pytest.mark.parametrize(
    "action", [-1, 306, 2**31, 2**63, -(2**64), 10**30, 1.0, np.float32(2), "draw", None, [0], True, False, np.True_]
)
def test_what_is_no_action_is_refused(action: Any) -> None:
    game = game_in("draw")
    before = fields_of(game.state)
    for question in (game.step, game.move_of):
        with pytest.raises(ValueError, match=r"expected (an action of straight from 0 to 305|the id of an action)"):
            question(action)
    assert fields_of(game.state) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_any_kind_of_whole_number_is_an_action(kind: type) -> None:
    game = game_in("draw")
    game.step(kind(1))
    assert game.history == [1]
    assert type(game.history[0]) is int
    assert game.view(0).taken == "3h"


@pytest.mark.parametrize("move", [None, 3, 3.5, ["draw"], b"draw"])
def test_what_is_no_move_is_refused(move: Any) -> None:
    game = game_in("draw")
    for question in (game.is_legal, game.play, game.action_of):
        with pytest.raises(ValueError, match="expected a move or its text, got"):
            question(move)


@pytest.mark.parametrize("seat", [-1, 2, 100])
def test_a_seat_that_is_not_there(seat: int) -> None:
    game = game_in("draw")
    for question in (game.hand, game.view, game.observation, game.action_mask, game.resample):
        with pytest.raises(ValueError, match=f"expected a seat from 0 to 1, got {seat}"):
            question(seat)


@pytest.mark.parametrize("dealer", [-1, 2, 0.5, "0", True])
def test_a_dealer_that_is_not_there(dealer: Any) -> None:
    with pytest.raises(ValueError, match="dealer: expected a seat from 0 to 1, got"):
        Game.deal(RULES, seed=1, dealer=dealer)


# --- moves and actions ---------------------------------------------------------------------------------------


def test_every_action_is_described_as_the_oracle_knows_it() -> None:
    assert num_actions("straight") == len(ACTIONS) == 306
    assert [describe_action("straight", action) for action in range(306)] == ACTIONS


def test_legal_moves_are_one_for_each_legal_action_in_their_order() -> None:
    game = game_in("play")
    assert [str(move) for move in game.legal_moves()] == [
        "meld 4d 5d 6d", "layoff 7s 1", "layoff 9s 0",
        "discard 7s", "discard 9s", "discard 4d", "discard 5d", "discard 6d", "discard Kc",
    ]  # fmt: skip
    assert [game.action_of(move) for move in game.legal_moves()] == game.legal_actions()
    assert game.action_mask(0).nonzero()[0].tolist() == game.legal_actions()


def test_a_move_that_takes_several_actions_has_none_of_its_own() -> None:
    game = game_in("play", hands=["4d 5d 6d 8h 8s 8c 8d 3d 2d", "As"], table=[])
    assert game.action_of("meld 6d 4d 5d") == ACTIONS.index("meld 4d 5d 6d")
    assert game.action_of("meld 8c 8s 8d") == ACTIONS.index("meld 8s 8d 8c")
    assert game.action_of("meld 3d 4d 5d 6d") is None
    assert game.action_of("meld 8s 8h 8d 8c") is None
    assert game.action_of("meld 4d 5d 8h") is None
    assert game.action_of("layoff 8h 0") is None


def test_a_lay_off_by_action_goes_to_the_first_meld_that_takes_it() -> None:
    game = game_in("play")
    assert str(game.move_of(ACTIONS.index("layoff 9s low"))) == "layoff 9s 0"
    assert game.move_of(ACTIONS.index("layoff Kc high")).meld is None


def test_what_was_played_is_remembered() -> None:
    game = game_in("draw")
    game.step(0)
    game.play("meld 4d 5d 6d")
    game.play("layoff 9s 0 low")
    game.play("discard Kc")
    assert game.history[0] == 0
    assert [str(move) for move in game.history[1:]] == ["meld 4d 5d 6d", "layoff 9s 0", "discard Kc"]
    again = game.start()
    assert again.position() == game_in("draw").position()
    for entry in game.history:
        again.repeat(entry)
    assert fields_of(again.state) == fields_of(game.state)


# --- forfeits ------------------------------------------------------------------------------------------------


def test_a_forfeit_is_a_void_round_that_is_remembered() -> None:
    game = game_in("draw")
    game.play("draw")
    game.forfeit()
    assert game.over
    assert game.result is not None
    assert (game.result.winner, game.result.void, game.result.scores) == (None, True, (0, 0))
    assert not game.result.truncated
    assert game.legal_actions() == []
    game.forfeit()
    assert len(game.history) == 2
    for form in ("text", "json"):
        again = Game.from_record(game.record(form))
        assert again.result == game.result
        assert fields_of(again.state) == fields_of(game.state)
    with pytest.raises(IllegalMove, match="the round is over"):
        game.repeat(game.history[-1])


# --- what it says about itself -------------------------------------------------------------------------------


def test_a_fresh_round_in_all_its_parts() -> None:
    game = Game.deal(RULES, seed=7, dealer=0)
    assert (game.to_play, game.phase, game.over, game.result, game.turn, game.dealer) == (1, "draw", False, None, 0, 0)
    assert (game.table, len(game.pile), game.stock_size, game.totals) == ([], 1, 31, (0, 0))
    view = game.view(1)
    assert (view.seat, view.to_play, view.phase, view.hand) == (1, 1, "draw", game.hand(1))
    assert (view.hand_sizes, view.totals, view.put_down, view.table) == ([10, 10], [0, 0], [False, False], [])
    assert (view.pile, view.stock_size, view.taken) == (game.pile, 31, None)
    assert [view.known(0), view.discarded(0), view.refused(0)] == [[], [], []]
    assert repr(game) == "<Game straight: turn 0, seat 1, draw>"


def test_a_view_remembers_what_everybody_saw() -> None:
    game = game_in("draw")
    for move in ("take", "discard Kc", "draw", "discard As", "take"):
        game.play(move)
    for seat in (0, 1):
        view = game.view(seat)
        assert view.known(0) == ["As", "3h"]
        assert view.discarded(0) == ["Kc"]
        assert view.discarded(1) == ["As"]
        assert view.refused(1) == ["Kc"]
        assert view.taken == "As"
    game.play("discard 3h")
    assert game.view(1).known(0) == ["As"]
    assert repr(game).endswith("seat 1, draw>")


def test_games_can_be_copied_and_pickled() -> None:
    game = game_in("play")
    game.play("meld 4d 5d 6d")
    for twin in (game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert fields_of(twin.state) == fields_of(game.state)
        assert (twin.rules, twin.history) == (game.rules, game.history)
        assert twin.record() == game.record()


def test_observations_and_masks_have_the_shapes_of_the_tables() -> None:
    game = game_in("play")
    for seat in (0, 1):
        observation, mask = game.observation(seat), game.action_mask(seat)
        assert (observation.dtype, mask.dtype, mask.shape) == (np.uint8, np.int8, (306,))
        assert set(np.unique(observation)) <= {0, 1}
        assert observation.flags.writeable
