"""Inputs in which one field is multiplied with all the rest."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from rule_variants import decisions

from nenette.games import make_game
from nenette.policies import NetworkPolicy, PolicyFileError, read_policy, save_policy
from nenette.policies.inputs import crossing, fields_to_cross

FIELDS = {"demi-iles-solo": "score", "demi-iles": "score of the next player", "421": "own fiches"}


def written_out(game, field, observations):
    """The crossed input, one observation and one value of the field at a time."""
    crossed = crossing(game, field)
    bits = [feature.table.shape == (2, 1) for feature in game.codec.features for _ in feature.labels]
    rows = []
    for observation in observations:
        block = observation[crossed.start : crossed.stop]
        others = [
            1 - x if bit else x
            for k, (x, bit) in enumerate(zip(observation, bits, strict=True))
            if not crossed.start <= k < crossed.stop
        ]
        rows.append([*observation, *(value * other for value in block for other in others)])
    return np.array(rows, dtype=np.float32)


def random_policy(game, field, hidden=(7,), **options):
    rng = np.random.default_rng(3)
    sizes = [crossing(game, field).size, *hidden, game.n_actions]
    layers = [
        (rng.normal(size=(o, i)).astype(np.float32), rng.normal(size=o).astype(np.float32)) for i, o in pairwise(sizes)
    ]
    return NetworkPolicy(game, layers, crossed=field, **options)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("hidden", [(), (7,)])
def test_scores_are_those_of_the_input_written_out(name, hidden):
    game = make_game(name)
    observations, _ = decisions(game, 400)
    policy = random_policy(game, FIELDS[name], hidden)
    x = written_out(game, FIELDS[name], observations)
    assert x.shape[1] == crossing(game, FIELDS[name]).size == policy.sizes[0]
    for k, (weight, bias) in enumerate(policy.layers):
        x = (np.tanh(x) if k else x) @ weight.T + bias
    np.testing.assert_allclose(policy.scores(observations), x, rtol=1e-4, atol=1e-4)


def test_a_field_decides_what_the_others_mean():
    """Alike or not, a score and a bit: one layer without crossing cannot tell, with it can."""
    game = make_game("demi-iles-solo")
    crossed = crossing(game, "score")
    weight = np.zeros((3, crossed.size), dtype=np.float32)
    seen_3 = 22 + 2  # the feature "3 has been stood on", the third of those beside the score
    weight[1, 5], weight[1, seen_3] = 1, 1
    weight[1, game.codec.size + 5 * 20 + 2] = 2  # the score is 5, and 3 is not seen
    policy = NetworkPolicy(game, [(weight, np.array([0, -1.5, -9], dtype=np.float32))], crossed="score", head="argmax")
    observations = game.codec.encode(np.array([[score, 0, 0, seen, *[0] * 17] for score in (4, 5) for seen in (0, 1)]))
    best = policy.action_probabilities(observations, np.ones((4, 3), dtype=np.int8)).argmax(axis=1)
    assert best.tolist() == [0, 0, 1, 1]


def test_fields_are_refused_by_name():
    game = make_game("demi-iles-solo")
    assert fields_to_cross(game) == ["score"]
    with pytest.raises(ValueError, match=r"^a crossed field is one of 'score', not 'scor'; did you mean 'score'\?$"):
        crossing(game, "scor")
    with pytest.raises(ValueError, match=r"not 'dice on the table'"):
        crossing(make_game("421"), "dice on the table")


def test_a_crossed_policy_is_kept_and_read(tmp_path: Path):
    game = make_game("demi-iles-solo")
    policy = random_policy(game, "score")
    save_policy(tmp_path, policy, {})
    read = read_policy(tmp_path)
    observations, masks = decisions(game, 200)
    assert read.crossed == "score"
    np.testing.assert_array_equal(
        read.action_probabilities(observations, masks), policy.action_probabilities(observations, masks)
    )


@pytest.mark.parametrize(
    ("crossed", "sentence"),
    [
        (7, '"crossed" is 7, and a field\'s name or null is expected'),
        ("scores", "did you mean 'score'?"),
        (None, "layer 0 has a weight of shape"),
    ],
)
def test_a_file_with_another_field_is_refused(tmp_path: Path, crossed, sentence):
    save_policy(tmp_path, random_policy(make_game("demi-iles-solo"), "score"), {})
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"crossed": crossed}))
    with pytest.raises(PolicyFileError) as refused:
        read_policy(tmp_path)
    assert sentence in str(refused.value)
