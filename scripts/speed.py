"""How fast the environments are, beside others that are installed: medians and ratios, from one run.

    python scripts/speed.py [--json FILE] [--rounds 7] [--seconds 0.3] [--skip-ppo] [--skip-start]
        [--cpu-time]

Everything is measured in turns, round after round, so that whatever else the machine does meets all alike. A decision
is one action of one learner, with all that is played until its next one, its observation and its mask. Opponents of
the vector environments are the solver's optimal players, looked up in tables inside compiled code.

Peers are skipped with a word where they are not installed (the extra bench has them): OpenSpiel's pig, through
its rl_environment, and PettingZoo's tic-tac-toe, both with uniformly random legal actions. Gymnasium's native vector
CartPole is always there.

A new process is timed from its start to its first step, once compiled code lies in the cache. On a machine that others
use, too, `--cpu-time` counts the seconds in which a process has had a core, and not those of the wall's clock.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Annotated, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody

import gymnasium as gym
import numpy as np
import typer

import nenette  # noqa: F401  registers the environments

Steps = Callable[[int], int]
"""Plays at least so many decisions; how many it has played."""

SOLO, DEMI_ILES, QUATRE21 = "nenette/DemiIlesSolo-v0", "nenette/DemiIles-v0", "nenette/421-v0"
GAMES = {"demi-iles": DEMI_ILES, "421": QUATRE21, "demi-iles-solo": SOLO}
PIG, TIC_TAC_TOE, CARTPOLE = "pig (OpenSpiel)", "tic-tac-toe (PettingZoo)", "vector CartPole (Gymnasium)"
VECTOR = 4096
GROWTH = (256, 4096, 65_536)


def vector(env_id: str, num_envs: int) -> Steps:
    """A vector environment, against the optimal player if there is one; actions are random, and drawn before."""
    options = {"opponents": "optimal"} if env_id in (DEMI_ILES, QUATRE21) else {}
    env = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)
    env.reset(seed=0)
    n_actions = env.single_action_space.n  # type: ignore[attr-defined]
    actions = np.random.default_rng(0).integers(n_actions, size=(16, num_envs))

    def steps(n: int) -> int:
        for k in range(-(-n // num_envs)):
            env.step(actions[k % 16])
        return -(-n // num_envs) * num_envs

    return steps


def single(env_id: str) -> Steps:
    """A single environment, without Gymnasium's wrappers, against the random policy; compiled code has taken over."""
    env = gym.make(env_id).unwrapped
    env.reset(seed=0)
    n_actions = env.action_space.n  # type: ignore[attr-defined]
    actions = np.random.default_rng(0).integers(n_actions, size=4096).tolist()

    def steps(n: int) -> int:
        for k in range(n):
            _, _, terminated, truncated, _ = env.step(actions[k % 4096])
            if terminated or truncated:
                env.reset()
        return n

    steps(2 * env.patience)  # type: ignore[attr-defined]
    return steps


def open_spiel_pig() -> Steps:
    """OpenSpiel's pig through rl_environment, both seats random."""
    from open_spiel.python import rl_environment

    env = rl_environment.Environment("pig")
    rng, here = np.random.default_rng(0), [env.reset()]

    def steps(n: int) -> int:
        for _ in range(n):
            time_step = here[0]
            if time_step.last():
                here[0] = env.reset()
                continue
            legal = time_step.observations["legal_actions"][time_step.observations["current_player"]]
            here[0] = env.step([legal[int(rng.random() * len(legal))]])
        return n

    return steps


def pettingzoo_tictactoe() -> Steps:
    """PettingZoo's tic-tac-toe, both seats random."""
    from pettingzoo.classic import tictactoe_v3

    env = tictactoe_v3.raw_env()
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def steps(n: int) -> int:
        for _ in range(n):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
        return n

    return steps


CONTESTANTS: dict[str, Callable[[], Steps]] = {
    CARTPOLE: lambda: vector("CartPole-v1", VECTOR),
    **{
        f"{name} x {n}": lambda env_id=env_id, n=n: vector(env_id, n)  # type: ignore[misc]
        for name, env_id in GAMES.items()
        for n in GROWTH
    },
    **{f"single {name}": lambda env_id=env_id: single(env_id) for name, env_id in GAMES.items()},  # type: ignore[misc]
    PIG: open_spiel_pig,
    TIC_TAC_TOE: pettingzoo_tictactoe,
}

RATIOS: dict[str, tuple[str, str]] = {
    "demi-iles / CartPole, 4096 slots": (f"demi-iles x {VECTOR}", CARTPOLE),
    **{f"single {name} / pig": (f"single {name}", PIG) for name in GAMES},
    **{f"single {name} / tic-tac-toe": (f"single {name}", TIC_TAC_TOE) for name in GAMES},
    **{f"{name}, {n} / 256 slots": (f"{name} x {n}", f"{name} x 256") for name in GAMES for n in GROWTH[1:]},
    "masked PPO, 421 / nothing": ("masked PPO on 421", "masked PPO on nothing"),
}

_FIRST = "import gymnasium, nenette; env = gymnasium.{}; env.reset(seed=0); env.step(env.action_space.sample())"
_MADE = {"": "make({!r})", " x 256": "make_vec({!r}, num_envs=256)"}
STARTS: dict[str, str] = {
    "import": "import nenette",
    **{
        f"first step of {name}{many}": _FIRST.format(made.format(env_id))
        for many, made in _MADE.items()
        for name, env_id in GAMES.items()
    },
    "first step of 421 x 256, optimal": _FIRST.format(f"make_vec({QUATRE21!r}, num_envs=256, opponents='optimal')"),
}
"""Programs whose seconds are reported, the interpreter's own start included, and not its end."""


def _childrens_seconds() -> float:
    """Of all processes that this one has started and seen the end of."""
    return sum(os.times()[2:4])


def starts(rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Seconds that each of `STARTS` takes in a process of its own; a first one, which may compile, is not counted."""
    found: dict[str, list[float]] = {name: [] for name in STARTS}
    for number in range(rounds + 1):
        for name, code in STARTS.items():
            began = clock()
            subprocess.run([sys.executable, "-c", f"{code}; import os; os._exit(0)"], check=True)
            if number:
                found[name].append(clock() - began)
    return found


def _rounds(ready: dict[str, Steps], rounds: int, seconds: float, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Decisions a second of each contestant, once a round."""
    sizes: dict[str, int] = {}
    for name, steps in ready.items():
        steps(1)  # compiled, and warm
        n = 1
        while True:
            began = clock()
            played = steps(n)
            took = clock() - began
            if took > seconds / 4:
                break
            n = 2 * max(n, played)
        sizes[name] = max(1, round(played * seconds / took))
    rates: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, steps in ready.items():
            began = clock()
            played = steps(sizes[name])
            rates[name].append(played / (clock() - began))
    return rates


def ready_contestants() -> tuple[dict[str, Steps], dict[str, str]]:
    """Those that can play, and why the others cannot."""
    ready, skipped = {}, {}
    for name, make in CONTESTANTS.items():
        try:
            ready[name] = make()
        except ImportError as error:
            skipped[name] = f"skipped: {error.name or error} is not installed"
    return ready, skipped


def masked_ppo(rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Decisions a second of masked PPO on 256 slots of 421, and of one that gives back the same arrays each time."""
    import torch
    from sb3_contrib import MaskablePPO

    from nenette_agents.environments.vec_env import NativeVecEnv

    torch.set_num_threads(1)

    class Nothing(NativeVecEnv):
        """Gives the same arrays each time, in which no game ever ends."""

        def reset(self) -> Any:
            self._same = super().reset()
            self._none = np.zeros(self.num_envs, dtype=np.float32), np.zeros(self.num_envs, dtype=np.bool_)
            self._masks = list(self.env.action_masks())
            return self._same

        def step_wait(self) -> Any:
            return self._same, *self._none, [{}] * self.num_envs

        def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
            return self._masks

    rates: dict[str, list[float]] = {}
    learners = {}
    for name, adapter in (("masked PPO on 421", NativeVecEnv), ("masked PPO on nothing", Nothing)):
        env = gym.make_vec(QUATRE21, num_envs=256, opponents="optimal", autoreset_mode="SameStep").unwrapped
        learners[name] = MaskablePPO(
            "MlpPolicy",
            adapter(env),
            n_steps=32,
            batch_size=1024,
            n_epochs=4,
            seed=0,
            device="cpu",  # type: ignore[arg-type]
        )
        learners[name].learn(256 * 32)
        rates[name] = []
    for _ in range(rounds):
        for name, learner in learners.items():
            began = clock()
            learner.learn(256 * 32 * 2, reset_num_timesteps=False)
            rates[name].append(256 * 32 * 2 / (clock() - began))
    return rates


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, of which medians are reported.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long each contestant plays a round.")] = 0.3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Where to write the figures.")] = None,
    skip_ppo: Annotated[bool, typer.Option("--skip-ppo", help="Leave out masked PPO, which needs torch.")] = False,
    cpu_time: Annotated[
        bool, typer.Option("--cpu-time", help="Count this process's own seconds, not the wall's.")
    ] = False,
    skip_start: Annotated[bool, typer.Option("--skip-start", help="Leave out the starts of new processes.")] = False,
) -> None:
    """Measure every environment, and the peers that are installed."""
    clock = process_time if cpu_time else perf_counter
    ready, skipped = ready_contestants()
    rates = _rounds(ready, rounds, seconds, clock)
    if not skip_ppo:
        try:
            rates.update(masked_ppo(rounds, clock))
        except ImportError as error:
            skipped["masked PPO on 421"] = f"skipped: {error.name or error} is not installed"
    for name, found in rates.items():
        print(f"{name:32}{median(found):14,.0f}/s   from {min(found):,.0f} to {max(found):,.0f}")
    seconds_to_start = {} if skip_start else starts(rounds, _childrens_seconds if cpu_time else perf_counter)
    for name, took in seconds_to_start.items():
        print(f"{name:32}{median(took):14.2f} s   from {min(took):.2f} to {max(took):.2f}")
    for name, why in skipped.items():
        print(f"{name:32}{why}")
    ratios = {
        name: median(a / b for a, b in zip(rates[one], rates[other], strict=True))
        for name, (one, other) in RATIOS.items()
        if one in rates and other in rates
    }
    for name, ratio in ratios.items():
        print(f"{name:44}{ratio:8.2f}")
    if json_file is not None:
        document = {
            "rates": {name: {"median": median(r), "all": r} for name, r in rates.items()},
            "seconds": {name: {"median": median(s), "all": s} for name, s in seconds_to_start.items()},
            "ratios": ratios,
            "clock": "cpu" if cpu_time else "wall",
            "skipped": skipped,
            "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        }
        json_file.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(main)
