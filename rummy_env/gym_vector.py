"""Many tables as one Gymnasium vector environment: one seat at each learns, agents play the others inside.

>>> import gymnasium, rummy_env
>>> envs = gymnasium.make_vec("rummy_env/Straight-v0", num_envs=256, opponents="normal")
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape, envs.unwrapped.action_masks().shape
((256, 883), (256, 306))

Every step is one decision of the learner at every table. Opponents with a compiled function play inside the kernel;
those in Python are asked for many tables at once if they have ``act_batch``, else table by table.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rummy_env import opponents as agents
from rummy_env.actions import num_actions
from rummy_env.core import batch as kernels
from rummy_env.core import kernel
from rummy_env.core import learner_batch as core
from rummy_env.core.bits import new_rows
from rummy_env.core.bot import bot_table
from rummy_env.core.random import check_seed, streams
from rummy_env.core.state import NOBODY, new_states
from rummy_env.episode import EpisodeOptions, check_learner_seat, rules_of
from rummy_env.fields import observation_size
from rummy_env.game import Game
from rummy_env.moves import IllegalMove
from rummy_env.opponents import Agent, Pool
from rummy_env.parts import Parts
from rummy_env.vector import check_actions, illegal_action, observe, table_as_game
from rummy_env.view import View

_AUTORESET: Final = {
    AutoresetMode.NEXT_STEP: core.NEXT_STEP,
    AutoresetMode.SAME_STEP: core.SAME_STEP,
    AutoresetMode.DISABLED: core.DISABLED,
}
FEWEST_TABLES: Final = 256
"""Tables for which waking another thread is worth its while: a step of them takes 100 microseconds and more."""
_AGENTS_SEEDS: Final = 1 << 62
"""First of a seed's streams that seed agents in Python: far behind those of tables."""


class RummyVectorEnv(VectorEnv[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N tables with one learner at each. The same seed plays the same games whatever N and the number of threads,
    as long as the agents in Python do not depend on them.

    Observations: (N, size) uint8, 0 or 1 (`rummy_env.fields`), as the learner sees the table. Actions: (N,) ids
    (`rummy_env.actions`). Rewards: (N,) float32, the learner's.

    ``infos``: ``action_mask``, (N, A) int8; where a round ended since the learner's last decision, its ``result``
    (`rummy_env.Result`); where the episode ended, ``learner_seat`` and the names of the ``opponents``, the next
    player's first. In same-step autoreset ``final_info`` has these of the episodes that ended.

    An episode that ends before the learner's first decision is none: the table is dealt anew.

    Args:
        ruleset: name of a ruleset; ``options`` are its options (`Rules.preset`).
        num_envs: N, from 1 on.
        num_players: P, seats at a table.
        opponents: who sits in the other seats: a name, an agent or a function of a view; a list of one for each other
            seat, the next player's first; or a weighted pool ``[(opponent, weight), …]``, of which one is drawn for
            every seat and episode (`rummy_env.opponents`).
        learner_seat: the learner's seat; None: drawn for every episode.
        rewards, reward_scale, match: see `rummy_env.vector.Batch`.
        illegal: an illegal action of the learner ends the episode with a reward of -1 ("lose"), or is refused, with
            nothing changed at any table ("raise").
        autoreset_mode: one of Gymnasium's. In next-step autoreset a table whose episode is over accepts any action,
            so its mask is all 1.
        num_threads: threads that share the tables, at most one for 256 of them; they change no game.
        copy: steps return new arrays; False: observations and masks are rewritten in place.

    Raises:
        ValueError: for an argument that does not exist or is out of range, saying what is allowed.
    """

    def __init__(
        self,
        ruleset: str,
        num_envs: int = 1,
        num_players: int = 2,
        opponents: Any = "normal",
        learner_seat: int | None = None,
        rewards: str = "zero_sum",
        reward_scale: float | None = None,
        match: bool = False,
        illegal: str = "lose",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = True,
        **options: Any,
    ) -> None:
        own = ("num_envs", "opponents", "learner_seat", "autoreset_mode", "num_threads", "copy")
        self.rules = rules_of(ruleset, num_players, options, own)
        self.options = EpisodeOptions(rewards=rewards, reward_scale=reward_scale, match=match, illegal=illegal)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self._parts = Parts(num_envs, num_threads, FEWEST_TABLES)
        num_envs, num_players = int(num_envs), self.rules.num_players
        self.num_envs = num_envs
        self.copy = copy
        size, count = observation_size(ruleset, num_players), num_actions(ruleset)
        self.single_observation_space = spaces.Box(0, 1, (size,), np.uint8)
        self.single_action_space = spaces.Discrete(count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        learner_seat = check_learner_seat(learner_seat, self.rules)
        self._options = np.zeros(1, core.LEARNER_OPTIONS_DTYPE)
        self._options["step"] = self.options.record(self.rules)
        self._options["learner_seat"] = NOBODY if learner_seat is None else learner_seat
        self._options["autoreset"] = _AUTORESET[self.autoreset_mode]

        self._states = new_states(ruleset, num_envs)
        self._episodes = np.zeros(num_envs, core.EPISODE_DTYPE)
        self._episodes["agents"] = NOBODY
        self._last_states = new_states(ruleset, num_envs)
        self._last_episodes = np.zeros(num_envs, core.EPISODE_DTYPE)
        self._actions = np.zeros(num_envs, np.int64)
        self._orders = np.zeros(num_envs, np.int8)
        self._waiting = np.zeros(num_envs, np.int32)
        self._new_rows()
        self._new_outcomes()
        self._is_ready = False
        """Whether every table waits for the learner: not before the first reset, nor after an agent's fault."""
        self._agents: list[Agent | None] = []
        self.set_opponents(opponents)

    def _new_rows(self) -> None:
        self._observation_words, self._observations = new_rows(
            self.num_envs, observation_size(self.rules.ruleset, self.rules.num_players)
        )
        self._mask_words, masks = new_rows(self.num_envs, num_actions(self.rules.ruleset))
        self._masks = masks.view(np.int8)

    def _new_outcomes(self) -> None:
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._terminated = np.zeros(self.num_envs, np.bool_)
        self._truncated = np.zeros(self.num_envs, np.bool_)
        self._round_ended = np.zeros(self.num_envs, np.bool_)

    # --- opponents -------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Any) -> None:
        """Play against others from each table's next episode on; what ``opponents`` may be: see the class.

        Raises:
            ValueError: for opponents that do not exist or cannot play by these rules; the old ones stay.
        """
        pools = agents.line_up(opponents, self.rules)
        in_play = set(np.unique(self._episodes["agents"]).tolist())
        slots = [agent if number in in_play else None for number, agent in enumerate(self._agents)]
        numbers = [[_place(slots, agent) for agent in pool.agents] for pool in pools]
        self._seat_agents(slots)
        longest = max(map(len, numbers))
        self._pools = np.array([pool + pool[-1:] * (longest - len(pool)) for pool in numbers], np.int32)
        self._chances = np.stack([_chances(pool, longest) for pool in pools])

    def _seat_agents(self, slots: list[Agent | None]) -> None:
        """Number the agents and hand the compiled ones to the kernels."""
        deciders: list[Any] = []
        compiled = np.full(len(slots), NOBODY, np.int8)
        for number, agent in enumerate(slots):
            decider = getattr(agent, "decider", None)
            if decider is not None:
                if not any(decider is known for known in deciders):
                    deciders.append(decider)
                compiled[number] = next(k for k, known in enumerate(deciders) if known is decider)
        self._bots = bot_table(deciders or [core.no_bot(self.rules.ruleset)])
        self._compiled = compiled
        self._agents = slots

    def _agent(self, number: int) -> Agent:
        agent = self._agents[number]
        assert agent is not None
        return agent

    @property
    def opponents(self) -> tuple[Agent, ...]:
        """All agents that play now or may be drawn."""
        numbers = np.union1d(self._episodes["agents"], self._pools)
        return tuple(self._agent(number) for number in numbers.tolist() if number != NOBODY)

    @property
    def learner_seats(self) -> npt.NDArray[np.int32]:
        """(N,) int32: the learner's seat at every table."""
        return self._episodes["learner"].copy()

    @property
    def states(self) -> npt.NDArray[np.void]:
        """(N,) `rummy_env.core.state.STATE_DTYPE`: the tables with everything hidden, for training that may look
        behind the scenes; nobody who plays may. Read it, do not write."""
        return self._states

    # --- reset and step --------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start new episodes: at every table, or where ``options["reset_mask"]``, (N,) bool, is True.

        With a seed, as new tables of that seed; without, the tables' chance goes on.

        Raises:
            ValueError: for a seed that is not a whole number from 0 on, or another mask.
        """
        seed = check_seed(seed)
        mask = self._reset_mask(options)
        if not self._is_ready and not mask.all():
            raise ValueError("options: expected every table in reset_mask at the first reset")
        if seed is not None or not self._states["hidden"]["rng"].all():
            chance = streams(seed, 2 * self.num_envs).reshape(self.num_envs, 2)
            self._states["hidden"]["rng"][mask] = chance[mask, 0]
            self._states["hidden"]["bot_rng"][mask] = chance[mask, 1]
        if seed is not None:
            super().reset(seed=seed)
            self._seed_agents(seed)
        kernel.announce(self.rules.ruleset)
        self._orders[:] = np.where(mask, core.DEAL, core.IDLE)
        self._new_outcomes()
        if self.copy:
            before = (self._observation_words, self._mask_words)
            self._new_rows()
            self._observation_words[:], self._mask_words[:] = before
        self._run()
        return self._observations, self._infos()

    def _reset_mask(self, options: dict[str, Any] | None) -> npt.NDArray[np.bool_]:
        mask = None if options is None else options.get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask: expected a bool array of shape ({self.num_envs},), got {mask!r}")
        if not mask.any():
            raise ValueError("reset_mask: expected True for at least one table, got none")
        return mask

    def _seed_agents(self, seed: int) -> None:
        """Agents in Python have random numbers of their own."""
        for number, agent in enumerate(self._agents):
            if agent is not None and self._compiled[number] == NOBODY and hasattr(agent, "reset"):
                agent.reset(int(streams(seed, 1, _AGENTS_SEEDS + number)[0] >> np.uint64(1)))

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        npt.NDArray[np.uint8],
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One decision of the learner at every table, and all that follows until its next one.

        ``actions``: (N,) ids. Returns observations, rewards, terminated, truncated, infos: see the class.

        Raises:
            IllegalMove: naming table, seat and action; nothing has changed. Only with illegal="raise".
            ValueError: unless ``actions`` are N whole numbers; before the first reset; in disabled autoreset, while
                an episode is over.
        """
        if not self._is_ready:
            raise ValueError("expected a reset before a step, got none")
        actions = check_actions(actions, self.num_envs)
        if self.autoreset_mode == AutoresetMode.DISABLED and self._episodes["over"].any():
            table = int(self._episodes["over"].argmax())
            raise ValueError(f"expected a reset of table {table}, whose episode is over, before its next step")
        if self.options.illegal == "raise":
            self._refuse_illegal(actions)
        self._orders[:] = core.LEARNER_ACTS
        self._new_outcomes()
        if self.copy:
            self._new_rows()
        self._actions[:] = actions
        self._run()
        return self._observations, self._rewards, self._terminated, self._truncated, self._infos()

    def _refuse_illegal(self, actions: npt.NDArray[np.int64]) -> None:
        table = kernels.find_illegal(self._states, actions, 0, self.num_envs)
        if table != NOBODY:
            raise illegal_action(self.game(table), table, int(actions[table]))

    def _run(self) -> None:
        """Carry out the orders to the tables until every table waits for the learner."""
        self._is_ready = False
        num_waiting = self._run_kernel()
        while num_waiting:
            self._ask_agents()
            num_waiting = self._run_kernel()
        self._is_ready = True

    def _run_kernel(self) -> int:
        """Returns how many tables wait for an agent in Python."""
        parts = self._parts.run(
            lambda _, lo, hi: core.run_learners(
                self.rules.record,
                self._options,
                self._bots,
                self._compiled,
                self._pools,
                self._chances,
                self._states,
                self._episodes,
                self._last_states,
                self._last_episodes,
                self._round_ended,
                self._orders,
                self._actions,
                self._waiting,
                self._observation_words,
                self._mask_words,
                self._rewards,
                self._terminated,
                self._truncated,
                lo,
                hi,
            )
        )
        for _, fault, table in parts:
            if fault == core.FAULT_ILLEGAL:
                number = self._episodes["agents"][table, self._states["view"]["to_play"][table]]
                raise IllegalMove(f"agent {self._agent(number).name}: chose an illegal action at table {table}")
            if fault == core.FAULT_NO_DECISION:
                raise ValueError(
                    f"table {table}: expected rules by which the learner gets to play, got {core.MAX_DEALS} episodes "
                    "that ended before its first decision"
                )
        return sum(count for count, _, _ in parts)

    def _ask_agents(self) -> None:
        """Write the actions of the agents that tables wait for, and order the tables to play them."""
        for number in np.unique(self._waiting[self._waiting != core.DECIDES]).tolist():
            tables = np.flatnonzero(self._waiting == number)
            self._actions[tables] = self._ask(self._agent(number), self._states[tables], tables)
            self._orders[tables] = core.AGENT_ACTS

    def _ask(self, agent: Agent, states: npt.NDArray[np.void], tables: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """What an agent in Python plays at tables where it is to play.

        Raises:
            ValueError: for an answer that is no array of actions, or an illegal one; names the agent.
        """
        act_batch = getattr(agent, "act_batch", None)
        if act_batch is not None:
            answer = act_batch(*observe(self.rules, states))
        else:
            views = np.ascontiguousarray(states["view"])
            answer = [agent.act(View(self.rules, views[k : k + 1])) for k in range(len(views))]
        try:
            chosen = check_actions(answer, len(states))
        except ValueError as error:
            raise ValueError(f"agent {agent.name}: {error}") from None
        illegal = kernels.find_illegal(states, chosen, 0, len(states))
        if illegal != NOBODY:
            game = Game(self.rules, states[illegal : illegal + 1].copy())
            raise IllegalMove(f"agent {agent.name}: {illegal_action(game, int(tables[illegal]), int(chosen[illegal]))}")
        return chosen

    # --- what a step tells -----------------------------------------------------------------------------------

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """(N, A) bool: the legal actions of the learner at every table; all True in next-step autoreset where the
        episode is over, since the next action, whatever it is, starts a new one.

        Raises:
            ValueError: before the first reset.
        """
        if not self._is_ready:
            raise ValueError("expected a reset before action_masks, got none")
        return self._masks.view(np.bool_)

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {"action_mask": self._masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        if not self._round_ended.any():
            return infos
        over = self._terminated | self._truncated
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return infos | self._results(self._round_ended) | self._line_ups(over)
        infos |= self._results(self._round_ended & ~over)
        if over.any():
            infos["final_obs"] = np.full(self.num_envs, None, object)
            for table, row in zip(np.flatnonzero(over), observe(self.rules, self._last_states[over])[0], strict=True):
                infos["final_obs"][table] = row
            # Nobody plays on at these tables, so their last masks are 0.
            masks = {"action_mask": np.zeros_like(self._masks), "_action_mask": over}
            infos["final_info"] = masks | self._results(over) | self._line_ups(over)
            infos["_final_obs"] = infos["_final_info"] = over
        return infos

    def _results(self, tables: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The results of the rounds that ended last at these tables."""
        if not tables.any():
            return {}
        results = np.full(self.num_envs, None, object)
        for table in np.flatnonzero(tables).tolist():
            results[table] = Game(self.rules, self._last_states[table : table + 1]).result
        return {"result": results, "_result": tables}

    def _line_ups(self, tables: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Who sat where in the episodes that ended at these tables."""
        if not tables.any():
            return {}
        seats = np.where(tables, self._last_episodes["learner"], 0)
        names = np.full(self.num_envs, None, object)
        for table in np.flatnonzero(tables).tolist():
            numbers = np.roll(self._last_episodes["agents"][table, : self.rules.num_players], -seats[table])[1:]
            names[table] = tuple(self._agent(number).name for number in numbers.tolist())
        return {"learner_seat": seats, "_learner_seat": tables, "opponents": names, "_opponents": tables}

    # --- the rest --------------------------------------------------------------------------------------------

    def game(self, table: int) -> Game:
        """A table as a `Game` of its own, which plays on by itself.

        Raises:
            ValueError: for a table that does not exist.
        """
        return table_as_game(self.rules, self._states, table)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._parts.close()

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions and rows are made anew.
        left_out = ("_observation_words", "_observations", "_mask_words", "_masks", "_bots")
        rows = {"observations": self._observations.copy(), "masks": self._masks.copy()}
        return {name: value for name, value in self.__dict__.items() if name not in left_out} | {"rows": rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = state.pop("rows")
        self.__dict__.update(state)
        self._new_rows()
        self._observations[:], self._masks[:] = rows["observations"], rows["masks"]
        self._seat_agents(self._agents)


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(mode.value for mode in AutoresetMode)
        raise ValueError(f"autoreset_mode: expected one of {allowed}, got {mode!r}") from None


def _place(slots: list[Agent | None], agent: Agent) -> int:
    """The number of an agent among ``slots``, where it is put if it is not there."""
    for number, known in enumerate(slots):
        if known is agent:
            return number
    for number, known in enumerate(slots):
        if known is None:
            slots[number] = agent
            return number
    slots.append(agent)
    return len(slots) - 1


def _chances(pool: Pool, longest: int) -> npt.NDArray[np.int64]:
    """(longest,) int64: sums of a pool's chances, as `rummy_env.core.learner_batch` draws with them."""
    sums = np.full(longest, core.CERTAIN, np.int64)
    sums[: len(pool.weights)] = np.rint(np.cumsum(pool.weights) * core.CERTAIN)
    # However the sums were rounded, an agent without a chance gets none of what is left.
    sums[np.flatnonzero(pool.weights)[-1] :] = core.CERTAIN
    return sums
