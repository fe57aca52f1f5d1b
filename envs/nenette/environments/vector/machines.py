"""The machine of a game: compiled, if there are compiled functions that play it as it is; else in Python."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from nenette.environments.vector.compiled_machine import CompiledMachine
from nenette.environments.vector.machine import Machine
from nenette.environments.vector.python_machine import PythonMachine
from nenette.environments.vector.sampling_tables import NotCompilableError
from nenette.games import Game
from nenette.games.registry import Reference, parents_of, referred
from nenette.games.variations import CLASSES, ByIdentity, overridden_in_object, replaced_rules

__all__ = ["compiled_machine", "machine_of"]


def compiled_machine(game: Game[Any]) -> CompiledMachine | None:
    """The compiled form of this very game, whatever it is called; None if there is none.

    A subclass that replaces rules which no table asks about has none. Making the tables takes much longer than making
    the rest of an environment: registered games with equal rules share them.
    """
    makers = tuple(chain.from_iterable(spec.machines for spec in parents_of(game)))
    return _compiled(_Asked((_described(game), makers, replaced_rules()), game), makers)


def machine_of(game: Game[Any]) -> Machine:
    """What plays `game` in all slots."""
    return compiled_machine(game) or PythonMachine(game)


@dataclass(frozen=True)
class _Asked:
    """A game, equal to another if the tables of both are the same.

    Attributes:
        key: how it plays, what makes its tables, and what is replaced in the package's rules.
        game: the game itself.
    """

    key: tuple[Hashable, ...]
    game: Game[Any] = field(compare=False)


def _described(game: Game[Any]) -> Hashable:
    """All that tells how `game` plays; of a variation that is the object itself."""
    if CLASSES.get(game.name) is not type(game) or overridden_in_object(game, type(game)):
        return ByIdentity(game)
    # What its class makes of the rules is there too, for whoever changes it in the object.
    numbers = game.players, game.n_actions, game.turn_reward, game.max_turns
    layout = tuple((feature.name, feature.table.tobytes(), feature.code.tobytes()) for feature in game.codec.features)
    described = type(game), game.rules, numbers, layout
    try:
        hash(described)
    except TypeError:  # a registered game of somebody's, with rules that have no hash
        return ByIdentity(game)
    return described


@lru_cache(maxsize=16)  # up to some 400 kB each
def _compiled(asked: _Asked, makers: tuple[Reference, ...]) -> CompiledMachine | None:
    for reference in makers:
        try:
            compiled: CompiledMachine = referred(reference)(asked.game)
        except NotCompilableError:
            continue
        return compiled
    return None
