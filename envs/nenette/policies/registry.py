"""Policies by name: each game's own, found when they are first asked for."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from nenette.games import GAMES, Game, make_game
from nenette.games.checks import check_choice
from nenette.games.registry import find, parent_of, spec_of
from nenette.policies.policy import Policy

__all__ = ["ANY_GAME", "is_policy", "make_policy", "names_at_table", "policy_names", "register"]

Factory = Callable[[Any], Policy]
F = TypeVar("F", bound=Factory)

ANY_GAME = "any game"
"""What a policy is registered for that plays whatever game there is."""

# Modules whose policies register themselves; imported on first use, so that `import nenette` stays light. Those of a
# game (`GameSpec.policies`) come between the first and the last.
_FIRST = ("nenette.policies.random", "nenette.policies.optimal")
_LAST = ("nenette.policies.shipped",)


class _Entry(NamedTuple):
    factory: Factory
    default_rules_only: bool
    least_players: int
    most_players: int | None

    def plays_with(self, players: int) -> bool:
        return self.least_players <= players <= (players if self.most_players is None else self.most_players)

    @property
    def numbers_of_players(self) -> str:
        if self.most_players is None:
            return f"{self.least_players} players or more"
        if self.most_players == self.least_players:
            return f"{self.least_players} players"
        return f"{self.least_players} to {self.most_players} players"


_ENTRIES: dict[str, dict[str, _Entry]] = {ANY_GAME: {}}


def register(
    games: str | Sequence[str],
    name: str,
    *,
    default_rules_only: bool = False,
    least_players: int = 1,
    most_players: int | None = None,
) -> Callable[[F], F]:
    """Decorates what makes a policy from a game, a class or a function, so that `make_policy` knows it by `name`.

    Args:
        games: the game that it plays, or several, or `ANY_GAME`.
        name: what it is called.
        default_rules_only: whether it plays them by no rules but the default ones (wherever play is cut, and whatever
            the number of players).
        least_players: with how many players there is such a policy, at least.
        most_players: and at most; None: with any more.

    Raises:
        ValueError: no game of that name, or the game has a policy of that name already.
    """

    def enter(factory: F) -> F:
        for game in [games] if isinstance(games, str) else games:
            if game != ANY_GAME:
                check_choice("a game", game, GAMES)
            entries = _ENTRIES.setdefault(game, {})
            if name in entries or name in _ENTRIES[ANY_GAME]:
                raise ValueError(f"{game} has a policy called {name!r} already")
            entries[name] = _Entry(factory, default_rules_only, least_players, most_players)
        return factory

    return enter


@cache
def _import(module: str) -> None:
    import_module(module)


def _entries(game: Game[Any] | str) -> dict[str, _Entry]:
    """The policies of a game, by name, in the same order whatever was imported first.

    A variation of a registered game is played by the policies of that game, which look at what a seat sees; any other
    game by those that play everything.
    """
    spec = find(game) if isinstance(game, str) else parent_of(game)
    modules = [*_FIRST, *(spec.policies if spec is not None else ()), *_LAST]
    for module in modules:
        _import(module)
    entries = {**_ENTRIES[ANY_GAME], **(_ENTRIES.get(spec.name, {}) if spec is not None else {})}

    def place(name: str) -> int:
        module = entries[name].factory.__module__
        return modules.index(module) if module in modules else len(modules)

    return {name: entries[name] for name in sorted(entries, key=place)}


def policy_names(game: Game[Any] | str) -> list[str]:
    """Names of the policies that play a game; in the same order whatever was imported first.

    Args:
        game: the game's name, for all of its policies; or a game, for those that play by its rules: the networks that
            come with the package know the default rules alone.

    Raises:
        ValueError: no game of that name.
    """
    players = find(game).make().players if isinstance(game, str) else game.players
    entries = {name: entry for name, entry in _entries(game).items() if entry.plays_with(players)}
    if isinstance(game, str) or not _differs(game):
        return list(entries)
    return [name for name, entry in entries.items() if not entry.default_rules_only]


def names_at_table(game: Game[Any]) -> list[str]:
    """Names of the policies that can sit at the table of `game`, as `policy_names` lists them, each policy once.

    With more than two players there is no `optimal` among them: it is the same policy as `equilibrium`, or there is
    none.
    """
    return [name for name in policy_names(game) if name != "optimal" or game.players <= 2]


def is_policy(name: object, game: Game[Any] | str) -> bool:
    """Whether a policy of a game is called so, whether or not it plays by these rules."""
    return isinstance(name, str) and name in _entries(game)


def _differs(game: Game[Any]) -> str | None:
    """The rules in which `game` differs from the default game for as many players, in words; None where it does not,
    wherever it is cut.
    """
    spec = parent_of(game)
    if spec is None:
        return None
    default = spec.make()
    if game.players != default.players and hasattr(game.rules, "players"):
        default = spec.make(players=game.players)
    if game.rules_id == default.rules_id:
        return None
    if spec_of(game) is not spec or game.name != spec.name:
        return f"the variation {type(game).__name__} of it"
    usual = asdict(default.rules)
    others = [
        f"{rule}={value!r}"
        for rule, value in asdict(game.rules).items()
        if rule != "max_turns" and value != usual[rule]
    ]
    return " and ".join(others)


def make_policy(name: str, game: Game[Any] | str) -> Policy:
    """The policy called `name`, ready to play `game`, or the game of that name with its default rules.

    Raises:
        ValueError: the game has no policy of that name; the nearest one and all others are listed. Or the policy does
            not play by these rules.
    """
    game = make_game(game) if isinstance(game, str) else game
    entry = _entries(game).get(name)
    if entry is None:
        check_choice(f"a policy of {game.name}", name, policy_names(game))
        raise AssertionError(name)
    if not entry.plays_with(game.players):
        raise ValueError(f"{name!r} plays {game.name} with {entry.numbers_of_players}, not {game.players}")
    other = _differs(game) if entry.default_rules_only else None
    if other is not None:
        raise ValueError(f"{name!r} plays {game.name} by its default rules only, not with {other}")
    return entry.factory(game)
