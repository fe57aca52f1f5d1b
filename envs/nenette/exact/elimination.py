"""Systems of an absorbing chain, (I - P) v = b or v (I - P) = e, solved without a subtraction.

As Grassmann, Taksar and Heyman do it (*Regenerative analysis and steady state distributions*, 1985): the chance of
leaving a state is summed up from its parts instead of being got by subtraction from 1, so nothing is lost to
cancellation however rarely play leaves a set of states. Compiled plain loops, for up to some hundred states.
"""

import numpy as np
from numpy.typing import NDArray

from nenette.compiling import njit


@njit()
def eliminate(chain: NDArray[np.float64], leaving: NDArray[np.float64], n: int) -> bool:
    """Takes states out of a chain from the last to the second, in place.

    Args:
        chain: (n, n) or larger: probabilities of going from state to state; its diagonal is not looked at.
        leaving: (n,) or larger: probabilities of leaving the set. Comes back as each state's probabilities of moving to
            an earlier state or out, when later ones have been taken out.
        n: number of states.

    Returns:
        Whether all states can be left; not so, too, where the chance is too small for a number (some 1e-300).
    """
    all_left = True
    for k in range(n - 1, -1, -1):
        total = leaving[k]
        for j in range(k):
            total += chain[k, j]
        all_left = all_left and total > 0.0
        for i in range(k):
            if chain[i, k] != 0.0 and total > 0.0:
                factor = chain[i, k] / total
                leaving[i] += factor * leaving[k]
                for j in range(k):
                    chain[i, j] += factor * chain[k, j]
        leaving[k] = total
    return all_left


@njit()
def solve_values(chain: NDArray[np.float64], leaving: NDArray[np.float64], n: int, b: NDArray[np.float64]) -> None:
    """Replaces b by v with v = b + P v, P having been eliminated."""
    for k in range(n - 1, 0, -1):
        for i in range(k):
            b[i] += chain[i, k] / leaving[k] * b[k]
    for k in range(n):
        total = b[k]
        for j in range(k):
            total += chain[k, j] * b[j]
        b[k] = total / leaving[k]


@njit()
def solve_visits(chain: NDArray[np.float64], leaving: NDArray[np.float64], n: int, e: NDArray[np.float64]) -> None:
    """Replaces e by v with v = e + v P, P having been eliminated; states that cannot be left get 0."""
    for k in range(n - 1, 0, -1):
        for j in range(k):
            if leaving[k] > 0.0:
                e[j] += e[k] / leaving[k] * chain[k, j]
    for k in range(n):
        total = e[k]
        for j in range(k):
            total += e[j] * chain[j, k]
        e[k] = total / leaving[k] if leaving[k] > 0.0 else 0.0
