"""What Gymnasium calls infos, for all slots at once."""

from typing import Any

import numpy as np

from nenette.environments.vector.batch import Given

__all__ = ["Infos", "infos_of"]

Infos = dict[str, Any]


def infos_of(given: Given) -> Infos:
    """What is told of a step, as `TurnBasedVectorEnv` says; arrays that can be written to are the caller's."""
    everywhere = given.everywhere
    infos: Infos = {
        "action_mask": given.masks_told,
        "_action_mask": everywhere,
        "seat": given.seats_told,
        "_seat": everywhere,
    }
    finished, _, replaced = given.counts.tolist()
    illegal = given.illegal
    if finished:
        infos.update(_of_the_end(given, finished))
        if replaced:
            illegal = illegal & ~infos["_final_obs"]
            replaced = illegal.any()
    if replaced:
        infos["illegal_action"], infos["_illegal_action"] = illegal.copy(), illegal.copy()
    return infos


def _of_the_end(given: Given, finished: int) -> Infos:
    """What is told of games that are over and have begun again in the same step."""
    n, slots = len(given.masks), given.final_slots[:finished]
    where = np.zeros(n, dtype=np.bool_)
    where[slots] = True
    observations = np.full(n, None, dtype=object)
    observations[slots] = np.fromiter(given.final_observations[:finished].copy(), dtype=object, count=finished)
    masks = np.zeros((n, given.masks.shape[1]), dtype=np.int8)
    masks[slots] = given.final_masks[:finished]
    seats = np.zeros(n, dtype=np.int64)
    seats[slots] = given.final_seats[:finished]
    final_info: Infos = {"action_mask": masks, "_action_mask": where, "seat": seats, "_seat": where}
    illegal = given.illegal & where
    if given.counts[2] and illegal.any():
        final_info.update({"illegal_action": illegal, "_illegal_action": illegal.copy()})
    return {"final_obs": observations, "_final_obs": where, "final_info": final_info, "_final_info": where}
