"""The network of policies: what it is told of melds is right, suits are alike, nothing illegal is drawn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from rummy_env import Rules, vector
from rummy_env.actions import action_table, num_actions
from rummy_env.cards import NUM_RANKS, NUM_SUITS, card_text, parse_cards
from rummy_env.fields import observation_size, observation_table
from rummy_env.opponents import load
from training.arrangement import count, put_down, thermometer
from training.clone import Teacher
from training.network import LOWEST, CardNetwork, draw, masked


def plane(text: str) -> torch.Tensor:
    """Cards as a tensor of suits and ranks."""
    cards = torch.zeros(NUM_SUITS * NUM_RANKS)
    cards[parse_cards(text)] = 1
    return cards.view(NUM_SUITS, NUM_RANKS)


@pytest.mark.parametrize(
    ("hand", "fits", "down"),
    [
        ("4d 5d 6d 9s Kc", ("", "", ""), "4d 5d 6d"),
        ("9s 9h 9d 9c 2d", ("", "", ""), "9s 9h 9d 9c"),
        ("9s 9h 2d", ("", "", ""), ""),
        # The eight can go into the run or the set; only the set first leaves nothing.
        ("5s 6s 7s 8s 8h 8d", ("", "", ""), "5s 6s 7s 8s 8h 8d"),
        # Only the run first does here: the set would break it.
        ("6s 7s 8s 9s 7h 7d 7c", ("", "", ""), "6s 7s 8s 9s 7h 7d 7c"),
        ("Qs Ks As", ("", "", ""), ""),
        # No run goes around a corner from one suit to the next.
        ("Qs Ks Ah 2h", ("", "", ""), ""),
        ("7c 2h", ("7c", "", ""), "7c"),
        # Cards laid off one after another, downwards and upwards.
        ("3h 4h 9s Ts Kd", ("", "4h", "9s"), "3h 4h 9s Ts"),
        ("3h 9s", ("", "4h", "8s"), ""),
    ],
)
def test_what_can_be_put_down(hand: str, fits: tuple[str, str, str], down: str) -> None:
    found = put_down(plane(hand), *(plane(text) for text in fits))
    torch.testing.assert_close(found, plane(down))


def melds_of(cards: frozenset[int]) -> list[frozenset[int]]:
    """Every set and run in a few cards, by the rule book."""
    rules = Rules.preset("straight")
    return [
        frozenset(some)
        for size in range(3, len(cards) + 1)
        for some in itertools.combinations(sorted(cards), size)
        if rules.is_meld([card_text(card) for card in some])
    ]


def fewest_left(cards: frozenset[int], melds: list[frozenset[int]]) -> int:
    """How many cards must stay in hand: all ways to lay melds are tried."""
    return min([len(cards)] + [fewest_left(cards - meld, [m for m in melds if m <= cards - meld]) for meld in melds])


def test_it_leaves_the_fewest_cards_of_almost_every_hand() -> None:
    chance = np.random.default_rng(5)
    nothing = torch.zeros(NUM_SUITS, NUM_RANKS)
    missed = 0
    hands = 400
    for _ in range(hands):
        # Of half a deck, so that there are melds and cards that belong to two.
        deck = [suit * NUM_RANKS + rank for suit in range(NUM_SUITS) for rank in range(6)]
        hand = frozenset(chance.choice(deck, 8, replace=False).tolist())
        cards = torch.zeros(NUM_SUITS * NUM_RANKS)
        cards[list(hand)] = 1
        cards = cards.view(NUM_SUITS, NUM_RANKS)
        down = put_down(cards, nothing, nothing, nothing)
        assert bool(((down == 0) | (down == cards)).all())
        left, least = int(count(cards) - count(down)), fewest_left(hand, melds_of(hand))
        assert left >= least
        missed += left > least
    assert missed <= 0.05 * hands


def test_thermometer() -> None:
    wanted = [[0.0, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]]
    torch.testing.assert_close(thermometer(torch.tensor([0.0, 1, 3, 7]), 3), torch.tensor(wanted))


def renamed(num_players: int, suits: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of observations and actions when suit s becomes ``suits[s]``: new[..., columns] is old."""
    columns = np.arange(observation_size("straight", num_players))
    for field in observation_table("straight", num_players):
        if field.size == NUM_SUITS * NUM_RANKS:
            at = np.arange(field.size)
            columns[field.offset + at] = field.offset + np.array(suits)[at // NUM_RANKS] * NUM_RANKS + at % NUM_RANKS
    actions = np.arange(num_actions("straight"))
    for block in action_table("straight"):
        if block.count > 1:
            at, each = np.arange(block.count), block.count // NUM_SUITS
            actions[block.first + at] = block.first + np.array(suits)[at // each] * each + at % each
    return columns, actions


def network(num_players: int = 2, told: bool = True) -> CardNetwork:
    torch.manual_seed(1)
    made = CardNetwork("straight", num_players, 8, 16, 24, put_down=told)
    for head in (made.card_logits, made.other_logits, made.value):  # These begin near 0.
        torch.nn.init.normal_(head.weight)
    return made


@pytest.mark.parametrize("suits", [[1, 0, 2, 3], [3, 2, 0, 1]])
@pytest.mark.parametrize("num_players", [2, 4])
@pytest.mark.parametrize("told", [False, True])
@torch.inference_mode()
def test_renaming_the_suits_renames_the_move(suits: list[int], num_players: int, told: bool) -> None:
    batch = vector.make("straight", 32, num_players, seed=3)
    for _ in range(20):
        batch.step(batch.sample_actions())
    columns, actions = renamed(num_players, suits)
    other = np.empty_like(batch.observation)
    other[:, columns] = batch.observation
    made = network(num_players, told)
    logits, values = made(torch.from_numpy(batch.observation))
    logits_of_other, values_of_other = made(torch.from_numpy(other))
    torch.testing.assert_close(logits_of_other[:, actions], logits, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(values_of_other, values, rtol=1e-4, atol=1e-4)
    assert logits.std() > 0.1


@torch.inference_mode()
def test_rows_do_not_depend_on_each_other() -> None:
    batch = vector.make("straight", 16, seed=4)
    teacher = Teacher(load("hard", batch.rules), 1)
    for _ in range(9):
        batch.step(teacher.choose(batch))
    made = network()
    rows = torch.from_numpy(batch.observation)
    together, _ = made(rows)
    alone = torch.cat([made(row.unsqueeze(0))[0] for row in rows])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)


def test_only_what_has_a_chance_is_drawn_and_by_its_chance() -> None:
    logits = torch.tensor([[5.0, 0.0, 0.0, 1.0]])
    mask = torch.tensor([[False, True, True, False]])
    log_chances = masked(logits, mask).log_softmax(1).expand(2000, 4)
    assert masked(logits, mask)[0, 0] == LOWEST
    numbers = (torch.arange(2000).unsqueeze(1) + 0.5) / 2000
    drawn = draw(log_chances, numbers)
    assert torch.bincount(drawn, minlength=4).tolist() == [0, 1000, 1000, 0]
    # The largest number below 1 draws the last that has a chance.
    assert draw(log_chances[:1], torch.tensor([[1 - 2.0**-24]])).item() == 2
