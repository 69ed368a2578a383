"""The Gymnasium vector environment against a slow reference: one `Game` at a time, a few lines of Python."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import rummy_env
from rummy_env import Game, IllegalMove, Rules, gym_vector
from rummy_env.core import batch as kernels
from rummy_env.core.bits import lowest
from rummy_env.core.bot import decider
from rummy_env.core.random import streams
from rummy_env.core.rounds import random_legal
from rummy_env.core.state import new_states
from rummy_env.gym_vector import RummyVectorEnv

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


@pytest.fixture(autouse=True)
def _threads_for_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gym_vector, "FEWEST_TABLES", 1)


def make(num_envs: int = 5, num_players: int = 2, ruleset: str = "straight", **options: Any) -> RummyVectorEnv:
    return RummyVectorEnv(ruleset, num_envs, num_players, **options)


# --- opponents -----------------------------------------------------------------------------------------------


def first_legal(view: Any) -> int:
    """The legal action with the lowest number: draws, and puts down what it can."""
    return int(view.action_mask.argmax())


def last_legal(view: Any) -> int:
    """The legal action with the highest number: takes, and discards."""
    return int(np.flatnonzero(view.action_mask)[-1])


class FirstLegalInBatches:
    """`first_legal` for many tables at once."""

    name = "first_legal"

    def act(self, view: Any) -> int:
        raise AssertionError("expected to be asked for many tables at once")

    def act_batch(self, observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        assert observation.dtype == np.uint8
        assert mask.dtype == np.int8
        assert len(observation) == len(mask)
        return mask.argmax(axis=1)


def _decide_first_legal(rules: Any, view: Any, number: Any) -> Any:
    for word in range(len(view["legal"])):
        if view["legal"][word] != 0:
            return word * 64 + np.int64(lowest(view["legal"][word]))
    return -1


def _decide_by_lot(rules: Any, view: Any, number: Any) -> Any:
    return random_legal(view, number)


def _decide_wrong(rules: Any, view: Any, number: Any) -> Any:
    return 305 if view["phase"] == 0 else 0


class Compiled:
    """An agent that is nothing but a compiled function."""

    def __init__(self, name: str, decide: Callable[..., Any], ruleset: str = "straight") -> None:
        self.name = name
        self.decider = decider(decide, ruleset)

    def act(self, view: Any) -> int:
        raise AssertionError("expected to be called inside the kernel")


COMPILED = {
    ruleset: (Compiled("first_legal", _decide_first_legal, ruleset), Compiled("by_lot", _decide_by_lot, ruleset))
    for ruleset in ("straight", "gin", "indian")
}
"""(first legal action, one by lot) of every ruleset that is compared with the reference."""
COMPILED_FIRST, BY_LOT = COMPILED["straight"]


# --- the reference -------------------------------------------------------------------------------------------


class Chance:
    """A table's generator for bots, in Python: xorshift64, and a number below a bound from its high half."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        x = self.state
        x ^= x << 13 & 2**64 - 1
        x ^= x >> 7
        x ^= x << 17 & 2**64 - 1
        self.state = x
        return x

    def below(self, bound: int) -> int:
        return (self.draw() >> 32) * bound >> 32


class SlowEnv:
    """One table with one learner as Gymnasium's environments are: `reset`, `step`, no autoreset.

    ``opponents``: for each other seat a pool of (opponent, weight); an opponent is a function of a view, or the string
    "by_lot" for a random legal action by the table's own chance. ``compiled``: opponents that the kernel plays, which
    gives each of them a random number of that chance for every decision.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int,
        table: int,
        opponents: list[list[tuple[Any, float]]],
        compiled: list[Any],
        learner_seat: int | None,
        match: bool,
        rewards: str,
    ) -> None:
        self.rules, self.opponents, self.compiled, self.learner_seat = rules, opponents, compiled, learner_seat
        self.match, self.rewards = match, rewards
        deals, chance = streams(seed, 2, first=2 * table)
        self.deals, self.chance = deals, Chance(int(chance))

    def reset(self) -> tuple[list[int], dict[str, Any]]:
        while True:
            self.begin()
            if not self.let_others_play():
                self.owed = self.reward
                return self.tell()

    def begin(self) -> None:
        count = self.rules.num_players
        fixed = self.learner_seat
        self.learner = self.chance.below(count) if fixed is None else fixed
        self.agents = {}
        for distance, pool in enumerate(self.opponents, start=1):
            drawn = self.chance.below(2**31) / 2**31 * sum(weight for _, weight in pool)
            sums = np.cumsum([weight for _, weight in pool])
            self.agents[(self.learner + distance) % count] = pool[int(np.searchsorted(sums, drawn, side="right"))][0]
        states = new_states(self.rules.ruleset, 1)
        kernels.first_round(self.rules.record, states, self.deals, self.rules.first_dealer)
        self.game, self.reward, self.result, self.num_rounds = Game(self.rules, states), 0.0, None, 0
        self.terminated = self.truncated = False

    def let_others_play(self) -> bool:
        """Play until the learner decides; returns whether the episode is over."""
        while True:
            if self.game.over and self.settle():
                return True
            if self.game.to_play == self.learner:
                return False
            agent = self.agents[self.game.to_play]
            number = self.chance.draw() if agent in self.compiled else 0
            if agent == "by_lot":
                legal = self.game.legal_actions()
                self.game.step(legal[(number >> 32) * len(legal) >> 32])
            else:
                self.game.step(agent(self.game.view(self.game.to_play)))

    def settle(self) -> bool:
        """Pay a round that is over; deal the next one or return True."""
        self.result, totals = self.game.result, self.game.totals
        assert self.result is not None
        self.deals = self.game.state["hidden"]["rng"][0]
        count, scores, me = self.rules.num_players, self.result.scores, self.learner
        if self.rewards == "zero_sum":
            self.reward += (scores[me] - (sum(scores) - scores[me]) / (count - 1)) / (self.rules.target or 100)
        elif self.result.winner is not None:
            self.reward += 1 if self.result.winner == me else -1 / (count - 1)
        self.num_rounds += 1
        if not self.match:
            self.terminated, self.truncated = not self.result.truncated, self.result.truncated
        else:
            rounds = self.rules.rounds
            self.terminated = self.num_rounds >= rounds if rounds else max(totals) >= self.rules.target
            self.truncated = not self.terminated and self.num_rounds >= self.rules.max_rounds
        if self.terminated or self.truncated:
            return True
        states = self.game.state.copy()
        kernels.next_round(self.rules.record, states)
        self.game = Game(self.rules, states)
        return False

    def step(self, action: int) -> tuple[list[int], float, bool, bool, dict[str, Any]]:
        self.reward, self.result = self.owed, None
        self.owed = 0.0
        try:
            self.game.step(action)
        except ValueError:
            self.game.forfeit()
            self.result, self.reward, self.terminated = self.game.result, self.reward - 1, True
            self.deals = self.game.state["hidden"]["rng"][0]
        else:
            self.let_others_play()
        observation, info = self.tell()
        return observation, self.reward, self.terminated, self.truncated, info

    def tell(self) -> tuple[list[int], dict[str, Any]]:
        view = self.game.view(self.learner)
        info: dict[str, Any] = {"action_mask": view.action_mask.tolist()}
        if self.result is not None:
            info["result"] = self.result
        if self.terminated or self.truncated:
            names = [getattr(agent, "__name__", agent) for agent in self.agents.values()]
            info |= {"learner_seat": self.learner, "opponents": tuple(names)}
        return view.observation.tolist(), info


def at_table(infos: dict[str, Any], table: int) -> dict[str, Any]:
    """The infos of one table, as a single environment gives them."""
    found = {}
    for key, value in infos.items():
        if not key.startswith("_") and infos[f"_{key}"][table]:
            if isinstance(value, dict):
                found[key] = at_table(value, table)
            else:
                found[key] = value[table].tolist() if hasattr(value[table], "tolist") else value[table]
    return found


CASES: list[dict[str, Any]] = [
    {},
    {"learner_seat": 1},
    {"rewards": "win", "max_turns": 9},
    {"match": True, "target": 60},
    {"match": True, "max_turns": 7, "max_rounds": 3, "learner_seat": 0},
    {"num_players": 3, "opponents": ["first", "last"]},
    {"num_players": 4, "match": True, "target": 40, "first_dealer": 2},
    # Six cards: many rounds are over before the learner plays.
    {"num_ranks": 3, "num_suits": 2, "hand_size": 2, "num_envs": 30},
    {"num_ranks": 3, "num_suits": 2, "hand_size": 2, "match": True, "target": 15, "num_envs": 30},
    {"num_players": 3, "opponents": [("first", 1), ("by_lot", 3), ("last", 0.5)]},
    {"ruleset": "gin", "opponents": [("first", 1), ("by_lot", 3), ("last", 2)]},
    {"ruleset": "gin", "match": True, "target": 40, "knock_limit": 60, "opponents": "last"},
    {"ruleset": "indian", "num_players": 7, "opponents": [("first", 1), ("by_lot", 3)]},
    {"ruleset": "indian", "num_players": 3, "match": True, "max_turns": 9, "opponents": "by_lot"},
]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("in_python", [False, True], ids=["compiled", "python"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_against_the_reference(case: dict[str, Any], in_python: bool, mode: AutoresetMode) -> None:
    """Observations, masks, rewards, ends and infos of every table, with sometimes an illegal action."""
    case = {"num_envs": 4, "num_players": 2, "opponents": "by_lot", "learner_seat": None} | case
    count, num_players, seat = case.pop("num_envs"), case.pop("num_players"), case.pop("learner_seat")
    first, by_lot = COMPILED[case.get("ruleset", "straight")]
    fast = {"by_lot": by_lot, "last": last_legal, "first": first_legal if in_python else first}
    slow = {"by_lot": "by_lot", "last": last_legal, "first": first_legal}
    line_up = case.pop("opponents")
    if isinstance(line_up, str):
        opponents, pools = fast[line_up], [[(slow[line_up], 1.0)]] * (num_players - 1)
    elif isinstance(line_up[0], str):
        opponents, pools = [fast[name] for name in line_up], [[(slow[name], 1.0)] for name in line_up]
    else:
        opponents = [(fast[name], weight) for name, weight in line_up]
        pools = [[(slow[name], weight) for name, weight in line_up]] * (num_players - 1)
    envs = make(count, num_players, opponents=opponents, learner_seat=seat, autoreset_mode=mode, **case)
    rules, match, rewards = envs.rules, case.get("match", False), case.get("rewards", "zero_sum")
    compiled = ["by_lot"] if in_python else ["by_lot", first_legal]
    tables = [SlowEnv(rules, 8, table, pools, compiled, seat, match, rewards) for table in range(count)]

    observations, infos = envs.reset(seed=8)
    for table, env in enumerate(tables):
        observation, info = env.reset()
        assert observations[table].tolist() == observation
        assert at_table(infos, table) == info
    over, num_ended = [False] * count, 0
    rng = np.random.default_rng(3)
    for _ in range(150):
        masks = envs.action_masks()
        assert (masks == infos["action_mask"].astype(bool)).all() or mode == AutoresetMode.NEXT_STEP
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        if rng.random() < 0.1:
            actions[0] = masks[0].argmin()
        observations, rewards_, terminated, truncated, infos = envs.step(actions)
        for table, env in enumerate(tables):
            if over[table]:  # only in next-step autoreset
                expected: tuple[Any, ...] = (*env.reset(), 0.0, False, False)
                observation, info, reward, ended, cut_off = expected
            else:
                observation, reward, ended, cut_off, info = env.step(int(actions[table]))
                if mode == AutoresetMode.SAME_STEP and (ended or cut_off):
                    final = {"final_obs": observation, "final_info": info}
                    observation, info = env.reset()
                    info = {"action_mask": info["action_mask"]} | final
            assert observations[table].tolist() == observation
            assert rewards_[table] == pytest.approx(reward, abs=1e-6)
            assert (terminated[table], truncated[table]) == (ended, cut_off)
            num_ended += ended or cut_off
            over[table] = mode == AutoresetMode.NEXT_STEP and (ended or cut_off)
            if over[table]:
                assert masks.shape[1] == sum(envs.action_masks()[table])
                info["action_mask"] = [1] * masks.shape[1]
            assert at_table(infos, table) == info
    assert num_ended > 5


# --- the same games everywhere -------------------------------------------------------------------------------

MIXED: list[tuple[Any, float]] = [("normal", 2), ("easy", 1), (FirstLegalInBatches(), 1), (last_legal, 1)]


def play(envs: RummyVectorEnv, num_steps: int, num_envs: int | None = None) -> list[Any]:
    """Play the lowest legal action everywhere; what came back from the first tables."""
    seen = []
    for _ in range(num_steps):
        results = envs.step(envs.action_masks().argmax(axis=1))
        seen.append([array[:num_envs].tolist() for array in (*results[:4], envs.action_masks())])
    return seen


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", [{}, {"num_threads": 2}, {"num_threads": 5}, {"copy": False}], ids=str)
def test_games_do_not_depend_on_tables_threads_and_copies(options: dict[str, Any], mode: AutoresetMode) -> None:
    fixed: dict[str, Any] = {"num_players": 3, "opponents": MIXED, "autoreset_mode": mode, "max_turns": 30}
    large, small = make(23, **fixed, **options), make(4, **fixed)
    assert large.reset(seed=1)[0][:4].tolist() == small.reset(seed=1)[0].tolist()
    assert play(large, 100, 4) == play(small, 100)
    large.close()


def test_agents_in_batches_one_by_one_and_compiled_play_alike() -> None:
    """Without chance in the line-up, it does not matter how an agent is written."""
    seen = []
    for agent in (FirstLegalInBatches(), first_legal, COMPILED_FIRST):
        envs = make(6, 3, opponents=agent, learner_seat=1, autoreset_mode=AutoresetMode.SAME_STEP)
        envs.reset(seed=4)
        seen.append(play(envs, 60))
    assert seen[0] == seen[1] == seen[2]


def test_resets() -> None:
    envs = make(8, opponents=BY_LOT)
    first = envs.reset(seed=1)[0].tolist()
    play(envs, 20)
    later = envs.reset()[0].tolist()
    assert later != first
    assert envs.reset(seed=1)[0].tolist() == first
    play(envs, 20)
    assert envs.reset()[0].tolist() == later
    assert make(8, opponents=BY_LOT).reset()[0].tolist() != make(8, opponents=BY_LOT).reset()[0].tolist()


def test_agents_in_python_are_seeded_by_a_reset_with_a_seed() -> None:
    class Chancy:
        name = "chancy"

        def reset(self, seed: int | None = None) -> None:
            self.rng = np.random.default_rng(seed)

        def act(self, view: Any) -> int:
            return int(self.rng.choice(np.flatnonzero(view.action_mask)))

    envs = make(3, opponents=Chancy())
    envs.reset(seed=1)
    first = play(envs, 30)
    envs.reset(seed=1)
    assert play(envs, 30) == first


@pytest.mark.parametrize("opponents", ["normal", MIXED], ids=["normal", "mixed"])
def test_a_pickled_environment_plays_on(opponents: Any) -> None:
    envs = make(5, 3, opponents=opponents, match=True, autoreset_mode="SameStep", num_threads=2, rewards="win")
    envs.reset(seed=1)
    play(envs, 40)
    copy = pickle.loads(pickle.dumps(envs))
    assert copy.metadata == envs.metadata
    assert (copy.action_masks() == envs.action_masks()).all()
    if opponents == "normal":
        assert play(copy, 100) == play(envs, 100)


# --- opponents -----------------------------------------------------------------------------------------------


def line_ups(envs: RummyVectorEnv, num_steps: int) -> list[tuple[str, ...]]:
    """Who played the episodes that ended, step by step."""
    found = []
    for _ in range(num_steps):
        *_, infos = envs.step(envs.action_masks().argmax(axis=1))
        infos = infos.get("final_info", infos)
        if "opponents" in infos:
            found += infos["opponents"][infos["_opponents"]].tolist()
    return found


def test_a_pool_is_drawn_from_by_its_weights() -> None:
    pool = [(COMPILED_FIRST, 3), (BY_LOT, 1), (last_legal, 0)]
    envs = make(200, 3, opponents=pool, autoreset_mode="SameStep", max_turns=2)
    envs.reset(seed=1)
    found = Counter(name for names in line_ups(envs, 60) for name in names)
    assert set(found) == {"first_legal", "by_lot"}
    total = found.total()
    assert total > 5000
    assert abs(found["by_lot"] / total - 0.25) < 0.03


def test_opponents_sit_in_their_order_after_the_learner() -> None:
    envs = make(50, 4, opponents=[COMPILED_FIRST, BY_LOT, last_legal], autoreset_mode="SameStep", max_turns=4)
    envs.reset(seed=1)
    assert set(line_ups(envs, 20)) == {("first_legal", "by_lot", "last_legal")}


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_the_learner_sits_where_it_should(seat: int | None) -> None:
    envs = make(100, 3, opponents=BY_LOT, learner_seat=seat, autoreset_mode="SameStep", max_turns=3)
    envs.reset(seed=1)
    seats: Counter[int] = Counter()
    for _ in range(30):
        *_, infos = envs.step(envs.action_masks().argmax(axis=1))
        if "final_info" in infos:
            seats.update(infos["final_info"]["learner_seat"][infos["_final_info"]].tolist())
    if seat is None:
        assert all(abs(seats[one] / seats.total() - 1 / 3) < 0.1 for one in range(3))
    else:
        assert set(seats) == {seat}


def test_new_opponents_come_with_new_episodes() -> None:
    envs = make(40, opponents=COMPILED_FIRST, autoreset_mode="SameStep", learner_seat=0, max_turns=8)
    envs.reset(seed=1)
    play(envs, 1)
    for agent in [BY_LOT, last_legal, "easy"] * 4:
        envs.set_opponents(agent)
        line_ups(envs, 3)
    envs.set_opponents([(COMPILED_FIRST, 1)])
    line_ups(envs, 30)
    assert set(line_ups(envs, 30)) == {("first_legal",)}
    assert envs.opponents == (COMPILED_FIRST,)


def test_a_running_episode_keeps_its_opponents() -> None:
    """Two environments are alike until an episode ends, although one of them has got new opponents."""
    one, other = (make(1, opponents=COMPILED_FIRST, learner_seat=0) for _ in range(2))
    one.reset(seed=3)
    other.reset(seed=3)
    other.set_opponents(last_legal)
    for _ in range(1000):
        (expected,), (got,) = play(one, 1), play(other, 1)
        assert got == expected
        if got[2][0] or got[3][0]:
            return
    raise AssertionError("expected an episode to end")


def test_opponents_that_do_not_exist_change_nothing() -> None:
    envs = make(4, opponents=COMPILED_FIRST)
    with pytest.raises(ValueError, match=r"opponents: expected a name of .*, got 'norma'"):
        envs.set_opponents([("norma", 1), (BY_LOT, 1)])
    assert envs.opponents == (COMPILED_FIRST,)
    envs.reset(seed=1)
    play(envs, 3)


class Wrong:
    """An agent that answers what it was made with."""

    name = "wrong"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, view: Any) -> Any:
        return self.answer

    def act_batch(self, observation: Any, mask: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("answer", [[0.5] * 4, [0] * 3, None, [[0]] * 4], ids=str)
def test_an_agent_that_answers_nonsense_is_named(answer: Any) -> None:
    envs = make(4, opponents=Wrong(answer), learner_seat=0, first_dealer=0)
    with pytest.raises(ValueError, match="agent wrong: actions: expected 4 whole numbers, one for each table, got"):
        envs.reset(seed=1)


@pytest.mark.parametrize(
    "agent", [Wrong([0, 305, 0, 0]), Compiled("wrong", _decide_wrong)], ids=["in Python", "compiled"]
)
def test_an_agent_that_plays_illegally_is_named(agent: Any) -> None:
    envs = make(4, opponents=agent, learner_seat=0, first_dealer=0)
    with pytest.raises(IllegalMove, match=r"agent wrong: .*table \d"):
        envs.reset(seed=1)
    with pytest.raises(ValueError, match="expected a reset before a step, got none"):
        envs.step([0] * 4)
    envs.set_opponents(BY_LOT)
    envs.reset(seed=1)
    play(envs, 5)


# --- illegal actions, resets by mask, no autoreset -----------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_an_illegal_action_is_refused_with_nothing_changed(mode: AutoresetMode) -> None:
    envs, twin = (make(6, opponents=BY_LOT, illegal="raise", autoreset_mode=mode, num_threads=2) for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    play(envs, 9)
    play(twin, 9)
    actions = envs.action_masks().argmax(axis=1)
    actions[4] = 305 if not envs.action_masks()[4, 305] else 0
    with pytest.raises(IllegalMove, match=f"table 4, seat {envs.game(4).to_play}, action {actions[4]}: "):
        envs.step(actions)
    assert play(envs, 50) == play(twin, 50)


def test_where_an_episode_is_over_any_action_starts_the_next() -> None:
    envs = make(20, opponents=BY_LOT, illegal="raise", max_turns=2)
    envs.reset(seed=1)
    for _ in range(10):
        _, _, terminated, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        over = terminated | truncated
        actions = envs.action_masks().argmax(axis=1)
        actions[over] = [305, -1, 10**9][envs.num_envs % 3]
        assert envs.action_masks()[over].all()
        _, rewards, terminated, truncated, _ = envs.step(actions)
        assert not any(array[over].any() for array in (rewards, terminated, truncated))


@pytest.mark.parametrize("actions", [[0.0] * 3, [True] * 3, [0] * 2, None, [[0]] * 3], ids=str)
def test_what_is_no_row_of_actions_is_refused(actions: Any) -> None:
    envs = make(3, opponents=BY_LOT)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="actions: expected 3 whole numbers, one for each table, got"):
        envs.step(actions)


def test_some_tables_can_be_reset() -> None:
    envs = make(6, opponents=BY_LOT, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = envs.reset(seed=1)
    for _ in range(300):
        observations, _, terminated, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        if (over := terminated | truncated).any():
            break
    with pytest.raises(ValueError, match=f"expected a reset of table {over.argmax()}, whose episode is over, before"):
        envs.step(envs.action_masks().argmax(axis=1))
    after, infos = envs.reset(options={"reset_mask": over})
    assert after[~over].tolist() == observations[~over].tolist()
    assert [envs.game(int(table)).turn for table in np.flatnonzero(over)] <= [1] * int(over.sum())
    assert "result" not in infos
    envs.step(envs.action_masks().argmax(axis=1))


@pytest.mark.parametrize("mask", [[True] * 3, np.ones(3), np.ones(4, bool), np.zeros(3, bool)], ids=str)
def test_other_masks_of_tables_are_refused(mask: Any) -> None:
    envs = make(3, opponents=BY_LOT)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask: expected"):
        envs.reset(options={"reset_mask": mask})


def test_the_first_reset_is_of_every_table() -> None:
    envs = make(2, opponents=BY_LOT)
    with pytest.raises(ValueError, match="expected a reset before a step, got none"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match="expected every table in reset_mask at the first reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ruleset": "bridge"}, "expected a ruleset of straight, rami, indian, gin, got 'bridge'"),
        ({"num_envs": 0}, "num_envs: expected a whole number from 1 to .*, got 0"),
        ({"num_players": 1}, "num_players: expected a whole number from 2 to 4, got 1"),
        ({"opponents": "norma"}, "got 'norma' .did you mean 'normal'"),
        ({"opponents": ["easy", "easy"]}, "opponents: expected one for every other seat or a list of 1"),
        ({"opponents": [("easy", -1)]}, "opponents: expected weights from 0 on, got -1"),
        ({"opponents": None}, "opponents: expected a name, an agent .*, got None"),
        ({"learner_seat": 2}, "learner_seat: expected a seat from 0 to 1 or None, got 2"),
        ({"rewards": "points"}, "rewards: expected one of zero_sum, score, win, got 'points'"),
        ({"illegal": "warn"}, "illegal: expected one of lose, raise, got 'warn'"),
        ({"autoreset_mode": "Never"}, "autoreset_mode: expected one of NextStep, SameStep, Disabled, got 'Never'"),
        ({"num_threads": 0}, "num_threads: expected a whole number from 1 to 1024, got 0"),
        ({"opponent": "easy"}, "got 'opponent' .did you mean 'opponents'"),
        ({"render_mode": "ansi"}, "render_mode"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RummyVectorEnv(**({"ruleset": "straight", "num_envs": 2, "opponents": "easy"} | arguments))


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True, np.True_])
def test_bad_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed: expected a whole number from 0 on or None, got"):
        make(2, opponents=BY_LOT).reset(seed=seed)


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_a_seed_of_numpy_is_that_number(kind: type) -> None:
    found = [make(2).reset(seed=seed)[0].tolist() for seed in (3, kind(3), 4)]
    assert found[0] == found[1] != found[2]


# --- as Gymnasium has it -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_gymnasium_makes_it(mode: AutoresetMode) -> None:
    assert rummy_env.__version__
    envs = gymnasium.make_vec("rummy_env/Straight-v0", num_envs=7, opponents="easy", autoreset_mode=mode)
    inside = envs.unwrapped
    assert isinstance(inside, RummyVectorEnv)
    assert envs.spec is not None
    assert envs.spec.id == "rummy_env/Straight-v0"
    assert envs.metadata["autoreset_mode"] is mode
    assert envs.single_observation_space == gymnasium.spaces.Box(0, 1, (883,), np.uint8)
    assert envs.single_action_space == gymnasium.spaces.Discrete(306)
    recorded = RecordEpisodeStatistics(envs)
    observations, infos = recorded.reset(seed=1)
    assert observations in envs.observation_space
    envs.action_space.seed(1)
    num_ended = num_recorded = 0
    for _ in range(100):  # unmasked samples: illegal ones lose
        observations, rewards, terminated, truncated, infos = recorded.step(envs.action_space.sample())
        assert observations in envs.observation_space
        assert rewards.dtype == np.float32
        assert terminated.dtype == truncated.dtype == np.bool_
        assert inside.action_masks().any(axis=1).all()
        num_ended += int((terminated | truncated).sum())
        num_recorded += int(infos["_episode"].sum()) if "episode" in infos else 0
        if mode == AutoresetMode.SAME_STEP and "final_obs" in infos:
            for table in np.flatnonzero(infos["_final_obs"]):
                assert infos["final_obs"][table] in envs.single_observation_space
    assert num_recorded == num_ended > 50
    recorded.close()


def test_masked_samples_are_legal() -> None:
    envs = make(9, opponents="easy", illegal="raise", autoreset_mode="SameStep")
    _, infos = envs.reset(seed=1)
    for _ in range(50):
        masks = tuple(infos["action_mask"])
        actions = [envs.single_action_space.sample(mask) for mask in masks]
        *_, infos = envs.step(np.array(actions))


def test_copies_stay_and_rows_in_place_change() -> None:
    for copy in (True, False):
        envs = make(3, opponents=BY_LOT, copy=copy)
        observations, infos = envs.reset(seed=1)
        before = observations.copy(), infos["action_mask"].copy()
        play(envs, 2)
        assert (observations.tolist() == before[0].tolist()) == copy
        assert (infos["action_mask"].tolist() == before[1].tolist()) == copy


def test_a_table_can_be_looked_at() -> None:
    envs = make(3, opponents=BY_LOT, learner_seat=1)
    observations, _ = envs.reset(seed=1)
    game = envs.game(2)
    assert isinstance(game, Game)
    assert game.to_play == 1
    assert game.observation(1).tolist() == observations[2].tolist()
    with pytest.raises(ValueError, match="expected a table from 0 to 2, got 3"):
        envs.game(3)


def test_masks_before_the_first_reset_are_refused() -> None:
    envs = RummyVectorEnv("straight", num_envs=2)
    with pytest.raises(ValueError, match="expected a reset before action_masks, got none"):
        envs.action_masks()
    envs.reset(seed=1)
    assert envs.action_masks().any(axis=1).all()
