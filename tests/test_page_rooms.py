"""The page in browsers of two persons: a room of rami from the wizard to the swap, breaks in the line, the clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import COMPILED, LANDSCAPE, Person, Server, two_in_a_room
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

DEAL = 53
"""Seat 0 begins; it can open with Js Jd Jk and 4s 4h 4d after drawing, and seat 1 then with Ts Td Tc, which has Jh for
the joker."""

SCRIPT_NAME = "<script>1</script>"


@pytest.fixture
def server(tmp_path: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.stop()


def room_of_two(browser: Browser, server: Server, clock: int = 90) -> tuple[Person, Person]:
    """A room of rami for two with an opening at 30; the host is called by a script."""
    server.deal(DEAL)
    choices = {"ruleset": "rami", "seats": "2", "length": "round", "opening": "30", "clock": str(clock)}
    return two_in_a_room(browser, server, choices, name=SCRIPT_NAME)


def test_a_room_of_rami_with_opening_swap_taking_back_and_breaks(browser: Browser, server: Server) -> None:
    mina, jun = room_of_two(browser, server)
    assert mina.page.locator(".mine-name").inner_text() == SCRIPT_NAME
    assert jun.page.locator(".plate-name").inner_text().strip() == SCRIPT_NAME
    seen = mina.my_turn()
    assert len(seen["hand"]) == 13

    # Take the open card: it must be in the opening, as is said in words. Give it back.
    top = seen["top"]
    mina.press(".pile")
    mina.until("all('.hand .card') === 14")
    expect(mina.page.locator(".duty")).to_contain_text("오픈")
    expect(jun.page.locator(".plate-known .inline-card")).to_have_count(1)
    mina.picture("rami-taken-portrait")
    mina.press('[data-action="untake"]')
    mina.until("all('.hand .card') === 13 && !all('.duty')")
    assert mina.look()["top"] == top
    assert not mina.look()["pile"]  # the stock alone is left

    # The meter has reached the threshold: one press opens.
    mina.press(".stock")
    mina.until("all('.hand .card') === 14 && all('.meter.reached')")
    assert mina.page.locator(".meter").inner_text() == "오픈 미터 42 / 30"
    assert sorted(mina.look()["chips"]) == [["4s", "4h", "4d"], ["Js", "Jd", "Jk"]]
    mina.press('[data-action="open"]')
    mina.until("all('.felt [data-meld]') === 2")
    assert mina.page.locator(".meter").count() == 0
    mina.discard("As")
    mina.until("!all('.table.my-turn')")

    # The server dies in the middle of Jun's turn and comes back: nothing shown is lost.
    jun.my_turn()
    jun.press(".stock")
    jun.until("all('.hand .card') === 14")
    hand = jun.look()["hand"]
    server.kill()
    expect(jun.page.locator(".banner")).to_be_visible()
    server.start()
    for person in (mina, jun):
        expect(person.page.locator(".banner")).to_have_count(0, timeout=COMPILED)
    jun.my_turn()
    assert jun.look()["hand"] == hand
    assert jun.look()["melds"] == mina.look()["melds"]

    # An opening by hand: below the threshold groups are set aside until the total is enough.
    jun.lay_down(["Ts", "Td", "Tc"])
    jun.until("all('.felt [data-meld]') === 3")

    # A second tab takes the seat over, the first is told so.
    first, jun.page = jun.page, jun.new_page()
    jun.go(first.url.removeprefix(server.url))
    jun.page.wait_for_selector(".hand .card")
    expect(first.locator(".notice h1")).to_contain_text("another tab")
    first.close()

    # The natural jack takes the joker's place; the freed joker must go down again.
    jun.my_turn()
    jun.choose(["Jh"])
    jacks = next(number for number, meld in enumerate(jun.look()["melds"]) if "Js" in meld)
    jun.press(f'.meld.fits[data-meld="{jacks}"]')
    jun.page.get_by_role("button", name="J♥ in the place of the joker").click()  # it could be laid off there too
    expect(jun.page.locator(".duty")).to_contain_text("joker")
    assert "Jk" in jun.look()["hand"]
    assert set(jun.look()["melds"][jacks]) == {"Js", "Jd", "Jh"}
    jun.picture("rami-swap-landscape")
    jun.choose(["Jk"])
    jun.press('[data-meld="2"]')
    jun.until("!all('.duty')")
    assert sorted(jun.look()["melds"][2]) == ["Jk", "Tc", "Td", "Ts"]
    jun.discard(jun.look()["hand"][0])
    mina.my_turn()

    # Reactions are heard, and whoever leaves hands the seat to a computer.
    jun.page.get_by_role("button", name="Reactions").click()
    jun.page.get_by_role("button", name="Well played!").click()
    expect(mina.page.locator(".bubble")).to_contain_text("잘했어요!")
    jun.page.get_by_role("button", name="Menu").click()
    jun.page.get_by_role("button", name="Leave").click()
    jun.page.locator("dialog[data-name=leave]").get_by_role("button", name="Leave").click()
    jun.page.wait_for_selector(".home")
    expect(mina.page.locator(".plate .avatar svg")).to_be_visible()
    mina.close(offline=True)
    jun.close(offline=True)


def test_watching_shows_no_hand(browser: Browser, server: Server) -> None:
    mina, jun = room_of_two(browser, server)
    someone = Person(browser, server, LANDSCAPE).go(mina.page.url.removeprefix(server.url))
    someone.page.wait_for_selector(".plates .plate")
    assert someone.page.locator(".plates .plate").count() == 2
    assert someone.look()["hand"] == []
    mina.my_turn()
    mina.press(".stock")
    mina.until("all('.hand .card') === 14")
    drawn = mina.look()["hand"][-1]
    expect(someone.page.locator("#live p").last).to_have_text(f"{SCRIPT_NAME}: drew from the stock")
    assert drawn not in someone.page.locator("#live").inner_text()
    for person in (mina, jun, someone):
        person.close()


def test_a_public_room_is_in_the_list_and_its_host_may_free_a_seat(browser: Browser, server: Server) -> None:
    jun = Person(browser, server, LANDSCAPE).go("/#/rooms")
    expect(jun.page.locator(".empty-list")).to_be_visible()
    mina = Person(browser, server, LANDSCAPE).go("/#/new")
    mina.page.fill('input[name="name"]', "Mina")
    mina.press("button.big")
    mina.page.wait_for_selector(".waiting-room", timeout=COMPILED)
    row = jun.page.locator(".room-row")
    expect(row).to_contain_text("by Mina", timeout=20_000)
    expect(row).to_contain_text("1 person · 3 seats free")
    jun.picture("rooms-landscape")
    row.get_by_role("button", name="Join").click()
    jun.page.fill('input[name="name"]', "Jun")
    jun.page.locator(".join-form").get_by_role("button", name="Join").click()
    expect(jun.page.locator('[data-action="ready"]')).to_be_visible()
    mina.page.get_by_role("button", name="Remove Jun").click()
    expect(jun.page.locator(".notice h1")).to_have_text("The host gave your seat free.")
    expect(mina.page.locator(".seat-row.free")).to_have_count(3)
    for person in (mina, jun):
        person.close(offline=True)


@pytest.mark.slow
def test_the_clock_runs_out_and_the_turn_is_taken_back(browser: Browser, server: Server) -> None:
    mina, jun = room_of_two(browser, server, clock=30)
    mina.my_turn()
    mina.press(".pile")
    mina.until("all('.hand .card') === 14")
    mina.page.wait_for_function(
        "() => [24, 25].includes(Number(document.querySelector('.seconds').textContent))", timeout=30_000
    )
    mina.picture("clock-portrait")
    jun.page.wait_for_selector(".table.my-turn", timeout=60_000)
    heard = mina.page.locator("#live p").all_inner_texts()
    assert any("시간이 다 되어" in text for text in heard)
    assert len(mina.look()["hand"]) == 13
    mina.close()
    jun.close()
