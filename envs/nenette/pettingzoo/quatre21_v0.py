"""421 for two agents: a match, or a single manche."""

from collections.abc import Sequence
from typing import Any

from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.environments.quatre21 import quatre21_game
from nenette.games import Game
from nenette.games.quatre21 import Quatre21Rules
from nenette.pettingzoo.aec import TurnsEnv
from nenette.pettingzoo.form import OPTIONS
from nenette.pettingzoo.parallel import TurnMaskedEnv

__all__ = ["env", "parallel_env"]

NAME = "quatre21_v0"


def env(
    *,
    episode: str = "match",
    forced_throws: str = "played",
    max_cycles: int | None = None,
    observations: str = "dict",
    render_mode: str | None = None,
    render_size: Sequence[int] = SIZE,
    **rules: Any,
) -> TurnsEnv:
    """The AEC form. Observations and actions are those of `nenette/421-v0`, see `TurnsEnv` for the rest.

    Args:
        episode: "match", or "manche" for `manches_to_lose=1`.
        forced_throws: "played" inside, or "asked": each is a step whose mask leaves one action.
        max_cycles: a game is cut once every agent has acted so many times; None: by `max_turns` only.
        observations: "dict" of `observation` and `action_mask`, or "flat": the former, with the mask in the info only.
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of `Quatre21Rules`, as in `nenette/421-v0`.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    return TurnsEnv(
        NAME,
        _game(episode, rules),
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        observations=observations,
        render_mode=render_mode,
        render_size=render_size,
    )


def parallel_env(
    *,
    episode: str = "match",
    forced_throws: str = "played",
    max_cycles: int | None = None,
    observations: str = "dict",
    render_mode: str | None = None,
    render_size: Sequence[int] = SIZE,
    **rules: Any,
) -> TurnMaskedEnv:
    """The Parallel form, see `TurnMaskedEnv`; the options are those of `env`, but `max_cycles` counts steps."""
    return TurnMaskedEnv(
        NAME,
        _game(episode, rules),
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        observations=observations,
        render_mode=render_mode,
        render_size=render_size,
    )


def _game(episode: str, rules: dict[str, Any]) -> Game[Any]:
    check_option_names(NAME, ("episode", *OPTIONS), Quatre21Rules, rules)
    return quatre21_game(episode, rules)
