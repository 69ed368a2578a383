"""The benchmark measures what it says; how fast anything is, no test says."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import arrangements, bench, start, worst
from benchmarks.contest import Contestant, hold


def waiting(seconds: float, count: int = 1) -> Contestant:
    def play() -> int:
        time.sleep(seconds)
        return count

    return Contestant("sleepers", f"{seconds}", play, threads=True)


def test_turns_are_taken_in_rounds_and_the_first_call_does_not_count() -> None:
    order: list[str] = []

    def player(name: str) -> Contestant:
        def play() -> int:
            order.append(name)
            return 7

        return Contestant("players", name, play)

    one, other = player("one"), player("other")
    ticks: list[int] = []
    hold([one, other], 3, 0.0, lambda: ticks.append(len(order)))
    assert order == ["one", "other"] * 4
    assert len(ticks) == 6
    assert len(one.by_wall) == len(other.by_process) == 3


def test_the_speed_is_the_median_of_counts_by_seconds() -> None:
    one = waiting(0.01, count=5)
    one.take_turn(0.0)
    assert 0 < one.speed <= 500  # sleeping may take longer, never less
    one.by_wall = [1.0, 9.0, 5.0]
    assert one.speed == 5.0


def test_time_in_which_the_process_does_nothing_does_not_count() -> None:
    def play() -> int:
        time.sleep(0.05)
        end = time.process_time() + 0.01
        while time.process_time() < end:
            pass
        return 1

    one = Contestant("sleepers", "mostly", play)
    one.take_turn(0.0)
    assert one.speed > 1 / 0.05


@pytest.mark.parametrize("ruleset", ["straight", "gin", "indian", pytest.param("rami", marks=pytest.mark.slow)])
def test_every_contestant_plays_and_counts_its_decisions(ruleset: str) -> None:
    """All of ours, once; a batch counts tables times steps."""
    contestants = list(bench._contestants(ruleset))
    groups = {one.group for one in contestants}
    assert {bench.INSIDE, bench.STEP, bench.ALONE, bench.GYMNASIUM, bench.BOT_GROUP} <= groups
    assert len({(one.group, one.name) for one in contestants}) == len(contestants)
    for one in contestants:
        if "65,536" in one.name:
            continue
        count = one.play()
        assert count > 0
        if one.name.endswith(" tables"):
            assert count % int(one.name.split(" ")[0].replace(",", "")) == 0


def figures() -> dict[str, Any]:
    """Made up, with one peer missing."""
    tables = f"{bench.THREADED_SIZES[0]:,} tables"
    speeds = [
        {
            "group": group,
            "name": name,
            "speed": speed,
            "unit": "decisions/s",
            "times": {"openspiel": speed / 50},
            "turns": {"process": [speed], "wall": [speed]},
        }
        for group, name, speed in [
            (bench.INSIDE, tables, 5000.0),
            (f"{bench.INSIDE}, {bench.THREADS}", tables, 9500.0),
            (bench.PEERS, "openspiel", 50.0),
        ]
    ]
    return {
        "ruleset": "rami",
        "slowest": {"seconds": 0.0012, "position": "2s 3s 4s", "legal_share": 0.25},
        "machine": {"processor": "a processor", "cores": 2},
        "speeds": speeds,
        "missing": {"rlcard": "rlcard is not installed: pip install rummy-env[bench]"},
        "start": {"import": 0.25, "cold": 9.0, "warm": 0.75},
        "bytes_per_table": {"2": 1900.0},
        "training": {"steps_per_second": 5600.0, "environment_share": 0.12},
    }


def printed(found: dict[str, Any]) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(bench.report(found))
    return console.export_text()


def test_the_report_has_every_figure() -> None:
    text = printed(figures())
    for piece in ("5,000", "100.0", "9,500", "190.0", "1.90 × one", "0.25 s", "9.0 s", "0.75 s", "1,900 bytes"):
        assert piece in text
    for piece in ("Rami on", "1.200 ms", "2s 3s 4s", "25%"):
        assert piece in text
    for piece in ("5,600 steps/s", "12%", "pip install rummy-env[bench]", "a processor"):
        assert piece in text


def test_the_report_says_why_there_is_no_training_figure() -> None:
    found = figures() | {"training": {"missing": "torch is not installed: pip install rummy-env[train]"}}
    assert "torch is not installed: pip install rummy-env[train]" in printed(found)


def test_the_figures_are_written_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(bench, "measure", lambda quick, ruleset: figures() | {"quick": quick, "ruleset": ruleset})
    bench.main(json=tmp_path / "bench.json", quick=True, ruleset="rami")
    assert json.loads((tmp_path / "bench.json").read_text()) == figures() | {"quick": True, "ruleset": "rami"}
    assert "5,000" in capsys.readouterr().out


def test_memory_of_a_table_for_every_number_of_players() -> None:
    found = bench._memory("straight")
    assert list(found) == ["2", "3", "4"]
    assert 1000 < found["2"] < found["3"] < found["4"] < 2304


def test_a_table_of_rami_for_up_to_four_has_less_than_four_thousand_bytes() -> None:
    found = bench._memory("rami")
    assert list(found) == ["2", "4", "6"]
    assert 2304 < found["2"] < found["4"] < 4000
    assert found["4"] < found["6"] < 4500


def test_the_slowest_decision_is_of_a_position_that_can_be() -> None:
    seconds, hand = worst.slowest(0.0)
    assert seconds > 0
    assert hand.game().to_play == 0


def test_a_ruleset_that_is_not_measured_is_named() -> None:
    with pytest.raises(ValueError, match="expected a ruleset of straight, rami, gin, indian, got 'chess'"):
        bench.main(ruleset="chess")


@pytest.mark.slow
def test_all_of_it() -> None:
    found = bench.measure(quick=True)
    assert json.loads(json.dumps(found)) == found
    assert all(len(row["turns"]["wall"]) == 3 and row["speed"] > 0 for row in found["speeds"])
    printed(found)


@pytest.mark.slow
def test_starts() -> None:
    found = start.measure(1)
    assert 0 < found.importing < found.warm < found.cold


@pytest.mark.slow
def test_every_search_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrangements, "HANDS", 3)
    found = list(arrangements.timings())
    assert {timing.what.split(":")[0] for timing in found} == {
        "gin",
        "indian, 2 decks",
        "indian, 3 decks",
        "indian, 2 decks, min_naturals 2",
    }
    assert len({(timing.what, timing.hands) for timing in found}) == len(found)
    assert all(timing.mean >= 0 and timing.worst > 0 for timing in found)
    assert arrangements.report(found).row_count == len(found)
