"""The learner's rewards: scaled, and shaped by a potential.

Shaping by a potential P adds gamma P(next state) - P(state) to each reward, with P = 0 where a game is terminated.
Over a game these sum to a constant, so what is best to do stays what it was, whatever P is; a good guess at the value
of a state only makes it quicker to learn (Ng, Harada and Russell 1999).

Where seats pass while others move, a step runs from one own decision of a slot to its next, as for the learners: the
gain is added when the slot is to move again, or when its game ends.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["ShapedRewards"]


class ShapedRewards(VecEnvWrapper):
    """Gives scale · (reward + gamma P(next state) - P(state)); where a game is truncated, P counts, as its value does.

    Seats that do not move when a game is truncated go on, in self-play, with the negative of the others' value.
    That is right for potentials that sum to 0 over the seats, such as the difference of two scores.
    """

    def __init__(
        self,
        venv: VecEnv,
        weights: NDArray[np.float32],
        *,
        scale: float,
        gamma: float,
        pass_action: int | None = None,
    ) -> None:
        """Wraps `venv`.

        Args:
            venv: environments that begin again in the same step.
            weights: of the potential, see `nenette_agents.config.names`.
            scale: factor of all rewards.
            gamma: the learner's discount.
            pass_action: the number of the action *pass*; None: every step is a decision.
        """
        super().__init__(venv)
        self._weights, self._scale, self._gamma, self._pass = weights, scale, gamma, pass_action
        self._seen = np.zeros(venv.num_envs, dtype=np.float32)
        self._decided_at = np.zeros(venv.num_envs, dtype=np.float32)
        self._waits = np.zeros(venv.num_envs, dtype=np.bool_)

    def reset(self) -> VecEnvObs:
        """New games; their first observations."""
        observations = np.asarray(self.venv.reset())
        self._seen = observations @ self._weights
        self._waits[:] = False
        return observations

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Hands each slot its action; who does not pass decides where it stands now."""
        own = np.ones(self.num_envs, dtype=np.bool_) if self._pass is None else actions != self._pass
        self._decided_at[own] = self._seen[own]
        self._waits |= own
        self.venv.step_async(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give, the rewards shaped."""
        observations, rewards, dones, infos = self.venv.step_wait()
        self._seen = np.asarray(observations) @ self._weights
        reached = np.where(dones, np.float32(0), self._seen)
        for slot in np.flatnonzero(dones).tolist():
            if infos[slot]["TimeLimit.truncated"]:
                reached[slot] = infos[slot]["terminal_observation"] @ self._weights
        through = self._waits & (dones | self._to_move())
        self._waits &= ~through
        gained = np.where(through, self._gamma * reached - self._decided_at, np.float32(0))
        return observations, (self._scale * (rewards + gained)).astype(np.float32), dones, infos

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return {"seen": self._seen.copy(), "decided_at": self._decided_at.copy(), "waits": self._waits.copy()}

    def load_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Takes up what `state` gave.

        Raises:
            ValueError: it is of other environments.
        """
        for name, mine in self.state().items():
            given = state[name]
            if given.shape != mine.shape or given.dtype != mine.dtype:
                raise ValueError(f"{name} is {given.dtype} {given.shape}, and {mine.dtype} {mine.shape} is expected")
        self._seen, self._decided_at, self._waits = (state[name].copy() for name in ("seen", "decided_at", "waits"))

    def _to_move(self) -> NDArray[np.bool_] | bool:
        return True if self._pass is None else ~action_masks_of(self.venv)[:, self._pass]
