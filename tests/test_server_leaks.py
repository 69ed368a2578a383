"""Nothing hidden leaves the server: every byte sent to each tab is read, over many random rounds of every ruleset."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from typing import Any

import numpy as np
import pytest
from serving import RULESETS, Desk, Tab, cards_in, room_of, run, table_for

from game import records, seen, store
from game.rooms import Room
from rummy_env import Game, Rules

ROUNDS = {"straight": 6, "rami": 2, "gin": 4, "indian": 2}
OPTIONS: dict[str, dict[str, Any]] = {"rami": {"opening": 30}}


class Reader:
    """Knows which cards each seat and the public have seen in a round, from the table itself, and reads the bytes."""

    def __init__(self, room: Room, tabs: dict[int | None, Tab]) -> None:
        self.room = room
        self.tabs = tabs
        self.read = dict.fromkeys(tabs, 0)
        self.seen: dict[int | None, set[str]] = {}
        self.round = 0
        self.messages = 0

    def look(self) -> None:
        """Note what may be known now, then read what was sent since."""
        game = self.room.game
        if game is not None:
            if self.room.round != self.round or not self.seen:
                self.round = self.room.round
                self.seen = {seat: set() for seat in self.tabs}
            public = set(game.pile) | {card for meld in game.table for card in meld.cards}
            view = game.view(0)
            public |= {view.wild} if view.wild else set()
            for seat in range(game.rules.num_players):
                public |= set(view.known(seat)) | set(view.discarded(seat))
            if game.over:
                public |= {card for seat in range(game.rules.num_players) for card in game.hand(seat)}
            for seat, known in self.seen.items():
                known |= public | (set(game.hand(seat)) if seat is not None else set())
        for seat, tab in self.tabs.items():
            for text in tab.texts[self.read[seat] :]:
                self.messages += 1
                named = cards_in(text)
                assert named <= self.seen.get(seat, set()), f"seat {seat} reads of {named - self.seen[seat]}: {text}"
            self.read[seat] = len(tab.texts)


def secrets_of(room: Room, tokens: list[str]) -> list[str]:
    """What no message may hold: tokens and their digests, seeds and states of generators."""
    found = [*tokens, *(seat.token for seat in room.seats if seat.token), *map(str, room._seeds)]
    game = room.game
    assert game is not None
    return [*found, str(int(game.state["hidden"]["rng"][0])), f"{int(game.start_state['hidden']['rng'][0]):016x}"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_byte_sent_to_each_tab_names_only_cards_that_it_may_know(
    ruleset: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="game")

    async def play(desk: Desk) -> None:
        rng, messages = random.Random(11), 0
        for number in range(ROUNDS[ruleset]):
            people = 2 if ruleset == "gin" else 2 + number % 2
            options = OPTIONS.get(ruleset, {}) | {"max_turns": 12 * people}
            tabs, tokens = await table_for(desk, ruleset, people, options=options)
            watcher = Tab(desk)
            room = room_of(desk, tabs[0])
            await watcher.ask("watch", room=room.code)
            reader = Reader(room, {None: watcher, **{tab.seat: tab for tab in tabs}})
            hidden = secrets_of(room, tokens)
            reader.look()
            while room.phase == "playing":
                game = room.game
                assert game is not None
                tab = tabs[game.to_play]
                assert tab.table is not None
                await random_request(rng, tab, tabs)
                reader.look()
                moves = tab.table["moves"]
                ends = [move for move in moves if move["kind"] in ("meld", "open", "knock", "declare")]
                stays = [move for move in moves if move["kind"] != "pack" or rng.random() < 0.03]
                chosen = rng.choice(ends if ends and rng.random() < 0.5 else stays)
                meter = tab.table.get("opening") or {}
                text = meter.get("move") if meter.get("move") and rng.random() < 0.7 else chosen["move"]
                answer = await tab.play(text)
                assert answer["type"] == "done", answer
                reader.look()
            messages += reader.messages
            for tab, token in zip(tabs, tokens, strict=True):
                sent = "\n".join(tab.texts)
                for secret in hidden:
                    assert secret == token or secret not in sent
                assert sent.count(token) == 1
            assert not any(secret in "\n".join(watcher.texts) for secret in hidden)
        assert messages > 100
        for record in caplog.records:
            if record.name.startswith("game"):
                assert not cards_in(record.getMessage()), record

    run(play, away=100.0)


async def random_request(rng: random.Random, tab: Tab, tabs: list[Tab]) -> None:
    """Something that people ask between moves, sensible or not."""
    assert tab.table is not None
    anybody = rng.choice(tabs)
    hand = anybody.table["hand"] if anybody.table else []
    some = rng.sample(hand, min(len(hand), 3))
    match rng.randrange(7):
        case 0:
            await anybody.ask("check", groups=[some])
        case 1:
            await anybody.ask("lay", n=tab.table["n"] + rng.randrange(2), cards=some)
        case 2:
            await anybody.ask("move", n=tab.table["n"], move="forfeit")
        case 3:
            await anybody.ask("table")
        case 4 if tab.table["ruleset"] == "straight":  # the adviser of others thinks for seconds
            await tab.ask("hint")
        case 5:
            await anybody.ask("review", round=1)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_a_seat_is_shown_does_not_change_with_what_it_cannot_know(ruleset: str) -> None:
    rules = Rules.preset(ruleset, max_turns=60)
    rng, chance, looked = random.Random(5), np.random.default_rng(5), 0
    for seed in range(10_000_000, 10_000_004):
        game = Game.deal(rules, seed=seed)
        while not game.over:
            if rng.random() < 0.4:
                for seat in range(rules.num_players):
                    other = game.resample(seat, chance)
                    public = seen.public(game)
                    assert seen.public(other) == public
                    assert seen.private(other, seat, public) == seen.private(game, seat, public)
                    looked += other.hand(1 - seat) != game.hand(1 - seat)
            stays = [move for move in game.legal_moves() if move.kind != "pack" or rng.random() < 0.01]
            game.play(rng.choice(stays))
    assert looked > 50


def test_a_watcher_and_the_others_are_told_of_a_draw_but_not_of_the_card() -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        watcher = Tab(desk)
        await watcher.ask("watch", room=room.code)
        mover = room.game.to_play
        await tabs[mover].play("draw")
        drawn = tabs[mover].table["events"][-1]
        assert drawn["cards"][0] in tabs[mover].table["hand"]
        for tab in (watcher, tabs[1 - mover]):
            event = tab.table["events"][-1]
            assert (event["kind"], event["cards"]) == ("draw", [])
            assert event.keys() == drawn.keys()
        assert not {"hand", "moves", "glow", "melds", "sorted", "points"} & watcher.table.keys()

    run(play)


def test_records_and_replays_are_of_finished_rounds_alone() -> None:
    async def play(desk: Desk) -> None:
        (tab,), _ = await table_for(desk, "straight", 1, ("easy",), clock=None)
        await tab.my_turn()
        stored = desk.lobby.store.load(room_of(desk, tab).code)
        assert stored is not None
        assert len(stored.rounds) == 1
        assert records.rounds_of(stored) == []
        assert (await tab.ask("review", round=1))["code"] == "not_now"

    run(play)


def test_a_mistake_inside_tells_nothing_of_what_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(desk: Desk) -> None:
        tabs, _ = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        hidden = " ".join(room.game.hand(1))

        def fail(*_: Any) -> None:
            raise RuntimeError(hidden)

        monkeypatch.setattr(room, "check", fail)
        before = len(tabs[0].texts)
        answer = await tabs[0].ask("check", groups=[])
        assert answer["code"] == "failed"
        assert not cards_in(json.dumps(answer))
        assert len(tabs[0].texts) == before + 1

    run(play)


def test_an_agent_that_fails_or_cheats_does_not_stop_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(desk: Desk) -> None:
        calls = 0

        async def act(name: str, view: Any) -> int:
            nonlocal calls
            calls += 1
            await asyncio.sleep(0)
            if calls % 2:
                raise RuntimeError("no idea")
            return int(np.flatnonzero(view.action_mask)[-1])

        monkeypatch.setattr(desk.lobby.thinkers, "act", act)
        (tab,), _ = await table_for(desk, "straight", 1, ("easy", "easy"), clock=None)
        await tab.my_turn()
        assert calls >= 1 or room_of(desk, tab).game.turn == 0

    run(play)


def test_a_room_that_cannot_be_taken_up_again_is_not_there_and_the_log_names_no_card(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def play(desk: Desk) -> None:
        tabs, tokens = await table_for(desk, "straight", 2)
        room = room_of(desk, tabs[0])
        assert room.game is not None
        card = room.game.hand(1 - room.game.to_play)[0]
        wrong = {"n": room.n, "seat": 0, "kind": "discard", "move": f"discard {card}", "by": "person", "t": 0.0}
        await desk.lobby.store.keep([store.event_happened(room.code, 1, 1, wrong)])
        for tab in tabs:
            tab.vanish()
        del desk.lobby.rooms[room.code]
        answer = await Tab(desk).ask("join", room=room.code, token=tokens[0])
        assert answer["code"] == "no_room"
        assert not cards_in(json.dumps(answer))
        assert caplog.records
        assert not cards_in(caplog.text)

    run(play)
