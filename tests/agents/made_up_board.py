"""A benchmark that never ran: learners of known means, tasks, seeds, and learning curves that rise."""

import numpy as np

from nenette_agents.benchmark.results import Anchors, Baseline, MadeWith
from nenette_agents.benchmark.suite import Suite
from nenette_agents.report.board import Board, BoardRun

TASKS = {
    "demi-iles-solo": {"game": "demi-iles-solo", "measure": "turns", "total_timesteps": 1000},
    "demi-iles-greedy": {"game": "demi-iles", "opponents": "greedy", "measure": "value", "total_timesteps": 2000},
    "421-manche-self": {
        "game": "421",
        "rules": {"manches_to_lose": 1},
        "opponents": "self",
        "measure": "exploitability",
        "total_timesteps": 1000,
    },
}
MEANS = {"ppo": 0.9, "dqn": 0.7, "q-table": 0.5}
SHARES = (0.125, 0.25, 0.5, 1.0)
VERSIONS = {
    "nenette": "0.1.0",
    "python": "3.11.7",
    "torch": "2.13.0",
    "stable-baselines3": "2.9.2",
    "instruction set": "AVX512",
}
ANCHORS = Anchors(random=-5.0, best=5.0)


def made_up_board(means=MEANS, seeds=range(5), tasks=TASKS, spread=0.05, rng=0):
    """Scores around each learner's mean, the same for the same arguments."""
    generator = np.random.default_rng(rng)
    runs = []
    for learner, mean in means.items():
        for task, entry in tasks.items():
            for seed in seeds:
                score = float(mean + spread * generator.normal())
                curve = [(int(share * entry["total_timesteps"]), score * share**0.3) for share in SHARES]
                raw = ANCHORS.random + score * (ANCHORS.best - ANCHORS.random)
                runs.append(
                    BoardRun(
                        task=task,
                        learner=learner,
                        seed=seed,
                        raw=raw,
                        score=ANCHORS.score(raw),
                        curve=[*curve[:-1], (curve[-1][0], ANCHORS.score(raw))],
                        training_seconds=18.0,
                        evaluation_seconds=1.0,
                    )
                )
    suite = {"name": "made-up", "tasks": dict(tasks), "learners": {name: {} for name in means}}
    return Board(
        suite=Suite.model_validate(suite),
        anchors=dict.fromkeys(tasks, ANCHORS),
        runs=runs,
        baselines=[
            Baseline(task=task, name=name, raw=10 * score - 5, score=score)
            for task in tasks
            for name, score in (("random", 0.0), ("optimal", 1.0), ("greedy", 0.6))
            if name != "greedy" or tasks[task]["game"] == "demi-iles"
        ],
        made_with=MadeWith(versions=VERSIONS, processor="made up", cores=2, jobs=2, seconds=1234.5),
        command=f"nenette benchmark made-up --seeds {min(seeds)}-{max(seeds)} --jobs 2",
        date="2026-12-01",
    )
