"""What of stable-baselines3 and sb3-contrib is relied on although it is not public, and what of it has changed.

The test of this module fails with one sentence for each part that another version has changed.
"""

import inspect
from dataclasses import dataclass
from typing import Any

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import BaseBuffer, RolloutBuffer
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

__all__ = ["ATTRIBUTES", "METHODS", "TESTED", "Method", "changed"]

TESTED = ("2.7.0", "2.9.2")
"""The oldest and the newest version of both packages with which the algorithms' tests were run."""


@dataclass(frozen=True)
class Method:
    """A method that is overridden or called.

    Attributes:
        owner: the class that has it.
        name: its own.
        parameters: its parameters' names without self, in order.
        why: what is done with it.
    """

    owner: type[Any]
    name: str
    parameters: tuple[str, ...]
    why: str


_LEARN = ("total_timesteps", "callback", "reset_num_timesteps", "tb_log_name", "progress_bar")
METHODS = (
    Method(BaseAlgorithm, "_setup_learn", _LEARN, "overridden: what was left unfinished is forgotten"),
    Method(OffPolicyAlgorithm, "_setup_learn", _LEARN, "overridden: what was left unfinished is forgotten"),
    Method(BaseAlgorithm, "_wrap_env", ("env", "verbose", "monitor_wrapper"), "overridden: masks are found"),
    Method(DQN, "_setup_model", (), "overridden: weights are moved into one vector"),
    Method(MaskablePPO, "_setup_model", (), "overridden: the buffer gets the action that is pass"),
    Method(OffPolicyAlgorithm, "_setup_model", (), "makes the replay buffer, and warns of n_steps"),
    Method(BaseAlgorithm, "_update_info_buffer", ("infos", "dones"), "called with the infos of what has ended"),
    Method(BaseAlgorithm, "_update_learning_rate", ("optimizers",), "called before a gradient step"),
    Method(
        BaseAlgorithm,
        "_update_current_progress_remaining",
        ("num_timesteps", "total_timesteps"),
        "called after each step",
    ),
    Method(
        OffPolicyAlgorithm,
        "collect_rollouts",
        ("env", "callback", "train_freq", "replay_buffer", "action_noise", "learning_starts", "log_interval"),
        "overridden: learn calls it",
    ),
    Method(
        MaskablePPO,
        "collect_rollouts",
        ("env", "callback", "rollout_buffer", "n_rollout_steps", "use_masking"),
        "overridden: learn calls it",
    ),
    Method(DQN, "train", ("gradient_steps", "batch_size"), "overridden: learn calls it"),
    Method(DQNPolicy, "make_q_net", (), "makes the network of averaged weights"),
    Method(BaseBuffer, "_get_samples", ("batch_inds", "env"), "overridden"),
    Method(RolloutBuffer, "compute_returns_and_advantage", ("last_values", "dones"), "overridden"),
    Method(MaskableRolloutBuffer, "get", ("batch_size",), "overridden: train calls it"),
)
"""Methods with these very parameters."""

ATTRIBUTES: dict[type[Any], tuple[str, ...]] = {
    BaseAlgorithm: (
        *("_last_obs", "_last_episode_starts", "_current_progress_remaining", "_episode_num", "_n_updates"),
        *("_total_timesteps", "_num_timesteps_at_start", "_stats_window_size", "ep_info_buffer", "ep_success_buffer"),
        *("_vec_normalize_env", "lr_schedule", "policy_aliases", "n_envs"),
    ),
    OffPolicyAlgorithm: ("replay_buffer", "replay_buffer_class", "replay_buffer_kwargs", "n_steps"),
    DQN: ("exploration_schedule", "exploration_rate", "q_net", "q_net_target", "_n_calls", "max_grad_norm"),
    OnPolicyAlgorithm: ("rollout_buffer", "rollout_buffer_class", "rollout_buffer_kwargs"),
    RolloutBuffer: ("observations", "actions", "values", "log_probs", "rewards", "episode_starts", "full", "pos"),
    MaskableRolloutBuffer: ("action_masks",),
    QNetwork: ("q_net", "features_extractor"),
}
"""Attributes by the class whose instances have them."""

_BASES: dict[type[Any], type[Any]] = {BaseAlgorithm: PPO, OffPolicyAlgorithm: DQN, OnPolicyAlgorithm: MaskablePPO}


def changed() -> list[str]:
    """One sentence for each part that is missing or takes other arguments; none if all is as it was."""
    found = []
    for method in METHODS:
        where = f"{method.owner.__name__}.{method.name}"
        there = inspect.getattr_static(method.owner, method.name, None)
        if there is None:
            found.append(f"{where} is gone, which was {method.why}")
            continue
        parameters = tuple(inspect.signature(getattr(method.owner, method.name)).parameters)
        parameters = parameters[1:] if parameters[:1] == ("self",) else parameters
        if parameters != method.parameters:
            found.append(f"{where} takes {parameters}, and {method.parameters} was expected; it is {method.why}")
    for owner, names in ATTRIBUTES.items():
        source = "".join(inspect.getsource(kind) for kind in _BASES.get(owner, owner).__mro__[:-1] if _is_theirs(kind))
        found += [
            f"{owner.__name__}.{name} is not set any more"
            for name in names
            if f"self.{name}" not in source and f"{name}:" not in source
        ]
    return found


def _is_theirs(kind: type[Any]) -> bool:
    return kind.__module__.startswith(("stable_baselines3", "sb3_contrib"))
