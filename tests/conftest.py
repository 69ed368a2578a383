"""What the tests of the page share: a browser and a server for every file. A file may have a server of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browsing import Server
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from browsing import browsing  # not where no page is tested

    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from browsing import Server

    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()
