"""Prioritised replay: transitions with large errors are drawn more often, and count less each time.

Source: Schaul et al., Prioritized Experience Replay, 2016, the proportional variant.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit
from nenette_agents.algorithms.dqn.states import State

__all__ = ["Priorities", "SumTree"]

_FLOOR = 1e-3
"""Added to every error, so that nothing is never drawn again."""


@dataclass(frozen=True)
class Priorities:
    """How much errors count.

    Attributes:
        alpha: power of the error; 0: all are drawn alike.
        beta: power of the correction at the beginning, which grows to 1 (all of it) by the end of the training.
    """

    alpha: float = 0.6
    beta: float = 0.4


class SumTree:
    """Weights of a fixed number of places, by which places are drawn.

    Attributes:
        largest: the largest weight that was ever set; at first 1.
    """

    def __init__(self, capacity: int) -> None:
        """No place has any weight."""
        self._capacity = capacity
        self._leaves = 1 << max(0, int(capacity - 1).bit_length())
        self._sums = np.zeros(2 * self._leaves)
        self.largest = 1.0

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self._sums[1])

    def weights(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """What `places` weigh, float64 of their shape."""
        found: NDArray[np.float64] = self._sums[places + self._leaves]
        return found

    def set(self, places: NDArray[np.intp], weights: NDArray[np.float64]) -> None:
        """Gives `places` (n,) their weights, finite and not negative; of a place given twice the last counts."""
        _set(self._sums, self._leaves, places, weights)
        if len(weights):
            self.largest = max(self.largest, float(weights.max()))

    def draw(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """The place at each share (0 <= share < 1) of the total; (n,), none of them without weight."""
        found: NDArray[np.intp] = _find(self._sums, self._leaves, shares * self.total)
        return found

    def state(self) -> State:
        """All weights, and the largest there ever was: the sums follow from them."""
        leaves = self._sums[self._leaves : self._leaves + self._capacity]
        return {"weights": leaves.copy(), "largest": np.array([self.largest])}

    def load_state(self, state: State) -> None:
        """Takes back what `state` gave.

        Raises:
            ValueError: weights of another number of places, or such as cannot be.
        """
        weights = state["weights"]
        if weights.shape != (self._capacity,) or weights.dtype != np.float64:
            raise ValueError(f"weights of {self._capacity} places are expected, not {weights.dtype} {weights.shape}")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError("weights of places are finite and not negative")
        self._sums[:] = 0
        self.set(np.arange(self._capacity), weights)
        self.largest = float(state["largest"][0])


def weights_of_errors(errors: NDArray[np.floating], alpha: float) -> NDArray[np.float64]:
    """What transitions with these absolute errors weigh."""
    weights: NDArray[np.float64] = (errors.astype(np.float64) + _FLOOR) ** alpha
    return weights


def corrections(probabilities: NDArray[np.float64], size: int, beta: float) -> NDArray[np.float32]:
    """How much each drawn transition counts, float32 (n,), the largest 1: (size * probabilities) ** -beta, scaled."""
    found = (size * probabilities) ** -beta
    scaled: NDArray[np.float32] = (found / found.max()).astype(np.float32)
    return scaled


@njit()
def _set(sums, leaves, places, weights):  # type: ignore[no-untyped-def]  # compiled
    for k in range(len(places)):
        node = leaves + places[k]
        sums[node] = weights[k]
        node >>= 1
        while node:
            # Added up anew, and not changed by the difference: nothing drifts.
            sums[node] = sums[2 * node] + sums[2 * node + 1]
            node >>= 1


@njit()
def _find(sums, leaves, targets):  # type: ignore[no-untyped-def]  # compiled
    found = np.empty(len(targets), dtype=np.intp)
    for k in range(len(targets)):
        target = targets[k]
        node = 1
        while node < leaves:
            node *= 2
            # Rounding may lead past all that has weight: then the left branch is the last that has any.
            if target >= sums[node] and sums[node + 1] > 0:
                target -= sums[node]
                node += 1
        found[k] = node - leaves
    return found
