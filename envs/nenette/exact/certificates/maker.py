"""From the solver's solution to a certificate: the one part of the certificates that knows the solver."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from nenette.exact.certificates.claims import subject, written
from nenette.exact.certificates.endless import MOVES, WAITS, Bounds, after
from nenette.exact.certificates.files import Certificate, encode, encode_bounds, prove
from nenette.exact.certificates.walk import CertificateError, Walk, walk
from nenette.exact.certified import cache_figures
from nenette.exact.models import model_of
from nenette.exact.responses import best_response
from nenette.exact.solution import solve_for_two
from nenette.games import Game, spec_of

_NOTHING = 1e-9
"""Values of the best response below this are held to be 0; the proof says whether they are."""


def certify(game: Game[Any], *, use_cache: bool = True) -> Certificate:
    """A certificate of the solver's solution of `game`, proved.

    Args:
        game: demi-iles for two, or 421.
        use_cache: read the solution from the cache, and write the figures there, from where `nenette solve` takes them.

    Raises:
        CertificateError: the solution cannot be proved to be right.
        Unsolvable: there is no solution.
    """
    if spec_of(game) is None:
        raise CertificateError(
            f"certificates are about the games that come with the package, not about a variation, {type(game).__name__}"
        )
    about = subject(game.name)
    states = walk(about.core(game))
    solution = solve_for_two(states.game, use_cache=use_cache)
    actions = solution.actions_of(np.array(states.fields)).tolist()
    play = [[row.action for row in rows].index(action) for rows, action in zip(states.rows, actions, strict=True)]
    endless = encode_bounds(_bounds(states, play)) if about.endless else {}
    draft = Certificate(game, written(about.epsilon), len(states), encode(states, play), endless, {})
    exact, unique = prove(draft, states)
    certificate = replace(draft, exact=exact, unique=unique)
    if use_cache:
        cache_figures(game, certificate.exact)
    return certificate


def _bounds(walk: Walk, play: list[int]) -> Bounds:
    """What the best response to the play gets in the endless game, exactly; zeros are left out.

    The solver says, up to rounding, where that is not 0 and what the best response does there. The exact values are
    those of doing that.
    """
    model = model_of(walk.game)
    place = {tuple(fields): index for index, fields in enumerate(model.fields.tolist())}
    where = np.array([place[fields] for fields in walk.fields])
    rows_played = model.row_start[:-1].copy()
    rows_played[where] += play  # both list the actions of a state in ascending order
    response = best_response(model, model.pure(rows_played))
    values = response.values[where]
    chosen = model.row_action[response.rows[where]].tolist()
    pairs = [(int(state), int(side)) for state, side in np.argwhere(np.abs(values) > _NOTHING)]
    column = {pair: i for i, pair in enumerate(pairs)}
    n = len(pairs)
    system, right = fmpq_mat(n, n), fmpq_mat(n, 1)
    for (state, side), i in column.items():
        rows = walk.rows[state]
        row = rows[play[state]] if side == WAITS else next(r for r in rows if r.action == chosen[state])
        system[i, i] = 1
        right[i, 0] = fmpq(row.payoff if side == MOVES else -row.payoff, row.total)
        for pair, weight in zip(after(row, side), row.weights, strict=True):
            if pair in column:
                system[i, column[pair]] -= fmpq(weight, row.total)
    solved = system.solve(right)
    return {pair: Fraction(int(solved[i, 0].p), int(solved[i, 0].q)) for pair, i in column.items()}
