"""Learners that learn nothing or little, for tests of the benchmark's runner; workers import this module by name."""

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import numpy as np


def of_constant_play(share):
    """Probabilities: so much of the last legal action, the rest equally."""

    def probabilities(observations, masks):
        found = masks / masks.sum(axis=1, keepdims=True) * (1 - share)
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        found[np.arange(len(masks)), last] += share
        return found

    return probabilities


def drawn(task):
    """Plays as it drew by the seed, and by what the whole process draws from."""
    share = 0.0
    for timestep in task.report_at:
        share = (np.random.default_rng(task.seed).random() + random.random() + np.random.random()) / 4  # noqa: NPY002
        share *= timestep / task.total_timesteps
        task.report(timestep, of_constant_play(share))
    (task.folder / "scratch").write_text("something")
    return of_constant_play(share)


def failing(task):
    """Fails half-way, if the seed is odd."""
    task.report(task.report_at[0], of_constant_play(0.5))
    if task.seed % 2:
        raise RuntimeError("the loss\nis not finite")
    return done(task)


def done(task):
    """Reports what is left to report."""
    for timestep in task.report_at[1:]:
        task.report(timestep, of_constant_play(0.5))
    return of_constant_play(0.5)


def killed(task):
    """Its process dies, if the seed is odd."""
    if task.seed % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return failing(task)


def slow(task):
    """In a process of its own prints, takes a second, and goes on while there is a file "wait"; "waiting" says so."""
    if multiprocessing.parent_process():
        print("something on stdout")
        time.sleep(1)
        while Path("wait").exists():
            Path("waiting").touch()
            time.sleep(0.05)
    return drawn(task)


failing.check = lambda settings, game, opponents, total_timesteps: None
