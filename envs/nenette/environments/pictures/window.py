"""The window of render_mode="human". There is one a process, as pygame has it: environments that show share it."""

import os
from typing import Any
from weakref import WeakSet

from nenette.environments.pictures.canvas import load_pygame

__all__ = ["Window"]

_OPEN: "WeakSet[Window]" = WeakSet()


class Window:
    """Opens with the first picture; somebody who closes it has seen enough, and the game goes on without.

    Attributes:
        closed: whether somebody has closed it.
    """

    def __init__(self) -> None:
        self.closed = False
        self._last = 0.0

    def show(self, surface: Any, title: str, pictures_a_second: float | None) -> None:
        """Shows a picture.

        Args:
            surface: the picture, a pygame surface.
            title: of the window.
            pictures_a_second: waits until the picture before has been seen so long; None does not wait.

        Raises:
            pygame.error: no window can be opened here.
        """
        pygame = load_pygame()
        if self.closed:
            return
        if not pygame.display.get_init():
            pygame.display.init()
        if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
            pygame.display.quit()  # what SDL takes where there is no screen
            raise pygame.error("there is no screen")
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != surface.get_size():
            screen = pygame.display.set_mode(surface.get_size())
        _OPEN.add(self)
        if pictures_a_second is not None and pygame.display.get_driver() not in _UNSEEN:
            self._wait(1000 / pictures_a_second)
        if not self.answer():
            return
        pygame.display.set_caption(title)
        screen.blit(surface, (0, 0))
        pygame.display.flip()

    def answer(self) -> bool:
        """Answers the desktop, which else takes the program for stuck; whether the window is still there."""
        pygame = load_pygame()
        if self.closed or not pygame.display.get_init():
            return False
        # Keys and clicks are left to whoever else uses pygame here; the others would fill up the queue.
        others = (pygame.KEYDOWN, pygame.KEYUP, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP)
        if any(event.type in (pygame.QUIT, pygame.WINDOWCLOSE) for event in pygame.event.get(exclude=others)):
            for window in tuple(_OPEN):
                window.closed = True
            _OPEN.clear()
            pygame.display.quit()
        return not self.closed

    def close(self) -> None:
        """Closes it, unless other environments show something there; it may open again."""
        _OPEN.discard(self)
        if not _OPEN:
            pygame = load_pygame()
            if pygame.display.get_init():
                pygame.display.quit()

    def _wait(self, milliseconds: float) -> None:
        """Until so long after it was called last, in short sleeps: the desktop is answered in between."""
        pygame = load_pygame()
        while (left := self._last + milliseconds - pygame.time.get_ticks()) > 0 and self.answer():
            pygame.time.wait(int(min(left, 50)) + 1)
        self._last = float(pygame.time.get_ticks())


_UNSEEN = ("dummy", "offscreen")
"""Video drivers that show nothing to anybody: there is nobody to wait for."""
