"""sb3-contrib's MaskablePPO without its work for each row: same algorithm, several times as fast.

What costs time there is Python around small tensors: distributions built anew for every step and batch, masks kept as
floats, batches copied from numpy. Here a rollout stays in tensors of its own (observations and masks as bytes), and
log-chances are all that is asked of the network. `FastMaskablePPO` can be saved, loaded and asked as any MaskablePPO.

T steps of N tables, B rows in a batch, W the width of an observation, A actions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from training.config import PPO
from training.hindsight import Hindsight
from training.network import CardPolicy, draw
from training.sb3_vec_env import RummyVecEnv


class Rollout(MaskableRolloutBuffer):
    """What T steps of N tables gave, as tensors: see `reset`."""

    def reset(self) -> None:
        steps, tables = self.buffer_size, self.n_envs
        assert isinstance(self.observation_space, spaces.Box)
        assert isinstance(self.action_space, spaces.Discrete)
        width, actions = self.observation_space.shape[0], int(self.action_space.n)
        self.seen = torch.empty(steps, tables, width, dtype=torch.uint8)
        self.masks = torch.empty(steps, tables, actions, dtype=torch.bool)
        self.chosen = torch.empty(steps, tables, dtype=torch.int64)
        self.log_chances = torch.empty(steps, tables)
        self.predicted = torch.empty(steps + 1, tables)
        """Values; those of the positions after the last step are the last."""
        self.paid = torch.empty(steps, tables)
        self.ended = torch.empty(steps, tables)
        """1 where the episode ended with this step."""
        self.advantage = torch.empty(steps, tables)

    def estimate_advantages(self) -> None:
        """Generalised advantage estimation (Schulman et al., 2016)."""
        following = torch.zeros(self.n_envs)
        for step in reversed(range(self.buffer_size)):
            goes_on = 1 - self.ended[step]
            surprise = self.paid[step] + self.gamma * goes_on * self.predicted[step + 1] - self.predicted[step]
            following = surprise + self.gamma * self.gae_lambda * goes_on * following
            self.advantage[step] = following

    def batches(self, batch_size: int) -> Iterator[tuple[Tensor, ...]]:
        """All rows once, in random order: observations, masks, actions, log-chances, advantages, returns, (B, …)."""
        returns = self.advantage + self.predicted[:-1]
        columns = (self.seen, self.masks, self.chosen, self.log_chances, self.advantage, returns)
        flat = [column.flatten(0, 1) for column in columns]
        for rows in torch.randperm(len(flat[0])).split(batch_size):
            yield tuple(column[rows] for column in flat)

    def explained_variance(self) -> float:
        """Share of the returns' variance that the values predicted; 1 is all, below 0 worse than a constant."""
        returns = self.advantage + self.predicted[:-1]
        return float(1 - self.advantage.var() / returns.var().clamp(min=1e-12))


class FastMaskablePPO(MaskablePPO):
    """MaskablePPO for `RummyVecEnv` and `CardPolicy`, on the CPU.

    ``entropy_weight`` is a schedule like SB3's learning rate; ``ent_coef`` is its present value.
    """

    policy: CardPolicy
    rollout_buffer: Rollout
    batch_size: int
    ep_info_buffer: deque[dict[str, float]]
    _last_obs: np.ndarray
    clip_range: Schedule

    hindsight: Hindsight | None = None
    """If set, rewards are changes of this potential: see `training.hindsight`. Not saved."""

    def __init__(self, policy: Any, env: Any, entropy_weight: Schedule | float = 0.0, **arguments: Any) -> None:
        self.entropy_weight = entropy_weight
        # SB3 gives the device itself when it loads a model.
        super().__init__(policy, env, rollout_buffer_class=Rollout, **{**arguments, "device": "cpu"})

    @classmethod
    def make(cls, env: RummyVecEnv, settings: PPO, network: dict[str, Any], precision: str, seed: int) -> Any:
        """A new learner; ``network``: the arguments of `CardNetwork`."""
        return cls(
            CardPolicy,
            env,
            entropy_weight=settings.entropy_weight,
            learning_rate=settings.learning_rate,
            n_steps=settings.n_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip_range,
            vf_coef=settings.value_weight,
            max_grad_norm=settings.max_grad_norm,
            target_kl=settings.target_kl,
            policy_kwargs={"network": network, "precision": precision},
            seed=seed,
        )

    # --- rollout -----------------------------------------------------------------------------------------------

    @torch.inference_mode()
    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play ``n_rollout_steps`` decisions at every table; False if the callback stops it."""
        assert isinstance(env, RummyVecEnv)
        assert isinstance(rollout_buffer, Rollout)
        rollout = rollout_buffer
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        expected = self._expected()
        for step in range(n_rollout_steps):
            rollout.seen[step] = torch.from_numpy(self._last_obs)
            rollout.masks[step] = torch.from_numpy(env.action_masks())
            log_chances, rollout.predicted[step] = self.policy.evaluate(rollout.seen[step], rollout.masks[step])
            actions = rollout.chosen[step] = draw(log_chances, torch.rand(env.num_envs, 1))
            rollout.log_chances[step] = log_chances.gather(1, actions.unsqueeze(1)).squeeze(1)

            self._last_obs, rewards, dones, infos = env.step(actions.numpy())  # type: ignore[assignment]
            self._last_episode_starts = dones
            before, expected = expected, self._expected()
            rollout.paid[step] = torch.from_numpy(rewards + self.gamma * ~dones * expected - before)
            rollout.ended[step] = torch.from_numpy(dones)
            for table in np.flatnonzero(dones).tolist():
                self.ep_info_buffer.append(infos[table]["episode"])
                if infos[table]["TimeLimit.truncated"]:  # Cut off, not lost: what was still to be expected counts.
                    last = torch.from_numpy(infos[table]["terminal_observation"]).unsqueeze(0)
                    rollout.paid[step, table] += self.gamma * self.policy.predict_values(last).item()
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout.predicted[n_rollout_steps] = self.policy.predict_values(torch.from_numpy(self._last_obs)).squeeze(1)
        rollout.estimate_advantages()
        callback.on_rollout_end()
        return True

    def _expected(self) -> np.ndarray:
        """(N,) float32: what the cards of every table are worth to the learner, 0 without hindsight."""
        return np.zeros(self.n_envs, np.float32) if self.hindsight is None else self.hindsight()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "hindsight"]

    # --- update ------------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Improve the policy with the last rollout."""
        self.policy.set_training_mode(True)
        optimizer = self.policy.optimizer
        remaining = self._current_progress_remaining
        self._update_learning_rate(optimizer)
        clip = self.clip_range(remaining)
        self.ent_coef = self.entropy_weight(remaining) if callable(self.entropy_weight) else self.entropy_weight
        figures: list[Tensor] = []

        for _ in range(self.n_epochs):
            for seen, masks, chosen, old_log_chances, advantages, returns in self.rollout_buffer.batches(
                self.batch_size
            ):
                log_chances, values = self.policy.evaluate(seen, masks)
                log_ratio = log_chances.gather(1, chosen.unsqueeze(1)).squeeze(1) - old_log_chances
                ratio = log_ratio.exp()
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
                policy_loss = -torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
                value_loss = (values - returns).square().mean()
                entropy = -(log_chances.exp() * log_chances).sum(1).mean()
                loss = policy_loss + self.vf_coef * value_loss - self.ent_coef * entropy

                with torch.no_grad():
                    kl = (ratio - 1 - log_ratio).mean()  # http://joschu.net/blog/kl-approx.html
                    clipped = ((ratio - 1).abs() > clip).float().mean()
                if self.target_kl is not None and kl > 1.5 * self.target_kl:
                    break
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                optimizer.step()
                figures.append(torch.stack([policy_loss, value_loss, entropy, kl, clipped]).detach())
            else:
                self._n_updates += 1
                continue
            break  # The policy has moved far enough from the one that played.

        names = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
        means = torch.stack(figures).mean(0).tolist() if figures else [float("nan")] * len(names)
        for name, mean in zip(names, means, strict=True):
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/explained_variance", self.rollout_buffer.explained_variance())
        self.logger.record("train/clip_range", clip)
        self.logger.record("train/entropy_weight", self.ent_coef)
