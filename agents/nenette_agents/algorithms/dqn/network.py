"""A small network of action values, and what masks make of them: exploration, the greedy choice, the target.

The gradient is written down: much of autograd's time would go into keeping its books.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import is_masking_supported
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.dqn.policies import QNetwork
from torch import nn
from torch.nn import functional

from nenette_agents.environments.vec_env import action_masks_of

__all__ = ["LOSSES", "Learned", "Perceptron", "boltzmann", "explored", "greedy", "mask_source", "next_values"]


class Perceptron:
    """A `QNetwork` of linear layers with tanh or ReLU in between, computed without autograd.

    Before them may stand a features extractor without weights of its own.

    The module goes on working and shares its weights with this: they lie behind one another in one vector, so that an
    optimiser has a single tensor to update.

    Attributes:
        weights: all weights and biases, float32 (n,), a parameter whose gradient is a vector as long.
    """

    def __init__(self, network: QNetwork) -> None:
        """Moves the network's weights into the vector.

        Raises:
            ValueError: the network is made of something else.
        """
        modules = list(network.q_net.children())
        linear, between = modules[::2], {type(module) for module in modules[1::2]}
        known = all(isinstance(module, nn.Linear) for module in linear) and between in ({nn.Tanh}, {nn.ReLU}, set())
        self._extract = network.features_extractor
        if not known or list(self._extract.parameters()):
            raise ValueError(
                "MaskedDQN takes a network of linear layers with either Tanh or ReLU between them, "
                f"and nothing to be learned before them, not {[type(m).__name__ for m in (self._extract, *modules)]}"
            )
        self._tanh = nn.Tanh in between
        self._quantiles = getattr(network, "n_quantiles", 1)
        parameters = list(network.q_net.parameters())
        self.weights = nn.Parameter(torch.cat([p.detach().reshape(-1) for p in parameters]))
        self.weights.grad = torch.zeros_like(self.weights)
        self._layers = list[tuple[torch.Tensor, torch.Tensor]]()
        self._gradients = list[tuple[torch.Tensor, torch.Tensor]]()
        for vector, pairs in ((self.weights.detach(), self._layers), (self.weights.grad, self._gradients)):
            parts = torch.split(vector, [p.numel() for p in parameters])
            shaped = [part.view_as(p) for part, p in zip(parts, parameters, strict=True)]
            pairs += zip(shaped[::2], shaped[1::2], strict=True)
        for parameter, part in zip(parameters, (tensor for pair in self._layers for tensor in pair), strict=True):
            parameter.data = part

    def values(self, observations: torch.Tensor) -> torch.Tensor:
        """The values of all actions, (n, actions), of observations (n, size)."""
        outputs = self.outputs(observations)[-1]
        return outputs if self._quantiles == 1 else outputs.view(len(outputs), self._quantiles, -1).mean(dim=1)

    def outputs(self, observations: torch.Tensor) -> list[torch.Tensor]:
        """What the first layer is given, then what each makes of it; the last are the values, or their quantiles."""
        with torch.no_grad():
            found = [self._extract(observations)]
            for k, (weight, bias) in enumerate(self._layers, 1):
                outputs = torch.addmm(bias, found[-1], weight.t())
                if k < len(self._layers):
                    outputs = outputs.tanh_() if self._tanh else outputs.relu_()
                found.append(outputs)
        return found

    def set_gradient(self, outputs: list[torch.Tensor], slopes: torch.Tensor) -> torch.Tensor:
        """Sets the gradient of a loss, and returns it.

        Args:
            outputs: what `outputs` made of the observations.
            slopes: how the loss changes with each output, (n, outputs).
        """
        with torch.no_grad():
            for k in range(len(self._layers) - 1, -1, -1):
                inputs = outputs[k]
                for_weight, for_bias = self._gradients[k]
                torch.mm(slopes.t(), inputs, out=for_weight)
                torch.sum(slopes, 0, out=for_bias)
                if k:
                    slopes = torch.mm(slopes, self._layers[k][0])
                    # Both derivatives follow from what the activation gave.
                    slopes *= 1 - inputs * inputs if self._tanh else inputs > 0
        assert self.weights.grad is not None
        return self.weights.grad


def _huber_slope(errors: torch.Tensor) -> torch.Tensor:
    return errors.clamp(-1, 1)


def _squared_slope(errors: torch.Tensor) -> torch.Tensor:
    return 2 * errors


LOSSES: dict[str, tuple[Callable[..., torch.Tensor], Callable[[torch.Tensor], torch.Tensor]]] = {
    "huber": (functional.smooth_l1_loss, _huber_slope),
    "squared": (functional.mse_loss, _squared_slope),
}
"""Each loss, a function of values and targets, and how it changes with the errors, which are values minus targets."""


class Learned(NamedTuple):
    """What is learned from a batch.

    Attributes:
        slopes: how the loss changes with each output of the network, (n, outputs).
        errors: of the values of the actions that were played, (n, 1).
        loss: the batch's, a scalar.
    """

    slopes: torch.Tensor
    errors: torch.Tensor
    loss: torch.Tensor


Masks = NDArray[np.bool_]


def mask_source(env: VecEnv, n_actions: int) -> tuple[Callable[[], Masks], bool]:
    """A function that gives the masks of all slots, bool (slots, n_actions), and whether the game has any.

    Where it has none, they are all true.
    """
    if is_masking_supported(env):
        return lambda: action_masks_of(env).reshape(env.num_envs, n_actions), True
    everything = np.ones((env.num_envs, n_actions), dtype=np.bool_)
    return lambda: everything, False


def greedy(values: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """The best legal action of each row, int64 (n,), of equals the first; `values` and `masks` are (n, actions)."""
    return values.masked_fill(~masks, -torch.inf).argmax(dim=1)


def boltzmann(values: torch.Tensor, temperature: float, generator: np.random.Generator) -> torch.Tensor:
    """The values (n, actions) with noise, whose best is each action in proportion to exp(value / temperature)."""
    noise = torch.from_numpy(generator.gumbel(size=values.shape).astype(np.float32))
    return values + temperature * noise.to(values.device)


def explored(greedy_actions: NDArray[np.int64], masks: Masks, rate: float, generator: np.random.Generator) -> Any:
    """The actions (n,), each replaced with probability `rate`, each on its own, by a uniformly random legal one.

    As many numbers are drawn whatever the rate and the masks.

    Raises:
        ValueError: somewhere nothing is legal.
    """
    chances, picks = generator.random((2, len(masks)))
    ranks = masks.cumsum(axis=1)
    counts = ranks[:, -1]
    if not counts.all():
        raise ValueError(f"in environment {int(np.argmin(counts))} no action is legal")
    # The first action by which as many legal ones have gone by as were picked.
    picked = (ranks > np.floor(picks * counts)[:, None]).argmax(axis=1)
    return np.where(chances < rate, picked, greedy_actions)


def next_values(
    target: Perceptron, observations: torch.Tensor, masks: torch.Tensor, online: Perceptron | None
) -> torch.Tensor:
    """The values of the next observations, (n, 1): the target network's value of the best legal action.

    Which one is best is said by the target network too, or with double Q-learning by the `online` one: a value that is
    too high by chance is then not chosen because it is.

    Source: van Hasselt et al., Deep Reinforcement Learning with Double Q-learning, 2016.
    """
    values = target.values(observations)
    if online is None:
        return values.masked_fill_(~masks, -torch.inf).amax(dim=1, keepdim=True)
    return values.gather(1, greedy(online.values(observations), masks)[:, None])
