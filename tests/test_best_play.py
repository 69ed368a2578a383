"""What can be learnt is learnt: on a deck so small that the best play against a random player is known exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger

from rummy_env import Game, Rules
from training.config import PPO
from training.learner import FastMaskablePPO
from training.network import best_action
from training.sb3_vec_env import RummyVecEnv

SMALL = Rules.preset("straight", num_ranks=7, num_suits=1, hand_size=2, max_turns=2)
"""Seven cards of a suit, two for each player, and a turn for each: small enough to know the best play exactly. A round
that nobody has won by then is worth nothing."""

Choice = Callable[[np.ndarray, np.ndarray, list[int], list[float]], float]
"""What a decision is worth: of the observation, the mask, the legal actions and what each of them is worth."""


def worlds(starter: int) -> list[tuple[float, Game]]:
    """Every deal, with its chance."""
    cards = [f"{rank}s" for rank in "A234567"]
    found = []
    for mine in combinations(cards, 2):
        for theirs in combinations([card for card in cards if card not in mine], 2):
            for rest in permutations([card for card in cards if card not in mine + theirs]):
                position = {
                    "hands": [" ".join(mine), " ".join(theirs)],
                    "pile": rest[0],
                    "stock": " ".join(rest[1:]),
                    "to_play": starter,
                    "dealer": 1 - starter,
                }
                found.append(Game.from_position(SMALL, position))
    return [(1 / len(found), game) for game in found]


def worth(possible: list[tuple[float, Game]], choice: Choice) -> float:
    """Points that seat 0 can expect against a player who plays at random, when it decides by what it has seen.

    ``possible``: worlds, with their chances, between which it cannot tell, but for what it sees from now on.
    """
    total = 0.0
    alike = defaultdict(list)
    waiting = list(possible)
    while waiting:
        chance, game = waiting.pop()
        if game.over:
            assert game.result is not None
            total += chance * (game.result.scores[0] - game.result.scores[1])
        elif game.to_play == 0:
            alike[game.observation(0).tobytes()].append((chance, game))
        else:
            actions = game.legal_actions()
            waiting += [(chance / len(actions), after(game, action)) for action in actions]
    for group in alike.values():
        game = group[0][1]
        actions = game.legal_actions()
        values = [worth([(chance, after(one, action)) for chance, one in group], choice) for action in actions]
        total += choice(game.observation(0), game.action_mask(0), actions, values)
    return total


def after(game: Game, action: int) -> Game:
    following = game.copy()
    following.step(action)
    return following


class CutOffIsOver(RummyVecEnv):
    """The limit of turns belongs to the game here: nothing is still to be expected after it."""

    def step_wait(self) -> Any:
        observations, rewards, dones, infos = super().step_wait()
        for info in infos:
            if info:
                info["TimeLimit.truncated"] = False
        return observations, rewards, dones, infos


def test_the_best_play_is_learnt_where_it_is_known() -> None:
    starts = [worlds(0), worlds(1)]

    def value(choice: Choice) -> float:
        return sum(worth(start, choice) for start in starts) / 2

    best = value(lambda seen, mask, actions, values: max(values))
    at_random = value(lambda seen, mask, actions, values: sum(values) / len(values))
    assert best > at_random + 1

    env = CutOffIsOver(
        "straight", 256, seed=1, opponents="random", illegal="raise", reward_scale=10.0,
        num_ranks=7, num_suits=1, hand_size=2, max_turns=2,
    )  # fmt: skip
    network = {"ruleset": "straight", "num_players": 2, "card_width": 8, "suit_width": 32, "table_width": 32}
    updates = 30
    settings = PPO.model_validate(
        {"n_steps": 8, "batch_size": 512, "epochs": 4, "gae_lambda": 1.0, "learning_rate": {"start": 3e-3, "end": 0}}
    )
    torch.set_num_threads(1)
    model = FastMaskablePPO.make(env, settings, network, "float32", 1)
    model.set_logger(Logger(None, []))
    model.ep_info_buffer = []
    callback = CallbackList([])
    callback.init_callback(model)
    model._last_obs = env.reset()
    for update in range(updates):
        model._update_current_progress_remaining(update, updates)
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)
        model.train()

    def learnt(seen: np.ndarray, mask: np.ndarray, actions: list[int], values: list[float]) -> float:
        return values[actions.index(int(best_action(model.policy, seen[None], mask[None])[0]))]

    reached = value(learnt)
    share = (reached - at_random) / (best - at_random)
    assert 0.95 <= share <= 1 + 1e-9, (at_random, reached, best)
