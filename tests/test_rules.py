"""`Rules`: what a preset is, which options there are, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import CARDS

from rummy_env import Game, Match, Move, Rules, View, vector
from rummy_env.actions import describe_action
from rummy_env.cards import card_text, cards_text
from rummy_env.episode import EpisodeOptions
from rummy_env.opponents import line_up
from rummy_env.rules import option_names
from rummy_env.testing import check_rules

pytestmark = pytest.mark.core

WHOLE = {"num_players": (2, 4), "num_ranks": (3, 13), "num_suits": (1, 4), "hand_size": (0, 24), "ace_points": (0, 31),
         "court_points": (0, 31), "target": (1, 100_000), "rummy_factor": (1, 10), "max_turns": (0, 100_000),
         "first_dealer": (-1, 3), "max_rounds": (1, 10_000)}  # fmt: skip
"""Options that are whole numbers, with what is allowed."""
FLAGS = ("layoff_spoils_rummy", "rummy_with_discard", "rummy_by_layoffs", "discard_taken", "void_moves_deal")


@pytest.mark.parametrize(("players", "hand_size", "max_turns"), [(2, 10, 200), (3, 7, 300), (4, 7, 400)])
def test_the_preset_is_the_rule_book(players: int, hand_size: int, max_turns: int) -> None:
    rules = Rules.preset("straight", num_players=players)
    assert (rules.hand_size, rules.max_turns) == (hand_size, max_turns)
    assert cards_text(rules.deck).split() == CARDS
    assert (rules.num_cards, rules.target, rules.rummy_factor, rules.ace_points, rules.court_points) == (
        52,
        100,
        2,
        1,
        10,
    )
    assert (rules.layoff_spoils_rummy, rules.rummy_with_discard, rules.rummy_by_layoffs) == (True, True, True)
    assert (rules.discard_taken, rules.refill, rules.first_dealer, rules.void_moves_deal) == (False, "turn", -1, True)


def test_two_players_are_the_default() -> None:
    assert Rules.preset("straight") == Rules.preset("straight", num_players=2) == Rules()


def test_every_option_is_known_to_these_tests() -> None:
    assert set(option_names("straight")) == {*WHOLE, *FLAGS, "refill"}


@pytest.mark.parametrize("option", WHOLE)
def test_whole_numbers_in_their_range(option: str) -> None:
    low, high = WHOLE[option]
    room: dict[str, Any] = {"num_players": 4} if option == "first_dealer" else {}
    if option in ("num_ranks", "num_suits"):
        room["hand_size"] = 1
    for value in (low, high):
        rules = Rules.preset("straight", **(room | {option: value}))
        assert getattr(rules, option) == value or (value == 0 and option in ("hand_size", "max_turns"))
    for value in (low - 1, high + 1, low + 0.5, str(low), None, True, [low]):
        with pytest.raises(ValueError, match=f"{option}: expected a whole number from {low} to {high}, got"):
            Rules.preset("straight", **(room | {option: value}))


@pytest.mark.parametrize("option", FLAGS)
def test_flags_are_true_or_false(option: str) -> None:
    for value in (True, False):
        assert getattr(Rules.preset("straight", **{option: value}), option) is value
    for value in (0, 1, "true", None):
        with pytest.raises(ValueError, match=f"{option}: expected true or false, got"):
            Rules.preset("straight", **{option: value})


@pytest.mark.parametrize("value", ["never", "Turn", "", None, 1, ["turn"]])
def test_refill_is_one_of_two_words(value: Any) -> None:
    assert [Rules.preset("straight", refill=word).refill for word in ("turn", "draw")] == ["turn", "draw"]
    with pytest.raises(ValueError, match="refill: expected one of turn, draw, got"):
        Rules.preset("straight", refill=value)


@pytest.mark.parametrize("name", ["poker", "Straight", "", None, 3, ["straight"]])
def test_an_unknown_ruleset_names_those_there_are(name: Any) -> None:
    with pytest.raises(ValueError, match="expected a ruleset of straight"):
        Rules.preset(name)
    with pytest.raises(ValueError, match="expected a ruleset of straight"):
        Rules(ruleset=name)


@pytest.mark.parametrize(
    ("option", "near"),
    [("num_player", "num_players"), ("handsize", "hand_size"), ("rumy_factor", "rummy_factor"), ("refil", "refill")],
)
def test_a_misspelt_option_names_the_nearest(option: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"straight has no option '{option}' .did you mean '{near}'.*expected one of"):
        Rules.preset("straight", **{option: 2})


@pytest.mark.parametrize("option", ["name", "cls", "self", "ruleset", "opening"])
def test_an_unknown_option_is_refused_whatever_its_name(option: str) -> None:
    with pytest.raises(ValueError, match=f"straight has no option '{option}'"):
        Rules.preset("straight", **{option: 40})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"hand_size": 18, "num_players": 3},
            "hand_size: expected hands that leave an upcard from 52 cards, got 3 hands of 18",
        ),
        ({"num_ranks": 5, "num_suits": 4}, "hand_size: .* from 20 cards, got 2 hands of 10"),
        ({"num_players": 4, "num_ranks": 7}, "got 4 hands of 7"),
        ({"first_dealer": 2}, "first_dealer: expected -1 to 1, got 2"),
        ({"first_dealer": 3, "num_players": 3}, "first_dealer: expected -1 to 2, got 3"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Rules.preset("straight", **options)


def test_the_largest_hands_leave_one_card() -> None:
    assert Rules.preset("straight", num_players=3, hand_size=17).hand_size == 17  # 51 cards and the upcard.
    with pytest.raises(ValueError, match="got 4 hands of 13"):
        Rules.preset("straight", num_players=4, hand_size=13)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_players": 4},
        {"num_players": 3, "hand_size": 9, "refill": "draw", "discard_taken": True},
        {"target": 7},
    ],
)
def test_options_make_the_same_rules_again(options: dict[str, Any]) -> None:
    rules = Rules.preset("straight", **options)
    assert rules.options() == {"num_players": 2} | options
    assert Rules.preset("straight", **rules.options()) == rules
    for twin in (copy.copy(rules), copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert twin == rules
        assert hash(twin) == hash(rules)
        assert twin.record.tobytes() == rules.record.tobytes()


def test_rules_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Rules.preset("straight").target = 50  # type: ignore[misc]


def test_cards_that_cannot_be_read_or_counted_are_refused() -> None:
    rules = Rules.preset("straight", num_ranks=9, hand_size=5)
    for question in (rules.is_meld, rules.hand_points):
        with pytest.raises(ValueError, match="expected cards like"):
            question("4d 5d 6x")
        with pytest.raises(ValueError, match="straight has no wild cards, got 'Kd'"):
            question("4d 5d 6d", wild="Kd")
        assert question("4d 5d 6d", wild=None)
    for cards in ("Jk", "9d Td", "Ks"):
        with pytest.raises(ValueError, match=r"expected cards of a deck of 36 without jokers, got (Jk|Td|Ks)"):
            rules.hand_points(cards)


@pytest.mark.parametrize(("players", "decks"), [(2, 2), (6, 2), (7, 3), (10, 3)])
def test_the_preset_of_indian_is_the_rule_book(players: int, decks: int) -> None:
    rules = Rules.preset("indian", num_players=players)
    assert (rules.hand_size, rules.num_decks, rules.num_jokers) == (13, decks, decks)
    assert (rules.num_cards, rules.num_open) == (53 * decks, 2)
    assert (rules.ace_points, rules.court_points, rules.joker_points) == (11, 10, 0)
    assert (rules.pack_first, rules.pack_later, rules.points_cap) == (10, 40, 0)
    assert (rules.min_naturals, rules.start_points, rules.rounds) == (1, 0, players)
    assert (rules.high_ace, rules.has_triplets, rules.has_table) == (True, decks == 3, False)
    assert rules.max_turns == 100 * players


@pytest.mark.parametrize(
    ("ruleset", "option", "low", "high"),
    [
        ("indian", "num_players", 2, 10),
        ("indian", "num_decks", 0, 3),
        ("indian", "num_jokers", -1, 8),
        ("indian", "min_naturals", 1, 3),
        ("indian", "pack_first", 0, 1000),
        ("indian", "pack_later", 0, 1000),
        ("indian", "points_cap", 0, 1000),
        ("indian", "start_points", 0, 1_000_000),
        ("gin", "court_points", 1, 31),
        ("gin", "knock_limit", 0, 100),
    ],
)
def test_ranges_of_hand_games(ruleset: str, option: str, low: int, high: int) -> None:
    for value in (low, high):
        Rules.preset(ruleset, **{option: value})
    for value in (low - 1, high + 1, str(low), None, True):
        with pytest.raises(ValueError, match=f"{option}: expected a whole number from {low} to {high}, got"):
            Rules.preset(ruleset, **{option: value})


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint32])
def test_numbers_of_numpy_are_numbers(kind: type) -> None:
    rules = Rules.preset("straight", num_players=kind(3), target=kind(50))
    assert rules == Rules.preset("straight", num_players=3, target=50)
    assert json.dumps(rules.options()) == json.dumps({"num_players": 3, "target": 50})
    game = Game.deal(rules, seed=kind(7), dealer=kind(1))
    assert game.position() == Game.deal(rules, seed=7, dealer=1).position()
    assert game.observation(kind(2)).tolist() == game.observation(2).tolist()
    position = {"hands": ["4d", "5d", "6d"], "pile": "Ks", "stock": "Qs", "to_play": kind(1)}
    assert Game.from_position(rules, position).to_play == 1
    assert Match(rules, seed=kind(7)).record() == Match(rules, seed=7).record()
    batch = vector.make("straight", num_envs=kind(4), num_players=kind(2), num_threads=kind(1), seed=kind(1))
    assert batch.observation.shape[0] == 4


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.uint64, float, int])
def test_any_kind_of_number_is_a_scale_and_a_weight(kind: type) -> None:
    options = EpisodeOptions(reward_scale=kind(50))
    assert (options.reward_scale, type(options.reward_scale)) == (50.0, float)
    (pool,) = line_up([(_first, kind(1)), (_first, kind(3))], Rules.preset("gin"))
    assert pool.weights == (0.25, 0.75)


@pytest.mark.parametrize("value", [True, False])
def test_flags_of_numpy_are_flags(value: bool) -> None:
    rules = Rules.preset("rami", swap_uses_taken=np.bool_(value))
    assert rules == Rules.preset("rami", swap_uses_taken=value)
    assert json.dumps(rules.options()) == json.dumps(Rules.preset("rami", swap_uses_taken=value).options())
    assert EpisodeOptions(match=np.bool_(value)).match is value
    position = {"hands": ["4d", "5d"], "pile": "Ks", "stock": "Qs", "put_down": [np.bool_(value), False]}
    assert Game.from_position(Rules.preset("straight"), position).view(0).put_down == [value, False]


def test_parts_of_a_move_of_numpy_are_pythons() -> None:
    move = Move("layoff", (np.uint8(3),), np.int64(0))
    assert move == Move("layoff", (3,), 0)
    assert {type(part) for part in (*move.cards, move.meld)} == {int}
    assert describe_action("gin", np.int32(0)) == "draw"


@pytest.mark.parametrize(
    ("rules", "cards", "wild", "card", "most"),
    [
        (Rules.preset("straight"), "7s 7s 8s", None, "7s", "once, got it 2 times"),
        (Rules.preset("gin"), "Ah 2c Ah", None, "Ah", "once, got it 2 times"),
        (Rules.preset("rami"), "7s 7s 7s", None, "7s", "at most twice, got it 3 times"),
        (Rules.preset("rami"), "Jk Jk Jk Jk Jk", None, "Jk", "at most 4 times, got it 5 times"),
        (Rules.preset("rami", num_decks=1), "7s 7s", None, "7s", "once, got it 2 times"),
        (Rules.preset("indian"), "5h 5h 5h", None, "5h", "at most twice, got it 3 times"),
        (Rules.preset("indian"), "Jk Jk Jk", "Jk", "Jk", "at most twice, got it 3 times"),
        (Rules.preset("indian", num_players=7), "5h 5h 5h 5h", "5h", "5h", "at most 3 times, got it 4 times"),
    ],
)
def test_no_hand_holds_more_copies_than_there_are(
    rules: Rules, cards: str, wild: str | None, card: str, most: str
) -> None:
    questions = [rules.hand_points]
    if rules.ruleset in ("gin", "indian"):
        questions.append(rules.arrange)
    for question in questions:
        with pytest.raises(ValueError, match=f"expected {card} {most}"):
            question(cards, wild=wild)
    assert not rules.is_meld(cards, wild=wild)


def test_all_copies_make_a_hand_and_the_cut_card_only_says_what_is_wild() -> None:
    rules = Rules.preset("indian", num_players=7)
    assert rules.hand_points("5h 5h 5h 6h 6h 6h Jk Jk Jk", wild="5h") == 18
    assert rules.arrange("6h 6h 6h 5h 5h", wild="5h").points == 0
    assert rules.is_meld("6h 6h 6h", wild="5h")
    assert Rules.preset("indian").hand_points("9h 9h 6h 6h Jk", wild="Jk") == 30
    assert Rules.preset("rami").hand_points("Jk Jk Jk Jk 7s 7s") == 94
    assert Rules.preset("rami", num_jokers=2).is_meld("3s Jk 5s Jk 7s")
    assert not Rules.preset("rami", num_jokers=1).is_meld("3s Jk 5s Jk 7s")


@pytest.mark.parametrize("value", [True, np.True_, 2.0, np.float64(2), "2", None, [2]])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="num_players: expected a whole number from 2 to 4, got "):
        Rules.preset("straight", num_players=value)


def _game() -> Game:
    return Game.deal(Rules.preset("gin"), seed=1)


def _batch() -> vector.Batch:
    return vector.make("gin", num_envs=2, seed=1)


def _first(view: View) -> int:
    """A player that plays the first legal action."""
    return int(np.flatnonzero(view.action_mask)[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Game.from_record(None), "expected the text of a record, got None"),
        (lambda: Game.from_record(b"x"), "expected the text of a record, got b'x'"),
        (lambda: Game.deal("straight"), "expected Rules, as Rules.preset makes them, got 'straight'"),
        (lambda: Game.from_position("straight", {}), "expected Rules, as Rules.preset makes them, got 'straight'"),
        (lambda: Match(None), "expected Rules, as Rules.preset makes them, got None"),
        (lambda: Rules.preset("straight").hand_points(None), "expected cards as text or a list of texts, got None"),
        (lambda: Rules.preset("straight").is_meld(7), "expected cards as text or a list of texts, got 7"),
        (lambda: Rules.preset("rami").opening_points(None), "expected cards as text or a list of texts, got None"),
        (lambda: Rules.preset("rami").best_opening(3.5), "expected cards as text or a list of texts, got 3.5"),
        (lambda: Move("discard", (True,)), "expected cards from 0 to 52 in a move, got True"),
        (lambda: Move("discard", (3.0,)), "expected cards from 0 to 52 in a move, got 3.0"),
        (lambda: Move("meld", (53, 1, 2)), "expected cards from 0 to 52 in a move, got 53"),
        (lambda: Move("open", melds=((1, 2, np.True_),)), "expected cards from 0 to 52 in a move, got np.True_"),
        (lambda: Move("layoff", (3,), True), "expected the number of a table meld in 'layoff', got True"),
        (lambda: Move("layoff", (3,), 0.0), "expected the number of a table meld in 'layoff', got 0.0"),
        (lambda: describe_action("gin", True), "expected the id of an action, a whole number, got True"),
        (lambda: describe_action("gin", 2.0), "expected the id of an action, a whole number, got 2.0"),
        (lambda: card_text(-1), "card: expected a whole number from 0 to 52, got -1"),
        (lambda: cards_text([0, True]), "card: expected a whole number from 0 to 52, got True"),
        (lambda: EpisodeOptions(match=1), "match: expected true or false, got 1"),
        (lambda: EpisodeOptions(reward_scale=True), "reward_scale: expected a number above 0 or None for the target"),
        (lambda: EpisodeOptions(reward_scale=np.float32("nan")), "reward_scale: expected a number above 0 or None"),
        (lambda: _game().resample(0, True), "seed: expected a whole number from 0 on or None, got True"),
        (lambda: _game().resample(0, 1.5), "seed: expected a whole number from 0 on or None, got 1.5"),
        (lambda: _game().resample(True), "expected a seat from 0 to 1, got True"),
        (lambda: _game().repeat(True), "expected the id of an action, a whole number, got True"),
        (lambda: _batch().step([True, 0]), "actions: expected 2 whole numbers, one for each table, got true or false"),
        (lambda: _batch().step([True, False]), "actions: expected 2 whole numbers, one for each table, got"),
        (lambda: _batch().step([1.0, 0.0]), "actions: expected 2 whole numbers, one for each table, got"),
        (lambda: _batch().game(True), "expected a table from 0 to 1, got True"),
        (lambda: _batch().game(1.0), "expected a table from 0 to 1, got 1.0"),
        (lambda: _batch().observe(False), "expected a seat from 0 to 1, got False"),
        (lambda: check_rules(Rules.preset("gin"), games=True), "games: expected a whole number from 1 on, got True"),
        (
            lambda: check_rules(Rules.preset("gin"), seed=True),
            "seed: expected a whole number from 0 on or None, got True",
        ),
        (lambda: line_up([(_first, True)], Rules.preset("gin")), "opponents: expected weights from 0 on, got True"),
        (lambda: line_up([(_first, -0.5)], Rules.preset("gin")), "opponents: expected weights from 0 on, got -0.5"),
    ],
)
def test_what_is_no_argument_at_all_is_refused_in_one_sentence(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        call()
