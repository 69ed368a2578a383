"""How fast the environments are on this machine, beside other libraries in the same run: ``rummy bench``.

A *decision* is one action of one player, with the observation and the mask of the next one written. A second is one of
a core's time, so that a busy machine does not count, but of the wall clock where two threads play. What is measured:

| group | what |
|---|---|
| batch, inside | random legal play without leaving the kernel, by number of tables |
| batch, step | the same from Python: `Batch.sample_actions` and `Batch.step` |
| two threads | both once more with two threads; needs two cores that are free |
| one table | PettingZoo's AEC loop: `last`, a legal action by lot, `step` |
| Gymnasium | decisions of the learner, the first legal action each time; bots inside the native vector environment |
| bots | decisions of the compiled bots alone, in positions of random play |
| peers | gin rummy of other libraries, see `benchmarks.peers` |

Then import, cold and warm start (`benchmarks.start`), memory for a table, for rami the
slowest decision (`benchmarks.worst`), and for straight the training loop, if that is installed.
"""

from __future__ import annotations

import argparse
import json as json_format
import os
import platform
import statistics
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks import aec_loop, peers, start, worst
from benchmarks.contest import Contestant, hold

BATCH_SIZES: Final = (64, 256, 1024, 4096, 16_384, 65_536)
THREADED_SIZES: Final = (4096, 16_384)
NUM_PLAYERS: Final = {"straight": (2, 3, 4), "rami": (2, 4, 6), "gin": (2,), "indian": (2, 4, 7, 10)}
"""What can be measured: numbers of players whose tables are weighed, by ruleset."""
BOTS: Final = ("random", "easy", "normal", "hard")
INSIDE, STEP, THREADS, ALONE, GYMNASIUM, BOT_GROUP, PEERS = (
    "batch, inside",
    "batch, step",
    "two threads",
    "one table",
    "Gymnasium",
    "bots",
    "peers",
)
DECISIONS_AT_ONCE: Final = 65_536
"""Decisions that a batch plays at least before the clock is looked at."""


# --- who takes part ------------------------------------------------------------------------------------------


def _inside(ruleset: str, group: str, num_tables: int, num_threads: int = 1) -> Contestant:
    from rummy_env import vector

    batch = vector.make(ruleset, num_tables, seed=1, num_threads=num_threads)
    num_steps = max(10, DECISIONS_AT_ONCE // num_tables)
    return Contestant(group, f"{num_tables:,} tables", lambda: batch.play_randomly(num_steps), threads=num_threads > 1)


def _step(ruleset: str, group: str, num_tables: int, num_threads: int = 1) -> Contestant:
    from rummy_env import vector

    batch = vector.make(ruleset, num_tables, seed=1, num_threads=num_threads)

    def play() -> int:
        for _ in range(num_steps):
            batch.step(batch.sample_actions())
        return num_steps * num_tables

    num_steps = max(1, DECISIONS_AT_ONCE // num_tables)
    return Contestant(group, f"{num_tables:,} tables", play, threads=num_threads > 1)


def _alone(ruleset: str) -> Contestant:
    from importlib import import_module

    env = import_module(f"rummy_env.{ruleset}_v0").env()
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    return Contestant(ALONE, "AEC loop", lambda: aec_loop.play(env, rng, 500))


def _gymnasium(ruleset: str, num_tables: int, opponents: str) -> Contestant:
    from rummy_env.gym_vector import RummyVectorEnv

    env = RummyVectorEnv(ruleset, num_tables, opponents=opponents, autoreset_mode="SameStep", copy=False)
    env.reset(seed=1)
    num_steps = max(1, DECISIONS_AT_ONCE // 8 // num_tables)

    def play() -> int:
        for _ in range(num_steps):
            env.step(env.action_masks().argmax(axis=1))
        return num_steps * num_tables

    return Contestant(GYMNASIUM, f"{num_tables:,} tables, {opponents}", play, "learner decisions/s")


def _bot(ruleset: str, name: str) -> Contestant:
    from rummy_env import opponents, vector
    from rummy_env.core.bot import bot_table, decide_tables

    batch = vector.make(ruleset, 2048, seed=1)
    batch.play_randomly(40)
    views = np.concatenate([batch.game(table).state["view"] for table in range(batch.num_envs)])
    bots = bot_table([getattr(opponents.load(name, batch.rules), "decider")])  # noqa: B009 - not every agent has one
    numbers = np.random.default_rng(1).integers(1, 2**64, batch.num_envs, dtype=np.uint64)
    actions = np.zeros(batch.num_envs, np.int64)

    def play() -> int:
        decide_tables(batch.rules.record, views, bots, numbers, actions)
        return batch.num_envs

    return Contestant(BOT_GROUP, name, play)


def _contestants(ruleset: str) -> Iterator[Contestant]:
    """All of ours."""
    for num_tables in BATCH_SIZES:
        yield _inside(ruleset, INSIDE, num_tables)
    for num_tables in BATCH_SIZES:
        yield _step(ruleset, STEP, num_tables)
    if (os.cpu_count() or 1) > 1:
        for num_tables in THREADED_SIZES:
            yield _inside(ruleset, f"{INSIDE}, {THREADS}", num_tables, 2)
        for num_tables in THREADED_SIZES:
            yield _step(ruleset, f"{STEP}, {THREADS}", num_tables, 2)
    yield _alone(ruleset)
    bots = _bots(ruleset)
    for num_tables in (256, 1024):
        yield _gymnasium(ruleset, num_tables, "normal" if "normal" in bots else bots[-1])
    for name in bots:
        yield _bot(ruleset, name)


def _bots(ruleset: str) -> list[str]:
    """Those of `BOTS` that play a ruleset."""
    from rummy_env import Rules, opponents

    rules, playing = Rules.preset(ruleset), []
    for name in BOTS:
        with suppress(ValueError):
            opponents.load(name, rules)
            playing.append(name)
    return playing


def _peers() -> tuple[list[Contestant], dict[str, str]]:
    """Other libraries, and for those that are not there the reason, by name."""
    ready, missing = peers.players(seed=1)
    there = [Contestant(PEERS, name, player.play, note=peers.PEERS[name][3]) for name, player in ready.items()]
    return there, missing


# --- the rest ------------------------------------------------------------------------------------------------


def _memory(ruleset: str) -> dict[str, float]:
    """Bytes for a table, by number of players."""
    from rummy_env import vector

    num_tables = 4096
    return {
        str(count): vector.make(ruleset, num_tables, count, seed=1).nbytes / num_tables
        for count in NUM_PLAYERS[ruleset]
    }


def _training(quick: bool) -> dict[str, Any]:
    """What `training.profile` measures: ``steps_per_second`` and ``environment_share``; or why it is ``missing``."""
    if find_spec("training.profile") is None:
        return {"missing": "no training.profile in this installation"}
    from importlib import import_module

    try:
        profile = import_module("training.profile")
    except ModuleNotFoundError as error:
        return {"missing": f"{error.name} is not installed: pip install rummy-env[train]"}
    figures: dict[str, Any] = profile.measure(quick=quick)
    return figures


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy", "gymnasium", "pettingzoo")},
    }


def _processor() -> str:
    """The processor's own name where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


# --- figures -------------------------------------------------------------------------------------------------


def measure(quick: bool = False, ruleset: str = "straight") -> dict[str, Any]:
    """All figures, as ``rummy bench --json`` writes them: see the module.

    ``speeds`` has for every contestant its median speed, ``times``: how many times each peer's speed that is, and the
    speeds of its turns by the clock of the process and by the wall's.
    """
    from rich.progress import Progress

    num_turns, seconds = (3, 0.05) if quick else (5, 0.5)
    ours = list(_contestants(ruleset))
    others, missing = _peers()
    with Progress(transient=True) as progress:
        task = progress.add_task("measuring", total=num_turns * len(ours + others))
        hold(ours + others, num_turns, seconds, lambda: progress.advance(task))
        progress.update(task, description="starting new processes")
        started = start.measure(1 if quick else 3, ruleset)
        progress.update(task, description="training")
        training = _training(quick) if ruleset == "straight" else {"missing": "measured with straight"}
    slowest = worst.figures(quick) if ruleset == "rami" else None
    speeds = [
        {
            "group": one.group,
            "name": one.name,
            "speed": one.speed,
            "unit": one.unit,
            "times": {peer.name: one.speed / peer.speed for peer in others},
            "turns": {"process": one.by_process, "wall": one.by_wall},
            "note": one.note,
        }
        for one in ours + others
    ]
    return {
        "ruleset": ruleset,
        "machine": _machine(),
        "speeds": speeds,
        "missing": missing,
        "start": {"import": started.importing, "cold": started.cold, "warm": started.warm},
        "bytes_per_table": _memory(ruleset),
        "training": training,
        "slowest": slowest,
    }


def report(figures: dict[str, Any]) -> Any:
    """The figures as tables of rich."""
    from rich.console import Group
    from rich.table import Table

    machine = figures["machine"]
    compared = [name for name in ("openspiel", "rlcard") if name not in figures["missing"]]
    speeds = Table(title=f"{figures['ruleset'].capitalize()} on {machine['processor']}, {machine['cores']} cores")
    speeds.add_column("what", no_wrap=True)
    for column in ("a second", "ns", *(f"× {name}" for name in compared)):
        speeds.add_column(column, justify="right", no_wrap=True)
    group = None
    for row in figures["speeds"]:
        if row["group"] != group:
            group = row["group"]
            speeds.add_section()
            speeds.add_row(f"[bold]{group}[/]")
        speeds.add_row(
            f"  {row['name']}",
            f"{row['speed']:,.0f}",
            f"{1e9 / row['speed']:,.0f}",
            *(f"{row['times'][name]:,.1f}" for name in compared),
        )

    rest = Table(show_header=False)
    rest.add_column()
    rest.add_column(justify="right")
    seconds = figures["start"]
    rest.add_row("import rummy_env", f"{seconds['import']:.2f} s")
    rest.add_row("first moves, compiled anew", f"{seconds['cold']:.1f} s")
    rest.add_row("first moves, from the cache", f"{seconds['warm']:.2f} s")
    for count, size in figures["bytes_per_table"].items():
        rest.add_row(f"memory for a table of {count}", f"{size:,.0f} bytes")
    for name, times in _two_threads(figures).items():
        rest.add_row(f"two threads, {name}", f"{times:.2f} × one")
    training = figures["training"]
    if "missing" in training:
        rest.add_row("training", training["missing"].replace("[", r"\["))
    else:
        rest.add_row("training", f"{training['steps_per_second']:,.0f} steps/s")
        rest.add_row("of that in the environment", f"{training['environment_share']:.0%}")
    if slowest := figures["slowest"]:
        rest.add_row("slowest decision found", f"{slowest['seconds'] * 1e3:.3f} ms")
        rest.add_row("  with", slowest["position"])
        rest.add_row("legal actions, of a random decision", f"{slowest['legal_share']:.0%}")
    for name, reason in figures["missing"].items():
        rest.add_row(name, reason.replace("[", r"\["))
    return Group(speeds, rest)


def _two_threads(figures: dict[str, Any]) -> dict[str, float]:
    """How many times as fast two threads are as one, by what they do."""
    by_name = {(row["group"], row["name"]): statistics.median(row["turns"]["wall"]) for row in figures["speeds"]}
    return {
        f"{name}, {group.split(', ')[1]}": by_name[f"{group}, {THREADS}", name] / by_name[group, name]
        for group in (INSIDE, STEP)
        for name in (f"{size:,} tables" for size in THREADED_SIZES)
        if (f"{group}, {THREADS}", name) in by_name
    }


def main(json: Path | None = None, quick: bool = False, ruleset: str = "straight") -> None:
    """Measure, print the tables, and write the figures to ``json``. ``quick``: in seconds, for a first look.

    Raises ValueError for a ruleset that is not measured.
    """
    from rich.console import Console

    if ruleset not in NUM_PLAYERS:
        raise ValueError(f"expected a ruleset of {', '.join(NUM_PLAYERS)}, got {ruleset!r}")
    figures = measure(quick, ruleset)
    if json is not None:
        json.write_text(json_format.dumps(figures, indent=2) + "\n", encoding="utf-8")
    Console().print(report(figures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description="Environment speed.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns")
    parser.add_argument("--ruleset", choices=tuple(NUM_PLAYERS), default="straight", help="which game")
    main(**vars(parser.parse_args()))
