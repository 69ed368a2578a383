"""The rule-based players at rami: what each does in positions with a story, and that it only does what is legal."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents.rule_bots import EASY, HARD, NORMAL, RANDOM, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.actions import describe_action
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table
from rummy_env.core.random import streams
from rummy_env.core.state import OVER, new_states

KINDS = (RANDOM, EASY, NORMAL, HARD)
CAREFUL = pytest.mark.parametrize("kind", [NORMAL, HARD], ids=lambda kind: kind.name)
OTHER = "2c 3c 8c 9c Jc Qc 2d 3d 8d 9d"
"""A hand that matters to nobody."""


def position(hand: str, other: str = OTHER, opened: tuple[bool, bool] = (False, False), **rest: Any) -> Game:
    """A position of two, seat 0 to play. ``table``: melds of seat 1, as texts."""
    options = rest.pop("options", {})
    table = [{"cards": meld, "by": 1} for meld in rest.pop("table", ())]
    rest = {"stock": "", "pile": "", "phase": "play", **rest}
    rules = Rules.preset("rami", **options)
    return Game.from_position(rules, {"hands": [hand, other], "opened": list(opened), "table": table, **rest})


def choice(game: Game, kind: RuleBotKind) -> str:
    """What the player does, as the text of its action."""
    return describe_action("rami", kind(game.rules, seed=1).act(game.view(game.to_play)))


def turn(game: Game, kind: RuleBotKind) -> list[str]:
    """All that the player does until its turn, or the round, is over."""
    bot = kind(game.rules, seed=1)
    seat, done = game.to_play, []
    while not game.over and game.to_play == seat:
        action = bot.act(game.view(seat))
        done.append(describe_action("rami", action))
        game.step(action)
    return done


def melds_of(game: Game) -> list[str]:
    return sorted(str(meld) for meld in game.table)


# --- the opening ---------------------------------------------------------------------------------------------

FORTY_EIGHT = "Ks Kh Kd 5h 6h 7h 2s 9s Jd 4c"
OTHER_OPENED = (False, True)


@CAREFUL
def test_opens_at_once(kind: RuleBotKind) -> None:
    game = position(FORTY_EIGHT, opened=OTHER_OPENED)
    *down, discard = turn(game, kind)
    assert sorted(down) == ["confirm", "meld 5h 6h 7h", "meld Ks Kh Kd"]
    assert discard.startswith("discard")


@CAREFUL
def test_cannot_open_below_the_threshold_and_keeps_its_melds(kind: RuleBotKind) -> None:
    (discard,) = turn(position(FORTY_EIGHT, options={"opening": 51}), kind)
    assert discard in {f"discard {card}" for card in ("2s", "9s", "Jd", "4c")}


@CAREFUL
def test_spares_the_joker_where_natural_cards_open(kind: RuleBotKind) -> None:
    game = position("Ks Kh Kd Th Jh Qh 2s 9s 4c Jk", opened=OTHER_OPENED)
    turn(game, kind)
    assert melds_of(game) == ["Ks Kh Kd", "Th Jh Qh"]


@CAREFUL
def test_opens_with_a_joker_where_it_must(kind: RuleBotKind) -> None:
    game = position("Ks Kh Kd Th Qh 2s 9s 4c Jk", opened=OTHER_OPENED)
    turn(game, kind)
    assert melds_of(game) == ["Ks Kh Kd", "Th Jk Qh"]


@CAREFUL
def test_finds_the_one_opening_among_melds_that_overlap(kind: RuleBotKind) -> None:
    """A set of sevens or a longer run: what opens shares cards with what does not."""
    game = position("7h 7s 7d 8h 9h Th Jh Qh 2s 3s 3d 3h 4c", other="2d 3c", opened=(False, True))
    turn(game, kind)
    assert sum(game.rules.opening_points(meld) for meld in melds_of(game)) >= 40


@CAREFUL
def test_goes_out_exempt_from_the_threshold_with_hand_rummy(kind: RuleBotKind) -> None:
    game = position("2s 3s 4s 5h 5d 5c 9h")
    turn(game, kind)
    assert game.over
    assert game.result is not None
    assert game.result.winner == 0
    assert game.result.scores[0] == 2 * game.rules.hand_points(OTHER)


def test_hard_holds_its_opening_back_while_nobody_has_opened() -> None:
    """The others could lay off onto it, and without an opening nobody goes out but by hand rummy."""
    assert choice(position(FORTY_EIGHT), HARD) in {f"discard {card}" for card in ("2s", "9s", "Jd", "4c")}
    assert choice(position(FORTY_EIGHT, opened=OTHER_OPENED), HARD).startswith("meld")


def test_hard_holds_its_opening_back_one_draw_from_hand_rummy() -> None:
    hand = "7s 7h 7d 8h 9h Th Jh Qh 2s 3s 3d 3h 4c"
    assert choice(position(hand), HARD) in ("discard 2s", "discard 4c")
    assert choice(position(hand), NORMAL).startswith("meld")
    assert choice(position(hand, other="2c 3c", opened=(False, True)), HARD).startswith("meld")


# --- the pile's top ------------------------------------------------------------------------------------------


@CAREFUL
@pytest.mark.parametrize(
    ("hand", "top", "action", "why"),
    [
        ("Ks Kh Qs Qh Qd 4c 7s 9s 2h", "Kd", "take", "three kings and three queens open"),
        ("Ks Kh 5s 5h 5d 4c 7s 9s 2h", "Kd", "take", "45"),
        ("Ks Kh 3s 3h 3d 4c 7s 9s 2h", "Kd", "draw", "39: the opening stays out of reach"),
        ("Ks Kh Kd Th Jh Qh 7s 9s 2h", "4c", "draw", "it could open, but not with this card"),
        ("Ks Kh Qs Qh 9d 4c 7s 6h 2h", "Jk", "draw", "a joker, but 30 with it"),
        ("Ks Kh Qs Qh Qd 4c 7s 6h 2h", "Jk", "take", "60 with the joker"),
    ],
)
def test_takes_only_what_opens_before_the_opening(
    hand: str, top: str, action: str, why: str, kind: RuleBotKind
) -> None:
    game = position(hand, phase="draw", pile=f"Tc {top}", stock="6c 6d")
    moves = turn(game, kind)
    assert moves[0] == action, why
    assert "untake" not in moves


@CAREFUL
@pytest.mark.parametrize(
    ("hand", "top", "table", "action"),
    [
        ("Ks 4h 9s", "8h", ["5h 6h 7h"], "take"),
        ("Ks 4s 9s", "7d", ["7s 7h 7c"], "take"),
        ("Ks Kd 9s", "Kh", ["5h 6h 7h"], "take"),
        ("Ks Qd 9s", "6h", ["5h Jk 7h"], "take"),
        ("Ks 4s 9s", "Jk", ["5h 6h 7h"], "take"),
        ("Ks Kd 9s", "4d", ["5h 6h 7h"], "draw"),
    ],
)
def test_takes_what_can_go_down_after_the_opening(
    hand: str, top: str, table: list[str], action: str, kind: RuleBotKind
) -> None:
    game = position(hand, phase="draw", pile=f"Tc {top}", stock="6c 6d", opened=(True, True), table=table)
    moves = turn(game, kind)
    assert moves[0] == action
    assert "untake" not in moves


@pytest.mark.parametrize("kind", KINDS[1:], ids=lambda kind: kind.name)
@pytest.mark.parametrize("take_again", [False, True])
def test_gives_back_a_card_of_no_use_and_draws(kind: RuleBotKind, take_again: bool) -> None:
    game = position("Ks 4h 9s 2d Jk", phase="draw", pile="Tc 7d", stock="6c 6d", options={"take_again": take_again})
    game.play("take")
    moves = turn(game, kind)
    assert moves[:2] == ["untake", "draw"]


# --- after the opening ---------------------------------------------------------------------------------------


@CAREFUL
@pytest.mark.parametrize(
    ("hand", "table", "why"),
    [
        ("8h 9h Th Ks", ["5h 6h 7h"], "three lay-offs, one after another"),
        ("6h 2s", ["5h Jk 7h"], "the six for the joker, the joker onto the run"),
        ("6h Ks Kd 2s", ["5h Jk 7h", "8c 9c Tc"], "the joker makes a meld of the kings"),
        ("7c 2s", ["7s 7h Jk"], "a set's joker, laid off again"),
        ("Jk 2s", ["5h 6h 7h"], "a joker fits nearly everywhere"),
        ("Qh As Kh Ah", ["5h 6h 7h"], "queen, king, ace"),
        ("5s 6s Jk Qd", ["9h 9s 9d"], "a run with a joker"),
        ("2s 3s 4s 4s 4h 4d Kd", [], "both fours of spades"),
    ],
)
def test_goes_out_when_the_whole_hand_can(hand: str, table: list[str], why: str, kind: RuleBotKind) -> None:
    game = position(hand, opened=(True, True), table=table)
    turn(game, kind)
    assert game.over, why
    assert game.result is not None
    assert game.result.winner == 0


@CAREFUL
def test_keeps_a_joker_that_goes_down_alone(kind: RuleBotKind) -> None:
    game = position("Jk Ks 2d 8s", opened=(True, True), table=["5h 6h 7h"])
    (discard,) = turn(game, kind)
    assert discard == "discard Ks"


def test_hard_sheds_a_joker_when_another_is_nearly_out() -> None:
    game = position("Jk Ks 2d 8s", other="2c", opened=(True, True), table=["5h 6h 7h"])
    assert turn(game, HARD)[0].startswith("layoff Jk")


def test_hard_keeps_what_the_next_player_could_lay_off() -> None:
    """It has not opened itself: the eight of hearts would go from the pile to the table."""
    hand = "8h Qs 2s 4d"
    assert choice(position(hand, opened=(False, True), table=["9h Th Jh"]), HARD) != "discard 8h"


# --- at many tables ------------------------------------------------------------------------------------------


def play_rounds(rules: Rules, kinds: tuple[RuleBotKind, ...], seats: list[int], count: int, seed: int) -> Any:
    """The views at the end of ``count`` rounds; ``seats`` are numbers in ``kinds``."""
    states = new_states(rules.ruleset, count)
    reset_tables(rules.record, states, np.stack([streams(seed, count), streams(seed + 1, count)], 1), 0, count)
    bots = bot_table([kind.decider(rules.ruleset) for kind in kinds])
    fault = advance_tables(rules.record, states, bots, np.tile(np.array(seats, np.int8), (count, 1)), 0, count)
    assert fault == NO_FAULT, f"an illegal action at table {fault}"
    assert (states["view"]["phase"] == OVER).all()
    return states["view"]


@pytest.mark.parametrize(
    "rules",
    [
        *(Rules.preset("rami", num_players=num_players) for num_players in (2, 3, 4, 6)),
        Rules.preset("rami", opening=0),
        Rules.preset("rami", opening=200, num_players=3),
        Rules.preset("rami", num_jokers=8, hand_size=20),
        Rules.preset("rami", num_decks=1, num_jokers=0),
        Rules.preset("rami", take_again=True, swap_uses_taken=False, joker_onto_set=False, num_players=3),
        Rules.preset("rami", hand_size=3, num_players=4),
    ],
    ids=lambda rules: " ".join(f"{name}={value}" for name, value in rules.options().items()),
)
def test_every_action_is_legal(rules: Rules) -> None:
    for first in range(4):
        play_rounds(rules, KINDS, [(first + seat) % 4 for seat in range(rules.num_players)], 300, first)


def zero_sum(views: Any, num_players: int) -> Any:
    """Every seat's score minus the mean of the others'."""
    scores = views["scores"][:, :num_players].astype(float)
    return scores - (scores.sum(axis=1, keepdims=True) - scores) / (num_players - 1)


@pytest.mark.parametrize("num_players", [2, 4])
@pytest.mark.parametrize(("worse", "better"), list(pairwise(KINDS)), ids=lambda kind: kind.name)
def test_order_of_strength(worse: RuleBotKind, better: RuleBotKind, num_players: int) -> None:
    """One better player among worse ones, the same deals in every seat: ahead by four standard errors."""
    rules = Rules.preset("rami", num_players=num_players)
    count = 1_000 if better is not HARD else 10_000 if num_players == 2 else 3_000
    gains = np.zeros(count)
    for seat in range(num_players):
        seats = [0 if other == seat else 1 for other in range(num_players)]
        gains += zero_sum(play_rounds(rules, (better, worse), seats, count, seed=10_000_000), num_players)[:, seat]
    gains /= num_players
    assert gains.mean() > 4 * gains.std() / count**0.5
