"""One registry of games: what each needs to be everywhere, and how it is found.

A game is a class; what belongs to it (its special solver, its account, its environments) stands in one `GameSpec` in
the game's own place. Users add theirs with `register`, and it is then known to `make_game`, to `gymnasium.make`, to the
policies, the solver, the scores and the command line as ours are.

Parts that lie in higher layers are named, "module:attribute", and imported when they are first wanted: so this module
knows nothing of them. Whatever is left out has a general form that asks the game's own methods.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any

from nenette.games.checks import check_choice, check_rule_names, plain
from nenette.games.game import Game
from nenette.games.variations import CLASSES, overridden, overridden_in_object, replaced_rules
from nenette.hooks import GAME_REGISTERED

__all__ = ["GAMES", "GameSpec", "find", "make_game", "on_register", "other_rules", "register", "spec_of"]

Reference = str | Callable[..., Any]
"""Something, or where it is: "module:attribute"."""


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """A game and all that is particular to it.

    Attributes:
        game: the class; it is called with a rule set and nothing else, and it names the game.
        rules: the class of its rule sets, a frozen dataclass in which every field has a default.
        model: makes the game's `nenette.exact.Model` quicker than by walking through all its states; None walks.
        solver: a `nenette.exact.solution.Solver`; None solves the model as it is.
        solo: whether it is the solo game that `nenette.exact.solo` solves and scores.
        machines: what plays it in compiled code, each called with the game until one can; without any it is played in
            Python. They are for games of this package, on whose files numba's cache on disk depends.
        account: what describes the game in sentences, called with the game and a `Cast`; None lists fields and actions.
        scene: what lays out the game's picture, called with the game, a `View` and a `Cast` (see
            `nenette.environments.pictures`); None shows the lines of the account.
        translations: accounts in other languages than English, by the language's code ("fr").
        env_id: the id for `gymnasium.make`; None: there is none.
        entry_point: the environment's class, with a docstring of its own; None takes the general one.
        vector_entry_point: what `gymnasium.make_vec` calls; None: single environments side by side, as Gymnasium does
            it.
        policies: modules whose policies register themselves for the game when they are imported.
        openspiel: the name for `pyspiel.load_game`; None: it is not offered there.
        most_outcomes: the most outcomes that chance has at once, for OpenSpiel.
        most_decisions: the most decisions in a turn, for OpenSpiel.
    """

    game: type[Game[Any]]
    rules: type
    model: Reference | None = None
    solver: Reference | None = None
    solo: bool = False
    machines: tuple[Reference, ...] = ()
    account: Reference | None = None
    scene: Reference | None = None
    translations: Mapping[str, Reference] = field(default_factory=dict)
    env_id: str | None = None
    entry_point: Reference | None = None
    vector_entry_point: Reference | None = None
    policies: tuple[str, ...] = ()
    openspiel: str | None = None
    most_outcomes: int = 0
    most_decisions: int = 1

    @property
    def name(self) -> str:
        """The game's name."""
        return self.game.name

    def make(self, **rules: Any) -> Game[Any]:
        """The game with these fields of its rule set, and the defaults of all others.

        Raises:
            ValueError: a rule's value is out of range.
            TypeError: the game has no rule of that name.
        """
        check_rule_names(self.rules, self.name, list(rules))
        return self.game(self.rules(**{rule: plain(value) for rule, value in rules.items()}))  # type: ignore[call-arg]


def referred(reference: Reference) -> Any:
    """The object that a reference names."""
    if not isinstance(reference, str):
        return reference
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


_SPECS: dict[str, GameSpec] = {}


class _Names(Sequence[str]):
    """The names of all games that are registered by now, in order."""

    def __len__(self) -> int:
        return len(_SPECS)

    def __getitem__(self, index: Any) -> Any:
        return tuple(_SPECS)[index]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(_SPECS))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in _SPECS

    def __repr__(self) -> str:
        return repr(tuple(_SPECS))


GAMES: Sequence[str] = _Names()
"""Names that `make_game` knows, those registered later included."""


def register(spec: GameSpec) -> GameSpec:
    """Makes a game known everywhere; returns its spec.

    Raises:
        ValueError: there is a game of that name already.
    """
    if spec.name in _SPECS:
        raise ValueError(f"there is a game called {spec.name!r} already")
    _SPECS[spec.name] = spec
    CLASSES[spec.name] = spec.game
    for listener in GAME_REGISTERED:
        listener(spec)
    return spec


def unregister(name: str) -> None:
    """Forgets a game: for tests."""
    del _SPECS[name], CLASSES[name]


def on_register(listener: Callable[[GameSpec], None]) -> None:
    """Calls `listener` with every spec: those there are, now, and each later one when it is registered."""
    GAME_REGISTERED.append(listener)
    for spec in tuple(_SPECS.values()):
        listener(spec)


def find(name: str) -> GameSpec:
    """The spec of the game called `name`.

    Raises:
        ValueError: no game of that name; the nearest is named.
    """
    check_choice("a game", name, GAMES)
    return _SPECS[name]


def make_game(name: str, /, **rules: Any) -> Game[Any]:
    """The game called `name`, with the fields of its rule set that are given and the defaults of all others.

    Raises:
        ValueError: no game of that name, or a rule's value is out of range.
        TypeError: the game has no rule of that name.
    """
    return find(name).make(**rules)


def spec_of(game: Game[Any]) -> GameSpec | None:
    """The spec of the registered game that `game` plays; None if it plays something else.

    It is found by the class and never by the name: an instance of a subclass plays its parent's game only as long as
    nothing that the parent defines is overridden. So a special solver or account is never used for a variation of its
    game.
    """
    spec = parent_of(game)
    return spec if spec is not None and plays_as(game, spec.game) else None


def other_rules(game: Game[Any]) -> dict[str, Any]:
    """The rules in which `game` differs from the default game of its name, by field; wherever it is cut: `max_turns` is
    left out. Empty for a game that is not registered.
    """
    if game.name not in GAMES:
        return {}
    usual = _SPECS[game.name].make().rules
    if type(usual) is not type(game.rules):
        return {}
    return {
        rule.name: getattr(game.rules, rule.name)
        for rule in fields(usual)
        if rule.name != "max_turns" and getattr(game.rules, rule.name) != getattr(usual, rule.name)
    }


def parent_of(game: Game[Any]) -> GameSpec | None:
    """The spec of the registered game that `game` is an instance of, or a variation of; None if there is none.

    Use it only for what a variation can share with its parent, and not for what depends on the rules.
    """
    return next(iter(parents_of(game)), None)


def parents_of(game: Game[Any]) -> list[GameSpec]:
    """The specs of all registered games that `game` is an instance of, or a variation of; the nearest first."""
    known = [spec for spec in _SPECS.values() if isinstance(game, spec.game)]
    return sorted(known, key=lambda spec: type(game).__mro__.index(spec.game))


def plays_as(game: Game[Any], parent: type[Game[Any]]) -> bool:
    """Whether `game`, an instance of `parent` or of a subclass, plays by the rules of `parent` alone.

    A game of the package does not where a rule of the package has been replaced (`replaced_rules`).
    """
    if overridden(type(game), parent) or overridden_in_object(game, parent):
        return False
    return not (parent.__module__.startswith("nenette.games.") and replaced_rules())
