"""One round, move by move: a friendly face on one table of the compiled rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env import hand_moves, table_moves
from rummy_env import position as positions
from rummy_env import record as records
from rummy_env.actions import action_id, describe_action, num_actions
from rummy_env.cards import card_text, from_mask
from rummy_env.core import batch, kernel
from rummy_env.core.random import check_seed, streams
from rummy_env.core.state import NO_CARD, PHASES, new_states, view_dtype
from rummy_env.game_moves import GameMoves
from rummy_env.held import held_cards
from rummy_env.moves import FORFEIT_WORD, IllegalMove, Move, parse_move
from rummy_env.numbers import whole_number
from rummy_env.rules import Rules, check_rules
from rummy_env.showdown import Showdown, showdown_of
from rummy_env.view import Result, TableMeld, View, pile_cards, result_of, table_melds, wild_of

MOVES: Final[Mapping[str, GameMoves]] = {**table_moves.MOVES, **hand_moves.MOVES}
"""How people's moves are read in every ruleset."""


class Game:
    """A round of rummy. Make one with `Game.deal`, `Game.from_position` or `Game.from_record`.

    >>> game = Game.deal(Rules.preset("straight"), seed=7)
    >>> game.to_play, game.phase, [str(move) for move in game.legal_moves()]
    (0, 'draw', ['draw', 'take'])
    """

    __slots__ = ("_states", "history", "rules", "seed", "start_state")

    def __init__(self, rules: Rules, states: npt.NDArray[np.void], seed: int | None = None) -> None:
        """A round that starts from ``states``, an array of one table, which becomes this game's own."""
        self.rules = rules
        self.seed = None if seed is None else int(seed)
        self.start_state = states.copy()
        self._states = states
        self.history: list[int | Move] = []
        """What was played so far: actions by their id, moves of people as they are. `repeat` plays an entry again."""

    @classmethod
    def deal(cls, rules: Rules, seed: int | None = None, dealer: int | None = None) -> Game:
        """Deal a round; the player after ``dealer`` (default: the last seat) starts.

        The same arguments give the same deal on every machine; ``seed`` None draws a seed.

        Raises:
            ValueError: for what are no `Rules`, a seed or a dealer out of range.
        """
        check_rules(rules)
        seat = rules.num_players - 1 if dealer is None else whole_number(dealer)
        if seat is None or not 0 <= seat < rules.num_players:
            raise ValueError(f"dealer: expected a seat from 0 to {rules.num_players - 1}, got {dealer!r}")
        kernel.announce(rules.ruleset)
        states = new_states(rules.ruleset, 1)
        batch.deal_table(rules.record, states, streams(seed, 1)[0], seat)
        return cls(rules, states, seed)

    @classmethod
    def from_position(cls, rules: Rules, position: Mapping[str, Any], seed: int = 0) -> Game:
        """Any position of a round (API.md, "Position"). ``seed`` is for the refills to come.

        Raises:
            ValueError: for an impossible position, saying what is wrong.
        """
        check_rules(rules)
        kernel.announce(rules.ruleset)
        states = positions.to_states(rules, position)
        states["hidden"]["rng"] = streams(seed, 1)[0]
        return cls.from_start(rules, states)

    @classmethod
    def from_start(cls, rules: Rules, states: npt.NDArray[np.void], seed: int | None = None) -> Game:
        """A round from a table written by hand (see `rummy_env.position.to_states`): its turn is begun here.

        Raises:
            ValueError: for a position in which the seat to play owes what it cannot put down.
        """
        game = cls(rules, states, seed)
        batch.begin_table(rules.record, states)
        if not game.over and not game.legal_actions():
            raise ValueError(
                f"expected a position in which seat {game.to_play} has a move, got one where {_duty(game)}"
            )
        return game

    @classmethod
    def from_record(cls, text: str) -> Game:
        """Replay a round written by `record`, as text or JSON.

        Raises:
            ValueError: naming the line that is wrong.
        """
        return records.read(text)

    # --- the position ----------------------------------------------------------------------------------------

    @property
    def state(self) -> npt.NDArray[np.void]:
        """The whole table with everything hidden: an array of one `STATE_DTYPE` record. Read it, do not write."""
        return self._states

    @property
    def _view(self) -> npt.NDArray[np.void]:
        return self._states["view"]

    @property
    def to_play(self) -> int:
        """The seat to play; after the round, the seat that played last."""
        return int(self._view["to_play"][0])

    @property
    def phase(self) -> str:
        return PHASES[int(self._view["phase"][0])]

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def hand(self, seat: int) -> list[str]:
        """The card texts of a hand, sorted by suit and rank."""
        return [card_text(card) for card in held_cards(self._states, self._seat(seat))]

    @property
    def table(self) -> list[TableMeld]:
        return table_melds(self._view)

    @property
    def pile(self) -> list[str]:
        """Bottom to top."""
        return pile_cards(self._view)

    @property
    def wild(self) -> str | None:
        """The cut card (indian), None in other games."""
        return wild_of(self._view)

    @property
    def stock_size(self) -> int:
        return int(self._view["stock_size"][0])

    @property
    def dealer(self) -> int:
        return int(self._view["dealer"][0])

    @property
    def turn(self) -> int:
        """Turns finished in this round."""
        return int(self._view["turn"][0])

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the match, this round's scores included once it is over."""
        return tuple(int(total) for total in self._view["totals"][0, : self.rules.num_players])

    @property
    def result(self) -> Result | None:
        """None until the round is over."""
        return result_of(self.rules, self._view)

    @property
    def showdown(self) -> Showdown | None:
        """What was shown after a knock or a declaration (hand games), else None."""
        return showdown_of(self.rules, self._view)

    def position(self) -> dict[str, Any]:
        """This position as `from_position` reads it, with everything hidden."""
        return positions.from_states(self.rules, self._states)

    # --- what a seat may know --------------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What that seat may know. Independent of the game: it does not change when the game goes on."""
        views = np.zeros(1, view_dtype(self.rules.ruleset))
        batch.write_view(self._states, self._seat(seat), views)
        return View(self.rules, views)

    def observation(self, seat: int) -> npt.NDArray[np.uint8]:
        """Shape (`rummy_env.fields.observation_size`,), uint8, 0 or 1."""
        return self.view(seat).observation

    def action_mask(self, seat: int) -> npt.NDArray[np.int8]:
        """Shape (`rummy_env.actions.num_actions`,), int8: 1 for a legal action; all 0 for a seat that waits."""
        return self.view(seat).action_mask

    # --- moves -----------------------------------------------------------------------------------------------

    def legal_moves(self) -> list[Move]:
        """One move for each legal action, in the order of the ids."""
        return [self.move_of(action) for action in self.legal_actions()]

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions."""
        return [64 * word + at for word, bits in enumerate(self._view["legal"][0].tolist()) for at in from_mask(bits)]

    def is_legal(self, move: Move | str) -> bool:
        """Whether the seat to play may make the move.

        Raises:
            ValueError: for text that is no move at all.
        """
        return self._moves.refusal(self, self._read(move)) is None

    def play(self, move: Move | str) -> None:
        """Make a move, given as `Move` or text.

        Raises:
            IllegalMove: says why; nothing has changed.
            ValueError: for text that is no move at all.
        """
        move = self._read(move)
        reason = self._moves.refusal(self, move)
        if reason is not None:
            raise IllegalMove(f"{move} is not legal: {reason}")
        move = self._moves.canonical(self, move)
        self._moves.apply(self, move)
        self.history.append(move)

    def step(self, action: int) -> None:
        """Play an action by its id.

        Raises:
            IllegalMove: says why; nothing has changed.
            ValueError: if there is no such action.
        """
        action = self._action_id(action)
        if not batch.play_action(self.rules.record, self._states, action):
            reason = self._moves.refusal(self, self.move_of(action))
            raise IllegalMove(f"{describe_action(self.rules.ruleset, action)} is not legal: {reason}")
        self.history.append(action)

    def repeat(self, entry: int | Move) -> None:
        """Play an entry of another game's `history`.

        Raises:
            IllegalMove: says why; nothing has changed.
        """
        if not isinstance(entry, Move):
            self.step(entry)
        elif entry.kind == FORFEIT_WORD and not self.over:
            self.forfeit()
        else:
            self.play(entry)

    def forfeit(self) -> None:
        """End the round as void: the seat to play has broken the rules. Does nothing once the round is over."""
        if not self.over:
            batch.forfeit_table(self._states)
            self.history.append(Move(FORFEIT_WORD))

    def move_of(self, action: int) -> Move:
        """The move that an action makes in this position, legal or not.

        Raises:
            ValueError: if there is no such action.
        """
        return self._moves.move_of(self, self._action_id(action))

    def action_of(self, move: Move | str) -> int | None:
        """The one action that makes a move of this position, or None where it takes several (a long meld, an opening)
        or the action would mean another meld of the table."""
        return self._moves.action_of(self, self._moves.canonical(self, self._read(move)))

    # --- copies and records ----------------------------------------------------------------------------------

    def copy(self) -> Game:
        """The same position, independent, with its history."""
        twin = Game(self.rules, self._states.copy(), self.seed)
        twin.start_state = self.start_state
        twin.history = list(self.history)
        return twin

    def start(self) -> Game:
        """The round as it began, without a move."""
        states = self.start_state.copy()
        if not states["view"]["legal"].any():  # Written by hand and not begun yet.
            return Game.from_start(self.rules, states, self.seed)
        return Game(self.rules, states, self.seed)

    def resample(self, seat: int, rng: np.random.Generator | int | None = None) -> Game:
        """The same position for ``seat``, with everything that it cannot know dealt anew at random.

        What it can infer is kept: cards known to be in a hand stay there, and cards that have not been in the
        pile when it was shuffled back cannot be in the stock.

        Raises:
            ValueError: for a seat that there is not, and what is neither a generator nor a seed.
        """
        chance = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(check_seed(rng))
        states = positions.resample(self.rules, self._states, self._seat(seat), chance)
        return Game(self.rules, states)

    def record(self, form: str = "text") -> str:
        """The round so far, ``form`` "text" or "json"; `from_record` replays it to the same result."""
        return records.write(self, form)

    # --- inside ----------------------------------------------------------------------------------------------

    @property
    def _moves(self) -> GameMoves:
        return MOVES[self.rules.ruleset]

    def _read(self, move: Move | str) -> Move:
        if isinstance(move, Move):
            return move
        if not isinstance(move, str):
            raise ValueError(f"expected a move or its text, got {move!r}")
        return parse_move(move)

    def _seat(self, seat: int) -> int:
        number = whole_number(seat)
        if number is None or not 0 <= number < self.rules.num_players:
            raise ValueError(f"expected a seat from 0 to {self.rules.num_players - 1}, got {seat!r}")
        return number

    def _action_id(self, action: int) -> int:
        number, count = action_id(action), num_actions(self.rules.ruleset)
        if not 0 <= number < count:
            raise ValueError(f"expected an action of {self.rules.ruleset} from 0 to {count - 1}, got {action!r}")
        return number

    def __repr__(self) -> str:
        taken = int(self._view["taken"][0])
        took = f", took {card_text(taken)}" if taken != NO_CARD else ""
        return f"<Game {self.rules.ruleset}: turn {self.turn}, seat {self.to_play}, {self.phase}{took}>"


def _duty(game: Game) -> str:
    """What the seat to play owes where it has no move."""
    position = game.position()
    if position.get("pending"):
        return "the opening in the making cannot reach the threshold any more"
    if position.get("freed"):
        return f"{position['freed']} freed jokers cannot be put down"
    return f"the taken card {position['taken']} can neither be put down nor given back"
