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
    bits.unpack(packed, len(row), row)


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


@pytest.mark.parametrize("offset", range(70))
def test_a_full_set_of_cards_at_every_offset_in_a_word(offset: int) -> None:
    packed = np.zeros(3, np.uint64)
    put_all(packed, np.array([offset]), np.array([2**52 - 1]))
    assert sum(int(word) << 64 * k for k, word in enumerate(packed)) == (2**52 - 1) << offset


def test_a_field_that_ends_with_the_row_writes_nothing_beyond_it() -> None:
    packed = np.zeros(2, np.uint64)
    put_all(packed[:1], np.array([12]), np.array([2**52 - 1]))
    assert packed.tolist() == [(2**52 - 1) << 12, 0]


@pytest.mark.parametrize("words", range(1, 9))
def test_part_of_a_row_is_unpacked_and_no_more(words: int) -> None:
    packed = np.array([0xF0F0A5A5_12345678], np.uint64)
    row = np.full(9, 77, np.uint64)
    unpack(packed, row[:words])
    expected = [int(packed[0]) >> k & 1 for k in range(8 * words)]
    assert row[:words].view(np.uint8).tolist() == expected
    assert (row[words:] == 77).all()


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


def test_every_byte_is_spread_over_eight() -> None:
    spread = bits.BYTES_OF_BITS.view(np.uint8).reshape(256, 8)
    assert spread.tolist() == [[number >> k & 1 for k in range(8)] for number in range(256)]
