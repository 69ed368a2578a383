"""Speeds measured fairly: everybody plays in short turns, one after the other, in one run on one machine.

A busy moment of the machine, or a change of its clock, then falls on all of them; the median of the turns drops it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class Contestant:
    """Somebody whose speed is measured.

    ``play`` does some work, milliseconds of it, and returns how many things it did. ``group`` and ``name`` say who it
    is, ``note`` how it plays. A second of its speed is one of this process, so that other processes do not count; with
    ``threads`` it is one of the wall clock.
    """

    group: str
    name: str
    play: Callable[[], int]
    unit: str = "decisions/s"
    note: str = ""
    threads: bool = False
    by_process: list[float] = field(default_factory=list)
    """Things a second of the process, by turn."""
    by_wall: list[float] = field(default_factory=list)
    """Things a second of the wall clock, by turn."""

    def take_turn(self, seconds: float) -> None:
        """Play for about so long, once at least, and note the speed."""
        count, wall, process = 0, time.perf_counter(), time.process_time()
        while True:
            count += self.play()
            elapsed = time.perf_counter() - wall
            if elapsed >= seconds:
                break
        self.by_wall.append(count / elapsed)
        self.by_process.append(count / (time.process_time() - process))

    @property
    def speed(self) -> float:
        """Things a second: the median of the turns."""
        return statistics.median(self.by_wall if self.threads else self.by_process)


def hold(contestants: Iterable[Contestant], num_turns: int, seconds: float, tick: Callable[[], None]) -> None:
    """Let all take ``num_turns`` turns of about ``seconds`` each, in rounds. ``tick`` is called after every turn."""
    everybody = list(contestants)
    for one in everybody:
        one.play()  # first calls compile, import and fill tables
    for _ in range(num_turns):
        for one in everybody:
            one.take_turn(seconds)
            tick()
