"""All random states that a training draws from, beside those of its parts."""

import random
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from nenette_agents.errors import CheckpointError
from nenette_agents.runs.checkpoints import states
from nenette_agents.runs.checkpoints.files import State

__all__ = ["Randomness"]

_TWISTER = 624  # words of a Mersenne twister


class Randomness:
    """The global generators of torch, NumPy and Python, which stable-baselines3 seeds and draws from; and a space's."""

    def __init__(self, actions: spaces.Space[Any]) -> None:
        self._actions = actions

    def state(self) -> State:
        """Of all four; nothing is drawn."""
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
        """Everybody goes on from there.

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
