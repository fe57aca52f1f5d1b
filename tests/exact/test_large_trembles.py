"""How much hands may tremble before the play that is best then can be exploited by a steady one."""

from itertools import pairwise

import numpy as np
import pytest

from nenette.exact import answer_key
from nenette.exact.zero_sum import solve_zero_sum
from nenette.games import make_game


@pytest.mark.parametrize(("share", "exploitability"), [(0.1, 0.0), (0.2, 0.0), (0.3, 1.0)])
def test_up_to_a_fifth_of_all_moves_may_slip(share, exploitability):
    key = answer_key(make_game("demi-iles"))
    play = key.model.pure(solve_zero_sum(key.model.trembling(share)).rows)
    assert key.exploitability(play) == pytest.approx(exploitability, abs=1e-9)


@pytest.mark.parametrize(("discount", "exploitability"), [(0.95, 0.0), (0.5, 0.0), (0.1, 0.2367491166)])
def test_a_discount_leaves_it_as_safe_unless_it_sees_no_further_than_the_next_throw(discount, exploitability):
    """Self-play is trained with a small discount: in the endless game without slips its optimum cannot be exploited."""
    key = answer_key(make_game("demi-iles"))
    model = key.model.trembling(0.1)
    # What a state is worth to the other side is as much less to the mover.
    steps = model.transition[:, : model.n_states] - model.transition[:, model.n_states :]
    values = np.zeros(model.n_states)
    for _ in range(1000):
        worth = model.payoff + discount * (steps @ values)
        values = np.maximum.reduceat(worth, model.row_start[:-1])
    best = [low + worth[low:high].argmax() for low, high in pairwise(model.row_start)]
    assert key.exploitability(key.model.pure(np.array(best))) == pytest.approx(exploitability, abs=1e-9)
    worst = [low + worth[low:high].argmin() for low, high in pairwise(model.row_start)]
    assert key.exploitability(key.model.pure(np.array(worst))) == 1.0
