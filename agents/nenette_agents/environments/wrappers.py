"""What a config puts around a learner's environments: shaped rewards, and a hand that trembles."""

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from nenette_agents import states
from nenette_agents.environments.vec_env import action_masks_of
from nenette_agents.states import State

__all__ = ["ShapedRewards", "TremblingHands"]


class ShapedRewards(VecEnvWrapper):
    """Rewards scaled, and shaped by a potential P: scale · (reward + gamma P(next state) - P(state)).

    P is 0 where a game is terminated, so that what is added sums to a constant over a game: the best play stays the
    best, whatever P is, and a good guess at the value of a state makes it quicker to learn. Where a game is truncated,
    P counts, as the value does there.

    Where seats pass while others move, a step runs from one own decision of a slot to its next, as for the learners:
    the gain is added when the slot is to move again, or when its game ends. Seats that do not move when a game is
    truncated go on, in self-play, with the negative of the others' value; that is right for potentials that sum to 0
    over the seats, such as the difference of two scores.

    Source: Ng, Harada and Russell, Policy invariance under reward transformations, 1999.
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
            venv: environments that are reset in the step that ends a game.
            weights: of the potential, float32 (codec.size,), as `nenette_agents.config.named.potential_weights` makes
                them.
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

    def state(self) -> State:
        """Where each slot is: potentials, float32 (slots,), and which decisions wait for their gain, bool (slots,)."""
        return {"seen": self._seen.copy(), "decided_at": self._decided_at.copy(), "waits": self._waits.copy()}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: it is of other environments.
        """
        for name, mine in (("seen", self._seen), ("decided_at", self._decided_at), ("waits", self._waits)):
            mine[...] = states.array(state, name, mine.shape, mine.dtype)

    def _to_move(self) -> NDArray[np.bool_] | bool:
        return True if self._pass is None else ~action_masks_of(self.venv)[:, self._pass]


class TremblingHands(VecEnvWrapper):
    """Replaces actions by uniformly random legal ones: some of all, and all in the opening of each slot's games.

    PPO learns about the action that was chosen, and the slip is the environment's doing; so what is learned is how to
    play best if one errs at times, and meets others who do. In the limit of small slips that is Selten's trembling-hand
    perfect play. DQN can learn from any action, and receives the one that was played: to it, trembling is exploration.

    Either way positions come about that good players keep out of, so that they are learned as well. Random openings
    bring about more of them: games then go on from there as they should.

    Attributes:
        played_actions: what the actions of the last step came out as, (slots,).
    """

    def __init__(self, venv: VecEnv, share: float, seed: int, *, opening: int = 0) -> None:
        """Wraps `venv`.

        Args:
            venv: environments with action masks.
            share: probability that an action is replaced.
            seed: all that is random follows from it.
            opening: at most how many of a slot's first steps of a game are random; how many is drawn for each game.
        """
        super().__init__(venv)
        self._share, self._opening = share, opening
        self._rng = np.random.default_rng(seed)
        self.played_actions = np.zeros(venv.num_envs, dtype=np.int64)
        self._left = np.zeros(venv.num_envs, dtype=np.int64)

    def reset(self) -> VecEnvObs:
        """New games; their first observations."""
        self._left = self._rng.integers(self._opening + 1, size=self.num_envs)
        return self.venv.reset()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Hands on the actions, some of them replaced."""
        slips = np.flatnonzero((self._rng.random(self.num_envs) < self._share) | (self._left > 0))
        self._left -= self._left > 0
        played = np.array(actions)
        if len(slips):
            masks = action_masks_of(self.venv)[slips]
            played[slips] = (self._rng.random(masks.shape) * masks).argmax(axis=1)
        self.played_actions = played
        self.venv.step_async(played)

    def step_wait(self) -> VecEnvStepReturn:
        """What the environments give."""
        observations, rewards, dones, infos = self.venv.step_wait()
        begun = np.flatnonzero(dones)
        if len(begun):
            self._left[begun] = self._rng.integers(self._opening + 1, size=len(begun))
        return observations, rewards, dones, infos

    def state(self) -> State:
        """The random generator, and how many random moves each slot has left in its opening, int64 (slots,)."""
        return {"rng": self._rng.bit_generator.state, "left": self._left.copy()}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: it is of other environments.
        """
        self._left = states.array(state, "left", (self.num_envs,), np.int64).copy()
        self._rng.bit_generator.state = state["rng"]
