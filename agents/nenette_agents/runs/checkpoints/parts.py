"""What a training consists of: named parts, each of which gives its state and goes on from one."""

import random
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor

from nenette_agents import states
from nenette_agents.errors import CheckpointError, shown
from nenette_agents.states import State

__all__ = [
    "Learner",
    "Monitor",
    "Part",
    "PendingFigures",
    "Randomness",
    "Replay",
    "load_states",
    "parts_of",
    "states_of",
]

_COUNTS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls")
_NUMBERS = ("_current_progress_remaining", "exploration_rate")
"""Attributes of stable-baselines3's learners; each is kept where a learner has it."""
_EPISODE = {"r": "returns", "l": "lengths", "t": "times"}
_MOST = 1 << 60


class Learner:
    """A learner of stable-baselines3: its weights, its optimiser, and how far it has come when a rollout begins."""

    def __init__(self, model: BaseAlgorithm) -> None:
        self._model = model

    def state(self) -> State:
        """Copies of the weights, the optimiser's state, the counters and the last episodes."""
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
        """Restores what `state` gave, in a learner just made from the same config.

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


class Monitor:
    """A `VecMonitor`: the returns and lengths so far of the games that are not over."""

    def __init__(self, monitor: VecMonitor) -> None:
        self._monitor = monitor

    def state(self) -> State:
        """Returns float32 (slots,), lengths int32 (slots,), and how many games have ended."""
        monitor = self._monitor
        return {
            "returns": monitor.episode_returns.copy(),
            "lengths": monitor.episode_lengths.copy(),
            "count": monitor.episode_count,
        }

    def load_state(self, state: State) -> None:
        """Restores what `state` gave."""
        monitor = self._monitor
        n = monitor.num_envs
        monitor.episode_returns = states.array(state, "returns", (n,), np.float32).copy()
        monitor.episode_lengths = states.array(state, "lengths", (n,), np.int32).copy()
        monitor.episode_count = states.integer(state, "count", 0, 1 << 60)


class Replay:
    """stable-baselines3's own replay buffer; only rows that have been filled are kept."""

    _ARRAYS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")

    def __init__(self, buffer: ReplayBuffer) -> None:
        self._buffer = buffer

    def state(self) -> State:
        """The rows themselves, not copies of them."""
        buffer = self._buffer
        n = buffer.size()
        return {
            "place": buffer.pos,
            "full": buffer.full,
            **{name: getattr(buffer, name)[:n] for name in self._ARRAYS},
        }

    def load_state(self, state: State) -> None:
        """Restores what `state` gave."""
        buffer = self._buffer
        buffer.full = state.get("full") is True
        buffer.pos = states.integer(state, "place", 0, buffer.buffer_size - 1)
        for name in self._ARRAYS:
            own = getattr(buffer, name)
            own[: buffer.size()] = states.array(state, name, (buffer.size(), *own.shape[1:]), own.dtype)
        if (buffer.actions < 0).any() or (buffer.actions >= buffer.action_space.n).any():  # type: ignore[attr-defined]
            raise CheckpointError("an action in the replay buffer is no action of the game")


class PendingFigures:
    """Figures that have been recorded and go to TensorBoard with the next ones."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger

    def state(self) -> State:
        """As texts: some of them may be no numbers."""
        logger = self._logger
        figures = {
            name: [repr(float(value)), logger.name_to_count.get(name, 0), list(logger.name_to_excluded.get(name) or ())]
            for name, value in list(logger.name_to_value.items())
            if isinstance(value, int | float | np.integer | np.floating)
        }
        return {"figures": figures}

    def load_state(self, state: State) -> None:
        """Restores the figures, which are pending again."""
        logger = self._logger
        try:
            figures: dict[str, Any] = state["figures"]
            for name, (value, count, excluded) in figures.items():
                logger.name_to_value[name] = float(value)
                logger.name_to_count[name] = int(count)
                logger.name_to_excluded[name] = tuple(map(str, excluded))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"the pending figures are invalid: {error}") from error


_TWISTER = 624  # words of a Mersenne twister


class Randomness:
    """The global generators of torch, NumPy and Python, which stable-baselines3 seeds and draws from; and a space's."""

    def __init__(self, actions: spaces.Space[Any]) -> None:
        self._actions = actions

    def state(self) -> State:
        """The states of all four generators; no number is drawn."""
        version, words, gauss = random.getstate()
        _, keys, place, has_gauss, next_gauss = np.random.get_state()  # noqa: NPY002  it is the global one that is kept
        return {
            "torch": torch.get_rng_state().numpy().copy(),
            "numpy": np.array(keys, dtype=np.uint32),
            "numpy_place": int(place),
            "numpy_has_gauss": int(has_gauss),
            "numpy_gauss": float(next_gauss),
            "python": np.array(words[:-1], dtype=np.uint32),
            "python_place": words[-1],
            "python_version": version,
            "python_gauss": gauss,
            "actions": self._actions.np_random.bit_generator.state,
        }

    def load_state(self, state: State) -> None:
        """Restores all four.

        Raises:
            CheckpointError: one is no state of its generator.
        """
        version = random.getstate()[0]
        own = torch.get_rng_state().numpy()
        words_of_torch = torch.from_numpy(states.array(state, "torch", own.shape, own.dtype).copy())
        words = states.array(state, "python", (_TWISTER,), np.uint32).tolist()
        place = states.integer(state, "python_place", 0, _TWISTER)
        states.integer(state, "python_version", version, version)
        gauss = None if state.get("python_gauss") is None else states.number(state, "python_gauss")
        legacy = (
            "MT19937",
            states.array(state, "numpy", (_TWISTER,), np.uint32),
            states.integer(state, "numpy_place", 0, _TWISTER),
            states.integer(state, "numpy_has_gauss", 0, 1),
            states.number(state, "numpy_gauss"),
        )
        try:
            self._actions.np_random.bit_generator.state = state["actions"]
            torch.set_rng_state(words_of_torch)
        except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise CheckpointError(f"a random state is invalid: {error}") from error
        np.random.set_state(legacy)  # noqa: NPY002
        random.setstate((version, (*words, place), gauss))


class Part(Protocol):
    """Anything on which the rest of a training depends."""

    def state(self) -> State:
        """Arrays and JSON values, by names without a slash. No random number is drawn, and nothing changes."""
        ...

    def load_state(self, state: State) -> None:
        """Restores what `state` gave, in a training that was made from the same config.

        Raises:
            ValueError: this is no state of it.
        """
        ...


def parts_of(model: BaseAlgorithm, others: Mapping[str, Part]) -> dict[str, Part]:
    """The parts of a training: the learner's, its environments', `others`, and all randomness.

    What a learner and its buffers say of themselves (`state`, `load_state`) is taken in as it is. Randomness comes
    last: whatever the others draw when they load their state does not matter then.
    """
    parts: dict[str, Part] = {"learner": Learner(model)}
    if _is_part(model):
        parts["algorithm"] = model
    for name in ("rollout_buffer", "replay_buffer"):
        buffer = getattr(model, name, None)
        if _is_part(buffer):
            parts[name] = buffer
        elif isinstance(buffer, ReplayBuffer):
            parts[name] = Replay(buffer)
    parts.update(_environments(model.get_env()))
    parts["figures"] = PendingFigures(model.logger)
    parts.update(others)
    parts["randomness"] = Randomness(model.action_space)
    return parts


def _environments(environments: VecEnv | None) -> dict[str, Part]:
    """The parts among the environments' wrappers and what they wrap."""
    parts: dict[str, Part] = {}
    while environments is not None:
        if isinstance(environments, VecMonitor):
            parts["monitor"] = Monitor(environments)
        elif _is_part(environments):
            parts[type(environments).__name__] = environments
        environments = environments.venv if isinstance(environments, VecEnvWrapper) else None
    return parts


def _is_part(thing: object) -> TypeGuard[Part]:
    """Whether its class says so: wrappers pass on what they are asked to what they wrap."""
    return hasattr(type(thing), "state") and hasattr(type(thing), "load_state")


def states_of(parts: Mapping[str, Part]) -> dict[str, State]:
    """The state of each part, by its name."""
    return {name: part.state() for name, part in parts.items()}


def load_states(parts: Mapping[str, Part], states: Mapping[str, Any]) -> None:
    """Restores the state of each part.

    Raises:
        CheckpointError: one sentence about the first part that does not.
    """
    if set(parts) != set(states):
        raise CheckpointError(
            f"the checkpoint has the parts {', '.join(sorted(states))}, "
            f"and this training has {', '.join(sorted(parts))}"
        )
    for name, part in parts.items():
        try:
            part.load_state(states[name])
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise CheckpointError(f"the checkpoint does not fit this training: {name}: {what}") from error
