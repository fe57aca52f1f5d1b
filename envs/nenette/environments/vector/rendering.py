"""render() of many games: the first few tables, as pictures, as text, or in a window."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from nenette.environments.pictures.display import IN_A_WINDOW, Display
from nenette.environments.pictures.scene import View
from nenette.environments.vector.machine import Machine
from nenette.environments.vector.seating import Seating
from nenette.environments.vector.slots import Slots
from nenette.environments.vector.watching import Watch

__all__ = ["RenderedTables"]


class RenderedTables:
    """What `TurnBasedVectorEnv` has for those who look at it; it plays the same whether anybody does or not."""

    if TYPE_CHECKING:
        num_envs: int
        render_mode: str | None
        metadata: dict[str, Any]
        _batch: Slots
        _machine: Machine
        _seating: Seating
        _seat: int | None
        _same_step: bool

        def _check_begun(self) -> None: ...
        def _over(self) -> NDArray[np.bool_]: ...

    _display: Display
    _watch: Watch | None = None

    def render(self) -> tuple[Any, ...] | None:
        """What has happened in the last step at the first 16 tables, and how they stand.

        With "rgb_array" a tuple of num_envs pictures, uint8 (height, width, 3): of these tables, and for all others one
        and the same empty one. With "ansi" a tuple of num_envs texts, of which the others are empty. The slots that are
        the seats of one game show one table. With "human" the first 4 tables have been shown already, at each step.

        Raises:
            ResetNeeded: no episode has begun.
            DependencyNotInstalled: a picture is asked for, and pygame-ce is not there.
        """
        if self.render_mode is None:
            logger.warn('render() shows nothing unless the environment is made with render_mode="ansi" or "rgb_array"')
            return None
        views = self.views()
        shown = [self._display.one(view) for view in views]
        if self.render_mode == "human":
            return None
        seats = self.num_envs // len(self._batch.places)
        slots = [one for one in shown for _ in range(seats)]
        return (*slots, *[self._display.nothing()] * (self.num_envs - len(slots)))

    def views(self) -> list[View]:
        """The first 16 tables as they are to be shown: see `nenette.environments.pictures`.

        What has happened there is known if there is a render_mode.

        Raises:
            ResetNeeded: no episode has begun.
        """
        self._check_begun()
        return self._watched().views(self._batch, self._seating, self._seat, self._over(), same_step=self._same_step)

    def close_extras(self, **_: Any) -> None:
        """Closes the window, if there is one."""
        self._display.close()

    def _watched(self) -> Watch:
        if self._watch is None:
            games = len(self._batch.places)
            self._watch = Watch(self._machine, games, self.num_envs // games)
        return self._watch

    def _show(self) -> None:
        self._display.show(self.views()[:IN_A_WINDOW], self.metadata)
