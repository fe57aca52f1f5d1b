"""The main job in one go: trains PPO and DQN on both games from configs/ and scores them exactly against the solver.

Two trainings run at a time, each on one core. The results go to runs/demo/results.md and results.json; with --readme
they also replace what stands between `<!-- demo:begin -->` and `<!-- demo:end -->` in README.md.
"""

import argparse
import time
from pathlib import Path

from nenette_agents.benchmark.as_shipped import as_shipped, in_order
from nenette_agents.benchmark.demo import results, write_into
from nenette_agents.cli.app import run_script
from nenette_agents.terminal.progress import AtWork
from nenette_agents.training.parallel import Job, run_trainings

CONFIGS = ("demi-iles-ppo-self", "421-ppo", "421-dqn", "demi-iles-dqn")
"""The longest first, so that the others share the second core meanwhile."""
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    options = _options()
    began = time.monotonic()
    jobs = [Job(ROOT / "configs" / f"{name}.yaml", options.seed) for name in options.configs]
    outcomes = run_trainings(jobs, ROOT / "runs", at_a_time=options.at_a_time)
    with AtWork("demo") as work:
        work.now("scoring in the games as they ship")
        outcomes = in_order([as_shipped(outcome) for outcome in outcomes])
    results(outcomes, ROOT / "runs" / "demo", seconds=time.monotonic() - began)
    if options.readme:
        write_into(ROOT / "README.md", ROOT / "runs" / "demo" / "results.md")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--readme", action="store_true", help="put the table into README.md as well")
    parser.add_argument("--seed", type=int, default=None, help="in place of the configs' own")
    parser.add_argument("--at-a-time", type=int, default=2, help="how many trainings run in parallel (default 2)")
    parser.add_argument("--configs", nargs="+", default=CONFIGS, metavar="NAME", help="names of files in configs/")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
