"""The ASGI application: the page and what belongs to it over HTTP, the game over one WebSocket a tab.

`application` makes it; `game.hosting` runs it with uvicorn. What may be asked and answered is in game/PROTOCOL.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import segno
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from game import catalogue, guard, protocol, records, shell
from game.desk import Desk
from game.lines import Allowance, Line
from game.lobby import Limits, Lobby
from game.messages import LANGUAGES, Words
from game.players import Thinkers
from game.protocol import Refused
from game.pulse import Pulse
from game.rooms import Timing
from game.store import Store
from rummy_env import Game

log = logging.getLogger(__name__)

PAGE: Final = Path(str(files("game"))) / "page"
"""The page's files."""

FILE: Final = "file"
"""What stands for a room's code where a record from a file is replayed."""

QR_LONGEST: Final = 200

WAITING_MESSAGES: Final = 32
"""Messages of a line that may wait while another is done."""


@dataclass
class Options:
    """How a server is run. ``store``: the SQLite file, None for one in memory. ``hosts``: further names by which it
    may be called, as behind a proxy. ``address``: what phones in the local network call it, if they can."""

    store: Path | None = None
    timing: Timing = field(default_factory=Timing)
    limits: Limits = field(default_factory=Limits)
    hosts: Sequence[str] = ()
    address: str | None = None
    replay: Sequence[Game] = ()
    threads: int = 2
    warm: bool = False
    """Compile every ruleset's kernels at once, not when the first room asks for them."""


def application(options: Options | None = None) -> Starlette:
    """The game as an ASGI application.

    Raises:
        OSError: if the store cannot be opened.
    """
    server = _Server(options or Options())
    routes = [
        Route("/", server.index),
        Route("/room/{code:str}", server.index),
        Route("/replay/{code:str}", server.index),
        Route("/sw.js", server.service_worker),
        Route("/api/catalogue", server.catalogue),
        Route("/api/rooms", server.rooms),
        Route("/api/qr", server.qr),
        Route("/api/health", server.health),
        Route("/api/record/{code:str}", server.record),
        Route("/api/replay/{code:str}", server.replays),
        Route("/api/replay/{code:str}/{round:str}", server.replay),
        WebSocketRoute("/ws", server.talk),
        Mount("/page", StaticFiles(directory=PAGE, check_dir=False)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(guard.Guard, hosts=server.hosts), Middleware(GZipMiddleware, minimum_size=1024)],
        lifespan=server.lifespan,
        exception_handlers={Refused: _refused, 404: _not_found},
    )
    app.state.server = server
    return app


class _Server:
    """What the application's endpoints share."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.hosts = guard.Hosts(options.hosts)
        self.thinkers = Thinkers(options.threads)
        self.lobby = Lobby(Store(options.store), self.thinkers, options.timing, options.limits)
        self.desk = Desk(self.lobby)
        self.pulse = Pulse()
        self._of_address: dict[str, int] = {}
        self._asked: dict[str, Allowance] = {}
        self._catalogue: dict[str, Any] | None = None

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(work) for work in (self.lobby.tell_list(), self.lobby.keep_house(), self.pulse.run())
        ]
        if self.options.warm:
            tasks.append(asyncio.create_task(self.lobby.warm_all(catalogue.PLAYED)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await self.lobby.close()
            self.thinkers.close()
            await asyncio.to_thread(self.lobby.store.close)

    # --- HTTP --------------------------------------------------------------------------------------------------

    async def index(self, request: Request) -> Response:
        page = PAGE / "index.html"
        if not page.is_file():
            return PlainTextResponse("expected the page in game/page, got none\n", 404)
        return FileResponse(page, headers={"cache-control": "no-cache"})

    async def service_worker(self, request: Request) -> Response:
        try:
            script = await run_in_threadpool(shell.worker, PAGE)
        except OSError:
            raise Refused("not_found") from None
        return Response(script, media_type="text/javascript", headers={"cache-control": "no-cache"})

    async def catalogue(self, request: Request) -> Response:
        if self._catalogue is None:
            self._catalogue = await self.thinkers.soon(catalogue.catalogue)
        return JSONResponse(self._catalogue)

    async def rooms(self, request: Request) -> Response:
        return JSONResponse({"type": "lobby", "rooms": self.lobby.listed()})

    async def health(self, request: Request) -> Response:
        found = {"status": "ok", "rooms": len(self.lobby.rooms), "connections": len(self.lobby.lines)}
        return JSONResponse(found | {"late": round(self.pulse.worst, 4)})

    async def qr(self, request: Request) -> Response:
        path = request.query_params.get("path", "/")
        if not path.startswith("/") or path.startswith("//") or len(path) > QR_LONGEST:
            raise Refused("bad_message", what="path: a path of this server")
        base = str(request.base_url).rstrip("/")
        if self.options.address and request.url.hostname in ("localhost", "127.0.0.1", "::1"):
            base = self.options.address.rstrip("/")
        picture = io.BytesIO()
        segno.make(base + path, micro=False).save(picture, kind="svg", scale=4, border=2, light="#ffffff")
        return Response(picture.getvalue(), media_type="image/svg+xml", headers={"cache-control": "no-store"})

    async def record(self, request: Request) -> Response:
        form = request.query_params.get("form", "text")
        if form not in ("text", "json"):
            raise Refused("bad_message", what="form: text or json")
        rounds = await self._rounds(request)
        if not rounds:
            raise Refused("not_found")
        text = await run_in_threadpool(records.record_of, rounds, form)
        ending = "json" if form == "json" else "txt"
        return PlainTextResponse(
            text,
            media_type="application/json" if form == "json" else "text/plain",
            headers={
                "content-disposition": f'attachment; filename="rummy-{rounds[0].game.rules.ruleset}.{ending}"',
                "cache-control": "no-store",
            },
        )

    async def replays(self, request: Request) -> Response:
        rounds = await self._rounds(request)
        found = [{"round": one.number, "result": one.result, "names": one.names} for one in rounds]
        return JSONResponse({"rounds": found}, headers={"cache-control": "no-store"})

    async def replay(self, request: Request) -> Response:
        wanted = request.path_params["round"]
        one = next((one for one in await self._rounds(request) if str(one.number) == wanted), None)
        if one is None:
            raise Refused("not_found")
        found = await run_in_threadpool(records.replay, one)
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def _rounds(self, request: Request) -> list[records.Round]:
        code = request.path_params["code"]
        if code == FILE:
            return await run_in_threadpool(records.rounds_of_file, self.options.replay)
        self._meter(request)
        stored = await run_in_threadpool(self.lobby.store.load, code)
        if stored is None:
            raise Refused("no_room")
        return await self.thinkers.beside(lambda: records.rounds_of(stored))

    def _meter(self, request: Request) -> None:
        """Records take work: an address may ask for a few a second."""
        address = request.client.host if request.client else ""
        if len(self._asked) > 10_000:
            self._asked.clear()
        allowance = self._asked.setdefault(address, Allowance(5.0, 30.0))
        if wait := allowance.take():
            raise Refused("busy", more={"wait": wait})

    # --- the WebSocket -----------------------------------------------------------------------------------------

    async def talk(self, socket: WebSocket) -> None:
        """One tab, from its coming to its going."""
        if not self.hosts.own_page(socket.headers):
            await socket.close(1008)  # before it is accepted: an answer of HTTP 403
            return
        address = socket.client.host if socket.client else ""
        limits = self.lobby.limits
        here = self._of_address.get(address, 0)
        if len(self.lobby.lines) >= limits.connections or here >= limits.connections_of_address:
            await socket.accept()
            await socket.close(protocol.FULL)
            return
        self._of_address[address] = here + 1
        lang = socket.query_params.get("lang", "en")
        words = Words(lang if lang in LANGUAGES else "en")
        line = Line(socket, words, address, Allowance(limits.messages_per_second, limits.messages_at_once))
        self.lobby.lines.add(line)
        pump: asyncio.Task[None] | None = None
        try:
            await socket.accept()
            line.send({"type": "hello", "protocol": protocol.VERSION})
            pump = asyncio.create_task(line.pump())
            await self._listen(socket, line)
        finally:
            self.lobby.gone(line)
            line.close(1000)
            if pump is not None:  # what was posted last, and the code of the end, are sent if somebody is there
                await asyncio.wait([pump], timeout=1.0)
                pump.cancel()
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    async def _listen(self, socket: WebSocket, line: Line) -> None:
        """Read the line's messages. They are done one after the other, but for pings, which are answered at once."""
        waiting: asyncio.Queue[protocol.Message] = asyncio.Queue(WAITING_MESSAGES)
        worker = asyncio.create_task(self._work(line, waiting))
        try:
            await self._read(socket, line, waiting)
        finally:
            worker.cancel()
            await asyncio.wait([worker])

    async def _work(self, line: Line, waiting: asyncio.Queue[protocol.Message]) -> None:
        while True:
            message = await waiting.get()
            doing = asyncio.create_task(self.desk.do(line, message))
            try:
                await asyncio.shield(doing)
            finally:
                # What was begun is finished, also if the line breaks while it is done; only then is the line gone, or
                # it would be put on a seat after it had left.
                await asyncio.wait([doing])

    async def _read(self, socket: WebSocket, line: Line, waiting: asyncio.Queue[protocol.Message]) -> None:
        warned = 0
        while line.open:
            try:
                message = await socket.receive()
            except (WebSocketDisconnect, RuntimeError):
                return
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None or len(text.encode()) > protocol.MAX_MESSAGE:
                line.close(protocol.UNREADABLE)
                return
            if wait := line.allowance.take():
                warned += 1
                if warned > limits_before_end(line):
                    line.close(protocol.TOO_MANY)
                    return
                line.refuse(Refused("busy", more={"wait": wait}), protocol.id_of(text))
                continue
            read = self.desk.read(line, text)
            if isinstance(read, protocol.Ping):
                await self.desk.do(line, read)
            elif read is not None and waiting.full():
                line.refuse(Refused("busy", more={"wait": 1}), read.id)
            elif read is not None:
                waiting.put_nowait(read)


def limits_before_end(line: Line) -> int:
    """How many messages too many a line may send before it is cut."""
    return int(line.allowance.most) * 5


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    status = {"no_room": 404, "not_found": 404, "busy": 429}.get(error.code, 400)
    text = error.text or Words("en")(f"refused_{error.code}", **error.values)
    code = "not_found" if status == 404 else error.code
    return JSONResponse({"code": code, "text": text, **error.more}, status)


async def _not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({"code": "not_found", "text": Words("en")("refused_not_found")}, 404)
