"""No seat learns what it may not know: every hidden card is changed, and nothing that a seat sees changes with it.

What a seat sees is its view, and what is made of the view alone: the observation, the mask, a bot's choice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from random_rounds import Chooser

from agents.rule_bots import EASY, HARD, NORMAL, RANDOM, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.cards import from_mask, parse_cards, to_mask
from rummy_env.core import batch
from rummy_env.core.kernel import JIT
from rummy_env.core.state import VIEW_DTYPE

pytestmark = pytest.mark.core

ROUNDS = 60 if JIT else 6
"""Rounds for each number of players: some thousands of positions in all."""

BOTS = (RANDOM, EASY, NORMAL, HARD)
FOR_ONE_SEAT = {"seat", "hand", "legal"}
"""Fields of a view that differ from seat to seat; all others are public."""


def choice(kind: RuleBotKind, game: Game, seat: int, number: int) -> int:
    view = game.view(seat)
    return int(kind.decider(game.rules.ruleset)(game.rules.record[0], view.record[0], np.uint64(number)))


def rounds(players: int, seed: int = 0) -> Iterator[Game]:
    """Positions of many rounds, their ends included. Bots and chance play; every second house is an odd one."""
    for number in range(seed, seed + ROUNDS):
        chance = random.Random(f"{players} {number}")
        odd = {"refill": "draw", "discard_taken": True, "num_ranks": 9, "hand_size": 6, "max_turns": 40}
        rules = Rules.preset("straight", num_players=players, **(odd if number % 2 else {}))
        game = Game.deal(rules, seed=number, dealer=number % players)
        choose = Chooser(number)
        seated = [chance.choice([None, *BOTS]) for _ in range(players)]
        while not game.over:
            if chance.random() < 0.3:
                yield game
            kind = seated[game.to_play]
            if kind is None:
                game.play(choose([str(move) for move in game.legal_moves()]))
            else:
                game.step(choice(kind, game, game.to_play, chance.randrange(1, 2**64)))
        yield game


def seen(game: Game, seat: int) -> dict[str, bytes]:
    """Everything that a seat sees, field by field."""
    view = game.view(seat)
    fields = {name: view.record[name].tobytes() for name in VIEW_DTYPE.names or ()}
    return fields | {"observation": view.observation.tobytes(), "mask": view.action_mask.tobytes()}


def choices(game: Game) -> list[int]:
    """What each bot does at the seat to play, given the same random number."""
    return [choice(kind, game, game.to_play, 0x0123456789ABCDEF) for kind in BOTS]


def permuted(game: Game, seat: int, chance: random.Random) -> Game:
    """All cards of the stock and of the other hands dealt out anew, against all that could be inferred."""
    states = game.state.copy()
    view, hidden = states["view"][0], states["hidden"][0]
    others = [other for other in range(game.rules.num_players) if other != seat]
    stock = hidden["stock"][: view["stock_size"]].tolist()
    cards = stock + [card for other in others for card in from_mask(int(hidden["hands"][other]))]
    chance.shuffle(cards)
    hidden["stock"][: len(stock)] = [cards.pop() for _ in stock]
    for other in others:
        hidden["hands"][other] = to_mask(cards.pop() for _ in range(int(view["hand_sizes"][other])))
    hidden["rng"], hidden["bot_rng"] = chance.randrange(1, 2**64), chance.randrange(1, 2**64)
    view["hand"] = hidden["hands"][view["to_play"]]
    batch.refresh_table(game.rules.record, states)
    return Game(game.rules, states)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_seat_sees_a_hidden_card(players: int) -> None:
    chance = random.Random(players)
    changed = 0
    for number, game in enumerate(rounds(players)):
        for seat in range(players):
            before = seen(game, seat)
            acts = seat == game.to_play and not game.over
            decided = choices(game) if acts else None
            for other in (permuted(game, seat, chance), game.resample(seat, number)):
                changed += other.state["hidden"].tobytes() != game.state["hidden"].tobytes()
                assert seen(other, seat) == before
                assert not acts or choices(other) == decided
    assert changed > 1000 * ROUNDS / 60


@pytest.mark.parametrize("players", [2, 3, 4])
def test_views_of_two_seats_differ_in_the_hand_and_in_who_looks(players: int) -> None:
    for game in rounds(players):
        views = [game.view(seat).record[0] for seat in range(players)]
        for seat, view in enumerate(views):
            assert view["seat"] == seat
            assert from_mask(int(view["hand"])) == parse_cards(game.hand(seat))
            assert view["legal"].any() == (seat == game.to_play and not game.over)
            assert game.action_mask(seat).any() == view["legal"].any()
            for name in set(VIEW_DTYPE.names or ()) - FOR_ONE_SEAT:
                assert (view[name] == views[0][name]).all(), name


def test_a_changed_hand_of_ones_own_is_seen() -> None:
    """Lest the tests above compare what never changes."""
    position = {"hands": ["4d 5d 6d", "Kc"], "phase": "play", "pile": "2c", "stock": "3c"}
    rules = Rules.preset("straight")
    game = Game.from_position(rules, position)
    other = Game.from_position(rules, position | {"hands": ["4d 5d 7d", "Kc"]})
    differing = {name for name, value in seen(game, 0).items() if seen(other, 0)[name] != value}
    assert differing == {"hand", "legal", "observation", "mask"}
    assert seen(game, 1) == seen(other, 1)


# --- what resampling may change ------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_resampling_keeps_what_can_be_inferred(players: int) -> None:
    """Cards known to be in a hand, followed here by the moves; and cards that cannot be in a refilled stock."""
    refilled = 0
    for number in range(ROUNDS):
        game = Game.deal(Rules.preset("straight", num_players=players), seed=number)
        choose = Chooser(number)
        taken: list[set[str]] = [set() for _ in range(players)]
        returned: set[str] | None = None
        drawn = [0] * players
        while not game.over and game.turn < 60:
            seat, stock, pile, hand = game.to_play, game.stock_size, game.pile, game.hand(game.to_play)
            game.play(choose([str(move) for move in game.legal_moves()]))
            gone = set(hand) - set(game.hand(seat))
            if game.phase == "play" and stock == game.stock_size and len(pile) == len(game.pile) + 1:
                taken[seat].add(pile[-1])
            drawn[seat] += stock - game.stock_size == 1
            taken[seat] -= gone
            if game.stock_size > stock:
                returned, drawn = {*pile, *gone} - set(game.pile), [0] * players
            if returned is not None:
                returned -= gone | taken[seat]
            if choose.random.random() < 0.3:
                looker = choose.random.randrange(players)
                other = game.resample(looker, choose.random.randrange(2**32))
                check_resampled(game, other, looker, taken, returned, drawn)
                refilled += returned is not None
    assert refilled > 10 * ROUNDS / 60


def check_resampled(
    game: Game, other: Game, looker: int, taken: list[set[str]], returned: set[str] | None, drawn: list[int]
) -> None:
    players = game.rules.num_players
    assert other.hand(looker) == game.hand(looker)
    stock = set(other.position()["stock"].split())
    places = [*stock, *(card for seat in range(players) for card in other.hand(seat))]
    assert len(places) == len(set(places)) == 52 - len(game.pile) - sum(len(meld.cards) for meld in game.table)
    for seat in range(players):
        assert len(other.hand(seat)) == len(game.hand(seat))
        assert taken[seat] <= set(other.hand(seat)), "a card that was taken stays until it is put down"
        assert set(game.view(looker).known(seat)) == taken[seat]
        if returned is not None and seat != looker:
            assert len((returned & set(other.hand(seat))) - taken[seat]) <= drawn[seat]
    if returned is not None:
        assert stock <= returned, "what was in a hand when the pile went back is not in the stock"
    if not game.over:
        assert other.legal_actions() == Game.from_position(game.rules, other.position()).legal_actions()


def test_resampling_deals_every_hidden_card_everywhere() -> None:
    game = Game.deal(Rules.preset("straight", num_players=3), seed=1)
    hidden = {*game.position()["stock"].split(), *game.hand(0), *game.hand(1)}
    found: list[set[str]] = [set(), set(), set()]
    for number in range(200):
        other = game.resample(2, number)
        found[0] |= set(other.hand(0))
        found[1] |= set(other.hand(1))
        found[2].add(other.position()["stock"].split()[0])
    assert found == [hidden, hidden, hidden]


def test_resampling_is_given_by_its_seed_and_leaves_the_game_alone() -> None:
    game = Game.deal(Rules.preset("straight"), seed=1)
    before = game.state.tobytes()
    assert game.resample(0, 5).position() == game.resample(0, 5).position()
    assert game.resample(0, 5).position() == game.resample(0, np.random.default_rng(5)).position()
    assert game.resample(0, 5).position() != game.resample(0, 6).position()
    assert game.resample(0).hand(0) == game.hand(0)
    assert game.state.tobytes() == before


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("stock", ["2c 3c 4c", ""])
def test_resampling_a_position_whose_refills_are_forgotten(seat: int, stock: str) -> None:
    hands = ["7s 9d Kc", "2s 3h 4h"]
    position = {"hands": hands, "pile": "2h 5h 6h", "stock": stock, "phase": "play", "taken": "9d", "reshuffles": 2}
    game = Game.from_position(Rules.preset("straight"), position)
    hidden = {card for hand in (*hands, stock) for card in hand.split()}
    found = set()
    for number in range(50):
        other = game.resample(seat, number)
        assert other.hand(seat) == game.hand(seat)
        assert "9d" in other.hand(0)
        assert {*other.hand(0), *other.hand(1), *other.position()["stock"].split()} == hidden
        found |= set(other.hand(1 - seat))
    assert found >= hidden - set(game.hand(seat)) - {"9d"}
