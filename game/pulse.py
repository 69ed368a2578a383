"""How late the server's event loop is: everything that people do goes through it, so all of them wait when it does."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final

EVERY: Final = 0.05
"""Seconds between beats."""

KEPT: Final = 60.0
"""Seconds for which a beat is remembered."""


class Pulse:
    """Beats, and knows how late the beats of the last minute came."""

    def __init__(self) -> None:
        self._late: deque[tuple[float, float]] = deque()
        """(when, how late) of those beats that no later one was as late as: the first is the worst."""

    async def run(self) -> None:
        """Beat for ever."""
        while True:
            due = time.monotonic() + EVERY
            await asyncio.sleep(EVERY)
            now = time.monotonic()
            self.beat(now, now - due)

    def beat(self, now: float, late: float) -> None:
        """Note a beat that came ``late`` seconds late at ``now``, in seconds of one clock."""
        while self._late and self._late[-1][1] <= late:
            self._late.pop()
        self._late.append((now, late))
        while self._late[0][0] < now - KEPT:
            self._late.popleft()

    @property
    def worst(self) -> float:
        """Seconds by which the latest beat of the last minute was late, 0 before the first."""
        return self._late[0][1] if self._late else 0.0
