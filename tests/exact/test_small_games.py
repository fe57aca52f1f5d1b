"""Random games of a few positions, in which every way of playing can be tried."""

import numpy as np
import pytest
from made_up_games import model_of_table, pure_plays, random_table, slow_value_of_play, value_of_play

from nenette.exact import best_response, solve_zero_sum

GAMES = range(150)


def mixed(model, rng, zeros: float):
    """Odds of the rows, many of them 0."""
    probabilities = rng.random(model.n_rows) * (rng.random(model.n_rows) >= zeros) + 1e-300
    probabilities /= np.add.reduceat(probabilities, model.row_start[:-1])[model.row_state]
    probabilities[probabilities < 1e-6] = 0.0
    return probabilities / np.add.reduceat(probabilities, model.row_start[:-1])[model.row_state]


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("endless", [False, True])
def test_no_way_of_playing_beats_the_best_response(players, endless):
    kept_going = 0
    for seed in GAMES:
        rng = np.random.default_rng(seed)
        model = model_of_table(random_table(rng, 4, endless=endless, players=players), players)
        assert endless or model.always_ends
        kept_going += not model.always_ends
        opponent = mixed(model, rng, 0.5) if players == 2 else None
        response = best_response(model, opponent)
        every = [slow_value_of_play(model, model.pure(rows), opponent) for rows in pure_plays(model)]
        np.testing.assert_allclose(response.values, np.max(every, axis=0), atol=1e-9, err_msg=f"game {seed}")
        reached = slow_value_of_play(model, model.pure(response.rows), opponent)
        np.testing.assert_allclose(reached, response.values, atol=1e-9, err_msg=f"game {seed}")
    assert kept_going > len(GAMES) / 4 if endless else kept_going == 0


@pytest.mark.parametrize("endless", [False, True])
def test_fixed_play_is_worth_what_one_linear_system_says(endless):
    for seed in GAMES:
        rng = np.random.default_rng(seed)
        model = model_of_table(random_table(rng, 5, endless=endless))
        player, opponent = mixed(model, rng, 0.6), mixed(model, rng, 0.6)
        np.testing.assert_allclose(
            value_of_play(model, player, opponent), slow_value_of_play(model, player, opponent), atol=1e-9
        )


def test_optimal_play_is_the_saddle_point_of_all_pairs_of_plays():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        model = model_of_table(random_table(rng, 3, endless=False))
        plays = [model.pure(rows) for rows in pure_plays(model)]
        table = np.array([[slow_value_of_play(model, a, b)[:, 0] for b in plays] for a in plays])
        worth = table.min(axis=1).max(axis=0)
        np.testing.assert_allclose(worth, table.max(axis=0).min(axis=0), atol=1e-9)
        equilibrium = solve_zero_sum(model)
        np.testing.assert_allclose(equilibrium.values, worth, atol=1e-9, err_msg=f"game {seed}")
        assert equilibrium.residual < 1e-12
        optimum = model.pure(equilibrium.rows)
        np.testing.assert_allclose(slow_value_of_play(model, optimum, optimum)[:, 0], worth, atol=1e-9)
        for other in plays:
            assert (slow_value_of_play(model, optimum, other)[:, 0] >= worth - 1e-9).all()


def test_whether_a_game_can_be_kept_going():
    for seed in GAMES:
        rng = np.random.default_rng(seed)
        model = model_of_table(random_table(rng, 3, endless=True))
        plays = [model.pure(rows) for rows in pure_plays(model)]
        # All players together keep it going from somewhere if and only if some one play, by both, has a set of states
        # that it never leaves: then even its chance of ending is 0 there.
        n = model.n_states
        passes = model.transition[:, :n] + model.transition[:, n:]
        ends_for_certain = True
        for play in plays:
            rows = np.flatnonzero(play)
            ending = model.ends[rows] > 0
            for _ in range(n):
                ending |= passes[rows] @ ending.astype(float) > 0
            ends_for_certain &= bool(ending.all())
        assert model.always_ends == ends_for_certain, f"game {seed}"


def test_trembling_replaces_an_action_by_any_other_as_likely():
    rng = np.random.default_rng(0)
    model = model_of_table(random_table(rng, 4, endless=True))
    shaken, behaviour = model.trembling(0.25), mixed(model, rng, 0.3)
    same = 0.75 * behaviour + 0.25 * model.uniform()
    own = np.zeros((model.n_states, model.n_rows))
    own[model.row_state, np.arange(model.n_rows)] = 1.0
    for part in ("win", "loss", "ends", "cost"):
        np.testing.assert_allclose(
            own * behaviour @ getattr(shaken, part), own * same @ getattr(model, part), atol=1e-15
        )
    np.testing.assert_allclose(
        (own * behaviour) @ shaken.transition.toarray(), (own * same) @ model.transition.toarray(), atol=1e-15
    )
