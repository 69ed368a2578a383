"""Gin: random rounds of the engine in lockstep with a plain-Python referee, and what must hold at every step."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from arrangement_oracle import fewest
from elsewhere import check_prints_the_same, everywhere
from gin_oracle import ACTIONS, GinOracle
from hypothesis import given
from hypothesis import strategies as st
from oracle import CARDS, completing, in_melds, melds_in, sort
from random_rounds import examples, fields_of, seeds

from rummy_env import Game, IllegalMove, Match, Rules, spaces, vector
from rummy_env.cards import from_mask, to_mask
from rummy_env.core import batch
from rummy_env.core.kernel import JIT
from rummy_env.position import possible_tables
from rummy_env.record import read_all
from rummy_env.testing import check_rules
from rummy_env.view import View

pytestmark = pytest.mark.core


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Gin with any options. Values of cards stay the usual ones half of the time, so that knocks come."""
    return Rules.preset(
        "gin",
        hand_size=draw(st.sampled_from([10, 10, 7, 4, 3])),
        ace_points=draw(st.sampled_from([1, 1, 0, 15])),
        court_points=draw(st.sampled_from([10, 10, 5])),
        knock_limit=draw(st.sampled_from([10, 10, 0, 3, 40])),
        gin_bonus=draw(st.sampled_from([25, 20])),
        undercut_bonus=draw(st.sampled_from([25, 0])),
        void_stock=draw(st.sampled_from([2, 2, 0, 20])),
        discard_taken=draw(st.booleans()),
        max_turns=draw(st.sampled_from([0, 0, 9])),
    )


class Player:
    """Plays at random, but keeps melds, takes what makes one and knocks more often than chance would."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.careful = self.random.choice([0.0, 0.7, 1.0])
        self.knocks = self.random.choice([0.05, 0.3, 1.0])

    def __call__(self, oracle: GinOracle) -> str:
        moves = list(oracle.moves())
        if self.random.random() >= self.careful:
            return self.random.choice(moves)
        knocks = [move for move in moves if move.startswith("knock")]
        if knocks and self.random.random() < self.knocks:
            return self.random.choice(knocks)
        if "take" in moves and oracle.pile[-1] in in_melds([*oracle.hand, oracle.pile[-1]]):
            return "take"
        if oracle.phase == "play":
            discards = [move for move in moves if move.startswith("discard")]
            least = min(oracle.deadwood_without(move.split()[1]) for move in discards)
            return self.random.choice([m for m in discards if oracle.deadwood_without(m.split()[1]) == least])
        return self.random.choice([move for move in moves if move != "take"] or moves)


def oracle_of(game: Game) -> GinOracle:
    """The referee at the beginning of a round."""
    position = game.position()
    return GinOracle(
        rules=game.rules,
        hands=[hand.split() for hand in position["hands"]],
        pile=position["pile"].split(),
        stock=position["stock"].split(),
        dealer=position["dealer"],
        to_play=position["to_play"],
    )


def same(game: Game, oracle: GinOracle) -> None:
    """Fails where engine and referee differ in anything that RULES.md speaks of."""
    assert (game.to_play, game.phase) == (oracle.to_play, oracle.phase)
    assert game.legal_actions() == oracle.legal_ids()
    position = game.position()
    for seat in range(2):
        assert game.hand(seat) == position["hands"][seat].split() == sort(oracle.hands[seat])
        assert game.view(seat).hand_sizes[seat] == len(oracle.hands[seat])
    assert game.table == game.view(0).table == []
    assert game.pile == oracle.pile
    assert position["stock"].split() == oracle.stock
    assert game.stock_size == len(oracle.stock)
    assert (position["taken"], position["passes"]) == (oracle.taken, oracle.passes)
    assert position["turns"] == oracle.turns or oracle.over
    assert game.turn == sum(position["turns"]) == sum(oracle.turns)
    if not oracle.over:
        assert game.result is None
        assert game.showdown is None
        return
    assert game.result is not None
    assert (game.result.winner, list(game.result.scores)) == (oracle.winner, oracle.scores)
    assert (game.result.how, game.result.truncated) == (oracle.how, oracle.truncated)
    assert game.result.void == (oracle.winner is None)
    assert not game.result.doubled
    assert not game.result.blocked
    assert (game.showdown is not None) == (oracle.winner is not None)


def positions(rules: Rules, seed: int) -> Iterator[tuple[Game, GinOracle]]:
    """A random round, before each move and after the last one: always the same two objects."""
    choose = Player(seed)
    game = Game.deal(rules, seed=seed, dealer=seed % 2)
    oracle = oracle_of(game)
    while not game.over:
        yield game, oracle
        move = choose(oracle)
        game.play(move)
        oracle.play(move)
    yield game, oracle


def some_position(rules: Rules, seed: int) -> tuple[Game, GinOracle]:
    """A position from anywhere in a random round, its end included."""
    *_, table = islice(positions(rules, seed), random.Random(seed).randrange(90) + 1)
    return table


# --- the rules -----------------------------------------------------------------------------------------------


@examples(100)
@given(any_rules(), seeds)
def test_engine_and_referee_play_the_same_round(rules: Rules, seed: int) -> None:
    choose = Player(seed)
    game = Game.deal(rules, seed=seed, dealer=seed % 2)
    oracle = oracle_of(game)
    assert game.phase == "upcard"
    assert game.to_play == 1 - seed % 2
    assert [len(hand) for hand in oracle.hands] == [rules.hand_size] * 2
    assert len(game.pile) == 1
    assert oracle.all_cards() == CARDS
    same(game, oracle)
    while not game.over:
        move = choose(oracle)
        if choose.random.random() < 0.5:
            game.play(move)
        else:
            game.step(ACTIONS.index(move))
        oracle.play(move)
        same(game, oracle)
        assert oracle.all_cards() == CARDS  # And so the engine's: every card exactly once, at every step.


def test_rounds_end_in_every_way() -> None:
    """Lest the tests of rounds compare one kind of end alone."""
    ends = set()
    for seed in range(60):
        *_, (game, oracle) = positions(Rules.preset("gin"), seed)
        same(game, oracle)
        ends.add(oracle.how)
    assert ends == {"gin", "knock", "undercut", None}


@examples(40)
@given(any_rules(), seeds)
def test_mask_is_legality_and_whatever_it_leaves_out_changes_nothing(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    mask = game.action_mask(game.to_play)
    assert mask.tolist() == [int(oracle.allows(action)) for action in ACTIONS]
    assert not game.action_mask(1 - game.to_play).any()
    before, history = fields_of(game.state), list(game.history)
    for number, legal in enumerate(mask.tolist()):
        move = game.move_of(number)
        assert str(move) == ACTIONS[number]
        assert game.is_legal(move) == game.is_legal(str(move)) == bool(legal)
        assert game.action_of(move) == number
        if legal:
            by_id, by_text = game.copy(), game.copy()
            by_id.step(number)
            by_text.play(str(move))
            assert fields_of(by_id.state) == fields_of(by_text.state)
        else:
            with pytest.raises(IllegalMove, match="is not legal: "):
                game.step(number)
            with pytest.raises(IllegalMove, match="is not legal: "):
                game.play(move)
    assert fields_of(game.state) == before
    assert game.history == history


@pytest.mark.parametrize(
    "text", ["meld 4d 5d 6d", "layoff 7d 0", "pack", "declare 7d", "untake", "discard Jk", "knock Jk"]
)
def test_moves_of_other_games_are_not_legal(text: str) -> None:
    for game, _ in islice(positions(Rules.preset("gin"), 3), 12):
        assert not game.is_legal(text)


# --- what is shown -------------------------------------------------------------------------------------------


@examples(60)
@given(any_rules(), seeds)
def test_a_showdown_accounts_for_every_card(rules: Rules, seed: int) -> None:
    *_, (game, oracle) = positions(rules, seed)
    showdown = game.showdown
    if showdown is None:
        assert oracle.winner is None
        return
    assert showdown.closer == oracle.to_play
    for seat, hand in enumerate(showdown.hands):
        assert hand is not None
        laid = [card for meld in hand.melds for card in meld]
        assert sort([*laid, *hand.laid_off, *hand.deadwood]) == game.hand(seat)
        for meld in hand.melds:
            assert sort(meld) in melds_in(meld)
        assert hand.points == rules.hand_points(hand.deadwood)
        assert not hand.laid_off or (seat != showdown.closer and oracle.how != "gin")
        for looker in range(2):
            assert game.view(looker).showdown == showdown
            assert game.view(looker).known(seat) == game.hand(seat)


# --- copies, records, positions ------------------------------------------------------------------------------


@examples(40)
@given(any_rules(), seeds, st.sampled_from(["text", "json"]))
def test_a_record_replays_to_the_same_table(rules: Rules, seed: int, form: str) -> None:
    game, _ = some_position(rules, seed)
    text = game.record(form)
    again = Game.from_record(text)
    assert fields_of(again.state) == fields_of(game.state)
    assert (again.rules, again.result, again.record(form)) == (rules, game.result, text)
    assert Game.from_record(again.record("json")).record("text") == game.record("text")


@examples(40)
@given(any_rules(), seeds)
def test_a_position_read_back_goes_on_in_the_same_way(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    if game.over:
        return
    position = game.position()
    again = Game.from_position(rules, json.loads(json.dumps(position)))
    assert again.position() == position
    record = Game.from_record(again.record())
    choose = Player(seed + 1)
    while not game.over:
        move = choose(oracle)
        for table in (game, again, record, oracle):
            table.play(move)
        same(game, oracle)
        same(again, oracle)
        assert again.position() == game.position() == record.position()


# --- what a seat may know ------------------------------------------------------------------------------------


def permuted(game: Game, seat: int, chance: random.Random) -> Game:
    """The stock and the other hand dealt out anew, against all that could be inferred."""
    states = game.state.copy()
    view, hidden = states["view"][0], states["hidden"][0]
    other = 1 - seat
    stock = hidden["stock"][: view["stock_size"]].tolist()
    cards = stock + from_mask(int(hidden["hands"][other]))
    chance.shuffle(cards)
    hidden["stock"][: len(stock)] = [cards.pop() for _ in stock]
    hidden["hands"][other] = to_mask(cards)
    view["hand"] = hidden["hands"][view["to_play"]]
    batch.refresh_table(game.rules.record, states)
    return Game(game.rules, states)


def test_no_seat_sees_a_hidden_card() -> None:
    chance, changed = random.Random(1), 0
    for seed in range(12 if JIT else 2):
        for game, oracle in positions(Rules.preset("gin"), seed):
            for seat in range(2):
                before = game.view(seat)
                resampled = game.resample(seat, seed)
                assert oracle.known[1 - seat] <= set(resampled.hand(1 - seat)), "what was taken stays"
                others = [resampled] if oracle.how else [resampled, permuted(game, seat, chance)]
                for other in others:
                    changed += other.hand(1 - seat) != game.hand(1 - seat)
                    assert other.hand(seat) == game.hand(seat)
                    assert other.view(seat) == before
                    assert other.observation(seat).tobytes() == game.observation(seat).tobytes()
                    assert other.action_mask(seat).tobytes() == game.action_mask(seat).tobytes()
                    places = [*other.position()["stock"].split(), *other.pile, *other.hand(0), *other.hand(1)]
                    assert sort(places) == CARDS
            if not game.over:
                record = game.view(game.to_play).record
                for table in possible_tables(game.rules, record, 2, np.random.default_rng(seed)):
                    assert View(game.rules, table["view"].reshape(1)) == View(game.rules, record)
    assert changed > (500 if JIT else 50)


def expected(game: Game, oracle: GinOracle, me: int) -> dict[str, set[str] | int]:
    """What each field of the observation says: a set of cards, or the count that a thermometer shows."""
    other, rules, hand = 1 - me, oracle.rules, set(oracle.hands[me])
    top = set(oracle.pile[-1:])
    least = min_deadwood(oracle, me)
    plays = not oracle.over

    def tenths(total: int) -> int:
        return min(10, max(0, total) * 10 // rules.target)

    return {
        "hand": hand,
        "taken": {oracle.taken} - {None},
        "pile_top": top,
        "pile": set(oracle.pile) - top,
        "unseen": set(CARDS) - hand - set(oracle.pile) - oracle.known[other],
        "in_meld": in_melds(hand),
        "completes": completing(hand),
        "my_turn": int(plays and oracle.to_play == me),
        "dealt": int(oracle.dealer == me),
        "passes": oracle.passes,
        "top_completes": int(bool(top & completing(hand))),
        "deadwood": min(16, least),
        "points_left": min(16, -(-least // 6)),
        "stock_size": min(16, -(-len(oracle.stock) // 2)),
        "turns": min(10, sum(oracle.turns) * 10 // rules.max_turns),
        "total": tenths(game.totals[me]),
        "next_1.known": oracle.known[other],
        "next_1.discarded": oracle.discarded[other],
        "next_1.refused": oracle.refused[other],
        "next_1.to_play": int(plays and oracle.to_play == other),
        "next_1.total": tenths(game.totals[other]),
    }


def min_deadwood(oracle: GinOracle, seat: int) -> int:
    return fewest(oracle.hands[seat], **oracle.values)


@examples(40)
@given(any_rules(), seeds)
def test_every_field_of_the_observation(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    phases = {"upcard": [1, 0, 0], "draw": [0, 1, 0], "play": [0, 0, 1], "over": [0, 0, 0]}
    for seat in range(2):
        row = game.observation(seat)
        wanted = expected(game, oracle, seat)
        names = {field.name for field in spaces("gin").fields}
        assert names == set(wanted) | {"phase", "deadwood_cards"}
        for field in spaces("gin").fields:
            bits = row[field.slice].tolist()
            if field.name == "phase":
                assert bits == phases[oracle.phase]
            elif field.name == "deadwood_cards":
                cards = [CARDS[at] for at in np.flatnonzero(bits)]
                assert set(cards) <= set(oracle.hands[seat])
                assert rules.hand_points(cards) == min_deadwood(oracle, seat)
            elif isinstance(value := wanted[field.name], set):
                assert {CARDS[at] for at in np.flatnonzero(bits)} == value, field.name
            else:
                assert bits == [1] * value + [0] * (field.size - value), field.name


# --- the same seed, the same game ----------------------------------------------------------------------------

DIGEST = """
import hashlib
from rummy_env import Game, Rules

digest = hashlib.sha256()
for seed in (0, 1, 2, 2**40):
    game = Game.deal(Rules.preset("gin"), seed=seed)
    while not game.over:
        actions = game.legal_actions()
        game.step(actions[-1] if len(actions) > 11 else actions[(7 * len(game.history) + seed) % len(actions)])
        for seat in range(2):
            digest.update(game.observation(seat).tobytes() + game.action_mask(seat).tobytes())
    digest.update(game.record().encode())
print(digest.hexdigest())
"""


@everywhere
def test_the_same_seed_gives_the_same_game_everywhere(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    check_prints_the_same(DIGEST, environment, capsys)


def test_batches_of_any_size_and_any_number_of_threads_play_alike() -> None:
    steps = 400 if JIT else 40
    alone = vector.make("gin", num_envs=64, seed=5)
    threads = vector.make("gin", num_envs=64, seed=5, num_threads=3)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        assert np.array_equal(alone.observation, threads.observation)
        assert np.array_equal(alone.action_mask, threads.action_mask)
        draws = rng.random(alone.action_mask.shape) * alone.action_mask
        actions = draws.argmax(axis=1)
        for got, wanted in zip(threads.step(actions), alone.step(actions), strict=True):
            assert np.array_equal(got, wanted)


def test_a_batch_plays_what_a_game_plays_and_pays_its_scores() -> None:
    batch_of_one = vector.make("gin", num_envs=1, seed=11, rewards="score", reward_scale=1.0, match=True)
    match = Match(Rules.preset("gin"), seed=None)
    states = batch_of_one._states
    match.games[0] = Game(match.rules, states.copy())
    paid = np.zeros(2)
    rng = random.Random(3)
    for _ in range(3000 if JIT else 300):
        game = match.game
        legal = game.legal_actions()
        knocks = [action for action in legal if ACTIONS[action].startswith("knock")]
        action = rng.choice(knocks or legal)
        assert batch_of_one.player[0] == game.to_play
        assert np.array_equal(batch_of_one.action_mask[0], game.action_mask(game.to_play))
        assert np.array_equal(batch_of_one.observation[0], game.observation(game.to_play))
        game.step(action)
        rewards, terminated, _ = batch_of_one.step(np.array([action]))
        paid += rewards[0]
        if game.over:
            assert game.result is not None
            assert rewards[0].tolist() == list(game.result.scores)
            assert terminated[0] == match.over
            if match.over:
                assert paid.tolist() == list(match.totals)
                return
            match.next_round()
    assert not JIT, "a match ends in so many steps"


# --- matches -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("void_moves_deal", [True, False])
def test_a_match_goes_to_the_target_while_the_deal_alternates(void_moves_deal: bool) -> None:
    rules = Rules.preset("gin", void_moves_deal=void_moves_deal, void_stock=14)
    voids = 0
    for seed in range(3):
        match, choose = Match(rules, seed=seed), Player(2)
        choose.careful = 1.0
        totals = [0, 0]
        while True:
            game = match.game
            dealer = game.dealer
            assert game.to_play == 1 - dealer
            oracle = oracle_of(game)
            while not game.over:
                move = choose(oracle)
                game.play(move)
                oracle.play(move)
            totals = [total + score for total, score in zip(totals, oracle.scores, strict=True)]
            voids += oracle.winner is None
            assert match.totals == tuple(totals)
            assert match.over == (max(totals) >= 100)
            if match.over:
                break
            match.next_round()
            assert match.game.dealer == (dealer if oracle.winner is None and not void_moves_deal else 1 - dealer)
        assert match.winners == (totals.index(max(totals)),)
        assert [game.result for game in read_all(match.record())] == match.results
    assert voids, "some round of these was void"


@pytest.mark.parametrize(
    "options", [{}, {"knock_limit": 60, "void_stock": 0}, {"hand_size": 5, "max_turns": 7}], ids=str
)
def test_the_checks_for_everybody_pass(options: dict[str, Any]) -> None:
    check_rules(Rules.preset("gin", **options), games=2)


def test_rewards_of_an_undercut_go_to_the_defender() -> None:
    position = {
        "hands": ["4d 5d 6d 9s 9h 9c Kc Kh Ks 8c Qd", "Js Jh Jc 2s 3s 4s 2h 3h 4h 7h"],
        "phase": "play",
        "pile": "3c",
        "stock": "Ah 5c 6c 7c",
    }
    game = Game.from_position(Rules.preset("gin"), position)
    game.play("knock Qd")
    assert game.result is not None
    assert (game.result.how, game.result.scores) == ("undercut", (0, 26))
    assert game.pile[-1] == "Qd"
