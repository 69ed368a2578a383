"""Straight rummy by the book, slow and readable: what the compiled engine is compared with.

Written from RULES.md alone, over card texts, lists and sets; it shares no code with `rummy_env`. From `Rules` it
reads the values of options, never a method. Chance is not its business: it is told how a refilled stock lies.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "shdc"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
"""The whole deck in the order in which action ids count it."""


def sort(cards: Iterable[str]) -> list[str]:
    """By suit, then by rank, the ace low."""
    return sorted(cards, key=CARDS.index)


# --- melds ---------------------------------------------------------------------------------------------------


def is_set(cards: Iterable[str]) -> bool:
    """3-4 of a rank, all suits different."""
    cards = list(cards)
    ranks, suits = {card[0] for card in cards}, {card[1] for card in cards}
    return len(cards) in (3, 4) and len(ranks) == 1 and len(suits) == len(cards)


def is_run(cards: Iterable[str]) -> bool:
    """3+ consecutive cards of one suit, the ace low only; in any order."""
    cards = list(cards)
    if len(cards) < 3 or len({card[1] for card in cards}) != 1:
        return False
    ranks = "".join(sorted((card[0] for card in cards), key=RANKS.index))
    return ranks in RANKS


def melds_in(cards: Iterable[str]) -> list[list[str]]:
    """Every set and every run, of any length, that these cards hold."""
    cards = sort(cards)
    found = []
    for rank in RANKS:
        same = [card for card in cards if card[0] == rank]
        found += [list(some) for size in (3, 4) for some in combinations(same, size)]
    for suit in SUITS:
        same = [card for card in cards if card[1] == suit]
        found += [same[i:j] for i in range(len(same)) for j in range(i + 3, len(same) + 1) if is_run(same[i:j])]
    return found


def in_melds(cards: Iterable[str]) -> set[str]:
    """The cards that lie in some meld of these cards."""
    return {card for meld in melds_in(cards) for card in meld}


SETS_OF_3 = [[card for card in CARDS if card[0] == left_out[0] and card != left_out] for left_out in CARDS]
RUNS_OF_3 = [[rank + suit for rank in RANKS[low : low + 3]] for suit in SUITS for low in range(11)]


def completing(cards: Iterable[str]) -> set[str]:
    """The cards of a whole deck that would make a meld of three with two of these."""
    missing = [set(meld) - set(cards) for meld in SETS_OF_3 + RUNS_OF_3]
    return {card for rest in missing if len(rest) == 1 for card in rest}


# --- actions -------------------------------------------------------------------------------------------------


def _actions() -> list[str]:
    """Every action by its id, as docs and API describe the table: sets are named by the card that they leave out."""
    return [
        "draw",
        "take",
        *("meld " + " ".join(cards) for cards in SETS_OF_3 + RUNS_OF_3),
        *(f"layoff {card} {end}" for end in ("set", "low", "high") for card in CARDS),
        *(f"discard {card}" for card in CARDS),
    ]


ACTIONS = _actions()
_CARDS_OF_ACTIONS = [set(action.split()[1:4]) & set(CARDS) for action in ACTIONS]


# --- the game ------------------------------------------------------------------------------------------------


@dataclass
class Meld:
    cards: list[str]
    by: int


@dataclass
class Outcome:
    winner: int | None
    scores: list[int]
    doubled: bool = False
    void: bool = False


@dataclass
class Oracle:
    """One round. ``rules``: anything with the options of straight rummy as attributes.

    ``stock``: the next card to be drawn first. ``lay_stock``: gets the cards that a refill puts back, returns them
    in the order in which they will be drawn.
    """

    rules: Any
    hands: list[set[str]]
    pile: list[str]
    stock: list[str]
    to_play: int
    lay_stock: Callable[[list[str]], list[str]]
    table: list[Meld] = field(default_factory=list)
    phase: str = "draw"
    taken: str | None = None
    melded_now: bool = False
    laid_off_now: bool = False
    put_down: list[bool] = field(default_factory=list)
    turns: int = 0
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        self.put_down = self.put_down or [False] * self.rules.num_players
        if self.phase == "draw":
            self._start_turn()

    def copy(self) -> Oracle:
        return copy.deepcopy(self)

    @property
    def hand(self) -> set[str]:
        return self.hands[self.to_play]

    @property
    def over(self) -> bool:
        return self.outcome is not None

    def all_cards(self) -> list[str]:
        """Every card in the game, wherever it lies."""
        places: list[Iterable[str]] = [*self.hands, self.pile, self.stock, *(meld.cards for meld in self.table)]
        return sort(card for place in places for card in place)

    # What is legal.

    def takes(self, number: int, card: str, end: str | None = None) -> bool:
        """Whether table meld ``number`` takes a card (at an end: "set", "low", "high")."""
        if not 0 <= number < len(self.table):
            return False
        cards = self.table[number].cards
        if is_set(cards):
            return end in (None, "set") and is_set([*cards, card])
        below = card[1] == cards[0][1] and card[0] + cards[0][0] in RANKS
        above = card[1] == cards[0][1] and cards[-1][0] + card[0] in RANKS
        return (below and end in (None, "low")) or (above and end in (None, "high"))

    def allows(self, action: str) -> bool:
        """Whether an action of `ACTIONS`, or a move of RULES.md, is legal now."""
        kind, *words = action.split()
        if self.over or (self.phase == "draw") != (kind in ("draw", "take")):
            return False
        if kind == "draw":
            can_refill = self.rules.refill == "draw" and len(self.pile) > 1
            return bool(self.stock) or can_refill
        if kind == "take":
            return bool(self.pile)
        if kind == "meld":
            return set(words) <= self.hand and (is_set(words) or is_run(words))
        card = words[0]
        if card not in self.hand:
            return False
        if kind == "discard":
            return self.rules.discard_taken or card != self.taken or self.hand == {card}
        if words[1].isdigit():
            return self.takes(int(words[1]), card, words[2] if len(words) > 2 else None)
        return any(self.takes(number, card, words[1]) for number in range(len(self.table)))

    def legal_ids(self) -> list[int]:
        held = [number for number, cards in enumerate(_CARDS_OF_ACTIONS) if cards <= self.hand]
        return [number for number in held if self.allows(ACTIONS[number])]

    def moves(self) -> Iterator[str]:
        """Every legal move of RULES.md, melds of every length and lay-offs on every meld included."""
        yield from (action for action in ("draw", "take") if self.allows(action))
        if self.phase == "play":
            yield from ("meld " + " ".join(meld) for meld in melds_in(self.hand))
            for card in sort(self.hand):
                yield from (f"layoff {card} {n}" for n in range(len(self.table)) if self.takes(n, card))
                if self.allows(f"discard {card}"):
                    yield f"discard {card}"

    # What it does.

    def play(self, action: str) -> None:
        """Play a legal action of `ACTIONS` or a legal move of RULES.md."""
        assert self.allows(action), action
        kind, *words = action.split()
        if kind == "draw":
            if not self.stock:
                self._refill()
            self.hand.add(self.stock.pop(0))
            self.phase = "play"
        elif kind == "take":
            self.taken = self.pile.pop()
            self.hand.add(self.taken)
            self.phase = "play"
        elif kind == "meld":
            self.hand.difference_update(words)
            self.table.append(Meld(sort(words), self.to_play))
            self.melded_now = True
        elif kind == "layoff":
            self._lay_off(*words)
        else:
            self._discard(words[0])
        if not self.hand and not self.over and kind in ("meld", "layoff"):
            self._win(by_discard=False)

    def _lay_off(self, card: str, where: str, end: str | None = None) -> None:
        if where.isdigit():
            number = int(where)
        else:
            number = next(number for number in range(len(self.table)) if self.takes(number, card, where))
        self.hand.remove(card)
        self.table[number].cards = sort([*self.table[number].cards, card])
        self.laid_off_now = True

    def _discard(self, card: str) -> None:
        self.hand.remove(card)
        self.pile.append(card)
        if not self.hand:
            self._win(by_discard=True)
            return
        if self.melded_now or (self.laid_off_now and self.rules.layoff_spoils_rummy):
            self.put_down[self.to_play] = True
        self.melded_now = self.laid_off_now = False
        self.taken = None
        self.turns += 1
        self.to_play = (self.to_play + 1) % self.rules.num_players
        self.phase = "draw"
        self._start_turn()

    def _start_turn(self) -> None:
        nothing_to_draw = not self.stock and not self.pile
        if self.turns >= self.rules.max_turns or nothing_to_draw:
            self.phase = "over"
            self.outcome = Outcome(None, [0] * self.rules.num_players, void=True)
        elif not self.stock and len(self.pile) > 1 and self.rules.refill == "turn":
            self._refill()

    def _refill(self) -> None:
        *back, top = self.pile
        self.stock = self.lay_stock(list(back))
        assert sort(self.stock) == sort(back), "a refill keeps the cards of the pile"
        self.pile = [top]

    # How it ends.

    def points(self, cards: Iterable[str]) -> int:
        """Points of cards left in a hand."""
        value = dict.fromkeys("JQK", self.rules.court_points) | {"A": self.rules.ace_points, "T": 10}
        return sum(int(value.get(card[0], card[0])) for card in cards)

    def _win(self, by_discard: bool) -> None:
        rummy = not self.put_down[self.to_play]
        if by_discard and not self.rules.rummy_with_discard:
            rummy = False
        if not self.melded_now and not self.rules.rummy_by_layoffs:
            rummy = False
        scores = [0] * self.rules.num_players
        left = sum(self.points(hand) for hand in self.hands)
        scores[self.to_play] = left * self.rules.rummy_factor if rummy else left
        self.phase = "over"
        self.outcome = Outcome(self.to_play, scores, doubled=rummy and self.rules.rummy_factor > 1)
