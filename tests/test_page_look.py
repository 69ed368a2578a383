"""How the page looks, in every size and both languages: nothing cut off, nothing over another, readable by all.

The pictures are kept in `browsing.SCREENS`, to be looked at.
"""

from __future__ import annotations

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
)
from playwright.sync_api import Browser

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

SIZES = {"portrait": PORTRAIT, "tablet": TABLET, "landscape": LANDSCAPE, "phone-landscape": PHONE_LANDSCAPE}
LOCALES = {"ko": "ko-KR", "en": "en-GB"}
PAGES = {"home": "/", "rooms": "/#/rooms", "new": "/#/new"} | {
    f"rules-{ruleset}": f"/#/rules/{ruleset}" for ruleset in ("straight", "rami", "indian", "gin")
}
TABLES = {"straight": (53, 3, 2), "rami": (7, 5, 1), "gin": (53, 1, 2), "indian": (53, 3, 2)}
"""The deal, how many opponents, and the turns played before the table is looked at."""


@pytest.mark.parametrize("language", LOCALES)
def test_pages_are_whole_and_open_to_all_in_every_size(browser: Browser, server: Server, language: str) -> None:
    for size, box in SIZES.items():
        someone = Person(browser, server, box, LOCALES[language])
        for name, path in PAGES.items():
            someone.go(path)
            assert someone.page.locator("html").get_attribute("lang") == language
            assert someone.page.evaluate(FAULTS_OF_LAYOUT) == [], (size, name)
            if size in ("portrait", "landscape"):
                someone.picture(f"{name}-{size}-{language}")
        if size == "portrait":
            for path in ("/", "/#/new", "/#/rules/rami"):
                someone.go(path)
                assert barriers(someone.page) == [], path
        someone.close()


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", TABLES)
def test_tables_are_whole_and_open_to_all_in_every_size(browser: Browser, server: Server, ruleset: str) -> None:
    deal, opponents, turns = TABLES[ruleset]
    server.deal(deal)
    someone = Person(browser, server, PORTRAIT, LOCALES["ko"]).go()
    catalogue = someone.page.evaluate("() => fetch('/api/catalogue').then((answer) => answer.json())")
    if ruleset not in [one["ruleset"] for one in catalogue["rulesets"]]:
        pytest.skip(f"{ruleset} is not in the catalogue")
    page = someone.page
    page.locator(f'label:has(input[name="ruleset"][value="{ruleset}"])').click()
    if opponents > 1:
        page.locator(f'label:has(input[name="players"][value="{opponents + 1}"])').click()
    someone.press("button.big")
    page.wait_for_selector(".hand .card", timeout=COMPILED)
    for _ in range(turns):
        someone.turn()
    assert not someone.my_turn()["over"], "the deal is over too soon to be looked at"
    someone.clear()
    for language in ("en", "ko"):
        page.evaluate(
            "(language) => localStorage.rummy = JSON.stringify({...JSON.parse(localStorage.rummy), language})",
            language,
        )
        page.reload()
        page.wait_for_selector(".hand .card")
        for size, box in SIZES.items():
            page.set_viewport_size(box)
            page.wait_for_timeout(120)
            someone.picture(f"{ruleset}-{size}-{language}")
            assert page.evaluate(FAULTS_OF_LAYOUT) == [], (size, language)
    page.set_viewport_size(PORTRAIT)
    assert barriers(page) == []
    for name in ("메뉴", "점수판", "도움말 (?)", "반응"):
        page.get_by_role("button", name=name, exact=True).click()
        page.wait_for_selector("dialog[open]")
        assert barriers(page) == [], name
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    someone.close()
