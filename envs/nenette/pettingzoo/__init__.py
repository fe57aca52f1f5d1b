"""Both games of several players as PettingZoo environments: all seats are agents.

    from nenette.pettingzoo import demi_iles_v0, quatre21_v0

    env = quatre21_v0.env(episode="manche")        # AEC: whoever is to move acts
    env = demi_iles_v0.parallel_env(players=3)     # Parallel: all act, those who are not to move pass
    env = any_game.env("pig")                      # a game that somebody has registered

Needs the extra `pettingzoo`: `pip install '.[pettingzoo]'` in a clone.
"""

try:
    import pettingzoo.utils.env  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "nenette.pettingzoo needs PettingZoo: in a clone of nenette, pip install '.[pettingzoo]'"
    ) from missing

from nenette.pettingzoo import any_game, demi_iles_v0, quatre21_v0

__all__ = ["any_game", "demi_iles_v0", "quatre21_v0"]
