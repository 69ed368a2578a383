"""Whole matches of every ruleset, for every number of players: none stalls, and somebody wins."""

from __future__ import annotations

import pytest

from rummy_env.rules import SEATS
from training.evaluate import evaluate

TABLES = [(ruleset, players) for ruleset, (few, many) in SEATS.items() for players in range(few, many + 1)]


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_matches_of_random_players_end(ruleset: str, players: int) -> None:
    found = evaluate(ruleset, players, ["random", "random"], deals=2, seed=7, match=True, progress=False)
    first, second = found.pairs
    assert first.duel.match_wins is not None
    assert second.duel.match_wins is not None
    assert first.duel.match_wins.value == pytest.approx(second.duel.match_wins.value)  # the same play in every seating
    assert 0 < first.duel.match_wins.value < 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_matches_of_rami_to_200_end(players: int) -> None:
    found = evaluate(
        "rami", players, ["normal", "random"], deals=2, seed=7, options={"target": 200}, match=True, progress=False
    )
    wins = found.pair("normal", "random").duel.match_wins
    assert wins is not None
    assert wins.value > 1 / players
