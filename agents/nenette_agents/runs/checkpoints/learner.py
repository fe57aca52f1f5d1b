"""A learner of stable-baselines3: its networks, its optimiser, and how far it has come."""

from collections import deque
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from nenette_agents import states
from nenette_agents.errors import CheckpointError, shown
from nenette_agents.states import State

__all__ = ["Learner"]

_COUNTS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls")
_NUMBERS = ("_current_progress_remaining", "exploration_rate")
"""Attributes of stable-baselines3's learners; each is kept where a learner has it."""
_EPISODE = {"r": "returns", "l": "lengths", "t": "times"}
_MOST = 1 << 60


class Learner:
    """What `learn` goes on with when a rollout begins."""

    def __init__(self, model: BaseAlgorithm) -> None:
        self._model = model

    def state(self) -> State:
        """Copies of everything."""
        model: Any = self._model
        state: State = {f"weights.{name}": _array(tensor) for name, tensor in model.policy.state_dict().items()}
        optimiser = model.policy.optimizer.state_dict()
        for number, tensors in optimiser["state"].items():
            state.update({f"optimiser.{number}.{name}": _array(tensor) for name, tensor in tensors.items()})
        state["learning_rates"] = [float(group["lr"]) for group in optimiser["param_groups"]]
        state.update({name: int(getattr(model, name)) for name in _COUNTS if hasattr(model, name)})
        state.update({name: float(getattr(model, name)) for name in _NUMBERS if hasattr(model, name)})
        state["last_observations"] = np.array(model._last_obs)
        state["last_episode_starts"] = np.array(model._last_episode_starts)
        for key, name in _EPISODE.items():
            # The dtype is that of the values: means of single and double precision differ.
            state[f"episode_{name}"] = np.array([episode[key] for episode in model.ep_info_buffer])
        return state

    def load_state(self, state: State) -> None:
        """The learner, just made from the same config, goes on from there.

        Raises:
            CheckpointError: something is missing or has another shape.
        """
        model: Any = self._model
        self._load_weights(state)
        self._load_optimiser(state)
        for name in _COUNTS:
            if hasattr(model, name):
                setattr(model, name, states.integer(state, name, 0, _MOST))
        for name in _NUMBERS:
            if hasattr(model, name):
                setattr(model, name, states.number(state, name))
        shape = (model.n_envs, *model.observation_space.shape)
        model._last_obs = states.array(state, "last_observations", shape, model.observation_space.dtype).copy()
        model._last_episode_starts = states.array(state, "last_episode_starts", (model.n_envs,), np.bool_).copy()
        columns = {key: state.get(f"episode_{name}") for key, name in _EPISODE.items()}
        if not all(isinstance(column, np.ndarray) and column.ndim == 1 for column in columns.values()):
            raise CheckpointError("the last episodes are no arrays of one dimension")
        model.ep_info_buffer = deque(
            (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)),
            maxlen=model._stats_window_size,
        )
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)  # no game of ours knows successes

    def _load_weights(self, state: State) -> None:
        own = self._model.policy.state_dict()
        weights = {}
        for name, tensor in own.items():
            like = tensor.numpy()
            weights[name] = torch.from_numpy(states.array(state, f"weights.{name}", like.shape, like.dtype).copy())
        self._model.policy.load_state_dict(weights)

    def _load_optimiser(self, state: State) -> None:
        optimiser = self._model.policy.optimizer
        optimiser_state = optimiser.state_dict()
        rates = state.get("learning_rates")
        n = len(optimiser_state["param_groups"])
        if not isinstance(rates, list) or len(rates) != n or any(type(rate) is not float for rate in rates):
            raise CheckpointError(
                f"learning_rates is {shown(rates)}, and a list of numbers, as many as {n}, is expected"
            )
        for group, rate in zip(optimiser_state["param_groups"], rates, strict=True):
            group["lr"] = rate
        parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
        for key, value in state.items():
            if key.startswith("optimiser."):
                _, number, name = key.split(".", 2)
                if not number.isdecimal() or int(number) >= len(parameters):
                    raise CheckpointError(f"{key} is of no parameter: there are {len(parameters)}")
                shape = tuple(parameters[int(number)].shape) if np.ndim(value) else ()
                tensor = torch.from_numpy(states.array(state, key, shape, np.float32).copy())
                optimiser_state["state"].setdefault(int(number), {})[name] = tensor
        optimiser.load_state_dict(optimiser_state)


def _array(tensor: Any) -> Any:
    return tensor.detach().numpy().copy()
