"""Who is told of games that are registered; importing this imports nothing."""

from collections.abc import Callable
from typing import Any

GAME_REGISTERED: list[Callable[[Any], None]] = []
"""Called with each `nenette.games.GameSpec` when it is registered."""
