"""A clock: seconds that run while somebody is waited for. Times are handed in, all of one clock such as the loop's."""

from __future__ import annotations

from typing import Final

LEAST: Final = 5.0
"""Seconds that a clock has at least when it goes on after it stood, so that nobody comes back to one run out."""


class Clock:
    """Seconds that are left; it stands until it is started."""

    def __init__(self) -> None:
        self._left = 0.0
        self._since: float | None = None

    def wind(self, seconds: float) -> None:
        """Set to so many seconds; it stands."""
        self._left = seconds
        self._since = None

    def wind_on(self, seconds: float) -> None:
        """Set to what was left when it stood, to `LEAST` if that is less."""
        self._left = max(seconds, LEAST)
        self._since = None

    def start(self, now: float) -> None:
        """Run, unless it does."""
        if self._since is None:
            self._since = now

    def stop(self, now: float) -> None:
        """Stand, if it runs."""
        if self._since is not None:
            self.wind_on(self._left - (now - self._since))

    def left(self, now: float) -> float | None:
        """Seconds until it has run out, below 0 afterwards; None while it stands."""
        return None if self._since is None else self._left - (now - self._since)

    def shown(self, now: float) -> float | None:
        """The same as people see it: tenths, not below 0."""
        left = self.left(now)
        return None if left is None else round(max(0.0, left), 1)
