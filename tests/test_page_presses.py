"""Presses and drags that something comes between: the system, another finger, a message of the server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from browsing import PORTRAIT, Finger, Person, Server, begin, rewrite
from playwright.sync_api import Browser, WebSocketRoute, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first


def test_a_drag_that_the_system_breaks_off_leaves_the_hand_as_it_was(browser: Browser, server: Server) -> None:
    mina = begin(Finger(browser, server, PORTRAIT, touch=True), server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    hand = mina.look()["hand"]
    line = mina.context.new_cdp_session(mina.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    first, second = (mina.page.locator(mina.card(hand[at])).bounding_box() for at in (2, 6))
    assert first is not None
    assert second is not None
    x, y = first["x"] + 12, first["y"] + 18
    touch("touchStart", (x, y))
    touch("touchMove", (x, y - 60))
    touch("touchMove", (x + 60, y - 200))
    # Another finger comes: the first one goes on alone.
    touch("touchStart", (x + 60, y - 200), (second["x"] + 10, second["y"] + 10))
    touch("touchMove", (x + 60, y - 200), (second["x"] + 10, second["y"] - 80))
    assert mina.page.locator(".lifted").count() == 1
    touch("touchCancel")
    mina.until("!all('.lifted') && !all('.target') && !all('.dragging')")
    assert (mina.look()["hand"], mina.look()["chosen"]) == (hand, [])
    touch("touchStart", (x, y))
    touch("touchEnd")
    assert mina.look()["chosen"] == [hand[2]]
    mina.close()


@pytest.mark.parametrize("story", ["the card is gone", "the hand is gone", "the next round began"])
def test_what_happens_during_a_drag_ends_it(browser: Browser, server: Server, story: str) -> None:
    mina = Person(browser, server, PORTRAIT)
    tables: list[dict[str, Any]] = []
    tell = rewrite(mina.page, lambda message: tables.append(dict(message)) if message["type"] == "table" else None)
    begin(mina, server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    hand = mina.look()["hand"]
    box = mina.page.locator(mina.card(hand[3])).bounding_box()
    assert box is not None
    mouse = mina.page.mouse
    mouse.move(box["x"] + 10, box["y"] + 15)
    mouse.down()
    mouse.move(box["x"] + 30, box["y"] - 90, steps=3)
    assert mina.page.locator(".lifted").count() == 1
    next_table = tables[-1] | {"events": [], "n": tables[-1]["n"] + 1}
    if story == "the card is gone":
        next_table["hand"] = [card for card in hand if card != hand[3]]
    elif story == "the hand is gone":
        next_table["hand"] = []
    else:
        next_table |= {"round": 2, "hand": hand[:10]}
    tell(next_table)
    mina.until("!all('.lifted')")
    mouse.move(box["x"] + 60, box["y"] - 200, steps=3)
    mouse.up()
    mina.page.wait_for_timeout(200)
    assert mina.look()["hand"] == [card for card in hand if card in next_table["hand"]]
    assert mina.page.locator(".toast").count() == 0
    assert mina.page.locator(".target, .dragging").count() == 0
    mina.close()


PRESSED = [
    ('[data-action="draw"]', "all('.hand .card') === 11"),
    (".stock", "all('.hand .card') === 11"),
    (".pile", "all('.hand .card') === 11"),
    ('.groups [data-cards="6s 7s 8s 9s"]', "all('.hand .chosen') === 4"),
]


@pytest.mark.parametrize(("query", "done"), PRESSED)
def test_a_table_that_comes_during_a_press_does_not_swallow_it(
    browser: Browser, server: Server, query: str, done: str
) -> None:
    mina = Person(browser, server, PORTRAIT)
    told: dict[str, dict[str, Any]] = {}
    tell = rewrite(mina.page, lambda message: told.update({message["type"]: dict(message)}))
    begin(mina, server)
    box = mina.page.locator(query).bounding_box()
    assert box is not None
    mina.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mina.page.mouse.down()
    tell(told["room"])
    tell(told["table"] | {"events": []})
    mina.page.wait_for_timeout(200)
    mina.page.mouse.up()
    mina.until(done)
    mina.close()


def test_a_table_that_comes_during_a_press_on_a_meld_does_not_swallow_it(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT)
    told: dict[str, dict[str, Any]] = {}
    tell = rewrite(mina.page, lambda message: told.update({message["type"]: dict(message)}))
    begin(mina, server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.lay_down(["6s", "7s", "8s"])
    mina.until("all('.felt [data-meld]') === 1")
    mina.choose(["9s"])
    box = mina.page.locator(".meld.fits").bounding_box()
    assert box is not None
    mina.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mina.page.mouse.down()
    tell(told["table"] | {"events": []})
    mina.page.wait_for_timeout(200)
    mina.page.mouse.up()
    mina.until("all('.felt .card') === 4")
    mina.close()


@pytest.mark.slow
def test_a_line_that_is_dead_but_not_closed_is_found_by_the_next_press(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT)
    silent = False

    def through(route: WebSocketRoute) -> None:
        line = route.connect_to_server()
        route.on_message(lambda text: None if silent else line.send(text))
        line.on_message(lambda text: None if silent else route.send(text))

    mina.page.route_web_socket("**/ws**", through)
    begin(mina, server)
    silent = True
    mina.press(".stock")
    mina.page.wait_for_selector(".toast", timeout=15_000)  # the answer is given up long before its time is over
    mina.page.wait_for_selector(".banner")  # nobody greets on the next line either
    silent = False
    mina.page.wait_for_selector(".banner", state="detached")
    mina.my_turn()
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.close()


def test_what_takes_long_is_shown_and_asked_for_once(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT)
    silent = False
    asked: list[str] = []

    def through(route: WebSocketRoute) -> None:
        line = route.connect_to_server()

        def up(text: str | bytes) -> None:
            asked.append(json.loads(text)["type"])
            if not silent:
                line.send(text)

        route.on_message(up)
        line.on_message(route.send)

    mina.page.route_web_socket("**/ws**", through)
    begin(mina, server)
    silent = True
    mina.page.keyboard.press("h")
    mina.page.keyboard.press("h")
    mina.page.wait_for_selector('[data-action="hint"][aria-busy="true"]')
    expect(mina.page.locator(".toast")).to_have_text("Thinking about a hint…")
    mina.page.keyboard.press("d")
    mina.page.wait_for_selector(".table.sending")
    assert (asked.count("hint"), asked.count("move")) == (1, 1)
    mina.close()
