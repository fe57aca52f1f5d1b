"""A match of 421, solved by its manche.

A match is one manche after another, and what is best in a manche does not depend on the match as long as winning it is
worth more than losing it. So the manche is solved, and the match's value follows from the value of a manche.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.model import Model
from nenette.exact.responses import Unsolvable
from nenette.exact.solution import Solver
from nenette.exact.zero_sum import Equilibrium, solve_zero_sum
from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import MAX_THROWS


def _solve_manche(model: Model) -> tuple[Equilibrium, dict[str, Any]]:
    equilibrium = solve_zero_sum(model)
    core: Quatre21 = model.game  # type: ignore[assignment]
    total = core.rules.fiches
    entries = [core.decode(fields) for fields in model.fields[: model.n_entries].tolist()]
    wins = (1.0 + equilibrium.values) / 2
    leader_wins = {
        state.fiches[0]: float(wins[i])
        for i, state in enumerate(entries)
        if not state.bank and not state.throws and state.limit == MAX_THROWS
    }
    assert sorted(leader_wins) == list(range(1, total))
    start = float(wins[model.start])
    return equilibrium, {"leader_wins": {str(f): leader_wins[f] for f in sorted(leader_wins)}, "manche_value": start}


def _match_facts(game: Quatre21, found: dict[str, Any]) -> dict[str, Any]:
    """Adds the chance that the leader of the first charge wins the match."""
    manche = found["manche_value"]
    worth: dict[tuple[int, ...], float] = {}  # of a new manche to its leader, seat 0, by the fiches de manche
    lose = game.rules.manches_to_lose
    scores = sorted(((a, b) for a in range(lose) for b in range(lose)), key=sum, reverse=True)

    def value(state: State) -> float:
        """To seat 0."""
        returns = game.returns(state)
        if returns is not None:
            return returns[0]
        leader = game.seat(state)
        return worth[state.manches[leader:] + state.manches[:leader]] * (1 if leader == 0 else -1)

    for manches in scores:
        start = State(manches, (0, 0), game.rules.fiches, (0, 1))
        won, lost = (sum(float(p) * value(after) for after, p in game.after_manche(start, loser)) for loser in (1, 0))
        if won <= lost:
            raise Unsolvable(
                "under these rules a manche may be better lost than won, which this solver does not handle"
            )
        worth[manches] = manche * won + (1 - manche) * lost
    return {"value": (1 + worth[0, 0]) / 2, **found}


def _manche(game: Quatre21) -> Quatre21:
    return Quatre21(replace(game.rules, manches_to_lose=1, next_manche_leader="loser", max_turns=None))


def _without_manches(fields: NDArray[np.integer]) -> NDArray[np.integer]:
    return np.concatenate([np.zeros_like(fields[:, :2]), fields[:, 2:]], axis=1)


SOLVER = Solver(_manche, _without_manches, _solve_manche, _match_facts)
"""See `nenette.games.registry.GameSpec.solver`."""
