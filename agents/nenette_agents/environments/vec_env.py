"""The native vector environments as stable-baselines3 takes environments: one, or several side by side."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from nenette.environments.pictures.display import IN_A_WINDOW
from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.env import TurnBasedVectorEnv

__all__ = ["NativeVecEnv", "SideBySideVecEnv", "SlotsVecEnv", "action_masks_of"]


class SlotsVecEnv(VecEnv):
    """Base of a `VecEnv` whose slots are rows of arrays, no environments of their own: they have masks and no more."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Masks of all slots, bool (slots, actions)."""
        raise NotImplementedError

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` of the slots, bool (actions,) each, from a single call; there is no other method.

        Raises:
            AttributeError: another method was asked for.
        """
        if method_name != "action_masks":
            raise AttributeError(f"slots of a native vector environment have action_masks, and no {method_name!r}")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuses: what all slots share is not set in one of them.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name!r} cannot be set in the slots of a native vector environment")

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """False for each slot: there is no environment of its own that could be wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """None: nothing is drawn."""
        return [None] * self.num_envs

    def _get_indices(self, indices: VecEnvIndices) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices


def action_masks_of(environments: VecEnv) -> NDArray[np.bool_]:
    """Masks of all slots, bool (slots, actions), whatever they are wrapped in.

    Of ours they come as one array; of others, one by one.
    """
    inner = environments.unwrapped
    masks: NDArray[np.bool_] = (
        inner.action_masks() if isinstance(inner, SlotsVecEnv) else get_action_masks(environments).astype(np.bool_)
    )
    return masks


class NativeVecEnv(SlotsVecEnv):
    """A native vector environment as a `VecEnv`: one compiled call steps all slots, one call masks all of them.

    Where a game is over, the slot's info holds `terminal_observation` and `TimeLimit.truncated` as stable-baselines3
    expects them, and the `action_mask` (int8) of the former, and the slot has been reset already; other infos are
    empty. The masks of all slots are what `action_masks` says.

    Where every seat is a slot and a game was truncated, the info also holds its `players` and `slots_to_mover`: how
    many slots further the seat is that would have been to move.

    Attributes:
        env: the vector environment.
    """

    def __init__(self, env: TurnBasedVectorEnv) -> None:
        """Adapts `env`, whose autoreset mode is SAME_STEP.

        Raises:
            ValueError: its autoreset mode is another.
        """
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(
                "stable-baselines3 begins again in the same step: autoreset_mode is expected to be 'SameStep', "
                f"not {env.autoreset_mode.value!r}"
            )
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self.metadata = {**self.metadata, "render_fps": env.metadata["render_fps"]}
        self._actions: NDArray[np.int64] = np.zeros(env.num_envs, dtype=np.int64)

    def reset(self) -> NDArray[np.float32]:
        """New games in all slots, with the seeds that `seed` has set, if any; their first observations."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observations, _ = self.env.reset(seed=seeds)
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions: observations, rewards (float32), whether games are over, and infos."""
        observations, rewards, terminated, truncated, batch_infos = self.env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if "final_obs" in batch_infos:
            final, masks = batch_infos["final_obs"], batch_infos["final_info"]["action_mask"]
            for slot in np.flatnonzero(batch_infos["_final_obs"]).tolist():
                infos[slot] = {
                    "terminal_observation": final[slot],
                    "TimeLimit.truncated": bool(truncated[slot] and not terminated[slot]),
                    "action_mask": masks[slot],
                }
            if isinstance(self.env, AllSeatsVectorEnv):
                self._tell_movers(infos, np.flatnonzero(truncated), masks)
        return observations, rewards.astype(np.float32), terminated | truncated, infos

    def _tell_movers(self, infos: list[dict[str, Any]], truncated: NDArray[np.intp], masks: NDArray[np.int8]) -> None:
        players = self.env.game.players
        movers = masks[:, -1].reshape(-1, players).argmin(axis=1)  # the one of each game that does not pass
        for slot in truncated.tolist():
            game, seat = divmod(slot, players)
            infos[slot].update({"players": players, "slots_to_mover": int(movers[game]) - seat})

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Pictures of the first few tables, uint8 (height, width, 3) each; None where no "rgb_array" is asked for."""
        pictures = self.env.render() if self.env.render_mode == "rgb_array" else None
        if pictures is None:
            return super().get_images()
        seats = self.env.game.players if isinstance(self.env, AllSeatsVectorEnv) else 1
        return pictures[: IN_A_WINDOW * seats : seats]

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`render`, which redraws the window, and what all such environments have.

        Raises:
            AttributeError: another method was asked for.
        """
        if method_name == "render":
            self.env.render()
            return [None for _ in self._get_indices(indices)]
        return super().env_method(method_name, *method_args, indices=indices, **method_kwargs)

    def state(self) -> dict[str, Any]:
        """The games as they stand."""
        return self.env.state()

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores the games that `state` gave.

        Raises:
            ValueError: these are no games of this environment.
        """
        self.env.load_state(state)
        self._reset_seeds()

    def action_masks(self) -> NDArray[np.bool_]:
        """Masks of all slots, bool (slots, actions), from a single call."""
        return self.env.action_masks()

    def close(self) -> None:
        """Closes the vector environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the vector environment, which all slots share.

        Raises:
            AttributeError: it has none of that name.
        """
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]


class SideBySideVecEnv(SlotsVecEnv):
    """The slots of several native environments with the same observations; some may have one action more, *pass*.

    The action space is the largest; where a slot does not have its last action, the mask forbids it.

    Attributes:
        parts: the environments.
    """

    def __init__(self, parts: Sequence[NativeVecEnv]) -> None:
        """Puts `parts` side by side, in this order."""
        self.parts = list(parts)
        spaces = [part.action_space for part in parts]
        largest = max(spaces, key=lambda space: int(space.n))  # type: ignore[attr-defined]
        self._bounds = np.cumsum([0, *(part.num_envs for part in parts)]).tolist()
        super().__init__(self._bounds[-1], parts[0].observation_space, largest)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Seeds the slots with `seed`, `seed` + 1, ... at the next reset."""
        seeds: list[int | None] = []
        for part, first in zip(self.parts, self._bounds, strict=False):
            seeds += part.seed(None if seed is None else seed + first)
        return seeds

    def reset(self) -> NDArray[np.float32]:
        """New games in all slots; their first observations."""
        observations = [part.reset() for part in self.parts]
        self.reset_infos = [info for part in self.parts for info in part.reset_infos]
        return np.concatenate(observations)

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Hands each slot its action."""
        for part, (low, high) in zip(self.parts, pairwise(self._bounds), strict=True):
            part.step_async(actions[low:high])

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions: observations, rewards (float32), whether games are over, and infos."""
        observations, rewards, dones, infos = zip(*(part.step_wait() for part in self.parts), strict=True)
        return (
            np.concatenate(observations),
            np.concatenate(rewards),
            np.concatenate(dones),
            [info for of_part in infos for info in of_part],
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Masks of all slots, bool (slots, actions): one call of each environment."""
        masks = np.zeros((self.num_envs, int(self.action_space.n)), dtype=np.bool_)  # type: ignore[attr-defined]
        for part, low in zip(self.parts, self._bounds, strict=False):
            own = part.env.action_masks()
            masks[low : low + len(own), : own.shape[1]] = own
        return masks

    def state(self) -> dict[str, Any]:
        """The states of all parts, each array's name after its part's number."""
        return {
            f"{k}.{name}": value for k, part in enumerate(self.parts) for name, value in cast(Any, part).state().items()
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: these are no games of these environments.
        """
        for k, part in enumerate(self.parts):
            own = {name.removeprefix(f"{k}."): value for name, value in state.items() if name.startswith(f"{k}.")}
            cast(Any, part).load_state(own)

    def close(self) -> None:
        """Closes all parts."""
        for part in self.parts:
            part.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each slot's environment.

        Raises:
            AttributeError: one of them has none of that name.
        """
        values = [value for part in self.parts for value in part.get_attr(attr_name)]
        return [values[slot] for slot in self._get_indices(indices)]
