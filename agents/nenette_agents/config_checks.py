"""From what a file says to a `Config`, or to one sentence about what is wrong with it."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from nenette.games import Game
from nenette.policies import BEST_RESPONSE, policy_names
from nenette.policies.inputs import crossing
from nenette_agents import expectations
from nenette_agents.config import SELF, Config, Dqn, Ppo
from nenette_agents.errors import ConfigError, nearest, shown
from nenette_agents.overrides import Sources
from nenette_agents.potentials import potential_weights

__all__ = ["validate"]

_SECTIONS = {"ppo": Ppo, "dqn": Dqn}
Complain = Callable[[str, object, str], ConfigError]


def validate(document: dict[Any, Any], sources: Sources) -> Config:
    """The config with every default written out.

    Raises:
        ConfigError: one sentence about the first thing that is wrong.
    """
    try:
        config = Config.model_validate(document)
    except ValidationError as error:
        raise ConfigError(expectations.sentence(error, sources)) from None

    def complain(key: str, value: object, expected: str) -> ConfigError:
        return ConfigError(f"{sources.of(key)}: {key} is {shown(value)}; {expected}")

    game = _make_game(config, sources)
    config = _with_the_algorithms_section(config, sources)
    config = _with_an_evaluation(config, game, complain)
    _check_learning(config, game, complain)
    _check_sizes(config, complain)
    _check_opponents(config, game, complain)
    return config


def _make_game(config: Config, sources: Sources) -> Game[Any]:
    try:
        return config.make_game()
    except (TypeError, ValueError) as error:
        keys = [f"rules.{name}" for name in config.rules]
        options = [sources.of(key) for key in keys if key in sources.options]
        raise ConfigError(f"{(options or [sources.file])[-1]}: rules: {error}") from error


def _with_the_algorithms_section(config: Config, sources: Sources) -> Config:
    for name, section in _SECTIONS.items():
        given = getattr(config, name)
        if name == config.algorithm:
            config = config.model_copy(update={name: given or section()})
        elif given is not None:
            raise ConfigError(
                f"{sources.of(name)}: {name} has settings, but algorithm is {config.algorithm!r}; "
                f"its settings are expected under {config.algorithm}"
            )
    return config


def _with_an_evaluation(config: Config, game: Game[Any], complain: Complain) -> Config:
    against = config.evaluation.against
    if game.players == 1:
        if against is not None:
            raise complain("evaluation.against", against, "null was expected, for nobody else plays the solo game")
        return config
    if against is None:
        # More than two players are not solved.
        against = "optimal" if game.players == 2 else "random"
    elif against == SELF:
        raise complain("evaluation.against", against, "a name other than self was expected")
    else:
        _check_opponent("evaluation.against", against, game, complain)
    return config.model_copy(update={"evaluation": config.evaluation.model_copy(update={"against": against})})


def _check_learning(config: Config, game: Game[Any], complain: Complain) -> None:
    try:
        crossing(game, config.network.crossed)
    except ValueError as error:
        raise complain("network.crossed", config.network.crossed, str(error)) from error
    try:
        potential_weights(game, config.rewards.potential)
    except ValueError as error:
        raise complain("rewards.potential", config.rewards.potential, str(error)) from error


def _check_sizes(config: Config, complain: Complain) -> None:
    if config.ppo is not None:
        rollout = config.ppo.rollout_steps * config.environments
        if config.ppo.batch_size > rollout:
            raise complain(
                "ppo.batch_size",
                config.ppo.batch_size,
                f"at most {rollout} was expected: rollout_steps ({config.ppo.rollout_steps}) "
                f"times environments ({config.environments})",
            )
        if rollout % config.ppo.batch_size:
            raise complain(
                "ppo.batch_size",
                config.ppo.batch_size,
                f"a divisor of {rollout}, rollout_steps times environments, was expected",
            )
        if rollout > config.total_steps:
            raise complain("total_steps", config.total_steps, f"at least one rollout of {rollout} steps was expected")
    if config.dqn is not None:
        if config.dqn.buffer_size < config.environments:
            raise complain(
                "dqn.buffer_size",
                config.dqn.buffer_size,
                f"at least one step of each of the {config.environments} environments was expected",
            )
        if config.dqn.learning_starts >= config.total_steps:
            raise complain(
                "dqn.learning_starts",
                config.dqn.learning_starts,
                f"less than total_steps ({config.total_steps}) was expected",
            )
    if config.environments > config.total_steps:
        raise complain("environments", config.environments, f"at most total_steps ({config.total_steps}) was expected")


def _check_opponents(config: Config, game: Game[Any], complain: Complain) -> None:
    if game.players == 1 and config.opponents:
        raise complain("opponents", config.opponents, "an empty list was expected, for nobody else plays the solo game")
    if game.players > 1 and not config.opponents:
        known = ", ".join([SELF, *policy_names(game.name)])
        raise complain("opponents", config.opponents, f"a list of at least one was expected ({known})")
    for place, name in enumerate(config.opponents):
        if name != SELF:
            _check_opponent(f"opponents.{place}", name, game, complain)


def _check_opponent(key: str, name: str, game: Game[Any], complain: Complain) -> None:
    known = policy_names(game.name)
    if name in known:
        return
    if "/" not in name and not name.startswith(BEST_RESPONSE):
        names = [SELF, *known] if key.startswith("opponents") else known
        expected = f"one of {', '.join(names)} or the folder of a run was expected{nearest(name, names)}"
        raise complain(key, name, expected)
    from nenette import load_opponent

    try:
        load_opponent(name, game)
    except ValueError as error:
        raise complain(key, name, f"an opponent was expected, but {error}") from error
