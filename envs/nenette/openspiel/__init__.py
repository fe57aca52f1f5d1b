"""Our games as OpenSpiel games, for one player to six: importing this package registers them.

    import nenette.openspiel
    import pyspiel

    game = pyspiel.load_game("nenette_421(fiches=11,manches_to_lose=1)")

Needs the extra `openspiel`: `pip install '.[openspiel]'` in a clone.
"""

try:
    import pyspiel  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "nenette.openspiel needs OpenSpiel: in a clone of nenette, pip install '.[openspiel]'"
    ) from missing

from nenette.openspiel.games import GAMES

__all__ = ["GAMES"]
