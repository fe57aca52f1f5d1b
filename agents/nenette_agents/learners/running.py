"""One learner at one task, as if there had been nothing before it in this process."""

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch

from nenette_agents.errors import TrainingError
from nenette_agents.learners.interface import Agent, Learner, LearningTask

__all__ = ["run_learner"]


def run_learner(learner: Learner, task: LearningTask, *, threads: int = 1) -> Agent:
    """Runs a learner on a task; returns its last agent.

    What it draws from the generators of `random`, NumPy and torch that a whole process shares follows from the task's
    seed, and is as it was before when the learner is through; torch uses so many `threads` meanwhile. So the same task
    gives the same agent in whatever order tasks come. Reports are seen to: each of `report_at` is reported once, and in
    order.

    Raises:
        TrainingError: the learner did not report what it was to report, or gave no agent back.
        Exception: whatever the learner raises.
    """
    wanted = list(task.report_at)

    def report(timestep: int, agent: Agent) -> None:
        if not wanted or timestep != wanted[0]:
            expected = f"timestep {wanted[0]:,}" if wanted else "nothing more"
            raise TrainingError(f"the learner reported timestep {timestep:,}, and {expected} was expected")
        task.report(wanted.pop(0), agent)

    with _of_its_own(task.seed, threads):
        agent = learner(replace(task, report=report))
    if wanted:
        raise TrainingError(f"the learner came to its end without a report of timestep {wanted[0]:,}")
    if agent is None:
        raise TrainingError("the learner gave no agent back: it is expected to return the last one")
    return agent


@contextmanager
def _of_its_own(seed: int, threads: int) -> Iterator[None]:
    """The state that all of a process shares, for one run: seeded, and put back afterwards."""
    before = random.getstate(), np.random.get_state(), torch.get_rng_state(), torch.get_num_threads()  # noqa: NPY002
    defaults = torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled(), torch.is_grad_enabled()
    # Anybody's learner may draw from the generators that a process shares: its runs are the same all the same.
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    try:
        with warnings.catch_warnings():
            yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        torch.set_rng_state(before[2])
        torch.set_num_threads(before[3])
        torch.set_default_dtype(defaults[0])
        torch.use_deterministic_algorithms(defaults[1])
        torch.set_grad_enabled(defaults[2])
