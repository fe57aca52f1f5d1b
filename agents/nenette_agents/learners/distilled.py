"""The solver's pupil: a network that is taught the best actions. It learns nothing from rewards."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field
from torch import nn

from nenette.games import Game
from nenette.matches import score
from nenette.policies import BEST_RESPONSE, load_opponent
from nenette.policies.network import Layer, NetworkPolicy
from nenette.policies.policy import Policy
from nenette_agents.algorithms.dqn.network import explored
from nenette_agents.algorithms.from_config import network_options
from nenette_agents.config.algorithms import Section
from nenette_agents.config.fields import Count, Share, Whole
from nenette_agents.config.model import Network
from nenette_agents.config.named import SELF
from nenette_agents.export import ACTIVATIONS
from nenette_agents.learners.interface import Agent, LearningTask
from nenette_agents.learners.settings import read_settings

__all__ = ["DistilledSettings", "distilled", "fit", "layers_of", "linear_layers", "teacher_of"]


_NAME = "distilled"


class DistilledSettings(Section):
    """Settings of the solver's pupil."""

    n_envs: Annotated[int, Whole, Field(ge=1, le=1024, description="Environments played in parallel.")] = 32
    network: Network = Field(default=Network(), description="Of the policy.")
    learning_rate: Annotated[float, Field(gt=0, le=1, description="At the beginning; it falls to 0 by the end.")] = 3e-3
    batch_size: Count = Field(default=256, description="Decisions of a gradient step, drawn from all there were.")
    train_freq: Count = Field(default=1, description="Steps of each environment between two gradient steps.")
    slips: Share = Field(
        default=0.2, description="Probability of a random action, so that it is taught what to do after a mistake."
    )


def teacher_of(game: Game[Any], opponents: tuple[str, ...]) -> Policy:
    """The best policy against these opponents: the optimum, or the best response to a single one who is not optimal.

    A best response is made for the endless game, and may wait longer than a game lasts that is truncated. There the
    teacher is whichever of the two has the higher value.
    """
    (name,) = opponents if len(opponents) == 1 else ("optimal",)
    optimum = load_opponent("optimal", game)
    if name in (SELF, "optimal"):
        return optimum
    response = load_opponent(f"{BEST_RESPONSE}{name.removeprefix(BEST_RESPONSE)}", game)
    if game.max_turns is None:
        return response
    return max(response, optimum, key=lambda policy: score(policy, game, name).value or 0.0)


class _Lessons:
    """Games that the teacher plays, with slips, and what it does in each situation.

    Attributes:
        timesteps: decisions so far.
    """

    def __init__(self, task: LearningTask, settings: DistilledSettings, rng: np.random.Generator) -> None:
        make_env = task.make_all_seats_env if task.self_play else task.make_env
        self._environments = make_env(settings.n_envs)
        self._game, self._slips, self._rng = task.game, settings.slips, rng
        self._teacher = teacher_of(task.game, task.opponents)
        room = task.total_timesteps + settings.n_envs
        self.timesteps = 0
        self._observations = np.zeros((room, task.game.codec.size), dtype=np.float32)
        self._masks = np.zeros((room, task.game.n_actions), dtype=np.bool_)
        self._wanted = np.zeros((room, task.game.n_actions), dtype=np.float32)
        self._now, _ = self._environments.reset()

    def step(self) -> None:
        """Plays one step of all environments."""
        masks = self._environments.action_masks()
        actions: NDArray[np.int64] = np.full(len(masks), self._game.n_actions)  # pass
        own = np.flatnonzero(masks[:, : self._game.n_actions].any(axis=1))
        legal, seen = masks[own, : self._game.n_actions], self._now[own]
        wanted = self._teacher.action_probabilities(seen, legal.astype(np.int8))
        rows = slice(self.timesteps, self.timesteps + len(own))
        self._observations[rows], self._masks[rows], self._wanted[rows] = seen, legal, wanted
        self.timesteps += len(own)
        actions[own] = explored(wanted.argmax(axis=1), legal, self._slips, self._rng)
        self._now, *_ = self._environments.step(actions)

    def draw(self, size: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Observations, masks and the teacher's probabilities, (size, ...) each, of any decisions so far."""
        rows = self._rng.integers(self.timesteps, size=size)
        arrays = self._observations[rows], self._masks[rows], self._wanted[rows]
        observations, masks, wanted = map(torch.from_numpy, arrays)
        return observations, masks, wanted


class _Distilled:
    """The solver's pupil."""

    def check(
        self, settings: Mapping[str, Any], game: Game[Any], opponents: tuple[str, ...], total_timesteps: int
    ) -> None:
        """Looks whether the settings are known, and there is somebody to learn from.

        Raises:
            ValueError: one sentence about what is wrong.
        """
        network_options(read_settings(DistilledSettings, settings, _NAME).network, game)
        for name in ("optimal", *opponents):  # to work out a best response takes longer than to look
            if name != SELF:
                load_opponent(name, game)

    def __call__(self, task: LearningTask) -> Agent:
        """Learns; the last agent, a `NetworkPolicy`.

        Raises:
            ValueError: as from `check`.
        """
        settings = read_settings(DistilledSettings, task.settings, _NAME)
        lessons = _Lessons(task, settings, np.random.default_rng(task.seed))
        options = network_options(settings.network, task.game)
        activation, first = options["activation_fn"], list[nn.Module]()
        inputs, shown = task.game.codec.size, options.get("features_extractor_kwargs", {})
        if shown:
            space = spaces.Box(0.0, 1.0, (inputs,), np.float32)
            extractor = options["features_extractor_class"](space, **shown)
            first, inputs = [extractor], extractor.features_dim
        linears = linear_layers([inputs, *settings.network.net_arch, task.game.n_actions])
        modules = [module for linear in linears for module in (linear, activation())][:-1]
        network = nn.Sequential(*first, *modules)
        due = list(task.report_at)

        def agent() -> Agent:
            layers = [(weight.copy(), bias.copy()) for weight, bias in layers_of(linears)]
            crossed = shown["crossing"].field if "crossing" in shown else None
            if "seen" in shown:
                layers[0][0][:, ~shown["seen"]] = 0.0
            kind = ACTIVATIONS[activation]
            return NetworkPolicy(task.game, layers, activation=kind, head="argmax", crossed=crossed, name=_NAME)

        def loss_of_batch() -> torch.Tensor:
            while due and due[0] <= min(lessons.timesteps, task.total_timesteps - 1):
                task.report(due.pop(0), agent())
            for _ in range(settings.train_freq):
                if lessons.timesteps < task.total_timesteps:
                    lessons.step()
            observations, masks, wanted = lessons.draw(settings.batch_size)
            logits: torch.Tensor = network(observations).masked_fill(~masks, -torch.inf)
            return nn.functional.cross_entropy(logits.clamp(min=-1e9), wanted)

        players = task.game.players if task.self_play else 1
        per_step = max(1, settings.n_envs // players * settings.train_freq)
        fit(network, loss_of_batch, steps=-(-task.total_timesteps // per_step), rate=settings.learning_rate)
        last = agent()
        for timestep in due:
            task.report(timestep, last)
        return last


distilled = _Distilled()


def linear_layers(sizes: Sequence[int]) -> list[nn.Linear]:
    """Linear layers that lead from each size to the next."""
    return [nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes)]


def fit(network: nn.Module, loss_of_batch: Callable[[], torch.Tensor], *, steps: int, rate: float) -> float:
    """Goes so many steps down the gradient, the learning rate falling from `rate` to 0; the last batch's loss."""
    adam = torch.optim.Adam(network.parameters(), lr=rate)
    loss = torch.zeros(())
    for step in range(steps):
        adam.param_groups[0]["lr"] = rate * (1 - step / steps)
        loss = loss_of_batch()
        adam.zero_grad()
        torch.autograd.backward(loss)
        adam.step()
    return float(loss.detach())


def layers_of(linears: Sequence[nn.Linear]) -> list[Layer]:
    """The layers as a `NetworkPolicy` takes them."""
    return [(linear.weight.detach().numpy(), linear.bias.detach().numpy()) for linear in linears]
