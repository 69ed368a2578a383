"""Exported policies: the same logits without torch, refused where they do not fit, never half written."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_training import write_config  # noqa: E402

import agents  # noqa: E402
import rummy_cli  # noqa: E402
from agents.policy import FILES, Policy  # noqa: E402
from rummy_env import Game, Rules  # noqa: E402
from training import export as exporting  # noqa: E402
from training.export import check, export  # noqa: E402
from training.learner import FastMaskablePPO  # noqa: E402
from training.ppo import train  # noqa: E402

ROOT = Path(__file__).parent.parent
RULES = Rules.preset("straight", num_ranks=5, hand_size=3)
"""Of the tiny run."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    return train(write_config(folder), ["total_steps=128"], runs_dir=folder / "runs")


@pytest.fixture(scope="module")
def exported(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(run, tmp_path_factory.mktemp("exported") / "deep" / "policy")


@pytest.fixture
def copy(exported: Path, tmp_path: Path) -> Path:
    """One to break."""
    return Path(shutil.copytree(exported, tmp_path / "policy"))


# --- what is exported ------------------------------------------------------------------------------------------


def test_the_folder(exported: Path, run: Path) -> None:
    assert sorted(path.name for path in exported.iterdir()) == sorted(FILES)
    assert [path.name for path in exported.parent.iterdir()] == ["policy"]
    manifest = json.loads((exported / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["made_for"]["options"] == {"num_ranks": 5, "hand_size": 3}
    assert manifest["sha256"] == hashlib.sha256((exported / "policy.onnx").read_bytes()).hexdigest()
    assert manifest["training"]["run"] == run.name
    assert manifest["validation"] == json.loads((run / "best.json").read_text(encoding="utf-8"))
    check(exported)


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_logits_are_those_of_torch_for_any_number_of_rows(exported: Path, run: Path, count: int) -> None:
    observations = np.resize(exporting.observations_of_play(RULES), (count, width_of(exported)))
    network = FastMaskablePPO.load(run / "best.zip").policy.network
    with torch.inference_mode():
        expected = network(torch.from_numpy(observations))[0].numpy()
    logits = Policy.load(exported, RULES).logits(observations)
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, expected, atol=1e-4)


def width_of(folder: Path) -> int:
    width: int = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["made_for"]["observation_size"]
    return width


def test_parity_rows_are_of_real_play(exported: Path) -> None:
    with np.load(exported / "parity.npz") as parity:
        rows = parity["observations"]
        assert rows.shape == (256, width_of(exported))
        assert parity["logits"].shape[0] == 256
    assert len(np.unique(rows, axis=0)) > 200
    assert set(np.unique(rows)) == {0, 1}


def test_whole_rounds_are_played(exported: Path) -> None:
    policy = agents.load(exported, RULES)
    assert policy.name == "policy"
    for seed in range(5):
        game = Game.deal(RULES, seed)
        while not game.over:
            view = game.view(game.to_play)
            action = policy.act(view)
            assert action in game.legal_actions()
            game.step(action)
        assert game.result is not None


def test_many_tables_at_once_play_as_one_by_one(exported: Path) -> None:
    policy = Policy.load(exported, RULES)
    views = [(game := Game.deal(RULES, seed)).view(game.to_play) for seed in range(50)]
    rows = [view.rows() for view in views]
    actions = policy.act_batch(np.stack([row[0] for row in rows]), np.stack([row[1] for row in rows]))
    assert actions.dtype == np.int64
    assert actions.tolist() == [policy.act(view) for view in views]


def test_a_temperature_draws_legal_actions_by_the_seed(exported: Path) -> None:
    views = [(game := Game.deal(RULES, seed)).view(game.to_play) for seed in range(50)]

    def played(seed: int) -> list[int]:
        policy = Policy.load(exported, RULES, seed=seed, temperature=5.0)
        return [policy.act(view) for view in views]

    assert played(1) == played(1) != played(2)
    for view, action in zip(views, played(1), strict=True):
        assert view.rows()[1][action]
    with pytest.raises(ValueError, match="temperature: expected a number from 0 on, got -1"):
        Policy.load(exported, RULES, temperature=-1)


def test_it_plays_without_torch(exported: Path) -> None:
    program = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "training", "onnx"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
import agents
from rummy_env import Game, Rules

rules = Rules.preset("straight", num_ranks=5, hand_size=3)
policy = agents.load({str(exported)!r}, rules)
game = Game.deal(rules, 3)
while not game.over:
    game.step(policy.act(game.view(game.to_play)))
print("played")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "played\n", done.stderr


# --- what is refused -------------------------------------------------------------------------------------------


def cut(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return damage


def changed(**values: Any) -> Callable[[Path], None]:
    """Other values in the manifest; those of ``made_for`` by their name."""

    def damage(folder: Path) -> None:
        path = folder / "manifest.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for name, value in values.items():
            (manifest["made_for"] if name in manifest["made_for"] else manifest)[name] = value
        path.write_text(json.dumps(manifest), encoding="utf-8")

    return damage


def foreign_network(folder: Path) -> None:
    (folder / "policy.onnx").write_bytes(b"not a network")
    changed(sha256=hashlib.sha256(b"not a network").hexdigest())(folder)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut("policy.onnx"), "policy.onnx: expected the network with sha256 .* it was changed or cut off"),
        (cut("manifest.json"), "manifest.json: expected JSON, got"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "expected a manifest of format 1, got"),
        (lambda folder: (folder / "manifest.json").write_bytes(b"\xff\xfe\xff"), "manifest.json: expected JSON, got"),
        (changed(sha256="0" * 64), "expected the network with sha256 0000"),
        (changed(format=2), "expected a manifest of format 1, got 2"),
        (foreign_network, "policy.onnx: expected an ONNX network, got"),
        *((lambda folder, name=name: (folder / name).unlink(), f"got no {name}") for name in FILES),
        (shutil.rmtree, "expected the folder of an exported policy, got"),
    ],
)
def test_what_is_broken_is_neither_played_nor_passed(copy: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(copy)
    with pytest.raises(ValueError, match=words) as caught:
        Policy.load(copy, RULES)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=words):
        check(copy)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut("parity.npz"), "parity.npz: expected observations and logits, got"),
        (lambda folder: np.savez(folder / "parity.npz", other=np.zeros(3)), "expected observations and logits, got"),
    ],
)
def test_broken_parity_rows(copy: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(copy)
    with pytest.raises(ValueError, match=words):
        check(copy)


def test_other_logits_than_at_the_export(copy: Path) -> None:
    with np.load(copy / "parity.npz") as parity:
        observations, logits = parity["observations"], parity["logits"]
    for wrong, words in (
        (logits + 0.01, "expected logits within 0.001 of those at the export, got one 0.01 off"),
        (logits[:-1], "expected logits of shape"),
        (np.full_like(logits, np.nan), "expected logits within"),
    ):
        np.savez(copy / "parity.npz", observations=observations, logits=wrong)
        with pytest.raises(ValueError, match=words):
            check(copy)
    np.savez(copy / "parity.npz", observations=observations[:, 1:], logits=logits)
    with pytest.raises(ValueError, match="expected a network for its parity rows"):
        check(copy)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules.preset("straight"), r"options none \(it was made for \{hand_size: 3, num_ranks: 5\}\)"),
        (Rules.preset("straight", num_players=3, num_ranks=5, hand_size=3), r"num_players 3 \(it was made for 2\)"),
        (Rules.preset("straight", num_ranks=6, hand_size=3), r"num_ranks: 6.* \(it was made for .*num_ranks: 5"),
        (Rules.preset("rami"), r"ruleset rami \(it was made for straight\)"),
    ],
    ids=["no options", "players", "options", "ruleset"],
)
def test_other_games(exported: Path, rules: Rules, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        agents.load(exported, rules)


@pytest.mark.parametrize("table", ["action_table_version", "field_table_version"])
def test_other_tables(copy: Path, table: str) -> None:
    changed(**{table: 999})(copy)
    with pytest.raises(ValueError, match=rf"expected a policy for {table} \d+ \(it was made for 999\)"):
        agents.load(copy, RULES)


def test_options_of_the_match_change_nothing(exported: Path) -> None:
    rules = Rules.preset("straight", num_ranks=5, hand_size=3, target=50, first_dealer=1, max_rounds=3)
    assert agents.load(exported, rules).name == "policy"


# --- never half done -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.mkdir()], ids=["file", "dir"])
def test_what_is_no_policy_is_not_replaced(run: Path, tmp_path: Path, make: Callable[[Path], Any]) -> None:
    out = tmp_path / "out"
    make(out)
    if out.is_dir():
        (out / "thesis.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match="expected a new folder or one with an exported policy"):
        export(run, out)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_policy_is_replaced(run: Path, copy: Path) -> None:
    cut("policy.onnx")(copy)
    assert export(run, copy) == copy
    check(copy)
    assert [path.name for path in copy.parent.iterdir()] == ["policy"]


@pytest.mark.parametrize("step", ["_write_network", "_write_manifest", "check"])
def test_a_failure_leaves_what_was_there(run: Path, copy: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.read_bytes() for path in copy.iterdir()}

    def fail(*arguments: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(exporting, step, fail)
    for out in (copy,) if step == "check" else (copy.parent / "new",):
        with pytest.raises(OSError, match="No space left"):
            export(run, out)
    assert {path: path.read_bytes() for path in copy.iterdir()} == before
    assert [path.name for path in copy.parent.iterdir()] == ["policy"]


def test_runs_without_a_policy(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected the folder of a training run"):
        export(tmp_path, tmp_path / "out")
    (tmp_path / "config.yaml").write_bytes((run / "config.yaml").read_bytes())
    with pytest.raises(ValueError, match="expected a run with a policy"):
        export(tmp_path, tmp_path / "out")
    (tmp_path / "best.zip").write_bytes((run / "best.zip").read_bytes()[:500])
    with pytest.raises(ValueError, match=r"best\.zip: expected a saved policy"):
        export(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "policy"
    assert rummy_cli.main(["export", str(run), str(out)]) == 0
    assert f"Policy: {out}" in capsys.readouterr().out
    assert rummy_cli.main(["export", "--check", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: as it should be\n"
    cut("policy.onnx")(out)
    assert rummy_cli.main(["export", "--check", str(out)]) == 2
    assert "it was changed or cut off" in capsys.readouterr().err
