"""What presses at the table send, and what it shows meanwhile: a table that is told its states by hand."""

from __future__ import annotations

from typing import Any, Final

import pytest
from browsing import LANDSCAPE, Person, Server
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.timeout(900)  # the server may have to compile first

TOLD_BY_HAND: Final = """async (state) => {
  const { Table } = await import("/page/js/table.js");
  const { Refused } = await import("/page/js/line.js");
  const catalogue = await (await fetch("/api/catalogue")).json();
  const person = (seat, name) => ({ seat, player: "person", name, connected: true, ready: true });
  window.told = [];
  window.answers = []; // to what is told next, in order; one with a code is a refusal
  const ask = async (message) => {
    told.push(message);
    const answer = answers.shift() ?? {};
    if (answer.code) throw new Refused(answer);
    if (answer.table) table.receive(answer.table); // comes before the answer, as the server sends it
    return answer;
  };
  const seats = [person(0, "Mina"), person(1, "Jun")];
  const room = { phase: "playing", me: 0, host: 0, settings: { length: "match" }, seats };
  const entry = catalogue.rulesets.find((one) => one.ruleset === state.ruleset);
  window.table = new Table({ room, entry, catalogue, code: "none", ask });
  document.getElementById("app").replaceChildren(table.element);
  table.receive(state);
}"""
"""A table without a room. Its questions lie in `told`, and are answered with what lies in `answers`."""

KINGS: Final = ["Ks", "Kh", "Kd"]
HEARTS: Final = ["5h", "6h", "7h"]
CLUBS: Final = ["4c", "5c", "6c"]


def state(hand: list[str], opened: bool = True, **more: Any) -> dict[str, Any]:
    """My turn at rami, after the draw, as game/PROTOCOL.md has it."""
    seat = {"total": 0, "known": [], "packed": None}
    return {
        "type": "table", "n": 17, "round": 1, "ruleset": "rami", "me": 0, "events": [],
        "phase": "play", "to_play": 0, "turn": 8, "dealer": 1, "hand": hand, "points": 50, "sorted": [hand],
        "seats": [seat | {"cards": len(hand), "opened": opened}, seat | {"cards": 13, "opened": True}],
        "table": [], "pile": ["9h"], "pile_size": 1, "stock": 40, "refills": 0, "refills_left": None, "wild": None,
        "taken": None, "may_untake": False, "moves": [], "glow": {"meld": [], "layoff": {}, "swap": {}}, "melds": [],
        "opening": None, "duties": [], "arrangement": None, "clock": None, "result": None,
    } | more  # fmt: skip


def laid_off(card: str, meld: int) -> dict[str, Any]:
    return {"move": f"layoff {card} {meld}", "kind": "layoff", "cards": [card], "meld": meld}


def told(person: Person, count: int) -> list[dict[str, Any]]:
    person.until("told.length === argument", count)
    messages: list[dict[str, Any]] = person.page.evaluate("() => told")
    return messages


def answer(person: Person, **said: Any) -> None:
    person.page.evaluate("(said) => answers.push(said)", said)


def checked(*groups: tuple[list[str], str | None, int | None], **more: Any) -> dict[str, Any]:
    said = [{"cards": cards, "kind": kind, "points": points, "text": None} for cards, kind, points in groups]
    return {"groups": said, "total": sum(points or 0 for *_, points in groups), "threshold": 40, "text": None} | more


def test_an_opening_is_put_together_by_hand(browser: Browser, server: Server) -> None:
    mina = Person(browser, server, LANDSCAPE).go("/")
    hand = [*KINGS, *HEARTS, "Ks", "2c"]
    opening = {"threshold": 40, "best": 48, "groups": [], "move": f"open {' '.join(KINGS)} | {' '.join(HEARTS)}"}
    mina.page.evaluate(TOLD_BY_HAND, state(hand, opened=False, opening=opening))
    staged, aside, meter = (mina.page.locator(query) for query in (".meld.staged", ".hand .set-aside", ".meter-text"))
    expect(meter).to_contain_text("48")

    # What is no meld is refused in the words of the server, and nothing is set aside.
    answer(mina, **checked((["5h", "6h", "2c"], None, None), move=None, text="no meld, said the server"))
    mina.lay_down(["5h", "6h", "2c"])
    expect(mina.page.locator(".toast")).to_contain_text("no meld, said the server")
    expect(staged).to_have_count(0)
    mina.clear()

    answer(mina, **checked((KINGS, "set", 30), move=None))
    mina.lay_down(KINGS)
    expect(staged).to_have_count(1)
    expect(aside).to_have_count(3)  # of the two equal kings one
    expect(meter).to_contain_text("30")
    assert mina.look()["chosen"] == []
    staged.click()  # and back into the hand
    expect(staged).to_have_count(0)
    expect(aside).to_have_count(0)
    expect(meter).to_contain_text("48")

    answer(mina, **checked((KINGS, "set", 30), move=None))
    mina.lay_down(KINGS)
    expect(staged).to_have_count(1)
    answer(mina, **checked((KINGS, "set", 30), (HEARTS, "run", 18), move=opening["move"]))
    mina.lay_down(HEARTS)
    messages = told(mina, 5)
    assert [message["type"] for message in messages] == ["check"] * 4 + ["move"]
    assert messages[3]["groups"] == [KINGS, HEARTS]
    assert messages[4] == {"type": "move", "move": opening["move"], "n": 17}
    mina.close()


def test_several_cards_go_onto_a_meld_one_after_another(browser: Browser, server: Server) -> None:
    """Whichever fits next; and while cards still travel, the next one waits for the table that has it fit."""
    mina = Person(browser, server, LANDSCAPE).go("/")
    mina.page.evaluate("() => localStorage.setItem('rummy', '{}')")  # cards do travel
    mina.page.reload()
    hand = ["8c", "9c", "7c", "Qd", "2s"]
    states = []
    for laid in range(4):
        fitting = ["7c", "8c", "9c", ""][laid]
        gone = ["7c", "8c", "9c"][:laid]
        melds = [{"cards": [*CLUBS, *gone], "by": 1}]
        event = {"seat": 0, "kind": "layoff", "cards": gone[-1:], "meld": 0}
        more = {"n": 17 + laid, "table": melds, "moves": [laid_off(fitting, 0)] if fitting else []}
        states.append(state([card for card in hand if card not in gone], events=[event] if gone else [], **more))
    mina.page.evaluate(TOLD_BY_HAND, states[0])
    for now in states[1:]:
        answer(mina, table=now)
    mina.choose(["8c", "9c", "7c", "Qd"])
    mina.press('[data-meld="0"]')
    expect(mina.page.locator(".toast.alarm")).to_contain_text("Q")  # the queen fits nowhere there
    sent = [("7c", 17), ("8c", 18), ("9c", 19)]
    assert told(mina, 3) == [{"type": "lay", "cards": [card], "meld": 0, "n": n} for card, n in sent]
    mina.close()


@pytest.mark.parametrize("asker", ["the page", "the server"])
def test_of_several_ways_one_is_chosen(browser: Browser, server: Server, asker: str) -> None:
    mina = Person(browser, server, LANDSCAPE).go("/")
    melds = [{"cards": CLUBS, "by": 1}, {"cards": ["7s", "7h", "7d"], "by": 1}]
    ways = [laid_off("7c", 0), laid_off("7c", 1)]
    mina.page.evaluate(TOLD_BY_HAND, state(["7c", "Qd", "2s"], table=melds, moves=ways))
    mina.choose(["7c"])
    if asker == "the page":
        mina.press('[data-action="layoff"]')
    else:
        answer(mina, code="choose", ways=[way["move"] for way in ways])
        mina.press('[data-meld="0"]')
    buttons = mina.page.locator('dialog[data-name="ways"] .ways .button')
    expect(buttons).to_have_count(2)
    expect(buttons.nth(0)).to_contain_text("4♣ 5♣ 6♣")
    expect(buttons.nth(1)).to_contain_text("7♠ 7♥ 7♦")
    buttons.nth(1).click()
    messages = told(mina, 1 if asker == "the page" else 2)
    assert messages[-1] == {"type": "move", "move": "layoff 7c 1", "n": 17}
    mina.close()
