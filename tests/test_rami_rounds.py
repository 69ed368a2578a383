"""Random rounds of rami for every number of players: what must hold before and after every move."""

from __future__ import annotations

import functools
import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from rami_oracle import JOKER, Hand, cards_of, is_meld, points, without

from rummy_env import Game, IllegalMove, Rules, vector
from rummy_env.actions import action_table, num_actions
from rummy_env.cards import cards_text
from rummy_env.core.kernel import JIT

pytestmark = pytest.mark.core

PLAYERS = (2, 3, 4, 5, 6)
ROUNDS = 6 if JIT else 1
DOWN = {
    action
    for block in action_table("rami")
    if block.name.startswith(("meld", "layoff", "swap", "confirm"))
    for action in range(block.first, block.stop)
}
"""Actions that put cards down."""

HOUSES = (
    {},
    {"opening": 51, "joker_onto_set": False, "swap_uses_taken": False},
    {"opening": 0, "take_again": True, "num_jokers": 8},
    {"opening": 30, "low_ace_points": 31, "ace_points": 1, "max_refills": 0},
    {"opening": 120, "hand_size": 14, "num_jokers": 6, "blocks": False},
    {"opening": 200, "max_refills": -1, "max_turns": 60, "num_jokers": 0},
)
"""Options of every kind, one house for each round."""


def choose(game: Game, chance: random.Random, eager: float = 0.7) -> int:
    """A legal action; cards go down more often than chance would have it."""
    legal = game.legal_actions()
    down = [action for action in legal if action in DOWN]
    return chance.choice(down if down and chance.random() < eager else legal)


def positions(players: int, number: int) -> Iterator[tuple[Game, random.Random]]:
    """A random round, before each move and after the last one: always the same object."""
    chance = random.Random(f"{players} {number}")
    rules = Rules.preset("rami", num_players=players, **HOUSES[number % len(HOUSES)])
    game = Game.deal(rules, seed=number, dealer=number % players)
    eager = chance.choice((0.1, 0.5, 0.9))
    while not game.over:
        yield game, chance
        game.step(choose(game, chance, eager))
    yield game, chance


def some_position(players: int, number: int) -> Game:
    """A position from anywhere in a random round, its end included."""
    last = random.Random(number).randrange(150)
    *_, (game, _) = itertools.islice(positions(players, number), last + 1)
    return game


def all_cards(game: Game) -> Counter[str]:
    cards: list[str] = []
    for seat in range(game.rules.num_players):
        assert len(game.hand(seat)) == game.view(0).hand_sizes[seat]
        cards += game.hand(seat)
    for meld in game.table:
        assert game.rules.is_meld(str(meld))
        cards += meld.cards
    stock = game.position()["stock"].split()
    assert len(stock) == game.stock_size
    return Counter(cards + game.pile + stock)


@pytest.mark.parametrize("players", PLAYERS)
def test_no_card_is_lost_and_no_seat_to_play_is_without_a_move(players: int) -> None:
    ends = Counter[str]()
    for number in range(ROUNDS):
        for game, _ in positions(players, number):
            rules = game.rules
            deck = Counter({cards_text([card]): rules.copies(card) for card in [*rules.deck, JOKER]})
            assert all_cards(game) == +deck
            if not game.over:
                assert game.legal_actions()
                assert game.action_mask(game.to_play).sum() == len(game.legal_actions())
        result = game.result
        assert result is not None
        ends["void" if result.void else "blocked" if result.blocked else "won"] += 1
        assert game.turn <= rules.max_turns
        if result.winner is not None:
            left = [rules.hand_points(" ".join(game.hand(seat))) for seat in range(players)]
            gained = sum(left) - players * min(left) if result.blocked else sum(left) * (1 + result.doubled)
            assert result.scores == tuple(gained if seat == result.winner else 0 for seat in range(players))
            assert result.winner == left.index(min(left)) if result.blocked else not game.hand(result.winner)
    assert not JIT or ends["won"]


@pytest.mark.parametrize("players", PLAYERS)
def test_the_mask_the_moves_and_the_answers_agree(players: int) -> None:
    for number in range(ROUNDS):
        for game, chance in positions(players, number):
            if chance.random() > 0.12:
                continue
            legal = set(game.legal_actions())
            before = game.state.tobytes()
            for action in range(num_actions("rami")):
                if action in legal:
                    move = game.move_of(action)
                    assert game.is_legal(move)
                    assert game.is_legal(str(move))
                    by_id, by_text = game.copy(), game.copy()
                    by_id.step(action)
                    by_text.play(str(move))
                    assert by_id.position() == by_text.position()
                elif chance.random() < 0.1:
                    with pytest.raises(IllegalMove, match="is not legal: "):
                        game.step(action)
                    assert game.state.tobytes() == before
            assert len({str(game.move_of(action)) for action in legal}) == len(legal)
            assert game.state.tobytes() == before


@pytest.mark.parametrize("players", PLAYERS)
def test_a_position_read_again_goes_on_in_the_same_way(players: int) -> None:
    for number in range(3 * ROUNDS):
        game = some_position(players, number)
        if game.over:
            continue
        again = Game.from_position(game.rules, game.position())
        assert again.position() == game.position()
        chance = random.Random(number)
        for _ in range(60):
            if game.over or game.position()["reshuffles"] != again.position()["reshuffles"]:
                break
            assert again.legal_actions() == game.legal_actions()
            if not game.stock_size and game.phase == "play":
                break  # Refills are shuffled by another generator from here on.
            action = choose(game, chance)
            game.step(action)
            again.step(action)
            assert again.position() == game.position()


@pytest.mark.parametrize("players", PLAYERS)
def test_a_seat_sees_nothing_hidden(players: int) -> None:
    for number in range(ROUNDS):
        for game, chance in positions(players, number):
            if chance.random() > 0.1:
                continue
            seat = chance.randrange(players) if chance.random() < 0.5 else game.to_play
            other = game.resample(seat, chance.randrange(2**32))
            assert other.view(seat) == game.view(seat)
            assert np.array_equal(other.observation(seat), game.observation(seat))
            assert np.array_equal(other.action_mask(seat), game.action_mask(seat))
            assert all_cards(other) == all_cards(game)
            assert other.over or other.legal_actions()


PLAY = """
import hashlib, os
import numpy as np
from rummy_env import Rules, vector
digest = hashlib.sha256()
batch = vector.make("rami", num_envs=ENVS, num_players=3, seed=11, num_threads=THREADS, max_turns=30)
chance = np.random.default_rng(5)
for step in range(STEPS):
    # The same choice at every table, whatever the size of the batch: the k-th legal action.
    actions = [np.flatnonzero(row)[(step * 7) % row.sum()] for row in batch.action_mask]
    rewards, terminated, truncated = batch.step(np.array(actions))
    for part in (batch.observation, batch.action_mask, batch.player, rewards, terminated, truncated):
        digest.update(np.ascontiguousarray(part[:2]).tobytes())
print(digest.hexdigest())
"""


def digest_of(envs: int, threads: int, steps: int, **environment: str) -> str:
    code = PLAY.replace("ENVS", str(envs)).replace("THREADS", str(threads)).replace("STEPS", str(steps))
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_seed_gives_the_same_games_in_every_batch_with_and_without_the_compiler() -> None:
    assert digest_of(300, 2, 150) == digest_of(2, 1, 150)
    assert digest_of(2, 1, 25, NUMBA_DISABLE_JIT="1") == digest_of(2, 1, 25)


@pytest.mark.parametrize("target", [0, 200])
def test_a_batch_plays_whole_matches(target: int) -> None:
    batch = vector.make("rami", num_envs=4, num_players=2, seed=3, match=True, opening=30, target=target)
    chance = np.random.default_rng(1)
    ended = 0
    for _ in range(3000):
        assert batch.action_mask.any(axis=1).all()
        scores = np.where(np.isin(np.arange(batch.action_mask.shape[1]), sorted(DOWN)), 5.0, 1.0)
        actions = (batch.action_mask * scores * chance.random(batch.action_mask.shape)).argmax(axis=1)
        rewards, terminated, truncated = batch.step(actions)
        assert not truncated.any()
        assert np.abs(rewards).max() < 12  # in hundreds of points, or targets
        ended += int(terminated.sum())
    assert not JIT or ended


# --- the best opening ----------------------------------------------------------------------------------------


def all_melds(hand: Hand) -> list[tuple[int, tuple[int, ...]]]:
    """(points, cards) of every meld of any length that the hand holds."""
    held = Counter(hand)
    jokers = held[JOKER]
    found = []
    for rank in range(13):
        for count in (2, 3, 4):
            for suits in itertools.combinations(range(4), count):
                found += [("set", rank, frozenset(suits), used) for used in range(jokers + 1)]
    for suit in range(4):
        for low in range(14):
            for size in range(3, 14):
                if low + size > 14:
                    continue
                lacking = [not held[suit * 13 + (low + k) % 13] for k in range(size)]
                if sum(lacking) > jokers:
                    continue
                # A joker stands where a card is lacking, and may stand where one is not.
                for places in itertools.product(*[(True,) if gap else (False, True) for gap in lacking]):
                    if sum(places) <= jokers:
                        found.append(("run", suit, low, places))
    melds = [meld for meld in found if is_meld(meld)]
    return sorted(
        {(points(meld), tuple(sorted(cards_of(meld)))) for meld in melds if not Counter(cards_of(meld)) - held}
    )


def best_opening(hand: Hand) -> int:
    """The highest total, by trying every choice of melds of any length."""
    melds = all_melds(hand)

    @functools.cache
    def best(rest: Hand, first: int) -> int:
        held = Counter(rest)
        return max(
            (
                melds[k][0] + best(without(rest, list(melds[k][1])), k)
                for k in range(first, len(melds))
                if not Counter(melds[k][1]) - held
            ),
            default=0,
        )

    return best(hand, 0)


def some_hand(jokers: int, number: int) -> Hand:
    """A hand of up to 14 cards, most of them from a few neighbouring ranks, so that melds overlap."""
    chance = random.Random(f"{jokers} {number}")
    if chance.random() < 0.4:
        pack = list(range(52)) * 2
    else:
        low = chance.randrange(13)
        pack = [suit * 13 + (low + k) % 13 for suit in range(chance.choice((1, 2, 3))) for k in range(6)] * 2
    size = min(14 - jokers, len(pack), 10 if jokers == 4 else 12)
    return tuple(sorted([*chance.sample(pack, size), *[JOKER] * jokers]))


@pytest.mark.parametrize("jokers", [0, 1, 2, 4])
def test_the_best_opening_is_the_best_of_all_choices(jokers: int) -> None:
    rules = Rules.preset("rami")
    for number in range(60 if jokers < 4 else 15):
        hand = some_hand(jokers, number)
        assert rules.best_opening(cards_text(hand)) == best_opening(hand), cards_text(hand)


@pytest.mark.slow
@pytest.mark.parametrize(("jokers", "count"), [(0, 1500), (1, 800), (2, 300), (3, 60), (4, 40)])
def test_the_best_opening_of_thousands_of_hands(jokers: int, count: int) -> None:
    rules = Rules.preset("rami")
    for number in range(1000, 1000 + count):
        hand = some_hand(jokers, number)
        assert rules.best_opening(cards_text(hand)) == best_opening(hand), cards_text(hand)
