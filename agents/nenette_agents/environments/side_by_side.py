"""Several environments of one game as one: their slots stand side by side."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from nenette_agents.environments.vec_env import NativeVecEnv, SlotsVecEnv

__all__ = ["SideBySideVecEnv"]


class SideBySideVecEnv(SlotsVecEnv):
    """The slots of several native environments, which all see the same and of which some know one action more.

    The action space is the largest; where a slot does not know its last action, the mask forbids it.

    Attributes:
        parts: the environments.
    """

    def __init__(self, parts: Sequence[NativeVecEnv]) -> None:
        """All of `parts`, in this order."""
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
        """Masks of all slots, bool (slots, n): one call of each environment."""
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
        """Takes up where the environments stood that gave `state`.

        Raises:
            ValueError: these are no games of these environments.
        """
        for k, part in enumerate(self.parts):
            own = {name.removeprefix(f"{k}."): value for name, value in state.items() if name.startswith(f"{k}.")}
            cast(Any, part).load_state(own)

    def close(self) -> None:
        """Nothing is held open."""
        for part in self.parts:
            part.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each slot's environment.

        Raises:
            AttributeError: one of them has none of that name.
        """
        values = [value for part in self.parts for value in part.get_attr(attr_name)]
        return [values[slot] for slot in self._get_indices(indices)]
