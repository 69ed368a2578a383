"""The page when it is full: long names in every script, many seats, melds and cards, and type as large as some need it.

Such tables are written over what the server says: in games they are rare, and they must be whole all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from browsing import (
    COMPILED,
    FAULTS_OF_LAYOUT,
    LANDSCAPE,
    PHONE_LANDSCAPE,
    PORTRAIT,
    TABLET,
    Person,
    Server,
    barriers,
    browsing,
    rewrite,
)
from playwright.sync_api import Browser

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

SIZES = {"portrait": PORTRAIT, "tablet": TABLET, "landscape": LANDSCAPE, "phone-landscape": PHONE_LANDSCAPE}
SMALL = {"small": {"width": 320, "height": 568}, "zoomed": {"width": 640, "height": 400}}
"""A very small phone; and a desk at 200 %."""

WIDE: Final = "가나다라마바사아자차카타파하거너더러머버"
NAMES: Final = (WIDE, "👩‍👩‍👧‍👦🎉🃏🇰🇷👍🏽👩‍👩‍👧‍👦", "مرحبا بالعالم يا صديق", "W" * 20)
DECK: Final = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
RUNS: Final = [[rank + suit for rank in "A23456789TJQK"[low : low + 3]] for low in (0, 3, 6, 9) for suit in "shdc"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


def crowd(message: dict[str, Any], seats: int, packs: bool) -> None:
    """So many seats with the widest of names, long scores and cards taken, in a `room` and in a `table`."""
    if message["type"] == "room":
        place = {"player": "person", "connected": True, "ready": False, "standin": False}
        message["seats"] = [place | {"seat": seat, "name": NAMES[seat % 4]} for seat in range(seats)]
    if message["type"] == "table":
        me = message["me"]
        message["seats"] = [
            {
                "cards": 13,
                "total": (-240, 104, 99)[seat % 3],
                "known": [] if seat == me else ["9d", "Td"],
                "opened": seat != me,
                "packed": "later" if packs and seat % 4 == 1 else None,
            }
            for seat in range(seats)
        ]
        message["pile"], message["pile_size"] = DECK[20:32], 60
        message["clock"] = {"seat": me, "left": 599, "total": 600}


def full(message: dict[str, Any], ruleset: str) -> None:
    """As much as can lie on a table of this ruleset, in the turn of the one who looks."""
    crowd(message, {"straight": 4, "rami": 6, "indian": 10, "gin": 2}[ruleset], ruleset == "indian")
    if message["type"] != "table":
        return
    if ruleset == "straight":
        message["hand"], message["table"] = DECK[:20], [{"cards": run, "by": 1} for run in RUNS]
    if ruleset == "rami":
        message["hand"] = [*DECK[:12], "Jk", "Jk"]
        message["table"] = [{"cards": run, "by": number % 6} for number, run in enumerate(RUNS[:9])]
        groups = [{"cards": DECK[low : low + 3], "points": 12 + low} for low in range(0, 18, 3)]
        message["opening"] = {"threshold": 51, "best": 147, "groups": groups, "move": "open As 2s 3s"}
        message["duties"] = [{"kind": "taken", "card": "Ts"}, {"kind": "joker", "count": 2}]
        message["taken"], message["may_untake"] = "Ts", True


def at_a_full_table(browser: Browser, server: Server, ruleset: str, type_size: int = 16) -> Person:
    """Somebody who has drawn at a table that is then said to be full."""
    someone = Person(browser, server, PORTRAIT, "ko-KR")
    page = someone.page
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": type_size}})
    changed = False
    rewrite(page, lambda message: full(message, ruleset) if changed else None)
    server.deal(236)
    someone.go()
    page.locator(f'label:has(input[name="ruleset"][value="{ruleset}"])').click()
    page.locator('label:has(input[name="level"][value="easy"])').click()
    someone.press("button.big")
    page.wait_for_selector(".hand .card", timeout=COMPILED)
    while not someone.my_turn()["stock"]:  # gin's first card is passed
        someone.press('[data-action="pass"]')
        someone.until("!all('[data-action=pass]')")
    before = len(someone.look()["hand"])
    someone.press(".stock")
    someone.until("all('.hand .card') > argument", before)
    changed = True
    page.reload()
    page.wait_for_selector(".hand .card")
    return someone


@pytest.mark.parametrize("ruleset", ["straight", "rami", "indian", "gin"])
def test_a_full_table_is_whole(browser: Browser, server: Server, ruleset: str) -> None:
    someone = at_a_full_table(browser, server, ruleset)
    for size, box in SIZES.items():
        someone.page.set_viewport_size(box)
        someone.page.wait_for_timeout(150)
        someone.picture(f"full-{ruleset}-{size}")
        assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], size
        assert someone.page.locator(".seconds").inner_text() in {"9:59", "9:58", "9:57", "9:56"}
    someone.close()


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
