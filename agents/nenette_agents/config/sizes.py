"""Whether an algorithm's numbers of steps go together: rollouts, batches, buffers."""

from collections.abc import Callable

from nenette_agents.config.fields import Linear
from nenette_agents.config.model import Config
from nenette_agents.errors import ConfigError

__all__ = ["check_a2c", "check_dqn", "check_ppo"]

_LEAST_ROLLOUT = 16
Complain = Callable[[str, object, str], ConfigError]


def check_dqn(config: Config, complain: Complain) -> None:
    """Looks at DQN's, and at those of its kinds.

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
    """Looks at A2C's.

    Raises:
        ConfigError: likewise.
    """
    if config.settings.normalize_advantage and config.settings.n_steps * _learning(config) == 1:
        expected = "false was expected, for a rollout is a single step"
        raise complain("a2c.normalize_advantage", True, expected)
    _check_rollout(config, complain)


def check_ppo(config: Config, complain: Complain) -> None:
    """Looks at PPO's.

    Raises:
        ConfigError: likewise.
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
