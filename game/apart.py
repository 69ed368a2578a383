"""A process of its own for those who think for long.

In a thread they would take turns with the server at Python's lock, and at the processor as its equals: then people who
move wait for them, on a busy machine for seconds. The process is less urgent than everything else, does one thing after
the other, and is started when there is something to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

T = TypeVar("T")

NICE: Final = 10
"""By how much less urgent the process is to the system than the server."""


class Urgency(IntEnum):
    """What is thought of first."""

    HINT = 0
    """A person waits for it, and nobody else."""
    TURN = 1
    """A table waits for its computer."""
    REVIEW = 2
    WARM = 3
    """Nobody waits yet."""


class ApartError(RuntimeError):
    """Something went wrong in the process, or it ended."""


class Apart:
    """The process, as the server's loop sees it."""

    def __init__(self) -> None:
        self._caller = ThreadPoolExecutor(1, thread_name_prefix="rummy apart")
        self._process: SpawnProcess | None = None
        self._line: Connection | None = None
        self._busy = False
        self._closed = False
        self._coming_or_going = threading.Lock()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    async def do(self, urgency: Urgency, work: Callable[..., T], *args: Any) -> T:
        """What ``work(*args)`` gives, done there; all of it must be picklable. What is cancelled while it waits is not
        begun.

        Raises:
            ApartError: if it raises there, or the process is ended.
        """
        async with self._turn(urgency):
            return await asyncio.get_running_loop().run_in_executor(self._caller, self._call, work, args)

    @contextlib.asynccontextmanager
    async def _turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """One at a time, the most urgent first."""
        if self._busy:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._count += 1
            heapq.heappush(self._waiting, (urgency, self._count, turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # it was handed over just now
                    self._next()
                raise
        self._busy = True
        try:
            yield
        finally:
            self._next()

    def _next(self) -> None:
        """Hand the process over to who waits for it."""
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._busy = False

    def _call(self, work: Callable[..., T], args: tuple[Any, ...]) -> T:
        with self._coming_or_going:
            if self._closed:
                raise ApartError("expected work before the end of the server, got it after")
            if self._process is None:
                self._begin()
        assert self._line is not None
        try:
            self._line.send((work, args))
            done, value = self._line.recv()
        except (EOFError, OSError):
            self._process = None
            raise ApartError("the process of those who think for long has ended") from None
        if not done:
            raise ApartError(value)
        found: T = value
        return found

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, there = context.Pipe()
        process = context.Process(target=_serve, args=(there,), name="rummy apart", daemon=True)
        process.start()
        self._process = process
        there.close()  # that it has ended is seen by the end of the line

    def close(self) -> None:
        """End the process; what it thinks of is not waited for."""
        with self._coming_or_going:  # one that is just being started could not be ended, and would stay
            self._closed = True
            if self._process is not None:
                self._process.kill()
        self._caller.shutdown(wait=False, cancel_futures=True)


def _serve(line: Connection) -> None:
    """Do what comes over the line, until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the server ends this one
    if hasattr(os, "nice"):
        os.nice(NICE)
    with contextlib.suppress(EOFError, OSError):  # so it shows that the server is gone, in the middle of work or not
        while True:
            work, args = line.recv()
            line.send(_answer(work, args))


def _answer(work: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, work(*args)
    except Exception:
        return False, traceback.format_exc()
