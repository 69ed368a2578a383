"""The game in the terminal, driven as a person drives it: through the prompt, knowing only what is printed."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import random
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import rummy_cli
from game import terminal
from game.commands import COMMAND_WORDS, MOVE_WORDS
from game.messages import LANGUAGES, Words
from game.session import PERSON, Session
from game.terminal import Terminal
from rummy_env import Game, Rules, record
from rummy_env.cards import SUIT_SIGNS, SUITS
from rummy_env.table_moves import MOVES

ROOT = Path(__file__).parent.parent
RULES = Rules.preset("straight")
CARD = re.compile(rf"(10|[2-9AJQK])([{SUIT_SIGNS}])")
CHOICE = re.compile(r"(?:^|   )(\d+) (?=[^\W\d])", re.MULTILINE)

Typist = Callable[[str, str], str]
"""What is typed at a prompt: called with all that was printed since the last one, and the prompt."""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files go where nobody minds, and no setting of the machine shows."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)


class Screen(io.StringIO):
    """A screen that is no terminal and remembers everything."""

    def __init__(self) -> None:
        super().__init__()
        self.told = 0

    def since(self) -> str:
        """What was printed since the last call."""
        text = self.getvalue()[self.told :]
        self.told += len(text)
        return text


def sit(play: Callable[[], object], typist: Typist) -> str:
    """Everything that was printed while ``play`` ran with ``typist`` at the keyboard."""
    screen = Screen()

    def answer(prompt: str = "") -> str:
        screen.write(prompt)
        return typist(screen.since(), prompt)

    with contextlib.redirect_stdout(screen), pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "input", answer)
        play()
    return screen.getvalue()


def typed(*lines: str) -> Typist:
    """These lines one after another, then the end of the input."""
    left = iter(lines)

    def type_next(_: str, __: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return type_next


class Legal:
    """Random moves by the numbers that are offered; Enter between rounds."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.last = 0
        """The last number of those that were offered last; a command is answered without the moves."""

    def __call__(self, printed: str, prompt: str) -> str:
        if "Enter" in prompt:
            return ""
        if starts := [match.start() for match in re.finditer("^1 ", printed, re.MULTILINE)]:
            numbers = [int(number) for number in CHOICE.findall(printed[starts[-1] :])]
            self.last = len(numbers)
            assert numbers == list(range(1, self.last + 1))
        return str(self.rng.choice((1, 1, self.rng.randint(1, self.last))))


def match(
    players: int = 2, seed: int = 3, lang: str = "en", ruleset: str = "straight", **options: int
) -> Callable[[], None]:
    bots = ["normal", "easy", "random", "normal", "easy"][: players - 1]
    return lambda: terminal.play(ruleset, players, bots, seed=seed, options=options, lang=lang)


def at(
    position: Mapping[str, object],
    lang: str = "en",
    players: tuple[str, ...] = (PERSON, "normal"),
    ruleset: str = "straight",
) -> Terminal:
    """A table at a position."""
    rules = Rules.preset(ruleset, num_players=len(players))
    session = Session(rules, players, seed=1)
    session.match.games[:] = [Game.from_position(rules, position)]
    return Terminal(session, Words(lang))


def texts(printed: str) -> list[str]:
    """The cards in what was printed, as the rule book writes them."""
    return [rank.replace("10", "T") + SUITS[SUIT_SIGNS.index(sign)] for rank, sign in CARD.findall(printed)]


# --------------------------------------------------------------------------------------------------- whole matches


@pytest.mark.parametrize(
    ("lang", "won"), [("en", r"\w+: match won with \d+ points\."), ("ko", r"\w+: \d+점으로 게임 승리!")]
)
def test_a_match_through_pipes(lang: str, won: str) -> None:
    """The real program, its input and output pipes, and a person who picks numbers."""
    options = ["--bots", "normal", "--seed", "3", "--lang", lang]
    argv = [sys.executable, str(ROOT / "rummy_cli.py"), "play", "--terminal", *options]
    typist = Legal()
    env = os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as game:
        assert game.stdin
        assert game.stdout
        assert game.stderr
        everything = since = b""
        while piece := os.read(game.stdout.fileno(), 1 << 16):
            everything += piece
            since += piece
            if since.endswith(b"> "):
                text = since.decode()
                line = typist(text, text.splitlines()[-1])
                game.stdin.write(f"{line}\n".encode())
                game.stdin.flush()
                since = b""
        game.stdin.close()
        assert game.wait(30) == 0
        assert b"Traceback" not in game.stderr.read()
    text = everything.decode()
    assert re.search(won, text.splitlines()[-2])
    assert "\x1b" not in text
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize(
    ("ruleset", "players", "lang"),
    [("straight", 2, "en"), ("straight", 3, "ko"), ("straight", 4, "en"), ("rami", 2, "ko"), ("rami", 6, "en")],
)
def test_a_match_tells_every_round_and_the_winner(ruleset: str, players: int, lang: str) -> None:
    printed = sit(match(players, lang=lang, target=150, ruleset=ruleset), Legal())
    sheet = score_sheet(printed, lang)
    rounds = int(re.findall(r"(?:Round (\d+) ─|─ (\d+)라운드 ─)", printed)[-1][lang == "ko"])
    assert len(sheet) == 1 + rounds + 1 + 2
    won = [
        re.sub(r" x2| \*", "", cell) for line in sheet[1 : 1 + rounds] for cell in re.split(r"  +", line.strip())[1:]
    ]
    totals = [sum(int(cell) for cell in won[seat::players] if cell.startswith("+")) for seat in range(players)]
    assert sheet[1 + rounds].split()[1:] == [str(total) for total in totals]
    assert max(totals) >= 150
    assert str(max(totals)) in sheet[-1]


@pytest.mark.parametrize(
    ("ruleset", "players", "lang"),
    [("straight", 2, "ko"), ("straight", 4, "ko"), ("straight", 4, "en"), ("rami", 3, "ko"), ("rami", 5, "en")],
)
def test_nothing_is_wider_than_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, ruleset: str, players: int, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    extra = iter(["help", "hint", "sort", "sort", "show", "score", "nonsense"] * 3)
    play = Legal()

    def type_in(printed: str, prompt: str) -> str:
        line = play(printed, prompt)
        return next(extra, line)

    printed = sit(match(players, lang=lang, ruleset=ruleset), type_in)
    assert len(printed) > 7_000
    assert [line for line in printed.splitlines() if cell_len(line) > 40] == []


# -------------------------------------------------------------------------------------------------- hidden cards


@pytest.mark.parametrize(
    ("ruleset", "players"), [("straight", 2), ("straight", 3), ("straight", 4), ("rami", 2), ("rami", 6)]
)
def test_no_hidden_card_is_shown_before_the_round_is_over(ruleset: str, players: int) -> None:
    """What is printed between two prompts of a round names my cards and public ones only."""
    names = (PERSON, "normal", "easy", "hard", "easy", "normal")[:players]
    session = Session(Rules.preset(ruleset, num_players=players, target=200), names, seed=4)
    play = Legal(1)
    commands = random.Random(1)
    game, moves, pile = session.game, 0, [""]
    hidden_cards = 0

    def watch(printed: str, prompt: str) -> str:
        nonlocal game, moves, pile, hidden_cards
        if session.game is game and not game.over:
            view = game.view(session.me)
            played = {word for move in game.history[moves:] for word in str(move).split()}
            public = {*view.hand, *view.pile, *pile, *played, *(card for meld in view.table for card in meld.cards)}
            public |= {card for seat in range(players) for card in view.known(seat)}
            # What a joker stands for is no card that anybody has.
            assert set(texts(re.sub(r"Jk\([^)]*\)|Jk \d+[^ ]*\([^)]*\)", "", printed))) <= public
            hidden_cards += sum(card not in public for seat in range(players) for card in game.hand(seat))
        game, moves, pile = session.game, len(session.game.history), session.game.pile
        line = play(printed, prompt)
        if commands.random() < 0.2 and not game.over:
            return commands.choice(["hint", "show", "score", "sort", "help", "record", "meld 2s 2h 3d"])
        return line

    sit(Terminal(session, Words("en")).run, watch)
    assert hidden_cards > 100


# ------------------------------------------------------------------------------------------------- quit and resume


class Remembering:
    """Passes on what a typist types and keeps it."""

    def __init__(self, typist: Typist) -> None:
        self.typist = typist
        self.lines: list[str] = []

    def __call__(self, printed: str, prompt: str) -> str:
        self.lines.append(self.typist(printed, prompt))
        return self.lines[-1]


def leaving(how: str, *lines: str) -> Typist:
    """These lines, then the person leaves."""
    last: dict[str, BaseException] = {"end of input": EOFError(), "Ctrl-C": KeyboardInterrupt()}
    left = iter([*lines, "quit"] if how == "quit" else lines)

    def type_next(_: str, __: str) -> str:
        line = next(left, None)
        if line is None:
            raise last[how]
        return line

    return type_next


def command(argv: list[str], code: int = 0) -> Callable[[], None]:
    """The program with these arguments, which ends with this exit code."""

    def run() -> None:
        assert rummy_cli.main(argv) == code

    return run


def to_go_on(printed: str) -> list[str]:
    """The arguments of the command with which a printed text says to go on."""
    found = re.search(r"^  rummy (play --terminal --resume .*)$", printed, re.MULTILINE)
    assert found
    return shlex.split(found[1])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("how", ["quit", "end of input", "Ctrl-C"])
def test_leaving_and_going_on_ends_as_without_a_break(how: str, lang: str) -> None:
    """Left at five places of a match, one of them between two rounds: same rounds, same end."""
    person = Remembering(Legal(2))
    sit(match(3, lang=lang), person)
    lines = person.lines[:-1]
    whole = sit(match(3, lang=lang), typed(*lines, "record whole.txt", ""))

    stops = sorted({0, 1, len(lines) // 3, len(lines) // 2, lines.index(""), len(lines) - 1})
    argv = ["play", "--terminal", "--bots", "normal,easy", "--seed", "3", "--lang", lang]
    for start, stop in zip([0, *stops], stops, strict=False):
        printed = sit(command(argv, 130 if how == "Ctrl-C" else 0), leaving(how, *lines[start:stop]))
        argv = to_go_on(printed)
        assert argv[-2:] == ["--lang", lang]
    broken = sit(command(argv), typed(*lines[stops[-1] :], "record broken.txt", ""))

    assert score_sheet(broken, lang) == score_sheet(whole, lang)
    assert Path("broken.txt").read_text(encoding="utf-8") == Path("whole.txt").read_text(encoding="utf-8")
    assert sorted(Path.cwd().glob("*.json")) == [Path.cwd() / argv[3]]  # one file all along


def score_sheet(printed: str, lang: str) -> list[str]:
    """The lines of the last score sheet, with what follows it up to the prompt."""
    sheet = printed[printed.rindex(Words(lang)("score_round") + "  ") :]
    return sheet[: sheet.index(Words(lang)("prompt_end"))].splitlines()


@pytest.mark.parametrize("how", ["quit", "end of input", "Ctrl-C"])
def test_a_game_that_is_over_is_not_saved(how: str) -> None:
    person = Remembering(Legal(2))
    sit(match(), person)
    play = match()
    with contextlib.suppress(KeyboardInterrupt):
        sit(play, leaving(how, *person.lines[:-1]))
    assert list(Path.cwd().iterdir()) == []


def test_a_saved_game_goes_where_it_is_told() -> None:
    printed = sit(match(), typed("d", "quit 'my game'.json"))
    assert to_go_on(printed)[3] == "'my game'.json"
    assert Path("'my game'.json").is_file()
    printed = sit(command(to_go_on(printed)), typed("quit"))
    assert to_go_on(printed)[3] == "'my game'.json"


def test_no_other_file_is_overwritten() -> None:
    Path("mine.json").write_text("mine", encoding="utf-8")
    printed = sit(match(), typed("d", "quit mine.json", "quit nowhere/game.json", "quit .", "quit game.json"))
    assert "expected a new file, got 'mine.json', which exists" in printed
    assert "expected a file to write, got 'nowhere/game.json': No such file or directory" in printed
    assert Path("mine.json").read_text(encoding="utf-8") == "mine"
    assert to_go_on(printed)[3] == "game.json"


def test_two_games_left_in_the_same_second_get_two_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal.time, "strftime", lambda _: "20250301-120000")
    files = [to_go_on(sit(match(), typed()))[3] for _ in range(3)]
    assert files == [f"rummy-20250301-120000{end}.json" for end in ("", "-2", "-3")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, BrokenPipeError])
def test_what_breaks_in_a_computer_players_turn_loses_no_game(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    game = Terminal(Session(RULES, (PERSON, "normal"), seed=3), Words("en"))
    monkeypatch.setattr(game.session, "bot_move", lambda: (_ for _ in ()).throw(error()))
    with pytest.raises(error):
        sit(game.run, Legal())
    (file,) = Path.cwd().iterdir()
    assert [str(move) for move in Session.load(file).game.history] == [str(move) for move in game.session.game.history]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_closed_window_saves_the_game(number: int) -> None:
    lines = iter(["d"])

    def type_in(_: str, __: str) -> str:
        line = next(lines, "")
        if not line:
            signal.raise_signal(number)
        return line

    handler = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt):
        sit(match(), type_in)
    assert signal.getsignal(number) == handler
    (file,) = Path.cwd().iterdir()
    assert str(Session.load(file).game.history[-1]) == "draw"


# ------------------------------------------------------------------------------------------------ what can be typed

MY_TURN = {
    "hands": ["4d 5d 6d 7d 8c Ks", "9h 2s"],
    "pile": "3h Qd",
    "stock": "Jd 7h",
    "table": [{"cards": "5c 6c 7c", "by": 1}],
}


@pytest.mark.parametrize(
    ("lines", "moves"),
    [
        (["1"], "draw"),
        (["2"], "take"),
        (["d"], "draw"),
        (["D"], "draw"),
        (["draw"], "draw"),
        (["  draw  "], "draw"),
        (["t"], "take"),
        (["f"], "take"),
        (["뽑기"], "draw"),
        (["가져오기"], "take"),
        (["d", "1"], "draw, meld 4d 5d 6d 7d"),
        (["d", "01"], "draw, meld 4d 5d 6d 7d"),
        (["d", "meld 7d 5d 6d 4d"], "draw, meld 4d 5d 6d 7d"),
        (["d", "m 4d5d6d"], "draw, meld 4d 5d 6d"),
        (["d", "4♦ 5♦ 6♦"], "draw, meld 4d 5d 6d"),
        (["d", "내려놓기 4d 5d 6d"], "draw, meld 4d 5d 6d"),
        (["d", "layoff 8c 0"], "draw, layoff 8c 0"),
        (["d", "layoff 8c 0 high"], "draw, layoff 8c 0"),
        (["d", "l 8C 0"], "draw, layoff 8c 0"),
        (["d", "8c 0"], "draw, layoff 8c 0"),
        (["d", "8c 0 high"], "draw, layoff 8c 0"),
        (["d", "layoff 8c"], "draw, layoff 8c 0"),  # there is one meld that takes it
        (["d", "붙이기 8♣ 0"], "draw, layoff 8c 0"),
        (["d", "discard Ks"], "draw, discard Ks"),
        (["d", "x ks"], "draw, discard Ks"),
        (["d", "d Ks"], "draw, discard Ks"),
        (["d", "K♠"], "draw, discard Ks"),
        (["d", "버리기 Ks"], "draw, discard Ks"),
        (["d", "m 4d 5d 6d", "7d 1", "8c 0", "Ks"], "draw, meld 4d 5d 6d, layoff 7d 1, layoff 8c 0, discard Ks"),
    ],
)
def test_moves_can_be_typed_in_many_ways(lines: list[str], moves: str) -> None:
    game = at(MY_TURN)
    sit(game.run, typed(*lines))
    mine = [str(move) for move in game.session.game.history][: len(moves.split(", "))]
    assert ", ".join(mine) == moves


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("0", "expected a number from 1 to 11, got 0"),
        ("12", "expected a number from 1 to 11, got 12"),
        ("9999999999999999999999", "expected a number from 1 to 11, got 9999999999999999999999"),
        ("draw", "draw is not legal: a card was drawn already in this turn"),
        ("d", "draw is not legal: a card was drawn already in this turn"),
        ("draw 4d", "expected nothing after 'draw', got '4d'"),
        ("discard", "expected one card, got 0 in ''"),
        ("discard 4d 5d", "expected one card, got 2 in '4d 5d'"),
        ("discard 9h", "discard 9h is not legal: 9h is not in the hand"),
        ("9h", "discard 9h is not legal: 9h is not in the hand"),
        ("4d 5d", "meld 4d 5d is not legal: 4d 5d is neither a set nor a run"),
        ("meld 4d 5d 8c", "meld 4d 5d 8c is not legal: 4d 5d 8c is neither a set nor a run"),
        ("layoff 4d", "expected 'layoff CARD N' with N the number of a table meld, got 'layoff 4d'"),
        ("layoff 4d 0", "layoff 4d 0 is not legal: 4d does not fit 5c 6c 7c"),
        ("8c 3", "layoff 8c 3 is not legal: the table has 1 melds, numbered from 0, and no 3"),
        ("knock Ks", "knock Ks is not legal: straight rummy has no such move"),
        ("discard 11s", "expected cards like 'Ts', '10♥' or 'Jk' in '11s', got '11' at character 0"),
        ("fly", "expected a move like 'draw', 'meld 4d 5d 6d', 'layoff 7d 0' or 'discard Ks', got 'fly'"),
        ("1 2", "expected a move like 'draw', 'meld 4d 5d 6d', 'layoff 7d 0' or 'discard Ks', got '1 2'"),
        ("-1", "expected a move like 'draw', 'meld 4d 5d 6d', 'layoff 7d 0' or 'discard Ks', got '-1'"),
        ("\x00\ufffd", "expected a move like"),
        ("[red]{name}%s", "got '[red]{name}%s'"),
        ("sort by luck", "expected sort suit, sort rank or sort melds, got 'by luck'"),
        ("hint please", "expected nothing after 'hint', got 'please'"),
        ("record", "expected a finished round to record, got none yet"),
    ],
)
def test_a_line_that_cannot_be_done_is_answered_in_one_sentence(line: str, answer: str) -> None:
    game = at(MY_TURN)
    game.screen.console.width = 200
    before = game.session.game.copy()
    before.play("draw")
    printed = sit(game.run, typed("d", line))
    answered = printed[printed.index("your move> ") :].splitlines()
    assert answer in answered[1]  # under the line itself
    assert answered[2] == "your move> "
    assert game.session.game.position() == before.position()


def test_between_rounds_no_move_is_read() -> None:
    position = {"hands": ["Ks", "9h 2s"], "pile": "Qd", "stock": "Jd", "phase": "play"}
    game = at(position)
    printed = sit(game.run, typed("Ks", "draw", "1", "hint", "sort", "show", "score", "help", "fly"))
    pause = printed[printed.index("Enter: next round> ") :]
    for line in ("draw", "1", "hint"):
        assert f"expected a command or Enter, got '{line}'" in pause
    assert "The hand is sorted by rank." in pause
    assert pause.count("North  left: 2♠ 9♥ (11 points), total 0") == 1
    assert "expected a move like 'draw'" in pause


@pytest.mark.parametrize("ruleset", ["straight", "rami"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_help_names_every_command_in_both_languages(lang: str, ruleset: str) -> None:
    position = {key: value for key, value in MY_TURN.items() if key != "put_down"}
    printed = sit(at(position, lang, ruleset=ruleset).run, typed("help"))
    for name, other in {**MOVE_WORDS, **COMMAND_WORDS}.items():
        there = name in COMMAND_WORDS or name in MOVES[ruleset].kinds
        if name != "help":
            assert bool(re.search(rf"^{name}\b", printed, re.MULTILINE)) == there
        if lang == "ko" and name not in ("help", "score") and there:
            assert any(word in printed for word in other)


# ------------------------------------------------------------------------------------------------------ what is seen


def lines_of(printed: str) -> list[str]:
    return [line.rstrip() for line in printed.splitlines()]


def test_a_position_as_it_is_shown() -> None:
    """Four diamonds in a row are a meld, the eight of clubs fits the run, and a ten from the pile the set."""
    game = at(
        {
            "hands": ["4d 5d 6d 7d 8c Ks", "9h 2s 3s"],
            "pile": "2h 3h 4h 8h 9c Jc Qd Td",
            "stock": "Jd 7h",
            "table": [{"cards": "5c 6c 7c", "by": 1}, {"cards": "Ts Th Tc", "by": 0}],
        },
        players=(PERSON, "hard"),
    )
    assert lines_of(sit(game.run, typed("take", "sort", "sort melds", "quit game.json"))) == [
        "Straight rummy, 2 players, to 100 points",
        "help lists the commands.",
        "─────────────────────────────────── Round 1 ────────────────────────────────────",
        "North  hard, 3 cards, total 0",
        "You    6 cards, total 0",
        "Pile   [10♦] Q♦ J♣ 9♣ 8♥ 4♥ (8 cards)",
        "Stock  2 cards",
        "Table  0: 5♣ 6♣ 7♣ (North)   1: 10♠ 10♥ 10♣ (You)",
        "Your hand, 40 points",
        "  K♠   4♦   5♦   6♦   7♦   8♣",
        "       =    =    =    =    +0",
        "(= forms a meld)   (+N can be laid off onto meld N)",
        "1 draw       2 take 10♦",
        "draw or take> take",
        "Your hand, 50 points",
        "  K♠   4♦   5♦   6♦   7♦   10♦  8♣",
        "       =    =    =    =    +1   +0",
        "(= forms a meld)   (+N can be laid off onto meld N)",
        "1 meld 4♦ 5♦ 6♦ 7♦   2 meld 4♦ 5♦ 6♦      3 meld 5♦ 6♦ 7♦      4 layoff 10♦ 1",
        "5 layoff 8♣ 0        6 discard K♠         7 discard 4♦         8 discard 5♦",
        "9 discard 6♦         10 discard 7♦        11 discard 8♣",
        "your move> sort",
        "The hand is sorted by rank.",
        "Your hand, 50 points",
        "  4♦   5♦   6♦   7♦   8♣   10♦  K♠",
        "  =    =    =    =    +0   +1",
        "(= forms a meld)   (+N can be laid off onto meld N)",
        "your move> sort melds",
        "The hand is sorted melds first.",
        "Your hand, 50 points",
        "  4♦   5♦   6♦   7♦   8♣   10♦  K♠",
        "  =    =    =    =    +0   +1",
        "(= forms a meld)   (+N can be laid off onto meld N)",
        "your move> quit game.json",
        "",
        "The game is saved. Go on with:",
        "  rummy play --terminal --resume game.json",
    ]


def test_the_end_of_a_round_as_it_is_shown() -> None:
    """North goes out with everything in one turn: rummy, which doubles the fifteen points left to me."""
    game = at({"hands": ["2d 3d Ks", "9h 9d 9c"], "pile": "Qd", "stock": "Jd 5s"})
    printed = lines_of(sit(game.run, typed("d", "Ks", "score", "record first.txt", "record", "quit game.json")))
    assert printed[printed.index("your move> Ks") + 1 :] == [
        "North draws, lays 9♥ 9♦ 9♣, discards 5♠, goes out.",
        "North: round won with rummy, doubled, 30 points",
        "You    left: 2♦ 3♦ J♦ (15 points), total 0",
        "North  went out, total 30",
        "Enter: next round> score",
        "Round  You   North",
        "    1   15  +30 x2",
        "Total    0      30",
        "+: points won (x2: rummy); others: points left in the hand",
        "Enter: next round> record first.txt",
        "The record is in first.txt. See it with:",
        "  rummy replay first.txt",
        "Enter: next round> record",
        "The record is in first.txt. See it with:",
        "  rummy replay first.txt",
        "Enter: next round> quit game.json",
        "",
        "The game is saved. Go on with:",
        "  rummy play --terminal --resume game.json",
    ]
    (recorded,) = record.read_all(Path("first.txt").read_text(encoding="utf-8"))
    assert recorded.result == game.session.match.games[0].result


def test_a_record_can_be_json_too() -> None:
    game = at({"hands": ["Ks", "9h 2s"], "pile": "Qd", "stock": "Jd", "phase": "play"})
    sit(game.run, typed("Ks", "record rounds.json"))
    (recorded,) = record.read_all(Path("rounds.json").read_text(encoding="utf-8"))
    assert recorded.result is not None
    assert recorded.result.scores == (22, 0)  # a nine and a two, doubled


def test_a_stock_that_runs_out_is_told() -> None:
    """My draw empties the stock; before North's turn the pile is shuffled into a new one."""
    game = at({"hands": ["2d 3d Ks", "9h 9d 5s"], "pile": "Qd 8s 7h", "stock": "Jd"})
    printed = lines_of(sit(game.run, typed("d", "Ks")))
    assert printed[printed.index("your move> Ks") + 1] == "The pile was shuffled into a new stock."


def test_a_round_that_takes_too_long_is_void() -> None:
    session = Session(Rules.preset("straight", max_turns=2, first_dealer=1), (PERSON, "random"), seed=1)
    play = Legal()
    printed = sit(
        Terminal(session, Words("en")).run, lambda text, prompt: "quit" if "Enter" in prompt else play(text, prompt)
    )
    assert "The round is void after 2 turns: nobody scores." in printed


def test_a_tie_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    game = at({"hands": ["Ks", "9h 2s"], "pile": "Qd", "stock": "Jd", "phase": "play"})
    game.session.game.play("discard Ks")
    monkeypatch.setattr(type(game.session.match), "winners", (0, 1))
    monkeypatch.setattr(type(game.session.match), "totals", (104, 104))
    assert "The match is a tie of You, North with 104 points." in sit(game.screen.match_ends, typed())


@pytest.mark.parametrize(
    ("settings", "escapes", "colours"),
    [
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "1"}, False, False),
    ],
)
def test_colours_are_shown_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], escapes: bool, colours: bool
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TERM", "xterm-256color")
    printed = sit(match(), typed("d", "hint", "help"))
    assert ("\x1b[" in printed) == escapes
    codes = {code for found in re.findall(r"\x1b\[([\d;]*)m", printed) for code in found.split(";")}
    assert bool(codes & {"31", "32", "94"}) == colours
    plain = re.sub(r"\x1b\[[\d;]*m", "", printed)
    assert len(texts(plain)) > 20


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_screen_without_suit_signs_gets_letters(monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    raw = io.BytesIO()
    lines = typed("d", "K♥", "hint", "help", "quit game.json")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    monkeypatch.setattr(builtins, "input", lambda _: lines("", ""))
    match(lang=lang)()
    printed = raw.getvalue().decode("ascii")
    assert len(re.findall(r"\b(10|[A2-9TJQK])[shdc]\b", printed)) > 20
    if lang == "en":
        assert re.search(r"^-+ Round 1 -+$", printed, re.MULTILINE)


def test_bytes_that_are_no_text_do_not_end_the_game() -> None:
    argv = [sys.executable, str(ROOT / "rummy_cli.py"), "play", "--terminal", "--bots", "easy", "--seed", "3"]
    env = os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    done = subprocess.run(argv, input=b"\xff\xfe\nd\n", capture_output=True, env=env, timeout=60, check=False)
    assert done.returncode == 0
    assert b"expected a move like" in done.stdout
    assert b"You drew" in done.stdout


# ------------------------------------------------------------------------------------------------- who plays


@pytest.mark.parametrize("installed", [True, False])
def test_hard_is_the_trained_policy_where_there_is_one(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    """And where there is none the game says that the rule-based one stands in."""
    seated: list[tuple[str, ...]] = []

    class Sitting(Session):
        def __init__(self, rules: Rules, players: list[str], seed: int | None = None) -> None:
            seated.append(tuple(players))
            super().__init__(rules, [PERSON, "normal", "easy"], seed)

    monkeypatch.setattr(
        terminal, "strongest", lambda rules: ("trained", "") if installed else ("hard", "none installed")
    )
    monkeypatch.setattr(terminal, "Session", Sitting)
    printed = sit(lambda: terminal.play("straight", 3, ["hard", "easy"], seed=1, lang="en"), typed())
    assert seated == [(PERSON, "trained" if installed else "hard", "easy")]
    assert ("the rule-based hard does: none installed" in printed) != installed


def test_the_seats_are_called_after_the_compass() -> None:
    for players, others in ((2, ["North"]), (3, ["West", "East"]), (4, ["West", "North", "East"])):
        printed = sit(match(players), typed())
        plates = [line.split()[0] for line in lines_of(printed) if "total 0" in line]
        assert plates == [*others, "You"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bots": ["nobody"]}, "nobody"),
        ({"ruleset": "canasta"}, "canasta"),
        ({"options": {"targt": 50}}, "targt"),
        ({"lang": "fr"}, "lang: expected one of en, ko"),
        ({"bots": ["easy", "easy"]}, "expected 2 players"),
    ],
)
def test_a_game_that_cannot_be_is_refused(arguments: dict[str, Any], words: str) -> None:
    wanted: dict[str, Any] = {"ruleset": "straight", "num_players": 2, "bots": ["easy"], "seed": 1} | arguments
    with pytest.raises(ValueError, match=words):
        terminal.play(**wanted)


# ---------------------------------------------------------------------------------------------------------- rami


TO_OPEN = {
    "hands": ["Ks Kh Kd 5h 6h 7h Jk 2c 9c", "9h 3s", "4s"],
    "pile": "2d 8h",
    "stock": "Jd 7h 2s 3s",
    "table": [{"cards": "Ts Jk Qs", "by": 1}],
    "opened": [False, True, False],
}
OPENED = TO_OPEN | {"hands": ["Js Ks 5h 7h 2c", "9h 3s", "4s"], "opened": [True, True, False]}
THREE = (PERSON, "easy", "easy")
OPENING_SEED = 4
"""Of a round in which the person opens."""


def test_an_opening_as_it_is_offered_and_put_together() -> None:
    game = at(TO_OPEN, players=THREE, ruleset="rami")
    lines = lines_of(sit(game.run, typed("take", "p Ks Kh Kd", "confirm", "p 5h6h7h", "8h 2", "quit game.json")))
    start = lines.index("West   easy, 2 cards, opened, total 0")
    assert lines[:3] == [
        "Rami, 3 players, one round",
        "The opening needs 40 points.",
        "help lists the commands.",
    ]
    assert lines[start : start + 12] == [
        "West   easy, 2 cards, opened, total 0",
        "East   easy, 1 card, not opened, total 0",
        "You    9 cards, not opened, total 0",
        "Pile   [8♥] 2♦ (2 cards)",
        "Stock  4 cards, 2 refills left",
        "Table  0: 10♠ Jk(J♠) Q♠ (West)",
        "Your hand, 79 points",
        "  K♠   5♥   6♥   7♥   K♥   K♦   2♣   9♣   Jk",
        "  =    =    =    =    =    =",
        "(= forms a meld)",
        "  Opening meter: 58 of 40 points.",
        "  If you take 8♥, you can open with 66 points.",
    ]
    played = lines[lines.index("draw or take> take") + 1 :]
    assert "  8♥, taken from the pile, has to be in your opening. Or give it back: untake." in played
    assert any(re.fullmatch(r"1 open .*K♠.* \(66 points\)", line) for line in played)
    assert "Table  0: 10♠ Jk(J♠) Q♠ (West)   1: K♠ K♥ K♦ (You, opening)" in played
    said = " ".join(" ".join(played).split())
    assert "Your opening so far: 30 of 40 points. Put more to it, then confirm." in said
    assert "Your opening so far: 48 of 40 points. Put more to it, then confirm. 8♥, taken from" in said
    assert "confirm is not legal: no opening was put together that reaches the threshold" in played
    assert "Your opening so far: 56 of 40 points. It is enough: confirm lays it down, or put more to it." in said
    assert "1: K♠ K♥ K♦ (You, opening) 2: 5♥ 6♥ 7♥ 8♥ (You, opening)" in said
    moves = [str(move) for move in game.session.game.history]
    assert moves == ["take", "piece Ks Kh Kd", "piece 5h 6h 7h", "lengthen 8h 2"]


def test_what_is_owed_is_said() -> None:
    game = at(OPENED, players=THREE, ruleset="rami")
    lines = lines_of(sit(game.run, typed("draw", "swap Js 0", "discard Ks", "hint", "quit game.json")))
    assert "  1 freed joker has to go down again in this turn." in lines
    assert "discard Ks is not legal: a freed joker has to be put down first" in lines
    assert any(re.search(r"\d+ layoff Jk 0 high\(K♠\)|\d+ layoff Jk 0 low\(9♠\)", line) for line in lines)
    korean = sit(at(OPENED, "ko", THREE, "rami").run, typed("뽑기", "조커빼기 Js 0", "버리기 Ks"))
    assert "빼낸 조커 1장을 이번 차례에 다시 내려놓아야 합니다." in korean
    assert "discard Ks: 둘 수 없습니다. 빼낸 조커를 먼저 내려놓아야 합니다." in korean


@pytest.mark.parametrize(
    ("position", "lines", "moves"),
    [
        (TO_OPEN, ["t", "u", "d"], "take, untake, draw"),
        (TO_OPEN, ["가져오기", "되돌리기", "뽑기"], "take, untake, draw"),
        (TO_OPEN, ["d", "KsKhKd | 5h6h7h"], "draw, open Ks Kh Kd | 5h 6h 7h"),
        (TO_OPEN, ["d", "o KsKhKd Jk | 5h6h7h"], "draw, open Ks Kh Kd Jk | 5h 6h 7h"),
        (TO_OPEN, ["d", "오픈 5h 6h Jk | K♠ K♥ K♦"], "draw, open 5h 6h Jk | Ks Kh Kd"),
        (TO_OPEN, ["d", "KsKhKdJk"], "draw, open Ks Kh Kd Jk"),
        (TO_OPEN, ["d", "p KsKhKdJk", "c"], "draw, piece Ks Kh Kd Jk, confirm"),
        (TO_OPEN, ["d", "조각 5h6h7h", "KsKhKd", "늘리기 Jk 2", "확정"],
         "draw, piece 5h 6h 7h, piece Ks Kh Kd, lengthen Jk 2, confirm"),
        (TO_OPEN, ["d", "piece KsKhKd", "Jk 1", "meld 5h6h7h"], "draw, piece Ks Kh Kd, lengthen Jk 1, piece 5h 6h 7h"),
        (OPENED, ["d", "w Js 0", "Jk 0 low"], "draw, swap Js 0, layoff Jk 0 low"),
        (OPENED, ["d", "swap J♠ 0", "Ks 0", "5h Jk 7h"], "draw, swap Js 0, layoff Ks 0, meld 5h Jk 7h"),
    ],
)  # fmt: skip
def test_moves_of_rami_can_be_typed_in_many_ways(position: dict[str, Any], lines: list[str], moves: str) -> None:
    game = at(position, players=THREE, ruleset="rami")
    sit(game.run, typed(*lines))
    mine = [str(move) for move in game.session.game.history][: len(moves.split(", "))]
    assert ", ".join(mine) == moves


def opener(printed: str, prompt: str) -> str:
    """Puts openings together piece by piece, and else plays the first move there is."""
    if "Enter" in prompt:
        return ""
    numbers = {kind: number for number, kind in re.findall(r"(?:^|   )(\d+) ([a-z]+)", printed, re.MULTILINE)}
    return next((numbers[kind] for kind in ("lengthen", "piece", "confirm") if kind in numbers), "1")


@pytest.mark.parametrize("how", ["quit", "end of input", "Ctrl-C"])
def test_leaving_in_the_midst_of_an_opening_and_going_on(how: str) -> None:
    def play() -> None:
        with contextlib.suppress(KeyboardInterrupt):
            match(2, seed=OPENING_SEED, ruleset="rami")()

    person = Remembering(opener)
    sit(play, person)
    lines = person.lines[:-1]
    whole = sit(play, typed(*lines, "record whole.txt", ""))
    prompts = re.split(r"^(?=draw or take> |your move> )", whole, flags=re.MULTILINE)
    stop = next(number for number, part in enumerate(prompts) if "Your opening so far" in part)

    argv = to_go_on(sit(play, leaving(how, *lines[:stop])))
    went_on = sit(command(argv), typed(*lines[stop:], "record broken.txt", ""))
    assert "Your opening so far" in went_on[: went_on.index("your move> ")]
    assert Path("broken.txt").read_text(encoding="utf-8") == Path("whole.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "The round is blocked: no refill is left. West has the fewest points and wins (25−17) + (24−17) = 15 "),
        ("ko", "막힌 판입니다. 손패 점수가 가장 적은 서쪽 승리, (25−17) + (24−17) = 15점"),
    ],
)
def test_a_blocked_round_is_told_with_its_differences(lang: str, said: str) -> None:
    position = {
        "hands": ["Ts 5d Kc", "Kd 7s", "Qh 9s 5c"],
        "pile": "2d",
        "stock": "2c",
        "reshuffles": 2,
    }
    printed = sit(at(position, lang, THREE, "rami").run, typed("d", "2c", ""))
    assert said in " ".join(printed.split())
    assert "+15 *" in printed
    assert {"en": "0 refills left", "ko": "재구성 0번 남음"}[lang] in printed


# ----------------------------------------------------------------------------------------------------------- gin

TO_KNOCK = {
    "hands": ["4d 5d 6d 9s 9h 9c Kc Kh Ks 2c Qd", "7d Js Jh Jc 2s 3s 4s Td 8h 4c"],
    "phase": "play",
    "pile": "3c",
    "stock": "Ah 5c 6c 7c",
}
FOR_TWO = (PERSON, "random")


def test_a_knock_shows_what_was_laid_off_and_what_is_left() -> None:
    printed = sit(at(TO_KNOCK, players=FOR_TWO, ruleset="gin").run, typed("knock Qd"))
    assert "Your hand, deadwood 12 points" in printed
    assert "You: round won by knocking, 20 points" in printed
    assert "9♠ 9♥ 9♣ | K♠ K♥ K♣ | 4♦ 5♦ 6♦, deadwood 2♣ (2 points), total 20" in printed
    assert "J♠ J♥ J♣ | 2♠ 3♠ 4♠, laid off 7♦, deadwood 8♥ 10♦ 4♣ (22 points), total 0" in printed
    korean = sit(at(TO_KNOCK, "ko", FOR_TWO, "gin").run, typed("노크 Qd"))
    assert "노크로 승리" in korean
    assert "붙인 카드 7♦" in korean


def test_the_upcard_is_taken_or_passed() -> None:
    position = {**TO_KNOCK, "hands": ["4d 5d 6d 9s 9h 9c Kc Kh 2c Qd", "7d Js Jh Jc 2s 3s 4s Td 8h 4c"]}
    position |= {"pile": "Ks", "phase": "upcard"}
    printed = sit(at(position, players=FOR_TWO, ruleset="gin").run, typed("draw", "take", "discard Ks", "knock Qd"))
    assert "1 take K♠   2 pass" in printed
    assert "take or pass> " in printed
    assert "draw is not legal: the first upcard has to be taken or refused first, by pass" in printed
    assert "discard Ks is not legal: Ks was taken from the pile in this turn" in printed
    assert "round won by knocking" in printed
    passed = sit(at(position, players=FOR_TWO, ruleset="gin").run, typed("pass"))
    assert re.search(r"North (passes|takes K♠, )", passed), "the other's answer is told"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_match_of_gin_is_played_to_its_end_by_numbers(lang: str) -> None:
    rules = Rules.preset("gin", knock_limit=100, target=30)
    game = Terminal(Session(rules, FOR_TWO, seed=4), Words(lang))
    printed = sit(game.run, Legal())
    assert game.session.match.over
    words = Words(lang)
    assert words("score_deadwood_legend").split(",")[0] in printed
    assert {played.result.how for played in game.session.match.games if played.result} <= {
        "gin", "knock", "undercut", None,
    }  # fmt: skip
