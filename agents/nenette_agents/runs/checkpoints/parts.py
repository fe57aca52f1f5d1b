"""What a training consists of: named parts, each of which gives its state and goes on from one."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor

from nenette_agents.errors import CheckpointError
from nenette_agents.runs.checkpoints.files import State
from nenette_agents.runs.checkpoints.learner import Learner
from nenette_agents.runs.checkpoints.randomness import Randomness
from nenette_agents.runs.checkpoints.surroundings import Monitor, PendingFigures, Replay

__all__ = ["Part", "load_states", "parts_of", "states_of"]


class Part(Protocol):
    """Anything on which the rest of a training depends."""

    def state(self) -> State:
        """Arrays and JSON values, by names without a slash. Nothing is drawn, and nothing changes."""
        ...

    def load_state(self, state: State) -> None:
        """Goes on from there, in a training that was made from the same config.

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
    """Of the wrappers and of what they wrap."""
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
    """What all of them say."""
    return {name: part.state() for name, part in parts.items()}


def load_states(parts: Mapping[str, Part], states: Mapping[str, Any]) -> None:
    """All of them go on from there.

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
