"""`training.evaluate.evaluate` and what it presents: order of the bots, reproducible figures, table, JSON, picture."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from rich.console import Console

import agents
import rummy_cli
from rummy_env import Rules, View
from training import evaluate as evaluation_module
from training.evaluate import MAX_SEED, Evaluation, evaluate

SEED = 20_000_000
BOTS = ["random", "easy", "normal", "hard"]


def quick(entrants: list[Any], num_players: int = 2, deals: int = 20, **options: Any) -> Evaluation:
    return evaluate("straight", num_players, entrants, **{"deals": deals, "seed": SEED, "progress": False, **options})


@pytest.fixture(scope="module")
def small() -> Evaluation:
    """Three agents at tables of three: duels and a common table, in matches."""
    return quick(["easy", "normal", "hard"], num_players=3, deals=8, match=True)


# --- who is better -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "deals"), [(2, 2000), (3, 800), (4, 800)])
def test_the_bots_are_ordered_with_significance(num_players: int, deals: int) -> None:
    evaluation = quick(BOTS, num_players, deals)
    for weaker, stronger in pairwise(BOTS):
        assert evaluation.beats(stronger, weaker)
        assert not evaluation.beats(weaker, stronger)
    strengths = [evaluation.agent(name).elo.value for name in BOTS]
    assert strengths[0] < strengths[1] < min(strengths[2:])
    assert [agent.name for agent in evaluation.ranked()] == BOTS[::-1]


@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_an_agent_against_itself_is_exactly_level(num_players: int, match: bool) -> None:
    evaluation = quick(["hard", "hard"], num_players, match=match)
    assert [agent.name for agent in evaluation.agents] == ["hard", "hard (2)"]
    points = evaluation.pair("hard", "hard (2)").duel.points
    assert (points.value, points.low, points.high) == (0.0, 0.0, 0.0)
    assert not evaluation.beats("hard", "hard (2)")


def test_a_duel_and_its_mirror_image_agree(small: Evaluation) -> None:
    for pair in small.pairs:
        mirrored = small.pair(pair.opponent, pair.agent).duel
        assert pair.duel.points.value == pytest.approx(-mirrored.points.value)
        assert pair.duel.points.margin == pytest.approx(mirrored.points.margin)
        assert (pair.duel.voids, pair.duel.turns) == (mirrored.voids, mirrored.turns)
        # Matches have one winner here. A seat that sits among two others wins a third of them by itself.
        assert pair.duel.match_wins is not None
        assert mirrored.match_wins is not None
        assert 0 <= pair.duel.match_wins.value + mirrored.match_wins.value <= 1


def test_an_agents_figures_are_the_mean_of_its_duels(small: Evaluation) -> None:
    for agent in small.agents:
        duels = [pair.duel for pair in small.pairs if pair.agent == agent.name]
        assert len(duels) == 2
        assert agent.duels.points.value == pytest.approx(np.mean([duel.points.value for duel in duels]))
        assert agent.duels.turns.value == pytest.approx(np.mean([duel.turns.value for duel in duels]))


def test_a_common_table_shares_everything_out(small: Evaluation) -> None:
    tables = [agent.common_table for agent in small.agents]
    assert sum(table.points.value for table in tables if table) == pytest.approx(0)
    assert sum(table.match_wins.value for table in tables if table and table.match_wins) == pytest.approx(1)
    assert sum(agent.elo.value for agent in small.agents) == pytest.approx(0)
    # Three duels of six seatings, and six orders at the common table.
    assert small.tables == 8 * (3 * 6 + 6)


def test_a_common_table_needs_as_many_agents_as_seats() -> None:
    evaluation = quick(["easy", "normal"], num_players=3, deals=2)
    assert [agent.common_table for agent in evaluation.agents] == [None, None]


# --- the same figures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", [False, True])
def test_figures_do_not_depend_on_the_number_of_workers(match: bool) -> None:
    figures = [quick(BOTS, deals=40, match=match, workers=workers).to_json() for workers in (1, 2, 5)]
    assert figures[0] == figures[1] == figures[2]


def test_another_seed_deals_other_cards() -> None:
    one, other = quick(["normal", "hard"]), quick(["normal", "hard"], seed=SEED + 1000)
    assert one.pair("hard", "normal") != other.pair("hard", "normal")


def test_the_command_gives_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluation = quick(["easy", "normal"], deals=4, match=True, options={"target": 30, "discard_taken": True})
    words = shlex.split(evaluation.command)
    assert words[0] == "rummy"
    assert rummy_cli.main([*words[1:], "--no-progress", "--json", str(tmp_path / "figures.json")]) == 0
    assert json.loads((tmp_path / "figures.json").read_text()) == evaluation.to_json()
    assert "normal" in capsys.readouterr().out


# --- agents --------------------------------------------------------------------------------------------------


def first_legal(view: View) -> int:
    return int(view.action_mask.argmax())


def test_agents_may_be_given_as_objects_and_functions() -> None:
    rules = Rules.preset("straight")
    evaluation = quick([agents.load("normal", rules), first_legal, "normal"], deals=4, workers=3)
    assert [agent.name for agent in evaluation.agents] == ["normal", "first_legal", "normal (2)"]
    assert [agent.given for agent in evaluation.agents] == ["<normal>", "<first_legal>", "normal"]
    assert evaluation.pair("normal", "normal (2)").duel.points.value == 0


class LoadedPolicy:
    name = "policy"
    act = staticmethod(first_legal)


def test_policies_are_named_by_as_much_of_their_paths_as_tells_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "run-1" / "policy", tmp_path / "run-2" / "policy", tmp_path / "other"]
    for path in paths:
        path.mkdir(parents=True)
    load = agents.load
    monkeypatch.setattr(
        evaluation_module.registry,
        "load",
        lambda given, rules: LoadedPolicy() if Path(given).exists() else load(given, rules),
    )
    given = [*map(str, paths), f"{paths[2]}/../other", "hard"]
    evaluation = quick(given, deals=2)
    assert [agent.name for agent in evaluation.agents] == ["run-1/policy", "run-2/policy", "other", "other (2)", "hard"]
    assert [agent.given for agent in evaluation.agents] == given


# --- what is presented ---------------------------------------------------------------------------------------


def test_figures_survive_json(small: Evaluation) -> None:
    figures = json.loads(json.dumps(small.to_json()))
    assert Evaluation.from_json(figures) == small
    assert figures["seed"] == SEED
    assert figures["deals"] == 8
    assert figures["match"] is True
    assert "clustered by deal" in " ".join(figures["method"])
    assert set(figures["versions"]) >= {"rummy-env", "engine", "observation_table", "action_table", "numpy", "numba"}


@pytest.mark.parametrize(
    ("change", "words"),
    [({"deals": "many"}, "got deals: "), ({"elo": 3}, "got elo: "), ({"agents": [{}]}, "got agents.0.name: ")],
)
def test_foreign_figures_are_refused_in_one_line(small: Evaluation, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"expected the figures of an evaluation, {words}") as error:
        Evaluation.from_json(small.to_json() | change)
    assert "\n" not in str(error.value)


def printed(evaluation: Evaluation, width: int) -> str:
    console = Console(width=width, file=StringIO())
    with console.capture() as capture:
        console.print(evaluation.table())
    return capture.get()


def test_the_table_shows_every_agent_every_pair_and_the_common_table(small: Evaluation) -> None:
    text = printed(small, width=80)
    assert "straight, 3 players: matches on 8 deals, seed 20000000" in text
    for agent in small.agents:
        assert len(re.findall(rf"^ *{agent.name} .*±", text, re.MULTILINE)) == 3
        assert f"{agent.duels.points.value:+.2f} ±{agent.duels.points.margin:.2f}" in text
    for pair in small.pairs:
        assert f"{pair.duel.points.value:+.2f} ±{pair.duel.points.margin:.2f}" in text
    assert "All at one table" in text


def test_a_name_that_looks_like_markup_is_shown_as_it_is(small: Evaluation, tmp_path: Path) -> None:
    figures = json.loads(json.dumps(small.to_json()).replace('"easy"', '"[red]$x^$"'))
    strange = Evaluation.from_json(figures)
    assert "[red]$x^$" in printed(strange, width=120)
    strange.save_picture(tmp_path / "strange.png")


def test_the_picture_is_drawn_and_the_same_each_time(small: Evaluation, tmp_path: Path) -> None:
    for name in ("one.png", "two.PNG", "one.svg", "two.svg"):
        small.save_picture(tmp_path / name)
    image = imread(tmp_path / "one.png")[..., :3]
    height, width = image.shape[:2]
    assert height > 400
    assert width > 800
    # Ink in every quarter, many colours, mostly paper.
    for quarter in (image[: height // 2, : width // 2], image[height // 2 :, width // 2 :]):
        assert (quarter < 0.5).any()
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100
    assert (image.min(axis=2) > 0.9).mean() > 0.5
    assert ElementTree.parse(tmp_path / "one.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    for kind in ("png", "svg"):
        other = "two.PNG" if kind == "png" else "two.svg"
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / other).read_bytes()


def test_a_picture_has_to_be_png_or_svg(small: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a picture that ends in \.png or \.svg, got .*table\.gif"):
        small.save_picture(tmp_path / "table.gif")


def test_progress_is_shown_on_stderr_only(capsys: pytest.CaptureFixture[str]) -> None:
    quick(["easy", "normal"], deals=4, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "8/8" in err


# --- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"agents": []}, "agents: expected a list of two or more"),
        ({"agents": ["hard"]}, r"agents: expected a list of two or more, got \['hard'\]"),
        ({"agents": "hard"}, "agents: expected a list of two or more, got 'hard'"),
        ({"agents": ["hard", "nrmal"]}, "random, easy, normal, hard.*got 'nrmal'.*did you mean 'normal'"),
        ({"agents": ["hard", "no/such/policy"]}, "got 'no/such/policy'"),
        ({"agents": ["hard", 3]}, "got 3"),
        ({"deals": 1}, "deals: expected two or more"),
        ({"deals": 0}, "deals: expected a whole number from 1"),
        ({"deals": True}, "deals: expected a whole number"),
        ({"deals": 1.5}, "deals: expected a whole number"),
        ({"seed": -1}, f"seed: expected a whole number from 0 to {MAX_SEED}, got -1"),
        ({"seed": "7"}, f"seed: expected a whole number from 0 to {MAX_SEED}, got '7'"),
        ({"workers": 0}, "workers: expected a whole number from 1"),
        ({"ruleset": "canasta"}, "expected a ruleset"),
        ({"num_players": 5}, "num_players: expected a whole number from 2 to 4, got 5"),
        ({"options": {"turnz": 3}}, "no option 'turnz'"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: dict[str, Any], words: str) -> None:
    good = {"ruleset": "straight", "num_players": 2, "agents": ["easy", "normal"], "deals": 4, "seed": SEED}
    with pytest.raises(ValueError, match=words) as error:
        evaluate(**{**good, "progress": False, **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("hard", "hard"), "expected two agents, got 'hard' twice"),
        (("hard", "trained"), "expected an agent of easy, normal, hard, got 'trained'"),
    ],
)
def test_a_pair_that_did_not_play_is_refused(small: Evaluation, names: tuple[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        small.beats(*names)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_picture_that_cannot_be_written_whole_leaves_what_was_there(
    small: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    def fill_the_disk(_: Any, path: Path, **__: Any) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device", str(path))

    file = tmp_path / f"table{suffix}"
    file.write_bytes(b"before")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fill_the_disk)
    with pytest.raises(OSError, match=f"No space left on device: '{re.escape(str(file))}'"):
        small.save_picture(file)
    assert file.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_narrow_terminal_cuts_no_name_and_no_figure(
    small: Evaluation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    rummy_cli._print_whole(small.table())
    printed = capsys.readouterr().out
    assert "…" not in printed
    for agent in small.agents:
        assert re.search(
            rf"^ *{re.escape(agent.name)}\b.*{re.escape(f'{agent.duels.voids.value * 100:.1f}')}", printed, re.MULTILINE
        )
