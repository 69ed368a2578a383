"""The page as an app: what a browser needs to install it, and what it shows while the server is away.

Nothing that the browser keeps is ever shown instead of what the server has.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from browsing import ARGUMENTS, COMPILED, LANDSCAPE, PORTRAIT, ROOT, Person, Server, barriers, executable
from playwright.sync_api import Browser, expect, sync_playwright

from game import guard, shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # the server may have to compile first

PAGE: Final = ROOT / "game" / "page"

KEEPING: Final = """async () => {
  await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" }); // the page does it when it is quiet
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 20));
}"""

KEPT: Final = """async () => {
  const found = {};
  for (const name of await caches.keys())
    found[name] = (await (await caches.open(name)).keys()).map((one) => new URL(one.url).pathname);
  return found;
}"""


RENEWED: Final = """async (before) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
  for (let names = [before]; names.length !== 1 || names[0] === before; await pause()) names = await caches.keys();
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a page of its own, `Server.page`, whose files may be changed."""
    folder = tmp_path_factory.mktemp("server")
    shutil.copytree(PAGE, folder / "page")
    running = Server(folder, page=folder / "page")
    yield running
    running.stop()


@contextmanager
def changed(path: Path, old: str, new: str) -> Iterator[None]:
    """A file with something else in it for a while."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    yield
    path.write_text(text, "utf-8")


def png(path: Path) -> tuple[int, int, int]:
    """Width, height and colour type of a picture."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height, _, colour = struct.unpack(">IIBB", data[16:26])
    return width, height, colour


def test_the_manifest_and_the_head_say_what_an_app_needs() -> None:
    manifest = json.loads((PAGE / "manifest.webmanifest").read_text("utf-8"))
    assert {name: manifest[name] for name in ("id", "start_url", "scope", "display", "lang")} == {
        "id": "/", "start_url": "/", "scope": "/", "display": "standalone", "lang": "en",
    }  # fmt: skip
    assert {"Rummy", "러미"} == set(manifest["name"].split())
    assert manifest["name_localized"] == {"en": "Rummy", "ko": "러미"}
    assert manifest["short_name_localized"]["ko"] == "러미"
    assert max(len(manifest["short_name"]), len("러미")) <= 12
    pictures = {(one["purpose"], one["sizes"]) for one in manifest["icons"]}
    assert pictures >= {(purpose, size) for purpose in ("any", "maskable") for size in ("192x192", "512x512")}
    for one in manifest["icons"]:
        if one["type"] == "image/png":
            width, height, _ = png(PAGE / one["src"].removeprefix("/page/"))
            assert one["sizes"] == f"{width}x{height}"
    html = (PAGE / "index.html").read_text("utf-8")
    metas = dict(re.findall(r'<meta name="([\w-]+)" content="([^"]*)">', html))
    assert metas["theme-color"] == manifest["theme_color"]
    css = (PAGE / "css" / "base.css").read_text("utf-8")
    assert f"--felt-deep: {manifest['background_color']};" in css
    assert metas["mobile-web-app-capable"] == metas["apple-mobile-web-app-capable"] == "yes"
    assert metas["apple-mobile-web-app-title"] == "Rummy"
    assert "viewport-fit=cover" in metas["viewport"]
    touch = re.search(r'<link rel="apple-touch-icon" sizes="180x180" href="/page/([^"]+)">', html)
    assert touch is not None
    width, height, colour = png(PAGE / touch[1])
    assert (width, height) == (180, 180)
    assert colour == 2  # without holes: a phone would fill them with black


def test_browsers_may_do_just_what_the_page_does() -> None:
    policy = dict(part.strip().split(" ", 1) for part in guard.HEADERS["content-security-policy"].split(";"))
    own = ("script-src", "style-src", "img-src", "connect-src", "manifest-src", "worker-src")
    none = ("default-src", "base-uri", "form-action", "frame-ancestors")
    assert policy == dict.fromkeys(own, "'self'") | dict.fromkeys(none, "'none'")


def test_chromium_finds_nothing_that_keeps_it_from_installing(server: Server, tmp_path: Path) -> None:
    files = server.page
    assert files is not None
    with sync_playwright() as playwright:
        arguments = [one for one in ARGUMENTS if "component" not in one]
        # Not a guest's window: there nothing can be installed.
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=executable(playwright), args=arguments, locale="ko-KR"
        )
        page = context.pages[0]
        faults: list[str] = []
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.goto(server.url)
        page.wait_for_selector("main", timeout=COMPILED)
        page.evaluate(KEEPING)
        line = context.new_cdp_session(page)
        manifest = line.send("Page.getAppManifest")
        assert manifest["errors"] == []
        assert manifest["url"] == f"{server.url}/page/manifest.webmanifest"
        assert json.loads(manifest["data"])["id"] == "/"
        assert line.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
        assert line.send("Page.getAppId")["appId"] == f"{server.url}/"
        assert page.evaluate("() => document.querySelector('meta[name=apple-mobile-web-app-title]').content") == "러미"
        assert faults == []
        # Were something wrong, it would be told.
        with changed(files / "manifest.webmanifest", '"standalone"', '"browser"'):
            page.reload()
            page.wait_for_selector("main")
            (error,) = line.send("Page.getInstallabilityErrors")["installabilityErrors"]
            assert "display" in error["errorId"]
        context.close()


def test_the_page_is_kept_as_one_set_and_nothing_else(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, LANDSCAPE).go()
    mina.page.evaluate(KEEPING)
    mina.go("/?ruleset=straight&computers=easy")  # now through the worker
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.turn()
    ((name, files),) = mina.page.evaluate(KEPT).items()
    assert re.fullmatch(r"rummy [0-9a-f]{16}", name)
    endings = (".js", ".css", ".json")
    there = {f"/page/{path.relative_to(PAGE)}" for path in PAGE.rglob("*") if path.suffix in endings}
    assert set(files) == (there - {"/page/sw.js"}) | {"/"}
    assert len(files) == len(set(files))
    mina.close()


def test_a_changed_file_is_there_at_the_next_visit_and_the_set_is_renewed(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, LANDSCAPE, locale="en-GB").go()
    page, files = mina.page, server.page
    assert files is not None
    page.evaluate(KEEPING)
    (before,) = page.evaluate(KEPT)
    with (
        changed(files / "words" / "en.json", '"Sets, runs, and one last card."', '"Another slogan."'),
        changed(files / "index.html", '<div id="app">', '<div id="app" data-new>'),
    ):
        page.reload()
        expect(page.locator("[data-new] .hero p")).to_have_text("Another slogan.")
        # The browser has asked for the worker again, and has the new set alone.
        page.evaluate(RENEWED, before)
        server.kill()
        page.reload()
        expect(page.locator("[data-new] .notice")).to_be_visible()
        kept = page.evaluate("async () => (await (await caches.match('/page/words/en.json')).json()).slogan")
        assert kept == "Another slogan."
    server.start()
    mina.context.close()


def test_while_the_server_is_away_the_page_says_so_and_comes_back_by_itself(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT, locale="ko-KR").go()
    page, files = mina.page, server.page
    assert files is not None
    page.evaluate(KEEPING)
    server.kill()
    page.goto(f"{server.url}/room/somewhere")
    notice = page.locator(".notice")
    expect(notice).to_contain_text("The server cannot be reached.")
    expect(notice).to_contain_text("서버에 연결할 수 없습니다.")
    mina.picture("away-portrait-ko")
    assert barriers(page) == []
    page.goto(server.url)
    notice.get_by_role("link").click()  # the rules can be read meanwhile
    page.wait_for_selector(".rules article")
    page.locator(".page-head button").click()
    expect(notice).to_be_visible()

    # The server comes back with a newer page: that one is shown, not the kept one.
    with changed(files / "index.html", '<div id="app">', '<div id="app" data-new>'):
        server.start()
        page.evaluate("() => dispatchEvent(new Event('online'))")
        page.wait_for_selector("[data-new] .home", timeout=COMPILED)
        assert page.locator("html[data-kept]").count() == 0
    mina.context.close()


def test_a_proxy_without_its_server_is_no_server(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, LANDSCAPE).go()
    page = mina.page
    page.evaluate(KEEPING)
    server.stop()
    proxy = Server(server.folder, port=server.port, command=[sys.executable, "-c", GATEWAY, str(server.port)])
    page.reload()
    expect(page.locator(".notice")).to_contain_text("The server cannot be reached.")
    proxy.kill()
    server.start()
    page.evaluate("() => dispatchEvent(new Event('online'))")
    page.wait_for_selector(".home", timeout=COMPILED)
    mina.context.close()


def test_without_a_kept_page_the_one_that_is_open_waits_for_the_server(browser: Browser, server: Server) -> None:
    """The server goes while the page is being loaded: no worker is there yet."""
    mina = Person(browser, server, LANDSCAPE)
    page = mina.page
    page.route("**/api/catalogue", lambda route: route.abort(), times=1)
    page.goto(server.url)
    expect(page.locator(".notice")).to_contain_text("The server cannot be reached.")
    page.wait_for_selector(".home", timeout=COMPILED)
    # Nor do words come: what is said stands in the page itself.
    page.route("**/api/catalogue", lambda route: route.abort(), times=1)
    page.route("**/page/words/*", lambda route: route.abort(), times=2)
    page.reload()
    expect(page.locator(".notice")).to_contain_text("서버에 연결할 수 없습니다.")
    assert page.locator(".notice a").count() == 0
    page.wait_for_selector(".home", timeout=COMPILED)
    mina.context.close()


def test_the_version_of_the_set_is_that_of_every_file(tmp_path: Path) -> None:
    page = tmp_path / "page"
    shutil.copytree(PAGE, page)

    def version() -> Any:
        first, _, rest = shell.worker(page).partition("\n")
        assert rest == (page / "sw.js").read_text("utf-8")
        return json.loads(first.removeprefix("const SHELL = ").removesuffix(";"))["version"]

    seen = {version()}
    for name in ("index.html", "sw.js", "js/main.js", "css/base.css", "words/ko.json"):
        file = page / name
        file.write_text(file.read_text("utf-8") + "\n", "utf-8")
        assert version() not in seen
        seen.add(version())
    (page / "js" / "main.js").rename(page / "js" / "other.js")
    assert version() not in seen


GATEWAY: Final = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Gateway(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"502 bad gateway"
        self.send_response(200 if self.path == "/api/health" else 502)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

HTTPServer(("127.0.0.1", int(sys.argv[1])), Gateway).serve_forever()
"""
"""What stands before a server that is not there; it says it is well, so that one knows when it is up."""
