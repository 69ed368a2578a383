"""The batched environment as Stable-Baselines3 and sb3-contrib want it.

>>> from sb3_contrib import MaskablePPO
>>> from training.sb3_vec_env import RummyVecEnv
>>> env = RummyVecEnv("straight", num_envs=64, opponents="normal", seed=1)
>>> model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=1024).learn(10_000)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from rummy_env.gym_vector import RummyVectorEnv


class RummyVecEnv(VecEnv):
    """`rummy_env.gym_vector.RummyVectorEnv` as a `VecEnv`; the arguments are its, all by name.

    A table whose episode ends starts the next one in the same step. Its ``info`` then holds ``terminal_observation``,
    ``TimeLimit.truncated``, and ``episode`` with return ``r`` and length ``l`` in decisions, as SB3's monitor has them.

    ``seed``: of the first `reset`; None draws one. Observations and masks are rewritten in place by the next step.

    Raises:
        ValueError: for what `RummyVectorEnv` refuses.
    """

    def __init__(self, ruleset: str, num_envs: int, seed: int | None = None, **options: Any) -> None:
        self.env = RummyVectorEnv(ruleset, num_envs, autoreset_mode="SameStep", copy=False, **options)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)
        self._seeds[0] = seed

    def reset(self) -> VecEnvObs:
        """(N, size) uint8. Tables are one batch with one seed, the first of those that were asked for."""
        observations, _ = self.env.reset(seed=self._seeds[0])
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Observations (N, size) uint8, rewards (N,) float32, dones (N,) bool, and N infos."""
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        dones = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        of_tables: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for table in np.flatnonzero(dones).tolist():
            of_tables[table] = {
                "terminal_observation": infos["final_obs"][table],
                "TimeLimit.truncated": bool(truncated[table] and not terminated[table]),
                "episode": {"r": float(self._returns[table]), "l": int(self._lengths[table])},
            }
        self._returns[dones] = 0
        self._lengths[dones] = 0
        return observations, rewards, dones, of_tables

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """(N, A) bool: the legal actions at every table."""
        return self.env.action_masks()

    def set_opponents(self, opponents: Any) -> None:
        """Play against others from each table's next episode on (see `RummyVectorEnv`)."""
        self.env.set_opponents(opponents)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method gives for the tables of ``indices``. There is one that differs between tables:
        ``action_masks``."""
        if method_name != "action_masks":
            raise AttributeError(f"expected the method action_masks, got {method_name!r}")
        masks = self.action_masks(*method_args, **method_kwargs)
        return [masks[table] for table in self._tables(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the whole, once for each table of ``indices``."""
        if attr_name == "action_masks":
            return [self.action_masks for _ in self._tables(indices)]
        value = getattr(self.env, attr_name)
        return [value for _ in self._tables(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Tables are no objects of their own: nothing can be set."""
        raise AttributeError(f"expected no attribute to set, got {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """Whether tables count their returns as SB3's monitor does: they do. No other wrapper is there."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._tables(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        return [None] * self.num_envs

    def close(self) -> None:
        self.env.close()

    def _tables(self, indices: VecEnvIndices) -> Iterable[int]:
        return self._get_indices(indices)
