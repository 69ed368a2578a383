"""Sets of cards as 52-bit integers (int64, never negative), and rows of bits packed into 64-bit words."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rummy_env.core.kernel import JIT, inner

WORD: Final = 64

CACHE_LINE: Final = 64


def row_words(size: int) -> int:
    """Words of a row of ``size`` bytes as kernels write them: whole cache lines."""
    return -(-size // CACHE_LINE) * (CACHE_LINE // 8)


def new_rows(count: int, size: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """``count`` rows of ``size`` bytes, written by kernels in words and read by people in bytes, all zero.

    Returns (words, rows), two arrays on the same memory: (count, `row_words`) uint64 and (count, size) uint8. Every
    row begins on a cache line, so that threads do not share one and wide stores do not straddle two.
    """
    words = row_words(size)
    memory = np.zeros((count + 1) * words, np.uint64)
    begin = -memory.ctypes.data % CACHE_LINE // 8
    whole = memory[begin : begin + count * words].reshape(count, words)
    return whole, whole.view(np.uint8)[:, :size]


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

    @intrinsic
    def spread(typingctx: Any, row: Any, at: Any, word: Any) -> Any:
        """Write the 64 bits of ``word`` as 64 bytes of 0 or 1, the lowest bit first, to the ``at``-th 64 bytes of a
        row of uint64. One wide store where the processor has one."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bits = ir.VectorType(ir.IntType(1), WORD)
            lanes = ir.VectorType(ir.IntType(8), WORD)
            array = context.make_array(signature.args[0])(context, builder, args[0])
            place = builder.gep(builder.bitcast(array.data, lanes.as_pointer()), [args[1]])
            builder.store(builder.zext(builder.bitcast(args[2], bits), lanes), place).align = 8
            return context.get_dummy_value()

        return types.void(row, at, word), codegen

else:

    def popcount(x: Any) -> Any:
        """How many bits of ``x`` are set."""
        return int(x).bit_count()

    def lowest(x: Any) -> Any:
        """Number of the lowest set bit of ``x``, which must not be 0."""
        x = int(x)
        return (x & -x).bit_length() - 1

    def spread(row: Any, at: Any, word: Any) -> None:
        """Write the 64 bits of ``word`` as 64 bytes of 0 or 1, the lowest bit first, to the ``at``-th 64 bytes."""
        bits = np.array([word], np.uint64).view(np.uint8)
        row[8 * at : 8 * at + 8] = np.unpackbits(bits, bitorder="little").view(np.uint64)


@inner
def bit(card):
    """The set of one card."""
    return np.int64(1) << np.int64(card)


@inner
def has(cards, card):
    """Whether the set ``cards`` holds ``card``."""
    return (cards >> np.int64(card)) & np.int64(1) != 0


@inner
def push(row, at, word, bits, size):
    """Append the lowest ``size`` bits (64 at most) of ``bits``, which has no others, to a row of ``at`` bytes.

    ``row``: (`row_words`,) uint64 view of the bytes. ``word``: the last bits, not written yet. Returns the new
    (at, word). Where ``at`` and ``size`` are constants, so are all shifts and tests.
    """
    shift = np.uint64(at & 63)
    value = np.uint64(bits)
    word |= value << shift
    if (at & 63) + size >= WORD:
        spread(row, at >> 6, word)
        # In two steps: a shift by 64 is undefined.
        word = (value >> np.uint64(1)) >> (np.uint64(63) - shift)
    return at + size, word


@inner
def close(row, at, word):
    """Write the last bits of a row."""
    if at & 63 != 0:
        spread(row, at >> 6, word)


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
def unpack(packed, row):
    """Write a packed row as bytes of 0 or 1. ``row``: (`row_words`,) uint64 view of the bytes."""
    for k in range(row.shape[0] >> 3):
        spread(row, k, packed[k])
