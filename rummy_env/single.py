"""One learner at a table, for Gymnasium: the other seats are played inside by opponents.

>>> import gymnasium, rummy_env
>>> env = gymnasium.make("rummy_env/Straight-v0", opponents="hard", learner_seat=0)

`rummy_env.gym_vector.RummyVectorEnv` is the same for many tables.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces

from rummy_env.actions import num_actions
from rummy_env.core.random import check_seed
from rummy_env.episode import Episode, EpisodeOptions, Settled, check_learner_seat, rules_of
from rummy_env.fields import observation_size
from rummy_env.game import Game
from rummy_env.moves import IllegalMove
from rummy_env.opponents import Agent, line_up
from rummy_env.render import RENDER_MODES, check_render_mode, render

MAX_DEALS = 1000
"""How many episodes without a decision of the learner are passed over in search of one in which it has one."""


class RummyEnv(gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    """One table with one learner. Every step is one decision of the learner and all that follows until its next one.

    Observations: (size,) uint8, 0 or 1 (`rummy_env.fields`), as the learner sees the table. Actions: ids
    (`rummy_env.actions`). The reward is the learner's, paid at the end of a round.

    ``info`` has ``action_mask``, (A,) int8; where a round ended since the learner's last decision, its ``result``
    (`rummy_env.Result`); where the episode ended, ``learner_seat`` and the names of the ``opponents``, the next
    player's first. `action_masks` is what sb3-contrib asks for.

    `reset` with a seed plays the deal of ``Match(rules, seed)``; further resets without one go on from there. An
    episode that ends before the learner's first decision is none: another one is dealt.

    Args:
        ruleset: name of a ruleset; ``options`` are its options, see `rummy_env.Rules`.
        num_players: seats.
        opponents: who sits in the other seats: a name, an agent or a function of a view; a list of one for each other
            seat, the next player's first; or a weighted pool ``[(opponent, weight), …]``, of which one is drawn for
            every seat and episode (`rummy_env.opponents`). Agents with a `reset` get a new seed every episode.
        learner_seat: the learner's seat; None: drawn for every episode.
        rewards: "zero_sum" (the learner's score minus the mean of the others'), "score" (its score), both divided by
            ``reward_scale`` (default: the target, or 100), or "win" (1 if it wins, -1/(P-1) if another does).
        match: an episode is a match to the target, else one round. A round of more than ``max_turns`` turns is
            truncated; in a match it is a void round, and the match is truncated after ``max_rounds`` rounds.
        illegal: an illegal action ends the episode with a reward of -1 ("lose"), or is refused with nothing changed
            ("raise"). What is no action at all is always refused.
        render_mode: None, "human" (prints the position of every decision), "ansi" (text) or "rgb_array" (a picture);
            all hands open.

    Raises:
        ValueError: for an argument that does not exist or is out of range, saying what is allowed.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - its class says so

    def __init__(
        self,
        ruleset: str = "straight",
        num_players: int = 2,
        opponents: Any = "normal",
        learner_seat: int | None = None,
        rewards: str = "zero_sum",
        reward_scale: float | None = None,
        match: bool = False,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.rules = rules_of(ruleset, num_players, options, ("opponents", "learner_seat", "render_mode"))
        self.options = EpisodeOptions(rewards=rewards, reward_scale=reward_scale, match=match, illegal=illegal)
        self.render_mode = check_render_mode(render_mode)
        self._fixed_seat = check_learner_seat(learner_seat, self.rules)
        self._pools = line_up(opponents, self.rules)
        self.observation_space = spaces.Box(0, 1, (observation_size(ruleset, self.rules.num_players),), np.uint8)
        self.action_space = spaces.Discrete(num_actions(ruleset))
        self._is_over = True
        """Whether the next call must be `reset`."""
        self._episode: Episode | None = None
        self._mask: npt.NDArray[np.int8]
        self.learner_seat: int
        """Where the learner sits in this episode."""
        self.opponents: dict[int, Agent]
        """Who plays the other seats in this episode, the next player first."""

    @property
    def game(self) -> Game:
        """The round in progress, with everything hidden: for records and analysis, not for agents.

        Raises:
            ValueError: before the first reset.
        """
        return self._begun().game

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the match, one for each seat."""
        return self.game.totals

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """(A,) bool: the learner's legal actions; none once the episode is over.

        Raises:
            ValueError: before the first reset.
        """
        self._begun()
        return self._mask.astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start an episode. ``options`` has nothing that this environment knows.

        Raises:
            ValueError: for a seed that is not a whole number from 0 on, and if under these rules the learner never gets
                to play.
        """
        seed = check_seed(seed)
        super().reset(seed=seed)
        for _ in range(MAX_DEALS):
            self._begin(int(self.np_random.integers(1 << 63)) if seed is None else seed)
            self._reward = 0.0
            settled = self._let_others_play()
            if settled is None or not settled.over:
                break
            seed = None
        else:
            raise ValueError(
                f"expected rules by which the learner gets to play, got {MAX_DEALS} episodes that ended before it did"
            )
        self._is_over = False
        return self._tell(settled)

    def step(self, action: Any) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Play one action for the learner.

        Raises:
            IllegalMove: with illegal="raise", naming the seat, the action and why, with nothing changed; and whatever
                the options say, where an opponent chooses an illegal action.
            ValueError: for what is no action at all, and where the episode is over.
        """
        if self._is_over:
            raise ValueError("expected a reset before this step, got none since the last episode's end")
        settled = self._pay(self._begun().play_or_lose(action))
        if settled is None or not settled.over:
            settled = self._let_others_play() or settled
        self._is_over = settled is not None and settled.over
        reward, self._reward = self._reward, 0.0
        observation, info = self._tell(settled)
        terminated, truncated = (settled.terminated, settled.truncated) if settled is not None else (False, False)
        return observation, reward, terminated, truncated, info

    def render(self) -> Any:
        """The position in ``render_mode``; None, after printing it, for "human"."""
        if self.render_mode is None:
            logger.warn("expected a render_mode of human, ansi or rgb_array to render, got none")
            return None
        return render(self.game, self.render_mode)

    # --- inside ----------------------------------------------------------------------------------------------

    def _begun(self) -> Episode:
        if self._episode is None:
            raise ValueError("expected a reset before anything else, got none since the environment was made")
        return self._episode

    def _begin(self, seed: int) -> None:
        """Deal, and draw who sits where."""
        self._episode = Episode(self.rules, self.options, seed)
        seats = self.rules.num_players
        self.learner_seat = int(self.np_random.integers(seats)) if self._fixed_seat is None else self._fixed_seat
        self.opponents = {
            (self.learner_seat + place) % seats: pool.draw(self.np_random) for place, pool in enumerate(self._pools, 1)
        }
        for agent in self.opponents.values():
            if hasattr(agent, "reset"):
                agent.reset(int(self.np_random.integers(1 << 63)))

    def _let_others_play(self) -> Settled | None:
        """Play until the learner is to play or the episode is over; the last round that ended on the way."""
        last = None
        while (seat := self.game.to_play) != self.learner_seat:
            agent = self.opponents[seat]
            action = agent.act(self.game.view(seat))
            try:
                settled = self._pay(self._begun().play(action))
            except ValueError as error:
                raise IllegalMove(f"opponent {agent.name}: {error}") from None
            if settled is not None:
                last = settled
                if settled.over:
                    break
        return last

    def _pay(self, settled: Settled | None) -> Settled | None:
        """Note what the learner gets for a round, if one has ended."""
        if settled is not None:
            self._reward += settled.rewards[self.learner_seat]
        return settled

    def _tell(self, settled: Settled | None) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Observation and info of the learner. ``settled``: the last round that ended since its last decision."""
        observation, self._mask = self.game.view(self.learner_seat).rows()
        info: dict[str, Any] = {"action_mask": self._mask.copy()}
        if settled is not None:
            info["result"] = settled.result
            if settled.over:
                info["learner_seat"] = self.learner_seat
                info["opponents"] = tuple(agent.name for agent in self.opponents.values())
        if self.render_mode == "human":
            self.render()
        return observation, info
