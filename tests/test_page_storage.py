"""What the page keeps in the browser: a browser that keeps nothing or rubbish does no harm, a reload loses nothing."""

from __future__ import annotations

import pytest
from browsing import COMPILED, LANDSCAPE, PORTRAIT, Person, Server, begin
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first


RUBBISH = [
    "{",
    "[]",
    "5",
    '{"quick": null, "seats": null, "wins": null}',
    '{"quick": 5, "seats": "abc", "wins": [1], "language": 7, "name": 9}',
    '{"quick": {"ruleset": 7, "players": "x", "level": {}}, "wins": {"straight": "x"}, "seats": {"a": 5}}',
    '{"language": "__proto__"}',
    '{"language": "toString", "seats": [1, 2], "wins": {"straight": {"played": "many"}}}',
]


@pytest.mark.parametrize("kept", RUBBISH)
def test_rubbish_in_the_storage_does_no_harm(browser: Browser, server: Server, kept: str) -> None:
    someone = Person(browser, server, PORTRAIT, moving=True)
    someone.context.add_init_script(f"localStorage.rummy ?? localStorage.setItem('rummy', {kept!r})")
    someone.go()
    assert someone.page.locator("html").get_attribute("lang") == "en"
    begin(someone, server)
    someone.close()


BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""


@pytest.mark.parametrize("storage", [BLOCKED, FULL], ids=["blocked", "full"])
def test_a_seat_is_kept_where_the_browser_keeps_nothing(browser: Browser, server: Server, storage: str) -> None:
    someone = Person(browser, server, PORTRAIT, moving=True)
    someone.context.add_init_script(storage)
    hand = begin(someone, server).look()["hand"]
    someone.page.keyboard.press("m")
    someone.page.get_by_role("button", name="Menu").click()
    someone.page.locator('dialog label:has-text("한국어")').click()  # the line is opened anew in the other language
    expect(someone.page.locator("html")).to_have_attribute("lang", "ko")
    someone.my_turn()
    assert sorted(someone.look()["hand"]) == sorted(hand)
    someone.press(".stock")
    someone.until("all('.hand .card') === 11")
    someone.close()


def test_the_sheet_knows_the_rounds_before_a_reload(browser: Browser, server: Server) -> None:
    server.deal(3)
    someone = Person(browser, server, LANDSCAPE).go("/#/new")
    for name, value in (("ruleset", "straight"), ("seats", "2"), ("computers", "1"), ("length", "match")):
        someone.press(f'label:has(input[name="{name}"][value="{value}"])')
    someone.press("summary")
    for option, number in (("hand_size", 6), ("num_ranks", 6), ("max_turns", 2)):
        someone.page.fill(f'input[name="{option}"]', str(number))
    someone.press("button.big")
    someone.press('[data-action="ready"]', COMPILED)
    someone.page.wait_for_selector(".hand .card", timeout=COMPILED)
    for _ in range(2):
        while someone.turn():
            pass
        someone.page.wait_for_selector('dialog[data-name="sheet"]')
        # Put away it does not leave anybody stranded.
        someone.page.keyboard.press("Escape")
        someone.press('[data-action="sheet"]')
        someone.next_round()
    someone.page.reload()
    someone.page.wait_for_selector(".hand .card")
    someone.page.wait_for_load_state("networkidle")
    someone.page.get_by_role("button", name="Score sheet").click()
    expect(someone.page.locator("table.sheet tbody th")).to_have_text(["1", "2", "Total"])
    someone.close()
