"""Kernels that Python calls: whole batches of tables, and single tables as batches of one.

``rules`` is always an array of one `RULES_DTYPE` record; ``states`` an array of tables; ``lo`` and ``hi`` bound
the tables that a call touches, so threads can share a batch. N tables, P seats; observation and mask rows come
as (N, W) uint64 views of the byte rows, eight bytes a word.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.core.bits import unpack
from rummy_env.core.hands import show_hand
from rummy_env.core.kernel import inner, kernel
from rummy_env.core.machine import (
    deal,
    encode,
    first_deal,
    forfeit,
    is_legal,
    match_over,
    next_deal,
    play,
    put_layoff,
    put_meld,
    random_legal,
    refresh_fits,
    refresh_legal,
    start_turn,
)
from rummy_env.core.random import advance
from rummy_env.core.state import DRAW, NOBODY, OVER
from rummy_env.core.view import look_from, view_of

ZERO_SUM: Final = 0
SCORE: Final = 1
WIN: Final = 2
REWARD_SCHEMES: Final = ("zero_sum", "score", "win")
"""Names of the reward schemes by their number: a seat's score minus the mean of the others' · its score · 1 for
the winner and -1/(P-1) for the others. The first two are divided by the reward scale."""

CACHED_TABLES: Final = 128
"""How many tables with their rows surely fit in a processor's cache of the second level: some 250 KB."""

STEP_OPTIONS_DTYPE: Final = np.dtype(
    [("match", "i4"), ("rewards", "i4"), ("lose", "i4"), ("reward_scale", "f8")], align=True
)
"""How a batch steps: play whole matches; number of the reward scheme; an illegal action loses the round."""


@inner
def reward_of(rules, options, view, loser, seat):
    """The reward of a seat for a round that ended. ``loser``: the seat that played an illegal action, or NOBODY."""
    others = rules["num_players"] - 1
    if loser != NOBODY:
        return -1.0 if seat == loser else 1.0 / others
    if options["rewards"] == WIN:
        if view["winner"] == NOBODY:
            return 0.0
        return 1.0 if seat == view["winner"] else -1.0 / others
    score = np.float64(view["scores"][seat])
    if options["rewards"] == ZERO_SUM:
        total = 0
        for any_seat in range(rules["num_players"]):
            total += view["scores"][any_seat]
        score -= (total - score) / others
    return score / options["reward_scale"]


@inner
def write_rows_of(rules, view, observation, mask):
    """Write the rows of a view: (`row_words`,) uint64 each."""
    encode(rules, view, observation)
    unpack(view["legal"], mask)


@inner
def episode_ends(rules, options, view, loser):
    """(terminated, truncated) of a table whose round has ended."""
    if loser != NOBODY:
        return True, False
    if options["match"] == 0:
        return view["truncated"] == 0, view["truncated"] != 0
    if match_over(rules, view):
        return True, False
    return False, view["round"] >= rules["max_rounds"]


@kernel
def reset_tables(rules, states, streams, lo, hi):
    """Start every table anew, a match with a drawn first dealer (or the rules' own). ``streams``: (N, 2) uint64,
    states of the table's two random generators."""
    r = rules[0]
    for i in range(lo, hi):
        hidden = states[i]["hidden"]
        hidden["rng"] = streams[i, 0]
        hidden["bot_rng"] = streams[i, 1]
        first_deal(r, states[i], r["first_dealer"])


@kernel
def observe_tables(rules, states, observations, masks, players, lo, hi):
    """Write the rows of the view inside every table: that of the seat to play, if it was not turned."""
    r = rules[0]
    for i in range(lo, hi):
        view = states[i]["view"]
        write_rows_of(r, view, observations[i], masks[i])
        players[i] = view["to_play"]


@kernel
def look_at_tables_from(states, seat):
    """Turn the views inside tables that are not played on to one seat, for `observe_tables`."""
    for i in range(states.shape[0]):
        look_from(states[i], seat)


@kernel
def find_illegal(states, actions, lo, hi):
    """The first table whose action is not legal for the seat to play, or -1. Where a round is over, nobody plays."""
    for i in range(lo, hi):
        view = states[i]["view"]
        if not is_legal(view, actions[i]) and view["phase"] != OVER:
            return i
    return -1


@kernel
def step_tables(
    rules,
    options,
    states,
    actions,
    observations,
    masks,
    players,
    rewards,
    terminated,
    truncated,
    ended_states,
    ended_tables,
    lo,
    hi,
):
    """Play one action at every table and write the rows of the next seat to play; finished rounds start anew.

    A table as it stood at the end of its round goes to ``ended_states``, its number and the seat that lost it by an
    illegal action (or NOBODY) to ``ended_tables``: (K,) and (K, 2). Returns (number of ended tables, next table to
    step), which is not ``hi`` when these K places are all taken: then go on from there, with more.
    """
    r = rules[0]
    o = options[0]
    count = 0
    for i in range(lo, hi):
        if count == ended_states.shape[0]:
            return count, i
        state = states[i]
        view = state["view"]
        action = actions[i]
        loser = NOBODY
        if is_legal(view, action):
            play(r, state, action)
        else:
            loser = view["to_play"]
            forfeit(state)
        terminated[i] = False
        truncated[i] = False
        for seat in range(r["num_players"]):
            rewards[i, seat] = 0.0
        if view["phase"] == OVER:
            for seat in range(r["num_players"]):
                rewards[i, seat] = reward_of(r, o, view, loser, seat)
            terminated[i], truncated[i] = episode_ends(r, o, view, loser)
            ended_states[count] = state
            ended_tables[count, 0] = i
            ended_tables[count, 1] = loser
            count += 1
            if terminated[i] or truncated[i]:
                first_deal(r, state, r["first_dealer"])
            else:
                next_deal(r, state)
        write_rows_of(r, view, observations[i], masks[i])
        players[i] = view["to_play"]
    return count, hi


@kernel
def play_at_tables(rules, states, tables, actions):
    """Play a legal action, ``actions[k]``, at each table ``tables[k]``."""
    for k in range(tables.shape[0]):
        play(rules[0], states[tables[k]], actions[k])


@kernel
def random_actions(states, actions, lo, hi):
    """Draw a legal action for every table from the table's own generator for bots."""
    for i in range(lo, hi):
        hidden = states[i]["hidden"]
        hidden["bot_rng"] = advance(hidden["bot_rng"])
        actions[i] = random_legal(states[i]["view"], hidden["bot_rng"])


@kernel
def play_randomly(rules, states, observations, masks, steps, lo, hi):
    """``steps`` random legal decisions at every table, rows written for each. Returns the number of decisions.

    Tables know nothing of each other, so a few at a time play all their steps while they are in the cache.
    """
    r = rules[0]
    for first in range(lo, hi, CACHED_TABLES):
        for _ in range(steps):
            for i in range(first, min(hi, first + CACHED_TABLES)):
                state = states[i]
                view = state["view"]
                hidden = state["hidden"]
                hidden["bot_rng"] = advance(hidden["bot_rng"])
                play(r, state, random_legal(view, hidden["bot_rng"]))
                if view["phase"] == OVER:
                    next_deal(r, state)
                write_rows_of(r, view, observations[i], masks[i])
    return steps * (hi - lo)


# --- single tables: arrays of one ----------------------------------------------------------------------------


@kernel
def deal_table(rules, states, stream, dealer):
    """Deal one round at table 0 with its generator at ``stream``."""
    states[0]["hidden"]["rng"] = stream
    deal(rules[0], states[0], dealer)


@kernel
def next_round(rules, states):
    """Deal the next round of a match at table 0."""
    next_deal(rules[0], states[0])


@kernel
def first_round(rules, states, stream, dealer):
    """Start a match at table 0; ``dealer`` -1: drawn."""
    states[0]["hidden"]["rng"] = stream
    first_deal(rules[0], states[0], dealer)


@kernel
def begin_table(rules, states):
    """Make table 0 consistent after its record was written by hand: what fits, and the start of the turn."""
    view = states[0]["view"]
    refresh_fits(rules[0], view)
    if view["phase"] == DRAW:
        start_turn(rules[0], states[0])
    else:
        view["seat"] = view["to_play"]
        show_hand(states[0], view, view["to_play"])
        refresh_legal(rules[0], view)


@kernel
def refresh_table(rules, states):
    """Work out anew what is legal at table 0 after the hand of the seat to play was changed by hand."""
    refresh_legal(rules[0], states[0]["view"])


@kernel
def play_action(rules, states, action):
    """Play an action at table 0; returns False, with nothing changed, if it is not legal."""
    if not is_legal(states[0]["view"], action):
        return False
    play(rules[0], states[0], action)
    return True


@kernel
def play_meld(rules, states, kind, key, low, size, suits, jokers):
    """Lay any meld of the hand on table 0 (fields: see `state`); the caller has checked it."""
    put_meld(rules[0], states[0], kind, key, low, size, suits, jokers)
    refresh_legal(rules[0], states[0]["view"])


@kernel
def play_layoff(rules, states, card, end, number):
    """Lay a card off onto a named meld of table 0; the caller has checked it."""
    put_layoff(rules[0], states[0], card, end, number)
    refresh_legal(rules[0], states[0]["view"])


@kernel
def forfeit_table(states):
    """End the round of table 0 as void because the seat to play chose an illegal action."""
    forfeit(states[0])


@kernel
def settle_table(rules, options, states, loser, rewards):
    """Write the rewards (P,) of the round that has ended at table 0; returns (terminated, truncated) of the episode.

    ``loser``: the seat that played an illegal action, or NOBODY.
    """
    view = states[0]["view"]
    for seat in range(rules[0]["num_players"]):
        rewards[seat] = reward_of(rules[0], options[0], view, loser, seat)
    return episode_ends(rules[0], options[0], view, loser)


@kernel
def write_view(states, seat, views):
    """Write the view of ``seat`` at table 0 to ``views[0]``."""
    view_of(states[0], seat, views, 0)


@kernel
def write_rows(rules, views, observation, mask):
    """Write the observation and the mask of ``views[0]``: two rows of uint64 words."""
    write_rows_of(rules[0], views[0], observation, mask)
