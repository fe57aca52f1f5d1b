"""The learning algorithms that a config can name: their settings, and where each is made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nenette_agents.config.fields import Coefficient, Count, Positive, Rate, Share, Whole, Width
from nenette_agents.errors import ConfigError, nearest, shown

__all__ = [
    "ALGORITHMS",
    "A2c",
    "AlgorithmSpec",
    "Dqn",
    "Ppo",
    "Prioritized",
    "QrDqn",
    "Section",
    "find_algorithm",
    "register",
]

Reference = str | Callable[..., Any]
"""Something, or where it is: "module:attribute"."""


class Section(BaseModel):
    """A section of a config: its keys and no others, each of exactly its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


# What several algorithms have, each with its own default.
LearningRate = Annotated[Rate, Field(description="A number, or a schedule: lin_1e-3 goes from 1e-3 to 0 by the end.")]
RolloutSteps = Annotated[Count, Field(description="Steps of each environment between two updates (not timesteps).")]
Discount = Annotated[Share, Field(description="The discount.")]
GaeLambda = Annotated[
    Share,
    Field(description="Of generalised advantage estimation: 1: whole returns; 0: one step and the value function."),
]
EntropyCoefficient = Annotated[
    Coefficient,
    Field(description="Weight of the entropy, the reward for playing at random: a number, or a schedule (lin_0.04)."),
]
GradientNorm = Annotated[Positive, Field(description="Gradients are scaled down to this norm.")]
ValueCoefficient = Annotated[float, Field(ge=0, description="Weight of the value function's loss.")]
ValueLayers = Annotated[
    list[Width] | None,
    Field(
        max_length=8,
        description="Hidden layers of the value function, which is not kept and may be smaller; null: "
        "network.net_arch.",
    ),
]


class Ppo(Section):
    """Proximal policy optimization, with stable-baselines3's names."""

    learning_rate: LearningRate = 3e-4
    n_steps: RolloutSteps = 128
    batch_size: Annotated[int, Whole, Field(ge=2, description="Timesteps of a gradient step.")] = 256
    n_epochs: Count = Field(default=10, description="Passes over each rollout.")
    gamma: Discount = 0.99
    gae_lambda: GaeLambda = 0.95
    clip_range: Positive = Field(default=0.2, description="How far an update may move a probability's ratio.")
    ent_coef: EntropyCoefficient = 0.0
    vf_coef: ValueCoefficient = 0.5
    max_grad_norm: GradientNorm = 0.5
    vf_net_arch: ValueLayers = None


class A2c(Section):
    """Advantage actor-critic, with stable-baselines3's names: one gradient step for each rollout, by RMSProp."""

    learning_rate: LearningRate = 7e-4
    n_steps: RolloutSteps = 16
    gamma: Discount = 0.99
    gae_lambda: GaeLambda = 1.0
    ent_coef: EntropyCoefficient = 0.0
    vf_coef: ValueCoefficient = 0.5
    max_grad_norm: GradientNorm = 0.5
    rms_prop_eps: Positive = Field(
        default=1e-5, description="What RMSProp adds to the gradient's size, by which it divides."
    )
    normalize_advantage: bool = Field(default=False, description="Whether a rollout's advantages are scaled to size 1.")
    vf_net_arch: ValueLayers = None


class Prioritized(Section):
    """Prioritised replay: transitions with large errors are drawn more often, and count less each time."""

    alpha: Share = Field(default=0.6, description="Power of the error; 0: all are drawn alike.")
    beta: Share = Field(
        default=0.4,
        description="Power of the correction at the beginning, which grows to 1 by the end of the training.",
    )


class _Replay(Section):
    """What deep Q-learning's kinds have in common, with stable-baselines3's names."""

    learning_rate: LearningRate = 5e-4
    buffer_size: Count = Field(default=100_000, description="Transitions that are kept.")
    learning_starts: Annotated[int, Whole, Field(ge=0, description="Timesteps before the first update.")] = 5_000
    batch_size: Count = Field(default=128, description="Transitions of a gradient step.")
    gamma: Discount = 0.99
    train_freq: RolloutSteps = 4
    gradient_steps: Count = Field(default=4, description="Gradient steps of an update.")
    n_steps: Annotated[
        int,
        Whole,
        Field(ge=1, le=1000, description="Decisions whose rewards are summed before the target network takes over."),
    ] = 1
    double: bool = Field(
        default=False, description="Double Q-learning: the learner chooses the action that the target network values."
    )
    averaged: bool = Field(
        default=False,
        description="The kept policy has the mean of the weights over about the last ninth of the training until then, "
        "in which the noise of single updates goes; what is learned is the same.",
    )
    target_update_interval: Count = Field(
        default=2_000, description="Timesteps between two renewals of the target network."
    )
    exploration_temperature: Annotated[
        float,
        Field(
            ge=0,
            description="Where it does not explore at random, it plays each action with a probability proportional to "
            "exp(value / temperature): what is valued nearly as much as the best is tried nearly as often. "
            "0: always the best.",
        ),
    ] = 0.0
    exploration_fraction: Share = Field(
        default=0.3,
        description="Part of the training in which exploration (random actions) goes from 1 to exploration_final_eps.",
    )
    exploration_final_eps: Share = Field(default=0.05, description="Probability of a random action from then on.")
    max_grad_norm: GradientNorm = 10.0


class Dqn(_Replay):
    """Deep Q-learning with masks, with stable-baselines3's names."""

    prioritized: Prioritized | None = Field(
        default=None,
        description="Prioritised replay, a section of its own ({}: with its defaults); null: uniform replay.",
    )
    loss: Literal["huber", "squared"] = Field(
        default="huber",
        description="Of the errors: squared, whose minimum is the mean, or huber, which is linear beyond 1.",
    )


class QrDqn(_Replay):
    """Deep Q-learning of the returns' quantiles with masks (QR-DQN), with sb3-contrib's names; means decide."""

    n_quantiles: Annotated[
        int, Whole, Field(ge=1, le=1000, description="How many quantiles of its return are learned of each action.")
    ] = 25


@dataclass(frozen=True, kw_only=True)
class AlgorithmSpec:
    """A learning algorithm and all that is particular to it.

    Parts that need torch are named, "module:attribute", and imported when a training begins.

    Attributes:
        name: what `algorithm` says, and the name of its section.
        settings: the class of its section.
        make: called with the config, the game and the environments; makes the learner, a `BaseAlgorithm` of
            stable-baselines3.
        head: how its policy plays unless `policy_temperature` says otherwise, and how its past selves do: "softmax"
            draws actions by their probabilities, "argmax" takes the best.
        check: called with a checked config and `complain(key, value, expected)`, which makes the error to be raised;
            None: nothing more is checked.
        callbacks: called with the config; makes the callbacks that a training of it needs besides; None: no others.
    """

    name: str
    settings: type[Section]
    make: Reference
    head: Literal["softmax", "argmax"]
    check: Reference | None = None
    callbacks: Reference | None = None


ALGORITHMS: dict[str, AlgorithmSpec] = {}
"""All that are registered, by name."""


def register(spec: AlgorithmSpec) -> AlgorithmSpec:
    """Makes an algorithm known to configs; returns its spec.

    Raises:
        ValueError: there is one of that name already.
    """
    if spec.name in ALGORITHMS:
        raise ValueError(f"there is an algorithm called {spec.name!r} already")
    ALGORITHMS[spec.name] = spec
    return spec


def find_algorithm(name: str) -> AlgorithmSpec:
    """The spec of the algorithm called `name`: the one place in which algorithms are looked for.

    Raises:
        ConfigError: there is none of that name; the nearest is named.
    """
    if name not in ALGORITHMS:
        known = list(ALGORITHMS)
        raise ConfigError(
            f"{shown(name)} is no algorithm; one of {', '.join(known)} was expected{nearest(name, known)}"
        )
    return ALGORITHMS[name]


register(
    AlgorithmSpec(
        name="ppo",
        settings=Ppo,
        make="nenette_agents.algorithms.from_config:make_ppo",
        head="softmax",
        check="nenette_agents.config.loading:check_ppo",
        callbacks="nenette_agents.algorithms.from_config:callbacks",
    )
)
register(
    AlgorithmSpec(
        name="dqn",
        settings=Dqn,
        make="nenette_agents.algorithms.from_config:make_dqn",
        head="argmax",
        check="nenette_agents.config.loading:check_dqn",
    )
)
register(
    AlgorithmSpec(
        name="a2c",
        settings=A2c,
        make="nenette_agents.algorithms.from_config:make_a2c",
        head="softmax",
        check="nenette_agents.config.loading:check_a2c",
        callbacks="nenette_agents.algorithms.from_config:callbacks",
    )
)
register(
    AlgorithmSpec(
        name="qr-dqn",
        settings=QrDqn,
        make="nenette_agents.algorithms.from_config:make_qr_dqn",
        head="argmax",
        check="nenette_agents.config.loading:check_dqn",
    )
)
