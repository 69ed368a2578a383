"""The page in a browser: whole matches of straight rummy by mouse, by touch and by keyboard alone, and the hand."""

from __future__ import annotations

import pytest
from browsing import COMPILED, LANDSCAPE, PORTRAIT, Finger, Keys, Person, Server
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

QUICK = {"hand_size": 6, "num_ranks": 6, "ace_points": 31}
"""A small deck with dear aces: a match to 100 of few turns."""


def totals(person: Person) -> list[int]:
    return [int(total.split()[-1]) for total in person.page.locator(".score-head .total").all_inner_texts()]


def test_a_match_by_mouse(browser: Browser, server: Server) -> None:
    server.deal(3)
    mina = Person(browser, server, LANDSCAPE).go("/#/new")
    mina.page.fill('input[name="name"]', "Mina")
    for choice in ("Straight rummy", "2", "1", "Easy", "to 100"):
        mina.pick(choice)
    mina.press("summary")
    for option, value in QUICK.items():
        mina.page.fill(f'input[name="{option}"]', str(value))
    mina.press("button.big")
    mina.press('[data-action="ready"]', COMPILED)
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    assert mina.page.locator(".hand .card").count() == 6
    mina.match()
    assert "match won!" in mina.page.locator(".result-line").first.inner_text()
    assert max(totals(mina)) >= 100
    kept = mina.page.evaluate("() => JSON.parse(localStorage.rummy)")
    assert kept["wins"]["straight"]["played"] == 1
    mina.picture("sheet-landscape")
    mina.close()


def test_a_match_by_touch_in_portrait(browser: Browser, server: Server) -> None:
    server.deal(3)
    mina = Finger(browser, server, PORTRAIT, locale="ko-KR", touch=True).go("/#/new")
    for choice in ("스트레이트 러미", "2", "1", "쉬움", "100점까지"):
        mina.pick(choice)
    mina.press("summary")
    for option, value in QUICK.items():
        mina.page.fill(f'input[name="{option}"]', str(value))
    mina.press("button.big")
    mina.press('[data-action="ready"]', COMPILED)
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.match()
    assert "게임 승리!" in mina.page.locator(".result-line").first.inner_text()
    assert max(totals(mina)) >= 100
    mina.close()


def test_a_match_by_keyboard_alone(browser: Browser, server: Server) -> None:
    server.deal(3)
    mina = Keys(browser, server, LANDSCAPE).go("/#/new")
    page, keyboard = mina.page, mina.page.keyboard

    def tab_to(query: str) -> None:
        for _ in range(60):
            keyboard.press("Tab")
            if page.evaluate("(query) => document.activeElement.matches(query)", query):
                return
        raise AssertionError(f"expected to reach {query} with Tab")

    def choose(name: str, value: str) -> None:
        tab_to(f'input[name="{name}"]')
        for _ in range(12):
            if page.evaluate("() => document.activeElement.value") == value:
                return
            keyboard.press("ArrowRight")
        raise AssertionError(f"expected to reach {value} of {name} with the arrows")

    tab_to('input[name="name"]')
    keyboard.type("Mina")
    for name, value in (
        ("ruleset", "straight"),
        ("seats", "2"),
        ("computers", "1"),
        ("level", "easy"),
        ("length", "match"),
    ):
        choose(name, value)
    tab_to("summary")
    keyboard.press("Enter")
    for option, value in QUICK.items():
        tab_to(f'input[name="{option}"]')
        keyboard.press("Control+A")
        keyboard.type(str(value))
    tab_to("button.big")
    keyboard.press("Enter")
    page.wait_for_selector('[data-action="ready"]', timeout=COMPILED)
    tab_to('[data-action="ready"]')
    keyboard.press("Enter")
    page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.match()
    assert max(totals(mina)) >= 100
    heard = page.locator("#live p").all_inner_texts()
    assert any("drew from the stock" in text for text in heard)
    mina.close()


def test_the_order_of_the_hand_is_mine_and_survives_the_moves_of_all(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT).go()
    mina.pick("Easy")
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    before = mina.my_turn()["hand"]
    # The first card goes to the right end with Shift and the arrow.
    mina.page.locator(mina.card(before[0])).focus()
    for _ in range(len(before) - 1):
        mina.page.keyboard.press("Shift+ArrowRight")
    moved = [*before[1:], before[0]]
    assert mina.look()["hand"] == moved
    # Dragging: the second card goes to the left end.
    box = mina.page.locator(mina.card(moved[1])).bounding_box()
    left = mina.page.locator(mina.card(moved[0])).bounding_box()
    assert box is not None
    assert left is not None
    mina.page.mouse.move(box["x"] + 10, box["y"] + 20)
    mina.page.mouse.down()
    mina.page.mouse.move(left["x"] + 20, left["y"] + 20, steps=6)
    mina.page.mouse.move(left["x"] + 4, left["y"] + 20, steps=3)
    mina.page.mouse.up()
    mine = [moved[1], moved[0], *moved[2:]]
    assert mina.look()["hand"] == mine
    assert mina.look()["chosen"] == []
    mina.draw()
    mina.until("all('.hand .card') === argument", len(mine) + 1)
    drawn = mina.look()["hand"][-1]
    assert mina.look()["hand"] == [*mine, drawn]
    mina.discard(mine[3])
    mina.until("all('.hand .card') === argument", len(mine))
    mina.my_turn()
    kept = [card for card in mine if card != mine[3]] + [drawn]
    assert mina.look()["hand"] == kept
    mina.page.reload()
    mina.page.wait_for_selector(".hand .card")
    assert mina.look()["hand"] == kept
    mina.press('[data-action="sort"]')
    mina.press('[data-action="sort"]')
    ranks, suits = "A23456789TJQK", "shdc"
    assert mina.look()["hand"] == sorted(kept, key=lambda card: (suits.index(card[1]), ranks.index(card[0])))
    mina.close()


@pytest.mark.parametrize("hand", [Person, Finger])
def test_cards_are_dragged_onto_the_table_a_meld_and_the_pile(
    browser: Browser, server: Server, hand: type[Person]
) -> None:
    server.deal(442)  # I begin with 6s 7s 8s 9s and Qc among others
    touch = hand is Finger
    mina = hand(browser, server, PORTRAIT if touch else LANDSCAPE, touch=touch).go()
    mina.press('label:has(input[name="level"][value="easy"])')
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.my_turn()
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.choose(["6s", "7s"])
    mina.drag_card("7s", ".felt")
    expect(mina.page.locator("#toasts .toast")).to_have_text("Choose three cards or more.")
    mina.choose(["8s"])
    assert sorted(mina.look()["chosen"]) == ["6s", "7s", "8s"]
    mina.drag_card("7s", ".felt")
    mina.until("all('.felt [data-meld]') === 1")
    assert mina.look()["melds"] == [["6s", "7s", "8s"]]
    assert "9s" in mina.look()["fits"]
    mina.drag_card("9s", '[data-meld="0"]')
    mina.until("all('.felt .card') === 4")
    assert mina.look()["melds"] == [["6s", "7s", "8s", "9s"]]
    assert len(mina.look()["hand"]) == 7
    mina.drag_card("Qc", ".pile")
    mina.until("all('.hand .card') === 6")
    assert "Qc" not in mina.look()["hand"]
    mina.close()


def test_a_card_that_is_face_down_is_never_named(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT).go()
    mina.pick("Easy")
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    for _ in range(2):
        mina.turn()
    mina.my_turn()
    backs = mina.page.locator(".card.back")
    assert backs.count() >= 1
    assert {back.get_attribute("aria-label") for back in backs.all()} == {"card, face down"}
    assert all(back.get_attribute("data-card") is None for back in backs.all())
    heard = [text for text in mina.page.locator("#live p").all_inner_texts() if text.startswith("Robin: drew")]
    assert heard
    assert set(heard) == {"Robin: drew from the stock"}
    mina.close()


def test_a_hint_chooses_its_cards_and_the_seat_is_kept_while_i_am_away(browser: Browser, server: Server) -> None:
    server.deal(442)
    mina = Person(browser, server, PORTRAIT).go()
    mina.press('label:has(input[name="level"][value="easy"])')
    mina.press("button.big")
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.my_turn()
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.page.keyboard.press("h")
    mina.page.wait_for_selector(".hand .card.chosen", timeout=COMPILED)
    signs = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
    for card in mina.look()["chosen"]:  # the hint names them; a word that the adviser thinks may have come before
        expect(mina.page.locator("#toasts .toast").last).to_contain_text(signs[card[1]])
    hand = mina.look()["hand"]
    mina.page.get_by_role("button", name="Menu").click()
    mina.page.get_by_role("button", name="Home, keep my seat").click()
    mina.page.get_by_role("link", name="Go on with your game").click()
    mina.page.wait_for_selector(".hand .card")
    assert mina.look()["hand"] == hand
    assert mina.look()["mine"]
    # By a press on M the sound is off, and stays so.
    mina.page.keyboard.press("m")
    assert mina.page.evaluate("() => JSON.parse(localStorage.rummy).sound") is False
    mina.close()
