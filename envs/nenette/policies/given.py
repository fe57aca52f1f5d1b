"""What people hand over as a game or as a policy, as what the rest of the package works with."""

import os
from typing import Any

from nenette.games import Game, make_game
from nenette.policies.ladders import table_named
from nenette.policies.load import load_opponent
from nenette.policies.policy import Masks, Observations, Policy, Probabilities, name_of

__all__ = ["GivenPolicy", "as_game", "as_policy"]

GivenPolicy = Policy | str | os.PathLike[str]
"""A policy, or what `nenette.load_opponent` takes."""


def as_game(given: Game[Any] | str) -> Game[Any]:
    """The game itself, or the one of that name with its default rules; "demi-iles-3" is demi-iles with three players.

    Raises:
        ValueError: it is neither, or no game has that name.
    """
    if isinstance(given, str):
        return table_named(given) or make_game(given)
    if not isinstance(given, Game):
        raise ValueError(f"a game is a nenette.games.Game or a name such as '421', not {_kind(given)}")
    return given


def as_policy(given: GivenPolicy, game: Game[Any]) -> Policy:
    """The policy itself, or the one that `nenette.load_opponent` finds; one without a name is called after its class.

    Raises:
        ValueError: it is no policy, or there is none of that name.
    """
    if isinstance(given, str | os.PathLike):
        return load_opponent(given, game)
    if isinstance(given, type) or not callable(getattr(given, "action_probabilities", None)):
        raise ValueError(
            "a policy is an object with action_probabilities(observations, masks), a name such as 'random', or the "
            f"folder of a run, not {_kind(given)}"
        )
    return given if isinstance(getattr(given, "name", None), str) else _Named(given)


class _Named:
    """A policy that does not say how it is called: by the name of its class."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name = name_of(policy)

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """The policy's own; see `nenette.policies.Policy`."""
        return self._policy.action_probabilities(observations, masks)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") or attribute == "_policy":  # copies and pickles ask before there is a policy
            raise AttributeError(attribute)
        return getattr(self._policy, attribute)


def _kind(given: object) -> str:
    kind = given.__name__ if isinstance(given, type) else type(given).__name__
    return f"the class {kind} (an object of it was expected)" if isinstance(given, type) else f"an object of {kind}"
