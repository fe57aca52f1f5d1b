"""How well could a network of this size play 421? Fits it to the solver, and scores it exactly.

    python scripts/capacity_421.py [--layers 128,128] [--steps 4000] [--learns values|odds] [--json]

No reinforcement learning: the fit is given the value of every action, without noise, in states met by optimal play with
slips. What an agent of the same network loses beyond what is lost here is due to learning from games. With `values` it
is fitted to the actions' values, as DQN's network is, and plays the best; with `odds` it minimizes what its
probabilities lose, as PPO's policy does. It is a distilled policy, and is never used in training. Some two minutes on
one core.
"""

import json
from time import perf_counter
from typing import Annotated, Any, Literal

import gymnasium as gym
import numpy as np
import torch
import typer
from numpy.typing import NDArray
from torch import nn

import nenette  # noqa: F401  registers the environments
from nenette.exact import answer_key
from nenette.games import make_game
from nenette.policies import NetworkPolicy
from nenette_agents.algorithms.distillation import fit, layer_sizes, layers_of, linear_layers
from nenette_agents.cli.scripts import run_script

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

GAME = make_game("421")
SLOTS, SLIPS = 4096, 0.08
BATCH, RATE = 4096, 5e-3


def by_action(key: Any, rows: NDArray[np.floating]) -> Floats:
    """What is known of each row, as (states, actions); 0 where an action is not legal."""
    table = np.zeros((key.model.n_states, GAME.n_actions), dtype=np.float32)
    table[key.model.row_state, key.model.row_action] = rows
    return table


def met(key: Any, rng: np.random.Generator, steps: int) -> Ints:
    """States with something to decide in which optimal play, with slips, comes to be, as often as it does."""
    environments: Any = gym.make_vec("nenette/421-v0", num_envs=SLOTS, seats="all").unwrapped
    observations, _ = environments.reset(seed=int(rng.integers(2**31)))
    best, states = by_action(key, key.optimum).argmax(axis=1), []
    for _ in range(steps):
        masks = environments.action_masks()[:, : GAME.n_actions]
        own = np.flatnonzero(masks.any(axis=1))
        states.append(key.index(GAME.codec.decode(observations[own])))
        actions = np.full(SLOTS, GAME.n_actions)  # pass
        anything = (rng.random((len(own), GAME.n_actions)) * masks[own]).argmax(axis=1)
        actions[own] = np.where(rng.random(len(own)) < SLIPS, anything, best[states[-1]])
        observations, *_ = environments.step(actions)
    every = np.concatenate(states)
    return every[key.model.decides[every]]


def main(
    layers: Annotated[str, typer.Option(metavar="SIZES", help="Sizes of the hidden layers.")] = "128,128",
    steps: Annotated[int, typer.Option(help=f"Steps of the fit, of {BATCH} states each.")] = 4000,
    learns: Annotated[Literal["values", "odds"], typer.Option(help="What the network's outputs are.")] = "values",
    watched: Annotated[int, typer.Option(help=f"Steps of {SLOTS // 2} games from which the states are taken.")] = 400,
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fit, score exactly, and report."""
    hidden = layer_sizes(layers)
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    key = answer_key(GAME)
    fields, legal = key.model.fields, by_action(key, np.ones(key.model.n_rows)) > 0
    regrets = by_action(key, key.row_regrets)
    perfect, _ = key.forecast(key.optimum, key.optimum).at(0)
    values = perfect[:, :1].astype(np.float32) - regrets
    states = met(key, rng, watched)
    sizes = [GAME.codec.size, *hidden, GAME.n_actions]
    linears = linear_layers(sizes)
    network = nn.Sequential(*[module for linear in linears for module in (linear, nn.Tanh())][:-1])

    def loss_of_batch() -> torch.Tensor:
        batch = states[rng.integers(len(states), size=BATCH)]
        may = torch.from_numpy(legal[batch])
        outputs = network(torch.from_numpy(GAME.codec.encode(fields[batch])))
        if learns == "values":
            return ((outputs - torch.from_numpy(values[batch]))[may] ** 2).mean()
        probabilities = outputs.masked_fill(~may, -torch.inf).softmax(dim=1)
        return (probabilities * torch.from_numpy(regrets[batch])).sum(dim=1).mean()

    began = perf_counter()
    loss = fit(network, loss_of_batch, steps=steps, rate=RATE)
    seconds = perf_counter() - began
    policy = NetworkPolicy(GAME, layers_of(linears), activation="tanh", head="argmax", name="distilled")
    play = key.tabulate(policy.action_probabilities)
    report = {
        "layers": sizes,
        "learns": learns,
        "seconds": round(seconds, 1),
        "loss": loss,
        "exploitability": key.exploitability(play),
        "value": key.result(play, key.optimum).value,
    }
    print(json.dumps(report) if as_json else "\n".join(f"{name}: {value}" for name, value in report.items()))


if __name__ == "__main__":
    run_script(lambda: typer.run(main))
