"""Tables at which one seat is a learner's and the others are agents': from one decision of the learner to the next.

One kernel does it all for every table: the learner's action, the compiled agents' turns, the end of the episode, the
new deal, and the rows of the next decision. Where an agent written in Python has to choose, the table stops and waits
for its answer; so one kernel, called again with the answers, serves both kinds.

N tables, P seats, K agents, L places in the longest pool of agents for a seat. What the kernel is given of them:

- ``compiled``: (K,) int8, the agent's number in ``bots``, or -1 for an agent in Python
- ``pools``: (P - 1, L) int32, numbers of the agents of which one is drawn for a seat, by the distance of the seat from
  the learner's, the next player's first
- ``chances``: (P - 1, L) int64, for every place in a pool the sum of its own chance and those of the places before it,
  in 2**31ths
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from rummy_env.core.batch import STEP_OPTIONS_DTYPE, episode_ends, reward_of, write_rows_of
from rummy_env.core.bot import call_bot, decider
from rummy_env.core.kernel import inner, kernel
from rummy_env.core.machine import first_deal, forfeit, is_legal, next_deal, play
from rummy_env.core.random import advance, below
from rummy_env.core.state import NOBODY, OVER
from rummy_env.core.view import look_from
from rummy_env.rules import MAX_SEATS

NEXT_STEP: Final = 0
SAME_STEP: Final = 1
DISABLED: Final = 2

LEARNER_OPTIONS_DTYPE: Final = np.dtype(
    [("step", STEP_OPTIONS_DTYPE), ("learner_seat", "i4"), ("autoreset", "i4")], align=True
)
"""How the tables go on: as in any batch; the learner's seat, or NOBODY where it is drawn; one of NEXT_STEP, SAME_STEP,
DISABLED."""

EPISODE_DTYPE: Final = np.dtype(
    [
        ("learner", "i4"),  # its seat
        ("agents", "i4", (MAX_SEATS,)),  # number of the agent at every seat, NOBODY at the learner's
        ("acted", "i4"),  # the learner has had a decision
        ("over", "i4"),  # the episode has ended and no new one was begun
        ("loser", "i4"),  # the seat that played an illegal action in this round, or NOBODY
        ("reward", "f8"),  # the learner's, not paid yet
    ],
    align=True,
)
"""What a table knows of the episode that is played at it."""

IDLE: Final = 0
DEAL: Final = 1
LEARNER_ACTS: Final = 2
AGENT_ACTS: Final = 3
"""Orders to a table: nothing; a new episode; play the action as the learner's; play it as the waiting agent's."""

DECIDES: Final = -1
"""What a table waits for, instead of the number of an agent: the learner."""

FAULT_ILLEGAL: Final = 1
"""A compiled agent chose an illegal action."""
FAULT_NO_DECISION: Final = 2
"""Episode after episode ended before the learner's first decision."""

MAX_DEALS: Final = 10_000
"""How many episodes in which the learner had no decision are passed over in search of one in which it has."""

CERTAIN: Final = 1 << 31
"""A chance of 1."""

EVERY_ACTION: Final = np.uint64(0x0101_0101_0101_0101)
"""A word of the mask of a table whose episode is over: its next action, whatever it is, starts a new one."""


@cache
def no_bot(ruleset: str) -> Any:
    """A compiled agent for batches that have none; it is never called."""
    return decider(_nothing, ruleset)


def _nothing(rules, view, number):
    return 0


@inner
def _draw_seats(rules, options, pools, chances, state, episode):
    """Draw the learner's seat and the agents of an episode from the table's generator for bots."""
    num_players = rules["num_players"]
    hidden = state["hidden"]
    learner = options["learner_seat"]
    if learner == NOBODY:
        hidden["bot_rng"] = advance(hidden["bot_rng"])
        learner = below(hidden["bot_rng"], num_players)
    episode["learner"] = learner
    episode["agents"][learner] = NOBODY
    seat = learner
    for distance in range(num_players - 1):
        seat += 1
        if seat == num_players:
            seat = 0
        hidden["bot_rng"] = advance(hidden["bot_rng"])
        drawn = below(hidden["bot_rng"], CERTAIN)
        place = 0
        while chances[distance, place] <= drawn:
            place += 1
        episode["agents"][seat] = pools[distance, place]


@inner
def _begin(rules, options, pools, chances, state, episode):
    """Start an episode."""
    _draw_seats(rules, options, pools, chances, state, episode)
    episode["acted"] = 0
    episode["over"] = 0
    episode["loser"] = NOBODY
    episode["reward"] = 0.0
    first_deal(rules, state, rules["first_dealer"])


@kernel
def run_learners(
    rules,
    options,
    bots,
    compiled,
    pools,
    chances,
    states,
    episodes,
    last_states,
    last_episodes,
    round_ended,
    orders,
    actions,
    waiting,
    observations,
    masks,
    rewards,
    terminated,
    truncated,
    lo,
    hi,
):
    """Carry out the order to every table and let it run until the learner has to decide, or an agent in Python has.

    ``orders`` is IDLE everywhere afterwards, and ``waiting`` says what each table waits for: DECIDES or the agent's
    number. Rows are written where the learner has to decide, or the episode is over: then those of the end. An illegal
    action of the learner loses the round; where an episode is over, LEARNER_ACTS starts a new one. Actions of
    AGENT_ACTS must be legal.

    ``round_ended`` says at which tables a round ended since the learner's last decision. Its end, as the learner sees
    it, goes to ``last_states`` and ``last_episodes``: that of the episode, or of the last round if none ended.

    Returns (tables that wait for an agent, FAULT_…, table); the last two are 0 unless a fault stopped everything.
    """
    r = rules[0]
    o = options[0]
    step = o["step"]
    num_waiting = 0
    for i in range(lo, hi):
        order = orders[i]
        if order == IDLE:
            continue
        orders[i] = IDLE
        state = states[i]
        view = state["view"]
        hidden = state["hidden"]
        episode = episodes[i]
        begins = order == DEAL or (order == LEARNER_ACTS and episode["over"] != 0)
        action = actions[i]
        if order != AGENT_ACTS:
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
            round_ended[i] = False
        num_deals = 0
        waiting[i] = DECIDES
        # Bounded: a round has at most max_turns turns, a match max_rounds rounds, and deals are counted.
        while True:
            if begins:
                _begin(r, o, pools, chances, state, episode)
                begins = False
            elif is_legal(view, action):
                play(r, state, action)
            elif view["to_play"] == episode["learner"]:
                episode["loser"] = episode["learner"]
                forfeit(state)
            else:
                return num_waiting, FAULT_ILLEGAL, i

            if view["phase"] == OVER:
                episode["reward"] += reward_of(r, step, view, episode["loser"], episode["learner"])
                ends, is_cut_off = episode_ends(r, step, view, episode["loser"])
                if (ends or is_cut_off) and episode["acted"] == 0:
                    if num_deals == MAX_DEALS:
                        return num_waiting, FAULT_NO_DECISION, i
                    num_deals += 1
                    begins = True
                    continue
                if not (terminated[i] or truncated[i]):
                    round_ended[i] = True
                    last_states[i] = state
                    look_from(last_states[i], episode["learner"])
                    last_episodes[i] = episode
                if ends or is_cut_off:
                    rewards[i] = episode["reward"]
                    terminated[i] = ends
                    truncated[i] = is_cut_off
                    if o["autoreset"] == SAME_STEP:
                        begins = True
                        continue
                    episode["over"] = 1
                    break
                next_deal(r, state)

            if view["to_play"] == episode["learner"]:
                # What was won or lost before the first decision is paid with the first step: a reset pays nothing.
                if episode["acted"] != 0:
                    rewards[i] = episode["reward"]
                    episode["reward"] = 0.0
                episode["acted"] = 1
                break
            agent = episode["agents"][view["to_play"]]
            if compiled[agent] < 0:
                waiting[i] = agent
                num_waiting += 1
                break
            hidden["bot_rng"] = advance(hidden["bot_rng"])
            action = call_bot(bots, compiled[agent], r, view, hidden["bot_rng"])

        if waiting[i] != DECIDES:
            continue
        if episode["over"] != 0:
            view = last_states[i]["view"]
        write_rows_of(r, view, observations[i], masks[i])
        if episode["over"] != 0:
            for word in range(masks.shape[1]):
                masks[i, word] = EVERY_ACTION
    return num_waiting, 0, 0
