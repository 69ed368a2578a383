"""What is made ready before a table begins: everything, so that nothing is compiled while people wait at it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import pytest
from serving import ROOT, RULESETS, Desk, Tab, run

from agents import expert
from game import lobby, warming
from rummy_env import Rules
from rummy_env.core import kernel

compiled = pytest.mark.skipif(not kernel.JIT, reason="nothing is compiled")

PLAYING = '''
import asyncio, gc, random, sys
sys.path.insert(0, "tests")
from numba.core.dispatcher import Dispatcher
from game import offers, records, timeouts, warming
from game.rooms import Room
from rummy_env.core.kernel import _ForgivingCache
from serving import Tab, desk, room_of

ruleset = sys.argv[1]

def kernels():
    """Every kernel that Python can call, with what it is ready for."""
    gc.unfreeze()
    found = [one for one in gc.get_objects() if isinstance(one, Dispatcher) and isinstance(one._cache, _ForgivingCache)]
    return {(one.py_func.__module__, one.py_func.__qualname__, str(types)) for one in found for types in one.overloads}

async def play(one, levels, rng):
    tab = Tab(one)
    await tab.ask("quick", name="Mina", ruleset=ruleset, computers=levels, length="match")
    room, rounds = room_of(one, tab), 0
    while rounds < 2:
        table = await tab.my_turn()
        if table["result"] is not None:
            rounds += 1
            if table["result"]["match_over"]:
                break
            await tab.ask("ready")
            await tab.table_where(lambda table: table["result"] is None)
            continue
        groups = [meld["cards"] for meld in table["melds"]]
        await tab.ask("check", groups=groups or [table["hand"][:3]])
        timeouts.any_move(room.game)
        timeouts.rolled_back(room.game)
        for cards in groups:
            await tab.ask("lay", n=tab.table["n"], cards=cards)
        if tab.table.get("moves"):
            await tab.play(rng.choice(tab.table["moves"])["move"])
    stored = one.lobby.store.load(room.code)
    for each in records.rounds_of(stored):
        records.replay(each)
        records.record_of([each], "json")
    Room.restored(stored, one.lobby.store, one.lobby.thinkers, one.lobby.timing, lambda: None)

async def main():
    async with desk() as one:
        await one.lobby.warmed(ruleset)
        before = kernels()
        for number, levels in enumerate((["easy"], ["normal"], ["hard"])):
            await play(one, levels, random.Random(number))
        for found in sorted(kernels() - before):
            print(*found)

asyncio.run(main())
'''


@compiled
@pytest.mark.parametrize("ruleset", RULESETS)
def test_at_a_table_nothing_is_compiled_any_more(ruleset: str) -> None:
    found = subprocess.run(
        [sys.executable, "-c", PLAYING, ruleset], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout == ""


@compiled
@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_expert_is_made_ready_in_every_ruleset(ruleset: str) -> None:
    warming.warm_advice(ruleset)
    ready = [signature[0] for signature in expert.ripen_hands.signatures]
    assert numba.typeof(Rules.preset(ruleset).record) in ready


@compiled
def test_what_is_compiled_apart_leaves_a_mark_of_these_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(kernel, "CACHE_DIR", tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setitem(warming._WORK, "table", made.append)
    assert not warming.is_compiled("straight", "table")
    warming.main("straight", "table")
    warming.main("straight", "table")
    assert made == ["straight"]
    assert warming.is_compiled("straight", "table")
    assert not warming.is_compiled("straight", "advice")
    assert not warming.is_compiled("gin", "table")
    monkeypatch.setattr(warming, "_sources_of_players", lambda: "others")
    assert not warming.is_compiled("straight", "table")


@compiled
def test_of_two_who_would_compile_the_same_one_waits_for_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(kernel, "CACHE_DIR", tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    made: list[str] = []
    begun, enough = threading.Event(), threading.Event()

    def compiling(ruleset: str) -> None:
        made.append(ruleset)
        begun.set()
        assert enough.wait(20)

    monkeypatch.setitem(warming._WORK, "table", compiling)
    both = [threading.Thread(target=warming.main, args=("straight", "table")) for _ in range(2)]
    for one in both:
        one.start()
    assert begun.wait(20)
    time.sleep(0.3)  # the other would have begun too
    enough.set()
    for one in both:
        one.join()
    assert made == ["straight"]


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_compilation_that_nobody_waits_for_any_more_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "CACHE_DIR", tmp_path)
    monkeypatch.setenv("RUMMY_CACHE_DIR", str(tmp_path))
    begun: list[asyncio.subprocess.Process] = []
    begin = asyncio.create_subprocess_exec

    async def remember(*command: str) -> asyncio.subprocess.Process:
        begun.append(await begin(*command))
        return begun[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", remember)

    async def compile_and_leave() -> None:
        task = asyncio.create_task(warming.compile_apart("straight", "table"))
        while not begun:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        deadline = time.monotonic() + 30
        while begun[0].returncode is None and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        assert begun[0].returncode == -signal.SIGKILL

    asyncio.run(compile_and_leave())


def test_who_waits_for_a_ruleset_is_told_and_no_other_table_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "TOLD_EVERY", 0.05)

    async def play(desk: Desk) -> None:
        there, waits = Tab(desk), Tab(desk)
        await there.ask("quick", name="Jun", ruleset="straight", computers=["easy"])
        enough = asyncio.Event()

        async def compiling(ruleset: str, what: str) -> None:
            await enough.wait()

        monkeypatch.setattr(lobby, "compile_apart", compiling)
        asking = asyncio.create_task(waits.ask("quick", name="Mina", ruleset="gin", computers=["easy"]))
        for _ in range(3):
            told = await waits.until(lambda message: message["type"] == "preparing")
            assert (told["asked"], told["ruleset"]) == (1, "gin")
            table = await there.my_turn()
            assert (await there.play(table["moves"][0]["move"]))["type"] == "done"
        assert waits.room is None
        enough.set()
        await waits.until(lambda message: message["type"] == "seated")
        await asking

    run(play)
