"""Whose moves go first: a person's do not wait in the row of the computers'."""

from __future__ import annotations

import asyncio

from serving import Desk, Tab, run

from game.players import AT_ONCE


def test_a_person_does_not_wait_for_the_moves_of_computers_nor_for_rooms_that_begin() -> None:
    async def play(desk: Desk) -> None:
        tab, other = Tab(desk), Tab(desk)
        await tab.ask("quick", name="Mina", ruleset="straight", computers=["easy"])
        gate = desk.lobby.thinkers.gate
        await tab.my_turn()
        for _ in range(AT_ONCE):
            await gate.acquire()
        beginning = asyncio.create_task(other.ask("quick", name="Jun", ruleset="straight", computers=["easy"]))
        while moves := tab.table["moves"]:
            last = next(move for move in moves if move["kind"] in ("draw", "discard"))
            assert (await tab.play(last["move"]))["type"] == "done"
        moved = tab.table["n"]
        await asyncio.sleep(0.1)
        assert (tab.table["n"], tab.table["to_play"]) == (moved, 1)
        assert other.table is None
        for _ in range(AT_ONCE):
            gate.release()
        assert (await tab.my_turn())["n"] > moved
        await beginning

    run(play)
