"""DQN that learns how returns are distributed, and not only their mean: QR-DQN with masks."""

from typing import Any, ClassVar

import torch
from sb3_contrib.common.utils import quantile_huber_loss
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.torch_layers import create_mlp
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import nn

from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.dqn.network import Learned, greedy
from nenette_agents.algorithms.dqn.replay import MaskedSamples

__all__ = ["MaskedQRDQN", "QuantileNetwork", "QuantilePolicy"]


class QuantileNetwork(QNetwork):
    """A network of n_quantiles outputs for each action, whose mean is the action's value.

    Its layers are those of sb3-contrib's network of this name, which is no `QNetwork`.
    """

    def __init__(self, *args: Any, n_quantiles: int, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.n_quantiles = n_quantiles
        outputs = int(self.action_space.n) * n_quantiles
        self.q_net = nn.Sequential(*create_mlp(self.features_dim, outputs, self.net_arch, self.activation_fn))

    def forward(self, obs: Any) -> torch.Tensor:
        """The values, (n, actions), of observations (n, size)."""
        return super().forward(obs).view(-1, self.n_quantiles, int(self.action_space.n)).mean(dim=1)


class QuantilePolicy(DQNPolicy):
    """stable-baselines3's policy of DQN with such networks."""

    def __init__(self, *args: Any, n_quantiles: int = 25, **settings: Any) -> None:
        self.n_quantiles = n_quantiles  # its networks are made by what follows
        super().__init__(*args, **settings)

    def make_q_net(self) -> QNetwork:
        """A network with a features extractor of its own."""
        extractor = self.make_features_extractor()
        features = {"features_extractor": extractor, "features_dim": extractor.features_dim}
        return QuantileNetwork(**self.net_args, **features, n_quantiles=self.n_quantiles).to(self.device)


class MaskedQRDQN(MaskedDQN):
    """`MaskedDQN` with the loss of sb3-contrib's QR-DQN: it learns quantiles of each action's return.

    Actions are chosen, also in the target, by the means of their quantiles. Replay is uniform.

    Source: Dabney et al., Distributional Reinforcement Learning with Quantile Regression, 2018.

    Attributes:
        n_quantiles: of each action's return.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"MlpPolicy": QuantilePolicy}

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        n_quantiles: int = 25,
        policy_kwargs: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        """Makes a learner with random weights.

        Args:
            policy: "MlpPolicy".
            env: one environment, or a `VecEnv`.
            n_quantiles: of each action's return.
            policy_kwargs: stable-baselines3's.
            settings: `MaskedDQN`'s other arguments, but for `priorities` and `loss`.

        Raises:
            ValueError: an environment that is not supported, or priorities or another loss.
        """
        if settings.get("priorities") is not None or settings.get("loss", "huber") != "huber":
            raise ValueError(
                "MaskedQRDQN has a loss of its own and replays all alike: no priorities and no loss are expected"
            )
        self.n_quantiles = n_quantiles
        options = {**(policy_kwargs or {}), "n_quantiles": n_quantiles}
        super().__init__(policy, env, policy_kwargs=options, **settings)

    def _learned(self, batch: MaskedSamples, outputs: torch.Tensor) -> Learned:
        following = self._quantiles(self._target.outputs(batch.next_observations)[-1])
        chosen = self._online.values(batch.next_observations) if self.double else following.mean(dim=1)
        best = greedy(chosen, batch.next_masks)
        targets = batch.returns + batch.discounts * self._of(following, best)
        values = self._of(self._quantiles(outputs), batch.actions[:, 0]).requires_grad_()
        with torch.enable_grad():
            loss = quantile_huber_loss(values, targets)
        (slopes,) = torch.autograd.grad(loss, values)
        everywhere = torch.zeros_like(self._quantiles(outputs))
        everywhere.scatter_(2, self._places(batch.actions[:, 0]), slopes[:, :, None])
        errors = (values.detach() - targets).mean(dim=1, keepdim=True)
        return Learned(everywhere.view_as(outputs), errors, loss.detach())

    def _quantiles(self, outputs: torch.Tensor) -> torch.Tensor:
        """A network's outputs as (n, n_quantiles, actions)."""
        return outputs.view(len(outputs), self.n_quantiles, -1)

    def _places(self, actions: torch.Tensor) -> torch.Tensor:
        return actions[:, None, None].expand(-1, self.n_quantiles, 1)

    def _of(self, quantiles: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The quantiles of these actions, (n, n_quantiles)."""
        return quantiles.gather(2, self._places(actions)).squeeze(2)
