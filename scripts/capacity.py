"""How well could a network of this size and input play the solo game? Fits it to the solver, and scores it exactly.

    python scripts/capacity.py [--crossed score] [--layers 128,128] [--steps 1500]

No reinforcement learning: the fit minimizes what the network's probabilities lose by the solver's values, in states met
by optimal play with slips. Where even this stays far from the optimum, the network is at fault and not the learner.
What it makes is a distilled policy, and is never used in training. A minute or two on one core.
"""

import json
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import torch
import typer
from gymnasium.spaces import Box
from numpy.typing import NDArray
from torch import nn

from nenette.exact import solve
from nenette.exact.solo.states import index, throws
from nenette.games import make_game
from nenette.games.demi_iles import ALL_SEEN, TARGET
from nenette.matches import score
from nenette.policies import NetworkPolicy
from nenette.policies.inputs import crossing
from nenette_agents.algorithms.distillation import fit, layer_sizes, layers_of, linear_layers
from nenette_agents.cli.scripts import run_script
from nenette_agents.export.networks import CrossedInputs

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GAME = make_game("demi-iles-solo")
GAMES, TURNS = 2000, 400
WAYS = ("sampled", "greedy")


def fields_of(scores: Ints, seen: Ints) -> Ints:
    """Fields of observations, (n, 21)."""
    return np.concatenate([scores[:, None], (seen[:, None] >> np.arange(TARGET - 1)) & 1], axis=1)


def seen_after(seen: Ints, reached: Ints) -> Ints:
    """The scores stood on, once `reached` is, too."""
    inner = (reached > 0) & (reached < TARGET)
    return seen | np.where(inner, 1 << (reached - 1).clip(0), 0)


def regrets_of(optimum: Any, scores: Ints, seen: Ints) -> Floats:
    """Turns that each action gives away, (n, 3)."""
    known = throws()
    turns = np.ones((len(scores), 3))
    for dice in range(3):
        for place in range(known.outcomes.shape[2]):
            probabilities = known.probabilities[scores, dice, place]
            there = np.flatnonzero(probabilities > 0)
            reached = known.outcomes[scores[there], dice, place]
            turns[there, dice] += probabilities[there] * optimum.turns[index(reached, seen_after(seen[there], reached))]
    return turns - turns.min(axis=1, keepdims=True)


def met(optimum: Any, slips: float, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Observations and regrets of states met by optimal play with so many slips."""
    cumulative = (throws().weights / 36).cumsum(axis=2)
    scores, seen = np.zeros(GAMES, dtype=np.int64), np.zeros(GAMES, dtype=np.int64)
    observations, regrets = [], []
    for _ in range(TURNS):
        lost = regrets_of(optimum, scores, seen)
        observations.append(GAME.codec.encode(fields_of(scores, seen)))
        regrets.append(lost.astype(np.float32))
        slip = rng.random(GAMES) < slips
        dice = np.where(slip, rng.integers(3, size=GAMES), lost.argmin(axis=1))
        scores = (cumulative[scores, dice] <= rng.random(GAMES)[:, None]).sum(axis=1).clip(max=TARGET)
        seen = seen_after(seen, scores)
        over = (scores == TARGET) & (seen == ALL_SEEN)
        scores, seen = np.where(over, 0, scores), np.where(over, 0, seen)
    return np.concatenate(observations), np.concatenate(regrets)


def main(
    crossed: Annotated[str | None, typer.Option(help="The field crossed with the rest, as in a config.")] = None,
    layers: Annotated[str, typer.Option(metavar="SIZES", help="Sizes of the hidden layers.")] = "128,128",
    steps: Annotated[int, typer.Option(help="Steps of the fit, of 2048 states each.")] = 1500,
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fit, score exactly, and tell."""
    hidden = layer_sizes(layers)
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    optimum = solve(GAME)
    parts = [met(optimum, slips, rng) for slips in (0.03, 0.15)]
    observations, regrets = (torch.from_numpy(np.concatenate(arrays)) for arrays in zip(*parts, strict=True))
    cross = crossing(GAME, crossed)
    inputs = GAME.codec.size if cross is None else cross.size
    sizes = [inputs, *hidden, GAME.n_actions]
    linears = linear_layers(sizes)
    modules = [module for linear in linears for module in (linear, nn.ReLU())][:-1]
    space = Box(0.0, 1.0, (GAME.codec.size,), np.float32)
    first: list[nn.Module] = [] if cross is None else [CrossedInputs(space, cross)]
    network = nn.Sequential(*first, *modules)

    def loss_of_batch() -> torch.Tensor:
        batch = torch.from_numpy(rng.integers(len(observations), size=2048))
        return (network(observations[batch]).softmax(dim=1) * regrets[batch].clamp(max=5)).sum(dim=1).mean()

    began = perf_counter()
    fit(network, loss_of_batch, steps=steps, rate=2e-3)
    seconds = perf_counter() - began
    policy = NetworkPolicy(GAME, layers_of(linears), activation="relu", crossed=crossed, name="distilled")
    solo = score(policy, GAME).solo
    assert solo is not None
    report = {"crossed": crossed, "layers": sizes, "seconds": round(seconds, 1), "optimum": solo["optimum"]}
    report |= {way: {name: solo[way][name] for name in ("finishes", "turns", "capped_turns")} for way in WAYS}
    print(json.dumps(report) if as_json else "\n".join(f"{name}: {value}" for name, value in report.items()))


if __name__ == "__main__":
    run_script(lambda: typer.run(main))
