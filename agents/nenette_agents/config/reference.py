"""What every key of a config means: for a terminal, as a page of the docs, and as a JSON schema for editors."""

import json
from collections.abc import Iterator
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from nenette_agents.config.algorithms import ALGORITHMS
from nenette_agents.config.expectations import expected_of
from nenette_agents.config.model import Config

__all__ = ["Key", "keys", "markdown", "schema", "schema_text", "sections"]


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
    """The page of the docs."""
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
        **Config.model_json_schema(),
        "title": "A training run of nenette",
    }


def schema_text() -> str:
    """The file of the schema."""
    return json.dumps(schema(), indent=2) + "\n"
