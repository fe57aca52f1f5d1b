"""What makers of learners have in common."""

from collections.abc import Callable
from typing import Any

from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from nenette.games import Game
from nenette_agents.config import Config
from nenette_agents.config.features import crossing_called
from nenette_agents.config.fields import Linear
from nenette_agents.export.inputs import CrossedInputs

__all__ = ["network_options", "schedule"]

_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


def schedule(value: float | Linear) -> float | Callable[[float], float]:
    """A value, or what it is by the share of the training that is left: the final one at the end and beyond it."""
    return LinearSchedule(value.initial, value.final, 1.0) if isinstance(value, Linear) else value


def network_options(config: Config, game: Game[Any]) -> dict[str, Any]:
    """The `policy_kwargs` of a config's `network`, but for `net_arch`, in which algorithms differ."""
    chosen: dict[str, Any] = {"activation_fn": _ACTIVATIONS[config.network.activation_fn]}
    crossed = crossing_called(game, config.network.crossed)
    if crossed is not None:
        chosen["features_extractor_class"] = CrossedInputs
        chosen["features_extractor_kwargs"] = {"crossing": crossed}
    return chosen
