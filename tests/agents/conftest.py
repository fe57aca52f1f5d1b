import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from nenette_agents.config.loading import load_config

SMALL = {
    "demi-iles-ppo": """
        game: demi-iles
        algorithm: ppo
        opponents: [random, past]
        total_timesteps: 1024
        n_envs: 8
        network: {net_arch: [16]}
        self_play: {renew_every: 512}
        evaluation: {every: 512, against: random}
        ppo: {n_steps: 32, batch_size: 64, n_epochs: 2}
    """,
    "421-ppo": """
        game: 421
        rules: {fiches: 3, manches_to_lose: 1}
        algorithm: ppo
        opponents: self
        total_timesteps: 256
        n_envs: 4
        network: {net_arch: [16, 16], activation_fn: relu}
        evaluation: {against: random}
        policy_temperature: 0
        ppo: {n_steps: 32, batch_size: 64, n_epochs: 2}
    """,
    "421-dqn": """
        game: 421
        rules: {fiches: 3, manches_to_lose: 1}
        algorithm: dqn
        opponents: [random]
        total_timesteps: 256
        n_envs: 4
        network: {net_arch: [16]}
        evaluation: {against: random}
        dqn: {learning_starts: 64, batch_size: 16}
    """,
    "demi-iles-solo-dqn": """
        game: demi-iles-solo
        rules: {max_turns: 60}
        algorithm: dqn
        total_timesteps: 256
        n_envs: 4
        network: {net_arch: [16], activation_fn: relu}
        evaluation: {games: 20}
        dqn: {learning_starts: 64, batch_size: 16}
    """,
}


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """However busy the machine is, a command's stderr is what it says of its work alone; see test_at_work."""
    monkeypatch.setattr("nenette_agents.terminal.progress._PAUSES", (600.0,))


@pytest.fixture(scope="session", autouse=True)
def draw():
    """What draws the curve of a run at its end: a fifth of a small training's time, so only `trained` has curves."""
    from nenette_agents.training import run

    draw = run._draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_draw", lambda *_: None)
        yield draw


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
def trained(tmp_path_factory, small_config, draw):
    """Trains a small config, once a session for each set of arguments; the outcome.

    Each lies under a root of its own, so that its name does not depend on which were trained before it.
    """
    from nenette_agents.training import run

    root = tmp_path_factory.mktemp("runs")
    kept = {}

    def outcome(name: str, *overrides: str, again: int = 0):
        key = (name, overrides, again)
        if key not in kept:
            config = load_config(small_config(name), list(overrides))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(run, "_draw", draw)
                kept[key] = run.train(config, root / str(len(kept)), name, Console(file=io.StringIO()), list(overrides))
        return kept[key]

    return outcome


@pytest.fixture
def stop_at(monkeypatch):
    """Lets a training stop when its environments have made so many steps in this process."""
    from twins import Stopped

    from nenette_agents.environments.vec_env import NativeVecEnv

    step = NativeVecEnv.step_wait

    def stop(steps: int, how: type[BaseException] = Stopped) -> None:
        left = [steps]

        def counted(self):
            left[0] -= 1
            if left[0] < 0:
                raise how
            return step(self)

        monkeypatch.setattr(NativeVecEnv, "step_wait", counted)

    return stop


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of the run of each kind that was never stopped, made once."""
    from twins import config_of, quiet

    from nenette_agents.training.run import train

    kept = {}

    def run(kind: str) -> Path:
        if kind not in kept:
            root = tmp_path_factory.mktemp("whole")
            kept[kind] = train(config_of(kind, root), root, "run", quiet()).folder
        return kept[kind]

    return run


@pytest.fixture(scope="session")
def first_half(tmp_path_factory):
    from twins import Stopped, config_of, places, stopped

    from nenette_agents.runs.checkpoints.shelf import Shelf

    root, put = tmp_path_factory.mktemp("half"), Shelf.put

    def put_and_stop(shelf, checkpoint):
        put(shelf, checkpoint)
        if checkpoint.step >= 128:
            raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shelf, "put", put_and_stop)
        folder = stopped(config_of("421-ppo", root), root)
    assert len(places(folder)) == 2
    return folder


@pytest.fixture
def halfway(first_half, tmp_path):
    """The folder of a run that was stopped after two checkpoints, at steps 64 and 128."""
    return shutil.copytree(first_half, tmp_path / "run")
