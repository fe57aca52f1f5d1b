"""What the table of strengths measures of one finished run, exactly."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nenette.games import Game
from nenette.matches import Score, score
from nenette.policies import load_opponent
from nenette.policies.files import read_policy
from nenette.policies.players import GREEDY, SAMPLED
from nenette_agents.config.model import Config

__all__ = ["FIGURES", "Measured"]


@dataclass(frozen=True)
class Measured:
    """A figure of one finished run.

    Attributes:
        plays: which player it is of: "greedy", always the likeliest action, or "sampled", by its probabilities.
        value: the figure, in the game as it is played.
        endless: the same in the endless game; None where the played game is not truncated.
        other_player: the same of the network played the other way; None where there is none.
    """

    plays: str | None
    value: float
    endless: float | None = None
    other_player: "Measured | None" = None


def _turns(folder: Path, config: Config, game: Game[Any]) -> Measured:
    """The better of both ways of playing first; infinite if it may never end."""
    solo = score(read_policy(folder, game), game).solo
    assert solo is not None

    def above_the_optimum(way: str) -> float:
        turns = solo[way]["turns"]
        return math.inf if turns is None else float(turns) / float(solo["optimum"]) - 1

    best, other = sorted((SAMPLED, GREEDY), key=above_the_optimum)
    return Measured(best, above_the_optimum(best), None, Measured(other, above_the_optimum(other)))


def _exploitability(folder: Path, config: Config, game: Game[Any]) -> Measured:
    def measured(found: Score, other: Measured | None = None) -> Measured:
        assert found.exploitability is not None
        endless = found.endless.exploitability if found.endless else None
        return Measured(found.plays, found.exploitability, endless, other)

    found = score(read_policy(folder, game), game, load_opponent("optimal", game))
    return measured(found, measured(found.other_player) if found.other_player else None)


def _share(folder: Path, config: Config, game: Game[Any]) -> Measured:
    """The value against the opponent over the best response's."""
    opponent = load_opponent(str(config.evaluation.against), game)
    best = score(opponent, game, load_opponent("optimal", game), both_players=False)

    def measured(found: Score, other: Measured | None = None) -> Measured:
        assert found.value is not None
        assert best.exploitability is not None
        endless = found.endless.value / best.endless.exploitability if found.endless and best.endless else None
        return Measured(found.plays, found.value / best.exploitability, endless, other)

    found = score(read_policy(folder, game), game, opponent)
    return measured(found, measured(found.other_player) if found.other_player else None)


FIGURES: dict[str, Callable[[Path, Config, Game[Any]], Measured]] = {
    "turns": _turns,
    "exploitability": _exploitability,
    "share": _share,
}
"""What is measured of a finished run; each is exact."""
