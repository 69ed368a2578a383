"""The random numbers inside tables: the generator, its streams, and that deals are fair."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from rummy_env import Game, Rules
from rummy_env.core import random as core_random
from rummy_env.core.kernel import JIT
from rummy_env.core.random import streams
from rummy_env.core.rounds import random_legal

pytestmark = pytest.mark.core

MANY = 1 if JIT else 10


@numba.njit
def walk(state: Any, count: int) -> Any:
    numbers = np.zeros(count, np.uint64)
    for k in range(count):
        state = core_random.advance(state)
        numbers[k] = state
    return numbers


@numba.njit
def all_below(numbers: Any, bound: int) -> Any:
    drawn = np.zeros(len(numbers), np.int64)
    for k in range(len(numbers)):
        drawn[k] = core_random.below(numbers[k], bound)
    return drawn


@numba.njit
def legal_choices(view: Any, numbers: Any) -> Any:
    chosen = np.zeros(len(numbers), np.int64)
    for k in range(len(numbers)):
        chosen[k] = random_legal(view, numbers[k])
    return chosen


def xorshift64(state: int) -> int:
    """Marsaglia's generator in whole numbers of any size."""
    state ^= state << 13 & (1 << 64) - 1
    state ^= state >> 7
    return state ^ (state << 17 & (1 << 64) - 1)


def surprise(counts: np.ndarray, expected: float) -> float:
    """How many standard deviations a chi-square over ``counts`` lies from its mean."""
    freedom = counts.size - 1
    square = float(((counts - expected) ** 2 / expected).sum())
    return abs(square - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("start", [1, 2**64 - 1, 0x9E3779B97F4A7C15])
def test_the_generator_is_xorshift64(start: int) -> None:
    state = start
    for number in walk(np.uint64(start), 100).tolist():
        state = xorshift64(state)
        assert number == state != 0


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 52, 306, 2**31])
def test_below_takes_the_high_half(bound: int) -> None:
    numbers = np.array([1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 123456789 << 32], np.uint64)
    assert all_below(numbers, bound).tolist() == [(number >> 32) * bound >> 32 for number in numbers.tolist()]


@pytest.mark.parametrize("bound", [2, 3, 7, 52])
def test_below_is_uniform(bound: int) -> None:
    draws = 100_000 // MANY
    counts = np.bincount(all_below(walk(streams(5, 1)[0], draws), bound), minlength=bound)
    assert counts.size == bound
    assert surprise(counts, draws / bound) < 5


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31, 2**64, 10**40, np.int64(7)])
def test_a_stream_depends_on_seed_and_number_alone(seed: int) -> None:
    many = streams(seed, 100)
    assert many.dtype == np.uint64
    assert many.shape == (100,)
    assert (streams(seed, 40) == many[:40]).all()
    assert (streams(seed, 30, first=50) == many[50:80]).all()
    assert [streams(seed, 1, first=k)[0] for k in range(100)] == many.tolist()
    assert (streams(int(seed), 100) == many).all()


def test_streams_are_never_0_and_never_twice_the_same() -> None:
    drawn = np.concatenate([streams(seed, 5000) for seed in range(20)])
    assert drawn.all()
    assert len(np.unique(drawn)) == drawn.size
    assert (streams(None, 1) != streams(None, 1)).all()


@pytest.mark.parametrize("seed", [-1, 1.0, "7", True, np.float64(3), [1]])
def test_a_seed_is_a_whole_number_from_0_on(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed: expected a whole number from 0 on or None, got"):
        streams(seed, 1)
    with pytest.raises(ValueError, match="seed: expected a whole number"):
        Game.deal(Rules.preset("straight"), seed=seed)


def test_neighbouring_streams_are_as_unlike_as_any_two_numbers() -> None:
    drawn = streams(3, 4097)
    unlike = [bin(a ^ b).count("1") for a, b in zip(drawn.tolist(), drawn[1:].tolist(), strict=False)]
    assert abs(float(np.mean(unlike)) - 32) < 0.25  # 4096 times 64 coins: a standard deviation of 0.06.


def test_every_card_comes_to_every_place_equally_often() -> None:
    """Over 5200 deals: a hand, the upcard or one of the places in the stock."""
    rules, deals = Rules.preset("straight", num_players=3), 5200 // MANY
    places = 3 + 1 + 30
    counts = np.zeros((52, places))
    for seed in range(deals):
        hidden, view = (Game.deal(rules, seed=seed).state[part][0] for part in ("hidden", "view"))
        for seat in range(3):
            hand = int(hidden["hands"][seat])
            counts[[card for card in range(52) if hand >> card & 1], seat] += 1
        counts[view["pile"][0], 3] += 1
        counts[hidden["stock"][:30], np.arange(4, places)] += 1
    expected = np.array([7, 7, 7] + [1] * 31) * deals / 52
    assert (counts.sum(axis=0) == expected * 52).all()
    for place in range(places):
        assert surprise(counts[:, place], expected[place]) < 5, place


def test_a_random_legal_action_is_each_of_them_equally_often() -> None:
    hands = ["4d 5d 6d 7s 7h 7c 9s", "Kc"]
    table = [{"cards": "Ts Js Qs", "by": 1}]
    position = {"hands": hands, "table": table, "phase": "play", "pile": "2c", "stock": "3c"}
    game = Game.from_position(Rules.preset("straight"), position)
    legal = game.legal_actions()
    assert len(legal) == 7 + 1 + 1 + 1  # Discards, a run, a set, 9s below the run.
    draws = 20_000 // MANY
    chosen = legal_choices(game.state["view"][0], walk(streams(6, 1)[0], draws))
    actions, counts = np.unique(chosen, return_counts=True)
    assert actions.tolist() == legal
    assert surprise(counts, draws / len(legal)) < 5


def test_where_nothing_is_legal_there_is_no_random_action() -> None:
    game = Game.from_position(Rules.preset("straight"), {"hands": ["2s", "3s"]})
    assert game.over
    assert legal_choices(game.state["view"][0], streams(1, 3)).tolist() == [-1, -1, -1]
