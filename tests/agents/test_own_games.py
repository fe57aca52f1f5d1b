"""A game and an algorithm that the package does not know are trained by a config that names them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from pig import Pig, PigRules
from twins import quiet
from typer.testing import CliRunner

from nenette import load_opponent
from nenette.games import GAMES, registry
from nenette.games.registry import GameSpec, unregister
from nenette_agents.cli.app import app
from nenette_agents.config.algorithms import ALGORITHMS, AlgorithmSpec, Ppo, find_algorithm, register
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.config.named import game_called, game_name
from nenette_agents.errors import ConfigError
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train

SHORT = Pig(PigRules(target=4, coin=True))
NO_GAME = 7
CONFIG = """
game: pig:SPEC
rules: {target: 4}
algorithm: ppo
opponents: [random, past]
total_timesteps: 256
n_envs: 4
network: {net_arch: [8]}
evaluation: {against: optimal}
ppo: {n_steps: 32, batch_size: 32, n_epochs: 1}
"""


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    if "pig" in GAMES:
        _forget_pig()


def _forget_pig() -> None:
    unregister("pig")
    gym.registry.pop("pig/Pig-v0", None)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(CONFIG)
    return path


@pytest.mark.parametrize(
    "overrides",
    [[], ["opponents=self"], ["algorithm=dqn", "ppo=null", "dqn={learning_starts: 32, batch_size: 16}"]],
    ids=["PPO", "self", "DQN"],
)
def test_pig_is_trained_by_a_config(config: Path, tmp_path: Path, overrides: list[str]) -> None:
    outcome = train(load_config(config, overrides), tmp_path, "first", quiet())
    assert outcome.folder.parts[-3] == outcome.report()["game"] == "pig"
    assert outcome.last is not None
    assert (outcome.status, outcome.last["exact"], outcome.last["against"]) == ("finished", True, "optimal")
    assert load_opponent(outcome.folder).game.rules == PigRules(target=4)
    _forget_pig()  # as in another process
    assert resume(outcome.folder, quiet()).last == outcome.last
    assert "pig" in GAMES


def test_the_command_line_takes_the_place_of_a_game(config: Path, tmp_path: Path) -> None:
    def said(*words: str) -> dict[str, Any]:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    runs = ("--runs", str(tmp_path))
    run = said("train", str(config), "--name", "mine", *runs)["run"]
    assert said("solve", "pig:SPEC", "--set", "target=2", "--set", "coin=true")["value"] == pytest.approx(1 / 7)
    _forget_pig()
    random = said("evaluate", "random", "--game", "pig:Pig", "--set", "target=4", "--against", "optimal")
    mine = said("evaluate", run, "--game", "pig:SPEC", "--set", "target=4")
    assert (random["exact"], mine["exact"], mine["against"]) == (True, True, "optimal")


def test_a_game_s_own_rules_are_the_defaults() -> None:
    assert game_called("test_own_games:SHORT", {}).rules == PigRules(target=4, coin=True)
    assert game_called("test_own_games:SHORT", {"target": 6}).rules == PigRules(target=6, coin=True)
    assert game_called("pig:Pig", {}).rules == PigRules()
    assert (game_name("pig:SPEC"), game_name("421"), game_name(None)) == ("pig", "421", None)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no_such_module:Game", "'no_such_module:Game': there is no module no_such_module, neither installed nor in "),
        ("pig:SPECS", "'pig:SPECS': pig has no 'SPECS'; did you mean 'SPEC'?"),
        ("pig:", "'pig:': pig has no ''"),
        (":x", "':x' cannot be imported: Empty module name"),
        (
            "test_own_games:NO_GAME",
            "'test_own_games:NO_GAME' is a int; a nenette.games.GameSpec or a Game was ex",
        ),
    ],
)
def test_what_is_no_game_is_refused(config: Path, name: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_config(config, [f"game='{name}'"])
    assert str(refused.value).startswith(f"--set game='{name}': game: {sentence}")


def test_another_game_of_the_same_name_is_refused(config: Path) -> None:
    class Pig2(Pig):
        pass

    registry.register(GameSpec(game=Pig2, rules=PigRules))
    with pytest.raises(ConfigError, match=r"'pig:SPEC' is called 'pig', and another game of that name is registered$"):
        load_config(config)


def test_a_run_makes_its_game_once(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    make = GameSpec.make
    monkeypatch.setattr(GameSpec, "make", lambda spec, **rules: made.append(rules) or make(spec, **rules))
    train(load_config(config, ["evaluation.every=128"]), tmp_path, "once", quiet())
    assert [rules for rules in made if rules] == [{"target": 4}]  # without rules: whose policies have which names


def _more_exploration(config: Config, game: Any, environments: Any) -> Any:
    from nenette_agents.algorithms.from_config import make_ppo

    mine: Any = config.settings
    learner: Any = make_ppo(config.model_copy(update={"ppo": mine}), game, environments)
    learner.ent_coef = mine.bonus
    return learner


class MineSettings(Ppo):
    """PPO with a bonus."""

    bonus: float = 0.5


def test_a_third_algorithm_is_one_entry(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = CONFIG.replace("algorithm: ppo", "algorithm: mine").replace("ppo:", "mine:")
    config.write_text(text)
    with pytest.raises(ConfigError, match=r"algorithm is 'mine'; one of ppo, dqn, a2c, qr-dqn was expected"):
        load_config(config)
    monkeypatch.setitem(
        ALGORITHMS, "mine", AlgorithmSpec(name="mine", settings=MineSettings, make=_more_exploration, head="softmax")
    )
    loaded = load_config(config, ["mine.bonus=0.25"])
    assert (loaded.settings.bonus, loaded.settings.n_steps, loaded.head) == (0.25, 32, "softmax")
    outcome = train(loaded, tmp_path, "third", quiet())
    assert outcome.folder.parts[-3:-1] == ("pig", "mine")
    assert load_config(outcome.folder / "config.yaml") == loaded
    with pytest.raises(ConfigError, match=r"mine\.bonu \(1\) is no key of a config; .*did you mean 'mine.bonus'\?$"):
        load_config(config, ["mine.bonu=1"])
    with pytest.raises(ConfigError, match=r"mine\.bonus is 'x'; a number was expected"):
        load_config(config, ["mine.bonus=x"])


def test_algorithms_are_found_by_name() -> None:
    with pytest.raises(ConfigError, match=r"^'pp' is no algorithm; one of ppo, dqn, a2c, .*; did you mean 'ppo'\?$"):
        find_algorithm("pp")
    with pytest.raises(ValueError, match=r"^there is an algorithm called 'ppo' already$"):
        register(ALGORITHMS["ppo"])


def test_the_order_of_opponents_counts(config: Path, tmp_path: Path) -> None:
    one, other = load_config(config), load_config(config, ["opponents=[past, random]"])
    assert one.assignment != other.assignment
    assert one != other
    assert one == load_config(config, ["opponents={random: 1, past: 1}"])
    run = train(one, tmp_path, "order", quiet()).folder
    text = (run / "config.yaml").read_text()
    (run / "config.yaml").write_text(text.replace("  random: 1.0\n  past: 1.0\n", "  past: 1.0\n  random: 1.0\n"))
    with pytest.raises(ValueError, match=r"was made with opponents \{.*\}, and its config\.yaml now says \{"):
        resume(run, quiet())
