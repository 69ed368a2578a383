"""What a hand offers: melds, lay-offs, choices and hints, against the rule book read out plainly."""

from __future__ import annotations

import random
from itertools import chain, combinations

import pytest

from agents import View
from game.hints import Hint, best_melds, choices, hint, layoffs_in, melds_in
from rummy_env import Game, Rules
from rummy_env.moves import parse_move

RULES = Rules.preset("straight")
RANKS = "A23456789TJQK"
DECK = [rank + suit for suit in "shdc" for rank in RANKS]


def is_meld(cards: tuple[str, ...]) -> bool:
    """RULES.md: three or four of a rank, or three or more of a suit in a row with the ace low."""
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    suits = {card[1] for card in cards}
    of_a_rank = len(set(ranks)) == 1 and len(cards) in (3, 4)
    in_a_row = len(suits) == 1 and len(cards) >= 3 and ranks == list(range(ranks[0], ranks[0] + len(cards)))
    return of_a_rank or in_a_row


def subsets(cards: list[str]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(cards, size) for size in range(3, len(cards) + 1)))


def dealt(seed: int, size: int = 9) -> list[str]:
    """A hand with many melds: from three suits and eight ranks."""
    few = [card for card in DECK if card[1] != "c" and RANKS.index(card[0]) < 8]
    return random.Random(seed).sample(few, size)


@pytest.mark.parametrize("seed", range(12))
def test_every_meld_of_a_hand_is_found_once(seed: int) -> None:
    hand = dealt(seed)
    found = melds_in(RULES, hand)
    assert sorted(map(sorted, found)) == sorted(sorted(cards) for cards in subsets(hand) if is_meld(cards))
    assert [len(meld) for meld in found] == sorted((len(meld) for meld in found), reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_melds_leave_the_fewest_points(seed: int) -> None:
    hand = dealt(seed)

    def most(cards: list[str]) -> int:
        """The most points that melds side by side can take out of these cards."""
        covered = [
            RULES.hand_points(meld) + most([card for card in cards if card not in meld])
            for meld in subsets(cards)
            if is_meld(meld)
        ]
        return max(covered, default=0)

    chosen = best_melds(RULES, hand)
    used = [card for meld in chosen for card in meld]
    assert len(used) == len(set(used))
    assert set(used) <= set(hand)
    assert all(map(is_meld, chosen))
    assert RULES.hand_points(used) == most(hand)


def test_a_card_between_two_melds_goes_where_more_points_go() -> None:
    """The seven of diamonds is in a set of 21 points and in a run of 15."""
    assert best_melds(RULES, ["7s", "7h", "7d", "6d", "5d"]) == [("7s", "7h", "7d")]
    assert best_melds(RULES, ["7s", "7h", "7d", "8d", "9d"]) == [("7d", "8d", "9d")]


def position(hand: str, pile: str = "Qd", stock: str = "Ah 4s", table: str = "", **more: object) -> Game:
    melds = [{"cards": cards, "by": 1} for cards in table.split("|") if cards]
    start = {"hands": [hand, "9h 2d"], "pile": pile, "stock": stock, "table": melds, **more}
    return Game.from_position(RULES, start)


def test_a_card_can_fit_two_melds() -> None:
    """The seven of clubs ends the run and makes the set four."""
    game = position("7c 3c Ks", table="4c 5c 6c|7s 7h 7d")
    assert layoffs_in(RULES, game.hand(0), game.table) == {"3c": [0], "7c": [0, 1]}


def test_choices_are_the_legal_moves_with_melds_of_every_length() -> None:
    game = position("4d 5d 6d 7d 7c Ks", phase="play", table="8c 9c Tc")
    assert [str(move) for move in choices(game)] == [
        "meld 4d 5d 6d 7d",
        "meld 4d 5d 6d",
        "meld 5d 6d 7d",
        "layoff 7c 0",
        *(f"discard {card}" for card in ("Ks", "4d", "5d", "6d", "7d", "7c")),
    ]
    assert all(map(game.is_legal, choices(game)))


def test_choices_before_the_draw() -> None:
    assert [str(move) for move in choices(position("4d 5d 6d"))] == ["draw", "take"]


class Fixed:
    """Plays one move, and looks at nothing but the view."""

    name = "fixed"

    def __init__(self, game: Game, move: str) -> None:
        action = game.action_of(parse_move(move))
        assert action is not None
        self.action = action

    def act(self, view: View) -> int:
        assert view.record["seat"][0] == view.record["to_play"][0]
        return self.action

    def reset(self, seed: int | None = None) -> None:
        """It has no chance."""


@pytest.mark.parametrize(
    ("game", "move", "reason", "cards", "points"),
    [
        (position("4d 5d Ks", pile="6d"), "take", "reason_makes", ("4d", "5d", "6d"), 0),
        (position("4d 5d 7d Ks", pile="6d"), "take", "reason_makes", ("4d", "5d", "6d", "7d"), 0),
        (position("4d Ks", pile="6c", table="3c 4c 5c"), "take", "reason_fits", ("3c", "4c", "5c"), 0),
        (position("4d Ks", pile="8h"), "draw", "reason_useless", ("8h",), 0),
        (position("4d 5d Ks", pile="6d"), "draw", None, (), 0),  # better left, but why, only the player knows
        (position("4d Ks", pile="8h"), "take", None, (), 0),
        (position("4d Ks", pile="8h", stock=""), "take", "reason_only_move", (), 0),
        (position("4d 5d 6d", phase="play"), "meld 4d 5d 6d", "reason_goes_out", ("4d", "5d", "6d"), 15),
        (position("4d 5d 6d Ks 2s", phase="play"), "meld 4d 5d 6d", "reason_rids", ("4d", "5d", "6d"), 15),
        (position("6c Ks 2s", phase="play", table="3c 4c 5c"), "layoff 6c 0", "reason_rids", ("6c",), 6),
        (position("4d Ks", phase="play"), "discard Ks", "reason_loose", ("Ks",), 10),
        (position("Ks", phase="play"), "discard Ks", "reason_only_move", (), 0),
        (position("4d 5d 6d Ks", phase="play"), "discard 6d", None, (), 0),
    ],
)
def test_a_hint_says_why(game: Game, move: str, reason: str | None, cards: tuple[str, ...], points: int) -> None:
    before = game.position()
    assert hint(game, Fixed(game, move)) == Hint(parse_move(move), reason, cards, points)
    assert game.position() == before
