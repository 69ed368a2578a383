"""The desk: reads a tab's messages and does what they ask, in the lobby or in the tab's room."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final

from game import advice, protocol, records
from game.apart import Urgency
from game.lines import Allowance, Line
from game.lobby import Lobby
from game.players import adviser
from game.protocol import Refused, Settings, clean_name
from game.rooms import PLAYING, WAITING, Room
from rummy_env import Game

log = logging.getLogger(__name__)

REVIEW_PIECE: Final = 5
"""Decisions in a message of a review, at most."""


class Desk:
    """Serves every line of a server."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._makers: dict[str, Allowance] = {}
        self._advising: dict[tuple[Line, str], asyncio.Task[None]] = {}
        self._does: dict[type[Any], Callable[[Line, Any], Awaitable[None]]] = {
            protocol.Ping: self._ping,
            protocol.Lobby: self._list,
            protocol.Create: self._create,
            protocol.Quick: self._quick,
            protocol.Join: self._join,
            protocol.Watch: self._watch,
            protocol.ChangeSettings: self._settings,
            protocol.Remove: self._remove,
            protocol.Ready: self._ready,
            protocol.Reopen: self._reopen,
            protocol.PlayMove: self._move,
            protocol.Lay: self._lay,
            protocol.Check: self._check,
            protocol.Hint: self._hint,
            protocol.React: self._react,
            protocol.Leave: self._leave,
            protocol.Review: self._review,
            protocol.Table: self._table,
        }

    async def serve(self, line: Line, text: str) -> None:
        """Do what a message asks, or say why not."""
        message = self.read(line, text)
        if message is not None:
            await self.do(line, message)

    def read(self, line: Line, text: str) -> protocol.Message | None:
        """A message, or None for one that is refused."""
        try:
            return protocol.read(text)
        except Refused as error:
            line.refuse(error, None)
            return None

    async def do(self, line: Line, message: protocol.Message) -> None:
        """Do what a message asks, or say why not. What came from a line that has been ended meanwhile is not done: its
        tab is told that it is out."""
        if not line.open:
            return
        try:
            await self._does[type(message)](line, message)
        except Refused as error:
            line.refuse(error, message.id)
        except Exception:
            # Never what went wrong inside: it could tell of hidden cards.
            log.exception("a message was not served")
            line.refuse(Refused("failed"), message.id)

    # --- in the lobby --------------------------------------------------------------------------------------------

    async def _ping(self, line: Line, message: protocol.Ping) -> None:
        _answer(line, message, {"type": "pong"})

    async def _list(self, line: Line, message: protocol.Lobby) -> None:
        line.lobby = message.on
        if message.on:
            _answer(line, message, {"type": "lobby", "rooms": self.lobby.listed()})
        else:
            _done(line, message)

    async def _create(self, line: Line, message: protocol.Create) -> None:
        name = clean_name(message.name) if message.sit else ""
        room = await self._make(line, message, message.settings, message.sit)
        if message.sit:
            await self._sit(line, message, room, name)
            return
        await room.watch(line)
        await room.start()
        _answer(line, message, {"type": "watching", "room": room.code})
        room.welcome(line)

    async def _quick(self, line: Line, message: protocol.Quick) -> None:
        name = clean_name(message.name)
        settings = Settings(
            ruleset=message.ruleset,
            seats=len(message.computers) + 1,
            computers=message.computers,
            length=message.length,
            options=message.options,
            clock=None,
        )
        room = await self._make(line, message, settings, True)
        await self._sit(line, message, room, name)
        await room.start()

    async def _make(self, line: Line, message: Any, settings: Settings, sit: bool) -> Room:
        limits = self.lobby.limits
        if len(self._makers) > 10_000:
            self._makers.clear()
        per_minute = limits.rooms_per_minute
        maker = self._makers.setdefault(line.address, Allowance(per_minute / 60, per_minute))
        if wait := maker.take():
            raise Refused("busy", more={"wait": wait})
        return await self.lobby.create(settings, sit, partial(_preparing, line, message))

    async def _sit(self, line: Line, message: Any, room: Room, name: str) -> None:
        token = await room.join(line, name)
        _answer(line, message, {"type": "seated", "room": room.code, "seat": line.seat, "token": token})
        room.welcome(line)

    async def _join(self, line: Line, message: protocol.Join) -> None:
        if message.token is None:
            name = clean_name(message.name)
            room = await self.lobby.find(message.room, partial(_preparing, line, message))
            if room.phase != WAITING:
                raise Refused("started")
            await self._sit(line, message, room, name)
            return
        room = await self.lobby.find(message.room, partial(_preparing, line, message))
        await room.come_back(line, message.token)
        _answer(line, message, {"type": "seated", "room": room.code, "seat": line.seat, "token": message.token})
        room.welcome(line)

    async def _watch(self, line: Line, message: protocol.Watch) -> None:
        room = await self.lobby.find(message.room, partial(_preparing, line, message))
        await room.watch(line)
        _answer(line, message, {"type": "watching", "room": room.code})
        room.welcome(line)

    # --- in a room -------------------------------------------------------------------------------------------------

    async def _settings(self, line: Line, message: protocol.ChangeSettings) -> None:
        await _room(line).change(line, message.settings)
        _done(line, message)

    async def _remove(self, line: Line, message: protocol.Remove) -> None:
        await _room(line).remove(line, message.seat)
        _done(line, message)

    async def _ready(self, line: Line, message: protocol.Ready) -> None:
        room = _room(line)
        room.back(line)
        await room.ready(line, message.ready)
        _done(line, message)

    async def _reopen(self, line: Line, message: protocol.Reopen) -> None:
        await _room(line).reopen(line)
        _done(line, message)

    async def _move(self, line: Line, message: protocol.PlayMove) -> None:
        await _room(line).move(line, message.n, message.move)
        _done(line, message)

    async def _lay(self, line: Line, message: protocol.Lay) -> None:
        await _room(line).lay(line, message.n, message.cards, message.meld)
        _done(line, message)

    async def _check(self, line: Line, message: protocol.Check) -> None:
        room = _room(line)
        room.back(line)
        found = room.check(line, message.groups)
        for one in [found, *found["groups"]]:
            if one.get("text"):
                one["text"] = line.words.sentence(one["text"])
        _answer(line, message, {"type": "checked", **found})

    async def _hint(self, line: Line, message: protocol.Hint) -> None:
        room = _room(line)
        room.back(line)
        game = room.game
        if line.seat is None:
            raise Refused("no_seat")
        if game is None or room.phase != PLAYING:
            raise Refused("not_now")
        if game.to_play != line.seat:
            raise Refused("not_your_turn")
        self._advise(line, "hint", self._hinted(line, message, game))

    async def _hinted(self, line: Line, message: protocol.Hint, game: Game) -> None:
        thinkers = self.lobby.thinkers
        try:
            name = await thinkers.soon(lambda: adviser(game.rules))
            told = await thinkers.apart.do(Urgency.HINT, advice.hint, game, name, line.words.lang)
        except Exception:
            log.exception("a hint failed")
            line.refuse(Refused("failed"), message.id)
        else:
            _answer(line, message, {"type": "hint", **told})

    async def _react(self, line: Line, message: protocol.React) -> None:
        room = _room(line)
        if wait := line.reactions.take():
            raise Refused("busy", more={"wait": wait})
        room.react(line, message.reaction)
        _done(line, message)

    async def _leave(self, line: Line, message: protocol.Leave) -> None:
        await _room(line).leave(line)
        _done(line, message)

    async def _table(self, line: Line, message: protocol.Table) -> None:
        room = _room(line)
        room.back(line)
        room.show_room()
        room.show_table(line)
        _done(line, message)

    async def _review(self, line: Line, message: protocol.Review) -> None:
        room = _room(line)
        if line.seat is None:
            raise Refused("no_seat")
        seat = room.seats[line.seat].of_match
        one = await self.lobby.thinkers.beside(lambda: self._finished(room.code, message.round))
        if one is None or seat is None:
            raise Refused("not_now")
        if (before := self._advising.get((line, "review"))) is not None:
            before.cancel()  # whoever looks at another round has done with this one
            await asyncio.wait([before])
        self._advise(line, "review", self._reviewed(line, message, one, seat))

    def _finished(self, code: str, number: int) -> records.Round | None:
        """A finished round of a room's match, by its number."""
        stored = self.lobby.store.load(code)
        rounds = records.rounds_of(stored) if stored else []
        return next((one for one in rounds if one.number == number), None)

    def _advise(self, line: Line, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Work that takes its time, beside what else the line asks for; one of a kind at a time for a line."""
        key = (line, kind)
        if key in self._advising:
            work.close()
            raise Refused("busy", more={"wait": 5})
        task = self._advising[key] = asyncio.create_task(work)

        def ended(_: asyncio.Task[None]) -> None:
            del self._advising[key]

        task.add_done_callback(ended)

    async def _reviewed(self, line: Line, message: protocol.Review, one: records.Round, seat: int) -> None:
        """Send a review in pieces, as long as somebody is there to read it."""
        thinkers, room = self.lobby.thinkers, line.room
        name = await thinkers.soon(lambda: adviser(one.game.rules))
        steps = advice.decisions(one, seat)
        events = [event for event in one.events if event["kind"] != "deal"]
        found: list[dict[str, Any]] = []
        for done, step in enumerate(steps, 1):
            try:
                decision = await thinkers.apart.do(Urgency.REVIEW, advice.review, one.start, events[: step + 1], name)
            except Exception:
                log.exception("a review failed")
                line.refuse(Refused("failed"), message.id)
                return
            if not line.open or line.room is not room:  # nobody reads it any more
                return
            if decision is not None:
                found.append(decision)
            if len(found) >= REVIEW_PIECE or done == len(steps):
                told = {"type": "review", "round": one.number, "by": name, "done": done, "of": len(steps)}
                _answer(line, message, told | {"decisions": found})
                found = []
        if not steps:
            _answer(
                line, message, {"type": "review", "round": one.number, "by": name, "done": 0, "of": 0, "decisions": []}
            )


def _room(line: Line) -> Room:
    if line.room is None:
        raise Refused("no_seat")
    return line.room


def _answer(line: Line, message: Any, answer: dict[str, Any]) -> None:
    line.send(answer if message.id is None else {**answer, "re": message.id})


def _preparing(line: Line, message: Any, ruleset: str, seconds: float) -> None:
    line.send({"type": "preparing", "asked": message.id, "ruleset": ruleset, "seconds": round(seconds)})


def _done(line: Line, message: Any) -> None:
    if message.id is not None:
        line.send({"type": "done", "re": message.id})
