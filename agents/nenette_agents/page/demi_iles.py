"""What the page is given of 21 des Demi-Îles: where throws lead, and the value of every choice."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games.demi_iles import DICE_COUNTS, TARGET, DemiIles, State, faces, throw
from nenette.matches.review import Chances
from nenette_agents.page.packing import packed

__all__ = ["landings", "tables"]

_SCORES = range(TARGET + 1)


def landings() -> dict[str, Any]:
    """Where throws lead: uint8, by score (22,), by score and die (22, 6), and by score and dice (22, 6, 6)."""
    where = [np.zeros((len(_SCORES), *(6,) * dice), dtype=np.uint8) for dice in DICE_COUNTS]
    for score, dice in product(_SCORES, DICE_COUNTS):
        for fallen, _ in throw(score, dice):
            for shown, _ in faces(score, dice, fallen):
                where[dice][(score, *(face - 1 for face in shown))] = fallen
    return {"landings": [packed(array) for array in where]}


def states(game: DemiIles) -> list[State]:
    """All positions of two players in which seat 0 is to move, by own score, then by the other's; 0..20 each."""
    return [State((own, other), 0) for own in range(TARGET) for other in range(TARGET)]


def tables(game: DemiIles) -> dict[str, Any]:
    """Winning chances of each choice, float64 (441, 3), and in how many moves a perfect hand trembles."""
    chances = Chances(game)
    each = [[chance for _, chance in sorted(chances.choices(state).items())] for state in states(game)]
    return {
        "target": TARGET,
        "maxTurns": game.max_turns,
        "epsilon": chances.epsilon,
        "chances": packed(np.array(each, dtype=np.float64)),
    }


def probabilities(game: DemiIles, policy: Any) -> NDArray[np.float64]:
    """float64, (441, 3): what a policy does in each position."""
    fields = np.array([game.fields(state, 0) for state in states(game)])
    masks = np.ones((len(fields), game.n_actions), dtype=np.int8)
    asked: NDArray[np.float64] = policy.action_probabilities(game.codec.encode(fields), masks)
    return asked
