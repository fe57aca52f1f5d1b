"""The pictures of the README and of docs/findings.md."""

from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import nenette
from nenette.environments.pictures.canvas import load_pygame
from nenette.exact import best_response, model_of, solve
from nenette.games import make_game
from nenette.games.demi_iles import TARGET
from nenette.matches import score
from nenette.policies import choose
from nenette.policies.shipped import ladder_names, read_card
from nenette_agents.runs.folders import versions

__all__ = ["Distance", "distances", "draw", "draw_distances", "draw_solo", "draw_tables", "turns_by_missing"]

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


_COLOUR_OF = {"ppo": "#35618f", "dqn": "#d1495b", "code": "#9a9a9a"}
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
            [one.name for one in rows], [one.figure for one in rows], color=[_COLOUR_OF[one.algorithm] for one in rows]
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
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in _COLOUR_OF.values()]
    figure.legend(handles, _WORDS.values(), loc="outside lower center", ncols=3, frameon=False)
    _save(figure, file)


def draw_solo(file: Path) -> None:
    """Draws `turns_by_missing` into `file` (PNG)."""
    plt = _pyplot()
    turns = turns_by_missing()
    figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
    axes.bar([str(missing) for missing in turns], list(turns.values()), color=_COLOUR_OF["ppo"])
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


_SIZE = (480, 360)


def draw_tables(file: Path) -> None:
    """Draws a position of 421 and one of demi-iles, which trained networks have brought about, into `file` (PNG).

    Raises:
        DependencyNotInstalled: pygame-ce is not there.
    """
    left = _position("nenette/421-v0", "421/ppo-strong", 12, 4, opponents="optimal")
    right = _position("nenette/DemiIles-v0", "demi-iles/greedy", 7, 6, players=3, opponents=["optimal", "random"])
    pygame = load_pygame()
    both = np.concatenate([left, right], axis=1)
    file.parent.mkdir(parents=True, exist_ok=True)
    pygame.image.save(pygame.surfarray.make_surface(both.transpose(1, 0, 2)), file)


def _position(env_id: str, learner: str, seed: int, steps: int, **options: Any) -> NDArray[np.uint8]:
    """A game's table after so many decisions of the learner's seat."""
    env: Any = gym.make(env_id, seat=0, render_mode="rgb_array", render_size=_SIZE, **options).unwrapped
    policy, rng = nenette.load_opponent(learner, env.game), np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    for _ in range(steps):
        probabilities = policy.action_probabilities(observation[None], info["action_mask"][None])
        observation, _, terminated, truncated, info = env.step(int(choose(probabilities, rng)[0]))
        if terminated or truncated:
            break
    picture: NDArray[np.uint8] = env.render()
    return picture
