"""What a config names by its place, "module:object", and the game that it names, registered or there."""

import sys
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game, GameSpec, make_game, register
from nenette.games.registry import find
from nenette.policies.ladders import table_named
from nenette_agents.config.files import parse_override
from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["game_called", "game_name", "game_with_rules", "object_at"]


def object_at(name: str) -> Any:
    """The object at "module:object". The module is imported, also from the working folder: that runs it.

    Raises:
        ConfigError: there is no such module or object, or the module cannot be imported.
    """
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: what is installed is found first
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise ConfigError(f"{shown(name)} needs the module {error.name}, which is not installed") from error
        raise ConfigError(f"{shown(name)}: there is no module {module}, neither installed nor in {here}") from error
    except (ImportError, SyntaxError, TypeError, ValueError) as error:
        raise ConfigError(f"{shown(name)} cannot be imported: {' '.join(str(error).split())}") from error
    if not attribute or not hasattr(found, attribute):
        raise ConfigError(f"{shown(name)}: {module} has no {attribute!r}{nearest(attribute, list(vars(found)))}")
    return getattr(found, attribute)


def game_called(name: str, rules: Mapping[str, Any]) -> Game[Any]:
    """The game called `name`, with these rules and the defaults of all others.

    Args:
        name: a registered game's, one with a number of players ("demi-iles-3"), or "module:object" of a
            `nenette.games.GameSpec`, of a class of games, or of a game, whose own rules are then the defaults. The
            module is imported, also from the working folder, and the game is registered: it runs that program.
        rules: fields of the game's rules.

    Raises:
        ConfigError: there is no such object, or it is no game.
        ValueError: there is no game of that name, or a rule's value is out of range.
        TypeError: the game has no rule of that name.
    """
    if ":" not in name:
        table = table_named(name)
        if table is not None:
            return make_game(table.name, **{"players": table.players, **rules})
        return make_game(name, **rules)
    spec, own = _registered(name)
    return spec.make(**{**own, **rules})


def game_name(name: str | None) -> str | None:
    """The name by which the game is registered, after "module:object" is; None for None.

    Raises:
        ConfigError: there is no such object, or it is no game.
    """
    return _registered(name)[0].name if name is not None and ":" in name else name


def game_with_rules(name: str, overrides: list[str]) -> Game[Any]:
    """The game called `name` with the rules in `overrides` ("field=value").

    Raises:
        ConfigError: an override is no rule of the game, or its value is none that the rule can have.
        ValueError: there is no game of that name.
    """
    rules = dict(parse_override(override) for override in overrides)
    try:
        return game_called(name, rules)
    except TypeError as error:
        raise ConfigError(f"--set: {error}") from error


def _registered(name: str) -> tuple[GameSpec, dict[str, Any]]:
    """The spec of the game at "module:object", registered, and the rules of that object that are no defaults."""
    found = object_at(name)
    own: dict[str, Any] = {}
    if isinstance(found, GameSpec):
        spec = found
    elif isinstance(found, Game) or (isinstance(found, type) and issubclass(found, Game)):
        game = found if isinstance(found, Game) else _by_default(found, name)
        spec = GameSpec(game=type(game), rules=type(game.rules))
        default = spec.rules()
        for field in fields(spec.rules):
            value = getattr(game.rules, field.name)
            if value != getattr(default, field.name):
                own[field.name] = value
    else:
        raise ConfigError(f"{shown(name)} is a {type(found).__name__}; a nenette.games.GameSpec or a Game was expected")
    if spec.name not in GAMES:
        return register(spec), own
    known = find(spec.name)
    if known.game is not spec.game:
        raise ConfigError(f"{shown(name)} is called {spec.name!r}, and another game of that name is registered")
    return known, own


def _by_default(game: type[Game[Any]], name: str) -> Game[Any]:
    try:
        return game()
    except TypeError as error:
        raise ConfigError(f"{shown(name)} cannot be made without arguments: {error}; name a GameSpec instead") from None
