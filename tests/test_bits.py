"""Packed rows of bits: whatever is written comes back, wherever in the row it lies."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy_env.core import bits

pytestmark = pytest.mark.core

ROW = 20
"""Words of the rows here."""


@numba.njit
def put_all(packed: Any, offsets: Any, values: Any) -> None:
    for k in range(len(offsets)):
        bits.put(packed, offsets[k], values[k])


@numba.njit
def get_all(packed: Any, count: int) -> Any:
    found = np.zeros(count, np.uint8)
    for k in range(count):
        found[k] = bits.get(packed, k)
    return found


@numba.njit
def unpack(packed: Any, row: Any) -> None:
    bits.unpack(packed, row)


@numba.njit
def push_all(row: Any, sizes: Any, values: Any) -> Any:
    at, word = 0, np.uint64(0)
    for k in range(len(sizes)):
        at, word = bits.push(row, at, word, values[k], sizes[k])
    bits.close(row, at, word)
    return at


@numba.njit
def thermometer(count: int, size: int) -> Any:
    return bits.thermometer(count, size)


@numba.njit
def counts_and_lowest(words: Any, counts: Any, firsts: Any) -> None:
    for k in range(len(words)):
        counts[k] = bits.popcount(words[k])
        firsts[k] = bits.lowest(words[k])


@numba.njit
def held(cards: Any, card: int) -> Any:
    return bits.has(cards, card), bits.bit(card)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(1, 52), st.integers(0, 2**52 - 1)), min_size=1, max_size=20))
def test_fields_written_one_after_another_are_read_back(pieces: list[tuple[int, int]]) -> None:
    """Fields of 1 to 52 bits without gaps, so that some of them straddle two words."""
    pieces = [(size, value & (1 << size) - 1) for size, value in pieces]
    offsets = np.cumsum([0] + [size for size, _ in pieces])
    packed = np.zeros(ROW, np.uint64)
    put_all(packed, offsets[:-1], np.array([value for _, value in pieces], np.int64))
    expected = [value >> k & 1 for size, value in pieces for k in range(size)]
    expected += [0] * (64 * ROW - len(expected))
    assert get_all(packed, 64 * ROW).tolist() == expected
    row = np.full(8 * ROW, 77, np.uint64)
    unpack(packed, row)
    assert row.view(np.uint8).tolist() == expected
    row[:] = 77
    sizes, values = zip(*pieces, strict=True)
    at = push_all(row, np.array(sizes), np.array(values, np.int64))
    assert at == offsets[-1]
    assert row.view(np.uint8)[:at].tolist() == expected[:at]


@pytest.mark.parametrize("offset", range(70))
def test_a_full_set_of_cards_at_every_offset_in_a_word(offset: int) -> None:
    packed = np.zeros(3, np.uint64)
    put_all(packed, np.array([offset]), np.array([2**52 - 1]))
    assert sum(int(word) << 64 * k for k, word in enumerate(packed)) == (2**52 - 1) << offset


def test_a_field_that_ends_with_the_row_writes_nothing_beyond_it() -> None:
    packed = np.zeros(2, np.uint64)
    put_all(packed[:1], np.array([12]), np.array([2**52 - 1]))
    assert packed.tolist() == [(2**52 - 1) << 12, 0]


@pytest.mark.parametrize("lines", range(1, 4))
def test_part_of_a_row_is_unpacked_and_no_more(lines: int) -> None:
    packed = np.array([0xF0F0A5A5_12345678, 2**64 - 2, 1], np.uint64)
    row = np.full(32, 77, np.uint64)
    unpack(packed, row[: 8 * lines])
    expected = [int(word) >> k & 1 for word in packed[:lines] for k in range(64)]
    assert row[: 8 * lines].view(np.uint8).tolist() == expected
    assert (row[8 * lines :] == 77).all()


@pytest.mark.parametrize("size", [64, 63, 65, 128, 306, 883])
def test_a_row_that_is_full_ends_where_it_ends(size: int) -> None:
    words, row = bits.new_rows(3, size)
    words[2] = 77
    sizes = np.array([7] * (size // 7) + [size % 7] * (size % 7 > 0))
    assert push_all(words[1], sizes, (np.int64(1) << sizes) - 1) == size
    assert row[1].tolist() == [1] * size
    assert not words[0].any()
    assert (words[2] == 77).all()


@pytest.mark.parametrize(("count", "size"), [(1, 1), (5, 64), (3, 883)])
def test_rows_begin_on_cache_lines(count: int, size: int) -> None:
    words, rows = bits.new_rows(count, size)
    assert words.shape == (count, bits.row_words(size))
    assert rows.shape == (count, size)
    assert words.ctypes.data % 64 == words.strides[0] % 64 == 0
    words[:] = 0x0101_0101_0101_0101
    assert rows.all()


@pytest.mark.parametrize("size", [1, 3, 10, 16, 52])
def test_a_thermometer_is_cut_off_at_both_ends(size: int) -> None:
    for count in range(-5, 70):
        assert thermometer(count, size) == sum(1 << k for k in range(size) if k < count)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_number_of_bits_and_lowest_bit(dtype: type) -> None:
    chance = random.Random(4)
    top = 63 if dtype is np.int64 else 64
    numbers = [1 << k for k in range(top)] + [chance.getrandbits(top) | 1 << chance.randrange(top) for _ in range(200)]
    counts, firsts = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    counts_and_lowest(np.array(numbers, dtype), counts, firsts)
    assert counts.tolist() == [bin(number).count("1") for number in numbers]
    assert firsts.tolist() == [bin(number)[::-1].index("1") for number in numbers]


def test_a_card_in_a_set() -> None:
    cards = np.int64(0b1011)
    assert [bool(held(cards, card)[0]) for card in range(6)] == [True, True, False, True, False, False]
    assert [int(held(cards, card)[1]) for card in (0, 5, 51)] == [1, 32, 2**51]
