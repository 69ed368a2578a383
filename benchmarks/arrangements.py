"""How long the exact arrangements of gin and indian take, by kinds of hands: ``python -m benchmarks.arrangements``."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from rummy_env import Rules
from rummy_env.cards import JOKER, NUM_FACES, Card, rank_of, suit_of, to_mask
from rummy_env.core.deadwood import SHOWDOWN_DTYPE, knocking_discards, least_deadwood, settle_knock
from rummy_env.core.declaration import declaring_discards, least_points
from rummy_env.core.kernel import kernel, scratch
from rummy_env.rules import MAX_JOKERS

HANDS = 2000
REPEATS = 5

Hand = tuple[list[Card], Card]
"""(cards, cut card)."""


@dataclass(frozen=True)
class Timing:
    """Microseconds a hand of one kind takes. ``worst``: the slowest hand, at the fastest of some tries."""

    what: str
    hands: str
    mean: float
    worst: float


@kernel
def _deadwood(rules, hands):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for k in range(hands.shape[0]):
        total += least_deadwood(rules[0], hands[k, 0])
    return total


@kernel
def _knocking(rules, hands):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for k in range(hands.shape[0]):
        total ^= knocking_discards(rules[0], hands[k, 0], np.int64(rules[0]["knock_limit"]))
    return total


@kernel
def _settling(rules, hands):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    out = scratch(SHOWDOWN_DTYPE)
    for k in range(hands.shape[0]):
        settle_knock(rules[0], hands[k, 0], hands[k, 1], out)
        total += out["defender"]["points"]
    return total


@kernel
def _points(rules, hands):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for k in range(hands.shape[0]):
        total += least_points(rules[0], hands[k, 0], hands[k, 1], hands[k, 2], hands[k, 3], hands[k, 4])
    return total


@kernel
def _declaring(rules, hands):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for k in range(hands.shape[0]):
        total ^= declaring_discards(rules[0], hands[k, 0], hands[k, 1], hands[k, 2], hands[k, 3], hands[k, 4])
    return total


def _row(hand: Hand) -> list[int]:
    """A hand as `declaration` takes it: faces held at least once, twice and three times, jokers, the cut card."""
    cards, cut = hand
    count = Counter(cards)
    faces = [to_mask(card for card in count if card != JOKER and count[card] >= copies) for copies in (1, 2, 3)]
    return [*faces, count[JOKER], cut]


def _drawn(chance: random.Random, rules: Rules, size: int, wilds: int | None, keep: Callable[[Card], bool]) -> Hand:
    """A random hand of the cards that ``keep`` says, with so many wilds, or as many as come."""
    deck = [card for card in range(NUM_FACES) for _ in range(rules.num_decks)] + [JOKER] * rules.num_jokers
    chance.shuffle(deck)
    cut = deck.pop()

    def is_wild(card: Card) -> bool:
        return card == JOKER or (cut != JOKER and rank_of(card) == rank_of(cut))

    if wilds is None:
        return [card for card in deck if keep(card)][:size], cut
    some = [card for card in deck if is_wild(card)][:wilds]
    return some + [card for card in deck if not is_wild(card) and keep(card)][: size - len(some)], cut


def _any(card: Card) -> bool:
    return True


def _two_suits(card: Card) -> bool:
    return card == JOKER or suit_of(card) < 2


def _six_ranks(card: Card) -> bool:
    return card == JOKER or 3 <= rank_of(card) < 9


def _indian(chance: random.Random, rules: Rules, size: int) -> Iterator[tuple[str, list[Hand]]]:
    kinds: list[tuple[str, int | None, Callable[[Card], bool]]] = [("random", None, _any)]
    kinds += [(f"{wilds} wilds", wilds, _any) for wilds in (0, 3, 6, 9)]
    kinds += [(f"two suits, {wilds} wilds", wilds, _two_suits) for wilds in (2, 4, 6)]
    kinds += [(f"six ranks, {wilds} wilds", wilds, _six_ranks) for wilds in (2, 4, 6)]
    for name, wilds, keep in kinds:
        yield name, [_drawn(chance, rules, size, wilds, keep) for _ in range(HANDS)]


def _time(what: str, name: str, play: Callable[..., Any], rules: Rules, rows: Sequence[Sequence[int]]) -> Timing:
    hands: npt.NDArray[np.int64] = np.array(rows, np.int64)
    play(rules.record, hands[:1])  # compiles
    start = time.process_time()
    play(rules.record, hands)
    mean = (time.process_time() - start) / len(hands)
    return Timing(what, name, 1e6 * mean, 1e6 * max(_fastest(play, rules, hands[k : k + 1]) for k in range(len(hands))))


def _fastest(play: Callable[..., Any], rules: Rules, hand: npt.NDArray[np.int64]) -> float:
    """Seconds of one hand, the call from Python included."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        play(rules.record, hand)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def timings() -> Iterator[Timing]:
    """All kinds of hands, one after the other."""
    chance = random.Random(1)
    gin = Rules.preset("gin")
    for name, keep in (("random", _any), ("two suits", _two_suits), ("six ranks", _six_ranks)):
        deck = [card for card in range(NUM_FACES) if keep(card)]
        for what, play, size in (("gin: deadwood of 10", _deadwood, 10), ("gin: deadwood of 11", _deadwood, 11)):
            yield _time(what, name, play, gin, [[to_mask(chance.sample(deck, size))] for _ in range(HANDS)])
        elevens = [[to_mask(chance.sample(deck, 11))] for _ in range(HANDS)]
        yield _time("gin: knocking discards", name, _knocking, gin, elevens)
        pairs = [chance.sample(deck, 20) for _ in range(HANDS)]
        rows = [[to_mask(pair[:10]), to_mask(pair[10:])] for pair in pairs]
        yield _time("gin: settling a knock", name, _settling, gin, rows)
    for decks, naturals in ((2, 1), (3, 1), (2, 2)):
        rules = Rules.preset("indian", num_decks=decks, num_jokers=MAX_JOKERS, min_naturals=naturals)
        house = f"indian, {decks} decks" + (f", min_naturals {naturals}" if naturals > 1 else "")
        for name, hands in _indian(chance, rules, 13):
            yield _time(f"{house}: points of 13", name, _points, rules, [_row(hand) for hand in hands])
        for name, hands in _indian(chance, rules, 14):
            yield _time(f"{house}: declaring discards", name, _declaring, rules, [_row(hand) for hand in hands])


def report(found: Iterable[Timing]) -> Table:
    """The timings as a table."""
    table = Table(title=f"Exact arrangements, {HANDS} hands of each kind, one core")
    table.add_column("search", no_wrap=True)
    table.add_column("hands", no_wrap=True)
    table.add_column("mean µs", justify="right", no_wrap=True)
    table.add_column("worst µs", justify="right", no_wrap=True)
    for timing in found:
        table.add_row(timing.what, timing.hands, f"{timing.mean:.3f}", f"{timing.worst:.1f}")
    return table


if __name__ == "__main__":
    Console(width=100).print(report(timings()))
