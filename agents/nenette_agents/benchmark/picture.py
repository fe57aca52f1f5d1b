"""The picture of the README: perfect play of both games at a glance."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import best_response, model_of, solve
from nenette.games import make_game
from nenette.games.demi_iles import TARGET
from nenette_agents.runs.folders import versions

__all__ = ["draw"]

_COLOURS = ("#f2c14e", "#4d9078", "#35618f")


def draw(file: Path) -> None:
    """Draws what a perfect player throws in demi-iles, and how often the leader wins in 421, into `file` (PNG)."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.2), width_ratios=(1.35, 1), layout="constrained")
    _draw_demi_iles(left)
    _draw_421(right)
    found = versions()
    figure.supxlabel(
        f"nenette {found['nenette']}, numpy {found['numpy']}: python scripts/picture.py", fontsize=7, color="#777777"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)
    plt.close(figure)


def _draw_demi_iles(axes: Any) -> None:
    dice, tied = _demi_iles()
    for own in range(TARGET):
        for other in range(TARGET):
            colour = _COLOURS[dice[own, other]]
            axes.add_patch(_square(other, own, colour, 0.45 if tied[own, other] else 1.0))
            if tied[own, other]:
                axes.plot(other, own, ".", color=colour, markersize=3)
    axes.set(xlim=(-0.5, TARGET - 0.5), ylim=(-0.5, TARGET - 0.5), aspect="equal")
    axes.set(xlabel="the other's score", ylabel="own score", xticks=range(0, TARGET, 5), yticks=range(0, TARGET, 5))
    axes.set_title("21 des Demi-Îles for two: how many dice to throw", loc="left")
    labels = ("none", "one die", "two dice")
    handles = [_square(0, 0, colour, 1.0) for colour in _COLOURS]
    axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=3, frameon=False)
    text = f"pale: the endless game leaves the choice open ({tied.sum()} of {tied.size} states)"
    axes.text(0, -0.235, text, transform=axes.transAxes, fontsize=8, color="#555555")


def _square(x: int, y: int, colour: str, alpha: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, alpha=alpha, edgecolor="white", linewidth=0.4)


def _demi_iles() -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Optimal dice and whether the endless game has other optima, both (21, 21) by own and the other's score."""
    game = make_game("demi-iles")
    model, solution = model_of(game), solve(game)
    actions = solution.actions_of(model.fields)
    pure = model.pure(np.flatnonzero(model.row_action == actions[model.row_state]))
    endless = best_response(model, pure).values
    dice = np.zeros((TARGET, TARGET), dtype=np.int64)
    tied = np.zeros((TARGET, TARGET), dtype=np.bool_)
    own, other = model.fields[:, 0], model.fields[:, 1]
    dice[own, other] = actions
    tied[own, other] = model.ties(endless) > 1
    return dice, tied


def _draw_421(axes: Any) -> None:
    chances = {int(fiches): chance for fiches, chance in solve(make_game("421")).facts["leader_wins"].items()}
    axes.bar(list(chances), list(chances.values()), color=_COLOURS[2])
    axes.axhline(0.5, color="#999999", linewidth=0.8, linestyle="--")
    for fiches, chance in chances.items():
        axes.text(fiches, chance + 0.012, f"{chance:.3f}", ha="center", fontsize=7)
    axes.set(xlabel="the leader's fiches as a décharge round begins", ylabel="chance that the leader wins the manche")
    axes.set(ylim=(0, 1), xticks=list(chances))
    axes.set_title("421: what a fiche costs", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
