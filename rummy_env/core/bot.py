"""Compiled bots: functions that choose an action from a view, called by batch kernels without leaving them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic

from rummy_env.core.kernel import JIT, inner, kernel
from rummy_env.core.machine import is_legal, play
from rummy_env.core.random import advance
from rummy_env.core.state import DTYPES, OVER, numba_type
from rummy_env.rules import RULES_DTYPE

DECIDE: Final = {
    ruleset: numba.int64(numba_type(RULES_DTYPE), numba_type(view), numba.uint64)
    for ruleset, (view, _) in DTYPES.items()
}
"""Signature of a compiled bot of every ruleset: ``decide(rules, view, number) -> action``.

``rules`` and ``view`` are records, to be read only; ``number`` is a fresh random number (uint64, never 0), the
only chance that a bot may use; the action must be legal in the view.
"""

MAX_BOTS: Final = 8
"""How many different compiled bots one batch can hold."""

NO_FAULT: Final = -1


def decider(function: Callable[..., int], ruleset: str = "straight") -> Any:
    """Compile ``decide(rules, view, number)`` for use inside batches. Works on any function of numba's subset."""
    return kernel(DECIDE[ruleset], allocates=True)(function) if JIT else function


_IN_TABLES: Final[dict[int, Any]] = {}
"""The compiled functions that were put into a table of bots, by address: none of them may be freed."""


def _address(decider: Any) -> int:
    found = decider.get_compile_result(decider.nopython_signatures[0])
    address: int = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
    _IN_TABLES[address] = decider
    return address


def bot_table(deciders: Sequence[Any]) -> Any:
    """The compiled bots of a batch as kernels take them, to be called by `call_bot`.

    An array of the functions' addresses: numba can pass functions as values, but looks each of them up in every call of
    a kernel, which takes longer than a thousand decisions.

    Raises:
        ValueError: for none or more than ``MAX_BOTS``.
    """
    if not 1 <= len(deciders) <= MAX_BOTS:
        raise ValueError(f"expected 1 to {MAX_BOTS} compiled bots, got {len(deciders)}")
    return np.array([_address(one) for one in deciders], np.int64) if JIT else tuple(deciders)


if JIT:

    @intrinsic
    def _call_at(typingctx: Any, address: Any, rules: Any, view: Any, number: Any) -> Any:
        """Call the compiled function ``decide(rules, view, number)`` that lies at an address."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            convention = context.call_conv
            decides = signature.return_type, signature.args[1:]
            function = convention.get_function_type(*decides).as_pointer()
            status, action = convention.call_function(builder, builder.inttoptr(args[0], function), *decides, args[1:])
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return action

        return numba.int64(numba.int64, rules, view, numba.uint64), codegen

else:

    def _call_at(decide: Any, rules: Any, view: Any, number: Any) -> Any:
        return decide(rules, view, number)


@inner
def call_bot(bots, bot, rules, view, number):
    """The action of number ``bot`` of a `bot_table`."""
    return _call_at(bots[bot], rules, view, number)


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
            action = call_bot(bots, bot, r, view, hidden["bot_rng"])
            if not is_legal(view, action):
                return i
            play(r, state, action)
    return NO_FAULT


@kernel
def decide_tables(rules, views, bots, numbers, actions):
    """The actions of ``bots[0]`` in ``views``: (K,) views, (K,) uint64 random numbers, (K,) int64 actions."""
    for i in range(views.shape[0]):
        actions[i] = call_bot(bots, 0, rules[0], views[i], np.uint64(numbers[i]))
