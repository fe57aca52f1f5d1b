"""Masked PPO for slots that pass when they are not to move."""

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import is_masking_supported
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import MaybeCallback
from stable_baselines3.common.vec_env import VecEnv

from nenette_agents.algorithms.observations import row_size
from nenette_agents.algorithms.saving import SafelySaved
from nenette_agents.algorithms.turn_ppo.buffer import OwnDecisionsBuffer
from nenette_agents.environments.masks import FinalMasks, with_masks
from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["TurnMaskedPPO"]


class TurnMaskedPPO(SafelySaved, MaskablePPO):
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
        """A learner that has learned nothing.

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

    @staticmethod
    def _wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> VecEnv:
        if isinstance(env, gym.Env) and env.has_wrapper_attr("action_masks"):
            env = FinalMasks(env)
        return with_masks(MaskablePPO._wrap_env(env, verbose, monitor_wrapper))

    def _setup_learn(
        self,
        total_timesteps: int,
        callback: MaybeCallback = None,
        reset_num_timesteps: bool = True,
        tb_log_name: str = "run",
        progress_bar: bool = False,
    ) -> tuple[int, BaseCallback]:
        if reset_num_timesteps or self._last_obs is None:  # environments begin anew, and what goes on is abandoned
            self.rollout_buffer.forget_waiting()
        return super()._setup_learn(total_timesteps, callback, reset_num_timesteps, tb_log_name, progress_bar)

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
