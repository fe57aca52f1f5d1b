"""For which trembling is it the same equilibrium?  `python -m nenette.exact.many.trembles 1/10 1/100 1/1000`

The search in `nenette.exact.many.equilibrium` takes one action for certain in each state, and changes half of the
states that would rather change. It ends at ε = 1/100. Where hands tremble less it runs in circles: many states gain a
little by changing, and do not when others change with them, or when all three seats change the same state.

This search, once few states are left, changes a single state at a time, the one that gains most. Where such a change
makes the state want back, it mixes: values are nearly linear in the probabilities of one state, so a line through the
two advantages says which probability makes both actions equally good. When the same play comes up again, half of the
states that would change do so, drawn at random. Each ε is searched from the equilibrium of the larger one before it,
and from scratch with several random numbers. NashConv, which no search uses, says what came of it: of a search that has
ended it is 0 but for rounding, and of one that has not it is above.
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
from nenette.exact.many.model import ManyModel, many_model
from nenette.exact.many.responses import advantages, first_best
from nenette.exact.model import Floats, Ints
from nenette.games import make_game

__all__ = ["Search", "Trembling", "compare", "main", "search"]

EPSILONS = ("1/10", "1/30", "1/100", "1/300", "1/1000", "1/3000")
_ROUNDS = 250
_EQUAL = 1e-14
"""An action worth so much less than the best one is as good: a line leaves more of a curve than rounding does."""
_ALL_AT_ONCE, _HALF_AT_ONCE = 6, 60
_FEW = 30
"""So many states that would change, or fewer, change one at a time."""


@dataclass(frozen=True, eq=False)
class Search:
    """What one search came to.

    Attributes:
        behaviour: float64, (n_rows,): how everybody plays.
        ended: whether it is an equilibrium: no state would change.
        would_change: how many states would.
        rounds: how often a profile was scored.
        circle: after how many rounds the same profile first came again; None: it never did.
        margin: by how much the action taken is better than the next best, where that is least; states that mix are left
            out.
    """

    behaviour: Floats
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
        searches: how many were made: one from the ε before, where there is one, and the others from scratch.
        ended: how many of them ended in an equilibrium.
        different: in how many different ones.
        rounds: of each search.
        circles: after how many rounds the first circle closed, of each search; None: there was none.
        values: of each seat, of the first equilibrium found, or of the last profile of the first search.
        spread: how far the values of the equilibria found are apart, at the seat where that is most.
        states_apart: in how many states the likeliest actions of those that are least alike differ.
        mixing: in how many states that profile mixes actions.
        nash_conv: of that profile.
        margin: see `Search`.
        changed: in how many states its likeliest action is not that of the ε before; None at the first.
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
    mixing: int
    nash_conv: float
    margin: float
    changed: int | None
    seconds: float


def search(trembling: ManyModel, seed: int = 0, start: Floats | None = None, rounds: int = _ROUNDS) -> Search:
    """Looks for a stationary profile, the same at all seats, that no state would change.

    Args:
        trembling: a game that always ends.
        seed: what is drawn at random depends on it.
        start: a behaviour to begin with, (n_rows,); None: the first row of each state.
        rounds: how often at most a profile is scored.
    """
    model, n, firsts = trembling, trembling.players, trembling.row_start[:-1]
    rng = np.random.default_rng(seed)
    played = model.pure(firsts) if start is None else start.copy()
    payoff = model.wins @ model.prizes_of(0, 0)
    values: list[Floats] | None = None
    known: dict[bytes, int] = {}
    circle: int | None = None
    last: _Change | None = None
    for done in range(rounds):
        everybody = Round.of(model, [played] * n)
        gains = [everybody.wins[m] @ model.prizes_of(0, m) for m in range(n)]
        values = RoundSystem(everybody).solve(gains, values)
        advantage = advantages(model, payoff, values[0], values[1])
        spread = np.maximum.reduceat(advantage, firsts) - np.minimum.reduceat(
            np.where(played > 0, advantage, np.inf), firsts
        )
        would: Ints = np.flatnonzero(spread > _EQUAL)
        if not len(would) or done == rounds - 1:
            break
        if last is not None and last.mixes(played, advantage):
            last = None
            continue
        again = known.setdefault(played.round(9).tobytes(), done)
        circle = done - again if circle is None and again != done else circle
        best, last = first_best(model, advantage), None
        changed = _changed(rng, would, done, again=again != done)
        if changed is None:
            last = _Change.of(model, played, advantage, best, int(would[np.argmax(spread[would])]))
            continue
        for state in changed.tolist():
            played[model.row_start[state] : model.row_start[state + 1]] = 0.0
            played[best[state]] = 1.0
    return Search(played, not len(would), len(would), done + 1, circle, _margin(model, advantage, played))


@dataclass(frozen=True)
class _Change:
    """One state has changed from one row to a better one: by how much, and what it gained by the advantages then."""

    old: int
    new: int
    moved: float
    gain: float

    @classmethod
    def of(cls, model: ManyModel, played: Floats, advantage: Floats, best: Ints, state: int) -> "_Change":
        """Lets `state` take its best row in place of the worst that it takes; changes `played`."""
        rows = np.arange(model.row_start[state], model.row_start[state + 1])
        taken = rows[played[rows] > 0]
        old, new = int(taken[np.argmin(advantage[taken])]), int(best[state])
        change = cls(old, new, float(played[old]), float(advantage[new] - advantage[old]))
        played[new] += change.moved
        played[old] = 0.0
        return change

    def mixes(self, played: Floats, advantage: Floats) -> bool:
        """Takes so much of the change back that both rows are equally good, if the old one is better now."""
        gain = float(advantage[self.new] - advantage[self.old])
        if gain >= -_EQUAL:
            return False
        back = self.moved * gain / (gain - self.gain)
        played[self.new] -= back
        played[self.old] += back
        return True


def _changed(rng: np.random.Generator, would: Ints, done: int, *, again: bool) -> Ints | None:
    """The states that change at once, of those that would; None: a single one does."""
    if len(would) > _FEW and done < _ALL_AT_ONCE:
        return would
    if again or (len(would) > _FEW and done < _HALF_AT_ONCE):
        drawn: Ints = would[rng.random(len(would)) < 0.5]
        return drawn if len(drawn) else would
    return None


def _margin(model: ManyModel, advantage: Floats, played: Floats) -> float:
    firsts = model.row_start[:-1]
    taken = np.maximum.reduceat(np.where(played > 0, advantage, -np.inf), firsts)
    others = np.maximum.reduceat(np.where(played > 0, -np.inf, advantage), firsts)
    decided = (np.maximum.reduceat(played, firsts) == 1.0) & (np.diff(model.row_start) > 1)
    return float((taken - others)[decided].min(initial=np.inf))


def compare(
    model: ManyModel, epsilons: Sequence[str], *, starts: int = 3, rounds: int = _ROUNDS
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
    before: Floats | None = None
    for epsilon, probability in trembles:
        began, trembling = time.process_time(), model.trembling(probability)
        found = [] if before is None else [search(trembling, 0, before, rounds)]
        found += [search(trembling, seed, None, rounds) for seed in range(starts)]
        ended = [one for one in found if one.ended]
        shown = (ended or found)[0]
        key = ManyKey(trembling)
        different = list({one.behaviour.round(6).tobytes(): one.behaviour for one in ended}.values())
        standing = [key.standing([played] * model.players).values for played in (different or [shown.behaviour])]
        likeliest = [first_best(model, played) for played in different]
        yield Trembling(
            epsilon,
            len(found),
            len(ended),
            len(different),
            [one.rounds for one in found],
            [one.circle for one in found],
            standing[0],
            float(np.ptp(standing, axis=0).max()),
            max((int((one != other).sum()) for one in likeliest for other in likeliest), default=0),
            int((np.maximum.reduceat(shown.behaviour, model.row_start[:-1]) < 1.0).sum()),
            float(sum(key.gains([shown.behaviour] * model.players))),
            shown.margin,
            None if before is None else int((first_best(model, shown.behaviour) != first_best(model, before)).sum()),
            time.process_time() - began,
        )
        before = shown.behaviour


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
    parser.add_argument("--starts", type=int, default=3, help="searches from scratch at each; default: 3")
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
        found += f"; {one.mixing} states mix, in all others the margin is {one.margin:.1e} at least"
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
