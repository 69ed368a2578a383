"""Random numbers that live inside a table's record: xorshift64 (Marsaglia, 2003).

Same seed, same game, whatever the batch size, the number of threads or the machine.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.core.kernel import inner
from rummy_env.numbers import whole_number

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def check_seed(seed: Any) -> int | None:
    """A seed as Python's number; None draws one from the system.

    Raises:
        ValueError: for a seed that is not a whole number from 0 on.
    """
    number = whole_number(seed)
    if seed is not None and (number is None or number < 0):
        raise ValueError(f"seed: expected a whole number from 0 on or None, got {seed!r}")
    return number


def streams(seed: int | None, count: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Starting states of the streams ``first`` to ``first + count - 1`` of a seed, none of them 0.

    A stream's state depends on the seed and its number alone. ``None`` draws a seed from the system.
    Mixed by SplitMix64 (Steele, Lea, Flood, 2014) from a root that `numpy.random.SeedSequence` makes.

    Raises:
        ValueError: for a seed that is not a whole number from 0 on.
    """
    root = np.random.SeedSequence(check_seed(seed)).generate_state(1, np.uint64)[0]
    z = root + _GOLDEN * np.arange(first + 1, first + count + 1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.where(z == 0, _GOLDEN, z)


@inner
def advance(state):
    """The state after ``state``, which is also the random number drawn: uint64, never 0."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@inner
def below(number, bound):
    """A random number as a whole number from 0 to ``bound`` - 1 (``bound`` up to 2**31)."""
    return np.int64(((number >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
