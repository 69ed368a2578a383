"""Recorded rounds in the terminal, turn by turn, with all hands open."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from game.drawing import Drawing
from game.messages import Words, language
from rummy_env import Game, Rules


def show(games: Sequence[Game], lang: str | None = None, step: bool = False, delay: float = 0.0) -> None:
    """Print the rounds of a record, as `rummy_env.record.read_all` gives them.

    Rounds by the same rules that follow each other are shown as a match, with totals and a score sheet. ``step``:
    wait for Enter after every turn, where somebody is there to press it. ``delay``: seconds to wait after every turn.
    ``lang``: a language of `game.messages.LANGUAGES`, that of the system's settings by default.
    """
    replay = Replay(Words(lang or language()), step and sys.stdin.isatty(), delay)
    for rules, rounds in groupby(games, lambda game: game.rules):
        replay.match(rules, list(rounds))


class Replay:
    """Prints recorded rounds."""

    def __init__(self, words: Words, step: bool, delay: float) -> None:
        self.words = words
        self.draw = Drawing(words)
        self.step = step
        self.delay = delay

    def match(self, rules: Rules, games: Sequence[Game]) -> None:
        """Rounds by the same rules."""
        names = [self.words("seat", number=seat) for seat in range(rules.num_players)]
        totals = [0] * rules.num_players
        self._print(Text(self.draw.title(rules), "bold"))
        for number, game in enumerate(games, 1):
            self.draw.console.rule(self.words("round_of", number=number, rounds=len(games)))
            self._round(game, names)
            self._print(self.draw.outcome(game, names))
            totals = [total + score for total, score in zip(totals, game.totals, strict=True)]
            self._print(self.draw.hands_left(game, names, totals))
        if len(games) > 1:
            self._print(self.draw.score_sheet(games, names))

    def _round(self, game: Game, names: Sequence[str]) -> None:
        now = game.start()
        self._position(now, names)
        telling = self.draw.telling()
        for number, entry in enumerate(game.history, 1):
            turn, seat, before = now.turn, now.to_play, now.copy()
            move = now.move_of(entry) if isinstance(entry, int) else entry
            now.repeat(entry)
            drawn = Counter(now.hand(seat)) - Counter(before.hand(seat))
            telling.add(move, before, next(drawn.elements(), None))
            if (now.turn, now.to_play) == (turn, seat) and not now.over and number < len(game.history):
                continue
            if now.over and not now.hand(seat):
                telling.add_out()
            self._wait()
            self._print("")
            self._print(self.draw.turn(f"{turn + 1}. {names[seat]}", telling.told))
            telling = self.draw.telling()
            if not now.over:
                self._position(now, names)

    def _position(self, game: Game, names: Sequence[str]) -> None:
        hands = [(name, self.draw.cards(game.hand(seat))) for seat, name in enumerate(names)]
        self._print(self.draw.facts([*hands, *self.draw.middle(game, names)]))

    def _print(self, what: RenderableType) -> None:
        self.draw.console.print(what)

    def _wait(self) -> None:
        if self.step:
            try:
                input(f"{self.words('prompt_step')}> ")
            except EOFError:
                self.step = False  # nobody is there any more: the rest at once
                print()
        time.sleep(self.delay)
