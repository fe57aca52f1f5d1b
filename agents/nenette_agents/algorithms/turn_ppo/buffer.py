"""A rollout buffer that learns from a slot's own decisions, and from nothing else."""

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

__all__ = ["OwnDecisionsBuffer"]

_DECISION = ("observations", "actions", "values", "log_probs", "action_masks", "rewards")
"""What a decision consists of; its reward is the sum of those since it."""


class OwnDecisionsBuffer(MaskableRolloutBuffer):
    """Rollouts of slots of which some pass: a step is a decision unless its mask leaves *pass* only.

    **How passes are kept out of the gradient.** `get` yields own decisions alone, so a pass is in no loss: not the
    policy's, not the value's, not the entropy's. Nor does one speak through another decision: each decision is linked
    to the slot's next own one, the rewards of all steps between them summed, and gamma and lambda are applied once a
    decision. Values of steps at which a slot passes are never read. So advantages and returns are those of ordinary GAE
    on the sequence of a slot's own decisions.

    **The end of the rollout.** Where a slot is to move then, the value of what it sees is the bootstrap, as usual.
    Where it is not, there is no such value yet: its last decision waits and is the first of the next rollout, with the
    rewards of the meantime, while the value that it was made with is the bootstrap of the decisions before it. So no
    decision is lost or counted twice, whatever came of it. A decision that has waited has the probability of the
    policy that made it: PPO's ratio is about just that.

    **The end of a game** comes with no value, whoever moved last. Where a game is truncated, the reward is to contain
    the value of going on, as stable-baselines3 has it.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        gae_lambda: float = 1,
        gamma: float = 0.99,
        n_envs: int = 1,
        *,
        pass_action: int | None,
    ) -> None:
        """An empty buffer; the arguments are stable-baselines3's, and the action *pass*, None where nobody passes."""
        self.pass_action = pass_action
        self._waits = np.zeros(n_envs, dtype=np.bool_)
        self._waiting: dict[str, NDArray[Any]] = {}
        super().__init__(buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs)
        self._waiting = {name: np.zeros_like(getattr(self, name)[0]) for name in _DECISION}

    @property
    def decisions(self) -> int:
        """How many there are to learn from, once returns have been computed."""
        return len(self.returns)

    def compute_returns_and_advantage(
        self, last_values: torch.Tensor, dones: NDArray[np.bool_], to_move: NDArray[np.bool_] | None = None
    ) -> None:
        """Advantages and returns of all decisions that are complete; keeps these and lets the others wait.

        Args:
            last_values: of what each slot sees after the last step, (slots,); read only where it is to move.
            dones: whether the last step ended the slot's game, (slots,).
            to_move: whether each slot is to move after the last step, (slots,); None: all are.
        """
        n = self.n_envs
        rows = {name: np.concatenate([self._waiting[name][None], getattr(self, name)]) for name in _DECISION}
        masks = self.action_masks
        decides = np.ones(masks.shape[:2], np.bool_) if self.pass_action is None else masks[..., self.pass_action] == 0
        own = np.concatenate([self._waits[None], decides])
        # A decision that waits belongs to a game that goes on.
        ends = np.concatenate([np.zeros((1, n)), self.episode_starts[1:], dones[None]]) != 0
        complete = np.ones(n, dtype=np.bool_) if to_move is None else to_move.copy()
        values, advantages = rows["values"], np.zeros_like(rows["values"])
        learn = np.zeros_like(own)
        rewarded, ahead = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
        following = np.where(complete, last_values.detach().cpu().numpy().ravel(), 0).astype(np.float32)
        self._waits = np.zeros(n, dtype=np.bool_)
        for step in reversed(range(len(own))):
            for behind in (rewarded, ahead, following):
                behind[ends[step]] = 0
            complete |= ends[step]
            rewarded += rows["rewards"][step]
            now = own[step]
            learn[step] = now & complete
            delta = rewarded + self.gamma * following - np.where(now, values[step], 0)
            advantages[step] = delta + self.gamma * self.gae_lambda * ahead
            self._wait(now & ~complete, step, rows, rewarded)
            ahead = np.where(now, np.where(complete, advantages[step], 0), ahead)
            following = np.where(now, values[step], following)
            rewarded = np.where(now, 0, rewarded)
            complete = complete | now
        self._keep(rows, advantages, learn)

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """All decisions in random order, in batches of about `batch_size` that differ by one at the most."""
        n = self.decisions
        parts = 1 if batch_size is None else max(1, round(n / batch_size))
        for batch in np.array_split(torch.randperm(n).numpy(), parts):
            yield self._get_samples(batch)

    def forget_waiting(self) -> None:
        """The games that go on will not be gone on with: decisions that wait for the next rollout are dropped."""
        self._waits[:] = False

    def state(self) -> dict[str, NDArray[Any]]:
        """The decisions that wait for the next rollout."""
        return {"waits": self._waits.copy(), **{name: array.copy() for name, array in self._waiting.items()}}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes back what `state` gave.

        Raises:
            ValueError: an array is missing, or has another shape or type.
        """
        for name, mine in {"waits": self._waits, **self._waiting}.items():
            given = state.get(name)
            if given is None or given.shape != mine.shape or given.dtype != mine.dtype:
                found = "missing" if given is None else f"{given.dtype} {given.shape}"
                raise ValueError(f"{name} is {found}, and {mine.dtype} {mine.shape} is expected")
            mine[...] = given

    def _wait(
        self, which: NDArray[np.bool_], step: int, rows: dict[str, NDArray[Any]], rewarded: NDArray[np.float32]
    ) -> None:
        self._waits |= which
        for name, waiting in self._waiting.items():
            waiting[which] = (rewarded if name == "rewards" else rows[name][step])[which]

    def _keep(self, rows: dict[str, NDArray[Any]], advantages: NDArray[np.float32], learn: NDArray[np.bool_]) -> None:
        for name in _DECISION:
            setattr(self, name, rows[name][learn])
        self.advantages = advantages[learn]
        self.returns = self.advantages + self.values
