"""Any registered game of several players, by its name."""

from collections.abc import Sequence
from typing import Any

from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.games import Game
from nenette.games.registry import find
from nenette.pettingzoo.aec import TurnsEnv
from nenette.pettingzoo.form import OPTIONS
from nenette.pettingzoo.parallel import TurnMaskedEnv

__all__ = ["env", "parallel_env"]


def env(
    game: str,
    *,
    forced_throws: str = "played",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    render_size: Sequence[int] = SIZE,
    **rules: Any,
) -> TurnsEnv:
    """The AEC form of the game called `game`: see `TurnsEnv`; `rules` are the fields of its rule set.

    Raises:
        ValueError: no game of that name, one that is played alone, or an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    played = _game(game, rules)
    return TurnsEnv(
        _name(game),
        played,
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
    )


def parallel_env(
    game: str,
    *,
    forced_throws: str = "played",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    render_size: Sequence[int] = SIZE,
    **rules: Any,
) -> TurnMaskedEnv:
    """The Parallel form, see `TurnMaskedEnv`; the options are those of `env`, but `max_cycles` counts steps."""
    played = _game(game, rules)
    return TurnMaskedEnv(
        _name(game),
        played,
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
    )


def _name(game: str) -> str:
    return f"{game.replace('-', '_')}_v0"


def _game(name: str, rules: dict[str, Any]) -> Game[Any]:
    spec = find(name)
    check_option_names(_name(name), OPTIONS, spec.rules, rules)
    game = spec.make(**rules)
    if game.players < 2:
        raise ValueError(f"{name} is played alone, and PettingZoo's games are for several")
    return game
