"""A match in the terminal: a person against computer players.

Works as well when input and output are pipes. The end of the input, Ctrl-C and a closed window save the game.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from rich.text import Text

from game.commands import Command, read
from game.drawing import refills
from game.hints import choices
from game.messages import Words, language
from game.screen import ORDERS, Screen
from game.session import PERSON, Session, strongest, write_whole
from rummy_env import Move, Rules


def play(
    ruleset: str,
    num_players: int,
    bots: Sequence[str],
    seed: int | None = None,
    resume: Path | None = None,
    options: Mapping[str, Any] | None = None,
    lang: str | None = None,
) -> None:
    """Play a match in the terminal until its end, or until the person leaves; then it is saved.

    ``bots``: the other players, one for each seat; ``hard`` is the trained policy where one is installed. With
    ``resume``, a saved game, the rules, the players and the seed are those of the file. ``lang``: a language of
    `game.messages.LANGUAGES`, that of the system's settings by default.

    Raises:
        ValueError: for rules, players or a saved game that cannot be.
        KeyboardInterrupt: after saving.
        OSError: if the game cannot be saved.
    """
    words = Words(lang or language())
    if resume is not None:
        Terminal(Session.load(resume), words, resume, lang).run()
        return
    rules = Rules.preset(ruleset, **{**(options or {}), "num_players": num_players})
    hard, why_not_trained = strongest(rules) if "hard" in bots else ("hard", "")
    players = [PERSON, *(hard if bot == "hard" else bot for bot in bots)]
    terminal = Terminal(Session(rules, players, seed), words, lang=lang)
    if why_not_trained:
        terminal.screen.say("stands_in", reason=why_not_trained)
    terminal.run()


class _Left(Exception):
    """The person leaves."""


class Terminal:
    """Screen and keyboard of one `Session`. ``path``: the saved game that it goes on with."""

    def __init__(self, session: Session, words: Words, path: Path | None = None, lang: str | None = None) -> None:
        # What cannot be read or shown is replaced: a strange key must not end the game.
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  (arrow keys and history in input())
        self.session = session
        self.words = words
        self.screen = Screen(session, words)
        self._lang = lang
        self._saved = path
        self._recorded: Path | None = None
        self._begun = time.strftime("%Y%m%d-%H%M%S")

    def run(self) -> None:
        """Play to the end of the match or until the person leaves."""
        try:
            with _closing_is_ctrl_c():
                self._match()
        except _Left:
            pass
        except EOFError:
            self._leave()
        except KeyboardInterrupt:
            self._leave()
            raise
        except BaseException:
            # The screen is gone or a player is at fault: the game should not be lost with it.
            if not self.session.match.over:
                self.session.save(self._save_path())
            raise

    # --- the match -------------------------------------------------------------------------------------------

    def _match(self) -> None:
        match = self.session.match
        self.screen.title()
        while True:
            self._round()
            if match.over:
                break
            self._pause("prompt_next")
            match.next_round()
        self.screen.match_ends()
        self._pause("prompt_end")

    def _round(self) -> None:
        game = self.session.game
        if not game.over:
            self.screen.round_begins()
        while not game.over:
            before = refills(game)
            if game.to_play == self.session.me:
                self._my_turn()
            else:
                self._bot_turn()
            if refills(game) > before:
                self.screen.say("told_refill")
        self.screen.round_ends()

    def _bot_turn(self) -> None:
        game, seat, turn = self.session.game, self.session.game.to_play, self.session.game.turn
        telling = self.screen.draw.telling()
        while not game.over and (game.turn, game.to_play) == (turn, seat):
            move = self.session.bot_move()
            telling.add(move, game)
            game.play(move)
        if game.over and not game.hand(seat):
            telling.add_out()
        self.screen.turn_told(seat, telling.told)

    def _my_turn(self) -> None:
        game, turn = self.session.game, self.session.game.turn
        self.screen.table()
        while not game.over and (game.turn, game.to_play) == (turn, self.session.me):
            offered = choices(game)
            self.screen.hand()
            self.screen.duties()
            self.screen.choices(offered)
            hand, table = game.hand(self.session.me), game.table
            if self._moved(offered).kind == "draw":
                self.screen.drew(hand)
            elif game.table != table and not game.over:
                self.screen.melds()

    def _moved(self, offered: Sequence[Move]) -> Move:
        """The move that the person has made, after all that was typed before it."""
        while True:
            line = self._line(f"prompt_{self.session.game.phase}")
            try:
                typed = read(line, offered, self.words)
                if isinstance(typed, Move):
                    self.session.game.play(typed)
                    return typed
                self._do(typed, offered)
            except ValueError as error:
                self._refuse(error)

    def _pause(self, prompt: str) -> None:
        """Wait for Enter; commands are done meanwhile."""
        while line := self._line(prompt).strip():
            try:
                typed = read(line, (), self.words)
                if isinstance(typed, Move) or typed.name == "hint":
                    raise ValueError(self.words("not_now", line=line))
                self._do(typed)
            except ValueError as error:
                self._refuse(error)

    # --- what is typed ---------------------------------------------------------------------------------------

    def _line(self, prompt: str) -> str:
        line = input(f"{self.words(prompt)}> ")
        if not sys.stdin.isatty():
            print(line)  # so that what a pipe was given can be read with what it was answered
        return line

    def _refuse(self, error: ValueError) -> None:
        self.screen.console.print(Text(self.words.sentence(str(error)), "red"))

    def _do(self, command: Command, offered: Sequence[Move] = ()) -> None:
        """Do a command.

        Raises:
            ValueError: if it cannot be done, in one sentence.
        """
        if command.rest and command.name not in ("sort", "record", "quit"):
            raise ValueError(self.words("not_after", command=command.name, rest=command.rest))
        match command.name:
            case "hint":
                self.screen.hint(self.session.hint())
            case "sort":
                self._sort(command.rest)
            case "score":
                self.screen.score()
            case "show" if self.session.game.over:
                self.screen.round_ends()
            case "show":
                self.screen.table()
                self.screen.hand()
                self.screen.duties()
                self.screen.choices(offered)
            case "record":
                self._record(command.rest)
            case "help":
                self.screen.help()
            case "quit":
                self._quit(command.rest)

    def _sort(self, order: str) -> None:
        following = dict(zip(ORDERS, (*ORDERS[1:], ORDERS[0]), strict=True))
        chosen = order.lower() or following[self.screen.order]
        if chosen not in ORDERS:
            raise ValueError(self.words("no_such_order", order=order))
        self.screen.order = chosen
        self.screen.say(f"sorted_{chosen}")
        if not self.session.game.over:
            self.screen.hand()

    # --- files -----------------------------------------------------------------------------------------------

    def _record(self, name: str) -> None:
        if not any(game.over for game in self.session.match.games):
            raise ValueError(self.words("nothing_to_record"))
        path = self._free(name, self._recorded) if name else self._recorded or _unused(f"rummy-{self._begun}", ".txt")
        self._write(path, lambda: write_whole(path, self.session.record("json" if path.suffix == ".json" else "text")))
        self._recorded = path
        self.screen.say("recorded", file=path)
        self.screen.print_whole(f"  rummy replay {shlex.quote(str(path))}{self._in_language()}")

    def _quit(self, name: str) -> None:
        if name:
            path = self._free(name, self._saved)
            self._write(path, lambda: self._leave(path))
        else:
            self._write(self._save_path(), self._leave)
        raise _Left

    def _leave(self, path: Path | None = None) -> None:
        """Save the match, if it is not over, and say how to go on."""
        if self.session.match.over:
            return
        path = path or self._save_path()
        self.session.save(path)
        print()
        self.screen.say("saved")
        self.screen.print_whole(f"  rummy play --terminal --resume {shlex.quote(str(path))}{self._in_language()}")

    def _save_path(self) -> Path:
        return self._saved or _unused(f"rummy-{self._begun}", ".json")

    def _free(self, name: str, own: Path | None) -> Path:
        """The path that a person named, which must not be another file's."""
        path = Path(name).expanduser()
        if path.exists() and path != own:
            raise ValueError(self.words("file_there", file=name))
        return path

    def _write(self, path: Path, write: Callable[[], None]) -> None:
        try:
            write()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise ValueError(self.words("not_written", file=path, reason=error.strerror)) from None

    def _in_language(self) -> str:
        return f" --lang {self._lang}" if self._lang else ""


@contextlib.contextmanager
def _closing_is_ctrl_c() -> Iterator[None]:
    """A window that is closed, or a system that shuts down, should not lose the game either."""
    numbers = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    if threading.current_thread() is not threading.main_thread():
        numbers = []  # signals are the main thread's alone
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unused(stem: str, suffix: str) -> Path:
    """A file of this folder that is not there yet."""
    names = (f"{stem}{'' if number == 1 else f'-{number}'}{suffix}" for number in count(1))
    return next(path for path in map(Path, names) if not path.exists())
