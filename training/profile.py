"""How fast training goes, and on what its time goes: ``python -m training.profile``.

A shipped configuration's loop is run as `training.ppo` runs it, from a network that knows nothing and without
imitation, validation and checkpoints. Shares of the time:

- ``environment_share``: playing, the rule bots among the opponents included, and what lies between our parts;
- ``selves_share``: the networks of earlier selves among the opponents;
- ``policy_share``: the learner's network while it plays;
- ``update_share``: learning from what was played.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger

from training.config import Config, load
from training.ppo import Training
from training.run_folder import RunFolder

CONFIG: Final = "straight_quick.yaml"

_ENVIRONMENT, _SELVES, _POLICY, _UPDATE = "environment", "selves", "policy", "update"


class _Clock:
    """Seconds by part; those of a part inside another are not the other's."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys((_ENVIRONMENT, _SELVES, _POLICY, _UPDATE), 0.0)
        self._running: list[str] = []
        self._since = 0.0

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its time counted."""

        def call(*arguments: Any, **named: Any) -> Any:
            self._turn()
            self._running.append(part)
            try:
                return function(*arguments, **named)
            finally:
                self._turn()
                self._running.pop()

        return call


def measure(quick: bool = False, config: Config | None = None) -> dict[str, float]:
    """Run the loop for some updates, the first of which does not count.

    Returns ``steps_per_second`` (decisions of the learner) and the shares, which add up to 1. ``quick``: one update
    rather than five. ``config``: another one than the shipped.
    """
    config = load(_shipped(), ["clone=null"]) if config is None else config
    with tempfile.TemporaryDirectory(prefix="rummy-profile-") as folder:
        training = Training(config, RunFolder.create(Path(folder), config))
        try:
            return _measure(training, 1 if quick else 5)
        finally:
            training.env.close()


def _measure(training: Training, num_updates: int) -> dict[str, float]:
    model, env = training.model, training.env
    model.set_logger(Logger(None, []))
    callback = CallbackList([])
    callback.init_callback(model)
    training.selves.add(model.policy, 0)
    training._seat_opponents()
    model._last_obs = env.reset()
    clock = _Clock()
    for one in training.selves.playing():
        _replace(one, "act_batch", clock.timed(_SELVES, one.act_batch))

    def play() -> None:
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)

    # Learning asks the network too, but that is part of the update: only playing is taken apart.
    evaluate, timed_evaluate = model.policy.evaluate, clock.timed(_POLICY, model.policy.evaluate)
    rollout, update = clock.timed(_ENVIRONMENT, play), clock.timed(_UPDATE, model.train)
    steps = 0
    for number in range(num_updates + 1):
        if number == 1:
            clock.seconds = dict.fromkeys(clock.seconds, 0.0)
            steps = model.num_timesteps
        _replace(model.policy, "evaluate", timed_evaluate)
        rollout()
        _replace(model.policy, "evaluate", evaluate)
        update()
    total = sum(clock.seconds.values())
    shares = {f"{part}_share": seconds / total for part, seconds in clock.seconds.items()}
    return {"steps_per_second": (model.num_timesteps - steps) / total, **shares}


def _replace(one: Any, method: str, function: Callable[..., Any]) -> None:
    """Give one object another method than its class has."""
    setattr(one, method, function)


def _shipped() -> Path:
    """The configuration: in ``configs/`` of a checkout, beside the trainer in an installed package."""
    here = Path(__file__).parent
    checkout = here.parent / "configs" / "train" / CONFIG
    return checkout if checkout.is_file() else here / "configs" / "train" / CONFIG


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m training.profile", description="Training speed.")
    parser.add_argument("--quick", action="store_true", help="one update only")
    figures = measure(parser.parse_args(arguments).quick)
    print(f"{figures['steps_per_second']:,.0f} steps/s")
    for name, share in figures.items():
        if name.endswith("_share"):
            print(f"{share:5.0%} {name.removesuffix('_share')}")


if __name__ == "__main__":
    main()
