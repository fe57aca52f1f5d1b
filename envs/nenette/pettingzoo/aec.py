"""A game as an AEC environment: the agent that is to move acts."""

from typing import Any, SupportsIndex

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv

from nenette.pettingzoo.form import Form, Info, Observation


class TurnsEnv(Form, AECEnv):
    """Each step is an action of `agent_selection`.

    Observation: `{"observation", "action_mask"}`, the state as the agent's seat sees it, and what it may do: all zeros
    for an agent that is not to move, and all ones for it once the game is over (where a game is cut, the agent whose
    move it would be keeps its mask). `infos[agent]` has the mask, too, and the seat.

    Action: the game's. One that the mask forbids is replaced by the legal action that differs from it in the fewest
    bits, and `infos[agent]["illegal_action"]` is then True for the agent that gave it.

    Reward: to every agent with the last step of a game, whoever takes it.

    End: all agents are terminated when the game is over; truncated when it is cut: by the rules' `max_turns`, or as
    soon as every agent has acted `max_cycles` times.

    Forced throws, which leave no choice, are played inside, but for each agent's first one of a game
    (`forced_throws="asked"`: all of them are steps).
    """

    passes = 0
    _BEGUN = ("agent_selection", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards")
    """What there is from the first reset on."""

    def __getattr__(self, name: str) -> Any:
        if name in self._BEGUN:
            raise AttributeError(f"no game has begun, so there is no {name}: call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """What `agent_selection` sees, its rewards since its last step, and its info.

        Raises:
            ResetNeeded: there is no game, or all agents have left it.
        """
        self._check_agents("last()")
        seen: tuple[Observation | None, float, bool, bool, Info] = super().last(observe)
        return seen

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents in the order of their steps, until all have left the game.

        Raises:
            ResetNeeded: no game has begun.
        """
        if not hasattr(self, "agent_selection"):
            raise ResetNeeded("no game has begun: call reset() before agent_iter()")
        return super().agent_iter(max_iter)

    def _check_agents(self, call: str) -> None:
        if not self.agents:
            raise ResetNeeded(f"the game is over, or none has begun: call reset() before {call}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; `seed` seeds everything random that follows, no options are used."""
        self._table.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection: str | None = None
        self._settle()
        self.agent_selection = self.possible_agents[self._table.mover]
        self._show()

    def observe(self, agent: str) -> Observation:
        """What an agent sees.

        Raises:
            ResetNeeded: no game has begun.
            ValueError: there is no such agent.
        """
        return self._observation(self._seats[self._known(agent)])

    def step(self, action: SupportsIndex | None) -> None:
        """The action of `agent_selection`; None for an agent whose game is over.

        Raises:
            ResetNeeded: there is no game, or all agents have left it.
            ValueError: the action is outside of the action space.
        """
        self._check_agents("step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._table.step(self._number(action))
        if self.max_cycles is not None and min(self._table.acted) >= self.max_cycles:
            self._table.stop()
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._rewards(self.agents)
        self._accumulate_rewards()
        self._settle()
        if not legal:
            self.infos[agent]["illegal_action"] = True
        self.agent_selection = self.possible_agents[self._table.mover]
        if self._table.over:
            self._deads_step_first()
        self._show()

    def _settle(self) -> None:
        self.terminations = dict.fromkeys(self.agents, self._table.returns is not None)
        self.truncations = dict.fromkeys(self.agents, self._table.cut)
        self.infos: dict[str, Info] = {agent: self._info(self._seats[agent]) for agent in self.agents}

    def _mask(self, seat: int) -> NDArray[np.int8]:
        legal = self._table.legal_actions(seat)
        if not legal and self._table.over:
            return np.ones(self._n_actions, dtype=np.int8)
        mask = np.zeros(self._n_actions, dtype=np.int8)
        mask[list(legal)] = 1
        return mask
