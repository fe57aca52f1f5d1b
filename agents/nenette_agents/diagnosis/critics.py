"""How far an agent's critic is from the truth: what its own play really brings, in the units in which it learned.

The truth is exact: the expected return of the agent's own play against its training's opponents, with its discount,
the scale of its rewards and their shaping. DQN's play takes the best by its values; PPO's draws actions by its
probabilities, and trembles if its hand did. A state that several opponents bring about has the mean of its values, by
how often each does. Errors are weighted by how often the agent decides in each state in training.

Not in it: the truncation of demi-iles after some turns (learners take a truncated game's value from their critic),
and that a learner which sums rewards over several decisions sees explored ones among them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey
from nenette.exact.model import Floats, Ints
from nenette.games import Game
from nenette_agents.diagnosis.phases import phases_of
from nenette_agents.diagnosis.subject import Q_VALUES, VALUE_FUNCTION, Critic, Training, potential_of
from nenette_agents.diagnosis.visits import Faced
from nenette_agents.diagnosis.words import Words

__all__ = ["Compared", "CriticError", "CriticReport", "critic_report", "report_of"]


@dataclass(frozen=True)
class CriticError:
    """How wrong a critic is in a part of the game.

    Attributes:
        phase: the part, in words.
        share: of the training's decisions.
        bias: mean of estimate less truth; above 0: it thinks too well of its play.
        rmse: root of the mean squared error.
    """

    phase: str
    share: float
    bias: float
    rmse: float


@dataclass(frozen=True)
class CriticReport:
    """A critic held against the truth.

    Attributes:
        kind: "Q-values" or "value function".
        opponents: of the training.
        gamma: the discount.
        scale: of the rewards.
        shaped: whether rewards were shaped by a potential.
        bias: mean of estimate less truth, of the action taken where there are Q-values.
        rmse: root of the mean squared error, over all legal actions where there are Q-values.
        spread: standard deviation of the truth: what an error of a critic that knows one number would be.
        explained: part of the truth's variance that the critic explains; below 0: one number would be better.
        misranked: share of decisions in which the action that has the highest Q-value is not the one that really
            brings most, if the agent goes on as it plays; None for a value function.
        phases: the same by phase.
        worst: the states that add most to the squared error, in words, with estimate and truth.
        points: estimate, truth and weight of each decision (the heaviest 2,000), for a picture.
    """

    kind: str
    opponents: tuple[str, ...]
    gamma: float
    scale: float
    shaped: bool
    bias: float
    rmse: float
    spread: float
    explained: float
    misranked: float | None
    phases: tuple[CriticError, ...]
    worst: tuple[dict[str, Any], ...]
    points: tuple[tuple[float, float, float], ...]

    def report(self) -> dict[str, Any]:
        """JSON values; without the points."""
        values = asdict(self)
        del values["points"]
        return values


def critic_report(
    key: AnswerKey, critic: Critic, training: Training, faced: Sequence[Faced], *, most: int = 5
) -> CriticReport:
    """Holds a critic against the truth.

    Args:
        key: the answer key of the game.
        critic: the agent's own values of states or of actions.
        training: how it was trained.
        faced: the opponents of its training.
        most: how many states are reported.
    """
    return report_of(compared_for_two(key, critic, training, faced), critic, training, most)


def report_of(compared: "Compared", critic: Critic, training: Training, most: int) -> CriticReport:
    """The report of what is compared."""
    weights, truths, errors = compared.weights, compared.truths, compared.errors
    spread = float(np.sqrt(weights @ (truths - weights @ truths) ** 2))
    centred = float(weights @ (errors - weights @ errors) ** 2)
    heaviest = np.argsort(-weights, kind="stable")[:2000]
    points = zip(*(each[heaviest].tolist() for each in (compared.estimates, truths, weights)), strict=True)
    return CriticReport(
        critic.kind,
        tuple(training.opponents),
        training.gamma,
        training.scale,
        bool(training.potential),
        _mean(errors, compared.taken),
        float(np.sqrt(weights @ errors**2)),
        spread,
        1.0 - centred / spread**2 if spread > 0 else 0.0,
        compared.misranked,
        _by_phase(compared),
        _worst(compared, most),
        tuple(points),
    )


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: decisions, of which Q-values have one for each legal action.

    Attributes:
        game: what is played.
        fields: (states, fields): all states, as their mover sees them.
        states: int64, (n,): where, an index into `fields`.
        actions: int64, (n,): which action; None for a value function.
        estimates: float64, (n,): the critic's.
        truths: float64, (n,).
        weights: float64, (n,): the part of the training's decisions that lies there; legal actions share it.
        taken: float64, (n,): the part of the training's decisions in which that action is taken.
        misranked: see `CriticReport`.
    """

    game: Game[Any]
    fields: NDArray[np.integer]
    states: Ints
    actions: Ints | None
    estimates: Floats
    truths: Floats
    weights: Floats
    taken: Floats
    misranked: float | None

    @property
    def errors(self) -> Floats:
        """Estimate less truth."""
        return self.estimates - self.truths


def compared_for_two(key: AnswerKey, critic: Critic, training: Training, faced: Sequence[Faced]) -> Compared:
    model = key.model
    game, fields = model.game, model.fields
    visits, truth = np.zeros(model.n_states), np.zeros(model.n_rows)
    for one in faced:
        met_here = one.share * one.visits
        visits += met_here
        truth += met_here[model.row_state] * key.discounted(one.learner, one.opponent, training.gamma)
    decided = np.flatnonzero(visits > 0)
    there = (visits > 0)[model.row_state]
    truth = np.divide(truth, visits[model.row_state], out=truth, where=there)
    truth = training.scale * (truth - potential_of(training, model.game, model.fields)[model.row_state])
    learner, weight = faced[0].learner, visits / visits.sum()
    estimates = _estimates(key, critic, decided)
    if critic.kind == VALUE_FUNCTION:
        values = np.add.reduceat(truth * learner, model.row_start[:-1])[decided]
        return Compared(game, fields, decided, None, estimates[decided], values, weight[decided], weight[decided], None)
    rows = np.flatnonzero(there)
    states = model.row_state[rows]
    misranked = float(weight[_misranked(key, estimates, truth) & (visits > 0)].sum())
    shared = (weight / np.diff(model.row_start))[states]
    taken = weight[states] * learner[rows]
    return Compared(
        game, fields, states, model.row_action[rows], estimates[rows], truth[rows], shared, taken, misranked
    )


def _mean(errors: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(weights @ errors) / total if total > 0 else 0.0


def _by_phase(compared: Compared) -> tuple[CriticError, ...]:
    names, places = phases_of(compared.game, compared.fields[compared.states])
    errors, weights = compared.errors, compared.weights
    found = []
    for place, name in enumerate(names):
        part = places == place
        share = float(weights[part].sum())
        if share > 0:
            rmse = float(np.sqrt(weights[part] @ errors[part] ** 2 / share))
            found.append(CriticError(name, share, _mean(errors[part], compared.taken[part]), rmse))
    return tuple(found)


def _worst(compared: Compared, most: int) -> tuple[dict[str, Any], ...]:
    words, found = Words(compared.game), []
    for at in np.argsort(-compared.weights * compared.errors**2, kind="stable")[:most].tolist():
        fields = compared.fields[compared.states[at]]
        found.append(
            {
                "position": words.position(fields),
                "move": None if compared.actions is None else words.move(fields, int(compared.actions[at])),
                "estimate": float(compared.estimates[at]),
                "truth": float(compared.truths[at]),
                "share": float(compared.weights[at]),
            }
        )
    return tuple(found)


def _estimates(key: AnswerKey, critic: Critic, states: Ints) -> Floats:
    """The critic's figures for rows (Q-values) or for states (a value function); 0 where it is not asked."""
    model = key.model
    per_row = critic.kind == Q_VALUES
    found = np.zeros(model.n_rows if per_row else model.n_states)
    for low in range(0, len(states), 65536):
        chunk = states[low : low + 65536]
        given = critic.estimates(model.game.codec.encode(model.fields[chunk]))
        if per_row:
            rows = key.rows[chunk]
            legal = rows >= 0
            found[rows[legal]] = given[legal]
        else:
            found[chunk] = given
    return found


def _misranked(key: AnswerKey, estimates: Floats, truth: Floats) -> NDArray[np.bool_]:
    """bool, (n_states,): where the best by the estimates really brings less than the best."""
    model = key.model
    first = model.row_start[:-1]
    highest = np.maximum.reduceat(estimates, first)[model.row_state]
    best = np.maximum.reduceat(truth, first)
    of_chosen = np.maximum.reduceat(np.where(estimates >= highest, truth, -np.inf), first)
    wrong: NDArray[np.bool_] = of_chosen < best - 1e-9
    return wrong
