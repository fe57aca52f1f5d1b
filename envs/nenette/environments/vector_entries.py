"""What `gymnasium.make_vec` calls for each game.

Options are those of the single environments and of `TurnBasedVectorEnv`; all others are rules.
"""

from collections.abc import Callable
from typing import Any, Literal

from nenette.environments.options import check_option_names
from nenette.environments.quatre21 import quatre21_game
from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.games import Game, GameSpec
from nenette.games.checks import check_choice
from nenette.games.demi_iles import SOLO
from nenette.games.demi_iles import SPEC as DEMI_ILES
from nenette.games.quatre21 import SPEC as QUATRE21

__all__ = ["demi_iles", "demi_iles_solo", "quatre21"]

_OWN = ("autoreset_mode", "copy", "max_episode_steps", "render_mode", "render_size")
_OTHERS = ("opponents", "opponents_of_each", "seat")
_SEATED = ("seats", *_OTHERS, *_OWN)
_SEATS = ("one", "all")
Rules = dict[str, Any]


def demi_iles_solo(num_envs: int = 1, **options: Any) -> TurnBasedVectorEnv:
    """`nenette/DemiIlesSolo-v0`, many at once: see `DemiIlesSoloEnv` and `TurnBasedVectorEnv`.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    own, rules = _split(SOLO, _OWN, options)
    return TurnBasedVectorEnv(SOLO.make(**rules), num_envs, **own)


def demi_iles(num_envs: int = 1, *, seats: Literal["one", "all"] = "one", **options: Any) -> TurnBasedVectorEnv:
    """`nenette/DemiIles-v0`, many at once: see `DemiIlesEnv` and `TurnBasedVectorEnv`.

    Args:
        num_envs: slots.
        seats: "all" makes every seat a slot: see `AllSeatsVectorEnv`.
        options: of `TurnBasedVectorEnv`, but `opponents` and `seat` are "random" unless given; and rules.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    return _seated(DEMI_ILES, lambda rules: DEMI_ILES.make(**rules), num_envs, seats, options)


def quatre21(
    num_envs: int = 1,
    *,
    episode: Literal["match", "manche"] = "match",
    seats: Literal["one", "all"] = "one",
    **options: Any,
) -> TurnBasedVectorEnv:
    """`nenette/421-v0`, many at once: see `Quatre21Env` and `TurnBasedVectorEnv`.

    Args:
        num_envs: slots.
        episode: as in `Quatre21Env`.
        seats: see `demi_iles`.
        options: see `demi_iles`.

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """
    return _seated(QUATRE21, lambda rules: quatre21_game(episode, rules), num_envs, seats, options, "episode")


def _seated(
    spec: GameSpec,
    make: Callable[[Rules], Game[Any]],
    num_envs: int,
    seats: str,
    options: dict[str, Any],
    *more: str,
) -> TurnBasedVectorEnv:
    """The environment of a game for several; `more` are names of options that have been taken out already."""
    check_choice("seats", seats, _SEATS)
    own, rules = _split(spec, (*more, *_SEATED), options)
    if seats == "one":
        return TurnBasedVectorEnv(make(rules), num_envs, **{"opponents": "random", "seat": "random", **own})
    chosen = [name for name in _OTHERS if name in own]
    if chosen:
        raise ValueError(f"with seats='all' every seat is a slot: {chosen[0]} cannot be chosen")
    return AllSeatsVectorEnv(make(rules), num_envs, **own)


def _split(spec: GameSpec, names: tuple[str, ...], options: dict[str, Any]) -> tuple[dict[str, Any], Rules]:
    """The options of these names, and the rules."""
    own = {name: value for name, value in options.items() if name in names}
    rules = {name: value for name, value in options.items() if name not in names}
    check_option_names(spec.env_id or spec.name, names, spec.rules, rules)
    return own, rules
