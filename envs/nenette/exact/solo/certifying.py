"""From the solver's solution of the solo game to a certificate: the only part of the proof that uses the solver."""

from fractions import Fraction

import numpy as np

from nenette.exact.solo.bounds import SHAPE, enclose, full_set, is_state
from nenette.exact.solo.certificate import GRID, SoloCertificate, prove_bounds
from nenette.exact.solo.solving import solve_solo
from nenette.exact.solo.states import index, unpack
from nenette.games.demi_iles import DemiIlesSolo

__all__ = ["certify_solo"]


def certify_solo(game: DemiIlesSolo, *, use_cache: bool = True) -> SoloCertificate:
    """A certificate of the cached solution, proved.

    Args:
        game: its `max_turns` makes no difference.
        use_cache: as in `nenette.exact.solve`.

    Raises:
        CertificateError: the solution cannot be proved to be right.
    """
    optimum = solve_solo(game, use_cache=use_cache)
    sets, scores = np.nonzero(is_state(np.arange(SHAPE[0])))
    where = index(scores, sets)
    actions, turns = np.zeros(SHAPE, dtype=np.uint8), np.zeros(SHAPE)
    actions[sets, scores], turns[sets, scores] = unpack(optimum.packed, where), optimum.turns[where]
    enclose(turns, actions)  # the cached turns themselves are good
    lower, upper = prove_bounds(actions)
    half = Fraction(1, 2)  # another machine rounds differently, by much less than that
    claimed = (Fraction(round(lower * GRID - half) - 1, GRID), Fraction(round(upper * GRID + half) + 1, GRID))
    return SoloCertificate(actions, *claimed, full_set(actions))
