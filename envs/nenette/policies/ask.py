"""Asking a policy that anybody may have written."""

import numpy as np

from nenette.policies.policy import Masks, Observations, Policy, Probabilities, name_of

__all__ = ["ask"]

_TOLERANCE = 1e-4  # a float32 softmax is off by less


def ask(policy: Policy, observations: Observations, masks: Masks) -> Probabilities:
    """The policy's probabilities, float64 (n, n_actions), after a check that they are probabilities of legal actions.

    Raises:
        ValueError: they have another shape, do not sum to 1, or give an illegal action a chance.
    """
    probabilities = np.asarray(policy.action_probabilities(observations, masks), dtype=np.float64)
    if probabilities.shape != masks.shape:
        raise ValueError(
            f"policy {name_of(policy)!r} gave probabilities of shape {probabilities.shape}, "
            f"and {masks.shape} is expected"
        )
    legal = np.where(masks != 0, probabilities, 0.0)
    sound = (
        (probabilities >= 0).all(axis=1)
        & (legal == probabilities).all(axis=1)
        & (np.abs(legal.sum(axis=1) - 1) <= _TOLERANCE)
    )
    if not sound.all():
        row = int(sound.argmin())
        raise ValueError(
            f"policy {name_of(policy)!r} gave the probabilities {probabilities[row].tolist()} where actions "
            f"{np.flatnonzero(masks[row]).tolist()} are legal: probabilities are >= 0, sum to 1 and are 0 elsewhere"
        )
    return probabilities
