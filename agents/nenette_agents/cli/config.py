"""`nenette config`: what every key of a config means, and which configs come with the package."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from nenette_agents.cli.options import Json
from nenette_agents.errors import ConfigError, nearest

if TYPE_CHECKING:
    from nenette_agents.config.reference import Key

__all__ = ["config"]


def config(
    key: Annotated[
        str | None, typer.Argument(help="A section or a key, such as ppo or ppo.gamma.", show_default="all")
    ] = None,
    as_schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema that editors take.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the page of the docs.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what every key of a training's config means."""
    from nenette_agents.config import reference as config_reference

    if as_schema or as_markdown:
        print(config_reference.schema_text() if as_schema else config_reference.markdown(), end="")
        return
    found = [(name, about, own) for name, about, own in config_reference.sections()]
    if key is not None:
        found = [
            (name, about, [one for one in own if key in (name, one.name) or one.name.startswith(f"{key}.")])
            for name, about, own in found
        ]
        found = [section for section in found if section[2]]
        if not found:
            known = [one.name for _, _, own in config_reference.sections() for one in own]
            raise ConfigError(f"{key!r} is no key of a config{nearest(key, known)}")
    if as_json:
        print(json.dumps({"keys": [one._asdict() for _, _, own in found for one in own]}))
        return
    _print(found)


def _print(found: "list[tuple[str, str, list[Key]]]") -> None:
    from textwrap import fill

    for name, about, own in found:
        print(fill(f"{name or 'The top of the file'}: {about}", 80), end="\n\n")
        for one in own:
            default = "" if one.default is None else f" [default: {one.default}]"
            print(f"  {one.name}{default}")
            print(fill(one.description, 80, initial_indent="      ", subsequent_indent="      "))
            print(fill(f"({one.expected.rstrip(',')})", 80, initial_indent="      ", subsequent_indent="      "))
        print()
