"""A driver: does what is due in a room when nobody acts, as long as there is something."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from game.protocol import Refused

log = logging.getLogger(__name__)

REST: Final = 1.0
"""Seconds after a step that failed."""


class Driver:
    """Takes steps, one after the other, while they are ``wanted``. ``name``: the room's in the log."""

    def __init__(self, name: str, step: Callable[[], Awaitable[None]], wanted: Callable[[], bool]) -> None:
        self._name = name
        self._step = step
        self._wanted = wanted
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Something has changed: begin if need be, and end a `sleep`."""
        self._woken.set()
        if self._task is None and self._wanted():
            self._task = spawn(self._drive())

    async def sleep(self, seconds: float | None) -> None:
        """In a step: until something changes, or so long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)

    async def _drive(self) -> None:
        try:
            while self._wanted():
                self._woken.clear()
                try:
                    await self._step()
                except (Refused, sqlite3.Error) as error:
                    # The disk is full, say: what is shown stays true, and it is tried again.
                    log.error("room %s stands still: %s", self._name, error.args)
                    await asyncio.sleep(REST)
                except Exception:  # a fault of ours: the room must not be stuck, nor the server busy with it
                    log.exception("room %s stumbled", self._name)
                    await asyncio.sleep(REST)
        finally:
            self._task = None


_TASKS: Final[set[asyncio.Task[None]]] = set()
"""A loop keeps no task alive by itself."""


def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Do something that nobody waits for; if it fails, that is in the log."""
    task = asyncio.get_running_loop().create_task(work)
    _TASKS.add(task)
    task.add_done_callback(_done)
    return task


def _done(task: asyncio.Task[None]) -> None:
    _TASKS.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a room's task ended", exc_info=error)
