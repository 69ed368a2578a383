"""What is kept on disk: whole or not at all, and what happens where it cannot be."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from serving import Desk, Tab, room_of, run, table_for

from game import hosting, store
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


def test_a_port_that_is_taken_is_said_or_another_is_found() -> None:
    with hosting._listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        listener.listen()
        with pytest.raises(OSError, match="in use") as taken:
            hosting._listen("127.0.0.1", port)
        assert taken.value.filename == f"127.0.0.1:{port}"
