"""One round, move by move: a friendly face on one table of the compiled rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rummy_env import position as positions
from rummy_env import record as records
from rummy_env.actions import (
    RUN_STARTS,
    TABLE_GAME_ACTIONS,
    ActionBlock,
    action_id,
    action_table,
    describe_action,
    first_ids,
    num_actions,
    run_cards,
    set_cards,
)
from rummy_env.cards import NUM_RANKS, card_text, cards_text, from_mask, parse_cards, rank_of, suit_of, to_mask
from rummy_env.core import batch, kernel
from rummy_env.core.random import streams
from rummy_env.core.state import NO_CARD, PHASES, RUN, SET, VIEW_DTYPE, new_states
from rummy_env.core.table_game import ONTO_HIGH, ONTO_LOW, ONTO_SET
from rummy_env.moves import FORFEIT_WORD, IllegalMove, Move, parse_move
from rummy_env.rules import Rules
from rummy_env.view import Result, TableMeld, View, pile_cards, result_of, table_melds

_IDS = first_ids(TABLE_GAME_ACTIONS)
_LAYOFF_ENDS = {"layoff_set": ONTO_SET, "layoff_low": ONTO_LOW, "layoff_high": ONTO_HIGH}


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
            ValueError: for a seed or a dealer out of range.
        """
        dealer = rules.num_players - 1 if dealer is None else dealer
        if isinstance(dealer, bool) or not isinstance(dealer, int) or not 0 <= dealer < rules.num_players:
            raise ValueError(f"dealer: expected a seat from 0 to {rules.num_players - 1}, got {dealer!r}")
        kernel.announce(rules.ruleset)
        states = new_states(1)
        batch.deal_table(rules.record, states, streams(seed, 1)[0], dealer)
        return cls(rules, states, seed)

    @classmethod
    def from_position(cls, rules: Rules, position: Mapping[str, Any], seed: int = 0) -> Game:
        """Any position of a round (API.md, "Position"). ``seed`` is for the refills to come.

        Raises:
            ValueError: for an impossible position, saying what is wrong.
        """
        kernel.announce(rules.ruleset)
        states = positions.to_states(rules, position)
        states["hidden"]["rng"] = streams(seed, 1)[0]
        return cls.from_start(rules, states)

    @classmethod
    def from_start(cls, rules: Rules, states: npt.NDArray[np.void], seed: int | None = None) -> Game:
        """A round from a table written by hand (see `rummy_env.position.to_states`): its turn is begun here."""
        game = cls(rules, states, seed)
        batch.begin_table(rules.record, states)
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
        return [card_text(card) for card in from_mask(self._states["hidden"]["hands"][0, self._seat(seat)])]

    @property
    def table(self) -> list[TableMeld]:
        return table_melds(self._view)

    @property
    def pile(self) -> list[str]:
        """Bottom to top."""
        return pile_cards(self._view)

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

    def position(self) -> dict[str, Any]:
        """This position as `from_position` reads it, with everything hidden."""
        return positions.from_states(self.rules, self._states)

    # --- what a seat may know --------------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What that seat may know. Independent of the game: it does not change when the game goes on."""
        views = np.zeros(1, VIEW_DTYPE)
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
        return self._refusal(self._read(move)) is None

    def play(self, move: Move | str) -> None:
        """Make a move, given as `Move` or text.

        Raises:
            IllegalMove: says why; nothing has changed.
            ValueError: for text that is no move at all.
        """
        move = self._read(move)
        reason = self._refusal(move)
        if reason is not None:
            raise IllegalMove(f"{move} is not legal: {reason}")
        self._apply(self._canonical(move))

    def step(self, action: int) -> None:
        """Play an action by its id.

        Raises:
            IllegalMove: says why; nothing has changed.
            ValueError: if there is no such action.
        """
        action = self._action_id(action)
        if not batch.play_action(self.rules.record, self._states, action):
            raise IllegalMove(self._illegal_action(action))
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
            batch.forfeit_table(self.rules.record, self._states, self.to_play)
            self.history.append(Move(FORFEIT_WORD))

    def move_of(self, action: int) -> Move:
        """The move that an action makes in this position, legal or not.

        Raises:
            ValueError: if there is no such action.
        """
        action = self._action_id(action)
        block = self._block(action)
        index = action - block.first
        match block.name:
            case "draw" | "take":
                return Move(block.name)
            case "meld_set":
                return Move("meld", set_cards(index))
            case "meld_run":
                return Move("meld", run_cards(index))
            case "discard":
                return Move("discard", (index,))
            case _:
                end = _LAYOFF_ENDS[block.name]
                fitting = [number for number in range(len(self.table)) if self._fits(index, number, end)]
                return Move("layoff", (index,), fitting[0] if fitting else None)

    def action_of(self, move: Move | str) -> int | None:
        """The one action that makes a move of this position, or None where it takes several (a long meld)."""
        move = self._canonical(self._read(move))
        match move.kind:
            case "draw" | "take":
                return _IDS[move.kind]
            case "discard":
                return _IDS["discard"] + move.cards[0]
            case "layoff" if move.meld is not None:
                for name, end in _LAYOFF_ENDS.items():
                    if self._fits(move.cards[0], move.meld, end):
                        return _IDS[name] + move.cards[0]
            case "meld" if len(move.cards) == 3:
                if self.rules.is_run(list(move.cards)):
                    low = move.cards[0]
                    return _IDS["meld_run"] + suit_of(low) * RUN_STARTS + rank_of(low)
                if self.rules.is_set(list(move.cards)):
                    missing = ({0, 1, 2, 3} - set(map(suit_of, move.cards))).pop()
                    return _IDS["meld_set"] + missing * NUM_RANKS + rank_of(move.cards[0])
        return None

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
        """
        states = positions.resample(self.rules, self._states, self._seat(seat), np.random.default_rng(rng))
        return Game(self.rules, states)

    def record(self, form: str = "text") -> str:
        """The round so far, ``form`` "text" or "json"; `from_record` replays it to the same result."""
        return records.write(self, form)

    # --- inside ----------------------------------------------------------------------------------------------

    def _apply(self, move: Move) -> None:
        """Make a legal move and remember it."""
        action = self.action_of(move)
        if action is not None and move.kind != "layoff":
            batch.play_action(self.rules.record, self._states, action)
        elif move.kind == "layoff":
            assert move.meld is not None
            ends = [end for end in _LAYOFF_ENDS.values() if self._fits(move.cards[0], move.meld, end)]
            batch.play_layoff(self.rules.record, self._states, move.cards[0], ends[0], move.meld)
        else:
            cards = list(move.cards)
            if self.rules.is_run(cards):
                meld = (RUN, suit_of(cards[0]), rank_of(cards[0]), len(cards), 0)
            else:
                meld = (SET, rank_of(cards[0]), 0, len(cards), to_mask(map(suit_of, cards)))
            batch.play_meld(self.rules.record, self._states, *meld)
        self.history.append(move)

    def _read(self, move: Move | str) -> Move:
        if isinstance(move, Move):
            return move
        if not isinstance(move, str):
            raise ValueError(f"expected a move or its text, got {move!r}")
        return parse_move(move)

    def _canonical(self, move: Move) -> Move:
        if move.kind == "meld":
            return Move("meld", tuple(sorted(move.cards)))
        if move.kind == "layoff":
            return Move("layoff", move.cards, move.meld)
        return move

    def _seat(self, seat: int) -> int:
        if not 0 <= seat < self.rules.num_players:
            raise ValueError(f"expected a seat from 0 to {self.rules.num_players - 1}, got {seat!r}")
        return seat

    def _action_id(self, action: int) -> int:
        number, count = action_id(action), num_actions(self.rules.ruleset)
        if not 0 <= number < count:
            raise ValueError(f"expected an action of {self.rules.ruleset} from 0 to {count - 1}, got {action!r}")
        return number

    def _block(self, action: int) -> ActionBlock:
        return next(block for block in action_table(self.rules.ruleset) if action in block)

    def _fits(self, card: int, number: int, end: int) -> bool:
        """Whether ``card`` extends table meld ``number`` at ``end``."""
        table = self.table
        if not 0 <= number < len(table):
            return False
        cards = parse_cards(table[number].cards)
        if end == ONTO_SET:
            return self.rules.is_set([*cards, card])
        return self.rules.is_run([*cards, card]) and card == (cards[0] - 1 if end == ONTO_LOW else cards[-1] + 1)

    def _refusal(self, move: Move) -> str | None:
        """Why the seat to play may not make a move, or None where it may."""
        if self.over:
            return "the round is over"
        if move.kind not in ("draw", "take", "meld", "layoff", "discard"):
            return f"{self.rules.ruleset} rummy has no such move"
        drawing = move.kind in ("draw", "take")
        if self.phase == "draw":
            if not drawing:
                return "a turn begins with draw or take"
            if move.kind == "draw" and _IDS["draw"] not in self.legal_actions():
                return "the stock is empty and the pile has only its top card, which must be taken"
            if move.kind == "take" and not self.pile:
                return "the pile is empty"
            return None
        if drawing:
            return "a card was drawn already in this turn"
        hand = from_mask(self._view["hand"][0])
        missing = [card for card in move.cards if card not in hand]
        if missing:
            return f"{card_text(missing[0])} is not in the hand"
        if move.kind == "meld":
            if not (self.rules.is_set(list(move.cards)) or self.rules.is_run(list(move.cards))):
                return f"{cards_text(move.cards)} is neither a set nor a run"
        elif move.kind == "layoff":
            return self._layoff_refusal(move)
        elif _IDS["discard"] + move.cards[0] not in self.legal_actions():
            return f"{card_text(move.cards[0])} was taken from the pile in this turn"
        return None

    def _layoff_refusal(self, move: Move) -> str | None:
        table, number = self.table, move.meld
        if number is None:
            return "no meld on the table takes the card"
        if not 0 <= number < len(table):
            return f"the table has {len(table)} melds, numbered from 0, and no {number}"
        ends = {"low": [ONTO_LOW], "high": [ONTO_HIGH], None: list(_LAYOFF_ENDS.values())}[move.end]
        if not any(self._fits(move.cards[0], number, end) for end in ends):
            where = f"the {move.end} end of " if move.end else ""
            return f"{card_text(move.cards[0])} does not fit {where}{table[number]}"
        return None

    def _illegal_action(self, action: int) -> str:
        return f"{describe_action(self.rules.ruleset, action)} is not legal: {self._refusal(self.move_of(action))}"

    def __repr__(self) -> str:
        taken = int(self._view["taken"][0])
        took = f", took {card_text(taken)}" if taken != NO_CARD else ""
        return f"<Game {self.rules.ruleset}: turn {self.turn}, seat {self.to_play}, {self.phase}{took}>"
