"""From the solver's equilibrium of three players to a certificate: the part that knows the solver."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from nenette.exact.certificates.several import TURN, UNIT, SeveralCertificate, prove
from nenette.exact.certificates.several_walk import walk_several
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.certified import cache_figures
from nenette.exact.many.chain import Round, RoundSystem
from nenette.exact.many.coalition import coalition
from nenette.exact.many.model import many_model
from nenette.exact.many.solution import solve_many
from nenette.games import Game, spec_of

_SLACK = 1.01
"""The stated turns that are left are so many times those that are really left: the check allows no rounding."""


def certify_several(game: Game[Any], *, use_cache: bool = True) -> SeveralCertificate:
    """A certificate of the solver's equilibrium of `game`, proved.

    Args:
        game: demi-iles with three players.
        use_cache: read the solution from the cache, and write the figures there, from where `nenette solve` takes them.

    Raises:
        CertificateError: the solution cannot be proved to be right.
        Unsolvable: there is no solution.
    """
    if spec_of(game) is None:
        raise CertificateError(
            f"certificates are about the games that come with the package, not about a variation, {type(game).__name__}"
        )
    states = walk_several(game)
    n = game.players
    solution = solve_many(game, use_cache=use_cache)
    model = many_model(game)
    epsilon = Fraction(solution.facts["epsilon"]).limit_denominator(1_000_000)
    trembling = model.trembling(float(epsilon))
    place = {tuple(fields): index for index, fields in enumerate(model.fields.tolist())}
    where = np.array([place[fields] for fields in states.fields])
    actions = solution.actions_of(model.fields)
    rows = np.flatnonzero(model.row_action == actions[model.row_state])
    everybody = Round.of(trembling, [model.pure(rows)] * n)
    system = RoundSystem(everybody)
    wins = np.stack(everybody.chances(0, system), axis=1)[where]  # by seat to move: seat 0 sits -m seats after it
    values = (wins * (1 + 1 / (n - 1)) - 1 / (n - 1))[:, [-j % n for j in range(n)]]
    turns = system.solve([np.ones(model.n_states)] * n)[0][where]
    together = coalition(trembling)
    taken = np.stack([model.row_action[together.rows[-j % n]] for j in range(1, n)], axis=1)[where]
    draft = SeveralCertificate(
        game,
        f"{epsilon.numerator}/{epsilon.denominator}",
        len(states),
        "".join(map(str, actions[where].tolist())),
        [round(Fraction(value) * UNIT) for value in values.ravel().tolist()],
        [round(value * _SLACK * TURN) for value in turns.tolist()],
        "".join(map(str, taken.ravel().tolist())),
        {},
    )
    certificate = replace(draft, exact=prove(draft, states))
    if use_cache:
        cache_figures(game, certificate.exact)
    return certificate
