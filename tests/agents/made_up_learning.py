"""Tiny games for learners, whose values can be worked out by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

END = -1
Table = dict[int, dict[int, tuple[float, int]]]
"""table[state][action]: reward and next state, or END; an action that is missing is illegal."""


class TableEnv(VecEnv):
    """Slots that walk through a table; illegal actions are an error, and observations are one-hot.

    They start at state 0, or in turn at `starts`. Where a game is cut, infos have a mask if the environment tells it.
    """

    def __init__(
        self,
        table: Table,
        *,
        slots: int = 4,
        actions: int = 2,
        cut_after: int | None = None,
        tells_masks: bool = True,
        starts: Sequence[int] = (0,),
    ) -> None:
        self.table, self.cut_after, self.tells_masks = table, cut_after, tells_masks
        self.starts = np.resize(starts, slots)
        self.steps = 0
        super().__init__(slots, spaces.Box(0, 1, (len(table),), np.float32), spaces.Discrete(actions))
        self.masks = np.zeros((len(table), actions), dtype=np.bool_)
        for state, moves in table.items():
            self.masks[state, list(moves)] = True

    def reset(self) -> Any:
        self.states = self.starts.copy()
        self.ages = np.zeros(self.num_envs, dtype=np.int64)
        return self.seen(self.states)

    def seen(self, states: Any) -> Any:
        return np.eye(len(self.table), dtype=np.float32)[states]

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        self.steps += 1
        rewards, dones = np.zeros(self.num_envs, dtype=np.float32), np.zeros(self.num_envs, dtype=np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for slot, (state, action) in enumerate(zip(self.states.tolist(), self.actions.tolist(), strict=True)):
            rewards[slot], following = self.table[state][action]
            self.ages[slot] += 1
            cut = following != END and self.ages[slot] == self.cut_after
            if following == END or cut:
                dones[slot] = True
                infos[slot] = {"TimeLimit.truncated": cut, "terminal_observation": self.seen(max(following, 0))}
                if cut and self.tells_masks:
                    infos[slot]["action_mask"] = self.masks[following].astype(np.int8)
                following, self.ages[slot] = self.starts[slot], 0
            self.states[slot] = following
        return self.seen(self.states), rewards, dones, infos

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        if attr_name != "action_masks":
            raise AttributeError(attr_name)
        return [self.env_method] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        assert method_name == "action_masks"
        return list(self.masks[self.states])

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs
