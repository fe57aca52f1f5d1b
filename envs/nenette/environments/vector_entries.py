"""What `gymnasium.make_vec` calls for each game; options are those of the single environments."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from gymnasium.vector import AutoresetMode

from nenette.environments.demi_iles import DemiIlesEnv, DemiIlesSoloEnv
from nenette.environments.opponents import OpponentChoice
from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.environments.quatre21 import Quatre21Env, quatre21_game
from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.games import make_game
from nenette.games.checks import check_choice
from nenette.games.demi_iles import DemiIles, DemiIlesRules, DemiIlesSolo, DemiIlesSoloRules
from nenette.games.quatre21 import Quatre21Rules

__all__ = [
    "DemiIlesSeatsVectorEnv",
    "DemiIlesSoloVectorEnv",
    "DemiIlesVectorEnv",
    "Quatre21SeatsVectorEnv",
    "Quatre21VectorEnv",
    "demi_iles",
    "quatre21",
]

_OWN = ("autoreset_mode", "copy", "max_episode_steps", "render_mode", "render_size")
_OTHERS = ("opponents", "opponents_of_each", "seat")
_SEATED = ("seats", *_OTHERS, *_OWN)
_SEATS = ("one", "all")


class DemiIlesSoloVectorEnv(TurnBasedVectorEnv):
    """`nenette/DemiIlesSolo-v0`, many at once: see `DemiIlesSoloEnv` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(DemiIlesSoloEnv.env_id, _OWN, DemiIlesSoloRules, rules)
        super().__init__(
            make_game(DemiIlesSolo.name, **rules),
            num_envs,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )


def demi_iles(num_envs: int = 1, *, seats: Literal["one", "all"] = "one", **options: Any) -> TurnBasedVectorEnv:
    """`nenette/DemiIles-v0`, many at once: a `DemiIlesVectorEnv`, or a `DemiIlesSeatsVectorEnv` with seats="all".

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    check_seats(seats, options)
    return DemiIlesSeatsVectorEnv(num_envs, **options) if seats == "all" else DemiIlesVectorEnv(num_envs, **options)


def quatre21(num_envs: int = 1, *, seats: Literal["one", "all"] = "one", **options: Any) -> TurnBasedVectorEnv:
    """`nenette/421-v0`, many at once: a `Quatre21VectorEnv`, or a `Quatre21SeatsVectorEnv` with seats="all".

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    check_seats(seats, options)
    return Quatre21SeatsVectorEnv(num_envs, **options) if seats == "all" else Quatre21VectorEnv(num_envs, **options)


def check_seats(seats: object, options: Iterable[str]) -> None:
    """Raises a ValueError unless `seats` is "one" or "all" and goes together with the other options."""
    check_choice("seats", seats, _SEATS)
    told = [name for name in _OTHERS if name in options]
    if seats == "all" and told:
        raise ValueError(f"with seats='all' every seat is a slot: {told[0]} cannot be chosen")


class DemiIlesVectorEnv(TurnBasedVectorEnv):
    """`nenette/DemiIles-v0`, many at once: see `DemiIlesEnv` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        opponents_of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
        seat: int | Literal["random"] = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(DemiIlesEnv.env_id, _SEATED, DemiIlesRules, rules)
        super().__init__(
            make_game(DemiIles.name, **rules),
            num_envs,
            opponents=opponents,
            opponents_of_each=opponents_of_each,
            seat=seat,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )


class DemiIlesSeatsVectorEnv(AllSeatsVectorEnv):
    """`nenette/DemiIles-v0`, many at once, every seat a slot: see `DemiIlesEnv` and `AllSeatsVectorEnv`."""

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(DemiIlesEnv.env_id, _SEATED, DemiIlesRules, rules)
        game = make_game(DemiIles.name, **rules)
        super().__init__(
            game,
            num_envs,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )


class Quatre21VectorEnv(TurnBasedVectorEnv):
    """`nenette/421-v0`, many at once: see `Quatre21Env` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        episode: Literal["match", "manche"] = "match",
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        opponents_of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
        seat: int | Literal["random"] = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(Quatre21Env.env_id, ("episode", *_SEATED), Quatre21Rules, rules)
        super().__init__(
            quatre21_game(episode, rules),
            num_envs,
            opponents=opponents,
            opponents_of_each=opponents_of_each,
            seat=seat,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )


class Quatre21SeatsVectorEnv(AllSeatsVectorEnv):
    """`nenette/421-v0`, many at once, every seat a slot: see `Quatre21Env` and `AllSeatsVectorEnv`."""

    def __init__(
        self,
        num_envs: int,
        *,
        episode: Literal["match", "manche"] = "match",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(Quatre21Env.env_id, ("episode", *_SEATED), Quatre21Rules, rules)
        game = quatre21_game(episode, rules)
        super().__init__(
            game,
            num_envs,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            render_size=render_size,
        )
