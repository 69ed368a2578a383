"""Tables as full as they can be, for the tests of the page: written over what the server says, as games seldom come to
them."""

from __future__ import annotations

from typing import Any, Final

from browsing import COMPILED, LANDSCAPE, PHONE_LANDSCAPE, PORTRAIT, TABLET, Person, Server, rewrite
from playwright.sync_api import Browser

SIZES: Final = {"portrait": PORTRAIT, "tablet": TABLET, "landscape": LANDSCAPE, "phone-landscape": PHONE_LANDSCAPE}
SMALL: Final = {
    "small": {"width": 320, "height": 568},
    "zoomed": {"width": 640, "height": 400},
    "low": {"width": 653, "height": 290},
}
"""A very small phone; a desk at 200 %; a phone on its side under the bars of its browser."""

WIDE: Final = "가나다라마바사아자차카타파하거너더러머버"
NAMES: Final = (WIDE, "👩‍👩‍👧‍👦🎉🃏🇰🇷👍🏽👩‍👩‍👧‍👦", "مرحبا بالعالم يا صديق", "W" * 20)
DECK: Final = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
RUNS: Final = [[rank + suit for rank in "A23456789TJQK"[low : low + 3]] for low in (0, 3, 6, 9) for suit in "shdc"]


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
