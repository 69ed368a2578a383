"""Compiled bots: functions that choose an action from a view, called by batch kernels without leaving them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import numba
import numpy as np
from numba.core.errors import NumbaExperimentalFeatureWarning

from rummy_env.core.kernel import JIT, kernel
from rummy_env.core.random import advance
from rummy_env.core.state import OVER, VIEW_DTYPE, numba_type
from rummy_env.core.table_game import is_legal, play
from rummy_env.rules import RULES_DTYPE

# Passing functions as values is what numba calls experimental; it is all that is experimental here.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

DECIDE: Final = numba.int64(numba_type(RULES_DTYPE), numba_type(VIEW_DTYPE), numba.uint64)
"""Signature of a compiled bot: ``decide(rules, view, number) -> action``.

``rules`` and ``view`` are records, to be read only; ``number`` is a fresh random number (uint64, never 0), the
only chance that a bot may use; the action must be legal in the view.
"""

MAX_BOTS: Final = 8
"""How many different compiled bots one batch can hold."""

NO_FAULT: Final = -1


def decider(function: Callable[..., int]) -> Any:
    """Compile ``decide(rules, view, number)`` for use inside batches. Works on any function of numba's subset."""
    return kernel(DECIDE, allocates=True)(function) if JIT else function


def bot_tuple(deciders: Sequence[Any]) -> tuple[Any, ...]:
    """The compiled bots of a batch as kernels take them: exactly ``MAX_BOTS``, so kernels compile once.

    Raises:
        ValueError: for none or more than ``MAX_BOTS``.
    """
    if not 1 <= len(deciders) <= MAX_BOTS:
        raise ValueError(f"expected 1 to {MAX_BOTS} compiled bots, got {len(deciders)}")
    return tuple(deciders) + (deciders[0],) * (MAX_BOTS - len(deciders))


@kernel
def advance_tables(rules, states, bots, seat_bots, lo, hi):
    """Let bots play at every table until its round is over or a seat without a bot is to play.

    ``seat_bots``: (N, P) int8, the bot's number in ``bots`` or -1. Returns the first table at which a bot chose
    an illegal action (nothing was played there), or NO_FAULT.
    """
    r = rules[0]
    for i in range(lo, hi):
        state = states[i]
        view = state["view"]
        hidden = state["hidden"]
        while view["phase"] != OVER:
            bot = seat_bots[i, view["to_play"]]
            if bot < 0:
                break
            hidden["bot_rng"] = advance(hidden["bot_rng"])
            action = bots[bot](r, view, hidden["bot_rng"])
            if not is_legal(view, action):
                return i
            play(r, state, action)
    return NO_FAULT


@kernel
def decide_table(rules, views, bots, number):
    """The action of ``bots[0]`` in ``views[0]``."""
    return bots[0](rules[0], views[0], number)


@kernel
def decide_tables(rules, views, bots, numbers, actions):
    """The actions of ``bots[0]`` in ``views``: (K,) views, (K,) uint64 random numbers, (K,) int64 actions."""
    for i in range(views.shape[0]):
        actions[i] = bots[0](rules[0], views[i], np.uint64(numbers[i]))
