"""How fast the environments are, beside others that are installed: medians and ratios, from one run.

    python scripts/speed.py [--json FILE] [--rounds 7] [--seconds 0.3] [--skip-ppo]

Everything is measured in turns, round after round, so that whatever else the machine does meets all alike. A decision
is one action of one learner, with all that is played until its next one, its observation and its mask. Opponents of
the vector environments are the solver's optimal players, looked up in tables inside compiled code.

Peers are skipped with a word where they are not installed: Gymnasium's native vector CartPole, OpenSpiel's pig
(through its rl_environment) and PettingZoo's tic-tac-toe, each with uniformly random legal actions.
"""

import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody

import gymnasium as gym
import numpy as np
import typer

import nenette  # noqa: F401  registers the environments

Steps = Callable[[int], int]
"""Plays at least so many decisions; how many it has played."""

SOLO, DEMI_ILES, QUATRE21 = "nenette/DemiIlesSolo-v0", "nenette/DemiIles-v0", "nenette/421-v0"
VECTOR = 4096
GROWTH = (256, 4096, 65_536)


def vector(env_id: str, num_envs: int, **options: Any) -> Steps:
    """A vector environment; actions are random, and drawn before."""
    env = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    actions = rng.integers(env.single_action_space.n, size=(16, num_envs))  # type: ignore[attr-defined]
    if env_id == "CartPole-v1":
        actions = actions.astype(np.int64)

    def steps(n: int) -> int:
        for k in range(-(-n // num_envs)):
            env.step(actions[k % 16])
        return -(-n // num_envs) * num_envs

    return steps


def single(env_id: str) -> Steps:
    """A single environment, without Gymnasium's wrappers, against the random policy."""
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

    return steps


def open_spiel_pig() -> Steps:
    """OpenSpiel's pig through rl_environment, both seats random."""
    from open_spiel.python import rl_environment

    env = rl_environment.Environment("pig")
    rng = np.random.default_rng(0)
    here = [env.reset()]

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
    "vector demi-iles": lambda: vector(DEMI_ILES, VECTOR, opponents="optimal"),
    "vector 421": lambda: vector(QUATRE21, VECTOR, opponents="optimal"),
    "vector demi-iles-solo": lambda: vector(SOLO, VECTOR),
    "vector CartPole (Gymnasium)": lambda: vector("CartPole-v1", VECTOR),
    **{
        f"{name} x {n}": lambda env_id=env_id, n=n: vector(env_id, n, opponents="optimal")  # type: ignore[misc]
        for name, env_id in (("demi-iles", DEMI_ILES), ("421", QUATRE21))
        for n in GROWTH
    },
    "single demi-iles": lambda: single(DEMI_ILES),
    "single 421": lambda: single(QUATRE21),
    "single demi-iles-solo": lambda: single(SOLO),
    "pig (OpenSpiel)": open_spiel_pig,
    "tic-tac-toe (PettingZoo)": pettingzoo_tictactoe,
}

RATIOS: dict[str, tuple[str, str]] = {
    "vector demi-iles / vector CartPole": ("vector demi-iles", "vector CartPole (Gymnasium)"),
    "single demi-iles / pig": ("single demi-iles", "pig (OpenSpiel)"),
    "single demi-iles / tic-tac-toe": ("single demi-iles", "tic-tac-toe (PettingZoo)"),
    "demi-iles, 65,536 / 256 slots": ("demi-iles x 65536", "demi-iles x 256"),
    "421, 65,536 / 256 slots": ("421 x 65536", "421 x 256"),
    "masked PPO, 421 / nothing": ("masked PPO on 421", "masked PPO on nothing"),
}


def _rounds(ready: dict[str, Steps], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Decisions a second of each contestant, once a round."""
    sizes: dict[str, int] = {}
    for name, steps in ready.items():
        steps(1)  # compiled, and warm
        n = 1
        while True:
            began = perf_counter()
            played = steps(n)
            took = perf_counter() - began
            if took > seconds / 4:
                break
            n = 2 * max(n, played)
        sizes[name] = max(1, round(played * seconds / took))
    rates: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, steps in ready.items():
            began = perf_counter()
            played = steps(sizes[name])
            rates[name].append(played / (perf_counter() - began))
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


def masked_ppo(rounds: int) -> dict[str, list[float]]:
    """Decisions a second of masked PPO on 256 slots of 421, and of one that gives back the same arrays each time."""
    import torch
    from sb3_contrib import MaskablePPO

    from nenette_agents.vec_env import NativeVecEnv

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
            began = perf_counter()
            learner.learn(256 * 32 * 2, reset_num_timesteps=False)
            rates[name].append(256 * 32 * 2 / (perf_counter() - began))
    return rates


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, of which medians are told.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long each contestant plays a round.")] = 0.3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Where to write the figures.")] = None,
    skip_ppo: Annotated[bool, typer.Option("--skip-ppo", help="Leave out masked PPO, which needs torch.")] = False,
) -> None:
    """Measure every environment, and the peers that are installed."""
    ready, skipped = ready_contestants()
    rates = _rounds(ready, rounds, seconds)
    if not skip_ppo:
        try:
            rates.update(masked_ppo(rounds))
        except ImportError as error:
            skipped["masked PPO on 421"] = f"skipped: {error.name or error} is not installed"
    for name, found in rates.items():
        print(f"{name:32}{median(found):14,.0f}/s   from {min(found):,.0f} to {max(found):,.0f}")
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
            "ratios": ratios,
            "skipped": skipped,
            "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        }
        json_file.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(main)
