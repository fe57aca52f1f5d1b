"""The answer key: games written out as arrays, solved to the optimum, and any play scored exactly.

Everything here is imported on first use, so that environments which need no solver do not wait for one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nenette.exact.answers import AnswerKey, Result, answer_key
    from nenette.exact.enumeration import enumerate_game
    from nenette.exact.model import Model
    from nenette.exact.models import model_of
    from nenette.exact.optimum import Optimum
    from nenette.exact.responses import Response, Unsolvable, best_response
    from nenette.exact.solution import Solution, solve_for_two
    from nenette.exact.solving import solve
    from nenette.exact.zero_sum import Equilibrium, solve_zero_sum

_HOMES = {
    "AnswerKey": "answers",
    "Equilibrium": "zero_sum",
    "Model": "model",
    "Optimum": "optimum",
    "Response": "responses",
    "Result": "answers",
    "Solution": "solution",
    "Unsolvable": "responses",
    "answer_key": "answers",
    "best_response": "responses",
    "enumerate_game": "enumeration",
    "model_of": "models",
    "solve": "solving",
    "solve_for_two": "solution",
    "solve_zero_sum": "zero_sum",
}

__all__ = [
    "AnswerKey",
    "Equilibrium",
    "Model",
    "Optimum",
    "Response",
    "Result",
    "Solution",
    "Unsolvable",
    "answer_key",
    "best_response",
    "enumerate_game",
    "model_of",
    "solve",
    "solve_for_two",
    "solve_zero_sum",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
