"""A game written out: every state, every action, every transition, as sparse arrays.

States are seen from the side of whoever is to move, so that one table serves both seats. Rows are (state, action)
pairs. Column j of `transition` is "state j, and the same player moves again"; column n_states + j is "state j, and the
move has passed to the other player".

The states stand in layers. Layer 0 holds the *entries*, the only states that a cycle can come back to; from layer l
transitions lead to entries or to layers beyond l. Every other state is reached from exactly one entry without passing
another one. A game without such structure has a single layer in which all states are entries. The solvers use this to
turn a large cyclic game into a small linear system over the entries (`nenette.exact.chain`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nenette.exact.behaviours import RARE, Behaviours, Floats, Ints
from nenette.exact.sweeps import can_go_on, regions_pass
from nenette.games import Game

__all__ = ["RARE", "Floats", "Ints", "Model", "is_pure"]


@dataclass(frozen=True, eq=False)
class Model(Behaviours):
    """A one- or two-player game as arrays.

    Attributes:
        game: what it is a model of.
        fields: int16, (n_states, fields): each state as its mover sees it (`Game.encode`).
        row_start: int64, (n_states + 1,): state s has the rows row_start[s] .. row_start[s + 1] - 1.
        row_action: int64, (n_rows,): the action of each row, ascending within a state.
        transition: CSR float64, (n_rows, players * n_states): see the module's text. A row may list a column twice.
        win: float64, (n_rows,): probability that the game ends and the mover has won.
        loss: float64, (n_rows,): probability that the game ends and the mover has lost.
        cost: float64, (n_rows,): what the action costs at once (1 a turn in a solo game, else 0).
        ends: float64, (n_rows,): probability that the game ends (in the solo game nobody wins or loses).
        layers: int64, (n_layers + 1,): layer l holds the states layers[l] .. layers[l + 1] - 1.
        start: the state at the start of a game, seen by whoever begins.
        denominator: every probability is a multiple of 1 / denominator; 0 where that is not so.
    """

    game: Game[Any]
    fields: NDArray[np.int16]
    row_start: Ints
    row_action: Ints
    transition: sparse.csr_array
    win: Floats
    loss: Floats
    cost: Floats
    ends: Floats
    layers: Ints
    start: int
    denominator: int

    def __post_init__(self) -> None:
        for name in ("indptr", "indices"):  # the compiled passes are made for one type of index
            setattr(self.transition, name, getattr(self.transition, name).astype(np.int32, copy=False))

    @property
    def n_entries(self) -> int:
        """Number of entries: the states 0 .. n_entries - 1."""
        return int(self.layers[1])

    @property
    def sides(self) -> int:
        """1 for a solo game; 2 where each state can be met on either player's move."""
        return self.game.players

    @cached_property
    def decides(self) -> NDArray[np.bool_]:
        """bool, (n_states,): whether there is more than one action."""
        return np.diff(self.row_start) > 1

    @cached_property
    def payoff(self) -> Floats:
        """float64, (n_rows,): expected reward of the row to its mover: wins less losses less costs."""
        return self.win - self.loss - self.cost

    @cached_property
    def regions(self) -> tuple[Ints, Ints]:
        """For each state, the entry above it, and whether the move is the other player's there (1) or not (0).

        Raises:
            ValueError: the layers are not what the module's text says.
        """
        matrix = self.transition
        entry, passed, stray = regions_pass(self.row_start, matrix.indptr, matrix.indices, self.n_entries)
        if stray >= 0:
            raise ValueError(f"state {stray} does not lie below exactly one entry, after the states that lead to it")
        return entry, passed

    @cached_property
    def always_ends(self) -> bool:
        """Whether the game ends for certain however it is played, by everybody together."""
        matrix = self.transition
        return not can_go_on(self.row_start, matrix.indptr, matrix.indices, matrix.data, self.ends).any()

    def action_values(self, values: Floats) -> Floats:
        """float64, (n_rows,): what actions are worth to the mover when states are worth `values`, (n_states, sides)."""
        q: Floats = self.transition @ values.T.ravel() + self.payoff
        return q

    def ties(self, values: Floats, tolerance: float = 1e-9) -> Ints:
        """int64, (n_states,): how many actions are within `tolerance` of the best, by the optimal `values`."""
        best = self.action_values(values) > values[self.row_state, 0] - tolerance
        ties: Ints = np.add.reduceat(best, self.row_start[:-1], dtype=np.int64)
        return ties

    def trembling(self, epsilon: float) -> "Model":
        """The game in which each chosen action is replaced, with probability `epsilon`, by a uniformly random one."""
        counts = np.diff(self.row_start)
        spread = sparse.csr_array((np.ones(self.n_rows), (self.row_state, np.arange(self.n_rows))))
        mean = sparse.csr_array(spread.T @ sparse.diags_array(1.0 / counts) @ spread)
        mix = sparse.csr_array((1.0 - epsilon) * sparse.eye_array(self.n_rows) + epsilon * mean)
        columns = np.stack([self.win, self.loss, self.cost, self.ends], axis=1)
        win, loss, cost, ends = np.ascontiguousarray((mix @ columns).T)  # one layout: the passes compile for each
        return replace(
            self,
            transition=sparse.csr_array(mix @ self.transition),
            win=win,
            loss=loss,
            cost=cost,
            ends=ends,
            denominator=0,
        )

    def masks(self, states: Ints) -> NDArray[np.int8]:
        """int8, (states, n_actions): 1 where the action is legal."""
        masks = np.zeros((len(states), self.game.n_actions), dtype=np.int8)
        counts = np.diff(self.row_start)[states]
        rows = np.repeat(self.row_start[states], counts) + _within(counts)
        masks[np.repeat(np.arange(len(states)), counts), self.row_action[rows]] = 1
        return masks

    def behaviour(self, states: Ints, probabilities: Floats) -> Floats:
        """float64, (n_rows,): the rows' probabilities; a state that is not named has a single action.

        Args:
            states: int64, (n,): states that are named.
            probabilities: float64, (n, n_actions): of each action in them.

        Raises:
            ValueError: a state with a choice is not named, or probabilities are negative or do not sum to 1.
        """
        behaviour = np.where(self.decides[self.row_state], np.nan, 1.0)
        counts = np.diff(self.row_start)[states]
        rows = np.repeat(self.row_start[states], counts) + _within(counts)
        behaviour[rows] = probabilities[np.repeat(np.arange(len(states)), counts), self.row_action[rows]]
        return self.normalised(behaviour)

    def without_rare(self, behaviour: Floats) -> Floats:
        """float64, (n_rows,): the same behaviour when `rare` rows are never taken, if the game can go on for ever."""
        return behaviour if self.always_ends else super().without_rare(behaviour)


def is_pure(behaviour: Floats) -> bool:
    """Whether a behaviour takes one row for certain in every state."""
    return bool(((behaviour == 0.0) | (behaviour == 1.0)).all())


def _within(counts: Ints) -> Ints:
    """0 .. counts[0] - 1, 0 .. counts[1] - 1, and so on."""
    return np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
