"""The machine of a game: compiled, if there are compiled functions that play it as it is; else in Python."""

from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

from nenette.environments.vector.compiled_machine import CompiledMachine
from nenette.environments.vector.machine import Machine
from nenette.environments.vector.python_machine import PythonMachine
from nenette.environments.vector.sampling_tables import NotCompilableError
from nenette.games import Game
from nenette.games.registry import parents_of, referred
from nenette.games.variations import Replaced, replaced_rules

__all__ = ["compiled_machine", "machine_of"]

_MACHINES: WeakKeyDictionary[Game[Any], dict[tuple[Replaced, ...], CompiledMachine | None]] = WeakKeyDictionary()
"""Each game's machine, by what had been replaced in its rules when its tables were made."""


def compiled_machine(game: Game[Any]) -> CompiledMachine | None:
    """The compiled form of this very game, whatever it is called; None if there is none.

    A subclass that replaces rules which no table asks about has none.
    """
    machines = _MACHINES.setdefault(game, {})
    rules = replaced_rules()
    if rules not in machines:
        machines[rules] = _compile(game)
    return machines[rules]


def machine_of(game: Game[Any]) -> Machine:
    """What plays `game` in all slots."""
    return compiled_machine(game) or PythonMachine(game)


def _compile(game: Game[Any]) -> CompiledMachine | None:
    for reference in chain.from_iterable(spec.machines for spec in parents_of(game)):
        try:
            compiled: CompiledMachine = referred(reference)(game)
        except NotCompilableError:
            continue
        return compiled
    return None
