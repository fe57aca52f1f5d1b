"""`nenette import-sb3`: what stable-baselines3 saved plays the same without it, and only if its reader said so."""

import json
import pickle
import zipfile
from copy import deepcopy

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.games import make_game
from nenette.policies import read_policy
from nenette_agents import MaskedDQN, TurnMaskedPPO
from nenette_agents.cli.app import main
from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.errors import RunError
from nenette_agents.export import export_network
from nenette_agents.sb3_import import fold, read_trusted_statistics

ENVIRONMENTS = {
    "demi-iles-solo": "nenette/DemiIlesSolo-v0",
    "demi-iles": "nenette/DemiIles-v0",
    "421": "nenette/421-v0",
}
SMALL = {"net_arch": [12, 7]}


def model(algorithm, game, *, wrapper=lambda environments: environments, **policy):
    options = {} if game == "demi-iles-solo" else {"opponents": ["random"]}
    environment = wrapper(DummyVecEnv([lambda: Monitor(gym.make(ENVIRONMENTS[game], **options))]))
    few = {} if algorithm is DQN else {"n_steps": 32, "batch_size": 32, "n_epochs": 1}
    return algorithm("MlpPolicy", environment, policy_kwargs={**SMALL, **policy}, seed=3, device="cpu", **few)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A tiny PPO that has learned a little on demi-iles, and its zip."""
    learner = model(PPO, "demi-iles").learn(64)
    file = tmp_path_factory.mktemp("saved") / "mine.zip"
    learner.save(file)
    return learner, file


def run(*arguments, expect=0):
    with pytest.raises(SystemExit) as left:
        main(["import-sb3", *map(str, arguments)])
    assert int(left.value.code or 0) == expect


def inputs(game, n=200):
    rng = np.random.default_rng(5)
    observations = rng.random((n, game.codec.size)).astype(np.float32)
    masks = (rng.random((n, game.n_actions)) < 0.6).astype(np.int8)
    masks[np.arange(n), rng.integers(game.n_actions, size=n)] = 1
    return observations, masks


def test_ppo_has_the_same_probabilities(saved, tmp_path, capsys):
    learner, file = saved
    run(file, "--game", "demi-iles", "--i-trust-this-file", "--out", tmp_path / "in", "--set", "max_turns=50", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["game"], report["layers"], report["activation"], report["head"]) == (
        "demi-iles",
        [46, 12, 7, 3],
        "tanh",
        "softmax",
    )
    policy = read_policy(report["policy"])
    assert (policy.name, policy.game.max_turns) == ("mine", 50)
    assert policy.card["imported"]["file"] == "mine.zip"
    observations, _ = inputs(policy.game)
    with torch.no_grad():
        probabilities = learner.policy.get_distribution(torch.as_tensor(observations)).distribution.probs.numpy()
    masks = np.ones((len(observations), 3), dtype=np.int8)
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), probabilities, atol=1e-5)


@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU])
def test_masked_ppo_has_the_same_probabilities(tmp_path, activation):
    learner = model(MaskablePPO, "421", activation_fn=activation)
    learner.save(tmp_path / "m.zip")
    run(tmp_path / "m.zip", "--game", "421", "--i-trust-this-file", "--name", "masked")
    policy = read_policy(tmp_path / "m-policy")
    observations, masks = inputs(policy.game)
    with torch.no_grad():
        of_sb3 = learner.policy.get_distribution(torch.as_tensor(observations), action_masks=masks).distribution.probs
    assert policy.name == "masked"
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), of_sb3.numpy(), atol=1e-5)


@pytest.mark.parametrize("greedy", [[], ["--greedy"]])
def test_dqn_takes_what_it_values_most(tmp_path, greedy):
    learner = model(DQN, "demi-iles-solo")
    learner.save(tmp_path / "d.zip")
    run(tmp_path / "d.zip", "--game", "demi-iles-solo", "--i-trust-this-file", *greedy)
    policy = read_policy(tmp_path / "d-policy")
    observations, masks = inputs(policy.game)
    with torch.no_grad():
        values = learner.policy.q_net(torch.as_tensor(observations)).numpy()
    best = np.where(masks, values, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(policy.action_probabilities(observations, masks), np.eye(3)[best])


def test_greedy_ppo_takes_the_likeliest_action(saved, tmp_path):
    run(saved[1], "--game", "demi-iles", "--i-trust-this-file", "--greedy", "--out", tmp_path / "in")
    assert read_policy(tmp_path / "in").head == "argmax"


class Program:
    """What runs when it is unpickled."""

    def __reduce__(self):
        return exec, ("import builtins; builtins.nenette_was_here = True",)


def test_nothing_in_the_file_runs_unless_it_is_trusted(tmp_path, capsys, monkeypatch):
    import builtins

    monkeypatch.setattr(builtins, "nenette_was_here", False, raising=False)
    learner = model(PPO, "demi-iles")
    learner.hidden = Program()
    learner.save(tmp_path / "evil.zip")
    run(tmp_path / "evil.zip", "--game", "demi-iles", expect=2)
    error = capsys.readouterr().err
    assert error == (
        f"nenette: {tmp_path / 'evil.zip'} was not read: a zip of stable-baselines3 holds pickles, and to read one "
        "is to run whatever program is in it; if you know who made it, say --i-trust-this-file\n"
    )
    assert not builtins.nenette_was_here
    run(tmp_path / "evil.zip", "--game", "demi-iles", "--i-trust-this-file")
    assert builtins.nenette_was_here  # which is why


def spoil(file, member, content):
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = content
    with zipfile.ZipFile(file, "w") as archive:
        for name, held in members.items():
            archive.writestr(name, held)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda file: file.unlink(), "a zip of stable-baselines3 was expected, and there is no such file"),
        (lambda file: file.write_bytes(b"PK nothing"), "cannot be read as a zip of stable-baselines3: "),
        (lambda file: file.write_bytes(file.read_bytes()[:2000]), "cannot be read as a zip of stable-baselines3: "),
        (lambda file: spoil(file, "policy.pth", b"garbage"), "cannot be read as a zip of stable-baselines3: "),
        (
            lambda file: spoil(file, "data", b"{}"),
            "holds None, and the MlpPolicy of PPO, MaskablePPO or DQN was expected",
        ),
    ],
    ids=range(5),
)
def test_a_file_of_another_kind_gets_a_sentence(saved, tmp_path, capsys, change, sentence):
    file = tmp_path / "copy.zip"
    file.write_bytes(saved[1].read_bytes())
    change(file)
    run(file, "--game", "demi-iles", "--i-trust-this-file", expect=2)
    error = capsys.readouterr().err
    assert f"{file}" in error
    assert sentence in error
    assert error.count("\n") == 1
    assert not (tmp_path / "copy-policy").exists()


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [
        ("421", [], "was trained on observations Box("),
        ("demi-iles", ["--set", "players=3"], ", and demi-iles has 69 numbers"),
        ("demi-isles", [], "did you mean 'demi-iles'?"),
    ],
)
def test_a_policy_of_another_game_is_refused(saved, tmp_path, capsys, game, settings, sentence):
    run(saved[1], "--game", game, "--i-trust-this-file", "--out", tmp_path / "in", *settings, expect=2)
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            {"activation_fn": nn.ELU},
            "has a network of Linear, ELU, Linear, ELU, Linear, and layers with Tanh, or with ReLU",
        ),
        ({"net_arch": []}, None),
    ],
)
def test_other_networks(tmp_path, capsys, policy, sentence):
    model(PPO, "demi-iles", **policy).save(tmp_path / "p.zip")
    run(tmp_path / "p.zip", "--game", "demi-iles", "--i-trust-this-file", expect=2 if sentence else 0)
    if sentence:
        assert sentence in capsys.readouterr().err
    else:
        assert read_policy(tmp_path / "p-policy").sizes == [46, 3]


def test_weights_that_are_not_finite_are_refused(tmp_path, capsys):
    learner = model(PPO, "demi-iles")
    with torch.no_grad():
        learner.policy.action_net.bias[0] = torch.nan
    learner.save(tmp_path / "p.zip")
    run(tmp_path / "p.zip", "--game", "demi-iles", "--i-trust-this-file", expect=2)
    assert "has a weight that is not finite" in capsys.readouterr().err


def test_a_folder_that_is_there_is_left_alone(saved, tmp_path, capsys):
    for expect in (0, 2):
        run(saved[1], "--game", "demi-iles", "--i-trust-this-file", "--out", tmp_path / "in", expect=expect)
    assert f"{tmp_path / 'in'} is there already: name another folder with --out" in capsys.readouterr().err


def observations_of(game, n=300):
    """Any at all that the game could show."""
    rng = np.random.default_rng(5)
    fields = np.stack([rng.integers(feature.values, size=n) for feature in game.codec.features], axis=1)
    return game.codec.encode(fields)


@pytest.fixture(scope="module")
def normalized(tmp_path_factory):
    """A PPO that learned from observations which VecNormalize scaled; its zip, and VecNormalize's statistics."""
    folder = tmp_path_factory.mktemp("normalized")
    learner = model(PPO, "421", wrapper=VecNormalize).learn(256)
    learner.save(folder / "mine.zip")
    learner.get_vec_normalize_env().save(folder / "mine.pkl")
    return learner, folder / "mine.zip", folder / "mine.pkl"


def test_a_network_of_scaled_observations_is_not_imported_without_a_word(normalized, tmp_path, capsys):
    _, file, _ = normalized
    run(file, "--game", "421", "--i-trust-this-file", "--out", tmp_path / "in", expect=2)
    assert capsys.readouterr().err == (
        f"nenette: {file} was trained on observations that are none of 421: a wrapper such as VecNormalize has changed "
        "them; if it was that, give what its save() wrote with --vecnormalize FILE\n"
    )
    run(file, "--game", "421", "--i-trust-this-file", "--out", tmp_path / "in", "--plain-observations", expect=2)
    assert not (tmp_path / "in").exists()


def test_with_its_statistics_it_plays_as_it_did(normalized, tmp_path):
    learner, file, statistics = normalized
    run(file, "--game", "421", "--i-trust-this-file", "--out", tmp_path / "in", "--vecnormalize", statistics)
    policy = read_policy(tmp_path / "in")
    assert policy.card["imported"]["vecnormalize"] == "mine.pkl"
    observations = observations_of(policy.game)
    scaled = learner.get_vec_normalize_env().normalize_obs(observations)
    assert np.abs(scaled).max() == 10  # some are clipped
    with torch.no_grad():
        probabilities = learner.policy.get_distribution(torch.as_tensor(scaled)).distribution.probs.numpy()
    masks = np.ones_like(probabilities, dtype=np.int8)
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), probabilities, atol=1e-5)


def test_a_clipped_number_of_many_values_cannot_be_folded(normalized):
    statistics = deepcopy(normalized[0].get_vec_normalize_env())
    game = make_game("421")
    columns = [column for feature in game.codec.features for column in feature.table.T]
    place = next(k for k, column in enumerate(columns) if len(np.unique(column)) > 2)
    statistics.obs_rms.mean[place], statistics.obs_rms.var[place] = 0, 1e-4
    with pytest.raises(RunError, match=r"^VecNormalize clips .* at 10\.0, and so scales it by no fixed factor"):
        fold(statistics, read_policy_layers(normalized[0]), game)


def read_policy_layers(learner):
    return list(export_network(learner.policy, make_game("421"), "mine", "softmax").layers)


@pytest.mark.parametrize(
    ("game", "content", "sentence"),
    [
        ("421", None, "cannot be read: No such file or directory"),
        ("421", b"nothing", "cannot be read as what VecNormalize saved: "),
        ("421", pickle.dumps([1]), "holds 'list', and what VecNormalize saved was expected"),
        ("demi-iles", "own", "is of observations of shape (93,), and demi-iles has 46 numbers"),
    ],
    ids=range(4),
)
def test_statistics_that_are_none(normalized, tmp_path, game, content, sentence):
    file = normalized[2] if content == "own" else tmp_path / "x.pkl"
    if isinstance(content, bytes):
        file.write_bytes(content)
    with pytest.raises(RunError) as refused:
        read_trusted_statistics(file, make_game(game))
    assert str(refused.value).startswith(f"{file} {sentence}")


def test_statistics_of_a_network_that_saw_plain_observations_are_refused(saved, normalized, tmp_path, capsys):
    run(saved[1], "--game", "demi-iles", "--i-trust-this-file", "--vecnormalize", normalized[2], expect=2)
    assert "the last that it saw are kept in the zip: leave --vecnormalize out" in capsys.readouterr().err


@pytest.mark.parametrize("said", [[], ["--plain-observations"]])
def test_a_zip_that_does_not_tell_asks(saved, tmp_path, capsys, said):
    learner = PPO.load(saved[1], env=DummyVecEnv([lambda: gym.make(ENVIRONMENTS["demi-iles"], opponents=["random"])]))
    learner.save(tmp_path / "p.zip")  # without the last observations
    run(tmp_path / "p.zip", "--game", "demi-iles", "--i-trust-this-file", *said, expect=0 if said else 2)
    if not said:
        assert "does not say whether VecNormalize scaled the observations" in capsys.readouterr().err


def test_a_plain_dqn_that_has_learned_is_imported_as_it_is(tmp_path):
    model(DQN, "demi-iles-solo").learn(120).save(tmp_path / "d.zip")
    run(tmp_path / "d.zip", "--game", "demi-iles-solo", "--i-trust-this-file")
    assert read_policy(tmp_path / "d-policy").head == "argmax"


def test_the_zip_can_still_be_loaded_by_the_name_that_it_was_saved_by(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved[0].save("mine")
    run("mine.zip", "--game", "demi-iles", "--i-trust-this-file")
    assert PPO.load("mine").num_timesteps == saved[0].num_timesteps


def test_a_masked_dqn_needs_no_trust_and_takes_what_it_values_most(tmp_path, capsys):
    learner = MaskedDQN("MlpPolicy", gym.make(ENVIRONMENTS["421"]), policy_kwargs=SMALL, learning_starts=10, seed=3)
    learner.learn(40).save(tmp_path / "d.zip")
    run(tmp_path / "d.zip", "--game", "421", "--json")
    assert json.loads(capsys.readouterr().out)["imported"]["policy"] == "MaskedDQN"
    policy, game = read_policy(tmp_path / "d-policy"), make_game("421")
    observations, masks = inputs(game)
    actions, _ = learner.predict(observations, action_masks=masks, deterministic=True)
    expected = np.eye(game.n_actions)[actions]
    np.testing.assert_array_equal(policy.action_probabilities(observations, masks), expected)
    run(tmp_path / "d.zip", "--game", "demi-iles", "--out", tmp_path / "other", expect=2)
    assert "was trained on observations Box(" in capsys.readouterr().err


def test_a_turn_masked_ppo_is_imported_without_its_pass(tmp_path, capsys):
    game = make_game("demi-iles", players=3)
    slots = NativeVecEnv(AllSeatsVectorEnv(game, 6, autoreset_mode=AutoresetMode.SAME_STEP))
    learner = TurnMaskedPPO("MlpPolicy", slots, policy_kwargs=SMALL, n_steps=16, batch_size=16, n_epochs=1, seed=3)
    learner.learn(20).save(tmp_path / "p.zip")
    asked = (tmp_path / "p.zip", "--game", "demi-iles", "--set", "players=3")
    run(*asked, expect=2)
    assert "does not say whether VecNormalize scaled the observations" in capsys.readouterr().err
    run(*asked, "--plain-observations")
    policy = read_policy(tmp_path / "p-policy", game)
    observations, masks = inputs(game)
    passing = np.concatenate([masks, np.zeros((len(masks), 1), dtype=np.int8)], axis=1)
    given = learner.policy.get_distribution(torch.as_tensor(observations), action_masks=passing).distribution.probs
    expected = given.detach().numpy()[:, :-1]
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), expected, atol=1e-6)


@pytest.mark.parametrize("change", [{"settings": 3}, {"missing": None}, {"action_space": {"kind": "Discrete"}}])
def test_a_damaged_learner_gets_a_sentence(tmp_path, capsys, change):
    file = tmp_path / "d.zip"
    MaskedDQN("MlpPolicy", gym.make(ENVIRONMENTS["421"]), policy_kwargs=SMALL, seed=3).save(file)
    with zipfile.ZipFile(file) as archive:
        about = json.loads(archive.read("learner.json"))
    spoil(file, "learner.json", json.dumps({**about, **change}))
    run(file, "--game", "421", expect=2)
    error = capsys.readouterr().err
    assert error.startswith(f"nenette: {file} ")
    assert error.count("\n") == 1


def test_the_games_numbers():
    assert make_game("demi-iles", players=3).codec.size == 69
