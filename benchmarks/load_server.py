"""The server that `benchmarks.load` puts its load on: as `rummy play` runs it, without the limits of one address."""

from __future__ import annotations

import sys
from pathlib import Path

from game import hosting
from game.lobby import Limits
from game.rooms import Timing
from game.server import Options


def main(store: str, pause: str) -> None:
    """Serve on a free port of this machine, whose address is printed."""
    seconds = float(pause)
    limits = Limits(rooms=5000, connections=5000, connections_of_address=5000, rooms_per_minute=1e6)
    timing = Timing(pause=(0.7 * seconds, 1.3 * seconds))
    hosting.serve(
        Options(store=Path(store), timing=timing, limits=limits),
        port=0,
        browser=False,
        lang="en",
        warm=False,
        ready=lambda url: print(url, flush=True),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
