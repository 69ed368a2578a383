"""Anything that pages may send, sensible or not: never a crash, a leak or a room that is stuck."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from serving import Desk, Tab, desk

from game import protocol

WORDS = st.sampled_from(["", "straight", "rami", "hard", "easy", "Mina", "draw", "<b>", "\u202e", "x" * 300, "open |"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 2**60), st.floats(allow_nan=False), WORDS)
ANYTHING = st.recursive(SCALARS, lambda some: st.lists(some, max_size=4) | st.dictionaries(WORDS, some, max_size=4))
TYPES = [model.model_fields["type"].annotation.__args__[0] for model in protocol.Message.__args__]  # type: ignore[union-attr]
KEYS = ["id", "name", "settings", "room", "token", "seat", "ready", "n", "move", "cards", "meld", "groups", "round"]
KEYS += ["sit", "on", "ruleset", "computers", "options", "length", "reaction"]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # to make a failure small takes longer than to read it
MOVES = [
    "draw",
    "take",
    "untake",
    "meld",
    "open 2x",
    "layoff 9",
    "confirm",
    "forfeit",
    "pass",
    "knock",
    "declare",
    "pack",
]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A message that may be nearly right. The words in brackets are filled in when it is sent."""
    kind = draw(st.sampled_from(TYPES))
    if kind in ("create", "quick"):  # rooms are made before; a few more do no harm
        kind = draw(st.sampled_from(["move", "lay", kind]))
    sensible: dict[str, Any] = {
        "id": draw(st.integers(0, 99)),
        "name": draw(st.sampled_from(["Mina", "<script>", "조커"])),
        "room": "(room)",
        "token": draw(st.sampled_from(["(token)", "wrong"])),
        "seat": draw(st.integers(0, 3)),
        "n": draw(st.sampled_from(["(n)", "(n)", 0, 5])),
        "move": draw(st.sampled_from(["(legal)", "(legal)", "(legal)", *MOVES])),
        "cards": draw(st.sampled_from([["(card)"], ["(card)", "(card)", "(card)"], []])),
        "groups": draw(st.sampled_from([[], [["(card)"]], [["(card)", "(card)"], []]])),
        "round": draw(st.integers(0, 2)),
        "settings": {"ruleset": "straight", "seats": 2, "options": {"max_turns": 10}},
        "ruleset": "straight",
        "computers": ["easy"],
        "reaction": "nice",
    }
    message = {"type": kind, **sensible}
    if kind == "join" and draw(st.booleans()):
        del message["token"]
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=1)):
        message[key] = draw(ANYTHING)
    return message


def filled(value: Any, tab: Tab, room: str, token: str, pick: int) -> Any:
    """A request with what it means at this moment."""
    table = tab.table or {}
    hand, moves = table.get("hand") or [], table.get("moves") or []
    match value:
        case "(room)":
            return room
        case "(token)":
            return token
        case "(n)":
            return table.get("n", 0)
        case "(legal)":
            return moves[pick % len(moves)]["move"] if moves else "draw"
        case "(card)":
            return hand[pick % len(hand)] if hand else "?"
        case dict():
            return {key: filled(one, tab, room, token, pick) for key, one in value.items()}
        case list():
            return [filled(one, tab, room, token, pick + at) for at, one in enumerate(value)]
    return value


@pytest.mark.parametrize("ruleset", ["straight", "rami"])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(steps=st.lists(st.tuples(st.integers(0, 2), requests(), st.integers(0, 50)), min_size=5, max_size=40))
def test_whatever_is_sent_the_room_goes_on(ruleset: str, steps: list[tuple[int, dict[str, Any], int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("game.desk.adviser", lambda rules: "normal")  # the expert would think for seconds
        patch.setattr("game.apart.Apart.do", here)  # and the process be started for every example
        asyncio.run(_fuzz(ruleset, steps))


async def here(_: Any, urgency: Any, work: Callable[..., Any], *args: Any) -> Any:
    """In the place of the process for those who think for long."""
    return await asyncio.to_thread(work, *args)


async def _fuzz(ruleset: str, steps: list[tuple[int, dict[str, Any], int]]) -> None:
    logged: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = logged.append  # type: ignore[method-assign]
    logging.getLogger("game").addHandler(handler)
    try:
        async with desk(away=30.0, between=0.05) as one:
            await _play(one, ruleset, steps)
    finally:
        logging.getLogger("game").removeHandler(handler)
    assert not [record for record in logged if record.levelno >= logging.ERROR], logged


async def _play(one: Desk, ruleset: str, steps: list[tuple[int, dict[str, Any], int]]) -> None:
    tabs = [Tab(one) for _ in range(3)]
    wanted = {"ruleset": ruleset, "seats": 3, "computers": ["easy"], "options": {"max_turns": 15}}
    made = await tabs[0].ask("create", name="A", settings=wanted)
    joined = await tabs[1].ask("join", room=made["room"], name="B")
    await tabs[2].ask("watch", room=made["room"])
    for tab in tabs[:2]:
        await tab.ask("ready")
    tokens = [made["token"], joined["token"], "none"]
    for who, request, pick in steps:
        tab = tabs[who]
        before = len(tab.texts)
        message = filled(request, tab, made["room"], tokens[who], pick)
        await one.serve(tab, json.dumps(message))
        later = message["type"] in ("hint", "review") or "id" not in message or message["id"] is None
        assert later or tab.ended is not None or len(tab.texts) > before
        for text in tab.texts[before:]:
            assert json.loads(text).get("code") != "failed"
        if tab.ended is not None:
            tabs[who] = Tab(one)
    # Nobody was left behind: who comes back has their seat or is told that it is gone, and the game goes on.
    for seat in range(2):
        tab = Tab(one)
        back = await tab.ask("join", room=made["room"], token=tokens[seat])
        if back["type"] != "seated":
            assert back["code"] in ("bad_token", "no_room")
            continue
        assert tab.room_message is not None
        if tab.room_message["phase"] == "playing":
            table = await tab.table_where(lambda table: True)
            room = one.lobby.rooms[made["room"]]
            n = room.n
            assert table["n"] <= n
            if room.game is not None and room.game.to_play == back["seat"]:
                assert (await tab.play(tab.table["moves"][-1]["move"]))["type"] == "done"
                assert room.n > n


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.builds(json.dumps, ANYTHING)))
def test_text_that_is_no_message_is_refused_by_its_code(text: str) -> None:
    refused: protocol.Refused | None = None
    try:
        assert protocol.read(text).type in TYPES
    except protocol.Refused as error:
        refused = error
    assert refused is None or refused.code in ("bad_message", "bad_settings")
