"""Scores in 421 for three: one player loses, and all others share the win."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nenette.exact import Unsolvable
from nenette.exact.quatre21_many import losses
from nenette.exact.quatre21_played import TablePlayer
from nenette.games import Game
from nenette.matches.result import Score
from nenette.matches.several import names_of, orders_of
from nenette.policies.ask import ask
from nenette.policies.policy import Policy

__all__ = ["score_losses"]


def score_losses(policy: Policy, game: Game[Any], others: Sequence[Policy], *, anybody: bool) -> Score:
    """The exact score in 421, where one player loses and all others share the win.

    Args:
        policy: who is scored.
        game: 421, never cut.
        others: who sits at the other seats.
        anybody: whether to ask policies that may look at everything, which takes long; else only those are scored that
            say what they look at (`looks_at`), as rules of thumb do.

    Raises:
        Unsolvable: another game, too many players, or a policy that may look at everything.
    """
    if game.max_turns is not None:
        raise Unsolvable(f"{game.name} with {game.players} players is scored exactly where it is not cut")
    policies = {id(one): one for one in (policy, *others)}
    players = {key: TablePlayer(partial(ask, one), _looks_at(one)) for key, one in policies.items()}
    for key, player in players.items():
        if player.looks_at is None and not anybody:
            raise Unsolvable(f"{policies[key].name} may look at everything, which is some 70 million situations in 421")
    n = game.players
    # Seats differ by who leads the first charge alone: the policy stays at seat 0, and the others lead.
    each = [losses(game, [players[id(one)] for one in (policy, *order)]).chances[:, 0] for order in orders_of(others)]
    lost = np.mean(each, axis=0)[[-seat % n for seat in range(n)]]
    values = (1.0 - lost) / (n - 1) - lost
    loss = float(lost.mean())
    return Score(
        policy.name,
        game.name,
        names_of(others),
        True,
        1.0 - loss,
        0.0,
        loss,
        float(values.mean()),
        values.tolist(),
    )


def _looks_at(policy: Policy) -> Sequence[str] | None:
    """What a policy says that it looks at; None: it may look at everything."""
    found: Sequence[str] | None = getattr(policy, "looks_at", None)
    return found
