"""Statistics over training seeds: NumPy only, every score a float64.

Scores here are exact, so that all chance lies in the training seed: intervals speak of what other seeds would have
given, and of nothing else. Definitions are those of Agarwal, Schwarzer, Castro, Courville and Bellemare, *Deep
reinforcement learning at the edge of the statistical precipice*, 2021; tests hold them against the authors' package,
rliable.
"""

from nenette_agents.statistics.aggregates import AGGREGATES, interquartile_mean, mean, median, optimality_gap
from nenette_agents.statistics.bootstrap import Interval, estimate, resampled
from nenette_agents.statistics.comparisons import Difference, paired_difference, probability_of_improvement
from nenette_agents.statistics.curves import area_under_curve, at_steps
from nenette_agents.statistics.power import seeds_to_tell_apart
from nenette_agents.statistics.profiles import Profile, performance_profile
from nenette_agents.statistics.ranks import halves_agreement, kendall_tau

__all__ = [
    "AGGREGATES",
    "Difference",
    "Interval",
    "Profile",
    "area_under_curve",
    "at_steps",
    "estimate",
    "halves_agreement",
    "interquartile_mean",
    "kendall_tau",
    "mean",
    "median",
    "optimality_gap",
    "paired_difference",
    "performance_profile",
    "probability_of_improvement",
    "resampled",
    "seeds_to_tell_apart",
]
