"""Runs that ought to be the same: small ones of each kind, and how they are held against each other."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rich.console import Console

from nenette_agents.config.loading import load_config
from nenette_agents.config.names import NEW_KEYS
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.training.run import train

CONFIGS = {
    "421-ppo": """
        game: 421
        rules: {fiches: 2, manches_to_lose: 1}
        algorithm: ppo
        opponents: [random, optimal]
        total_timesteps: 768
        n_envs: 4
        network: {net_arch: [16], activation_fn: relu}
        evaluation: {every: 300, against: random}
        checkpoint: {every_seconds: 0, keep: true}
        ppo: {n_steps: 16, batch_size: 32, n_epochs: 2, learning_rate: lin_3e-4}
    """,
    "demi-iles-past": """
        game: demi-iles
        rules: {max_turns: 30}
        algorithm: ppo
        opponents: [random, past, past]
        total_timesteps: 768
        n_envs: 8
        network: {net_arch: [16], crossed: own_score}
        rewards: {scale: 2.0, potential: {own_score: 0.05}}
        self_play: {renew_every: 100, copies: 3}
        evaluation: {every: 300, against: random, games: 50}
        checkpoint: {every_seconds: 0, keep: true}
        ppo: {n_steps: 8, batch_size: 32, n_epochs: 2}
    """,
    "421-mixture": """
        game: 421
        rules: {fiches: 2, manches_to_lose: 1}
        algorithm: ppo
        opponents: {self: 0.5, past: 0.25, random: 0.25}
        tremble: {share: 0.2, opening_moves: 3}
        total_timesteps: 768
        n_envs: 8
        network: {net_arch: [16]}
        self_play: {renew_every: 100, copies: 2}
        evaluation: {every: 300, against: random}
        checkpoint: {every_seconds: 0, keep: true}
        ppo: {n_steps: 16, batch_size: 32, n_epochs: 2}
    """,
    "421-pool": """
        game: 421
        rules: {fiches: 2, manches_to_lose: 1}
        algorithm: ppo
        opponents: {self: 0.2, past: 0.7, random: 0.1}
        total_timesteps: 1024
        n_envs: 12
        network: {net_arch: [16]}
        self_play: {renew_every: 150, copies: 3, sampling: prioritized}
        evaluation: {every: 400, against: random}
        checkpoint: {every_seconds: 0, keep: true}
        ppo:
          n_steps: 16
          batch_size: 32
          n_epochs: 2
          learning_rate: 0.01
          ent_coef: lin_0.05
    """,
    "421-dqn-pool": """
        game: 421
        rules: {fiches: 2, manches_to_lose: 1}
        algorithm: dqn
        opponents: past
        total_timesteps: 768
        n_envs: 8
        network: {net_arch: [16]}
        self_play: {renew_every: 150, copies: 3, sampling: prioritized}
        evaluation: {every: 300, against: random}
        checkpoint: {every_seconds: 0, keep: true}
        dqn: {learning_starts: 64, batch_size: 16, buffer_size: 300, target_update_interval: 100, learning_rate: 0.01,
              exploration_temperature: 0.1}
    """,
    "421-dqn": """
        game: 421
        rules: {fiches: 2, manches_to_lose: 1}
        algorithm: dqn
        opponents: [random]
        total_timesteps: 512
        n_envs: 4
        network: {net_arch: [16]}
        evaluation: {every: 300, against: random}
        checkpoint: {every_seconds: 0, keep: true}
        dqn: {learning_starts: 64, batch_size: 16, buffer_size: 300, target_update_interval: 100, n_steps: 3,
              averaged: true}
    """,
}
"""Each with a checkpoint at every update; the last one stays, so that it can be looked at."""


def config_file(kind: str, folder: Path) -> Path:
    """The config of that kind as a file in `folder`."""
    path = folder / f"{kind}.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(CONFIGS[kind])))
    return path


def config_of(kind: str, folder: Path, *overrides: str):
    return load_config(config_file(kind, folder), list(overrides))


class Stopped(BaseException):
    """Stands for a kill: nothing catches it on the way."""


def stopped(config, root: Path) -> Path:
    """The folder of a run that is stopped on its way."""
    with pytest.raises(Stopped):
        train(config, root, "run", quiet())
    return root / config.game / config.algorithm / "run"


def places(folder: Path) -> list[Path]:
    """A run's checkpoints, the newest last."""
    return sorted((folder / "checkpoints").iterdir())


def quiet() -> Console:
    return Console(file=io.StringIO())


def in_earlier_names(config: dict[str, Any]) -> dict[str, Any]:
    """A resolved config of PPO as earlier versions wrote it down."""
    earlier: dict[str, Any] = {}
    temperature = config["policy_temperature"]
    for old, new in NEW_KEYS.items():
        section, _, key = old.rpartition(".")
        new_section, _, new_key = new.rpartition(".")
        if section == new_section and (holder := config.get(section) if section else config) and new_key in holder:
            (earlier.setdefault(section, {}) if section else earlier)[key] = holder[new_key]
    for name, value in config.items():
        if isinstance(value, dict) and name in earlier:
            earlier[name] |= {key: one for key, one in value.items() if f"{name}.{key}" not in NEW_KEYS.values()}
        elif name not in (*NEW_KEYS.values(),):
            earlier[name] = value
    ppo = earlier["ppo"]
    for key, schedule in (("learning_rate", "learning_rate"), ("entropy_coefficient", "entropy_coefficient")):
        falls = isinstance(ppo[key], dict)
        ppo[f"{schedule}_schedule"] = "linear" if falls else "constant"
        ppo[key] = ppo[key]["initial"] if falls else ppo[key]
    ppo["plays"] = "odds" if temperature else "best"
    return earlier


def everything(folder: Path) -> dict[str, object]:
    """All that a finished run is, but the time of day: the policy's bytes, the metrics, and all parts' last states."""
    checkpoint = Shelf(folder).newest(print)
    assert checkpoint is not None
    states = {part: dict(state) for part, state in checkpoint.states.items()}
    states["evaluation"].pop("seconds")
    states["evaluation"].pop("cpu_seconds")
    states["evaluation"].pop("metrics")
    states["learner"].pop("episode_times")
    return {
        "policy": (folder / "policy.safetensors").read_bytes(),
        "metrics": [
            {key: value for key, value in json.loads(line).items() if key not in ("seconds", "cpu_seconds")}
            for line in (folder / "metrics.jsonl").read_text().splitlines()
        ],
        "step": checkpoint.step,
        **{
            f"{part}/{key}": (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
            for part, state in states.items()
            for key, value in state.items()
        },
    }


def assert_the_same(folder: Path, twin: Path) -> None:
    mine, other = everything(folder), everything(twin)
    assert set(mine) == set(other)
    different = [key for key in mine if mine[key] != other[key]]
    assert not different, f"{twin}: {different}"
