"""Opponents as tables: the solver's is written out from its own table, all others by asking them what they observe."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nenette.environments.opponents import Opponent
from nenette.environments.vector.batch import Machine
from nenette.environments.vector.demi_iles import DemiIlesMachine
from nenette.environments.vector.quatre21 import Quatre21Machine
from nenette.environments.vector.seating import BY_STATE, seat_all
from nenette.games.demi_iles import DemiIles, DemiIlesRules
from nenette.games.quatre21 import Quatre21, Quatre21Rules
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


@pytest.mark.parametrize("game", MACHINES)
def test_the_solvers_table_is_what_it_answers_to_observations(game: str) -> None:
    machine = MACHINES[game]()
    policy = OptimalPolicy(machine.game)
    odds = []
    for player in (policy, Observer(policy)):
        seating = seat_all(machine, [(Opponent(machine.game, player, fixed=True),)])
        assert seating.kinds.tolist() == [BY_STATE]
        odds.append(seating.odds[seating.row_of])
    assert odds[0].shape == (machine.n_decisions, machine.game.n_actions)
    np.testing.assert_array_equal(odds[0], odds[1])


def test_a_solvers_table_with_an_illegal_action_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = MACHINES["421 with frozen dice"]()
    policy = OptimalPolicy(machine.game)

    def everything(fields: Any) -> Any:
        return np.full(len(fields), 0b111, dtype=np.int8)

    monkeypatch.setattr(policy, "actions_of", everything)
    with pytest.raises(ValueError, match=r"^policy 'optimal' gave an illegal action a chance$"):
        seat_all(machine, [(Opponent(machine.game, policy, fixed=True),)])
