"""Masked PPO for slots that pass when they are not to move: one policy for all seats."""

from collections.abc import Generator
from typing import Any, Literal

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.utils import is_masking_supported
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from nenette_agents import states
from nenette_agents.algorithms.masked import MaskedLearner, row_size
from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["OwnDecisionsBuffer", "TurnMaskedPPO"]

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
        """Drops the decisions that wait for the next rollout: their games are abandoned."""
        self._waits[:] = False

    def state(self) -> dict[str, NDArray[Any]]:
        """The decisions that wait for the next rollout."""
        return {"waits": self._waits.copy(), **{name: array.copy() for name, array in self._waiting.items()}}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: an array is missing, or has another shape or type.
        """
        for name, mine in {"waits": self._waits, **self._waiting}.items():
            mine[...] = states.array(state, name, mine.shape, mine.dtype)

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


class TurnMaskedPPO(MaskedLearner, MaskablePPO):
    """sb3-contrib's masked PPO that decides, and learns, only in slots that are to move.

    Slots whose mask allows *pass* do so without asking the network; steps are counted in decisions.
    `OwnDecisionsBuffer` says what is learned. Where environments find their masks, and what a pass is, is in
    docs/algorithms.md.

    Where a game is truncated, the seat that would move goes on with the value of what it sees. The others have no such
    value, but a game's returns sum to 0: each of them goes on with an equal share of the negative of that value.
    """

    rollout_buffer: OwnDecisionsBuffer

    def __init__(
        self, policy: Any, env: Any, *, pass_action: int | Literal["last"] | None = "last", **settings: Any
    ) -> None:
        """Makes a learner with random weights.

        Args:
            policy: "MlpPolicy".
            env: one environment, or a `VecEnv`, with masks.
            pass_action: the action that means that a slot is not to move; None: each slot always is.
            settings: `MaskablePPO`'s other arguments; the rollout buffer is given.
        """
        self.pass_action: Any = pass_action
        super().__init__(policy, env, rollout_buffer_class=OwnDecisionsBuffer, **settings)

    def _setup_model(self) -> None:
        row_size(self.observation_space)  # says what is expected
        if self.pass_action == "last":
            self.pass_action = int(self.action_space.n) - 1  # type: ignore[attr-defined]
        self.rollout_buffer_kwargs = {"pass_action": self.pass_action}
        super()._setup_model()

    def _forget_unfinished(self) -> None:
        self.rollout_buffer.forget_waiting()

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays `n_rollout_steps` steps of all slots into the buffer; False if the callback stopped the training."""
        assert isinstance(rollout_buffer, OwnDecisionsBuffer)
        assert self._last_obs is not None
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        if not is_masking_supported(env):
            raise ValueError(
                "TurnMaskedPPO needs masks: by an action_masks() of each environment, "
                'or by info["action_mask"] after each reset and step'
            )
        masks = action_masks_of(env)
        for _ in range(n_rollout_steps):
            own = np.flatnonzero(self._to_move(masks))
            actions, values, log_probs = self._decide(masks, own)
            new_obs, rewards, dones, infos = env.step(actions)
            self.num_timesteps += len(own)
            callback.update_locals(locals())
            if not callback.on_step():
                # What was played since the last update is lost, and so is what came of the decisions that wait.
                self._last_obs, self._last_episode_starts = new_obs, dones  # type: ignore[assignment]
                rollout_buffer.forget_waiting()
                return False
            ended = np.flatnonzero(dones)
            self._update_info_buffer([infos[slot] for slot in ended.tolist()], dones[ended])
            self._go_on(rewards, ended, infos)
            rollout_buffer.add(
                self._last_obs,
                actions,
                rewards,
                self._last_episode_starts,
                values,
                log_probs,
                action_masks=masks,
            )
            self._last_obs, self._last_episode_starts = new_obs, dones  # type: ignore[assignment]
            masks = action_masks_of(env)
        to_move = self._to_move(masks)
        last_values = torch.zeros(env.num_envs)
        last_values[to_move] = self._values(self._last_obs[to_move])  # type: ignore[index]
        rollout_buffer.compute_returns_and_advantage(last_values, dones, to_move)
        callback.on_rollout_end()
        return True

    def _decide(
        self, masks: NDArray[np.bool_], own: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], torch.Tensor, torch.Tensor]:
        """Actions, values and log-probabilities of all slots; the latter two mean nothing where one passes."""
        n = len(masks)
        actions = np.full(n, 0 if self.pass_action is None else self.pass_action, dtype=np.int64)
        values, log_probs = torch.zeros(n), torch.zeros(n)
        if len(own):
            observations = torch.as_tensor(self._last_obs[own], device=self.device)  # type: ignore[index]
            with torch.no_grad():
                chosen, value, log_prob = self.policy(observations, action_masks=masks[own])
            actions[own] = chosen.cpu().numpy()
            values[own], log_probs[own] = value.cpu().ravel(), log_prob.cpu()
        return actions, values, log_probs

    def _values(self, observations: NDArray[np.float32]) -> torch.Tensor:
        with torch.no_grad():
            return self.policy.predict_values(torch.as_tensor(observations, device=self.device)).cpu().ravel()

    def _to_move(self, masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.ones(len(masks), dtype=np.bool_) if self.pass_action is None else ~masks[:, self.pass_action]

    def _go_on(self, rewards: NDArray[np.float32], ended: NDArray[np.intp], infos: list[dict[str, Any]]) -> None:
        """Adds to the rewards the value of going on with the games that were truncated.

        Raises:
            ValueError: a game was truncated at another seat's turn, and its infos do not say whose.
        """
        truncated = [slot for slot in ended.tolist() if infos[slot].get("TimeLimit.truncated", False)]
        if not truncated:
            return
        for slot in truncated:
            mask = infos[slot].get("action_mask")
            passes = self.pass_action is not None and mask is not None and bool(mask[self.pass_action])
            if passes and "slots_to_mover" not in infos[slot]:
                raise ValueError(
                    f"the game of slot {slot} was truncated at another seat's turn: "
                    'players and slots_to_mover are expected in the info (see "Who moves next" in docs/algorithms.md)'
                )
        movers = [slot + infos[slot].get("slots_to_mover", 0) for slot in truncated]
        values = self._values(np.stack([infos[slot]["terminal_observation"] for slot in movers])).numpy()
        for slot, mover, value in zip(truncated, movers, values, strict=True):
            share = 1.0 if slot == mover else -1.0 / (infos[slot]["players"] - 1)
            rewards[slot] += self.gamma * share * value
