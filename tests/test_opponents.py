"""Opponents by name, agent or function, and lists and pools of them."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from rummy_env import Game, Rules, opponents
from rummy_env.opponents import Pool, line_up, load, names

RULES = Rules.preset("straight", num_players=3)
BOTS = ("random", "easy", "normal", "hard")


class Agent:
    name = "mine"

    def __init__(self, rules: Rules, seed: int | None = None) -> None:
        self.rules = rules
        self.seed = seed

    def act(self, view: Any) -> int:
        return int(view.action_mask.argmax())


def last_legal(view: Any) -> np.int64:
    return np.flatnonzero(view.action_mask)[-1]


def test_the_rule_bots_are_known_and_play() -> None:
    assert set(BOTS) <= set(names())
    game = Game.deal(RULES, seed=1)
    for name in BOTS:
        agent = load(name, RULES, seed=1)
        assert agent.name == name
        assert agent.act(game.view(game.to_play)) in game.legal_actions()


def test_anybodys_package_can_add_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", f"{__name__}:Agent", opponents.GROUP)
    monkeypatch.setattr(opponents, "entry_points", lambda group: [entry] if group == "rummy_env.opponents" else [])
    assert names() == ("mine",)
    agent = load("mine", RULES, seed=5)
    assert (agent.name, agent.rules, agent.seed) == ("mine", RULES, 5)  # type: ignore[attr-defined]


def test_an_agent_is_taken_as_it_is() -> None:
    agent = Agent(RULES)
    assert load(agent, RULES) is agent


def test_a_function_is_wrapped() -> None:
    agent = load(last_legal, RULES)
    assert agent.name == "last_legal"
    game = Game.deal(RULES, seed=1)
    action = agent.act(game.view(game.to_play))
    assert action == game.legal_actions()[-1]
    assert type(action) is int
    with pytest.raises(ValueError, match="expected the id of an action, a whole number, got 'draw'"):
        load(lambda view: "draw", RULES).act(game.view(0))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("opponent", "words"),
    [
        ("nrmal", "expected a name of .*normal.*, got 'nrmal' .did you mean 'normal'"),
        ("", "got ''"),
        (Agent, "expected an agent, got the class Agent: make one of it first"),
        (3, "expected a name, an agent with 'name' and 'act', or a function of a view, got 3"),
        (None, "got None"),
    ],
)
def test_what_is_no_opponent_is_refused(opponent: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load(opponent, RULES)


def test_without_an_installed_package_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "entry_points", lambda group: [])
    with pytest.raises(ValueError, match="no installed package names any"):
        load("normal", RULES)


def named(pools: tuple[Pool, ...]) -> list[list[tuple[str, float]]]:
    return [[(agent.name, weight) for agent, weight in zip(p.agents, p.weights, strict=True)] for p in pools]


@pytest.mark.parametrize(
    ("given", "pools"),
    [
        ("easy", [[("easy", 1)], [("easy", 1)]]),
        (last_legal, [[("last_legal", 1)], [("last_legal", 1)]]),
        (["easy", last_legal], [[("easy", 1)], [("last_legal", 1)]]),
        (("easy", "hard"), [[("easy", 1)], [("hard", 1)]]),
        ([("easy", 1), ("hard", 3)], [[("easy", 0.25), ("hard", 0.75)]] * 2),
        ([[("easy", 1), ("hard", 1), ("normal", 0)], "hard"],
         [[("easy", 0.5), ("hard", 0.5), ("normal", 0)], [("hard", 1)]]),
    ],
    ids=("a name", "a function", "one each", "names", "a pool", "pools"),  # the same in every worker
)  # fmt: skip
def test_one_or_one_for_each_other_seat_or_a_pool(given: Any, pools: list[list[tuple[str, float]]]) -> None:
    assert named(line_up(given, RULES)) == pools


def test_a_name_makes_an_agent_for_every_seat() -> None:
    first, second = line_up("random", RULES)
    assert first.agents[0] is not second.agents[0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["easy"], "expected one for every other seat or a list of 2, got 1"),
        ([], "a list of 2, got 0"),
        ([("easy", -1), ("hard", 1)], "expected weights from 0 on, got -1"),
        ([("easy", True), ("hard", 1)], "expected weights from 0 on, got True"),
        ([("easy", float("nan"))], "expected weights from 0 on, got nan"),
        ([("easy", 0)], "expected a weight above 0 in a pool"),
        ([("eazy", 1)], "got 'eazy'"),
    ],
    ids=str,
)
def test_other_lists_are_refused(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        line_up(given, RULES)


def test_a_pool_draws_by_weight() -> None:
    pool = line_up([("easy", 1), ("hard", 3), ("normal", 0)], RULES)[0]
    rng = np.random.default_rng(1)
    drawn = [pool.draw(rng).name for _ in range(400)]
    assert set(drawn) == {"easy", "hard"}
    assert 70 < drawn.count("easy") < 130
