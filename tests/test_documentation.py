"""The page of every ruleset agrees with the tables and with the environments, and names what is in them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rummy_env import Game, Rules, spaces
from rummy_env.cards import JOKER, parse_cards
from rummy_env.core.batch import REWARD_SCHEMES
from rummy_env.documentation import EXAMPLE_MOVES, EXAMPLE_SEED, REWARDS, example, main, page
from rummy_env.registration import VERSIONS
from rummy_env.rules import SEATS

DOCS = Path(__file__).parent.parent / "docs"


def tables(text: str) -> list[list[dict[str, str]]]:
    """All tables of a page, each a list of rows by their head."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [
            [cell.strip().replace("\\|", "|") for cell in line.strip().strip("|").split(" | ")]
            for line in block.splitlines()
        ]
        found.append([dict(zip(rows[0], row, strict=True)) for row in rows[2:]])
    return found


def table(ruleset: str, column: str) -> list[dict[str, str]]:
    return next(rows for rows in tables((DOCS / f"{ruleset}.md").read_text(encoding="utf-8")) if column in rows[0])


@pytest.mark.parametrize("ruleset", VERSIONS)
def test_the_page_in_the_repository_is_the_one_that_would_be_written(ruleset: str) -> None:
    assert (DOCS / f"{ruleset}.md").read_text(encoding="utf-8") == page(ruleset), (
        "run python -m rummy_env.documentation"
    )


@pytest.mark.parametrize(
    ("ruleset", "num_players"),
    [(ruleset, players) for ruleset in VERSIONS for players in range(2, min(4, SEATS[ruleset][1]) + 1)],
)
def test_columns_of_the_observation_are_those_of_the_table(ruleset: str, num_players: int) -> None:
    """The page has the fields of the largest game; a smaller one has the first of them."""
    fields = spaces(ruleset, num_players).fields
    rows = table(ruleset, "Slice")[: len(fields)]
    for field, row in zip(fields, rows, strict=True):
        assert row == {
            "Field": f"`{field.name}`",
            "Slice": f"{field.offset}:{field.offset + field.size}",
            "Shape": f"({field.size},)",
            "dtype": "uint8",
            "Range": "0–1",
            "Known to": field.known_to,
            "Meaning": field.meaning,
        }
    stops = [0, *(int(row["Slice"].split(":")[1]) for row in rows)]
    assert [int(row["Slice"].split(":")[0]) for row in rows] == stops[:-1], "expected no gaps between the fields"
    assert Game.deal(Rules.preset(ruleset, num_players=num_players), seed=1).observation(0).shape == (stops[-1],)


@pytest.mark.parametrize("ruleset", VERSIONS)
def test_ids_of_actions_are_those_of_the_table(ruleset: str) -> None:
    rows = table(ruleset, "Ids")
    blocks = spaces(ruleset).actions
    next_id = 0
    for block, row in zip(blocks, rows, strict=True):
        first, _, last = row["Ids"].partition("–")
        assert (int(first), int(last or first)) == (next_id, next_id + block.count - 1)
        assert row["Count"] == str(block.count)
        assert row["Name"] == f"`{block.name}`"
        assert (row["Phase"], row["Decode"], row["Text"]) == (block.phase, block.decode, f"`{block.text}`")
        next_id += block.count
    assert next_id == spaces(ruleset).num_actions == len(Game.deal(Rules.preset(ruleset), seed=1).action_mask(0))


def test_every_reward_scheme_is_described() -> None:
    assert tuple(REWARDS) == REWARD_SCHEMES


@pytest.mark.parametrize("ruleset", VERSIONS)
def test_every_option_is_described_with_what_it_allows(ruleset: str) -> None:
    for row in table(ruleset, "Option"):
        name = row["Option"].strip("`")
        if row["Allowed"].startswith("`"):
            for choice in row["Allowed"].replace("`", "").split(", "):
                Rules.preset(ruleset, **{name: {"True": True, "False": False}.get(choice, choice)})
            with pytest.raises(ValueError, match=name):
                Rules.preset(ruleset, **{name: "neither"})
        else:
            for beyond in (int(row["Allowed"].split(" to ")[0]) - 1, int(row["Allowed"].split(" to ")[1]) + 1):
                with pytest.raises(ValueError, match=f"{name}.* {row['Allowed']}, got {beyond}"):
                    Rules.preset(ruleset, **{name: beyond})


@pytest.mark.parametrize("ruleset", VERSIONS)
def test_the_drawn_position_has_the_row_that_the_page_gives(ruleset: str) -> None:
    rules = Rules.preset(ruleset)
    game = example(rules)
    assert (game.seed, len(game.history)) == (EXAMPLE_SEED, EXAMPLE_MOVES)
    row = np.zeros_like(game.observation(game.to_play))
    readings = {}
    for line in table(ruleset, "Columns"):
        readings[line["Field"].strip("`")] = line["Reading"]
        for part in line["Columns"].split(", "):
            first, _, last = part.partition("–")
            row[int(first) : int(last or first) + 1] = 1
    np.testing.assert_array_equal(row, game.observation(game.to_play))
    # Sets of faces: a card that is there twice is named once, jokers have fields of their own.
    assert readings["hand"].split() == [card for card in dict.fromkeys(game.hand(game.to_play)) if card != "Jk"]
    assert readings.get("pile_top", "").split() == [card for card in game.pile[-1:] if card != "Jk"]
    on_table = {card for meld in game.table for card in parse_cards(meld.cards)}
    assert parse_cards(readings.get("table", "")) == sorted(on_table - {JOKER})
    text = (DOCS / f"{ruleset}.md").read_text(encoding="utf-8")
    listed = re.search(r"The mask is 1 for (?P<count>\d+) of (?P<all>\d+) ids: (?P<ids>[^.]*)\.", text)
    assert listed is not None
    ids = [int(number) for number in re.findall(r"(\d+)\s`", listed["ids"])]
    assert ids == game.legal_actions()
    assert (int(listed["count"]), int(listed["all"])) == (len(ids), spaces(ruleset).num_actions)


def test_check_tells_a_stale_page_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "docs"
    assert main(["--folder", str(folder), "--check"]) == 1
    assert not folder.exists()
    assert main(["--folder", str(folder)]) == 0
    assert main(["--folder", str(folder), "--check"]) == 0
    stale = folder / "straight.md"
    stale.write_text(stale.read_text(encoding="utf-8").replace("52:104", "52:105"), encoding="utf-8")
    capsys.readouterr()
    assert main(["--folder", str(folder), "--check"]) == 1
    assert str(stale) in capsys.readouterr().err
    assert "52:105" in stale.read_text(encoding="utf-8")
