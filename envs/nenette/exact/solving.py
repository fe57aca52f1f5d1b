"""Every game's optimum, by whichever solver is the game's."""

from typing import Any

from nenette.exact.optimum import Optimum
from nenette.exact.solution import solve_for_two
from nenette.games import Game, spec_of

__all__ = ["solve"]


def solve(game: Game[Any], *, use_cache: bool = True) -> Optimum:
    """The optimum of `game`, from the cache if it is there.

    Args:
        game: of two players, demi-iles of three or four (see `nenette.exact.many.solution`), or demi-iles-solo. What
            is solved is what this object plays, whatever it is called.
        use_cache: read and write the cache (see `nenette.exact.store`), where this game can be distinguished from every
            other.

    Raises:
        Unsolvable: there is no solver for this game.
    """
    spec = spec_of(game)
    if spec is not None and spec.solo:
        from nenette.exact.solo.solving import solve_solo  # each solver is imported when it is first used

        return solve_solo(game, use_cache=use_cache)  # type: ignore[arg-type] # it plays what that class says
    if game.players > 2:
        from nenette.exact.many.solution import solve_many

        return solve_many(game, use_cache=use_cache)
    return solve_for_two(game, use_cache=use_cache)
