"""What a hand offers, for people: the melds in it, what can be laid off, the moves to choose from, and a hint.

Whether cards are a meld and whether a move is legal is asked of `Rules` and `Game`; here it is only tried out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from rummy_env.cards import card_text, parse_card, parse_cards
from rummy_env.moves import Move

if TYPE_CHECKING:
    from agents import Agent
    from rummy_env import Game, Rules
    from rummy_env.view import TableMeld

SMALLEST_MELD = 3


def melds_in(rules: Rules, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Every meld that can be made of these cards, longest first, each written as the rule book writes it.

    >>> from rummy_env import Rules
    >>> melds_in(Rules.preset("straight"), ["4d", "5d", "6d", "7d", "9s"])
    [('4d', '5d', '6d', '7d'), ('4d', '5d', '6d'), ('5d', '6d', '7d')]
    """
    # A longer meld is a shorter one and a card more.
    longest = {frozenset(cards) for cards in combinations(hand, SMALLEST_MELD) if rules.is_meld(cards)}
    found: set[frozenset[str]] = set()
    while longest:
        found |= longest
        longest = {
            meld | {card} for meld in longest for card in hand if card not in meld and rules.is_meld(meld | {card})
        }
    melds = [tuple(sorted(meld, key=parse_card)) for meld in found]
    return sorted(melds, key=lambda meld: (-len(meld), [parse_card(card) for card in meld]))


def best_melds(rules: Rules, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Melds that can be made of these cards side by side, so that the fewest points are left."""

    def best(melds: list[tuple[str, ...]]) -> tuple[int, list[tuple[str, ...]]]:
        chosen: tuple[int, list[tuple[str, ...]]] = (0, [])
        for at, meld in enumerate(melds):
            points, others = best([other for other in melds[at + 1 :] if not set(other) & set(meld)])
            chosen = max(chosen, (points + rules.hand_points(meld), [meld, *others]), key=lambda pair: pair[0])
        return chosen

    return best(melds_in(rules, hand))[1]


def layoffs_in(rules: Rules, hand: Collection[str], table: Sequence[TableMeld]) -> dict[str, list[int]]:
    """The cards of a hand that can be laid off, each with the numbers of the table melds that take it."""
    numbers = {
        card: [number for number, meld in enumerate(table) if rules.is_meld([*meld.cards, card])] for card in hand
    }
    return {card: fitting for card, fitting in numbers.items() if fitting}


def choices(game: Game) -> list[Move]:
    """The moves that a person may choose from: every legal meld of any length, then what else is legal."""
    moves = game.legal_moves()
    melds = [Move("meld", tuple(parse_cards(meld))) for meld in melds_in(game.rules, game.hand(game.to_play))]
    return [*filter(game.is_legal, melds), *(move for move in moves if move.kind != "meld")]


@dataclass(frozen=True, slots=True)
class Hint:
    """A move, and why. ``reason``: a message of `game.messages` that ``cards`` and ``points`` fill, or None."""

    move: Move
    reason: str | None = None
    cards: tuple[str, ...] = ()
    points: int = 0


def hint(game: Game, agent: Agent) -> Hint:
    """What ``agent`` would do in the place of the seat to play, knowing what that seat knows."""
    move = game.move_of(agent.act(game.view(game.to_play)))
    if len(game.legal_moves()) == 1:
        return Hint(move, "reason_only_move")
    return _hint_to_draw(game, move) if game.phase == "draw" else _hint_to_play(game, move)


def _hint_to_draw(game: Game, move: Move) -> Hint:
    top = game.pile[-1]
    made = [meld for meld in melds_in(game.rules, [*game.hand(game.to_play), top]) if top in meld]
    fits = layoffs_in(game.rules, [top], game.table)
    if move.kind == "draw":
        return Hint(move) if made or fits else Hint(move, "reason_useless", (top,))
    if made:
        return Hint(move, "reason_makes", made[0])
    if fits:
        return Hint(move, "reason_fits", game.table[fits[top][0]].cards)
    return Hint(move)


def _hint_to_play(game: Game, move: Move) -> Hint:
    hand = game.hand(game.to_play)
    cards = tuple(card_text(card) for card in move.cards)
    points = game.rules.hand_points(cards)
    if len(hand) == len(cards):
        return Hint(move, "reason_goes_out", cards, points)
    if move.kind != "discard":
        return Hint(move, "reason_rids", cards, points)
    in_meld = any(cards[0] in meld for meld in melds_in(game.rules, hand))
    return Hint(move) if in_meld else Hint(move, "reason_loose", cards, points)
