"""What the page is given of 21 des Demi-Îles alone: how many turns the first states take; the page finds the others.

There are 12.6 million states, too many to travel in a page. But where at most `MOST_MISSING` scores are still missing
the page solves all that can follow in about a second, so only states with more missing are listed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.solo.solving import SoloOptimum
from nenette.exact.solo.states import layout
from nenette.games.demi_iles import TARGET
from nenette_agents.page.packing import packed

__all__ = ["MOST_MISSING", "tables"]

MOST_MISSING = 15
"""With more scores missing a state is listed; with as many or fewer the page solves it."""
_SCORES = TARGET - 1


def tables(optimum: SoloOptimum) -> dict[str, Any]:
    """Expected turns to the end, float32: set by set in the order of their numbers, each set's scores ascending."""
    sizes, offsets = layout()
    sets = np.flatnonzero(_SCORES - sizes.astype(np.int64) > MOST_MISSING)
    lengths = sizes[sets].astype(np.int64) + 2
    first = lengths.cumsum() - lengths
    places = np.repeat(offsets[sets].astype(np.int64) - first, lengths) + np.arange(lengths.sum())
    turns: NDArray[np.float32] = np.asarray(optimum.turns[places], dtype=np.float32)
    return {"mostMissing": MOST_MISSING, "turns": packed(turns)}
