"""Which class plays the game of a name, and what another class, or a changed one, plays otherwise.

It knows classes and no games, so that the games themselves, their ids and their registry can all ask.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = [
    "CLASSES",
    "ByIdentity",
    "Replaced",
    "overridden",
    "overridden_in_object",
    "remember_rules",
    "replaced_rules",
]

CLASSES: dict[str, type] = {}
"""The class that is registered under each name."""

_AS_IMPORTED: dict[str, dict[str, Any]] = {}
"""What stood in each module of the package's rules, and in each of its classes, when it had been imported."""


@lru_cache(maxsize=256)
def overridden(game: type, parent: type) -> tuple[str, ...]:
    """What subclasses from `game` up to `parent` define anew of what `parent` defines: names, in order."""
    between = game.__mro__[: game.__mro__.index(parent)]
    names = {name for cls in between for name in vars(cls)}
    return tuple(sorted(name for name in names if _says_what_is_played(name) and hasattr(parent, name)))


def _says_what_is_played(name: str) -> bool:
    return name == "__init__" or not (name.startswith("__") or name in ("name", "version", "_abc_impl"))


def overridden_in_object(game: object, parent: type) -> tuple[str, ...]:
    """The methods of `parent` that are replaced in this very object: names, in order."""
    return tuple(sorted(name for name in vars(game) if callable(getattr(parent, name, None))))


@dataclass(frozen=True, eq=False)
class ByIdentity:
    """A value as part of a cache's key: equal for the very same object alone, which the key keeps alive."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True)
class Replaced:
    """A rule of the package that somebody has replaced since it was imported.

    Attributes:
        where: "module.name" or "module.Class.name".
        value: what stands there now.
    """

    where: str
    value: ByIdentity


def remember_rules(package: str) -> None:
    """Notes what stands in all modules of `package` that are imported by now, for `replaced_rules`."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}."):
            _AS_IMPORTED[name] = dict(vars(module))
            for attribute, value in vars(module).items():
                if isinstance(value, type) and value.__module__ == name:
                    _AS_IMPORTED[f"{name}.{attribute}"] = dict(vars(value))


def replaced_rules() -> tuple[Replaced, ...]:
    """What has been replaced in the package's rules: a loaded die, another opening; usually nothing.

    A game of the package then plays by other probabilities than its class and its rule set say. It is played as it is,
    and solved as a variation: nothing is taken from the cache, and no solver is used that knows the game by its class.
    """
    found = []
    for where, before in _AS_IMPORTED.items():
        now = _contents(where)
        found += [
            Replaced(f"{where}.{name}", ByIdentity(now.get(name)))
            for name, value in before.items()
            if now.get(name) is not value and not name.startswith("__")
        ]
    return tuple(found)


def _contents(where: str) -> Any:
    module = sys.modules.get(where)
    if module is not None:
        return vars(module)
    module_name, _, name = where.rpartition(".")
    return vars(getattr(sys.modules[module_name], name, object))
