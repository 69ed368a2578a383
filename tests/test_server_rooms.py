"""Rooms at the desk: making and joining them, turns, numbers, coming back, clocks, hand-over, rematch."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
from serving import RULESETS, Desk, Tab, room_of, run, table_for

from game import events, protocol, records, timeouts
from rummy_env import Game, Rules, record


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_match_of_a_person_and_a_computer_from_the_first_message_to_the_record(ruleset: str) -> None:
    async def play(desk: Desk) -> None:
        tab, rng = Tab(desk), random.Random(7)
        made = await tab.ask("quick", name="Mina", ruleset=ruleset, computers=["easy"], length="round")
        assert (made["type"], made["seat"]) == ("seated", 0)
        while (table := await tab.my_turn())["result"] is None:
            answer = await tab.play(rng.choice(table["moves"])["move"])
            assert answer["type"] == "done", answer
        result = table["result"]
        assert len(result["hands"]) == 2
        assert result["totals"] == [seat["total"] for seat in table["seats"]]
        assert tab.room_message is not None
        assert tab.room_message["phase"] in ("over", "between")
        games = recorded(desk, made["room"])
        assert games[0].result is not None
        assert list(games[0].result.scores) == result["scores"]

    run(play)


def recorded(desk: Desk, code: str) -> list[Game]:
    """The finished rounds of a room, read back from both forms of their record."""
    stored = desk.lobby.store.load(code)
    assert stored is not None
    rounds = records.rounds_of(stored)
    for form in ("text", "json"):
        games = record.read_all(records.record_of(rounds, form))
        assert [game.result for game in games] == [one.game.result for one in rounds]
    return games


def test_the_game_starts_when_all_who_are_there_are_ready_with_computers_on_free_seats() -> None:
    async def play(desk: Desk) -> None:
        host, guest = Tab(desk), Tab(desk)
        settings = {"ruleset": "rami", "seats": 5, "computers": ["easy", "normal"], "public": True}
        made = await host.ask("create", name="Mina", settings=settings)
        assert (await guest.ask("lobby"))["rooms"][0]["free"] == 4
        await guest.ask("join", room=made["room"], name="Mina")
        assert guest.room_message is not None
        assert [seat.get("name") for seat in guest.room_message["seats"][:2]] == ["Mina", "Mina 2"]
        await host.ask("ready")
        assert host.room_message is not None
        assert host.room_message["phase"] == "waiting"
        await guest.ask("ready")
        await guest.table_where(lambda table: True)
        assert [seat["player"] for seat in guest.room_message["seats"]] == ["person"] * 2 + ["computer"] * 2
        assert [seat.get("level") for seat in guest.room_message["seats"]] == [None, None, "easy", "normal"]
        late = Tab(desk)
        assert (await late.ask("join", room=made["room"], name="Jun"))["code"] == "started"
        assert (await late.ask("watch", room=made["room"]))["type"] == "watching"

    run(play)


def test_one_alone_does_not_start_and_what_the_host_may_do_nobody_else_may() -> None:
    async def play(desk: Desk) -> None:
        host, guest = Tab(desk), Tab(desk)
        made = await host.ask("create", name="Mina", settings={"ruleset": "straight", "seats": 2})
        await host.ask("ready")
        assert host.room_message is not None
        assert host.room_message["phase"] == "waiting"
        await guest.ask("join", room=made["room"], name="Jun")
        settings = {"ruleset": "rami", "seats": 3}
        assert (await guest.ask("settings", settings=settings))["code"] == "not_host"
        assert (await guest.ask("remove", seat=0))["code"] == "not_host"
        assert (await host.ask("settings", settings=settings))["type"] == "done"
        assert host.room_message["settings"]["ruleset"] == "rami"
        assert not host.room_message["seats"][0]["ready"]
        assert (await host.ask("settings", settings=settings | {"seats": 1}))["code"] == "bad_settings"
        third = Tab(desk)
        await third.ask("join", room=made["room"], name="Sua")
        assert (await third.ask("leave"))["type"] == "done"
        assert (await host.ask("remove", seat=1))["type"] == "done"
        assert {"type": "closed", "reason": "removed"} in guest.messages
        assert (await guest.ask("ready"))["code"] == "no_seat"
        assert [seat["player"] for seat in host.room_message["seats"]] == ["person", "free", "free"]

    run(play)


def test_where_the_host_changes_computers_alone_the_others_stay_ready_and_all_keep_their_seats() -> None:
    async def play(desk: Desk) -> None:
        host, gone, guest = Tab(desk), Tab(desk), Tab(desk)
        settings = {"ruleset": "rami", "seats": 5, "clock": 60}
        made = await host.ask("create", name="Mina", settings=settings)
        for tab, name in ((gone, "Sua"), (guest, "Jun")):
            await tab.ask("join", room=made["room"], name=name)
        await gone.ask("leave")
        for tab in (guest, host):
            await tab.ask("ready", ready=tab is guest)
        computers = ["easy", "normal", "hard"]
        assert (await host.ask("settings", settings=settings | {"computers": computers}))["type"] == "done"
        seats = host.room_message["seats"] if host.room_message else []
        assert [seat.get("name") for seat in seats] == ["Mina", None, "Jun", None, None]
        assert [seat.get("ready") for seat in seats] == [False, None, True, None, None]
        # Another person comes: three seats are free no more, and the first of the computers does not play.
        last = Tab(desk)
        await last.ask("join", room=made["room"], name="Dora")
        for tab in (host, last):
            await tab.ask("ready")
        await host.table_where(lambda table: True)
        seats = host.room_message["seats"] if host.room_message else []
        assert [seat["name"] for seat in seats[:3]] == ["Mina", "Dora", "Jun"]
        assert [seat["level"] for seat in seats[3:]] == ["normal", "hard"]

    run(play)


def test_a_change_of_computers_does_not_start_the_game() -> None:
    async def play(desk: Desk) -> None:
        host = Tab(desk)
        made = await host.ask("create", name="Mina", settings={"ruleset": "straight", "seats": 3})
        await host.ask("ready")
        settings = {"ruleset": "straight", "seats": 3, "computers": ["easy"]}
        await host.ask("settings", settings=settings)
        room = desk.lobby.rooms[made["room"]]
        assert (room.phase, room.seats[0].ready) == ("waiting", False)
        await host.ask("ready")
        await host.table_where(lambda table: True)
        assert (await host.ask("settings", settings=settings))["code"] == "not_now"

    run(play)


def test_any_other_change_asks_everybody_again() -> None:
    async def play(desk: Desk) -> None:
        host, guest = Tab(desk), Tab(desk)
        made = await host.ask("create", name="Mina", settings={"ruleset": "straight", "seats": 3})
        await guest.ask("join", room=made["room"], name="Jun")
        await guest.ask("ready")
        await host.ask("settings", settings={"ruleset": "straight", "seats": 3, "clock": 90})
        assert [seat.get("ready") for seat in (guest.room_message or {})["seats"]] == [False, False, None]

    run(play)


@pytest.mark.parametrize(
    "wrong",
    [
        {"ruleset": "poker"},
        {"ruleset": "straight", "seats": 5},
        {"ruleset": "rami", "seats": 1},
        {"ruleset": "rami", "options": {"opening": 500}},
        {"ruleset": "rami", "options": {"colour": 1}},
        {"ruleset": "rami", "options": {"max_rounds": 3}},
        {"ruleset": "rami", "clock": 31},
        {"ruleset": "rami", "clock": None},
        {"ruleset": "rami", "seats": 3, "computers": ["strong"]},
        {"ruleset": "rami", "seats": 3, "computers": ["easy"] * 3},
        {"ruleset": "rami", "seats": "3"},
        {"ruleset": "rami", "more": 1},
    ],
)
def test_settings_that_cannot_be_are_refused_with_a_reason(wrong: dict[str, Any]) -> None:
    async def play(desk: Desk) -> None:
        tab = Tab(desk)
        answer = await tab.ask("create", name="Mina", settings=wrong)
        assert answer["code"] == "bad_settings"
        assert len(answer["text"]) > 30
        assert desk.lobby.rooms == {}

    run(play)


def test_every_move_has_its_number_and_is_played_once() -> None:
    async def play(desk: Desk) -> None:
        (first, second), _ = await table_for(desk, "straight", 2)
        room = room_of(desk, first)
        game = room.game
        assert game is not None
        mover, waiter = (first, second) if game.to_play == 0 else (second, first)
        n = room.n
        assert (await waiter.ask("move", n=n, move="draw"))["code"] == "not_your_turn"
        assert (await mover.ask("move", n=n + 1, move="draw"))["code"] == "late"
        assert (await mover.ask("move", n=n - 1, move="draw"))["code"] == "late"
        assert (await mover.ask("move", n=n, move="draw"))["type"] == "done"
        repeated = await mover.ask("move", n=n, move="draw")
        assert (repeated["code"], repeated["n"]) == ("late", n + 1)
        assert [entry.kind for entry in room.game.history if not isinstance(entry, int)] == ["draw"]
        assert (await mover.ask("move", n=n + 1, move="draw"))["code"] == "illegal"
        assert (await mover.ask("move", n=n + 1, move="fly"))["code"] == "illegal"
        watcher = Tab(desk)
        await watcher.ask("watch", room=room.code)
        assert (await watcher.ask("move", n=n + 1, move="discard 2s"))["code"] == "no_seat"
        stranger = Tab(desk)
        assert (await stranger.ask("move", n=n + 1, move="discard 2s"))["code"] == "no_seat"
        assert room.n == n + 1

    run(play)


def test_two_tabs_with_one_seat_the_second_takes_over_and_the_first_is_told() -> None:
    async def play(desk: Desk) -> None:
        (first, _), tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, first)
        second = Tab(desk)
        back = await second.ask("join", room=room.code, token=tokens[0])
        assert (back["type"], back["seat"], back["token"]) == ("seated", 0, tokens[0])
        assert first.messages[-1] == {"type": "replaced"}
        assert first.ended == 4001
        assert second.table is not None
        assert second.table["hand"] == room.game.hand(0)
        desk.lobby.gone(first)  # the old line ends after the new one came: the seat stays the new one's
        assert room.seats[0].line is second
        assert (await Tab(desk).ask("join", room=room.code, token="0" * 32))["code"] == "bad_token"
        assert (await Tab(desk).ask("join", room=room.code, token="P0"))["code"] == "bad_token"
        assert (await Tab(desk).ask("join", room="nowhere", token=tokens[0]))["code"] == "no_room"

    run(play)


def test_after_a_break_the_seat_is_there_with_its_hand_and_what_happened() -> None:
    async def play(desk: Desk) -> None:
        tabs, tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        mover = tabs[room.game.to_play]
        await mover.play("draw")
        token = tokens[tabs.index(mover)]
        mover.vanish()
        assert not room.seats[tabs.index(mover)].shown(0)["connected"]
        again = Tab(desk)
        await again.ask("join", room=room.code, token=token)
        assert again.table is not None
        assert again.table["events"][-1]["kind"] == "draw"
        assert again.table["events"][-1]["cards"][0] in again.table["hand"]
        assert (await again.play(f"discard {again.table['hand'][0]}"))["type"] == "done"

    run(play)


# --- clocks ------------------------------------------------------------------------------------------------------


def clocks_of(seconds: float) -> Any:
    """Makes every clock of a room run so long: the protocol has none shorter than 30 s."""

    def shorten(room: Any) -> None:
        wind = room._clock.wind
        room._clock.wind = lambda _: wind(seconds)
        room._new_turn()
        room._driver.wake()

    return shorten


def test_the_clock_draws_and_discards_what_was_drawn() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        seat = room.game.to_play
        assert tabs[0].table["clock"]["total"] == 45
        hand = room.game.hand(seat)
        clocks_of(0.05)(room)
        table = await tabs[seat].table_where(lambda table: table["to_play"] != seat)
        events = [event for event in table["events"] if event["by"] == "clock"]
        assert [event["kind"] for event in events] == ["draw", "discard"]
        assert events[0]["cards"] == events[1]["cards"]
        assert room.game.hand(seat) == hand

    run(play, away=60.0)


def test_after_two_clocks_a_computer_stands_in_until_the_person_does_something() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        clocks_of(0.02)(room)
        await tabs[1].until(lambda message: message["type"] == "room" and message["seats"][0]["standin"], 0)
        clocks_of(50.0)(room)
        for tab in tabs:
            await tab.ask("react", reaction="thanks")
        assert not any(seat.standin for seat in room.seats)

    run(play, away=60.0)


def test_a_computer_stands_in_for_one_who_is_gone_and_gives_the_seat_back() -> None:
    async def play(desk: Desk) -> None:
        tabs, tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        gone = room.game.to_play
        stays = tabs[1 - gone]
        tabs[gone].vanish()
        table = await stays.table_where(lambda table: table["to_play"] == 1 - gone)
        assert {event["by"] for event in table["events"]} == {"standin"}
        assert stays.room_message["seats"][gone]["standin"]
        again = Tab(desk)
        await again.ask("join", room=room.code, token=tokens[gone])
        assert not stays.room_message["seats"][gone]["standin"]

    run(play, away=0.1)


RAMI_TAKEN = {
    "hands": ["Ks Kh 5c 6c 2s 3h 8d 9d", "3s 4s 9h Tc"],
    "pile": "2d Kd",
    "stock": "7h 3c 4c 9c 2h 6d",
    "opened": [True, True],
    "table": [{"cards": "3d 4d 5d", "by": 1}, {"cards": "9h Jk Jh", "by": 1}],
}


@pytest.mark.parametrize(
    ("position", "moves", "stay", "game_plays"),
    [
        # The taken king is pending: back to before it was taken; then draw and discard what was drawn.
        (RAMI_TAKEN, ["take"], 0, ["draw", "discard 7h"]),
        # It went down: the turn stays, and the highest card goes.
        (RAMI_TAKEN, ["take", "meld Ks Kh Kd"], 2, ["discard 9d"]),
        (RAMI_TAKEN, ["take", "untake"], 2, ["draw", "discard 7h"]),
        (RAMI_TAKEN, ["take", "untake", "draw"], 3, ["discard 7h"]),
        # A freed joker is pending: back to before the swap, the draw stays.
        (
            RAMI_TAKEN | {"stock": "Th 3c 4c", "hands": ["Ks Kh 5c 6c 2s", "3s"]},
            ["draw", "swap Th 1"],
            1,
            ["discard Th"],
        ),
        # The joker went down again: everything stays.
        (
            RAMI_TAKEN | {"stock": "Th 3c 4c", "hands": ["Ks Kh 5c 6c 2s", "3s"]},
            ["draw", "swap Th 1", "meld Ks Kh Jk"],
            3,
            ["discard 6c"],
        ),
        # Nothing done yet.
        (RAMI_TAKEN, [], 0, ["draw", "discard 7h"]),
    ],
)
def test_what_the_clock_takes_back_and_plays_in_rami(
    position: dict[str, Any], moves: list[str], stay: int, game_plays: list[str]
) -> None:
    game = Game.from_position(Rules.preset("rami"), position)
    drawn = None
    for move in moves:
        hand = game.hand(0)
        game.play(move)
        if move == "draw":
            drawn = events.drawn_card(hand, game.hand(0))
    kept = timeouts.rolled_back(game)
    assert kept == stay
    trial = events.back_to(game, kept)
    if "draw" not in moves[:kept]:
        drawn = None
    played = []
    while trial.to_play == 0:
        hand = trial.hand(0)
        played.append(timeouts.next_move(trial, drawn))
        trial.play(played[-1])
        if played[-1] == "draw":
            drawn = events.drawn_card(hand, trial.hand(0))
    assert played == game_plays


def test_where_the_stock_is_empty_the_clock_takes_the_pile_and_discards_the_highest() -> None:
    position = {"hands": ["2s 3s Kd Qh", "9h 4c"], "pile": "7d", "stock": ""}
    game = Game.from_position(Rules.preset("straight"), position)
    assert timeouts.next_move(game, None) == "take"
    game.play("take")
    assert timeouts.rolled_back(game) == 1
    assert timeouts.next_move(game, None) == "discard Qh"


def test_a_turn_rolled_back_by_the_clock_is_in_the_record() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "rami", 2)
        room = room_of(desk, tabs[0])
        seat = room.game.to_play
        pile = room.game.pile
        await tabs[seat].play("take")
        clocks_of(0.05)(room)
        table = await tabs[seat].table_where(lambda table: table["to_play"] != seat)
        assert [event["kind"] for event in table["events"]] == ["rollback", "draw", "discard"]
        assert table["pile"][:-1] == pile
        for tab in tabs:
            await tab.ask("leave")
        watcher = Tab(desk)
        await watcher.ask("watch", room=room.code)
        await watcher.table_where(lambda table: table["result"] is not None, 60.0)
        stored = desk.lobby.store.load(room.code)
        assert stored is not None
        rounds = records.rounds_of(stored)
        text = records.record_of(rounds, "text")
        assert "# the clock ran out; the game played: draw, discard" in text
        assert "taken back: take" in text
        turn = json.loads(records.record_of(rounds, "json"))[0]["turns"][0]
        assert turn["clock"]["taken_back"] == ["take"]
        kinds = [step["event"]["kind"] for step in records.replay(rounds[0])["steps"]]
        assert kinds[:4] == ["take", "rollback", "draw", "discard"]

    run(play, away=60.0)


# --- leaving, again, resting -------------------------------------------------------------------------------------


def test_who_leaves_hands_the_seat_to_a_computer_for_good() -> None:
    async def play(desk: Desk) -> None:
        tabs, tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        leaver = room.game.to_play
        await tabs[leaver].ask("leave")
        await tabs[1 - leaver].table_where(lambda table: table["to_play"] == 1 - leaver)
        assert room.seats[leaver].player == "computer"
        assert room.seats.host == 1 - leaver
        assert (await Tab(desk).ask("join", room=room.code, token=tokens[leaver]))["code"] == "bad_token"

    run(play)


def test_a_match_goes_on_round_after_round_and_again_with_the_same_seats() -> None:
    async def play(desk: Desk) -> None:
        (tab,), _ = await table_for(desk, "straight", 1, ("normal",), options={"target": 1}, length="match", clock=None)
        room = room_of(desk, tab)
        names = [seat.name for seat in room.seats]
        for _ in range(2):
            while (table := await tab.my_turn())["result"] is None:
                await tab.play(table["moves"][-1]["move"])
            assert room.phase == "over" or table["result"]["void"]
            n = table["n"]
            await tab.ask("ready")
            table = await tab.table_where(lambda table, n=n: table["n"] > n)
            assert table["round"] >= 1
            assert [seat.name for seat in room.seats] == names
        assert room.match_number >= 2
        while (await tab.my_turn())["result"] is None:
            await tab.play(tab.table["moves"][-1]["move"])
        if room.phase == "over":
            await tab.ask("reopen")
            assert tab.room_message["phase"] == "waiting"
            assert [seat["player"] for seat in tab.room_message["seats"]] == ["person", "free"]

    run(play)


def test_rounds_of_a_match_are_dealt_from_seeds_that_say_nothing_of_each_other() -> None:
    async def play(desk: Desk) -> None:
        watcher = Tab(desk)
        settings = {"ruleset": "straight", "seats": 2, "computers": ["normal", "normal"], "length": "match"}
        made = await watcher.ask("create", settings=settings, sit=False)
        await watcher.table_where(lambda table: table["round"] == 3, 60.0)
        stored = desk.lobby.store.load(made["room"])
        assert stored is not None
        seeds = [one.seed for one in stored.rounds]
        assert len(set(seeds)) == len(seeds) >= 3
        room = desk.lobby.rooms[made["room"]]
        states = [int(game.start_state["hidden"]["rng"][0]) for game in room.match.games[-1:]]
        assert str(states[0]) not in "".join(watcher.texts)

    run(play)


def test_a_room_that_nobody_is_in_stands_still_sleeps_and_wakes() -> None:
    async def play(desk: Desk) -> None:
        (tab,), (token,) = await table_for(desk, "straight", 1, ("easy", "easy"), clock=None)
        room = room_of(desk, tab)
        await tab.my_turn()
        hand, n = tab.table["hand"], room.n
        tab.vanish()
        room.touched -= 10_000
        desk.lobby.limits = desk.lobby.limits.__class__(idle=1e9, asleep=1.0)
        await desk.lobby.sweep()
        assert desk.lobby.rooms == {}
        again = Tab(desk)
        await again.ask("join", room=room.code, token=token)
        table = await again.my_turn()
        assert (table["hand"], table["n"]) == (hand, n)
        woken = room_of(desk, again)
        assert woken is not room
        woken.touched -= 10_000
        desk.lobby.limits = desk.lobby.limits.__class__(idle=1.0)
        await desk.lobby.sweep()
        assert again.messages[-1] == {"type": "closed", "reason": "idle"}
        assert again.ended == 4002
        assert (await Tab(desk).ask("watch", room=room.code))["code"] == "no_room"

    run(play)


def test_reactions_are_words_of_the_list_and_reach_everybody() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        assert (await tabs[0].ask("react", reaction="nice"))["type"] == "done"
        assert {"type": "reaction", "seat": 0, "reaction": "nice"} in tabs[1].messages
        assert (await tabs[0].ask("react", reaction="<b>"))["code"] == "bad_message"

    run(play)


# --- chosen cards --------------------------------------------------------------------------------------------------


async def seated_at(desk: Desk, ruleset: str, position: dict[str, Any], **options: Any) -> Tab:
    """One person against a computer in a position of their own turn."""
    (tab,), _ = await table_for(desk, ruleset, 1, ("easy",), clock=None, options=options)
    room = room_of(desk, tab)
    async with room._lock:
        room.match.games[-1] = Game.from_position(room.game.rules, position)
        room.n += 1000  # a computer that thinks is late
    room.show_table(tab)
    return tab


JOKERS = {
    "hands": ["5h Jk 7h Jk Ks Kh Kd 2c 9d", "3s 4s"],
    "pile": "2d",
    "stock": "3c 4c 9c",
    "phase": "play",
    "table": [{"cards": "9s Ts Js", "by": 1}],
}


def test_chosen_cards_are_laid_down_where_there_is_one_way_and_asked_about_where_there_are_more() -> None:
    async def play(desk: Desk) -> None:
        tab = await seated_at(desk, "rami", JOKERS | {"opened": [True, True]})
        n = tab.table["n"]
        assert tab.table["glow"]["layoff"] == {"Jk": [0]}
        assert tab.table["glow"]["meld"] == ["5h", "7h", "Jk", "Kd", "Kh", "Ks"]
        answer = await tab.ask("lay", n=n, cards=["Jk", "7h", "5h"])
        assert answer["type"] == "done", answer  # 5h Jk 7h is the only run of these
        assert tab.table["table"][1]["cards"] == ["5h", "Jk", "7h"]
        answer = await tab.ask("lay", n=tab.table["n"], cards=["Jk"], meld=0)
        assert answer["code"] == "choose"
        assert answer["ways"] == ["layoff Jk 0 low", "layoff Jk 0 high"]
        assert (await tab.play(answer["ways"][1]))["type"] == "done"
        answer = await tab.ask("lay", n=tab.table["n"], cards=["Ks"], meld=1)
        assert (answer["code"], "does not fit" in answer["text"]) == ("illegal", True)
        answer = await tab.ask("lay", n=tab.table["n"], cards=["Ks", "2c", "9d"])
        assert (answer["code"], "neither a set nor a run" in answer["text"]) == ("illegal", True)

    run(play)


def test_the_opening_meter_its_press_and_the_tray() -> None:
    async def play(desk: Desk) -> None:
        tab = await seated_at(desk, "rami", JOKERS)
        meter = tab.table["opening"]
        assert (meter["threshold"], meter["best"]) == (40, 58)  # K K K Jk 40 + 5h Jk 7h 18
        assert sorted(group["points"] for group in meter["groups"]) == [18, 40]
        tray = await tab.ask("check", groups=[["7h", "Jk", "5h"], ["Ks", "Kh", "Kd"]])
        assert [(one["kind"], one["points"]) for one in tray["groups"]] == [("run", 18), ("set", 30)]
        assert (tray["total"], tray["threshold"], tray["move"]) == (48, 40, "open 5h Jk 7h | Ks Kh Kd")
        short = await tab.ask("check", groups=[["7h", "Jk", "5h"]])
        assert short["move"] is None
        assert "expected 40 points" in short["text"]
        wrong = await tab.ask("check", groups=[["7h", "2c"], ["Ks", "Ks"]])
        assert wrong["code"] == "illegal"  # there is one Ks in the hand
        assert (await tab.play(meter["move"]))["type"] == "done"
        assert "opening" not in tab.table
        assert (await tab.ask("check", groups=[["2c", "9d"]]))["groups"][0]["kind"] is None

    run(play)


def test_a_hint_is_a_legal_move_with_a_reason_in_ones_language() -> None:
    async def play(desk: Desk) -> None:
        tab = Tab(desk, "ko")
        await tab.ask("quick", name="미나", ruleset="straight", computers=["easy"])
        table = await tab.my_turn()
        told = await tab.ask("hint")
        assert told["type"] == "hint"
        assert told["move"] in [move["move"] for move in table["moves"]]
        refused = await tab.ask("move", n=table["n"], move="discard 2s")
        assert "먼저" in refused["text"]

    run(play)


def test_a_review_goes_through_every_decision_of_ones_own() -> None:
    async def play(desk: Desk) -> None:
        tab, rng = Tab(desk), random.Random(1)
        await tab.ask("quick", name="Mina", ruleset="straight", computers=["normal"], length="round")
        played = 0
        while (table := await tab.my_turn())["result"] is None:
            assert (await tab.play(rng.choice(table["moves"])["move"]))["type"] == "done"
            played += 1
        first = await tab.ask("review", round=table["round"])
        last = (
            first
            if first["done"] == first["of"]
            else await tab.until(lambda message: message["type"] == "review" and message["done"] == message["of"])
        )
        assert last["of"] == played
        found = [one for message in tab.messages if message["type"] == "review" for one in message["decisions"]]
        assert 0 < len(found) <= played
        assert [one["step"] for one in found] == sorted({one["step"] for one in found})
        assert (await tab.ask("review", round=99))["code"] == "not_now"

    run(play)


# --- hand games ----------------------------------------------------------------------------------------------------


def test_gin_knock_comes_with_what_is_left_and_ends_with_the_showdown() -> None:
    other = "7s As 3h 4h 8d Td Jc Qc 6h 6d"
    rest = {"phase": "play", "pile": "5d", "stock": "2d 3c 4c 9s"}

    async def play(desk: Desk) -> None:
        tab = await seated_at(desk, "gin", rest | {"hands": ["4s 5s 6s 9h 9d 9c Qh Jh 2c 3d 8s", other]})
        assert tab.table["arrangement"]["points"] == 33  # 10 + 10 + 2 + 3 + 8
        assert not [move for move in tab.table["moves"] if move["kind"] == "knock"]
        tab = await seated_at(desk, "gin", rest | {"hands": ["4s 5s 6s 9h 9d 9c Qh Qd Qs 2c 3d", other]})
        knocks = {move["move"]: move["left"] for move in tab.table["moves"] if move["kind"] == "knock"}
        assert (knocks["knock 3d"]["points"], knocks["knock 3d"]["deadwood"]) == (2, ["2c"])
        assert sorted(meld["kind"] for meld in knocks["knock 3d"]["melds"]) == ["run", "set", "set"]
        assert sorted(tab.table["sorted"][-1]) == ["2c", "3d"]
        assert (await tab.play("knock 3d"))["type"] == "done"
        result = tab.table["result"]
        shown = result["hands"][1]
        assert (result["how"], shown["laid_off"]) == ("knock", ["7s", "Qc"])
        # What is left: A 3 4 8 10 J and two sixes.
        assert (shown["points"], result["scores"]) == (48, [46, 0])

    run(play)


def test_indian_declares_the_arrangement_that_is_shown_or_laid_by_hand() -> None:
    position = {
        "hands": ["4s 5s 6s 7s 9h Th Jh Qd Qc Qs 2c 3c 4c Kd", "7s As 3h 4h 8d Td Jc 8c 6h 6d 2d 9s 9d"],
        "phase": "play",
        "pile": "5d",
        "stock": "2d 3c 4c 9s",
        "wild": "8h",
    }

    async def play(desk: Desk) -> None:
        tab = await seated_at(desk, "indian", position)
        table = tab.table
        assert table["wild"] == "8h"
        assert table["arrangement"]["deadwood"] == ["Kd"]
        declares = {move["move"]: move["left"] for move in table["moves"] if move["kind"] == "declare"}
        left = declares["declare Kd"]
        assert (left["declarable"], left["points"], left["deadwood"]) == (True, 0, [])
        assert {meld["kind"] for meld in left["melds"]} == {"natural", "set"}
        groups = [["4s", "5s", "6s", "7s"], ["9h", "Th", "Jh"], ["Qd", "Qc", "Qs"], ["2c", "3c", "4c"]]
        told = await tab.ask("check", groups=groups)
        assert [one["kind"] for one in told["groups"]] == ["natural", "natural", "set", "natural"]
        assert told["move"] == "declare Kd"
        assert (await tab.ask("check", groups=groups[:2]))["move"] is None
        assert (await tab.play(told["move"]))["type"] == "done"
        result = tab.table["result"]
        assert (result["winner"], result["how"]) == (0, "declare")
        assert sum(result["scores"]) == 0
        assert [hand["seat"] for hand in result["hands"]] == [0, 1]

    run(play)


def test_indian_who_packs_is_out_and_the_last_one_wins() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "indian", 2)
        room = room_of(desk, tabs[0])
        mover = room.game.to_play
        assert (await tabs[mover].play("pack"))["type"] == "done"
        result = tabs[1 - mover].table["result"]
        assert (result["how"], result["winner"], result["scores"][mover]) == ("packed", 1 - mover, -10)
        assert tabs[0].table["seats"][mover]["packed"] == "first"

    run(play)


# --- presses too many, at the wrong moment, or by people who go ---------------------------------------------------

WAITS = {"ruleset": "straight", "seats": 3}


def test_a_second_press_on_join_takes_no_second_seat() -> None:
    async def play(desk: Desk) -> None:
        host, tab = Tab(desk), Tab(desk)
        code = (await host.ask("create", name="A", settings=WAITS))["room"]
        first = await tab.ask("join", room=code, name="B")
        second = await tab.ask("join", room=code, name="B")
        assert (first["seat"], second["seat"]) == (1, 1)
        assert host.room_message is not None
        assert [seat["player"] for seat in host.room_message["seats"]] == ["person", "person", "free"]
        assert host.room_message["seats"][1]["name"] == "B"
        tab.vanish()
        again = Tab(desk)
        assert (await again.ask("join", room=code, token=first["token"]))["code"] == "bad_token"
        assert (await again.ask("join", room=code, token=second["token"]))["seat"] == 1

    run(play)


def test_a_tab_that_takes_another_seat_of_its_room_leaves_nobody_on_the_first() -> None:
    async def play(desk: Desk) -> None:
        tab, other = Tab(desk), Tab(desk)
        code = (await tab.ask("create", name="A", settings=WAITS))["room"]
        token = (await other.ask("join", room=code, name="B"))["token"]
        assert (await tab.ask("join", room=code, token=token))["seat"] == 1
        assert other.ended == protocol.REPLACED
        assert room_of(desk, tab).lines == [tab]
        assert tab.room_message is not None
        assert [seat.get("connected") for seat in tab.room_message["seats"]] == [False, True, None]
        room = room_of(desk, tab)
        tab.vanish()
        assert room.lines == []

    run(play)


def test_a_join_that_is_refused_leaves_one_where_one_was() -> None:
    async def play(desk: Desk) -> None:
        tab, other = Tab(desk), Tab(desk)
        full = (await other.ask("create", name="A", settings={"ruleset": "straight", "seats": 2}))["room"]
        await Tab(desk).ask("join", room=full, name="B")
        own = (await tab.ask("create", name="C", settings=WAITS))["room"]
        for request, code in (({"name": "C"}, "room_full"), ({"token": "wrong"}, "bad_token")):
            assert (await tab.ask("join", room=full, **request))["code"] == code
            assert (room_of(desk, tab).code, tab.seat) == (own, 0)
            assert room_of(desk, tab).seats[0].line is tab

    run(play)


def test_a_room_that_everybody_left_can_be_joined_whatever_a_watcher_asks() -> None:
    async def play(desk: Desk) -> None:
        tab, watcher = Tab(desk), Tab(desk)
        code = (await tab.ask("create", name="A", settings=WAITS))["room"]
        await watcher.ask("watch", room=code)
        await tab.ask("leave")
        assert (await watcher.ask("ready"))["code"] == "not_now"
        assert (await tab.ask("join", room=code, name="A"))["seat"] == 0
        assert watcher.room_message is not None
        assert len(watcher.room_message["seats"]) == 3

    run(play)


def test_one_who_leaves_just_when_the_game_should_begin_leaves_the_room_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def play(desk: Desk) -> None:
        host, third, tab = Tab(desk), Tab(desk), Tab(desk)
        code = (await host.ask("create", name="A", settings=WAITS))["room"]
        await tab.ask("join", room=code, name="B")
        await third.ask("join", room=code, name="C")
        await host.ask("ready")
        await tab.ask("ready")
        third.vanish()  # all who are here are ready: the game is about to begin
        await tab.ask("leave")
        await asyncio.sleep(0)
        assert host.room_message is not None
        if host.room_message["phase"] == "waiting":
            assert len(host.room_message["seats"]) == 3
            assert (await tab.ask("join", room=code, name="B"))["seat"] == 1
        assert not caplog.records

    run(play)


def test_the_host_who_stays_away_is_followed_by_one_who_is_here() -> None:
    async def play(desk: Desk) -> None:
        host, tab, third = Tab(desk), Tab(desk), Tab(desk)
        made = await host.ask("create", name="A", settings=WAITS)
        await tab.ask("join", room=made["room"], name="B")
        host.vanish()
        await tab.until(lambda message: message["type"] == "room" and message["host"] == 1)
        assert (await tab.ask("settings", settings=WAITS | {"seats": 4}))["type"] == "done"
        # A newcomer who takes a seat that was given up takes no host's rights with it.
        tab.vanish()
        await third.ask("watch", room=made["room"])
        await asyncio.sleep(0.1)
        back = Tab(desk)
        assert (await back.ask("join", room=made["room"], token=made["token"]))["seat"] == 0

    run(play, away=0.05)


def test_records_and_reviews_are_of_the_match_that_was_played_when_the_room_waits_for_another() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 3, options={"max_turns": 9}, length="round")
        room = room_of(desk, tabs[0])
        while room.phase == "playing":
            tab = next(tab for tab in tabs if tab.table and tab.table["moves"])
            assert tab.table is not None
            await tab.play(tab.table["moves"][-1]["move"])
        before = records.record_of(records.rounds_of(desk.lobby.store.load(room.code)), "text")  # type: ignore[arg-type]
        names = records.rounds_of(desk.lobby.store.load(room.code))[0].names  # type: ignore[arg-type]
        assert names == ["P0", "P1", "P2"]
        room.phase = "over"
        await tabs[1].ask("leave")
        assert (await tabs[0].ask("reopen"))["type"] == "done"
        assert tabs[2].seat == 1
        assert (await tabs[0].ask("settings", settings={"ruleset": "rami", "seats": 4}))["type"] == "done"
        rounds = records.rounds_of(desk.lobby.store.load(room.code))  # type: ignore[arg-type]
        assert records.record_of(rounds, "text") == before
        assert rounds[0].names == names
        of_third = sum(event.get("seat") == 2 and "move" in event for event in rounds[0].events)
        assert of_third > 0
        reviewed = await tabs[2].ask("review", round=1)
        while reviewed["done"] < reviewed["of"]:
            reviewed = await tabs[2].until(lambda message: message["type"] == "review")
        assert reviewed["of"] == of_third

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("game.desk.adviser", lambda rules: "normal")
        run(play)
