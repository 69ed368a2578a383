"""The figures of an evaluation against closed forms, published values and known truth."""

from __future__ import annotations

from math import log10, sqrt

import numpy as np
import pytest

from training.statistics import mean_ratio, mean_share, standing, strengths, sums
from training.tournament import Contest, Tally, common_table, duel, duels, tally_dtype


def test_a_mean_has_its_t_interval() -> None:
    # 2.5 with standard deviation sqrt(5/3); Student's t for 3 degrees of freedom is 3.182446.
    estimate = mean_ratio([1, 2, 3, 4], [1, 1, 1, 1])
    assert estimate is not None
    assert estimate.value == 2.5
    assert estimate.margin == pytest.approx(3.182446 * sqrt(5 / 3) / 2, rel=1e-6)
    assert (estimate.low, estimate.high) == pytest.approx((2.5 - estimate.margin, 2.5 + estimate.margin))


def test_a_ratio_has_the_interval_of_the_linearised_estimator() -> None:
    # R = 6/4, residuals 0.5, -1.5, 1 about a mean denominator of 4/3; Student's t for 2 degrees of freedom: 4.302653.
    estimate = mean_ratio([2, 0, 4], [1, 1, 2])
    assert estimate is not None
    assert estimate.value == 1.5
    assert estimate.margin == pytest.approx(4.302653 * sqrt(3.5 / 2 / 3) / (4 / 3), rel=1e-6)


def test_contests_count_alike_however_many_rounds_they_took() -> None:
    long_and_even, short_and_won = ([0, 0, 0], [50, 60, 70]), ([1, 1, 1], [1, 1, 1])
    y, x = zip(long_and_even, short_and_won, strict=True)
    estimate = mean_ratio(y, x)
    assert estimate is not None
    assert estimate.value == 0.5


def test_contests_on_the_same_deals_are_no_independent_evidence() -> None:
    y = [3.0, -1.0, 2.0, 5.0]
    once, twice = mean_ratio(y, np.ones(4)), mean_ratio([y, y], np.ones((2, 4)))
    assert once == twice


def test_nothing_counted_is_no_figure_and_one_deal_no_interval() -> None:
    assert mean_ratio([0, 0], [0, 0]) is None
    assert mean_share([0, 0], [0, 0]) is None
    with pytest.raises(ValueError, match="two or more deals for an interval, got 1"):
        mean_ratio([1], [1])


@pytest.mark.parametrize(("wins", "interval"), [(0, (0.0, 0.3084971)), (1, (0.6915029, 1.0))])
def test_a_share_that_all_deals_agree_on_is_not_certain(wins: int, interval: tuple[float, float]) -> None:
    # Clopper and Pearson's interval of 0 (or 10) out of 10.
    estimate = mean_share([wins] * 10, [1] * 10)
    assert estimate is not None
    assert estimate.value == wins
    assert (estimate.low, estimate.high) == pytest.approx(interval, abs=1e-7)


def test_an_interval_of_a_share_stays_between_0_and_1() -> None:
    estimate = mean_share([1, 0, 0, 0], [1, 1, 1, 1])
    assert estimate is not None
    assert estimate.value == 0.25
    assert estimate.low == 0.0
    assert estimate.high <= 1.0


@pytest.mark.parametrize("num_deals", [20, 200])
def test_intervals_cover_the_truth_where_rounds_of_a_deal_hang_together(num_deals: int) -> None:
    """Deals with a chance of their own and 1 to 8 rounds each: 95% of the intervals hold the true mean. The interval
    that takes rounds for independent does not: that is why deals are clusters."""
    rng = np.random.default_rng(20_000_000)
    truth, covered, naive_covered, repetitions = 3.0, 0, 0, 2000
    for _ in range(repetitions):
        rounds = rng.integers(1, 9, num_deals)
        luck = rng.normal(0, 2, num_deals)
        points = rounds * (truth + luck) + np.sqrt(rounds) * rng.normal(0, 1, num_deals)
        estimate = mean_ratio(points, rounds)
        assert estimate is not None
        covered += estimate.low <= truth <= estimate.high
        naive = 1.96 * sqrt((2**2 + 1**2) / rounds.sum())
        naive_covered += abs(points.sum() / rounds.sum() - truth) <= naive
    # Three standard errors of the share itself: 0.015.
    assert covered / repetitions == pytest.approx(0.95, abs=0.02)
    assert naive_covered / repetitions < 0.8


# --- sums of a contest ---------------------------------------------------------------------------------------


def tally_of(contest: Contest, num_deals: int) -> Tally:
    """A tally of single rounds, void as long as nothing is written into it."""
    num_seatings, num_players = len(contest.seatings), len(contest.seatings[0])
    tally = np.zeros((num_deals, num_seatings), tally_dtype(num_players))
    tally["rounds"] = 1
    tally["voids"] = 1
    return tally


def win(tally: Tally, deal: int, seating: int, seat: int, score: int, *, rummy: bool = False) -> None:
    tally["voids"][deal, seating] = 0
    tally["scores"][deal, seating, seat] = score
    tally["wins"][deal, seating, seat] = 1
    tally["rummies"][deal, seating, seat] = rummy


def test_points_are_the_own_score_less_the_mean_of_the_others() -> None:
    contest = duel(0, 1, num_players=3)
    tally = tally_of(contest, 2)
    alone = contest.seatings.index((1, 0, 1))
    win(tally, 0, alone, seat=1, score=40, rummy=True)  # agent 0 alone wins: +40, the others -40
    win(tally, 1, alone, seat=2, score=10)  # one of two 1s wins: agent 0 scores 0 against a mean of 5
    own, other = (sums(contest, tally, agent) for agent in (0, 1))
    assert own.points.tolist() == [40 / 6, -5 / 6]  # six seatings, nothing in the others
    assert other.points.tolist() == [-40 / 6, 5 / 6]
    assert own.scores.tolist() == [40 / 6, 0]
    assert other.scores.tolist() == [0, 5 / 6]

    figures = standing([own], match=False)
    assert figures.points.value == pytest.approx(35 / 12)
    assert figures.round_wins.value == pytest.approx(1 / 12)
    assert figures.voids.value == pytest.approx(10 / 12)
    assert figures.rummies is not None
    assert figures.rummies.value == 1.0
    assert figures.match_wins is None
    # A seat of the other agent wins half of a round: there are two of them.
    assert standing([other], match=False).round_wins.value == pytest.approx(0.5 / 12)


def test_an_agent_that_never_wins_has_no_share_of_rummies() -> None:
    contest = duel(0, 1, num_players=2)
    assert standing([sums(contest, tally_of(contest, 2), 0)], match=False).rummies is None


# --- strength ------------------------------------------------------------------------------------------------


def test_the_strength_of_two_agents_is_the_logarithm_of_their_odds() -> None:
    contest = duel(0, 1, num_players=2)
    tally = tally_of(contest, 100)
    for d in range(100):
        for s, seating in enumerate(contest.seatings):
            win(tally, d, s, seat=seating.index(0 if d < 75 else 1), score=10)
    strong, weak = strengths([contest], [tally], 2, match=False)
    # 150 of 200 and one drawn table more: each of the agents half of it.
    assert strong.value - weak.value == pytest.approx(400 * log10(150.5 / 50.5), abs=1e-4)
    assert strong.value == pytest.approx(-weak.value)
    # The binomial error of 100 independent deals, not of 200 tables.
    odds_error = 1 / sqrt(100 * 0.75 * 0.25)
    assert strong.margin == pytest.approx(1.984 * odds_error / 2 * 400 / np.log(10), rel=0.02)


def test_whoever_wins_everything_has_a_finite_strength() -> None:
    contest = duel(0, 1, num_players=2)
    tally = tally_of(contest, 10)
    for d in range(10):
        for s, seating in enumerate(contest.seatings):
            win(tally, d, s, seat=seating.index(0), score=10)
    strong, weak = strengths([contest], [tally], 2, match=False)
    assert strong.value - weak.value == pytest.approx(400 * log10(20.5 / 0.5), abs=1e-3)


def test_rounds_that_nobody_wins_make_nobody_stronger() -> None:
    contest = duel(0, 1, num_players=2)
    for estimate in strengths([contest], [tally_of(contest, 10)], 2, match=False):
        assert estimate.value == pytest.approx(0)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_known_strengths_are_found_again_at_tables_of_any_size(num_players: int) -> None:
    truth = np.array([-250.0, -50.0, 100.0, 200.0])
    rng = np.random.default_rng(20_000_001)
    contests = duels(4, num_players) + ([common_table(4)] if num_players == 4 else [])
    tallies = []
    for contest in contests:
        tally = tally_of(contest, 400)
        for s, seating in enumerate(contest.seatings):
            chances = 10 ** (truth[list(seating)] / 400)
            for d, seat in enumerate(rng.choice(num_players, size=400, p=chances / chances.sum())):
                win(tally, d, s, seat, score=10)
        tallies.append(tally)
    found = strengths(contests, tallies, 4, match=False)
    for estimate, true in zip(found, truth, strict=True):
        # 1.5 intervals: all four at once, at every size.
        assert abs(estimate.value - true) < 1.5 * estimate.margin < 60
    shuffled = [tally[rng.permutation(400)] for tally in tallies]
    assert [e.value for e in strengths(contests, shuffled, 4, match=False)] == pytest.approx([e.value for e in found])


def test_shared_matches_are_halves() -> None:
    contest = duel(0, 1, num_players=2)
    tally = tally_of(contest, 4)
    tally["match_wins"] = 0.5
    assert strengths([contest], [tally], 2, match=True)[0].value == pytest.approx(0)
    figures = standing([sums(contest, tally, 0)], match=True)
    assert figures.match_wins is not None
    assert figures.match_wins.value == 0.5
