"""The server from outside: HTTP, WebSockets with their limits, and a process that is killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from serving import PLENTY, QUICK, ROOT, Process, cards_in, server
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from agents.policy import shipped
from game import guard, hosting, patience, protocol
from game.lines import Allowance
from game.lobby import Limits
from game.server import Options, application
from rummy_env import Game, Rules, record

ORIGIN = {"origin": "http://localhost", "host": "localhost"}


@contextmanager
def app(**options: Any) -> Iterator[TestClient]:
    """The application under the name of localhost."""
    options = {"timing": QUICK, "limits": PLENTY} | options
    with TestClient(application(Options(**options)), base_url="http://localhost") as client:
        yield client


def ask(ws: Any, type: str, **keys: Any) -> dict[str, Any]:
    """Send a message over a socket of the test client, and return its answer."""
    ws.send_json({"type": type, "id": 1, **keys})
    while (message := ws.receive_json()).get("re") != 1:
        pass
    answer: dict[str, Any] = message
    return answer


def test_every_answer_carries_the_headers_and_nothing_is_loaded_from_elsewhere() -> None:
    with app() as client:
        for path in ("/api/health", "/api/catalogue", "/api/nothing", "/api/replay/nothing"):
            headers = client.get(path).headers
            for name, value in guard.HEADERS.items():
                assert headers[name] == value
        policy = guard.HEADERS["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy


def test_the_catalogue_tells_every_option_of_every_ruleset() -> None:
    with app() as client:
        catalogue = client.get("/api/catalogue").json()
        rami = next(one for one in catalogue["rulesets"] if one["ruleset"] == "rami")
        assert (rami["seats"], rami["wizard_seats"], rami["length"], rami["target"]) == ([2, 6], 4, "round", 200)
        opening = next(option for option in rami["options"] if option["name"] == "opening")
        assert (opening["default"], opening["offered"]) == (40, [30, 40, 51])
        straight = next(one for one in catalogue["rulesets"] if one["ruleset"] == "straight")
        there = {num: shipped("straight", num).is_dir() for num in (2, 3, 4)}
        assert straight["hard"] == {str(num): "trained" if there[num] else "hard" for num in there}
        assert there[2]
        assert catalogue["clocks"] == [30, 45, 60, 90, 600]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/rooms", 200),
        ("/api/nothing", 404),
        ("/api/record/none", 404),
        ("/api/record/none?form=pdf", 400),
        ("/api/replay/none/1", 404),
        ("/api/replay/file", 200),
        ("/api/replay/file/1", 404),
        ("/api/replay/file/" + "9" * 5000, 404),
        ("/api/qr?path=/room/x", 200),
        ("/api/qr?path=//elsewhere", 400),
        ("/api/qr?path=" + "/x" * 200, 400),
        ("/page/../server.py", 404),
        ("/page/%2e%2e/server.py", 404),
    ],
)
def test_what_is_asked_over_http(path: str, status: int) -> None:
    with app() as client:
        assert client.get(path).status_code == status


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:8000", True),
        ("127.0.0.1:8000", True),
        ("192.168.0.7:8000", True),
        ("[::1]:8000", True),
        ("rummy.example.org", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        ("[broken", False),
    ],
)
def test_the_server_answers_to_its_own_names_alone(host: str, known: bool) -> None:
    assert guard.Hosts(["Rummy.Example.Org"]).knows(host) == known


@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ({"origin": "http://localhost", "host": "localhost"}, True),
        ({"origin": "http://localhost:8000", "host": "localhost:8000"}, True),
        ({"origin": "https://rummy.example.org", "host": "127.0.0.1:8000"}, True),
        ({"origin": "http://localhost:9000", "host": "localhost:8000"}, False),
        ({"origin": "http://evil.example", "host": "localhost:8000"}, False),
        ({"origin": "http://evil.example", "host": "evil.example"}, False),
        ({"origin": "null", "host": "localhost:8000"}, False),
        ({"host": "localhost:8000"}, False),
        ({"origin": "http://[", "host": "localhost:8000"}, False),
        ({"origin": "http://[::1", "host": "[::1]"}, False),
        ({"origin": "http://[::1]:8000", "host": "[::1]:8000"}, True),
    ],
)
def test_a_socket_is_opened_by_the_servers_own_pages_alone(headers: dict[str, str], accepted: bool) -> None:
    with app(hosts=["rummy.example.org"]) as client:
        if accepted:
            with client.websocket_connect("/ws", headers=headers) as ws:
                assert ws.receive_json() == {"type": "hello", "protocol": protocol.VERSION}
        else:
            with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=headers):
                pass


def test_messages_too_long_too_many_and_of_bytes_end_the_line() -> None:
    limits = Limits(messages_per_second=0.001, messages_at_once=3)
    with app(limits=limits) as client:
        for data in ({"text": "x" * 5000}, {"bytes": b"ping"}):
            with client.websocket_connect("/ws", headers=ORIGIN) as ws:
                ws.receive_json()
                ws.send({"type": "websocket.receive", **data})
                assert ending(ws) == protocol.UNREADABLE
        with client.websocket_connect("/ws", headers=ORIGIN) as ws:
            ws.receive_json()
            for _ in range(3):
                ws.send_json({"type": "ping"})
                assert ws.receive_json() == {"type": "pong"}
            ws.send_json({"type": "ping", "id": 9})
            refused = ws.receive_json()
            assert (refused["code"], refused["re"], refused["wait"] > 0) == ("busy", 9, True)
            for _ in range(15):
                ws.send_json({"type": "ping"})
            assert ending(ws) == protocol.TOO_MANY


def ending(ws: Any) -> int:
    """The code with which the server ends a line; what comes before is of no interest."""
    while True:
        message = ws.receive()
        if message["type"] == "websocket.close":
            return int(message["code"])


def test_how_long_one_should_wait_is_never_nothing() -> None:
    allowance = Allowance(1000.0, 1.0)
    assert allowance.take() == 0.0
    assert allowance.take(1.001) == 0.1  # a thousandth of a second: said in tenths, never less than it takes


def test_connections_and_rooms_have_their_limits() -> None:
    settings = {"ruleset": "straight", "seats": 2}
    with app(limits=Limits(connections=1)) as client, client.websocket_connect("/ws", headers=ORIGIN) as first:
        first.receive_json()
        with client.websocket_connect("/ws", headers=ORIGIN) as second:
            assert ending(second) == protocol.FULL
    for limits in (Limits(rooms=1), Limits(rooms_per_minute=1)):
        with app(limits=limits) as client, client.websocket_connect("/ws", headers=ORIGIN) as ws:
            assert ask(ws, "create", name="Mina", settings=settings)["type"] == "seated"
            assert ask(ws, "create", name="Mina", settings=settings)["code"] == "busy"


def test_one_who_goes_before_the_seat_is_given_does_not_sit_there_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"ruleset": "straight", "seats": 2}
    with app() as client, client.websocket_connect("/ws", headers=ORIGIN) as host:
        made = ask(host, "create", name="Mina", settings=settings)
        lobby = client.app.state.server.lobby  # type: ignore[attr-defined]
        keep = lobby.store.keep
        begun, gone = threading.Event(), threading.Event()

        async def slow(statements: Any) -> None:
            begun.set()
            while not gone.is_set():
                await asyncio.sleep(0.01)
            await keep(statements)

        monkeypatch.setattr(lobby.store, "keep", slow)
        with client.websocket_connect("/ws", headers=ORIGIN) as late:
            late.send_json({"type": "join", "room": made["room"], "name": "Jun"})
            assert begun.wait(10)
            late.close()
            time.sleep(0.1)  # the line breaks while the seat is written
            gone.set()
            deadline = time.monotonic() + 10
            while len(lobby.lines) > 1 and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.1)
            seat = lobby.rooms[made["room"]].seats[1]
            assert (seat.player, seat.line) == ("person", None)
            assert len(lobby.lines) == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<b>Mina</b>", "<b>Mina</b>"),  # text for a page that shows it as text
        ("<script>alert(1)</script>", None),  # longer than a name may be
        ("  미나  킴 ", "미나 킴"),
        ("\u3164\u115f\u2800", None),  # signs by their category, but nothing is seen of them
        ("\ufe0f\u034f\u0301", None),
        ("a\u3164\u0301b", "a b"),  # a mark on nothing
        ("Z" + "\u0351" * 12, "Z" + "\u0351" * 3),  # a heap of marks covers what is around
        ("Nguy\u1ec5n \u0e17\u0e35\u0e48", "Nguy\u1ec5n \u0e17\u0e35\u0e48"),
        ("a\u202eb\u0000c\n", "a b c"),  # nothing that turns what follows, or cannot be seen
        ("", None),
        (" \u200b ", None),
        ("x" * 21, None),
        (5, None),
    ],
)
def test_names_are_text(name: Any, shown: str | None) -> None:
    with app() as client, client.websocket_connect("/ws", headers=ORIGIN) as ws:
        ws.send_json({"type": "create", "id": 1, "name": name, "settings": {"ruleset": "straight", "seats": 2}})
        message = ws.receive_json()
        while message["type"] not in ("room", "refused"):
            message = ws.receive_json()
        assert message.get("code") in (None, "bad_name", "bad_message")
        assert (message["seats"][0]["name"] if shown else message["type"]) == (shown or "refused")


def test_a_file_is_replayed_step_by_step_to_its_end() -> None:
    games = []
    for seed in (1, 2):
        game = Game.deal(Rules.preset("rami", max_turns=10), seed=seed)
        while not game.over:
            actions = game.legal_actions()
            game.step(actions[seed % len(actions)])
        games.append(game)
    with app(replay=record.read_all(record.write_all(games))) as client:
        assert [one["round"] for one in client.get("/api/replay/file").json()["rounds"]] == [1, 2]
        for number, game in enumerate(games, 1):
            told = client.get(f"/api/replay/file/{number}").json()
            position = told["start"]
            for step in told["steps"]:
                assert step["event"]["seat"] == position["to_play"]
                hands = step.get("hands", {})
                position |= {key: value for key, value in step.items() if key not in ("event", "hands")}
                position["hands"] = [hands.get(str(seat), hand) for seat, hand in enumerate(position["hands"])]
            assert position["hands"] == [game.hand(seat) for seat in range(2)]
            assert position["pile"] == game.pile
            assert position["phase"] == "over"
            assert told["result"]["truncated"]


# --- a process ---------------------------------------------------------------------------------------------------


class Client:
    """A page's connection to a process."""

    def __init__(self, process: Process, origin: str | None = None) -> None:
        url = f"ws://{process.host}:{process.port}/ws"
        self.socket: ClientConnection = connect(url, origin=origin or process.url, open_timeout=30).__enter__()
        self.table: dict[str, Any] = {}
        self.room: dict[str, Any] = {}
        self.number = 0
        assert self.receive()["type"] == "hello"

    def receive(self, seconds: float = 60.0) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        if message["type"] in ("table", "room"):
            setattr(self, message["type"], message)
        return message

    def ask(self, type: str, **keys: Any) -> dict[str, Any]:
        self.number += 1
        self.socket.send(json.dumps({"type": type, "id": self.number, **keys}))
        while (message := self.receive()).get("re") != self.number:
            pass
        return message

    def drain(self) -> None:
        """Read what came before the line broke."""
        with suppress(ConnectionClosed):
            while True:
                self.receive()

    def my_turn(self) -> dict[str, Any]:
        while not self.table or (not self.table.get("moves") and self.table["result"] is None):
            self.receive()
        return self.table

    def play(self, move: str) -> dict[str, Any]:
        return self.ask("move", n=self.table["n"], move=move)


def test_killed_at_any_moment_and_started_again_no_shown_move_is_lost(tmp_path: Path) -> None:
    store = tmp_path / "rooms.sqlite3"
    with server(store, "--pause", "0") as process:
        client = Client(process)
        seated = client.ask("quick", name="Mina", ruleset="straight", computers=["normal", "easy"], length="match")
        for kills in range(3):
            # Two moves, and the kill comes when the second was shown or while computers move.
            table = client.my_turn()
            if table["result"] is not None:
                client.ask("ready")
                while client.table["result"] is not None:
                    client.receive()
                table = client.my_turn()
            assert client.play(table["moves"][0]["move"])["type"] == "done"
            if kills == 1:
                client.my_turn()
            process.kill()
            client.drain()
            shown = client.table
            process.start(process.port)
            client = Client(process)
            joined = client.ask("join", room=seated["room"], token=seated["token"])
            assert joined.get("seat") == seated["seat"], joined
            while not client.table:
                client.receive()
            now = client.table
            assert now["n"] >= shown["n"]
            assert now["round"] >= shown["round"]
            told = {event["n"]: event for event in now["events"]}
            for event in shown["events"]:
                if event["n"] in told:
                    assert told[event["n"]] == event
            if now["n"] == shown["n"]:
                for key in ("hand", "pile", "table", "stock", "to_play", "phase", "turn", "seats"):
                    assert now[key] == shown[key], key
        client.socket.close()
        assert process.stop() == 0


def test_the_clock_resumes_after_a_restart_and_strangers_stay_out(tmp_path: Path) -> None:
    store = tmp_path / "rooms.sqlite3"
    with server(store, "--pause", "0") as process:
        first, second = Client(process), Client(process)
        made = first.ask("create", name="A", settings={"ruleset": "straight", "seats": 2, "clock": 30})
        joined = second.ask("join", room=made["room"], name="B")
        first.ask("ready")
        second.ask("ready")
        while not first.table:
            first.receive()
        while not second.table:
            second.receive()
        mover, waiter = (first, second) if first.table["to_play"] == 0 else (second, first)
        time.sleep(1.2)
        assert mover.play("draw")["type"] == "done"
        before = mover.table
        process.kill()
        process.start(process.port)
        with pytest.raises(InvalidStatus):
            Client(process, origin="http://evil.example")
        again = Client(process)
        token = made["token"] if mover is first else joined["token"]
        again.ask("join", room=made["room"], token=token)
        while not again.table:
            again.receive()
        assert again.table["hand"] == before["hand"]
        left = again.table["clock"]["left"]
        assert 20.0 < left < 29.5  # what was used before the kill is gone, the pause without a server is not
        watcher = Client(process)
        watcher.ask("watch", room=made["room"])
        while not watcher.table:
            watcher.receive()
        named = cards_in(json.dumps(watcher.table))
        assert named == set(watcher.table["pile"])
        assert waiter.table["hand"] != again.table["hand"]


IMPATIENT = """
from game import hosting
from game.server import Options
hosting.HEARTBEAT = 0.5
hosting.serve(Options(), port=0, browser=False, lang="en", warm=False, ready=lambda url: print(url, flush=True))
"""


def test_a_line_that_is_open_on_one_side_alone_is_found_by_its_heartbeat() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", IMPATIENT]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            host, port = url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port)), timeout=10) as silent:
                silent.sendall(
                    f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {url}\r\nConnection: Upgrade\r\n"
                    "Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                    "Sec-WebSocket-Version: 13\r\n\r\n".encode()
                )
                assert silent.recv(200).startswith(b"HTTP/1.1 101")
                assert connections(url) == 1
                deadline = time.monotonic() + 15
                while connections(url) and time.monotonic() < deadline:
                    time.sleep(0.1)
                assert connections(url) == 0
        finally:
            process.kill()


def test_messages_do_not_wait_for_the_one_before_to_be_acknowledged() -> None:
    async def accepted() -> int:
        found = asyncio.get_running_loop().create_future()
        listener = hosting._listen("127.0.0.1", 0)

        async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            found.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(come, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return int(await found)

    assert asyncio.run(accepted()) != 0


@pytest.mark.parametrize("sent", ["", "GET / HTTP/1.1\r\nHost: ", "whole"])
def test_a_connection_that_asks_nothing_is_ended_and_a_line_is_not(sent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE", 0.2)
    listener = hosting._listen("127.0.0.1", 0)
    host, port = listener.getsockname()
    config = uvicorn.Config(application(Options()), http=patience.Patient, ws="websockets-sansio", log_level=50)
    serving = uvicorn.Server(config)
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    try:
        with socket.create_connection((host, port), timeout=10) as silent:
            if sent == "whole":  # asked once, and then begins to ask again for ever
                silent.sendall(f"GET /api/health HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
                answer = silent.recv(4096)
                while b"}" not in answer:
                    answer += silent.recv(4096)
                silent.sendall(b"GET")
            else:
                silent.sendall(sent.encode())
            with connect(f"ws://{host}:{port}/ws", origin=f"http://{host}:{port}") as line:
                line.recv(timeout=10)
                while silent.recv(4096):
                    pass  # the end of the connection: nothing, where it would have waited ten seconds for something
                time.sleep(0.5)
                line.send('{"type": "ping"}')
                assert json.loads(line.recv(timeout=10)) == {"type": "pong"}
    finally:
        serving.should_exit = True
        thread.join()


def connections(url: str) -> int:
    """How many lines a server has."""
    with urllib.request.urlopen(f"{url}/api/health", timeout=10) as answer:
        return int(json.load(answer)["connections"])
