"""The documentation page of every ruleset, made from the tables that the kernels use.

    python -m rummy_env.documentation [--check] [--folder docs]

writes ``docs/straight.md``; ``--check`` only says whether the page is up to date.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.actions import ACTION_TABLE_VERSION, action_table, num_actions
from rummy_env.cards import NUM_FACES, cards_text
from rummy_env.core.batch import REWARD_SCHEMES
from rummy_env.episode import SCALE_WITHOUT_TARGET
from rummy_env.fields import FIELD_TABLE_VERSION, Field, observation_size, observation_table
from rummy_env.game import Game
from rummy_env.registration import VERSIONS, environment_id
from rummy_env.render import text
from rummy_env.rules import PRESETS, SEATS, Rules, allowed_range, option_names

EXAMPLE_SEED: Final = 7
EXAMPLE_MOVES: Final = 43
"""The position drawn on a page: this many moves after the deal of this seed."""

DOWN_KINDS: Final = ("meld", "layoff", "piece", "lengthen", "confirm")
"""Moves that the player of that position prefers."""

PHASE_NAMES: Final = {"gin": ("upcard", "draw", "play")}
"""Phases by their column in the observation, where a ruleset has others than draw and play."""

WON: Final = {
    "gin": "a player knocks: who has less deadwood wins the round",
    "indian": "a player declares, or all others have packed: that seat wins the round",
}
"""How a round is won, where it is not by an empty hand."""

NEXT_DEAL: Final = "next round; terminated once everybody has dealt"
NEXT_ROUND: Final = "next round; terminated once `target` is reached"

REWARDS: Final = {
    "zero_sum": "a seat's score minus the mean of the others' scores, divided by `reward_scale`; the default",
    "score": "a seat's score, divided by `reward_scale`",
    "win": "1 for the winner, -1/(P-1) for each of the other P-1 seats, 0 for all if nobody won",
}
"""What every scheme of `REWARD_SCHEMES` pays."""


def page(ruleset: str) -> str:
    """The page of a ruleset in Markdown."""
    return "\n".join(_lines(ruleset)) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write all pages; with ``--check``, return 1 if one of them is not what would be written."""
    parser = argparse.ArgumentParser(prog="python -m rummy_env.documentation", description="Write the rulesets' pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    parser.add_argument("--folder", type=Path, default=Path("docs"), help="where the pages lie (default: docs)")
    args = parser.parse_args(argv)
    stale = 0
    for ruleset in VERSIONS:
        path = args.folder / f"{ruleset}.md"
        wanted = page(ruleset)
        if path.is_file() and path.read_text(encoding="utf-8") == wanted:
            continue
        if args.check:
            print(f"{path}: expected what python -m rummy_env.documentation writes, got another page", file=sys.stderr)
            stale += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {path}")
    return 1 if stale else 0


def _paragraph(words: str) -> Iterator[str]:
    yield from textwrap.wrap(words, 118, break_long_words=False, break_on_hyphens=False)
    yield ""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def _lines(ruleset: str) -> Iterator[str]:
    rules = Rules.preset(ruleset)
    yield f"# `{ruleset}` for agents"
    yield ""
    yield from _paragraph(
        "Made by `python -m rummy_env.documentation` from the tables that the kernels use; edit those, not this page."
    )
    yield from _paragraph(
        f"PettingZoo: `rummy_env.{ruleset}_v0`, agents `player_0` to `player_{{P-1}}`. Gymnasium: "
        f"`{environment_id(ruleset)}`. Batches: `rummy_env.vector.make({ruleset!r}, …)`. All give the same rows."
    )
    yield from _observation(rules)
    yield from _actions(rules)
    yield from _rewards()
    yield from _ends(rules)
    yield from _hidden()
    yield from _options(rules)
    yield from _example(rules)


def _observation(rules: Rules) -> Iterator[str]:
    fewest, most = SEATS[rules.ruleset]
    sizes = ", ".join(
        f"{observation_size(rules.ruleset, players)} columns for {players}" for players in range(fewest, most + 1)
    )
    yield f"## Observation (table version {FIELD_TABLE_VERSION})"
    yield ""
    yield from _paragraph(
        f"One row of uint8, each 0 or 1: {sizes} players. It is the same for every seat: `next_1` is the player after "
        "the observer, `next_2` the one after that, as far as there are so many. A set of cards has a column for each "
        f"of the {NUM_FACES} cards, in the order A 2 3 4 5 6 7 8 9 T J Q K of spades, then of hearts, diamonds and "
        "clubs. A *thermometer* of k is k ones from its first column on."
    )
    yield from _table(
        ("Field", "Slice", "Shape", "dtype", "Range", "Known to", "Meaning"),
        (
            (f"`{f.name}`", f"{f.slice.start}:{f.slice.stop}", f"({f.size},)", "uint8", "0–1", f.known_to, f.meaning)
            for f in observation_table(rules.ruleset, most)
        ),
    )


def _actions(rules: Rules) -> Iterator[str]:
    ruleset = rules.ruleset
    building = ""
    if rules.has_table:
        building = (
            " Longer melds are a meld of three and lay-offs. Where several melds on the table take the card, the first "
            "of them on which that is legal is meant."
        )
    yield f"## Actions (table version {ACTION_TABLE_VERSION})"
    yield ""
    yield from _paragraph(
        f"`Discrete({num_actions(ruleset)})`. An id means the same in every position. The mask, int8, has 1 for the "
        f"legal ids of the seat to play, and is all 0 for a seat that waits.{building} "
        "Cards are numbered as in the observation."
    )
    yield from _table(
        ("Ids", "Count", "Name", "Phase", "Decode", "Text"),
        (
            (
                str(b.first) if b.count == 1 else f"{b.first}–{b.stop - 1}",
                b.count,
                f"`{b.name}`",
                b.phase,
                b.decode,
                f"`{b.text}`",
            )
            for b in action_table(ruleset)
        ),
    )


def _rewards() -> Iterator[str]:
    yield "## Rewards"
    yield ""
    yield from _paragraph(
        "Paid to all seats at the end of a round, 0 before. `reward_scale` is the rules' `target` unless it is given; "
        f"{SCALE_WITHOUT_TARGET:g} where that is 0."
    )
    yield from _table(("`rewards=`", "What a seat gets"), ((f"`{name}`", REWARDS[name]) for name in REWARD_SCHEMES))
    yield from _paragraph(
        'A seat that plays an illegal action where `illegal="lose"` gets -1, each other seat 1/(P-1), whatever the '
        "scheme."
    )


def _ends(rules: Rules) -> Iterator[str]:
    if rules.blocks:
        stuck = "no card can be drawn any more: the round is blocked, the fewest points in hand win"
        then = ("terminated", NEXT_ROUND)
    elif rules.ruleset == "gin":
        stuck = f"a turn ends without a knock and {rules.void_stock} cards or fewer in the stock: the round is void"
        then = ("terminated", "next round")
    else:
        stuck, then = "no card can be drawn or taken: the round is void", ("terminated", "next round")
    won = WON.get(rules.ruleset, "a hand is empty: its seat wins the round")
    go_on = NEXT_ROUND
    if rules.ruleset == "indian":
        stuck = "a turn in which the stock is used up ends without a declaration: the round is void"
        then, go_on = ("terminated", NEXT_DEAL), NEXT_DEAL
    yield "## Ends"
    yield ""
    yield from _table(
        ("What happens", "`match=False` (an episode is a round)", "`match=True` (an episode is a match)"),
        (
            (won, "terminated", go_on),
            (stuck, *then),
            ("`max_turns` turns are over: the round is void", "truncated", "next round"),
            *([] if rules.rounds else [("`max_rounds` rounds are over", "—", "truncated")]),
            ('an illegal action, `illegal="lose"`: the round is void', "terminated", "terminated"),
            ('an illegal action, `illegal="raise"`', "refused, nothing changes", "refused, nothing changes"),
        ),
    )


def _hidden() -> Iterator[str]:
    yield "## What is hidden"
    yield ""
    yield from _paragraph(
        "The order of the stock, and the cards of other hands but for those that everybody saw taken from the pile. A "
        "row is written from the view of its seat, which has nothing else: a seat that waits sees its own hand, never "
        "the mover's. Shuffles to come depend on the seed alone, which no row shows."
    )


def _options(rules: Rules) -> Iterator[str]:
    yield "## Options of the rules"
    yield ""
    preset = PRESETS[rules.ruleset]
    yield from _paragraph(f"Keyword arguments of every environment and of `Rules.preset({rules.ruleset!r}, …)`.")
    yield from _table(
        ("Option", "Default", "Allowed", "Meaning"),
        (
            (
                f"`{f.name}`",
                f"`{preset.get(f.name, f.default)}`",
                _allowed(rules.ruleset, f.name, f.default, f.metadata),
                f.metadata["doc"],
            )
            for f in fields(rules)
            if f.name in option_names(rules.ruleset)
        ),
    )


def _allowed(ruleset: str, name: str, default: Any, metadata: Any) -> str:
    if "choices" in metadata:
        return ", ".join(f"`{choice}`" for choice in metadata["choices"])
    if isinstance(default, bool):
        return "`True`, `False`"
    return "{} to {}".format(*allowed_range(ruleset, name, metadata["low"], metadata["high"]))


# --- the example ---------------------------------------------------------------------------------------------


def example(rules: Rules) -> Game:
    """The position of the page: a deal and some moves by lot, cards put down wherever that is legal; nobody packs."""
    game = Game.deal(rules, EXAMPLE_SEED)
    rng = np.random.default_rng(EXAMPLE_SEED)
    for _ in range(EXAMPLE_MOVES):
        moves = [action for action in game.legal_actions() if game.move_of(action).kind != "pack"]
        down = [action for action in moves if game.move_of(action).kind in DOWN_KINDS]
        game.step(int(rng.choice(down or moves)))
    return game


def _example(rules: Rules) -> Iterator[str]:
    game = example(rules)
    view = game.view(game.to_play)
    observation, mask = view.rows()
    yield "## A position and its row"
    yield ""
    yield from _paragraph(f"Seed {EXAMPLE_SEED}, {EXAMPLE_MOVES} moves after the deal, as seat {view.seat} sees it:")
    yield "```text"
    yield text(view)
    yield "```"
    yield ""
    legal = ", ".join(f"{action} `{game.move_of(action)}`" for action in np.flatnonzero(mask).tolist())
    yield from _paragraph(
        f"The mask is 1 for {int(mask.sum())} of {len(mask)} ids: {legal}. The row is 1 in these columns:"
    )
    yield from _table(
        ("Field", "Columns", "Reading"),
        (
            (f"`{field.name}`", _ranges(np.flatnonzero(bits) + field.offset), _reading(rules, field, bits))
            for field in observation_table(rules.ruleset, rules.num_players)
            if (bits := observation[field.slice]).any()
        ),
    )


def _ranges(columns: npt.NDArray[np.intp]) -> str:
    """``3, 7–9`` for 3, 7, 8, 9."""
    rows = np.split(columns, np.flatnonzero(np.diff(columns) != 1) + 1)
    return ", ".join(str(row[0]) if len(row) == 1 else f"{row[0]}–{row[-1]}" for row in rows)


def _reading(rules: Rules, field: Field, bits: npt.NDArray[np.uint8]) -> str:
    ones = np.flatnonzero(bits).tolist()
    if field.size == NUM_FACES:
        return cards_text(ones)
    if field.name == "phase":
        return PHASE_NAMES.get(rules.ruleset, ("draw", "play"))[ones[0]]
    return "yes" if field.size == 1 else f"{len(ones)} of {field.size}"


if __name__ == "__main__":
    sys.exit(main())
