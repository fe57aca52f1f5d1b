"""For which trembling is it the same equilibrium?  `python -m nenette.exact.many.trembles 1/10 1/100 1/1000`

The search in `nenette.exact.many.equilibrium` changes half of the states that would rather change, and ends at
ε = 1/100. Where hands tremble less it runs in circles: many states gain a little by changing, and do not when others
change with them. This one, once few states are left, changes a single state at a time: the one that gains most, and one
drawn at random where the same play has come up before. Each ε is searched from the equilibrium of the larger one before
it and from scratch with several random numbers. NashConv says what comes of it: an end of the search is an equilibrium,
and the profile of a search that did not end has a NashConv above 0.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from nenette.exact.many.answers import ManyKey
from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.equilibrium import margin_of
from nenette.exact.many.model import ManyModel, many_model
from nenette.exact.many.responses import TOLERANCE, advantages, first_best
from nenette.exact.model import Floats, Ints
from nenette.games import make_game

__all__ = ["Search", "Trembling", "compare", "main", "search"]

EPSILONS = ("1/10", "1/20", "1/50", "1/100", "1/200", "1/500", "1/1000", "1/2000", "1/5000", "1/10000")
_ROUNDS = 250
_ALL_AT_ONCE, _HALF_AT_ONCE = 6, 60
_FEW = 30
"""So many states that would change, or fewer, change one at a time."""


@dataclass(frozen=True, eq=False)
class Search:
    """What one search came to.

    Attributes:
        rows: int64, (n_states,): the row that is taken.
        ended: whether it is an equilibrium: no state would change.
        would_change: how many states would.
        rounds: how often a profile was scored.
        circle: after how many rounds the same profile first came again; None: it never did.
        margin: by how much the action taken is better than the next best, where that is least; below 0 if not ended.
    """

    rows: Ints
    ended: bool
    would_change: int
    rounds: int
    circle: int | None
    margin: float


@dataclass(frozen=True)
class Trembling:
    """What was found for one ε.

    Attributes:
        epsilon: the probability with which a hand trembles, as it was asked for.
        searches: how many were made.
        ended: how many of them ended in an equilibrium.
        different: in how many different ones.
        rounds: of each search.
        circles: after how many rounds the first circle closed, of each search; None: there was none.
        values: of each seat, of the first equilibrium found, or of the last profile of the first search.
        spread: how far the values of the equilibria found are apart, at the seat where that is most.
        states_apart: in how many states those that are least alike differ.
        nash_conv: of that profile.
        margin: see `Search`.
        changed: in how many states it differs from that of the ε before; None at the first.
        seconds: of processor time.
    """

    epsilon: str
    searches: int
    ended: int
    different: int
    rounds: list[int]
    circles: list[int | None]
    values: list[float]
    spread: float
    states_apart: int
    nash_conv: float
    margin: float
    changed: int | None
    seconds: float


def search(trembling: ManyModel, seed: int = 0, start: Ints | None = None, rounds: int = _ROUNDS) -> Search:
    """Looks for a stationary profile, the same at all seats and without mixed actions, that no state would change.

    Args:
        trembling: a game that always ends.
        seed: what is drawn at random depends on it.
        start: rows to begin with, (n_states,); None: the first of each state.
        rounds: how often at most a profile is scored.
    """
    model, n = trembling, trembling.players
    rng = np.random.default_rng(seed)
    rows = model.row_start[:-1].copy() if start is None else start.copy()
    payoff = model.wins @ model.prizes_of(0, 0)
    values: list[Floats] | None = None
    known: dict[bytes, int] = {}
    circle: int | None = None
    for done in range(rounds):
        everybody = Round.of(model, [model.pure(rows)] * n)
        gains = [everybody.wins[m] @ model.prizes_of(0, m) for m in range(n)]
        values = RoundSystem(everybody).solve(gains, values)
        advantage = advantages(model, payoff, values[0], values[1])
        best = first_best(model, advantage)
        gain = advantage[best] - advantage[rows]
        would: Ints = np.flatnonzero(gain > TOLERANCE)
        if not len(would) or done == rounds - 1:
            break
        again = known.setdefault(rows.tobytes(), done) != done
        if again and circle is None:
            circle = done - known[rows.tobytes()]
        changed = _changed(rng, would, gain, done, again=again)
        rows[changed] = best[changed]
    return Search(rows, not len(would), len(would), done + 1, circle, margin_of(model, advantage, rows))


def _changed(rng: np.random.Generator, would: Ints, gain: Floats, done: int, *, again: bool) -> Ints:
    """The states that change, of those that would."""
    if len(would) > _FEW and done < _ALL_AT_ONCE:
        return would
    if len(would) > _FEW and done < _HALF_AT_ONCE:
        return would[rng.random(len(would)) < 0.5]
    return would[[rng.integers(len(would)) if again else int(np.argmax(gain[would]))]]


def compare(
    model: ManyModel, epsilons: Sequence[str], *, starts: int = 2, rounds: int = _ROUNDS
) -> Iterator[Trembling]:
    """What is found for each ε, in the order given.

    Args:
        model: the game itself.
        epsilons: each a probability above 0 and below 1, such as "1/100"; best from the largest on.
        starts: how many searches begin from scratch, at each ε.
        rounds: of a search at most.

    Raises:
        ValueError: one is no such probability, or there is no start.
    """
    trembles = [(epsilon, _probability(epsilon)) for epsilon in epsilons]
    if starts < 1:
        raise ValueError(f"at least 1 start was expected, not {starts}")
    before: Ints | None = None
    for epsilon, probability in trembles:
        began, trembling = time.process_time(), model.trembling(probability)
        found = [] if before is None else [search(trembling, 0, before, rounds)]
        found += [search(trembling, seed, None, rounds) for seed in range(starts)]
        ended = [one for one in found if one.ended]
        shown = (ended or found)[0]
        key = ManyKey(trembling)
        different = list({one.rows.tobytes(): one.rows for one in ended}.values())
        values = [key.standing([model.pure(rows)] * model.players).values for rows in (different or [shown.rows])]
        yield Trembling(
            epsilon,
            len(found),
            len(ended),
            len(different),
            [one.rounds for one in found],
            [one.circle for one in found],
            values[0],
            float(np.ptp(values, axis=0).max()),
            max((int((one != other).sum()) for one in different for other in different), default=0),
            float(sum(key.gains([model.pure(shown.rows)] * model.players))),
            shown.margin,
            None if before is None else int((shown.rows != before).sum()),
            time.process_time() - began,
        )
        before = shown.rows


def _probability(text: str) -> float:
    try:
        found = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        found = 0.0
    if not 0 < found < 1:
        raise ValueError(f"a probability above 0 and below 1 was expected, such as 1/100, not {text[:40]!r}")
    return found


def main(arguments: list[str] | None = None) -> None:
    """For each ε: whether searches for an equilibrium of three end, in how many, what they are worth."""
    parser = argparse.ArgumentParser(prog="python -m nenette.exact.many.trembles", description=main.__doc__)
    parser.add_argument("epsilons", nargs="*", metavar="EPSILON", help=f"default: {' '.join(EPSILONS)}")
    parser.add_argument("--starts", type=int, default=2, help="searches from scratch at each; default: 2")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"of a search at most; default: {_ROUNDS}")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    asked = parser.parse_args(arguments)
    try:
        model = many_model(make_game("demi-iles", players=3))
        for one in compare(model, asked.epsilons or EPSILONS, starts=asked.starts, rounds=asked.rounds):
            print(json.dumps(asdict(one)) if asked.json else _sentence(one, model.n_states), flush=True)
    except ValueError as error:
        parser.error(str(error))


def _sentence(one: Trembling, states: int) -> str:
    if one.ended:
        found = f"{one.ended} of {one.searches} searches ended, in {one.different} different equilibria"
        if one.different > 1:
            found += f" (up to {one.states_apart} states and {one.spread:.1e} of value apart)"
        found += f"; margin {one.margin:.1e}"
    else:
        found = f"none of {one.searches} searches ended"
    circles = [circle for circle in one.circles if circle is not None]
    turning = f"; {len(circles)} ran in circles, of {min(circles)} to {max(circles)} rounds" if circles else ""
    changed = "" if one.changed is None else f"; {one.changed:,} of {states:,} states unlike the ε before"
    values = ", ".join(f"{value:+.2e}" for value in one.values)
    return (
        f"{one.epsilon}: {found}{turning}; rounds {', '.join(map(str, one.rounds))}; values {values}; "
        f"NashConv {one.nash_conv:.1e}{changed}; {one.seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
