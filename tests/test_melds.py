"""The compiled functions on sets of cards, against the oracle: every small hand, and thousands of large ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest
from oracle import CARDS, RANKS, RUNS_OF_3, SETS_OF_3, SUITS, completing, in_melds, is_run, is_set, melds_in, sort

from rummy_env import Rules
from rummy_env.core import melds
from rummy_env.core.kernel import JIT

pytestmark = pytest.mark.core


def small_hands() -> list[tuple[str, ...]]:
    """All hands of at most three cards, and all that lie in one suit or in three ranks that follow each other."""
    hands: set[tuple[str, ...]] = {hand for size in range(4) for hand in combinations(CARDS, size)}
    suits = [[card for card in CARDS if card[1] == suit] for suit in SUITS]
    rows = [[card for card in CARDS if card[0] in RANKS[low : low + 3]] for low in range(11)]
    for cards in suits + rows:
        hands |= {hand for size in range(4, len(cards) + 1) for hand in combinations(cards, size)}
    return sorted(hands) if JIT else random.Random(1).sample(sorted(hands), 4000)


def large_hands() -> list[tuple[str, ...]]:
    chance = random.Random(2)
    sizes = [chance.choice([7, 10, 11, 14, 25, 40]) for _ in range(4000 if JIT else 500)]
    return [tuple(chance.sample(CARDS, size)) for size in sizes] + [tuple(CARDS)]


def as_bits(cards: Iterable[str]) -> int:
    return sum(1 << CARDS.index(card) for card in cards)


def as_cards(bits: int) -> list[str]:
    return [card for number, card in enumerate(CARDS) if bits >> number & 1]


def as_numbers(bits: int) -> list[int]:
    return [number for number in range(64) if bits >> number & 1]


def on_all(function: Callable[..., Any], hands: list[tuple[str, ...]]) -> list[int]:
    """A function of ``core.melds`` on every hand, called from compiled code as the engine calls it."""

    @numba.njit
    def call(masks: np.ndarray, results: np.ndarray) -> None:
        for k in range(len(masks)):
            results[k] = function(masks[k])

    masks = np.array([as_bits(hand) for hand in hands], np.int64)
    results = np.zeros_like(masks)
    call(masks, results)
    assert not (results < 0).any(), "a set of cards is never negative"
    return [int(result) for result in results]


@numba.njit
def indices_of_runs(cards: Any) -> Any:
    return melds.run_indices(melds.runs_of_3(cards))


@pytest.fixture(scope="module", params=["small", "large"])
def hands(request: pytest.FixtureRequest) -> list[tuple[str, ...]]:
    return small_hands() if request.param == "small" else large_hands()


def test_runs_of_3_are_named_by_their_lowest_card(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(melds.runs_of_3, hands), strict=True):
        assert as_cards(found) == [run[0] for run in RUNS_OF_3 if set(run) <= set(hand)], hand


def test_runs_of_3_are_numbered_as_the_actions_are(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(indices_of_runs, hands), strict=True):
        assert as_numbers(found) == [number for number, run in enumerate(RUNS_OF_3) if set(run) <= set(hand)], hand


def test_sets_of_3_are_named_by_the_card_they_leave_out(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(melds.sets_of_3, hands), strict=True):
        assert as_numbers(found) == [number for number, cards in enumerate(SETS_OF_3) if set(cards) <= set(hand)], hand


def test_ranks_in_sets(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(melds.ranks_in_sets, hands), strict=True):
        ranks = [card[0] for card in hand]
        assert as_numbers(found) == [number for number, rank in enumerate(RANKS) if ranks.count(rank) >= 3], hand


def test_cards_in_some_meld(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(melds.in_melds, hands), strict=True):
        assert as_cards(found) == sort(in_melds(hand)), hand


def test_cards_that_would_complete_a_meld(hands: list[tuple[str, ...]]) -> None:
    for hand, found in zip(hands, on_all(melds.completing, hands), strict=True):
        assert as_cards(found) == sort(completing(hand)), hand


def test_masks_of_melds() -> None:
    run_mask = numba.njit(lambda suit, low, size: melds.run_mask(suit, low, size))
    set_mask = numba.njit(lambda rank, suits: melds.set_mask(rank, suits))
    for suit in range(4):
        for low in range(13):
            for size in range(1, 14 - low):
                cards = [rank + SUITS[suit] for rank in RANKS[low : low + size]]
                assert as_cards(run_mask(suit, low, size)) == cards
    for rank in range(13):
        for suits in range(16):
            cards = [RANKS[rank] + suit for k, suit in enumerate(SUITS) if suits >> k & 1]
            assert as_cards(set_mask(rank, suits)) == cards


def test_rules_name_exactly_the_melds_of_the_oracle() -> None:
    """`Rules.is_meld` on every choice of at most four cards from three suits of seven ranks, and on every run."""
    rules = Rules.preset("straight")
    few = [card for card in CARDS if card[0] in "A2367QK" and card[1] != "c"]
    hands = [hand for size in range(5) for hand in combinations(few, size)]
    for hand in hands if JIT else hands[::8]:
        assert rules.is_meld(" ".join(hand)) is (is_set(hand) or is_run(hand)), hand
    for meld in melds_in(CARDS):
        assert rules.is_meld(meld)
        assert rules.is_meld("".join(random.Random(3).sample(meld, len(meld))))


def test_the_oracle_itself_knows_how_many_melds_a_deck_holds() -> None:
    """13 ranks with four sets of three and one of four; 4 suits with 11 + 10 + … + 1 runs."""
    found = melds_in(CARDS)
    assert sum(map(is_set, found)) == 13 * 5
    assert sum(map(is_run, found)) == 4 * 66
    assert len(found) == len({tuple(meld) for meld in found}) == 13 * 5 + 4 * 66
