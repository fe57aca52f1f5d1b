"""Past selves that are met the more often the better they still do against the learner.

This is prioritised fictitious self-play: copies that are beaten for certain teach little, and one that still wins shows
what has been forgotten. A copy's weight is (1 - x)², where x is how often the learner wins against it, as for the main
agents of AlphaStar (Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning",
Nature 575, 2019). There an opponent is drawn for each game; here each copy is assigned some of the environments.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from nenette.games import Game
from nenette.policies.policy import Policy
from nenette_agents import states
from nenette_agents.self_play.past_selves import Opponents, PastSelves

__all__ = ["PrioritizedPastSelves", "Record", "apportion", "reassign"]

_PRIOR = 10.0
"""Games, half of them won, that every copy is taken to have behind it: it once was the learner itself."""
_FADING = 0.5
"""What a game counts for after each renewal: the learner has changed since."""


@dataclass
class Record:
    """The learner's games against a copy.

    Attributes:
        games: how many.
        won: how many of them were won, that is with a return above 0; a draw is half a game won.
    """

    games: float = 0.0
    won: float = 0.0

    @property
    def weight(self) -> float:
        """Of the copy among all."""
        return (1 - (self.won + _PRIOR / 2) / (self.games + _PRIOR)) ** 2

    def fade(self) -> None:
        """Lets what was played so far count for less."""
        self.games *= _FADING
        self.won *= _FADING


def apportion(weights: Sequence[float], n: int) -> list[int]:
    """How many of `n` environments each copy gets: one, if there are enough, and of the others as its weight says.

    Rounded by largest remainders; of equal ones the last comes first. Where all weights are 0 they are taken as equal.
    """
    least = 1 if n >= len(weights) else 0
    others = n - least * len(weights)
    total = sum(weights)
    shares = [others * (weight / total if total else 1 / len(weights)) for weight in weights]
    counts = [int(share) for share in shares]
    by_remainder = sorted(range(len(weights)), key=lambda k: (shares[k] - counts[k], k), reverse=True)
    for k in by_remainder[: others - sum(counts)]:
        counts[k] += 1
    return [least + count for count in counts]


def reassign(before: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Which copy plays in each environment, as often as `counts` says; one that may stay where it was stays.

    `before` has a negative number where one was that is kept no more.
    """
    left = list(counts)
    after = [-1] * len(before)
    for place, k in enumerate(before):
        if k >= 0 and left[k]:
            left[k] -= 1
            after[place] = k
    coming = (k for k, count in enumerate(left) for _ in range(count))
    return [next(coming) if k < 0 else k for k in after]


class PrioritizedPastSelves(PastSelves):
    """The last `copies` policies that the learner had; each renewal assigns the environments anew, by strength.

    Only games count in which no opponent was replaced on the way.
    """

    def __init__(self, copies: int, game: Game[Any], opponents: Opponents) -> None:
        """Past selves in the environments of `opponents`, in which nobody has played."""
        super().__init__(copies, game)
        self._opponents = opponents
        self._records: deque[Record] = deque(maxlen=copies)
        self._environments: VecEnv | None = None
        # Copies go by the number of the renewal that they came with.
        self._assigned: NDArray[np.int64] = np.zeros(opponents.n_past, dtype=np.int64)
        self._whole = np.ones(len(opponents.past_at), dtype=np.bool_)

    def enter(self, environments: VecEnv) -> None:
        """From now on it is these environments that are assigned."""
        self._environments = environments

    def watch(self, dones: NDArray[np.bool_], infos: Sequence[dict[str, Any]]) -> None:
        """Takes in the results of the games that have ended.

        Args:
            dones: bool (slots,): of a step, where a game has ended.
            infos: of each slot; `VecMonitor` has put in the return of the game.
        """
        first, oldest = self._opponents.first_slot, self._oldest
        for k in np.flatnonzero(dones[first:]).tolist():
            if self._whole[k]:
                # How large the return of a win or a loss is depends on the number of players, and on the game.
                won = (1 + float(np.sign(infos[first + k]["episode"]["r"]))) / 2
                for place in self._opponents.past_at[k]:
                    if place >= 0:
                        record = self._records[self._assigned[place] - oldest]
                        record.games += 1
                        record.won += won
            self._whole[k] = True

    def renew(self, policy: Policy) -> None:
        """Takes in the newest policy in place of the oldest, and assigns the environments."""
        super().renew(policy)
        for record in self._records:
            record.fade()
        self._records.append(Record())
        counts = apportion([record.weight for record in self._records], self._opponents.n_past)
        seated = np.array(reassign((self._assigned - self._oldest).tolist(), counts), dtype=np.int64) + self._oldest
        moved = np.append(seated != self._assigned, False)  # the last is for -1: somebody else
        self._whole &= ~moved[self._opponents.past_at].any(axis=1)
        self._assigned = seated
        self._replace()

    @property
    def _oldest(self) -> int:
        return self.renewals - len(self._copies)

    def _replace(self) -> None:
        if self._environments is not None:
            past_selves = [self.policies[k] for k in (self._assigned - self._oldest).tolist()]
            self._opponents.replace_past(self._environments, past_selves)

    def state(self) -> dict[str, Any]:
        """The kept policies, the games against each, and where each plays."""
        return {
            **super().state(),
            "games": np.array([record.games for record in self._records]),
            "won": np.array([record.won for record in self._records]),
            "seated": self._assigned.copy(),
            "whole": self._whole.copy(),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Plays as then, in the same places.

        Raises:
            ValueError: the state's policies do not fit the game, or it is of other environments.
        """
        super().load_state(state)
        games, won = (states.array(state, name, (len(self._copies),), np.float64) for name in ("games", "won"))
        if ((won < 0) | (won > games)).any():
            raise ValueError("won is negative or larger than games, and numbers from 0 to games were expected")
        self._records.clear()
        self._records.extend(map(Record, games.tolist(), won.tolist()))
        seated = states.array(state, "seated", self._assigned.shape, np.int64)
        if ((seated < self._oldest) | (seated >= self.renewals)).any():
            raise ValueError("a copy that is not kept is assigned an environment")
        self._assigned = seated.copy()
        self._whole = states.array(state, "whole", self._whole.shape, np.bool_).copy()
        self._replace()
