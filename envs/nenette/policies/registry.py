"""Policies by name: each game's own, found when they are first asked for."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from nenette.games import GAMES, Game
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
)

_FACTORIES: dict[str, dict[str, Factory]] = {game: {} for game in GAMES}


def register(games: str | Sequence[str], name: str) -> Callable[[F], F]:
    """Decorates what makes a policy from a game, a class or a function, so that `make_policy` knows it by `name`.

    Raises:
        ValueError: no game of that name, or the game has a policy of that name already.
    """

    def enter(factory: F) -> F:
        for game in [games] if isinstance(games, str) else games:
            check_choice("a game", game, GAMES)
            if name in _FACTORIES[game]:
                raise ValueError(f"{game} has a policy called {name!r} already")
            _FACTORIES[game][name] = factory
        return factory

    return enter


@cache
def _import_modules() -> None:
    for module in _MODULES:
        import_module(module)


def policy_names(game: str) -> list[str]:
    """Names of the policies that play the game called `game`; in the same order whatever was imported first.

    Raises:
        ValueError: no game of that name.
    """
    check_choice("a game", game, GAMES)
    _import_modules()
    return sorted(_FACTORIES[game], key=lambda name: _place(_FACTORIES[game][name]))


def _place(factory: Factory) -> int:
    module = factory.__module__
    return _MODULES.index(module) if module in _MODULES else len(_MODULES)


def make_policy(name: str, game: Game[Any]) -> Policy:
    """The policy called `name`, ready to play `game`.

    Raises:
        ValueError: the game has no policy of that name; the nearest one and all others are listed.
    """
    check_choice(f"a policy of {game.name}", name, policy_names(game.name))
    return _FACTORIES[game.name][name](game)
