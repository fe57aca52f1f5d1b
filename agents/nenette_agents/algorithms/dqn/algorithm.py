"""DQN that knows which actions are legal."""

import inspect
import pathlib
import warnings
from dataclasses import asdict
from typing import Any, BinaryIO, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import MaybeCallback, RolloutReturn, TrainFreq
from stable_baselines3.common.utils import ConstantSchedule, polyak_update, should_collect_more_steps
from stable_baselines3.common.vec_env import VecEnv, unwrap_vec_normalize

from nenette_agents.algorithms.dqn.decisions import Steps, steps_of
from nenette_agents.algorithms.dqn.network import (
    LOSSES,
    Learned,
    Perceptron,
    boltzmann,
    explored,
    greedy,
    mask_source,
    next_values,
)
from nenette_agents.algorithms.dqn.replay import MaskedReplayBuffer, MaskedSamples
from nenette_agents.algorithms.dqn.storage import Priorities
from nenette_agents.algorithms.masked import MaskedLearner, as_rows
from nenette_agents.states import State, generator_words, make_generator, set_generator_words

__all__ = ["MaskedDQN"]

_STREAM = 0
_VECTORS = ("_online", "_target", "_average")
_OPTIMIZER = "_optimizer_state"
_DECAY = 9


class MaskedDQN(MaskedLearner, DQN):
    """stable-baselines3's DQN, in which an illegal action is neither tried nor chosen nor counted on.

    The mask governs exploration (each environment draws for itself whether it explores, and then uniformly among its
    legal actions; so it does before learning starts), the greedy choice, and the maximum in the target. Environments
    that have no masks are played as if everything were legal.

    Where environments say that other actions were played (`played_actions`, (slots,), after a step), those are learned
    from.

    At a time-out, the target takes the value of what was seen last, under the mask in `info["action_mask"]`; at a true
    end it takes none. A single environment that has masks is wrapped in `FinalMasks`, which puts it there. Where a
    `VecEnv` has masks and does not give that one, the value is not known, and the game's last decisions are not learned
    from.

    All counts of steps are decisions, those of all environments together; a pass is none. Only `train_freq` is, as in
    stable-baselines3, in steps of each environment.

    The random numbers that it draws itself follow from `seed` and come from streams of their own. Not supported:
    `VecNormalize`, and observations other than vectors.

    Attributes:
        double: whether the online network chooses the action that the target network values.
        averaged: whether the policy has a `q_net_average`, whose weights are a mean of the online network's.
        replay_buffer: a `MaskedReplayBuffer`.
    """

    replay_buffer: MaskedReplayBuffer  # type: ignore[assignment]

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        double: bool = False,
        averaged: bool = False,
        exploration_temperature: float = 0.0,
        n_steps: int = 1,
        priorities: Priorities | dict[str, float] | None = None,
        loss: Literal["huber", "squared"] = "huber",
        pass_action: int | None = None,
        gamma: float = 0.99,
        seed: int | None = None,
        policy_kwargs: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        """Makes a learner with random weights.

        Args:
            policy: "MlpPolicy".
            env: one environment, or a `VecEnv`.
            double: double Q-learning.
            averaged: whether to keep a mean of the weights, for about the last ninth of the training; it is not learned
                from, and not played by here.
            exploration_temperature: where it does not explore at random, it draws actions in proportion to
                exp(value / temperature): what is valued nearly as the best is tried nearly as often; 0: the best.
            n_steps: decisions whose rewards are summed before the target network takes over.
            priorities: of prioritised replay, also as a mapping of `alpha` and `beta`; None: uniform replay.
            loss: of the errors: "squared", or "huber", which is linear beyond 1.
            pass_action: the action that means that an environment is not to move; None: it always is.
            gamma: discount from one decision to the next, up to 1.
            seed: everything random follows from it.
            policy_kwargs: stable-baselines3's. An `optimizer_class` is given all weights as one vector.
            settings: stable-baselines3's other arguments.

        Raises:
            ValueError: an environment that is not supported.
        """
        self.double, self.averaged, self.exploration_temperature = double, averaged, exploration_temperature
        if loss not in LOSSES:
            raise ValueError(f"loss is {loss!r}, and one of {', '.join(map(repr, LOSSES))} is expected")
        self.loss, self._loss, self._slopes = loss, *LOSSES[loss]
        self.priorities = Priorities(**priorities) if isinstance(priorities, dict) else priorities
        self.pass_action = pass_action
        self._generator = make_generator(seed, _STREAM)
        self._warned_of_masks = False
        super().__init__(
            policy,
            env,
            gamma=gamma,
            n_steps=n_steps,
            seed=seed,
            policy_kwargs=policy_kwargs,
            replay_buffer_class=MaskedReplayBuffer,  # type: ignore[arg-type]
            replay_buffer_kwargs={
                "n_steps": n_steps,
                "gamma": gamma,
                "pass_action": pass_action,
                "priorities": self.priorities,
                "seed": seed,
            },
            **settings,
        )

    def state(self) -> State:
        """What goes on with it from step to step beside weights, optimiser, buffer and stable-baselines3's counters."""
        return {"generator": generator_words(self._generator)}

    def load_state(self, state: State) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: it is no such state.
        """
        set_generator_words(self._generator, state["generator"])

    def predict(
        self,
        observation: Any,
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[Any] | None = None,
        deterministic: bool = False,
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[Any, tuple[NDArray[Any], ...] | None]:
        """The best legal action of each observation, or with the rate of exploration a random legal one.

        Args:
            observation: (size,) or (n, size).
            state: comes back as it is.
            episode_start: of no meaning here.
            deterministic: whether to leave out exploration.
            action_masks: what is legal, (actions,) or (n, actions); None: everything.
        """
        many = self.policy.is_vectorized_observation(observation)
        rows = self._rows(observation if many else np.asarray(observation)[None])
        shape = len(rows), int(self.action_space.n)  # type: ignore[attr-defined]
        masks = np.ones(shape, dtype=np.bool_)
        if action_masks is not None:
            masks = np.asarray(action_masks).astype(np.bool_).reshape(shape)
        explores = (0.0, 0.0) if deterministic else (self.exploration_rate, self.exploration_temperature)
        actions = self._choose(rows, masks, *explores)
        return (actions if many else actions[0]), state

    def learn(
        self,
        total_timesteps: int,
        callback: MaybeCallback = None,
        log_interval: int = 1000,
        tb_log_name: str = "DQN",
        reset_num_timesteps: bool = True,
        progress_bar: bool = False,
    ) -> "MaskedDQN":
        """As in stable-baselines3; scalars are written every `log_interval` episodes, at most once a rollout."""
        return super().learn(total_timesteps, callback, log_interval, tb_log_name, reset_num_timesteps, progress_bar)

    def collect_rollouts(  # type: ignore[override]
        self,
        env: VecEnv,
        callback: BaseCallback,
        train_freq: TrainFreq,
        replay_buffer: MaskedReplayBuffer,
        action_noise: None = None,
        learning_starts: int = 0,
        log_interval: int | None = None,
    ) -> RolloutReturn:
        """Plays and stores `train_freq` steps; in contrast to the original, callbacks are called once all is stored."""
        callback.on_rollout_start()
        masks_of_all, masked = mask_source(env, int(self.action_space.n))  # type: ignore[attr-defined]
        episodes_before, steps = self._episode_num, 0
        pass_action = self.replay_buffer_kwargs["pass_action"]
        while should_collect_more_steps(train_freq, steps, self._episode_num - episodes_before):
            observations, masks = self._rows(self._last_obs), masks_of_all()
            rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
            actions = self._choose(observations, masks, rate, self.exploration_temperature)
            new, rewards, dones, infos = env.step(actions)
            actions = getattr(env, "played_actions", actions)  # an environment may have its own way
            played = steps_of(
                observations, masks, actions, rewards, dones, infos, self._rows(new), masked, self._final_row
            )
            self._tell_of_unknown_masks(played)
            replay_buffer.add(played)
            self._last_obs = new  # type: ignore[assignment]
            steps += 1
            passed = 0 if pass_action is None else int(np.count_nonzero(actions == pass_action))
            ended = np.flatnonzero(dones).tolist()
            self._episode_num += len(ended)
            self._update_info_buffer([infos[slot] for slot in ended])
            self._count(env.num_envs - passed)
            callback.update_locals(locals())
            if not callback.on_step():
                return RolloutReturn(steps * env.num_envs, self._episode_num - episodes_before, False)
        if log_interval and self._episode_num // log_interval > episodes_before // log_interval:
            self.dump_logs()
        callback.on_rollout_end()
        return RolloutReturn(steps * env.num_envs, self._episode_num - episodes_before, True)

    @staticmethod
    def _wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> VecEnv:
        wrapped = MaskedLearner._wrap_env(env, verbose, monitor_wrapper)
        if unwrap_vec_normalize(wrapped) is not None:
            raise ValueError("MaskedDQN keeps observations as they are, and takes no VecNormalize")
        return wrapped

    def _forget_unfinished(self) -> None:
        self.replay_buffer.forget_unfinished()

    def _setup_learn(self, *given: Any, **named: Any) -> tuple[int, BaseCallback]:
        total, callback = super()._setup_learn(*given, **named)
        self._update_progress(total)
        return total, callback

    def _count(self, decisions: int) -> None:
        """So many more have been made: the target network is renewed where it is due, and exploration goes on."""
        interval, before = self.target_update_interval, self.num_timesteps
        self.num_timesteps += decisions
        if self.num_timesteps // interval > before // interval:
            polyak_update([self._online.weights], [self._target.weights], self.tau)
        self._update_progress(self._total_timesteps)
        self.logger.record("rollout/exploration_rate", self.exploration_rate)

    def _update_progress(self, total_timesteps: int) -> None:
        self._update_current_progress_remaining(self.num_timesteps, total_timesteps)
        self.exploration_rate = self.exploration_schedule(self._current_progress_remaining)

    def _setup_model(self) -> None:
        n_steps, self.n_steps = self.n_steps, 1  # the buffer is our own, of which stable-baselines3 would warn
        super()._setup_model()
        self.n_steps = n_steps
        if self.exploration_fraction == 0:  # a slope over nothing
            self.exploration_schedule = ConstantSchedule(self.exploration_final_eps)
        if self.averaged:  # a module of the policy's, so that it goes wherever the policy's weights go
            self.policy.q_net_average = self.policy.make_q_net()
            self.policy.q_net_average.load_state_dict(self.q_net.state_dict())
        self._move_weights()

    def _move_weights(self) -> None:
        """The weights of each network into one vector, so that one kernel updates them all; a fresh optimiser."""
        self._online, self._target = Perceptron(self.q_net), Perceptron(self.q_net_target)
        self._average = Perceptron(self.policy.q_net_average) if self.averaged else None  # type: ignore[arg-type]
        make: Any = self.policy.optimizer_class
        settings = dict(self.policy.optimizer_kwargs)
        others = settings.get("foreach") or settings.get("differentiable")
        if "fused" in inspect.signature(make).parameters and not others:
            settings = {"fused": True, **settings}
        self.policy.optimizer = make([self._online.weights], lr=self.lr_schedule(1), **settings)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and for other processes: without the vectors, which the networks' weights are parts of."""
        state = {name: value for name, value in self.__dict__.items() if name not in _VECTORS}
        if "_online" in self.__dict__:
            state[_OPTIMIZER] = self.policy.optimizer.state_dict()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        optimizer = state.pop(_OPTIMIZER, None)
        super().__setstate__(state)
        if optimizer is not None:
            self._move_weights()
            self.policy.optimizer.load_state_dict(optimizer)

    def save_replay_buffer(self, path: str | pathlib.Path | BinaryIO) -> None:  # type: ignore[override]
        """Writes the replay buffer to a file as `save` does, without pickles.

        Raises:
            OSError: the file cannot be written.
        """
        self.replay_buffer.save(path)

    def load_replay_buffer(self, path: str | pathlib.Path | BinaryIO, truncate_last_traj: bool = True) -> None:  # type: ignore[override]
        """Restores what `save_replay_buffer` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is another file, or that of another buffer.
        """
        self.replay_buffer.load(path)

    def _setting(self, name: str) -> Any:
        if name == "priorities" and self.priorities is not None:
            return asdict(self.priorities)
        return super()._setting(name)

    def _more_state(self) -> dict[str, Any]:
        return {"generator": [int(word) for word in generator_words(self._generator)]}

    def _take_more_state(self, state: dict[str, Any]) -> None:
        set_generator_words(self._generator, np.array(state["generator"], dtype=np.uint64))

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Takes `gradient_steps` steps down the gradient of the loss, each of a batch from the replay buffer.

        While that is empty, nothing happens.
        """
        if not self.replay_buffer.size():
            return  # no decision is n decisions old yet
        self._update_learning_rate(self.policy.optimizer)
        self.replay_buffer.anneal(self._current_progress_remaining)
        losses = torch.zeros((), device=self.device)
        for _ in range(gradient_steps):
            losses += self._gradient_step(batch_size)
        self._n_updates += gradient_steps
        if self._average is not None:
            # The mean with polynomial decay: at any time the last ninth or so has most of the weight.
            share = _DECAY * gradient_steps / (self._n_updates + (_DECAY - 1) * gradient_steps)
            self._average.weights.data.lerp_(self._online.weights.data, share)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", float(losses) / gradient_steps)

    @torch.no_grad()
    def _gradient_step(self, batch_size: int) -> torch.Tensor:
        """One step; the batch's loss."""
        batch = self.replay_buffer.sample(batch_size)
        outputs = self._online.outputs(batch.observations)
        slopes, errors, loss = self._learned(batch, outputs[-1])
        gradient = self._online.set_gradient(outputs, slopes)
        norm = float(torch.linalg.vector_norm(gradient))
        if norm > self.max_grad_norm:
            gradient *= self.max_grad_norm / norm
        self.policy.optimizer.step()
        self.replay_buffer.set_errors(batch.places, errors.squeeze(1).cpu().numpy())
        return loss

    def _learned(self, batch: MaskedSamples, outputs: torch.Tensor) -> Learned:
        """What the online network's outputs, (n, outputs), are to learn from a batch."""
        online = self._online if self.double else None
        next_value = next_values(self._target, batch.next_observations, batch.next_masks, online)
        targets = batch.returns + batch.discounts * next_value
        values = outputs.gather(1, batch.actions)
        errors = values - targets
        slopes = batch.weights * self._slopes(errors) / len(errors)
        loss = (batch.weights * self._loss(values, targets, reduction="none")).mean()
        return Learned(torch.zeros_like(outputs).scatter_(1, batch.actions, slopes), errors, loss)

    def _rows(self, observations: Any) -> NDArray[np.float32]:
        return as_rows(observations, self.observation_space)

    def _final_row(self, observation: Any) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self._rows(np.asarray(observation)[None])[0]
        return row

    def _tell_of_unknown_masks(self, played: Steps) -> None:
        if self._warned_of_masks or bool(played.final_masks[played.truncated].any(axis=1).all()):
            return
        self._warned_of_masks = True
        warnings.warn(
            'episodes are truncated and their info has no "action_mask" that says what would have been legal then: '
            "their last decisions are not learned from; "
            "nenette_agents.FinalMasks around each environment puts the mask there",
            UserWarning,
            stacklevel=2,
        )

    def _choose(
        self, observations: NDArray[np.float32], masks: NDArray[np.bool_], rate: float, temperature: float
    ) -> Any:
        if rate >= 1:
            best = np.zeros(len(masks), dtype=np.int64)  # all are replaced: the network need not be asked
        else:
            values = self._online.values(torch.from_numpy(observations).to(self.device))
            if temperature > 0:
                values = boltzmann(values, temperature, self._generator)
            best = greedy(values, torch.from_numpy(masks).to(self.device)).cpu().numpy()
        return explored(best, masks, rate, self._generator)
