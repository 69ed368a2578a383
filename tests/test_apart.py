"""The process of those who think for long: what it is asked first, and what happens where it fails or ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from serving import ROOT

from game.apart import NICE, Apart, ApartError, Urgency


def with_process(work: Callable[[Apart], Coroutine[Any, Any, None]]) -> None:
    """Run a test with a process, and end it."""

    async def begin() -> None:
        apart = Apart()
        try:
            await work(apart)
        finally:
            apart.close()

    asyncio.run(begin())


def test_work_is_done_in_another_process_that_is_less_urgent() -> None:
    async def work(apart: Apart) -> None:
        there = await apart.do(Urgency.TURN, os.getpid)
        assert there != os.getpid()
        assert await apart.do(Urgency.TURN, os.getpid) == there
        assert await apart.do(Urgency.TURN, os.getpriority, os.PRIO_PROCESS, 0) == min(19, os.nice(0) + NICE)

    with_process(work)


def test_the_most_urgent_goes_first_and_what_nobody_waits_for_any_more_is_not_begun(tmp_path: Path) -> None:
    async def work(apart: Apart) -> None:
        begun = asyncio.create_task(apart.do(Urgency.REVIEW, time.sleep, 0.2))
        await asyncio.sleep(0)
        ended: list[str] = []

        async def ask(name: str, urgency: Urgency) -> None:
            await apart.do(urgency, (tmp_path / name).touch)
            ended.append(name)

        tasks = {
            name: asyncio.create_task(ask(name, urgency))
            for name, urgency in (
                ("review 1", Urgency.REVIEW),
                ("turn", Urgency.TURN),
                ("review 2", Urgency.REVIEW),
                ("gone", Urgency.HINT),
                ("hint", Urgency.HINT),
            )
        }
        await asyncio.sleep(0)
        tasks.pop("gone").cancel()
        await asyncio.gather(begun, *tasks.values())
        assert ended == ["hint", "turn", "review 1", "review 2"]
        assert not (tmp_path / "gone").exists()

    with_process(work)


def test_what_fails_there_fails_here_and_nothing_else_does() -> None:
    async def work(apart: Apart) -> None:
        with pytest.raises(ApartError, match="invalid literal for int"):
            await apart.do(Urgency.TURN, int, "no number")
        assert await apart.do(Urgency.TURN, int, "3") == 3

    with_process(work)


def test_a_process_that_has_ended_is_started_again() -> None:
    async def work(apart: Apart) -> None:
        there = await apart.do(Urgency.TURN, os.getpid)
        with pytest.raises(ApartError, match="has ended"):
            await apart.do(Urgency.TURN, os._exit, 3)
        assert await apart.do(Urgency.TURN, os.getpid) not in (there, os.getpid())

    with_process(work)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("asked", [0, 1, 3])
def test_it_ends_with_a_server_that_is_killed(asked: int) -> None:
    program = (
        "import asyncio, os, time\n"
        "from game.apart import Apart, Urgency\n"
        "if __name__ == '__main__':\n"
        "    apart = Apart()\n"
        "    print(asyncio.run(apart.do(Urgency.TURN, os.getpid)), flush=True)\n"
        f"    for _ in range({asked}):\n"
        "        apart._line.send((time.sleep, (0.3,)))\n"
        "    print(flush=True)\n"
        "    time.sleep(600)\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert server.stdout is not None
    assert server.stderr is not None
    there = int(server.stdout.readline())
    server.stdout.readline()
    os.kill(there, 0)  # it is there
    server.send_signal(signal.SIGKILL)
    server.wait()
    server.stdout.close()
    assert server.stderr.read() == ""  # what is read to its end when the other has ended too
    server.stderr.close()
    deadline = time.monotonic() + 30
    while _runs(there) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(there)


def _runs(process: int) -> bool:
    status = Path(f"/proc/{process}/status")
    if Path("/proc/self").exists():  # one that has ended may stay for its parent to see, which here is nobody's duty
        return status.exists() and "State:\tZ" not in status.read_text()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class _StartedSlowly(Apart):
    """It says when its process is being started, which takes a while."""

    def __init__(self) -> None:
        super().__init__()
        self.being_started = threading.Event()

    def _begin(self) -> None:
        self.being_started.set()
        time.sleep(0.5)
        super()._begin()


def test_a_process_that_is_just_being_started_is_ended_with_the_server() -> None:
    async def work() -> None:
        apart = _StartedSlowly()
        asked = asyncio.create_task(apart.do(Urgency.TURN, time.sleep, 60))
        await asyncio.to_thread(apart.being_started.wait)
        apart.close()
        with pytest.raises(ApartError):
            await asked

    asyncio.run(asyncio.wait_for(work(), 30))
