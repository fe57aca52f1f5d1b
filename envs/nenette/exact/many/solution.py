"""The solution of a game of three or four players, as far as it is known: computed once, then cached."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import store
from nenette.exact.many.answers import ManyKey, turned
from nenette.exact.many.coalition import coalition, coalition_bounds
from nenette.exact.many.equilibrium import EPSILON, find_equilibrium
from nenette.exact.many.model import ManyModel, many_model
from nenette.exact.model import Floats, Ints
from nenette.exact.optimum import Optimum
from nenette.exact.responses import Unsolvable
from nenette.exact.state_keys import find_states
from nenette.games import Game
from nenette.games.identity import endless

__all__ = ["ManySolution", "solve_many"]

_MOST_PLAYERS = 3
"""With more, a round of the search for an equilibrium takes seconds, and it has not been seen to end."""


@dataclass(frozen=True, eq=False)
class ManySolution(Optimum):
    """An equilibrium, as a table of all states by their keys; and what a lone player gets against all others.

    Attributes:
        keys: int64, (n_states,), ascending: `game.codec.keys` of each state as its mover sees it.
        actions: int8, (n_states,): the equilibrium's; empty where none is looked for.
        values: float64, (n_states,): to the mover, in the game with trembling hands.
    """

    keys: Ints
    actions: NDArray[np.int8]
    values: Floats

    def actions_of(self, fields: NDArray[np.integer]) -> NDArray[np.int8]:
        """The equilibrium's action in each state; see `Optimum`.

        Raises:
            Unsolvable: no equilibrium of this game is known.
        """
        return self.actions[self._index(fields)]

    def values_of(self, fields: NDArray[np.integer]) -> Floats:
        """What the equilibrium is worth to the mover, in the game with trembling hands; see `Optimum`."""
        return self.values[self._index(fields)]

    def _index(self, fields: NDArray[np.integer]) -> Ints:
        if not len(self.actions):
            raise Unsolvable(f"no equilibrium of {self.game.name} with {self.game.players} players is known here")
        return find_states(self.keys, self.game.codec.keys(fields), self.game)


def solve_many(game: Game[Any], *, use_cache: bool = True) -> ManySolution:
    """What is known of a game of three or four players, from the cache if it is there.

    `coalition` is what the player at each seat gets in the game itself when all others act as one, between the
    `coalition_bounds` that either side's play makes sure of; `trembling_coalition` is the same in the game with
    trembling hands. `equilibrium` is what each seat gets in that game when all play the equilibrium that was found, and
    `nash_conv` what all seats together could gain there by playing otherwise.

    Raises:
        Unsolvable: the game is too large, or none of those that are solved.
    """
    began = time.perf_counter()
    core = endless(game)
    use_cache = use_cache and store.can_cache(core)
    file = store.path(core, "equilibrium")
    cached = store.read(file) if use_cache else None
    if cached is None:
        arrays, facts = _solve(many_model(core))
        if use_cache:
            store.write(file, arrays, facts)
    else:
        arrays, facts = cached
    seconds = time.perf_counter() - began
    return ManySolution(game, facts, seconds, cached is not None, arrays["keys"], arrays["actions"], arrays["values"])


def _solve(model: ManyModel) -> tuple[store.Arrays, dict[str, Any]]:
    trembling = model.trembling(EPSILON)
    facts = {"states": model.n_states, **_coalition_facts(model, trembling), "epsilon": EPSILON}
    if model.players > _MOST_PLAYERS:
        nothing = np.empty(0)
        return {"keys": nothing.astype(np.int64), "actions": nothing.astype(np.int8), "values": nothing}, facts
    found = find_equilibrium(trembling)
    everybody = [model.pure(found.rows)] * model.players
    steady, shaken = ManyKey(model), ManyKey(trembling)
    standing = shaken.standing(everybody)
    facts |= {
        "equilibrium": standing.values,
        "equilibrium_wins": standing.wins,
        "nash_conv": float(sum(shaken.gains(everybody))),
        "margin": found.margin,
        "steady_values": steady.standing(everybody).values,
        "steady_nash_conv": float(sum(steady.gains(everybody))),
        "search_rounds": found.rounds,
        "search_tries": found.tries,
    }
    keys = model.game.codec.keys(model.fields)
    order = np.argsort(keys)
    actions = model.row_action[found.rows[order]].astype(np.int8)
    return {"keys": keys[order], "actions": actions, "values": found.values[order]}, facts


def _coalition_facts(model: ManyModel, trembling: ManyModel) -> dict[str, Any]:
    key = ManyKey(model)
    together = coalition(trembling)
    least, most = coalition_bounds(model, together.rows)

    def by_seat(values: list[Floats]) -> list[float]:
        """The lone player sits at seat 0 in `values`: seen from there the game began so many seats later."""
        return [key.at_start(turned(values, seat)) for seat in range(model.players)]

    bounds = [list(pair) for pair in zip(by_seat(least), by_seat(most), strict=True)]
    return {
        "coalition": [(low + high) / 2 for low, high in bounds],
        "coalition_bounds": bounds,
        "trembling_coalition": by_seat(together.values),
    }
