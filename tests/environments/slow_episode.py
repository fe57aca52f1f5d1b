"""How an episode goes, written again as one flat loop over the game: what the environments are held against."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nenette.games import Game
from nenette.policies.policy import Policy, choose


class Seen(NamedTuple):
    """What a learner is given: when it is to move, and once more at the end."""

    observation: bytes
    mask: list[int]
    reward: float
    terminated: bool
    truncated: bool
    illegal: bool


def slow_episode(
    game: Game[Any], others: list[Policy], seat: int | None, actions: Iterator[int], rng: np.random.Generator
) -> Iterator[Seen]:
    """One episode; `seat=None` draws the learner's."""
    me = int(rng.integers(game.players)) if seat is None else seat
    state = game.initial().sample(rng)
    turns, reward, moved, illegal = 0, 0.0, False, False
    while True:
        returns = game.returns(state)
        cut = returns is None and turns == game.max_turns and game.starts_turn(state)
        mine = returns is None and game.seat(state) == me
        legal = list(game.legal_actions(state))
        fields = np.array([game.encode(state, me)])
        mask = [int(a in legal) if mine else 1 for a in range(game.n_actions)]
        if returns is not None or cut:
            reward += returns[me] if returns is not None else 0.0
            yield Seen(game.codec.encode(fields).tobytes(), mask, reward, returns is not None, cut, illegal)
            return
        if mine and (not moved or len(legal) > 1):
            yield Seen(game.codec.encode(fields).tobytes(), mask, reward, False, False, illegal)
            wanted = next(actions)
            ranked = sorted(legal, key=lambda a: (bin(a ^ wanted).count("1"), a))
            action, reward, moved, illegal = ranked[0], 0.0, True, wanted not in legal
        elif len(legal) == 1:
            action = legal[0]
        else:
            mover = game.seat(state)
            seen = game.codec.encode(np.array([game.encode(state, mover)]))
            may = np.array([[int(a in legal) for a in range(game.n_actions)]], dtype=np.int8)
            policy = others[(mover - me - 1) % game.players]
            action = int(choose(policy.action_probabilities(seen, may), rng)[0])
        if game.starts_turn(state):
            turns += 1
            reward += game.turn_reward if mine else 0.0
        state = game.sample(state, action, rng)
