"""How far do the moves of 21 des Demi-Îles that decide everything stand out from the noise, with which discount?

    python scripts/decisive.py [--tremble 0.05] [--discount 0.95 --discount 0.5 ...] [--json]

In the endless game a single wrong move, in a position that a best response can bring about and waits for, may cost
everything. For the best play of the game in which hands tremble and later rewards count for less, this counts the moves
of which one alone makes it exploitable, and tells by how many standard deviations of a single game the right move is
better: what a learner that is paid by games has to notice. Nothing of this goes into a training; it says which discount
leaves the best play what it is, and makes it easiest to see. Half a minute.
"""

import json
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from nenette.exact import answer_key
from nenette.games import make_game
from nenette_agents.cli.scripts import run_script

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KEY = answer_key(make_game("demi-iles"))
MODEL = KEY.model


class Discounted:
    """The game in which each hand trembles with a probability, and a reward counts `discount` as much a turn later.

    Attributes:
        worth: float64 (n_rows,): of each move, and the best from then on.
        best: int64 (n_states,): the row of the best move.
        spread: float64 (n_rows,): the standard deviation of what a game brings after the move.
    """

    def __init__(self, tremble: float, discount: float) -> None:
        model = MODEL.trembling(tremble) if tremble else MODEL
        steps = model.transition.toarray()
        stays, passes = steps[:, : model.n_states], steps[:, model.n_states :]
        values = np.zeros(model.n_states)
        while True:
            self.worth = model.payoff + discount * (stays @ values - passes @ values)
            better = np.maximum.reduceat(self.worth, model.row_start[:-1])
            if np.abs(better - values).max() < 1e-14:
                break
            values = better
        self.best = np.array([low + self.worth[low:high].argmax() for low, high in pairwise(model.row_start)])
        # Rewards are 1 or -1, once: the mean of their squares is that of the discounts' squares.
        squares = np.zeros(model.n_states)
        while True:
            of_rows = model.ends + discount**2 * ((stays + passes) @ squares)
            if np.abs(of_rows[self.best] - squares).max() < 1e-14:
                break
            squares = of_rows[self.best]
        self.spread = np.sqrt((of_rows - self.worth**2).clip(min=0))


def exploitability(rows: Ints) -> float:
    """In the endless game without slips."""
    return KEY.exploitability(MODEL.pure(rows))


def decisive(best: Ints) -> list[tuple[int, int]]:
    """The states with a wrong move that alone makes the play exploitable, and that move's row."""
    found = []
    for state, (low, high) in enumerate(pairwise(MODEL.row_start)):
        for row in range(low, high):
            changed = best.copy()
            changed[state] = row
            if row != best[state] and exploitability(changed) > 0.01:
                found.append((state, row))
    return found


def study(tremble: float, discount: float) -> dict[str, Any]:
    """The figures for one discount; `clearest` and `faintest` are in standard deviations of one game."""
    game = Discounted(tremble, discount)
    lost = exploitability(game.best)
    report: dict[str, Any] = {"tremble": tremble, "discount": discount, "exploitability": lost}
    if lost > 0.01:
        return {**report, "moves": None, "faintest": None, "median": None}
    moves = decisive(game.best)
    states, wrong = (np.array(each) for each in zip(*moves, strict=True))
    right = game.best[states]
    clear = (game.worth[right] - game.worth[wrong]) / np.hypot(game.spread[right], game.spread[wrong])
    return {**report, "moves": len(moves), "faintest": float(clear.min()), "median": float(np.median(clear))}


def main(
    tremble: Annotated[float, typer.Option(min=0, max=1, help="Share of moves that are slips.")] = 0.05,
    discount: Annotated[list[float] | None, typer.Option(min=0, max=0.99, help="May be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Tell how far the moves that decide everything stand out from the noise.

    Example: python scripts/decisive.py --discount 0.95 --discount 0.5
    """
    lines = [study(tremble, one) for one in discount or [0.95, 0.8, 0.5, 0.3, 0.2]]
    if as_json:
        print(json.dumps({"lines": lines}))
        return
    table = Table(title=f"hands tremble in {tremble:.0%} of all moves")
    for heading in ("discount", "exploitability", "decisive moves", "faintest", "median"):
        table.add_column(heading, justify="right")
    for line in lines:
        known = (line["moves"], line["faintest"], line["median"])
        cells = ["-"] * 3 if known[0] is None else [str(known[0]), f"{known[1]:.3f}", f"{known[2]:.3f}"]
        table.add_row(f"{line['discount']:g}", f"{line['exploitability']:.4f}", *cells)
    Console().print(table)


if __name__ == "__main__":
    run_script(lambda: typer.run(main))
