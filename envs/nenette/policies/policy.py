"""What a policy is: probabilities of actions, from observations."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Probabilities = NDArray[np.float64]


class Policy(Protocol):
    """A memoryless way of playing one game, from any seat.

    One method serves everybody: environments ask it for one observation at a time, played matches for a batch, and the
    solver for all states at once.

    Attributes:
        name: what tables call it.
    """

    name: str

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """Probabilities of each action.

        Args:
            observations: float32, (n, codec.size).
            masks: int8, (n, n_actions), 1 where the action is legal; each row has at least one.

        Returns:
            float64, (n, n_actions); rows sum to 1 and are 0 where the mask is.
        """
        ...


def name_of(policy: object) -> str:
    """What tables call a policy: its `name`, or where it has none, its class's."""
    name = getattr(policy, "name", None)
    return name if isinstance(name, str) else type(policy).__name__


def choose(probabilities: Probabilities, rng: np.random.Generator) -> NDArray[np.int64]:
    """One action a row, drawn with the row's probabilities: int64 (n,)."""
    cumulative = probabilities.cumsum(axis=1)
    drawn = rng.random((len(cumulative), 1)) * cumulative[:, -1:]
    passed: NDArray[np.int64] = (cumulative <= drawn).sum(axis=1, dtype=np.int64)
    return passed.clip(max=probabilities.shape[1] - 1)
