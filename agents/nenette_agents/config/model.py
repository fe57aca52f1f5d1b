"""A training run as a person writes it down: one YAML file."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from nenette.games import Game
from nenette_agents.config.algorithms import ALGORITHMS, Dqn, Ppo, Section
from nenette_agents.config.fields import Expected, GameName, Positive, Share, Shares, Timesteps, Whole, Width
from nenette_agents.config.named import Assignment, assign, game_called, hashes
from nenette_agents.config.names import current, fold_schedules

__all__ = [
    "Checkpoint",
    "Config",
    "Evaluation",
    "Network",
    "Rewards",
    "SelfPlay",
    "Tremble",
]


def _named_algorithm(name: str) -> str:
    if name in ALGORITHMS:
        return name
    raise PydanticCustomError("choice", "another was expected", {"expected": ", ".join(map(repr, ALGORITHMS))})


class Network(Section):
    """The network of the policy, and of the value function beside it."""

    net_arch: Annotated[list[Width], Field(max_length=8, description="Units of each hidden layer.")] = [128, 128]  # noqa: RUF012  pydantic copies it
    activation_fn: Literal["tanh", "relu"] = Field(default="tanh", description="What follows each hidden layer.")
    crossed: str | None = Field(
        default=None,
        description="A field of the observation, such as own_score, that the input multiplies with all other features, "
        "so that each of its values has weights of its own for them; null: none.",
    )
    looks_at: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None,
        description="Fields of the observation, or patterns such as *_fiches, that the network looks at, and at no "
        "others; null: all. Where it leaves out enough, three players of 421 are scored exactly (docs/exact.md).",
    )


class Rewards(Section):
    """The learner's rewards; scores are always about the game's own."""

    scale: Positive = Field(
        default=1.0, description="Factor of all rewards; a value function is easier to learn where returns are about 1."
    )
    potential: dict[str, float] = Field(
        default={},
        description="Fields of the observation, or patterns such as *_has_been_stood_on, with what a unit of each adds "
        "to the potential of a state. Each step's reward has the gain in potential added; best play stays the same.",
    )


class Tremble(Section):
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


class SelfPlay(Section):
    """Opponents called `past`: frozen copies of the learner as it was."""

    renew_every: Timesteps = Field(default=20_000, description="Timesteps between two renewals of the frozen copies.")
    copies: Annotated[int, Whole, Field(ge=1, le=100, description="How many past selves are kept.")] = 1
    sampling: Literal["uniform", "prioritized"] = Field(
        default="uniform",
        description="uniform: the parallel environments take the copies in turn. prioritized: each copy has one of "
        "them, and the others are assigned anew at every renewal, the more to a copy the better it still does against "
        "the learner (prioritised fictitious self-play).",
    )


class Evaluation(Section):
    """How the learner is scored during the training, and once more at its end."""

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


class Checkpoint(Section):
    """What a killed run goes on from."""

    every_seconds: Annotated[
        float,
        Field(
            ge=0,
            description="Seconds between two checkpoints, at least: no more than a fiftieth of the time goes into "
            "them. 0: one at every update.",
        ),
    ] = 30.0
    keep: bool | None = Field(
        default=None,
        description="Whether a last one stays when the run is finished, with the optimiser's state and the replay "
        "buffer, so that the run can be trained further; null: if it takes less than 64 MiB.",
    )


class Config(Section):
    """One training run.

    A timestep is a decision of the learner; those of all environments count together, in every section, and a seat
    that passes decides nothing. What is counted otherwise says so: `ppo.n_steps` and `dqn.train_freq` are
    stable-baselines3's, steps of each environment; `tremble.opening_moves` are moves of a game.
    """

    game: Annotated[
        GameName,
        Field(
            description="The game's name; or module:object, a GameSpec or a Game in a module that is installed or lies "
            "in the working folder. That module is imported, which runs it."
        ),
    ]
    rules: dict[str, Any] = Field(default={}, description="Fields of the game's rules that differ from their defaults.")
    algorithm: Annotated[
        str,
        AfterValidator(_named_algorithm),
        Expected(lambda: f"one of {', '.join(ALGORITHMS)}"),
        WithJsonSchema({"enum": list(ALGORITHMS)}),
        Field(description="The learning algorithm; the section of that name has its settings."),
    ]
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
        Shares,
        Field(
            description="Names, folders of runs, self (one policy plays all seats and learns from each) or past "
            "(frozen copies of the learner), each with its share of the parallel environments; or a list, for equal "
            "shares."
        ),
    ] = {}  # noqa: RUF012
    init: str | None = Field(
        default=None,
        description="The policy that the learner begins with: an opponent such as 421/ppo-medium, a run, or the folder "
        "of any policy with a network of the same kind and size; null: random weights.",
    )
    seat: Annotated[
        Annotated[int, Field(ge=0, le=5)] | None,
        Field(description="The learner's against all but self; null: drawn for each game."),
    ] = None
    self_play: SelfPlay = Field(default=SelfPlay(), description="What opponents called past are.")
    network: Network = Field(default=Network(), description="Of the policy and of the value function.")
    rewards: Rewards = Field(default=Rewards(), description="The learner's rewards.")
    tremble: Tremble = Field(default=Tremble(), description="Actions of the learner that come out as random ones.")
    evaluation: Evaluation = Field(default=Evaluation(), description="How the learner is scored.")
    checkpoint: Checkpoint = Field(default=Checkpoint(), description="What a killed run goes on from.")
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
            "PPO and A2C, which is the policy that was trained, and 0 for DQN and QR-DQN.",
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

    _game: tuple[str, dict[str, Any], Game[Any]] | None = PrivateAttr(default=None)

    @classmethod
    def complete(cls) -> type["Config"]:
        """The class with a section for every algorithm that is registered by now."""
        return _completed(tuple((name, spec.settings) for name, spec in ALGORITHMS.items()))

    @classmethod
    def read(cls, document: Any) -> "Config":
        """The config in a document.

        Raises:
            pydantic.ValidationError: something in it is wrong.
        """
        return cls.complete().model_validate(document)

    def make_game(self) -> Game[Any]:
        """The game with its rules; of one config it is made once."""
        if self._game is None or self._game[:2] != (self.game, self.rules):
            self._game = (self.game, self.rules, game_called(self.game, self.rules))
        return self._game[2]

    def play(self, game: Game[Any]) -> None:
        """Uses a game that is made already, in place of making it from `game` and `rules`."""
        self._game = (self.game, self.rules, game)

    @property
    def settings(self) -> Any:
        """The section of the algorithm; a checked config has it."""
        return getattr(self, self.algorithm)

    @property
    def gamma(self) -> float:
        """The learner's discount."""
        gamma: float = self.settings.gamma
        return gamma

    @property
    def assignment(self) -> Assignment:
        """Which opponent is met in which environment."""
        return assign(self.opponents, self.n_envs, self.make_game().players)

    @property
    def opponent_hashes(self) -> dict[str, str]:
        """SHA-256 of each opponent's policy that is a file, by its name; those of evaluations and of `init`, too."""
        return hashes([*self.opponents, *filter(None, [self.evaluation.against, self.init])])

    @property
    def head(self) -> str:
        """The kept policy's head: "softmax" if it draws actions by their probabilities, "argmax" if it takes the best.

        It is what `policy_temperature` says, which a checked config has.
        """
        return "softmax" if self.policy_temperature else "argmax"

    def trains_as(self, other: "Config") -> bool:
        """Whether both make the same run, bit for bit; `checkpoint` does not matter to that."""
        return self == other.model_copy(update={"checkpoint": self.checkpoint})

    def __eq__(self, other: object) -> bool:
        """Whether both say the same; the order of `opponents` counts, for by it the environments are assigned."""
        if not isinstance(other, Config):
            return NotImplemented
        return list(self.opponents) == list(other.opponents) and self.model_dump() == other.model_dump()


@cache
def _completed(sections: tuple[tuple[str, type[Section]], ...]) -> type[Config]:
    more: dict[str, Any] = {
        name: (settings | None, Field(default=None, description=f"Settings of {name}."))
        for name, settings in sections
        if name not in Config.model_fields
    }
    return create_model(Config.__name__, __base__=Config, **more) if more else Config
