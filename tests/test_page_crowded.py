"""The page when it is full: long names in every script, many seats, melds and cards.

Such tables are written over what the server says: in games they are rare, and they must be whole all the same.
"""

from __future__ import annotations

from typing import Any

import pytest
from browsing import COMPILED, FAULTS_OF_LAYOUT, PHONE_LANDSCAPE, PORTRAIT, Person, Server, barriers, rewrite
from crowds import DECK, NAMES, SIZES, SMALL, at_a_full_table, full
from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # the server may have to compile first


@pytest.mark.parametrize("ruleset", ["straight", "rami", "indian", "gin"])
def test_a_full_table_is_whole(browser: Browser, server: Server, ruleset: str) -> None:
    someone = at_a_full_table(browser, server, ruleset)
    for size, box in SIZES.items():
        someone.page.set_viewport_size(box)
        someone.page.wait_for_timeout(150)
        someone.picture(f"full-{ruleset}-{size}")
        assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], size
        if ruleset == "rami":
            assert someone.page.locator(".meter").is_visible(), size
            assert someone.page.locator(".groups .chip").count() == 6
        assert someone.page.locator(".seconds").inner_text() in {"9:59", "9:58", "9:57", "9:56"}
    someone.close()


def test_the_score_sheet_has_room_for_ten_long_names(browser: Browser, server: Server) -> None:
    someone = at_a_full_table(browser, server, "indian")

    def over(message: dict[str, Any]) -> None:
        full(message, "indian")
        if message["type"] == "table":
            hands = [{"seat": seat, "cards": DECK[:13], "points": 80, "deadwood": DECK[20:33]} for seat in range(10)]
            melds = [DECK[0:4], DECK[13:16], DECK[26:29], DECK[39:42]]
            hands[1] |= {"melds": melds, "points": 0, "deadwood": [], "laid_off": ["9h"]}
            message["phase"], message["round"] = "over", 1
            message["result"] = {
                "winner": 1, "how": "declare", "doubled": False, "hands": hands, "scores": [-80, 720, *[-80] * 8],
                "totals": [-240, 720, *[-80] * 8], "match_over": True, "winners": [1], "truncated": False,
            }  # fmt: skip

    someone.page.unroute_all()
    rewrite(someone.page, over)
    someone.page.reload()
    someone.page.wait_for_selector('dialog[data-name="sheet"]')
    for size, box in SIZES.items():
        someone.page.set_viewport_size(box)
        someone.page.wait_for_timeout(100)
        someone.picture(f"full-sheet-{size}")
        assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], size
    someone.close()


def test_the_list_of_rooms_has_room_for_long_names(browser: Browser, server: Server) -> None:
    someone = Person(browser, server, PORTRAIT, "ko-KR")

    def many(message: dict[str, Any]) -> None:
        if message["type"] == "lobby":
            settings = {"ruleset": "rami", "seats": 6, "computers": ["hard", "easy"], "length": "match", "clock": 45}
            message["rooms"] = [
                {
                    "room": str(number), "host": NAMES[number % 4], "settings": settings | {"options": {"opening": 51}},
                    "people": 3, "free": number % 2, "phase": "waiting", "watchers": 2,
                }
                for number in range(12)
            ]  # fmt: skip

    rewrite(someone.page, many)
    someone.go("/#/rooms")
    someone.page.wait_for_selector(".room-row")
    for size, box in (SIZES | SMALL).items():
        someone.page.set_viewport_size(box)
        someone.picture(f"full-rooms-{size}")
        assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], size
    someone.close()


def test_a_plate_tells_what_it_has_no_room_for(browser: Browser, server: Server) -> None:
    someone = at_a_full_table(browser, server, "indian")
    page = someone.page
    page.set_viewport_size(PHONE_LANDSCAPE)
    assert page.locator(".plate").count() == 9
    page.locator(".plate").nth(1).focus()
    page.keyboard.press("Enter")
    dialog = page.locator('dialog[data-name="seat"]')
    seat = int(page.locator(".plate").nth(1).get_attribute("data-seat") or "")
    assert NAMES[seat % 4] in dialog.locator("h2").inner_text()
    assert [card.get_attribute("data-card") for card in dialog.locator(".card").all()] == ["9d", "Td"]
    someone.picture("seat-phone-landscape")
    for size, box in SIZES.items():
        page.set_viewport_size(box)
        assert page.evaluate(FAULTS_OF_LAYOUT) == [], size
    assert barriers(page) == []
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('.plate')")
    someone.close()


def test_watching_a_hand_game_is_said_and_offers_no_seat_to_keep(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT).go()
    mina.press('label:has(input[name="ruleset"][value="gin"])')
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    jun = Person(browser, server, PORTRAIT, "ko-KR").go(mina.page.url.removeprefix(server.url))
    name = jun.page.locator(".mine-name")
    name.wait_for()
    for size, box in SIZES.items():
        jun.page.set_viewport_size(box)
        assert name.evaluate("(one) => one.scrollWidth <= one.clientWidth"), size
        assert jun.page.evaluate(FAULTS_OF_LAYOUT) == [], size
    jun.page.get_by_role("button", name="메뉴").click()
    jun.page.wait_for_selector('dialog[data-name="menu"]')
    assert jun.page.get_by_role("button", name="자리 두고 처음으로").count() == 0
    jun.page.get_by_role("dialog").get_by_role("button", name="관전 그만두기").click()
    jun.page.wait_for_selector(".home")
    for person in (mina, jun):
        person.close()
