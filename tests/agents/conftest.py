import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from nenette_agents.config import load_config

SMALL = {
    "demi-iles-ppo": """
        game: demi-iles
        algorithm: ppo
        opponents: [random, past]
        total_steps: 1024
        environments: 8
        network: {layers: [16]}
        self_play: {renew_every: 512}
        evaluation: {every: 512, against: random}
        ppo: {rollout_steps: 32, batch_size: 64, epochs: 2}
    """,
    "421-ppo": """
        game: 421
        rules: {fiches: 3, manches_to_lose: 1}
        algorithm: ppo
        opponents: self
        total_steps: 256
        environments: 4
        network: {layers: [16, 16], activation: relu}
        evaluation: {against: random}
        ppo: {rollout_steps: 32, batch_size: 64, epochs: 2, plays: best}
    """,
    "421-dqn": """
        game: 421
        rules: {fiches: 3, manches_to_lose: 1}
        algorithm: dqn
        opponents: [random]
        total_steps: 256
        environments: 4
        network: {layers: [16]}
        evaluation: {against: random}
        dqn: {learning_starts: 64, batch_size: 16}
    """,
    "demi-iles-solo-dqn": """
        game: demi-iles-solo
        rules: {max_turns: 60}
        algorithm: dqn
        total_steps: 256
        environments: 4
        network: {layers: [16], activation: relu}
        evaluation: {games: 20}
        dqn: {learning_starts: 64, batch_size: 16}
    """,
}


@pytest.fixture(scope="session")
def small_config(tmp_path_factory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("configs")

    def write(name: str) -> Path:
        path = folder / f"{name}.yaml"
        lines = SMALL[name].strip("\n").splitlines()
        path.write_text("\n".join(line.removeprefix("        ") for line in lines) + "\n")
        return path

    return write


@pytest.fixture(scope="session")
def trained(tmp_path_factory, small_config):
    """Trains a small config, once a session for each set of arguments; the outcome."""
    from nenette_agents.training import train

    root = tmp_path_factory.mktemp("runs")
    kept = {}

    def outcome(name: str, *overrides: str, again: int = 0):
        key = (name, overrides, again)
        if key not in kept:
            config = load_config(small_config(name), list(overrides))
            kept[key] = train(config, root, name, Console(file=io.StringIO()), list(overrides))
        return kept[key]

    return outcome
