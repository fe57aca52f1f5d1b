"""Shapes and words on a pygame surface, the same pixels everywhere; pygame is imported when the first one is made."""

import os
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

__all__ = ["Box", "Canvas", "Colour", "load_pygame"]

Colour = tuple[int, int, int]

_FINE = 2
"""Shapes are drawn so many times as large and then made smaller, which smooths their edges."""

_SPELT = str.maketrans({"→": "to", "…": "..."})
"""Signs that pygame's own font does not have."""


def load_pygame() -> Any:
    """The module.

    Raises:
        DependencyNotInstalled: it is not there, and how to get it.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would greet on stdout
    try:
        import pygame
    except ImportError as missing:
        raise DependencyNotInstalled(
            "a picture needs pygame-ce, which is not installed: pip install pygame-ce; "
            'render_mode="ansi" tells in words what happens'
        ) from missing
    return pygame


class Box(NamedTuple):
    """A rectangle in pixels."""

    x: float
    y: float
    w: float
    h: float

    def inside(self, by: float) -> "Box":
        """The rectangle without a margin."""
        return Box(self.x + by, self.y + by, max(0.0, self.w - 2 * by), max(0.0, self.h - 2 * by))

    def top(self, h: float) -> tuple["Box", "Box"]:
        """A strip along the upper edge, and what is left."""
        h = min(h, self.h)
        return Box(self.x, self.y, self.w, h), Box(self.x, self.y + h, self.w, self.h - h)

    def left(self, w: float) -> tuple["Box", "Box"]:
        """A strip along the left edge, and what is left."""
        w = min(w, self.w)
        return Box(self.x, self.y, w, self.h), Box(self.x + w, self.y, self.w - w, self.h)

    def grid(self, rows: int, columns: int, gap: float) -> list["Box"]:
        """Equal parts, row by row."""
        w, h = (self.w - gap * (columns - 1)) / columns, (self.h - gap * (rows - 1)) / rows
        return [Box(self.x + c * (w + gap), self.y + r * (h + gap), w, h) for r in range(rows) for c in range(columns)]

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + self.w / 2, self.y + self.h / 2


class Canvas:
    """A picture under way. Words lie above all shapes.

    Attributes:
        box: the whole picture.
    """

    def __init__(self, size: tuple[int, int], background: Colour) -> None:
        self._pygame = pygame = load_pygame()
        pygame.font.init()
        self.box = Box(0, 0, *size)
        self._fine = pygame.Surface((size[0] * _FINE, size[1] * _FINE), 0, 32)
        self._fine.fill(background)
        self._fonts: dict[int, Any] = {}  # of this picture only: somebody else may shut pygame down after it
        self._words: list[tuple[str, int, Colour, float, float]] = []

    def fill(
        self, box: Box, colour: Colour, *, radius: float = 0, edge: Colour | None = None, width: float = 1
    ) -> None:
        """A rectangle with round corners, and a line around it that lies inside of it."""
        outer = self._rect(box)
        rounding = round(radius * _FINE)
        if edge is not None:
            self._pygame.draw.rect(self._fine, edge, outer, border_radius=rounding)
            outer = self._rect(box.inside(width))
            rounding = max(0, round((radius - width) * _FINE))
        self._pygame.draw.rect(self._fine, colour, outer, border_radius=rounding)

    def disc(self, x: float, y: float, radius: float, colour: Colour, edge: Colour | None = None) -> None:
        """A disc, and a line around it that lies inside of it."""
        centre = (round(x * _FINE), round(y * _FINE))
        if edge is not None:
            self._pygame.draw.circle(self._fine, edge, centre, round(radius * _FINE))
            radius -= max(0.5, radius / 6)
        self._pygame.draw.circle(self._fine, colour, centre, max(1, round(radius * _FINE)))

    def shape(self, corners: list[tuple[float, float]], colour: Colour) -> None:
        """A filled polygon."""
        self._pygame.draw.polygon(self._fine, colour, [(round(x * _FINE), round(y * _FINE)) for x, y in corners])

    def width(self, words: str, size: int) -> float:
        """How wide words are."""
        return float(self._font(size).size(words.translate(_SPELT))[0])

    def height(self, size: int) -> float:
        """How high a line of words is."""
        return float(self._font(size).get_linesize())

    def write(
        self, words: str, size: int, colour: Colour, box: Box, *, across: float = 0.0, down: float = 0.5
    ) -> float:
        """A line of words in a box, cut short where it is too long; how wide it is.

        Args:
            words: the line.
            size: of the letters, in pixels.
            colour: of the letters.
            box: where.
            across: 0 at the left edge, 1 at the right one.
            down: 0 at the upper edge, 1 at the lower one.
        """
        words = self._fitted(words, size, box.w).translate(_SPELT)
        if not words:
            return 0.0
        w, h = self._font(size).size(words)
        self._words.append((words, size, colour, box.x + (box.w - w) * across, box.y + (box.h - h) * down))
        return float(w)

    def wrapped(self, words: str, size: int, w: float) -> list[str]:
        """Words in lines of at most this width."""
        lines: list[str] = []
        for word in words.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, size) <= w:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def surface(self) -> Any:
        """The picture, a pygame surface."""
        whole = self._pygame.transform.smoothscale(self._fine, (int(self.box.w), int(self.box.h)))
        for words, size, colour, x, y in self._words:
            whole.blit(self._font(size).render(words, True, colour), (round(x), round(y)))
        return whole

    def pixels(self) -> NDArray[np.uint8]:
        """The picture, uint8 (height, width, 3)."""
        columns = self._pygame.surfarray.array3d(self.surface())
        return np.ascontiguousarray(columns.transpose(1, 0, 2), dtype=np.uint8)

    def _rect(self, box: Box) -> tuple[int, int, int, int]:
        x, y = round(box.x * _FINE), round(box.y * _FINE)
        return x, y, round((box.x + box.w) * _FINE) - x, round((box.y + box.h) * _FINE) - y

    def _font(self, size: int) -> Any:
        if size not in self._fonts:
            self._fonts[size] = self._pygame.font.Font(None, size)
        return self._fonts[size]

    def _fitted(self, words: str, size: int, w: float) -> str:
        if self.width(words, size) <= w:
            return words
        while words and self.width(words + "…", size) > w:
            words = words[:-1]
        return words.rstrip() + "…" if words else ""
