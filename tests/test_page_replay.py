"""The page after a round: replay with all hands open, the review of my decisions, cards that travel, the record."""

from __future__ import annotations

import pytest
from browsing import COMPILED, PORTRAIT, Person, Server
from playwright.sync_api import Browser, expect

from rummy_env import record

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first


def test_a_round_is_replayed_with_open_hands_and_reviewed(browser: Browser, server: Server) -> None:
    server.deal(3)
    mina = Person(browser, server, PORTRAIT, scale=2).go("/#/new")
    for group, value in (("ruleset", "straight"), ("seats", "2"), ("computers", "1"), ("length", "round")):
        mina.press(f'label:has(input[name="{group}"][value="{value}"])')
    mina.press("summary")
    for option, number in (("hand_size", 6), ("num_ranks", 6)):
        mina.page.fill(f'input[name="{option}"]', str(number))
    mina.press("button.big")
    mina.press('[data-action="ready"]', COMPILED)
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    while mina.turn():
        pass
    page = mina.page
    with page.expect_download() as coming:
        page.get_by_role("link", name="Record").click()
    games = record.read_all(coming.value.path().read_text("utf-8"))
    assert len(games) == 1
    [game] = games
    assert game.result is not None
    page.get_by_role("button", name="Replay").click()
    page.wait_for_selector(".replay-hand")
    start = game.start()

    def hands() -> list[list[str]]:
        return [
            [card.get_attribute("data-card") or "" for card in hand.locator(".card").all()]
            for hand in page.locator(".replay-hand").all()
        ]

    assert hands() == [start.hand(seat) for seat in range(2)]
    page.get_by_role("button", name="Forward").click()
    start.repeat(game.history[0])
    assert hands() == [start.hand(seat) for seat in range(2)]
    page.get_by_role("button", name="To the end").click()
    assert hands() == [game.hand(seat) for seat in range(2)]
    mina.picture("replay-portrait")
    page.get_by_role("button", name="Review my decisions").click()
    expect(page.locator(".replay-body")).to_contain_text("decisions the same", timeout=60_000)
    mina.picture("review-portrait")
    page.get_by_role("button", name="Home").click()
    page.wait_for_selector('dialog[data-name="sheet"]')
    mina.close()


def test_cards_travel_and_all_arrive(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT, moving=True, scale=2).go()
    mina.press('label:has(input[name="level"][value="easy"])')
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.my_turn()
    mina.press(".stock")
    mina.page.wait_for_selector(".card.flying", state="attached")
    mina.until("!all('.card.flying') && all('.hand .card') === 11")
    mina.discard(mina.look()["hand"][0])
    mina.page.wait_for_selector(".card.flying", state="attached")
    mina.page.wait_for_timeout(150)
    mina.picture("travel-portrait")
    mina.my_turn()
    mina.until("!all('.card.flying') && !all('.card.waiting')")
    mina.close()


def test_nothing_travels_where_motion_is_to_be_reduced(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT, moving=True)
    mina.page.emulate_media(reduced_motion="reduce")
    mina.go()
    mina.press('label:has(input[name="level"][value="easy"])')
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    assert mina.page.locator("html.still").count() == 1
    mina.page.evaluate(
        "() => new MutationObserver(() => { if (document.querySelector('.flying')) window.flew = true; })"
        ".observe(document.body, {childList: true})"
    )
    for _ in range(2):
        mina.turn()
    assert not mina.page.evaluate("() => Boolean(window.flew)")
    mina.close()
