"""From counted tables to figures with their uncertainty: what an evaluation knows and how surely it knows it.

The unit of chance is the deal: all tables of a deal share its cards, so they are one observation. Every figure is a
ratio of two sums over deals (points by rounds, wins by rounds, turns by rounds), and its interval is that of the
linearised ratio estimator over deals (W. G. Cochran, Sampling Techniques, 1977, section 6), with Student's t.

D deals, S seatings, P seats, n agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import stdtrit

from training.tournament import Contest, Tally

CONFIDENCE: Final = 0.95
"""Of all intervals."""

ELO_PER_NAT: Final = 400 / log(10)
"""What odds of e are on the scale of Elo, where 400 means odds of 10."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """How far the interval reaches from the value."""
        return max(self.high - self.value, self.value - self.low)

    @property
    def side(self) -> int:
        """1 where the whole interval lies above zero, -1 where below, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def _estimate(value: float, variance: float, num_deals: int) -> Estimate:
    """``variance``: of the value itself, estimated from so many deals."""
    reach = _t(num_deals) * sqrt(variance)
    return Estimate(value, value - reach, value + reach)


def _t(num_deals: int) -> float:
    return float(stdtrit(num_deals - 1, (1 + CONFIDENCE) / 2))


def mean_ratio(numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Estimate | None:
    """Sum of numerators by sum of denominators, the mean of this over C contests, clustered by deal.

    Both are (C, D), or (D,) for one contest: sums of each deal. With one contest and equal denominators this is the
    mean over deals with its usual t interval. A contest in which nothing was counted is left out; None if that is so
    in all.

    Raises:
        ValueError: for fewer than two deals, which leave no interval.
    """
    y, x = np.atleast_2d(np.asarray(numerators, np.float64)), np.atleast_2d(np.asarray(denominators, np.float64))
    num_deals = y.shape[1]
    if num_deals < 2:
        raise ValueError(f"expected two or more deals for an interval, got {num_deals}")
    counted = x.sum(axis=1) > 0
    if not counted.any():
        return None
    y, x = y[counted], x[counted]
    values = y.sum(axis=1, keepdims=True) / x.sum(axis=1, keepdims=True)
    residuals = ((y - values * x) / x.mean(axis=1, keepdims=True)).mean(axis=0)
    return _estimate(float(values.mean()), float((residuals**2).sum()) / (num_deals - 1) / num_deals, num_deals)


def mean_share(numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Estimate | None:
    """`mean_ratio` of what cannot leave 0 to 1, and neither can its interval.

    Where a share is exactly 0 or 1 no variance was seen; the interval then reaches as far as that of so many
    independent deals which all went one way (Clopper and Pearson).

    Raises:
        ValueError: for fewer than two deals, which leave no interval.
    """
    estimate = mean_ratio(numerators, denominators)
    if estimate is None:
        return None
    y, x = np.atleast_2d(numerators), np.atleast_2d(denominators)
    totals, counted = y.sum(axis=1), x.sum(axis=1)
    one_way = int(((counted > 0) & ((totals == 0) | (totals == counted))).sum())
    num_deals = x.shape[1]
    unseen = (1 - ((1 - CONFIDENCE) / 2) ** (1 / num_deals)) / int((counted > 0).sum())
    reach = sqrt((estimate.high - estimate.value) ** 2 + one_way * unseen**2)
    return Estimate(estimate.value, max(estimate.value - reach, 0.0), min(estimate.value + reach, 1.0))


# --- sums of a contest ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sums:
    """What an agent's seats did in each deal of a contest: (D,) each, a mean over the seatings."""

    tables: Floats
    rounds: Floats
    turns: Floats
    voids: Floats
    points: Floats
    """Mean score of its own seats less the mean score of the other seats, over all rounds."""
    scores: Floats
    """Mean score of its own seats."""
    shares: Floats
    """Rounds won by a seat of its own, their mean."""
    match_shares: Floats
    wins: Floats
    """Rounds won by any seat of its own."""
    rummies: Floats


def sums(contest: Contest, tally: Tally, agent: int) -> Sums:
    """The sums of one agent in one contest it was in. ``tally``: (D, S)."""
    num_deals, num_seatings = tally.shape
    own = np.array(contest.seatings) == agent
    num_own = own.sum(axis=1, keepdims=True)
    num_others = (~own).sum(axis=1, keepdims=True)

    def per_seating(name: str) -> Floats:
        return tally[name].sum(axis=1) / num_seatings

    def of_seats(name: str, seats: npt.NDArray[Any]) -> Floats:
        return np.einsum("dsp,sp->d", tally[name], seats) / num_seatings

    # Summed in whole numbers and divided last: an agent against itself scores zero exactly. In every seating a seat
    # is alone with its agent or all seats but one share it, so the divisor is one and the same.
    against = own * num_others - ~own * num_own
    (divisor,) = np.unique(num_own * num_others)
    return Sums(
        tables=np.ones(num_deals),
        rounds=per_seating("rounds"),
        turns=per_seating("turns"),
        voids=per_seating("voids"),
        points=of_seats("scores", against) / divisor,
        scores=of_seats("scores", own / num_own),
        shares=of_seats("wins", own / num_own),
        match_shares=of_seats("match_wins", own / num_own),
        wins=of_seats("wins", own),
        rummies=of_seats("rummies", own),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """How an agent did in some contests, every contest counting alike."""

    points: Estimate
    """A round: mean score of its seats less the mean score of the other seats."""
    score: Estimate
    """A round: what a seat of its own adds to its total."""
    round_wins: Estimate
    """Share of the rounds that a seat of its own wins; 1/P is even."""
    match_wins: Estimate | None
    """The same of matches; None where single rounds were played."""
    rummies: Estimate | None
    """Share of rummies (doubled) among the rounds it won; None where it won none."""
    voids: Estimate
    """Share of the rounds that nobody won."""
    turns: Estimate
    """Turns of a round, of all seats together."""


def standing(parts: Sequence[Sums], match: bool) -> Standing:
    """The figures of an agent from its sums in some contests."""

    def of(name: str) -> Floats:
        return np.stack([getattr(part, name) for part in parts])

    rounds = of("rounds")
    return Standing(
        points=_known(mean_ratio(of("points"), rounds)),
        score=_known(mean_ratio(of("scores"), rounds)),
        round_wins=_known(mean_share(of("shares"), rounds)),
        match_wins=mean_share(of("match_shares"), of("tables")) if match else None,
        # Of all rounds it won: there may be few in a contest.
        rummies=mean_share(of("rummies").sum(axis=0), of("wins").sum(axis=0)),
        voids=_known(mean_share(of("voids"), rounds)),
        turns=_known(mean_ratio(of("turns"), rounds)),
    )


def _known(estimate: Estimate | None) -> Estimate:
    """An estimate that there always is: rounds have been played."""
    assert estimate is not None
    return estimate


# --- strength ------------------------------------------------------------------------------------------------


def strengths(contests: Sequence[Contest], tallies: Sequence[Tally], num_agents: int, match: bool) -> list[Estimate]:
    """The strength of every agent on the scale of Elo, mean 0, from who won the matches (or the rounds).

    Bradley and Terry's model for tables of any size (with Plackett and Luce's first place): a seat wins with a chance
    in proportion to 10^(strength/400) among the seats of its table. These are the most likely strengths, whatever the
    order of the games; a running rating (Elo, openskill) of the same 12,000 games, reordered, differs by 20 to 40.

    A round that nobody wins counts for all seats alike. One drawn table more in every line-up keeps the strength of an
    agent finite that wins or loses everything. The intervals are clustered by deal (the sandwich estimator).
    """
    line_ups, wins = _line_ups(contests, tallies, num_agents, match)
    drawn = line_ups / line_ups.sum(axis=1, keepdims=True)
    won = wins.sum(axis=0) + drawn
    played = won.sum(axis=1)
    num_tables = won.sum()

    def chances(strength: Floats) -> Floats:
        """(C, n): that a seat of each agent wins, for every line-up."""
        weights = line_ups * np.exp(strength - strength.max())
        return weights / weights.sum(axis=1, keepdims=True)

    def unlikelihood(strength: Floats) -> tuple[float, Floats]:
        p = chances(strength)
        logs = np.log(p, where=line_ups > 0, out=np.zeros_like(p))
        return -float((won * logs).sum()) / num_tables, (played @ p - won.sum(axis=0)) / num_tables

    found = minimize(unlikelihood, np.zeros(num_agents), jac=True, method="BFGS", options={"gtol": 1e-9})
    strength = found.x - found.x.mean()
    p = chances(strength)
    curvature = np.diag(played @ p) - np.einsum("c,ci,cj->ij", played, p, p)
    # The drawn tables are observations as well: where little else speaks against an agent, the interval is wide.
    scores = np.vstack([(wins - wins.sum(axis=2, keepdims=True) * p).sum(axis=1), drawn - p])
    num_deals = len(wins)
    # Only differences mean something. Nothing is known of the mean, and the 1 s keep it at 0.
    spread = np.linalg.inv(curvature + 1.0)
    variances = ((scores @ spread) ** 2).sum(axis=0) * num_deals / (num_deals - 1)
    return [
        _estimate(float(value) * ELO_PER_NAT, float(variance) * ELO_PER_NAT**2, num_deals)
        for value, variance in zip(strength, variances, strict=True)
    ]


def _line_ups(
    contests: Sequence[Contest], tallies: Sequence[Tally], num_agents: int, match: bool
) -> tuple[Floats, Floats]:
    """The C different line-ups and who won there: (C, n) seats of every agent, (D, C, n) wins of every agent."""
    seats: dict[tuple[int, ...], Floats] = {}
    wins: dict[tuple[int, ...], Floats] = {}
    for contest, tally in zip(contests, tallies, strict=True):
        for s, seating in enumerate(contest.seatings):
            agents = np.eye(num_agents)[list(seating)]
            if match:
                won = tally["match_wins"][:, s]
            else:
                won = tally["wins"][:, s] + tally["voids"][:, s, None] / len(seating)
            line_up = tuple(sorted(seating))
            seats[line_up] = agents.sum(axis=0)
            wins[line_up] = wins.get(line_up, 0.0) + won @ agents
    return np.array(list(seats.values())), np.stack(list(wins.values()), axis=1)
