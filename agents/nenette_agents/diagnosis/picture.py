"""A diagnosis as one picture, readable in black and white."""

from pathlib import Path
from typing import Any

import numpy as np

from nenette_agents.diagnosis.diagnosis import Diagnosis
from nenette_agents.diagnosis.map_pictures import draw_policy_map
from nenette_agents.diagnosis.maps import PolicyMap, policy_map

__all__ = ["draw"]

_DARK, _PALE = "#14213d", "#a9b8c9"


def draw(diagnosis: Diagnosis, file: Path) -> None:
    """Draws the policy's map beside the optimum's, what it gives away by phase, and its critic, into `file` (PNG).

    Raises:
        OSError: the file cannot be written.
        ModuleNotFoundError: matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    subject = diagnosis.subject
    try:
        maps = [policy_map(policy, subject.game) for policy in (subject.policy, "optimal")]
    except ValueError:  # a game of somebody else's has no map
        maps = []
    figure, axes = plt.subplots(2, 2, figsize=(13, 11), layout="constrained")
    figure.suptitle(f"{subject.game.name}: {subject.policy.name}", x=0.01, ha="left", fontsize=12)
    _draw_maps(axes[0], maps)
    _draw_phases(axes[1, 0], diagnosis)
    _draw_critic(axes[1, 1], diagnosis)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _draw_maps(axes: Any, maps: list[PolicyMap]) -> None:
    for place, one in zip(axes, maps, strict=False):
        draw_policy_map(place, one, maps[-1] if one is maps[0] else None)
    for place in axes[len(maps) :]:
        place.set_axis_off()


def _draw_phases(axes: Any, diagnosis: Diagnosis) -> None:
    phases = [phase for phase in diagnosis.regrets.phases if phase.decisions > 0][::-1]
    axes.barh([phase.phase for phase in phases], [phase.lost for phase in phases], color=_PALE, edgecolor=_DARK)
    for place, phase in enumerate(phases):
        axes.text(phase.lost, place, f" {phase.lost:.3g} ({phase.share:.0%})", va="center", fontsize=7)
    axes.tick_params(labelsize=7)
    axes.margins(x=0.2)
    unit = "turns" if diagnosis.regrets.unit == "turns" else "in units of a win"
    axes.set_xlabel(f"given away in a game, {unit}")
    axes.set_title("where it gives value away", loc="left", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_critic(axes: Any, diagnosis: Diagnosis) -> None:
    critic = diagnosis.critic
    if critic is None:
        axes.set_axis_off()
        axes.text(0, 0.5, f"no critic: {diagnosis.no_critic}", fontsize=9, wrap=True)
        return
    estimates, truths, weights = np.array(critic.points).T
    sizes = 4 + 60 * weights / weights.max()
    axes.scatter(truths, estimates, s=sizes, facecolor="none", edgecolor=_DARK, linewidth=0.5)
    low, high = min(estimates.min(), truths.min()), max(estimates.max(), truths.max())
    axes.plot([low, high], [low, high], color="black", linestyle="--", linewidth=0.8)
    axes.set(xlabel="true value of its own play", ylabel=f"its {critic.kind}")
    axes.set_title("what its critic knows: a circle a decision, larger if it is met more often", loc="left", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
