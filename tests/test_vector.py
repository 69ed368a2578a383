"""The turn batch: the same games as `Game` plays, whatever the number of tables and threads; nothing half done."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rummy_env import Game, IllegalMove, Rules, vector
from rummy_env.core.random import streams
from rummy_env.vector import Batch, make

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _threads_for_any_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "FEWEST_TABLES", 1)
    monkeypatch.setattr(vector, "FEWEST_GLANCES", 1)


def test_threads_are_only_used_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    parts = {count: make("straight", count, num_threads=4)._parts.bounds for count in (1, 4095, 4096, 8192, 9000)}
    assert {count: len(bounds) for count, bounds in parts.items()} == {1: 1, 4095: 1, 4096: 2, 8192: 4, 9000: 4}
    for count, bounds in parts.items():
        assert [table for lo, hi in bounds for table in range(lo, hi)] == list(range(count))


def facts(states: npt.NDArray[np.void]) -> dict[str, Any]:
    """Every field of tables; the bytes between the fields mean nothing."""
    return {
        f"{part}.{name}": states[part][name].tolist()
        for part in ("view", "hidden")
        for name in states.dtype[part].names or ()
    }


def everything(batch: Batch) -> list[Any]:
    """All that a batch shows and holds, hidden cards and chance included."""
    tables = np.concatenate([batch.game(table).state for table in range(batch.num_envs)])
    return [batch.observation.tobytes(), batch.action_mask.tobytes(), batch.player.tolist(), facts(tables)]


def play(batch: Batch, num_steps: int) -> str:
    """Random legal play; the digest of all that came back."""
    digest = hashlib.sha256()
    for _ in range(num_steps):
        actions = batch.sample_actions()
        for array in (actions, *batch.step(actions), batch.observation, batch.action_mask, batch.player):
            digest.update(np.ascontiguousarray(array).tobytes())
        ended = batch.ended
        for array in (ended.tables, ended.winners, ended.scores, ended.observations(0)):
            digest.update(array.tobytes())
    return digest.hexdigest()


def illegal_actions(batch: Batch) -> npt.NDArray[np.int64]:
    """For every table the first action that is not legal there."""
    return batch.action_mask.argmin(axis=1)


# --- what it shows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "size"), [(2, 883), (3, 1067), (4, 1251)])
def test_arrays_have_the_shapes_of_the_tables(num_players: int, size: int) -> None:
    batch = make("straight", 5, num_players, seed=1)
    assert batch.observation.shape == (5, size)
    assert batch.observation.dtype == np.uint8
    assert batch.action_mask.shape == (5, 306)
    assert batch.action_mask.dtype == np.int8
    assert batch.player.shape == (5,)
    assert batch.player.dtype == np.int32
    rewards, terminated, truncated = batch.step(batch.sample_actions())
    assert rewards.shape == (5, num_players)
    assert rewards.dtype == np.float32
    assert terminated.shape == truncated.shape == (5,)
    assert terminated.dtype == truncated.dtype == np.bool_


def test_rows_are_rewritten_in_place_and_what_a_step_returns_is_not() -> None:
    batch = make("straight", 4, seed=1)
    rows = batch.observation, batch.action_mask, batch.player
    first = batch.step(batch.sample_actions())
    kept = [array.copy() for array in first]
    for _ in range(400):
        batch.step(batch.sample_actions())
    assert rows[0] is batch.observation
    assert rows[1] is batch.action_mask
    assert rows[2] is batch.player
    assert all((array == copy).all() for array, copy in zip(first, kept, strict=True))


@pytest.mark.core
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("match", [False, True])
def test_a_batch_plays_what_game_plays(num_players: int, match: bool) -> None:
    """Every table is followed by a `Game` that is given the same actions, also across the end of rounds."""
    batch = make("straight", 3, num_players, seed=5, match=match, max_turns=24, target=30)
    for _ in range(120):
        actions = batch.sample_actions()
        games = [batch.game(table) for table in range(3)]
        for table, game in enumerate(games):
            seat = game.to_play
            assert batch.player[table] == seat
            assert batch.observation[table].tolist() == game.observation(seat).tolist()
            assert batch.action_mask[table].tolist() == game.action_mask(seat).tolist()
            game.step(int(actions[table]))
        rewards, _, _ = batch.step(actions)
        ended = batch.ended
        assert ended.tables.tolist() == [table for table, game in enumerate(games) if game.over]
        for k, table in enumerate(ended.tables):
            game = games[table]
            assert ended.result(k) == game.result
            assert ended.game(k).position() == game.position()
            for seat in range(num_players):
                assert ended.observations(seat)[k].tolist() == game.observation(seat).tolist()
        for table, game in enumerate(games):
            if not game.over:
                assert facts(game.state) == facts(batch.game(table).state)
                assert not rewards[table].any()


def test_table_i_is_the_match_of_its_stream() -> None:
    """The chance of table i comes from the seed and i alone."""
    batch = make("straight", 6, seed=11)
    hidden = np.concatenate([batch.game(table).state for table in range(6)])["hidden"]
    assert hidden["bot_rng"].tolist() == streams(11, 12)[1::2].tolist()
    assert len({batch.game(table).position()["stock"] for table in range(6)}) == 6


# --- same seed, same games -----------------------------------------------------------------------------------


@pytest.mark.parametrize("match", [False, True])
def test_games_do_not_depend_on_the_number_of_tables(match: bool) -> None:
    large, small = (make("straight", count, 3, seed=3, match=match, max_turns=30) for count in (100, 7))
    for _ in range(200):
        actions = large.sample_actions()
        assert small.sample_actions().tolist() == actions[:7].tolist()
        for one, other in zip(large.step(actions), small.step(actions[:7]), strict=True):
            assert one[:7].tolist() == other.tolist()
    assert small.observation.tolist() == large.observation[:7].tolist()
    assert small.action_mask.tolist() == large.action_mask[:7].tolist()
    assert all(facts(small.game(table).state) == facts(large.game(table).state) for table in range(7))


@pytest.mark.parametrize("num_threads", [2, 3, 8, 64])
def test_games_do_not_depend_on_threads(num_threads: int) -> None:
    alone = make("straight", 37, seed=3, max_turns=30)
    shared = make("straight", 37, seed=3, max_turns=30, num_threads=num_threads)
    assert play(alone, 100) == play(shared, 100)
    assert everything(alone) == everything(shared)
    shared.close()
    assert play(alone, 10) == play(shared, 10)
    shared.close()


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from test_vector import make, play
print(play(make("straight", 4, 3, seed=9, max_turns=20), 40))
"""


@pytest.mark.parametrize("environment", [{}, {"NUMBA_DISABLE_JIT": "1"}], ids=["compiled", "uncompiled"])
def test_games_do_not_depend_on_the_process_nor_on_compilation(environment: dict[str, str]) -> None:
    script = SCRIPT.format(tests=str(Path(__file__).parent))
    output = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "5"} | environment,
    )
    assert output.stdout.strip() == play(make("straight", 4, 3, seed=9, max_turns=20), 40)


def test_reset_with_a_seed_is_a_new_batch_of_that_seed() -> None:
    batch = make("straight", 8, seed=1)
    play(batch, 50)
    batch.reset(seed=2)
    assert len(batch.ended) == 0
    assert everything(batch) == everything(make("straight", 8, seed=2))


def test_reset_without_a_seed_goes_on_with_the_tables_chance() -> None:
    one, other = make("straight", 8, seed=1), make("straight", 8, seed=1)
    before = everything(one)
    one.reset()
    other.reset()
    assert everything(one) == everything(other)
    assert everything(one) != before


def test_without_a_seed_no_two_batches_are_alike() -> None:
    assert everything(make("straight", 3)) != everything(make("straight", 3))


def test_play_randomly_is_random_stepping() -> None:
    """Rounds of one endless match: the same as steps with sampled actions."""
    options: dict[str, Any] = {"seed": 4, "max_turns": 20}
    inside = make("straight", 6, **options)
    stepped = make("straight", 6, match=True, target=100_000, max_rounds=10_000, **options)
    assert inside.play_randomly(150) == 900
    play(stepped, 150)
    assert everything(inside) == everything(stepped)


def test_sampled_actions_are_legal_and_each_comes_up() -> None:
    batch = make("straight", 400, seed=2)
    assert batch.sample_actions().dtype == np.int64
    batch.step(np.zeros(400, int))  # everybody draws: 11 cards, 11 discards and perhaps melds
    seen = np.zeros((400, 306), bool)
    for _ in range(300):
        seen[np.arange(400), batch.sample_actions()] = True
    assert (seen == batch.action_mask.astype(bool)).all()


# --- the end of rounds ---------------------------------------------------------------------------------------


def steps_with_ends(batch: Batch, num_steps: int) -> Any:
    """Random play; (ended, rewards, terminated, truncated) of the steps in which rounds ended."""
    for _ in range(num_steps):
        rewards, terminated, truncated = batch.step(batch.sample_actions())
        ended = batch.ended
        quiet = np.ones(batch.num_envs, bool)
        quiet[ended.tables] = False
        assert not rewards[quiet].any()
        assert not terminated[quiet].any()
        assert not truncated[quiet].any()
        if len(ended):
            yield ended, rewards[ended.tables], terminated[ended.tables], truncated[ended.tables]


@pytest.mark.parametrize("num_players", [2, 4])
@pytest.mark.parametrize("scale", [None, 10.0])
def test_zero_sum_rewards(num_players: int, scale: float | None) -> None:
    batch = make("straight", 200, num_players, seed=1, reward_scale=scale)
    count = 0
    for ended, rewards, terminated, truncated in steps_with_ends(batch, 500):
        assert rewards.sum(axis=1) == pytest.approx(0, abs=1e-5)
        assert truncated.tolist() == (ended.winners == -1).tolist() == (~terminated).tolist()
        assert not rewards[truncated].any()
        for winner, scores, paid in zip(ended.winners, ended.scores, rewards, strict=True):
            if winner == -1:
                continue
            assert paid[winner] == pytest.approx(scores[winner] / (scale or 100), abs=1e-5)
            others = [-scores[winner] / (scale or 100) / (num_players - 1)] * (num_players - 1)
            assert np.delete(paid, winner) == pytest.approx(others, abs=1e-5)
            count += 1
    assert count > 50


def test_scores_as_rewards() -> None:
    batch = make("straight", 200, 3, seed=1, rewards="score", reward_scale=1)
    for ended, rewards, _, _ in steps_with_ends(batch, 400):
        assert rewards.tolist() == ended.scores.tolist()


def test_wins_as_rewards() -> None:
    batch = make("straight", 200, 3, seed=1, rewards="win")
    for ended, rewards, _, _ in steps_with_ends(batch, 400):
        expected = np.where(ended.winners[:, None] == np.arange(3), 1, -0.5)
        expected[ended.winners == -1] = 0
        assert rewards.tolist() == expected.tolist()


@pytest.mark.parametrize("rewards", ["zero_sum", "score", "win"])
def test_too_many_turns_truncate_and_pay_nothing(rewards: str) -> None:
    """All tables end at once, far more than the batch has room for at first."""
    batch = make("straight", 300, seed=1, max_turns=1, rewards=rewards)
    batch.step(np.zeros(300, int))
    discards = 306 - batch.action_mask[:, ::-1].argmax(axis=1) - 1
    paid, terminated, truncated = batch.step(discards)
    assert truncated.all()
    assert not terminated.any()
    assert not paid.any()
    ended = batch.ended
    assert ended.tables.tolist() == list(range(300))
    assert ended.void.all()
    assert ended.truncated.all()
    assert (ended.winners == -1).all()
    assert (batch.action_mask.sum(axis=1) == 2).all()  # draw or take, in new rounds


def test_a_match_goes_on_to_its_target() -> None:
    batch = make("straight", 50, 3, seed=1, match=True, target=60)
    totals = np.zeros((50, 3), int)
    dealers = np.array([batch.game(table).dealer for table in range(50)])
    num_matches = num_rounds = 0
    for ended, rewards, terminated, truncated in steps_with_ends(batch, 4000):
        num_rounds += len(ended)
        totals[ended.tables] += ended.scores
        assert ended.totals.tolist() == totals[ended.tables].tolist()
        assert terminated.tolist() == (ended.totals.max(axis=1) >= 60).tolist()
        assert not truncated.any()
        assert rewards.any(axis=1).tolist() == ended.scores.any(axis=1).tolist()
        for table, over in zip(ended.tables, terminated, strict=True):
            if over:
                num_matches += 1
                totals[table] = 0
            else:
                assert batch.game(table).dealer == (dealers[table] + 1) % 3
            dealers[table] = batch.game(table).dealer
    assert num_matches > 20
    assert num_rounds > num_matches


def test_a_match_of_too_many_rounds_is_truncated() -> None:
    batch = make("straight", 20, seed=1, match=True, max_rounds=2, max_turns=3)
    ends = [(terminated, truncated) for _, _, terminated, truncated in steps_with_ends(batch, 60)]
    assert not any(terminated.any() for terminated, _ in ends)
    assert any(truncated.any() for _, truncated in ends)
    assert any((~truncated).any() for _, truncated in ends)


def test_the_ended_tables_of_a_step_stay_as_they_were() -> None:
    batch = make("straight", 300, seed=1)
    ended = batch.ended
    assert len(ended) == 0
    assert ended.winners.shape == (0,)
    assert ended.observations(0).shape == (0, 883)
    kept = next(found for found, *_ in steps_with_ends(batch, 200))
    before = kept.tables.tolist(), kept.scores.tolist(), kept.observations(1).tolist(), kept.result(0)
    play(batch, 200)
    assert before == (kept.tables.tolist(), kept.scores.tolist(), kept.observations(1).tolist(), kept.result(0))


# --- illegal actions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("action", [-1, -(2**63), 306, 2**62, "illegal"])
@pytest.mark.parametrize("table", [0, 17, 29])
def test_an_illegal_action_is_refused_with_nothing_changed(num_threads: int, action: Any, table: int) -> None:
    batch = make("straight", 30, 3, seed=7, num_threads=num_threads)
    play(batch, 31)
    actions = batch.sample_actions()
    before = everything(batch)
    wrong = actions.copy()
    wrong[table] = illegal_actions(batch)[table] if action == "illegal" else action
    seat = batch.player[table]
    with pytest.raises(IllegalMove, match=f"table {table}, seat {seat}, action {wrong[table]}: "):
        batch.step(wrong)
    assert everything(batch) == before
    batch.step(actions)
    assert everything(batch) != before


def test_the_reason_is_that_of_the_rules() -> None:
    batch = make("straight", 2, seed=7)
    with pytest.raises(IllegalMove, match=r"table 1, seat \d, action 305: discard Kc is not legal: a turn begins with"):
        batch.step([0, 305])


@pytest.mark.parametrize("match", [False, True])
def test_an_illegal_action_loses_where_that_is_wanted(match: bool) -> None:
    batch = make("straight", 30, 3, seed=7, illegal="lose", match=match)
    play(batch, 31)
    actions = batch.sample_actions()
    actions[3], actions[12], actions[20] = illegal_actions(batch)[3], -5, 10**15
    seats = batch.player[[3, 12, 20]]
    rewards, terminated, truncated = batch.step(actions)
    ended = batch.ended
    places = np.searchsorted(ended.tables, [3, 12, 20])
    assert ended.tables[places].tolist() == [3, 12, 20]
    assert ended.losers[places].tolist() == seats.tolist()
    assert (ended.winners[places] == -1).all()
    assert terminated[[3, 12, 20]].all()
    assert not truncated[[3, 12, 20]].any()
    for table, seat in zip([3, 12, 20], seats, strict=True):
        assert rewards[table].tolist() == [-1 if other == seat else 0.5 for other in range(3)]
        assert batch.game(table).turn == 0
        assert batch.game(table).totals == (0, 0, 0)


@pytest.mark.parametrize(
    "actions",
    [
        [0.0, 0.0, 0.0],
        [True, True, True],
        [0, 0],
        [0, 0, 0, 0],
        [[0, 0, 0]],
        0,
        None,
        ["draw", "draw", "draw"],
        np.zeros((3, 1), int),
    ],
    ids=repr,
)
def test_what_is_no_row_of_actions_is_refused(actions: Any) -> None:
    batch = make("straight", 3, seed=1)
    before = everything(batch)
    with pytest.raises(ValueError, match="actions: expected 3 whole numbers, one for each table, got "):
        batch.step(actions)
    assert everything(batch) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_any_whole_numbers_are_actions(dtype: type) -> None:
    batch = make("straight", 3, seed=1)
    batch.step(np.zeros(6, dtype)[::2])
    assert (batch.action_mask[:, 0] == 0).all()


# --- single tables -------------------------------------------------------------------------------------------


def test_a_game_of_a_table_goes_its_own_way() -> None:
    batch = make("straight", 3, seed=1)
    before = everything(batch)
    game = batch.game(2)
    assert isinstance(game, Game)
    game.play("draw")
    assert everything(batch) == before


@pytest.mark.parametrize("table", [-1, 3, 1.0, True, "0"])
def test_no_game_of_a_table_that_is_not_there(table: Any) -> None:
    with pytest.raises(ValueError, match="expected a table from 0 to 2, got"):
        make("straight", 3, seed=1).game(table)


def test_any_seat_can_be_observed() -> None:
    batch = make("straight", 9, 3, seed=1)
    play(batch, 37)
    before = everything(batch)
    for seat in range(3):
        for table, row in enumerate(batch.observe(seat)):
            assert row.tolist() == batch.game(table).observation(seat).tolist()
    assert everything(batch) == before
    with pytest.raises(ValueError, match="expected a seat from 0 to 2, got 3"):
        batch.observe(3)


# --- making, keeping -----------------------------------------------------------------------------------------


def test_rules_of_ones_own() -> None:
    batch = Batch(Rules.preset("straight", num_ranks=5, num_suits=2, hand_size=3), 4, seed=1)
    play(batch, 100)
    assert batch.rules.num_cards == 10


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_pickled_batch_plays_on(num_threads: int) -> None:
    batch = make("straight", 9, 3, seed=1, num_threads=num_threads, rewards="win", match=True, max_turns=30)
    play(batch, 77)
    copy = pickle.loads(pickle.dumps(batch))
    assert everything(copy) == everything(batch)
    assert copy.ended.tables.tolist() == batch.ended.tables.tolist()
    assert play(copy, 100) == play(batch, 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ruleset": "bridge"}, "expected a ruleset of straight, rami, indian, gin, got 'bridge'"),
        ({"num_envs": 0}, "num_envs: expected a whole number from 1 to .*, got 0"),
        ({"num_envs": 2.0}, "num_envs: expected a whole number from 1 to .*, got 2.0"),
        ({"num_envs": True}, "num_envs: expected a whole number from 1 to .*, got True"),
        ({"num_players": 5}, "num_players: expected a whole number from 2 to 4, got 5"),
        ({"seed": -1}, "seed: expected a whole number from 0 on or None, got -1"),
        ({"seed": "x"}, "seed: expected a whole number from 0 on or None, got 'x'"),
        ({"num_threads": 0}, "num_threads: expected a whole number from 1 to 1024, got 0"),
        ({"rewards": "points"}, "rewards: expected one of zero_sum, score, win, got 'points'"),
        ({"reward_scale": 0}, "reward_scale: expected a number above 0"),
        ({"match": "yes"}, "match: expected true or false, got 'yes'"),
        ({"illegal": "warn"}, "illegal: expected one of lose, raise, got 'warn'"),
        ({"hand_size": 99}, "hand_size: expected a whole number from 0 to 24, got 99"),
        ({"num_thread": 2}, "got 'num_thread' .did you mean 'num_threads'"),
        ({"max_turn": 2}, "max_turns"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**({"ruleset": "straight", "num_envs": 2} | arguments))


@pytest.mark.parametrize("num_envs", [1024, 65_536])
def test_a_table_takes_less_than_two_kilobytes(num_envs: int) -> None:
    assert make("straight", num_envs, seed=1).nbytes / num_envs < 2048


def test_the_documented_example() -> None:
    batch = vector.make("straight", num_envs=1024, num_players=2, seed=1)
    rng = np.random.default_rng(1)
    for _ in range(20):
        noise = rng.random(batch.action_mask.shape, dtype=np.float32)
        rewards, _, _ = batch.step((noise * batch.action_mask).argmax(1))
    assert rewards.shape == (1024, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_steps_with_threads_of_its_own() -> None:
    script = """
import os, signal, sys
from rummy_env import vector
batch = vector.make("straight", num_envs=8192, num_threads=2, seed=1)
batch.step(batch.sample_actions())
child = os.fork()
if not child:
    signal.alarm(60)  # a child that hangs is killed by it
    batch.step(batch.sample_actions())
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=120).returncode == 0


@pytest.mark.parametrize("num_steps", [0, -1, 1.5, "x", None, True])
def test_random_steps_are_counted_in_whole_numbers(num_steps: Any) -> None:
    batch = vector.make("straight", num_envs=2, seed=1)
    with pytest.raises(ValueError, match="num_steps: expected a whole number from 1 to"):
        batch.play_randomly(num_steps)
