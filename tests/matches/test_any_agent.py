"""`nenette.score`: whatever somebody trained elsewhere is scored as the same policy of ours is."""

import copy
from io import BytesIO

import gymnasium as gym
import numpy as np
import pytest

import nenette
from nenette.games import make_game
from nenette.games.episode import nearest_legal
from nenette.matches import score as score_policy
from nenette.policies import NetworkPolicy, make_policy
from nenette.policies.adapted import adapt

pytest.importorskip("sb3_contrib", reason="stable-baselines3 is not installed")

import torch
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

from nenette_agents.export import export_policy

GAME = make_game("demi-iles")
GAME_421 = make_game("421")
ID = "nenette/DemiIles-v0"


def model(algorithm, environment=ID, **settings):
    few = {"n_steps": 32, "batch_size": 32} if algorithm in (PPO, MaskablePPO) else {}
    few |= {"buffer_size": 100, "learning_starts": 1} if algorithm in (DQN, QRDQN) else {}
    made = gym.make(environment, opponents=["random"]) if isinstance(environment, str) else environment
    return algorithm("MlpPolicy", made, policy_kwargs={"net_arch": [9]}, seed=4, device="cpu", **few, **settings)


def figures(score):
    return score.value, score.exploitability, score.regret, score.plays


def alike(one, other):
    assert figures(one)[:3] == pytest.approx(figures(other)[:3], abs=1e-6)
    assert one.plays == other.plays


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO, DQN], ids=lambda algorithm: algorithm.__name__)
def test_a_model_of_stable_baselines3_scores_as_the_policy_exported_from_it(algorithm, deterministic):
    learner = model(algorithm)
    head = "argmax" if deterministic or algorithm is DQN else "softmax"
    found = nenette.score(learner, "demi-iles", deterministic=deterministic)
    alike(found, score_policy(export_policy(learner, GAME, "it", head), "demi-iles", "optimal", both_players=False))
    assert (found.agent, found.against, found.exact) == (algorithm.__name__, "optimal", True)
    if algorithm is DQN:
        assert found.other_player is None
    else:
        other = export_policy(learner, GAME, "it", "softmax" if deterministic else "argmax")
        alike(found.other_player, score_policy(other, "demi-iles", "optimal", both_players=False))


def observations_and_masks(game, n=60):
    rng = np.random.default_rng(8)
    fields = np.stack([rng.integers(feature.values, size=n) for feature in game.codec.features], axis=1)
    masks = (rng.random((n, game.n_actions)) < 0.6).astype(np.int8)
    masks[np.arange(n), rng.integers(game.n_actions, size=n)] = 1
    return game.codec.encode(fields), masks


def test_quantiles_are_averaged_and_masked():
    learner = model(QRDQN)
    observations, masks = observations_and_masks(GAME)
    with torch.no_grad():
        values = learner.quantile_net(torch.as_tensor(observations)).mean(dim=1).numpy()
    expected = np.where(masks != 0, values, -np.inf).argmax(axis=1)
    found = adapt(learner, GAME).action_probabilities(observations, masks)
    assert (found.argmax(axis=1) == expected).all()
    assert (found.max(axis=1) == 1).all()


def test_what_a_learner_may_pass_is_left_out():
    net = nn.Linear(46, 4)
    net.bias.data[3] = 50.0
    four = adapt(net, GAME)
    net_of_three = NetworkPolicy(GAME, [(net.weight.detach().numpy()[:3], net.bias.detach().numpy()[:3])])
    at = observations_and_masks(GAME)
    np.testing.assert_allclose(four.action_probabilities(*at), net_of_three.action_probabilities(*at), atol=1e-6)


def test_observations_that_vecnormalize_scaled_are_scaled():
    environments = VecNormalize(DummyVecEnv([lambda: gym.make(ID, opponents=["random"])]))
    learner = model(PPO, environments).learn(64)
    observations, masks = observations_and_masks(GAME)
    with torch.no_grad():
        scaled = torch.as_tensor(environments.normalize_obs(observations))
        expected = learner.policy.get_distribution(scaled).distribution.probs.numpy() * masks
    found = adapt(learner, GAME).action_probabilities(observations, masks)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=1e-5)
    file = BytesIO()
    learner.save(file)
    file.seek(0)
    learner = PPO.load(file, device="cpu")
    with pytest.raises(
        ValueError, match=r"^PPO was trained on observations that are not those of demi-iles; .*set_env"
    ):
        adapt(learner, GAME)


class Net(nn.Module):
    def __init__(self, inputs=93, actions=8):
        super().__init__()
        torch.manual_seed(3)
        self.layers = nn.Sequential(nn.Linear(inputs, 10), nn.ReLU(), nn.Dropout(0.5), nn.Linear(10, actions))

    def forward(self, x):
        return self.layers(x)


def exported(net, game, head):
    first, last = net.layers[0], net.layers[3]
    layers = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in (first, last)]
    return NetworkPolicy(make_game(game), layers, activation="relu", head=head)


@pytest.mark.parametrize(("outputs", "head"), [(None, "softmax"), ("logits", "softmax"), ("q-values", "argmax")])
def test_a_torch_module_scores_as_the_same_network(outputs, head):
    net = Net(46, 3)
    found = nenette.score(net, "demi-iles", "random", outputs=outputs, both_players=False)
    alike(found, score_policy(exported(net, "demi-iles", head), "demi-iles", "random", both_players=False))
    assert net.training, "it is in training mode again"
    assert net.layers[2].training


class Masked(Net):
    def forward(self, x, action_mask):
        assert action_mask.dtype == torch.bool
        return super().forward(x).masked_fill(~action_mask, -torch.inf)


def test_a_module_is_given_masks_if_it_takes_them():
    game = GAME_421
    at = observations_and_masks(game)
    found = adapt(Masked(), game).action_probabilities(*at)
    np.testing.assert_allclose(found, exported(Masked(), "421", "softmax").action_probabilities(*at), atol=1e-6)


def greedy(observations, masks):
    return make_policy("greedy", GAME).action_probabilities(observations, masks)


@pytest.mark.parametrize(
    "agent",
    [
        greedy,
        lambda observations, masks: greedy(observations, masks).argmax(axis=1),
        lambda observations: greedy(observations, np.ones((len(observations), 3), dtype=np.int8)),
        lambda observations, action_masks=None: torch.as_tensor(greedy(observations, action_masks)),
        "greedy",
    ],
    ids=["probabilities", "actions", "without masks", "a tensor", "a name"],
)
def test_a_function_scores_as_the_policy_that_it_tells(agent):
    alike(nenette.score(agent, "demi-iles"), score_policy("greedy", "demi-iles", "optimal"))


def test_the_likeliest_action_of_a_function_may_be_taken():
    def mostly(observations, masks):
        return 0.9 * greedy(observations, masks) + 0.1 * masks / masks.sum(axis=1, keepdims=True)

    found = nenette.score(mostly, "demi-iles", deterministic=True, name="mine")
    alike(found, score_policy("greedy", "demi-iles", "optimal"))
    assert found.agent == "mine"


def test_an_illegal_action_is_what_the_environment_makes_of_it():
    game = GAME_421
    observations, masks = observations_and_masks(game)
    for asked in range(8):
        found = adapt(lambda x, a=asked: np.full(len(x), a), game).action_probabilities(observations, masks)
        played = [nearest_legal(asked, tuple(np.flatnonzero(mask).tolist())) for mask in masks]
        assert found.argmax(axis=1).tolist() == played
        assert (found.max(axis=1) == 1).all()
    spread = adapt(lambda x: np.tile([0.5, 0.25, 0.25, 0, 0, 0, 0, 0], (len(x), 1)), game)
    first_two = np.array([[1, 1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 1]], dtype=np.int8)
    found = spread.action_probabilities(observations[:2], first_two)
    np.testing.assert_allclose(found[0], [2 / 3, 1 / 3, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(found[1], [0, 0, 0, 0, 1, 0, 0, 0])  # 0, 1 and 2 differ from 4 in fewer bits than from 7


def test_the_solo_game_has_no_opponent():
    found = nenette.score(lambda x, m: m / m.sum(axis=1, keepdims=True), "demi-iles-solo", exact=False, games=20)
    assert (found.against, found.games) == (None, 20)


def test_whoever_draws_actions_is_scored_by_played_games_only():
    rng = np.random.default_rng(2)

    def drawn(observations):
        return rng.integers(3, size=len(observations))

    with pytest.raises(ValueError, match=r"^agent 'drawn' gave something else .* exact=False$"):
        nenette.score(drawn, "demi-iles")
    assert nenette.score(drawn, "demi-iles", "random", exact=False, games=50).games == 50


def ones(*shape):
    return lambda x: np.ones((len(x), *shape))


def keyword(x, *, temperature):
    return x


class NoSpaces:
    def predict(self, observation):
        return 0


BAD = [
    (Net, {}, r"the class Net was given as an agent, and an object of it is expected"),
    (7, {}, r"an agent is a model of .*, not an object of int"),
    (NoSpaces(), {}, r"NoSpaces is no model of stable-baselines3 .* lambda observations: .*"),
    (Net(46, 3), {}, r"the torch module Net cannot be asked about observations of shape .*93.*"),
    (Net(93, 3), {}, r"agent 'Net' gave an array of shape .*, and logits of shape \(n, 8\) are expected"),
    (ones(7), {}, r"agent 'function' gave an array of shape .*, and integer actions .* are expected"),
    (ones(8), {}, r"agent 'function' gave the probabilities .* are expected \(outputs=.*\)"),
    (ones(), {}, r"agent 'function' gave float64 of shape .* are expected"),
    (lambda x: np.full(len(x), 8), {}, r"agent 'function' gave action 8, and 421 has 0 to 7"),
    (lambda x: np.full((len(x), 8), np.nan), {}, r"agent 'function' gave probabilities that are not finite"),
    (lambda x: (x, x), {}, r"agent 'function' gave a tuple of 2, and one array is expected: .*"),
    (lambda x: ["stop"] * len(x), {}, r"agent 'function' gave list, and an array of numbers is expected"),
    (lambda x, y, z: x, {}, r"agent 'function' takes \(x, y, z\), and \(observations\) or .* is expected"),
    (keyword, {}, r"agent 'keyword' takes \(x, temperature\), and .* is expected"),
    (ones(8), {"outputs": "qvalues"}, r"outputs is one of .*, not 'qvalues'; did you mean 'q-values'\?"),
    ("random", {"outputs": "logits"}, r"outputs='logits' is for torch modules and functions, and .* was given"),
]


@pytest.mark.parametrize(("agent", "options", "says"), BAD, ids=range(len(BAD)))
def test_what_cannot_be_scored_gets_one_sentence(agent, options, says):
    with pytest.raises(ValueError, match=f"^{says}$"):
        adapt(agent, GAME_421, **options).action_probabilities(*observations_and_masks(GAME_421))


def test_a_model_for_something_else_gets_one_sentence():
    elsewhere = model(PPO)
    with pytest.raises(
        ValueError, match=r"^PPO was trained on observations Box\(.*\), and those of 421 have 93 numbers$"
    ):
        nenette.score(elsewhere, "421")
    other = copy.copy(elsewhere.policy)
    other.action_space = gym.spaces.Discrete(9)
    with pytest.raises(ValueError, match=r"^ActorCriticPolicy was trained with actions Discrete\(9\), and .* 3"):
        nenette.score(other, "demi-iles")
    memory = RecurrentPPO("MlpLstmPolicy", gym.make(ID), device="cpu", policy_kwargs={"lstm_hidden_size": 4})
    with pytest.raises(ValueError, match=r"^RecurrentPPO has a memory, and an exact score needs "):
        nenette.score(memory, "demi-iles")
    moving = SAC("MlpPolicy", gym.make("Pendulum-v1"), device="cpu", policy_kwargs={"net_arch": [4]}, buffer_size=10)
    moving.policy.observation_space = gym.spaces.Box(0, 1, (46,))
    with pytest.raises(ValueError, match=r"^SAC was trained with actions Box\(.*\), and demi-iles has 3 actions$"):
        nenette.score(moving, "demi-iles")
