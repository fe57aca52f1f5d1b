"""Which game is it? The id that files and caches carry, and games that are the same to a cache."""

import hashlib
import json
from collections.abc import Hashable
from copy import copy
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import Any

from nenette.games.game import Game
from nenette.games.registry import GAMES, find, overridden, spec_of

__all__ = ["SameGame", "endless", "rules_id"]

_ALWAYS = {
    "demi-iles": {"players"},
    "421": {
        *("players", "fiches", "value_of_421", "nenette", "nenette_in_decharge"),
        *("manches_to_lose", "next_manche_leader", "followers", "kept_dice"),
    },
}
"""Rules that are in their game's id whatever they are: the ids of files that are about have them in it.

Rules that came later, and all rules of other games, are in it only where they differ from their default.
"""
_CUT = "max_turns"


def rules_id(game: Game[Any]) -> str:
    """A short hash of the game, its version and its rules (but not of where play is cut).

    A policy or a solution that carries another hash is about another game. A field that is added to a rule set, with a
    default that leaves the game as it was, changes no id; whoever changes a default raises the game's version. What a
    subclass plays differently makes it another game, whatever it is called.
    """
    told: list[Any] = [game.name, game.version, _telling_rules(game)]
    text = json.dumps([*told, *_variation(game)], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _telling_rules(game: Game[Any]) -> dict[str, Any]:
    rules = getattr(game, "rules", None)
    if not is_dataclass(rules):
        return {}
    always = _ALWAYS.get(game.name, set())
    values = {f.name: (getattr(rules, f.name), _default(f)) for f in fields(rules) if f.name != _CUT}
    return {name: value for name, (value, default) in values.items() if name in always or value != default}


def _default(rule: Any) -> Any:
    return rule.default_factory() if rule.default_factory is not MISSING else rule.default


def _variation(game: Game[Any]) -> list[Any]:
    """What tells a variation from the game that bears its name; nothing for that game itself."""
    namer = next(cls for cls in type(game).__mro__ if "name" in vars(cls))
    known = find(game.name).game if game.name in GAMES else namer
    own = sorted(name for name in vars(game) if callable(getattr(type(game), name, None)))
    changes = [*overridden(type(game), namer), *own]
    if not changes and namer is known:
        return []
    return [f"{type(game).__module__}.{type(game).__qualname__}", changes]


def endless(game: Game[Any]) -> Game[Any]:
    """The game itself, never cut: what solvers and exact scores are about."""
    if game.max_turns is None:
        return game
    other = copy(game)
    other.max_turns = None
    rules = getattr(game, "rules", None)
    if is_dataclass(rules) and not isinstance(rules, type) and any(f.name == _CUT for f in fields(rules)):
        other.rules = replace(rules, **{_CUT: None})
    return other


@dataclass(frozen=True)
class SameGame:
    """A game as the key of a cache: equal for games that are told by their class and their rules alone.

    Of others (a variation may depend on anything that it was made with) only the object itself is the same.

    Attributes:
        game: one of those that are equal.
        told_by: what is compared.
    """

    game: Game[Any] = field(compare=False)
    told_by: Hashable

    @classmethod
    def of(cls, game: Game[Any]) -> "SameGame":
        """The key of a game, which the key keeps alive."""
        spec = spec_of(game)
        if spec is not None and type(game) is spec.game:
            try:
                hash(game.rules)
            except TypeError:
                return cls(game, id(game))
            return cls(game, (type(game), game.rules, game.max_turns))
        return cls(game, id(game))
