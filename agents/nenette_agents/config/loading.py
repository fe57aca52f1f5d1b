"""From a YAML file and `--set` to a checked `Config`, or to one sentence about what is wrong with it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nenette.games import Game
from nenette.games.registry import referred
from nenette.policies import BEST_RESPONSE, load_opponent, policy_names
from nenette.policies.load import runs_called
from nenette.policies.network import NetworkPolicy
from nenette_agents.config.algorithms import ALGORITHMS, find_algorithm
from nenette_agents.config.fields import Linear
from nenette_agents.config.files import Sources, apply, config_file, read
from nenette_agents.config.model import Config
from nenette_agents.config.named import PAST, SELF, crossing_called, features_looked_at, potential_weights, resolved
from nenette_agents.config.names import current, field_name, fold_schedules
from nenette_agents.config.reference import sentence
from nenette_agents.errors import ConfigError, nearest, short, shown

__all__ = ["check_a2c", "check_dqn", "check_ppo", "load_config", "validate"]

Complain = Callable[[str, object, str], ConfigError]
_LEAST_ROLLOUT = 16


def load_config(
    path: str | Path,
    overrides: list[str] | None = None,
    *,
    seed: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> Config:
    """The config in a YAML file, with `overrides` ("a.b=c", later ones win) and all defaults written out.

    Args:
        path: the file, or the name of a config that comes with the package, such as "421-ppo".
        overrides: each sets one value.
        seed: in place of the config's.
        tell: is called with one sentence that gives today's names, if names of an earlier version were read.

    Raises:
        ConfigError: one sentence that names the file or the override, the key, its value, and what was expected.
    """
    path = config_file(Path(path))
    document = read(path)
    if document is None:
        raise ConfigError(f"{path}: this file is empty; a mapping with at least game and algorithm was expected")
    if not isinstance(document, dict):
        kind = "a list" if isinstance(document, list) else "a single value"
        raise ConfigError(f"{path}: a mapping of keys to values was expected, and this is {kind}")
    sources = Sources(str(path))
    try:
        document, renamed = current(document)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    for override in overrides or []:
        renamed |= apply(document, override, sources)
    try:
        renamed |= fold_schedules(document)
    except ConfigError as error:
        raise ConfigError(f"{sources.file}: {error}") from None
    if seed is not None:
        document["seed"] = seed
        sources.note("seed", "--seed")
    config = validate(document, sources)
    if renamed and tell is not None:
        named = ", ".join(f"{old} is now {new}" for old, new in renamed.items())
        tell(f"{path}: these names are of an earlier version, and mean what they meant: {named}")
    return config


def validate(document: dict[Any, Any], sources: Sources, playing: Game[Any] | None = None) -> Config:
    """The config with every default written out.

    Args:
        document: what is written.
        sources: where that is.
        playing: the game, if it is there already; None: it is made.

    Raises:
        ConfigError: one sentence about the first thing that is wrong.
    """
    try:
        config = Config.read(document)
    except ValidationError as error:
        raise ConfigError(sentence(error, sources)) from None
    if playing is not None:
        config.play(playing)

    def complain(key: str, value: object, expected: str) -> ConfigError:
        return ConfigError(f"{sources.of(key)}: {key} is {shown(value)}; {expected}")

    game = _make_game(config, sources)
    config = _with_the_algorithms_section(config, sources)
    config = _with_an_evaluation(config, game, complain)
    _check_learning(config, game, complain)
    _check_opponents(config, game, complain)
    _check_init(config, game, complain)
    config = _with_full_paths(config, game)
    _check_seats(config, game, complain)
    _check_pool(config, complain)
    check = find_algorithm(config.algorithm).check
    if check is not None:
        referred(check)(config, complain)
    if config.n_envs > config.total_timesteps:
        raise complain("n_envs", config.n_envs, f"at most total_timesteps ({config.total_timesteps}) was expected")
    return config


def _make_game(config: Config, sources: Sources) -> Game[Any]:
    try:
        return config.make_game()
    except ConfigError as error:  # of a game elsewhere
        raise ConfigError(f"{sources.of('game')}: game: {error}") from error
    except (TypeError, ValueError) as error:
        keys = [f"rules.{name}" for name in config.rules]
        options = [sources.of(key) for key in keys if key in sources.options]
        raise ConfigError(f"{(options or [sources.file])[-1]}: rules: {error}") from error


def _with_the_algorithms_section(config: Config, sources: Sources) -> Config:
    for name, spec in ALGORITHMS.items():
        given = getattr(config, name)
        if name == config.algorithm:
            config = config.model_copy(update={name: given or spec.settings()})
        elif given is not None:
            raise ConfigError(
                f"{sources.of(name)}: {name} has settings, but algorithm is {config.algorithm!r}; "
                f"its settings are expected under {config.algorithm}"
            )
    if config.policy_temperature is None:
        head = find_algorithm(config.algorithm).head
        config = config.model_copy(update={"policy_temperature": 1.0 if head == "softmax" else 0.0})
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
    elif against in (SELF, PAST):
        raise complain("evaluation.against", against, f"a name other than {against} was expected")
    else:
        _check_opponent("evaluation.against", against, game, complain)
    return config.model_copy(update={"evaluation": config.evaluation.model_copy(update={"against": against})})


def _with_full_paths(config: Config, game: Game[Any]) -> Config:
    """So that the run that is made of it goes on from any folder."""
    opponents: dict[str, float] = {}
    for name, share in config.opponents.items():
        full = resolved(name, game)
        opponents[full] = opponents.get(full, 0.0) + share
    against = config.evaluation.against
    if against is not None:
        against = resolved(against, game)
    evaluation = config.evaluation.model_copy(update={"against": against})
    init = None if config.init is None else resolved(config.init, game)
    return config.model_copy(update={"opponents": opponents, "evaluation": evaluation, "init": init})


def _check_init(config: Config, game: Game[Any], complain: Complain) -> None:
    """Looks whether the learner's network can begin with the weights of `init`."""
    if config.init is None:
        return
    try:
        policy = load_opponent(config.init, game)
    except ValueError as error:
        reason = str(error).replace(config.init, short(config.init))
        raise complain("init", config.init, f"a policy was expected, but {reason}") from error
    if not isinstance(policy, NetworkPolicy):
        raise complain("init", config.init, f"a policy with a network was expected, and {policy.name} has none")
    if (theirs := policy.card.get("algorithm", config.algorithm)) != config.algorithm:
        raise complain("init", config.init, f"a policy of {config.algorithm} was expected, and it is one of {theirs}")
    crossing = crossing_called(game, config.network.crossed)
    crossed = None if policy.crossed is None else field_name(policy.crossed)
    for key, mine, its in (
        ("net_arch", config.network.net_arch, [len(bias) for _, bias in policy.layers[:-1]]),
        ("activation_fn", config.network.activation_fn, policy.activation),
        ("crossed", None if crossing is None else field_name(str(config.network.crossed)), crossed),
    ):
        if mine != its:
            expected = f"its network has {key} {shown(its)}, and network.{key} is {shown(mine)}: the same was expected"
            raise complain("init", config.init, expected)
    seen = features_looked_at(game, config.network.looks_at)
    if seen is not None and policy.layers[0][0][:, ~seen].any():
        expected = "its network looks at more fields than network.looks_at names: one that does not was expected"
        raise complain("init", config.init, expected)


def _check_learning(config: Config, game: Game[Any], complain: Complain) -> None:
    try:
        crossing_called(game, config.network.crossed)
    except ValueError as error:
        raise complain("network.crossed", config.network.crossed, str(error)) from error
    try:
        features_looked_at(game, config.network.looks_at)
    except ValueError as error:
        raise complain("network.looks_at", config.network.looks_at, str(error)) from error
    if config.network.looks_at is not None and config.network.crossed is not None:
        expected = "null was expected, for network.crossed takes all fields"
        raise complain("network.looks_at", config.network.looks_at, expected)
    try:
        potential_weights(game, config.rewards.potential)
    except ValueError as error:
        raise complain("rewards.potential", config.rewards.potential, str(error)) from error


def _check_seats(config: Config, game: Game[Any], complain: Complain) -> None:
    players = game.players
    if config.seat is not None and (players == 1 or config.seat >= players):
        expected = "null was expected, for nobody else plays the solo game"
        if players > 1:
            expected = f"null or one of the seats from 0 to {players - 1} was expected"
        raise complain("seat", config.seat, expected)
    if config.seat is not None and list(config.opponents) == [SELF]:
        raise complain("seat", config.seat, "null was expected, for self plays all seats")
    if SELF not in config.opponents:
        return
    assignment = config.assignment
    if not assignment.opponents and config.n_envs % players:
        raise complain("n_envs", config.n_envs, f"a multiple of {players} was expected, for self plays all seats")
    missing = [name for name in config.opponents if name != SELF and name not in assignment.opponents]
    if missing:
        raise complain("n_envs", config.n_envs, f"enough was expected for {missing[0]} to have a share of them")


def _check_pool(config: Config, complain: Complain) -> None:
    sampling, copies = config.self_play.sampling, config.self_play.copies
    if sampling == "uniform":
        return
    senseless = {
        "opponents has no past": PAST not in config.opponents,
        "self_play.copies is 1": copies == 1,
        "past has a single one of the environments": config.assignment.opponents.count(PAST) == 1,
    }
    why = [reason for reason, holds in senseless.items() if holds]
    if why:
        raise complain("self_play.sampling", sampling, f"uniform was expected, for {why[0]}")


def _check_opponents(config: Config, game: Game[Any], complain: Complain) -> None:
    if game.players == 1 and config.opponents:
        names = list(config.opponents)
        raise complain("opponents", names, "an empty list was expected, for nobody else plays the solo game")
    if game.players > 1 and not config.opponents:
        known = ", ".join([SELF, PAST, *policy_names(game.name)])
        raise complain("opponents", [], f"a list of at least one was expected ({known})")
    for name in config.opponents:
        if name not in (SELF, PAST):
            _check_opponent("opponents", name, game, complain)


def _check_opponent(key: str, name: str, game: Game[Any], complain: Complain) -> None:
    known = policy_names(game)
    if name in known:
        return
    bare = "/" not in name and not name.startswith(BEST_RESPONSE) and name not in policy_names(game.name)
    if bare and not runs_called(name):
        names = [SELF, PAST, *known] if key.startswith("opponents") else known
        expected = f"one of {', '.join(names)} or a run, by folder or by name, was expected{nearest(name, names)}"
        raise complain(key, name, expected)
    try:
        load_opponent(name, game)
    except ValueError as error:
        raise complain(key, name, f"an opponent was expected, but {str(error).replace(name, short(name))}") from error


def check_dqn(config: Config, complain: Complain) -> None:
    """Checks the buffer and `learning_starts` of DQN and its kinds.

    Raises:
        ConfigError: what `complain` makes of the key, its value and what was expected.
    """
    dqn, section = config.settings, config.algorithm
    if dqn.buffer_size < config.n_envs:
        raise complain(
            f"{section}.buffer_size",
            dqn.buffer_size,
            f"at least one step of each of the {config.n_envs} environments was expected",
        )
    if dqn.learning_starts >= config.total_timesteps:
        raise complain(
            f"{section}.learning_starts",
            dqn.learning_starts,
            f"less than total_timesteps ({config.total_timesteps}) was expected",
        )


def check_a2c(config: Config, complain: Complain) -> None:
    """Checks A2C's rollout.

    Raises:
        ConfigError: as in `check_dqn`.
    """
    if config.settings.normalize_advantage and config.settings.n_steps * _learning(config) == 1:
        expected = "false was expected, for a rollout is a single step"
        raise complain("a2c.normalize_advantage", True, expected)
    _check_rollout(config, complain)


def check_ppo(config: Config, complain: Complain) -> None:
    """Checks PPO's rollout and batch.

    Raises:
        ConfigError: as in `check_dqn`.
    """
    ppo, assignment = config.ppo, config.assignment
    assert ppo is not None
    rollout = ppo.n_steps * _learning(config)
    if ppo.batch_size > rollout:
        seats = "the seats that move in each" if assignment.self_games else "n_envs"
        raise complain(
            "ppo.batch_size",
            ppo.batch_size,
            f"at most {rollout} was expected: n_steps ({ppo.n_steps}) times {seats} ({_learning(config)})",
        )
    if not assignment.self_games and rollout % ppo.batch_size:
        raise complain(
            "ppo.batch_size",
            ppo.batch_size,
            f"a divisor of {rollout}, n_steps times n_envs, was expected",
        )
    _check_rollout(config, complain)


def _learning(config: Config) -> int:
    """In how many slots there is a decision at a step."""
    assignment = config.assignment
    return assignment.self_games + len(assignment.opponents) if assignment.self_games else config.n_envs


def _check_rollout(config: Config, complain: Complain) -> None:
    settings, section = config.settings, config.algorithm
    rollout = settings.n_steps * _learning(config)
    if config.assignment.self_games and settings.n_steps < _LEAST_ROLLOUT:
        raise complain(
            f"{section}.n_steps",
            settings.n_steps,
            f"at least {_LEAST_ROLLOUT} was expected where opponents has self, for in a step most seats pass",
        )
    if rollout > config.total_timesteps:
        raise complain(
            "total_timesteps", config.total_timesteps, f"at least one rollout of {rollout} steps was expected"
        )
    rate = settings.learning_rate
    if rollout == config.total_timesteps and isinstance(rate, Linear) and not rate.final:
        raise complain(
            "total_timesteps",
            config.total_timesteps,
            f"more than one rollout of {rollout} steps was expected, for the learning rate is 0 after the last one",
        )
