"""Duplicate deals: who sits where, the same cards in every seating, tallies that are what single games would give."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

import agents
from rummy_env import Game, Match, Rules, View
from rummy_env.core.batch import deal_table
from rummy_env.core.random import streams
from rummy_env.core.state import new_states
from rummy_env.opponents import Agent
from training.tournament import Block, Contest, Stopped, Tally, blocks, common_table, duel, duels, play_contests

SEED = 20_000_000


class FirstLegal:
    """Plays the legal action with the lowest id, drawing where it can: a player without chance, in plain Python."""

    name = "first"

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, tuple[str, ...]]] = []
        """(round, seat, hand) before every decision."""

    def act(self, view: View) -> int:
        self.seen.append((int(view.record["round"][0]), view.seat, tuple(view.hand)))
        return int(view.action_mask.argmax())


class LastLegal:
    """Plays the legal action with the highest id."""

    name = "last"

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.action_mask)[-1])


class FirstLegalBatch(FirstLegal):
    """The same choices as `FirstLegal`, at many tables at once."""

    def act_batch(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        assert observation.dtype == np.uint8
        assert mask.dtype == np.int8
        assert len(observation) == len(mask)
        return mask.argmax(axis=1)


class ThroughPython:
    """A compiled bot that does not say so."""

    def __init__(self, bot: Agent) -> None:
        self.name = bot.name
        self.act = bot.act


def play(
    rules: Rules, players: Sequence[Agent], contest: Contest, seeds: Sequence[int], *, match: bool = False
) -> Tally:
    return Block(rules, players, contest, seeds, match).play(lambda count: None, threading.Event())


def same(tally: Tally, other: Tally) -> bool:
    return all(np.array_equal(tally[name], other[name]) for name in tally.dtype.names or ())


def seeds(count: int) -> range:
    return range(SEED, SEED + count)


# --- who sits where ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "seatings"),
    [
        (2, [(0, 1), (1, 0)]),
        (3, [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    ],
)
def test_a_duel_seats_each_agent_alone_in_every_seat(num_players: int, seatings: list[tuple[int, ...]]) -> None:
    assert list(duel(0, 1, num_players).seatings) == seatings


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_in_a_duel_no_seat_and_no_agent_is_favoured(num_players: int) -> None:
    contest = duel(5, 2, num_players)
    assert len(set(contest.seatings)) == len(contest.seatings)
    for seat in range(num_players):
        sitting = Counter(seating[seat] for seating in contest.seatings)
        assert sitting[5] == sitting[2]


@pytest.mark.parametrize("num_players", [3, 4])
def test_at_a_common_table_everyone_follows_everyone_equally_often(num_players: int) -> None:
    contest = common_table(num_players)
    seats = Counter((agent, seat) for seating in contest.seatings for seat, agent in enumerate(seating))
    followed = Counter(pair for s in contest.seatings for pair in zip(s, s[1:] + s[:1], strict=True))
    assert len(set(seats.values())) == 1
    assert len(followed) == num_players * (num_players - 1)
    assert len(set(followed.values())) == 1


def test_at_a_table_too_large_for_all_orders_everyone_still_has_every_seat() -> None:
    contest = common_table(6)
    assert len(contest.seatings) == 6
    for seat in range(6):
        assert {seating[seat] for seating in contest.seatings} == set(range(6))


def test_every_pair_meets_once() -> None:
    assert [contest.agents for contest in duels(4, 2)] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize("num_deals", [1, 2, 15, 100, 1000, 5000])
def test_blocks_hold_every_deal_once(num_deals: int) -> None:
    assert [deal for block in blocks(num_deals) for deal in block] == list(range(num_deals))


# --- the same cards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_agents_change_seats_and_the_cards_stay(num_players: int) -> None:
    rules = Rules.preset("straight", num_players=num_players)
    contest = duel(0, 1, num_players)
    dealt = []
    for seating in contest.seatings:
        players = FirstLegal(), FirstLegal()
        play(rules, players, Contest((0, 1), (seating,)), [SEED])
        first = {seat: hand for player in players for _, seat, hand in reversed(player.seen)}
        for number, player in enumerate(players):
            assert {seat for _, seat, _ in player.seen} == {s for s, agent in enumerate(seating) if agent == number}
        dealt.append(first)
    assert all(hands == dealt[0] for hands in dealt)


def test_the_first_round_of_a_deal_is_that_of_the_match_of_its_seed() -> None:
    rules = Rules.preset("straight")
    for seed in seeds(5):
        player = FirstLegal()
        play(rules, [player, player], duel(0, 1, 2), [seed])
        game = Match(rules, seed=seed).game
        _, seat, hand = player.seen[0]
        assert (seat, list(hand)) == (game.to_play, game.hand(game.to_play))


def test_every_round_of_a_match_is_dealt_alike_whatever_happened_before() -> None:
    rules = Rules.preset("straight")
    dealt: list[dict[tuple[int, int], tuple[str, ...]]] = []
    for opponent in (FirstLegal(), LastLegal()):
        watcher = FirstLegal()
        play(rules, [watcher, opponent], Contest((0, 1), ((0, 1),)), [SEED], match=True)
        dealt.append({(number, seat): hand for number, seat, hand in reversed(watcher.seen)})
    common = dealt[0].keys() & dealt[1].keys()
    assert len(common) >= 3
    assert len({dealt[0][key] for key in common}) == len(common)
    for key in common:
        assert dealt[0][key] == dealt[1][key]


# --- the tally -----------------------------------------------------------------------------------------------


def game_of(rules: Rules, seed: int, number: int, dealer: int) -> Game:
    """Round ``number`` of a deal, dealt on its own."""
    states = new_states("straight", 1)
    deal_table(rules.record, states, streams(seed, 2, first=2 * number)[0], dealer)
    return Game(rules, states)


def finish(game: Game, players: Sequence[Agent], seating: Sequence[int]) -> int:
    """Play to the end; returns the turns that were begun."""
    turns, last = 0, None
    while not game.over:
        if (game.turn, game.to_play) != last:
            turns, last = turns + 1, (game.turn, game.to_play)
        game.step(players[seating[game.to_play]].act(game.view(game.to_play)))
    return turns


@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("num_players", [2, 3])
def test_a_tally_is_what_games_played_one_by_one_would_give(num_players: int, match: bool) -> None:
    rules = Rules.preset("straight", num_players=num_players, max_turns=40, max_rounds=12)
    players = [LastLegal(), agents.load("normal", rules)]
    contest = duel(0, 1, num_players)
    tally = play(rules, players, contest, seeds(3), match=match)
    for d, seed in enumerate(seeds(3)):
        for s, seating in enumerate(contest.seatings):
            scores, wins, rummies = np.zeros(num_players), np.zeros(num_players), np.zeros(num_players)
            rounds = turns = voids = 0
            dealer = Match(rules, seed=seed).game.dealer
            game = Match(rules, seed=seed).game
            while True:
                turns += finish(game, players, seating)
                rounds += 1
                result = game.result
                assert result is not None
                scores += result.scores
                if result.winner is None:
                    voids += 1
                else:
                    wins[result.winner] += 1
                    rummies[result.winner] += result.doubled
                if not match or scores.max() >= rules.target or rounds == rules.max_rounds:
                    break
                dealer = (dealer + 1) % num_players
                game = game_of(rules, seed, rounds, dealer)
            counted = tally[d, s]
            assert (counted["rounds"], counted["turns"], counted["voids"]) == (rounds, turns, voids)
            assert counted["scores"].tolist() == scores.tolist()
            assert counted["wins"].tolist() == wins.tolist()
            assert counted["rummies"].tolist() == rummies.tolist()
            best = scores == scores.max()
            assert counted["match_wins"].tolist() == (best / best.sum() if match else 0 * best).tolist()
    assert tally["wins"].sum() > 0
    assert tally["voids"].sum() > 0


@pytest.mark.parametrize("match", [False, True])
def test_compiled_agents_and_agents_in_python_play_the_same(match: bool) -> None:
    rules = Rules.preset("straight")
    normal = agents.load("normal", rules)
    compiled = play(rules, [normal, LastLegal()], duel(0, 1, 2), seeds(4), match=match)
    in_python = play(rules, [ThroughPython(normal), LastLegal()], duel(0, 1, 2), seeds(4), match=match)
    assert same(compiled, in_python)


def test_an_agent_asked_for_many_tables_at_once_plays_as_one_asked_for_each() -> None:
    rules = Rules.preset("straight", num_players=3)
    hard = agents.load("hard", rules)
    one_by_one = play(rules, [FirstLegal(), hard], duel(0, 1, 3), seeds(4))
    at_once = play(rules, [FirstLegalBatch(), hard], duel(0, 1, 3), seeds(4))
    assert same(one_by_one, at_once)


# --- many blocks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_crews", [1, 2, 3])
def test_tallies_come_in_the_order_of_the_deals(num_crews: int) -> None:
    rules = Rules.preset("straight")
    contests = duels(3, 2)
    crews = [[agents.load(name, rules) for name in ("random", "normal", "hard")] for _ in range(num_crews)]
    closed: list[int] = []
    tallies = play_contests(rules, crews, contests, SEED, 40, False, closed.append)
    assert sum(closed) == 3 * 2 * 40
    for contest, tally in zip(contests, tallies, strict=True):
        alone = [play(rules, crews[0], contest, [SEED + d]) for d in range(0, 40, 13)]
        assert same(np.concatenate(alone), tally[::13])


class Outlaw(LastLegal):
    """Chooses what is not legal, by itself or in a batch."""

    name = "outlaw"

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, view: View) -> int:
        return self.action


class OutlawBatch(Outlaw):
    def act_batch(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.full(len(mask), self.action)


class Mumbler(LastLegal):
    name = "mumbler"

    def act_batch(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return mask.astype(np.float32)


@pytest.mark.parametrize("kind", [Outlaw, OutlawBatch])
@pytest.mark.parametrize(
    ("action", "got"), [(2, "meld A"), (-1, "action -1"), (306, "action 306"), (254, "discard As")]
)
def test_an_illegal_action_stops_the_tournament_and_names_who_and_where(
    kind: type[Outlaw], action: int, got: str
) -> None:
    rules = Rules.preset("straight")
    with pytest.raises(ValueError, match=f"outlaw: expected legal actions, got {got}.* in the deal of seed {SEED}"):
        play_contests(rules, [[kind(action), LastLegal()]], duels(2, 2), SEED, 4, False, lambda count: None)


def test_a_batch_of_answers_has_to_be_one_number_for_each_table() -> None:
    rules = Rules.preset("straight")
    with pytest.raises(ValueError, match="mumbler: expected act_batch to return 4 whole numbers"):
        play(rules, [Mumbler(), Mumbler()], Contest((0, 1), ((0, 1),)), seeds(8))


def test_a_tournament_that_is_called_off_stops() -> None:
    rules = Rules.preset("straight")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        Block(rules, [FirstLegal(), FirstLegal()], duel(0, 1, 2), seeds(2), False).play(lambda count: None, stop)
