"""What a single value of a config may be: amounts, shares, schedules, a game."""

import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from nenette.games import GAMES

__all__ = [
    "Coefficient",
    "Count",
    "Expected",
    "GameName",
    "Linear",
    "Positive",
    "Rate",
    "Share",
    "Shares",
    "Timesteps",
    "Whole",
    "Width",
]


@dataclass(frozen=True)
class Expected:
    """What a value may be, in words, where its type cannot tell; or a function that gives these words."""

    said: str | Callable[[], str]

    @property
    def words(self) -> str:
        """The words."""
        return self.said if isinstance(self.said, str) else self.said()


def _whole(value: object) -> object:
    """Lets a million steps be written as 1e6; a seed or a seat is no amount."""
    return int(value) if type(value) is float and value.is_integer() else value


Whole = BeforeValidator(_whole)
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Whole, Field(ge=1)]
Timesteps = Annotated[int, Whole, Field(ge=1, le=10_000_000_000)]
Width = Annotated[int, Whole, Field(ge=1, le=4096)]


@dataclass(frozen=True)
class Linear:
    """A value that changes in a straight line over the training.

    Attributes:
        initial: at the beginning.
        final: at the end of the training.
    """

    initial: float
    final: float = 0.0


_LINEAR = re.compile(r"lin_(?P<initial>\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)", re.IGNORECASE)


def _schedule(high: float) -> PlainValidator:
    """Reads `1e-3`, `lin_1e-3` or `{initial: 1e-3, final: 1e-5}`; the initial value has to be within the bounds."""

    def read(value: Any) -> float | Linear:
        if isinstance(value, str) and (found := _LINEAR.fullmatch(value)):
            value = {"initial": float(found["initial"])}
        if isinstance(value, Linear):
            value = asdict(value)
        if isinstance(value, dict):
            if not {"initial"} <= set(value) <= {"initial", "final"}:
                raise ValueError("a schedule has initial and final")
            ends = {name: _number(end) for name, end in value.items()}
            if not (_within(ends["initial"]) and 0 <= ends.get("final", 0.0) <= high):
                raise ValueError("it is out of bounds")
            return Linear(**ends)
        number = _number(value)
        if not _within(number):
            raise ValueError("it is out of bounds")
        return number

    def _within(number: float) -> bool:
        return 0 <= number <= high

    return PlainValidator(read)


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise ValueError("it is no number")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("it is too large") from None
    if not math.isfinite(number):
        raise ValueError("it is no finite number")
    return number


_HOW = "or a schedule such as lin_1e-3, which goes to 0, or {initial: 1e-3, final: 1e-5},"


def _json_schema(bounds: dict[str, float]) -> WithJsonSchema:
    number = {"type": "number", **bounds}
    ends = {"initial": number, "final": {"type": "number", "minimum": 0}}
    mapping = {"type": "object", "properties": ends, "required": ["initial"], "additionalProperties": False}
    return WithJsonSchema({"anyOf": [number, {"type": "string", "pattern": "^lin_[0-9.]"}, mapping]})


_WRITTEN = PlainSerializer(lambda value: asdict(value) if isinstance(value, Linear) else value, return_type=Any)
Rate = Annotated[
    float | Linear,
    _schedule(1.0),
    _WRITTEN,
    _json_schema({"minimum": 0, "maximum": 1}),
    Expected(f"a number of at least 0 and at most 1, {_HOW}"),
]
"""A learning rate, constant or scheduled; with 0 nothing is learned, to compare with."""
Coefficient = Annotated[
    float | Linear,
    _schedule(math.inf),
    _WRITTEN,
    _json_schema({"minimum": 0}),
    Expected(f"a number of at least 0, {_HOW}"),
]
"""A coefficient of a loss, constant or scheduled."""


def _text(value: object) -> object:
    """Lets `game: 421` be written without quotes."""
    return str(value) if type(value) is int else value


def _shares(value: object) -> object:
    """Lets a single name stand for all there is, and a list for equal shares."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        return {name: float(listed.count(name)) for name in listed}
    return listed


def _named_game(name: str) -> str:
    """A game that is registered, or the place of one, which is looked at when the game is made."""
    if name in GAMES or ":" in name:
        return name
    raise PydanticCustomError("choice", "another was expected", {"expected": ", ".join(map(repr, GAMES))})


GameName = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_named_game),
    Expected(lambda: f"one of {', '.join(GAMES)}, or module:object of a game of your own,"),
    WithJsonSchema(
        {"anyOf": [{"enum": ["demi-iles-solo", "demi-iles", "421", 421]}, {"type": "string", "pattern": ":"}]}
    ),
]
"""A game that is registered, or the place of one."""
Shares = Annotated[
    dict[str, Positive],
    BeforeValidator(_shares),
    Expected("a name, a list of names, or a mapping of names to their shares"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}},
            ]
        }
    ),
]
"""Names, each with its share."""
