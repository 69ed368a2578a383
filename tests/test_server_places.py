"""Many people in a few rooms, all at once, who come, go and press everything, on a disk that is slow and now and then
full: whatever they do, every tab has one place, every room knows who sits in it, and what is kept is what is there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

import pytest
from serving import Desk, Tab, desk

from game import records, store
from game.protocol import Refused

TABS = 5
SHORT = {"max_turns": 6}
SETTINGS: tuple[dict[str, Any], ...] = (
    {"ruleset": "straight", "seats": 2, "options": SHORT},
    {"ruleset": "straight", "seats": 4, "computers": ["easy"], "options": SHORT, "length": "round"},
    {"ruleset": "straight", "seats": 3, "computers": ["easy", "easy"], "options": SHORT, "public": True},
    {"ruleset": "gin", "seats": 2, "length": "round"},
)
ROOMS = 4
WISHES = {
    "create": 2,
    "join": 6,
    "come back": 6,
    "watch": 2,
    "leave": 2,
    "ready": 10,
    "settings": 2,
    "remove": 1,
    "reopen": 3,
    "move": 14,
    "vanish": 3,
    "table": 1,
    "sweep": 1,
}


class Crowd:
    """Five tabs at a desk, and everything that they were given."""

    def __init__(self, one: Desk, seed: int) -> None:
        self.desk = one
        self.rng = random.Random(seed)
        self.tabs = [Tab(one) for _ in range(TABS)]
        self.tokens: list[tuple[str, str]] = []
        self.full = False
        self._keep = one.lobby.store.keep

    @property
    def codes(self) -> list[str]:
        return list(dict.fromkeys(code for code, _ in self.tokens))

    async def keep(self, statements: Sequence[store.Statement]) -> None:
        """In the place of the store's: slow, and now and then full."""
        await asyncio.sleep(self.rng.choice([0, 0, 0.001, 0.003]))
        if self.full and self.rng.random() < 0.3:
            raise sqlite3.OperationalError("database or disk is full")
        await self._keep(statements)

    async def act(self, number: int) -> None:
        """A tab does something."""
        rng, tab = self.rng, self.tabs[number]
        if not tab.open and rng.random() < 0.5:  # replaced by another; sometimes it says one thing more
            self.desk.lobby.gone(tab)
            tab = self.tabs[number] = Tab(self.desk)
        wish = rng.choices(list(WISHES), list(WISHES.values()))[0]
        request: dict[str, Any] = {"type": wish}
        match wish:
            case "vanish":
                tab.vanish()
                self.tabs[number] = Tab(self.desk)
                return
            case "sweep":
                await self.sweep()
                return
            case "create" if len(self.codes) < ROOMS:
                request |= {"name": "A", "settings": rng.choice(SETTINGS)}
            case "join" | "watch" if self.codes:
                request |= {"room": rng.choice(self.codes), "name": "B"}
            case "come back" if self.tokens:
                code, token = rng.choice(self.tokens[-8:])
                request = {"type": "join", "room": code, "token": token}
            case "settings":
                request |= {"settings": rng.choice(SETTINGS)}
            case "remove":
                request |= {"seat": rng.randrange(4)}
            case "move" if tab.table is not None:
                moves = tab.table.get("moves") or [{"move": "draw"}]
                request |= {"n": tab.table["n"], "move": rng.choice(moves)["move"]}
            case _:
                request["type"] = "ready"
        await self.desk.serve(tab, json.dumps(request))
        for text in tab.texts[-6:]:
            message = json.loads(text)
            if message["type"] == "seated":
                self.tokens.append((message["room"], message["token"]))

    async def sweep(self) -> None:
        """Rooms in which nobody is are put to sleep."""
        for room in self.desk.lobby.rooms.values():
            if not room.lines:
                room.touched = time.monotonic() - 130.0
        with contextlib.suppress(Refused):  # the disk is full
            await self.desk.lobby.sweep()

    def check(self) -> None:
        """Who sits where, as the rooms say it and as the tabs do."""
        lobby = self.desk.lobby
        for room in lobby.rooms.values():
            for number, seat in enumerate(room.seats):
                assert seat.line is None or seat.line in lobby.lines, "a line that is gone sits there"
                assert seat.line is None or (seat.line.room, seat.line.seat, seat.player) == (room, number, "person")
            for line in room.watchers:
                assert line in lobby.lines
                assert (line.room, line.seat) == (room, None)
            assert len(set(room.lines)) == len(room.lines), "a line is there twice"
            assert room.seats.host is None or room.seats[room.seats.host].player == "person"
            assert room.seats.host is not None or not room.seats.people
            if not room._lock.locked():  # else a game is about to begin
                game = room.game
                assert len(room.seats) == (game.rules.num_players if game else room.settings.seats)
                assert (game is None) == (room.phase == "waiting")
        for line in lobby.lines:
            if line.room is not None:
                assert lobby.rooms.get(line.room.code) is line.room, "a room that nobody else finds"
                assert line in line.room.lines

    async def end(self) -> None:
        """Every tab was told of its room as it is; every room is found as it was kept, and its records can be read."""
        await asyncio.sleep(0.05)
        for tab in self.tabs:
            if tab.room is not None and tab.open:
                told = tab.room_message
                assert told is not None
                assert (told["room"], told["me"], told["phase"]) == (tab.room.code, tab.seat, tab.room.phase)
                assert told["seats"] == [seat.shown(number) for number, seat in enumerate(tab.room.seats)]
                assert (told["host"], told["settings"]) == (tab.room.seats.host, tab.room.settings.model_dump())
        for code in self.codes:
            room = await self.desk.lobby.find(code)
            await room.save()
            kept = self.desk.lobby.store.load(code)
            assert kept is not None
            assert kept.state == json.loads(json.dumps(room.kept()))
            for one in records.rounds_of(kept):
                assert one.game.over


@pytest.mark.parametrize("seed", range(8))
def test_whatever_people_do_at_once_every_tab_has_one_place(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="game")

    async def play() -> None:
        async with desk(away=0.02, between=0.05) as one:
            crowd = Crowd(one, seed)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(one.lobby.store, "keep", crowd.keep)
                for _ in range(150):
                    crowd.full = crowd.rng.random() < 0.2
                    who = crowd.rng.sample(range(TABS), crowd.rng.choice([1, 1, 2, 3]))
                    await asyncio.gather(*(crowd.act(number) for number in who))
                    crowd.full = False
                    crowd.check()
                    await asyncio.sleep(crowd.rng.choice([0, 0, 0, 0.01]))
            await crowd.end()

    asyncio.run(play())
    for record in caplog.records:  # the full disk is said, and nothing else
        assert record.exc_info is None, record.exc_text
        assert "could not go on" in record.msg or "stands still" in record.msg, record
