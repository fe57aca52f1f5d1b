"""A training run as a person writes it down: one YAML file."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from nenette.games import Game, make_game
from nenette_agents.errors import ConfigError
from nenette_agents.mixture import Mixture, mixture_of

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


def _whole(value: object) -> object:
    """Lets a million steps be written as 1e6; a seed or a seat is no amount."""
    return int(value) if type(value) is float and value.is_integer() else value


Whole = BeforeValidator(_whole)
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Rate = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Whole, Field(ge=1)]
Steps = Annotated[int, Whole, Field(ge=1, le=10_000_000_000)]
Width = Annotated[int, Whole, Field(ge=1, le=4096)]


def _text(value: object) -> object:
    """Lets `game: 421` be written without quotes."""
    return str(value) if type(value) is int else value


def _shares(value: object) -> object:
    """Lets a single name stand for all there is, and a list for equal shares."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        return {name: float(listed.count(name)) for name in listed}
    return listed


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Network(_Section):
    """The hidden layers of the policy, and of the value function beside it.

    Attributes:
        crossed: a field of the observation, such as "score", that the input multiplies with all other features, so that
            each of its values has its own weights for them; null: none.
    """

    layers: Annotated[list[Width], Field(max_length=8)] = [128, 128]
    activation: Literal["tanh", "relu"] = "tanh"
    crossed: str | None = None


class Rewards(_Section):
    """What the learner is paid, which scores are not about.

    Attributes:
        scale: factor of everything; a value function is easier to learn where returns are about 1.
        potential: fields of the observation, or patterns such as "* has been stood on", with what a unit of each adds
            to the potential of a state. Each step pays the gain in potential, which leaves the best play what it is.
    """

    scale: Positive = 1.0
    potential: dict[str, float] = {}


class Tremble(_Section):
    """Actions of the learner that come out as random ones, as from a trembling hand, while it is trained.

    PPO learns how to play best with such a hand; DQN learns from what was played, so that to it this is exploration.

    Attributes:
        share: of all its actions.
        opening: steps at the beginning of each game of which some are random: from none to all of them, by chance.
    """

    share: Share = 0.0
    opening: Annotated[int, Whole, Field(ge=0, le=1000)] = 0


class SelfPlay(_Section):
    """What opponents called `past` are: the learner as it was.

    Attributes:
        renew_every: steps between two renewals of the frozen copies.
        copies: how many past selves are kept.
        drawn: "uniform": the parallel environments take them in turn; "by strength": each has one of them, and the
            others are dealt out at every renewal, the more to a copy the better it still does against the learner.
    """

    renew_every: Steps = 20_000
    copies: Annotated[int, Whole, Field(ge=1, le=100)] = 1
    drawn: Literal["uniform", "by strength"] = "uniform"


class Evaluation(_Section):
    """How the learner is scored on the way, and once more at the end.

    Attributes:
        every: steps between two evaluations; null: only at the end.
        against: an opponent's name; null in the solo game, which has none.
        games: how many are played where a score cannot be exact.
    """

    every: Steps | None = None
    against: str | None = None
    games: Annotated[int, Whole, Field(ge=2)] = 1000


class Checkpoint(_Section):
    """From what a run that was killed goes on.

    Attributes:
        every: seconds between two checkpoints, at least: no more than a fiftieth of the time goes into them; 0: one at
            every update.
        keep: whether a last one stays when the run is finished, with the optimiser's state and the replay buffer.
    """

    every: Annotated[float, Field(ge=0)] = 30.0
    keep: bool = False


class Ppo(_Section):
    """Proximal policy optimization.

    Attributes:
        rollout_steps: steps of each environment between two updates (stable-baselines3's `n_steps`).
        entropy_coefficient_schedule: "linear": it falls to 0 by the end of the training.
        value_layers: hidden layers of the value function, which is not kept and may be smaller; null: `network.layers`.
        plays: how the kept policy plays: by its "odds", or always the "best" action: where everybody sees all there is,
            some optimal play leaves nothing to chance.
    """

    learning_rate: Rate = 3e-4
    learning_rate_schedule: Literal["constant", "linear"] = "constant"
    rollout_steps: Count = 128
    batch_size: Annotated[int, Whole, Field(ge=2)] = 256
    epochs: Count = 10
    gamma: Share = 0.99
    gae_lambda: Share = 0.95
    clip_range: Positive = 0.2
    entropy_coefficient: Annotated[float, Field(ge=0)] = 0.0
    entropy_coefficient_schedule: Literal["constant", "linear"] = "constant"
    value_coefficient: Annotated[float, Field(ge=0)] = 0.5
    largest_gradient: Positive = 0.5
    value_layers: Annotated[list[Width] | None, Field(max_length=8)] = None
    plays: Literal["odds", "best"] = "odds"


class Prioritized(_Section):
    """Prioritised replay: transitions with large errors are drawn more often, and count less each time.

    Attributes:
        alpha: power of the error; 0: all are drawn alike.
        beta: power of the correction at the beginning, which grows to 1 by the end of the training.
    """

    alpha: Share = 0.6
    beta: Share = 0.4


class Dqn(_Section):
    """Deep Q-learning with masks.

    Attributes:
        buffer_size: transitions that are kept.
        train_every: steps of each environment between two updates (stable-baselines3's `train_freq`).
        gradient_steps: gradient steps an update.
        n_step: decisions whose rewards are summed before the target network takes over.
        double: double Q-learning: the learner chooses the action that the target network values.
        averaged: the kept policy has the mean of the weights over about the last ninth of the training until then, in
            which the noise of single updates goes; what is learned is the same.
        prioritized: prioritised replay, a section of its own (`{}`: with its defaults); null: uniform replay.
        target_update_every: between two renewals of the target network.
        temperature: the kept policy plays each action with odds of exp(value / temperature), so that what is valued
            nearly as much is played at times, and no play is stuck for good; in what is paid; 0: always the best.
        loss: of the errors: "squared", whose minimum is the mean, or "huber", which is linear beyond 1.
        exploration_temperature: where it does not explore at random, it plays each action with odds of exp(value /
            temperature): what is valued nearly as much as the best is tried nearly as often; 0: always the best.
        exploration_fraction: part of the training in which exploration falls from 1 to `exploration_final`.
    """

    learning_rate: Rate = 5e-4
    learning_rate_schedule: Literal["constant", "linear"] = "constant"
    buffer_size: Count = 100_000
    learning_starts: Annotated[int, Whole, Field(ge=0)] = 5_000
    batch_size: Count = 128
    gamma: Share = 0.99
    train_every: Count = 4
    gradient_steps: Count = 4
    n_step: Annotated[int, Whole, Field(ge=1, le=1000)] = 1
    double: bool = False
    averaged: bool = False
    prioritized: Prioritized | None = None
    loss: Literal["huber", "squared"] = "huber"
    temperature: Annotated[float, Field(ge=0)] = 0.0
    target_update_every: Count = 2_000
    exploration_temperature: Annotated[float, Field(ge=0)] = 0.0
    exploration_fraction: Share = 0.3
    exploration_final: Share = 0.05
    largest_gradient: Positive = 10.0


class Config(_Section):
    """One training run.

    Counts of steps are decisions of the learner, in all environments together, in every section; a seat that passes
    decides nothing. Only `ppo.rollout_steps` and `dqn.train_every` count steps of each environment, as they say.

    Attributes:
        game: the game's name.
        rules: fields of its rule set that differ from the default.
        algorithm: which of the sections `ppo` and `dqn` holds.
        seed: everything random follows from it.
        total_steps: after how many the training ends; the last update may come a few later.
        environments: how many are played in parallel; a game against `self` counts once for each seat.
        opponents: names, folders of runs, `self` (one policy plays all seats and learns from each) or `past` (frozen
            copies of the learner), each with its share of the parallel environments; or a list, for equal shares.
        seat: the learner's against all but `self`; null: drawn for each game.
        threads: of torch; the networks are too small for more than one to help.
    """

    game: Annotated[Literal["demi-iles-solo", "demi-iles", "421"], BeforeValidator(_text)]
    rules: dict[str, Any] = {}
    algorithm: Literal["ppo", "dqn"]
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    total_steps: Steps = 300_000
    environments: Annotated[int, Whole, Field(ge=1, le=1024)] = 16
    opponents: Annotated[
        dict[str, Positive],
        BeforeValidator(_shares),
        Field(description="a name, a list of names, or a mapping of names to their shares"),
    ] = {}
    seat: Annotated[int, Field(ge=0, le=5)] | None = None
    self_play: SelfPlay = SelfPlay()
    network: Network = Network()
    rewards: Rewards = Rewards()
    tremble: Tremble = Tremble()
    evaluation: Evaluation = Evaluation()
    checkpoint: Checkpoint = Checkpoint()
    threads: Annotated[int, Whole, Field(ge=1, le=256)] = 1
    ppo: Ppo | None = None
    dqn: Dqn | None = None

    def make_game(self) -> Game[Any]:
        """The game with its rules."""
        return make_game(self.game, **self.rules)

    @property
    def mixture(self) -> Mixture:
        """Who is played against in which environment."""
        return mixture_of(self.opponents, self.environments, self.make_game().players)

    @property
    def gamma(self) -> float:
        """The learner's discount."""
        section = self.ppo or self.dqn
        assert section is not None
        return section.gamma

    @property
    def head(self) -> str:
        """The kept policy's head: "softmax" if it plays by its odds, "argmax" if it plays the best action."""
        by_odds = self.ppo.plays == "odds" if self.ppo is not None else self.temperature is not None
        return "softmax" if by_odds else "argmax"

    @property
    def temperature(self) -> float | None:
        """Of the odds that DQN's values are turned into; None: into none."""
        return self.dqn.temperature or None if self.dqn is not None else None


def load_config(path: str | Path, overrides: list[str] | None = None, *, seed: int | None = None) -> Config:
    """The config in the YAML file at `path`, with `overrides` ("a.b=c", later ones win) and all defaults written out.

    Raises:
        ConfigError: one sentence that names the file or the override, the key, its value, and what was expected.
    """
    from nenette_agents import config_checks, yaml_files
    from nenette_agents import overrides as overriding

    document = yaml_files.read(Path(path))
    if document is None:
        raise ConfigError(f"{path}: this file is empty; a mapping with at least game and algorithm was expected")
    if not isinstance(document, dict):
        kind = "a list" if isinstance(document, list) else "a single value"
        raise ConfigError(f"{path}: a mapping of keys to values was expected, and this is {kind}")
    sources = overriding.Sources(str(path))
    for override in overrides or []:
        overriding.apply(document, override, sources)
    if seed is not None:
        document["seed"] = seed
        sources.note("seed", "--seed")
    return config_checks.validate(document, sources)
