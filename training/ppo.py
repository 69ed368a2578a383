"""Training: imitation of a teacher, then MaskablePPO against rule bots and earlier selves.

`train` reads from top to bottom: the network, the opponents, the tables; then again and again a rollout, an update, and
now and then an earlier self, a validation, a checkpoint. What it writes: `training.run_folder`.

Figures of metrics.csv and TensorBoard:

- ``rollout/return``, ``rollout/length``: mean of the last 100 episodes, in rewards and in decisions of the learner;
- ``train/policy_loss``, ``value_loss``, ``entropy``, ``kl``, ``clipped``: means over the update's batches (``kl``: how
  far the policy moved from the one that played; ``clipped``: share of decisions that moved too far to count);
- ``train/explained_variance``: share of the returns' variance that the values predicted;
- ``train/learning_rate``, ``clip_range``, ``entropy_weight``: the schedules;
- ``validation/<opponent>/points``, ``margin``, ``wins``: see `training.validation.Score`;
- ``time/seconds``, ``time/steps_per_second``: since the run was started or resumed, everything included.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import safe_mean

from rummy_env.opponents import load as load_agent
from training.clone import clone
from training.config import FIRST_TRAINING_SEED, SELF, Config, load
from training.hindsight import Hindsight
from training.learner import FastMaskablePPO
from training.run_folder import BEST, Metrics, RunFolder
from training.sb3_vec_env import RummyVecEnv
from training.selves import Pool, weighted
from training.validation import Score, Validator, mean_points

EPISODES: Final = 100
"""Returns and lengths are means of the last so many."""

_UPDATE_FIGURES: Final = (
    *(f"train/{name}" for name in ("policy_loss", "value_loss", "entropy", "kl", "clipped")),
    "train/explained_variance",
    "train/learning_rate",
    "train/clip_range",
    "train/entropy_weight",
)


def train(
    config_path: str | os.PathLike[str],
    overrides: Sequence[str] = (),
    resume: str | os.PathLike[str] | None = None,
    runs_dir: str | os.PathLike[str] = "runs",
) -> Path:
    """Train as a configuration says; returns the run's folder.

    ``overrides``: like ``seed=7`` or ``ppo.epochs=3``. ``resume``: the folder of a run to go on with from its last
    checkpoint, exactly as if it had not been interrupted; the configuration must be the run's own, but may have other
    ``total_steps``. Ctrl-C ends the run after the update it is in, with a checkpoint; a second one at once.

    Raises:
        ValueError: for a wrong configuration, or a folder that is no run or has another configuration.
        OSError: if the run cannot be written; its last checkpoint stays whole.
        KeyboardInterrupt: after Ctrl-C.
    """
    config = load(config_path, overrides)
    run = RunFolder.create(Path(runs_dir), config) if resume is None else RunFolder.open(Path(resume))
    if resume is not None:
        _check_same(run.config(), config, run.path)
    return Training(config, run).run()


class Training:
    """One training run, from its last checkpoint if it has one."""

    def __init__(self, config: Config, folder: RunFolder) -> None:
        self.config = config
        self.folder = folder
        torch.set_num_threads(config.torch_threads)
        self.seed = FIRST_TRAINING_SEED + config.seed
        self.rules = config.rules()
        self.validator = Validator(config.validation, self.rules)
        checkpoints = folder.checkpoints()
        if checkpoints:
            self._restore(checkpoints[-1])
        else:
            self._begin()
        if config.ppo.hindsight is not None:
            self.model.hindsight = Hindsight(load_agent(config.ppo.hindsight, self.rules), self.env.env)

    # --- start -------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        config = self.config
        self.env = RummyVecEnv(
            config.ruleset,
            config.environment.num_envs,
            seed=self.seed,
            num_players=config.num_players,
            opponents=[(name, weight) for name, weight in config.opponents.items() if name != SELF] or "random",
            illegal="raise",
            **config.environment.model_dump(exclude={"num_envs"}),
            **config.options,
        )
        network = {"ruleset": config.ruleset, "num_players": config.num_players, **config.network.model_dump()}
        self.model = FastMaskablePPO.make(self.env, config.ppo, network, config.precision, self.seed)
        self.model.ep_info_buffer = deque(maxlen=EPISODES)
        self.selves = Pool(config.selves.keep, config.selves.at_once, self.seed)
        self.best = -float("inf")
        self.started = False

    def _state(self) -> dict[str, Any]:
        """What a checkpoint holds beside the model."""
        return {
            "env": self.env,
            "selves": self.selves,
            "best": self.best,
            "chance": torch.get_rng_state(),
            "episode_starts": self.model._last_episode_starts,
        }

    def _restore(self, checkpoint: Path) -> None:
        model, state = self.folder.load_checkpoint(checkpoint)
        self.env, self.selves, self.best = state["env"], state["selves"], state["best"]
        self.model = FastMaskablePPO.load(model, self.env, device="cpu", force_reset=False)
        # The tables stand where they stood; what SB3 keeps of them is a copy.
        self.model._last_obs = self.env.env._observations
        self.model._last_episode_starts = state["episode_starts"]
        torch.set_rng_state(state["chance"])
        self.started = True

    # --- the run -----------------------------------------------------------------------------------------------

    def run(self) -> Path:
        config, model = self.config, self.model
        columns = ["rollout/return", "rollout/length", *_UPDATE_FIGURES, "time/seconds", "time/steps_per_second"]
        columns += [f"validation/{name}/{what}" for name in config.validation.opponents for what in Score._fields]
        metrics = Metrics(self.folder, columns, model.num_timesteps if self.started else -1)
        model.set_logger(Logger(None, []))
        callback = CallbackList([])
        callback.init_callback(model)
        console = Console(stderr=True)
        with closing(metrics), closing(self.env), _interruptible() as interrupted, _progress(console) as progress:
            if not self.started:
                self._clone(progress, interrupted)
                self.selves.add(model.policy, 0)
                self._seat_opponents()
                model._last_obs = self.env.reset()
                self._validate(metrics, console)
                self._save_checkpoint()
            task = progress.add_task("train", total=config.total_steps, completed=model.num_timesteps, note="")
            begun, steps_before = time.perf_counter(), model.num_timesteps
            while model.num_timesteps < config.total_steps:
                before = model.num_timesteps
                model._update_current_progress_remaining(before, config.total_steps)
                model.collect_rollouts(self.env, callback, model.rollout_buffer, model.n_steps)
                model.train()

                steps = model.num_timesteps
                seconds = time.perf_counter() - begun
                speed = (steps - steps_before) / seconds
                metrics.write(
                    steps,
                    {
                        "rollout/return": safe_mean([episode["r"] for episode in model.ep_info_buffer]),
                        "rollout/length": safe_mean([episode["l"] for episode in model.ep_info_buffer]),
                        **{name: float(model.logger.name_to_value[name]) for name in _UPDATE_FIGURES},
                        "time/seconds": seconds,
                        "time/steps_per_second": speed,
                    },
                )
                model.logger.name_to_value.clear()
                progress.update(task, completed=min(steps, config.total_steps), note=f"{speed:,.0f} steps/s")

                if _passed(before, steps, config.selves.every):
                    self.selves.add(model.policy, steps)
                    self._seat_opponents()
                is_last = steps >= config.total_steps
                if _passed(before, steps, config.validation.every) or is_last:
                    self._validate(metrics, console)
                if _passed(before, steps, config.checkpoints.every) or is_last or interrupted():
                    self._save_checkpoint()
                if interrupted():
                    raise KeyboardInterrupt
        return self.folder.path

    def _clone(self, progress: Progress, interrupted: Callable[[], bool]) -> None:
        settings = self.config.clone
        if settings is None:
            return
        task = progress.add_task(f"imitate {settings.teacher}", total=settings.decisions, note="")
        begun = time.perf_counter()

        def advance(count: int) -> None:
            if interrupted():  # Nothing to keep yet: a run that is resumed without a checkpoint begins anew.
                raise KeyboardInterrupt
            progress.advance(task, count)
            done = progress.tasks[task].completed
            progress.update(task, note=f"{done / (time.perf_counter() - begun):,.0f} decisions/s")

        clone(self.model.policy, self.config, advance)

    def _seat_opponents(self) -> None:
        self.env.set_opponents(weighted(self.config.opponents, self.selves.playing(), SELF))

    def _validate(self, metrics: Metrics, console: Console) -> None:
        """See how good the policy is; keep it if it is the best so far."""
        steps = self.model.num_timesteps
        scores = self.validator.validate(self.model.policy)
        named = {name: score._asdict() for name, score in scores.items()}
        metrics.write(steps, {f"validation/{name}/{k}": v for name, score in named.items() for k, v in score.items()})
        points = mean_points(scores)
        is_best = points > self.best
        told = ", ".join(f"{score.points:+.2f} ± {score.margin:.2f} against {name}" for name, score in scores.items())
        console.print(f"{steps:>12,} steps: points a round {told}{' (best)' if is_best else ''}", highlight=False)
        if is_best:
            self.best = points
            # SB3 adds .zip to a name without it.
            self.folder.write(BEST, lambda file: self._save_model(file))
            self.folder.write_json("best.json", {"steps": steps, "points": points, "against": named})

    def _save_model(self, file: Path) -> None:
        with file.open("wb") as stream:
            self.model.save(stream)

    def _save_checkpoint(self) -> None:
        keep = self.config.checkpoints.keep
        self.folder.save_checkpoint(self.model.num_timesteps, self._save_model, self._state(), keep)


def _passed(before: int, now: int, every: int) -> bool:
    """Whether a multiple of ``every`` lies between the steps before and now."""
    return before // every < now // every


def _check_same(of_run: Config, given: Config, run: Path) -> None:
    """Raises:
    ValueError: naming what differs, other than the length of the training.
    """
    old, new = of_run.model_dump(mode="json"), given.model_dump(mode="json")
    for key in old:
        if key not in ("total_steps", "name") and old[key] != new[key]:
            raise ValueError(f"expected the configuration of {run}, with {key}: {old[key]}, got {key}: {new[key]}")


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Yields a function that says whether Ctrl-C was pressed (or the process asked to end); twice ends at once."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        print("ending after this update; Ctrl-C again ends at once", flush=True)

    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(number, ask) for number in signals]
    except ValueError:  # Not in the main thread: nothing can be caught there.
        yield lambda: False
        return
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, refresh_per_second=2) as progress:
        yield progress
