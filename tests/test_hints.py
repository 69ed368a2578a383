"""What a hand offers: melds, lay-offs, choices and hints, against the rule book read out plainly."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, combinations, permutations

import pytest

from agents import View
from game.hints import (
    Hint,
    best_melds,
    best_opening,
    choices,
    hint,
    joker_melds_in,
    layoffs_in,
    layoffs_now,
    melds_in,
)
from rummy_env import Game, Rules
from rummy_env.actions import describe_action
from rummy_env.cards import parse_cards
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


# --- rami ----------------------------------------------------------------------------------------------------

RAMI = Rules.preset("rami")


def rami(hand: str, table: str = "", **more: object) -> Game:
    melds = [{"cards": cards, "by": 1} for cards in table.split("|") if cards]
    start = {"hands": [hand, "9h 2d"], "pile": "Qd", "stock": "Ah 4s", "table": melds, **more}
    return Game.from_position(RAMI, start)


def with_jokers(seed: int) -> list[str]:
    """Twelve cards of two decks, close together, and up to three jokers."""
    chance = random.Random(seed)
    few = [card for card in DECK if card[1] != "c" and RANKS.index(card[0]) in (0, 1, 2, 3, 10, 11, 12)] * 2
    return chance.sample(few, 11) + ["Jk"] * (seed % 4)


@pytest.mark.parametrize("seed", range(24))
def test_the_best_opening_is_melds_of_the_hand_with_the_highest_total(seed: int) -> None:
    hand = with_jokers(seed)
    opening = best_opening(RAMI, hand)
    assert not Counter(card for meld in opening.melds for card in meld) - Counter(hand)
    assert opening.points == sum(map(RAMI.opening_points, opening.melds)) == RAMI.best_opening(hand)
    for card in set(hand):
        needed = best_opening(RAMI, hand, card)
        assert not Counter(c for meld in needed.melds for c in meld) - Counter(hand)
        assert needed.points == sum(map(RAMI.opening_points, needed.melds)) <= opening.points
        assert (needed.melds == ()) or any(card in meld for meld in needed.melds)
    assert any(best_opening(RAMI, hand, card).points == opening.points for card in hand) or not opening.melds


@pytest.mark.parametrize("seed", range(12))
def test_melds_with_a_joker_are_all_that_a_joker_can_make(seed: int) -> None:
    hand = with_jokers(4 * seed + 1)
    naturals = sorted(set(hand) - {"Jk"})
    wanted = set()
    for low, high in permutations(naturals, 2):
        for cards in ((low, high, "Jk"), (low, "Jk", high), ("Jk", low, high)):
            # Where a card of the hand would do as well in that place, no joker is spent.
            if RAMI.is_meld(cards) and not any(as_written(cards, card) for card in naturals):
                wanted.add(name_of(cards))
    found = joker_melds_in(RAMI, hand)
    assert set(map(name_of, found)) == wanted
    assert len(found) == len(wanted)


def name_of(cards: tuple[str, ...]) -> object:
    """In a set the order means nothing."""
    return frozenset(cards) if len({card[0] for card in cards if card != "Jk"}) == 1 else cards


def as_written(cards: tuple[str, ...], card: str) -> bool:
    """Whether the cards are a meld with ``card`` in the joker's place."""
    meld = RAMI.meld(there := parse_cards([card if other == "Jk" else other for other in cards]))
    return meld is not None and (not meld.is_run or meld.cards == tuple(there))


def test_choices_before_the_opening_begin_with_the_best_one() -> None:
    game = rami("Ks Kh Kd 5h 6h 7h Jk 2c", phase="play")
    opening, *others = choices(game)
    assert {frozenset(meld) for meld in opening.melds} == {
        frozenset(parse_cards(meld)) for meld in ("Ks Kh Kd Jk", "5h 6h 7h")
    }
    assert {"piece 5h 6h 7h", "piece Ks Kh Kd"} <= set(map(str, others))
    assert RAMI.best_opening(game.hand(0)) == 58
    assert all(map(game.is_legal, choices(game)))


def test_a_hand_that_opens_below_the_threshold_because_it_goes_out() -> None:
    game = rami("2s 2h 2d 3s 4s 5s 9c", phase="play")
    (opening, *_) = choices(game)
    assert str(opening) == "open 2s 2h 2d | 3s 4s 5s"


@pytest.mark.parametrize("seed", range(10))
def test_every_choice_of_a_round_is_legal_and_there_is_always_one(seed: int) -> None:
    chance = random.Random(seed)
    game = Game.deal(Rules.preset("rami", num_players=2 + seed % 5, opening=(0, 30, 40, 51)[seed % 4]), seed=seed)
    while not game.over and game.turn < 60:
        offered = choices(game)
        assert offered
        assert len(set(map(str, offered))) == len(offered)
        assert all(map(game.is_legal, offered))
        down = [move for move in offered if move.kind not in ("discard", "untake")]
        game.play(chance.choice(down if down and chance.random() < 0.8 else offered))


def test_lay_offs_before_the_opening_are_none_and_then_onto_its_pieces() -> None:
    game = rami("Ks Kh Kd 5h 6h 7h 8h Kc 2c", "9h Th Jh", phase="play")
    assert layoffs_now(game) == {}
    game.play("piece Ks Kh Kd")
    assert layoffs_now(game) == {"Kc": [1]}
    game.play("piece 5h 6h 7h")
    game.play("confirm")
    assert layoffs_now(game) == {"8h": [0, 2], "Kc": [1]}


@pytest.mark.parametrize(
    ("game", "move", "told", "reason", "cards", "points"),
    [
        (rami("Ks Kh 5h 6h 7h 2c 3c", pile="Kd"), "take", "take", "reason_opens", (), 48),
        (rami("Ks Kh 5h 6h 9h 2c 3c", pile="Kd"), "draw", "draw", "reason_opens_nothing", ("Kd",), 0),
        (rami("Ks Kh 2c 3c", pile="Kd", opened=[True, False]), "take", "take", "reason_makes", ("Ks", "Kh", "Kd"), 0),
        (rami("Ks Jk 2c 3c", pile="Kd", opened=[True, False]), "take", "take", "reason_makes", ("Ks", "Kd", "Jk"), 0),
        (rami("6h 3s Jk", "5h Jk 7h", phase="play", opened=[True, False]), "swap 6h 0", "swap 6h 0", "reason_frees",
         (), 0),
        (rami("Jk 3s 4d", phase="play", opened=[True, False]), "discard Jk", "discard Jk", None, (), 0),
    ],
)  # fmt: skip
def test_a_hint_of_rami_says_why(
    game: Game, move: str, told: str, reason: str | None, cards: tuple[str, ...], points: int
) -> None:
    assert hint(game, Fixed(game, move)) == Hint(parse_move(told), reason, cards, points)


class Opener(Fixed):
    """Lays the pieces of an opening, then confirms it."""

    def __init__(self) -> None:
        """It looks at the mask alone."""

    def act(self, view: View) -> int:
        legal = [int(action) for action in view.action_mask.nonzero()[0]]
        pieces = [action for action in legal if describe_action("rami", action).startswith("meld")]
        return (pieces or legal)[0]


def test_a_hint_to_open_is_the_whole_opening() -> None:
    game = rami("Ks Kh Kd 5h 6h 7h 2c 9c", phase="play")
    advised = hint(game, Opener())
    assert (str(advised.move), advised.reason, advised.points) == ("open Ks Kh Kd | 5h 6h 7h", "reason_opens", 48)
    assert game.legal_moves()


# --- indian --------------------------------------------------------------------------------------------------

INDIAN = Rules.preset("indian", pack_first=12, pack_later=34)


def indian(hand: str, **rest: object) -> Game:
    """Seat 0 has ``hand`` and is to play; sixes are wild."""
    rest = {"phase": "draw", "pile": "Kd", "wild": "6c", **rest}
    return Game.from_position(INDIAN, {"hands": [hand, "2d 3d 4d"], "stock": "9s Ts", **rest})


@pytest.mark.parametrize(
    ("game", "move", "reason", "cards", "points"),
    [
        (indian("As Kh 9d 5c"), "pack", "reason_packs", (), 12),
        (indian("As Kh 9d 5c", turns=[3, 3]), "pack", "reason_packs", (), 34),
        (indian("As Kh 9d 5c"), "draw", "reason_no_meld", ("Kd",), 0),
        (indian("2s 3s 4s 7h 8h 9h Ks Kh"), "take", "reason_makes", ("Ks", "Kh", "Kd"), 0),
        (indian("As Kh 9d 5c", phase="play"), "discard Kh", "reason_loose", ("Kh",), 10),
        (indian("As Kh 9d 6d", phase="play"), "discard 6d", None, (), 0),
        (indian("2s 3s 4s 7h 8h 9h Ks Kh 6d 5c", phase="play"), "declare 5c", "reason_ends", (), 0),
    ],
)
def test_a_hint_at_indian_says_why(
    game: Game, move: str, reason: str | None, cards: tuple[str, ...], points: int
) -> None:
    assert hint(game, Fixed(game, move)) == Hint(parse_move(move), reason, cards, points)
