"""Functions that are called when a game is registered; importing this imports nothing."""

from collections.abc import Callable
from typing import Any

GAME_REGISTERED: list[Callable[[Any], None]] = []
"""Called with each `nenette.games.GameSpec` when it is registered."""
