"""Checks of what a caller passes to an environment; a wrong name or value gets an error of one sentence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, Literal, SupportsInt

import numpy as np
from numpy.typing import NDArray

from nenette.games.checks import check_range, plain

Seeds = int | Sequence[int | None] | NDArray[np.integer] | None


def check_option_names(env_id: str, options: Iterable[str], rules_type: type, given: Mapping[str, object]) -> None:
    """Raises a TypeError for a keyword that is neither one of `options` nor a rule of the game, naming the nearest.

    The text begins as Python's own does, because some libraries try a keyword, read that text, and go on without it.
    """
    known = [*options, *(f.name for f in fields(rules_type))]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{env_id} got an unexpected keyword argument {name!r} (it has {', '.join(known)}){hint}")


def checked_seat(seat: int | Literal["random"], players: int) -> int | Literal["random"]:
    """`seat`, Python's own integer; a ValueError unless it is "random" or a seat at the table."""
    number = plain(seat)
    if seat != "random" and (type(number) is not int or number not in range(players)):
        raise ValueError(f"seat is 'random' or an integer from 0 to {players - 1}, not {seat!r}")
    return "random" if seat == "random" else int(seat)


def check_max_turns(max_turns: int | None, players: int) -> None:
    """Raises a ValueError unless everybody has a turn before the game is cut: else some episodes had no step."""
    if max_turns is not None:
        check_range("max_turns", max_turns, players)


def checked_range(what: str, given: SupportsInt, low: int) -> int:
    """`given`, Python's own integer; a ValueError unless it is an integer of at least `low`."""
    number = plain(given)
    check_range(what, number, low)
    return int(number)


def checked_max_episode_steps(given: SupportsInt | None) -> int | None:
    """After how many steps an episode is cut, None if never, which -1 means, too, as in `gymnasium.make`."""
    return None if given is None or plain(given) == -1 else checked_range("max_episode_steps", given, 1)


def checked_seeds(seed: Seeds, num_envs: int) -> int | list[int | None] | None:
    """The seeds of a reset of many games, as Python's own integers.

    Raises:
        ValueError: it is neither None nor an integer of at least 0 nor a list with one of these for each slot.
    """
    if seed is None or isinstance(seed, int | np.integer):
        return None if seed is None else checked_range("seed", seed, 0)
    if isinstance(seed, str | bytes) or not (isinstance(seed, Sequence) or np.ndim(seed) == 1):
        raise ValueError(f"seed is None, an integer of at least 0 or a list of them, not {seed!r}")
    if len(seed) != num_envs:
        raise ValueError(f"seed is an integer or a list of num_envs={num_envs}, one for each slot, not of {len(seed)}")
    return [None if one is None else checked_range(f"the seed of slot {slot}", one, 0) for slot, one in enumerate(seed)]


def checked_actions(actions: NDArray[np.integer], num_envs: int) -> NDArray[np.int64]:
    """One action for each slot, int64 (num_envs,), in order; a ValueError unless they are so many integers."""
    given = np.asarray(actions)
    if given.shape != (num_envs,) or given.dtype.kind not in "iu":
        raise ValueError(f"actions are {num_envs} integers, not an array of shape {given.shape} and type {given.dtype}")
    return np.ascontiguousarray(given, dtype=np.int64)


def checked_reset_mask(options: Mapping[str, Any] | None, num_envs: int) -> NDArray[np.bool_]:
    """In which slots a reset begins games, bool (num_envs,); a ValueError unless options["reset_mask"] is that."""
    mask = (options or {}).get("reset_mask")
    if mask is None:
        return np.ones(num_envs, dtype=np.bool_)
    mask = np.asarray(mask)
    if mask.shape != (num_envs,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(
            f"reset_mask is a bool array of shape ({num_envs},) with at least one True, "
            f"not an array of shape {mask.shape} and type {mask.dtype}"
        )
    return mask
