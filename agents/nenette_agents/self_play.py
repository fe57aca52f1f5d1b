"""Self-play: the opponents of a learner, and its past selves among them, which are frozen copies of it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

import nenette
from nenette.games import Game
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Masks, Observations, Policy, Probabilities
from nenette_agents import states
from nenette_agents.config.named import PAST, Assignment
from nenette_agents.environments.vec_env import NativeVecEnv, SideBySideVecEnv

__all__ = ["FrozenPolicy", "Opponents", "PastSelves", "PrioritizedPastSelves", "Record", "apportion", "reassign"]


class Opponents:
    """The opponents of an assignment, loaded, and the environments in which each plays.

    Each environment has an opponent of its own. If more than one seat is not the learner's, the opponents of the
    environments after it follow.

    Attributes:
        first_slot: how many slots come before these environments' slots.
        n_past: how many environments have `past` as their own opponent.
        past_at: int64 (environments, players - 1): which of those `past` is at each seat; -1: another opponent.
    """

    def __init__(self, assignment: Assignment, game: Game[Any]) -> None:
        """Loads them.

        Raises:
            ValueError: one of them cannot be loaded.
        """
        names = assignment.opponents
        self._loaded = {name: nenette.load_opponent(name, game) for name in dict.fromkeys(names) if name != PAST}
        self._names = names
        self.first_slot = assignment.self_games * game.players
        self.n_past = names.count(PAST)
        number = np.cumsum([name == PAST for name in names], dtype=np.int64) - 1
        number[[name != PAST for name in names]] = -1
        places = np.arange(len(names))[:, None] + np.arange(game.players - 1)
        self._at = places % max(1, len(names))
        self.past_at = number[self._at]

    def of_each(self, past_selves: Sequence[Policy]) -> list[list[Policy]]:
        """The opponents of each environment, if `past_selves` take turns where the opponent is `past`."""
        past = islice(cycle(past_selves), self.n_past)
        each = [next(past) if name == PAST else self._loaded[name] for name in self._names]
        return [[each[place] for place in places] for places in self._at.tolist()]

    def replace_past(self, environments: VecEnv, past_selves: Sequence[Policy]) -> None:
        """Lets `past_selves` play wherever in these environments the opponent is `past`, from their next move on."""
        inside = environments.unwrapped
        native = inside.parts[-1] if isinstance(inside, SideBySideVecEnv) else inside
        assert isinstance(native, NativeVecEnv)
        native.env.set_opponents(of_each=self.of_each(past_selves))


_MOST_CACHED = 1 << 16


class FrozenPolicy:
    """An opponent whose policy is put in from outside and stays until it is renewed.

    Probabilities of single observations are cached until then: looking them up is far quicker than asking the network.

    Attributes:
        name: "past".
    """

    name = PAST

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._cache: dict[bytes, Probabilities] = {}

    @property
    def plays(self) -> bool:
        """Whether a policy has been put in."""
        return self._policy is not None

    def renew(self, policy: Policy) -> None:
        """From now on this plays as `policy` does."""
        self._policy = policy
        self._cache.clear()

    def action_probabilities(self, observations: Observations, masks: Masks) -> Probabilities:
        """The frozen policy's probabilities.

        Raises:
            RuntimeError: nothing has been put in yet.
        """
        if self._policy is None:
            raise RuntimeError("a frozen copy was asked to play before it was given a policy")
        if len(observations) != 1:
            return self._policy.action_probabilities(observations, masks)
        key = observations.tobytes()
        probabilities = self._cache.get(key)
        if probabilities is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            probabilities = self._cache[key] = self._policy.action_probabilities(observations, masks)
        return probabilities


class PastSelves:
    """The last `copies` policies that the learner had, each of them the opponent in some of the environments.

    Attributes:
        policies: what plays there, the same objects throughout the training.
        renewals: how often `renew` was called.
    """

    def __init__(self, copies: int, game: Game[Any]) -> None:
        self._game = game
        self.policies = [FrozenPolicy() for _ in range(copies)]
        self.renewals = 0
        self._copies: deque[Policy] = deque(maxlen=copies)

    def enter(self, environments: VecEnv) -> None:
        """Is given the environments in which the past selves play, once they are made; does nothing with them."""

    def renew(self, policy: Policy) -> None:
        """Takes in the newest policy in place of the oldest; until there are enough, one plays in several places."""
        self._copies.append(policy)
        self.renewals += 1
        self._refresh()

    def watch(self, dones: NDArray[np.bool_], infos: Sequence[dict[str, Any]]) -> None:
        """Is given each step of all slots, and does nothing: the copies take turns, however games end."""

    def _refresh(self) -> None:
        for place, opponent in enumerate(self.policies):
            opponent.renew(self._copies[place % len(self._copies)])

    def state(self) -> dict[str, Any]:
        """The kept policies, the oldest first, all of them networks: their layers, and what else they are made of."""
        networks = [policy for policy in self._copies if isinstance(policy, NetworkPolicy)]
        state: dict[str, Any] = {
            "renewals": self.renewals,
            "networks": [
                {"head": n.head, "activation": n.activation, "crossed": n.crossed, "layers": len(n.layers)}
                for n in networks
            ],
        }
        for k, network in enumerate(networks):
            for place, (weight, bias) in enumerate(network.layers):
                state[f"{k}.{place}.weight"], state[f"{k}.{place}.bias"] = weight, bias
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores the policies that `state` gave.

        Raises:
            ValueError: the state's policies do not fit the game.
        """
        game = self._game
        self._copies.clear()
        for k, network in enumerate(state["networks"]):
            layers = [(state[f"{k}.{place}.weight"], state[f"{k}.{place}.bias"]) for place in range(network["layers"])]
            made_of = {name: network[name] for name in ("head", "activation", "crossed")}
            self._copies.append(NetworkPolicy(game, layers, name=FrozenPolicy.name, **made_of))
        self.renewals = int(state["renewals"])
        self._refresh()


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
        """The copy's weight among all, from 0 to 1: the larger, the fewer games against it are won."""
        return (1 - (self.won + _PRIOR / 2) / (self.games + _PRIOR)) ** 2

    def fade(self) -> None:
        """Halves what the games so far count for."""
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
    """Past selves that are met the more often the better they still do against the learner.

    This is prioritised fictitious self-play: copies that are beaten for certain teach little, and one that still wins
    shows what has been forgotten. A copy's weight is (1 - x)², where x is how often the learner wins against it, as for
    the main agents of AlphaStar. There an opponent is drawn for each game; here each renewal assigns the environments
    anew. Only games count in which no opponent was replaced on the way.

    Source: Vinyals et al., Grandmaster level in StarCraft II using multi-agent reinforcement learning, Nature, 2019.
    """

    def __init__(self, copies: int, game: Game[Any], opponents: Opponents) -> None:
        """Past selves in the environments of `opponents`, in which no game has been played."""
        super().__init__(copies, game)
        self._opponents = opponents
        self._records: deque[Record] = deque(maxlen=copies)
        self._environments: VecEnv | None = None
        # Copies go by the number of the renewal that they came with.
        self._assigned: NDArray[np.int64] = np.zeros(opponents.n_past, dtype=np.int64)
        self._whole = np.ones(len(opponents.past_at), dtype=np.bool_)

    def enter(self, environments: VecEnv) -> None:
        """Takes the environments that are to be assigned."""
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
        """Restores the policies that `state` gave, and where each plays.

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
