"""Every key of a config reaches the learner, its environments, or what watches over it.

The keys are taken from the config's classes, so a new one fails here until it has a row.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np
import pytest
import torch
import yaml
from pydantic import BaseModel
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from twins import quiet

from nenette.policies import load_opponent
from nenette_agents.algorithms.dqn.algorithm import MaskedDQN
from nenette_agents.algorithms.from_config import EntropyCallback
from nenette_agents.config.algorithms import ALGORITHMS
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.environments.wrappers import ShapedRewards, TremblingHands
from nenette_agents.runs.checkpoints.shelf import CheckpointCallback
from nenette_agents.self_play import PrioritizedPastSelves
from nenette_agents.training import callbacks
from nenette_agents.training import run as training

PLAIN = """
game: demi-iles
algorithm: ppo
opponents: [random, past]
total_timesteps: 1024
n_envs: 8
tremble: {share: 0.125, opening_moves: 2}
rewards: {scale: 2.0}
evaluation: {against: random}
ppo: {n_steps: 16, batch_size: 64}
"""
MASKED = """
game: "421"
algorithm: ppo
opponents: random
total_timesteps: 1024
n_envs: 8
ppo: {n_steps: 16, batch_size: 64}
"""
SELF = MASKED.replace("random", "self")
DQN = """
game: "421"
algorithm: dqn
opponents: random
total_timesteps: 1024
n_envs: 8
dqn: {learning_starts: 64}
"""
QR_DQN = DQN.replace("dqn", "qr-dqn")
A2C = """
game: "421"
algorithm: a2c
opponents: random
total_timesteps: 1024
n_envs: 8
"""


class _CapturedError(Exception):
    """Comes when the learner would begin."""


@dataclass
class Made:
    """What a training has made of its config when the learner is to begin."""

    learner: Any
    steps: int
    callbacks: list[Any]
    threads: int

    def one(self, kind: type[Any]) -> Any:
        """The callback of this kind."""
        (found,) = [callback for callback in self.callbacks if type(callback) is kind]
        return found

    def wrapper(self, kind: type[Any]) -> Any:
        """The wrapper of this kind around the environments."""
        environments = self.learner.get_env()
        while type(environments) is not kind:
            environments = environments.venv
        return environments

    @property
    def env(self) -> Any:
        """The innermost vector environment."""
        return self.learner.get_env().unwrapped.env


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Iterator[Callable[[str], Made]]:
    """Makes everything that a YAML text says, up to the first step; once for each text."""
    threads, root = torch.get_num_threads(), tmp_path_factory.mktemp("wiring")
    found: dict[str, Made] = {}

    def make(text: str) -> Made:
        def captured(learner: BaseAlgorithm, total_timesteps: int, callback: list[Any], **more: Any) -> None:
            found[text] = Made(learner, total_timesteps, callback, torch.get_num_threads())
            raise _CapturedError

        path = root / "c.yaml"
        path.write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            for kind in (PPO, MaskablePPO, MaskedDQN):
                patch.setattr(kind, "learn", captured)
            with pytest.raises(_CapturedError):
                training.train(load_config(path), root, "run", quiet())
        for callback in found[text].callbacks:
            callback.model = found[text].learner
        return found[text]

    yield lambda text: found.get(text) or make(text)
    torch.set_num_threads(threads)


def _kept(made: Made) -> Any:
    return made.one(callbacks.EvaluationCallback).keep()


def _games(made: Made) -> int:
    asked: dict[str, Any] = {}

    def score(*given: Any, **settings: Any) -> None:
        asked.update(settings)
        raise _CapturedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(callbacks, "score", score)
        with pytest.raises(_CapturedError):
            made.one(callbacks.EvaluationCallback).evaluate()
    games: int = asked["games"]
    return games


def _seconds(made: Made) -> int:
    callback = made.one(CheckpointCallback)
    callback._on_training_start()
    return round(callback._due - time.monotonic())


def _entropy(made: Made) -> tuple[float, list[float]]:
    """What the learner begins with, and what it has halfway, if that changes."""
    changing = [one for one in made.callbacks if type(one) is EntropyCallback]
    return made.learner.ent_coef, [one._coefficient(0.5) for one in changing]


def _sizes(network: Any) -> list[int]:
    return [module.out_features for module in network if hasattr(module, "out_features")]


def _rates(made: Made) -> list[float]:
    return [round(made.learner.lr_schedule(left), 9) for left in (1.0, 0.25)]


def _priority(name: str) -> Callable[[Made], Any]:
    def found(made: Made) -> Any:
        priorities = made.learner.replay_buffer._priorities
        return priorities and getattr(priorities, name)

    return found


def _learner(name: str) -> Callable[[Made], Any]:
    return lambda made: getattr(made.learner, name)


def _assigned(made: Made) -> bool:
    """Whether past selves are assigned environments by strength, and these are the learner's."""
    past_selves = made.one(callbacks.RenewalCallback)._past_selves
    return isinstance(past_selves, PrioritizedPastSelves) and past_selves._environments is made.learner.get_env()


def _slips(made: Made) -> Any:
    return made.wrapper(TremblingHands).state()["rng"]["state"]


def _slips_of(seed: int) -> Any:
    return np.random.default_rng(seed).bit_generator.state["state"]


def _scaled(made: Made) -> tuple[str, float]:
    kept, own = _kept(made), made.learner.q_net.q_net[-1].weight.detach().numpy()
    return kept.head, round(float((kept.layers[-1][0] / own).mean()), 6)


Row = tuple[str, str, Callable[[Made], Any], Any]
"""A config, what its key is set to, what is looked at, and what is to be found there, and not without the key."""

ROWS: dict[str, Row] = {
    "game": (MASKED, "demi-iles-solo, opponents: []", lambda made: made.env.game.name, "demi-iles-solo"),
    "rules": (MASKED, "{fiches: 5}", lambda made: made.env.game.rules.fiches, 5),
    "algorithm": (
        MASKED,
        "dqn, ppo: null, total_timesteps: 6000",
        lambda made: type(made.learner).__name__,
        "MaskedDQN",
    ),
    "seed": (PLAIN, "77", lambda made: (made.learner.seed, _slips(made)), (77, _slips_of(77))),
    "total_timesteps": (PLAIN, "777", lambda made: made.steps, 777),
    "n_envs": (PLAIN, "12, ppo: {n_steps: 16, batch_size: 64}", _learner("n_envs"), 12),
    "opponents": (DQN, "cautious", lambda made: made.env._seating.opponents[0].policy.name, "cautious"),
    "init": (
        MASKED,
        "421/ppo-medium",
        lambda made: np.array_equal(_kept(made).layers[0][0], load_opponent("421/ppo-medium").layers[0][0]),
        True,
    ),
    "seat": (DQN, "1", lambda made: made.env._seat, 1),
    "policy_temperature": (DQN, "0.5", _scaled, ("softmax", 2.0)),
    "threads": (PLAIN, "2", lambda made: made.threads, 2),
    "self_play.renew_every": (PLAIN, "77", lambda made: made.one(callbacks.RenewalCallback)._next, 77),
    "self_play.copies": (PLAIN, "5", lambda made: len(made.one(callbacks.RenewalCallback)._past_selves.policies), 5),
    "self_play.sampling": (
        PLAIN,
        "prioritized, copies: 2",
        _assigned,
        True,
    ),
    "network.net_arch": (PLAIN, "[3, 5]", lambda made: [len(bias) for _, bias in _kept(made).layers], [3, 5, 3]),
    "network.activation_fn": (PLAIN, "relu", lambda made: _kept(made).activation, "relu"),
    "network.crossed": (PLAIN, "own_score", lambda made: _kept(made).crossed, "own score"),
    "network.looks_at": (PLAIN, "[own_score]", lambda made: _kept(made).looks_at, ("own score",)),
    "rewards.scale": (PLAIN, "7.5", lambda made: made.wrapper(ShapedRewards)._scale, 7.5),
    "rewards.potential": (
        PLAIN,
        "{own_score: 0.25}",
        lambda made: float(abs(made.wrapper(ShapedRewards)._weights).max()) > 0,
        True,
    ),
    "tremble.share": (PLAIN, "0.375", lambda made: made.wrapper(TremblingHands)._share, 0.375),
    "tremble.opening_moves": (PLAIN, "7", lambda made: made.wrapper(TremblingHands)._opening, 7),
    "evaluation.every": (PLAIN, "77", lambda made: made.one(callbacks.EvaluationCallback)._next, 77),
    "evaluation.against": (
        PLAIN,
        "greedy",
        lambda made: made.one(callbacks.EvaluationCallback)._against.name,
        "greedy",
    ),
    "evaluation.games": (PLAIN, "77", _games, 77),
    "checkpoint.every_seconds": (PLAIN, "7777", _seconds, 7777),
    "checkpoint.keep": (PLAIN, "true", lambda made: made.one(CheckpointCallback)._config.checkpoint.keep, True),
    "dqn.learning_rate": (DQN, "lin_0.25", _rates, [0.25, 0.0625]),
    "dqn.buffer_size": (DQN, "777", lambda made: made.learner.replay_buffer.buffer_size, 777),
    "dqn.learning_starts": (DQN, "77", _learner("learning_starts"), 77),
    "dqn.batch_size": (DQN, "77", _learner("batch_size"), 77),
    "dqn.gamma": (
        DQN,
        "0.75",
        lambda made: (made.learner.gamma, made.learner.replay_buffer._unfinished._powers[1]),
        (0.75, 0.75),
    ),
    "dqn.train_freq": (DQN, "7", lambda made: made.learner.train_freq.frequency, 7),
    "dqn.gradient_steps": (DQN, "7", _learner("gradient_steps"), 7),
    "dqn.n_steps": (
        DQN,
        "7",
        lambda made: (made.learner.n_steps, made.learner.replay_buffer._unfinished.n),
        (7, 7),
    ),
    "dqn.double": (DQN, "true", _learner("double"), True),
    "dqn.averaged": (DQN, "true", lambda made: hasattr(made.learner.policy, "q_net_average"), True),
    "dqn.prioritized.alpha": (DQN, "0.875", _priority("alpha"), 0.875),
    "dqn.prioritized.beta": (DQN, "0.875", _priority("beta"), 0.875),
    "dqn.loss": (DQN, "squared", lambda made: made.learner._loss.__name__, "mse_loss"),
    "dqn.target_update_interval": (DQN, "777", _learner("target_update_interval"), 777),
    "dqn.exploration_temperature": (DQN, "0.75", _learner("exploration_temperature"), 0.75),
    "dqn.exploration_fraction": (
        DQN,
        "0.5, exploration_final_eps: 0.2",
        lambda made: [round(made.learner.exploration_schedule(left), 9) for left in (0.75, 0.5)],
        [0.6, 0.2],
    ),
    "dqn.exploration_final_eps": (DQN, "0.25", lambda made: made.learner.exploration_schedule(0.0), 0.25),
    "dqn.max_grad_norm": (DQN, "0.75", _learner("max_grad_norm"), 0.75),
}
PPO_ROWS: dict[str, tuple[str, Callable[[Made], Any], Any]] = {
    "learning_rate": ("lin_0.25", _rates, [0.25, 0.0625]),
    "n_steps": ("32", lambda made: (made.learner.n_steps, made.learner.rollout_buffer.buffer_size), (32, 32)),
    "batch_size": ("32", _learner("batch_size"), 32),
    "n_epochs": ("7", _learner("n_epochs"), 7),
    "gamma": ("0.75", lambda made: (made.learner.gamma, made.learner.rollout_buffer.gamma), (0.75, 0.75)),
    "gae_lambda": (
        "0.75",
        lambda made: (made.learner.gae_lambda, made.learner.rollout_buffer.gae_lambda),
        (0.75, 0.75),
    ),
    "clip_range": ("0.75", lambda made: made.learner.clip_range(0.5), 0.75),
    "ent_coef": ("lin_0.5", _entropy, (0.5, [0.25])),
    "vf_coef": ("0.75", _learner("vf_coef"), 0.75),
    "max_grad_norm": ("0.75", _learner("max_grad_norm"), 0.75),
    "vf_net_arch": ("[3, 5]", lambda made: _sizes(made.learner.policy.mlp_extractor.value_net), [3, 5]),
}


A2C_ROWS = {key: row for key, row in PPO_ROWS.items() if key not in ("batch_size", "n_epochs", "clip_range")} | {
    "rms_prop_eps": ("0.25", lambda made: made.learner.policy.optimizer.defaults["eps"], 0.25),
    "normalize_advantage": ("true", _learner("normalize_advantage"), True),
}
QR_ROWS: dict[str, tuple[str, Callable[[Made], Any], Any]] = {
    key.removeprefix("dqn."): row[1:]
    for key, row in ROWS.items()
    if key.startswith("dqn.") and not key.startswith(("dqn.prioritized", "dqn.loss"))
} | {"n_quantiles": ("7", lambda made: made.learner.q_net.q_net[-1].out_features, 7 * 8)}


def _sections(annotation: Any) -> list[type[BaseModel]]:
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return [one for one in members if isinstance(one, type) and issubclass(one, BaseModel)]


def keys_of(section: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """All keys that have a value of their own."""
    for name, field in section.model_fields.items():
        inner = _sections(field.annotation)
        yield from keys_of(inner[0], f"{prefix}{name}.") if inner else [f"{prefix}{name}"]


def _with(text: str, key: str, value: str) -> str:
    """The config with the key, and perhaps others beside it, set."""
    document = yaml.safe_load(text)
    *sections, last = key.split(".")
    here = document
    for section in sections:
        here = here.setdefault(section, {})
    # After a comma stand further keys of the same section.
    here.update(yaml.safe_load(f"{{{last}: {value}}}"))
    return yaml.safe_dump({name: value for name, value in document.items() if value is not None})


def test_every_key_has_a_row() -> None:
    others = (("ppo", PPO_ROWS), ("a2c", A2C_ROWS), ("qr-dqn", QR_ROWS))
    assert set(keys_of(Config.complete())) == {*ROWS, *(f"{name}.{key}" for name, rows in others for key in rows)}


@pytest.mark.parametrize("key", ROWS)
def test_a_key_is_found_where_it_matters(key, made) -> None:
    text, value, look, expected = ROWS[key]
    assert look(made(text)) != expected
    assert look(made(_with(text, key, value))) == expected


@pytest.mark.parametrize("kind", [PLAIN, MASKED, SELF], ids=["PPO", "MaskablePPO", "TurnMaskedPPO"])
@pytest.mark.parametrize("key", PPO_ROWS)
def test_a_key_of_ppo_is_found_in_each_of_its_learners(key, kind, made) -> None:
    value, look, expected = PPO_ROWS[key]
    assert look(made(kind)) != expected
    assert look(made(_with(kind, f"ppo.{key}", value))) == expected


@pytest.mark.parametrize("kind", [A2C, A2C.replace("random", "self")], ids=["MaskablePPO", "TurnMaskedPPO"])
@pytest.mark.parametrize("key", A2C_ROWS)
def test_a_key_of_a2c_is_found_in_each_of_its_learners(key, kind, made) -> None:
    value, look, expected = A2C_ROWS[key]
    assert look(made(kind)) != expected
    assert look(made(_with(kind, f"a2c.{key}", value))) == expected


@pytest.mark.parametrize("key", QR_ROWS)
def test_a_key_of_qr_dqn_is_found_in_its_learner(key, made) -> None:
    value, look, expected = QR_ROWS[key]
    assert look(made(QR_DQN)) != expected
    assert look(made(_with(QR_DQN, f"qr-dqn.{key}", value))) == expected


def test_a2c_makes_one_step_of_each_rollout(made) -> None:
    learner = made(A2C).learner
    assert (learner.n_epochs, learner.batch_size) == (1, 16 * 8)
    assert type(learner.policy.optimizer) is torch.optim.RMSprop


def test_where_dqn_plays_all_seats_it_passes(made) -> None:
    actions = [made(text).learner.pass_action for text in (DQN, DQN.replace("random", "self"))]
    assert actions == [None, made(DQN).learner.action_space.n]


@pytest.mark.parametrize("kind", [MASKED, SELF, DQN], ids=["MaskablePPO", "TurnMaskedPPO", "MaskedDQN"])
def test_each_learner_has_the_seed(kind, made) -> None:
    assert [made(text).learner.seed for text in (kind, _with(kind, "seed", "77"))] == [0, 77]


def test_there_is_no_learner_that_no_row_is_about(made) -> None:
    assert set(ALGORITHMS) == {"ppo", "dqn", "a2c", "qr-dqn"}
    assert [type(made(kind).learner).__name__ for kind in (PLAIN, MASKED, SELF, DQN, A2C, QR_DQN)] == [
        *("PPO", "MaskablePPO", "TurnMaskedPPO", "MaskedDQN", "MaskablePPO", "MaskedQRDQN")
    ]
