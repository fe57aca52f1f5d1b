"""How far an agent's critic is from the truth: what its own play really brings, in the units in which it learned.

The truth is exact: the expected return of the agent's own play against its training's opponents, with its discount,
the scale of its rewards and their shaping. DQN's play takes the best by its values; PPO's draws actions by its
probabilities, and trembles if its hand did. A state that several opponents bring about has the mean of its values, by
how often each does. Errors are weighted by how often the agent decides in each state in training.

Not in it: the cut of demi-iles after some turns (learners take a cut game's value from their critic), and that a
learner which sums rewards over several decisions sees explored ones among them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nenette.exact import AnswerKey
from nenette.exact.model import Floats
from nenette_agents.diagnosis.phases import phases_of
from nenette_agents.diagnosis.subject import Critic, Training, potential_of
from nenette_agents.diagnosis.visits import Faced
from nenette_agents.diagnosis.words import Words

__all__ = ["CriticError", "CriticReport", "critic_report"]


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
        critic: what the agent holds states or actions to be worth.
        training: how it was trained.
        faced: the opponents of its training.
        most: how many states are told.
    """
    model = key.model
    visits = sum(one.share * one.visits for one in faced) + np.zeros(model.n_states)
    truth = np.zeros(model.n_rows)
    for one in faced:
        rows = key.discounted(one.learner, one.opponent, training.gamma)
        truth += (one.share * one.visits)[model.row_state] * rows
    decided = np.flatnonzero(visits > 0)
    met = np.zeros(model.n_states, dtype=np.bool_)
    met[decided] = True
    truth = np.divide(truth, visits[model.row_state], out=truth, where=met[model.row_state])
    truth = training.scale * (truth - potential_of(training, model.game, model.fields)[model.row_state])
    learner = faced[0].learner
    estimates = _estimates(key, critic, decided)
    weight = visits / visits.sum()
    counts = np.diff(model.row_start)
    if critic.kind == "Q-values":
        row_weight = np.where(met[model.row_state], (weight / counts)[model.row_state], 0.0)
        taken = weight[model.row_state] * learner
        error = estimates - truth
        misranked = float(weight[_misranked(key, estimates, truth, met)].sum())
        told = np.flatnonzero(met[model.row_state])
        weights, guesses, truths = row_weight[told], estimates[told], truth[told]
        bias_weight, states = taken[told], model.row_state[told]
        actions = model.row_action[told]
        errors = error[told]
    else:
        values = np.add.reduceat(truth * learner, model.row_start[:-1])
        weights, guesses, truths = weight[decided], estimates[decided], values[decided]
        bias_weight, states, actions, misranked = weights, decided, None, None
        errors = guesses - truths
    mean = float(weights @ truths)
    spread = float(np.sqrt(max(0.0, weights @ (truths - mean) ** 2)))
    rmse = float(np.sqrt(weights @ errors**2))
    centred = float(weights @ (errors - weights @ errors) ** 2)
    names, places = phases_of(model.game, model.fields[states])
    phases = []
    for place, name in enumerate(names):
        part = places == place
        share = float(weights[part].sum())
        if share > 0:
            taken_there = float(bias_weight[part].sum())
            bias = float(bias_weight[part] @ errors[part]) / taken_there if taken_there > 0 else 0.0
            phases.append(CriticError(name, share, bias, float(np.sqrt(weights[part] @ errors[part] ** 2 / share))))
    words = Words(model.game)
    worst = []
    for at in np.argsort(-weights * errors**2, kind="stable")[:most].tolist():
        fields = model.fields[states[at]]
        move = None if actions is None else words.move(fields, int(actions[at]))
        worst.append(
            {
                "position": words.position(fields),
                "move": move,
                "estimate": float(guesses[at]),
                "truth": float(truths[at]),
                "share": float(weights[at]),
            }
        )
    heaviest = np.argsort(-weights, kind="stable")[:2000]
    points = tuple(zip(guesses[heaviest].tolist(), truths[heaviest].tolist(), weights[heaviest].tolist(), strict=True))
    return CriticReport(
        critic.kind,
        tuple(one.name for one in faced),
        training.gamma,
        training.scale,
        bool(training.potential),
        float(bias_weight @ errors / max(float(bias_weight.sum()), 1e-300)),
        rmse,
        spread,
        1.0 - centred / spread**2 if spread > 0 else 0.0,
        misranked,
        tuple(phases),
        tuple(worst),
        points,
    )


def _estimates(key: AnswerKey, critic: Critic, states: Any) -> Floats:
    """The critic's figures for rows (Q-values) or for states (a value function); 0 where it is not asked."""
    model = key.model
    per_row = critic.kind == "Q-values"
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


def _misranked(key: AnswerKey, estimates: Floats, truth: Floats, met: Any) -> Any:
    """bool, (n_states,): where the best by the estimates really brings less than the best."""
    model = key.model
    first = model.row_start[:-1]
    highest = np.maximum.reduceat(estimates, first)[model.row_state]
    best = np.maximum.reduceat(truth, first)
    of_chosen = np.maximum.reduceat(np.where(estimates >= highest, truth, -np.inf), first)
    return met & (of_chosen < best - 1e-9)
