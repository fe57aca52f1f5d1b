"""From the steps of many slots to transitions between the learner's own decisions, n of them apart."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nenette_agents import states
from nenette_agents.states import State

__all__ = ["Steps", "Transitions", "UnfinishedReturns", "steps_of"]


class Steps(NamedTuple):
    """One step of all slots.

    Attributes:
        observations: what was seen, float32 (slots, size).
        masks: what was legal, bool (slots, actions).
        actions: what was played, integer (slots,).
        rewards: what it brought, (slots,).
        terminated: whether the game is over by its rules, bool (slots,).
        truncated: whether the game was truncated, bool (slots,); never where it was terminated.
        final_observations: the last observation where the game was truncated, (slots, size); other rows mean nothing.
        final_masks: what would have been legal there, (slots, actions).
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: NDArray[np.floating]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.float32]
    final_masks: NDArray[np.bool_]


def steps_of(
    observations: NDArray[np.float32],
    masks: NDArray[np.bool_],
    actions: NDArray[np.int64],
    rewards: NDArray[np.float32],
    dones: NDArray[np.bool_],
    infos: list[dict[str, Any]],
    new_observations: NDArray[np.float32],
    masked: bool,
    encode: Callable[[Any], NDArray[np.float32]],
) -> Steps:
    """A step of a `VecEnv`; what was seen last, where a game was truncated, is found in the infos.

    What was legal there is too; if not, that is not known where there are masks (`masked`), and else it is everything.
    `encode` makes a row (size,) of what was seen last; the other observations are rows already.
    """
    truncated = np.zeros(len(dones), dtype=np.bool_)
    for slot in np.flatnonzero(dones).tolist():
        truncated[slot] = infos[slot].get("TimeLimit.truncated", False)
    final_observations, final_masks = new_observations, masks
    if truncated.any():
        final_observations, final_masks = new_observations.copy(), np.ones_like(masks)
        for slot in np.flatnonzero(truncated).tolist():
            final_observations[slot] = encode(infos[slot]["terminal_observation"])
            final_masks[slot] = infos[slot].get("action_mask", not masked)
    terminated = dones & ~truncated
    return Steps(observations, masks, actions, rewards, terminated, truncated, final_observations, final_masks)


class Transitions(NamedTuple):
    """Decisions and what came of them: the target of each is `returns + discounts * (best legal value next)`.

    Attributes:
        observations: float32 (k, size).
        actions: int64 (k,).
        returns: discounted rewards up to the next decision that counts, float64 (k,).
        discounts: of the value there, float64 (k,); 0 where the game is over.
        next_observations: float32 (k, size); of no meaning where the game is over.
        next_masks: bool (k, actions); at least one action is legal.
    """

    observations: NDArray[np.float32]
    actions: NDArray[np.int64]
    returns: NDArray[np.float64]
    discounts: NDArray[np.float64]
    next_observations: NDArray[np.float32]
    next_masks: NDArray[np.bool_]


class UnfinishedReturns:
    """The last up to n decisions of each slot, whose returns are still growing.

    A slot that passes decides nothing: its rewards go to its earlier decisions, and time stands still for it.

    A decision is finished at the slot's n-th own decision after it, where a value takes over, or as the game ends.
    Then a game that was terminated has no value any more, while one that was truncated has that of what the slot sees
    last; if that is another seat's turn, no value of the slot's own is to be had, and its decisions are forgotten.

    Attributes:
        n: decisions whose rewards are summed.
    """

    def __init__(self, slots: int, size: int, actions: int, *, n: int, gamma: float, pass_action: int | None) -> None:
        """Nothing decided yet in any slot; the arguments' meaning is `MaskedReplayBuffer`'s."""
        self.n = n
        self._pass = pass_action
        self._powers = np.float64(gamma) ** np.arange(n + 1)
        # Row j of a slot's column is a decision; its age is counted back from `_newest`, and ages below `_count` live.
        self._newest = np.zeros(slots, dtype=np.int64)
        self._count = np.zeros(slots, dtype=np.int64)
        self._observations = np.zeros((n, slots, size), dtype=np.float32)
        self._actions = np.zeros((n, slots), dtype=np.int64)
        self._returns = np.zeros((n, slots))
        self._over = np.ones((1, actions), dtype=np.bool_)

    def add(self, steps: Steps) -> list[Transitions]:
        """Takes in a step of all slots; the decisions that it finishes, the oldest of each slot first."""
        own = np.arange(len(self._count)) if self._pass is None else np.flatnonzero(steps.actions != self._pass)
        finished = []
        ripe = own[self._count[own] == self.n]
        if len(ripe):
            discounts = np.full(len(ripe), self._powers[self.n])
            finished.append(self._taken(ripe, self.n - 1, discounts, steps.observations[ripe], steps.masks[ripe]))
            self._count[ripe] -= 1
        self._push(own, steps)
        ages = (self._newest - np.arange(self.n)[:, None]) % self.n
        self._returns += np.where(ages < self._count, self._powers[ages] * steps.rewards, 0.0)
        finished += self._ends(steps)
        return finished

    def forget(self) -> None:
        """Drops all decisions that are not finished."""
        self._count[:] = 0

    def state(self) -> State:
        """All decisions that are not finished."""
        return {
            "newest": self._newest.copy(),
            "count": self._count.copy(),
            "observations": self._observations.copy(),
            "actions": self._actions.copy(),
            "returns": self._returns.copy(),
        }

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: another number of slots, another n, or another size.
        """
        for name, mine in (
            ("newest", self._newest),
            ("count", self._count),
            ("observations", self._observations),
            ("actions", self._actions),
            ("returns", self._returns),
        ):
            mine[...] = states.array(state, name, mine.shape, mine.dtype)

    def _push(self, own: NDArray[np.intp], steps: Steps) -> None:
        rows = (self._newest[own] + 1) % self.n
        self._newest[own] = rows
        self._count[own] += 1
        self._observations[rows, own] = steps.observations[own]
        self._actions[rows, own] = steps.actions[own]
        self._returns[rows, own] = 0.0

    def _ends(self, steps: Steps) -> list[Transitions]:
        """What the games that end in this step finish."""
        ended = steps.terminated | steps.truncated
        if not ended.any():
            return []
        valued = steps.truncated & steps.final_masks.any(axis=1)
        if self._pass is not None:
            valued &= ~steps.final_masks[:, self._pass]
        finished = []
        for age in range(int(self._count[ended].max()) - 1, -1, -1):
            alive = self._count > age
            over = np.flatnonzero(steps.terminated & alive)
            if len(over):
                masks = self._over.repeat(len(over), axis=0)
                finished.append(self._taken(over, age, np.zeros(len(over)), steps.observations[over], masks))
            truncated = np.flatnonzero(valued & alive)
            if len(truncated):
                discounts = np.full(len(truncated), self._powers[age + 1])
                last = steps.final_observations[truncated], steps.final_masks[truncated]
                finished.append(self._taken(truncated, age, discounts, *last))
        self._count[ended] = 0
        return finished

    def _taken(
        self,
        slots: NDArray[np.intp],
        age: int,
        discounts: NDArray[np.float64],
        next_observations: NDArray[np.float32],
        next_masks: NDArray[np.bool_],
    ) -> Transitions:
        rows = (self._newest[slots] - age) % self.n
        where = rows, slots
        return Transitions(
            self._observations[where],
            self._actions[where],
            self._returns[where],
            discounts,
            next_observations,
            next_masks,
        )
