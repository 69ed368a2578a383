"""Compiling a ruleset's kernels before anybody waits for them at a table.

The first time on a machine that takes up to some minutes, in processes of their own that fill the cache: here it would
keep the server from those who play already. Later starts load what is compiled in a second or two.

    python -m game.warming RULESET {table,advice}
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import agents
from agents.expert import Expert
from game import catalogue, hints, offers, players, records, seen, timeouts
from rummy_env import Game, Match, Rules
from rummy_env.core import kernel

if TYPE_CHECKING:
    from agents import Agent

NICE: Final = 5
"""By how much less urgent a process that compiles is to the system than the server."""

FEW: Final = (4,)
"""Worlds of an expert that only warms up."""


# --- what a table does ---------------------------------------------------------------------------------------


@cache
def warm_table(ruleset: str) -> None:
    """Do once in this process all that a table of the ruleset does while it is played."""
    rules = Rules.preset(ruleset, **catalogue.length_options(ruleset, "match"))
    bots = _quick_players(rules)
    match = Match(rules, seed=1)
    match.games[-1] = _played(match.game, bots)
    if not match.over:
        match.next_round(2)
    _person_moves(rules)
    # What is compiled stays for good. Looking through it again and again for garbage would hold every room up.
    gc.freeze()


def _quick_players(rules: Rules) -> list[Agent]:
    """Everybody who plays a level, but for those who think apart."""
    found = []
    for name in players.NAMES:
        with suppress(ValueError):  # no policy for these rules
            if name not in players.SLOW:
                found.append(agents.load(name, rules, seed=1))
    return found


def _played(game: Game, bots: Sequence[Agent]) -> Game:
    """A round to its end, with all that is shown of it meanwhile and then."""
    for number in count():
        public = seen.public(game)
        for seat in range(game.rules.num_players):
            seen.private(game, seat, public)
        if game.over:
            break
        timeouts.rolled_back(game)
        if not seen.duties(game):
            timeouts.next_move(game, None)
        move = game.move_of(bots[number % len(bots)].act(game.view(game.to_play)))
        trial = game.copy()
        trial.play(hints.opening_of(game) or move if move.kind in offers.INNER_KINDS else str(move))
        game = trial
    seen.result(game, False, ())
    (one,) = records.rounds_of_file([game])
    records.replay(one)
    records.record_of([one], "text")
    return game


def _person_moves(rules: Rules) -> None:
    """What people may do and computers do not: long melds, lay-offs at a named end, swaps, cards set out to be
    checked."""
    position: dict[str, Any] = {"phase": "play", "pile": "2d", "stock": "3c 4c 9c"}
    if offers.arranges(rules):
        game = Game.deal(rules, seed=1)
        offers.check(game, game.to_play, [game.hand(game.to_play)[:3]], game.wild)
        return
    if offers.opens(rules):
        position["hands"] = ["Ks Kh Kd Kc 6s Th 2c 9d", "3s 4s"]
        position["table"] = [{"cards": "3s 4s 5s", "by": 1}, {"cards": "9h Jk Jh", "by": 1}]
        moves = ["open Ks Kh Kd Kc", "layoff 6s 0", "swap Th 1"]
    else:
        position["hands"] = ["8d 9d Td Jd 6s 2c 9h", "Qs Qh"]
        position["table"] = [{"cards": "3s 4s 5s", "by": 1}]
        moves = ["meld 8d 9d Td Jd", "layoff 6s 0"]
    game = Game.from_position(rules, position)
    for move in moves:
        offers.check(game, 0, [move.split()[1:]] if not move.startswith(("layoff", "swap")) else [])
        game.is_legal(move)
        game.play(move)
    seen.private(game, 0, seen.public(game))
    timeouts.rolled_back(game)


def warm_advice(ruleset: str) -> None:
    """Do once in this process what an expert does at the beginning and in the midst of a round."""
    rules = Rules.preset(ruleset)
    game = Game.deal(rules, seed=1)
    expert = Expert(rules, seed=1, worlds=FEW)
    while not game.over and game.turn <= 2 * rules.num_players:
        if game.turn < rules.num_players or game.phase == "play":
            expert.values(game.view(game.to_play))
        game.step(expert.act(game.view(game.to_play)))


# --- in a process of its own ---------------------------------------------------------------------------------

_WORK: Final[dict[str, Callable[[str], None]]] = {"table": warm_table, "advice": warm_advice}


def is_compiled(ruleset: str, what: str) -> bool:
    """Whether there is nothing to compile: it was before, or no kernel is compiled at all, or none can be kept."""
    return not kernel.JIT or kernel.CACHE_DIR is None or _marker(kernel.CACHE_DIR, ruleset, what).exists()


def _marker(folder: Path, ruleset: str, what: str) -> Path:
    """The empty file that says that it is compiled. The folder is that of the engine's sources, the name says that of
    the players'."""
    return folder / f"{ruleset}-{_sources_of_players()}.{what}"


@cache
def _sources_of_players() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(agents.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


async def compile_apart(ruleset: str, what: str) -> None:
    """Compile it in a process of its own; one that is cancelled is ended."""
    if is_compiled(ruleset, what):
        return
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "game.warming", ruleset, what)
    try:
        await process.wait()
    finally:
        with suppress(ProcessLookupError):
            process.kill()


def main(ruleset: str, what: str) -> None:
    """Compile it here, and leave a mark."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the server ends this one
    if hasattr(os, "nice"):
        os.nice(NICE)
    if kernel.CACHE_DIR is None:
        return
    mark = _marker(kernel.CACHE_DIR, ruleset, what)
    with _alone(mark.with_suffix(f"{mark.suffix}.lock")):
        if not mark.exists():  # another has done it meanwhile
            _WORK[what](ruleset)
            with suppress(OSError):
                mark.touch()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time, where the system has such locks: of several servers that start at once, as those of tests
    do, one compiles and the others wait for it. Who is ended leaves no lock behind."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(held.enter_context(lock.open("w")), fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main(*sys.argv[1:])
