"""The optimum of each game: computed once, then kept.

*21 des Demi-Îles* for two can be kept going for ever, and between perfect players it is: every threat can be parried at
no cost, so the value of the endless game is 0 and nearly any play attains it. What is solved is the game of trembling
hands (Selten 1975): each move is replaced, with a small probability ε, by a uniformly random one. Its optimum is unique
for small ε, loses nothing against a perfect player, and punishes everybody else.

A match of *421* is one manche after another, and what is best in a manche does not depend on the match as long as
winning it is worth more than losing it. So the manche is solved, and the match's value follows from the value of a
manche.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import store
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.models import model_of
from nenette.exact.optimum import Optimum
from nenette.exact.responses import Unsolvable, best_response
from nenette.exact.zero_sum import Equilibrium, solve_zero_sum
from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.games.quatre21 import Quatre21, State

EPSILON = 1e-3
"""Probability that a hand trembles."""


@dataclass(frozen=True, eq=False)
class Solution(Optimum):
    """Optimal play of a game and its value, as a table of all states by their keys.

    Attributes:
        core: the game whose states the table lists: `game` itself, or a manche of it.
        keys: int64, (n_states,), ascending: `core.codec.keys` of each state as its mover sees it.
        actions: int8, (n_states,): optimal actions.
        values: float64, (n_states,): to the mover; in the trembling game for demi-iles, of the manche for 421.
    """

    core: Game[Any]
    keys: Ints
    actions: NDArray[np.int8]
    values: Floats

    def index(self, fields: NDArray[np.integer]) -> Ints:
        """int64, (n,): where the states with these fields of `game`, (n, fields), stand in the table.

        Raises:
            ValueError: a state is not in the table: nothing is left to decide there.
        """
        keys = self.core.codec.keys(_SOLVERS[self.game.name].core_fields(fields))
        where = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        if not np.array_equal(self.keys[where], keys):
            raise ValueError(f"a state was given in which no move is to be made in {self.game.name}")
        return where

    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """See `Optimum`."""
        return self.actions[self.index(fields)]

    def values_of(self, fields: NDArray[np.integer]) -> Floats:
        """See `Optimum`; in the trembling game for demi-iles, of the manche for 421."""
        return self.values[self.index(fields)]


@dataclass(frozen=True)
class _Solver:
    """How a game is solved.

    Attributes:
        core: the game whose states are tabulated.
        core_fields: from the fields of the game's states to those of the core's.
        solve: optimal play of the core, and facts about it.
        facts: facts about the game that follow from the core's values.
    """

    core: Callable[[Any], Game[Any]]
    core_fields: Callable[[NDArray[np.integer]], NDArray[np.integer]]
    solve: Callable[[Model], tuple[Equilibrium, dict[str, Any]]]
    facts: Callable[[Any, Floats, dict[str, Any]], dict[str, Any]]


def solve(game: Game[Any], *, keep: bool = True) -> Optimum:
    """The optimum of `game`, from the cache if it is there.

    Args:
        game: demi-iles with two players, 421 with any rules, or demi-iles-solo.
        keep: read and write the cache (see `nenette.exact.store`).

    Raises:
        Unsolvable: there is no solver for this game.
    """
    if isinstance(game, DemiIlesSolo):
        from nenette.exact.solo.solving import solve_solo

        return solve_solo(game, keep=keep)
    return solve_for_two(game, keep=keep)


def solve_for_two(game: Game[Any], *, keep: bool = True) -> Solution:
    """The optimum of a game that two play: see `solve`."""
    began = time.perf_counter()
    solver = _SOLVERS.get(game.name)
    if solver is None:
        raise Unsolvable(f"{game.name} is not solved here; {' and '.join(_SOLVERS)} are")
    core = solver.core(game)
    file = store.path(core, "optimum")
    kept = store.read(file) if keep else None
    if kept is None:
        model = model_of(core)
        equilibrium, found = solver.solve(model)
        keys = core.codec.keys(model.fields)
        order = np.argsort(keys)
        actions = model.row_action[equilibrium.rows[order]].astype(np.int8)
        arrays: store.Arrays = {"keys": keys[order], "actions": actions, "values": equilibrium.values[order]}
        found = {"states": model.n_states, "residual": equilibrium.residual, **found}
        if keep:
            store.write(file, arrays, found)
    else:
        arrays, found = kept
    facts = solver.facts(game, arrays["values"], found)
    seconds = time.perf_counter() - began
    table = arrays["keys"], arrays["actions"], arrays["values"]
    return Solution(game, facts, seconds, kept is not None, core, *table)


def _solve_demi_iles(model: Model) -> tuple[Equilibrium, dict[str, Any]]:
    equilibrium = solve_zero_sum(model.trembling(EPSILON))
    # Nobody gains anything against this play in the endless game, from either seat: that bounds its value on both
    # sides.
    against = best_response(model, model.pure(equilibrium.rows)).values
    upper, lower = float(against[model.start, 0]), -float(against[model.start, 1])
    return equilibrium, {
        "value": (upper + lower) / 2,
        "value_bounds": [lower, upper],
        "tied_states": int((model.ties(against) > 1).sum()),
        "epsilon": EPSILON,
        "trembling_value": float(equilibrium.values[model.start]),
    }


def _demi_iles_facts(game: DemiIles, values: Floats, found: dict[str, Any]) -> dict[str, Any]:
    return found


def _solve_manche(model: Model) -> tuple[Equilibrium, dict[str, Any]]:
    equilibrium = solve_zero_sum(model)
    core: Quatre21 = model.game  # type: ignore[assignment]
    total = core.rules.fiches
    entries = [core.state(fields) for fields in model.fields[: model.n_entries].tolist()]
    wins = (1.0 + equilibrium.values) / 2
    leader_wins = {state.fiches[0]: float(wins[i]) for i, state in enumerate(entries) if state.bank == 0}
    assert sorted(leader_wins) == list(range(1, total))
    start = float(wins[model.start])
    return equilibrium, {"leader_wins": {str(f): leader_wins[f] for f in sorted(leader_wins)}, "manche_value": start}


def _match_facts(game: Quatre21, values: Floats, found: dict[str, Any]) -> dict[str, Any]:
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
            raise Unsolvable("under these rules a manche may be better lost than won, and this solver cannot tell")
        worth[manches] = manche * won + (1 - manche) * lost
    return {"value": (1 + worth[0, 0]) / 2, **found}


def _manche(game: Quatre21) -> Quatre21:
    return Quatre21(replace(game.rules, manches_to_lose=1, next_manche_leader="loser", max_turns=None))


def _without_manches(fields: NDArray[np.integer]) -> NDArray[np.integer]:
    return np.concatenate([np.zeros_like(fields[:, :2]), fields[:, 2:]], axis=1)


_SOLVERS: dict[str, _Solver] = {
    DemiIles.name: _Solver(lambda game: game, lambda fields: fields, _solve_demi_iles, _demi_iles_facts),
    Quatre21.name: _Solver(_manche, _without_manches, _solve_manche, _match_facts),
}
