"""A game as a Parallel environment by turn masking: all agents act at each step, and all but one of them pass."""

from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo.utils.env import ParallelEnv

from nenette.pettingzoo.form import Form, Info, Observation


class TurnMaskedEnv(Form, ParallelEnv):
    """Each step is an action of every agent; the game's last action plus one is *pass*.

    Observation: `{"observation", "action_mask"}`, the state as the agent's seat sees it, and what it may do: the game's
    actions for the agent that is to move, *pass* and nothing else for the others, and for all once the game has
    ended. The infos have the mask, too, and the seat.

    Action: the game's, or *pass*. What the mask forbids is replaced and `infos[agent]["illegal_action"]` is then True:
    anything but *pass* of agents that are not to move, by *pass*; a *pass* of the agent that is to move, by the lowest
    legal action; any other by the legal action that differs from it in the fewest bits.

    Reward: to every agent with the last step of a game.

    End: all agents are terminated when the game is over; truncated when it is cut: by the rules' `max_turns`, or after
    `max_cycles` steps.

    Forced throws, which leave no choice, are played inside, but for each agent's first one of a game
    (`forced_throws="asked"`: all of them are steps).
    """

    passes = 1
    is_parallelizable = True

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """A new game; `seed` seeds everything random that follows, no options are used."""
        self._table.reset(seed)
        self.agents = list(self.possible_agents)
        self._show()
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, SupportsIndex]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """An action of each agent: observations, rewards, terminations, truncations and infos, by agent.

        Raises:
            ResetNeeded: there is no game, or it is over.
            ValueError: an agent's action is missing, is outside of the action space, or there is no such agent.
        """
        if not self.agents:
            raise ResetNeeded("the game is over, or none has begun: call reset() before step()")
        numbers = self._numbers(actions)
        mover = self.possible_agents[self._table.mover]
        illegal = [agent for agent in self.agents if agent != mover and numbers[agent] != self.game.n_actions]
        if not self._table.step(numbers[mover]):
            illegal.append(mover)
        if self.max_cycles is not None and self._table.steps >= self.max_cycles:
            self._table.stop()
        infos = self._infos()
        for agent in illegal:
            infos[agent]["illegal_action"] = True
        ended = dict.fromkeys(self.agents, self._table.returns is not None)
        cut = dict.fromkeys(self.agents, self._table.cut)
        rewards = self._rewards(self.agents)
        if self._table.over:
            self.agents = []
        self._show()
        return self._observations(), rewards, ended, cut, infos

    def _numbers(self, actions: Mapping[str, SupportsIndex]) -> dict[str, int]:
        for agent in actions:
            self._known(agent)
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"step takes an action of every agent, that of {missing[0]} is missing")
        return {agent: self._number(actions[agent]) for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._observation(seat) for agent, seat in self._seats.items()}

    def _infos(self) -> dict[str, Info]:
        return {agent: self._info(seat) for agent, seat in self._seats.items()}

    def _mask(self, seat: int) -> NDArray[np.int8]:
        mask = np.zeros(self._n_actions, dtype=np.int8)
        mask[list(self._table.legal_actions(seat) or (self.game.n_actions,))] = 1
        return mask
