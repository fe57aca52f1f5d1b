"""How much hands may tremble before the play that is best then can be exploited by a steady one."""

import pytest

from nenette.exact import answer_key
from nenette.exact.zero_sum import solve_zero_sum
from nenette.games import make_game


@pytest.mark.parametrize(("share", "exploitability"), [(0.1, 0.0), (0.2, 0.0), (0.3, 1.0)])
def test_up_to_a_fifth_of_all_moves_may_slip(share, exploitability):
    key = answer_key(make_game("demi-iles"))
    play = key.model.pure(solve_zero_sum(key.model.trembling(share)).rows)
    assert key.exploitability(play) == pytest.approx(exploitability, abs=1e-9)
