"""What every key of a config means and may be, in words: for errors, a terminal, a page of the docs, and editors."""

import json
from collections.abc import Iterator
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import annotated_types as at
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from nenette_agents.config.algorithms import ALGORITHMS
from nenette_agents.config.fields import Expected
from nenette_agents.config.files import Sources
from nenette_agents.config.model import Config
from nenette_agents.config.names import NEW_KEYS, SCHEDULE_KEYS
from nenette_agents.errors import nearest, short, shown

__all__ = ["Key", "describe", "expected_of", "keys", "markdown", "schema", "schema_text", "sections", "sentence"]

_PLAIN = {int: "an integer", float: "a number", str: "a text", bool: "true or false"}


def sentence(
    error: ValidationError, sources: Sources, root: type[BaseModel] | None = None, what: str = "a config"
) -> str:
    """The first thing that `error` complains about: where it stands, what was given and what was expected.

    Args:
        error: of reading a document.
        sources: where its values came from.
        root: as what the document was read; None: as a `Config`.
        what: the document.
    """
    root = root or Config.complete()
    first = error.errors(include_url=False)[0]
    if not first["loc"] and first["type"] == "value_error":  # of the names
        return f"{sources.file}: {first['ctx']['error']}"
    location = [part for part in first["loc"] if part != "[key]"]
    key = ".".join(map(str, location))
    source, key = sources.of(key), short(key)
    if first["type"] == "missing":
        return f"{source}: {key} is missing; {_expected(location, root)} was expected"
    if first["type"] == "extra_forbidden":
        known = list(_section(location[:-1], root).model_fields)
        prefix = f"{'.'.join(map(str, location[:-1]))}." if location[:-1] else ""
        near = _nearest_key(f"{prefix}{location[-1]}", prefix, [prefix + name for name in known])
        return f"{source}: {key} ({shown(first['input'])}) is no key of {what}; {', '.join(known)} were expected{near}"
    if "[key]" in first["loc"] or first["type"] == "invalid_key":
        wrong = first["msg"] if first["type"] == "name" else "is no text, and a name was expected"
        return f"{source}: the key {shown(location[-1])} {wrong}"
    expected = _expected(location, root)
    hint = nearest(str(first["input"]), list(map(str, first.get("ctx", {}).get("expected", "").split("'")[1::2])))
    return f"{source}: {key} is {shown(first['input'])}; {expected} was expected{hint}"


def _nearest_key(key: str, prefix: str, known: list[str]) -> str:
    """The hint at the nearest key of a section, by today's name, whether that or an earlier one is near."""
    earlier = {old: new for old, new in (NEW_KEYS | SCHEDULE_KEYS).items() if old.rpartition(".")[0] == prefix[:-1]}
    near = get_close_matches(key[:80], [*known, *earlier], n=1, cutoff=0.5)
    return f"; did you mean {earlier.get(near[0], near[0])!r}?" if near else ""


def _section(location: list[int | str], root: type[BaseModel]) -> type[BaseModel]:
    """The section at `location`, perhaps one of several that a mapping holds by names of their own."""
    here: Any = root
    for part in location:
        if not _is_model(here):
            here = get_args(here)[-1]
            continue
        options = _flattened(here.model_fields[str(part)].annotation)
        here = next(t for t in options if _is_model(t) or get_origin(t) is dict)
    found: type[BaseModel] = here
    return found


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _expected(location: list[int | str], root: type[BaseModel]) -> str:
    annotation: Any = root
    metadata: list[Any] = []
    for part in location:
        if _is_model(annotation):
            field = annotation.model_fields[str(part)]
            words = next((one.words for one in field.metadata if isinstance(one, Expected)), None)
            if words is not None and part == location[-1]:
                return words
            annotation, metadata = field.annotation, field.metadata
        else:
            whole = next(member for member in _flattened(annotation) if member is not NoneType)
            annotation, metadata = get_args(whole)[-1], []
        options = _flattened(annotation)
        models = [t for t in options if _is_model(t)]
        if models and part != location[-1]:
            annotation = models[0]
    return describe(annotation, metadata)


def expected_of(field: FieldInfo) -> str:
    """What a key of a section may be."""
    words = next((one.words for one in field.metadata if isinstance(one, Expected)), None)
    return words or describe(field.annotation, field.metadata)


def _flattened(annotation: Any) -> list[Any]:
    """The members of a union, or the annotation itself."""
    return list(get_args(annotation)) if get_origin(annotation) in (Union, UnionType) else [annotation]


def describe(annotation: Any, metadata: list[Any]) -> str:
    """`Annotated[int, Field(ge=1)]` as "an integer of at least 1"."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        found = [m for x in more for m in (x.metadata if isinstance(x, FieldInfo) else [x])]
        return describe(inner, [*found, *metadata])
    members = _flattened(annotation)
    if NoneType in members:
        present = [m for m in members if m is not NoneType]
        return f"{describe(present[0], metadata)} or null"
    if get_origin(annotation) is Literal:
        return f"one of {', '.join(map(str, get_args(annotation)))}"
    if get_origin(annotation) is list:
        longest = next((f" (at most {m.max_length})" for m in metadata if isinstance(m, at.MaxLen)), "")
        return f"a list{longest}, each {describe(get_args(annotation)[0], [])},"
    if get_origin(annotation) is dict:
        return "a mapping of keys to values"
    if _is_model(annotation):
        return f"a mapping with some of {', '.join(annotation.model_fields)}"
    return " ".join([_PLAIN.get(annotation, str(annotation)), *_bounds(metadata)])


def _bounds(metadata: list[Any]) -> list[str]:
    low = next((m for m in metadata if isinstance(m, at.Ge | at.Gt)), None)
    high = next((m for m in metadata if isinstance(m, at.Le | at.Lt)), None)
    words = []
    if isinstance(low, at.Ge):
        words.append(f"of at least {low.ge}")
    if isinstance(low, at.Gt):
        words.append(f"above {low.gt}")
    if isinstance(high, at.Le):
        words.append(f"{'and ' if words else 'of '}at most {high.le}")
    if isinstance(high, at.Lt):
        words.append(f"{'and ' if words else ''}below {high.lt}")
    return words


class Key(NamedTuple):
    """One key of a config.

    Attributes:
        name: with dots.
        description: what it means.
        expected: what it may be.
        default: as YAML would say it; None: it has to be given.
    """

    name: str
    description: str
    expected: str
    default: str | None


def sections() -> Iterator[tuple[str, str, list[Key]]]:
    """The name, the description and the keys of each section; the first one, without a name, is the top of the file."""
    yield from _sections(Config.complete(), "", (Config.__doc__ or ""))


def _sections(model: type[BaseModel], prefix: str, about: str) -> Iterator[tuple[str, str, list[Key]]]:
    own, below = [], []
    for name, field in model.model_fields.items():
        inner = _model(field.annotation)
        if inner is not None:
            below.append((inner, f"{prefix}{name}."))
        if inner is None or field.default is None:  # a section that may be left out is a key, too
            default = None if field.is_required() else _as_yaml(field.default)
            own.append(Key(f"{prefix}{name}", field.description or "", expected_of(field), default))
    if not prefix:
        own = [key for key in own if key.name not in ALGORITHMS]
    yield prefix.removesuffix("."), " ".join(about.split()), own
    for inner, inner_prefix in below:
        yield from _sections(inner, inner_prefix, inner.__doc__ or "")


def _model(annotation: Any) -> type[BaseModel] | None:
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return next((one for one in members if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _as_yaml(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def keys() -> list[Key]:
    """All keys."""
    return [key for _, _, own in sections() for key in own]


def markdown() -> str:
    """The text of docs/config.md."""
    parts = [
        "# Every key of a config",
        "<!-- Made by `nenette config --markdown`; a test says whether it is current. -->",
        "[The page about training](training.md) explains what belongs together.",
    ]
    for name, about, own in sections():
        parts.append(f"## {f'`{name}`' if name else 'The top of the file'}\n\n{about.replace('`', '`')}")
        rows = [
            f"| `{key.name}` | {_cell(key.description)} | {_cell(key.expected)} | "
            f"{'–' if key.default is None else f'`{key.default}`'} |"
            for key in own
        ]
        parts.append(
            "\n".join(["| key | what it means | what it may be | default |", "| --- | --- | --- | --- |", *rows])
        )
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*_", "\\*_")


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of configs, in today's names."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Config.complete().model_json_schema(),
        "title": "A training run of nenette",
    }


def schema_text() -> str:
    """The text of `config.schema.json`."""
    return json.dumps(schema(), indent=2) + "\n"
