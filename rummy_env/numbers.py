"""Numbers and flags, of whatever kind they come: Python's, numpy's, or anything else with ``__index__``."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np


def whole_number(value: Any) -> int | None:
    """A whole number as Python's; None for anything else, true and false among it.

    >>> whole_number(np.int8(3)), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def real_number(value: Any) -> float | None:
    """A number as Python's float; None for anything else, true and false among it.

    >>> real_number(np.float32(0.5)), real_number(2), real_number(True), real_number("2")
    (0.5, 2.0, None, None)
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def flag(name: str, value: Any) -> bool:
    """True or false as Python's.

    Raises:
        ValueError: for anything else, 0 and 1 among it, naming ``name``.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}: expected true or false, got {value!r}")
    return bool(value)


def in_range(name: str, value: Any, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high`` as Python's.

    Raises:
        ValueError: for anything else, naming ``name``.
    """
    number = whole_number(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name}: expected a whole number from {low} to {high}, got {value!r}")
    return number
