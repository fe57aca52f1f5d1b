"""What can go wrong by somebody's mistake: each a ValueError whose text is one sentence for the person who made it."""

from difflib import get_close_matches
from reprlib import Repr
from typing import Any

from nenette.untrusted import parse_json

__all__ = [
    "CheckpointError",
    "ConfigError",
    "DamagedCheckpoint",
    "MissingExtraError",
    "RunError",
    "TrainingError",
    "json_object",
    "missing_extra",
    "nearest",
    "sentence_of",
    "short",
    "shown",
]

_repr = Repr()
_repr.maxlevel, _repr.maxstring, _repr.maxlong, _repr.maxother = 3, 80, 60, 60


class ConfigError(ValueError):
    """A config, or something that overrides it, is not what it should be."""


class RunError(ValueError):
    """A run's folder is not there, or not what it should be."""


class TrainingError(ValueError):
    """Training cannot go on with the settings that it was given."""


class CheckpointError(ValueError):
    """A training cannot be resumed from a checkpoint."""


class DamagedCheckpoint(CheckpointError):  # noqa: N818  it reads better so where it is caught
    """A checkpoint's files are damaged; the checkpoint before it may still be whole."""


class MissingExtraError(ValueError):
    """A package that only an optional extra installs is needed."""


def missing_extra(doing: str, extra: str, error: ModuleNotFoundError) -> MissingExtraError:
    """The sentence for a package that is not installed, and what installs it; no package index has nenette.

    Raises:
        ModuleNotFoundError: what is missing is a module of our own, which no extra would bring.
    """
    if (error.name or "").startswith("nenette"):
        raise error
    return MissingExtraError(
        f"{doing} needs the extra {extra!r}, and {error.name} is not installed: "
        f"in a clone of nenette, pip install '.[{extra}]'"
    )


def nearest(given: str, known: list[str]) -> str:
    """`"; did you mean 'seed'?"`, or nothing when nothing is near."""
    near = get_close_matches(given[:80], known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def shown(value: object) -> str:
    """`value` as a sentence can carry it: short, on one line."""
    return " ".join(_repr.repr(value).split())


def short(text: str, most: int = 100) -> str:
    """`text` on one line, of characters that can be printed, shortened to `most` where it is longer."""
    line = " ".join(text.split())
    line = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line[: most + 1])
    return line if len(line) <= most else f"{line[: most - 3]}..."


def sentence_of(error: ValueError | OSError) -> str:
    """What went wrong, in one line; of a file, which one it is."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def json_object(text: bytes, where: str, error: type[ValueError]) -> dict[str, Any]:
    """The JSON object in `text`, which is not trusted.

    Args:
        text: of a file or of a line of one.
        where: what the sentence begins with, such as "line 3 of metrics.jsonl".
        error: which error is raised.

    Raises:
        ValueError: an `error`; it is no JSON, or no object.
    """
    try:
        value = parse_json(text)
    except ValueError as wrong:
        raise error(f"{where} is not JSON that can be read: {wrong}") from wrong
    if not isinstance(value, dict):
        raise error(f"{where} is no JSON object")
    return value
