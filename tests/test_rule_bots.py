"""The rule-based players: what each does in positions with a story, and that they only ever do what is legal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.rule_bots import EASY, EASY_DISCARDS_HIGH, EASY_PUTS_DOWN, EASY_SEES_TOP, HARD, NORMAL, RANDOM, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.cards import cards_text
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table
from rummy_env.core.random import streams
from rummy_env.core.state import new_states

ROOT = Path(__file__).parent.parent
KINDS = {kind.name: kind for kind in (RANDOM, EASY, NORMAL, HARD)}
TWO = Rules.preset("straight")
THREE = Rules.preset("straight", num_players=3)


def position(*hands: str, rules: Rules | None = None, **rest: Any) -> Game:
    """A position with these hands, seat 0 to play; other hands hold two cards that matter to nobody."""
    rules = rules or TWO
    rest.setdefault("stock", "")
    return Game.from_position(rules, {"hands": list(hands), **rest})


def melds(*cards: str, by: int = 1) -> list[dict[str, Any]]:
    return [{"cards": text, "by": by} for text in cards]


def choice(game: Game, kind: RuleBotKind, seed: int = 1) -> str:
    """What the player does, as text."""
    return str(game.move_of(kind(game.rules, seed).act(game.view(game.to_play))))


def choices(game: Game, kind: RuleBotKind, times: int = 2000) -> Counter[str]:
    """How often the player does what, over many of its random numbers."""
    bot = kind(game.rules, seed=1)
    view = game.view(game.to_play)
    return Counter(str(game.move_of(bot.act(view))) for _ in range(times))


def turn(game: Game, kind: RuleBotKind) -> list[str]:
    """All that the player does until its turn, or the round, is over."""
    bot = kind(game.rules, seed=1)
    seat, done = game.to_play, []
    while not game.over and game.to_play == seat:
        action = bot.act(game.view(seat))
        done.append(str(game.move_of(action)))
        game.step(action)
    return done


def near(count: int, percent: int, times: int = 2000) -> bool:
    """Whether a count agrees with a chance (four standard deviations)."""
    p = percent / 100
    return abs(count - times * p) < 4 * (times * p * (1 - p)) ** 0.5


# --- random --------------------------------------------------------------------------------------------------


def test_random_does_everything_that_is_legal_equally_often() -> None:
    game = position("4d 5d 6d 7d Ks", "2c 3h", pile="9s", phase="play", table=melds("Kh Kd Kc"))
    count = choices(game, RANDOM, 4000)
    assert set(count) == set(map(str, game.legal_moves()))
    assert all(near(times, 100 // len(count), 4000) for times in count.values())


# --- easy ----------------------------------------------------------------------------------------------------


def test_easy_sometimes_misses_a_useful_discard() -> None:
    count = choices(position("4d 5d Ks 9h", "2c 3h", pile="6d", stock="8c 8s"), EASY)
    assert set(count) == {"take", "draw"}
    assert near(count["take"], EASY_SEES_TOP)


def test_easy_never_takes_what_it_cannot_use() -> None:
    assert set(choices(position("4d 5d Ks 9h", "2c 3h", pile="Js", stock="8c 8s"), EASY)) == {"draw"}


def test_easy_often_leaves_a_meld_in_hand() -> None:
    count = choices(position("4d 5d 6d Ks 9h", "2c 3h", phase="play"), EASY)
    assert near(count["meld 4d 5d 6d"], EASY_PUTS_DOWN)


def test_easy_throws_high_cards_carelessly() -> None:
    # A pair of kings of which both partners may come, and an ace that nobody needs.
    count = choices(position("Ks Kh As", "2c 3h", phase="play"), EASY)
    careless = EASY_DISCARDS_HIGH + (100 - EASY_DISCARDS_HIGH) * 2 // 3
    assert near(count["discard Ks"] + count["discard Kh"], careless)


def test_easy_keeps_its_melds_together() -> None:
    assert not any("discard 4d" in move for move in choices(position("4d 5d 6d Ks 9h", "2c 3h", phase="play"), EASY))


# --- normal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "top", "table", "why"),
    [
        ("4d 5d Ks", "6d", [], "the third card of a run"),
        ("7s 7h Ks", "7d", [], "the third card of a set"),
        ("2s 9h Ks", "7d", ["4d 5d 6d"], "it can be laid off"),
    ],
)
def test_normal_takes_what_it_can_put_down(hand: str, top: str, table: list[str], why: str) -> None:
    game = position(hand, "2c 3h", pile=top, stock="8c 8s", table=melds(*table))
    assert choice(game, NORMAL) == "take", why


def test_normal_draws_when_the_top_is_only_a_hope() -> None:
    assert choice(position("4d 5h Ks", "2c 3h", pile="5d", stock="8c 8s"), NORMAL) == "draw"


def test_normal_takes_the_last_card_there_is() -> None:
    assert choice(position("4d 5h Ks", "2c 3h", pile="Jd"), NORMAL) == "take"


def test_normal_puts_down_everything_then_discards() -> None:
    game = position("4d 5d 6d 7d Ks 9h As", "2c 3h", phase="play", table=melds("Kh Kd Kc", "2s 3s 4s"))
    *down, discard = turn(game, NORMAL)
    assert sorted(down) == ["layoff 7d 2", "layoff As 1", "layoff Ks 0", "meld 4d 5d 6d"]
    assert discard == "discard 9h"


def test_normal_chooses_between_a_set_and_two_runs() -> None:
    """The sevens make a set, but two of them are worth more in runs."""
    game = position("7s 8s 9s 7h 8h 9h 7d Kc Qd", "2c 3h", phase="play")
    turn(game, NORMAL)
    assert [str(meld) for meld in game.table] == ["7s 8s 9s", "7h 8h 9h"]


def test_normal_spares_the_fourth_card_of_a_set_for_a_run() -> None:
    game = position("7s 7h 7d 7c 8c 9c Kd Qs", "2c 3h", phase="play")
    turn(game, NORMAL)
    assert sorted(map(str, game.table)) == ["7c 8c 9c", "7s 7h 7d"]


def test_normal_throws_the_pair_that_cannot_become_a_set() -> None:
    """Two jacks lie in the pile: the pair of jacks is dead, the pair of nines is alive."""
    game = position("9s 9h Jd Js", "2c 3h", phase="play", pile="Jh Jc Qs Qd Td Ts")
    assert choice(game, NORMAL) in ("discard Jd", "discard Js")


def test_normal_throws_the_higher_of_two_lone_cards() -> None:
    assert choice(position("7h 6h Kd 2s", "2c 3h", phase="play"), NORMAL) == "discard Kd"
