"""The terminal: 80 columns, with dice and counters, or in plain sentences for a screen reader."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from nenette.environments.accounts.speaker import Speaker, Tally
from nenette_agents.play.texts import Texts
from nenette_agents.terminal.progress import AtWork

__all__ = ["LeftError", "Screen"]

_WIDTH = 80
_PIPS = {1: "    o    ", 2: "o       o", 3: "o   o   o", 4: "o o   o o", 5: "o o o o o", 6: "o oo oo o"}
"""Nine places of a die, row by row."""
_BOX = ("┌───────┐", "│", "└───────┘", "●")
_ASCII_BOX = ("+-------+", "|", "+-------+", "o")
_MOST_COUNTERS = 30


class LeftError(Exception):
    """The player wants to leave the game."""


class Screen:
    """What is printed and asked.

    Args:
        texts: in which language.
        plain: no drawing, no colour, no signs that a screen reader stumbles over.
        aside: print on stderr, because stdout is for a report.
    """

    def __init__(self, texts: Texts, *, plain: bool, aside: bool = False) -> None:
        stream = sys.stderr if aside else sys.stdout
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that has no accents shows all else
        self.texts = texts
        self.plain = plain
        self._console = Console(stderr=aside, color_system=None if plain else "auto", highlight=False)
        self._console.width = min(self._console.width, _WIDTH)
        self._draws_lines = _can_show(stream, "".join(_BOX) + "·")

    def path(self, text: str) -> None:
        """A sentence with a path in it, which is not folded: it may be copied from there."""
        self._console.print(Text(text), soft_wrap=True)

    def say(self, text: str = "", style: str | None = None, indent: int = 0) -> None:
        """A sentence, folded where the terminal ends."""
        if self.plain:
            words = text.replace("→", self.texts.to).replace("—", ",").replace("·", ",")
            text, style = " ".join(words.replace(" ,", ",").split()), None
            if not text:
                return
        elif not self._draws_lines:
            text = text.replace("→", "->").replace("—", "-").replace("·", "-")
        text, margin = text.strip(), indent + len(text) - len(text.lstrip())
        lines = Text(text, style=style or "").wrap(self._console, max(20, self._console.width - margin - 1))
        for line in lines:
            line.rstrip()
            self._console.print(Text(" " * margin) + line, soft_wrap=True)

    def break_off(self) -> None:
        """Ends the line in which something was asked."""
        self._console.print()

    def dice(self, faces: Sequence[int]) -> None:
        """Dice side by side."""
        if not faces:
            return
        if self.plain:
            self.say(self.texts.dice.format(faces=", ".join(map(str, faces))))
            return
        top, side, bottom, pip = _BOX if self._draws_lines else _ASCII_BOX
        rows = (
            [top] * len(faces),
            *([_row(face, k, side, pip) for face in faces] for k in range(3)),
            [bottom] * len(faces),
        )
        for row in rows:
            self._console.print(Text("   " + " ".join(row)), soft_wrap=True)

    def table(self, speaker: Speaker, state: Any) -> None:
        """The counters of everybody, and whose move it is."""
        phase, mover = speaker.phase(state), speaker.game.seat(state)
        if phase:
            self.say(phase[0].upper() + phase[1:] + ("." if self.plain else ""))
        tallies = speaker.tallies(state)
        names = speaker.cast.names
        width = max(len(name) for name in names)
        for seat, name in enumerate(names) if tallies else ():
            to_move = seat == mover
            if self.plain:
                self.say(f"{name}{self.texts.colon}{', '.join(self._counted(tally, seat) for tally in tallies)}.")
                continue
            counters = "   ".join(self._pile(tally, seat) for tally in tallies)
            line = f"{'>' if to_move else ' '} {name[:20]:<{min(width, 20)}}  {counters}"
            self._console.print(Text(line, style="bold" if to_move else ""), soft_wrap=True)

    def _counted(self, tally: Tally, seat: int) -> str:
        number = str(tally.numbers[seat])
        if tally.out_of is not None:
            number = self.texts.number.format(number=number, of=tally.out_of)
        return f"{tally.label} {number}"

    def _pile(self, tally: Tally, seat: int) -> str:
        number, most = tally.numbers[seat], tally.out_of
        text = f"{tally.label} {number:>{len(str(most or 99))}}"
        if most is None or most > _MOST_COUNTERS:
            return text
        full, empty = ("●", "·") if self._draws_lines else ("o", ".")
        return f"{text} {full * number}{empty * (most - number)}"

    def choices(self, lines: Sequence[tuple[str, str, float | None, bool]]) -> None:
        """The moves with what is typed for each, and with winning chances where they are known; the best is marked."""
        moves = max(len(move) for _, move, _, _ in lines)
        for key, move, chance, best in lines:
            mark = self.texts.best if best else ""
            if self.plain:
                known = "" if chance is None else f", {self.texts.chance(chance)}"
                self.say(f"{key}{self.texts.colon}{move}{known}{', ' if mark else ''}{mark}.")
                continue
            known = "" if chance is None else f"{self.texts.chance(chance):>8}"
            text = f"   {key:>4}  {move:<{moves}}  {known}  {'* ' if best else ''}{mark}".rstrip()
            self._console.print(Text(text, style="green" if best else ""), soft_wrap=True)

    def preparing(self) -> AtWork:
        """A context around work that may take a while; a screen reader gets a sentence now and then."""
        if self.plain:
            return AtWork(self.texts.preparing, Console(stderr=True, force_terminal=False), dot=", ")
        return AtWork(self.texts.preparing)

    def line(self, prompt: str = "> ") -> str:
        """What is typed.

        Raises:
            LeftError: the input has ended.
        """
        self._console.print(Text(prompt), end="", soft_wrap=True)
        self._console.file.flush()
        try:
            typed = sys.stdin.readline()
        except UnicodeDecodeError:
            return "\ufffd"
        if not typed:
            self.break_off()
            raise LeftError
        typed = typed.rstrip("\r\n")
        if not sys.stdin.isatty():  # where a terminal would have shown it
            self._console.print(Text(_printable(typed)), soft_wrap=True)
        return typed

    def ask(self, keys: Mapping[str, int], read: Callable[[str], int | None], help_: Callable[[], None]) -> int:
        """The action that somebody types; what is no action gets a sentence, and the question is asked again.

        Raises:
            LeftError: the player wants to leave the game.
        """
        while True:
            typed, word = self._word("> ")
            if word == "?":
                help_()
                continue
            action = read(typed) if word else None
            if action is not None:
                return action
            wrong = self.texts.refused.format(typed=_shown(typed)) if word else self.texts.nothing_typed
            self.say(f"{wrong} {self.texts.may_type.format(keys=', '.join([*keys, '?', 'q']))}.")

    def wait(self, help_: Callable[[], None]) -> None:
        """Waits for Enter; `?` calls `help_`.

        Raises:
            LeftError: the player wants to leave the game.
        """
        while True:
            typed, word = self._word(f"{self.texts.throw} ")
            if not word:
                return
            if word == "?":
                help_()
            else:
                self.say(self.texts.refused.format(typed=_shown(typed)))

    def _word(self, prompt: str) -> tuple[str, str]:
        """What is typed, and the same without what does not matter."""
        typed = self.line(prompt)
        word = typed.strip().lower()
        if word in ("q", "quit"):
            raise LeftError
        return typed, word


def _row(face: int, row: int, side: str, pip: str) -> str:
    places = _PIPS[face][3 * row : 3 * row + 3].replace("o", pip)
    return f"{side} {' '.join(places)} {side}"


def _shown(typed: str) -> str:
    """What was typed, as a sentence can carry it."""
    printable = _printable(typed.strip())
    return repr(printable if len(printable) <= 20 else printable[:20] + "…")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _can_show(stream: TextIO, signs: str) -> bool:
    try:
        signs.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
