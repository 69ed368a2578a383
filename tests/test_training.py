"""Training: the same run twice is the same, whatever happens a run can go on."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from gymnasium import spaces  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from tiny_training import parameters, write_config  # noqa: E402

import rummy_cli  # noqa: E402
from rummy_env.gym_vector import RummyVectorEnv  # noqa: E402
from training import profile  # noqa: E402
from training.config import load  # noqa: E402
from training.learner import Rollout  # noqa: E402
from training.network import draw  # noqa: E402
from training.ppo import train  # noqa: E402
from training.run_folder import Metrics, RunFolder  # noqa: E402
from training.sb3_vec_env import RummyVecEnv  # noqa: E402

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_config(tmp_path_factory.mktemp("config"))


@pytest.fixture(scope="module")
def whole(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    return train(config, runs_dir=tmp_path_factory.mktemp("whole"))


def rows(run: Path) -> list[dict[str, str]]:
    """metrics.csv without what the clock says."""
    with (run / "metrics.csv").open(newline="", encoding="utf-8") as file:
        return [{name: value for name, value in row.items() if "time/" not in name} for row in csv.DictReader(file)]


def last_model(run: Path) -> Path:
    return RunFolder.open(run).checkpoints()[-1] / "model.zip"


def assert_same(run: Path, other: Path) -> None:
    one, two = parameters(last_model(run)), parameters(last_model(other))
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], name)
    assert rows(run) == rows(other)


def on_row(monkeypatch: pytest.MonkeyPatch, steps: int, do: Callable[[], Any]) -> None:
    """Let something happen when the figures of an update are written."""
    write = Metrics.write

    def written(self: Metrics, at: int, figures: Any) -> None:
        if at == steps:
            do()
        write(self, at, figures)

    monkeypatch.setattr(Metrics, "write", written)


# --- a run -----------------------------------------------------------------------------------------------------


def test_what_a_run_leaves(whole: Path, config: Path) -> None:
    assert {path.name for path in whole.iterdir()} == {
        *("config.yaml", "run.json", "metrics.csv", "tensorboard", "checkpoints", "best.zip", "best.json")
    }
    assert load(whole / "config.yaml") == load(config)
    assert [path.name for path in RunFolder.open(whole).checkpoints()] == ["step-000000000384", "step-000000000512"]
    started = json.loads((whole / "run.json").read_text(encoding="utf-8"))
    assert {"command", "started", "git", "python", "versions"} <= started.keys()
    assert any((whole / "tensorboard").iterdir())


def test_metrics(whole: Path) -> None:
    found = rows(whole)
    assert [int(row["steps"]) for row in found] == [0, 128, 256, 256, 384, 512, 512]
    updates = [row for row in found if row["train/kl"]]
    validations = [row for row in found if row["validation/easy/points"]]
    assert [int(row["steps"]) for row in updates] == [128, 256, 384, 512]
    assert [int(row["steps"]) for row in validations] == [0, 256, 512]
    for row in updates:
        filled = {name for name, value in row.items() if value}
        assert filled == {name for name in row if name.split("/")[0] in ("steps", "rollout", "train")}
    # A line from 3e-4 to nothing, of which a quarter goes with each update.
    rates = [float(row["train/learning_rate"]) for row in updates]
    assert rates == pytest.approx([3e-4, 2.25e-4, 1.5e-4, 0.75e-4])
    assert all(0 <= float(row["validation/random/wins"]) <= 1 for row in validations)


def test_the_best_policy_is_kept(whole: Path) -> None:
    best = json.loads((whole / "best.json").read_text(encoding="utf-8"))
    means = {
        int(row["steps"]): np.mean([float(row[f"validation/{name}/points"]) for name in ("random", "easy")])
        for row in rows(whole)
        if row["validation/easy/points"]
    }
    assert best["points"] == pytest.approx(max(means.values()), abs=1e-3)
    assert means[best["steps"]] == pytest.approx(best["points"], abs=1e-3)
    assert parameters(whole / "best.zip").keys() == parameters(last_model(whole)).keys()
    assert RunFolder.open(whole).model_to_export() == whole / "best.zip"


def test_the_same_seed_trains_the_same(whole: Path, config: Path, tmp_path: Path) -> None:
    assert_same(whole, train(config, runs_dir=tmp_path))


def test_another_seed_trains_another(whole: Path, config: Path, tmp_path: Path) -> None:
    other = parameters(last_model(train(config, ["seed=2", "total_steps=128"], runs_dir=tmp_path)))
    assert any((other[name] != value).any() for name, value in parameters(last_model(whole)).items())


def test_imitation_and_hindsight_run_too(config: Path, tmp_path: Path) -> None:
    run = train(
        config,
        ["clone.decisions=2000", "clone.teacher=normal", "ppo.hindsight=normal", "total_steps=256"],
        None,
        tmp_path,
    )
    assert [int(row["steps"]) for row in rows(run)] == [0, 128, 256, 256]


# --- interruptions ---------------------------------------------------------------------------------------------


def test_a_run_that_crashed_goes_on_as_if_it_had_not(
    whole: Path, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash() -> None:
        raise RuntimeError("crashed")

    with monkeypatch.context() as patch:
        on_row(patch, 384, crash)
        with pytest.raises(RuntimeError, match="crashed"):
            train(config, runs_dir=tmp_path)
    (run,) = tmp_path.iterdir()
    assert RunFolder.open(run).checkpoints()[-1].name == "step-000000000256"
    assert train(config, resume=run) == run
    assert_same(whole, run)


def test_control_c_saves_and_exits_with_130(
    whole: Path, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        on_row(patch, 384, lambda: os.kill(os.getpid(), signal.SIGINT))
        code = rummy_cli.main(["train", "--config", str(config), "--runs-dir", str(tmp_path)])
    assert code == 130
    assert signal.getsignal(signal.SIGINT) is before
    (run,) = tmp_path.iterdir()
    assert RunFolder.open(run).checkpoints()[-1].name == "step-000000000384"
    assert rummy_cli.main(["train", "--config", str(config), "--resume", str(run)]) == 0
    assert_same(whole, run)


def test_a_killed_run_has_whole_checkpoints_and_goes_on(config: Path, tmp_path: Path) -> None:
    overrides = ["total_steps=1000000", "validation.every=1000000", "selves.every=1000000"]
    command = [sys.executable, str(ROOT / "rummy_cli.py"), "train", "--config", str(config), "--runs-dir"]
    process = subprocess.Popen([*command, str(tmp_path), *overrides], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while len(list(tmp_path.glob("*/checkpoints/step-*"))) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    (run,) = tmp_path.iterdir()
    checkpoints = RunFolder.open(run).checkpoints()
    assert checkpoints
    for checkpoint in checkpoints:
        model, _ = RunFolder.load_checkpoint(checkpoint)
        assert parameters(model)
    at = int(checkpoints[-1].name.removeprefix("step-"))
    train(config, [f"total_steps={at + 128}", *overrides[1:]], resume=run)
    assert RunFolder.open(run).checkpoints()[-1].name == f"step-{at + 128:012d}"
    steps = [int(row["steps"]) for row in rows(run)]
    assert steps == sorted(steps)
    assert max(steps) == at + 128
    assert not list(run.rglob("*.part"))


def test_a_full_disk_leaves_the_last_checkpoint(
    whole: Path, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        if "000000000384" in self.parent.name:
            write_bytes(self, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            train(config, runs_dir=tmp_path)
    (run,) = tmp_path.iterdir()
    names = sorted(path.name for path in (run / "checkpoints").iterdir())
    assert names == ["step-000000000128", "step-000000000256"]
    train(config, resume=run)
    assert_same(whole, run)


def test_a_file_that_cannot_be_renamed_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder(tmp_path)
    run.write_json("best.json", {"steps": 1})

    def refuse(*paths: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="Input/output"):
        run.write_json("best.json", {"steps": 2})
    assert json.loads((tmp_path / "best.json").read_text(encoding="utf-8")) == {"steps": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["best.json"]


def test_a_run_goes_on_only_with_its_own_configuration(whole: Path, config: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected the configuration of .*seed: 1, got seed: 9"):
        train(config, ["seed=9"], resume=whole)
    with pytest.raises(ValueError, match="expected the folder of a training run"):
        train(config, resume=tmp_path)


def test_a_damaged_checkpoint_is_refused(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "state.pickle").write_bytes((RunFolder(whole).checkpoints()[-1] / "state.pickle").read_bytes()[:1000])
    with pytest.raises(ValueError, match="expected a whole checkpoint"):
        RunFolder.load_checkpoint(tmp_path)


# --- the learner's parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.9, 0.8), (1.0, 0.0)])
def test_advantages_are_discounted_sums_of_surprises(gamma: float, lam: float) -> None:
    steps, tables = 6, 5
    rollout = Rollout(
        steps, spaces.Box(0, 1, (3,), np.uint8), spaces.Discrete(2), "cpu", gae_lambda=lam, gamma=gamma, n_envs=tables
    )
    rollout.reset()
    generator = torch.Generator().manual_seed(1)
    rollout.paid = torch.randn(steps, tables, generator=generator)
    rollout.predicted = torch.randn(steps + 1, tables, generator=generator)
    rollout.ended = (torch.rand(steps, tables, generator=generator) < 0.3).float()
    rollout.estimate_advantages()
    for table in range(tables):
        paid, values, ended = (part[:, table].tolist() for part in (rollout.paid, rollout.predicted, rollout.ended))
        for start in range(steps):
            expected, factor = 0.0, 1.0
            for step in range(start, steps):
                after = 0.0 if ended[step] else values[step + 1]
                expected += factor * (paid[step] + gamma * after - values[step])
                factor *= gamma * lam
                if ended[step]:
                    break
            assert rollout.advantage[start, table].item() == pytest.approx(expected, abs=1e-5)


def test_actions_are_drawn_by_their_chances() -> None:
    chances = torch.tensor([0.0, 0.5, 0.0, 0.3, 0.2, 0.0])
    count = 1000
    numbers = (torch.arange(count) / count).unsqueeze(1)  # Every thousandth from 0 on: the counts are exact.
    drawn = draw(chances.log().expand(count, -1), numbers)
    counts = torch.bincount(drawn, minlength=6).tolist()
    assert counts == pytest.approx([0, 500, 0, 300, 200, 0], abs=1)
    assert counts[0] == counts[2] == counts[5] == 0


def test_the_vec_env_is_as_sb3_wants_it() -> None:
    count = 16
    settings: dict[str, Any] = {"opponents": "random", "max_turns": 8, "num_ranks": 4, "hand_size": 3}
    env = RummyVecEnv("straight", count, seed=3, illegal="raise", **settings)
    plain = RummyVectorEnv("straight", count, autoreset_mode="SameStep", illegal="raise", **settings)
    observations, _ = plain.reset(seed=3)
    np.testing.assert_array_equal(env.reset(), observations)
    assert is_masking_supported(env)
    chance = np.random.default_rng(1)
    returns, lengths = np.zeros(count), np.zeros(count, int)
    seen = {"ended": 0, "cut off": 0}
    for _ in range(60):
        masks = env.env_method("action_masks")
        np.testing.assert_array_equal(np.stack(masks), plain.action_masks())
        np.testing.assert_array_equal(get_action_masks(env), plain.action_masks())
        actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in masks])
        observations, rewards, terminated, truncated, infos = plain.step(actions)
        seen_by_sb3, paid, dones, of_tables = env.step(actions)
        np.testing.assert_array_equal(seen_by_sb3, observations)
        np.testing.assert_array_equal(paid, rewards)
        np.testing.assert_array_equal(dones, terminated | truncated)
        returns, lengths = returns + rewards, lengths + 1
        for table in range(count):
            if not dones[table]:
                assert of_tables[table] == {}
                continue
            info = of_tables[table]
            np.testing.assert_array_equal(info["terminal_observation"], infos["final_obs"][table])
            assert info["TimeLimit.truncated"] == (truncated[table] and not terminated[table])
            assert info["episode"] == {"r": pytest.approx(returns[table]), "l": lengths[table]}
            seen["cut off" if info["TimeLimit.truncated"] else "ended"] += 1
        returns[dones], lengths[dones] = 0, 0
    assert min(seen.values()) > 0, seen
    with pytest.raises(AttributeError, match="expected the method action_masks"):
        env.env_method("render")
    env.close()


def test_profile_measures_the_loop(config: Path) -> None:
    figures = profile.measure(quick=True, config=load(config))
    assert figures["steps_per_second"] > 0
    shares = [figures[f"{part}_share"] for part in ("environment", "selves", "policy", "update")]
    assert all(share > 0 for share in shares)
    assert sum(shares) == pytest.approx(1)
