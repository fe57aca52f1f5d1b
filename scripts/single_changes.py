"""How many mistakes does the optimum of 21 des Demi-Îles leave unpunished?

A change plays another action in one of the 441 states, and as the optimum does in all others: there are 882. Each is
scored exactly, in the endless game: its value against the optimum, and its exploitability.
"""

import json

import numpy as np

from nenette.exact import answer_key
from nenette.games import make_game
from nenette.policies import make_policy
from nenette_agents.cli.scripts import run_script
from nenette_agents.terminal.progress import AtWork

ZERO = 1e-12


def main() -> None:
    game = make_game("demi-iles")
    with AtWork("single_changes") as work:
        key = answer_key(game)
        model = key.model
        optimum = key.tabulate(make_policy("optimal", game).action_probabilities)
        changes = np.flatnonzero(optimum == 0)
        count = work.counted("changes", len(changes))
        found = {"changes": len(changes), "worth 0 against the optimum": 0, "and exploitable": 0}
        for done, row in enumerate(changes):
            changed = np.where(model.row_state == model.row_state[row], 0.0, optimum)
            changed[row] = 1.0
            if abs(key.result(changed, optimum).value) < ZERO:
                found["worth 0 against the optimum"] += 1
                found["and exploitable"] += key.best_response(changed).values[model.start].mean() > ZERO
            count(done)
    print(json.dumps({name: int(number) for name, number in found.items()}))


if __name__ == "__main__":
    run_script(main)
