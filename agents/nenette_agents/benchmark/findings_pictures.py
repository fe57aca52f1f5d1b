"""The pictures of docs/findings.md: where the solo game's turns go, and how far PPO and DQN are from perfect play."""

from pathlib import Path
from typing import Any, NamedTuple

from nenette.games import make_game
from nenette.matches import score
from nenette.policies.shipped import ladder_names, read_card

__all__ = ["Distance", "distances", "draw_distances", "draw_solo", "turns_by_missing"]

_COLOURS = {"ppo": "#35618f", "dqn": "#d1495b", "code": "#9a9a9a"}
_WORDS = {"ppo": "PPO", "dqn": "DQN", "code": "rules of thumb, random play"}


class Distance(NamedTuple):
    """How far an opponent of the package is from perfect play.

    Attributes:
        name: the opponent's.
        algorithm: "ppo", "dqn", or "code" for one that nobody trained.
        figure: in a game for two its exploitability as the game is played; in the solo game the turns that it takes
            beyond the fewest possible, by the better of its two ways of playing, as a share of these.
    """

    name: str
    algorithm: str
    figure: float


def distances(game: str) -> list[Distance]:
    """All opponents of a game but the perfect one, by their cards, from weak to strong."""
    found = []
    for name in ladder_names(game):
        card = read_card(game, name)
        if card is None or name == "optimal":
            continue
        figures = card["figures"]
        if "optimum" in figures:
            turns = [figures[way]["turns"] for way in ("sampled", "greedy")]
            figure = min(one for one in turns if one is not None) / figures["optimum"] - 1
        else:
            figure = figures["exploitability"]
        found.append(Distance(name, card.get("algorithm", "code"), figure))
    return sorted(found, key=lambda one: -one.figure)


def turns_by_missing() -> dict[int, float]:
    """Expected turns of perfect play in the solo game, by how many of the scores 1 to 20 are still missing."""
    solo = score("optimal", make_game("demi-iles-solo")).solo
    assert solo is not None
    return {phase["missing"]: phase["decisions"] for phase in solo["sampled"]["phases"]}


def draw_distances(file: Path) -> None:
    """Draws `distances` of all games into `file` (PNG)."""
    plt = _pyplot()
    from matplotlib.ticker import PercentFormatter

    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for axes, (game, what) in zip(
        panels,
        [
            ("421", "exploitability"),
            ("demi-iles", "exploitability in 200 turns"),
            ("demi-iles-solo", "turns beyond the fewest possible"),
        ],
        strict=True,
    ):
        rows = distances(game)[::-1]
        axes.barh(
            [one.name for one in rows], [one.figure for one in rows], color=[_COLOURS[one.algorithm] for one in rows]
        )
        for place, one in enumerate(rows):
            text = f"{one.figure:.1%}" if game == "demi-iles-solo" else f"{one.figure:.3f}"
            axes.text(one.figure, place, f" {text}", va="center", fontsize=7)
        axes.set_title(game, loc="left")
        axes.set_xlabel(what)
        if game == "demi-iles-solo":
            axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.margins(x=0.22)
        axes.spines[["top", "right"]].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in _COLOURS.values()]
    figure.legend(handles, _WORDS.values(), loc="outside lower center", ncols=3, frameon=False)
    _save(figure, file)


def draw_solo(file: Path) -> None:
    """Draws `turns_by_missing` into `file` (PNG)."""
    plt = _pyplot()
    turns = turns_by_missing()
    figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
    axes.bar([str(missing) for missing in turns], list(turns.values()), color=_COLOURS["ppo"])
    for place, count in enumerate(turns.values()):
        axes.text(place, count + 0.5, f"{count:.1f}", ha="center", fontsize=7)
    axes.set(xlabel="how many of the scores 1 to 20 are still missing", ylabel="expected turns")
    axes.set_title(f"21 des Demi-Îles alone: where {sum(turns.values()):.1f} turns of perfect play go", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, file)


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    return plt


def _save(figure: Any, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120)
    _pyplot().close(figure)
