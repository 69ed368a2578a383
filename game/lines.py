"""A line: the connection of one tab, as rooms see it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from game import protocol
from game.messages import Words
from game.protocol import Refused

if TYPE_CHECKING:
    from game.rooms import Room

WAITING: Final = 64
"""Messages that may wait for a slow line; one more, and it is cut: its page comes back and gets the newest table."""


class Allowance:
    """So many things a second, and so many at once."""

    __slots__ = ("_at", "_left", "most", "rate")

    def __init__(self, rate: float, most: float) -> None:
        self.rate = rate
        self.most = most
        self._left = most
        self._at = time.monotonic()

    def take(self, count: float = 1.0) -> float:
        """Take one; 0 where it is granted, else the seconds until it would be, in tenths."""
        now = time.monotonic()
        self._left = min(self.most, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < count:
            return math.ceil(10 * (count - self._left) / self.rate) / 10
        self._left -= count
        return 0.0


class Line:
    """What a room may do with a tab: post messages, and end it. Posting never waits."""

    __slots__ = ("_closed", "_out", "_socket", "address", "allowance", "lobby", "reactions", "room", "seat", "words")

    def __init__(self, socket: WebSocket, words: Words, address: str, allowance: Allowance) -> None:
        self._socket = socket
        self._out: asyncio.Queue[str | int] = asyncio.Queue()
        self._closed = False
        self.words = words
        self.address = address
        self.allowance = allowance
        self.reactions = Allowance(0.5, 2)
        self.room: Room | None = None
        self.seat: int | None = None
        """Seat in ``room``; None for one who watches."""
        self.lobby = False
        """Whether the list of rooms is wanted."""

    @property
    def open(self) -> bool:
        return not self._closed

    def send(self, message: dict[str, Any]) -> None:
        """Post a message."""
        self.post(protocol.write(message))

    def post(self, text: str) -> None:
        """Post a message that is written already."""
        if self._closed:
            return
        if self._out.qsize() >= WAITING:
            self.close(protocol.FULL)
        else:
            self._out.put_nowait(text)

    def refuse(self, error: Refused, number: int | None) -> None:
        """Say that something is not done."""
        text = error.text if error.text is not None else self.words(f"refused_{error.code}", **error.values)
        text = self.words.reason(text) if error.code == "illegal" else self.words.sentence(text)
        message = {"type": "refused", "code": error.code, "text": text, **error.more}
        self.send(message if number is None else message | {"re": number})

    def close(self, code: int) -> None:
        """End the line after what was posted."""
        if not self._closed:
            self._closed = True
            self._out.put_nowait(code)

    async def pump(self) -> None:
        """Send what was posted, until the line is closed or broken."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                what = await self._out.get()
                if isinstance(what, int):
                    if self._socket.application_state is WebSocketState.CONNECTED:
                        await self._socket.close(what)
                    return
                await self._socket.send_text(what)
        self._closed = True


def tell(lines: Iterable[Line], message: Callable[[int | None], dict[str, Any]]) -> None:
    """Post each line the ``message`` of its seat. Those who watch may be many and are all told the same, that of None:
    it is made and written once."""
    watching: str | None = None
    for line in lines:
        if line.seat is not None:
            line.send(message(line.seat))
        else:
            watching = watching or protocol.write(message(None))
            line.post(watching)
