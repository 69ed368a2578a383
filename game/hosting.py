"""Running the game as a server: where its rooms are kept, what is printed, the browser."""

from __future__ import annotations

import errno
import gc
import io
import logging
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import platformdirs
import segno
import uvicorn

from game.guard import is_address
from game.messages import Words, language
from game.patience import Patient
from game.protocol import MAX_MESSAGE
from game.server import FILE, Options, application
from rummy_env import Game

DEFAULT_PORT: Final = 8777
LOCAL: Final = "127.0.0.1"
EVERYWHERE: Final = ("0.0.0.0", "::", "")
HEARTBEAT: Final = 20.0
"""Seconds between pings, and until a line that does not answer one is dead."""

FILES: Final = 200
"""Files that the server has open besides its connections, and some room for those that are coming or going."""

GARBAGE: Final = (20_000, 20, 50)
"""Thresholds of Python's garbage collection. By default it would look through every room some times a minute, and hold
them all up as long; hardly anything here is garbage of the kind that it finds."""


def data_file() -> Path:
    """The SQLite file of rooms, in the user's folder for data, which is made if need be.

    Raises:
        OSError: if it cannot be.
    """
    folder = Path(platformdirs.user_data_dir("rummy-env", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "rooms.sqlite3"


def lan_address() -> str | None:
    """The address of this machine in the local network, or None where it has none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the way out is asked for
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith("127.") else address


def qr_text(url: str) -> str:
    """A QR code for a terminal."""
    out = io.StringIO()
    segno.make(url, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue()


def serve(
    options: Options,
    host: str = LOCAL,
    port: int | None = None,
    browser: bool = True,
    lang: str | None = None,
    path: str = "/",
    ready: Callable[[str], None] | None = None,
    warm: bool = True,
) -> None:
    """Run the server until Ctrl-C.

    ``port`` None: `DEFAULT_PORT`, or a free one where that is taken. ``path``: what the browser opens. ``ready`` is
    called with the server's address once it answers there. ``warm``: compile every ruleset's kernels at once.

    Raises:
        OSError: if the port cannot be had or the store not opened.
        ValueError: if ``host`` is no address or name of this machine.
    """
    words = Words(lang or language())
    listener = _listen(host, port)
    shown_port = listener.getsockname()[1]
    everywhere = host in EVERYWHERE
    lan = lan_address() if everywhere else None
    local = LOCAL if everywhere else f"[{host}]" if ":" in host else host
    names = [*options.hosts, *([] if is_address(host) or not host else [host])]
    address = f"http://{lan}:{shown_port}" if lan else None
    app = application(replace(options, hosts=names, address=options.address or address, warm=warm))
    url = f"http://{local}:{shown_port}{path}"
    print(words("serving", url=url), file=sys.stderr)
    if address:
        print(words("serving_lan", url=address), file=sys.stderr)
        print(qr_text(address), file=sys.stderr)
    config = uvicorn.Config(
        app,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        http=Patient,
        ws="websockets-sansio",
        ws_max_size=4 * MAX_MESSAGE,
        ws_max_queue=16,
        ws_ping_interval=HEARTBEAT,
        ws_ping_timeout=HEARTBEAT,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
    )
    gc.set_threshold(*GARBAGE)
    gc.collect()
    gc.freeze()
    _allow_files(options.limits.connections + FILES)
    server = uvicorn.Server(config)
    if browser:
        threading.Thread(target=_when_started, args=(server, url, webbrowser.open), daemon=True).start()
    if ready is not None:
        threading.Thread(target=_when_started, args=(server, url.rstrip("/"), ready), daemon=True).start()
    with suppress(KeyboardInterrupt):  # that is how it is ended
        server.run(sockets=[listener])


def serve_replay(games: Sequence[Game], lang: str | None = None, port: int | None = None, browser: bool = True) -> None:
    """Show recorded rounds in the browser, until interrupted.

    Raises:
        OSError: if there is no port to be had.
    """
    serve(Options(replay=games), port=port or 0, browser=browser, lang=lang, path=f"/replay/{FILE}")


def _listen(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, else asyncio does not know it for TCP and leaves Nagle's algorithm on: the second of two
    # messages waits 40 ms for the first to be acknowledged then.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if host == "::":  # everywhere: not by the newer addresses alone, whatever the system does by itself
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    try:
        listener.bind((host, DEFAULT_PORT if port is None else port))
    except (OSError, TypeError, UnicodeError) as error:  # the last two: a name that no name can be
        if not isinstance(error, OSError) or isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            listener.close()
            raise ValueError(f"host: expected an address or a name of this machine, got {host!r}") from None
        if port is not None or not _taken(error):
            listener.close()
            error.filename = f"{host}:{port or DEFAULT_PORT}"
            raise
        listener.bind((host, 0))
    return listener


def _taken(error: OSError) -> bool:
    return error.errno in (errno.EADDRINUSE, errno.EACCES)


def _allow_files(count: int) -> None:
    """Let the process have so many files and sockets open, as far as the system permits: often only 1,024 are allowed
    until one asks, less than the connections that the server takes."""
    if os.name == "nt":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _when_started(server: uvicorn.Server, url: str, do: Callable[[str], object]) -> None:
    while not server.started:
        time.sleep(0.05)
        if server.should_exit:
            return
    do(url)
