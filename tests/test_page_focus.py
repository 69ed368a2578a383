"""The page by keyboard and for listeners: the focus is never lost, nothing is said twice or in a machine's words."""

from __future__ import annotations

import pytest
from browsing import LANDSCAPE, PORTRAIT, Person, Server, begin
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first


def focus(person: Person) -> str:
    """What has the focus: an action, a card, a meld, a group, a place of the arrangement, or "" for nothing."""
    return person.page.evaluate(
        """() => {
          const { action, card, meld, cards, mark } = document.activeElement.dataset;
          return mark ?? action ?? meld ?? card ?? cards ?? (document.activeElement === document.body ? "" : document.activeElement.textContent);
        }"""  # noqa: E501
    )


def test_the_focus_is_never_lost_at_the_table(browser: Browser, server: Server) -> None:
    mina = begin(Person(browser, server, LANDSCAPE), server)
    page, keyboard = mina.page, mina.page.keyboard
    page.locator('[data-action="draw"]').focus()
    keyboard.press("Enter")
    mina.until("all('.hand .card') === 11")
    assert focus(mina) in mina.look()["hand"]  # nothing can be pressed before a card is chosen
    mina.choose(["6s", "7s", "8s"])
    page.locator('[data-action="meld"]').focus()
    keyboard.press("Enter")
    mina.until("all('.felt [data-meld]') === 1 && !all('.chosen')")
    assert focus(mina) == "meld"
    page.locator(mina.card("9s")).focus()
    keyboard.press("Space")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    mina.until("all('.felt .card') === 4")
    assert focus(mina) == "0"
    keyboard.press("ArrowDown")
    chosen = focus(mina)
    assert chosen in mina.look()["hand"]
    keyboard.press("?")
    page.wait_for_selector("dialog")
    keyboard.press("Escape")
    assert focus(mina) == chosen
    keyboard.press("Space")
    page.locator('[data-action="discard"]').focus()
    keyboard.press("Enter")
    mina.until("all('.hand .card') === 6")
    mina.my_turn()
    assert focus(mina) == "draw"
    mina.close()


def test_the_focus_goes_along_with_a_card_that_is_arranged(browser: Browser, server: Server) -> None:
    mina = begin(Person(browser, server, LANDSCAPE), server, "indian", 38)
    page, keyboard = mina.page, mina.page.keyboard
    keyboard.press("d")
    mina.until("all('.hand .card') === 14")
    keyboard.press("c")
    page.wait_for_selector(".editor .card")
    card = page.locator(".editor .card").nth(1)
    name = card.get_attribute("data-card")
    card.focus()
    keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-pressed')") == "true"
    page.locator(".editor .button").last.focus()  # face down
    keyboard.press("Enter")
    mina.until("all('.editor [aria-pressed=true]') === 0")
    for _ in range(3):  # also when the server has answered and all is drawn anew
        assert page.evaluate("() => [document.activeElement.dataset.card, document.activeElement.dataset.mark]") == [
            name,
            "out",
        ]
        page.wait_for_timeout(150)
    # A press on the group itself, beside its cards, puts the card there too.
    page.locator('.editor [data-mark="out"]').click()
    page.locator(".editor-group", has_text="New group").click(position={"x": 8, "y": 40})
    expect(page.locator('.editor [data-mark="out"]')).to_have_count(0)
    mina.close()


def test_another_screen_begins_at_its_heading(browser: Browser, server: Server) -> None:
    someone = Person(browser, server, LANDSCAPE).go()
    page = someone.page
    for name, heading in (("Rooms", "Rooms"), ("Rules", "Rules")):
        page.get_by_role("link", name=name).first.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("(text) => document.activeElement.textContent === text", arg=heading)
        page.go_back()
        page.wait_for_function("() => document.activeElement.matches('.home h1')")
    page.go_forward()
    page.wait_for_selector(".rules")
    page.get_by_role("link", name="Gin rummy").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.tab[aria-current]')")
    someone.close()


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en-GB", ["4♦ was taken from the pile in this turn", "6♠ 7♠ 9♠ is neither a set nor a run"]),
        ("ko-KR", ["4♦: 이번 차례에 버린 더미에서 가져온 카드입니다.", "6♠ 7♠ 9♠: 세트도 런도 아닙니다."]),
    ],
)
def test_refusals_are_in_the_words_of_people(browser: Browser, server: Server, locale: str, said: list[str]) -> None:
    mina = begin(Person(browser, server, PORTRAIT, locale), server)
    mina.press(".pile")
    mina.until("all('.hand .card') === 11")
    mina.discard("4d")
    expect(mina.page.locator(".toast")).to_have_text(said[:1])
    mina.clear()
    mina.lay_down(["6s", "7s", "9s"])
    expect(mina.page.locator(".toast")).to_have_text(said)
    mina.close()


def test_nothing_is_said_twice_to_those_who_listen(browser: Browser, server: Server) -> None:
    mina = begin(Person(browser, server, PORTRAIT), server)
    mina.page.keyboard.press("m")
    expect(mina.page.locator("[aria-live] >> text=Sound off")).to_have_count(1)
    mina.close()
