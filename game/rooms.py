"""A room: the phases of a match, its moves, and what holds seats, clocks, events and computer players together.

Everything that changes a room goes through its lock, is written to the store, and only then shown; where it cannot be
written, or is refused half way, the room is as it was before. What happens has a number, `Room.n` is that of the next
event.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from game import catalogue, events, offers, protocol, seen, store, timeouts
from game.clock import Clock
from game.driver import Driver, spawn
from game.events import Event
from game.lines import Line, tell
from game.players import Thinkers, plays_level
from game.protocol import Refused, Settings
from game.seats import STANDIN, Seat, Seats
from rummy_env import Game, IllegalMove, Match, Rules
from rummy_env.moves import parse_move

log = logging.getLogger(__name__)

WAITING: Final = "waiting"
PLAYING: Final = "playing"
BETWEEN: Final = "between"
OVER: Final = "over"

EVENTS_SHOWN: Final = 12
"""Events that one who joins is told."""


@dataclass(frozen=True)
class Timing:
    """Seconds. ``pause``: least and most that a computer player takes for a move."""

    pause: tuple[float, float] = (0.6, 1.2)
    away: float = 60.0
    """Until a computer stands in for somebody whose line is broken."""
    between: float = 30.0
    """Until the next round begins by itself, where several people play."""
    watched: float = 5.0
    """The same in rooms of computers alone."""


class Room:
    """One room. ``changed`` is called when the list of rooms may look different."""

    def __init__(
        self,
        code: str,
        settings: Settings,
        kept: store.Store,
        thinkers: Thinkers,
        timing: Timing,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.code = code
        self.settings = settings
        self.phase = WAITING
        self.seats = Seats(Seat() for _ in range(settings.seats or 0))
        self.watchers: set[Line] = set()
        self.match: Match | None = None
        self.match_number = 0
        self.played: dict[str, Any] | None = None
        """Settings and names of the match that is played or was played last: records are of that."""
        self.n = 0
        self.notices: list[dict[str, Any]] = []
        self.touched = time.monotonic()
        self.closed = False
        self._seeds: list[int] = []
        self._recent: deque[Event] = deque(maxlen=EVENTS_SHOWN)
        self._drawn: str | None = None
        self._store = kept
        self._thinkers = thinkers
        self._timing = timing
        self._changed = changed
        self._lock = asyncio.Lock()
        self._driver = Driver(code[:4], self._drive, self._goes_on)
        self._turn: tuple[int, ...] | None = None
        self._clock = Clock()
        """The turn's: it runs while a person is waited for, and somebody is there."""
        self._until_next = Clock()
        """Until the next round begins by itself."""

    # --- what there is ---------------------------------------------------------------------------------------

    @property
    def game(self) -> Game | None:
        return self.match.game if self.match else None

    @property
    def lines(self) -> list[Line]:
        """Everybody who is connected."""
        return [*self.seats.lines, *self.watchers]

    @property
    def round(self) -> int:
        return len(self.match.games) if self.match else 0

    def listed(self) -> dict[str, Any]:
        """The room in the list of public rooms."""
        host = self.seats.host
        return {
            "room": self.code,
            "host": None if host is None else self.seats[host].name,
            "settings": self.settings.model_dump(),
            "people": len(self.seats.people),
            "free": self.seats.free if self.phase == WAITING else 0,
            "phase": self.phase,
            "watchers": len(self.watchers),
        }

    # --- coming and going --------------------------------------------------------------------------------------

    async def join(self, line: Line, name: str) -> str:
        """Take a free seat; returns the secret token of it. Who sits here already keeps the seat, with this name and
        a new token: a press too many takes no second one.

        Raises:
            Refused: ``started`` or ``room_full``.
        """
        async with self._changing():
            self._check_open()
            if self.phase != WAITING:
                raise Refused("started")
            own = line.room is self and line.seat is not None
            number = line.seat if own else self.seats.to_take(_now() - self._timing.away)
            if number is None:
                raise Refused("room_full")
            token = self.seats.take(number, name)
            await self._keep()
            self._sit(line, number)
            return token

    async def come_back(self, line: Line, token: str) -> None:
        """Take one's own seat again; another tab on it is told and ended.

        Raises:
            Refused: ``bad_token``.
        """
        async with self._lock:
            self._check_open()
            number = self.seats.opened_by(token)
            if number is None:
                raise Refused("bad_token")
            seat = self.seats[number]
            if seat.line is not None and seat.line is not line:
                seat.line.send({"type": "replaced"})
                seat.line.room = seat.line.seat = None
                seat.line.close(protocol.REPLACED)
            self._sit(line, number)

    def _sit(self, line: Line, number: int) -> None:
        """Put a line on a seat. It has only one place: another seat, also of this room, is kept for its token."""
        if line.room is not None and (line.room, line.seat) != (self, number):
            line.room.lost(line)
        seat = self.seats[number]
        if seat.standin:
            seat.standin = False
            self._new_turn()
        seat.line, seat.missed = line, 0
        line.room, line.seat = self, number
        self._touch()

    async def watch(self, line: Line) -> None:
        """See what everybody may see."""
        self._check_open()
        if line.room is not None:
            line.room.lost(line)
        self.watchers.add(line)
        line.room, line.seat = self, None
        self._touch()

    def welcome(self, line: Line) -> None:
        """What one who came is sent: the room and the table. The others learn of it."""
        if self.phase == PLAYING:
            self._start_clock()
        self.show_room()
        self.show_table(line)
        self._driver.wake()

    def lost(self, line: Line) -> None:
        """A line is broken: the seat is kept for its person."""
        self.watchers.discard(line)
        if line.seat is not None and line.room is self:
            seat = self.seats[line.seat]
            if seat.line is line:
                seat.line, seat.gone = None, _now()
            if line.seat == self.seats.host:
                asyncio.get_running_loop().call_later(self._timing.away, self._miss_host)
        line.room = line.seat = None
        if not self.lines:
            self._clock.stop(_now())
        self.show_room()
        self._start_if_ready()
        self._driver.wake()

    def _miss_host(self) -> None:
        """Somebody who is here becomes the host in the place of one who has been away for long."""
        if not self.closed and self.seats.miss_host(_now() - self._timing.away):
            self.show_room()

    async def leave(self, line: Line) -> None:
        """Give one's seat up for good, to a computer if a game is on; or stop watching.

        Raises:
            Refused: ``not_kept``.
        """
        async with self._changing():
            number = line.seat
            if number is None:
                self.watchers.discard(line)
            else:
                self.seats.give_up(number, await self._standin(self.game.rules) if self.game else None)
                await self._keep()
            line.room = line.seat = None
            if not self.lines:
                self._clock.stop(_now())
            self.show_room()
            self._start_if_ready()
            self._driver.wake()

    async def remove(self, line: Line, number: int) -> None:
        """The host takes somebody's seat away while the room waits.

        Raises:
            Refused: ``not_host``, ``not_now`` or ``no_seat``.
        """
        async with self._changing():
            self._check_host(line)
            self._check_phase(WAITING)
            if not 0 <= number < len(self.seats) or self.seats[number].player != "person" or number == line.seat:
                raise Refused("no_seat")
            gone = self.seats[number].line
            self.seats.give_up(number)
            await self._keep()
            if gone is not None:
                gone.send({"type": "closed", "reason": "removed"})
                gone.room = gone.seat = None
            self.show_room()
            self._start_if_ready()

    # --- before and between games ------------------------------------------------------------------------------

    async def change(self, line: Line, settings: Settings) -> None:
        """The host changes what is played. Where that is computers alone, everybody keeps seat and readiness but the
        host, who says when the changes are done.

        Raises:
            Refused: ``not_host``, ``not_now`` or ``bad_settings``.
        """
        async with self._changing():
            self._check_host(line)
            self._check_phase(WAITING)
            checked = catalogue.check(settings)
            people = self.seats.people
            if len(people) > (checked.seats or 0):
                reason = f"seats: expected at least {len(people)} for the people here, got {checked.seats}"
                raise Refused("bad_settings", reason=reason)
            computers_alone = checked == self.settings.model_copy(update={"computers": checked.computers})
            self.settings = checked
            for seat in people:
                seat.ready = seat.ready and computers_alone and seat.line is not line
            if not computers_alone:
                self.seats.move_up(checked.seats or 0)
            await self._keep()
            self.show_room()

    async def ready(self, line: Line, ready: bool) -> None:
        """Say that one is ready, for the first round, the next, or another match.

        Raises:
            Refused: ``not_now`` in the middle of a round, ``no_seat`` for a watcher where people play.
        """
        async with self._changing():
            self._check_phase(WAITING, BETWEEN, OVER)
            if line.seat is None:
                if self.seats.people:
                    raise Refused("no_seat")
                if not self._enough():
                    raise Refused("not_now")
                if ready:
                    await self._go_on()
                return
            self.seats[line.seat].ready = ready
            if self._all_ready():
                await self._go_on()
            else:
                self.show_room()

    async def reopen(self, line: Line) -> None:
        """The host opens the room again after a match.

        Raises:
            Refused: ``not_host`` or ``not_now``.
        """
        async with self._changing():
            self._check_host(line)
            self._check_phase(OVER)
            for seat in self.seats.people:
                seat.ready = seat.standin = False
            self.phase = WAITING
            self.match = None
            self.notices = []
            self.seats.move_up(self.settings.seats or 0)
            await self._keep()
            self.show_room()

    def _start_if_ready(self) -> None:
        if self._all_ready():
            spawn(self._go_on_now())

    def _all_ready(self) -> bool:
        """Whether the next thing may happen: all who are here wait for it."""
        present = self.seats.present
        waits = not self.closed and self.phase != PLAYING and bool(present)
        return waits and all(seat.ready for seat in present) and self._enough()

    def _enough(self) -> bool:
        """Whether there would be players enough if the game started now."""
        if self.phase != WAITING:
            return True
        people = sum(seat.line is not None or seat.ready for seat in self.seats.people)
        players = people + min(len(self.settings.computers), (self.settings.seats or 0) - people)
        return bool(players >= catalogue.ruleset_facts(self.settings.ruleset)["seats"][0])

    async def _go_on_now(self) -> None:
        try:
            async with self._changing():
                if self._all_ready():
                    await self._go_on()
        except Refused as error:  # the disk is full, say: nobody waits any more, and may say so again
            log.error("room %s could not go on: %s", self.code[:4], error.values)
            for seat in self.seats:
                seat.ready = False
            self.show_room()

    async def start(self) -> None:
        """Begin without asking who is ready.

        Raises:
            Refused: ``not_kept``.
        """
        async with self._thinkers.gate, self._changing():
            await self._go_on()

    async def _go_on(self) -> None:
        """The next thing, whatever the phase. The lock is held."""
        if self.phase == BETWEEN:
            await self._deal(self._next_match())
            return
        if self.phase == WAITING:
            people = [seat for seat in self.seats.people if seat.line is not None or seat.ready]
            free = (self.settings.seats or 0) - len(people)
            levels = self.settings.computers[max(0, len(self.settings.computers) - free) :]
            computers = [Seat("computer", level=level) for level in levels]
            self.seats.seat_anew(people, computers)
        rules = catalogue.rules_of(self.settings, len(self.seats))
        await self._fill_levels(rules)
        for number, seat in enumerate(self.seats):
            seat.of_match = number
        names = [seat.called(number) for number, seat in enumerate(self.seats)]
        self.played = {"settings": self.settings.model_dump(), "names": names}
        self.match_number += 1
        self._seeds = [secrets.randbits(63)]
        await self._deal(Match(rules, seed=self._seeds[0]))

    async def _standin(self, rules: Rules) -> str:
        return (await self._thinkers.soon(partial(plays_level, STANDIN, rules)))[0]

    async def _fill_levels(self, rules: Rules) -> None:
        """Find out who plays the computers' levels, and say so where it is not the one that should."""
        self.notices = []
        for number, seat in enumerate(self.seats):
            if seat.player != "computer" or seat.level is None:
                continue
            level = seat.level
            seat.plays, reason = await self._thinkers.soon(partial(plays_level, level, rules))
            if reason:
                self.notices.append(
                    {"kind": "stands_in", "seat": number, "level": level, "plays": seat.plays, "text": reason}
                )

    def _next_match(self) -> Match:
        assert self.match is not None
        seed = secrets.randbits(63)
        match = copy(self.match)
        match.games = [*map(_bare, self.match.games)]
        match.next_round(seed)
        self._seeds = [*self._seeds, seed]
        return match

    async def _deal(self, match: Match) -> None:
        """Make the round that ``match`` is at the room's."""
        number = len(match.games)
        event = {"n": self.n, "seat": match.game.to_play, "kind": "deal", "by": "computer"}
        for seat in self.seats:
            seat.ready, seat.missed = False, 0
        await self._keep(
            *(store.matches_over(self.code, self.match_number) if number == 1 else ()),
            store.round_begun(self.code, self.match_number, number, self._seeds[-1]),
            store.event_happened(self.code, self.match_number, number, events.timed(event)),
            ahead=1,
            phase=PLAYING,
        )
        self.phase = PLAYING
        self.n += 1
        self.match = match
        self._recent.clear()
        self._drawn = None
        self._until_next.wind(0.0)
        self._new_turn()
        self.show_room()
        self._recent.append(event)
        self._show_tables([event])
        self._driver.wake()

    # --- moves -------------------------------------------------------------------------------------------------

    async def move(self, line: Line, n: int, text: str) -> None:
        """A person's move.

        Raises:
            Refused: ``no_seat``, ``not_now``, ``late``, ``not_your_turn`` or ``illegal``; nothing has changed.
        """
        async with self._lock:
            game = self._check_turn(line, n)
            await self._play(game, text, "person")

    async def lay(self, line: Line, n: int, cards: Sequence[str], meld: int | None) -> None:
        """A person puts chosen cards down, if there is one way to do it.

        Raises:
            Refused: as `move`, and ``choose`` with the ways where there are several.
        """
        async with self._lock:
            game = self._check_turn(line, n)
            try:
                ways = offers.ways(game, cards, meld)
            except ValueError as error:
                raise Refused("illegal", str(error)) from None
            if len(ways) > 1:
                raise Refused("choose", more={"ways": ways})
            await self._play(game, ways[0], "person")

    def check(self, line: Line, groups: Sequence[Sequence[str]]) -> dict[str, Any]:
        """What groups of one's own cards are.

        Raises:
            Refused: ``no_seat``, ``not_now`` or ``illegal``.
        """
        game = self.game
        if line.seat is None:
            raise Refused("no_seat")
        if game is None or self.phase != PLAYING:
            raise Refused("not_now")
        try:
            return offers.check(game, line.seat, groups, game.view(line.seat).wild)
        except ValueError as error:
            raise Refused("illegal", str(error)) from None

    def _check_turn(self, line: Line, n: int) -> Game:
        if line.seat is None:
            raise Refused("no_seat")
        self.back(line)
        game = self.game
        if game is None or self.phase != PLAYING:
            raise Refused("not_now")
        if n != self.n:
            raise Refused("late", more={"n": self.n})
        if game.to_play != line.seat:
            raise Refused("not_your_turn")
        return game

    async def _play(self, game: Game, text: str, by: str) -> None:
        """Play a move of the seat to play, which is on ``game``, and show it."""
        trial = game.copy()
        try:
            move = parse_move(text)
            if move.kind in offers.INNER_KINDS:
                raise IllegalMove(f"{move} is not legal: an opening is one move, as 'open 4d 5d 6d | 7s 7h 7c'")
            happened = events.played(trial, move, by)
        except ValueError as error:
            raise Refused("illegal", str(error)) from None
        await self._commit(trial, happened)

    async def _commit(self, trial: Game, happened: list[Event]) -> None:
        """Write what ``happened`` and led to ``trial``, make it the room's game and show it. The lock is held."""
        assert self.match is not None
        number = self.round
        if trial.over:
            happened = [*happened, {"seat": trial.to_play, "kind": "over", "by": "computer"}]
        happened = [{"n": self.n + at, **event} for at, event in enumerate(happened)]
        statements = [
            store.event_happened(self.code, self.match_number, number, events.timed(event)) for event in happened
        ]
        if trial.over:
            ended = copy(self.match)
            ended.games = [*self.match.games[:-1], trial]
            phase = OVER if catalogue.match_state(ended, self.settings)[0] else BETWEEN
            await self._keep(*statements, ahead=len(happened), phase=phase)
            self.phase = phase
        else:
            await self._write(statements)
        self.n += len(happened)
        self.match.games[-1] = trial
        self._drawn = events.still_drawn(self._drawn, happened)
        if trial.over:
            for seat in self.seats:
                seat.ready = False
            self._clock.stop(_now())
            self._wait_for_next()
        if self._turn != events.turn_of(trial):
            self._new_turn()
        self._recent.extend(happened)
        if trial.over:
            self.show_room()
        self._show_tables(happened)
        self._driver.wake()

    # --- who plays when nobody acts ----------------------------------------------------------------------------

    def _goes_on(self) -> bool:
        """Whether something happens without anybody's doing: never while nobody is there."""
        return not self.closed and self.phase in (PLAYING, BETWEEN) and bool(self.lines)

    async def _drive(self) -> None:
        """Play for a computer, watch the clock, or begin the next round: what is due, or wait for it."""
        if self.phase == PLAYING:
            await self._drive_turn()
        else:
            await self._drive_between()

    async def _drive_turn(self) -> None:
        game = self.game
        assert game is not None
        number, n = game.to_play, self.n
        seat = self.seats[number]
        if seat.player == "computer" or seat.standin:
            self._clock.stop(_now())
            await self._computer_move(game, seat, n)
            return
        self._start_clock()
        now = _now()
        left = self._clock.left(now)
        limits = [] if left is None else [left]
        if seat.line is None:
            limits.append(seat.gone + self._timing.away - now)
        if not limits or min(limits) > 0:
            await self._driver.sleep(min(limits) if limits else None)
            return
        async with self._lock:
            if self.n != n or self.phase != PLAYING:
                return
            if seat.line is None and now >= seat.gone + self._timing.away:
                await self._stand_in(seat)
            else:
                await self._run_out(game, seat)

    async def _computer_move(self, game: Game, seat: Seat, n: int) -> None:
        begun = _now()
        least, most = self._timing.pause
        pause = least + (most - least) * secrets.randbelow(1000) / 1000
        name = seat.plays if seat.player == "computer" and seat.plays else await self._standin(game.rules)
        text = await self._thinkers.move(name, game)
        rest = pause - (_now() - begun)
        if rest > 0:
            await asyncio.sleep(rest)
        elif not pause:
            await asyncio.sleep(0)
        async with self._thinkers.gate, self._lock:
            mine = seat.player == "computer" or seat.standin
            if self.n == n and self.phase == PLAYING and mine and self.lines and not self.closed:
                await self._play(game, text, "computer" if seat.player == "computer" else "standin")

    async def _stand_in(self, seat: Seat) -> None:
        seat.standin = True
        try:
            await self._keep()
        except Refused:
            seat.standin = False
            raise
        self.show_room()

    def back(self, line: Line) -> None:
        """Somebody for whom a computer stood in does something: the seat is theirs again."""
        self._touch()
        if line.seat is None:
            return
        seat = self.seats[line.seat]
        seat.missed = 0
        if seat.standin:
            seat.standin = False
            self._new_turn()
            self.show_room()
            self.show_table(line)
            self._driver.wake()

    async def _run_out(self, game: Game, seat: Seat) -> None:
        """The clock has run out: the game draws and discards for the seat. The lock is held."""
        trial, happened = timeouts.run_out(game, self._drawn)
        await self._commit(trial, happened)
        seat.missed += 1
        if seat.missed >= 2 and not trial.over:
            await self._stand_in(seat)

    async def _drive_between(self) -> None:
        if self._until_next.left(_now()) is None and self._wait_for_next():
            self.show_room()
        left = self._until_next.left(_now())
        if left is None:
            await self._driver.sleep(None)
            return
        if left > 0:
            await self._driver.sleep(left)
            return
        async with self._thinkers.gate, self._changing():
            if self.phase == BETWEEN:
                await self._go_on()

    def _wait_for_next(self) -> bool:
        """Whether the next round begins by itself, from now in a while: one person alone is never hurried."""
        if self.phase != BETWEEN or len(self.seats.people) == 1:
            return False
        self._until_next.wind(self._timing.between if self.seats.people else self._timing.watched)
        self._until_next.start(_now())
        return True

    # --- the clock -----------------------------------------------------------------------------------------------

    def _new_turn(self) -> None:
        game = self.game
        self._turn = events.turn_of(game) if game else None
        self._clock.wind(float(self.settings.clock or 0))
        if game is not None and self.phase == PLAYING:
            self._start_clock()

    def _start_clock(self) -> None:
        game = self.game
        if self.settings.clock and game is not None and self.lines:
            seat = self.seats[game.to_play]
            if seat.player == "person" and not seat.standin:
                self._clock.start(_now())

    def _clock_shown(self) -> dict[str, Any] | None:
        game, left = self.game, self._clock.shown(_now())
        if left is None or game is None or self.phase != PLAYING:
            return None
        return {"seat": game.to_play, "left": left, "total": self.settings.clock}

    # --- showing ---------------------------------------------------------------------------------------------------

    def show_room(self) -> None:
        """Send everybody the room."""
        common: dict[str, Any] = {
            "type": "room",
            "room": self.code,
            "phase": self.phase,
            "settings": self.settings.model_dump(),
            "host": self.seats.host,
            "round": self.round,
            "watchers": len(self.watchers),
            "seats": self.seats.shown(),
            "notices": self.notices,
        }
        until_next = self._until_next.shown(_now())
        if until_next is not None:
            common["next"] = until_next
        tell(self.lines, lambda seat: common | {"me": seat})
        self._changed()

    def show_table(self, line: Line) -> None:
        """Send one the table."""
        if self.game is not None:
            line.send(self._table(line.seat, self._common(), self._recent))

    def _show_tables(self, happened: Iterable[Event]) -> None:
        common = self._common()
        tell(self.lines, lambda seat: self._table(seat, common, happened))

    def _table(self, seat: int | None, common: dict[str, Any], happened: Iterable[Event]) -> dict[str, Any]:
        """The table as a seat sees it, None one who watches."""
        game = self.game
        assert game is not None
        mine = {} if seat is None else seen.private(game, seat, common)
        return common | {"me": seat, "events": [events.told(event, seat) for event in happened]} | mine

    def _common(self) -> dict[str, Any]:
        assert self.match is not None
        game = self.match.game
        return {
            "type": "table",
            "n": self.n,
            "round": self.round,
            **seen.public(game),
            "clock": self._clock_shown(),
            "result": seen.result(game, *catalogue.match_state(self.match, self.settings)),
        }

    def react(self, line: Line, reaction: str) -> None:
        """Show a reaction to everybody."""
        self.back(line)
        for other in self.lines:
            other.send({"type": "reaction", "seat": line.seat, "reaction": reaction})

    # --- keeping -----------------------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Any]:
        """What is written down of the room, besides rounds and events."""
        return {
            "settings": self.settings.model_dump(),
            "phase": self.phase,
            "seats": self.seats.kept(),
            "host": self.seats.host,
            "match": self.match_number,
            "played": self.played,
            "n": self.n,
            "notices": self.notices,
        }

    async def _keep(self, *statements: store.Statement, ahead: int = 0, phase: str | None = None) -> None:
        """Write the room, and ``statements`` with it. ``ahead``: events among them. ``phase``: that it is in
        once this has returned, and not before."""
        state = self.kept()
        state["n"] += ahead
        state["phase"] = phase or self.phase
        await self._write([*statements, store.room_saved(self.code, state)])

    async def _write(self, statements: Sequence[store.Statement]) -> None:
        try:
            await self._store.keep(statements)
        except sqlite3.Error as error:
            raise Refused("not_kept", reason=str(error)) from None

    async def save(self) -> None:
        """Write the room as it is."""
        async with self._lock:
            await self._keep()

    @classmethod
    def restored(
        cls,
        stored: store.StoredRoom,
        kept: store.Store,
        thinkers: Thinkers,
        timing: Timing,
        changed: Callable[[], None],
    ) -> Room:
        """A room as it was last shown.

        Raises:
            ValueError: if its moves cannot be played again.
        """
        state = stored.state
        room = cls(stored.code, Settings(**state["settings"]), kept, thinkers, timing, changed)
        room.phase = state["phase"]
        room.seats = Seats([Seat(**seat) for seat in state["seats"]], state["host"])
        now = _now()
        for seat in room.seats:
            seat.gone = now
        room.match_number = state["match"]
        room.played = state.get("played")
        room.n = state["n"]
        room.notices = state["notices"]
        if stored.rounds and room.phase != WAITING:
            room._play_again(stored)
        return room

    def _play_again(self, stored: store.StoredRoom) -> None:
        rules = catalogue.rules_of(self.settings, len(self.seats))
        for _, _, match in events.played_again(rules, stored.rounds):
            self.match = match
        assert self.match is not None
        self.match.games[:-1] = map(_bare, self.match.games[:-1])
        self._seeds = [one.seed for one in stored.rounds]
        happened = stored.rounds[-1].events
        self.n = max(self.n, happened[-1]["n"] + 1)
        self._recent.extend(happened)
        self._drawn = events.still_drawn(None, happened)
        self._turn = events.turn_of(self.match.game)
        taken = events.seconds_taken(self.match.game, happened)
        self._clock.wind_on(float(self.settings.clock or 0) - taken)

    def close(self, reason: str | None) -> None:
        """End the room: everybody is told that it is gone, and why. None: the server stops and the room does not."""
        self.closed = True
        for line in self.lines:
            if reason is not None:
                line.send({"type": "closed", "reason": reason})
            line.room = line.seat = None
            line.close(protocol.CLOSED if reason is not None else protocol.STOPPING)
        self.watchers.clear()
        for seat in self.seats:
            seat.line = None
        self._driver.wake()

    # --- checks ------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """The lock, and the way back: if what is done in it fails, the room is as it was."""
        async with self._lock:
            names = ("settings", "phase", "match", "match_number", "played", "notices", "_seeds")
            before = {name: getattr(self, name) for name in names}
            seats = self.seats.as_they_are()
            try:
                yield
            except BaseException:
                for name, value in before.items():
                    setattr(self, name, value)
                seated_anew = self.seats.back_to(seats)
                for number, seat in enumerate(self.seats):
                    if seat.line is not None and seat.line.room is self:
                        seat.line.seat = number
                    elif seat.line is not None:  # it broke while its seat was not among the room's
                        seat.line, seat.gone = None, _now()
                if seated_anew:  # somebody who came or went meanwhile made it seen
                    self.show_room()
                raise

    def _touch(self) -> None:
        self.touched = time.monotonic()

    def _check_open(self) -> None:
        if self.closed:
            raise Refused("room_closed")

    def _check_host(self, line: Line) -> None:
        if line.seat is None or line.seat != self.seats.host:
            raise Refused("not_host")

    def _check_phase(self, *phases: str) -> None:
        self._check_open()
        if self.phase not in phases:
            raise Refused("not_now")


def _bare(game: Game) -> Game:
    """A finished round without its moves, which are in the store."""
    bare = Game(game.rules, game.state, game.seed)
    bare.start_state = game.state
    return bare


def _now() -> float:
    """The loop's time, which clocks go by."""
    return asyncio.get_running_loop().time()
