"""One name for what every ruleset does in its own way, chosen by the type of a table's record.

numba chooses when it compiles a caller, so a kernel for one ruleset holds nothing of the others; without the
compiler Python chooses by the record's dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from rummy_env.core.kernel import INNER_OPTIONS, JIT
from rummy_env.core.state import DTYPES, numba_type

_RULESETS: dict[np.dtype[Any], str] = {dtype: ruleset for ruleset, dtypes in DTYPES.items() for dtype in dtypes}
_TYPES: dict[types.Type, str] = {numba_type(dtype): ruleset for dtype, ruleset in _RULESETS.items()} if JIT else {}


def by_ruleset(parameters: str, record: str, **versions: Callable[..., Any]) -> Any:
    """A function of ``parameters`` that calls the version of the ruleset to which its argument ``record`` belongs.

    >>> play = by_ruleset("rules, state, action", "state", straight=straight.play, rami=rami.play)  # doctest: +SKIP
    """

    def of_dtype(dtype: np.dtype[Any]) -> Callable[..., Any]:
        return versions[_RULESETS[dtype]]

    def of_type(record_type: types.Type) -> Callable[..., Any]:
        return versions[_TYPES[record_type]]

    # Written out as source: numba takes the parameters of an overload from its signature.
    source = f"""
def call({parameters}):
    return of_dtype({record}.dtype)({parameters})

def choose({parameters}):
    version = of_type({record})
    def chosen({parameters}):
        return version({parameters})
    return chosen
"""
    made: dict[str, Any] = {"of_dtype": of_dtype, "of_type": of_type}
    exec(source, made)
    if JIT:
        overload(made["call"], jit_options=INNER_OPTIONS)(made["choose"])
    return made["call"]
