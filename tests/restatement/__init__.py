"""The rules of both games, written a second time: slowly, plainly, and without looking at the package.

Nothing here imports `nenette`. All probabilities of the package are compared with these functions.
"""

from restatement.demi_iles import (
    REFERENCE_TABLE,
    demi_iles_next,
    demi_iles_scores,
    demi_iles_solo_next,
    demi_iles_solo_over,
    demi_iles_winner,
)
from restatement.quatre21 import (
    LISTED,
    NENETTE,
    Rules421,
    State421,
    quatre21_fiches,
    quatre21_legal,
    quatre21_opening,
    quatre21_outcomes,
    quatre21_rank,
    quatre21_start,
    quatre21_thrown,
    quatre21_worth,
)

__all__ = [
    "LISTED",
    "NENETTE",
    "REFERENCE_TABLE",
    "Rules421",
    "State421",
    "demi_iles_next",
    "demi_iles_scores",
    "demi_iles_solo_next",
    "demi_iles_solo_over",
    "demi_iles_winner",
    "quatre21_fiches",
    "quatre21_legal",
    "quatre21_opening",
    "quatre21_outcomes",
    "quatre21_rank",
    "quatre21_start",
    "quatre21_thrown",
    "quatre21_worth",
]
