"""The cases of tests/cases: positions, moves and what must come of them, as data that any implementation can read.

A file is a list of cases with ``name``, ``ruleset``, ``kind`` and, if need be, ``options``. The kinds:

- ``meld``: ``cards``, ``valid`` and, where a card was cut, ``wild``;
- ``hand_points``: ``cards``, ``points``, ``wild``;
- ``arrange``: ``cards``, ``points``, ``wild`` and, if need be, ``declarable`` and ``deadwood``;
- ``play``: ``position``, ``do`` (moves, or objects with "play": a move, "fails": a move that must be refused, and
  checks) and ``expect`` (checks at the end);
- ``bad_position``: ``position``, which must be refused.

Checks: ``legal``, ``illegal``, ``to_play``, ``phase``, ``over``, ``stock_size``, ``pile``, ``hand`` (a list by seat,
null where nothing is asked), ``table``, and of the result ``winner``, ``scores``, ``doubled``, ``blocked``, ``void``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from rummy_env import Game, IllegalMove, Rules

pytestmark = pytest.mark.core

CASES = Path(__file__).parent / "cases"


def every_case() -> list[dict[str, Any]]:
    files = sorted(CASES.glob("*.json"))
    return [case for file in files for case in json.loads(file.read_text(encoding="utf-8"))]


def cases(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in every_case() if case["kind"] == kind]


def rules_of(case: dict[str, Any]) -> Rules:
    return Rules.preset(case["ruleset"], **case.get("options", {}))


def in_order(cards: str | Iterable[str]) -> list[str]:
    """Cards of a case, which may be written in any way, as the engine writes them."""
    text = cards if isinstance(cards, str) else "".join(cards)
    text = text.replace(" ", "").replace("10", "T")
    return [text[at].upper() + text[at + 1].lower() for at in range(0, len(text), 2)]


def in_any_order(cards: str | Iterable[str]) -> list[str]:
    return sorted(in_order(cards))


def in_places(cards: str | Iterable[str]) -> list[str]:
    """With a joker the places count."""
    return in_order(cards) if "Jk" in in_order(cards) else in_any_order(cards)


def check(game: Game, wanted: dict[str, Any]) -> None:
    for move in wanted.get("legal", ()):
        assert game.is_legal(move), f"{move} should be legal"
    for move in wanted.get("illegal", ()):
        assert not game.is_legal(move), f"{move} should be illegal"
    for key in wanted.keys() & {"to_play", "phase", "over", "stock_size"}:
        assert getattr(game, key) == wanted[key], key
    if "pile" in wanted:
        assert game.pile == in_order(wanted["pile"])
    for seat, cards in enumerate(wanted.get("hand", ())):
        if cards is not None:
            assert sorted(game.hand(seat)) == in_any_order(cards), f"hand of seat {seat}"
    if "table" in wanted:
        assert sorted(map(in_places, (meld.cards for meld in game.table))) == sorted(map(in_places, wanted["table"]))
    for key in wanted.keys() & {"winner", "scores", "doubled", "blocked", "void"}:
        assert game.result is not None, "the round should be over"
        got = getattr(game.result, key)
        assert (list(got) if key == "scores" else got) == wanted[key], key


@pytest.mark.parametrize("case", cases("meld"))
def test_meld(case: dict[str, Any]) -> None:
    assert rules_of(case).is_meld(case["cards"], case.get("wild")) is case["valid"]
    if "opening_points" in case:
        assert rules_of(case).opening_points(case["cards"]) == case["opening_points"]


@pytest.mark.parametrize("case", cases("hand_points"))
def test_hand_points(case: dict[str, Any]) -> None:
    assert rules_of(case).hand_points(case["cards"], case.get("wild")) == case["points"]


@pytest.mark.parametrize("case", cases("arrange"))
def test_arrange(case: dict[str, Any]) -> None:
    found = rules_of(case).arrange(case["cards"], case.get("wild"))
    assert found.points == case["points"]
    assert found.declarable == case.get("declarable", found.declarable)
    assert sorted(found.deadwood) == in_any_order(case.get("deadwood", found.deadwood))


@pytest.mark.parametrize("case", cases("best_opening"))
def test_best_opening(case: dict[str, Any]) -> None:
    assert rules_of(case).best_opening(case["cards"]) == case["points"]


@pytest.mark.parametrize("case", cases("play"))
def test_play(case: dict[str, Any]) -> None:
    game = Game.from_position(rules_of(case), case["position"])
    for step in case.get("do", ()):
        step = {"play": step} if isinstance(step, str) else step
        if "fails" in step:
            before = game.state.tobytes()
            with pytest.raises(IllegalMove):
                game.play(step["fails"])
            assert game.state.tobytes() == before, f"the refused {step['fails']} changed something"
        if "play" in step:
            game.play(step["play"])
        check(game, step | step.get("expect", {}))
    check(game, case.get("expect", {}))


@pytest.mark.parametrize("case", cases("bad_position"))
def test_bad_position(case: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected|has no"):
        Game.from_position(rules_of(case), case["position"])


def test_every_case_is_of_a_kind_that_is_run_and_has_a_name_of_its_own() -> None:
    every = every_case()
    kinds = {"meld", "hand_points", "arrange", "best_opening", "play", "bad_position"}
    assert {case["kind"] for case in every} == kinds
    names = [case["name"] for case in every]
    assert sorted(set(names)) == sorted(names)
