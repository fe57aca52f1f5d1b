"""The exact score of any way of playing the solo game, which is asked about all states that it may meet.

A play that can get stuck has no finite number of turns. It still has a probability of finishing, and a *capped* number
of turns: that of a game which is given up after each turn with probability 1/1000, so that it is never above 1000. The
regret of such a play is weighted by its visits in the capped game.

Play is followed from the start, through the sets of scores by size. The regret in each state follows from the optimum's
values, so only the visits to states have to be computed. As a check, the turns given away add up to the expected turns
less the optimum.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nenette.exact.answers import ActionProbabilities
from nenette.exact.model import Floats, Ints
from nenette.exact.solo.solving import SoloOptimum, solve_solo
from nenette.exact.solo.states import N_SETS, N_STATES, layout, members, throws
from nenette.exact.solo.visits import follow
from nenette.games import Game
from nenette.games.demi_iles import TARGET, DemiIlesSolo, SoloState

__all__ = ["SURVIVAL", "Loss", "Phase", "SoloPlay", "SoloScore", "SoloTables", "measure", "solo_score"]

START = SoloState(0, 0)
SURVIVAL = 0.999
"""Chance that a capped game goes on after a turn."""
AGREES = 1e-9
"""Turns within which an action counts as optimal."""
MOST_LOSSES = 10
_SETS = 1 << 9  # sets asked about at a time: some 6,000 states, which stay in a processor's cache


@dataclass(frozen=True)
class Phase:
    """Decisions with the same number of scores still missing.

    Attributes:
        missing: that number, 20 at the start and 0 when only 21 is left.
        decisions: expected number of them in a game.
        regret: turns given away at each, on average; None where there are none.
        lost: turns given away at all of them in a game.
    """

    missing: int
    decisions: float
    regret: float | None
    lost: float


@dataclass(frozen=True)
class Loss:
    """A state, and what a play loses there.

    Attributes:
        score: where it stands.
        missing: the scores not yet stood on.
        visits: how often it is met in a game.
        regret: turns given away on each visit.
        lost: turns given away there in a game.
        plays: the probabilities with which 0, 1 and 2 dice are thrown.
        best: an optimal number of dice.
    """

    score: int
    missing: list[int]
    visits: float
    regret: float
    lost: float
    plays: list[float]
    best: int


@dataclass(frozen=True)
class SoloPlay:
    """A way of playing, measured from the start of the game.

    Attributes:
        finishes: chance that the game is ever finished; exactly 1 where no state that may be met is a dead end.
        turns: expected turns; None if the play may get stuck.
        capped_turns: expected turns of a game that is given up after each turn with a chance of 1 - `SURVIVAL`.
        regret: turns given away at a decision, on average over those it meets.
        lost: turns given away in a game: `turns` less the optimum, got as the sum over all states met.
        agreement: share of its decisions at which the action is optimal.
        weights: what decisions are weighted by: "visits", or "capped visits" if the play may get stuck.
        phases: the same by number of scores still missing, 20 first.
        losses: the states where most is lost, the worst first.
    """

    finishes: float
    turns: float | None
    capped_turns: float
    regret: float
    lost: float
    agreement: float
    weights: str
    phases: list[Phase]
    losses: list[Loss]


@dataclass(frozen=True)
class SoloScore:
    """A policy's score in the solo game.

    Attributes:
        optimum: the fewest expected turns.
        sampled: the policy as it is, its actions drawn by their probabilities.
        greedy: the same policy when it always takes its likeliest action, of equals the lowest.
    """

    optimum: float
    sampled: SoloPlay
    greedy: SoloPlay

    def report(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class SoloTables:
    """A play of the solo game in all states; tables lie as `nenette.exact.solo.states` says.

    Attributes:
        play: float64, (N_STATES, 3): probabilities of each number of dice; 0 where the play was not asked.
        visits: float64, (N_STATES,): how often each state is met in a game, weighted as `SoloPlay.weights` says.
        met: int64, (N_SETS,): bits of each set's scores that the play may enter from smaller sets.
    """

    play: Floats
    visits: Floats
    met: Ints

    def turns(self, gamma: float) -> Floats | None:
        """float64, (N_STATES,): expected turns from each state that is met, each counting `gamma` as much as the last.

        None if they have no bound: without a discount, where the play may get stuck.
        """
        from nenette.exact.solo.values import evaluate  # compiles

        sizes, offsets = layout()
        _, counts, outcomes, probabilities = throws()
        turns = np.zeros(N_STATES)
        known = (sizes, offsets, counts, outcomes, probabilities)
        return None if evaluate(*known, self.play, self.met, gamma, turns) else turns


def solo_score(game: DemiIlesSolo, action_probabilities: ActionProbabilities, start: SoloState = START) -> SoloScore:
    """The score of a policy, from its answers in all states that it may meet.

    Args:
        game: the solo game; its `max_turns` makes no difference.
        action_probabilities: the policy's; see `nenette.policies.Policy`. It is asked about up to 12.6 million states.
        start: where games start.

    Raises:
        ValueError: the policy's answers are no probabilities.
    """
    optimum = solve_solo(game)
    asked = _Asked(game, action_probabilities)
    sampled, _ = _follow(optimum, asked.play, start, False, asked.ask)
    # What is likeliest is possible: the greedy play meets no other sets.
    greedy = sampled if asked.is_pure else _follow(optimum, asked.play, start, True, None)[0]
    return SoloScore(-float(optimum.values_of(_fields(game, start))[0]), sampled, greedy)


def measure(
    game: DemiIlesSolo, action_probabilities: ActionProbabilities, start: SoloState = START
) -> tuple[SoloPlay, SoloTables]:
    """A policy as it is, measured, and its play in all states that it may meet; arguments as in `solo_score`."""
    asked = _Asked(game, action_probabilities)
    return _follow(solve_solo(game), asked.play, start, False, asked.ask)


class _Asked:
    """A policy's answers, so far.

    Attributes:
        play: float64, (N_STATES, 3): its probabilities, where it was asked; 0 elsewhere.
        is_pure: whether it has always been certain of what to do.
    """

    def __init__(self, game: DemiIlesSolo, action_probabilities: ActionProbabilities) -> None:
        self._game = game
        self._action_probabilities = action_probabilities
        self.play = np.zeros((N_STATES, game.n_actions))
        self.is_pure = True

    def ask(self, sets: Ints) -> None:
        """Asks about all states of these sets."""
        offsets = layout().offsets
        for first in range(0, len(sets), _SETS):
            chunk = sets[first : first + _SETS]
            inside = members(chunk)
            rows, scores = np.nonzero(inside)
            fields = inside[rows, :TARGET].astype(np.int16)
            fields[:, 0] = scores
            masks = np.ones((len(rows), self._game.n_actions), dtype=np.int8)
            probabilities = self._action_probabilities(self._game.codec.encode(fields), masks)
            sums = probabilities.sum(axis=1, keepdims=True, dtype=np.float64)
            if not (np.abs(sums - 1.0) <= 1e-4).all() or (probabilities < 0).any():
                raise ValueError("a policy's action probabilities are negative or do not sum to 1 in some state")
            self.play[offsets[chunk][rows] + np.arange(len(rows)) - np.searchsorted(rows, rows)] = probabilities / sums
            self.is_pure = self.is_pure and bool(((probabilities == 0) | (probabilities == 1)).all())


def _fields(game: Game[Any], state: SoloState) -> Ints:
    return np.array([game.encode(state, 0)])


def _follow(
    optimum: SoloOptimum, play: Floats, start: SoloState, greedy: bool, ask: Callable[[Ints], None] | None
) -> tuple[SoloPlay, SoloTables]:
    """Measures the play (N_STATES, 3), or its greedy version, once `ask` has filled in what it does in some sets."""
    sizes, offsets = layout()
    _, counts, outcomes, probabilities = throws()
    known = (sizes, offsets, counts, outcomes, probabilities, optimum.turns, play, greedy, SURVIVAL, AGREES)
    enter, met = np.zeros((2, N_STATES)), np.zeros(N_SETS, dtype=np.int64)
    enter[:, optimum.index(_fields(optimum.game, start))[0]] = 1.0
    met[start.seen] = 1 << start.score
    ended, sums = np.zeros(2), np.zeros((2, TARGET, 3))
    ranking = np.zeros((2, MOST_LOSSES, 2))
    ranked = np.full((2, MOST_LOSSES, 2), -1, dtype=np.int64)
    stuck = False
    for size in range(int(sizes[start.seen]), TARGET):
        sets = np.flatnonzero((sizes == size) & (met > 0))
        if ask is not None:
            ask(sets)
        stuck = follow(sets, *known, enter, met, ended, sums, ranking, ranked) or stuck
    flow = 1 if stuck else 0
    decisions, lost, agreed = sums[flow].sum(axis=0).tolist()
    phases = [
        Phase(missing, visits, given_away / visits if visits > 0 else None, given_away)
        for missing, (visits, given_away, _) in reversed(list(enumerate(sums[flow].tolist())))
    ]
    measured = SoloPlay(
        finishes=min(1.0, float(ended[0])) if stuck else 1.0,
        turns=None if stuck else decisions,
        capped_turns=float(sums[1, :, 0].sum()),
        regret=lost / decisions,
        lost=lost,
        agreement=min(1.0, agreed / decisions),
        weights="capped visits" if stuck else "visits",
        phases=phases,
        losses=[
            _loss(optimum, play, greedy, *place, *amounts)
            for place, amounts in zip(ranked[flow].tolist(), ranking[flow].tolist(), strict=True)
            if place[0] >= 0
        ],
    )
    return measured, SoloTables(play, enter[flow], met)


def _loss(optimum: SoloOptimum, play: Floats, greedy: bool, seen: int, score: int, lost: float, visits: float) -> Loss:
    fields = _fields(optimum.game, SoloState(score, seen))
    probabilities = play[optimum.index(fields)[0]]
    if greedy:
        probabilities = np.eye(len(probabilities))[int(probabilities.argmax())]
    missing = [s for s in range(1, TARGET) if not seen >> (s - 1) & 1]
    best = int(optimum.actions_of(fields)[0])
    return Loss(score, missing, visits, lost / visits, lost, probabilities.tolist(), best)
