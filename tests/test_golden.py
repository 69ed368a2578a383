"""Golden games: short rounds that people have looked at, replayed and compared line by line.

A file in tests/golden is a record that `rummy replay` shows, named ``<ruleset>-<story>.txt``. Its comments are made
here: before every turn who holds what, what lies on the table, what is legal before each move of the turn, and a
checksum of each seat's observation. Lines that start with ``#:`` tell the story and are kept.

To add one, put any record (`Game.record`, `Match.record`) there; after a change of the rules or of the observation
that is meant, look at the difference that this makes::

    python tests/test_golden.py
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rummy_env import Game
from rummy_env.record import read_all
from rummy_env.registration import VERSIONS
from rummy_env.showdown import ShownHand

pytestmark = pytest.mark.core

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.txt"))
MOST_LINES = 200


def without(text: str, *starts: str) -> str:
    """Text without the lines that begin in one of these ways."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(starts))


def transcript(text: str) -> str:
    """A golden file written anew from the moves in it."""
    story = [line for line in text.splitlines() if line.startswith("#:")]
    rounds = ["\n".join(_round(game)) for game in read_all(without(text, "#", "[Result "))]
    first_line, rest = "\n\n".join(rounds).split("\n", 1)
    return "\n".join([first_line, *story, rest]) + "\n"


def _round(game: Game) -> Iterator[str]:
    header, _, turns = game.record().partition("\n\n")
    yield header
    now = game.start()
    entries = iter(game.history)
    for line in turns.splitlines():
        yield ""
        yield from _before_turn(now)
        turn = now.turn
        while now.turn == turn and not now.over and (entry := next(entries, None)) is not None:
            if now.phase == "play" or str(entry) == "pass":
                yield f"#   may {', '.join(map(str, now.legal_moves()))}"
            now.repeat(entry)
        yield line
    yield from ("", *_before_turn(now))


def _before_turn(now: Game) -> Iterator[str]:
    seats = range(now.rules.num_players)
    yield "# " + ", ".join(f"{seat} holds {' '.join(now.hand(seat)) or 'nothing'}" for seat in seats)
    if now.table:
        yield "# table " + ", ".join(f"{meld} ({meld.by})" for meld in now.table)
    if now.wild:
        yield f"# cut {now.wild}"
    yield f"# pile {' '.join(now.pile) or 'empty'}, stock {now.stock_size}"
    yield "# seen " + " ".join(f"{zlib.crc32(now.observation(seat).tobytes()):08x}" for seat in seats)
    if not now.over:
        yield f"# seat {now.to_play} may {', '.join(map(str, now.legal_moves()))}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert transcript(text).splitlines() == text.splitlines()
    assert len(text.splitlines()) < MOST_LINES, "nobody reads a longer one"
    assert any(line.startswith("#: ") for line in text.splitlines()), "a story is told"


@pytest.mark.parametrize("ruleset", VERSIONS)
def test_every_ruleset_has_golden_games(ruleset: str) -> None:
    rulesets = [game.rules.ruleset for file in FILES for game in read_all(file.read_text(encoding="utf-8"))]
    assert ruleset in rulesets
    assert all(file.stem.split("-")[0] in VERSIONS for file in FILES)


def _steps(game: Game) -> Iterator[Game]:
    now = game.start()
    yield now
    for entry in game.history:
        now.repeat(entry)
        yield now


def _shown(game: Game) -> tuple[ShownHand | None, ...]:
    return game.showdown.hands if game.showdown else ()


def _moves(game: Game, kind: str) -> list[str]:
    return [str(move) for move in game.history if str(move).startswith(f"{kind} ")]


STORIES: dict[str, Callable[[list[Game]], bool]] = {
    "straight-rummy": lambda games: games[0].result is not None and games[0].result.doubled,
    "straight-layoff-finish": lambda games: str(games[0].record().split()[-3]) == "layoff",
    "straight-refill": lambda games: any(now.position()["reshuffles"] for now in _steps(games[0])),
    "straight-must-take": lambda games: any(
        [str(m) for m in now.legal_moves()] == ["take"] for now in _steps(games[0])
    ),
    "straight-void": lambda games: games[0].result is not None and games[0].result.truncated,
    "straight-match": lambda games: len(games) > 1,
    "rami-opening": lambda games: any("Jk" in move and "|" in move for move in _moves(games[0], "open")),
    "rami-swap": lambda games: bool(_moves(games[0], "swap")),
    "rami-hand-rummy": lambda games: (
        games[0].result is not None
        and games[0].result.doubled
        and games[0].record().splitlines()[-1].split(": ")[1].startswith("draw, open ")
    ),
    "rami-blocked": lambda games: (
        games[0].result is not None
        and games[0].result.blocked
        and games[0].result.scores == (0, 15, 0)
        and max(now.position()["reshuffles"] for now in _steps(games[0])) == 2
    ),
    "rami-refill": lambda games: (
        games[0].result is not None
        and games[0].result.doubled
        and any(now.position()["reshuffles"] for now in _steps(games[0]))
    ),
    "gin-gin": lambda games: games[0].result is not None and games[0].result.how == "gin",
    "gin-knock": lambda games: any(hand is not None and hand.laid_off for hand in _shown(games[0])),
    "gin-undercut": lambda games: games[0].result is not None and games[0].result.how == "undercut",
    "gin-void": lambda games: games[0].result is not None and games[0].result.void,
    "indian-declaration": lambda games: any(
        hand is not None and hand.points and hand.melds for hand in _shown(games[0])
    ),
    "indian-packs": lambda games: {"first", "later"} <= set(games[0].view(0).packed) and bool(_shown(games[0])),
    "indian-last": lambda games: games[0].result is not None and games[0].result.how == "last",
    "indian-three-decks": lambda games: any(
        len(set(meld)) == 1
        for hand in _shown(games[0])
        if hand is not None and not hand.deadwood
        for meld in hand.melds
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_the_story_is_the_one_that_the_name_promises(story: str) -> None:
    assert STORIES[story](read_all((GOLDEN / f"{story}.txt").read_text(encoding="utf-8")))


if __name__ == "__main__":
    for path in FILES:
        path.write_text(transcript(path.read_text(encoding="utf-8")), encoding="utf-8")
