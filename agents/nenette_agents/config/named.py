"""What a config names, found: an object at "module:object", the game, the fields of its observation, opponents."""

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import GAMES, Game, GameSpec, make_game, register
from nenette.games.checks import check_choice
from nenette.games.registry import find
from nenette.policies import BEST_RESPONSE
from nenette.policies.files import JSON_FILE, LARGEST_FILE, TENSORS_FILE
from nenette.policies.inputs import Crossing, crossing, features_of, fields_to_cross
from nenette.policies.ladders import TABLES, table_named
from nenette.policies.load import runs_called
from nenette.policies.registry import is_policy
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.config.files import parse_override
from nenette_agents.config.names import field_name
from nenette_agents.errors import ConfigError, nearest, shown

__all__ = [
    "PAST",
    "SELF",
    "Assignment",
    "assign",
    "crossing_called",
    "features_looked_at",
    "game_called",
    "game_name",
    "game_with_rules",
    "hashes",
    "in_turn",
    "object_at",
    "potential_weights",
    "resolved",
]


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
        check_choice("a game", name, [*GAMES, *TABLES])
        return make_game(name, **rules)
    spec, own = _registered(name)
    return spec.make(**{**own, **rules})


def game_name(name: str | None) -> str | None:
    """The registered name of a game; one given as "module:object" is registered first. None for None.

    Raises:
        ConfigError: there is no such object, or it is no game.
    """
    return _registered(name)[0].name if name is not None and ":" in name else name


def game_with_rules(name: str, overrides: list[str]) -> Game[Any]:
    """The game called `name` with the rules in `overrides` ("field=value").

    Raises:
        ConfigError: an override is no rule of the game, its value is none that the rule can have, or it is another
            number of players than the name says.
        ValueError: there is no game of that name.
    """
    rules = dict(parse_override(override) for override in overrides)
    table = table_named(name)
    if table is not None and rules.get("players", table.players) != table.players:
        raise ConfigError(
            f"{name} is {table.name} with {table.players} players, and {shown(rules['players'])} are asked for: "
            f"say {table.name} alone, or leave the number out"
        )
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


def crossing_called(game: Game[Any], name: str | None) -> Crossing | None:
    """The crossing of the field that a config names with the rest; None for None.

    Raises:
        ValueError: the game has no such field, or not as a one-hot block; the nearest one is named.
    """
    if name is None:
        return None
    known = {field_name(field): field for field in fields_to_cross(game)}
    if field_name(name) not in known:
        raise ValueError(f"one of {', '.join(known)} was expected{nearest(name, list(known))}")
    return crossing(game, known[field_name(name)])


def features_looked_at(game: Game[Any], patterns: Sequence[str] | None) -> NDArray[np.bool_] | None:
    """The features that a config lets the network look at, bool (codec.size,); None for None: all.

    Args:
        game: whose observations they are.
        patterns: fields of the observation, or patterns such as `*_fiches`.

    Raises:
        ValueError: a pattern that no field matches; the nearest field is named.
    """
    if patterns is None:
        return None
    called = {name: field_name(name) for name in game.codec.names}
    for pattern in patterns:
        if not any(fnmatchcase(one, field_name(pattern)) for one in called.values()):
            names = list(called.values())
            raise ValueError(f"no field of {game.name} is called {shown(pattern)}{nearest(pattern, names)}")
    seen = [name for name, one in called.items() if any(fnmatchcase(one, field_name(pattern)) for pattern in patterns)]
    return features_of(game, seen)


def potential_weights(game: Game[Any], potential: Mapping[str, float]) -> NDArray[np.float32]:
    """The potential as weights of an observation's features, float32 (codec.size,): P(state) = observation @ weights.

    `nenette_agents.environments.wrappers` shapes rewards by it.

    Args:
        game: whose observations they are.
        potential: for each field of the observation, or each pattern such as `*_has_been_stood_on`, what a unit of the
            field's value adds.

    Raises:
        ValueError: a pattern that no field matches, or a field whose features are not a number or a bit.
    """
    blocks = []
    found = set()
    for feature in game.codec.features:
        matched = [pattern for pattern in potential if fnmatchcase(field_name(feature.name), field_name(pattern))]
        found.update(matched)
        if matched and not np.array_equal(feature.table, np.eye(feature.values)) and feature.table.shape != (2, 1):
            raise ValueError(
                f"the field {field_name(feature.name)} is no number, and a potential is made of numbers and bits"
            )
        values = feature.table.argmax(axis=0) if matched else np.zeros(feature.table.shape[1])
        blocks.append(sum(potential[pattern] for pattern in matched) * values)
    for pattern in potential:
        if pattern not in found:
            names = list(map(field_name, game.codec.names))
            raise ValueError(f"no field of {game.name} is called {shown(pattern)}{nearest(pattern, names)}")
    return np.concatenate(blocks).astype(np.float32)


SELF = "self"
"""The learner plays all seats of a game, and learns from each."""
PAST = "past"
"""A past self: a frozen copy of the learner as it once was."""


@dataclass(frozen=True)
class Assignment:
    """Which opponent is met in which of the parallel environments.

    Attributes:
        self_games: games in which the learner has all seats; each takes as many environments as it has seats.
        opponents: the name of the opponent in each of the other environments.
    """

    self_games: int
    opponents: list[str]


def in_turn(shares: Mapping[str, float], n: int) -> list[str]:
    """`n` names, each as often as its share says, as evenly spread as can be; equal shares take turns."""
    total, counts, names = sum(shares.values()), dict.fromkeys(shares, 0), []
    for k in range(1, n + 1 if shares else 1):
        name = max(shares, key=lambda one: shares[one] / total * k - counts[one])  # the first one of several
        counts[name] += 1
        names.append(name)
    return names


def assign(shares: Mapping[str, float], n_envs: int, players: int) -> Assignment:
    """The assignment of so many environments by the shares of a config's `opponents`, whose order counts.

    Where there are others, the share of `self` is rounded to whole games, of which there is at least one; where there
    are none, environments that are too few for another game are left out.
    """
    others = {name: share for name, share in shares.items() if name != SELF}
    if SELF not in shares:
        return Assignment(0, in_turn(others, n_envs))
    if not others:
        return Assignment(n_envs // players, [])
    games = max(1, round(in_turn(shares, n_envs).count(SELF) / players))
    return Assignment(games, in_turn(others, max(0, n_envs - games * players)))


def resolved(name: str, game: Game[Any]) -> str:
    """The opponent's name as it is found from any folder: for a run, the full path of its folder.

    Args:
        name: an opponent that `nenette.load_opponent` finds; paths are relative to the working folder.
        game: what it plays.
    """
    before, found, other = name.rpartition(BEST_RESPONSE)
    prefix, _, policy = other.partition("/")
    named = make_game(prefix) if prefix in GAMES else table_named(prefix)
    of_a_game = named is not None and is_policy(policy, named)
    if name in (SELF, PAST) or is_policy(other, game) or of_a_game:
        return name
    path = Path(other).expanduser()
    called = [] if path.exists() else runs_called(other) or runs_called(policy)
    return f"{before}{found}{(called[0] if called else path).resolve()}"


def hashes(names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the policy of each of these opponents that is a file, by its name."""
    found = {name: _sha256(Path(name.removeprefix(BEST_RESPONSE))) for name in dict.fromkeys(names)}
    return {name: sha256 for name, sha256 in found.items() if sha256 is not None}


def _sha256(path: Path) -> str | None:
    if not path.is_absolute():
        return None
    folder = path if path.is_dir() else path.parent
    digest = hashlib.sha256()
    try:
        for file in (JSON_FILE, TENSORS_FILE):
            digest.update(read_bytes(folder / file, LARGEST_FILE))
    except (NotReadableError, OSError):
        return None
    return digest.hexdigest()
