"""The game's server for the tests of the page: `rummy play` whose matches are dealt from the seed in a file.

``python tests/page_server.py SEED_FILE ARGUMENTS``; every match and every round takes the seed that the file holds
then. ``RUMMY_PAGE`` in the environment: another folder of the page's files.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from game import hosting, rooms, server
from rummy_cli import main

if __name__ == "__main__":
    seeds = Path(sys.argv[1])
    rooms.secrets = SimpleNamespace(**{**vars(rooms.secrets), "randbits": lambda bits: int(seeds.read_text())})
    server.PAGE = Path(os.environ.get("RUMMY_PAGE", server.PAGE))
    hosting.serve = partial(hosting.serve, warm=False)  # most tests need one ruleset, and each server would load all
    sys.exit(main(["play", *sys.argv[2:]]))
