"""Opponents as tables: the solver's is written out from its own table, all others by asking them what they observe."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray

from nenette.environments.opponents import Opponent
from nenette.environments.vector.demi_iles import DemiIlesMachine
from nenette.environments.vector.machine import Machine
from nenette.environments.vector.quatre21_machine import Quatre21Machine
from nenette.environments.vector.seating import BY_MASK, BY_STATE, Seating, seat_all
from nenette.games.demi_iles import DemiIles, DemiIlesRules
from nenette.games.quatre21 import Quatre21, Quatre21Rules
from nenette.policies import make_policy
from nenette.policies.optimal import OptimalPolicy

FROZEN = Quatre21Rules(fiches=3, kept_dice="frozen")
MACHINES: dict[str, Callable[[], Machine]] = {
    "demi-iles": lambda: DemiIlesMachine(DemiIles(DemiIlesRules())),
    "421": lambda: Quatre21Machine(Quatre21(Quatre21Rules(fiches=5))),
    "421 with frozen dice": lambda: Quatre21Machine(Quatre21(FROZEN)),
}


class Observer:
    """The same play, by what is observed alone."""

    name = "observer"

    def __init__(self, policy: OptimalPolicy) -> None:
        self.action_probabilities = policy.action_probabilities


def _probabilities_of_all_decisions(machine: Machine, seating: Seating, opponent: int = 0) -> NDArray[np.float64]:
    """As compiled code looks them up."""
    within = np.arange(machine.n_decisions // machine.n_blocks)
    tables = seating.tables
    rows = tables.row_of[tables.bases[opponent].astype(np.int64)[:, None] + within]
    return tables.probabilities[rows.ravel()]


@pytest.mark.parametrize("game", MACHINES)
def test_the_solvers_table_is_what_it_answers_to_observations(game: str) -> None:
    machine = MACHINES[game]()
    policy = OptimalPolicy(machine.game)
    probabilities = []
    for player in (policy, Observer(policy)):
        seating = seat_all(machine, [(Opponent(machine.game, player, fixed=True),)])
        assert seating.tables.kinds.tolist() == [BY_STATE]
        probabilities.append(_probabilities_of_all_decisions(machine, seating))
    assert probabilities[0].shape == (machine.n_decisions, machine.game.n_actions)
    np.testing.assert_array_equal(probabilities[0], probabilities[1])


def test_a_solvers_table_with_an_illegal_action_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = MACHINES["421 with frozen dice"]()
    policy = OptimalPolicy(machine.game)

    def everything(fields: Any) -> Any:
        return np.full(len(fields), 0b111, dtype=np.int8)

    monkeypatch.setattr(policy, "actions_of", everything)
    with pytest.raises(ValueError, match=r"^policy 'optimal' gave an illegal action a chance$"):
        seat_all(machine, [(Opponent(machine.game, policy, fixed=True),)])


def test_parts_that_an_opponent_plays_alike_stand_once_and_all_are_found() -> None:
    machine = MACHINES["421"]()
    solver = Opponent(machine.game, OptimalPolicy(machine.game), fixed=True)
    others = [Opponent(machine.game, make_policy(name, machine.game), fixed=True) for name in ("random", "cautious")]
    seating = seat_all(machine, [(player,) for player in (others[0], solver, others[1])])
    assert len(np.unique(seating.tables.bases[1])) <= machine.n_blocks // 4  # whatever the score is
    assert seating.tables.kinds.tolist() == [BY_MASK, BY_STATE, BY_STATE]
    assert (seating.tables.bases[0] == seating.tables.bases[0, 0]).all()
    assert len(seating.tables.probabilities) == 255  # random's, one for each mask, and the others' among them
    assert seating.tables.row_of.dtype == np.uint8
    fields, masks = machine.decisions(0, machine.n_decisions)
    observations = machine.game.codec.encode(fields)
    for number in (1, 2):
        asked = seating.opponents[number].policy.action_probabilities(observations, masks)
        np.testing.assert_array_equal(_probabilities_of_all_decisions(machine, seating, number), asked.cumsum(axis=1))


@pytest.mark.parametrize("opponent", ["random", "a-fond", "optimal"])
def test_opponents_sit_at_a_game_in_which_nobody_decides_anything(opponent: str) -> None:
    env = gym.make_vec("nenette/421-v0", num_envs=200, fiches=1, episode="manche", opponents=opponent)
    env.reset(seed=0)
    _, rewards, terminated, _, _ = env.step(np.zeros(200, dtype=np.int64))
    assert terminated.all()
    assert set(rewards.tolist()) == {-1.0, 1.0}
