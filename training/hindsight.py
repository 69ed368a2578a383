"""Luck taken out of the rewards: what a rule bot would score with the same cards, as a potential.

A round's score is mostly luck, so a learner hears of its decisions through much noise. Training may look behind the
scenes, though: it can play a copy of the table to its end, hidden cards and stock as they are, with a rule bot in
every seat. That is very fast, and what the learner's seat scores there is what the cards are worth. Paying after each
decision how much this has changed, and at the end the rest, leaves the sum of an episode's rewards as it was, but for a
constant that no decision can change: the best policy stays the best (Ng, Harada and Russell, Policy invariance under
reward transformations, 1999). A decision as the bot would have made it pays nothing, a better one at once what it will
bring if the bot plays on. No agent sees any of this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rummy_env.core.batch import reward_of
from rummy_env.core.bot import bot_table, call_bot
from rummy_env.core.kernel import kernel
from rummy_env.core.machine import is_legal, play
from rummy_env.core.random import advance
from rummy_env.core.state import NOBODY, OVER, new_states
from rummy_env.gym_vector import RummyVectorEnv
from rummy_env.opponents import Agent


@kernel
def play_out(rules: Any, options: Any, states: Any, seats: Any, bots: Any, spare: Any, rewards: Any) -> int:
    """Play a copy of every table to the end of its round, ``bots[0]`` in all seats, and write the reward of the seat.

    ``seats``: (N,) int32; ``spare``: one table to work on; ``rewards``: (N,) float32. Returns the first table at which
    the bot chose an illegal action, or -1.
    """
    r = rules[0]
    step = options[0]
    for i in range(states.shape[0]):
        spare[0] = states[i]
        state = spare[0]
        view = state["view"]
        hidden = state["hidden"]
        while view["phase"] != OVER:
            hidden["bot_rng"] = advance(hidden["bot_rng"])
            action = call_bot(bots, 0, r, view, hidden["bot_rng"])
            if not is_legal(view, action):
                return i
            play(r, state, action)
        rewards[i] = reward_of(r, step, view, NOBODY, seats[i])
    return NOBODY


class Hindsight:
    """What the learner's seat at every table would be paid for its round if ``bot`` played on for everybody.

    Raises:
        ValueError: for an agent that is not compiled.
    """

    def __init__(self, bot: Agent, env: RummyVectorEnv) -> None:
        decider = getattr(bot, "decider", None)
        if decider is None:
            raise ValueError(f"hindsight: expected an agent with a compiled 'decider', got {bot.name}")
        self._name = bot.name
        self._bots = bot_table([decider])
        self._env = env
        self._options = env.options.record(env.rules)
        self._spare = new_states(env.rules.ruleset, 1)

    def __call__(self) -> npt.NDArray[np.float32]:
        """(N,) float32, as the tables stand now."""
        env = self._env
        rewards = np.empty(env.num_envs, np.float32)
        fault = play_out(
            env.rules.record, self._options, env.states, env.learner_seats, self._bots, self._spare, rewards
        )
        if fault != NOBODY:
            raise ValueError(f"hindsight: expected legal actions of {self._name}, got another")
        return rewards
