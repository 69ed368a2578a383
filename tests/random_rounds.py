"""Random rounds for tests: rules of any kind, a player who tries everything, and positions from anywhere in a round."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from oracle import Oracle

from rummy_env import Game, Rules
from rummy_env.core.kernel import JIT

MANY = 1 if JIT else 8
"""Uncompiled, an eighth of the examples."""


def examples(count: int) -> Any:
    return settings(max_examples=max(4, count // MANY), deadline=None, derandomize=True)


seeds = st.integers(0, 2**32)


@st.composite
def any_rules(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Rules with any options, decks from nine cards on."""
    players = draw(st.integers(2, 4))
    ranks, suits = draw(st.sampled_from([(13, 4), (13, 4), (13, 4), (9, 4), (13, 2), (5, 4), (7, 3), (13, 1)]))
    most = (ranks * suits - 1) // players
    options = {
        "num_players": players,
        "num_ranks": ranks,
        "num_suits": suits,
        "hand_size": draw(st.integers(1, min(most, 12))),
        "ace_points": draw(st.sampled_from([1, 1, 0, 11, 31])),
        "court_points": draw(st.sampled_from([10, 10, 0, 25])),
        "rummy_factor": draw(st.sampled_from([2, 2, 1, 3])),
        "layoff_spoils_rummy": draw(st.booleans()),
        "rummy_with_discard": draw(st.booleans()),
        "rummy_by_layoffs": draw(st.booleans()),
        "discard_taken": draw(st.booleans()),
        "refill": draw(st.sampled_from(["turn", "draw"])),
        "max_turns": draw(st.sampled_from([0, 0, 1, 7, 30])),
    }
    return Rules.preset("straight", **(options | fixed))


class Chooser:
    """Plays at random, but puts melds down more often than chance would, so that rounds end in every way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.eager = self.random.choice([0.1, 0.5, 0.9])

    def __call__(self, moves: list[str]) -> str:
        down = [move for move in moves if move.startswith(("meld", "layoff"))]
        return self.random.choice(down if down and self.random.random() < self.eager else moves)


def oracle_of(game: Game) -> Oracle:
    """The oracle at the beginning of a round. Its refills lie as the engine's do."""
    position = game.position()

    def lay_stock(back: list[str]) -> list[str]:
        # Where the refill belongs to a draw, the engine has already drawn the first of its cards.
        now = game.position()["stock"].split()
        return [card for card in back if card not in now] + now

    return Oracle(
        rules=game.rules,
        hands=[set(hand.split()) for hand in position["hands"]],
        pile=position["pile"].split(),
        stock=position["stock"].split(),
        to_play=position["to_play"],
        lay_stock=lay_stock,
    )


def fields_of(state: np.ndarray) -> dict[str, bytes]:
    """Every field of a table as bytes; what lies between fields means nothing."""
    return {name: state[part][name].tobytes() for part in ("view", "hidden") for name in state[part].dtype.names}


def positions(rules: Rules, seed: int) -> Iterator[tuple[Game, Oracle]]:
    """A random round, before each move and after the last one: always the same two objects."""
    choose = Chooser(seed)
    game = Game.deal(rules, seed=seed, dealer=seed % rules.num_players)
    oracle = oracle_of(game)
    while not game.over:
        yield game, oracle
        move = choose(list(oracle.moves()))
        game.play(move)
        oracle.play(move)
    yield game, oracle


def some_position(rules: Rules, seed: int) -> tuple[Game, Oracle]:
    """A position from anywhere in a random round, its end included."""
    last = random.Random(seed).randrange(120)
    *_, table = islice(positions(rules, seed), last + 1)
    return table
