"""The Gymnasium environment with one learner: Gymnasium's and SB3's checks, who sits where, what is paid."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3
from stable_baselines3.common.vec_env import DummyVecEnv

from rummy_env import Game, IllegalMove, Rules, spaces
from rummy_env.cards import card_text
from rummy_env.registration import VERSIONS, environment_id
from rummy_env.rules import RULESETS, SEATS
from rummy_env.single import RummyEnv

ROOT = Path(__file__).parent.parent

OPTIONS: list[dict[str, Any]] = [
    {},
    {"opponents": "random", "learner_seat": 0, "illegal": "raise", "rewards": "win"},
    {"num_players": 4, "opponents": ["easy", "normal", "random"], "rewards": "score", "reward_scale": 10.0},
    {"num_players": 3, "opponents": [("easy", 1), ("hard", 2)], "match": True, "target": 60},
    {"opponents": "easy", "match": True, "max_turns": 6, "max_rounds": 3, "render_mode": "ansi"},
]


def make(**options: Any) -> RummyEnv:
    env = gymnasium.make("rummy_env/Straight-v0", **options).unwrapped
    assert isinstance(env, RummyEnv)
    return env


def first_legal(view: Any) -> int:
    """An opponent."""
    return int(view.action_mask.argmax())


def play(env: Any, rng: np.random.Generator, steps: int) -> list[Any]:
    """Random legal play from the position that the environment is in; what `step` gave each time."""
    seen = []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        seen.append((observation.tobytes(), reward, terminated, truncated, info["action_mask"].tobytes()))
        if terminated or truncated:
            env.reset()
    return seen


def play_episode(env: Any, rng: np.random.Generator) -> tuple[list[float], bool, bool, dict[str, Any]]:
    rewards = []
    while True:
        _, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        rewards.append(reward)
        if terminated or truncated:
            return rewards, terminated, truncated, info


# --- checks of others ------------------------------------------------------------------------------------------


# Indian's only player so far is random.
CHECKED = [
    (ruleset, o)
    for ruleset in VERSIONS
    for o in OPTIONS
    if o.get("illegal") != "raise" and o.get("num_players", 2) <= SEATS[ruleset][1] and ruleset != "indian"
]
CHECKED += [("indian", {"opponents": "random", "match": match, "illegal": "lose"}) for match in (False, True)]


@pytest.mark.parametrize(("ruleset", "options"), CHECKED, ids=str)
@pytest.mark.filterwarnings("error")
def test_checks_of_gymnasium_and_sb3(ruleset: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(environment_id(ruleset), **options)
    check_env(env.unwrapped)
    check_env_for_sb3(env)
    check_env_for_sb3(env.unwrapped)


@pytest.mark.parametrize("mode", RummyEnv.metadata["render_modes"])
def test_render_modes(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode=mode)
    env.reset(seed=1)
    env.step(0)
    shown = env.render()
    printed = capsys.readouterr().out
    if mode == "human":
        assert shown is None
        assert printed.count("straight rummy, turn") == 3, "expected reset, step and render to print"
    else:
        assert printed == ""
        assert isinstance(shown, str if mode == "ansi" else np.ndarray)


def test_masks_reach_sb3_contrib() -> None:
    envs = DummyVecEnv([lambda: gymnasium.make("rummy_env/Straight-v0")])
    assert is_masking_supported(envs)
    envs.reset()
    masks = get_action_masks(envs)
    assert masks.shape == (1, spaces("straight").num_actions)
    assert masks.dtype == np.bool_
    assert masks.any()


# --- ids -------------------------------------------------------------------------------------------------------


def test_every_ruleset_has_an_id() -> None:
    assert set(VERSIONS) <= set(RULESETS)


@pytest.mark.parametrize(
    "code",
    [
        "import rummy_env, gymnasium; env = gymnasium.make('rummy_env/Straight-v0', opponents=lambda view: 0)",
        "import gymnasium, rummy_env; env = gymnasium.make('rummy_env/Straight-v0', opponents=lambda view: 0)",
        "import gymnasium; env = gymnasium.make('rummy_env:rummy_env/Straight-v0', opponents=lambda view: 0)",
    ],
)
def test_ids_are_known_as_soon_as_the_package_is_imported(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(type(env.unwrapped).__name__)"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == "RummyEnv\n", done.stderr


def test_importing_the_package_loads_neither_the_compiler_nor_what_draws() -> None:
    heavy = {"numba", "pettingzoo", "PIL", "torch", "agents", "onnxruntime"}
    code = f"import sys, rummy_env; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "[]\n"


# --- what the learner sees -------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_learner_sees_its_own_hand_and_decides_when_it_is_to_play(num_players: int) -> None:
    env = make(num_players=num_players, opponents="random", match=True)
    hand = next(field.slice for field in spaces("straight", num_players).fields if field.name == "hand")
    rng = np.random.default_rng(num_players)
    observation, info = env.reset(seed=num_players)
    for _ in range(60):
        game = env.game
        assert game.to_play == env.learner_seat
        assert [card_text(card) for card in np.flatnonzero(observation[hand])] == game.hand(env.learner_seat)
        legal = [game.is_legal(game.move_of(action)) for action in range(len(info["action_mask"]))]
        np.testing.assert_array_equal(info["action_mask"], legal)
        np.testing.assert_array_equal(env.action_masks(), legal)
        assert env.observation_space.contains(observation)
        observation, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(legal)))
        if terminated:
            observation, info = env.reset()


def test_what_is_seen_at_the_end_is_the_end() -> None:
    env = make(opponents="normal")
    env.reset(seed=5)
    *_, info = play_episode(env, np.random.default_rng(5))
    assert env.game.over
    assert not env.action_masks().any()
    assert not info["action_mask"].any()
    assert info["result"] == env.game.result
    assert info["learner_seat"] == env.learner_seat
    assert info["opponents"] == ("normal",)


# --- who sits where --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_fixed_seat_stays(seat: int) -> None:
    env = make(num_players=3, opponents=first_legal, learner_seat=seat)
    for seed in range(5):
        env.reset(seed=seed)
        assert env.learner_seat == seat
        assert env.game.to_play == seat


def test_a_drawn_seat_changes_and_every_seat_comes_up() -> None:
    env = make(num_players=3, opponents=first_legal)
    env.reset(seed=1)
    seats = []
    for _ in range(150):
        env.reset()
        seats.append(env.learner_seat)
    counts = np.bincount(seats, minlength=3)
    assert (counts > 30).all(), f"expected about 50 episodes for every seat, got {counts}"


def test_opponents_of_a_list_sit_after_the_learner_and_see_only_their_own_hands() -> None:
    env: RummyEnv
    calls: list[tuple[str, int]] = []

    def spy(name: str) -> Any:
        def act(view: Any) -> int:
            calls.append((name, view.seat))
            assert view.seat == view.to_play == env.game.to_play
            assert view.hand == env.game.hand(view.seat)
            return first_legal(view)

        return act

    env = make(num_players=4, opponents=[spy("first"), spy("second"), spy("third")], learner_seat=2)
    env.reset(seed=1)
    play(env, np.random.default_rng(1), 50)
    assert set(calls) == {("first", 3), ("second", 0), ("third", 1)}
    assert tuple(env.opponents) == (3, 0, 1)


class Named:
    """An agent that counts its seeds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seeds: list[int] = []

    def reset(self, seed: int | None = None) -> None:
        assert seed is not None
        self.seeds.append(seed)

    def act(self, view: Any) -> int:
        return first_legal(view)


def test_opponents_of_a_pool_are_drawn_by_weight_for_every_seat_and_episode() -> None:
    rare, often, never = Named("rare"), Named("often"), Named("never")
    env = make(num_players=3, opponents=[(rare, 1), (often, 3), (never, 0)], learner_seat=0)
    env.reset(seed=1)
    names = []
    for _ in range(100):
        env.reset()
        names += [agent.name for agent in env.opponents.values()]
    assert set(names) == {"rare", "often"}
    assert 25 < names.count("rare") < 80, f"expected about 50 of 200, got {names.count('rare')}"
    assert len(set(rare.seeds + often.seeds)) == len(rare.seeds + often.seeds) >= 200


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_an_opponent_that_plays_what_is_illegal_is_named(illegal: str) -> None:
    def cheat(view: Any) -> int:
        return int(view.action_mask.argmin())

    env = make(opponents=cheat, learner_seat=0, illegal=illegal, first_dealer=0)
    with pytest.raises(IllegalMove, match=r"^opponent cheat: seat 1: .* is not legal"):
        env.reset(seed=1)


# --- rewards and ends ------------------------------------------------------------------------------------------


def put(env: RummyEnv, position: dict[str, Any]) -> None:
    """Let the episode go on from a position."""
    env._episode.match.games[-1] = Game.from_position(env.rules, position)


WINS: dict[str, Any] = {"hands": ["7s 7h 7d", "Ks 4d", "2c"], "phase": "play", "stock": "5c 6c"}
"""The learner in seat 0 lays down its sevens and is out; 14 and 2 points are left, doubled for rummy: 64 - nothing."""

LOSES: dict[str, Any] = {"hands": ["Qs 5h Jc", "7s 7h 7d", "2c"], "phase": "play", "stock": "5c 6c", "pile": "9s"}
"""The learner discards its jack; the next player draws a five, lays down three sevens and discards the five."""


def sevens(view: Any) -> int:
    """Lays down sevens, discards the highest card that it may, draws."""
    melds = next(block for block in spaces("straight").actions if block.name == "meld_set")
    legal = np.flatnonzero(view.action_mask)
    down = [action for action in legal if action in melds]
    return int(down[0] if down else legal[-1] if view.phase == "play" else legal[0])


@pytest.mark.parametrize(
    ("options", "won", "lost"),
    [
        ({}, 0.32, -0.17),
        ({"reward_scale": 1}, 32, -17),
        ({"rewards": "score"}, 0.32, 0),
        ({"rewards": "win"}, 1, -0.5),
    ],
    ids=str,
)
def test_rewards_of_a_round(options: dict[str, Any], won: float, lost: float) -> None:
    """Won: 10 + 4 + 2, doubled, against nothing. Lost: another gets 10 + 5 + 2, doubled: 0 - (34 + 0) / 2."""
    env = make(num_players=3, opponents=sevens, learner_seat=0, **options)
    meld, discard = (
        next(b.first for b in spaces("straight").actions if b.name == name) for name in ("meld_set", "discard")
    )
    env.reset(seed=1)
    put(env, WINS)
    left_out = 39 + 6
    _, reward, terminated, truncated, info = env.step(meld + left_out)
    assert (reward, terminated, truncated) == (pytest.approx(won), True, False)
    assert info["result"].winner == 0
    env.reset(seed=1)
    put(env, LOSES)
    jack = 39 + 10
    _, reward, terminated, truncated, info = env.step(discard + jack)
    assert (reward, terminated, truncated) == (pytest.approx(lost), True, False)
    assert info["result"].winner == 1


def test_a_match_pays_every_round_and_ends_at_the_target() -> None:
    env = make(opponents="random", match=True, target=50, rewards="score", reward_scale=1)
    for seed in range(3):
        env.reset(seed=seed)
        rewards, terminated, truncated, info = play_episode(env, np.random.default_rng(seed))
        assert (terminated, truncated) == (True, False)
        assert max(env.totals) >= 50
        # Rounds that were over before the learner's first decision are paid with that decision.
        assert sum(rewards) == env.totals[env.learner_seat]
        assert info["result"].scores[info["result"].winner] > 0


@pytest.mark.parametrize("match", [False, True])
def test_limits_truncate(match: bool) -> None:
    env = make(opponents="random", match=match, max_turns=4, max_rounds=3)
    env.reset(seed=1)
    rewards, terminated, truncated, info = play_episode(env, np.random.default_rng(1))
    assert (sum(rewards), terminated, truncated) == (0, False, True)
    assert info["result"].truncated
    assert len(env._episode.match.games) == (3 if match else 1)


def test_an_illegal_action_loses() -> None:
    env = make(num_players=3, opponents="random")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(env.action_masks().argmin())
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["result"].void
    with pytest.raises(ValueError, match="expected a reset before this step"):
        env.step(0)


def test_an_illegal_action_is_refused_with_nothing_changed() -> None:
    env = make(opponents="random", illegal="raise")
    env.reset(seed=1)
    before = copy.deepcopy(env)
    with pytest.raises(IllegalMove, match=rf"^seat {env.learner_seat}: .* is not legal"):
        env.step(env.action_masks().argmin())
    assert play(env, np.random.default_rng(1), 100) == play(before, np.random.default_rng(1), 100)


@pytest.mark.parametrize("action", [306, -1, 1.0, "draw", None])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = make(opponents="random")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^expected .*an action"):
        env.step(action)


def test_an_episode_without_a_decision_of_the_learner_is_passed_over() -> None:
    """Seat 1 starts, and the round is over after one turn: the learner has a decision where it sits in seat 1."""
    env = make(opponents="random", first_dealer=0, max_turns=1)
    for seed in range(10):
        env.reset(seed=seed)
        assert env.learner_seat == 1
    with pytest.raises(ValueError, match="expected rules by which the learner gets to play"):
        make(opponents=first_legal, first_dealer=0, max_turns=1, learner_seat=0).reset()


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a reset before this step"):
        RummyEnv().step(0)


# --- seeds, copies, options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, np.True_])
def test_a_seed_that_is_none_is_refused_and_nothing_changes(seed: Any) -> None:
    env = make()
    env.reset(seed=3)
    before = env.game.position()
    with pytest.raises(ValueError, match="seed: expected a whole number from 0 on or None, got"):
        env.reset(seed=seed)
    assert env.game.position() == before


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_a_seed_of_numpy_is_that_number(kind: type) -> None:
    found = []
    for seed in (3, kind(3), 4):
        env = make()
        env.reset(seed=seed)
        found.append(env.game.position())
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_seed_plays_the_same_and_leaves_the_options_as_they_are(options: dict[str, Any]) -> None:
    env, other = make(**options), make(**options)
    ways = []
    for one in (env, other, env):
        before = (one.rules, one.options)
        one.reset(seed=3)
        ways.append(play(one, np.random.default_rng(3), 200))
        assert (one.rules, one.options) == before
    assert ways[0] == ways[1] == ways[2]
    env.reset(seed=4)
    assert play(env, np.random.default_rng(3), 200) != ways[0]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_copies_and_pickles_go_on_as_the_original(options: dict[str, Any]) -> None:
    env = make(**options)
    env.reset(seed=7)
    play(env, np.random.default_rng(1), 30)
    ways = [
        play(one, np.random.default_rng(2), 200) for one in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env)
    ]
    assert ways[0] == ways[1] == ways[2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 5}, "num_players: expected a whole number from 2 to 4, got 5"),
        ({"oponents": "easy"}, "'oponents' .did you mean 'opponents'"),
        ({"opponents": "eazy"}, "expected a name of .*easy.*, got 'eazy' .did you mean 'easy'"),
        ({"opponents": ["easy", "easy"]}, "expected one for every other seat or a list of 1, got 2"),
        ({"learner_seat": 2}, "learner_seat: expected a seat from 0 to 1 or None, got 2"),
        ({"learner_seat": True}, "learner_seat"),
        ({"rewards": "points"}, "rewards: expected one of zero_sum, score, win, got 'points'"),
        ({"reward_scale": -1}, "reward_scale"),
        ({"match": "yes"}, "match: expected true or false, got 'yes'"),
        ({"illegal": "ignore"}, "illegal: expected one of lose, raise, got 'ignore'"),
        ({"max_turn": 5}, "'max_turn' .did you mean 'max_turns'"),
        ({"ruleset": "canasta"}, "expected a ruleset of straight, rami, indian, gin, got 'canasta'"),
    ],
    ids=str,
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        gymnasium.make("rummy_env/Straight-v0", **options)


def test_a_render_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="render_mode: expected None or one of human, ansi, rgb_array, got 'svg'"):
        RummyEnv(render_mode="svg")


def test_rules_are_those_asked_for() -> None:
    env = make(num_players=3, opponents=first_legal, ace_points=11, target=300)
    assert env.rules == Rules.preset("straight", num_players=3, ace_points=11, target=300)


@pytest.mark.parametrize("ask", ["action_masks", "game", "totals"])
def test_before_the_first_reset_there_is_nothing_to_see(ask: str) -> None:
    env = RummyEnv("straight", learner_seat=np.int64(1))
    with pytest.raises(ValueError, match="expected a reset before anything else, got none"):
        env.action_masks() if ask == "action_masks" else getattr(env, ask)
    env.reset(seed=1)
    assert env.action_masks().any()
    assert env.learner_seat == 1
