"""Games that are the same to a cache, and a game without its cut."""

from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from nenette.games.game import Game
from nenette.games.registry import spec_of
from nenette.games.rules_id import CUT
from nenette.games.variations import ByIdentity, replaced_rules

__all__ = ["SameGame", "endless"]


def endless(game: Game[Any]) -> Game[Any]:
    """The game itself, never cut: what solvers and exact scores are about."""
    if game.max_turns is None:
        return game
    other = copy(game)
    other.max_turns = None
    rules = getattr(game, "rules", None)
    if is_dataclass(rules) and not isinstance(rules, type) and any(f.name == CUT for f in fields(rules)):
        other.rules = replace(rules, **{CUT: None})
    return other


@dataclass(frozen=True)
class SameGame:
    """A game as the key of a cache: equal for games that follow from their class and their rules alone.

    Of others (a variation may depend on anything that it was made with) only the object itself is the same, by the
    same rules (`nenette.games.variations.replaced_rules`).

    Attributes:
        game: one of those that are equal.
        identity: what is compared.
    """

    game: Game[Any] = field(compare=False)
    identity: Hashable

    @classmethod
    def of(cls, game: Game[Any]) -> "SameGame":
        """The key of a game, which the key keeps alive."""
        return cls(game, _identity(game, game))

    @classmethod
    def without_cut(cls, game: Game[Any]) -> "SameGame":
        """The key of the game that is never cut: the same for registered games that are cut at different turns."""
        uncut = endless(game)
        return cls(uncut, _identity(game, uncut))


def _identity(given: Game[Any], game: Game[Any]) -> Hashable:
    """What distinguishes `game`, which is the game that was given or follows from it, from other games."""
    spec = spec_of(given)
    if spec is not None and type(given) is spec.game:
        try:
            hash(game.rules)
        except TypeError:
            return ByIdentity(given)
        return type(game), game.rules, game.max_turns
    return ByIdentity(given), replaced_rules()
