"""Asking a policy that anybody may have written."""

import numpy as np

from nenette.policies.policy import Masks, Observations, Policy, Probabilities, name_of

__all__ = ["ask"]

_TOLERANCE = 1e-4  # a float32 softmax is off by less


def ask(policy: Policy, observations: Observations, masks: Masks) -> Probabilities:
    """The policy's odds, float64 (n, n_actions), after a check that they are odds of legal actions.

    Raises:
        ValueError: they have another shape, do not sum to 1, or give an illegal action a chance.
    """
    odds = np.asarray(policy.action_probabilities(observations, masks), dtype=np.float64)
    if odds.shape != masks.shape:
        raise ValueError(f"policy {name_of(policy)!r} gave odds of shape {odds.shape}, and {masks.shape} is expected")
    legal = np.where(masks != 0, odds, 0.0)
    sound = (odds >= 0).all(axis=1) & (legal == odds).all(axis=1) & (np.abs(legal.sum(axis=1) - 1) <= _TOLERANCE)
    if not sound.all():
        row = int(sound.argmin())
        raise ValueError(
            f"policy {name_of(policy)!r} gave the odds {odds[row].tolist()} where actions "
            f"{np.flatnonzero(masks[row]).tolist()} are legal: odds are >= 0, sum to 1 and are 0 elsewhere"
        )
    return odds
