"""Opponents by name or path, and the sentences for what is neither."""

import re
import shutil
import subprocess
import sys

import gymnasium
import pytest
from small_networks import small_network

import nenette
from nenette.games import make_game
from nenette.policies import NetworkPolicy, save_policy
from nenette.policies.quatre21 import AFond


@pytest.fixture
def run(tmp_path):
    save_policy(tmp_path / "run", small_network(make_game("421"), name="trained"), {})
    return tmp_path / "run"


def test_a_name_contains_the_game_or_the_game_is_given():
    variant = make_game("421", fiches=21)
    for policy in [
        nenette.load_opponent("421/a-fond"),
        nenette.load_opponent("a-fond", game="421"),
        nenette.load_opponent("421/a-fond", game="421"),
    ]:
        assert isinstance(policy, AFond)
        assert policy.game.rules.fiches == 11
    for policy in [nenette.load_opponent("421/a-fond", variant), nenette.load_opponent("a-fond", variant)]:
        assert policy.game is variant


def test_a_path_is_a_run_or_one_of_its_files(run):
    for path in [run, str(run), run / "policy.json", str(run / "policy.safetensors")]:
        for game in [None, "421", make_game("421")]:
            policy = nenette.load_opponent(path, game)
            assert isinstance(policy, NetworkPolicy)
            assert policy.name == "trained"


def test_a_name_is_a_name_even_beside_a_folder_called_so(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "421").mkdir()
    run.rename(tmp_path / "421" / "a-fond")
    assert isinstance(nenette.load_opponent("421/a-fond"), AFond)
    (tmp_path / "421" / "a-fond").rename(tmp_path / "421" / "mine")
    assert nenette.load_opponent("421/mine").name == "trained"


@pytest.mark.parametrize(
    ("given", "game", "sentence"),
    [
        ("a-fond", None, "'a-fond' is a policy of 421: say of which game, as in '421/a-fond'"),
        ("random", None, "'random' is a policy of demi-iles-solo and demi-iles and 421: say of which game, as in "),
        ("afond", "421", "'afond' is neither a policy of 421 (random, "),
        ("gredy", None, "'gredy' is neither a policy (random, "),
        ("greedy", "421", "'greedy' is neither a policy of 421 (random, "),
        ("421/afond", None, "a policy of 421 is one of 'random', "),
        ("421/a-fond", "demi-iles", "'421/a-fond' is a policy of 421, and one of demi-iles is expected"),
        (
            "demi-isles/greedy",
            None,
            "a game is one of 'demi-iles-solo', 'demi-iles', '421', not 'demi-isles'; did you mean ",
        ),
        ("a-fond", "412", "a game is one of 'demi-iles-solo', 'demi-iles', '421', not '412'; did you mean '421'?"),
        ("runs/421/ppo", None, "there is no policy at runs/421/ppo: no such file or folder"),
        ("nothing.json", "421", "there is no policy at nothing.json: no such file or folder"),
        (".", None, ". holds no policy: there is no policy.json in it"),
        ("", None, "'' is neither a policy"),
        ("a\0b", None, "'a\\x00b' is neither a policy"),
    ],
)
def test_what_is_neither_gets_a_sentence(given, game, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="^" + re.escape(sentence)) as error:
        nenette.load_opponent(given, game)
    assert "\n" not in str(error.value)


def test_the_nearest_policy_is_named():
    with pytest.raises(ValueError, match=r"\) nor a run, by its folder or by name in runs; did you mean 'greedy'\?$"):
        nenette.load_opponent("gredy")


@pytest.fixture
def runs(run, monkeypatch, tmp_path):
    """`runs/` of the working folder, as training lays it, with two runs."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine-seed1", "mine-seed2"):
        folder = tmp_path / "runs" / "421" / "ppo" / name
        shutil.copytree(run, folder)
        (folder / "run.json").write_text("{}")
    return tmp_path / "runs"


@pytest.mark.parametrize("name", ["mine-seed1", "421/mine-seed1", "ppo/mine-seed1", "421/ppo/mine-seed1"])
def test_a_run_is_found_by_its_name(runs, name, tmp_path, monkeypatch):
    for game in [None, "421", make_game("421")]:
        assert nenette.load_opponent(name, game).name == "trained"
    monkeypatch.chdir(runs / "421")
    assert nenette.load_opponent(name, runs=runs).name == "trained"
    monkeypatch.chdir(tmp_path)
    policy = nenette.load_opponent(f"best-response:{name}", "421")
    assert policy.name == "best-response:trained"


def test_a_run_s_name_that_is_nearly_right_or_not_enough(runs):
    with pytest.raises(ValueError, match=r"; did you mean 'mine-seed1'\?$"):
        nenette.load_opponent("mine-sed1", "421")
    shutil.copytree(runs / "421" / "ppo", runs / "421" / "dqn")
    with pytest.raises(ValueError, match=r"^more than one run is called 'mine-seed1': .*; give one of these$"):
        nenette.load_opponent("mine-seed1")
    with pytest.raises(ValueError, match=r"is a policy of 421, and one of demi-iles is expected$"):
        nenette.load_opponent("dqn/mine-seed1", "demi-iles")


def test_a_run_s_name_is_an_environment_s_opponent(runs):
    env = gymnasium.make("nenette/421-v0", opponents=["mine-seed1"])
    env.reset(seed=0)
    env.close()


def test_a_run_of_another_game_names_both(run):
    with pytest.raises(ValueError, match=r"is a policy of 421, and one of demi-iles is expected$"):
        nenette.load_opponent(run, "demi-iles")


def test_a_run_plays_where_there_is_no_torch(run):
    program = f"""
import sys
for absent in ("torch", "stable_baselines3", "sb3_contrib", "matplotlib"):
    sys.modules[absent] = None
import nenette
assert "safetensors" not in sys.modules and "scipy" not in sys.modules, "import nenette is to be light"
import numpy as np
from nenette.games import make_game
from nenette.matches.sampled import play
game = make_game("421")
trained = nenette.load_opponent({str(run)!r}, game)
print(play(game, [trained, nenette.load_opponent("421/a-fond")], 2, np.random.default_rng(0)).returns.sum())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0.0\n", "")
