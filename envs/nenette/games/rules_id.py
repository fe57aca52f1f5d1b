"""The id of a game and its rules, which files and caches carry."""

import hashlib
import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol

from nenette.games.variations import CLASSES, overridden, overridden_in_object

__all__ = ["CUT", "rules_id"]

_ALWAYS = {
    "demi-iles": {"players"},
    "421": {
        *("players", "fiches", "value_of_421", "nenette", "nenette_in_decharge"),
        *("manches_to_lose", "next_manche_leader", "followers", "kept_dice"),
    },
}
"""Rules that are in their game's id whatever their values are, because older files have them in their ids.

Rules that came later, and all rules of other games, are in it only where they differ from their default.
"""
CUT = "max_turns"
"""The rule that says where a game is cut; it is in no id."""


class Identified(Protocol):
    """What the id depends on: see `nenette.games.Game`."""

    @property
    def name(self) -> str:
        """The game's."""
        ...

    @property
    def version(self) -> int:
        """The game's."""
        ...

    rules: Any


def rules_id(game: Identified) -> str:
    """A short hash of the game, its version and its rules (but not of where play is cut).

    A policy or a solution that carries another hash is about another game. A field that is added to a rule set, with a
    default that leaves the game as it was, changes no id; whoever changes a default raises the game's version. What a
    subclass plays differently makes it another game, whatever it is called.
    """
    identity: list[Any] = [game.name, game.version, _rules_in_id(game)]
    text = json.dumps([*identity, *_variation(game)], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rules_in_id(game: Identified) -> dict[str, Any]:
    rules = getattr(game, "rules", None)
    if not is_dataclass(rules):
        return {}
    always = _ALWAYS.get(game.name, set())
    values = {f.name: (getattr(rules, f.name), _default(f)) for f in fields(rules) if f.name != CUT}
    return {name: value for name, (value, default) in values.items() if name in always or value != default}


def _default(rule: Any) -> Any:
    return rule.default_factory() if rule.default_factory is not MISSING else rule.default


def _variation(game: Identified) -> list[Any]:
    """What distinguishes a variation from the game that bears its name; nothing for that game itself."""
    namer = next(cls for cls in type(game).__mro__ if "name" in vars(cls))
    changes = [*overridden(type(game), namer), *overridden_in_object(game, type(game))]
    if not changes and namer is CLASSES.get(game.name, namer):
        return []
    return [f"{type(game).__module__}.{type(game).__qualname__}", changes]
