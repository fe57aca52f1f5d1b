"""Scores in 421 for three: one player loses, and all others share the win."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nenette.exact import Unsolvable
from nenette.exact.behaviours import Floats
from nenette.exact.quatre21_many import PlayedMatch, check_losses
from nenette.exact.quatre21_played import PlayedRounds, TablePlayer
from nenette.games import Game
from nenette.games.quatre21 import Quatre21
from nenette.matches.result import Score
from nenette.matches.several import Met, names_of, orders_of
from nenette.policies.ask import ask
from nenette.policies.players import GREEDY, SAMPLED, other_player
from nenette.policies.policy import Masks, Observations, Policy, Probabilities

__all__ = ["LossKey", "Sitting", "score_losses"]


class Sitting:
    """A policy at a table of 421: one object for each, however many seats it has.

    Attributes:
        name: the policy's.
        player: the same for the solver.
        pure: whether it took one action for certain wherever it has been asked so far.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name = policy.name
        self.player = TablePlayer(self._asked, looks_at(policy))
        self.pure = True

    @property
    def plays(self) -> str:
        """`GREEDY` or `SAMPLED`, once it has been scored."""
        return GREEDY if self.pure else SAMPLED

    def _asked(self, observations: Observations, masks: Masks) -> Probabilities:
        found = ask(self._policy, observations, masks)
        self.pure = self.pure and bool((found.max(axis=1) == 1.0).all())
        return found


class LossKey:
    """What scoring profiles of 421 for three needs; what a policy does is asked once for all of them.

    Attributes:
        game: what is played.
    """

    def __init__(self, game: Game[Any], *, anybody: bool = False) -> None:
        """Makes it.

        Args:
            game: 421, never cut.
            anybody: whether to ask policies that may look at everything, which takes long; else only those are scored
                that say what they look at (`looks_at`), as rules of thumb do.

        Raises:
            Unsolvable: another game, or too many players.
        """
        if game.max_turns is not None:
            raise Unsolvable(f"{game.name} with {game.players} players is scored exactly where it is not cut")
        self.game: Quatre21 = check_losses(game)
        self._anybody = anybody
        self._rounds = PlayedRounds(self.game)

    def sitting(self, policy: Policy) -> Sitting:
        """The policy at this table.

        Raises:
            Unsolvable: it may look at everything.
        """
        found = Sitting(policy)
        if found.player.looks_at is None and not self._anybody:
            raise Unsolvable(
                f"{policy.name} may look at everything, which is some 70 million situations in 421: nenette evaluate "
                "plays games, and a network trained with network.looks_at can be scored exactly"
            )
        return found

    def losing(self, table: Sequence[Sitting]) -> Floats:
        """float64, (players,): how often the first of `table` loses, by how many seats after the leader it sits."""
        n = self.game.players
        match = PlayedMatch(self.game, [one.player for one in table], self._rounds)
        # Seats differ by who leads the first charge alone: the policy stays at seat 0, and the others lead.
        return np.array([match.losing((0,) * n, -seat % n)[0] for seat in range(n)])

    def alone_among(self, policy: Sitting, other: Sitting) -> Met:
        """How `policy` fares where `other` sits at all other seats, from every seat equally often."""
        loss = float(self.losing([policy, *[other] * (self.game.players - 1)]).mean())
        return Met(1.0 - loss, 0.0, loss, (1.0 - loss) / (self.game.players - 1) - loss)


def score_losses(
    policy: Policy, game: Game[Any], others: Sequence[Policy], *, anybody: bool, both: bool = False
) -> Score:
    """The exact score in 421, where one player loses and all others share the win.

    Args:
        policy: who is scored.
        game: 421, never cut.
        others: who sits at the other seats.
        anybody: see `LossKey`.
        both: whether to score the same network played the other way, too.

    Raises:
        Unsolvable: another game, too many players, or a policy that may look at everything.
    """
    key = LossKey(game, anybody=anybody)
    known = {id(one): key.sitting(one) for one in (policy, *others)}
    orders = [[known[id(one)] for one in order] for order in orders_of(others)]
    result = _score(key, known[id(policy)], orders, names_of(others))
    other = other_player(policy) if both else None
    if other is None:
        return result
    differently = _score(key, key.sitting(other), orders, names_of(others))
    return result if differently.plays == result.plays else replace(result, other_player=differently)


def _score(key: LossKey, policy: Sitting, orders: Sequence[Sequence[Sitting]], against: str) -> Score:
    lost = np.mean([key.losing([policy, *order]) for order in orders], axis=0)
    values = (1.0 - lost) / (key.game.players - 1) - lost
    loss = float(lost.mean())
    return Score(
        policy.name,
        key.game.name,
        against,
        True,
        1.0 - loss,
        0.0,
        loss,
        float(values.mean()),
        values.tolist(),
        plays=policy.plays,
    )


def looks_at(policy: Policy) -> Sequence[str] | None:
    """What a policy says that it looks at; None: it may look at everything."""
    found: Sequence[str] | None = getattr(policy, "looks_at", None)
    return found
