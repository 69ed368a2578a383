"""All rooms of a server: making them, finding them, their list, and their end."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from game import catalogue, protocol
from game.apart import Urgency
from game.players import Thinkers
from game.protocol import Refused, Settings
from game.rooms import WAITING, Room, Timing
from game.store import Store, room_gone
from game.warming import compile_apart, warm_advice, warm_table

if TYPE_CHECKING:
    from game.lines import Line

log = logging.getLogger(__name__)

LISTED: Final = 100
"""Rooms that the list shows at most."""


TOLD_EVERY: Final = 1.0
"""Seconds between two times at which those who wait for a ruleset are told so."""

Told = Callable[[str, float], None]


@dataclass(frozen=True)
class Limits:
    """What a server bears. Times in seconds."""

    rooms: int = 1000
    connections: int = 2000
    connections_of_address: int = 200
    messages_per_second: float = 15.0
    messages_at_once: float = 40.0
    rooms_per_minute: float = 20.0
    """That one address may make."""
    asleep: float = 120.0
    """Until a room in which nobody is leaves the memory; it is in the store, and there again when somebody comes."""
    idle: float = 2 * 3600.0
    """Until a room in which nobody does anything is closed."""
    forgotten: float = 24 * 3600.0
    """Until a room that nobody came back to is forgotten, its records too."""


@dataclass
class Lobby:
    """The rooms of one server."""

    store: Store
    thinkers: Thinkers
    timing: Timing = field(default_factory=Timing)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self.lines: set[Line] = set()
        self._loading: dict[str, asyncio.Lock] = {}
        self._known = len(self.store.codes())
        self._list_changed = asyncio.Event()
        self._warm: dict[str, asyncio.Task[None]] = {}

    # --- rooms -------------------------------------------------------------------------------------------------

    async def create(self, settings: Settings, sit: bool = True, told: Told | None = None) -> Room:
        """A new room, which nobody is in yet. ``told``: see `warmed`.

        Raises:
            Refused: ``bad_settings``, or ``busy`` where there are too many rooms.
        """
        checked = catalogue.check(settings, sit)
        await self.warmed(checked.ruleset, told)
        if self._known >= self.limits.rooms:
            await self.sweep()
            await self._make_room()
        if self._known >= self.limits.rooms:
            raise Refused("busy", more={"wait": 60})
        room = Room(secrets.token_urlsafe(16), checked, self.store, self.thinkers, self.timing, self._changed)
        async with self.thinkers.gate:
            await room.save()
        self.rooms[room.code] = room
        self._known += 1
        return room

    async def _make_room(self) -> None:
        """Forget a tenth of the rooms, those asleep that nobody came back to for the longest."""
        asleep = [code for code, _ in self.store.codes() if code not in self.rooms]
        for code in asleep[::-1][: max(1, self.limits.rooms // 10)]:
            await self._forget(code)
        self._known = len(self.store.codes())

    async def _forget(self, code: str) -> None:
        """Forget a room, unless somebody has come to it in the meantime."""
        if code in self._loading or (code in self.rooms and not self.rooms[code].closed):
            return
        try:
            await self.store.keep(room_gone(code))
        except sqlite3.Error as error:
            raise Refused("not_kept", reason=str(error)) from None

    async def find(self, code: str, told: Told | None = None) -> Room:
        """The room of a code, taken up again from the store if it is asleep. ``told``: see `warmed`.

        Raises:
            Refused: ``no_room``.
        """
        lock = self._loading.setdefault(code, asyncio.Lock())
        try:
            async with lock:
                if code not in self.rooms:
                    self.rooms[code] = await self._wake(code, told)
                self.rooms[code].touched = time.monotonic()  # who asks comes in: it is not put to sleep meanwhile
        finally:
            if not lock.locked():
                self._loading.pop(code, None)
        return self.rooms[code]

    async def _wake(self, code: str, told: Told | None) -> Room:
        stored = await self.thinkers.soon(lambda: self.store.load(code))
        if stored is None:
            raise Refused("no_room")
        await self.warmed(stored.state["settings"]["ruleset"], told)
        try:
            return Room.restored(stored, self.store, self.thinkers, self.timing, self._changed)
        except (ValueError, KeyError, TypeError) as error:
            # Written by another version, whose rules were others: such a game cannot go on.
            # What is wrong is not said: it would name cards.
            log.error("room %s cannot be taken up again: %s", code[:4], type(error).__name__)
            raise Refused("no_room") from None

    async def warmed(self, ruleset: str, told: Told | None = None) -> None:
        """When this returns, a table of the ruleset plays without a pause for compiling.

        ``told`` is called with the ruleset and the seconds that it has been waited for, as long as it takes.
        """
        if ruleset not in self._warm:
            self._warm[ruleset] = asyncio.create_task(self._warm_up(ruleset))
        warming, loop = self._warm[ruleset], asyncio.get_running_loop()
        begun = loop.time()
        while not (await asyncio.wait([warming], timeout=TOLD_EVERY))[0]:
            if told is not None:
                told(ruleset, loop.time() - begun)
        try:
            warming.result()
        except BaseException:
            self._warm.pop(ruleset, None)  # the next one who asks may have more luck
            raise

    async def _warm_up(self, ruleset: str) -> None:
        await compile_apart(ruleset, "table")
        await self.thinkers.beside(lambda: warm_table(ruleset))

    async def warm_all(self, rulesets: Sequence[str]) -> None:
        """Make everything ready before it is asked for: first all tables, then those who give advice."""
        for ruleset in rulesets:
            try:
                await self.warmed(ruleset)
            except Exception:
                log.exception("%s could not be prepared", ruleset)
        for ruleset in rulesets:
            try:
                await compile_apart(ruleset, "advice")
                await self.thinkers.apart.do(Urgency.WARM, warm_advice, ruleset)
            except Exception:
                log.exception("advice in %s could not be prepared", ruleset)

    # --- lines -------------------------------------------------------------------------------------------------

    def gone(self, line: Line) -> None:
        """The line is no more; a seat that it had is kept for its token."""
        if line.room is not None:
            line.room.lost(line)
        self.lines.discard(line)

    # --- the list ----------------------------------------------------------------------------------------------

    def listed(self) -> list[dict[str, Any]]:
        """Public rooms in which somebody is, those that wait for players first."""
        rooms = [room for room in self.rooms.values() if room.settings.public and room.lines and not room.closed]
        rooms.sort(key=lambda room: (room.phase != WAITING, -room.touched))
        return [room.listed() for room in rooms[:LISTED]]

    def _changed(self) -> None:
        self._list_changed.set()

    async def tell_list(self) -> None:
        """Send the list to those who want it when it has changed, at most once a second. Runs for ever."""
        last = ""
        while True:
            await self._list_changed.wait()
            self._list_changed.clear()
            text = protocol.write({"type": "lobby", "rooms": self.listed()})
            if text != last:
                last = text
                for line in self.lines:
                    if line.lobby:
                        line.post(text)
            await asyncio.sleep(1.0)

    # --- the end of rooms --------------------------------------------------------------------------------------

    async def keep_house(self, every: float = 20.0) -> None:
        """Put rooms to sleep and close them when their time has come. Runs for ever."""
        while True:
            await asyncio.sleep(every)
            try:
                await self.sweep()
            except (Refused, sqlite3.Error) as error:
                log.error("rooms could not be put to sleep or forgotten: %s", error)

    async def sweep(self) -> None:
        """Do what `keep_house` does, once."""
        now = time.monotonic()
        for code, room in list(self.rooms.items()):
            touched = room.touched
            if now - touched > self.limits.idle:
                room.close("idle")
            elif not room.lines and now - touched > self.limits.asleep:
                await room.save()
                if not room.lines and room.touched == touched:  # nobody came, or is about to, in the meantime
                    self.rooms.pop(code, None)
        closed = [code for code, room in self.rooms.items() if room.closed]
        old = time.time() - self.limits.forgotten
        closed += [code for code, touched in self.store.codes() if touched < old and code not in self.rooms]
        for code in closed:
            await self._forget(code)
            self.rooms.pop(code, None)
        self._known = len(self.store.codes())

    async def close(self) -> None:
        """The server stops: every room is kept as it is."""
        for warming in self._warm.values():
            warming.cancel()
        for room in self.rooms.values():
            try:
                await room.save()
            except Refused as error:
                log.error("room %s could not be kept: %s", room.code[:4], error.values)
            room.close(None)
        self.rooms.clear()
