"""Q-learning with a table: a value for each action in each situation that was met, and nothing in between.

Source: Watkins and Dayan, Q-learning, 1992.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from stable_baselines3.common.utils import LinearSchedule

from nenette.compiling import njit
from nenette.games import Game
from nenette.policies.table import TablePolicy
from nenette_agents.algorithms.dqn.decisions import Transitions, UnfinishedReturns, steps_of
from nenette_agents.algorithms.dqn.network import explored
from nenette_agents.config.algorithms import Section
from nenette_agents.config.fields import Linear, Rate, Share, Whole
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.errors import ConfigError
from nenette_agents.learners.interface import Agent, LearningTask
from nenette_agents.learners.settings import read_settings

__all__ = ["QTable", "QTableSettings", "q_table"]

_NAME = "q-table"
_FIRST_ROWS = 1024


class QTableSettings(Section):
    """Settings of Q-learning with a table."""

    n_envs: Annotated[int, Whole, Field(ge=1, le=1024, description="Environments played in parallel.")] = 16
    learning_rate: Rate = Field(
        default=Linear(0.2, 0.01),
        description="Weight of a new target, or how it changes; an action's first ones weigh more, the n-th 1/n.",
    )
    gamma: Share = Field(default=0.99, description="The discount.")
    n_steps: Annotated[
        int, Whole, Field(ge=1, le=1000, description="Decisions whose rewards are summed before the table takes over.")
    ] = 1
    exploration_fraction: Share = Field(
        default=0.5, description="Part of the training in which exploration goes from 1 to exploration_final_eps."
    )
    exploration_final_eps: Share = Field(default=0.1, description="Probability of a random action from then on.")


class QTable:
    """Values of actions, 0 until they are tried, in a table that grows by a row with each new situation.

    Attributes:
        values: float64 (rows, n_actions).
        tries: int64 (rows, n_actions): how many targets each value has had.
    """

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._rows: dict[int, int] = {}
        self.values = np.zeros((_FIRST_ROWS, game.n_actions))
        self.tries = np.zeros((_FIRST_ROWS, game.n_actions), dtype=np.int64)

    def rows(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The rows of what was seen, int64 (n,), of observations (n, size)."""
        rows, codec = self._rows, self._game.codec
        keys = codec.keys(codec.decode(observations)).tolist()
        found = np.array([rows.setdefault(key, len(rows)) for key in keys], dtype=np.int64)
        while len(rows) > len(self.values):
            self.values = np.concatenate([self.values, np.zeros_like(self.values)])
            self.tries = np.concatenate([self.tries, np.zeros_like(self.tries)])
        return found

    def learn(self, transitions: Transitions, rate: float) -> None:
        """Moves values towards their targets: each by `rate`, or by 1/n at the n-th target if that is more."""
        rows = self.rows(transitions.observations)
        following = self.rows(transitions.next_observations)
        legal = np.ascontiguousarray(transitions.next_masks[:, : self._game.n_actions])
        returns, discounts = transitions.returns, transitions.discounts
        _learn(self.values, self.tries, rows, transitions.actions, returns, discounts, following, legal, rate)

    def policy(self) -> TablePolicy:
        """The best of the actions that were tried in each situation, by the table as it is now."""
        keys = np.fromiter(self._rows, np.int64, len(self._rows))
        order = keys.argsort()
        order = order[(self.tries[order] > 0).any(axis=1)]
        values = np.where(self.tries[order] > 0, self.values[order], -np.inf)
        return TablePolicy(self._game, keys[order], values.argmax(axis=1).astype(np.uint8), name=_NAME)


@njit()
def _learn(
    values: NDArray[np.float64],
    tries: NDArray[np.int64],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    returns: NDArray[np.float64],
    discounts: NDArray[np.float64],
    following: NDArray[np.int64],
    legal: NDArray[np.bool_],
    rate: float,
) -> None:
    for k in range(len(rows)):
        best = 0.0
        if discounts[k] > 0:
            best = -np.inf
            for action in range(values.shape[1]):
                if legal[k, action]:
                    best = max(best, values[following[k], action])
        row, action = rows[k], actions[k]
        tries[row, action] += 1
        weight = max(rate, 1.0 / tries[row, action])
        values[row, action] += weight * (returns[k] + discounts[k] * best - values[row, action])


class _QTableLearner:
    """Q-learning with a table, for any game of a few million situations."""

    def check(
        self, settings: Mapping[str, Any], game: Game[Any], opponents: tuple[str, ...], total_timesteps: int
    ) -> None:
        """Looks whether the settings are known, and the game's situations can be numbered.

        Raises:
            ConfigError: one sentence about what is wrong.
        """
        read_settings(QTableSettings, settings, _NAME)
        situations = 1
        for feature in game.codec.features:
            situations *= feature.values
        if situations >= 1 << 63:
            raise ConfigError(
                f"learner {_NAME}: {game.name} has {situations:.1e} possible observations, and fewer than 2**63 "
                "were expected"
            )

    def __call__(self, task: LearningTask) -> Agent:
        """Learns; the last agent, a `TablePolicy`.

        Raises:
            ConfigError: as from `check`.
        """
        self.check(task.settings, task.game, task.opponents, task.total_timesteps)
        settings = read_settings(QTableSettings, task.settings, _NAME)
        return _learned(task, settings)


def _learned(task: LearningTask, settings: QTableSettings) -> Agent:
    game, total = task.game, task.total_timesteps
    rng = np.random.default_rng(task.seed)
    make_env = task.make_all_seats_env if task.self_play else task.make_env
    environments = NativeVecEnv(make_env(settings.n_envs))
    passes = game.n_actions if task.self_play else None
    table = QTable(game)
    unfinished = UnfinishedReturns(
        environments.num_envs,
        game.codec.size,
        environments.env.single_action_space.n,  # type: ignore[attr-defined]
        n=settings.n_steps,
        gamma=settings.gamma,
        pass_action=passes,
    )
    rate_at, exploration_at = _schedules(settings)
    due, steps = list(task.report_at), 0
    observations: Any = environments.reset()
    while steps < total:
        left = 1 - steps / total
        masks = environments.action_masks()
        own = np.arange(len(masks)) if passes is None else np.flatnonzero(~masks[:, passes])
        legal = masks[own, : game.n_actions]
        rows = table.rows(observations[own])  # which may make the table grow
        # Of equals any: a table begins with nothing but equals.
        values = np.where(legal, table.values[rows] + 1e-9 * rng.random(legal.shape), -np.inf)
        actions = np.full(len(masks), game.n_actions, dtype=np.int64)
        actions[own] = explored(values.argmax(axis=1), legal, exploration_at(left), rng)
        new: Any
        new, rewards, dones, infos = environments.step(actions)
        played = steps_of(observations, masks, actions, rewards, dones, infos, new, True, np.asarray)
        for transitions in unfinished.add(played):
            table.learn(transitions, rate_at(left))
        observations = new
        steps += len(own)
        while due and due[0] <= steps:
            task.report(due.pop(0), table.policy())
    return table.policy()


def _schedules(settings: QTableSettings) -> tuple[Any, Any]:
    """The learning rate and the rate of exploration by the share of the training that is left."""
    rate = settings.learning_rate
    rate = rate if isinstance(rate, Linear) else Linear(rate, rate)
    exploration = LinearSchedule(1.0, settings.exploration_final_eps, max(settings.exploration_fraction, 1e-9))
    return LinearSchedule(rate.initial, rate.final, 1.0), exploration


q_table = _QTableLearner()
