"""What the two forms share: agents and their spaces, what an agent sees, rendering."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from nenette.environments.options import check_max_turns, checked_range
from nenette.environments.pictures.display import RENDER_FPS, RENDER_MODES, SIZE, Display
from nenette.games import Game
from nenette.games.checks import check_choice
from nenette.pettingzoo.table import FORCED_THROWS, Table

OBSERVATIONS = ("dict", "flat")
OPTIONS = ("forced_throws", "max_cycles", "observations", "render_mode", "render_size")
"""The keywords of either form that are no rules of the game."""

Observation = dict[str, NDArray[Any]] | NDArray[np.float32]
Info = dict[str, Any]


class Form:
    """The seats of a game as agents `player_0`, `player_1`, ...; seat 0 starts at 21 des Demi-Îles.

    Attributes:
        game: the rules and the codec (`game.codec.labels` says what each feature of an observation means).
        possible_agents: all agents, by seat.
        state_space: what `state` returns.
        max_cycles: after how many cycles a game is cut; None: only the rules' `max_turns` cuts it.
    """

    passes: ClassVar[int]
    """1 if there is an action more than the game has, to pass with; else 0."""
    is_parallelizable: ClassVar[bool] = False

    def __init__(
        self,
        name: str,
        game: Game[Any],
        *,
        forced_throws: str = "played",
        max_cycles: int | None = None,
        observations: str = "dict",
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
    ) -> None:
        check_choice("observations", observations, OBSERVATIONS)
        check_choice("forced_throws", forced_throws, FORCED_THROWS)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        if max_cycles is not None:
            max_cycles = checked_range("max_cycles", max_cycles, 1)
        check_max_turns(game.max_turns, game.players)
        self.game = game
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": self.is_parallelizable,
        }
        self.render_mode = render_mode
        self._display = Display(game, render_mode, render_size)
        self.max_cycles = max_cycles
        self._flat = observations == "flat"
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        self.state_space = Box(0.0, 1.0, (game.codec.size,), np.float32)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._n_actions = game.n_actions + self.passes
        self.action_spaces = {agent: Discrete(self._n_actions) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._new_observation_space() for agent in self.possible_agents}
        self._table = Table(game, forced_throws=forced_throws, keeps=render_mode is not None)

    def observation_space(self, agent: str) -> Dict | Box:
        """`{"observation": Box(0, 1, (size,), float32), "action_mask": Box(0, 1, (n,), int8)}`; the former, if flat."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Discrete:
        """`Discrete(n)`: the game's actions, and in the Parallel form *pass*, the last."""
        return self.action_spaces[self._known(agent)]

    def state(self) -> NDArray[np.float32]:
        """The whole state, float32 (size,): what seat 0 sees.

        Raises:
            ResetNeeded: no game has begun.
        """
        return self._table.observe(0)

    def render(self) -> str | NDArray[np.uint8] | None:
        """What happened in the last step and how the table stands.

        As text with "ansi"; with "rgb_array" as a picture, uint8 (height, width, 3). With "human" it has been shown
        already, at each step.

        Raises:
            ResetNeeded: no game has begun.
            DependencyNotInstalled: a picture is asked for, and pygame-ce is not there.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                'render() shows nothing unless the environment is made with render_mode="ansi" or "rgb_array"'
            )
            return None
        return self._display.one(self._table.view())

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._display.close()

    def _new_observation_space(self) -> Dict | Box:
        seen = Box(0.0, 1.0, (self.game.codec.size,), np.float32)
        return (
            seen if self._flat else Dict({"observation": seen, "action_mask": Box(0, 1, (self._n_actions,), np.int8)})
        )

    def _known(self, agent: str) -> str:
        if agent not in self._seats:
            check_choice("an agent", agent, self.possible_agents)
        return agent

    def _number(self, action: Any) -> int:
        try:
            number = index(action)
        except TypeError:
            number = -1
        if 0 <= number < self._n_actions:
            return number
        raise ValueError(f"an action is an integer from 0 to {self._n_actions - 1}, not {action!r}")

    def _mask(self, seat: int) -> NDArray[np.int8]:
        raise NotImplementedError

    def _observation(self, seat: int) -> Observation:
        if self._flat:
            return self._table.observe(seat)
        return {"observation": self._table.observe(seat), "action_mask": self._mask(seat)}

    def _info(self, seat: int) -> Info:
        return {"action_mask": self._mask(seat), "seat": seat}

    def _show(self) -> None:
        if self.render_mode == "human":
            self._display.show([self._table.view()], self.metadata)

    def _rewards(self, agents: Iterable[str]) -> dict[str, float]:
        returns = self._table.returns
        return {agent: returns[self._seats[agent]] if returns else 0.0 for agent in agents}
