"""How many steps a second each environment plays, one environment on one core, against the random policy.

    python scripts/steps_per_second.py [--json] [--runs 5] [--steps 20000]

A step is one decision of the learner, with all that the environment plays until the next one: other seats' turns,
throws without a choice, and the reset after an episode.
"""

import json
from statistics import median
from time import perf_counter
from typing import Annotated

import gymnasium as gym
import numpy as np
import typer

import nenette  # noqa: F401  registers the environments
from nenette.environments import ENVIRONMENTS


def steps_per_second(env_id: str, steps: int, seed: int) -> float:
    """The rate of `steps` uniformly random legal or illegal actions, without Gymnasium's wrappers."""
    env = gym.make(env_id).unwrapped
    actions = np.random.default_rng(seed).integers(env.action_space.n, size=steps).tolist()  # type: ignore[attr-defined]
    env.reset(seed=seed)
    start = perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return steps / (perf_counter() - start)


def main(
    runs: Annotated[int, typer.Option(min=1, help="Runs, of which the median is told.")] = 5,
    steps: Annotated[int, typer.Option(min=1, help="Steps a run.")] = 20_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure each environment's steps a second."""
    rates = {env_id: median(steps_per_second(env_id, steps, seed) for seed in range(runs)) for env_id in ENVIRONMENTS}
    if as_json:
        print(json.dumps({env_id: round(rate) for env_id, rate in rates.items()}))
        return
    for env_id, rate in rates.items():
        print(f"{env_id:25}{rate:10,.0f} steps/s")


if __name__ == "__main__":
    typer.run(main)
