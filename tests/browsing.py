"""Chromium at a running game, for the tests of the page: a server in a process of its own, and persons at its tables.

A person sees what the page shows and acts by mouse, touch or keyboard alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, WebSocketRoute, sync_playwright

ROOT: Final = Path(__file__).resolve().parents[1]
SCREENS: Final = ROOT / "runs" / "screens"
"""Where pictures of the page are kept, to be looked at."""

ARGUMENTS: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PORTRAIT: Final = {"width": 360, "height": 740}
TABLET: Final = {"width": 820, "height": 1180}
LANDSCAPE: Final = {"width": 1280, "height": 800}
PHONE_LANDSCAPE: Final = {"width": 740, "height": 360}
PATIENCE: Final = 20_000
COMPILED: Final = 600_000
"""Milliseconds; until a page is there, and a first table whose ruleset may have to be compiled."""


def executable(playwright: Playwright) -> str:
    """The Chromium of this machine, or Playwright's own. Without one the tests fail: `make chromium` installs it."""
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    found += [path for path in [playwright.chromium.executable_path] if Path(path).exists()]
    if not found:
        pytest.fail("expected a Chromium for the tests of the page, got none; `make chromium` installs one")
    return found[0]


@contextmanager
def browsing() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(playwright), args=list(ARGUMENTS))
        yield browser
        browser.close()


def barriers(page: Page) -> list[str]:
    """What keeps people out: what axe finds, and text whose contrast is too low on grounds that axe cannot see."""
    found = Axe().run(page).response["violations"]
    serious = [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    return serious + page.evaluate(CONTRAST)


CONTRAST: Final = """() => {
  // The felt goes from light to dark, and a card's paper too: text must be readable on either end.
  const felt = [[33, 106, 94], [12, 50, 47]], paper = [[255, 254, 250], [243, 237, 221]];
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const grounds = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      if (at.matches(".card")) return paper;
      const layer = parse(getComputedStyle(at).backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    return felt.map((base) => layers.reduceRight((below, layer) => over(layer, below), base));
  };
  const faults = [];
  const top = document.querySelector("dialog[open]") ?? document.body;
  for (const element of top.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const box = element.getBoundingClientRect();
    if (!own || !box.width || element.closest(".unseen, [hidden], noscript, option")) continue;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement;
    const size = parseFloat(style.fontSize), heavy = Number(style.fontWeight) >= 700;
    const needed = !drawn && (size >= 24 || (heavy && size >= 18.66)) ? 3 : 4.5;
    for (const ground of grounds(drawn ? element.closest(".card") ?? element.parentElement : element)) {
      const got = ratio(over(parse(drawn ? style.fill : style.color), ground), ground);
      if (got < needed) {
        faults.push(`contrast ${got.toFixed(2)} of '${element.textContent.trim().slice(0, 30)}' in ${element.className?.baseVal ?? element.className}`);
        break;
      }
    }
  }
  return faults;
}"""  # noqa: E501

FAULTS_OF_LAYOUT: Final = """() => {
  const faults = [];
  const dialog = document.querySelector("dialog[open]");
  const root = dialog ?? document;
  const shown = (element) => element.offsetParent !== null && getComputedStyle(element).visibility !== "hidden" && !element.closest(".unseen");
  const name = (element) => `${element.tagName}.${element.className} '${(element.textContent || element.ariaLabel || "").slice(0, 24)}'`;
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
  if (dialog && dialog.scrollWidth > dialog.clientWidth + 1) faults.push(`the dialog is ${dialog.scrollWidth} wide in ${dialog.clientWidth}`);
  // Whatever is pressed is as large as a finger. A card of the hand shows its index; a radio button's label is pressed.
  for (const element of root.querySelectorAll("button, a[href], input, summary")) {
    // A plate only tells more when it is pressed, and is low where ten sit.
    if (!shown(element) || element.matches(".hand .card, .meld, .plate, input[type='radio']")) continue;
    const box = (element.closest("label") ?? element).getBoundingClientRect();
    const more = parseFloat(getComputedStyle(element, "::after").top) || 0; // an area beyond what is drawn
    const least = innerWidth <= 340 && element.closest(".bar-tools") ? 38 : 44;
    if (box.width < least - 0.5 || box.height - 2 * Math.min(0, more) < 43.5)
      faults.push(`${name(element)} is ${Math.round(box.width)} by ${Math.round(box.height)}`);
  }
  if (!dialog) {
    if (document.querySelector(".table") && document.documentElement.scrollHeight > innerHeight + 1) faults.push("the table scrolls");
    const whole = ".bar .button, .bar-title, .plate, .place, .action, .main-actions .button, .prompt, .mine, .seconds, .duty, .hand .card";
    for (const element of document.querySelectorAll(whole)) {
      if (!shown(element)) continue;
      const box = element.getBoundingClientRect();
      if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
        faults.push(`${name(element)} is cut off at ${Math.round(box.left)} ${Math.round(box.top)} ${Math.round(box.right)} ${Math.round(box.bottom)}`);
    }
    const areas = [".bar", ".plates", ".felt", ".groups", ".piles", ".status", ".hand", ".actions"]
      .map((query) => document.querySelector(query)).filter((element) => element && shown(element));
    areas.forEach((one, at) => areas.slice(at + 1).forEach((other) => {
      const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 2) faults.push(`${one.className} and ${other.className} overlap by ${Math.round(wide)} by ${Math.round(high)}`);
    }));
    for (const plate of document.querySelectorAll(".plate")) {
      const parts = [...plate.querySelectorAll(".plate-cards, .plate-total, .plate-known")].filter(shown).map((part) => part.getBoundingClientRect());
      const box = plate.getBoundingClientRect();
      if (parts.some((one) => one.right > box.right + 1)) faults.push(`the figures of ${name(plate)} stick out`);
      if (parts.some((one, at) => parts.slice(at + 1).some((other) => one.right > other.left + 1 && other.right > one.left + 1 && one.bottom > other.top + 1 && other.bottom > one.top + 1)))
        faults.push(`the figures of ${name(plate)} overlap`);
    }
  }
  for (const element of root.querySelectorAll(".button span, .plate-figures, .plate-total, .mine-total, .prompt, .duty, .tab, .bar-choice span, .chip, h1, h2, p"))
    if (shown(element) && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline" && getComputedStyle(element).textOverflow !== "ellipsis")
      faults.push(`the text of ${name(element)} does not fit`);
  return faults;
}"""  # noqa: E501
"""What is wrong with how the page, or the dialog on it, is laid out: one sentence each."""


DEAL_WITH_A_RUN: Final = 442
"""Straight rummy for two: seat 0 begins with 6s 7s 8s 9s among others, and 4d lies on the pile."""


class Server:
    """`rummy play` in a process of its own, at an address that stays the same after a restart."""

    def __init__(
        self, folder: Path, page: Path | None = None, port: int | None = None, command: list[str] | None = None
    ) -> None:
        """``page``: the folder of the page's files, the game's own by default; ``command``: another server's."""
        self.folder = folder
        self.page = page
        self.command = command
        self.seeds = folder / "seed"
        self.seeds.write_text("1")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def deal(self, seed: int) -> None:
        """Deal the next matches from this seed."""
        self.seeds.write_text(str(seed))

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "tests" / "page_server.py"), str(self.seeds), "--no-browser"]
        command += ["--port", str(self.port), "--store", str(self.folder / "rooms.sqlite"), "--pause", "0"]
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | ({"RUMMY_PAGE": str(self.page)} if self.page else {})
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self.command or command, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                with urlopen(f"{self.url}/api/health", timeout=2) as answer:
                    assert answer.status == 200
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"expected the server to answer, got: {(self.folder / 'log').read_text()[-2000:]}")
                time.sleep(0.1)

    def kill(self) -> None:
        """As a power cut would: no goodbye."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()


class Person:
    """Somebody with a browser of their own, who acts by mouse. Faults that the page reports fail the test."""

    def __init__(
        self, browser: Browser, server: Server, size: Any = LANDSCAPE, locale: str = "en-GB", touch: bool = False,
        moving: bool = False, scale: int = 1,
    ) -> None:  # fmt: skip
        self.server = server
        self.faults: list[str] = []
        self.asked: set[str] = set()
        self.context: BrowserContext = browser.new_context(
            viewport=size, locale=locale, has_touch=touch, is_mobile=touch, device_scale_factor=scale
        )
        if not moving:
            self.context.add_init_script(
                "localStorage.getItem('rummy') ?? localStorage.setItem('rummy', '{\"animation\": false}')"
            )
        self.page = self.new_page()

    def new_page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.asked.add(re.sub(r"^(\w+://[^/]+).*", r"\1", request.url)))
        return page

    def close(self, offline: bool = False) -> None:
        """Nothing went wrong, and nothing was asked of anybody but the server."""
        # The line, and the look for a newer service worker, fail where the server is down.
        without = ("WebSocket connection", "when fetching the script")
        faults = [fault for fault in self.faults if not (offline and any(part in fault for part in without))]
        assert not faults, faults
        assert self.asked <= {self.server.url}, self.asked
        self.context.close()

    def go(self, path: str = "/") -> Person:
        self.page.goto(self.server.url + path)
        self.page.wait_for_selector("main", timeout=COMPILED)
        return self

    # --- what can be seen --------------------------------------------------------------------------------------

    def look(self) -> dict[str, Any]:
        """What the table shows: my cards with their glow, chips, melds, whose turn, what may be pressed."""
        return self.page.evaluate(
            """() => {
              const all = (query) => [...document.querySelectorAll(query)];
              const table = document.querySelector(".table");
              const has = (query) => document.querySelector(query) !== null;
              return {
                mine: table?.classList.contains("my-turn") ?? false,
                unopened: has(".groups .meter"),
                over: has('dialog[data-name="sheet"]'),
                stock: has(".stock.ready"), pile: has(".pile.ready"),
                plain: document.querySelector(".table")?.dataset.melds === "no",
                top: all(".pile .card").at(-1)?.dataset.card ?? null,
                hand: all(".hand .card").map((card) => card.dataset.card),
                chosen: all(".hand .card.chosen").map((card) => card.dataset.card),
                useful: all(".hand .glow-meld, .hand .glow-layoff, .hand .taken").map((card) => card.dataset.card),
                fits: all(".hand .glow-layoff").map((card) => card.dataset.card),
                chips: all(".groups [data-cards]").map((chip) => chip.dataset.cards.split(" ")),
                melds: all(".felt [data-meld]").map((meld) =>
                  [...meld.querySelectorAll(".card")].map((card) => card.dataset.card)),
                actions: all(".actions [data-action]").filter((one) => one.getAttribute("aria-disabled") !== "true")
                  .map((one) => one.dataset.action),
              };
            }"""
        )

    def until(self, what: str, argument: Any = None) -> None:
        """Wait until the page's expression is true; in it `all(query)` counts elements."""
        count = "const all = (query) => document.querySelectorAll(query).length;"
        self.page.wait_for_function(f"(argument) => {{ {count} return {what}; }}", arg=argument)

    def my_turn(self) -> dict[str, Any]:
        self.page.wait_for_selector('.table.my-turn, dialog[data-name="sheet"]', timeout=COMPILED)
        return self.look()

    # --- what can be done --------------------------------------------------------------------------------------

    def press(self, query: str, timeout: int = PATIENCE) -> None:
        self.page.locator(query).first.click(timeout=timeout)

    def card(self, card: str) -> str:
        return f'.hand .card[data-card="{card}"]'

    def choose(self, cards: list[str]) -> None:
        for card in cards:
            # The index of a card always shows; the middle may lie under the next one.
            self.page.locator(self.card(card) + ":not(.chosen)").first.click(position={"x": 12, "y": 18})

    def draw(self) -> None:
        self.press(".stock" if self.look()["stock"] else ".pile")

    def lay_down(self, cards: list[str]) -> None:
        self.choose(cards)
        self.press('[data-action="meld"]')

    def lay_off(self, card: str) -> None:
        self.choose([card])
        self.press(".meld.fits")

    def discard(self, card: str) -> None:
        self.choose([card])
        self.press('[data-action="discard"]')

    def next_round(self) -> None:
        self.press('dialog[data-name="sheet"] [data-action="ready"]')
        self.until("all('dialog[data-name=\"sheet\"]') === 0")

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=8)
        mouse.up()

    def drag_card(self, card: str, query: str) -> None:
        """From my hand onto the middle of something else."""
        start = self.page.locator(self.card(card)).first.bounding_box()
        end = self.page.locator(query).first.bounding_box()
        assert start is not None
        assert end is not None
        self.drag((start["x"] + 12, start["y"] + 18), (end["x"] + end["width"] / 2, end["y"] + end["height"] / 2))

    def pick(self, choice: str) -> None:
        """One of the choices that lie side by side."""
        self.press(f'.bar-choice label:has-text("{choice}")')

    def clear(self) -> None:
        self.page.keyboard.press("Escape")

    # --- whole games -------------------------------------------------------------------------------------------

    def turn(self) -> bool:
        """One turn of sensible play by what glows; False when the round is over."""
        seen = self.my_turn()
        if seen["over"]:
            return False
        if seen["stock"] or seen["pile"]:
            before = len(seen["hand"])
            self.draw()
            self.until("all('.hand .card') > argument || all('dialog[open]')", before)
            seen = self.look()
        while seen["mine"] and not seen["over"]:
            hand, chips = seen["hand"], [chip for chip in seen["chips"] if set(chip) <= set(seen["hand"])]
            if "open" in seen["actions"]:
                self.press('[data-action="open"]')
            elif seen["unopened"] or seen["plain"]:
                break
            elif chips:
                self.lay_down(chips[0])
            elif seen["fits"]:
                self.lay_off(seen["fits"][0])
            else:
                break
            self.until("all('.hand .card') < argument || all('dialog[open]')", len(hand))
            if self.page.locator('dialog[data-name="ways"]').count():
                self.press('dialog[data-name="ways"] .ways .button')
                self.until("all('.hand .card') < argument", len(hand))
            seen = self.look()
        if seen["over"] or not seen["mine"]:
            return not seen["over"]
        self.clear()
        loose = [card for card in seen["hand"] if card not in seen["useful"]] or seen["hand"]
        self.discard(max(loose, key=lambda card: "A23456789TJQK".find(card[0])))
        self.until("all('.hand .card') < argument || all('dialog[open]')", len(seen["hand"]))
        return not self.look()["over"]

    def match(self, rounds: int = 30) -> list[str]:
        """Play to the end of the match; what the sheet says of every round."""
        said = []
        for _ in range(rounds):
            while self.turn():
                pass
            self.page.wait_for_selector('dialog[data-name="sheet"] [data-action="ready"]')
            lines = self.page.locator(".result-line").all_inner_texts()
            said.append(lines[-1])
            if len(lines) > 1:
                return said
            self.next_round()
        raise AssertionError(f"expected the match to end within {rounds} rounds, got {said}")

    def picture(self, name: str) -> None:
        SCREENS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(SCREENS / f"{name}.png"))


class Finger(Person):
    """The same by touch."""

    def press(self, query: str, timeout: int = PATIENCE) -> None:
        self.page.locator(query).first.tap(timeout=timeout)

    def choose(self, cards: list[str]) -> None:
        for card in cards:
            self.page.locator(self.card(card) + ":not(.chosen)").first.tap(position={"x": 12, "y": 18})

    def clear(self) -> None:
        chosen = self.page.locator(".hand .card.chosen")
        while chosen.count():
            chosen.first.tap(position={"x": 12, "y": 18})

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A finger goes from one place to another."""
        line = self.context.new_cdp_session(self.page)
        for at in range(9):
            x, y = (a + (b - a) * at / 8 for a, b in zip(start, end, strict=True))
            kind = "touchStart" if at == 0 else "touchMove"
            line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        line.detach()


class Keys(Person):
    """The same by keyboard alone."""

    def focus_card(self, card: str) -> None:
        """Go to the card with the arrows."""
        keyboard = self.page.keyboard
        if not self.page.evaluate("() => document.activeElement?.closest('.hand') !== null"):
            keyboard.press("Escape")
            self.page.evaluate("() => document.activeElement?.blur()")
            keyboard.press("ArrowRight")
        hand = self.look()["hand"]
        keyboard.press("Home")
        for _ in range(hand.index(card)):
            keyboard.press("ArrowRight")
        assert self.page.evaluate("() => document.activeElement.dataset.card") == card

    def choose(self, cards: list[str]) -> None:
        for card in cards:
            self.focus_card(card)
            self.page.keyboard.press("Space")

    def draw(self) -> None:
        self.page.keyboard.press("d" if self.look()["stock"] else "f")

    def lay_down(self, cards: list[str]) -> None:
        self.choose(cards)
        self.page.keyboard.press("Enter")

    def lay_off(self, card: str) -> None:
        self.focus_card(card)
        self.page.keyboard.press("l")

    def discard(self, card: str) -> None:
        self.focus_card(card)
        self.page.keyboard.press("x")

    def next_round(self) -> None:
        self.page.keyboard.press("Enter")  # the button has the focus
        self.until("all('dialog[data-name=\"sheet\"]') === 0")


def begin(person: Person, server: Server, ruleset: str = "straight", deal: int = DEAL_WITH_A_RUN) -> Person:
    """A game against one easy computer player, up to the first turn of the person."""
    server.deal(deal)
    person.go()
    for name, value in (("ruleset", ruleset), ("level", "easy")):
        person.press(f'label:has(input[name="{name}"][value="{value}"])')
    person.press("button.big")
    person.page.wait_for_selector(".hand .card", timeout=COMPILED)
    person.my_turn()
    return person


def rewrite(page: Page, change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Let ``change`` write over the server's messages before the page reads them: tables that games seldom come to.

    Returns what tells the page one more message, as if the server had sent it.
    """
    lines: list[WebSocketRoute] = []

    def through(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        lines.append(route)

        def changed(text: str | bytes) -> None:
            message = json.loads(text)
            change(message)
            route.send(json.dumps(message))

        route.on_message(server.send)
        server.on_message(changed)

    page.route_web_socket("**/ws**", through)
    return lambda message: lines[-1].send(json.dumps(message))


def two_in_a_room(
    browser: Browser, server: Server, choices: dict[str, str], options: dict[str, int] | None = None,
    name: str = "Mina",
) -> tuple[Person, Person]:  # fmt: skip
    """Two persons at the table of a room for two: the host by touch in Korean, the guest, Jun, by mouse in English.

    ``choices``: the values of the wizard's choices; ``options``: those under "more".
    """
    host = Finger(browser, server, PORTRAIT, locale="ko-KR", touch=True, scale=2).go("/#/new")
    host.page.fill('input[name="name"]', name)
    for group, value in choices.items():
        host.press(f'label:has(input[name="{group}"][value="{value}"])')
    if options:
        host.press("summary")
        for option, number in options.items():
            host.page.fill(f'input[name="{option}"]', str(number))
    host.press("button.big")
    link = host.page.locator(".link-text").inner_text(timeout=COMPILED)
    host.picture("waiting-portrait")
    guest = Person(browser, server, LANDSCAPE).go(link.removeprefix(server.url))
    guest.page.fill('input[name="name"]', "Jun")
    guest.page.get_by_role("button", name="Join").click()
    guest.press('[data-action="ready"]')
    host.page.wait_for_selector('.seat-row:has-text("Jun"):has-text("준비됨")')
    host.press('[data-action="ready"]')
    for person in (host, guest):
        person.page.wait_for_selector(".hand .card", timeout=COMPILED)
    return host, guest
