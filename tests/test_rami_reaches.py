"""Whether a hand reaches an opening, by what is wasted on the way, against the best that the exact search finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rummy_env import Rules
from rummy_env.core.kernel import kernel, scratch
from rummy_env.core.opening import IMPOSSIBLE, LEFT, SOLVER_DTYPE, TOTAL, reaches, search, set_out

pytestmark = pytest.mark.core

JOKER = 52


@kernel
def best_of(rules, goal, one, two, jokers, must):
    solver = scratch(SOLVER_DTYPE)
    set_out(solver, rules[0]["low_ace_points"], one, must)
    return search(solver, goal, one, two, jokers, 1 if must >= 0 else 0)


@kernel
def reached(rules, goal, one, two, jokers, must, bounds, answers):
    """For all bounds with one memory, as the legal actions of a view are worked out."""
    solver = scratch(SOLVER_DTYPE)
    set_out(solver, rules[0]["low_ace_points"], one, must)
    for k in range(len(bounds)):
        answers[k] = reaches(solver, goal, one, two, jokers, 1 if must >= 0 else 0, bounds[k])


def deal(chance: random.Random, num_cards: int) -> list[int]:
    """Cards of some neighbouring ranks of some suits, twice, and many jokers; or of the whole pack."""
    low, width = chance.randrange(13), chance.choice((3, 5, 7, 13))
    pack = [suit * 13 + (low + k) % 13 for suit in range(chance.choice((2, 3, 4))) for k in range(width)] * 2
    chance.shuffle(pack)
    num_jokers = chance.choice((0, 1, 2, 4, 4))
    return [JOKER] * num_jokers + pack[: num_cards - num_jokers]


@pytest.mark.parametrize("goal", [TOTAL, LEFT])
@pytest.mark.parametrize("low_ace", [1, 11, 15])
def test_reaches_exactly_what_the_search_finds(goal: int, low_ace: int) -> None:
    chance = random.Random(10 * goal + low_ace)
    record = Rules.preset("rami", low_ace_points=low_ace).record
    answers = np.zeros(7, np.int64)
    for _ in range(1_500):
        hand = deal(chance, chance.choice((6, 9, 12, 14)))
        naturals = [card for card in hand if card != JOKER]
        one = sum(1 << card for card in set(naturals))
        two = sum(1 << card for card in set(naturals) if naturals.count(card) == 2)
        must = chance.choice(hand) if chance.random() < 0.5 else -1
        best = int(best_of(record, goal, one, two, hand.count(JOKER), must))
        possible = best > IMPOSSIBLE // 2
        bounds = [best + step for step in (0, 1, -1, -10, 5, 0, 1)] if possible else [0, 1, 10, 30, 40, 51, 100]
        if goal == LEFT:
            bounds = [-bound for bound in bounds] if possible else bounds
            wanted = [possible and -best <= bound for bound in bounds]
        else:
            wanted = [possible and best >= bound for bound in bounds]
        reached(record, goal, one, two, hand.count(JOKER), must, np.array(bounds), answers)
        assert answers.astype(bool).tolist() == wanted, (sorted(hand), must, best)
