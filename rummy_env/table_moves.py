"""Moves of people at a table game: `TableMoves` is straight rummy; `RamiMoves` adds jokers, the opening and the duties
of rami."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rummy_env.actions import (
    JOKER_RUN_STARTS,
    RUN_STARTS,
    SUIT_PAIRS,
    ActionBlock,
    high_run_cards,
    run_cards,
    run_with_joker,
    set_cards,
    set_with_joker,
)
from rummy_env.cards import JOKER, NUM_RANKS, Card, card_text, cards_text
from rummy_env.core import batch, rami_table
from rummy_env.core.state import MELDED, RUN, SET
from rummy_env.core.table_game import ONTO_HIGH, ONTO_LOW, ONTO_SET
from rummy_env.game_moves import GameMoves
from rummy_env.melds import HIGH_ACE, Meld, extended, swap_place
from rummy_env.moves import Move

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rummy_env.game import Game

ENDS: Final = {"set": ONTO_SET, "low": ONTO_LOW, "high": ONTO_HIGH}
"""The ways to lay off, by the number that kernels use."""

_MELD_CARDS: Final = {
    "meld_set": set_cards,
    "meld_run": run_cards,
    "meld_high_run": high_run_cards,
    "meld_set_joker": set_with_joker,
    "meld_run_joker": run_with_joker,
}


def meld_fields(meld: Meld) -> tuple[int, int, int, int, int, int]:
    """(kind, key, low, size, suits, jokers), as kernels take a meld."""
    return (RUN if meld.is_run else SET, meld.key, meld.low, meld.size, meld.suits, meld.jokers)


class TableMoves(GameMoves):
    """Straight rummy."""

    kinds: tuple[str, ...] = ("draw", "take", "meld", "layoff", "discard")

    # --- actions and moves -----------------------------------------------------------------------------------

    def move_of(self, game: Game, action: int) -> Move:
        block = self.block(action)
        index = action - block.first
        if block.name in _MELD_CARDS:
            return Move("meld", _MELD_CARDS[block.name](index))
        if block.name.startswith("layoff"):
            end = block.name.removeprefix("layoff_")
            numbers = range(len(game.table))
            return Move("layoff", (index,), next((n for n in numbers if self.longer(game, n, index, end)), None))
        if block.name == "discard":
            return Move("discard", (index,))
        return Move(block.name)

    def action_of(self, game: Game, move: Move) -> int | None:
        if move.kind == "discard":
            return self.ids["discard"] + move.cards[0]
        if move.kind == "layoff":
            ends = self.fitting_ends(game, move)
            return self.ids[f"layoff_{ends[0]}"] + move.cards[0] if len(ends) == 1 else None
        if move.kind == "meld":
            meld = game.rules.meld(move.cards)
            return None if meld is None else self.meld_action(meld)
        return self.ids.get(move.kind)

    def meld_action(self, meld: Meld) -> int | None:
        """The action of a meld of three, None for a longer one."""
        if meld.size != 3:
            return None
        if meld.is_run:
            return self.ids["meld_run"] + meld.key * RUN_STARTS + meld.low
        missing = next(suit for suit in range(4) if not meld.suits >> suit & 1)
        return self.ids["meld_set"] + missing * NUM_RANKS + meld.key

    def canonical(self, game: Game, move: Move) -> Move:
        """The move with its cards in the order in which the table shows them, and no end that it does not need."""
        if move.kind in ("meld", "piece"):
            meld = game.rules.meld(move.cards)
            return move if meld is None else Move(move.kind, meld.cards)
        if move.kind in ("layoff", "lengthen") and move.end is not None:
            plain = Move(move.kind, move.cards, move.meld)
            return plain if len(self.fitting_ends(game, plain)) == 1 else move
        return move

    # --- lay-offs --------------------------------------------------------------------------------------------

    def longer(self, game: Game, number: int, card: Card, end: str) -> Meld | None:
        """Table meld ``number`` with ``card`` at ``end``, or None where it does not take it."""
        return extended(game.table[number].meld, card, end, game.rules.high_ace)

    def fitting_ends(self, game: Game, move: Move) -> list[str]:
        """The ways in which a lay-off fits the meld that it names."""
        if move.meld is None or not 0 <= move.meld < len(game.table):
            return []
        ends = [move.end] if move.end else list(ENDS)
        return [end for end in ends if self.longer(game, move.meld, move.cards[0], end)]

    # --- what is legal ---------------------------------------------------------------------------------------

    def draw_refusal(self, game: Game, move: Move) -> str | None:
        if move.kind not in ("draw", "take"):
            return "a turn begins with draw or take"
        if self.allows(game, self.ids[move.kind]):
            return None
        if move.kind == "draw":
            return "the stock is empty and the pile has only its top card, which must be taken"
        return "the pile is empty" if not game.pile else "the card was given back in this turn"

    def play_refusal(self, game: Game, move: Move) -> str | None:
        if move.kind == "meld":
            return self.meld_refusal(game, move.cards)
        if move.kind == "layoff":
            return self.layoff_refusal(game, move)
        if self.allows(game, self.ids["discard"] + move.cards[0]):
            return None
        return f"{card_text(move.cards[0])} was taken from the pile in this turn"

    def meld_refusal(self, game: Game, cards: tuple[Card, ...]) -> str | None:
        return None if game.rules.meld(cards) else f"{cards_text(cards)} is neither a set nor a run"

    def layoff_refusal(self, game: Game, move: Move) -> str | None:
        table, number, card = game.table, move.meld, move.cards[0]
        if number is None:
            return "no meld on the table takes the card"
        if not 0 <= number < len(table):
            return f"the table has {len(table)} melds, numbered from 0, and no {number}"
        ends = self.fitting_ends(game, move)
        if not ends:
            where = f"the {move.end} end of " if move.end else ""
            return f"{card_text(card)} does not fit {where}{table[number]}"
        return f"{card_text(card)} fits both ends of {table[number]}: low or high?" if len(ends) > 1 else None

    # --- making a move ---------------------------------------------------------------------------------------

    def apply(self, game: Game, move: Move) -> None:
        record, states = game.rules.record, game.state
        if move.kind == "layoff":
            assert move.meld is not None
            batch.play_layoff(record, states, move.cards[0], ENDS[self.fitting_ends(game, move)[0]], move.meld)
        elif move.kind == "meld":
            meld = game.rules.meld(move.cards)
            assert meld is not None
            batch.play_meld(record, states, *meld_fields(meld))
        else:
            batch.play_action(record, states, self.action_of(game, move))


class RamiMoves(TableMoves):
    """Rami. A player who has not opened opens with one `open`; action by action it is put together by `piece` (a new
    meld), `lengthen` (a lay-off onto one of them) and `confirm`."""

    kinds = (*TableMoves.kinds, "untake", "open", "swap", "piece", "lengthen", "confirm")

    def move_of(self, game: Game, action: int) -> Move:
        block = self.block(action)
        index = action - block.first
        pending = opening(game)
        if block.name in _MELD_CARDS:
            return Move("meld" if has_opened(game) and not pending else "piece", _MELD_CARDS[block.name](index))
        if block.name == "discard_joker":
            return Move("discard", (JOKER,))
        if block.name.startswith("swap"):
            return Move("swap", (index,), self._target(game, action, block))
        if block.name.startswith("layoff"):
            card = JOKER if "joker" in block.name else index
            end = block.name.rpartition("_")[2]
            kind = "lengthen" if pending else "layoff"
            move = Move(kind, (card,), self._target(game, action, block), None if end == "set" else end)
            return self.canonical(game, move)
        return super().move_of(game, action)

    def _target(self, game: Game, action: int, block: ActionBlock) -> int | None:
        """The table meld that a lay-off or swap action means: the first on which it is legal, else the first that
        takes it, None where none does."""
        if self.allows(game, action):
            return int(rami_table.target_of(game.rules.record, game.state, action))
        index = action - block.first
        for number, meld in enumerate(table.meld for table in game.table):
            if block.name.startswith("swap"):
                fits = swap_place(meld, index) is not None and meld.is_run == block.name.endswith("run")
            else:
                fits = self._stands_for(game, number, block, index)
            if fits:
                return number
        return None

    def _stands_for(self, game: Game, number: int, block: ActionBlock, index: int) -> bool:
        """Whether table meld ``number`` takes the card, or the joker in the card's place, of a lay-off action."""
        end = block.name.rpartition("_")[2]
        if "joker" not in block.name:
            return self.longer(game, number, index, end) is not None
        longer = self.longer(game, number, JOKER, end)
        if longer is None:
            return False
        place = longer.low + (longer.size - 1 if end == "high" else 0)
        return index == (longer.key if end == "set" else longer.key * NUM_RANKS + place % NUM_RANKS)

    def action_of(self, game: Game, move: Move) -> int | None:
        if move.kind == "discard" and move.cards[0] == JOKER:
            return self.ids["discard_joker"]
        if move.kind in ("layoff", "lengthen", "swap"):
            # An action names no meld: it is this move only if the first meld on which it is legal is meant.
            found = [action for action in self._table_actions(game, move) if self._is_target(game, action, move.meld)]
            return found[0] if len(found) == 1 else None
        if move.kind == "piece":
            meld = game.rules.meld(move.cards)
            return None if meld is None else self.meld_action(meld)
        return super().action_of(game, move)

    def _is_target(self, game: Game, action: int, number: int | None) -> bool:
        return self._target(game, action, self.block(action)) == number

    def _table_actions(self, game: Game, move: Move) -> list[int]:
        """The actions that could mean a lay-off or a swap."""
        card = move.cards[0]
        if move.kind == "swap":
            return [self.ids["swap_set"] + card, self.ids["swap_run"] + card] if card != JOKER else []
        actions = []
        for end in self.fitting_ends(game, move):
            if card != JOKER:
                actions.append(self.ids[f"layoff_{end}"] + card)
                continue
            assert move.meld is not None
            longer = self.longer(game, move.meld, card, end)
            assert longer is not None
            place = longer.low + (longer.size - 1 if end == "high" else 0)
            index = longer.key if end == "set" else longer.key * NUM_RANKS + place % NUM_RANKS
            actions.append(self.ids[f"layoff_joker_{end}"] + index)
        return actions

    def meld_action(self, meld: Meld) -> int | None:
        if meld.size != 3:
            return None
        if not meld.jokers:
            if meld.is_run and meld.low + meld.size > HIGH_ACE:
                return self.ids["meld_high_run"] + meld.key
            return super().meld_action(meld)
        if meld.is_run:
            place = (meld.jokers >> meld.low).bit_length() - 1
            return self.ids["meld_run_joker"] + (meld.key * JOKER_RUN_STARTS + meld.low) * 3 + place
        pair = next(k for k, (low, high) in enumerate(SUIT_PAIRS) if meld.suits == 1 << low | 1 << high)
        return self.ids["meld_set_joker"] + pair * NUM_RANKS + meld.key

    def longer(self, game: Game, number: int, card: Card, end: str) -> Meld | None:
        view = game.state["view"][0]
        pending = view["opening"] and number >= view["opening_from"]
        if card == JOKER and end == "set" and not (pending or game.rules.joker_onto_set):
            return None
        return super().longer(game, number, card, end)

    # --- what is legal ---------------------------------------------------------------------------------------

    def play_refusal(self, game: Game, move: Move) -> str | None:
        if move.kind in ("untake", "confirm"):
            if self.allows(game, self.ids[move.kind]):
                return None
            if move.kind == "confirm":
                return "no opening was put together that reaches the threshold"
            return "no card was taken, or something was done since"
        if move.kind == "discard":
            action = self.action_of(game, move)
            return None if action is not None and self.allows(game, action) else self._duties(game)
        if opening(game) or move.kind in ("piece", "lengthen"):
            return self._piece_refusal(game, move)
        if move.kind == "open":
            return self._open_refusal(game, move)
        if not has_opened(game):
            return "before opening nothing can be put down but an opening"
        if move.kind == "meld":
            return self.meld_refusal(game, move.cards) or self._may(game, move)
        if move.kind == "swap":
            return self._swap_refusal(game, move) or self._may(game, move)
        return self.layoff_refusal(game, move) or self._may(game, move)

    def _may(self, game: Game, move: Move) -> str | None:
        """Why a move that fits would lead into a dead end, or None."""
        record, states = game.rules.record, game.state
        if move.kind == "meld":
            meld = game.rules.meld(move.cards)
            assert meld is not None
            fine = rami_table.may_meld(record, states, *meld_fields(meld))
        elif move.kind == "swap":
            fine = rami_table.may_swap(record, states, move.cards[0], move.meld)
        else:
            end = ENDS[self.fitting_ends(game, move)[0]]
            fine = rami_table.may_layoff(record, states, move.cards[0], end, move.meld)
        return None if fine else "the taken card or a freed joker could not be put down any more"

    def _duties(self, game: Game) -> str:
        view = game.state["view"][0]
        if view["opening"]:
            return "the opening in the making has to be confirmed first"
        if view["freed"]:
            return "a freed joker has to be put down first"
        return f"{card_text(int(view['taken']))}, taken from the pile, has to be put down first"

    def _piece_refusal(self, game: Game, move: Move) -> str | None:
        if move.kind not in ("piece", "lengthen"):
            return "the opening in the making has to be confirmed first"
        if has_opened(game) and not opening(game):
            return "the seat has opened already"
        if move.kind == "piece" and (reason := self.meld_refusal(game, move.cards)):
            return reason
        if move.kind == "lengthen":
            if reason := self.layoff_refusal(game, move):
                return reason
            if not opening(game) or (move.meld or 0) < game.state["view"]["opening_from"][0]:
                return f"meld {move.meld} of the table is no piece of an opening in the making"
        action = self.action_of(game, move)
        if action is not None:
            reaches = self.allows(game, action)
        else:
            # A longer piece, or one that lengthens another meld than the action means: tried out. Nothing is legal
            # after what leads nowhere.
            trial = game.copy()
            self.apply(trial, move)
            reaches = bool(trial.legal_actions())
        return None if reaches else "the opening could not reach the threshold with it"

    def _open_refusal(self, game: Game, move: Move) -> str | None:
        if has_opened(game):
            return "the seat has opened already"
        for cards in move.melds:
            if reason := self.meld_refusal(game, cards):
                return reason
        view = game.state["view"][0]
        trial = game.state.copy()
        self._lay_pieces(game, trial, move)
        if rami_table.stands(game.rules.record, trial):
            return None
        if view["taken"] >= 0 and not trial["view"]["taken_used"][0]:
            return f"{card_text(int(view['taken']))}, taken from the pile, is not in it"
        points = sum(game.rules.opening_points(cards_text(cards)) for cards in move.melds)
        return f"expected {game.rules.opening} points or at most one card left, got {points} points"

    def _swap_refusal(self, game: Game, move: Move) -> str | None:
        table, number, card = game.table, move.meld, move.cards[0]
        if number is None or not 0 <= number < len(table):
            return f"the table has {len(table)} melds, numbered from 0, and no {number}"
        if swap_place(table[number].meld, card) is None:
            return f"{card_text(card)} replaces no joker of {table[number]}"
        return None

    # --- making a move ---------------------------------------------------------------------------------------

    def apply(self, game: Game, move: Move) -> None:
        record, states = game.rules.record, game.state
        if move.kind == "open":
            self._lay_pieces(game, states, move)
            rami_table.confirm(record, states)
        elif move.kind == "swap":
            rami_table.play_swap(record, states, move.cards[0], move.meld)
        elif move.kind == "lengthen":
            super().apply(game, Move("layoff", move.cards, move.meld, move.end))
        elif move.kind == "piece":
            self._lay_pieces(game, states, Move("open", melds=(move.cards,)))
            batch.refresh_table(record, states)
        else:
            super().apply(game, move)

    @staticmethod
    def _lay_pieces(game: Game, states: npt.NDArray[np.void], move: Move) -> None:
        for cards in move.melds:
            meld = game.rules.meld(cards)
            assert meld is not None
            rami_table.lay_piece(game.rules.record, states, *meld_fields(meld))


def opening(game: Game) -> bool:
    """Whether the seat to play is putting an opening together."""
    return bool(game.state["view"]["opening"][0])


def has_opened(game: Game) -> bool:
    """Whether the seat to play has opened, in an earlier turn or in this one."""
    view = game.state["view"][0]
    return bool(view["put_down"][view["to_play"]] or view["down_now"] & MELDED)


MOVES: Final = {"straight": TableMoves("straight"), "rami": RamiMoves("rami")}
