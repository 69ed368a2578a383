"""Records of rami: an opening put together action by action is one `open`, and what is read is what was played."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from random_rounds import fields_of

from rummy_env import Game, Match, Rules
from rummy_env.actions import action_table

pytestmark = pytest.mark.core

FORMS = ["text", "json"]
POSITION = {
    "hands": ["Ks Kh Kd Kc 5h 6h 7h 8h 2c", "3s"],
    "table": [{"cards": "Ts Js Qs", "by": 1}],
    "pile": "2d",
    "stock": "9d 4s",
    "opened": [False, True],
}


def down_actions() -> set[int]:
    """Actions that put cards down."""
    return {
        action
        for block in action_table("rami")
        if block.name.startswith(("meld", "layoff", "swap", "confirm"))
        for action in range(block.first, block.stop)
    }


DOWN = down_actions()


def played(seed: int, players: int, opening: int, until: str = "over") -> Game:
    """A random round in which cards go down at every chance; ``until`` "pieces": stopped in the midst of an opening."""
    chance = random.Random(seed)
    game = Game.deal(Rules.preset("rami", num_players=players, opening=opening), seed=seed)
    while not game.over:
        legal = game.legal_actions()
        down = [action for action in legal if action in DOWN]
        game.step(chance.choice(down if down and chance.random() < 0.8 else legal))
        if until == "pieces" and game.position()["pending"] >= 1 and chance.random() < 0.5:
            break
    return game


def turns_of(game: Game) -> list[Any]:
    return [turn["moves"] for turn in json.loads(game.record("json"))["turns"]]


def test_pieces_are_recorded_as_one_opening() -> None:
    game = Game.from_position(Rules.preset("rami"), POSITION)
    for move in ("draw", "piece Ks Kh Kd", "piece 5h 6h 7h", "lengthen 8h 2", "lengthen Kc 1"):
        game.play(move)
    assert turns_of(game) == [["draw", "piece Ks Kh Kd", "piece 5h 6h 7h", "lengthen 8h 2", "lengthen Kc 1"]]
    game.play("confirm")
    game.play("discard 9d")
    assert turns_of(game) == [["draw", "open Ks Kh Kd Kc | 5h 6h 7h 8h", "discard 9d"]]
    at_once = Game.from_position(Rules.preset("rami"), POSITION)
    for move in ("draw", "open KsKhKdKc | 5h6h7h8h", "discard 9d"):
        at_once.play(move)
    assert fields_of(at_once.state) == fields_of(game.state)
    for form in FORMS:
        assert fields_of(Game.from_record(game.record(form)).state) == fields_of(game.state)


@pytest.mark.parametrize("form", FORMS)
def test_a_record_that_begins_in_the_midst_of_an_opening_keeps_its_pieces(form: str) -> None:
    game = Game.from_position(Rules.preset("rami"), POSITION)
    for move in ("draw", "piece Ks Kh Kd"):
        game.play(move)
    later = Game.from_position(Rules.preset("rami"), game.position())
    for move in ("piece 5h 6h 7h", "confirm", "discard 9d", "draw", "discard 3s"):
        later.play(move)
    assert turns_of(later) == [["piece 5h 6h 7h", "confirm", "discard 9d"], ["draw", "discard 3s"]]
    assert fields_of(Game.from_record(later.record(form)).state) == fields_of(later.state)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("until", ["over", "pieces"])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_what_is_read_is_what_was_played(players: int, until: str, form: str) -> None:
    openings = 0
    for seed in range(12):
        game = played(seed, players, (0, 30, 40, 51)[seed % 4], until)
        text = game.record(form)
        again = Game.from_record(text)
        assert fields_of(again.state) == fields_of(game.state)
        assert again.record(form) == text
        assert ("piece" in text) == (until == "pieces" and not game.over)
        openings += text.count("open ") + text.count("piece ")
    assert openings > 3


def test_a_position_with_all_that_rami_knows_is_recorded() -> None:
    position = {
        "hands": ["Jk 5h 9c", "3s", "4d"],
        "table": [{"cards": "5s 6s 7s", "by": 0}, {"cards": "8h Jk Th", "by": 1}],
        "pile": "2d",
        "stock": "9d 4s",
        "phase": "play",
        "opened": [False, True, False],
        "opened_now": True,
        "melded_now": True,
        "taken": "Jk",
        "taken_used": True,
        "freed": 1,
        "reshuffles": 1,
        "turns": [4, 3, 3],
    }
    game = Game.from_position(Rules.preset("rami", num_players=3), position)
    game.play("layoff Jk 0 high")
    for form in FORMS:
        again = Game.from_record(game.record(form))
        assert fields_of(again.state) == fields_of(game.state)
        assert {key: again.start().position()[key] for key in position} == {
            **position,
            "pile": "2d",
            "hands": ["5h 9c Jk", "3s", "4d"],
        }


def test_a_taken_joker_that_was_swapped_back_into_the_hand_can_be_continued() -> None:
    position = {
        "hands": ["9h 5c", "3s"],
        "table": [{"cards": "6h 7h 8h", "by": 0}, {"cards": "4s 5s 6s", "by": 1}],
        "pile": "Jk",
        "stock": "9d 4s",
        "opened": [True, True],
    }
    game = Game.from_position(Rules.preset("rami"), position)
    for move in ("take", "layoff Jk 0 high", "swap 9h 0"):
        game.play(move)
    again = Game.from_position(Rules.preset("rami"), game.position())
    assert again.legal_moves() == game.legal_moves()


def test_all_cards_of_a_suit_keep_the_end_of_their_ace() -> None:
    spades = "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks"
    rules = Rules.preset("rami")
    for cards, points in ((f"As {spades}", 85), (f"{spades} As", 95)):
        assert rules.opening_points(cards) == points
        position = {"hands": ["4d", "5d"], "table": [{"cards": cards}], "pile": "6d", "stock": "7d"}
        assert str(Game.from_position(rules, position).table[0]) == cards


# --- matches -------------------------------------------------------------------------------------------------


def finish(match: Match) -> None:
    while not match.game.over:
        legal = match.game.legal_moves()
        match.game.play(legal[0] if match.game.phase == "draw" else legal[-1])


def test_a_match_of_one_round_goes_on_after_a_void_round() -> None:
    match = Match(Rules.preset("rami", max_turns=2), seed=1)
    finish(match)
    assert match.game.result is not None
    assert match.game.result.void
    assert (match.over, match.winners) == (False, ())
    dealer = match.game.dealer
    assert match.next_round().dealer == dealer


def test_a_match_of_one_round_is_won_by_its_winner_also_without_points() -> None:
    rules = Rules.preset("rami", ace_points=0, court_points=0, joker_points=0)
    match = Match(rules, seed=1)
    match.games[0] = Game.from_position(rules, {"hands": ["Ks", "Qs"], "pile": "2d", "stock": "", "reshuffles": 2})
    assert match.game.result is not None
    assert (match.game.result.blocked, match.game.result.scores) == (True, (0, 0))
    assert (match.over, match.winners) == (True, (0,))


@pytest.mark.parametrize("seed", range(3))
def test_the_deal_moves_after_scored_rounds_and_the_match_ends_at_its_target(seed: int) -> None:
    chance = random.Random(seed)
    match = Match(Rules.preset("rami", num_players=3, target=200, opening=30), seed=seed)
    while True:
        game = match.game
        assert game.to_play == (game.dealer + 1) % 3
        dealer = game.dealer
        while not game.over:
            legal = game.legal_actions()
            down = [action for action in legal if action in DOWN]
            game.step(chance.choice(down or legal))
        assert game.result is not None
        assert match.over == (max(match.totals) >= 200)
        if match.over:
            break
        moved = 0 if game.result.void else 1
        assert match.next_round().dealer == (dealer + moved) % 3
    assert match.winners == tuple(seat for seat in range(3) if match.totals[seat] >= 200)
    assert match.totals == tuple(
        sum(scores) for scores in zip(*(result.scores for result in match.results), strict=True)
    )
