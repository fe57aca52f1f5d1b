"""21 des Demi-Îles for two to six agents."""

from collections.abc import Sequence
from typing import Any

from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.games import Game, make_game
from nenette.games.demi_iles import DemiIles, DemiIlesRules
from nenette.pettingzoo.aec import TurnsEnv
from nenette.pettingzoo.form import OPTIONS
from nenette.pettingzoo.parallel import TurnMaskedEnv

__all__ = ["env", "parallel_env"]

NAME = "demi_iles_v0"


def env(
    *,
    forced_throws: str = "played",
    max_cycles: int | None = None,
    observations: str = "dict",
    render_mode: str | None = None,
    render_size: Sequence[int] = SIZE,
    **rules: Any,
) -> TurnsEnv:
    """The AEC form. Observations and actions are those of `nenette/DemiIles-v0`, see `TurnsEnv` for the rest.

    Args:
        forced_throws: makes no difference here, where every throw is a choice.
        max_cycles: a game is cut once every agent has acted so many times; None: by `max_turns` only.
        observations: "dict" of `observation` and `action_mask`, or "flat": the former, with the mask in the info only.
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of `DemiIlesRules`: `players=2`, `max_turns=200` (None: never cut), `starter="seat_0"`.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    return TurnsEnv(
        NAME,
        _game(rules),
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        observations=observations,
        render_mode=render_mode,
        render_size=render_size,
    )


def parallel_env(
    *,
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
        _game(rules),
        forced_throws=forced_throws,
        max_cycles=max_cycles,
        observations=observations,
        render_mode=render_mode,
        render_size=render_size,
    )


def _game(rules: dict[str, Any]) -> Game[Any]:
    check_option_names(NAME, OPTIONS, DemiIlesRules, rules)
    return make_game(DemiIles.name, **rules)
