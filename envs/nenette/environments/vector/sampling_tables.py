"""Distributions as tables for compiled code."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Distribution

__all__ = ["LARGEST_TOTAL", "NotCompilableError", "sampling_table"]

LARGEST_TOTAL = 1 << 15
"""The largest total of a distribution's weights that is written out."""


class NotCompilableError(Exception):
    """The tables of compiled code cannot say what this game does: it is played in Python."""


def sampling_table(
    distributions: Sequence[Distribution[Any]], outcomes: Sequence[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each distribution written out as equally likely outcomes.

    Args:
        distributions: one a row.
        outcomes: what can come out; the table holds places in this list.

    Returns:
        int32, (rows, widest): outcome of each number that may be drawn, in the order of `Distribution.sample`; int64,
        (rows,): of how many numbers one is drawn, 1 where the outcome is certain and nothing is drawn.

    Raises:
        NotCompilableError: an outcome is none of `outcomes`, or the weights of a distribution are too large.
    """
    place = {outcome: index for index, outcome in enumerate(outcomes)}
    totals = np.array([d.total if len(d) > 1 else 1 for d in distributions], dtype=np.int64)
    if totals.max() > LARGEST_TOTAL or any(o not in place for d in distributions for o in d.outcomes):
        raise NotCompilableError
    table = np.zeros((len(distributions), totals.max()), dtype=np.int32)
    for row, distribution in zip(table, distributions, strict=True):
        drawn = np.repeat([place[o] for o in distribution.outcomes], distribution.weights)
        row[: len(drawn)] = drawn[: len(row)]
    return table, totals
