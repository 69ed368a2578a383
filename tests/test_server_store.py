"""What is kept on disk: whole or not at all, and what happens where it cannot be."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from serving import Desk, Tab, room_of, run, table_for

from game import hosting, protocol, store
from game.lobby import Limits
from game.store import Store


def test_a_file_of_another_kind_or_format_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 200)
    with pytest.raises(OSError, match="expected a file of rooms, got file is not a database"):
        Store(tmp_path / "text")
    with sqlite3.connect(tmp_path / "newer") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(OSError, match="expected rooms of format 1, got 99"):
        Store(tmp_path / "newer")
    with pytest.raises(OSError, match="expected a file of rooms"):
        Store(tmp_path / "no" / "folder")


def test_of_writes_that_come_at_once_one_that_fails_loses_no_other() -> None:
    async def write() -> None:
        kept = Store(None)
        event = {"n": 0, "seat": 0, "kind": "draw"}
        jobs = [kept.keep([store.room_saved(f"room {k}", {"match": 0})]) for k in range(20)]
        twice = [kept.keep([store.event_happened("room 1", 0, 1, event)]) for _ in range(2)]
        done = await asyncio.gather(*jobs, *twice, return_exceptions=True)
        assert [type(one) for one in done if one is not None] == [sqlite3.IntegrityError]
        assert len(kept.codes()) == 20
        kept.close()

    asyncio.run(write())


def test_a_room_is_there_again_with_its_rounds_after_the_file_was_closed(tmp_path: Path) -> None:
    codes: list[str] = []

    async def begin(desk: Desk) -> None:
        tabs, tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        await tabs[room.game.to_play].play("draw")
        codes.extend([room.code, tokens[0], str(room.n), *room.game.hand(0)])

    async def go_on(desk: Desk) -> None:
        tab = Tab(desk)
        await tab.ask("join", room=codes[0], token=codes[1])
        assert str(tab.table["n"]) == codes[2]
        assert tab.table["hand"] == codes[3:]
        assert tab.room_message["seats"][1]["name"] == "P1"

    run(begin, store=tmp_path / "rooms.sqlite3")
    run(go_on, store=tmp_path / "rooms.sqlite3")


def test_where_the_disk_is_full_nothing_is_done_and_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        mover = tabs[room.game.to_play]
        n, hand = room.n, room.game.hand(mover.seat)
        keep = desk.lobby.store.keep

        async def full(_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(desk.lobby.store, "keep", full)
        sent = [len(tab.texts) for tab in tabs]
        refused = await mover.play("draw")
        assert (refused["code"], "disk is full" in refused["text"]) == ("not_kept", True)
        assert (room.n, room.game.hand(mover.seat)) == (n, hand)
        assert sum(len(tab.texts) for tab in tabs) == sum(sent) + 1  # the refusal alone
        assert (await Tab(desk).ask("create", name="A", settings={"ruleset": "straight"}))["code"] == "not_kept"
        monkeypatch.setattr(desk.lobby.store, "keep", keep)
        assert (await mover.play("draw"))["type"] == "done"

    run(play)


def test_full_servers_make_room_by_forgetting_who_did_not_come_back() -> None:
    async def play(desk: Desk) -> None:
        desk.lobby.limits = desk.lobby.limits.__class__(rooms=3, rooms_per_minute=1e6, asleep=0.0)
        settings = {"ruleset": "straight", "seats": 2}
        tabs = [Tab(desk) for _ in range(3)]
        rooms = [(await tab.ask("create", name="A", settings=settings))["room"] for tab in tabs]
        assert (await Tab(desk).ask("create", name="A", settings=settings))["code"] == "busy"
        tabs[1].vanish()
        for room in desk.lobby.rooms.values():
            room.touched -= 1.0
        assert (await Tab(desk).ask("create", name="A", settings=settings))["type"] == "seated"
        assert (await Tab(desk).ask("watch", room=rooms[1]))["code"] == "no_room"
        assert (await Tab(desk).ask("watch", room=rooms[0]))["type"] == "watching"

    run(play)


def test_the_list_of_public_rooms_is_told_anew_when_it_changes() -> None:
    async def play(desk: Desk) -> None:
        looker, host = Tab(desk), Tab(desk)
        assert (await looker.ask("lobby"))["rooms"] == []
        made = await host.ask("create", name="Mina", settings={"ruleset": "rami", "public": True})
        await host.ask("create", name="Mina", settings={"ruleset": "rami"})
        told = await looker.until(lambda message: message["type"] == "lobby" and message["rooms"] == [], 1)
        assert told["rooms"] == []  # the host has left it for a room by link
        await host.ask("join", room=made["room"], name="Mina")
        told = await looker.until(lambda message: message["type"] == "lobby" and message["rooms"] != [])
        assert [(room["host"], room["people"], room["free"]) for room in told["rooms"]] == [("Mina", 2, 2)]
        await looker.ask("lobby", on=False)
        assert not looker.lobby

    run(play)


def test_an_address_in_the_local_network_as_a_picture_of_text() -> None:
    text = hosting.qr_text("http://192.168.0.7:8777")
    rows = text.strip("\n").splitlines()
    assert len(rows) > 10
    assert set("".join(rows)) <= set("█▀▄ ")
    address = hosting.lan_address()
    assert address is None or len(address.split(".")) == 4


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "http://localhost", "\xfc..x", "x" * 300])
def test_a_host_that_is_no_address_or_name_of_this_machine_is_refused_in_one_sentence(host: str) -> None:
    with pytest.raises(ValueError, match="host: expected an address or a name of this machine, got"):
        hosting._listen(host, 0)


def test_the_server_asks_for_as_many_files_as_it_takes_connections() -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, limits[1]))
        hosting._allow_files(130)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (130, limits[1])
        hosting._allow_files(50)  # never fewer than there were
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (130, limits[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_port_that_is_taken_is_said_or_another_is_found() -> None:
    with hosting._listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        listener.listen()
        with pytest.raises(OSError, match="in use") as taken:
            hosting._listen("127.0.0.1", port)
        assert taken.value.filename == f"127.0.0.1:{port}"


def test_a_file_that_another_server_uses_is_refused_until_that_one_ends(tmp_path: Path) -> None:
    path = tmp_path / "rooms.sqlite3"
    other = tmp_path / "link.sqlite3"
    other.symlink_to(path)
    first = Store(path)
    for name in (path, other):
        with pytest.raises(OSError, match="no other server uses"):
            Store(name)
    first.close()
    Store(other).close()


def test_whatever_a_write_fails_of_the_next_is_written() -> None:
    async def write() -> None:
        kept = Store(None)
        with pytest.raises(UnicodeEncodeError):
            await kept.keep([("INSERT INTO rooms VALUES (?, ?, ?)", ("a", "\ud800", 0.0))])
        await kept.keep([("INSERT INTO rooms VALUES (?, ?, ?)", ("b", "{}", 0.0))])
        assert [code for code, _ in kept.codes()] == ["b"]
        kept.close()

    asyncio.run(asyncio.wait_for(write(), 10))


WAITS = {"ruleset": "straight", "seats": 4, "computers": ["easy", "easy"]}


@pytest.mark.parametrize("phase", ["waiting", "playing", "over"])
def test_what_cannot_be_kept_changes_nothing_for_anybody(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(desk: Desk) -> None:
        host, tab, away = Tab(desk), Tab(desk), Tab(desk)
        made = await host.ask("create", name="A", settings=WAITS)
        await tab.ask("join", room=made["room"], name="B")
        room = room_of(desk, host)
        if phase != "waiting":
            await away.ask("join", room=made["room"], name="C")
            for one in (host, tab, away):
                await one.ask("ready")
            room.seats[3].player = "paused"  # no computer moves while we look
            room.phase = phase
            away.vanish()
        keep = desk.lobby.store.keep

        async def full(_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        requests: list[tuple[Tab, str, dict[str, Any]]] = [
            (tab, "leave", {}),
            (host, "leave", {}),
            (host, "remove", {"seat": 1}),
            (host, "settings", {"settings": {"ruleset": "rami", "seats": 2}}),
            (host, "reopen", {}),
            (Tab(desk), "join", {"room": made["room"], "name": "D"}),
        ]
        if phase != "playing":
            requests += [(host, "ready", {}), (tab, "ready", {})]
        for one, kind, keys in requests:
            before = room.kept(), room.settings, [seat.line for seat in room.seats], host.seat, tab.seat, one.room
            monkeypatch.setattr(desk.lobby.store, "keep", full)
            answer = await one.ask(kind, **keys)
            after = room.kept(), room.settings, [seat.line for seat in room.seats], host.seat, tab.seat, one.room
            monkeypatch.setattr(desk.lobby.store, "keep", keep)
            if kind == "ready" and answer["type"] == "done":  # one of two: nothing to keep
                continue
            assert answer["type"] == "refused", (kind, answer)
            assert after == before, kind
        if phase == "waiting":  # and when there is room again, it goes on
            await host.ask("ready")
            await tab.ask("ready")
            await host.table_where(lambda table: True)
            assert room.phase == "playing"

    run(play)


def test_one_who_vanishes_while_a_change_is_refused_is_gone() -> None:
    async def play(desk: Desk) -> None:
        host, tab = Tab(desk), Tab(desk)
        made = await host.ask("create", name="A", settings=WAITS)
        await tab.ask("join", room=made["room"], name="B")
        room = room_of(desk, host)

        async def full(_: Any) -> None:
            tab.vanish()
            raise sqlite3.OperationalError("database or disk is full")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(desk.lobby.store, "keep", full)
            await desk.serve(tab, '{"type": "leave"}')
        assert (room.seats[1].player, room.seats[1].line) == ("person", None)
        assert room.lines == [host]

    run(play)


def test_the_house_is_kept_also_after_the_disk_was_full(caplog: pytest.LogCaptureFixture) -> None:
    async def play(desk: Desk) -> None:
        tab = Tab(desk)
        await tab.ask("create", name="A", settings=WAITS)
        room = room_of(desk, tab)
        keep = desk.lobby.store.keep
        calls = 0

        async def full(statements: Any) -> None:
            nonlocal calls
            calls += 1
            if calls < 3:
                raise sqlite3.OperationalError("database or disk is full")
            await keep(statements)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(desk.lobby.store, "keep", full)
            room.touched = -1e9
            keeping = asyncio.create_task(desk.lobby.keep_house(0.01))
            for _ in range(200):
                if room.code not in desk.lobby.rooms:
                    break
                await asyncio.sleep(0.01)
            assert not keeping.done()
            keeping.cancel()
        assert room.code not in desk.lobby.rooms
        assert desk.lobby.store.load(room.code) is None
        assert tab.ended == protocol.CLOSED

    run(play)


def test_who_comes_just_when_a_room_is_put_to_sleep_sits_in_the_room_that_others_find() -> None:
    async def play(desk: Desk) -> None:
        tab, late = Tab(desk), Tab(desk)
        made = await tab.ask("create", name="A", settings=WAITS)
        tab.vanish()
        room = desk.lobby.rooms[made["room"]]
        room.touched = -1000.0
        sweeping = asyncio.create_task(desk.lobby.sweep())
        await asyncio.sleep(0)  # it writes the room, whose lock it holds
        answer = await late.ask("join", room=made["room"], token=made["token"])
        await sweeping
        assert answer["type"] == "seated"
        assert late.room is await desk.lobby.find(made["room"])

    run(play, limits=Limits(rooms_per_minute=1e6, asleep=120.0, idle=1e12))


def test_two_who_put_rooms_to_sleep_at_once_and_one_who_comes_back_to_a_room_that_would_be_forgotten() -> None:
    async def play(desk: Desk) -> None:
        tab, late = Tab(desk), Tab(desk)
        made = await tab.ask("create", name="A", settings=WAITS)
        tab.vanish()
        lobby = desk.lobby
        lobby.rooms[made["room"]].touched = -1000.0
        await asyncio.gather(lobby.sweep(), lobby.sweep())
        assert lobby.rooms == {}
        old = ("UPDATE rooms SET touched = 0 WHERE code = ?", (made["room"],))
        await lobby.store.keep([old])
        coming = asyncio.create_task(late.ask("join", room=made["room"], token=made["token"]))
        await asyncio.sleep(0)  # the room is being taken up
        await lobby.sweep()
        assert (await coming)["type"] == "seated"
        assert lobby.store.load(made["room"]) is not None

    run(play, limits=Limits(rooms_per_minute=1e6, asleep=120.0, idle=1e12))


def test_what_an_ended_line_still_asks_is_not_done() -> None:
    async def play(desk: Desk) -> None:
        host, tab = Tab(desk), Tab(desk)
        made = await host.ask("create", name="A", settings=WAITS)
        tab.close(protocol.REPLACED)
        await desk.serve(tab, json.dumps({"type": "join", "room": made["room"], "name": "B"}))
        assert room_of(desk, host).lines == [host]

    run(play)


@pytest.mark.parametrize("endings", [("",), ("", "-wal", "-shm")])
def test_a_file_that_somebody_deletes_is_put_back(
    endings: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOG_MOVED", 0.05)
    path = tmp_path / "rooms.sqlite3"

    async def write() -> None:
        kept = Store(path)
        await kept.keep([("INSERT INTO rooms VALUES (?, ?, ?)", ("a", "{}", 0.0))])
        for ending in endings:
            Path(f"{path}{ending}").unlink()
        await kept.keep([("INSERT INTO rooms VALUES (?, ?, ?)", ("b", "{}", 1.0))])
        deadline = asyncio.get_running_loop().time() + 10
        while not path.exists() and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        await kept.keep([("INSERT INTO rooms VALUES (?, ?, ?)", ("c", "{}", 2.0))])
        killed.mkdir()
        for ending in ("", "-wal"):  # what is there if it is killed now
            shutil.copy(f"{path}{ending}", killed)
        kept.close()

    killed = tmp_path / "killed"
    asyncio.run(write())
    for folder in (tmp_path, killed):
        again = Store(folder / path.name)
        assert [code for code, _ in again.codes()] == ["c", "b", "a"]
        again.close()
