"""The seats of a room: free, a person's or a computer's; which secret opens which, and who of the people is host.

Times are handed in, all of one clock such as the loop's.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from game.lines import Line

STANDIN: Final = "normal"
"""The level that plays for people who are away or have left."""


@dataclass
class Seat:
    """A place in a room: free, a person's or a computer's."""

    player: str = "free"
    name: str | None = None
    token: str | None = None
    """Digest of the secret that opens this seat."""
    level: str | None = None
    plays: str | None = None
    ready: bool = False
    standin: bool = False
    missed: int = 0
    """Clocks that ran out one after the other."""
    line: Line | None = None
    gone: float = 0.0
    """When its line broke, in the loop's time."""
    of_match: int | None = None
    """Its number in the match that was played last; seats get others when the room waits again."""

    def kept(self) -> dict[str, Any]:
        """What is written down of it."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("line", "gone")}
        return {name: value for name, value in found.items() if value is not None and value is not False}

    def called(self, number: int) -> str:
        """Its name in records."""
        return self.name or f"{self.level} {number}"

    def shown(self, number: int) -> dict[str, Any]:
        """What everybody may see of it."""
        found: dict[str, Any] = {"seat": number, "player": self.player}
        if self.player == "person":
            found |= {
                "name": self.name,
                "connected": self.line is not None,
                "ready": self.ready,
                "standin": self.standin,
            }
        elif self.player == "computer":
            found |= {"name": self.name, "level": self.level, "plays": self.plays}
        return found


def digest(token: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


class Before(NamedTuple):
    """Seats as they were."""

    host: int | None
    row: list[tuple[Seat, bool, bool, int | None]]


class Seats:
    """The seats of a room in a row."""

    def __init__(self, seats: Iterable[Seat], host: int | None = None) -> None:
        self._row = list(seats)
        self.host = host
        """The seat of the person who decides what is played."""

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._row)

    def __getitem__(self, number: int) -> Seat:
        return self._row[number]

    # --- who sits there ----------------------------------------------------------------------------------------

    @property
    def people(self) -> list[Seat]:
        return [seat for seat in self._row if seat.player == "person"]

    @property
    def present(self) -> list[Seat]:
        """People whose line is there."""
        return [seat for seat in self.people if seat.line is not None]

    @property
    def lines(self) -> list[Line]:
        return [seat.line for seat in self._row if seat.line is not None]

    @property
    def free(self) -> int:
        """How many are free."""
        return sum(seat.player == "free" for seat in self._row)

    def to_take(self, long_ago: float) -> int | None:
        """A free seat, or that of somebody who has been away since before ``long_ago``."""
        for wanted in (
            lambda seat: seat.player == "free",
            lambda seat: seat.player == "person" and seat.line is None and seat.gone < long_ago,
        ):
            for number, seat in enumerate(self._row):
                if wanted(seat):
                    return number
        return None

    def opened_by(self, token: str) -> int | None:
        """The seat of a secret."""
        wanted = digest(token)
        for number, seat in enumerate(self._row):
            if seat.token is not None and hmac.compare_digest(seat.token, wanted):
                return number
        return None

    def shown(self) -> list[dict[str, Any]]:
        """What everybody may see of them."""
        return [seat.shown(number) for number, seat in enumerate(self._row)]

    def kept(self) -> list[dict[str, Any]]:
        """What is written down of them."""
        return [seat.kept() for seat in self._row]

    # --- coming and going --------------------------------------------------------------------------------------

    def take(self, number: int, name: str) -> str:
        """Give a seat to a person, under a name that nobody else here has; returns the secret that opens it. Who sat
        there already, and is here, stays host."""
        token = secrets.token_urlsafe(24)
        others = {seat.name for at, seat in enumerate(self._row) if seat.player == "person" and at != number}
        again = self._row[number].line is not None
        self._row[number] = Seat("person", next(one for one in _numbered(name) if one not in others), digest(token))
        if self.host is None or (self.host == number and not again):
            self.host = next((at for at, seat in enumerate(self._row) if seat.line is not None), number)
        return token

    def give_up(self, number: int, plays: str | None = None) -> None:
        """A person's seat is free, or while a game is on that of the computer that ``plays``, which keeps the name."""
        computer = Seat("computer", self._row[number].name, level=STANDIN, plays=plays)
        self._row[number] = Seat() if plays is None else computer
        if self.host == number:
            self.host = None
        self._pass_host()

    def miss_host(self, long_ago: float) -> bool:
        """Whether somebody who is here becomes host in the place of one who has been away since ``long_ago``."""
        host = None if self.host is None else self._row[self.host]
        if host is None or host.line is not None or host.gone > long_ago or not self.present:
            return False
        self.host = None
        self._pass_host()
        return True

    def _pass_host(self) -> None:
        """The host is a person: the one who was, or the next."""
        if self.host is None or self._row[self.host].player != "person":
            numbers = [number for number, seat in enumerate(self._row) if seat.player == "person"]
            here = [number for number in numbers if self._row[number].line is not None]
            self.host = next(iter(here or numbers), None)

    # --- anew --------------------------------------------------------------------------------------------------

    def move_up(self, count: int) -> None:
        """The people sit in a row, and the seats behind them are free: ``count`` in all."""
        people = self.people
        self.seat_anew(people, [Seat() for _ in range(count - len(people))])

    def seat_anew(self, *groups: Sequence[Seat]) -> None:
        """New seats in a row; people take their host and their lines along."""
        host = self._row[self.host] if self.host is not None else None
        self._row = [seat for group in groups for seat in group]
        self.host = next((number for number, seat in enumerate(self._row) if seat is host), None)
        self._pass_host()
        for number, seat in enumerate(self._row):
            if seat.line is not None:
                seat.line.seat = number

    def as_they_are(self) -> Before:
        """For `back_to`: who sits where, who is host, and what may change while nobody moves."""
        return Before(self.host, [(seat, seat.ready, seat.standin, seat.of_match) for seat in self._row])

    def back_to(self, before: Before) -> bool:
        """As they were, but for who is connected; returns whether other people or computers had been seated since."""
        seated_anew = self._row != [seat for seat, *_ in before.row]
        self.host = before.host
        self._row = [seat for seat, *_ in before.row]
        for seat, ready, standin, of_match in before.row:
            seat.ready, seat.standin, seat.of_match = ready, standin, of_match
        return seated_anew


def _numbered(name: str) -> Iterable[str]:
    yield name
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1
