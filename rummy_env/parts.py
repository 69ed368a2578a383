"""Tables shared out among threads. Kernels release the GIL, so threads of one process do."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any, Final, TypeVar

from rummy_env.numbers import in_range

T = TypeVar("T")

MAX_THREADS: Final = 1024


class Parts:
    """``num_tables`` tables in ``num_threads`` parts of about the same size.

    There are fewer parts where they would have less than ``fewest`` tables: waking a thread takes longer than them.

    Raises:
        ValueError: for a number of tables or threads that is not a whole number from 1 on.
    """

    def __init__(self, num_tables: int, num_threads: int, fewest: int) -> None:
        num_tables = check_count("num_envs", num_tables, 1 << 31)
        num_threads = check_count("num_threads", num_threads, MAX_THREADS)
        count = max(1, min(num_threads, num_tables // fewest))
        cuts = [num_tables * part // count for part in range(count + 1)]
        self.bounds: list[tuple[int, int]] = list(pairwise(cuts))
        """The first table of every part and the one after its last."""
        self._workers: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def run(self, work: Callable[[int, int, int], T]) -> list[T]:
        """Call ``work(part, lo, hi)`` for all parts at the same time; the results in the order of the parts."""
        if len(self.bounds) == 1:
            return [work(0, *self.bounds[0])]
        if self._workers is None or self._process != os.getpid():  # a fork takes no threads along
            self._process = os.getpid()
            self._workers = ThreadPoolExecutor(len(self.bounds) - 1, thread_name_prefix="rummy tables")
        others = [self._workers.submit(work, part, lo, hi) for part, (lo, hi) in enumerate(self.bounds) if part]
        try:
            first = work(0, *self.bounds[0])
        finally:
            wait(others)  # whatever happened, nobody may write to the tables when this returns
        return [first, *(other.result() for other in others)]

    def close(self) -> None:
        """Stop the threads."""
        if self._workers is not None and self._process == os.getpid():
            self._workers.shutdown()
        self._workers = None

    def __getstate__(self) -> dict[str, Any]:
        return {"bounds": self.bounds, "_workers": None, "_process": 0}


def check_count(name: str, value: Any, most: int) -> int:
    """``value`` as Python's number.

    Raises:
        ValueError: unless it is a whole number from 1 to ``most``.
    """
    return in_range(name, value, 1, most)
