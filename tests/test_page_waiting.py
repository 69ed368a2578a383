"""The waiting room, the list of rooms and the table while others do something: no press is lost, nor the focus.

The host sets the computers of a room there, each with a level of its own; so does everybody at the start.
"""

from __future__ import annotations

from typing import Final

import pytest
from browsing import COMPILED, LANDSCAPE, PORTRAIT, Finger, Person, Server, barriers, two_in_a_room
from playwright.sync_api import Browser, Locator, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

READY: Final = '[data-action="ready"]'
ROWS: Final = ".seat-list .seat-row"


def host_of(browser: Browser, server: Server, name: str, **choices: str) -> Person:
    """Somebody who has made a room for four with these choices of the wizard."""
    host = Person(browser, server, LANDSCAPE).go("/#/new")
    host.page.fill('input[name="name"]', name)
    for group, value in choices.items():
        host.press(f'label:has(input[name="{group}"][value="{value}"])')
    host.press("button.big")
    host.page.wait_for_selector(".waiting-room", timeout=COMPILED)
    return host


def guest_of(browser: Browser, server: Server, host: Person, name: str) -> Person:
    """Somebody who has come by the link, and sits."""
    guest = Person(browser, server, LANDSCAPE).go(host.page.url.removeprefix(server.url))
    guest.page.fill('input[name="name"]', name)
    guest.press(".join-form button")
    guest.page.wait_for_selector(READY)
    expect(host.page.locator(ROWS, has_text=name)).to_be_visible()
    return guest


def held(person: Person, button: Locator) -> None:
    """The mouse goes down on a button, and stays there."""
    box = button.bounding_box()
    assert box is not None
    person.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    person.page.mouse.down()


def focused(person: Person) -> str:
    """What has the focus, as a screen reader calls it."""
    name: str = person.page.evaluate(
        "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
    return name


def levels(person: Person) -> list[str]:
    """What the rows of a waiting room say of computers: a host's choice or a guest's word, top to bottom."""
    found: list[str] = person.page.evaluate(
        """() => [...document.querySelectorAll('.seat-row.computer')].map((row) => {
          const choice = row.querySelector('select');
          return choice ? choice.selectedOptions[0].textContent : row.querySelector('.doc').textContent;
        })"""
    )
    return found


def test_presses_and_focus_survive_what_others_do(browser: Browser, server: Server) -> None:
    mina = host_of(browser, server, "Mina")
    jun = guest_of(browser, server, mina, "Jun")

    # A press on "remove Jun" begins, Sua comes and is ready, Jun too, and the press ends: Jun is gone.
    remove = mina.page.get_by_role("button", name="Remove Jun")
    held(mina, remove)
    sua = guest_of(browser, server, mina, "Sua")
    for guest, name in ((sua, "Sua"), (jun, "Jun")):
        guest.press(READY)
        expect(mina.page.locator(ROWS, has_text=name).locator(".doc")).to_have_text("ready")
    mina.page.mouse.up()
    expect(jun.page.locator(".notice h1")).to_have_text("The host gave your seat free.")

    # So does one on "ready"; while it is held, Sua is not ready any more and a person comes onto Jun's seat.
    held(mina, mina.page.locator(READY))
    sua.press(READY)
    expect(mina.page.locator(ROWS, has_text="Sua").locator(".doc")).to_have_text("not ready")
    dora = guest_of(browser, server, mina, "Dora")
    mina.page.mouse.up()
    expect(sua.page.locator(ROWS, has_text="Mina").locator(".doc")).to_have_text("ready")
    mina.press(READY)
    expect(sua.page.locator(ROWS, has_text="Mina").locator(".doc")).to_have_text("not ready")

    # By keyboard: the focus stays on a button that stays, and a press of Space counts that began before.
    mina.page.get_by_role("button", name="Remove Sua").focus()
    sua.press(READY)
    expect(mina.page.locator(ROWS, has_text="Sua").locator(".doc")).to_have_text("ready")
    assert focused(mina) == "Remove Sua"
    mina.page.keyboard.down("Space")
    dora.press(READY)
    expect(mina.page.locator(ROWS, has_text="Dora").locator(".doc")).to_have_text("ready")
    mina.page.keyboard.up("Space")
    expect(sua.page.locator(".notice h1")).to_be_visible()

    # Whoever does not see the list hears of it.
    heard = mina.page.locator("#live p").all_inner_texts()
    assert [text for text in heard if "Sua" in text] == [
        "Sua has come.", "Sua: ready", "Sua: not ready", "Sua: ready", "Sua has gone.",
    ]  # fmt: skip

    # A press meant for Dora is none for Eva, who has come onto her seat meanwhile.
    held(mina, mina.page.get_by_role("button", name="Remove Dora"))
    dora.page.get_by_role("button", name="Leave").click()
    dora.page.locator("dialog[data-name=leave]").get_by_role("button", name="Leave").click()
    expect(mina.page.locator(ROWS, has_text="Dora")).to_have_count(0)
    eva = guest_of(browser, server, mina, "Eva")
    mina.page.mouse.up()
    eva.press(READY)
    expect(mina.page.locator(ROWS, has_text="Eva").locator(".doc")).to_have_text("ready")

    # Somebody who types a name while another comes goes on typing.
    late = Person(browser, server, LANDSCAPE).go(mina.page.url.removeprefix(server.url))
    late.page.locator('input[name="name"]').press_sequentially("Ha")
    eva.press(READY)
    expect(late.page.locator(ROWS, has_text="Eva").locator(".doc")).to_have_text("not ready")
    late.page.keyboard.type("na")
    assert late.page.input_value('input[name="name"]') == "Hana"
    for person in (mina, jun, sua, dora, eva, late):
        person.close()


def test_the_host_sets_computers_at_the_rows_of_their_seats(browser: Browser, server: Server) -> None:
    mina = host_of(browser, server, "Mina", ruleset="straight", seats="4", length="round")
    looks = Person(browser, server, LANDSCAPE).go("/#/rooms")
    jun = guest_of(browser, server, mina, "Jun")
    jun.press(READY)
    expect(mina.page.locator(".seat-row.free")).to_have_count(2)

    # One is put on the last free seat; a level is chosen; another comes on the seat before, alike.
    mina.page.get_by_role("button", name="Add a computer").click()
    expect(mina.page.locator(".seat-row.computer")).to_have_count(1)
    assert mina.page.locator(ROWS).nth(3).locator("select").count() == 1
    mina.page.get_by_label("Seat 4, Computer 1: Level").select_option("hard")
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text("Hard")
    mina.page.get_by_role("button", name="Add a computer").click()
    expect(mina.page.locator(".seat-row.computer")).to_have_count(2)
    expect(mina.page.get_by_role("button", name="Add a computer")).to_have_count(0)
    mina.page.get_by_label("Seat 3, Computer 1: Level").select_option("easy")
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text(["Easy", "Hard"])
    assert levels(mina) == ["Easy", "Hard"]
    expect(looks.page.locator(".room-row", has_text="by Mina")).to_contain_text("2 computers (Easy, Hard)")
    assert barriers(mina.page) == []
    # It is the host's doing: Jun stays ready.
    expect(mina.page.locator(ROWS, has_text="Jun").locator(".doc")).to_have_text("ready")

    # By keyboard: the focus stays on the level, and where the row is another's it stays in the row.
    level = mina.page.get_by_label("Seat 3, Computer 1: Level")
    level.focus()
    mina.page.keyboard.press("ArrowDown")
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text(["Normal", "Hard"])
    assert focused(mina) == "Seat 3, Computer 1: Level"
    mina.page.wait_for_timeout(600)  # the second press of a double click takes nobody off
    mina.page.get_by_role("button", name="Take off Computer 1").focus()
    mina.page.keyboard.press("Enter")
    expect(mina.page.locator(".seat-row.free")).to_have_count(1)
    assert focused(mina) == "Add a computer"
    mina.page.keyboard.press("Enter")
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text(["Hard", "Hard"])
    assert focused(mina) == "Seat 3, Computer 1: Level"

    # A person takes the seat of the first computer; the other stays on its seat, and comes back with the game.
    mina.page.get_by_label("Seat 3, Computer 1: Level").select_option("easy")
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text(["Easy", "Hard"])
    sua = guest_of(browser, server, mina, "Sua")
    expect(jun.page.locator(ROWS).nth(2)).to_contain_text("Sua")
    assert levels(jun) == ["Hard"]
    sua.page.get_by_role("button", name="Leave").click()
    sua.page.locator("dialog[data-name=leave]").get_by_role("button", name="Leave").click()
    expect(jun.page.locator(".seat-row.computer .doc")).to_have_text(["Easy", "Hard"])

    mina.press(READY)
    for person in (mina, jun):
        person.page.wait_for_selector(".hand .card", timeout=COMPILED)
    plates = [plate.get_attribute("aria-label") or "" for plate in mina.page.locator(".plate").all()]
    assert ["Easy" in plate for plate in plates] == [False, True, False]
    assert ["Hard" in plate for plate in plates] == [False, False, True]
    for person in (mina, jun, sua, looks):
        person.close()


def test_a_room_without_a_clock_gets_one_where_a_computer_is_taken_off(browser: Browser, server: Server) -> None:
    # As a quick game's room is when its match is over and the host opens it again.
    mina = Finger(browser, server, PORTRAIT, touch=True).go("/")
    settings = {"ruleset": "indian", "seats": 3, "computers": ["easy", "normal"], "clock": None}
    mina.page.evaluate(
        """async (settings) => {
          const { WaitingRoom } = await import("/page/js/waiting.js");
          const catalogue = await (await fetch("/api/catalogue")).json();
          const app = { catalogue, entry: (ruleset) => catalogue.rulesets.find((one) => one.ruleset === ruleset) };
          const person = { seat: 0, player: "person", name: "Mina", connected: true, ready: false };
          const seats = [person, { seat: 1, player: "free" }, { seat: 2, player: "free" }];
          window.told = [];
          const game = { app, code: "none", room: { phase: "waiting", me: 0, host: 0, settings, seats },
            ask: async (message) => window.told.push(message), report: (error) => { throw error; } };
          const waiting = new WaitingRoom(game);
          waiting.update();
          document.getElementById("app").replaceChildren(waiting.element);
        }""",
        settings,
    )
    mina.page.get_by_label("Seat 2, Computer 1: Level").select_option("hard")
    mina.page.wait_for_timeout(600)
    mina.page.get_by_role("button", name="Take off Computer 2").tap()
    mina.until("window.told.length === 2")
    told = mina.page.evaluate("() => told.map(({ settings }) => [settings.computers, settings.clock])")
    assert told == [[["hard", "normal"], None], [["easy"], 45]]
    mina.close()


def test_rooms_in_the_list_stay_under_the_finger(browser: Browser, server: Server) -> None:
    jun = Person(browser, server, LANDSCAPE).go("/#/rooms")
    mina = host_of(browser, server, "Mina", ruleset="straight")
    row = jun.page.locator(".room-row", has_text="by Mina")
    expect(row).to_be_visible()
    before = row.bounding_box()
    held(jun, row.get_by_role("button"))
    sua = host_of(browser, server, "Sua", ruleset="gin")  # the newest room is told first
    dora = guest_of(browser, server, mina, "Dora")
    jun.page.wait_for_timeout(1500)  # the list is told once a second
    assert row.bounding_box() == before
    jun.page.mouse.up()
    jun.page.wait_for_selector(".waiting-room")
    assert jun.page.url == mina.page.url
    # Without a press the list is as it is told, but rooms keep their places.
    jun.go("/#/rooms")
    expect(jun.page.locator(".room-row")).to_have_count(2)
    names = jun.page.locator(".room-row strong").all_inner_texts()
    jun.page.locator(".room-row button").last.focus()
    last = focused(jun)
    for host in (mina, sua):
        host.press(READY)
        host.press(READY)
    eva = host_of(browser, server, "Eva", ruleset="rami")
    expect(jun.page.locator(".room-row")).to_have_count(3)
    assert jun.page.locator(".room-row strong").all_inner_texts() == [*names, "Rami"]
    assert focused(jun) == last
    assert jun.page.evaluate("() => document.activeElement.closest('.room-row') !== null")
    for person in (jun, mina, sua, dora, eva):
        person.close()


def test_the_foot_of_the_sheet_keeps_a_press_while_another_is_ready(browser: Browser, server: Server) -> None:
    server.deal(53)
    mina, jun = two_in_a_room(browser, server, {"ruleset": "indian", "seats": "2", "length": "round"})
    mina.page.wait_for_function("() => document.querySelector('.table')")
    first = mina if mina.look()["mine"] else jun
    first.press('[data-action="pack"]')
    first.press('dialog[data-name="pack"] .button.primary')
    again = f'dialog[data-name="sheet"] {READY}'
    for person in (mina, jun):
        person.page.wait_for_selector(again)
    held(jun, jun.page.locator(again))
    mina.press(again)
    expect(mina.page.locator('dialog[data-name="sheet"] .foot-buttons .doc')).to_contain_text("Jun")
    jun.page.wait_for_timeout(300)
    jun.page.mouse.up()
    for person in (mina, jun):
        person.page.wait_for_selector(again, state="detached")
        person.close()


def test_at_the_table_the_keyboard_keeps_its_focus_and_its_press_while_somebody_comes(
    browser: Browser, server: Server
) -> None:
    """Everybody is told of every watcher: the table is drawn anew."""
    server.deal(53)
    mina = Person(browser, server, LANDSCAPE).go("/?ruleset=rami&computers=easy")
    mina.press("button.big")
    seen = mina.my_turn()
    mina.page.evaluate(
        """() => {
          window.drawn = false;
          const seen = new MutationObserver(() => (window.drawn = true));
          seen.observe(document.querySelector(".mine"), { childList: true });
        }"""
    )
    draw = mina.page.locator('[data-action="draw"]')
    draw.focus()
    mina.page.keyboard.down("Space")
    watcher = Person(browser, server, LANDSCAPE).go(mina.page.url.removeprefix(server.url))
    mina.until("drawn")
    assert draw.evaluate("(one) => one === document.activeElement")
    mina.page.keyboard.up("Space")
    mina.until("all('.hand .card') === argument + 1", len(seen["hand"]))
    for person in (mina, watcher):
        person.close()


def test_the_server_s_word_on_an_arrangement_comes_while_the_next_card_is_pressed(
    browser: Browser, server: Server
) -> None:
    mina = Person(browser, server, LANDSCAPE).go("/#/rules")
    mina.page.evaluate(
        """async () => {
          const { openArrangement } = await import("/page/js/arrange.js");
          const melds = [{ cards: ["4d", "5d", "6d"] }, { cards: ["7s", "7h"] }];
          const hand = ["4d", "5d", "6d", "7s", "7h", "9h", "Ks", "2c"];
          const said = (groups) => groups.map((cards) => ({ cards, kind: null, text: "no meld" }));
          const check = (groups) => new Promise((resolve) => {
            window.answer = () => resolve({ groups: said(groups), move: null, text: "no" });
          });
          openArrangement({ hand, arrangement: { melds }, discard: "2c", isWild: () => false, check });
        }"""
    )
    card = 'dialog [data-card="{}"]'

    def groups() -> list[str]:
        found: list[str] = mina.page.evaluate(
            """() => [...document.querySelectorAll("dialog .editor-group[data-group]")].map((group) =>
              [...group.querySelectorAll(".card")].map((one) => one.dataset.card).join(" "))"""
        )
        return found

    mina.press(card.format("9h"))
    mina.press('[data-mark="to:0"]')
    held(mina, mina.page.locator(card.format("Ks")))
    mina.page.evaluate("() => answer()")
    mina.until("all('dialog .editor-group.bad') === 2")
    mina.page.mouse.up()
    mina.until("document.querySelector('dialog [aria-pressed=\"true\"]')?.dataset.card === 'Ks'")
    mina.press(card.format("Ks"))
    assert groups() == ["4d 5d 6d 9h", "7s 7h", "Ks"]
    # A group is gone, and the one of loose cards has another number: it is still that which is pressed.
    for one in ("7s", "7h"):
        mina.press(card.format(one))
        mina.press(f'[data-mark="to:{len(groups()) - 1}"]')
        mina.page.evaluate("() => answer()")
    assert groups() == ["4d 5d 6d 9h", "Ks 7s 7h"]
    mina.press(card.format("9h"))
    mina.page.locator("dialog .editor-group[data-group]").last.click(position={"x": 6, "y": 6})
    assert groups() == ["4d 5d 6d", "Ks 7s 7h 9h"]
    mina.close()


def test_each_computer_of_a_quick_game_has_its_own_level_and_the_browser_remembers(
    browser: Browser, server: Server
) -> None:
    server.deal(53)
    mina = Person(browser, server, PORTRAIT).go("/?ruleset=straight&computers=easy,hard")
    page = mina.page
    assert page.locator("select").evaluate_all("(all) => all.map((one) => one.value)") == ["easy", "hard"]
    # One press: all alike. Another: each its own again.
    page.get_by_role("button", name="All the same").click()
    assert page.locator('input[name="level"]:checked').get_attribute("value") == "easy"
    assert focused(mina) == "Each its own"
    page.keyboard.press("Enter")
    page.get_by_label("Heron: Level").select_option("normal")
    page.locator('label:has(input[name="players"][value="4"])').click()
    page.get_by_label("Owl: Level").select_option("expert")
    assert barriers(page) == []
    mina.press("button.big")
    page.wait_for_selector(".hand .card", timeout=COMPILED)
    plates = [plate.get_attribute("aria-label") or "" for plate in page.locator(".plate").all()]
    wanted = {"Robin": "Easy", "Heron": "Normal", "Owl": "Expert"}
    assert [plate.split(",")[0] for plate in plates] == list(wanted)
    for plate, level in zip(plates, wanted.values(), strict=True):
        assert level in plate
    mina.go("/")
    assert page.locator("select").evaluate_all("(all) => all.map((one) => one.value)") == ["easy", "normal", "expert"]
    assert page.evaluate("() => JSON.parse(localStorage.rummy).quick.players") == 4
    # A choice that an earlier version has kept is still one.
    page.evaluate(
        """() => localStorage.rummy = JSON.stringify({ quick: { ruleset: "gin", players: 2, level: "hard" },
          wins: { gin: { played: 3, won: 2 } }, animation: false })"""
    )
    mina.go("/#/rules")
    mina.go("/")
    page.reload()
    page.wait_for_selector(".home")
    assert page.locator('input[name="ruleset"]:checked').get_attribute("value") == "gin"
    assert page.locator('input[name="level"]:checked').get_attribute("value") == "hard"
    expect(page.locator(".wins")).to_have_text("Gin rummy: 2 of 3 matches won on this device")
    mina.close()


def test_the_page_says_which_level_another_player_stands_in_for(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, LANDSCAPE).go("/#/new")
    for choice in ("Straight rummy", "2", "1", "Hard", "One round"):
        mina.pick(choice)
    mina.press("summary")
    mina.page.fill('input[name="num_ranks"]', "6")  # no trained player knows such a deck
    mina.page.fill('input[name="hand_size"]', "6")
    mina.press("button.big")
    mina.press(READY, COMPILED)
    expect(mina.page.locator(".toast")).to_have_text(
        "No player of the level “Hard” fits this game yet: the rule-based hard plays.", timeout=COMPILED
    )
    mina.close()
