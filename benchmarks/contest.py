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
    is, ``note`` how it plays. ``clock`` tells seconds: of this process by default, so that others do not count.
    """

    group: str
    name: str
    play: Callable[[], int]
    unit: str = "decisions/s"
    note: str = ""
    clock: Callable[[], float] = time.process_time
    speeds: list[float] = field(default_factory=list)
    """Things a second, by turn."""

    def take_turn(self, seconds: float) -> None:
        """Play for about so long, once at least, and note the speed."""
        count, start = 0, self.clock()
        while True:
            count += self.play()
            elapsed = self.clock() - start
            if elapsed >= seconds:
                break
        self.speeds.append(count / elapsed)

    @property
    def speed(self) -> float:
        """Things a second: the median of the turns."""
        return statistics.median(self.speeds)


def hold(contestants: Iterable[Contestant], num_turns: int, seconds: float, tick: Callable[[], None]) -> None:
    """Let all take ``num_turns`` turns of about ``seconds`` each, in rounds. ``tick`` is called after every turn."""
    everybody = list(contestants)
    for one in everybody:
        one.play()  # first calls compile, import and fill tables
    for _ in range(num_turns):
        for one in everybody:
            one.take_turn(seconds)
            tick()
