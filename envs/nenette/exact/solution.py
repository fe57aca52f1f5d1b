"""The optimum of each game: computed once, then cached.

A game for two that comes to an end however it is played is solved as it is. One that can be kept going for ever, such
as *21 des Demi-Îles*, may have no optimum worth the name: between perfect players every threat is parried at no cost,
so the value of the endless game is 0 and nearly any play attains it. What is solved is then the game of trembling
hands (Selten 1975): each move is replaced, with a small probability ε, by a uniformly random one. Its optimum is unique
for small ε, loses nothing against a perfect player, and punishes what such a hand is likely to do wrong.

A game may have a solver of its own (`GameSpec.solver`): see `nenette.exact.quatre21_match`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import store
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.models import model_of
from nenette.exact.optimum import Optimum
from nenette.exact.responses import Unsolvable, best_response
from nenette.exact.state_keys import find_states
from nenette.exact.zero_sum import Equilibrium, solve_zero_sum
from nenette.games import Game, spec_of
from nenette.games.identity import endless
from nenette.games.registry import referred

EPSILON = 1e-3
"""Probability that a hand trembles."""


@dataclass(frozen=True, eq=False)
class Solution(Optimum):
    """Optimal play of a game and its value, as a table of all states by their keys.

    Attributes:
        core: the game whose states the table lists: `game` itself, or a manche of it.
        solver: how it was found.
        keys: int64, (n_states,), ascending: `core.codec.keys` of each state as its mover sees it.
        actions: int8, (n_states,): optimal actions.
        values: float64, (n_states,): to the mover; in the trembling game for demi-iles, of the manche for 421.
    """

    core: Game[Any]
    solver: "Solver"
    keys: Ints
    actions: NDArray[np.int8]
    values: Floats

    def index(self, fields: NDArray[np.integer]) -> Ints:
        """int64, (n,): where the states with these fields of `game`, (n, fields), stand in the table.

        Raises:
            ValueError: a state is not in the table: nothing is left to decide there.
        """
        return find_states(self.keys, self.core.codec.keys(self.solver.core_fields(fields)), self.game)

    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """See `Optimum`."""
        return self.actions[self.index(fields)]

    def values_of(self, fields: NDArray[np.integer]) -> Floats:
        """See `Optimum`; in the trembling game for demi-iles, of the manche for 421."""
        return self.values[self.index(fields)]


@dataclass(frozen=True)
class Solver:
    """How a game is solved.

    Attributes:
        core: the game whose states are tabulated.
        core_fields: from the fields of the game's states to those of the core's.
        solve: optimal play of the core, and facts about it.
        facts: facts about the game that follow from those about its core.
    """

    core: Callable[[Any], Game[Any]]
    core_fields: Callable[[NDArray[np.integer]], NDArray[np.integer]]
    solve: Callable[[Model], tuple[Equilibrium, dict[str, Any]]]
    facts: Callable[[Any, dict[str, Any]], dict[str, Any]]


def solve_for_two(game: Game[Any], *, use_cache: bool = True, model: Model | None = None) -> Solution:
    """The optimum of a game for two (see `nenette.exact.solve`); its `model` is made unless one is given."""
    began = time.perf_counter()
    spec = spec_of(game)
    solver: Solver = referred(spec.solver) if spec is not None and spec.solver is not None else ANY_GAME
    core = solver.core(endless(game))
    use_cache = use_cache and store.can_cache(core)
    file = store.path(core, "optimum")
    cached = store.read(file) if use_cache else None
    if cached is None:
        if model is None or core is not game:
            model = model_of(core)
        if model.sides != 2:
            raise Unsolvable(f"{game.name} is played alone: games for two are solved, and demi-iles-solo")
        equilibrium, found = solver.solve(model)
        keys = core.codec.keys(model.fields)
        order = np.argsort(keys)
        actions = model.row_action[equilibrium.rows[order]].astype(np.int8)
        arrays: store.Arrays = {"keys": keys[order], "actions": actions, "values": equilibrium.values[order]}
        found = {"states": model.n_states, "residual": equilibrium.residual, **found}
        if use_cache:
            store.write(file, arrays, found)
    else:
        arrays, found = cached
    facts = solver.facts(game, found)
    seconds = time.perf_counter() - began
    table = arrays["keys"], arrays["actions"], arrays["values"]
    return Solution(game, facts, seconds, cached is not None, core, solver, *table)


def _solve(model: Model) -> tuple[Equilibrium, dict[str, Any]]:
    if model.always_ends:
        equilibrium = solve_zero_sum(model)
        return equilibrium, {"value": float(equilibrium.values[model.start])}
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


ANY_GAME = Solver(lambda game: game, lambda fields: fields, _solve, lambda game, found: found)
"""How a game is solved that has no solver of its own."""
