"""Evaluation: how good agents are, on duplicate deals in all seat rotations, and how surely that is known.

`training.tournament` plays and `training.statistics` counts; `training.figures` presents what comes out here.
"""

from __future__ import annotations

import os
import platform
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import agents as registry
import rummy_env
from rummy_env import Rules
from rummy_env.actions import ACTION_TABLE_VERSION
from rummy_env.core.kernel import SOURCE_HASH
from rummy_env.fields import FIELD_TABLE_VERSION
from rummy_env.numbers import in_range
from rummy_env.opponents import Agent
from rummy_env.opponents import load as load_object
from rummy_env.parts import MAX_THREADS, check_count
from training.figures import AgentFigures, Evaluation, Pair
from training.statistics import standing, strengths, sums
from training.tournament import common_table, duels, play_contests

__all__ = ["Evaluation", "evaluate"]

Entrant: TypeAlias = str | os.PathLike[str] | Agent | Callable[..., int]
"""An agent's name, the path of an exported policy, an agent, or a function from a view to an action id."""

MAX_DEALS: Final = 1_000_000
MAX_SEED: Final = 1 << 62


def evaluate(
    ruleset: str,
    num_players: int,
    agents: Sequence[Entrant],
    deals: int = 1000,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
    match: bool = False,
    progress: bool = True,
) -> Evaluation:
    """A tournament: every pair of ``agents`` on ``deals`` duplicate deals in all seatings.

    Two players sit both ways. With more, each agent of a pair sits alone among copies of the other, in every seat; and
    where there are as many agents as seats they all meet at one table too, in every order. Deal d has the seed
    ``seed + d``. Seeds below 1,000,000 are kept for evaluation.

    ``match``: whole matches to the target, instead of single rounds. ``workers``: threads, one a core by default; the
    figures are the same to the last digit for any number of them. An agent given as an object cannot be shared, so
    there is one worker then. ``options``: of the ruleset. ``progress``: a bar on stderr.

    Raises:
        ValueError: for fewer than two agents, an unknown agent or one made for other rules, fewer than two deals, or
            another argument out of range; if an agent plays an illegal action.
    """
    options = dict(options or {})
    rules = Rules.preset(ruleset, num_players=num_players, **options)
    _check(agents, deals, seed)
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_count("workers", workers, MAX_THREADS)
    if not all(isinstance(entrant, str | os.PathLike) for entrant in agents):
        workers = 1
    crews = [[_load(entrant, rules) for entrant in agents] for _ in range(workers)]
    names = _names(agents, crews[0])
    given = [_given(entrant, name) for entrant, name in zip(agents, names, strict=True)]

    everyone = range(len(agents))
    contests = duels(len(agents), num_players)
    at_one_table = len(agents) == num_players > 2
    if at_one_table:
        contests.append(common_table(num_players))
    tables = deals * sum(len(contest.seatings) for contest in contests)
    with _progress_bar(tables, "matches" if match else "rounds", progress) as on_closed:
        tallies = play_contests(rules, crews, contests, seed, deals, match, on_closed)

    counted = {
        (frozenset(contest.agents), agent): sums(contest, tally, agent)
        for contest, tally in zip(contests, tallies, strict=True)
        for agent in contest.agents
    }
    against = {(a, b): counted[frozenset((a, b)), a] for a in everyone for b in everyone if a != b}
    return Evaluation(
        ruleset=ruleset,
        num_players=num_players,
        options=options,
        match=match,
        deals=deals,
        seed=seed,
        tables=tables,
        agents=tuple(
            AgentFigures(
                name=names[a],
                given=given[a],
                elo=elo,
                duels=standing([against[a, b] for b in everyone if b != a], match),
                common_table=standing([counted[frozenset(everyone), a]], match) if at_one_table else None,
            )
            for a, elo in enumerate(strengths(contests, tallies, len(agents), match))
        ),
        pairs=tuple(
            Pair(agent=names[a], opponent=names[b], duel=standing([part], match)) for (a, b), part in against.items()
        ),
        versions=_versions(),
        command=_command(ruleset, num_players, options, given, deals, seed, match),
    )


def _check(agents: Sequence[Entrant], deals: int, seed: int) -> None:
    if isinstance(agents, str) or len(agents) < 2:
        raise ValueError(f"agents: expected a list of two or more, got {agents!r}")
    check_count("deals", deals, MAX_DEALS)
    if deals < 2:
        raise ValueError(f"deals: expected two or more, since one leaves no interval, got {deals}")
    in_range("seed", seed, 0, MAX_SEED)


# --- the agents ----------------------------------------------------------------------------------------------


def _load(entrant: Entrant, rules: Rules) -> Agent:
    return registry.load(entrant, rules) if isinstance(entrant, str | os.PathLike) else load_object(entrant, rules)


def _names(entrants: Sequence[Entrant], loaded: Sequence[Agent]) -> list[str]:
    """A name for each agent, all different: its own, or the shortest end of its path that no other path has."""
    known = registry.names()
    paths = {
        number: Path(entrant).resolve()
        for number, entrant in enumerate(entrants)
        if isinstance(entrant, str | os.PathLike) and entrant not in known
    }
    names: list[str] = []
    taken: Counter[str] = Counter()
    for number, agent in enumerate(loaded):
        if number in paths:
            name = _short(paths[number], set(paths.values()))
        else:
            name = str(entrants[number]) if entrants[number] in known else agent.name
        taken[name] += 1
        names.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    return names


def _short(path: Path, paths: set[Path]) -> str:
    for count in range(1, len(path.parts) + 1):
        end = path.parts[-count:]
        if not any(other != path and other.parts[-count:] == end for other in paths):
            return "/".join(end)
    return str(path)


def _given(entrant: Entrant, name: str) -> str:
    return os.fspath(entrant) if isinstance(entrant, str | os.PathLike) else f"<{name}>"


# --- what surrounds it ---------------------------------------------------------------------------------------


@contextmanager
def _progress_bar(tables: int, unit: str, shown: bool) -> Iterator[Callable[[int], None]]:
    """A bar over all tables; what it yields takes how many more are over, from any thread."""
    columns = (TextColumn("evaluate"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as progress:
        task = progress.add_task("evaluate", total=tables)
        yield lambda count: progress.advance(task, count)


def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in ("numpy", "numba", "onnxruntime")}
    return {
        "rummy-env": rummy_env.__version__,
        "engine": SOURCE_HASH,
        "observation_table": str(FIELD_TABLE_VERSION),
        "action_table": str(ACTION_TABLE_VERSION),
        "python": platform.python_version(),
        **libraries,
    }


def _command(
    ruleset: str, num_players: int, options: Mapping[str, Any], given: Sequence[str], deals: int, seed: int, match: bool
) -> str:
    """What to type for the same figures."""
    words = ["rummy", "evaluate", "--ruleset", ruleset, "--players", str(num_players)]
    for name, value in options.items():
        words += ["--option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    words += ["--agents", *given, "--deals", str(deals), "--seed", str(seed)]
    return shlex.join([*words, "--match"] if match else words)
