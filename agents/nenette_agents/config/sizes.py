"""Whether an algorithm's numbers of steps go together: rollouts, batches, buffers."""

from collections.abc import Callable

from nenette_agents.config.fields import Linear
from nenette_agents.config.model import Config
from nenette_agents.errors import ConfigError

__all__ = ["check_dqn", "check_ppo"]

_LEAST_ROLLOUT = 16
Complain = Callable[[str, object, str], ConfigError]


def check_dqn(config: Config, complain: Complain) -> None:
    """Looks at DQN's.

    Raises:
        ConfigError: what `complain` makes of the key, its value and what was expected.
    """
    dqn = config.dqn
    assert dqn is not None
    if dqn.buffer_size < config.n_envs:
        raise complain(
            "dqn.buffer_size",
            dqn.buffer_size,
            f"at least one step of each of the {config.n_envs} environments was expected",
        )
    if dqn.learning_starts >= config.total_timesteps:
        raise complain(
            "dqn.learning_starts",
            dqn.learning_starts,
            f"less than total_timesteps ({config.total_timesteps}) was expected",
        )


def check_ppo(config: Config, complain: Complain) -> None:
    """Looks at PPO's.

    Raises:
        ConfigError: likewise.
    """
    ppo, assignment = config.ppo, config.assignment
    assert ppo is not None
    self_games = assignment.self_games
    learning = self_games + len(assignment.opponents) if self_games else config.n_envs
    rollout = ppo.n_steps * learning
    if ppo.batch_size > rollout:
        what = f"n_envs ({learning})" if not self_games else f"the seats that move in each ({learning})"
        raise complain(
            "ppo.batch_size",
            ppo.batch_size,
            f"at most {rollout} was expected: n_steps ({ppo.n_steps}) times {what}",
        )
    if not self_games and rollout % ppo.batch_size:
        raise complain(
            "ppo.batch_size",
            ppo.batch_size,
            f"a divisor of {rollout}, n_steps times n_envs, was expected",
        )
    if self_games and ppo.n_steps < _LEAST_ROLLOUT:
        raise complain(
            "ppo.n_steps",
            ppo.n_steps,
            f"at least {_LEAST_ROLLOUT} was expected where opponents has self, for in a step most seats pass",
        )
    if rollout > config.total_timesteps:
        raise complain(
            "total_timesteps", config.total_timesteps, f"at least one rollout of {rollout} steps was expected"
        )
    if rollout == config.total_timesteps and isinstance(ppo.learning_rate, Linear) and not ppo.learning_rate.final:
        raise complain(
            "total_timesteps",
            config.total_timesteps,
            f"more than one rollout of {rollout} steps was expected, for the learning rate is 0 after the last one",
        )
