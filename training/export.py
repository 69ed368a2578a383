"""Exporting a trained policy: the folder that `agents.policy` plays, without torch.

The network gives logits alone: float32 rows of observations in, any number of them; the mask is applied outside. With
it go a manifest and *parity vectors*: observations from real play and the logits that torch gave for them, which
`check` compares with what onnxruntime makes of the exported file.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import logging
import os
import shutil
import tempfile
import warnings
import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch import Tensor, nn

from agents.policy import FORMAT, MANIFEST_FILE, NETWORK_FILE, PARITY_FILE, made_for, open_network, read_manifest
from rummy_env import vector
from rummy_env.opponents import load as load_agent
from rummy_env.rules import Rules
from training.config import FIRST_VALIDATION_SEED
from training.learner import FastMaskablePPO
from training.network import CardPolicy
from training.run_folder import RunFolder, git_state

PARITY_ROWS: Final = 256
PARITY_TABLES: Final = 64
TOLERANCE: Final = 1e-3
"""How far a logit may be from torch's: both compute in float32, in another order."""

LARGEST: Final = 5_000_000
"""Bytes of a network that may be shipped."""


def export(run: str | os.PathLike[str], out: str | os.PathLike[str]) -> Path:
    """Write the best policy of a training run as a folder that `agents.load` plays; returns ``out``.

    It is made under another name and renamed when it is whole and has been checked; a policy that was there is
    replaced. Whatever else lies at ``out`` stays.

    Raises:
        ValueError: for a folder that is no run or has no policy yet, or where ``out`` is something else than a policy.
        OSError: if it cannot be written.
    """
    folder, out = RunFolder.open(Path(run)), Path(out)
    _check_place(out)
    model = folder.model_to_export()
    rules = folder.config().rules()
    try:
        policy = FastMaskablePPO.load(model).policy
    except (ValueError, KeyError, EOFError, OSError, RuntimeError) as error:
        raise ValueError(f"{model}: expected a saved policy, got {error}") from None
    assert isinstance(policy, CardPolicy)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        part.chmod(0o755)
        observations = observations_of_play(rules)
        _write_network(policy, part / NETWORK_FILE, observations.shape[1])
        with torch.inference_mode():
            logits = policy.network(torch.from_numpy(observations))[0].float().numpy()
        np.savez_compressed(part / PARITY_FILE, observations=observations, logits=logits)
        _write_manifest(part, folder, model, rules)
        check(part)
        if out.exists():
            shutil.rmtree(out)
        part.rename(out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return out


def check(path: str | os.PathLike[str]) -> None:
    """Check that an exported policy is whole and gives the logits that it should.

    Raises:
        ValueError: saying what is missing or differs.
    """
    folder = Path(path)
    read_manifest(folder)
    try:
        with (folder / PARITY_FILE).open("rb") as file, np.load(file) as parity:
            observations, expected = parity["observations"], parity["logits"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{folder / PARITY_FILE}: expected observations and logits, got {error}") from None
    session = open_network(folder)
    (given,) = session.get_inputs()
    try:
        logits = session.run(None, {given.name: observations.astype(np.float32)})[0]
    except Exception as error:  # onnxruntime has no common class of its errors
        raise ValueError(f"{folder / NETWORK_FILE}: expected a network for its parity rows, got {error}") from None
    if logits.shape != expected.shape:
        raise ValueError(f"{folder}: expected logits of shape {expected.shape}, got {logits.shape}")
    furthest = float(np.abs(logits - expected).max())
    if not furthest <= TOLERANCE:
        raise ValueError(
            f"{folder}: expected logits within {TOLERANCE} of those at the export, got one {furthest:.3g} off"
        )


def observations_of_play(rules: Rules) -> npt.NDArray[np.uint8]:
    """(`PARITY_ROWS`, W) observations from rounds of the strongest rule bot."""
    batch = vector.make(rules.ruleset, PARITY_TABLES, rules.num_players, seed=FIRST_VALIDATION_SEED, **_options(rules))
    bots = [load_agent("hard", rules, seed) for seed in range(PARITY_TABLES)]
    rows: list[npt.NDArray[np.uint8]] = []
    while len(rows) * PARITY_TABLES < PARITY_ROWS:
        for _ in range(7):  # Not every decision: rows far apart say more.
            actions = [bot.act(batch.game(table).view(int(batch.player[table]))) for table, bot in enumerate(bots)]
            batch.step(np.array(actions))
        rows.append(batch.observation.copy())
    return np.concatenate(rows)[:PARITY_ROWS]


def _options(rules: Rules) -> dict[str, Any]:
    return {name: value for name, value in rules.options().items() if name != "num_players"}


class _Logits(nn.Module):
    """The part of a policy that is exported."""

    def __init__(self, policy: CardPolicy) -> None:
        super().__init__()
        self.network = policy.network

    def forward(self, observation: Tensor) -> Tensor:
        logits: Tensor = self.network(observation)[0]
        return logits


def _write_network(policy: CardPolicy, path: Path, width: int) -> None:
    policy.set_training_mode(False)
    # The exporter tells at length what it does; only what goes wrong is worth a line.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Logits(policy),
            (torch.zeros(2, width),),
            str(path),
            input_names=["observation"],
            output_names=["logits"],
            dynamic_shapes=({0: torch.export.Dim("tables")},),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    _forget_sources(path)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"expected a network of at most {LARGEST:,} bytes, got {path.stat().st_size:,}")


def _forget_sources(path: Path) -> None:
    """Take out where in whose files every operation was written."""
    model = onnx.load(path)
    parts = [model, model.graph, *model.graph.node, *model.graph.initializer, *model.graph.value_info]
    for part in [*parts, *model.graph.input, *model.graph.output, *model.functions]:
        del part.metadata_props[:]
        part.doc_string = ""
    onnx.save(model, path)


def _write_manifest(part: Path, folder: RunFolder, model: Path, rules: Rules) -> None:
    best = folder.path / "best.json"
    started = json.loads((folder.path / "run.json").read_text(encoding="utf-8"))
    manifest = {
        "format": FORMAT,
        "made_for": made_for(rules),
        "sha256": hashlib.sha256((part / NETWORK_FILE).read_bytes()).hexdigest(),
        "training": {
            "run": folder.path.name,
            "policy": model.relative_to(folder.path).as_posix(),
            "command": started["command"],
            "git": started["git"],
            "versions": started["versions"],
            "config": folder.config().model_dump(mode="json"),
        },
        "validation": json.loads(best.read_text(encoding="utf-8")) if best.is_file() else None,
        "export": {"git": git_state(), "torch": version("torch"), "tolerance": TOLERANCE},
    }
    (part / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _check_place(out: Path) -> None:
    """Refuse to replace anything but a policy."""
    if not out.exists():
        return
    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if not out.is_dir() or names - {NETWORK_FILE, MANIFEST_FILE, PARITY_FILE, "evaluation.json", "evaluation.png"}:
        raise ValueError(f"expected a new folder or one with an exported policy, got {str(out)!r}, which is neither")
