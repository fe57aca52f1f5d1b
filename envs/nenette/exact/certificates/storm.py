"""A second opinion on optimal play, from the probabilistic model checker Storm.

Against a fixed way of playing, the best response is a Markov decision process. Written out in Storm's format, Storm
finds the responder's greatest chance of winning, in rational arithmetic. If the responder who begins gets a chance p
and the responder who does not gets 1 - p, then the play holds either to exactly what it gets itself: it is optimal, and
p is the chance that whoever begins wins. Nothing of that rests on this package's solvers or proofs; Storm gets the
rules (`certificate_walk`) and the play.

Storm solves exactly by eliminating states, and where thousands of digits arise on the way (demi-iles with trembling
hands) that takes too long; there it is asked for an interval in floating-point arithmetic, sound but for the rounding.

Needs the extra `storm` (stormpy).
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nenette.exact.certificates.endless import MOVES, WAITS, after, responder_rows
from nenette.exact.certificates.walk import Row, Walk


def storms_chance(walk: Walk, play: list[int], epsilon: Fraction, side: int) -> Fraction:
    """The greatest chance of winning against `play` from the start, for who moves there (MOVES) or who waits (WAITS).

    Raises:
        ModuleNotFoundError: stormpy is not installed.
    """
    import stormpy

    result, start = _check(
        _drn(walk, play, epsilon, side, "rational", str), stormpy.Rational, stormpy.environments.exact()
    )
    return Fraction(str(result.get_value(start)))


def storms_interval(
    walk: Walk, play: list[int], epsilon: Fraction, side: int, precision: str = "1/100000000"
) -> tuple[float, float]:
    """Bounds of what `storms_chance` says; `precision` is how far either may lie from Storm's estimate.

    Raises:
        ModuleNotFoundError: stormpy is not installed.
    """
    import stormpy

    environment = stormpy.environments.sound()
    solver = environment.solver().min_max()
    solver.precision = stormpy.Rational(precision)
    solver.relative_termination_criterion = False
    lines = _drn(walk, play, epsilon, side, "double", lambda p: repr(float(p)))
    result, start = _check(lines, float, environment)
    return result.get_lower_bound(start), result.get_upper_bound(start)


def _check(lines: Iterator[str], numbers: type, environment: Any) -> tuple[Any, int]:
    """Storm's result and the number of the initial state."""
    import stormpy

    with TemporaryDirectory() as folder:
        file = Path(folder) / "response.drn"
        file.write_text("\n".join(lines) + "\n")
        model = stormpy.build_model_from_drn[numbers](str(file))
    (best,) = stormpy.parse_properties('Pmax=? [F "won"]')
    return stormpy.model_checking(model, best, environment=environment), model.initial_states[0]


def _drn(
    walk: Walk, play: list[int], epsilon: Fraction, side: int, numbers: str, written: Callable[[Fraction], str]
) -> Iterator[str]:
    """The file's lines: state s on side k has the number 2 s + k; in the last two the responder has won or lost."""
    won, lost = 2 * len(walk), 2 * len(walk) + 1
    choices = sum(len(rows) + 1 for rows in walk.rows) + 2
    yield from ("@type: MDP", f"@value_type: {numbers}", "@parameters", "", "@reward_models", "")
    yield from ("@nr_states", str(lost + 1), "@nr_choices", str(choices), "@model")
    for state in range(len(walk)):
        for k in (MOVES, WAITS):
            yield f"state {2 * state + k}" + (" init" if (state, k) == (0, side) else "")
            for number, row in enumerate(responder_rows(walk, play, state, k)):
                yield f"\taction {number}"
                odds = _odds(walk, walk.rows[state], row, epsilon, k)
                yield from (f"\t\t{target} : {written(p)}" for target, p in sorted(odds.items()))
    for end, label in ((won, "won"), (lost, "lost")):
        yield from (f"state {end} {label}", "\taction 0", f"\t\t{end} : 1")


def _odds(walk: Walk, rows: tuple[Row, ...], chosen: Row, epsilon: Fraction, side: int) -> dict[int, Fraction]:
    won, lost = 2 * len(walk), 2 * len(walk) + 1
    odds: dict[int, Fraction] = {}
    for row in rows:
        taken = epsilon / len(rows) + (1 - epsilon if row is chosen else 0)
        if not taken:
            continue
        ended = row.total - sum(row.weights)
        wins = (ended + (row.payoff if side == MOVES else -row.payoff)) // 2
        ends = ((won, wins), (lost, ended - wins))
        numbers = [2 * s + k for s, k in after(row, side)]
        for target, weight in (*zip(numbers, row.weights, strict=True), *ends):
            if weight:
                odds[target] = odds.get(target, Fraction(0)) + taken * Fraction(weight, row.total)
    return odds
