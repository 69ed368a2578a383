"""Load on the game's server: many rooms of computer players at once, or many people who play, on this machine alone.

    python -m benchmarks.load --rooms 200 --people 100
    python -m benchmarks.load --people 500 --seconds 30 --json load.json
    python -m benchmarks.load --rooms 200 --levels hard,expert --people 100 --against hard --advised 2

The server is a process of its own on a free port of 127.0.0.1; this one is its people. Measured are the time from a
person's move to its answer, and the moves that are shown; how long a ping takes, sent ten times a second; and by how
much the event loops of server and people were late at worst: a machine that is busy with something else delays the
people too, and by as much. Requests are bounded: every person moves at most so often a second (``--pace``), for so many
seconds. Fewer than some hundred answers say little of the slowest hundredth.
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
import urllib.request
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from game.pulse import Pulse

ROOT: Final = Path(__file__).parent.parent
ARRIVAL: Final = 10.0
"""Seconds in which people come, before anything is measured."""

PINGED: Final = 0.1
"""Seconds between pings."""

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
        return {"moves_per_second": round(self.moves / seconds, 1), "refused": self.refused, **spread(self.answers)}


def spread(times: list[float]) -> dict[str, float]:
    """Seconds as milliseconds: in the middle, of the slowest hundredth the fastest, the slowest, and how many."""
    if not times:
        return {}
    times = sorted(times)
    at = {"median_ms": 0.5, "p99_ms": 0.99, "worst_ms": 1.0}
    told = {name: round(1000 * times[min(len(times) - 1, int(part * len(times)))], 1) for name, part in at.items()}
    return told | {"answers": len(times)}


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

    async def ping(self, begin: float, until: float) -> None:
        """Measure how long a ping takes, again and again."""
        await asyncio.sleep(max(0.0, begin - time.monotonic()))
        while time.monotonic() < until:
            sent = time.monotonic()
            await self.ask({"type": "ping"}, "pong")
            self.figures.answers.append(time.monotonic() - sent)
            await asyncio.sleep(max(0.0, sent + PINGED - time.monotonic()))

    async def advised(self, ruleset: str, computers: list[str], begin: float, until: float) -> None:
        """Ask for a hint in every turn and play it, and have every round reviewed; hints are the answers."""
        await self.ask({"type": "quick", "name": "A", "ruleset": ruleset, "computers": computers}, "seated")
        while time.monotonic() < until:
            table = await self.ask({"type": "table"}, "table")
            while table["result"] is None and not table["moves"]:
                table = await self.receive()
                if table["type"] != "table":
                    table = {"result": None, "moves": []}
            if table["result"] is not None:
                piece: dict[str, Any] = {"done": 0, "of": 1}
                while piece["done"] < piece["of"] and time.monotonic() < until:
                    ask = {"type": "review", "round": table["round"]} if not piece["done"] else {"type": "ping"}
                    piece = await self.ask(ask, "review")
                await self.socket.send('{"type":"ready"}')
                while table["result"] is not None:
                    table = await self.ask({"type": "table"}, "table")
                continue
            sent = time.monotonic()
            hint = await self.ask({"type": "hint"}, "hint")
            if sent >= begin:
                self.figures.answers.append(time.monotonic() - sent)
            await self.ask({"type": "move", "id": 1, "n": table["n"], "move": hint["move"]}, "done")

    async def play(self, ruleset: str, computers: list[str], pace: float, begin: float, until: float) -> None:
        """Come, and play against computers, round after round; answers count from ``begin`` on."""
        await asyncio.sleep(self.rng.uniform(0.0, max(0.0, begin - time.monotonic() - 1.0)))
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


async def load(url: str, args: argparse.Namespace, process: int) -> dict[str, Any]:
    """Put the load on the server at ``url``; the figures. ``args``: of `main`."""
    computers, persons, hints, pings = Figures(), Figures(), Figures(), Figures()
    rng = random.Random(1)
    first = Person(await line_to(url), Figures(), rng)  # the ruleset is compiled before anything is measured
    await first.ask({"type": "quick", "name": "P", "ruleset": args.ruleset, "computers": args.against}, "table")
    await first.socket.close()
    settings = {"ruleset": args.ruleset, "seats": len(args.levels), "computers": args.levels, "length": "match"}
    settings |= {"options": {"target": 100_000}}
    begin = time.monotonic() + ARRIVAL
    until = begin + args.seconds
    sockets = [await line_to(url) for _ in range(args.rooms + args.people + args.advised + 1)]
    coming = iter(sockets)

    def come(figures: Figures, count: int) -> list[Person]:
        return [Person(socket, figures, rng) for socket in islice(coming, count)]

    working = asyncio.gather(
        *(one.watch(settings, until) for one in come(computers, args.rooms)),
        *(one.play(args.ruleset, args.against, args.pace, begin, until) for one in come(persons, args.people)),
        *(one.advised(args.ruleset, args.against, begin, until) for one in come(hints, args.advised)),
        *(one.ping(begin, until) for one in come(pings, 1)),
    )
    await asyncio.sleep(max(0.0, begin - time.monotonic()))
    computers.moves = persons.moves = 0
    cpu = cpu_seconds(process)
    pulse = Pulse()
    beating = asyncio.create_task(pulse.run())
    await working
    beating.cancel()
    took = time.monotonic() - begin
    cores = (cpu_seconds(process) - cpu) / took
    late = await asyncio.to_thread(server_late, url)
    for socket in sockets:
        await socket.close()
    return {
        "rooms_of_computers": computers.told(took),
        "people": persons.told(took),
        "hints": spread(hints.answers),
        "pings": spread(pings.answers),
        "late_ms": {"server": round(1000 * late, 1), "people": round(1000 * pulse.worst, 1)},
        "seconds": round(took, 1),
        "server_cores": round(cores, 2),
    }


def server_late(url: str) -> float:
    """By how many seconds the server's event loop was late in the last minute, at worst."""
    with urllib.request.urlopen(f"{url}/api/health", timeout=60) as answer:
        return float(json.load(answer)["late"])


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


def levels(text: str) -> list[str]:
    """Levels with commas between them."""
    return text.split(",")


def main(argv: list[str] | None = None) -> None:
    """Run a server, put load on it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=0, help="rooms of computer players, each with a watcher")
    parser.add_argument("--levels", type=levels, default="hard,normal,easy,normal", help="who plays in these rooms")
    parser.add_argument("--people", type=int, default=0, help="people, each against computers")
    parser.add_argument("--against", type=levels, default="easy,normal,hard", help="these computers")
    parser.add_argument("--advised", type=int, default=0, help="more people, who ask for advice all the time")
    parser.add_argument("--idle", type=int, default=0, help="measure the memory of so many idle rooms instead")
    parser.add_argument("--ruleset", default="straight")
    parser.add_argument("--pace", type=float, default=0.5, help="moves of a person a second, 0.5 by default")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a computer takes, about, 1 by default")
    parser.add_argument("--seconds", type=float, default=50.0, help="at most 60, 50 by default")
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
                figures = asyncio.run(load(url, args, server.pid))
            figures["server_mb"] = round(memory_mb(server.pid), 1)
        finally:
            server.terminate()
            server.wait()
    print(json.dumps(figures, indent=1))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
