"""Positions as text and as pictures: what is drawn, and that nothing hidden is."""

from __future__ import annotations

import numpy as np
import pytest

from rummy_env import Game, Rules
from rummy_env.render import CARD_HEIGHT, CARD_WIDTH, picture, render, text

TABLE = [{"cards": "4d 5d 6d", "by": 0}, {"cards": "7s 7h 7c", "by": 1}]


def position(**changes: object) -> Game:
    plain = {
        "hands": ["Ah Td", "2s 3s Kc"],
        "table": TABLE,
        "pile": "9h Qs",
        "stock": "2c 4c 8d",
        "put_down": [True, True],
    }
    return Game.from_position(Rules.preset("straight"), {**plain, **changes})


def test_text_of_a_game_with_all_hands_open() -> None:
    assert text(position()).splitlines() == [
        "straight rummy, turn 1: seat 0 to play (draw)",
        "  table: [0] 4♦ 5♦ 6♦  [1] 7♠ 7♥ 7♣",
        "  pile:  9♥ Q♠",
        "  stock: 3 cards",
        "> seat 0: 2 cards, worth 11, total 0, has put down",
        "    A♥ T♦",
        "  seat 1: 3 cards, worth 15, total 0, dealer, has put down",
        "    2♠ 3♠ K♣",
    ]


def test_text_of_a_view_shows_what_the_seat_knows() -> None:
    """Seat 0 takes the queen: seat 1 knows that card, and no other of that hand."""
    game = position()
    game.play("take")
    assert text(game.view(1)).splitlines() == [
        "straight rummy, turn 1: seat 0 to play (play), took Q♠",
        "  table: [0] 4♦ 5♦ 6♦  [1] 7♠ 7♥ 7♣",
        "  pile:  9♥",
        "  stock: 3 cards",
        "> seat 0: 3 cards, total 0, has put down",
        "    Q♠ and 2 face down",
        "  seat 1: 3 cards, worth 15, total 0, dealer, has put down",
        "    2♠ 3♠ K♣",
    ]


def test_text_of_the_end_says_who_won() -> None:
    over = position(hands=["7d", "2s 3s Kc"], phase="play")
    over.play("layoff 7d 0")
    assert text(over).splitlines()[0] == "straight rummy, turn 1: seat 0 wins, scores 15 0"
    assert ">" not in text(over)
    assert "    -" in text(over).splitlines()


def test_colours_are_escapes_around_red_cards_only() -> None:
    coloured = text(position(), colours=True)
    assert "\x1b[31mA♥\x1b[0m \x1b[31mT♦\x1b[0m" in coloured
    assert "2♠ 3♠ K♣" in coloured
    assert "\x1b" not in text(position())


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_pictures_of_a_game_have_one_size_and_change_with_it(num_players: int) -> None:
    game = Game.deal(Rules.preset("straight", num_players=num_players), seed=1)
    first = picture(game)
    assert first.dtype == np.uint8
    assert first.ndim == 3
    assert first.shape[2] == 3
    rng = np.random.default_rng(1)
    while not game.over:
        game.step(int(rng.choice(game.legal_actions())))
    last = picture(game)
    assert last.shape == first.shape
    assert (last != first).any()
    np.testing.assert_array_equal(picture(game), last)


def test_a_picture_shows_red_and_black_cards() -> None:
    """Only the hands differ, and so do the pictures, by about a card for each card."""
    one, other = picture(position(hands=["Ah Td", "2s 3s Kc"])), picture(position(hands=["Ah Td", "2s 3s Kh"]))
    changed = np.argwhere((one != other).any(axis=2))
    assert 0 < len(changed) <= CARD_WIDTH * CARD_HEIGHT
    height, width = changed.max(axis=0) - changed.min(axis=0)
    assert height < CARD_HEIGHT
    assert width < CARD_WIDTH


@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_hidden_is_drawn(seat: int) -> None:
    game = Game.deal(Rules.preset("straight"), seed=3)
    rng = np.random.default_rng(3)
    for _ in range(25):
        game.step(int(rng.choice(game.legal_actions())))
    other = game.resample(seat, 1)
    assert other.hand(1 - seat) != game.hand(1 - seat)
    assert text(other.view(seat)) == text(game.view(seat))
    np.testing.assert_array_equal(picture(other.view(seat)), picture(game.view(seat)))
    assert (picture(other) != picture(game)).any()


def test_human_prints(capsys: pytest.CaptureFixture[str]) -> None:
    game = position()
    assert render(game, "human") is None
    assert capsys.readouterr().out == text(game) + "\n\n"


@pytest.mark.parametrize(
    ("hand", "runs", "suits"),
    [
        ("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks Ah 2h 3h 4h 5h 6h 7h 8h", (), ""),
        ("Ks", ("A23456789TJQ",), "shdc"),
        ("Ks", ("A23", "456", "789", "TJQ"), "shdc"),
    ],
    ids=["a long hand", "the longest melds", "the most melds"],
)
def test_the_fullest_tables_can_be_drawn(hand: str, runs: tuple[str, ...], suits: str) -> None:
    table = [{"cards": " ".join(rank + suit for rank in run), "by": 0} for suit in suits for run in runs]
    game = position(hands=[hand, "Kc"], table=table, pile="", stock="Kd")
    assert picture(game).shape == picture(position()).shape
