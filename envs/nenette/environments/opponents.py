"""The other seats: policies that are asked for an action when it is their move and there is something to decide."""

import os
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from nenette.games import Game
from nenette.games.identity import SameGame
from nenette.policies import Policy, load_opponent, make_policy
from nenette.policies.policy import name_of
from nenette.policies.registry import is_policy

OpponentChoice = str | os.PathLike[str] | Policy
"""A policy's name, what `nenette.load_opponent` reads, or a policy."""

_MOST_CACHED = 1 << 16


class Opponent:
    """A policy that plays one state at a time.

    The probabilities of a policy that never changes are cached by state: asking a network or a table again takes far
    longer than looking them up, and changes nothing. Policies made by name never change. A policy object may change,
    unless it has an attribute `fixed` that is true.

    Attributes:
        policy: who decides.
        name: what the account calls it.
        fixed: whether the policy never changes.
    """

    def __init__(self, game: Game[Any], policy: Policy, *, fixed: bool, registered: str | None = None) -> None:
        self.policy = policy
        self.name = name_of(policy)
        self._game = game
        self.fixed = fixed
        self._registered = registered
        self._probabilities: dict[Any, list[float]] = {}

    def act(self, state: Any, legal: tuple[int, ...], rng: np.random.Generator) -> int:
        """An action for the seat to move, drawn with the policy's probabilities; one random number is used.

        Raises:
            ValueError: the policy has chosen an action that is not legal.
        """
        probabilities = self._probabilities.get(state)
        if probabilities is None:
            probabilities = self._cumulative_probabilities(state, legal)
            if self.fixed:
                if len(self._probabilities) >= _MOST_CACHED:
                    self._probabilities.clear()
                self._probabilities[state] = probabilities
        action = bisect_right(probabilities, rng.random() * probabilities[-1])
        if action not in legal:
            may = ", ".join(map(str, legal))
            raise ValueError(f"the opponent {self.name!r} chose action {action} in {state}, where {may} are legal")
        return action

    def _cumulative_probabilities(self, state: Any, legal: tuple[int, ...]) -> list[float]:
        game = self._game
        observation = game.codec.encode_one(game.encode(state, game.seat(state)))
        mask = np.zeros((1, game.n_actions), dtype=np.int8)
        mask[0, list(legal)] = 1
        return list(accumulate(self.policy.action_probabilities(observation[None], mask)[0].tolist()))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Opponent":
        """Itself: policies have no memory of a game."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A policy made by name is pickled as its name, however large its tables; others are pickled whole."""
        if self._registered is not None:
            return _named_opponent, (self._registered, self._game)
        return _other_opponent, (self._game, self.policy, self.fixed)


def _named_opponent(name: str, game: Game[Any]) -> Opponent:
    return _registered_opponent(name, SameGame.of(game))


@lru_cache(maxsize=16)
def _registered_opponent(name: str, same: SameGame) -> Opponent:
    return Opponent(same.game, make_policy(name, same.game), fixed=True, registered=name)


def _other_opponent(game: Game[Any], policy: Policy, fixed: bool) -> Opponent:
    return Opponent(game, policy, fixed=fixed)


def _seated(choice: object, game: Game[Any]) -> Opponent:
    if isinstance(choice, str | os.PathLike):
        if is_policy(choice, game):
            return _named_opponent(str(choice), game)
        return Opponent(game, load_opponent(choice, game), fixed=True)
    if not callable(getattr(choice, "action_probabilities", None)):
        raise ValueError(
            f"an opponent is a policy's name, a run's path or a policy (with action_probabilities), not {choice!r}"
        )
    policy: Policy = choice  # type: ignore[assignment]
    return Opponent(game, policy, fixed=bool(getattr(policy, "fixed", False)))


def seat_opponents(game: Game[Any], choice: OpponentChoice | Sequence[OpponentChoice]) -> tuple[Opponent, ...]:
    """The other seats' players, in turn order after the learner's seat.

    Args:
        game: what is played.
        choice: one name or policy for all other seats, or a list of one for all or of one for each.

    Raises:
        ValueError: a name that is not registered, something that is no policy, or a list of another length.
    """
    others = game.players - 1
    listed = list(choice) if isinstance(choice, list | tuple) else [choice]
    if len(listed) not in {1, others}:
        wanted = "1" if others == 1 else f"1 or {others}"
        raise ValueError(f"opponents is a name, a policy or a list of {wanted} of them, not a list of {len(listed)}")
    seated = [_seated(one, game) for one in listed]
    return tuple(seated * others if len(seated) == 1 else seated)
