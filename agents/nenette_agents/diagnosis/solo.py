"""The solo game's side of a diagnosis: what its critic knows, and what training met.

There are 12.6 million states, so critics are asked about a sample of them, drawn as often as the agent's own play meets
them. The truth in each is exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact.solo.scores import SoloTables
from nenette.exact.solo.states import index, layout, members, throws
from nenette.games.demi_iles import TARGET, DemiIlesSolo
from nenette_agents.diagnosis.critics import Compared
from nenette_agents.diagnosis.subject import VALUE_FUNCTION, Critic, Training, potential_of

__all__ = ["SoloSample", "compared_alone", "fields_of", "seen_after", "turns_of_actions"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SAMPLE = 100_000


def fields_of(scores: Ints, seen: Ints) -> Ints:
    """Fields of observations, (n, 21)."""
    return np.concatenate([scores[:, None], (seen[:, None] >> np.arange(TARGET - 1)) & 1], axis=1)


def seen_after(seen: Ints, reached: Ints) -> Ints:
    """The scores stood on, once `reached` is, too."""
    inner = (reached > 0) & (reached < TARGET)
    after: Ints = seen | np.where(inner, 1 << (reached - 1).clip(0), 0)
    return after


def turns_of_actions(turns: Floats, scores: Ints, seen: Ints, gamma: float = 1.0) -> Floats:
    """float64, (n, 3): turns from states with each number of dice, when `turns`, (N_STATES,), are those after it."""
    known = throws()
    found = np.ones((len(scores), 3))
    for dice in range(3):
        for place in range(known.outcomes.shape[2]):
            probabilities = known.probabilities[scores, dice, place]
            there = np.flatnonzero(probabilities > 0)
            reached = known.outcomes[scores[there], dice, place]
            after = index(reached, seen_after(seen[there], reached))
            found[there, dice] += gamma * probabilities[there] * turns[after]
    return found


class SoloSample:
    """States of the solo game, drawn as often as a play meets them.

    Attributes:
        places: int64, (n,): where they stand in tables, each once.
        scores: int64, (n,).
        seen: int64, (n,).
        weights: float64, (n,): how often each was drawn, as a part of all.
    """

    def __init__(self, tables: SoloTables, *, size: int = SAMPLE, seed: int = 0) -> None:
        """`size` draws, of which equal ones are one state."""
        cumulative = tables.visits.cumsum()
        drawn = cumulative.searchsorted(np.random.default_rng(seed).random(size) * cumulative[-1], side="right")
        self.places, counts = np.unique(drawn, return_counts=True)
        self.weights = counts / size
        offsets = layout().offsets
        self.seen = offsets.searchsorted(self.places, side="right") - 1
        ranks = members(self.seen).cumsum(axis=1)  # of each score among those of its set, from 1
        self.scores: Ints = (ranks <= (self.places - offsets[self.seen])[:, None]).sum(axis=1)


def compared_alone(
    game: DemiIlesSolo, critic: Critic, training: Training, tables: SoloTables, turns: Floats, sample: SoloSample
) -> Compared:
    """A critic beside the truth, in the states of a sample.

    Args:
        game: the solo game.
        critic: the agent's own values of states or of actions.
        training: how it was trained.
        tables: its play.
        turns: float64, (N_STATES,): the turns that this takes, with the training's discount.
        sample: the states.
    """
    fields = fields_of(sample.scores, sample.seen)
    truth = -turns_of_actions(turns, sample.scores, sample.seen, training.gamma)
    truth = training.scale * (truth - potential_of(training, game, fields)[:, None])
    play, weights = tables.play[sample.places], sample.weights
    estimates: Any = np.asarray(critic.estimates(game.codec.encode(fields)), dtype=np.float64)
    places = np.arange(len(fields))
    if critic.kind == VALUE_FUNCTION:
        values = (truth * play).sum(axis=1)
        return Compared(game, fields, places, None, estimates, values, weights, weights, None)
    n_actions = truth.shape[1]
    chosen = estimates.argmax(axis=1)
    misranked = truth[places, chosen] < truth.max(axis=1) - 1e-9
    return Compared(
        game,
        fields,
        np.repeat(places, n_actions),
        np.tile(np.arange(n_actions), len(places)),
        estimates.ravel(),
        truth.ravel(),
        np.repeat(weights / n_actions, n_actions),
        (weights[:, None] * play).ravel(),
        float(weights[misranked].sum()),
    )
