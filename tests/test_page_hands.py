"""The page with hands that are shown at the end: gin's upcard, knock and lay-off; indian's wild card, declare, pack."""

from __future__ import annotations

import pytest
from browsing import Person, Server, barriers, two_in_a_room
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

GIN_DEAL = 236
"""Seat 0 may take the upcard first; after two passes it draws 8c, and can knock with 9, discarding 9c. The other
can lay off four cards on its runs."""

INDIAN_DEAL = 38
"""With eight jokers: seat 1 begins and can declare in its first turn, laying 2c face down."""


def shown_cards(person: Person, query: str) -> list[str]:
    return [card.get_attribute("data-card") or "" for card in person.page.locator(f"{query} .card").all()]


def test_gin_the_upcard_is_passed_and_a_knock_shows_the_arrangement_and_the_lay_offs(
    browser: Browser, server: Server
) -> None:
    server.deal(GIN_DEAL)
    mina, jun = two_in_a_room(browser, server, {"ruleset": "gin", "length": "match"})
    for person in (mina, jun):
        person.my_turn()
        assert {"pass", "take"} <= set(person.look()["actions"])
        assert not person.look()["stock"]
        person.press('[data-action="pass"]')
        person.until("!all('.table.my-turn')")
    seen = mina.my_turn()
    assert (seen["stock"], seen["pile"]) == (True, False)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.picture("gin-may-knock-portrait")
    mina.press('[data-action="knock"]')
    dialog = mina.page.locator('dialog[data-name="knock"]')
    mina.press('dialog[data-name="knock"] .pick-cards [data-card="9c"]')
    expect(dialog.get_by_role("button", name="데드우드 9(으)로 노크")).to_have_count(0)  # the particle is chosen
    assert sorted(shown_cards(mina, ".arranged-group")) == sorted(
        ["3h", "4h", "5h", "Th", "Jh", "Qh", "As", "4d", "Ac", "3c"]
    )
    mina.picture("gin-knock-portrait")
    assert barriers(mina.page) == []
    dialog.get_by_role("button", name="데드우드 9로 노크").click()
    for person in (mina, jun):
        person.page.wait_for_selector('dialog[data-name="sheet"]')
    mina.picture("gin-result-portrait")
    jun.picture("gin-result-landscape")
    assert barriers(jun.page) == []
    loser = jun.page.locator(".score-row", has_text="(You)")
    expect(loser).to_contain_text("laid off")
    groups = [
        sorted(card.get_attribute("data-card") or "" for card in group.locator(".card").all())
        for group in loser.locator(".meld-cards").all()
    ]
    assert groups == [sorted(["Ah", "2h", "6h", "Kh"]), sorted(["2s", "4s", "7s", "Ad", "9d", "Tc"])]
    expect(mina.page.locator(".score-row.winner .gain")).to_have_text("+24")
    mina.press('[data-action="ready"]')
    jun.press('[data-action="ready"]')
    for person in (mina, jun):
        person.until("!all('dialog') && all('.hand .card') === 10")
        person.close()


def test_indian_the_hand_is_arranged_and_declared_and_a_hand_is_packed(browser: Browser, server: Server) -> None:
    server.deal(INDIAN_DEAL)
    choices = {"ruleset": "indian", "seats": "2", "length": "round"}
    mina, jun = two_in_a_room(browser, server, choices, {"num_jokers": 8})
    jun.my_turn()
    wild = jun.page.locator(".wild-place .card").get_attribute("data-card")
    assert wild
    assert mina.page.locator(".wild-place .card").get_attribute("data-card") == wild
    mina.picture("indian-waits-portrait")
    jun.press(".stock")
    jun.until("all('.hand .card') === 14")
    jun.press('[data-action="declare"]')
    editor = jun.page.locator('dialog[data-name="arrange"]')
    declare = editor.get_by_role("button", name="Declare")
    expect(declare).to_have_attribute("aria-disabled", "false")
    jun.picture("indian-declare-landscape")
    assert barriers(jun.page) == []

    # A card is taken out of its group: no declaration any more. Put back, it is one again.
    group = editor.locator(".editor-group.good").first
    card = group.locator(".card").first
    name = card.get_attribute("data-card")
    card.click()
    editor.locator(".editor-group", has_text="In no meld").get_by_role("button", name="Put here").click()
    expect(declare).to_have_attribute("aria-disabled", "true")
    loose = editor.locator(".editor-group", has_text="In no meld")
    loose.locator(f'.card[data-card="{name}"]').first.click()
    editor.locator(".editor-group").first.get_by_role("button", name="Put here").click()
    expect(declare).to_have_attribute("aria-disabled", "false")
    declare.click()
    for person in (mina, jun):
        person.page.wait_for_selector('dialog[data-name="sheet"]')
        assert "match won!" in jun.page.locator(".result-line").first.inner_text()
    assert int(mina.page.locator(".score-row.winner .gain").inner_text()) > 0
    mina.picture("indian-result-portrait")

    # The same deal again: this time the first player packs, before drawing, and pays ten.
    mina.press('[data-action="ready"]')
    jun.press('[data-action="ready"]')
    jun.until("!all('dialog') && all('.hand .card') === 13")
    jun.my_turn()
    jun.press('[data-action="pack"]')
    jun.page.locator('dialog[data-name="pack"]').get_by_role("button", name="Pack").click()
    mina.page.wait_for_selector('dialog[data-name="sheet"]')
    expect(mina.page.locator(".score-row.winner .gain")).to_have_text("+10")
    expect(mina.page.locator(".score-row:not(.winner) .gain")).to_have_text("-10")
    for person in (mina, jun):
        person.close()
