"""Networks fitted to the solver, to see what a network could do: none of this is used in training."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import nn

from nenette.policies.network import Layer

__all__ = ["fit", "layers_of", "linear_layers"]


def linear_layers(sizes: Sequence[int]) -> list[nn.Linear]:
    """Linear layers that lead from each size to the next."""
    return [nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes)]


def fit(network: nn.Module, loss_of_batch: Callable[[], torch.Tensor], *, steps: int, rate: float) -> float:
    """Goes so many steps down the gradient, the learning rate falling from `rate` to 0; the last batch's loss."""
    adam = torch.optim.Adam(network.parameters(), lr=rate)
    loss = torch.zeros(())
    for step in range(steps):
        adam.param_groups[0]["lr"] = rate * (1 - step / steps)
        loss = loss_of_batch()
        adam.zero_grad()
        torch.autograd.backward(loss)
        adam.step()
    return float(loss.detach())


def layers_of(linears: Sequence[nn.Linear]) -> list[Layer]:
    """The layers as a `NetworkPolicy` takes them."""
    return [(linear.weight.detach().numpy(), linear.bias.detach().numpy()) for linear in linears]
