"""The games that come with the package."""

from nenette.games import demi_iles, quatre21
from nenette.games.registry import register
from nenette.games.variations import remember_rules

__all__ = ["OURS"]

OURS: tuple[str, ...] = tuple(register(spec).name for spec in (demi_iles.SOLO, demi_iles.SPEC, quatre21.SPEC))
"""Their names."""

remember_rules("nenette.games")
