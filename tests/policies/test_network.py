"""Networks in NumPy: what torch would give, masked, in bounded memory."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_variants import decisions
from small_networks import small_network

from nenette.games import make_game
from nenette.policies import NetworkPolicy, network

GAME = make_game("demi-iles")
SIZE = GAME.codec.size
ALL = np.ones((1, 3), dtype=np.int8)


@pytest.mark.parametrize("name", ["demi-iles-solo", "demi-iles", "421"])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (64,), (64, 64), (32, 16, 8)])
def test_probabilities_are_torchs_to_five_digits(name, activation, hidden):
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    game = make_game(name)
    sizes = [game.codec.size, *hidden, game.n_actions]
    between = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]
    modules = [torch.nn.Linear(sizes[0], sizes[1])]
    for inputs, outputs in pairwise(sizes[1:]):
        modules += [between(), torch.nn.Linear(inputs, outputs)]
    for linear in modules[::2]:
        linear.weight.data.normal_()
    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in modules[::2]]
    observations, masks = decisions(game, steps=1500)
    with torch.no_grad():
        logits = torch.nn.Sequential(*modules)(torch.from_numpy(observations))
        masked = logits.masked_fill(torch.from_numpy(masks) == 0, -1e8)
    policy = NetworkPolicy(game, layers, activation=activation)
    probabilities = policy.action_probabilities(observations, masks)
    assert probabilities.max() > 0.9
    np.testing.assert_allclose(probabilities, torch.softmax(masked, dim=1).numpy(), atol=1e-5, rtol=0)
    greedy = NetworkPolicy(game, layers, activation=activation, head="argmax")
    np.testing.assert_array_equal(
        greedy.action_probabilities(observations, masks).argmax(axis=1), masked.argmax(dim=1).numpy()
    )


def scored(*scores: float, head: str = "softmax") -> NetworkPolicy:
    """A network that gives these scores whatever it sees."""
    return NetworkPolicy(GAME, [(np.zeros((3, SIZE), np.float32), np.array(scores, dtype=np.float32))], head=head)


def probabilities_of(policy: NetworkPolicy, *legal: int) -> list[float]:
    mask = np.zeros((1, 3), dtype=np.int8)
    mask[0, list(legal)] = 1
    return policy.action_probabilities(np.zeros((1, SIZE), np.float32), mask)[0].tolist()


def test_the_softmax_is_over_legal_actions():
    assert probabilities_of(scored(0.0, np.log(3), 50.0), 0, 1) == pytest.approx([0.25, 0.75, 0.0])


@given(
    st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=3, max_size=3), st.sets(st.integers(0, 2), min_size=1)
)
def test_the_softmax_stands_scores_of_any_size(scores, legal):
    probabilities = probabilities_of(scored(*scores), *legal)
    assert sum(probabilities) == pytest.approx(1)
    assert all(p == 0 for action, p in enumerate(probabilities) if action not in legal)


@pytest.mark.parametrize(
    ("scores", "legal", "expected"),
    [
        ((1.0, 3.0, 2.0), (0, 1, 2), [0, 1, 0]),
        ((1.0, 3.0, 2.0), (0, 2), [0, 0, 1]),
        ((3.0, 3.0, 3.0), (0, 1, 2), [1, 0, 0]),
        ((9.0, 3.0, 3.0), (1, 2), [0, 1, 0]),
        ((9.0, -3e38, -3e38), (1, 2), [0, 1, 0]),
    ],
)
def test_the_argmax_is_the_best_legal_action_and_of_equals_the_lowest(scores, legal, expected):
    assert probabilities_of(scored(*scores, head="argmax"), *legal) == expected


def test_a_large_batch_is_worked_through_in_pieces(monkeypatch):
    policy = small_network(GAME, (16, 16))
    observations, masks = decisions(GAME)
    whole = policy.action_probabilities(observations, masks)
    monkeypatch.setattr(network, "_CHUNK", 17)
    np.testing.assert_allclose(policy.action_probabilities(observations, masks), whole, atol=1e-6)
    for row in range(0, len(whole), 29):
        alone = policy.action_probabilities(observations[row : row + 1], masks[row : row + 1])
        np.testing.assert_allclose(alone[0], whole[row], atol=1e-6)


def layer(outputs: int, inputs: int, dtype: type = np.float32):
    return np.ones((outputs, inputs), dtype), np.ones(outputs, dtype)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "a network has at least one layer, not 0"),
        (
            [layer(3, 7)],
            f"layer 0 has a weight of shape (3, 7) and a bias of shape (3,), and (outputs, {SIZE}) and (outp",
        ),
        (
            [layer(4, SIZE), layer(3, 5)],
            "layer 1 has a weight of shape (3, 5) and a bias of shape (3,), and (outputs, 4)",
        ),
        ([layer(4, SIZE)], "the last layer has 4 outputs, and demi-iles has 3 actions"),
        ([layer(3, SIZE, np.float64)], "layer 0 is float64 and float64, and float32 is expected"),
        ([(np.full((3, SIZE), np.inf, np.float32), np.ones(3, np.float32))], "layer 0 has a weight that is not finite"),
        (
            [(np.ones((3, SIZE), np.float32), np.ones((3, 1), np.float32))],
            f"layer 0 has a weight of shape (3, {SIZE}) and",
        ),
    ],
)
def test_layers_that_do_not_fit_are_refused(layers, message):
    with pytest.raises(ValueError, match=r"^[a-z]") as error:
        NetworkPolicy(GAME, layers)
    assert str(error.value).startswith(message)


def test_unknown_activations_and_heads_are_refused():
    with pytest.raises(
        ValueError, match=r"^an activation is one of 'tanh', 'relu', not 'tahn'; did you mean 'tanh'\?$"
    ):
        small_network(GAME, activation="tahn")
    with pytest.raises(ValueError, match=r"^a head is one of 'softmax', 'argmax', not 'max'; did you mean 'argmax'\?$"):
        small_network(GAME, head="max")


def test_observations_of_another_game_are_refused():
    with pytest.raises(
        ValueError, match=r"^policy 'x' takes observations of shape \(n, 46\) and masks of shape \(n, 3\)"
    ):
        small_network(GAME, name="x").action_probabilities(np.zeros((1, 93), np.float32), ALL)


def test_scores_that_overflow_get_a_sentence():
    big = np.full((3, SIZE), 3e38, np.float32), np.zeros(3, np.float32)
    with pytest.raises(
        ValueError, match=r"^policy 'network' gives scores that are not finite: its weights are too large$"
    ):
        NetworkPolicy(GAME, [big]).action_probabilities(np.ones((1, SIZE), np.float32), ALL)


def test_a_network_looks_at_a_field_of_which_one_feature_has_one_weight() -> None:
    game = make_game("421", players=3)
    network = small_network(game)
    assert network.looks_at is None  # at everything
    (weight, bias), *others = network.layers
    for feature in (0, 30, game.codec.size - 1):
        one = np.zeros_like(weight)
        one[2, feature] = 1e-9
        owners = np.repeat(game.codec.names, [field.table.shape[1] for field in game.codec.features])
        assert NetworkPolicy(game, [(one, bias), *others]).looks_at == (owners[feature],)
    assert NetworkPolicy(game, [(np.zeros_like(weight), bias), *others]).looks_at == ()
