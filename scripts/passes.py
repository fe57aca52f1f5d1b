"""What it saves to keep passes out of the learning: the same decisions, learned from in three ways.

    python scripts/passes.py [--game 421] [--decisions 100000] [--seed 0]

One policy plays both seats, and PPO learns from the same number of its decisions each time:

- own: `nenette_agents.algorithms.turn_ppo`, which neither asks the network nor learns where a slot can only pass;
- asked: the same, but the network is asked in all slots;
- learned: sb3-contrib's masked PPO as it is, for which a pass is a step like any other: what is discounted a step is
  discounted twice a decision, so gamma and lambda are square roots here.

Times are those of the process, so that what else the machine does matters little; strength is exact.
"""

from time import process_time
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import torch
import typer
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

import nenette  # noqa: F401  registers the environments
from nenette.games import make_game
from nenette.matches import score
from nenette.policies import make_policy
from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.export import export_policy

ENVIRONMENTS = {"421": "nenette/421-v0", "demi-iles": "nenette/DemiIles-v0"}
SLOTS, STEPS, BATCH, GAMMA, LAMBDA = 128, 64, 1024, 0.97, 0.8


class AskedEverywhere(TurnMaskedPPO):
    """Asks the network in slots that pass, too, and forgets what it said."""

    def _decide(self, masks: Any, own: Any) -> Any:
        observations = torch.as_tensor(self._last_obs, device=self.device)
        with torch.no_grad():
            chosen, values, log_probs = self.policy(observations, action_masks=masks)
        return chosen.cpu().numpy(), values.ravel(), log_probs


def learner(way: str, game: str, seed: int) -> tuple[MaskablePPO, int]:
    """A learner that has not begun, and how many of its steps make a decision."""
    native = gym.make_vec(ENVIRONMENTS[game], num_envs=SLOTS, seats="all", autoreset_mode="SameStep")
    settings: dict[str, Any] = {
        "n_steps": STEPS,
        "batch_size": BATCH,
        "learning_rate": 1e-3,
        "ent_coef": 0.003,
        "gamma": GAMMA,
        "gae_lambda": LAMBDA,
        "policy_kwargs": {"net_arch": [128, 128]},
        "seed": seed,
        "device": "cpu",
    }
    environments = VecMonitor(NativeVecEnv(native.unwrapped))  # type: ignore[arg-type]
    if way == "learned":
        roots = {"gamma": GAMMA**0.5, "gae_lambda": LAMBDA**0.5, "batch_size": 2 * BATCH}
        return MaskablePPO("MlpPolicy", environments, **{**settings, **roots}), 2
    algorithm = TurnMaskedPPO if way == "own" else AskedEverywhere
    return algorithm("MlpPolicy", environments, **settings), 1


def main(
    game: Annotated[str, typer.Option()] = "421",
    decisions: Annotated[int, typer.Option()] = 100_000,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    torch.set_num_threads(1)
    played = make_game(game)
    key = make_policy("optimal", played)
    learner("own", game, seed)[0].learn(1)  # whatever is done once is done
    first = None
    for way in ("own", "asked", "learned"):
        model, steps = learner(way, game, seed)
        asked = count_rows(model)
        began = process_time()
        model.learn(decisions * steps)
        seconds = process_time() - began
        first = first or seconds
        report = score(export_policy(model, played, way, "argmax"), played, key).report()
        print(
            f"{way:8} {model.num_timesteps // steps:8,} decisions  {seconds:6.1f} s ({seconds / first:4.2f})  "
            f"rows asked {asked['asked']:9,}  learned from {asked['learned']:11,}  "
            f"value {report['value']:+.4f}  exploitability {report['exploitability']:.4f}"
        )


def count_rows(model: MaskablePPO) -> dict[str, int]:
    """Counts the rows that the network is asked about while playing, and while learning."""
    counts = {"asked": 0, "learned": 0}
    forward, evaluate = model.policy.forward, model.policy.evaluate_actions

    def asked(observations: torch.Tensor, *more: Any, **options: Any) -> Any:
        counts["asked"] += len(observations)
        return forward(observations, *more, **options)

    def learned(observations: torch.Tensor, *more: Any, **options: Any) -> Any:
        counts["learned"] += len(observations)
        return evaluate(observations, *more, **options)

    model.policy.forward, model.policy.evaluate_actions = asked, learned  # type: ignore[method-assign]
    return counts


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    typer.run(main)
