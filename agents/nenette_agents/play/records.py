"""Games that were played, as JSON lines: the table, where it began, every move, and the end.

A game is written as it is played, so that one that is left, or killed, is there as far as it went. Whatever is read is
held against the rules: each move has to be legal and to lead where the file says.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from platformdirs import user_data_path

from nenette.games import Game, make_game
from nenette.matches.review import Move
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.errors import json_object, shown

__all__ = ["Record", "RecordError", "Recorder", "folder", "latest", "new_file", "read"]

_FORMAT = 1
_LARGEST = 1 << 24
_MOST_NAMES = 100


class RecordError(ValueError):
    """A saved game is not what it should be."""


@dataclass(frozen=True)
class Record:
    """A saved game.

    Attributes:
        game: what was played.
        seed: of its dice.
        you: the seat of the person who played; None where agents did.
        players: everybody's name by seat; the person's is not used.
        start: the first state.
        moves: what was played.
        over: whether the game ended, by its rules or because it was truncated.
        cut: whether it was truncated.
    """

    game: Game[Any]
    seed: int
    you: int | None
    players: list[str]
    start: Any
    moves: list[Move]
    over: bool
    cut: bool


def folder() -> Path:
    """Where games are saved: `NENETTE_GAMES` if that is set, else the user's data folder."""
    given = os.environ.get("NENETTE_GAMES")
    return Path(given) if given else user_data_path("nenette", appauthor=False) / "games"


def new_file(game: Game[Any], seed: int) -> Path:
    """A name that no game has yet, in `folder()`; the folder is made."""
    where = folder()
    where.mkdir(parents=True, exist_ok=True)
    stem = f"{game.name}-{datetime.now():%Y%m%d-%H%M%S}-{seed}"
    names = (where / f"{stem}{'' if k == 0 else f'-{k}'}.jsonl" for k in range(1000))
    return next(name for name in names if not name.exists())


def latest() -> Path:
    """The game that was saved last.

    Raises:
        RecordError: there is none.
    """
    files = sorted(folder().glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise RecordError(f"no game is saved in {folder()}")
    return files[-1]


class Recorder:
    """Writes a game as it is played.

    Args:
        path: a file that is not there yet.
        game: what is played.
        seed: see `Record`; likewise `you`, `players` and `start`.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(
        self, path: Path, game: Game[Any], seed: int, you: int | None, players: Sequence[str], start: Any
    ) -> None:
        self.path = path
        self._game = game
        self._file: TextIO = path.open("x", encoding="utf-8")
        rules = asdict(game.rules)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write(
            {"nenette": version("nenette"), "format": _FORMAT, "game": game.name, "rules": rules}
            | {"seed": seed, "you": you, "players": list(players), "began": now}
        )
        self._write({"start": self._fields(start)})

    def move(self, move: Move) -> None:
        """Adds a move."""
        seat = self._game.seat(move.state)
        self._write({"seat": seat, "action": move.action, "fallen": move.fallen, "state": self._fields(move.after)})

    def end(self, returns: tuple[float, ...] | None, *, cut: bool) -> None:
        """Adds the end."""
        self._write({"returns": returns, "cut": cut})

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _fields(self, state: Any) -> list[int]:
        return [int(value) for value in self._game.encode(state, 0)]

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()


def read(path: Path) -> Record:
    """A saved game; an incomplete last line, after a kill, is left out.

    Raises:
        RecordError: the file is no saved game, or its moves are not what the rules allow.
        OSError: it cannot be opened.
    """
    try:
        lines = read_bytes(path, _LARGEST).split(b"\n")[:-1]
    except NotReadableError as error:
        raise RecordError(f"{path} {error}") from error
    objects = [json_object(line, f"line {number} of {path}", RecordError) for number, line in enumerate(lines, start=1)]
    if len(objects) < 2 or objects[0].get("format") != _FORMAT or "start" not in objects[1]:
        raise RecordError(f"{path} is no saved game: its first two lines tell the table and where the game began")
    head = objects[0]
    game = _game(head, path)
    you, players, seed = head.get("you"), head.get("players"), head.get("seed")
    if you is not None and (type(you) is not int or you not in range(game.players)):
        raise RecordError(f"line 1 of {path}: you is null or a seat from 0 to {game.players - 1}, not {shown(you)}")
    if type(players) is not list or len(players) != game.players or not all(map(_is_name, players)):
        raise RecordError(f"line 1 of {path}: players are {game.players} names, not {shown(players)}")
    if type(seed) is not int or seed < 0:
        raise RecordError(f"line 1 of {path}: seed is an integer from 0, not {shown(seed)}")
    start = _state(game, objects[1]["start"], path, 2)
    if start not in game.initial().outcomes:
        raise RecordError(f"line 2 of {path}: no game of {game.name} begins there")
    moves, end = list[Move](), None
    for number, line in enumerate(objects[2:], start=3):
        if end is not None:
            raise RecordError(f"line {number} of {path}: the game has ended in the line before")
        if "returns" in line:
            end = line
        else:
            moves.append(_move(game, moves[-1].after if moves else start, line, path, number))
    returns = game.returns(moves[-1].after if moves else start)
    cut = end is not None and end.get("cut") is True
    if end is not None and cut == (returns is not None):
        raise RecordError(f"line {len(objects)} of {path}: that is not how the game ended")
    return Record(game, seed, you, players, start, moves, end is not None or returns is not None, cut)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _MOST_NAMES and name.isprintable()


def _game(head: Mapping[str, Any], path: Path) -> Game[Any]:
    name, rules = head.get("game"), head.get("rules")
    if not isinstance(name, str) or not isinstance(rules, dict):
        raise RecordError(f"line 1 of {path} does not say which game was played, by which rules")
    try:
        return make_game(name, **rules)
    except (ValueError, TypeError) as error:
        raise RecordError(f"line 1 of {path}: {error}") from error


def _state(game: Game[Any], fields: object, path: Path, number: int) -> Any:
    if type(fields) is not list or len(fields) != len(game.codec.names) or not all(type(one) is int for one in fields):
        raise RecordError(f"line {number} of {path}: a state is {len(game.codec.names)} integers, not {shown(fields)}")
    try:
        return game.decode(fields)
    except (ValueError, LookupError, OverflowError) as error:
        raise RecordError(f"line {number} of {path}: {shown(fields)} is no state of {game.name}") from error


def _move(game: Game[Any], state: Any, line: Mapping[str, Any], path: Path, number: int) -> Move:
    where = f"line {number} of {path}"
    if game.returns(state) is not None:
        raise RecordError(f"{where}: the game was over before")
    action, fallen = line.get("action"), line.get("fallen")
    if type(action) is not int or action not in game.legal_actions(state):
        raise RecordError(f"{where}: action {shown(action)} is not legal there")
    fallen = tuple(fallen) if isinstance(fallen, list) else fallen
    if not any(type(fallen) is type(one) and fallen == one for one in game.chance(state, action).outcomes):
        raise RecordError(f"{where}: {shown(line.get('fallen'))} cannot fall there")
    after = _state(game, line.get("state"), path, number)
    if after not in game.follow(state, action, fallen).outcomes:
        raise RecordError(f"{where}: the move does not lead to {shown(line.get('state'))}")
    return Move(state, action, fallen, after)
