"""Turn-based environments for PettingZoo (AEC): every seat is an agent, ``player_0`` to ``player_{P-1}``.

What a ruleset adds is a name: see `rummy_env.straight_v0`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from rummy_env.actions import num_actions
from rummy_env.episode import Episode, EpisodeOptions, Settled, rules_of
from rummy_env.fields import observation_size
from rummy_env.game import Game
from rummy_env.render import RENDER_MODES, check_render_mode, render


class TableEnv(AECEnv[str, dict[str, npt.NDArray[Any]], int]):  # type: ignore[misc]
    """One table. A subclass names the ``ruleset`` and itself, in ``metadata["name"]``.

    An observation is ``{"observation": (size,) uint8, 0 or 1, "action_mask": (A,) int8}`` (`rummy_env.spaces`), right
    for whichever agent is observed: a seat that waits sees its own hand, and a mask of zeros. ``infos[agent]`` has the
    ``action_mask`` too and, from the end of a round until that agent's next step, its ``result``
    (`rummy_env.view.Result`). Rewards come at the end of a round.

    `reset` with a seed deals what ``Match(rules, seed)`` deals; further resets without one go on from there. Copies
    and pickles go on as the original does.

    Args:
        num_players: seats.
        rewards: "zero_sum" (a seat's score minus the mean of the others'), "score" (its score), both divided by
            ``reward_scale`` (default: the target, or 100), or "win" (1 for the winner, -1/(P-1) for each other seat).
        match: an episode is a match to the target, else one round. A round of more than ``max_turns`` turns is
            truncated; in a match it is a void round, and the match is truncated after ``max_rounds`` rounds.
        illegal: "raise" refuses an illegal action, with nothing changed; "lose" ends the episode, with a reward of
            -1 for the seat that played it and 1/(P-1) for each other. What is no action at all is always refused.
        render_mode: None, "human" (prints every position), "ansi" (text) or "rgb_array" (a picture); all hands open.
        options: of the ruleset, see `rummy_env.Rules`.

    Raises:
        ValueError: for an argument that does not exist or is out of range, saying what is allowed.
    """

    ruleset: ClassVar[str]
    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        num_players: int = 2,
        *,
        rewards: str = "zero_sum",
        reward_scale: float | None = None,
        match: bool = False,
        illegal: str = "raise",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.rules = rules_of(self.ruleset, num_players, options, ("render_mode",))
        self.render_mode = check_render_mode(render_mode)
        self.options = EpisodeOptions(rewards=rewards, reward_scale=reward_scale, match=match, illegal=illegal)
        self._rng = np.random.default_rng()
        self._episode: Episode
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size, count = observation_size(self.ruleset, self.rules.num_players), num_actions(self.ruleset)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.uint8),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}

    @property
    def game(self) -> Game:
        """The round in progress, with everything hidden: for records and analysis, not for agents."""
        return self._episode.game

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the match, one for each seat."""
        return self.game.totals

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode. ``options`` has nothing that this environment knows.

        Raises:
            ValueError: for a seed that is not a whole number from 0 on.
        """
        if seed is None:
            self._episode = Episode(self.rules, self.options, int(self._rng.integers(1 << 63)))
        else:
            self._episode = Episode(self.rules, self.options, seed)
            self._rng = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._ended: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._settled = False
        self._skip_agent_selection = None
        self._refresh()
        self.infos = {agent: self._info(agent) for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play an action for ``agent_selection``; None for an agent whose episode is over.

        Raises:
            IllegalMove: with illegal="raise", naming the seat, the action and why; nothing has changed.
            ValueError: for what is no action at all.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        settled = self._episode.play_or_lose(action)
        self._cumulative_rewards[agent] = 0.0
        self._ended[agent] = {}
        if self._settled:
            self._clear_rewards()
            self._settled = False
        self._refresh()
        if settled is None:
            self.infos[agent] = self._info(agent)
            if agent != self.agent_selection:
                self.infos[self.agent_selection] = self._info(self.agent_selection)
        else:
            self._settle(settled)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What ``agent`` may know; see the class. New arrays every time."""
        observation, mask = self._rows(self._seats[agent])
        return {"observation": observation.copy(), "action_mask": mask.copy()}

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The position in ``render_mode``; None, after printing it, for "human"."""
        if self.render_mode is None:
            logger.warn("expected a render_mode of human, ansi or rgb_array to render, got none")
            return None
        return render(self.game, self.render_mode)

    def close(self) -> None:
        """Nothing to close."""

    # --- inside ----------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Follow the table after it changed."""
        self.agent_selection = self.possible_agents[self.game.to_play]
        self._written: dict[int, tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]] = {}

    def _rows(self, seat: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
        """Observation and mask of a seat, written once for each position."""
        rows = self._written.get(seat)
        if rows is None:
            rows = self._written[seat] = self.game.view(seat).rows()
        return rows

    def _info(self, agent: str) -> dict[str, Any]:
        waits = agent != self.agent_selection
        mask = np.zeros(self.action_spaces[agent].n, np.int8) if waits else self._rows(self._seats[agent])[1].copy()
        return {"action_mask": mask, **self._ended[agent]}

    def _settle(self, settled: Settled) -> None:
        self._settled = True
        self.rewards = dict(zip(self.possible_agents, settled.rewards, strict=True))
        self._accumulate_rewards()
        self._ended = {agent: {"result": settled.result} for agent in self.agents}
        self.infos = {agent: self._info(agent) for agent in self.agents}
        if settled.over:
            self.terminations = dict.fromkeys(self.agents, settled.terminated)
            self.truncations = dict.fromkeys(self.agents, settled.truncated)
            self._deads_step_first()


class Ordered(OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper that refuses calls in a wrong order, with a short way for the call made most often."""

    def last(self, observe: bool = True) -> Any:
        """As in PettingZoo, asked of the environment itself."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        return str(self.env)
