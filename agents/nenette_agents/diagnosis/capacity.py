"""What an agent's network reaches when it is taught the optimum: the least that it can do, for the fit is short.

No reinforcement learning: the fit is given what every action gives away, without noise, in states that optimal play
with slips meets. What an agent loses beyond what is lost here is due to learning from games, and not to its network. A
network of action values, as DQN's, is fitted to these and plays the best; one of probabilities, as PPO's, minimizes
what its probabilities give away. The policy that comes out is the solver's pupil, and is never used in training.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any, Literal

import numpy as np
import torch
from gymnasium.spaces import Box
from numpy.typing import NDArray
from torch import nn

from nenette.exact import answer_key, solve
from nenette.exact.solo.states import throws
from nenette.games import Game
from nenette.games.demi_iles import ALL_SEEN, TARGET, DemiIlesSolo
from nenette.matches import score
from nenette.policies import NetworkPolicy
from nenette.policies.inputs import crossing
from nenette_agents.diagnosis.solo import fields_of, seen_after, turns_of_actions
from nenette_agents.export import CrossedInputs
from nenette_agents.learners.distilled import fit, layers_of, linear_layers

__all__ = ["Capacity", "capacity"]

Floats = NDArray[np.float32]
Taught = Literal["values", "probabilities"]
Batches = Callable[[int], tuple[Floats, Floats, Floats, NDArray[np.bool_]]]
"""Called with a size: observations, values of actions, what they give away, and which are legal."""

_SLIPS = 0.08
_SOLO_SLIPS = (0.03, 0.15)
_SOLO_GAMES, _SOLO_TURNS = 2000, 400


@dataclass(frozen=True)
class Capacity:
    """What a network reaches when it is taught the optimum.

    Attributes:
        layers: inputs, then the outputs of each layer.
        activation: between the layers.
        crossed: the field that the input crosses with the rest; None: none.
        taught: "values" of actions, or "probabilities" that give little away.
        steps: of the fit.
        cpu_seconds: of the fit.
        value: against the optimum; None in the solo game.
        exploitability: what a best response wins; None in the solo game.
        turns: of the solo game, expected; None in others, or if it may get stuck.
        capped_turns: the same of a game that is given up after each turn with a chance of 1/1000; None in others.
    """

    layers: list[int]
    activation: str
    crossed: str | None
    taught: Taught
    steps: int
    cpu_seconds: float
    value: float | None = None
    exploitability: float | None = None
    turns: float | None = None
    capped_turns: float | None = None

    def report(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


def capacity(
    game: Game[Any],
    hidden: list[int],
    *,
    activation: str = "tanh",
    crossed: str | None = None,
    taught: Taught = "values",
    steps: int = 4000,
    seed: int = 0,
    sampled: bool = False,
) -> Capacity:
    """Fits a network to the solver, and scores it exactly.

    Args:
        game: what it plays: for two, or alone.
        hidden: sizes of the hidden layers.
        activation: "tanh" or "relu".
        crossed: the field that the input crosses with the rest, as it is called in observations.
        taught: "values", as of DQN, or "probabilities", as of PPO.
        steps: of the fit, of some thousand states each; 4000 take a minute or two.
        seed: everything random follows from it.
        sampled: whether the network of probabilities draws its actions; else it takes the likeliest.

    Raises:
        nenette.exact.Unsolvable: the game is not solved.
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    solo = isinstance(game, DemiIlesSolo)
    batches = _solo_batches(game, rng) if isinstance(game, DemiIlesSolo) else _batches(game, rng)
    cross = crossing(game, crossed)
    sizes = [game.codec.size if cross is None else cross.size, *hidden, game.n_actions]
    linears = linear_layers(sizes)
    between: type[nn.Module] = {"tanh": nn.Tanh, "relu": nn.ReLU}[activation]
    batch_size, rate = (2048, 2e-3) if solo else (4096, 5e-3)
    modules = [module for linear in linears for module in (linear, between())][:-1]
    space = Box(0.0, 1.0, (game.codec.size,), np.float32)
    network = nn.Sequential(*([] if cross is None else [CrossedInputs(space, cross)]), *modules)

    def loss_of_batch() -> torch.Tensor:
        observations, values, regrets, legal = batches(batch_size)
        may = torch.from_numpy(legal)
        outputs = network(torch.from_numpy(observations))
        if taught == "values":
            loss: torch.Tensor = ((outputs - torch.from_numpy(values))[may] ** 2).mean()
        else:
            probabilities = outputs.masked_fill(~may, -torch.inf).softmax(dim=1)
            loss = (probabilities * torch.from_numpy(regrets)).sum(dim=1).mean()
        return loss

    began = process_time()
    fit(network, loss_of_batch, steps=steps, rate=rate)
    seconds = process_time() - began
    head = "softmax" if taught == "probabilities" and sampled else "argmax"
    policy = NetworkPolicy(game, layers_of(linears), activation=activation, head=head, crossed=crossed, name="pupil")
    found = Capacity(sizes, activation, crossed, taught, steps, round(seconds, 1))
    if solo:
        played = score(policy, game).solo
        assert played is not None
        figures = {name: played["sampled"][name] for name in ("turns", "capped_turns")}
    else:
        result = score(policy, game, "optimal", both_players=False)
        figures = {"value": result.value, "exploitability": result.exploitability}
    return Capacity(**{**asdict(found), **figures})


def _batches(game: Game[Any], rng: np.random.Generator) -> Batches:
    """States of a game for two as optimal play with slips meets them, exactly so often."""
    key = answer_key(game)
    model = key.model
    play = (1 - _SLIPS) * key.optimum + _SLIPS * model.uniform()
    visits = np.where(model.decides, key.visits(play, play), 0.0)
    cumulative = visits.cumsum() / visits.sum()
    legal = key.rows >= 0
    regrets = np.where(legal, key.row_regrets[key.rows], 0.0).astype(np.float32)
    values = np.where(legal, key.values[:, None] - regrets, 0.0).astype(np.float32)

    def batch(size: int) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        states = np.minimum(cumulative.searchsorted(rng.random(size)), model.n_states - 1)
        return model.game.codec.encode(model.fields[states]), values[states], regrets[states], legal[states]

    return batch


def _solo_batches(game: DemiIlesSolo, rng: np.random.Generator) -> Batches:
    """States of the solo game from played games of the optimum, with few slips and with many."""
    optimum = solve(game)
    parts = [_solo_met(game, optimum, slips, rng) for slips in _SOLO_SLIPS]
    observations, regrets = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    legal = np.ones((1, game.n_actions), dtype=np.bool_)

    def batch(size: int) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        rows = rng.integers(len(observations), size=size)
        # Values differ from what is given away by a number for each state, which matters to nobody's choice.
        given_away = regrets[rows].clip(max=5)
        return observations[rows], -given_away, given_away, np.repeat(legal, size, axis=0)

    return batch


def _solo_met(game: DemiIlesSolo, optimum: Any, slips: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Observations, and what each number of dice gives away there, of games in which some moves are random."""
    cumulative = (throws().weights / 36).cumsum(axis=2)
    scores, seen = np.zeros(_SOLO_GAMES, dtype=np.int64), np.zeros(_SOLO_GAMES, dtype=np.int64)
    observations, regrets = [], []
    for _ in range(_SOLO_TURNS):
        turns = turns_of_actions(optimum.turns, scores, seen)
        lost = turns - turns.min(axis=1, keepdims=True)
        observations.append(game.codec.encode(fields_of(scores, seen)))
        regrets.append(lost.astype(np.float32))
        slip = rng.random(_SOLO_GAMES) < slips
        dice = np.where(slip, rng.integers(3, size=_SOLO_GAMES), lost.argmin(axis=1))
        scores = (cumulative[scores, dice] <= rng.random(_SOLO_GAMES)[:, None]).sum(axis=1).clip(max=TARGET)
        seen = seen_after(seen, scores)
        over = (scores == TARGET) & (seen == ALL_SEEN)
        scores, seen = np.where(over, 0, scores), np.where(over, 0, seen)
    return np.concatenate(observations), np.concatenate(regrets)
