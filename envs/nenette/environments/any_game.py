"""Any registered game as a Gymnasium environment: what those have that come without a class of their own."""

from collections.abc import Sequence
from typing import Any, Literal

from nenette.environments.opponents import OpponentChoice
from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.environments.turn_based import TurnBasedEnv
from nenette.games.registry import find

__all__ = ["GameEnv"]


class GameEnv(TurnBasedEnv):
    """One learning seat of a game: see `TurnBasedEnv`.

    Observation: `Box(0, 1, (game.codec.size,), float32)`; `game.codec.labels` says what each feature means.

    Args:
        game: the game's name.
        opponents: a policy's name, a run's path or a policy, for all other seats; or a list of one for all, or of one
            for each in turn order after the learner's seat. Nobody, where the game is played alone.
        seat: the learner's, or "random": drawn at each reset.
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of the game's rule set.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    def __init__(
        self,
        game: str,
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        seat: int | Literal["random"] = "random",
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        spec = find(game)
        check_option_names(spec.env_id or game, ("opponents", "seat", "render_mode", "render_size"), spec.rules, rules)
        played = spec.make(**rules)
        seat = seat if played.players > 1 else 0
        super().__init__(played, opponents=opponents, seat=seat, render_mode=render_mode, render_size=render_size)
