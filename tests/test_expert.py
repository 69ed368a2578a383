"""The expert: what it knows of a table, what it thinks of moves, and that it finds what is plainly best."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from arrangement_oracle import fewest

import agents
from agents.agent import View
from agents.expert import Expert
from agents.rule_bots import HARD
from rummy_env import Game, Rules
from rummy_env.held import hand_cards, held_cards, known_cards
from rummy_env.position import possible_tables
from training.evaluate import evaluate

TWO = Rules.preset("straight")


def some_views(rules: Rules, seed: int) -> list[View]:
    """Views of the seat to play, from a round of normal bots."""
    game = Game.deal(rules, seed=seed)
    bot = agents.load("normal", rules, seed)
    views = []
    while not game.over:
        views.append(game.view(game.to_play))
        game.step(bot.act(views[-1]))
    return views[:: max(1, len(views) // 4)]


def all_cards(rules: Rules, states: npt.NDArray[np.void]) -> Counter[int]:
    """Every card of one table, wherever it lies."""
    view, hidden = states["view"], states["hidden"]
    cards = Counter(hidden["stock"][0, : view["stock_size"][0]].tolist()) + Counter(
        view["pile"][0, : view["pile_size"][0]].tolist()
    )
    if "cut" in view.dtype.names:
        cards[int(view["cut"][0])] += 1
    for seat in range(rules.num_players):
        cards += Counter(held_cards(states, seat))
    for meld in Game(rules, states.copy()).table:
        cards += Counter(meld.meld.cards)
    return cards


@pytest.mark.parametrize("ruleset", HARD.functions)
@pytest.mark.parametrize("num_players", [2, 3])
def test_possible_tables_hold_the_whole_deck_and_what_the_seat_knows(ruleset: str, num_players: int) -> None:
    if num_players > 2 and ruleset == "gin":
        pytest.skip("gin is for two")
    rules = Rules.preset(ruleset, num_players=num_players)
    expert = Expert(rules, seed=1, worlds=(3,))
    whole = all_cards(rules, Game.deal(rules, seed=1).state)
    for view in some_views(rules, seed=4):
        dealt = possible_tables(rules, view.record, 3, np.random.default_rng(5))
        for tables in (dealt, expert.likely_tables(view, 3)):
            for table in (tables[k : k + 1] for k in range(3)):
                assert all_cards(rules, table) == whole
                assert held_cards(table, view.seat) == hand_cards(view.record)
                assert Game(rules, table).action_mask(view.seat).tolist() == view.action_mask.tolist()
                for seat in range(rules.num_players):
                    hand = Counter(held_cards(table, seat))
                    assert hand.total() == view.hand_sizes[seat]
                    assert hand >= Counter(known_cards(view.record, seat))
        hands = {tuple(held_cards(dealt[k : k + 1], 1 - min(view.seat, 1))) for k in range(3)}
        assert len(hands) > 1 or view.hand_sizes[1 - min(view.seat, 1)] < 4


def test_a_seat_that_waits_has_no_worlds() -> None:
    game = Game.deal(TWO, seed=1)
    waits = game.view(1 - game.to_play)
    with pytest.raises(ValueError, match="expected the view of seat 0, which is to play, got that of 1"):
        possible_tables(TWO, waits.record, 1, np.random.default_rng(1))
    with pytest.raises(ValueError, match="expected the view of the seat to play, got that of seat 1"):
        Expert(TWO, seed=1).values(waits)


@pytest.mark.parametrize("ruleset", HARD.functions)
def test_every_legal_action_has_its_worth(ruleset: str) -> None:
    rules = Rules.preset(ruleset)
    expert = Expert(rules, seed=1, worlds=(4, 4))
    for view in some_views(rules, seed=6):
        worth = expert.values(view)
        assert set(worth) == set(np.flatnonzero(view.action_mask).tolist())
        assert expert.act(view) in worth
        assert all(one.worlds in (4, 8) and one.error >= 0 and np.isfinite(one.points) for one in worth.values())


def test_same_seed_same_worth() -> None:
    view = some_views(TWO, seed=8)[2]
    expert = Expert(TWO, seed=3, worlds=(8,))
    first = expert.values(view)
    assert expert.values(view) != first
    expert.reset(3)
    assert expert.values(view) == first


def test_going_out_is_worth_the_points_of_the_other_hand() -> None:
    """Every card but four is seen, so the other hand is known: 30 points, doubled by rummy. Nothing else is as good."""
    four = "Kh Kd Ks 2c"
    deck = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    seen = [card for card in deck if card not in [*four.split(), "4s", "5s", "6s", "9h"]]
    game = Game.from_position(
        TWO,
        {"hands": ["4s 5s 6s 9h", "Kh Kd Ks"], "stock": "2c", "pile": seen, "phase": "play", "put_down": [True, True]},
    )
    view = game.view(0)
    worth = Expert(TWO, seed=1, worlds=(16, 16)).values(view)
    meld = game.action_of("meld 4s 5s 6s")
    assert meld is not None
    # One of K K K 2 lies in the stock: 30 or 22 points are left in the other hand.
    assert 22 <= worth[meld].points <= 30
    assert max(worth, key=lambda action: worth[action].points) == meld
    assert Expert(TWO, seed=1).act(view) == meld


def test_gin_is_worth_the_bonus_and_the_points_of_the_other_hand() -> None:
    """Every card but twelve is seen, ten of which the other holds. To go on is worth less."""
    rules = Rules.preset("gin")
    own = "5h 6h 7h 9s 9h 9d Ac 2c 3c 4c Kd"
    unseen = ["Ks", "Kh", "Qs", "Qc", "Jc", "Ts", "Td", "8s", "8c", "4d", "3d", "2d"]
    deck = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    pile = [card for card in deck if card not in [*own.split(), *unseen]]
    hands = [own, " ".join(unseen[:10])]
    game = Game.from_position(rules, {"hands": hands, "stock": unseen[10:], "pile": pile, "phase": "play"})
    expert = Expert(rules, seed=1, worlds=(16, 16))
    worth = expert.values(game.view(0))
    knock = game.action_of("knock Kd")
    assert knock is not None
    least = min(fewest(list(hand)) for hand in combinations(unseen, 10))
    most = max(fewest(list(hand)) for hand in combinations(unseen, 10))
    assert 25 + least <= worth[knock].points <= 25 + most
    assert max(worth, key=lambda action: worth[action].points) == knock
    assert expert.act(game.view(0)) == knock


@pytest.mark.slow
def test_beats_normal() -> None:
    """On deals that nothing was tuned on; README says how it does against hard."""
    assert evaluate("straight", 2, ["expert", "normal"], deals=80, seed=20_000_000, progress=False).beats(
        "expert", "normal"
    )
