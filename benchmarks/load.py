"""Load on the game's server: many rooms of computer players at once, or many people who play, on this machine alone.

    python -m benchmarks.load --rooms 200
    python -m benchmarks.load --people 500 --seconds 30 --json load.json

The server is a process of its own on a free port of 127.0.0.1; this one is its people. Measured are the time from a
person's move to its answer, and the moves that are shown. Requests are bounded: every person moves at most so often a
second (``--pace``), for so many seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

ROOT: Final = Path(__file__).parent.parent
ARRIVAL: Final = 10.0
"""Seconds in which people come, before anything is measured."""

GIVE_UP: Final = 600.0
"""Seconds after which what has not come is a failure."""


@dataclass
class Figures:
    """What was measured, in seconds."""

    answers: list[float] = field(default_factory=list)
    """From a person's move to its answer."""
    moves: int = 0
    """Moves that were shown, of anybody."""
    refused: int = 0
    """Moves that were refused: none should be."""

    def told(self, seconds: float) -> dict[str, float]:
        """The figures as a report: milliseconds, and moves a second."""
        answers = sorted(self.answers)
        told = {"moves_per_second": round(self.moves / seconds, 1), "refused": self.refused}
        if answers:
            for name, part in (("median_ms", 0.5), ("p99_ms", 0.99)):
                told[name] = round(1000 * answers[min(len(answers) - 1, int(part * len(answers)))], 1)
            told |= {"worst_ms": round(1000 * answers[-1], 1), "answers": len(answers)}
        return told


class Person:
    """One connection, which watches or plays at random."""

    def __init__(self, socket: ClientConnection, figures: Figures, rng: random.Random) -> None:
        self.socket = socket
        self.figures = figures
        self.rng = rng
        self.room = ""

    async def ask(self, message: dict[str, Any], answer: str) -> dict[str, Any]:
        """Send something and wait for the message of that type."""
        await self.socket.send(json.dumps(message))
        while True:
            got = await self.receive()
            if got["type"] in (answer, "refused"):
                if got["type"] == "refused":
                    raise RuntimeError(f"expected {answer}, got {got}")
                return got

    async def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), GIVE_UP))
        if message["type"] == "table":
            self.figures.moves += sum("move" in event for event in message["events"])
        return message

    async def watch(self, settings: dict[str, Any], until: float) -> None:
        """Make a room of computers and see it play."""
        await self.ask({"type": "create", "settings": settings, "sit": False}, "watching")
        while time.monotonic() < until:
            await self.receive()

    async def play(self, ruleset: str, pace: float, begin: float, until: float) -> None:
        """Come, and play against three computers, round after round; answers count from ``begin`` on."""
        await asyncio.sleep(self.rng.uniform(0.0, max(0.0, begin - time.monotonic() - 1.0)))
        computers = ["easy", "normal", "hard"]
        await self.ask({"type": "quick", "name": "P", "ruleset": ruleset, "computers": computers}, "seated")
        table: dict[str, Any] | None = None
        sent, number, next_move = 0.0, 0, time.monotonic() + self.rng.uniform(0.0, 1.0) / pace
        while time.monotonic() < until:
            message = await self.receive()
            if message["type"] == "table":
                table = message
            elif message["type"] == "refused":
                self.figures.refused += 1
                sent = 0.0
            elif message.get("re") == number and sent:
                if sent >= begin:
                    self.figures.answers.append(time.monotonic() - sent)
                sent = 0.0
            if table is None or sent:
                continue
            if table["result"] is not None:
                await self.socket.send('{"type":"ready"}')
                table = None
            elif table["moves"]:
                await asyncio.sleep(max(0.0, next_move - time.monotonic()))
                number += 1
                sent = time.monotonic()
                next_move = sent + self.rng.uniform(0.5, 1.5) / pace
                move = self.rng.choice(table["moves"])["move"]
                await self.socket.send(json.dumps({"type": "move", "id": number, "n": table["n"], "move": move}))
                table = None


async def line_to(url: str) -> ClientConnection:
    """A connection to the server at ``url``."""
    return await connect(f"{url.replace('http', 'ws')}/ws", origin=Origin(url), compression=None, open_timeout=60)


async def load(
    url: str, rooms: int, people: int, ruleset: str, pace: float, seconds: float, process: int
) -> dict[str, Any]:
    """Put the load on the server at ``url``; the figures."""
    computers, persons = Figures(), Figures()
    rng = random.Random(1)
    first = Person(await line_to(url), Figures(), rng)  # the ruleset is compiled before anything is measured
    await first.ask({"type": "quick", "name": "P", "ruleset": ruleset, "computers": ["hard"] * 3}, "table")
    await first.socket.close()
    sockets = [await line_to(url) for _ in range(rooms + people)]
    settings = {"ruleset": ruleset, "seats": 4, "computers": ["hard", "normal", "easy", "normal"], "length": "match"}
    settings |= {"options": {"target": 100_000}}
    begin = time.monotonic() + ARRIVAL
    until = begin + seconds
    tasks = [Person(socket, computers, rng).watch(settings, until) for socket in sockets[:rooms]]
    tasks += [Person(socket, persons, rng).play(ruleset, pace, begin, until) for socket in sockets[rooms:]]
    working = asyncio.gather(*tasks)
    await asyncio.sleep(ARRIVAL)
    computers.moves = persons.moves = 0
    cpu = cpu_seconds(process)
    await working
    took = time.monotonic() - begin
    for socket in sockets:
        await socket.close()
    return {
        "rooms_of_computers": computers.told(took),
        "people": persons.told(took),
        "seconds": round(took, 1),
        "server_cores": round((cpu_seconds(process) - cpu) / took, 2),
    }


def cpu_seconds(process: int) -> float:
    """Time on processors of a process so far; 0 where the system does not tell."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> float:
    """Memory of a process in MB; 0 where the system does not tell."""
    status = Path(f"/proc/{process}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


async def idle_rooms(url: str, count: int, ruleset: str, process: int) -> float:
    """KB of memory that a room takes in which a person's turn is waited for, its connection included."""
    before = 0.0
    sockets = []
    for number in range(count + 20):
        socket = await line_to(url)
        sockets.append(socket)
        await Person(socket, Figures(), random.Random(1)).ask(
            {"type": "quick", "name": "P", "ruleset": ruleset, "computers": ["easy"] * 3}, "seated"
        )
        if number == 19:  # what every server needs once is there now
            await asyncio.sleep(2.0)
            before = memory_mb(process)
    await asyncio.sleep(2.0)
    after = memory_mb(process)
    for socket in sockets:
        await socket.close()
    return (after - before) * 1024 / count


def main(argv: list[str] | None = None) -> None:
    """Run a server, put load on it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=0, help="rooms of four computer players, each with a watcher")
    parser.add_argument("--people", type=int, default=0, help="people, each against three computers")
    parser.add_argument("--idle", type=int, default=0, help="measure the memory of so many idle rooms instead")
    parser.add_argument("--ruleset", default="straight")
    parser.add_argument("--pace", type=float, default=0.5, help="moves of a person a second, 0.5 by default")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a computer takes, about, 1 by default")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.load_server", str(Path(folder) / "rooms.sqlite3"), str(args.pause)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if args.idle:
                kilobytes = asyncio.run(idle_rooms(url, args.idle, args.ruleset, server.pid))
                figures: dict[str, Any] = {"idle_rooms": args.idle, "kb_a_room": round(kilobytes, 1)}
            else:
                figures = asyncio.run(
                    load(url, args.rooms, args.people, args.ruleset, args.pace, args.seconds, server.pid)
                )
            figures["server_mb"] = round(memory_mb(server.pid), 1)
        finally:
            server.terminate()
            server.wait()
    print(json.dumps(figures, indent=1))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
