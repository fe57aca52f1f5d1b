"""A training run as a person writes it down: one YAML file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from nenette.games import Game, make_game
from nenette_agents.config.fields import (
    Coefficient,
    Count,
    Expected,
    Positive,
    Rate,
    Share,
    Timesteps,
    Whole,
    Width,
)
from nenette_agents.config.mixture import Mixture, mixture_of
from nenette_agents.config.names import current, fold_schedules
from nenette_agents.errors import ConfigError

__all__ = [
    "Checkpoint",
    "Config",
    "Dqn",
    "Evaluation",
    "Network",
    "Ppo",
    "Prioritized",
    "Rewards",
    "SelfPlay",
    "Tremble",
    "load_config",
]


def _text(value: object) -> object:
    """Lets `game: 421` be written without quotes."""
    return str(value) if type(value) is int else value


def _shares(value: object) -> object:
    """Lets a single name stand for all there is, and a list for equal shares."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        return {name: float(listed.count(name)) for name in listed}
    return listed


_GAMES = WithJsonSchema({"enum": ["demi-iles-solo", "demi-iles", "421", 421]})
_OPPONENTS = WithJsonSchema(
    {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}},
        ]
    }
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Network(_Section):
    """The network of the policy, and of the value function beside it."""

    net_arch: Annotated[list[Width], Field(max_length=8, description="Units of each hidden layer.")] = [128, 128]
    activation_fn: Literal["tanh", "relu"] = Field(default="tanh", description="What follows each hidden layer.")
    crossed: str | None = Field(
        default=None,
        description="A field of the observation, such as own_score, that the input multiplies with all other features, "
        "so that each of its values has weights of its own for them; null: none.",
    )


class Rewards(_Section):
    """What the learner is paid, which scores are not about."""

    scale: Positive = Field(
        default=1.0, description="Factor of all rewards; a value function is easier to learn where returns are about 1."
    )
    potential: dict[str, float] = Field(
        default={},
        description="Fields of the observation, or patterns such as *_has_been_stood_on, with what a unit of each adds "
        "to the potential of a state. Each step pays the gain in potential: the best play stays what it is.",
    )


class Tremble(_Section):
    """Actions of the learner that come out as random ones, as from a trembling hand, while it is trained.

    PPO learns how to play best with such a hand; DQN learns from what was played, so that to it this is exploration.
    """

    share: Share = Field(default=0.0, description="Probability that an action comes out as a random one.")
    opening_moves: Annotated[
        int,
        Whole,
        Field(
            ge=0,
            le=1000,
            description="Moves at the beginning of each game of which some are random: from none to all of them, "
            "by chance.",
        ),
    ] = 0


class SelfPlay(_Section):
    """What opponents called `past` are: the learner as it was."""

    renew_every: Timesteps = Field(default=20_000, description="Timesteps between two renewals of the frozen copies.")
    copies: Annotated[int, Whole, Field(ge=1, le=100, description="How many past selves are kept.")] = 1
    sampling: Literal["uniform", "prioritized"] = Field(
        default="uniform",
        description="uniform: the parallel environments take the copies in turn. prioritized: each copy has one of "
        "them, and the others are dealt out at every renewal, the more to a copy the better it still does against the "
        "learner (prioritised fictitious self-play).",
    )


class Evaluation(_Section):
    """How the learner is scored on the way, and once more at the end."""

    every: Timesteps | None = Field(
        default=None, description="Timesteps between two evaluations; null: there is one, at the end."
    )
    against: str | None = Field(
        default=None,
        description="An opponent's name; null: optimal, or random where more than two play. The solo game has none.",
    )
    games: Annotated[
        int, Whole, Field(ge=2, description="How many games are played where a score cannot be exact.")
    ] = 1000


class Checkpoint(_Section):
    """From what a run that was killed goes on."""

    every_seconds: Annotated[
        float,
        Field(
            ge=0,
            description="Seconds between two checkpoints, at least: no more than a fiftieth of the time goes into "
            "them. 0: one at every update.",
        ),
    ] = 30.0
    keep: bool = Field(
        default=False,
        description="Whether a last one stays when the run is finished, with the optimiser's state and the replay "
        "buffer.",
    )


class Ppo(_Section):
    """Proximal policy optimization, with stable-baselines3's names."""

    learning_rate: Rate = Field(default=3e-4, description="A number, or a schedule: lin_1e-3 falls to 0 by the end.")
    n_steps: Count = Field(default=128, description="Steps of each environment between two updates (not timesteps).")
    batch_size: Annotated[int, Whole, Field(ge=2, description="Timesteps of a gradient step.")] = 256
    n_epochs: Count = Field(default=10, description="Passes over each rollout.")
    gamma: Share = Field(default=0.99, description="The discount.")
    gae_lambda: Share = Field(
        default=0.95,
        description="Of generalised advantage estimation: 1: whole returns; 0: one step and the value function.",
    )
    clip_range: Positive = Field(default=0.2, description="How far an update may move a probability's ratio.")
    ent_coef: Coefficient = Field(
        default=0.0,
        description="Weight of the entropy, the reward for playing at random: a number, or a schedule (lin_0.04).",
    )
    vf_coef: Annotated[float, Field(ge=0, description="Weight of the value function's loss.")] = 0.5
    max_grad_norm: Positive = Field(default=0.5, description="Gradients are scaled down to this norm.")
    vf_net_arch: Annotated[
        list[Width] | None,
        Field(
            max_length=8,
            description="Hidden layers of the value function, which is not kept and may be smaller; null: "
            "network.net_arch.",
        ),
    ] = None


class Prioritized(_Section):
    """Prioritised replay: transitions with large errors are drawn more often, and count less each time."""

    alpha: Share = Field(default=0.6, description="Power of the error; 0: all are drawn alike.")
    beta: Share = Field(
        default=0.4,
        description="Power of the correction at the beginning, which grows to 1 by the end of the training.",
    )


class Dqn(_Section):
    """Deep Q-learning with masks, with stable-baselines3's names."""

    learning_rate: Rate = Field(default=5e-4, description="A number, or a schedule: lin_1e-3 falls to 0 by the end.")
    buffer_size: Count = Field(default=100_000, description="Transitions that are kept.")
    learning_starts: Annotated[int, Whole, Field(ge=0, description="Timesteps before the first update.")] = 5_000
    batch_size: Count = Field(default=128, description="Transitions of a gradient step.")
    gamma: Share = Field(default=0.99, description="The discount.")
    train_freq: Count = Field(default=4, description="Steps of each environment between two updates (not timesteps).")
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
    prioritized: Prioritized | None = Field(
        default=None,
        description="Prioritised replay, a section of its own ({}: with its defaults); null: uniform replay.",
    )
    loss: Literal["huber", "squared"] = Field(
        default="huber",
        description="Of the errors: squared, whose minimum is the mean, or huber, which is linear beyond 1.",
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
        default=0.3, description="Part of the training in which exploration falls from 1 to exploration_final_eps."
    )
    exploration_final_eps: Share = Field(default=0.05, description="Probability of a random action from then on.")
    max_grad_norm: Positive = Field(default=10.0, description="Gradients are scaled down to this norm.")


class Config(_Section):
    """One training run.

    A timestep is a decision of the learner; those of all environments count together, in every section, and a seat
    that passes decides nothing. What is counted otherwise says so: `ppo.n_steps` and `dqn.train_freq` are
    stable-baselines3's, steps of each environment; `tremble.opening_moves` are moves of a game.
    """

    game: Annotated[
        Literal["demi-iles-solo", "demi-iles", "421"],
        BeforeValidator(_text),
        _GAMES,
        Field(description="The game's name."),
    ]
    rules: dict[str, Any] = Field(default={}, description="Fields of the game's rules that differ from their defaults.")
    algorithm: Literal["ppo", "dqn"] = Field(description="Which of the sections ppo and dqn holds.")
    seed: Annotated[int, Field(ge=0, lt=2**32, description="Everything random follows from it.")] = 0
    total_timesteps: Timesteps = Field(
        default=300_000,
        description="After how many timesteps (decisions of the learner) the training ends; the last update may come "
        "a few later.",
    )
    n_envs: Annotated[
        int,
        Whole,
        Field(
            ge=1,
            le=1024,
            description="How many environments are played in parallel; a game against self counts once for each seat.",
        ),
    ] = 16
    opponents: Annotated[
        dict[str, Positive],
        BeforeValidator(_shares),
        Expected("a name, a list of names, or a mapping of names to their shares"),
        _OPPONENTS,
        Field(
            description="Names, folders of runs, self (one policy plays all seats and learns from each) or past "
            "(frozen copies of the learner), each with its share of the parallel environments; or a list, for equal "
            "shares."
        ),
    ] = {}
    seat: Annotated[
        Annotated[int, Field(ge=0, le=5)] | None,
        Field(description="The learner's against all but self; null: drawn for each game."),
    ] = None
    self_play: SelfPlay = Field(default=SelfPlay(), description="What opponents called past are.")
    network: Network = Field(default=Network(), description="Of the policy and of the value function.")
    rewards: Rewards = Field(default=Rewards(), description="What the learner is paid.")
    tremble: Tremble = Field(default=Tremble(), description="Actions of the learner that come out as random ones.")
    evaluation: Evaluation = Field(default=Evaluation(), description="How the learner is scored.")
    checkpoint: Checkpoint = Field(default=Checkpoint(), description="From what a run that was killed goes on.")
    threads: Annotated[
        int,
        Whole,
        Field(ge=1, le=256, description="Of torch; the networks are too small for more than one to help."),
    ] = 1
    policy_temperature: Annotated[
        Annotated[float, Field(ge=0)] | None,
        Field(
            description="How the kept policy plays: each action with a probability proportional to exp(output / "
            "temperature), the outputs being PPO's logits or DQN's values; 0: always the likeliest action; null: 1 for "
            "PPO, which is the policy that was trained, and 0 for DQN.",
        ),
    ] = None
    ppo: Ppo | None = Field(default=None, description="Settings of PPO.")
    dqn: Dqn | None = Field(default=None, description="Settings of DQN.")

    @model_validator(mode="before")
    @classmethod
    def _in_todays_names(cls, document: Any) -> Any:
        """Reads the names of earlier versions, in which run folders, checkpoints and cards may be written."""
        if not isinstance(document, Mapping):
            return document
        named, _ = current(document)
        fold_schedules(named)
        return named

    def make_game(self) -> Game[Any]:
        """The game with its rules."""
        return make_game(self.game, **self.rules)

    @property
    def mixture(self) -> Mixture:
        """Who is played against in which environment."""
        return mixture_of(self.opponents, self.n_envs, self.make_game().players)

    @property
    def gamma(self) -> float:
        """The learner's discount."""
        section = self.ppo or self.dqn
        assert section is not None
        return section.gamma

    @property
    def head(self) -> str:
        """The kept policy's head: "softmax" if it draws actions by their probabilities, "argmax" if it takes the best.

        It is what `policy_temperature` says, which a checked config has.
        """
        return "softmax" if self.policy_temperature else "argmax"


def load_config(
    path: str | Path,
    overrides: list[str] | None = None,
    *,
    seed: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Config:
    """The config in the YAML file at `path`, with `overrides` ("a.b=c", later ones win) and all defaults written out.

    Args:
        path: the file.
        overrides: each sets one value.
        seed: in place of the config's.
        tell: is told in one sentence, if names of an earlier version were read, which today's are.

    Raises:
        ConfigError: one sentence that names the file or the override, the key, its value, and what was expected.
    """
    from nenette_agents.config import checks as config_checks
    from nenette_agents.config import overrides as overriding
    from nenette_agents.config import yaml_files

    document = yaml_files.read(Path(path))
    if document is None:
        raise ConfigError(f"{path}: this file is empty; a mapping with at least game and algorithm was expected")
    if not isinstance(document, dict):
        kind = "a list" if isinstance(document, list) else "a single value"
        raise ConfigError(f"{path}: a mapping of keys to values was expected, and this is {kind}")
    sources = overriding.Sources(str(path))
    try:
        document, renamed = current(document)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    for override in overrides or []:
        renamed |= overriding.apply(document, override, sources)
    try:
        renamed |= fold_schedules(document)
    except ConfigError as error:
        raise ConfigError(f"{sources.file}: {error}") from None
    if seed is not None:
        document["seed"] = seed
        sources.note("seed", "--seed")
    config = config_checks.validate(document, sources)
    if renamed and tell is not None:
        named = ", ".join(f"{old} is now {new}" for old, new in renamed.items())
        tell(f"{path}: these names are of an earlier version, and mean what they meant: {named}")
    return config
