"""How often training met each state: exact, of the agent as it explored at the end, against its opponents.

No run counts what it meets. What stands here instead is how often the last network, with its exploration (DQN's along
its schedule), trembling hand and random openings, would meet each state in a game of the training, times the games that
make up the training's decisions. The network was another one before; `Met` says nothing of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from nenette.exact import AnswerKey
from nenette.exact.model import Floats
from nenette.policies import NetworkPolicy, Policy, load_opponent
from nenette.policies.ask import ask
from nenette.policies.network import HEADS
from nenette_agents.config.named import PAST, SELF
from nenette_agents.diagnosis.subject import VALUE_BASED, Training

__all__ = ["Faced", "faced_in_training", "visits_in_training"]


@dataclass(frozen=True, eq=False)
class Faced:
    """The agent against one opponent of its training.

    Attributes:
        name: the opponent's.
        share: of the games.
        learner: float64, (n_rows,): the behaviour of the agent as it learned, its exploration apart.
        opponent: float64, (n_rows,): the opponent's; in self-play the agent's own, as it explored at the end.
        visits: float64, (n_states,): how often the agent decides in each state, in a game; 0 where it does not decide.
    """

    name: str
    share: float
    learner: Floats
    opponent: Floats
    visits: Floats


def faced_in_training(key: AnswerKey, policy: Policy, training: Training) -> list[Faced]:
    """The agent against each opponent of its training, with its visits.

    Raises:
        ValueError: an opponent cannot be loaded.
    """
    model = key.model
    learner = _as_it_learned(key, policy, training)
    explorer = _explorer(key, policy, training, learner)
    ways = [_mixed(key, explorer, share) for share in training.exploration]
    total = sum(training.opponents.values())
    found = []
    for name, share in training.opponents.items():
        itself = name in (SELF, PAST)
        opponent = ways[-1] if itself else key.tabulate(partial(ask, load_opponent(name, model.game)))
        pairs = [(way, way if itself else opponent) for way in ways]
        visits = np.mean([visits_in_training(key, *pair, training, self_play=name == SELF) for pair in pairs], axis=0)
        found.append(Faced(name, share / total, learner, opponent, np.where(model.decides, visits, 0.0)))
    return found


def visits_in_training(
    key: AnswerKey, player: Floats, opponent: Floats, training: Training, *, self_play: bool
) -> Floats:
    """float64, (n_states,): how often `player` is to move in each state in a game of the training.

    Where games are truncated after some turns, these are counted, and so are random openings; elsewhere an opening
    makes no difference here.
    """
    turns = training.max_turns
    if turns is None or not key.can_be_cut:
        return key.visits(player, opponent)
    opening = training.opening_moves
    if not opening:
        return _visits_within(key, player, opponent, turns)
    uniform = key.model.uniform()
    # The other side of a game against oneself has an opening of its own, which ends earlier or later.
    late = (np.arange(opening, 0, -1) / (opening + 1)).tolist() if self_play else []
    mixed = [share * uniform + (1 - share) * opponent for share in late]
    met: Floats = np.mean(
        [_visits_within(key, player, opponent, turns, [uniform] * moves, mixed) for moves in range(opening + 1)], axis=0
    )
    return met


def _visits_within(
    key: AnswerKey,
    player: Floats,
    opponent: Floats,
    turns: int,
    players_first: Sequence[Floats] = (),
    opponents_first: Sequence[Floats] = (),
) -> Floats:
    """Visits of `player` in so many turns of both, both beginning equally often; each side's first moves may differ."""
    model = key.model
    n, total = model.n_states, np.zeros(model.n_states)
    rows = np.arange(model.n_rows)
    known: dict[int, sparse.csr_array] = {}

    def step(behaviour: Floats) -> sparse.csr_array:
        """From states to (states of the same player, states of the other), transposed."""
        if id(behaviour) not in known:
            play = sparse.csr_array((behaviour, (model.row_state, rows)), shape=(n, model.n_rows))
            known[id(behaviour)] = sparse.csr_array((play @ model.transition).T)
        return known[id(behaviour)]

    start = np.zeros(n)
    start[model.start] = 0.5
    here, there = start, start.copy()
    for turn in range(turns):
        own, other = turn // 2, turn // 2
        total += here
        own_step = step(players_first[own] if own < len(players_first) else player)
        other_step = step(opponents_first[other] if other < len(opponents_first) else opponent)
        after, after_other = own_step @ here, other_step @ there
        here, there = after[:n] + after_other[n:], after[n:] + after_other[:n]
    return total


def _as_it_learned(key: AnswerKey, policy: Policy, training: Training) -> Floats:
    """The play that the critic is about: PPO's draws by its probabilities and trembles, DQN's takes the best."""
    if isinstance(policy, NetworkPolicy):
        policy = policy.with_head("argmax" if training.algorithm in VALUE_BASED else "softmax")
    behaviour = key.tabulate(policy.action_probabilities)
    return behaviour if training.algorithm in VALUE_BASED else _mixed(key, behaviour, training.share)


def _explorer(key: AnswerKey, policy: Policy, training: Training, learner: Floats) -> Floats:
    """The play of the training, random actions of its exploration apart."""
    if training.algorithm not in VALUE_BASED:
        return learner
    if training.temperature > 0 and isinstance(policy, NetworkPolicy):
        factor = training.policy_temperature / training.temperature
        learner = key.tabulate(lambda x, m: HEADS["softmax"](policy.scores(x) * factor, m != 0))
    return _mixed(key, learner, training.share)


def _mixed(key: AnswerKey, behaviour: Floats, share: float) -> Floats:
    """The same play when a share of its actions are random."""
    return (1.0 - share) * behaviour + share * key.model.uniform() if share else behaviour
