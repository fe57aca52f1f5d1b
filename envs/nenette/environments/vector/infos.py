"""Gymnasium's infos of a step, for all slots at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.vector.slots import Returned, StepOutput

__all__ = ["Infos", "infos_of"]

Infos = dict[str, Any]


def infos_of(returned: Returned, output: StepOutput, everywhere: NDArray[np.bool_]) -> Infos:
    """What a step's infos are, as `TurnBasedVectorEnv` says; arrays that can be written to are the caller's.

    Args:
        returned: what the step returns.
        output: what else the step has written.
        everywhere: bool, (num_envs,): True; not to be written to.
    """
    infos: Infos = {
        "action_mask": returned.masks,
        "_action_mask": everywhere,
        "seat": returned.seats,
        "_seat": everywhere,
    }
    finished, _, replaced = output.counts.tolist()
    illegal = output.illegal
    if finished:
        infos.update(_of_the_end(output, finished))
        if replaced:
            illegal = illegal & ~infos["_final_obs"]
            replaced = illegal.any()
    if replaced:
        infos["illegal_action"], infos["_illegal_action"] = illegal.copy(), illegal.copy()
    return infos


def _of_the_end(output: StepOutput, finished: int) -> Infos:
    """The infos about games that are over and have begun again in the same step."""
    n, slots = len(output.masks), output.final_slots[:finished]
    where = np.zeros(n, dtype=np.bool_)
    where[slots] = True
    observations = np.full(n, None, dtype=object)
    rows = output.final_observations.reshape(n, -1)[:finished].copy()
    observations[slots] = np.fromiter(rows, dtype=object, count=finished)
    masks = np.zeros((n, output.masks.shape[1]), dtype=np.int8)
    masks[slots] = output.final_masks[:finished]
    seats = np.zeros(n, dtype=np.int64)
    seats[slots] = output.final_seats[:finished]
    final_info: Infos = {"action_mask": masks, "_action_mask": where, "seat": seats, "_seat": where}
    illegal = output.illegal & where
    if output.counts[2] and illegal.any():
        final_info.update({"illegal_action": illegal, "_illegal_action": illegal.copy()})
    return {"final_obs": observations, "_final_obs": where, "final_info": final_info, "_final_info": where}
