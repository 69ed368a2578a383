"""The page on small screens, zoomed, and with type as large as the browser is set to: the whole table is there."""

from __future__ import annotations

import pytest
from browsing import COMPILED, FAULTS_OF_LAYOUT, PORTRAIT, Person, Server
from crowds import SIZES, SMALL, at_a_full_table
from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # the server may have to compile first


@pytest.mark.parametrize("ruleset", ["straight", "rami", "indian", "gin"])
def test_larger_type_has_room(browser: Browser, server: Server, ruleset: str) -> None:
    someone = at_a_full_table(browser, server, ruleset, type_size=24)
    page = someone.page
    assert page.evaluate("() => getComputedStyle(document.querySelector('.prompt')).fontSize") != "15px"
    for size, box in SIZES.items():
        page.set_viewport_size(box)
        page.wait_for_timeout(150)
        someone.picture(f"large-{ruleset}-{size}")
        found = page.evaluate(FAULTS_OF_LAYOUT)
        assert [fault for fault in found if "cut off" in fault or "wide" in fault or "scrolls" in fault] == [], size
    someone.go("/#/rules/indian")
    page.set_viewport_size(PORTRAIT)
    assert page.evaluate("() => getComputedStyle(document.querySelector('.rules li')).fontSize") == "24px"
    assert page.evaluate(FAULTS_OF_LAYOUT) == []
    someone.close()


@pytest.mark.parametrize(("ruleset", "players"), [("straight", 4), ("rami", 4), ("indian", 6), ("gin", 2)])
def test_small_screens_show_the_whole_table(browser: Browser, server: Server, ruleset: str, players: int) -> None:
    someone = Person(browser, server, SMALL["small"]).go()
    server.deal(7)
    someone.press(f'label:has(input[name="ruleset"][value="{ruleset}"])')
    if players > 2:
        someone.press(f'label:has(input[name="players"][value="{players}"])')
    someone.press('label:has(input[name="level"][value="easy"])')
    someone.press("button.big")
    someone.page.wait_for_selector(".hand .card", timeout=COMPILED)
    someone.my_turn()
    someone.page.wait_for_timeout(2600)  # what was said has gone
    for size, box in SMALL.items():
        someone.page.set_viewport_size(box)
        someone.page.wait_for_timeout(150)
        someone.picture(f"{ruleset}-{size}")
        assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], size
    someone.close()
