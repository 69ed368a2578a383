"""Indian rummy: random rounds of the engine in lockstep with a plain-Python referee, and what must hold at each step.

Most rounds begin from positions with short hands that nearly lie in melds, so that declarations are many; hands may
have any size, and melds of seven cards are tried much faster than of fourteen.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest
from arrangement_oracle import JOKER, PLACES, card_points, is_wild
from elsewhere import check_prints_the_same, everywhere
from hypothesis import given
from hypothesis import strategies as st
from indian_oracle import ACTIONS, IndianOracle, sort
from oracle import CARDS, RANKS, SUITS
from random_rounds import examples, fields_of, seeds

from rummy_env import Game, IllegalMove, Match, Rules, spaces, vector
from rummy_env.core import batch
from rummy_env.core.kernel import JIT
from rummy_env.position import possible_tables
from rummy_env.record import read_all
from rummy_env.testing import check_rules
from rummy_env.view import View

pytestmark = pytest.mark.core


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Indian with any options."""
    players = draw(st.integers(2, 10))
    return Rules.preset(
        "indian",
        num_players=players,
        num_decks=draw(st.sampled_from([0, 0, 2, 3])) if players < 7 else 3,
        num_jokers=draw(st.sampled_from([-1, -1, 4, 8])),
        ace_points=draw(st.sampled_from([11, 11, 1])),
        pack_first=draw(st.sampled_from([10, 10, 20])),
        pack_later=draw(st.sampled_from([40, 40, 0])),
        points_cap=draw(st.sampled_from([0, 0, 30])),
        min_naturals=draw(st.sampled_from([1, 1, 1, 2, 3])),
        discard_taken=draw(st.sampled_from([True, True, False])),
        max_turns=draw(st.sampled_from([0, 0, 9])),
    )


def deck_of(rules: Rules) -> list[str]:
    return CARDS * rules.num_decks + [JOKER] * rules.num_jokers


def short_position(rules: Rules, seed: int) -> dict[str, Any]:
    """A position with hands of six that have a natural run, or a triplet, and some cards that are near each other."""
    chance = random.Random(seed)
    deck = Counter(deck_of(rules))
    cut = chance.choice([*CARDS, JOKER] if rules.num_jokers else CARDS)
    deck -= Counter([cut])
    hands = []
    for _ in range(rules.num_players):
        hand: list[str] = []
        while True:
            low, suit = chance.randrange(12), chance.choice(SUITS)
            first = [rank + suit for rank in PLACES[low : low + 3]]
            if rules.num_decks == 3 and chance.random() < 0.3:
                first = [first[0]] * 3
            if not Counter(first) - deck:
                break
        deck -= Counter(first)
        near = [card for card in deck.elements() if is_wild(card, cut) or card[1] == suit]
        hand = first + chance.sample(sorted(near), 3)
        deck -= Counter(hand[3:])
        hands.append(sort(hand))
    rest = sorted(deck.elements())
    chance.shuffle(rest)
    few = [card for card in rest if is_wild(card, cut) or card[0] in "A23456"]
    seat = chance.randrange(rules.num_players)
    return {
        "hands": hands,
        "wild": cut,
        "pile": few[:2],
        "stock": few[2 : 2 + chance.choice((1, 3, 12, 30))],
        "to_play": seat,
        "dealer": (seat - 1) % rules.num_players,
    }


def oracle_of(game: Game) -> IndianOracle:
    """The referee at the beginning of a round."""
    position = game.position()
    return IndianOracle(
        rules=game.rules,
        hands=[hand.split() for hand in position["hands"]],
        pile=position["pile"].split(),
        stock=position["stock"].split(),
        cut=position["wild"],
        to_play=position["to_play"],
    )


def same(game: Game, oracle: IndianOracle, with_legal: bool = True) -> None:
    """Fails where engine and referee differ in anything that RULES.md speaks of."""
    assert (game.to_play, game.phase) == (oracle.to_play, oracle.phase)
    if with_legal:
        assert game.legal_actions() == oracle.legal_ids()
    position = game.position()
    for seat, hand in enumerate(oracle.hands):
        assert game.hand(seat) == position["hands"][seat].split() == sort(hand)
        assert game.view(seat).hand_sizes[seat] == len(hand)
    assert game.table == []
    assert game.pile == oracle.pile
    assert position["stock"].split() == oracle.stock
    assert game.stock_size == len(oracle.stock)
    assert (position["taken"], position["packed"]) == (oracle.taken, oracle.packed)
    assert (game.wild, game.view(0).packed) == (oracle.cut, oracle.packed)
    assert position["turns"] == oracle.turns
    assert game.turn == sum(oracle.turns)
    if not oracle.over:
        assert game.result is None
        assert game.showdown is None
        return
    assert game.result is not None
    assert (game.result.winner, list(game.result.scores)) == (oracle.winner, oracle.scores)
    assert (game.result.how, game.result.truncated) == (oracle.how, oracle.truncated)
    assert game.result.void == (oracle.winner is None)
    assert sum(game.result.scores) == 0
    assert not game.result.doubled
    assert not game.result.blocked
    assert (game.showdown is not None) == (oracle.how == "declare")


class Player:
    """Plays at random, but packs seldom, declares mostly, and keeps what lies near in a suit."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.packs = self.random.choice((0.02, 0.1, 0.3))

    def __call__(self, moves: list[str]) -> str:
        declarations = [move for move in moves if move.startswith("declare")]
        if declarations and self.random.random() < 0.8:
            return self.random.choice(declarations)
        if "pack" in moves and self.random.random() < self.packs:
            return "pack"
        return self.random.choice([move for move in moves if move != "pack"] or moves)


def play_both(game: Game, oracle: IndianOracle, move: str) -> None:
    game.play(move)
    oracle.play(move, game.position()["stock"].split())


def positions(rules: Rules, seed: int) -> Iterator[tuple[Game, IndianOracle]]:
    """A random round of short hands, before each move and after the last one: always the same two objects."""
    choose = Player(seed)
    game = Game.from_position(rules, short_position(rules, seed), seed=seed)
    oracle = oracle_of(game)
    while not game.over:
        yield game, oracle
        play_both(game, oracle, choose([str(move) for move in game.legal_moves()]))
    yield game, oracle


def some_position(rules: Rules, seed: int) -> tuple[Game, IndianOracle]:
    """A position from anywhere in a random round of short hands, its end included."""
    *_, table = islice(positions(rules, seed), random.Random(seed).randrange(30) + 1)
    return table


# --- the rules -----------------------------------------------------------------------------------------------


@examples(100)
@given(any_rules(), seeds)
def test_engine_and_referee_play_the_same_round_of_short_hands(rules: Rules, seed: int) -> None:
    whole = None
    for game, oracle in positions(rules, seed):
        same(game, oracle)
        whole = whole or oracle.all_cards()
        assert oracle.all_cards() == whole


@pytest.mark.parametrize("players", range(2, 11))
def test_engine_and_referee_play_the_same_round_from_the_deal(players: int) -> None:
    for seed in range(4 if JIT else 1):
        rules = Rules.preset("indian", num_players=players, pack_first=15 + seed)
        choose = Player(seed)
        game = Game.deal(rules, seed=seed, dealer=seed % players)
        oracle = oracle_of(game)
        assert game.to_play == (seed + 1) % players
        assert [len(hand) for hand in oracle.hands] == [13] * players
        assert len(game.pile) == 1
        assert rules.num_jokers == rules.num_decks == (2 if players < 7 else 3)
        while not game.over:
            moves = [str(move) for move in game.legal_moves()]
            play_both(game, oracle, choose([move for move in moves if not move.startswith("declare")]))
            same(game, oracle, with_legal=game.phase == "draw")
            assert oracle.all_cards() == Counter(deck_of(rules))


def test_rounds_end_in_every_way() -> None:
    """Lest the tests of rounds compare one kind of end alone."""
    ends = Counter()
    for seed in range(60):
        *_, (game, oracle) = positions(Rules.preset("indian", num_players=2 + seed % 4), seed)
        same(game, oracle)
        ends[oracle.how] += 1
    assert set(ends) == {"declare", "last", None}
    assert ends["declare"] > 10


@examples(40)
@given(any_rules(), seeds)
def test_mask_is_legality_and_whatever_it_leaves_out_changes_nothing(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    mask = game.action_mask(game.to_play)
    assert mask.tolist() == [int(oracle.allows(action)) for action in ACTIONS]
    for seat in set(range(rules.num_players)) - {game.to_play}:
        assert not game.action_mask(seat).any()
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


@pytest.mark.parametrize("text", ["meld 4d 5d 6d", "layoff 7d 0", "pass", "knock 7d", "untake"])
def test_moves_of_other_games_are_not_legal(text: str) -> None:
    for game, _ in islice(positions(Rules.preset("indian"), 3), 12):
        assert not game.is_legal(text)


def test_why_a_declaration_is_refused() -> None:
    rules = Rules.preset("indian")
    position = {"wild": "5c", "phase": "play", "stock": "2c", "pile": "3c"}
    for hand, reason in (
        ("2s 3s 4s 7h 8h 9h Ks Kh Kd Qc Qd Qh Jd 9d", "Jd left over"),
        ("2s 3s 4s Ks Kh Kd Qc Qd Qh Js Jh Jd Tc 9d", "second run"),
        ("2s Jk 4s 7h 8h Th Ks Kh Kd Qc Qd Qh Qs 9d", "expected a natural run among the other cards, got none"),
    ):
        game = Game.from_position(rules, position | {"hands": [hand, "Ac"]})
        with pytest.raises(IllegalMove, match=reason):
            game.play("declare 9d")


# --- what is shown -------------------------------------------------------------------------------------------


@examples(60)
@given(any_rules(), seeds)
def test_a_showdown_accounts_for_every_card(rules: Rules, seed: int) -> None:
    *_, (game, oracle) = positions(rules, seed)
    showdown = game.showdown
    if showdown is None:
        assert oracle.how != "declare"
        return
    assert showdown.closer == oracle.to_play == oracle.winner
    for seat, hand in enumerate(showdown.hands):
        assert (hand is None) == (oracle.packed[seat] is not None)
        if hand is None:
            continue
        assert sort([*(card for meld in hand.melds for card in meld), *hand.deadwood]) == game.hand(seat)
        assert all(rules.is_meld(meld, game.wild) for meld in hand.melds)
        assert hand.points == rules.hand_points(hand.deadwood, game.wild) == oracle.cost(seat)
        for looker in range(rules.num_players):
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
    choose = Player(seed + 1)
    while not game.over:
        # How a hand is shuffled under the stock depends on the table's random numbers, which no position has.
        moves = [move for move in map(str, game.legal_moves()) if move != "pack" or oracle.turns[game.to_play]]
        move = choose(moves)
        play_both(game, oracle, move)
        again.play(move)
        same(again, oracle)
        assert again.position() == game.position()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"packed": ["first", None]}, "to_play: expected a seat that has not packed, got 0"),
        ({"packed": [None, "never"]}, "packed: expected null, 'first' or 'later'"),
        ({"packed": [None]}, "packed: expected a list of 2"),
        ({"packed": [None, "later"], "phase": "play"}, "packed: expected two seats or more in the round in phase play"),
        ({"wild": "5x"}, "wild: expected cards like"),
        ({"wild": "5c 5d"}, "wild: expected one card"),
        ({"wild": 5}, "wild: expected the text of a card or null"),
        ({"wild": "Ac", "pile": "Ac"}, "expected each card at most twice, got Ac in"),
        ({"passes": 1}, "indian has no 'passes'"),
    ],
)
def test_impossible_positions(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Game.from_position(Rules.preset("indian"), {"hands": ["Ac 2c", "3c 4c"], "stock": "7d", "wild": "5c"} | changes)


# --- what a seat may know ------------------------------------------------------------------------------------


def permuted(game: Game, seat: int, chance: random.Random) -> Game:
    """The stock and the other hands dealt out anew, against all that could be inferred."""
    position = game.position()
    stock = position["stock"].split()
    hands = [hand.split() for hand in position["hands"]]
    cards = stock + [card for other, hand in enumerate(hands) if other != seat for card in hand]
    chance.shuffle(cards)
    for other, hand in enumerate(hands):
        if other != seat:
            hands[other] = [cards.pop() for _ in hand]
    dealt = Game.from_position(game.rules, position | {"hands": hands, "stock": cards, "taken": None}).state
    states = game.state.copy()
    for name in ("hands", "hands2", "hands3", "jokers", "stock"):
        states["hidden"][name] = dealt["hidden"][name]
    for name in ("hand", "hand2", "hand3", "hand_jokers"):
        states["view"][name] = dealt["view"][name]
    batch.refresh_table(game.rules.record, states)
    return Game(game.rules, states)


def test_no_seat_sees_a_hidden_card() -> None:
    chance, changed = random.Random(1), 0
    for seed in range(16 if JIT else 2):
        rules = Rules.preset("indian", num_players=2 + seed % 4, num_decks=2 + seed % 2)
        for game, oracle in positions(rules, seed):
            for seat in range(rules.num_players):
                before = game.view(seat)
                resampled = game.resample(seat, seed)
                for other in set(range(rules.num_players)) - {seat}:
                    assert not oracle.known[other] - Counter(resampled.hand(other)), "what was taken stays"
                others = [resampled] if game.over else [resampled, permuted(game, seat, chance)]
                for other in others:
                    changed += other.position()["hands"] != game.position()["hands"]
                    assert other.hand(seat) == game.hand(seat)
                    assert other.view(seat) == before
                    assert other.observation(seat).tobytes() == game.observation(seat).tobytes()
                    assert other.action_mask(seat).tobytes() == game.action_mask(seat).tobytes()
    assert changed > (300 if JIT else 30)


def test_possible_tables_hold_the_whole_deck() -> None:
    for players in (2, 5, 8):
        rules = Rules.preset("indian", num_players=players)
        game, choose = Game.deal(rules, seed=players), Player(1)
        while not game.over and game.turn < 20:
            record = game.view(game.to_play).record
            for table in possible_tables(rules, record, 2, np.random.default_rng(players)):
                other = Game(rules, table.reshape(1))
                assert View(rules, table["view"].reshape(1)) == View(rules, record)
                places = [*other.position()["stock"].split(), *other.pile, other.wild]
                places += [card for seat in range(players) for card in other.hand(seat)]
                assert Counter(places) == Counter(deck_of(rules))
            game.play(choose([str(move) for move in game.legal_moves()]))


def faces(cards: Counter[str], copies: int) -> set[str]:
    return {card for card, count in cards.items() if count >= copies and card != JOKER}


def natural_runs(cards: set[str]) -> list[set[str]]:
    """Every run of three of these faces, the ace low or high."""
    rows = [{rank + suit for rank in PLACES[low : low + 3]} for suit in SUITS for low in range(12)]
    return [row for row in rows if row <= cards]


def sets_of_3(cards: set[str]) -> list[set[str]]:
    return [set(some) for rank in RANKS for some in combinations(sorted(card for card in cards if card[0] == rank), 3)]


def union(melds: list[set[str]]) -> set[str]:
    return set().union(*melds)


def expected(game: Game, oracle: IndianOracle, me: int) -> dict[str, set[str] | int]:
    """What each field of the observation says: a set of cards, or the count that a thermometer shows."""
    rules, n = oracle.rules, len(oracle.hands)
    hand, pile = Counter(oracle.hands[me]), Counter(oracle.pile)
    held = faces(hand, 1)
    triplets = faces(hand, 3) if rules.num_decks == 3 else set()
    seen = hand + pile + Counter([oracle.cut])
    for other in range(n):
        if other != me:
            seen += oracle.known[other]
    unseen = Counter(CARDS * rules.num_decks) - seen
    run_completing = {
        card for card in CARDS if card not in held and any(card in r for r in natural_runs(held | {card}))
    }
    set_completing = {card for card in CARDS if card not in held and any(card in s for s in sets_of_3(held | {card}))}
    plays = not oracle.over
    top = oracle.pile[-1:]

    def won(seat: int) -> int:
        return max(0, min(10, (game.totals[seat] - rules.start_points + 200) // 40))

    wanted: dict[str, set[str] | int] = {
        "hand": held,
        "hand_twice": faces(hand, 2),
        "hand_thrice": faces(hand, 3),
        "wild": {card for card in CARDS if is_wild(card, oracle.cut)},
        "taken": {oracle.taken} - {None, JOKER},
        "pile_top": set(top) - {JOKER},
        "pile": faces(pile, 1),
        "pile_twice": faces(pile, 2),
        "pile_thrice": faces(pile, 3),
        "unseen": faces(unseen, 1),
        "unseen_twice": faces(unseen, 2),
        "unseen_thrice": faces(unseen, 3),
        "in_run": union(natural_runs(held)),
        "in_meld": union(natural_runs(held) + sets_of_3(held)) | triplets,
        "completes": run_completing | set_completing,
        "completes_run": run_completing,
        "my_turn": int(plays and oracle.to_play == me),
        "first_turn": int(oracle.turns[me] == 0),
        "packed": int(oracle.packed[me] is not None),
        "hand_size": min(16, len(oracle.hands[me])),
        "wilds": sum(is_wild(card, oracle.cut) for card in oracle.hands[me]),
        "hand_jokers": hand[JOKER],
        "run": int(bool(natural_runs(held) or triplets)),
        "points": min(16, -(-oracle.cost(me) // 6)),
        "taken_joker": int(oracle.taken == JOKER),
        "top_joker": int(top == [JOKER]),
        "pile_jokers": pile[JOKER],
        "stock_size": min(20, -(-len(oracle.stock) // 8)),
        "turns": min(10, sum(oracle.turns) * 10 // rules.max_turns),
        "total": won(me),
    }
    for k in range(1, n):
        other = (me + k) % n
        wanted |= {
            f"next_{k}.known": faces(oracle.known[other], 1),
            f"next_{k}.known_twice": faces(oracle.known[other], 2),
            f"next_{k}.discarded": oracle.discarded[other] - {JOKER},
            f"next_{k}.refused": oracle.refused[other] - {JOKER},
            f"next_{k}.known_jokers": oracle.known[other][JOKER],
            f"next_{k}.discarded_joker": int(JOKER in oracle.discarded[other]),
            f"next_{k}.refused_joker": int(JOKER in oracle.refused[other]),
            f"next_{k}.to_play": int(plays and oracle.to_play == other),
            f"next_{k}.first_turn": int(oracle.turns[other] == 0),
            f"next_{k}.packed": int(oracle.packed[other] is not None),
            f"next_{k}.total": won(other),
        }
    return wanted


@examples(40)
@given(any_rules(), seeds)
def test_every_field_of_the_observation(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    phases = {"draw": [1, 0], "play": [0, 1], "over": [0, 0]}
    fields = spaces("indian", rules.num_players).fields
    for seat in range(rules.num_players):
        row = game.observation(seat)
        wanted = expected(game, oracle, seat)
        assert {field.name for field in fields} == set(wanted) | {"phase", "deadwood_cards"}
        for field in fields:
            bits = row[field.slice].tolist()
            if field.name == "phase":
                assert bits == phases[oracle.phase]
            elif field.name == "deadwood_cards":
                cards = {CARDS[at] for at in np.flatnonzero(bits)}
                assert cards <= set(oracle.hands[seat])
                assert not any(is_wild(card, oracle.cut) for card in cards)
                assert sum(card_points(card, oracle.cut, rules.ace_points) for card in cards) <= oracle.cost(seat)
            elif isinstance(value := wanted[field.name], set):
                assert {CARDS[at] for at in np.flatnonzero(bits)} == value, field.name
            else:
                assert bits == [1] * value + [0] * (field.size - value), field.name


# --- the same seed, the same game ----------------------------------------------------------------------------

DIGEST = """
import hashlib
from rummy_env import Game, Rules

digest = hashlib.sha256()
for seed, players in ((0, 2), (1, 4), (2, 7), (2**40, 10)):
    game = Game.deal(Rules.preset("indian", num_players=players), seed=seed)
    while not game.over and game.turn < 60:
        actions = game.legal_actions()
        if 2 in actions and game.turn % 11 < 9:
            actions.remove(2)
        game.step(actions[(7 * len(game.history) + seed) % len(actions)])
        for seat in range(players):
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
    steps = 400 if JIT else 20
    alone = vector.make("indian", num_envs=48, num_players=7, seed=5)
    threads = vector.make("indian", num_envs=48, num_players=7, seed=5, num_threads=3)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        assert np.array_equal(alone.observation, threads.observation)
        assert np.array_equal(alone.action_mask, threads.action_mask)
        draws = rng.random(alone.action_mask.shape) * alone.action_mask
        actions = draws.argmax(axis=1)
        for got, wanted in zip(threads.step(actions), alone.step(actions), strict=True):
            assert np.array_equal(got, wanted)


@pytest.mark.parametrize("players", [2, 3, 8])
def test_a_batch_plays_what_a_game_plays_in_a_match_in_which_everybody_deals_once(players: int) -> None:
    options = {"num_players": players, "start_points": 500, "max_turns": 40}
    one = vector.make("indian", num_envs=1, seed=11, rewards="score", reward_scale=1.0, match=True, **options)
    match = Match(Rules.preset("indian", **options))
    match.games[0] = Game(match.rules, one._states.copy())
    paid, dealers, choose = np.zeros(players), [], Player(3)
    while True:
        game = match.game
        if not game.history:
            dealers.append(game.dealer)
        action = game.action_of(choose([str(move) for move in game.legal_moves()]))
        assert one.player[0] == game.to_play
        assert np.array_equal(one.action_mask[0], game.action_mask(game.to_play))
        assert np.array_equal(one.observation[0], game.observation(game.to_play))
        game.step(action)
        rewards, terminated, truncated = one.step(np.array([action]))
        paid += rewards[0]
        if game.over:
            assert game.result is not None
            assert rewards[0].tolist() == list(game.result.scores)
            assert (terminated[0] or truncated[0]) == match.over
            if match.over:
                break
            match.next_round()
    assert sorted(dealers) == list(range(players))
    assert match.totals == tuple(500 + paid.astype(int))
    assert sum(match.totals) == 500 * players
    assert match.winners == tuple(seat for seat in range(players) if match.totals[seat] == max(match.totals))
    assert [game.result for game in read_all(match.record())] == match.results


def test_a_match_of_void_rounds_is_shared_by_all() -> None:
    match = Match(Rules.preset("indian", num_players=3, max_turns=1), seed=1)
    for number in range(3):
        match.game.play("draw")
        match.game.step(match.game.legal_actions()[0])
        assert match.game.result is not None
        assert match.game.result.truncated
        assert match.over == (number == 2)
        if not match.over:
            match.next_round()
    assert (match.totals, match.winners) == ((0, 0, 0), (0, 1, 2))


# --- packing -------------------------------------------------------------------------------------------------


def test_a_hand_packed_at_once_goes_under_the_stock_in_some_order() -> None:
    rules, orders = Rules.preset("indian", num_players=3), set()
    for seed in range(8):
        game = Game.from_position(
            rules,
            {"hands": ["As 2s 3s 4s 5s 6s", "2h", "3h"], "wild": "Kc", "pile": "4h", "stock": "7d 8d"},
            seed=seed,
        )
        game.play("pack")
        stock = game.position()["stock"].split()
        assert stock[:2] == ["7d", "8d"]
        assert sorted(stock[2:]) == ["2s", "3s", "4s", "5s", "6s", "As"]
        assert (game.hand(0), game.stock_size, game.to_play) == ([], 8, 1)
        assert game.view(1).hand_sizes == [0, 1, 1]
        orders.add(tuple(stock[2:]))
    assert len(orders) > 5


@pytest.mark.parametrize(
    "options",
    [{}, {"num_players": 7}, {"num_players": 4, "points_cap": 80, "min_naturals": 2}, {"num_decks": 3, "max_turns": 9}],
    ids=str,
)
def test_the_checks_for_everybody_pass(options: dict[str, Any]) -> None:
    check_rules(Rules.preset("indian", **options), games=2)
