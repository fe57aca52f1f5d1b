"""Learners for nenette's games and anybody's, training runs, and the command line.

`docs/algorithms.md` shows how the learners are used, and what they expect of an environment. Nothing here needs torch
until it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
    from nenette_agents.algorithms.dqn.quantiles import MaskedQRDQN
    from nenette_agents.algorithms.dqn.storage import Priorities
    from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
    from nenette_agents.config.loading import load_config
    from nenette_agents.environments.masks import FinalMasks, MasksFromInfos
    from nenette_agents.environments.pettingzoo_seats import PettingZooVecEnv
    from nenette_agents.training.run import train

__all__ = [
    "FinalMasks",
    "MaskedDQN",
    "MaskedQRDQN",
    "MasksFromInfos",
    "PettingZooVecEnv",
    "Priorities",
    "TurnMaskedPPO",
    "load_config",
    "train",
]

_WHERE = {
    "FinalMasks": "nenette_agents.environments.masks",
    "MaskedDQN": "nenette_agents.algorithms.dqn.algorithm",
    "MaskedQRDQN": "nenette_agents.algorithms.dqn.quantiles",
    "MasksFromInfos": "nenette_agents.environments.masks",
    "PettingZooVecEnv": "nenette_agents.environments.pettingzoo_seats",
    "Priorities": "nenette_agents.algorithms.dqn.storage",
    "TurnMaskedPPO": "nenette_agents.algorithms.turn_ppo",
    "load_config": "nenette_agents.config.loading",
    "train": "nenette_agents.training.run",
}


def __getattr__(name: str) -> Any:
    """One of the public names, imported when it is asked for.

    Raises:
        AttributeError: there is no such public name.
        MissingExtraError: a package that it needs is not installed.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_WHERE[name]), name)
    except ModuleNotFoundError as error:
        from nenette_agents.errors import missing_extra

        raise missing_extra(f"nenette_agents.{name}", "train", error) from error


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
