"""Sets of cards as 52-bit integers (int64, never negative), and rows of bits packed into 64-bit words."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from rummy_env.core.kernel import JIT, inner

WORD: Final = 64

BYTES_OF_BITS: Final = np.array(
    [sum((bits >> k & 1) << 8 * k for k in range(8)) for bits in range(256)], dtype=np.uint64
)
"""Eight bits as eight bytes of 0 or 1, the lowest bit first: how packed rows become rows of bytes eight at a time."""

CACHE_LINE: Final = 64


def new_rows(count: int, size: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """``count`` rows of ``size`` bytes, written by kernels in words and read by people in bytes, all zero.

    Returns (words, rows), two arrays on the same memory: (count, W) uint64 and (count, size) uint8. Every row
    begins on a cache line of its own, so that threads do not share one and wide stores do not straddle two.
    """
    line = -(-size // CACHE_LINE) * CACHE_LINE
    memory = np.zeros(count * line + CACHE_LINE, np.uint8)
    begin = -memory.ctypes.data % CACHE_LINE
    whole = memory[begin : begin + count * line].reshape(count, line)
    return whole.view(np.uint64), whole[:, :size]


if JIT:

    @intrinsic
    def popcount(typingctx: Any, x: Any) -> Any:
        """How many bits of ``x`` are set."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return x(x), codegen

    @intrinsic
    def lowest(typingctx: Any, x: Any) -> Any:
        """Number of the lowest set bit of ``x``, which must not be 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return x(x), codegen

else:

    def popcount(x: Any) -> Any:
        """How many bits of ``x`` are set."""
        return int(x).bit_count()

    def lowest(x: Any) -> Any:
        """Number of the lowest set bit of ``x``, which must not be 0."""
        x = int(x)
        return (x & -x).bit_length() - 1


@inner
def bit(card):
    """The set of one card."""
    return np.int64(1) << np.int64(card)


@inner
def has(cards, card):
    """Whether the set ``cards`` holds ``card``."""
    return (cards >> np.int64(card)) & np.int64(1) != 0


@inner
def put(packed, offset, cards):
    """Write a set of at most 52 bits at bit ``offset`` of a packed row that is 0 there."""
    word = offset >> 6
    shift = np.uint64(offset & 63)
    value = np.uint64(cards)
    packed[word] |= value << shift
    # Shifted in two steps: a shift by 64 is undefined.
    rest = (value >> np.uint64(1)) >> (np.uint64(63) - shift)
    if rest != np.uint64(0):
        packed[word + 1] |= rest


@inner
def get(packed, index):
    """Bit ``index`` of a packed row."""
    return (packed[index >> 6] >> np.uint64(index & 63)) & np.uint64(1) != np.uint64(0)


@inner
def thermometer(count, size):
    """The lowest ``count`` of ``size`` bits, all of them where ``count`` is more."""
    return (np.int64(1) << np.int64(max(0, min(count, size)))) - np.int64(1)


@inner
def unpack(packed, num_words, row):
    """Write ``num_words * 8`` bits as bytes of 0 or 1. ``row``: (num_words,) uint64 view of the bytes."""
    for k in range(num_words):
        row[k] = BYTES_OF_BITS[(packed[k >> 3] >> np.uint64((k & 7) << 3)) & np.uint64(255)]
