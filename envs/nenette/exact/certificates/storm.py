"""A second opinion on optimal play, from the probabilistic model checker Storm.

Against a fixed way of playing, the best response is a Markov decision process. Written out in Storm's format, Storm
finds the responder's greatest chance of winning, in rational arithmetic. If the responder who begins gets a chance p
and the responder who does not gets 1 - p, then the play holds either to exactly what it gets itself: it is optimal, and
p is the chance that whoever begins wins. Nothing of that rests on this package's solvers or proofs; Storm gets the
rules (`certificate_walk`) and the play.

Storm solves exactly by policy iteration, in which it first follows the first action of every state. So the action that
the play takes is written first: if the play is optimal it is the best response to itself, and one linear system is all
that Storm has to solve. All of 421 is done so in a minute for each seat. Where thousands of digits arise on the way
(demi-iles with trembling hands) even that takes too long: there Storm is given what each state is said to be worth, and
has to find whether that can be beaten; see `storms_chance`. Without that, it gives an interval in floating-point
arithmetic, sound but for the rounding. The endless game of demi-iles, in steady hands, has a question of its own: see
`storms_endless_chance`.

Needs the extra `storm` (stormpy).
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from nenette.exact.certificates.endless import MOVES, WAITS, after, responder_rows
from nenette.exact.certificates.walk import Row, Walk


def storms_chance(
    walk: Walk, play: list[int], epsilon: Fraction, side: int, start: int = 0, said: list[Fraction] | None = None
) -> Fraction:
    """The greatest chance of winning against `play`, for who moves at the start (MOVES) or who waits (WAITS).

    With `said`, the responder may also have the game decided at once, in any state, with the chance of winning that it
    is said to have there. Nobody gets less for having one more choice, so the answer is never too small, whatever was
    said; and if the answers for both sides make 1, they are what either gets without it: against `play` a responder
    gets at least what `play` does in its place, and those two chances make 1 already in a game that surely ends. Storm
    begins with these choices, so that what is left to find is whether any action beats them.

    Args:
        walk: the game.
        play: for each state, which of its rows is played.
        epsilon: the probability that a hand trembles.
        side: MOVES or WAITS.
        start: the state that is begun with.
        said: for each state, what it is said to be worth, from -1 to 1, to who moves; None: nothing is said.

    Raises:
        ModuleNotFoundError: stormpy is not installed.
    """
    offers = {2 * s + k: (1 + v if k == MOVES else 1 - v) / 2 for s, v in enumerate(said or []) for k in (MOVES, WAITS)}
    return _exactly(_drn(walk, play, epsilon, (start, side), "rational", str, offers))


def storms_endless_chance(walk: Walk, play: list[int], side: int) -> Fraction:
    """The same where no hand trembles and the game may never end: one without an end counts half.

    Whoever can play on for ever in a state can do so in all of an end component, a set of states with actions that lead
    nowhere else. Storm finds the maximal ones. In each of their states the responder then gets one more action, which
    stands for that: it wins and loses with a chance of 1/2 each. That is no gift, for it is there only where playing on
    for ever is possible, and it makes up for all ways of doing so.

    Raises:
        ModuleNotFoundError: stormpy is not installed.
    """
    import stormpy

    model = _build(_drn(walk, play, Fraction(0), (0, side), "rational", str), stormpy.Rational)
    components = stormpy.analysis.get_maximal_end_components(model)
    kept_going = {s: Fraction(1, 2) for component in components for s, _ in component if s < 2 * len(walk)}
    return _exactly(_drn(walk, play, Fraction(0), (0, side), "rational", str, kept_going))


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
    lines = _drn(walk, play, epsilon, (0, side), "double", lambda p: repr(float(p)))
    result, start = _check(lines, float, environment)
    return result.get_lower_bound(start), result.get_upper_bound(start)


def _exactly(lines: Iterator[str]) -> Fraction:
    import stormpy

    result, start = _check(lines, stormpy.Rational, stormpy.environments.exact())
    return Fraction(str(result.get_value(start)))


def _check(lines: Iterator[str], numbers: type, environment: Any) -> tuple[Any, int]:
    """Storm's result and the number of the initial state."""
    import stormpy

    model = _build(lines, numbers)
    (best,) = stormpy.parse_properties('Pmax=? [F "won"]')
    return stormpy.model_checking(model, best, environment=environment), model.initial_states[0]


def _build(lines: Iterator[str], numbers: type) -> Any:
    import stormpy

    with TemporaryDirectory() as folder:
        file = Path(folder) / "response.drn"
        with file.open("w") as opened:
            opened.writelines(f"{line}\n" for line in lines)
        return stormpy.build_model_from_drn[numbers](str(file))


def _drn(
    walk: Walk,
    play: list[int],
    epsilon: Fraction,
    start: tuple[int, int],
    numbers: str,
    written: Callable[[Fraction], str],
    offers: Mapping[int, Fraction] = MappingProxyType({}),
) -> Iterator[str]:
    """The file's lines: state s on side k has the number 2 s + k; in the last two the responder has won or lost.

    In the states numbered in `offers` there is a further action, the first, that wins with the chance given and else
    loses.
    """
    won, lost = 2 * len(walk), 2 * len(walk) + 1
    choices = sum(len(rows) + 1 for rows in walk.rows) + len(offers) + 2
    yield from ("@type: MDP", f"@value_type: {numbers}", "@parameters", "", "@reward_models", "")
    yield from ("@nr_states", str(lost + 1), "@nr_choices", str(choices), "@model")
    for state in range(len(walk)):
        played = walk.rows[state][play[state]]
        for k in (MOVES, WAITS):
            yield f"state {2 * state + k}" + (" init" if (state, k) == start else "")
            offered = 2 * state + k in offers
            if offered:
                chance = offers[2 * state + k]
                yield from ("\taction 0", f"\t\t{won} : {written(chance)}", f"\t\t{lost} : {written(1 - chance)}")
            rows = sorted(responder_rows(walk, play, state, k), key=lambda row: row is not played)
            for number, row in enumerate(rows, start=offered):
                yield f"\taction {number}"
                probabilities = _probabilities(walk, walk.rows[state], row, epsilon, k)
                yield from (f"\t\t{target} : {written(p)}" for target, p in sorted(probabilities.items()))
    for end, label in ((won, "won"), (lost, "lost")):
        yield from (f"state {end} {label}", "\taction 0", f"\t\t{end} : 1")


def _probabilities(walk: Walk, rows: tuple[Row, ...], chosen: Row, epsilon: Fraction, side: int) -> dict[int, Fraction]:
    won, lost = 2 * len(walk), 2 * len(walk) + 1
    probabilities: dict[int, Fraction] = {}
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
                probabilities[target] = probabilities.get(target, Fraction(0)) + taken * Fraction(weight, row.total)
    return probabilities
