"""The end of connections that ask nothing."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE: Final = 20.0
"""Seconds for which a connection may ask nothing."""


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, which by itself ends a connection that rests after an answer, but waits for ever for a
    question: sockets that somebody only opens would use up those that the server may have."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first question."""
        super().connection_made(transport)
        self.loop.call_later(PATIENCE, self._look, None)

    def _look(self, last: Any) -> None:
        """End it if nothing was asked since ``last``, the question at the look before."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:  # the latter: it is a WebSocket
            return
        if (self.cycle is None or self.cycle.response_complete) and self.cycle is last:
            self.transport.close()
        else:
            self.loop.call_later(PATIENCE, self._look, self.cycle)
