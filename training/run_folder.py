"""The folder of a training run: what was asked for, what came out, and where to go on from.

    runs/straight_quick-20250131-120000/
        config.yaml            the whole configuration
        run.json               command, git state, versions
        metrics.csv            all figures, a row for each update
        tensorboard/           the same for TensorBoard
        checkpoints/step-…/    everything that is needed to go on exactly
        best.zip, best.json    the best policy so far, and how it did in validation

Whatever happens, what is there is whole: files and checkpoints are written under another name and renamed.
"""

from __future__ import annotations

import csv
import json
import pickle
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from torch.utils.tensorboard import SummaryWriter

from training.config import Config, load

CONFIG: Final = "config.yaml"
METRICS: Final = "metrics.csv"
BEST: Final = "best.zip"
_MODEL: Final = "model.zip"
_STATE: Final = "state.pickle"
_PART: Final = ".part"
"""Ends the names of what is being written."""


_RECORDED: Final = ("rummy-env", "torch", "stable-baselines3", "sb3-contrib", "numpy", "numba")
"""Packages whose versions are written down."""


class RunFolder:
    """A run's folder. Make one with `create` or `open`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, runs_dir: Path, config: Config) -> RunFolder:
        """A new folder ``<name>-<date>`` with the configuration and what it was made by."""
        stem = f"{config.name}-{datetime.now():%Y%m%d-%H%M%S}"
        runs_dir.mkdir(parents=True, exist_ok=True)
        for number in range(1, 1000):
            path = runs_dir / (stem if number == 1 else f"{stem}-{number}")
            try:
                path.mkdir()
                break
            except FileExistsError:
                continue
        else:
            raise FileExistsError(f"{runs_dir}: expected a free name for the run {stem!r}, got none")
        run = cls(path)
        run.write(CONFIG, lambda file: file.write_text(config.to_yaml(), encoding="utf-8"))
        run.write_json("run.json", _circumstances())
        return run

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """A run that is there.

        Raises:
            ValueError: for a folder that is no run.
        """
        if not (path / CONFIG).is_file():
            raise ValueError(f"expected the folder of a training run, got {str(path)!r}, which has no {CONFIG}")
        return cls(path)

    def config(self) -> Config:
        """The configuration with which the run was started."""
        return load(self.path / CONFIG)

    # --- whole files -------------------------------------------------------------------------------------------

    def write(self, name: str, write: Callable[[Path], Any]) -> Path:
        """Let ``write`` write a file under another name, then give it its own."""
        target = self.path / name
        part = target.with_name(target.name + _PART)
        try:
            write(part)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return target

    def write_json(self, name: str, values: Mapping[str, Any]) -> Path:
        text = json.dumps(values, indent=2) + "\n"
        return self.write(name, lambda file: file.write_text(text, encoding="utf-8"))

    # --- checkpoints -------------------------------------------------------------------------------------------

    def checkpoints(self) -> list[Path]:
        """Whole checkpoints, oldest first."""
        folder = self.path / "checkpoints"
        return (
            sorted(path for path in folder.glob("step-*") if not path.name.endswith(_PART)) if folder.is_dir() else []
        )

    def save_checkpoint(self, steps: int, save_model: Callable[[Path], Any], state: Any, keep: int) -> Path:
        """Write a checkpoint and remove all but the last ``keep``.

        Raises:
            OSError: if it cannot be written; those before it stay.
        """
        target = self.path / "checkpoints" / f"step-{steps:012d}"
        part = target.with_name(target.name + _PART)
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            save_model(part / _MODEL)
            (part / _STATE).write_bytes(pickle.dumps(state))
            if target.exists():  # From before an interruption, and the same.
                shutil.rmtree(target)
            part.rename(target)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        for old in self.checkpoints()[:-keep]:
            shutil.rmtree(old)
        return target

    @staticmethod
    def load_checkpoint(checkpoint: Path) -> tuple[Path, Any]:
        """The file of the model, and the state that was saved with it.

        Raises:
            ValueError: for a checkpoint that cannot be read.
        """
        try:
            state = pickle.loads((checkpoint / _STATE).read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError) as error:
            raise ValueError(f"{checkpoint}: expected a whole checkpoint of this version, got {error}") from None
        return checkpoint / _MODEL, state

    def model_to_export(self) -> Path:
        """The best policy, or the last one where none was validated yet.

        Raises:
            ValueError: for a run that has neither.
        """
        if (self.path / BEST).is_file():
            return self.path / BEST
        if checkpoints := self.checkpoints():
            return checkpoints[-1] / _MODEL
        raise ValueError(f"expected a run with a policy, got {str(self.path)!r}, which has none yet")


class Metrics:
    """Figures over time: metrics.csv and TensorBoard. Going on from ``steps``, what came later is forgotten.

    A column is there from the first row on: ``names`` are all that there will be.
    """

    def __init__(self, run: RunFolder, names: list[str], steps: int) -> None:
        self._names = ["steps", *names]
        path = run.path / METRICS
        rows = []
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["steps"].isdigit() and int(row["steps"]) <= steps]
        self._file = path.open("w", newline="", encoding="utf-8")
        self._csv = csv.DictWriter(self._file, self._names, extrasaction="ignore")
        self._csv.writeheader()
        self._csv.writerows(rows)
        self._file.flush()
        self._board = SummaryWriter(str(run.path / "tensorboard"), purge_step=steps + 1)

    def write(self, steps: int, figures: Mapping[str, float]) -> None:
        """One row; figures that are not there this time stay empty."""
        self._csv.writerow({"steps": steps, **{name: f"{value:.6g}" for name, value in figures.items()}})
        self._file.flush()
        for name, value in figures.items():
            self._board.add_scalar(name, value, steps)

    def close(self) -> None:
        self._file.close()
        self._board.close()


def _circumstances() -> dict[str, Any]:
    return {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "git": git_state(),
        "python": platform.python_version(),
        "versions": {
            name: version(name) for name in ("rummy-env", "torch", "stable-baselines3", "sb3-contrib", "numpy", "numba")
        },
    }


def git_state() -> dict[str, Any]:
    """Commit of the source tree, and whether files differ from it; nulls where there is no git."""
    here = Path(__file__).parent

    def ask(*words: str) -> str | None:
        try:
            return subprocess.run(["git", *words], cwd=here, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return None

    changes = ask("status", "--porcelain", "--untracked-files=no")
    return {"commit": ask("rev-parse", "HEAD"), "modified": None if changes is None else bool(changes)}
