"""What render() of every environment gives: text, pictures or a window, of one table or of the first few."""

import logging
from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from nenette.environments.pictures.canvas import load_pygame
from nenette.environments.pictures.scene import Scene, View
from nenette.environments.pictures.telling import account_of, scene_of
from nenette.games import Game
from nenette.games.checks import check_choice

__all__ = ["RENDER_FPS", "RENDER_MODES", "Display", "checked_size", "picture"]

log = logging.getLogger("nenette")

RENDER_MODES = ("ansi", "human", "rgb_array")
RENDER_FPS = 2
"""Pictures a second, in a window and in videos: what has been thrown wants to be read."""

SIZE = (640, 480)
SMALLEST, LARGEST = 64, 4096
IN_A_WINDOW = 4
"""Tables of many that a window shows."""


def checked_size(size: object) -> tuple[int, int]:
    """A picture's width and height in pixels.

    Raises:
        ValueError: `size` is not two integers in range.
    """
    given = tuple(size) if isinstance(size, Sequence | np.ndarray) and not isinstance(size, str | bytes) else ()
    numbers = [int(n) for n in given if isinstance(n, int | np.integer) and not isinstance(n, bool)]
    if len(given) == len(numbers) == 2 and all(SMALLEST <= n <= LARGEST for n in numbers):
        return numbers[0], numbers[1]
    raise ValueError(
        f"render_size is a picture's width and height in pixels, two integers from {SMALLEST} to {LARGEST} "
        f"such as {SIZE}, not {str(size)[:80]}"
    )


def picture(scene: Scene, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """A scene as a picture, uint8 (height, width, 3); `size` is (width, height).

    Raises:
        DependencyNotInstalled: pygame-ce is not there.
    """
    from nenette.environments.pictures.drawing import drawn

    return drawn(scene, size).pixels()


class Display:
    """Shows a game's tables.

    Attributes:
        game: what is played.
        mode: None, "ansi", "human" or "rgb_array".
        size: of a picture, and of the window: width and height in pixels.
    """

    def __init__(self, game: Game[Any], mode: str | None, size: object = SIZE) -> None:
        """Nothing is shown yet, and pygame not yet imported.

        Raises:
            ValueError: there is no such mode, or no such size.
        """
        check_choice("render_mode", mode, (None, *RENDER_MODES))
        self.game = game
        self.mode = mode
        self.size = checked_size(size)
        self._window: Any = None
        self._prints = False

    def __getstate__(self) -> dict[str, Any]:
        """A copy opens its own window."""
        return {**self.__dict__, "_window": None}

    def text(self, view: View) -> str:
        """What has happened, and the table as it stands."""
        return account_of(self.game, view)

    def picture(self, view: View) -> NDArray[np.uint8]:
        """The table, uint8 (height, width, 3).

        Raises:
            DependencyNotInstalled: pygame-ce is not there.
        """
        return picture(scene_of(self.game, view), self.size)

    def one(self, view: View) -> str | NDArray[np.uint8] | None:
        """What render() gives of one table: its account, its picture, or None where a window or nothing is shown."""
        if self.mode == "human":
            if self._window is not None:
                self._window.answer()
            return None
        return self.text(view) if self.mode == "ansi" else self.picture(view)

    def nothing(self) -> str | NDArray[np.uint8]:
        """What stands for a table that is not drawn."""
        return "" if self.mode == "ansi" else picture(Scene("not drawn"), self.size)

    def show(self, views: Sequence[View], metadata: Mapping[str, Any]) -> None:
        """Shows tables in the window; where there can be none, prints what has happened, and says once why.

        Args:
            views: the tables.
            metadata: the environment's, for its "render_fps".
        """
        if not self._prints:
            try:
                self._show(views, metadata.get("render_fps"))
            except DependencyNotInstalled as missing:
                self._print_because(str(missing))
            except load_pygame().error as failed:  # there is no screen
                self._print_because(f"no window can be opened here ({failed})")
        if self._prints:
            print("\n".join(map(self.text, views)), end="")

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _print_because(self, why: str) -> None:
        log.warning('render_mode="human" prints what happens: %s', why)  # not a warning, which may stop a program
        self._prints = True

    def _show(self, views: Sequence[View], pictures_a_second: float | None) -> None:
        pygame = load_pygame()
        from nenette.environments.pictures.drawing import drawn
        from nenette.environments.pictures.window import Window

        if self._window is None:
            self._window = Window()
        if self._window.closed:
            return
        columns = ceil(sqrt(len(views)))
        rows = ceil(len(views) / columns)
        w, h = self.size[0] // columns, self.size[1] // rows
        whole = pygame.Surface(self.size, 0, 32)
        for k, view in enumerate(views):
            whole.blit(drawn(scene_of(self.game, view), (w, h)).surface(), (k % columns * w, k // columns * h))
        self._window.show(whole, self.game.name, pictures_a_second)
