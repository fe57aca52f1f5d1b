"""The optimum of 21 des Demi-Îles alone: the fewest turns on average, from each of 12,582,911 states.

Sets of scores are solved from the full one down, so that wherever a throw may lead out of a set the values are known.
Inside a set there is a small stochastic shortest-path problem, solved by policy iteration (Puterman, *Markov Decision
Processes*, 1994, ch. 7) that starts from a play which leaves the set for certain; each later play is at least as good,
so it leaves for certain too (Bertsekas and Tsitsiklis, *An analysis of stochastic shortest path problems*, 1991).

The rule that cuts a played game after `max_turns` is left out: this is the game played until it is finished.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import store
from nenette.exact.model import Floats, Ints
from nenette.exact.optimum import Optimum
from nenette.exact.responses import Unsolvable
from nenette.exact.solo.states import N_SETS, N_STATES, index, layout, pack, throws, unpack
from nenette.games.demi_iles import ALL_SEEN, TARGET, DemiIlesSolo, DemiIlesSoloRules

__all__ = ["SoloOptimum", "reachable", "solve_solo"]

TOLERANCE = 1e-12
"""Turns by which another action must be better to be taken instead."""
MAX_ROUNDS = 100
_CODE = (
    "nenette.games.demi_iles",
    *(f"nenette.exact.{name}" for name in ("elimination", "solo.loops", "solo.solving", "solo.states", "store")),
)


@dataclass(frozen=True, eq=False)
class SoloOptimum(Optimum):
    """Optimal play of the solo game; tables lie as `nenette.exact.solo.states` says and may be mapped from a file.

    Attributes:
        packed: uint8, (N_STATES // 4,): optimal numbers of dice at 2 bits a state, the first state in the lowest bits.
        turns: float64, (N_STATES,): expected turns to the end, which stands last, with 0.
    """

    packed: NDArray[np.uint8]
    turns: Floats

    def index(self, fields: NDArray[np.integer]) -> Ints:
        """int64, (n,): where the states with these fields, (n, 21), stand in the tables."""
        return index(fields[:, 0], fields[:, 1:].astype(np.int64) @ (1 << np.arange(TARGET - 1)))

    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """See `Optimum`."""
        where = self.index(fields)
        if where.size and where.max() == N_STATES - 1:
            raise ValueError(f"a state was given in which no move is to be made in {self.game.name}")
        return unpack(self.packed, where)

    def values_of(self, fields: NDArray[np.integer]) -> Floats:
        """See `Optimum`: minus the expected turns."""
        return -self.turns[self.index(fields)]


def solve_solo(game: DemiIlesSolo, *, use_cache: bool = True) -> SoloOptimum:
    """The optimum of the solo game, from the cache if it is there.

    Args:
        game: with any `max_turns`, which makes no difference.
        use_cache: read and write the cache (see `nenette.exact.store`).
    """
    began = time.perf_counter()
    file = store.path(DemiIlesSolo(DemiIlesSoloRules(max_turns=None)), "optimum", _CODE)
    cached = store.read(file, mapped=True) if use_cache else None
    if cached is None:
        arrays, facts = _solve()
        if use_cache:
            store.write(file, arrays, facts)
    else:
        arrays, facts = cached
    seconds = time.perf_counter() - began
    return SoloOptimum(game, facts, seconds, cached is not None, arrays["packed"], arrays["turns"])


def _solve() -> tuple[store.Arrays, dict[str, Any]]:
    from nenette.exact.solo import loops  # compiles; a cached solution can do without

    sizes, offsets = layout()
    _, counts, outcomes, probabilities = throws()
    turns, actions = np.zeros(N_STATES), np.zeros(N_STATES, dtype=np.uint8)
    rounds = loops.solve_sets(sizes, offsets, counts, outcomes, probabilities, TOLERANCE, MAX_ROUNDS, turns, actions)
    if rounds < 0:
        raise Unsolvable(
            f"policy iteration did not end in {MAX_ROUNDS} rounds" if rounds == -1 else "no play ends the solo game"
        )
    found = {
        "states": N_STATES - 1,
        "reachable": reachable()[1],
        "turns": float(turns[0]),
        "value": -float(turns[0]),
        "rounds": rounds,
    }
    return {"packed": pack(actions), "turns": turns}, found


def reachable() -> tuple[NDArray[np.uint32], int]:
    """Bits of each set's scores (N_SETS,) that some play gets to from the start, and how many have a decision."""
    from nenette.exact.solo import loops

    weights = throws().weights
    onward = (weights > 0).any(axis=1) @ (1 << np.arange(TARGET + 1))
    reached = np.zeros(N_SETS, dtype=np.uint32)
    states = loops.reachable_scores(onward, reached)
    reached[ALL_SEEN] &= np.uint32((1 << TARGET) - 1)  # the end
    return reached, states
