"""A replay buffer that knows what was legal."""

from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.utils import ConstantSchedule, LinearSchedule
from stable_baselines3.common.vec_env import VecNormalize

from nenette_agents.algorithms.dqn.decisions import Steps, Transitions, UnfinishedReturns
from nenette_agents.algorithms.dqn.storage import CompactRows, Priorities, SumTree, corrections, weights_of_errors
from nenette_agents.algorithms.masked import row_size
from nenette_agents.algorithms.saving import read_zip, write_zip
from nenette_agents.states import State, generator_words, make_generator, set_generator_words

__all__ = ["MaskedReplayBuffer", "MaskedSamples"]

_STREAM = 1


class MaskedSamples(NamedTuple):
    """A batch of transitions; the target of each is `returns + discounts * (best legal value next)`.

    Attributes:
        observations: float32 (batch, size).
        actions: int64 (batch, 1).
        next_observations: float32 (batch, size).
        next_masks: bool (batch, actions): what is legal there.
        returns: float32 (batch, 1): discounted rewards in between.
        discounts: float32 (batch, 1): 0 where the game is over.
        weights: float32 (batch, 1): how much each counts; 1 unless replay is prioritised.
        places: where the transitions lie, for `set_errors`.
    """

    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    next_masks: torch.Tensor
    returns: torch.Tensor
    discounts: torch.Tensor
    weights: torch.Tensor
    places: NDArray[np.intp]


class MaskedReplayBuffer(BaseBuffer):
    """The newest transitions of all slots, in one ring.

    A transition leads from a slot's own decision to its n-th next one, or to the end of the game. It is kept as what
    its target is made of, once that decision is reached: the newest n of each slot are not drawn yet.

    Attributes:
        beta: how much of the bias of prioritised replay is corrected; see `anneal`.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        *,
        n_steps: int = 1,
        gamma: float = 0.99,
        pass_action: int | None = None,
        priorities: Priorities | None = None,
        seed: int | None = None,
    ) -> None:
        """An empty buffer.

        Args:
            buffer_size: transitions of all slots together.
            observation_space: a Box, Discrete, MultiDiscrete or MultiBinary.
            action_space: a Discrete from 0 on.
            device: where batches go.
            n_envs: slots.
            optimize_memory_usage: stable-baselines3's; false.
            n_steps: decisions whose rewards are summed before a value takes over.
            gamma: discount from one decision to the next.
            pass_action: the action of a slot that is not to move; None: every step is a decision.
            priorities: of prioritised replay; None: all transitions are drawn alike.
            seed: of the draws.

        Raises:
            ValueError: the spaces are others, or there is no room for a step of each slot.
        """
        self._size = row_size(observation_space)
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        if not isinstance(action_space, spaces.Discrete) or action_space.start != 0:
            raise ValueError(f"actions 0, 1, 2, ... in a Discrete are expected, not {action_space}")
        if optimize_memory_usage:
            raise ValueError("optimize_memory_usage is expected to be False: this buffer saves memory in its own way")
        if buffer_size < n_envs:
            raise ValueError(f"a buffer of {buffer_size} has no room for a step of each of {n_envs} environments")
        self._n_actions = int(action_space.n)
        self._unfinished = UnfinishedReturns(
            n_envs, self._size, self._n_actions, n=n_steps, gamma=gamma, pass_action=pass_action
        )
        self._observations = CompactRows(buffer_size, 2 * self._size)  # what was seen, and next to it what came
        self._masks = np.zeros((buffer_size, (self._n_actions + 7) // 8), dtype=np.uint8)
        self._actions = np.zeros(buffer_size, dtype=np.int32)
        self._returns = np.zeros(buffer_size, dtype=np.float32)
        self._discounts = np.zeros(buffer_size, dtype=np.float32)
        self._priorities = priorities
        self._tree = SumTree(buffer_size) if priorities is not None else None
        self._beta = ConstantSchedule(0.0) if priorities is None else LinearSchedule(priorities.beta, 1.0, 1.0)
        self.beta: float = self._beta(1.0)
        self._generator = make_generator(seed, _STREAM)

    @property
    def nbytes(self) -> int:
        """Memory of the stored transitions, in bytes."""
        arrays = (self._masks, self._actions, self._returns, self._discounts)
        return self._observations.nbytes + sum(array.nbytes for array in arrays)

    def add(self, steps: Steps) -> None:
        """Takes in one step of all slots."""
        for transitions in self._unfinished.add(steps):
            self._store(transitions)

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> MaskedSamples:
        """A batch, drawn with replacement; nothing is normalised, whatever `env` is.

        Raises:
            ValueError: the buffer is empty.
        """
        size = self.size()
        if not size:
            raise ValueError("nothing can be drawn from an empty replay buffer")
        if self._tree is None:
            places: NDArray[np.intp] = self._generator.integers(size, size=batch_size)
            return self._get_samples(places)
        # One draw from each of batch_size equal shares of the total: each place is as likely, the batch more even.
        shares = (np.arange(batch_size) + self._generator.random(batch_size)) / batch_size
        return self._get_samples(self._tree.draw(shares))

    def anneal(self, left: float) -> None:
        """Sets `beta` where a share `left` of the training is left: it grows evenly, to 1 at the end, and then stays.

        Args:
            left: stable-baselines3's "progress remaining": 1 at the beginning, 0 at the end, negative beyond it.
        """
        self.beta = self._beta(left)

    def forget_unfinished(self) -> None:
        """Drops the decisions that wait for their outcome: their games are abandoned."""
        self._unfinished.forget()

    def set_errors(self, places: NDArray[np.intp], errors: NDArray[np.floating]) -> None:
        """Sets priorities by the errors (n,) of the transitions at `places`; without priorities, nothing changes."""
        if self._tree is not None and self._priorities is not None:
            self._tree.set(places, weights_of_errors(np.abs(errors), self._priorities.alpha))

    def state(self) -> State:
        """All that later batches depend on, as copies: a buffer that takes them goes on as this one does."""
        size = self.size()
        state: State = {
            "position": np.array([self.pos, int(self.full)], dtype=np.int64),
            "masks": self._masks[:size].copy(),
            "actions": self._actions[:size].copy(),
            "returns": self._returns[:size].copy(),
            "discounts": self._discounts[:size].copy(),
            "beta": np.array([self.beta]),
            "generator": generator_words(self._generator),
        }
        parts = {"observations": self._observations.state(size), "unfinished": self._unfinished.state()}
        if self._tree is not None:
            parts["priorities"] = self._tree.state()
        return state | {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave, in a buffer made in the same way.

        Raises:
            ValueError: the arrays do not go with this buffer.
            KeyError: one is missing.
        """
        pos, full = (int(number) for number in state["position"])
        size = self.buffer_size if full else pos
        if not 0 <= pos < self.buffer_size or ("priorities.weights" in state) != (self._tree is not None):
            raise ValueError("the state is that of a replay buffer of another size or kind")
        for name in ("masks", "actions", "returns", "discounts"):
            mine, given = getattr(self, f"_{name}"), state[name]
            if given.shape != (size, *mine.shape[1:]) or given.dtype != mine.dtype:
                raise ValueError(f"{name} of {size} transitions are expected, not {given.dtype} {given.shape}")
            mine[:size] = given
        self._observations.load_state(_part(state, "observations"))
        self._unfinished.load_state(_part(state, "unfinished"))
        if self._tree is not None:
            self._tree.load_state(_part(state, "priorities"))
        set_generator_words(self._generator, state["generator"])
        self.pos, self.full, self.beta = pos, bool(full), float(state["beta"][0])

    def save(self, path: str | Path | BinaryIO) -> None:
        """Writes all of `state` to a zip of numbers and words, as `MaskedDQN.save` does.

        Raises:
            OSError: the file cannot be written.
        """
        state = self.state()
        words = [int(word) for word in state.pop("generator")]
        arrays = {name: torch.from_numpy(array) for name, array in state.items()}
        write_zip(path, {"class": "MaskedReplayBuffer", "generator": words}, arrays)

    def load(self, path: str | Path | BinaryIO) -> None:
        """Restores what `save` wrote, in a buffer made in the same way.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is another file, or that of another buffer.
        """
        about, tensors = read_zip(path)
        if about.get("class") != "MaskedReplayBuffer":
            raise ValueError(f"the file holds a {about.get('class')}, and a MaskedReplayBuffer is expected")
        state = {name: tensor.numpy() for name, tensor in tensors.items()}
        try:
            self.load_state(state | {"generator": np.array(about["generator"], dtype=np.uint64)})
        except KeyError as error:
            raise ValueError(f"the file is not that of a replay buffer of this kind: {error} is missing") from error

    def _store(self, transitions: Transitions) -> None:
        number = len(transitions.actions)
        places = (self.pos + np.arange(number)) % self.buffer_size
        rows = np.concatenate([transitions.observations, transitions.next_observations], axis=1)
        self._observations.write(places, rows)
        self._masks[places] = np.packbits(transitions.next_masks, axis=1)
        self._actions[places] = transitions.actions
        self._returns[places] = transitions.returns
        self._discounts[places] = transitions.discounts
        if self._tree is not None:
            self._tree.set(places, np.full(number, self._tree.largest))
        self.full = self.full or self.pos + number >= self.buffer_size
        self.pos = (self.pos + number) % self.buffer_size

    def _get_samples(self, batch_inds: NDArray[np.intp], env: VecNormalize | None = None) -> MaskedSamples:  # type: ignore[override]
        rows = torch.from_numpy(self._observations.read(batch_inds)).to(self.device)
        masks = np.unpackbits(self._masks[batch_inds], axis=1, count=self._n_actions).view(np.bool_)
        return MaskedSamples(
            rows[:, : self._size],
            self._column(self._actions[batch_inds].astype(np.int64)),
            rows[:, self._size :],
            torch.from_numpy(masks).to(self.device),
            self._column(self._returns[batch_inds]),
            self._column(self._discounts[batch_inds]),
            self._column(self._weights(batch_inds)),
            batch_inds,
        )

    def _weights(self, places: NDArray[np.intp]) -> NDArray[np.float32]:
        if self._tree is None:
            return np.ones(len(places), dtype=np.float32)
        return corrections(self._tree.weights(places) / self._tree.total, self.size(), self.beta)

    def _column(self, numbers: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(numbers).to(self.device).reshape(-1, 1)


def _part(state: State, part: str) -> State:
    prefix = f"{part}."
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
