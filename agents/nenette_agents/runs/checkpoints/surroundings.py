"""What stable-baselines3 keeps around a learner: the monitor, the replay buffer, and figures not yet logged."""

from typing import Any

import numpy as np
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecMonitor

from nenette_agents.errors import CheckpointError
from nenette_agents.runs.checkpoints import states
from nenette_agents.runs.checkpoints.files import State

__all__ = ["Monitor", "PendingFigures", "Replay"]


class Monitor:
    """The returns and lengths of games that are going on."""

    def __init__(self, monitor: VecMonitor) -> None:
        self._monitor = monitor

    def state(self) -> State:
        """Of all slots."""
        monitor = self._monitor
        return {
            "returns": monitor.episode_returns.copy(),
            "lengths": monitor.episode_lengths.copy(),
            "count": monitor.episode_count,
        }

    def load_state(self, state: State) -> None:
        """Goes on from there."""
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
        """Goes on from there."""
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
        """They are pending again."""
        logger = self._logger
        try:
            figures: dict[str, Any] = state["figures"]
            for name, (value, count, excluded) in figures.items():
                logger.name_to_value[name] = float(value)
                logger.name_to_count[name] = int(count)
                logger.name_to_excluded[name] = tuple(map(str, excluded))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"the pending figures are invalid: {error}") from error
