"""Random games of the engine in lockstep with the oracle, and what must hold at every step of every game."""

from __future__ import annotations

import json

import numpy as np
import pytest
from elsewhere import check_prints_the_same, everywhere
from hypothesis import given
from hypothesis import strategies as st
from oracle import ACTIONS, CARDS, RANKS, SUITS, Oracle, melds_in, sort
from random_rounds import Chooser, any_rules, examples, fields_of, oracle_of, positions, seeds, some_position

from rummy_env import Game, IllegalMove, Match, Rules
from rummy_env.record import read_all

pytestmark = pytest.mark.core


def same(game: Game, oracle: Oracle) -> None:
    """Fails where engine and oracle differ in anything that RULES.md speaks of."""
    assert game.to_play == oracle.to_play
    assert game.phase == oracle.phase
    assert game.legal_actions() == oracle.legal_ids()
    position = game.position()
    for seat in range(game.rules.num_players):
        assert game.hand(seat) == position["hands"][seat].split() == sort(oracle.hands[seat])
        assert game.view(seat).hand_sizes[seat] == len(oracle.hands[seat])
    assert [(list(meld.cards), meld.by) for meld in game.table] == [(meld.cards, meld.by) for meld in oracle.table]
    assert game.pile == oracle.pile
    assert position["stock"].split() == oracle.stock
    assert game.stock_size == len(oracle.stock)
    assert position["put_down"] == oracle.put_down
    assert game.turn == sum(position["turns"]) == oracle.turns
    assert position["taken"] == oracle.taken
    if oracle.outcome is None:
        assert game.result is None
    else:
        assert game.result is not None
        assert (game.result.winner, list(game.result.scores)) == (oracle.outcome.winner, oracle.outcome.scores)
        assert (game.result.doubled, game.result.void) == (oracle.outcome.doubled, oracle.outcome.void)
        assert not game.result.blocked


# --- the rules -----------------------------------------------------------------------------------------------


@examples(120)
@given(any_rules(), seeds)
def test_engine_and_oracle_play_the_same_game(rules: Rules, seed: int) -> None:
    choose = Chooser(seed)
    dealer = seed % rules.num_players
    deck = [card for card in CARDS if RANKS.index(card[0]) < rules.num_ranks and SUITS.index(card[1]) < rules.num_suits]
    game = Game.deal(rules, seed=seed, dealer=dealer)
    assert game.to_play == (dealer + 1) % rules.num_players
    assert len(game.pile) == 1
    assert [len(game.hand(seat)) for seat in range(rules.num_players)] == [rules.hand_size] * rules.num_players
    oracle = oracle_of(game)
    assert oracle.all_cards() == deck
    same(game, oracle)
    while not game.over:
        if choose.random.random() < 0.5:
            move = choose(list(oracle.moves()))
            game.play(move)
            oracle.play(move)
        else:
            action = choose.random.choice(oracle.legal_ids())
            game.step(action)
            oracle.play(ACTIONS[action])
        same(game, oracle)
        assert oracle.all_cards() == deck  # And so the engine's: every card exactly once, at every step.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games_of_the_preset_agree_with_the_oracle(players: int) -> None:
    rules = Rules.preset("straight", num_players=players)
    outcomes = set()
    for seed in range(8):
        for game, oracle in positions(rules, seed):
            same(game, oracle)
            assert sort(oracle.all_cards()) == CARDS
            assert game.over or game.legal_actions(), "a seat that must act has an action"
        assert game.result is not None
        outcomes.add(game.result.winner)
    assert len(outcomes) > 1


@examples(60)
@given(any_rules(), seeds)
def test_mask_is_legality_and_whatever_it_leaves_out_changes_nothing(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    mask = game.action_mask(game.to_play)
    assert mask.dtype == np.int8
    assert mask.tolist() == [int(oracle.allows(action)) for action in ACTIONS]
    for seat in range(rules.num_players):
        if seat != game.to_play:
            assert not game.action_mask(seat).any()
    before, history = fields_of(game.state), list(game.history)
    for number, legal in enumerate(mask.tolist()):
        move = game.move_of(number)
        if move.kind != "layoff" or move.meld is not None:
            assert game.is_legal(move) == game.is_legal(str(move)) == bool(legal)
        if legal:
            by_id, by_text, told = game.copy(), game.copy(), oracle.copy()
            assert game.action_of(move) == number
            by_id.step(number)
            by_text.play(str(move))
            told.lay_stock = oracle_of(by_id).lay_stock
            told.play(ACTIONS[number])
            same(by_id, told)
            assert fields_of(by_id.state) == fields_of(by_text.state)
        else:
            with pytest.raises(IllegalMove, match="is not legal: "):
                game.step(number)
            with pytest.raises(IllegalMove, match="is not legal: "):
                game.play(move)
    assert fields_of(game.state) == before
    assert game.history == history


@examples(60)
@given(any_rules(), seeds, st.data())
def test_any_text_of_a_move_is_legal_exactly_where_the_rules_say(rules: Rules, seed: int, data: st.DataObject) -> None:
    game, oracle = some_position(rules, seed)
    likely = sort(oracle.hand) * 3 + CARDS
    card = st.sampled_from(likely)
    texts = st.one_of(
        st.sampled_from(["draw", "take"]),
        st.lists(card, min_size=1, max_size=6).map(lambda cards: "meld " + " ".join(cards)),
        st.sampled_from(list(map(" ".join, melds_in(oracle.hand))) or ["As Ah Ad"]).map("meld {}".format),
        card.map("discard {}".format),
        st.builds("layoff {} {}{}".format, card, st.integers(0, 6), st.sampled_from(["", " low", " high"])),
    )
    for text in data.draw(st.lists(texts, min_size=20, max_size=20)):
        before = fields_of(game.state)
        assert game.is_legal(text) == oracle.allows(text), text
        if not oracle.allows(text):
            with pytest.raises(IllegalMove):
                game.play(text)
        assert fields_of(game.state) == before


@examples(60)
@given(any_rules(), seeds)
def test_every_move_of_the_rules_is_played_as_the_oracle_plays_it(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    for move in oracle.moves():
        after, told = game.copy(), oracle.copy()
        after.play(move)
        told.lay_stock = oracle_of(after).lay_stock
        told.play(move)
        same(after, told)


# --- copies, records, positions ------------------------------------------------------------------------------


@examples(60)
@given(any_rules(), seeds, st.sampled_from(["text", "json"]))
def test_a_record_replays_to_the_same_table(rules: Rules, seed: int, form: str) -> None:
    game, _ = some_position(rules, seed)
    text = game.record(form)
    again = Game.from_record(text)
    assert fields_of(again.state) == fields_of(game.state)
    assert again.rules == rules
    assert again.result == game.result
    assert again.record(form) == text
    assert Game.from_record(again.record("json")).record("text") == game.record("text")


@examples(60)
@given(any_rules(), seeds)
def test_a_copy_goes_its_own_way(rules: Rules, seed: int) -> None:
    game, _ = some_position(rules, seed)
    before, view = fields_of(game.state), game.view(0)
    seen = view.observation
    twin = game.copy()
    assert fields_of(twin.state) == before
    choose = Chooser(seed + 1)
    for _ in range(10):
        if not twin.over:
            twin.play(choose([str(move) for move in twin.legal_moves()]))
    twin.forfeit()
    assert fields_of(game.state) == before
    assert game.history == twin.history[: len(game.history)]
    assert game.view(0) == view, "a view stays what it was"
    assert (view.observation == seen).all()


@examples(60)
@given(any_rules(), seeds)
def test_a_position_read_back_goes_on_in_the_same_way(rules: Rules, seed: int) -> None:
    game, oracle = some_position(rules, seed)
    if game.over:
        return
    position = game.position()
    again = Game.from_position(rules, json.loads(json.dumps(position)))
    assert again.position() == position
    again.state["hidden"]["rng"] = game.state["hidden"]["rng"]  # What a position does not hold: shuffles to come.
    oracle.lay_stock = oracle_of(again).lay_stock
    choose = Chooser(seed + 1)
    while not game.over:
        move = choose(list(oracle.moves()))
        for table in (game, again, oracle):
            table.play(move)
        same(game, oracle)
        same(again, oracle)
        assert again.position() == game.position()


# --- the same seed, the same game ----------------------------------------------------------------------------

DIGEST = """
import hashlib
from rummy_env import Game, Rules

digest = hashlib.sha256()
for players in (2, 3, 4):
    rules = Rules.preset("straight", num_players=players)
    for seed in (0, 1, 2**40):
        game = Game.deal(rules, seed=seed)
        while not game.over:
            actions = game.legal_actions()
            game.step(actions[(7 * len(game.history) + seed) % len(actions)])
            if len(game.history) % 10 == 0:
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


def test_seeds_make_different_deals_and_none_draws_one() -> None:
    rules = Rules.preset("straight")
    hands = {tuple(Game.deal(rules, seed=seed).hand(0)) for seed in [*range(200), None, None]}
    assert len(hands) == 202


@pytest.mark.parametrize("dealer", range(3))
def test_the_dealer_changes_who_starts_and_nothing_about_the_shuffle(dealer: int) -> None:
    rules = Rules.preset("straight", num_players=3)
    game, first = Game.deal(rules, seed=5, dealer=dealer), Game.deal(rules, seed=5, dealer=2)
    assert game.to_play == (dealer + 1) % 3
    assert game.dealer == dealer
    for k in range(3):  # The player after the dealer gets the first card, then the next one.
        assert game.hand((dealer + 1 + k) % 3) == first.hand(k)
    assert game.pile == first.pile


# --- matches -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("void_moves_deal", [True, False])
def test_a_match_adds_scores_to_the_target_while_the_deal_goes_round(players: int, void_moves_deal: bool) -> None:
    rules = Rules.preset("straight", num_players=players, max_turns=60, void_moves_deal=void_moves_deal)
    voids = 0
    for seed in range(4):
        match, choose = Match(rules, seed=seed), Chooser(seed)
        totals = [0] * players
        while True:
            game = match.game
            dealer = game.dealer
            assert game.to_play == (dealer + 1) % players
            assert match.totals == game.totals == tuple(totals)
            assert not match.over
            assert match.winners == ()
            oracle = oracle_of(game)
            with pytest.raises(ValueError, match="got one in progress"):
                match.next_round()
            while not game.over:
                move = choose(list(oracle.moves()))
                game.play(move)
                oracle.play(move)
            assert oracle.outcome is not None
            totals = [total + score for total, score in zip(totals, oracle.outcome.scores, strict=True)]
            assert match.totals == tuple(totals)
            voids += oracle.outcome.void
            if max(totals) >= 100:
                break
            match.next_round()
            stays = oracle.outcome.void and not void_moves_deal
            assert match.game.dealer == (dealer if stays else (dealer + 1) % players)
        assert match.over
        assert match.winners == (totals.index(max(totals)),)
        assert [result.scores for result in match.results] == [game.result.scores for game in match.games]
        with pytest.raises(ValueError, match="got one that is over"):
            match.next_round()
        again = read_all(match.record())
        assert [game.result for game in again] == match.results
    assert voids, "some round of these was void"


def test_the_first_dealer_is_drawn_or_given() -> None:
    rules = Rules.preset("straight", num_players=4)
    drawn = [Match(rules, seed=seed).game.dealer for seed in range(400)]
    assert all(70 <= drawn.count(seat) <= 130 for seat in range(4)), "each of the four about 100 times"
    given_dealer = Rules.preset("straight", num_players=4, first_dealer=2)
    assert {Match(given_dealer, seed=seed).game.dealer for seed in range(20)} == {2}


def test_a_match_nobody_wins_is_cut_off_after_max_rounds() -> None:
    rules = Rules.preset("straight", max_turns=1, max_rounds=3)
    match = Match(rules, seed=1)
    for number in range(3):
        if number:
            match.next_round()
        match.game.play("draw")
        match.game.play(str(match.game.legal_moves()[-1]))
        assert match.game.result is not None
        assert match.game.result.truncated
    assert match.over
    assert match.winners == (0, 1), "nobody scored: they share it"
