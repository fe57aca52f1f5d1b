"""Where anyone's environments say which actions are legal, found for learners.

An environment says it by a method `action_masks()`, as sb3-contrib has it, or by `info["action_mask"]` of each reset
and step, as Gymnasium's Taxi has it. One that does neither has no illegal actions.
"""

from collections.abc import Iterable
from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import is_masking_supported
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, is_vecenv_wrapped
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

__all__ = ["FinalMasks", "MasksFromInfos", "with_masks"]


class FinalMasks(gym.Wrapper[Any, Any, Any, Any]):
    """Puts what would be legal next into `info["action_mask"]` where an episode is truncated.

    An environment with `action_masks()` can be asked for that only until it is reset, and a `VecEnv` resets it at once.
    Learners put this around a single environment; in a `VecEnv`, put it around each environment.
    """

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """A step of the environment."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if truncated and not terminated and "action_mask" not in info:
            info = {**info, "action_mask": np.asarray(self.env.get_wrapper_attr("action_masks")())}
        return observation, reward, terminated, truncated, info


class MasksFromInfos(VecEnvWrapper):
    """Answers `action_masks` with what the environments' infos say.

    The masks are in the infos of all steps and of all resets, or in none. If there are none, this has no
    `action_masks`, so that sb3-contrib's `is_masking_supported` says so, too; it is known as soon as `reset` has been
    called.
    """

    def __init__(self, venv: VecEnv) -> None:
        """Wraps `venv`, whose actions are `Discrete`."""
        super().__init__(venv)
        self._masks = np.ones((venv.num_envs, int(venv.action_space.n)), dtype=np.bool_)  # type: ignore[attr-defined]
        self._has_masks = False

    def reset(self) -> VecEnvObs:
        """New episodes; their first observations.

        Raises:
            ValueError: some environments give a mask and others do not, or a mask has another shape.
        """
        observations = self.venv.reset()
        infos = self.unwrapped.reset_infos
        self._has_masks = any("action_mask" in info for info in infos)
        self._read(infos, "reset")
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give.

        Raises:
            ValueError: as in `reset`.
        """
        observations, rewards, dones, infos = self.venv.step_wait()
        begun = self.unwrapped.reset_infos
        self._read((begun[k] if done else infos[k] for k, done in enumerate(dones.tolist())), "step")
        return observations, rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal now, bool (environments, actions)."""
        return self._masks.copy()

    def has_attr(self, attr_name: str) -> bool:
        """Whether all environments have such an attribute; `action_masks` if they give masks."""
        return self._has_masks if attr_name == "action_masks" else self.venv.has_attr(attr_name)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method of each environment returns; `action_masks` is answered here."""
        if method_name != "action_masks":
            return self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        return [self._masks[k].copy() for k in self._get_indices(indices)]

    def _read(self, infos: Iterable[dict[str, Any]], call: str) -> None:
        for k, info in enumerate(infos):
            mask = info.get("action_mask")
            if (mask is not None) != self._has_masks:
                found, elsewhere = ("an", "others have none") if mask is not None else ("no", "others have one")
                raise ValueError(
                    f"the info of environment {k} has {found} action_mask after {call}, and {elsewhere}: "
                    "masks are expected in the infos of all resets and steps, or in none"
                )
            if mask is not None:
                given = np.asarray(mask)
                if given.shape != self._masks.shape[1:]:
                    raise ValueError(
                        f"the action_mask of environment {k} has the shape {given.shape}, "
                        f"and {self._masks.shape[1:]} is expected"
                    )
                self._masks[k] = given != 0


def with_masks(env: VecEnv) -> VecEnv:
    """`env`, wrapped in `MasksFromInfos` unless it has masks of its own or is wrapped already."""
    if is_masking_supported(env) or is_vecenv_wrapped(env, MasksFromInfos):
        return env
    return MasksFromInfos(env)
