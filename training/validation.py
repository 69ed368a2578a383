"""How good a policy is while it learns: duplicate deals against rule bots, on deals that nothing is trained on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rummy_env.opponents import load
from rummy_env.rules import Rules
from rummy_env.view import View
from training.config import Validation
from training.network import CardPolicy, best_action
from training.statistics import standing, sums
from training.tournament import duel, play_contests


class Greedy:
    """A policy as an agent that plays what it thinks best."""

    name = "policy"

    def __init__(self, policy: CardPolicy) -> None:
        self._policy = policy

    def act(self, view: View) -> int:
        observation, mask = view.rows()
        return int(self.act_batch(observation[None], mask[None])[0])

    def act_batch(self, observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return best_action(self._policy, observation, mask)


class Score(NamedTuple):
    """Points a round against an opponent (mean of its seats less mean of the others), with its 95% interval's reach,
    and the share of rounds won."""

    points: float
    margin: float
    wins: float


class Validator:
    """Plays the same deals with every policy."""

    def __init__(self, settings: Validation, rules: Rules) -> None:
        self.settings = settings
        self.rules = rules
        self._opponents = [load(name, rules, settings.seed) for name in settings.opponents]

    def validate(self, policy: CardPolicy) -> dict[str, Score]:
        """How the policy does against every opponent."""
        policy.set_training_mode(False)
        contests = [duel(0, number, self.rules.num_players) for number in range(1, len(self._opponents) + 1)]
        crew = [Greedy(policy), *self._opponents]
        tallies = play_contests(
            self.rules, [crew], contests, self.settings.seed, self.settings.deals, match=False, on_closed=_ignore
        )
        found = {}
        for name, contest, tally in zip(self.settings.opponents, contests, tallies, strict=True):
            figures = standing([sums(contest, tally, 0)], match=False)
            found[name] = Score(figures.points.value, figures.points.margin, figures.round_wins.value)
        return found


def mean_points(scores: dict[str, Score]) -> float:
    """What the best policy has most of: points a round, every opponent counting alike."""
    return sum(score.points for score in scores.values()) / len(scores)


def _ignore(count: int) -> None:
    pass
