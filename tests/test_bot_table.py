"""Compiled bots inside kernels: called by address, kept alive, and their errors heard."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from rummy_env import Rules
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import MAX_BOTS, NO_FAULT, advance_tables, bot_table, decider
from rummy_env.core.random import streams
from rummy_env.core.rounds import random_legal
from rummy_env.core.state import OVER, new_states

SEED = 20_000_000


def at_random(rules: Any, view: Any, number: Any) -> Any:
    return random_legal(view, number)


def fails(rules: Any, view: Any, number: Any) -> Any:
    if number != 0:
        raise ArithmeticError("this bot fails")
    return 0


def never(rules: Any, view: Any, number: Any) -> Any:
    return -1


def dealt(count: int) -> tuple[Any, Any]:
    """Rules and fresh tables for two."""
    rules, states = Rules.preset("straight").record, new_states("straight", count)
    reset_tables(rules, states, streams(SEED, 2 * count).reshape(count, 2), 0, count)
    return rules, states


def test_every_seat_is_played_by_its_own_bot() -> None:
    rules, states = dealt(20)
    bots = bot_table([decider(never), decider(at_random)])
    assert advance_tables(rules, states, bots, np.ones((20, 2), np.int8), 0, 20) == NO_FAULT
    assert (states["view"]["phase"] == OVER).all()

    rules, states = dealt(20)
    starter = states["view"]["to_play"][0]
    seat_bots = np.ones((20, 2), np.int8)
    seat_bots[0, starter] = 0
    assert advance_tables(rules, states, bots, seat_bots, 0, 20) == 0  # the first table is where `never` starts


def test_a_bot_in_a_table_outlives_its_last_name() -> None:
    rules, states = dealt(1)
    bots = bot_table([decider(at_random)])
    gc.collect()
    assert advance_tables(rules, states, bots, np.zeros((1, 2), np.int8), 0, 1) == NO_FAULT
    assert states["view"]["phase"][0] == OVER


def test_an_error_in_a_bot_comes_out_of_the_kernel() -> None:
    rules, states = dealt(1)
    with pytest.raises(ArithmeticError, match="this bot fails"):
        advance_tables(rules, states, bot_table([decider(fails)]), np.zeros((1, 2), np.int8), 0, 1)


@pytest.mark.parametrize("count", [0, MAX_BOTS + 1])
def test_a_batch_holds_one_to_eight_bots(count: int) -> None:
    with pytest.raises(ValueError, match=f"expected 1 to {MAX_BOTS} compiled bots, got {count}"):
        bot_table([decider(at_random)] * count)
