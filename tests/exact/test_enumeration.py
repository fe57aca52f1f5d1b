"""Every transition of the models, held against a walk through the states and against the re-stated rules."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from restatement import Rules421, State421, demi_iles_next, quatre21_legal, quatre21_outcomes

from nenette.exact import Model, enumerate_game, model_of
from nenette.games import make_game
from nenette.games.quatre21 import State

# Each field of the rules differs from its default in a quick case; the slow ones change one field at a time.
SMALL = [
    {"fiches": 1},
    {"fiches": 1, "manches_to_lose": 2, "next_manche_leader": "opening", "nenette": 0},
    {
        "fiches": 2,
        "manches_to_lose": 1,
        "kept_dice": "frozen",
        "followers": "exactly",
        "value_of_421": 1,
        "limit_after_tie": "kept",
        "nenette_capped": False,
        "nenettes_tie": False,
        "nenette_in_decharge": False,
    },
]
SMALL_AND_SLOW = [
    {"fiches": 1, "manches_to_lose": 3},
    {"fiches": 1, "manches_to_lose": 2, "next_manche_leader": "opening"},
    {"fiches": 2, "manches_to_lose": 1},
    {"fiches": 2, "manches_to_lose": 1, "kept_dice": "frozen"},
    {"fiches": 2, "manches_to_lose": 1, "followers": "exactly", "value_of_421": 1},
    {"fiches": 2, "manches_to_lose": 1, "limit_after_tie": "kept"},
    {"fiches": 2, "manches_to_lose": 1, "nenette_capped": False, "nenettes_tie": False},
    {"fiches": 2, "manches_to_lose": 2, "next_manche_leader": "opening", "kept_dice": "frozen", "followers": "exactly"},
    {"fiches": 3, "manches_to_lose": 1, "nenette": 0},
    {"fiches": 3, "manches_to_lose": 1, "nenette": 1},
    {"fiches": 3, "manches_to_lose": 1, "nenette_in_decharge": False},
    {"fiches": 3, "manches_to_lose": 1, "nenette": 3, "followers": "exactly", "kept_dice": "frozen"},
]
# What is done at a state does not depend on how many fiches there are in all: few make a model of few states.
VARIANTS = [
    {},
    {"fiches": 5, "nenette_in_decharge": False, "nenette": 3, "followers": "exactly"},
    {"fiches": 4, "next_manche_leader": "opening", "kept_dice": "frozen", "nenette": 0},
    {"fiches": 21, "value_of_421": 10, "manches_to_lose": 1, "nenettes_tie": False, "limit_after_tie": "kept"},
    {"fiches": 5, "nenette_capped": False, "nenette": 4},
]
VARIANTS_AND_SLOW = [
    {"nenette": 0},
    {"followers": "exactly"},
    {"kept_dice": "frozen"},
    {"next_manche_leader": "opening", "followers": "exactly", "kept_dice": "frozen"},
    {"fiches": 21, "value_of_421": 10, "manches_to_lose": 1},
    {"nenettes_tie": False, "limit_after_tie": "kept"},
    {"nenettes_tie": False, "nenette_capped": False, "manches_to_lose": 1},
]


def table(model: Model):
    """(rows, 2 + columns) of a model whose states are put in the order of their keys, with those keys and actions."""
    order = np.argsort(model.game.codec.keys(model.fields))
    n = model.n_states
    rows = np.concatenate([np.arange(model.row_start[s], model.row_start[s + 1]) for s in order])
    columns = np.concatenate([order, n + order][: model.sides])
    transition = model.transition[rows][:, columns]
    transition.sum_duplicates()
    counts = np.diff(model.row_start)[order]
    return (
        model.fields[order],
        counts,
        model.row_action[rows],
        transition,
        [getattr(model, part)[rows] for part in ("win", "loss", "cost", "ends")],
    )


@pytest.mark.parametrize("rules", SMALL + [pytest.param(rules, marks=pytest.mark.slow) for rules in SMALL_AND_SLOW])
def test_421_laid_out_is_421_walked_through(rules):
    game = make_game("421", **rules)
    laid_out, walked = model_of(game), enumerate_game(game)
    ours, theirs = table(laid_out), table(walked)
    for mine, other in zip(ours[:3], theirs[:3], strict=True):
        np.testing.assert_array_equal(mine, other)
    assert abs(ours[3] - theirs[3]).max() < 1e-14  # one adds up 216 throws, the other does not
    np.testing.assert_allclose(ours[4], theirs[4], atol=1e-14, rtol=0)
    start = [model.fields[model.start].tolist() for model in (laid_out, walked)]
    assert start[0] == start[1]
    assert laid_out.always_ends
    assert walked.always_ends


def outcomes_of(model: Model, row: int) -> Counter:
    """Exact probabilities of the columns of a row, and of "win" and "loss"."""
    low, high = model.transition.indptr[row], model.transition.indptr[row + 1]
    probabilities: Counter = Counter()
    columns = [*model.transition.indices[low:high].tolist(), "win", "loss"]
    numbers = [*model.transition.data[low:high], model.win[row], model.loss[row]]
    for column, odd in zip(columns, numbers, strict=True):
        multiple = odd * model.denominator
        assert abs(multiple - round(multiple)) < 1e-9, "no multiple of 1 / denominator"
        probabilities[column] += Fraction(round(multiple), model.denominator)
    return +probabilities


@pytest.mark.parametrize(
    ("rules", "each"),
    [
        *((rules, 25) for rules in VARIANTS),
        *(pytest.param(rules, 25, marks=pytest.mark.slow) for rules in VARIANTS_AND_SLOW),
        pytest.param({}, 600, marks=pytest.mark.slow),
    ],
)
def test_421_is_what_the_rules_say(rules, each):
    game, restated = make_game("421", **rules), Rules421(**rules)
    model = model_of(game)
    index = {tuple(fields): s for s, fields in enumerate(model.fields.tolist())}
    assert len(index) == model.n_states
    rng = np.random.default_rng(0)
    sampled = [rng.integers(low, high, each) for low, high in zip(model.layers[1:-1], model.layers[2:], strict=True)]
    for s in {*rng.integers(0, model.n_entries, each).tolist(), model.start, *np.concatenate(sampled).tolist()}:
        state = State421(*game.decode(model.fields[s].tolist()))
        mover = state.order[len(state.throws)]
        assert mover == 0
        rows = range(model.row_start[s], model.row_start[s + 1])
        assert set(model.row_action[rows.start : rows.stop].tolist()) == quatre21_legal(state, restated)
        for row in rows:
            expected: Counter = Counter()
            for after, probability in quatre21_outcomes(state, int(model.row_action[row]), restated).items():
                if restated.manches_to_lose in after.manches:
                    expected["win" if after.manches[1] == restated.manches_to_lose else "loss"] += probability
                    continue
                seat = after.order[len(after.throws)]
                expected[index[game.encode(State(*after), seat)] + seat * model.n_states] += probability
            assert outcomes_of(model, row) == expected, (state, model.row_action[row])


def test_demi_iles_is_what_the_rules_say():
    model = model_of(make_game("demi-iles"))
    assert model.n_states == 441
    assert sorted(map(tuple, model.fields.tolist())) == [(a, b, 0) for a in range(21) for b in range(21)]
    assert model.fields[model.start].tolist() == [0, 0, 0]
    assert model.row_action.tolist() == [0, 1, 2] * 441
    index = {tuple(fields): s for s, fields in enumerate(model.fields.tolist())}
    for (own, other, _), s in index.items():
        for row in range(3 * s, 3 * s + 3):
            expected: Counter = Counter()
            for (scores, seat), probability in demi_iles_next((own, other), 0, row - 3 * s).items():
                expected["win" if scores[0] == 21 else index[scores[1], scores[0], 0] + 441 * seat] += probability
                assert scores[0] == 21 or seat == 1
            assert outcomes_of(model, row) == expected


@pytest.mark.parametrize(
    ("name", "rules", "ends"),
    [("demi-iles", {}, False), *(("421", rules, True) for rules in [*SMALL, {"followers": "exactly"}])],
)
def test_the_arrays_are_what_the_model_says(name, rules, ends):
    model = model_of(make_game(name, **rules))
    np.testing.assert_allclose(model.transition.sum(axis=1) + model.ends, 1.0, atol=1e-14)
    np.testing.assert_allclose(model.win + model.loss, model.ends, atol=1e-15)
    assert (model.transition.data > 0).all()
    assert (np.diff(model.row_start) > 0).all()
    assert (np.diff(model.row_action)[np.diff(model.row_state) == 0] > 0).all()
    assert not model.cost.any()
    assert model.always_ends == ends
    assert (model.layers[0], model.layers[-1]) == (0, model.n_states)
    # From layer l one comes to entries or to layers beyond l, and never to two entries' states at once.
    layer = np.searchsorted(model.layers, np.arange(model.n_states), side="right")
    edges = model.transition.tocoo()
    row, column = edges.coords
    target = column % model.n_states
    assert ((target < model.n_entries) | (layer[target] > layer[model.row_state[row]])).all()
    entry, passed = model.regions
    below = target >= model.n_entries
    assert (entry[target] == entry[model.row_state[row]])[below].all()
    assert (passed[target] == passed[model.row_state[row]] ^ (column // model.n_states))[below].all()


def test_layers_that_are_none_are_refused():
    model = model_of(make_game("421", fiches=1))
    wrong = Model(**{**vars_of(model), "layers": np.array([0, 1, model.n_states])})
    with pytest.raises(ValueError, match=r"^state \d+ does not lie below exactly one entry"):
        wrong.regions  # noqa: B018


def vars_of(model: Model) -> dict:
    return {name: getattr(model, name) for name in Model.__dataclass_fields__}


def test_a_policy_is_put_into_rows():
    model = model_of(make_game("421", fiches=2, kept_dice="frozen"))
    states = np.flatnonzero(model.decides)
    masks = model.masks(states)
    assert np.array_equal(masks.sum(axis=1), np.diff(model.row_start)[states])
    for k in (0, 17, len(states) - 1):
        game = model.game
        assert np.flatnonzero(masks[k]).tolist() == list(
            game.legal_actions(game.decode(model.fields[states[k]].tolist()))
        )
    probabilities = np.random.default_rng(0).random(masks.shape) * masks
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    behaviour = model.behaviour(states, probabilities)
    k = 17
    rows = slice(model.row_start[states[k]], model.row_start[states[k] + 1])
    np.testing.assert_allclose(behaviour[rows], probabilities[k, model.row_action[rows]], rtol=1e-12)
    np.testing.assert_allclose(np.add.reduceat(behaviour, model.row_start[:-1]), 1.0, atol=1e-12)
    probabilities[k] *= 0.9
    with pytest.raises(
        ValueError, match=r"^a policy's action probabilities are negative or do not sum to 1 in some state$"
    ):
        model.behaviour(states, probabilities)
    with pytest.raises(ValueError, match="do not sum to 1"):
        model.behaviour(states[:-1], probabilities[:-1])
