"""The page in trouble: storage that keeps nothing or rubbish, drags that are broken off, dead lines, a lost focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import COMPILED, LANDSCAPE, PORTRAIT, Finger, Person, Server, browsing, rewrite
from playwright.sync_api import Browser, WebSocketRoute, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

DEAL = 442
"""I begin with 6s 7s 8s 9s among others, and 4d lies on the pile."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


def begin(person: Person, server: Server, ruleset: str = "straight", deal: int = DEAL) -> Person:
    """A game against one easy computer player, up to my first turn."""
    server.deal(deal)
    person.go()
    for name, value in (("ruleset", ruleset), ("level", "easy")):
        person.press(f'label:has(input[name="{name}"][value="{value}"])')
    person.press("button.big")
    person.page.wait_for_selector(".hand .card", timeout=COMPILED)
    person.my_turn()
    return person


def focus(person: Person) -> str:
    """What has the focus: an action, a card, a meld, a group, a place of the arrangement, or "" for nothing."""
    return person.page.evaluate(
        """() => {
          const { action, card, meld, cards, mark } = document.activeElement.dataset;
          return mark ?? action ?? meld ?? card ?? cards ?? (document.activeElement === document.body ? "" : document.activeElement.textContent);
        }"""  # noqa: E501
    )


# --- what the browser keeps ----------------------------------------------------------------------------------------

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
        someone.next_round()
    someone.page.reload()
    someone.page.wait_for_selector(".hand .card")
    someone.page.wait_for_load_state("networkidle")
    someone.page.get_by_role("button", name="Score sheet").click()
    expect(someone.page.locator("table.sheet tbody th")).to_have_text(["1", "2", "Total"])
    someone.close()


# --- drags ---------------------------------------------------------------------------------------------------------


def test_a_drag_that_the_system_breaks_off_leaves_the_hand_as_it_was(browser: Browser, server: Server) -> None:
    mina = begin(Finger(browser, server, PORTRAIT, touch=True), server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    hand = mina.look()["hand"]
    line = mina.context.new_cdp_session(mina.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    first, second = (mina.page.locator(mina.card(hand[at])).bounding_box() for at in (2, 6))
    assert first is not None
    assert second is not None
    x, y = first["x"] + 12, first["y"] + 18
    touch("touchStart", (x, y))
    touch("touchMove", (x, y - 60))
    touch("touchMove", (x + 60, y - 200))
    # Another finger comes: the first one goes on alone.
    touch("touchStart", (x + 60, y - 200), (second["x"] + 10, second["y"] + 10))
    touch("touchMove", (x + 60, y - 200), (second["x"] + 10, second["y"] - 80))
    assert mina.page.locator(".lifted").count() == 1
    touch("touchCancel")
    mina.until("!all('.lifted') && !all('.target') && !all('.dragging')")
    assert (mina.look()["hand"], mina.look()["chosen"]) == (hand, [])
    touch("touchStart", (x, y))
    touch("touchEnd")
    assert mina.look()["chosen"] == [hand[2]]
    mina.close()


@pytest.mark.parametrize("story", ["the card is gone", "the hand is gone", "the next round began"])
def test_what_happens_during_a_drag_ends_it(browser: Browser, server: Server, story: str) -> None:
    mina = Person(browser, server, PORTRAIT)
    tables: list[dict[str, Any]] = []
    tell = rewrite(mina.page, lambda message: tables.append(dict(message)) if message["type"] == "table" else None)
    begin(mina, server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    hand = mina.look()["hand"]
    box = mina.page.locator(mina.card(hand[3])).bounding_box()
    assert box is not None
    mouse = mina.page.mouse
    mouse.move(box["x"] + 10, box["y"] + 15)
    mouse.down()
    mouse.move(box["x"] + 30, box["y"] - 90, steps=3)
    assert mina.page.locator(".lifted").count() == 1
    next_table = tables[-1] | {"events": [], "n": tables[-1]["n"] + 1}
    if story == "the card is gone":
        next_table["hand"] = [card for card in hand if card != hand[3]]
    elif story == "the hand is gone":
        next_table["hand"] = []
    else:
        next_table |= {"round": 2, "hand": hand[:10]}
    tell(next_table)
    mina.until("!all('.lifted')")
    mouse.move(box["x"] + 60, box["y"] - 200, steps=3)
    mouse.up()
    mina.page.wait_for_timeout(200)
    assert mina.look()["hand"] == [card for card in hand if card in next_table["hand"]]
    assert mina.page.locator(".toast").count() == 0
    assert mina.page.locator(".target, .dragging").count() == 0
    mina.close()


# --- the focus -----------------------------------------------------------------------------------------------------


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


# --- what is said --------------------------------------------------------------------------------------------------


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


# --- the line ------------------------------------------------------------------------------------------------------


def test_a_line_that_is_dead_but_not_closed_is_found_by_the_next_press(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT)
    silent = False

    def through(route: WebSocketRoute) -> None:
        line = route.connect_to_server()
        route.on_message(lambda text: None if silent else line.send(text))
        line.on_message(lambda text: None if silent else route.send(text))

    mina.page.route_web_socket("**/ws**", through)
    begin(mina, server)
    silent = True
    mina.press(".stock")
    mina.page.wait_for_selector(".toast", timeout=15_000)  # the answer is given up long before its time is over
    mina.page.wait_for_selector(".banner")  # nobody greets on the next line either
    silent = False
    mina.page.wait_for_selector(".banner", state="detached")
    mina.my_turn()
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.close()


# --- presses -------------------------------------------------------------------------------------------------------

PRESSED = [
    ('[data-action="draw"]', "all('.hand .card') === 11"),
    (".stock", "all('.hand .card') === 11"),
    (".pile", "all('.hand .card') === 11"),
    ('.groups [data-cards="6s 7s 8s 9s"]', "all('.hand .chosen') === 4"),
]


@pytest.mark.parametrize(("query", "done"), PRESSED)
def test_a_table_that_comes_during_a_press_does_not_swallow_it(
    browser: Browser, server: Server, query: str, done: str
) -> None:
    mina = Person(browser, server, PORTRAIT)
    told: dict[str, dict[str, Any]] = {}
    tell = rewrite(mina.page, lambda message: told.update({message["type"]: dict(message)}))
    begin(mina, server)
    box = mina.page.locator(query).bounding_box()
    assert box is not None
    mina.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mina.page.mouse.down()
    tell(told["room"])
    tell(told["table"] | {"events": []})
    mina.page.wait_for_timeout(200)
    mina.page.mouse.up()
    mina.until(done)
    mina.close()


def test_a_table_that_comes_during_a_press_on_a_meld_does_not_swallow_it(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, PORTRAIT)
    told: dict[str, dict[str, Any]] = {}
    tell = rewrite(mina.page, lambda message: told.update({message["type"]: dict(message)}))
    begin(mina, server)
    mina.press(".stock")
    mina.until("all('.hand .card') === 11")
    mina.lay_down(["6s", "7s", "8s"])
    mina.until("all('.felt [data-meld]') === 1")
    mina.choose(["9s"])
    box = mina.page.locator(".meld.fits").bounding_box()
    assert box is not None
    mina.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mina.page.mouse.down()
    tell(told["table"] | {"events": []})
    mina.page.wait_for_timeout(200)
    mina.page.mouse.up()
    mina.until("all('.felt .card') === 4")
    mina.close()
