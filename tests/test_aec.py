"""The PettingZoo environments: PettingZoo's own tests, and that every option does what it says."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

from rummy_env import Game, IllegalMove, Match, Rules, gin_v0, indian_v0, spaces, straight_v0
from rummy_env.actions import describe_action
from rummy_env.cards import card_text

ENVIRONMENTS = {"straight": straight_v0, "gin": gin_v0, "indian": indian_v0}

# Warned of in every environment whose observation holds the mask, unless PettingZoo knows its name.
pytestmark = pytest.mark.filterwarnings("ignore:Observation", "ignore:Action mask numpy array is all zeros")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"num_players": 3, "rewards": "score", "reward_scale": 10.0},
    {"num_players": 4, "rewards": "win", "illegal": "lose"},
    {"match": True, "target": 60, "first_dealer": 1},
    {"match": True, "max_turns": 8, "max_rounds": 3, "rewards": "score", "render_mode": "ansi"},
    {"rummy_factor": 3, "refill": "draw", "discard_taken": True, "render_mode": "rgb_array", "illegal": "raise"},
]

GIN_OPTIONS: list[dict[str, Any]] = [
    {"knock_limit": 50, "rewards": "score", "reward_scale": 10.0},
    {"match": True, "target": 60, "knock_limit": 50, "rewards": "win", "illegal": "lose", "render_mode": "rgb_array"},
]

INDIAN_OPTIONS: list[dict[str, Any]] = [
    {"num_players": 7, "rewards": "score", "reward_scale": 10.0, "pack_first": 5},
    {"num_players": 3, "match": True, "rewards": "win", "illegal": "lose", "render_mode": "rgb_array", "max_turns": 9},
]

EVERY = [
    *(("straight", options) for options in OPTIONS),
    *(("gin", options) for options in GIN_OPTIONS),
    *(("indian", options) for options in INDIAN_OPTIONS),
]


def play(env: Any, rng: np.random.Generator, steps: int = 1_000_000) -> list[Any]:
    """Random legal play of at most ``steps`` steps, to the end of the episode; what `last` gave each time."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            break
        observation, reward, terminated, truncated, info = env.last()
        row = (
            observation["observation"].tobytes(),
            observation["action_mask"].tobytes(),
            info["action_mask"].tobytes(),
        )
        seen.append((env.agent_selection, row, reward, terminated, truncated, info.get("result")))
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return seen


def put(env: Any, position: dict[str, Any]) -> None:
    """Let the episode of an environment go on from a position."""
    raw = env.unwrapped
    raw._episode.match.games[-1] = Game.from_position(raw.rules, position)
    raw._refresh()
    raw.infos = {agent: raw._info(agent) for agent in raw.agents}


def do(env: Any, *moves: str) -> None:
    for move in moves:
        env.step(env.unwrapped.game.action_of(move))


# --- PettingZoo's own tests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@pytest.mark.parametrize(("ruleset", "options"), EVERY, ids=str)
def test_api(ruleset: str, kind: str, options: dict[str, Any]) -> None:
    env = getattr(ENVIRONMENTS[ruleset], kind)(**options)
    api_test(env, num_cycles=300)
    assert str(env) == f"{ruleset}_v0"


@pytest.mark.parametrize(("ruleset", "options"), EVERY, ids=str)
def test_seeds(ruleset: str, options: dict[str, Any]) -> None:
    seed_test(lambda: ENVIRONMENTS[ruleset].env(**options), num_cycles=100)


@pytest.mark.parametrize("ruleset", ENVIRONMENTS)
def test_render_modes(ruleset: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(ENVIRONMENTS[ruleset].env, custom_tests={"ansi": lambda text: text.startswith(f"{ruleset} rummy")})
    assert capsys.readouterr().out.count(f"{ruleset} rummy") > 5, "expected the mode human to print"


@pytest.mark.parametrize("ruleset", ENVIRONMENTS)
def test_pettingzoos_benchmark_runs(ruleset: str) -> None:
    performance_benchmark(ENVIRONMENTS[ruleset].env())


# --- what is observed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_seat_sees_its_own_hand_and_only_the_mover_has_a_mask(num_players: int) -> None:
    env = straight_v0.env(num_players=num_players)
    hand = next(field.slice for field in spaces("straight", num_players).fields if field.name == "hand")
    my_turn = next(field.slice for field in spaces("straight", num_players).fields if field.name == "my_turn")
    env.reset(seed=num_players)
    rng = np.random.default_rng(0)
    for _ in range(50):
        game = env.unwrapped.game
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            plays = seat == game.to_play
            assert [card_text(card) for card in np.flatnonzero(seen["observation"][hand])] == game.hand(seat)
            assert seen["observation"][my_turn] == plays
            legal = [game.is_legal(game.move_of(action)) and plays for action in range(len(seen["action_mask"]))]
            np.testing.assert_array_equal(seen["action_mask"], legal)
            np.testing.assert_array_equal(env.infos[agent]["action_mask"], legal)
            assert env.observation_space(agent).contains(seen)
        play(env, rng, 1)
        if not all(agent in env.agents for agent in env.possible_agents) or env.unwrapped.game.over:
            env.reset()


def test_what_was_observed_is_the_observers_own() -> None:
    """Writing into an observation or a mask changes nothing in the environment, nor a step in what was seen."""
    env = straight_v0.env()
    env.reset(seed=1)
    observation, *_, info = env.last()
    kept = copy.deepcopy((observation, info))
    env.step(0)
    np.testing.assert_equal((observation, info), kept)
    observation, *_, info = env.last()
    kept = copy.deepcopy((observation, info))
    for array in (*observation.values(), info["action_mask"]):
        array[:] = 1
    np.testing.assert_equal(env.last()[0], kept[0])


def test_agents_are_named_after_their_seats() -> None:
    env = straight_v0.env(num_players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    env.reset(seed=1)
    assert env.agent_selection == f"player_{env.unwrapped.game.to_play}"


# --- rewards and ends ------------------------------------------------------------------------------------------

RUMMY = {
    "hands": ["7s 7h 7d Kc", "2h 3h", "Qs As"],
    "pile": "9c",
    "stock": "4s 5c 6c Td",
    "phase": "play",
}
"""Seat 0 can put down its whole hand: rummy, twice 2 + 3 + 10 + 1."""


@pytest.mark.parametrize(
    ("options", "rewards"),
    [
        ({}, [0.32, -0.16, -0.16]),
        ({"target": 50}, [0.64, -0.32, -0.32]),
        ({"reward_scale": 10}, [3.2, -1.6, -1.6]),
        ({"rewards": "score"}, [0.32, 0, 0]),
        ({"rewards": "score", "reward_scale": 1.0, "rummy_factor": 1}, [16, 0, 0]),
        ({"rewards": "win"}, [1, -0.5, -0.5]),
    ],
    ids=str,
)
def test_rewards_of_a_rummy(options: dict[str, Any], rewards: list[float]) -> None:
    env = straight_v0.env(num_players=3, **options)
    for seed in (None, 5):  # Resetting with a seed leaves the options as they are.
        env.reset(seed=seed)
        put(env, RUMMY)
        do(env, "meld 7s 7h 7d")
        assert list(env.rewards.values()) == [0, 0, 0]
        do(env, "discard Kc")
        assert list(env.rewards.values()) == pytest.approx(rewards)
        assert env.last()[1] == env.rewards[env.agent_selection]
        assert set(env.terminations.values()) == {True}
        assert set(env.truncations.values()) == {False}
        assert {info["result"].winner for info in env.infos.values()} == {0}
        assert {info["result"].doubled for info in env.infos.values()} == {options.get("rummy_factor") != 1}
        assert not any(info["action_mask"].any() for info in env.infos.values())


def test_after_the_end_every_agent_steps_once_with_none() -> None:
    env = straight_v0.env(num_players=3)
    env.reset()
    put(env, RUMMY)
    do(env, "meld 7s 7h 7d", "discard Kc")
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    rewards = {}
    for agent in env.agent_iter():
        observation, rewards[agent], *_ = env.last()
        assert not observation["action_mask"].any()
        env.step(None)
    assert rewards == pytest.approx({"player_0": 0.32, "player_1": -0.16, "player_2": -0.16})
    assert env.agents == []


def test_rounds_of_a_match_follow_each_other_inside() -> None:
    env = straight_v0.env(match=True, rewards="score", reward_scale=1.0, target=40, first_dealer=0)
    env.reset(seed=3)
    seen = play(env, np.random.default_rng(3))
    games = env.unwrapped._episode.match.games
    assert len(games) > 1
    assert [game.dealer for game in games] == [number % 2 for number in range(len(games))]
    assert max(games[-1].totals) >= 40 > max(games[-2].totals)
    paid = {agent: sum(reward for mover, _, reward, *_ in seen if mover == agent) for agent in env.possible_agents}
    assert tuple(paid.values()) == games[-1].totals, "expected the rewards of all rounds to add up to the totals"
    assert [row[3:5] for row in seen[-2:]] == [(True, False)] * 2
    assert not any(row[3] or row[4] for row in seen[:-2])


def test_the_result_of_a_round_is_told_until_the_next_step() -> None:
    env = straight_v0.env(num_players=3, match=True, first_dealer=2)
    env.reset(seed=1)
    put(env, RUMMY)
    do(env, "meld 7s 7h 7d", "discard Kc")
    first = env.agent_selection
    assert env.unwrapped.totals == (32, 0, 0)
    assert all(info["result"].scores == (32, 0, 0) for info in env.infos.values())
    assert env.last()[1] == pytest.approx(env.rewards[first])
    do(env, "draw")
    assert "result" not in env.infos[first]
    assert all("result" in info for agent, info in env.infos.items() if agent != first)
    assert set(env.rewards.values()) == {0}
    assert env.last()[1] == 0


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_round_of_too_many_turns_is_truncated(num_players: int) -> None:
    env = straight_v0.env(num_players=num_players, max_turns=5)
    env.reset(seed=2)
    seen = play(env, np.random.default_rng(2))
    assert [row[2:5] for row in seen[-num_players:]] == [(0, False, True)] * num_players
    result = seen[-1][5]
    assert (result.void, result.truncated, result.winner) == (True, True, None)
    assert env.unwrapped.game.turn == 5


def test_a_match_of_too_many_rounds_is_truncated() -> None:
    """A round of too many turns is a void one of the match, which goes on."""
    env = straight_v0.env(match=True, max_turns=1, max_rounds=4, hand_size=3)
    env.reset(seed=2)
    seen = play(env, np.random.default_rng(2))
    assert len(env.unwrapped._episode.match.games) == 4
    assert [row[3:5] for row in seen[-2:]] == [(False, True)] * 2


# --- illegal actions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "loses"),
    [
        ("env", {}, True),
        ("raw_env", {"illegal": "lose"}, True),
        ("raw_env", {}, False),
        ("env", {"illegal": "raise"}, False),
    ],
)
@pytest.mark.parametrize("match", [False, True])
def test_an_illegal_action_loses_or_is_refused(kind: str, options: dict[str, Any], loses: bool, match: bool) -> None:
    env = getattr(straight_v0, kind)(num_players=3, match=match, **options)
    env.reset(seed=1)
    seat = env.unwrapped.game.to_play
    before = copy.deepcopy(env)
    discard = next(b.first for b in spaces("straight").actions if b.name == "discard")
    assert describe_action("straight", discard) == "discard As"
    if loses:
        env.step(discard)
        assert list(env.rewards.values()) == [-1 if other == seat else 0.5 for other in range(3)]
        assert set(env.terminations.values()) == {True}
        assert env.infos["player_0"]["result"].void
        return
    with pytest.raises(IllegalMove, match=f"^seat {seat}: discard As is not legal: a turn begins with draw or take"):
        env.step(discard)
    assert play(env, np.random.default_rng(1)) == play(before, np.random.default_rng(1))


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize("action", [306, -1, 10**30, 1.0, "draw", None, [0]])
def test_what_is_no_action_is_refused(illegal: str, action: Any) -> None:
    env = straight_v0.env(illegal=illegal)
    env.reset(seed=1)
    before = copy.deepcopy(env)
    with pytest.raises(ValueError, match=r"^expected .*an action"):
        env.step(action)
    assert play(env, np.random.default_rng(1)) == play(before, np.random.default_rng(1))


@pytest.mark.parametrize("action", [0, np.int8(0), np.int64(0), np.array(0), np.uint64(0)])
def test_whole_numbers_of_every_kind_are_actions(action: Any) -> None:
    env = straight_v0.env()
    env.reset(seed=1)
    env.step(action)
    assert env.unwrapped.game.history == [0]


def test_calls_in_the_wrong_order_are_refused() -> None:
    env = straight_v0.env()
    for call in (env.last, lambda: env.step(0), lambda: env.observe("player_0"), env.render):
        with pytest.raises((AssertionError, AttributeError), match="reset"):
            call()


# --- seeds, copies, options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_seed_deals_what_the_match_of_that_seed_deals(options: dict[str, Any]) -> None:
    env = straight_v0.env(**options)
    rules = Rules.preset("straight", **{k: v for k, v in options.items() if k in Rules.__dataclass_fields__})
    for seed in (0, 7, 2**40):
        env.reset(seed=seed)
        assert env.unwrapped.rules == rules
        assert env.unwrapped.game.position() == Match(rules, seed).game.position()


def test_resets_without_a_seed_go_on_from_the_last_one() -> None:
    def deals(env: Any) -> list[list[str]]:
        found = []
        for _ in range(5):
            env.reset()
            found.append(env.unwrapped.game.hand(0))
        return found

    env, other = straight_v0.env(), straight_v0.env()
    unseeded = deals(env)
    assert unseeded != deals(other)
    env.reset(seed=3)
    other.reset(seed=3)
    seeded = deals(env)
    assert seeded == deals(other)
    assert len({tuple(hand) for hand in seeded + unseeded}) == 10


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    env = straight_v0.env()
    with pytest.raises(ValueError, match="seed: expected a whole number from 0 on"):
        env.reset(seed=seed)


def twins(env: Any) -> dict[str, Any]:
    return {
        "pickle": pickle.loads(pickle.dumps(env)),
        "deepcopy": copy.deepcopy(env),
        "the first itself": env,
    }


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_copies_and_pickles_go_on_as_the_original(options: dict[str, Any], kind: str) -> None:
    """In the middle of an episode, to its end, and in the next episodes; with every option."""
    env = getattr(straight_v0, kind)(**options)
    env.reset(seed=11)
    play(env, np.random.default_rng(1), 40)
    ways = {}
    for name, twin in twins(env).items():
        rng = np.random.default_rng(2)
        way = []
        for _ in range(3):
            way += play(twin, rng)
            twin.reset()
        assert twin.unwrapped.options == env.unwrapped.options
        assert twin.unwrapped.rules == env.unwrapped.rules
        assert twin.render_mode == env.render_mode
        ways[name] = way
    assert ways["pickle"] == ways["deepcopy"] == ways["the first itself"]


def test_copies_before_the_first_reset() -> None:
    for twin in twins(straight_v0.env(num_players=3)).values():
        twin.reset(seed=1)
        assert twin.agents == ["player_0", "player_1", "player_2"]


def test_a_pickle_plays_the_same_in_another_process() -> None:
    env = straight_v0.env(num_players=3, match=True, target=30)
    env.reset(seed=5)
    play(env, np.random.default_rng(1), 25)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply_async(play, (env, np.random.default_rng(2)))
        here = play(copy.deepcopy(env), np.random.default_rng(2))
        assert there.get(60) == here


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 5}, "num_players: expected a whole number from 2 to 4, got 5"),
        ({"num_players": "2"}, "num_players"),
        ({"rewards": "points"}, "rewards: expected one of zero_sum, score, win, got 'points'"),
        ({"reward": "win"}, "'reward' .did you mean 'rewards'"),
        ({"rewards_scale": 1}, "'rewards_scale' .did you mean 'reward_scale'"),
        ({"reward_scale": 0}, "reward_scale: expected a number above 0 or None for the target, got 0"),
        ({"reward_scale": float("nan")}, "reward_scale"),
        ({"match": 1}, "match: expected true or false, got 1"),
        ({"illegal": "ignore"}, "illegal: expected one of lose, raise, got 'ignore'"),
        ({"render_mode": "svg"}, "render_mode: expected None or one of human, ansi, rgb_array, got 'svg'"),
        ({"rendermode": "ansi"}, "'rendermode' .did you mean 'render_mode'"),
        ({"max_turn": 5}, "'max_turn' .did you mean 'max_turns'"),
        ({"ruleset": "rami"}, "'ruleset'"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_options_that_do_not_exist_are_refused(kind: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        getattr(straight_v0, kind)(**options)
