"""Who may talk to the server, and what browsers may do with its pages."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Sent with every answer: nothing is loaded from elsewhere, no script but the page's files runs, codes of rooms leak
into no other site's logs."""


class Hosts:
    """The names by which the server may be called: its addresses, this machine's names, and ``more``.

    A page of somebody else whose name points at this machine would pass for ours otherwise (DNS rebinding).
    """

    def __init__(self, more: Iterable[str] = ()) -> None:
        self.more = {name.lower() for name in more}

    def knows(self, host: str | None) -> bool:
        """Whether a ``Host`` header, with or without a port, names this server."""
        name = _name(host)
        return name is not None and (name in self.more or name in own_names() or is_address(name))

    def own_page(self, headers: Headers) -> bool:
        """Whether a request comes from a page of this server: its ``Origin`` is the address that it asks."""
        try:
            origin = urlsplit(headers.get("origin", ""))
        except ValueError:
            return False
        if origin.scheme not in ("http", "https") or not origin.netloc:
            return False
        host = headers.get("host", "").lower()
        return self.knows(host) and (origin.netloc.lower() == host or (origin.hostname or "") in self.more)


def _name(host: str | None) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname if host else None
    except ValueError:
        return None


def is_address(name: str) -> bool:
    """Whether a host is an address rather than a name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@cache
def own_names() -> frozenset[str]:
    """What this machine is called."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name.partition('.')[0]}.local"})


class Guard:
    """Refuses requests under a strange name, and sets `HEADERS` on every answer."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-cache")  # asked again: a new version is seen at once
            await send(message)

        if self.hosts.knows(Headers(scope=scope).get("host")):
            await self.app(scope, receive, send_guarded)
        else:
            answer = PlainTextResponse("expected a name of this server in Host\n", 421)
            await answer(scope, receive, send_guarded)
