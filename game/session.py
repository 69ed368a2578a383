"""A match between a person and computer players: who sits where, whose move it is, and the saved game.

A saved game is JSON with the rules, the seed, the players and every move; loading it plays them again. The chance of
a computer player's move depends on the seed and the number of the move alone, so a match goes on after loading just
as it would have gone on without a break.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import agents
from game.hints import Hint, hint
from rummy_env import Game, Match, Rules, record

if TYPE_CHECKING:
    from agents import Agent
    from rummy_env import Move

FORMAT: Final = "rummy save 1"

PERSON: Final = "person"
"""The player of a seat that no computer plays."""


class Session:
    """A match with a player at every seat: `PERSON`, a name of `agents.names` or the path of an exported policy.

    Raises:
        ValueError: for players that do not exist or were made for other rules, or a seed out of range.
    """

    def __init__(self, rules: Rules, players: Sequence[str], seed: int | None = None) -> None:
        if len(players) != rules.num_players or list(players).count(PERSON) != 1:
            raise ValueError(f"expected {rules.num_players} players with one person, got {', '.join(players)}")
        self.rules = rules
        # A path is kept whole: a saved game may be taken up from another folder.
        self.players = tuple(name if name == PERSON or name in agents.names() else _whole(name) for name in players)
        self.agents = [None if name == PERSON else agents.load(name, rules) for name in self.players]
        self.seed = secrets.randbits(32) if seed is None else seed
        self.match = Match(rules, seed=self.seed)

    @property
    def game(self) -> Game:
        """The round being played."""
        return self.match.game

    @property
    def me(self) -> int:
        """The person's seat."""
        return self.players.index(PERSON)

    def bot_move(self) -> Move:
        """What the computer player whose turn it is wants to play; it is not played yet.

        Raises:
            ValueError: if it is the person's turn.
        """
        agent = self.agents[self.game.to_play]
        if agent is None:
            raise ValueError("expected a computer player's turn, got the person's")
        self._give_chance(agent)
        return self.game.move_of(agent.act(self.game.view(self.game.to_play)))

    def hint(self) -> Hint:
        """What the strongest player at hand would do in the person's place."""
        self._give_chance(self.adviser)
        return hint(self.game, self.adviser)

    @cached_property
    def adviser(self) -> Agent:
        """The player that gives the hints."""
        return agents.load(strongest(self.rules)[0], self.rules)

    def _give_chance(self, agent: Agent) -> None:
        """Make the agent's random numbers depend on this move alone."""
        move = (self.seed, len(self.match.games), len(self.game.history))
        agent.reset(int(np.random.SeedSequence(move).generate_state(1)[0]))

    # --- files -----------------------------------------------------------------------------------------------

    def record(self, form: str = "text") -> str:
        """The records of the finished rounds; the round being played would show what is hidden."""
        return record.write_all([game for game in self.match.games if game.over], form)

    def save(self, path: Path) -> None:
        """Write the match so far. The file is whole or not there, whatever happens.

        Raises:
            OSError: if it cannot be written.
        """
        options = {name: value for name, value in self.rules.options().items() if name != "num_players"}
        data = {
            "format": FORMAT,
            "ruleset": self.rules.ruleset,
            "options": options,
            "seed": self.seed,
            "players": list(self.players),
            "rounds": [[str(move) for move in game.history] for game in self.match.games],
            "check": _check(self.game),
        }
        write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> Session:
        """Go on with a saved match.

        Raises:
            ValueError: for a file that is no saved game, or one cut off or changed; says what was expected.
            OSError: if it cannot be read.
        """
        try:
            return cls._from_data(json.loads(path.read_text(encoding="utf-8")))
        except json.JSONDecodeError as error:
            reason = f"line {error.lineno}: {error.msg}"
        except RecursionError:
            reason = "lists within lists without end"
        except UnicodeDecodeError as error:
            reason = f"no text in UTF-8 at byte {error.start}"
        except ValueError as error:
            reason = str(error)
        raise ValueError(f"expected a saved game in {str(path)!r}: {reason}")

    @classmethod
    def _from_data(cls, data: Any) -> Session:
        found = data.get("format") if isinstance(data, dict) else None
        if found != FORMAT:
            raise ValueError(f"expected format {FORMAT!r}, got {found!r}")
        for key, kind in (("ruleset", str), ("options", dict), ("seed", int), ("players", list), ("rounds", list)):
            if not isinstance(data.get(key), kind):
                raise ValueError(f"{key}: expected {_KINDS[kind]}, got {data.get(key)!r}")
        if not all(isinstance(player, str) for player in data["players"]):
            raise ValueError(f"players: expected names, got {data['players']!r}")
        rules = Rules.preset(data["ruleset"], **(data["options"] | {"num_players": len(data["players"])}))
        session = cls(rules, data["players"], data["seed"])
        for number, moves in enumerate(data["rounds"], 1):
            if number > 1:
                session.match.next_round()
            session._replay(number, moves)
        if data.get("check") != _check(session.game):
            raise ValueError("expected the position that was saved, got another one from its seed and moves")
        return session

    def _replay(self, number: int, moves: Any) -> None:
        if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
            raise ValueError(f"round {number}: expected a list of moves, got {moves!r}")
        for count, move in enumerate(moves, 1):
            try:
                self.game.play(move)
            except ValueError as error:
                raise ValueError(f"round {number}, move {count}: {error}") from None


_KINDS: Final = {str: "text", dict: "an object", int: "a whole number", list: "a list"}


def strongest(rules: Rules) -> tuple[str, str]:
    """Name of the strongest player there is for these rules, ``trained`` or else ``hard``, and why not ``trained``."""
    try:
        agents.load("trained", rules)
    except (ValueError, OSError, ImportError) as error:
        return "hard", str(error)
    return "trained", ""


def _whole(path: str) -> str:
    return str(Path(path).resolve()) if Path(path).exists() else path


def _check(game: Game) -> str:
    """A fingerprint of the position after the moves of a round. It does not give away what is hidden.

    The moves are played anew: Ctrl-C may have come between a move and the note of it.
    """
    played = game.start()
    for move in game.history:
        played.repeat(move)
    position = json.dumps([played.position(), list(played.totals)], sort_keys=True)
    return hashlib.sha256(position.encode()).hexdigest()[:16]


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that it is always whole: first under another name beside it, then renamed.

    Raises:
        OSError: if it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        error.filename = str(path)  # not the other name, which nobody has heard of
        raise
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
