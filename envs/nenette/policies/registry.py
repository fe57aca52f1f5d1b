"""Policies by name: each game's own, found when they are first asked for."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from nenette.games import GAMES, Game, make_game
from nenette.games.game import check_choice
from nenette.policies.policy import Policy

__all__ = ["make_policy", "policy_names", "register"]

Factory = Callable[[Any], Policy]
F = TypeVar("F", bound=Factory)

# Modules whose policies register themselves; imported on first use, so that `import nenette` stays light.
_MODULES = (
    "nenette.policies.random",
    "nenette.policies.optimal",
    "nenette.policies.demi_iles_solo",
    "nenette.policies.demi_iles",
    "nenette.policies.quatre21",
    "nenette.policies.shipped",
)


class _Entry(NamedTuple):
    factory: Factory
    default_rules_only: bool


_ENTRIES: dict[str, dict[str, _Entry]] = {game: {} for game in GAMES}


def register(games: str | Sequence[str], name: str, *, default_rules_only: bool = False) -> Callable[[F], F]:
    """Decorates what makes a policy from a game, a class or a function, so that `make_policy` knows it by `name`.

    Args:
        games: the game that it plays, or several.
        name: what it is called.
        default_rules_only: whether it plays them by no rules but the default ones (wherever play is cut).

    Raises:
        ValueError: no game of that name, or the game has a policy of that name already.
    """

    def enter(factory: F) -> F:
        for game in [games] if isinstance(games, str) else games:
            check_choice("a game", game, GAMES)
            if name in _ENTRIES[game]:
                raise ValueError(f"{game} has a policy called {name!r} already")
            _ENTRIES[game][name] = _Entry(factory, default_rules_only)
        return factory

    return enter


@cache
def _import_modules() -> None:
    for module in _MODULES:
        import_module(module)


def policy_names(game: Game[Any] | str) -> list[str]:
    """Names of the policies that play a game; in the same order whatever was imported first.

    Args:
        game: the game's name, for all of its policies; or a game, for those that play by its rules: the networks that
            come with the package know the default rules alone.

    Raises:
        ValueError: no game of that name.
    """
    name = game if isinstance(game, str) else game.name
    check_choice("a game", name, GAMES)
    _import_modules()
    entries = _ENTRIES[name]
    names = sorted(entries, key=lambda policy: _place(entries[policy].factory))
    if isinstance(game, str) or not _other_rules(game):
        return names
    return [policy for policy in names if not entries[policy].default_rules_only]


def _place(factory: Factory) -> int:
    module = factory.__module__
    return _MODULES.index(module) if module in _MODULES else len(_MODULES)


def _other_rules(game: Game[Any]) -> list[str]:
    """The rules of `game` that are not the default ones; where play is cut is none."""
    default = make_game(game.name)
    if game.rules_id == default.rules_id:
        return []
    usual = asdict(default.rules)
    return [
        f"{rule}={value!r}"
        for rule, value in asdict(game.rules).items()
        if rule != "max_turns" and value != usual[rule]
    ]


def make_policy(name: str, game: Game[Any] | str) -> Policy:
    """The policy called `name`, ready to play `game`, or the game of that name with its default rules.

    Raises:
        ValueError: the game has no policy of that name; the nearest one and all others are listed. Or the policy does
            not play by these rules.
    """
    game = make_game(game) if isinstance(game, str) else game
    known = policy_names(game.name)
    if name not in known:
        check_choice(f"a policy of {game.name}", name, policy_names(game))
    entry = _ENTRIES[game.name][name]
    others = _other_rules(game) if entry.default_rules_only else []
    if others:
        raise ValueError(f"{name!r} plays {game.name} by its default rules only, not with {' and '.join(others)}")
    return entry.factory(game)
