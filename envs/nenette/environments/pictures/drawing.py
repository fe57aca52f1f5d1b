"""Draws a scene, whatever the game; what is in it was decided before.

Nothing is shown by colour alone: players differ by name and letter, dice by their frames, and
ticked cells are dark.
"""

from collections.abc import Sequence
from math import ceil

from nenette.environments.pictures.canvas import Box, Canvas, Colour
from nenette.environments.pictures.scene import Board, Counter, Die, Player, Scene

__all__ = ["drawn"]

# Okabe and Ito's colours, which people with any colour vision can distinguish.
_SEATS: Sequence[Colour] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
)
_CLOTH: Colour = (240, 238, 230)
_PAPER: Colour = (255, 255, 255)
_INK: Colour = (28, 28, 32)
_PALE_INK: Colour = (96, 96, 104)
_LINE: Colour = (188, 186, 178)
_FICHE: Colour = (240, 228, 66)
_SHADE: Colour = (206, 206, 206)
_DARK: Colour = (70, 70, 78)

_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def drawn(scene: Scene, size: tuple[int, int]) -> Canvas:
    """The scene as a picture of this width and height in pixels."""
    return _Drawing(scene, Canvas(size, _CLOTH)).canvas


class _Drawing:
    """One picture: `unit` is a pixel of one that is 640 wide and 480 high, `letters` grow more slowly."""

    def __init__(self, scene: Scene, canvas: Canvas) -> None:
        self.canvas = canvas
        whole = canvas.box
        self.unit = min(whole.w / 640, whole.h / 480)
        self.gap = max(2.0, 10 * self.unit)
        self.small, self.middling, self.large = (self._letters(size) for size in (24, 28, 34))
        rest = whole.inside(self.gap)
        title, rest = rest.top(canvas.height(self.large))
        canvas.write(scene.title, self.large, _INK, title)
        if scene.players:
            self._table(scene, rest)
        else:
            self._words(scene.lines, "", rest)

    def _letters(self, size: int) -> int:
        return max(9, round(size * float(self.unit**0.6)))

    def _table(self, scene: Scene, rest: Box) -> None:
        gap, line = self.gap, self.canvas.height(self.small)
        words = max(2 * line, rest.h * 0.25)
        words = line * int(words / line) + gap
        area, below = rest.top(rest.h - words)
        if scene.middle is not None:
            strip, area = area.top(self.canvas.height(self.middling) + gap)
            self._counter(scene.middle, Box(strip.x, strip.y, strip.w, strip.h - gap / 2))
        if scene.board is not None:
            share = 0.34 if len(scene.players) > 3 else 0.42
            board, area = area.top(area.h * share)
            self._board(scene.board, scene.players, Box(board.x, board.y, board.w, board.h - gap))
        columns = min(3, len(scene.players)) if len(scene.players) != 4 else 2
        rows = ceil(len(scene.players) / columns)
        for seat, box in zip(range(len(scene.players)), area.grid(rows, columns, gap), strict=False):
            self._player(scene.players[seat], seat, box)
        self._words(scene.lines, scene.question, Box(below.x, below.y + gap, below.w, below.h - gap))

    def _words(self, lines: Sequence[str], question: str, box: Box) -> None:
        """What is next in the last lines, and above it as much of what has happened as there is place for."""
        canvas, size = self.canvas, self.small
        h = canvas.height(size)
        room = max(1, int(box.h / h + 0.01))
        asked = canvas.wrapped(question, size, box.w)[:room]
        happened = [part for line in lines for part in canvas.wrapped(line, size, box.w)]
        left = room - len(asked)
        shown = [(line, _PALE_INK) for line in (happened[-left:] if left else [])] + [(line, _INK) for line in asked]
        for row, (line, colour) in enumerate(shown):
            canvas.write(line, size, colour, Box(box.x, box.y + row * h, box.w, h))

    def _player(self, player: Player, seat: int, box: Box) -> None:
        canvas, colour = self.canvas, _SEATS[seat % len(_SEATS)]
        edge = max(2.0, 5 * self.unit) if player.to_move else max(1.0, 1.5 * self.unit)
        canvas.fill(box, _PAPER, radius=8 * self.unit, edge=_INK if player.to_move else _LINE, width=edge)
        inside = box.inside(edge + self.gap * 0.4)
        head, rest = inside.top(canvas.height(self.middling))
        self._head(player, seat, colour, head)
        first = player.counters[0] if player.counters else None
        if first is not None and first.shown_as == "fiches":
            strip, rest = rest.top(canvas.height(self.middling) + self.gap * 0.3)
            self._counter(first, strip, in_panel=True)
        elif first is not None:
            number, rest = rest.left(rest.w * 0.36)
            self._number(first, number)
        self._dice(player.dice, player.note, rest)

    def _head(self, player: Player, seat: int, colour: Colour, head: Box) -> None:
        """The token and the name, then the counters that are no more than a few squares or a number."""
        canvas, r = self.canvas, head.h * 0.42
        self._token(player.name, seat, head.x + r, head.y + head.h / 2, r, colour)
        if player.to_move:
            x, y = head.x + head.w, head.y + head.h / 2
            canvas.shape([(x - 1.6 * r, y - r), (x - 1.6 * r, y + r), (x, y)], _INK)
        right = head.w - (2 * r if player.to_move else 0)
        row = Box(head.x + 2.5 * r, head.y, right - 2.5 * r, head.h)
        name = f"{player.name}: {'won' if player.result > 0 else 'lost'}" if player.result else player.name
        for counter in reversed(player.counters[1:]):
            taken = self._beside(counter, row, spare=row.w - canvas.width(name, self.middling))
            row = Box(row.x, row.y, row.w - taken, row.h)
        canvas.write(name, self.middling, _INK, row)

    def _beside(self, counter: Counter, row: Box, spare: float) -> float:
        """A counter at the right end of a row, its label where that much is to spare; how wide it is."""
        canvas = self.canvas
        if counter.shown_as != "marks" or counter.out_of is None:
            text = f"{counter.label} {counter.number}" + ("" if counter.out_of is None else f"/{counter.out_of}")
            return canvas.write(text, self.small, _PALE_INK, row, across=1.0) + self.gap
        side, taken = row.h * 0.45, 0.0
        for k in reversed(range(counter.out_of)):
            taken += side + side * 0.35
            square = Box(row.x + row.w - taken, row.y + (row.h - side) / 2, side, side)
            filled = k < counter.number
            canvas.fill(square, _INK if filled else _PAPER, edge=_DARK, width=max(0.75, 2 * self.unit))
        words = Box(row.x, row.y, row.w - taken - self.gap * 0.5, row.h)
        if taken + canvas.width(counter.label, self.small) + self.gap < spare:
            taken += canvas.write(counter.label, self.small, _PALE_INK, words, across=1.0) + self.gap * 0.5
        return taken + self.gap * 0.5

    def _token(self, name: str, seat: int, x: float, y: float, r: float, colour: Colour) -> None:
        canvas = self.canvas
        canvas.disc(x, y, r, colour, _INK)
        size = int(r * 2.1)
        if size >= 9:
            ink = _PAPER if seat % len(_SEATS) in (0, 2, 5) else _INK
            letter = name[:1] if name.startswith("You") or not name[-1:].isdigit() else name[-1:]
            canvas.write(letter, size, ink, Box(x - 2 * r, y - r, 4 * r, 2 * r), across=0.5)

    def _counter(self, counter: Counter, strip: Box, *, in_panel: bool = False) -> None:
        """A number of fiches in a row: written, then as discs if they have place."""
        canvas = self.canvas
        size = self.middling
        words, widest = str(counter.number), canvas.width("00", size)
        if not in_panel or canvas.width(f"00 {counter.label}", size) < strip.w * 0.35:
            words, widest = f"{words} {counter.label}", canvas.width(f"00 {counter.label}", size)
        if not in_panel:
            words = f"{counter.label}: {counter.number}"
        text, rest = strip.left(max(widest, canvas.width(words, size)) + self.gap * 0.6)
        canvas.write(words, size, _INK, text)
        r = min(rest.h * 0.36, rest.w / max(counter.out_of or 1, 1) * 0.46, 12 * max(self.unit, 0.4))
        if r < 2:
            return
        for k in range(counter.number):
            canvas.disc(rest.x + (2 * k + 1) * r * 1.06, rest.y + rest.h / 2, r, _FICHE, _DARK)

    def _number(self, counter: Counter, box: Box) -> None:
        """A number as large as it may be, and what it counts below."""
        canvas = self.canvas
        label = canvas.height(self.small) if box.h > canvas.height(self.small) * 2.4 else 0
        size = max(self.middling, int(min((box.h - label) * 1.1, box.w * 0.9)))
        upper, lower = box.top(box.h - label)
        canvas.write(str(counter.number), size, _INK, upper, across=0.5)
        if label:
            canvas.write(counter.label, self.small, _PALE_INK, lower, across=0.5)

    def _dice(self, dice: Sequence[Die], note: str, box: Box) -> None:
        canvas = self.canvas
        line = canvas.height(self.small) if note else 0
        places = max(len(dice), 2)
        side = min((box.h - line) * 0.9, box.w / (places + 0.25 * (places - 1)), 96 * max(self.unit, 0.4))
        if not dice:
            canvas.write(note, self.small, _PALE_INK, box, across=0.5)
            return
        whole, between = side * (1.25 * len(dice) - 0.25), side * 0.16
        x, y = box.x + (box.w - whole) / 2, box.y + (box.h - side - between - line) / 2
        canvas.write(note, self.small, _PALE_INK, Box(box.x, y + side + between, box.w, line), across=0.5)
        for k, die in enumerate(dice):
            self._die(die, Box(x + k * side * 1.25, y, side, side))

    def _die(self, die: Die, box: Box) -> None:
        canvas, side = self.canvas, box.w
        if die.face == 0:  # in the hand
            canvas.fill(box, _CLOTH, radius=side * 0.18, edge=_LINE, width=max(1.0, side * 0.04))
            return
        if die.look == "fresh":
            canvas.fill(box, _PAPER, radius=side * 0.18, edge=_INK, width=max(1.5, side * 0.08))
        elif die.look == "kept":
            canvas.fill(box, _PAPER, radius=side * 0.18, edge=_INK, width=max(0.75, side * 0.025))
            bar = Box(box.x + side * 0.15, box.y + side * 1.04, side * 0.7, max(1.0, side * 0.06))
            canvas.fill(bar, _INK)
        else:
            canvas.fill(box, _SHADE, radius=side * 0.18, edge=_LINE, width=max(0.75, side * 0.03))
        x, y = box.centre
        for across, down in _PIPS[die.face]:
            ink = _PALE_INK if die.look == "past" else _INK
            canvas.disc(x + across * side * 0.25, y + down * side * 0.25, max(1.0, side * 0.095), ink)

    def _board(self, board: Board, players: Sequence[Player], box: Box) -> None:
        """The cells in two rows, with everybody's token."""
        canvas = self.canvas
        gap = max(1.0, 4 * self.unit)
        cells = box.grid(2, ceil(board.cells / 2), gap)
        for cell, place in zip(range(board.cells), cells, strict=False):
            ticked = cell in board.visited
            here = [seat for seat, stands in enumerate(board.standing) if stands == cell]
            target = cell == board.target
            width = max(1.5, 4 * self.unit) if target else max(0.75, 1.5 * self.unit)
            canvas.fill(
                place, _DARK if ticked else _PAPER, radius=5 * self.unit, edge=_INK if target else _LINE, width=width
            )
            size = max(9, min(self.small, int(place.h * 0.5)))
            words = place.inside(width + 0.5)
            if here:
                canvas.write(str(cell), size, _PAPER if ticked else _PALE_INK, words, across=0.0, down=0.0)
                label = canvas.height(size) * 0.75
                self._tokens(here, players, Box(place.x, place.y + label, place.w, place.h - label))
            else:
                canvas.write(str(cell), size, _PAPER if ticked else _PALE_INK, words, across=0.5, down=0.5)

    def _tokens(self, here: Sequence[int], players: Sequence[Player], box: Box) -> None:
        columns = len(here) if len(here) < 3 else ceil(len(here) / 2)
        rows = ceil(len(here) / columns)
        for seat, place in zip(here, box.grid(rows, columns, 0), strict=False):
            r = min(place.w, place.h) * 0.46
            self._token(players[seat].name, seat, *place.centre, r, _SEATS[seat % len(_SEATS)])
