"""Value iteration from both ends, on the whole solo game, meets the solver's numbers."""

import numpy as np
import pytest

from nenette.exact import solve
from nenette.exact.solo.both_ends import bracket, main
from nenette.exact.solo.states import N_SETS, N_STATES, index
from nenette.games import make_game

ROUNDING = 1e-11


@pytest.mark.slow
def test_the_bounds_of_all_states_hold_the_solvers_values(own_cache):
    found = bracket(1e-9)
    sets = np.arange(N_SETS)
    apart, states = 0.0, 0
    turns = solve(make_game("demi-iles-solo")).turns
    for score in range(22):
        inside = sets if score in (0, 21) else sets[(sets >> (score - 1)) & 1 > 0]
        kept = turns[index(np.full(len(inside), score), inside)]
        low, high = found.low[inside, score], found.high[inside, score]
        assert (low <= kept + ROUNDING).all()
        assert (kept <= high + ROUNDING).all()
        apart, states = max(apart, float((high - low).max())), states + len(kept)
        assert np.isnan(np.delete(found.low[:, score], inside)).all()
    assert states == N_STATES
    assert 0 < apart < 1e-9
    assert found.low[0, 0] <= 80.88307334379842 <= found.high[0, 0]
    assert found.low[-1, 21] == found.high[-1, 21] == 0


@pytest.mark.parametrize("width", ["1e-11", "0", "nan", "-1"])
def test_a_width_that_rounding_does_not_allow_is_refused(width, capsys):
    with pytest.raises(SystemExit) as left:
        main(["--width", width])
    assert left.value.code == 2
    assert f"a width of {float(width)} is less than rounding allows, 1e-10" in capsys.readouterr().err
