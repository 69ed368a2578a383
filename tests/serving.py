"""The game's server for tests: at one's desk without a socket, as an application, and as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from game.desk import Desk
from game.lines import Allowance, Line
from game.lobby import Limits, Lobby
from game.messages import Words
from game.players import Thinkers
from game.rooms import Room, Timing
from game.store import Store

RULESETS = ("straight", "rami", "gin", "indian")
"""What is played at a table."""

ROOT = Path(__file__).parent.parent
QUICK = Timing(pause=(0.0, 0.0), between=0.2, watched=0.05)
"""Computers that do not wait, for tests."""

PLENTY = Limits(messages_per_second=1e6, messages_at_once=1e6, rooms_per_minute=1e6)

CARD = re.compile(r"(?<![A-Za-z0-9_-])(?:[A2-9TJQK][shdc]|Jk)(?![A-Za-z0-9_-])")
"""A card, but no end of a room's code or a token, which have ``_`` and ``-`` too."""


def cards_in(text: str) -> set[str]:
    """Every card that a text names."""
    return set(CARD.findall(text))


class Tab(Line):
    """A tab without a socket: what it is sent is kept as text."""

    def __init__(self, desk: Desk, lang: str = "en", address: str = "here") -> None:
        super().__init__(None, Words(lang), address, Allowance(1e6, 1e6))  # type: ignore[arg-type]
        self.desk = desk
        self.texts: list[str] = []
        self.read = 0
        self.ended: int | None = None
        self.table: dict[str, Any] | None = None
        self.room_message: dict[str, Any] | None = None
        self._came = asyncio.Event()
        self._number = 0
        self.reactions = Allowance(1e6, 1e6)
        desk.lobby.lines.add(self)

    def post(self, text: str) -> None:
        if self.ended is not None:
            return
        self.texts.append(text)
        message = json.loads(text)
        if message["type"] == "table":
            self.table = message
        elif message["type"] == "room":
            self.room_message = message
        self._came.set()

    def close(self, code: int) -> None:
        if self.ended is None:
            self.ended = code
            self._came.set()

    @property
    def open(self) -> bool:
        return self.ended is None

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.texts]

    async def ask(self, type: str, **keys: Any) -> dict[str, Any]:
        """Send a message and return its answer."""
        self._number += 1
        number = self._number
        before = len(self.texts)
        await self.desk.serve(self, json.dumps({"type": type, "id": number, **keys}))
        for text in self.texts[before:]:
            if json.loads(text).get("re") == number:
                answer: dict[str, Any] = json.loads(text)
                return answer
        return await self.until(lambda message: message.get("re") == number, before)

    async def until(
        self, wanted: Callable[[dict[str, Any]], bool], start: int | None = None, seconds: float = 120.0
    ) -> dict[str, Any]:
        """The next message that is wanted."""
        at = self.read if start is None else start
        deadline = time.monotonic() + seconds
        while True:
            while at < len(self.texts):
                message: dict[str, Any] = json.loads(self.texts[at])
                at += 1
                if wanted(message):
                    self.read = at
                    return message
            self._came.clear()
            left = deadline - time.monotonic()
            assert left > 0, f"nothing came of what was wanted; the last was {self.texts[-1:]}"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), left)

    async def table_where(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 20.0) -> dict[str, Any]:
        """The newest table, once it is as wanted."""
        deadline = time.monotonic() + seconds
        while self.table is None or not wanted(self.table):
            left = deadline - time.monotonic()
            assert left > 0, f"the table never was as wanted; it is {self.table}"
            self._came.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), left)
        return self.table

    async def my_turn(self) -> dict[str, Any]:
        """The table, once one can move or the round is over."""
        return await self.table_where(lambda table: bool(table.get("moves")) or table["result"] is not None)

    async def play(self, move: str) -> dict[str, Any]:
        """Make a move in the newest table."""
        assert self.table is not None
        return await self.ask("move", n=self.table["n"], move=move)

    def vanish(self) -> None:
        """The line breaks."""
        self.desk.lobby.gone(self)
        self.ended = 1006


@contextlib.asynccontextmanager
async def desk(
    store: Path | None = None, timing: Timing = QUICK, limits: Limits = PLENTY, **changes: Any
) -> AsyncIterator[Desk]:
    """A server's desk, and its end. ``changes``: of the timing."""
    thinkers = Thinkers()
    lobby = Lobby(Store(store), thinkers, replace(timing, **changes), limits)
    listing = asyncio.create_task(lobby.tell_list())
    try:
        yield Desk(lobby)
    finally:
        listing.cancel()
        await lobby.close()
        thinkers.close()
        await asyncio.to_thread(lobby.store.close)


def run(work: Callable[[Desk], Coroutine[Any, Any, None]], **options: Any) -> None:
    """Run a test at a desk."""

    async def at_desk() -> None:
        async with desk(**options) as one:
            await work(one)

    asyncio.run(at_desk())


def room_of(one: Desk, tab: Tab) -> Room:
    """The room that a tab is in."""
    assert tab.room is not None
    return one.lobby.rooms[tab.room.code]


async def table_for(
    one: Desk, ruleset: str, people: int, computers: tuple[str, ...] = (), **settings: Any
) -> tuple[list[Tab], list[str]]:
    """A room in which the game has begun, with people's tabs in the order of their seats, and their tokens."""
    tabs = [Tab(one) for _ in range(people)]
    wanted = {"ruleset": ruleset, "seats": people + len(computers), "computers": list(computers), **settings}
    made = await tabs[0].ask("create", name="P0", settings=wanted)
    assert made["type"] == "seated", made
    tokens = [made["token"]]
    for number, tab in enumerate(tabs[1:], 1):
        joined = await tab.ask("join", room=made["room"], name=f"P{number}")
        tokens.append(joined["token"])
    for tab in tabs:
        await tab.ask("ready")
    for tab in tabs:
        await tab.table_where(lambda table: True)
    return tabs, tokens


# --- a process of its own ----------------------------------------------------------------------------------------


class Process:
    """`rummy play` as a process; ``url`` is where it serves."""

    def __init__(self, store: Path, *arguments: str) -> None:
        self.store = store
        self.arguments = arguments
        self.start()

    def start(self, port: int = 0) -> None:
        """Start it, also once more after its end. ``port`` 0: any free one."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, str(ROOT / "rummy_cli.py"), "play", "--no-browser", "--store"]
        self.process = subprocess.Popen(
            [*command, str(self.store), "--port", str(port), "--lang", "en", *self.arguments],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stderr is not None
        self.said = ""
        while not (found := re.search(r"at (http://(\S+):(\d+))/", self.said)):
            line = self.process.stderr.readline()
            assert line, f"the server ended: {self.said}"
            self.said += line
        self.url, self.host, self.port = found[1], found[2], int(found[3])
        self._wait()

    def _wait(self) -> None:
        import urllib.error
        import urllib.request

        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/api/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < deadline, "the server did not answer within a minute"
                time.sleep(0.05)

    def kill(self) -> None:
        """At once, as `kill -9` does."""
        self.process.kill()
        self.process.wait()
        self._close()

    def _close(self) -> None:
        if self.process.stderr is not None:
            self.process.stderr.close()

    def stop(self) -> int:
        """As Ctrl-C does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self._close()
        return code


@contextlib.contextmanager
def server(store: Path, *arguments: str) -> Iterator[Process]:
    """A server process, and its end."""
    process = Process(store, *arguments)
    try:
        yield process
    finally:
        process.kill()
