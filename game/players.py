"""Who plays the levels of the game, and thinking beside the server's loop.

`Thinkers` owns the threads, and the process of those who are slow. Agents keep state (random numbers, buffers), so
every thread has its own; they are shared by all rooms with the same rules, so that a room costs nothing for them.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import agents
from game import offers, timeouts
from game.apart import Apart, Urgency

if TYPE_CHECKING:
    from agents import Agent
    from rummy_env import Game, Rules, View

T = TypeVar("T")

LEVELS: Final = ("easy", "normal", "hard", "expert")

_CANDIDATES: Final = {
    "easy": ("easy", "random"),
    "normal": ("normal", "easy", "random"),
    "hard": ("trained", "hard", "normal", "random"),
    "expert": ("expert", "trained", "hard", "normal", "random"),
}
"""Who plays a level: the first that there is for the rules."""

NAMES: Final = tuple(dict.fromkeys(name for names in _CANDIDATES.values() for name in names))
"""Everybody who may play a level."""

SLOW: Final = ("expert",)
"""Players that take their time: they think apart from the others."""

AT_ONCE: Final = 8
"""Of the moves of computers and of rooms that begin so many are under way at a time, however many are due: each takes
the server some milliseconds, and a person's move, which does not wait in their row, waits for no more than these."""

KEPT: Final = 64
"""Agents that a thread keeps; more than that, and the one asked the longest ago is made anew when needed."""

log = logging.getLogger(__name__)


def level_exists(level: str) -> bool:
    """Whether there are players of that level at all."""
    return level != "expert" or "expert" in agents.names()


@lru_cache(maxsize=256)
def plays_level(level: str, rules: Rules) -> tuple[str, str]:
    """(agent, why not the one that should) for a level: the trained policy for ``hard`` where one fits the rules."""
    first, reason = True, ""
    candidates = _CANDIDATES[level]
    for name in (name for name in candidates if name in agents.names()):
        try:
            agents.load(name, rules)
        except (ValueError, KeyError, OSError, ImportError) as error:
            reason = reason or str(error)
            first = False
        else:
            return name, "" if first else reason
    raise ValueError(f"expected a player for {level}, got none: {reason}")


def adviser(rules: Rules) -> str:
    """The strongest player there is for these rules: for hints and reviews."""
    return plays_level("expert", rules)[0]


_OWN: Final = threading.local()


def agent(name: str, rules: Rules) -> Agent:
    """This thread's agent of that name for the rules."""
    kept: OrderedDict[Any, Agent] | None = getattr(_OWN, "agents", None)
    if kept is None:
        kept = _OWN.agents = OrderedDict()
    key = (name, rules)
    if key not in kept:
        kept[key] = agents.load(name, rules)
        if len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


def choose(name: str, view: View, seed: int) -> int:
    """The action id of agent ``name`` for the seat whose view it is."""
    player = agent(name, view.rules)
    player.reset(seed)
    action = int(player.act(view))
    mask = view.action_mask
    if not 0 <= action < len(mask) or not mask[action]:
        log.error("%s chose action %d, which is not legal", name, action)
        return int(mask.argmax())
    return action


class Thinkers:
    """Where computer players think. ``threads``: for quick ones; slow ones have a process of their own."""

    def __init__(self, threads: int = 2) -> None:
        self._quick = ThreadPoolExecutor(threads, thread_name_prefix="rummy quick")
        self._background = ThreadPoolExecutor(1, thread_name_prefix="rummy beside")
        self.apart = Apart()
        self.gate = asyncio.Semaphore(AT_ONCE)
        """Passed by what computers do at their tables, and by rooms that begin."""

    async def move(self, name: str, game: Game) -> str:
        """What agent ``name`` plays for the seat to play: the text of a move. The steps of an opening become one."""
        try:
            return await self._move(name, game)
        except Exception:  # a player's fault, whatever it is, must not stop the room
            log.exception("%s could not play in %s; the game plays for it", name, game.rules.ruleset)
            return timeouts.any_move(game)

    async def _move(self, name: str, game: Game) -> str:
        action = await self.act(name, game.view(game.to_play))
        move = game.move_of(action)
        if move.kind not in offers.INNER_KINDS:
            return str(move)
        trial, first = game.copy(), len(game.table)
        while move.kind != "confirm":
            trial.step(action)
            action = await self.act(name, trial.view(trial.to_play))
            move = trial.move_of(action)
        return offers.opening_on_table(trial, first)

    async def act(self, name: str, view: View) -> int:
        """The action id of agent ``name`` for the seat whose view it is; a legal one."""
        seed = secrets.randbits(32)
        if name in SLOW:
            return await self.apart.do(Urgency.TURN, choose, name, view, seed)
        return await self.soon(lambda: choose(name, view, seed))

    async def beside(self, work: Callable[[], T]) -> T:
        """Something that takes long and nobody's turn waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._background, work)

    async def soon(self, work: Callable[[], T]) -> T:
        """Something that a person waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, work)

    def close(self) -> None:
        """End the threads and the process; what they think of is not waited for."""
        self.apart.close()
        for pool in (self._quick, self._background):
            pool.shutdown(wait=False, cancel_futures=True)
