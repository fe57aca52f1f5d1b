"""The algorithms that a training's config can name, as learners: what `nenette train` does, at a task."""

from collections.abc import Mapping
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from nenette.games import Game
from nenette.games.registry import referred, spec_of
from nenette_agents.config.algorithms import find_algorithm
from nenette_agents.config.files import Sources
from nenette_agents.config.loading import validate
from nenette_agents.config.model import Config
from nenette_agents.export import export_policy
from nenette_agents.learners.interface import Agent, LearningTask
from nenette_agents.training.build import wrapped

__all__ = ["ConfiguredLearner", "a2c", "dqn", "ppo", "qr_dqn"]

_OF_THE_CONFIG = ("n_envs", "network", "rewards", "tremble", "policy_temperature")
"""Settings that are no algorithm's own; all others are keys of its section."""


class ConfiguredLearner:
    """An algorithm of `nenette_agents.config.algorithms`, with its section's keys as settings.

    Beside these there are `n_envs`, `network`, `rewards`, `tremble` and `policy_temperature`, which mean what they mean
    in a config. In self-play it plays all seats. Its agents are policies that have copied the weights.
    """

    def __init__(self, algorithm: str) -> None:
        """The learner of the registered algorithm of that name."""
        self._algorithm = algorithm

    def check(
        self, settings: Mapping[str, Any], game: Game[Any], opponents: tuple[str, ...], total_timesteps: int
    ) -> None:
        """Looks whether the settings are known, and go together.

        Raises:
            ConfigError: one sentence about the first that does not.
        """
        self.config(settings, game, opponents, total_timesteps, seed=0)

    def __call__(self, task: LearningTask) -> Agent:
        """Learns; the last agent, a `NetworkPolicy`.

        Raises:
            ConfigError: as from `check`.
        """
        game = task.game
        config = self.config(task.settings, game, task.opponents, task.total_timesteps, task.seed)
        algorithm = find_algorithm(self._algorithm)
        make_env = task.make_all_seats_env if task.self_play else task.make_env
        learner = referred(algorithm.make)(config, game, wrapped([make_env(config.n_envs)], config, game))

        def agent() -> Agent:
            temperature = config.policy_temperature or 1.0
            return export_policy(learner, game, self._algorithm, config.head, temperature=temperature)

        reports = _Reports(task, agent)
        more = [] if algorithm.callbacks is None else referred(algorithm.callbacks)(config)
        learner.learn(task.total_timesteps, callback=[reports, *more])
        return reports.last()

    def config(
        self, settings: Mapping[str, Any], game: Game[Any], opponents: tuple[str, ...], total_timesteps: int, seed: int
    ) -> Config:
        """The config that these settings stand for.

        Raises:
            ConfigError: one sentence about the first setting that cannot be.
        """
        spec, kind = spec_of(game), type(game)
        document = {
            "game": spec.name if spec is not None else f"{kind.__module__}:{kind.__qualname__}",
            "algorithm": self._algorithm,
            "seed": seed,
            "total_timesteps": total_timesteps,
            "opponents": list(opponents),
            **{key: value for key, value in settings.items() if key in _OF_THE_CONFIG},
            self._algorithm: {key: value for key, value in settings.items() if key not in _OF_THE_CONFIG},
        }
        return validate(document, Sources(f"learner {self._algorithm}"), playing=game)


class _Reports(BaseCallback):
    """Reports the agent at the steps at which it is wanted; after the last step an update is still to come."""

    def __init__(self, task: LearningTask, agent: Any) -> None:
        super().__init__()
        self._task, self._agent, self._due = task, agent, list(task.report_at)

    def _on_step(self) -> bool:
        while self._due and self._due[0] <= min(self.num_timesteps, self._task.total_timesteps - 1):
            self._task.report(self._due.pop(0), self._agent())
        return True

    def last(self) -> Agent:
        """Reports the agent as it is at the end, and returns it."""
        agent = self._agent()
        for timestep in self._due:
            self._task.report(timestep, agent)
        return agent


ppo = ConfiguredLearner("ppo")
dqn = ConfiguredLearner("dqn")
a2c = ConfiguredLearner("a2c")
qr_dqn = ConfiguredLearner("qr-dqn")
