"""Opponents by name or from a run: the one function for whoever wants somebody to play against."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game, make_game
from nenette.games.game import check_choice
from nenette.policies.files import read_policy
from nenette.policies.policy import Policy
from nenette.policies.registry import make_policy, policy_names

__all__ = ["load_opponent"]


def load_opponent(name_or_path: str | os.PathLike[str], game: Game[Any] | str | None = None) -> Policy:
    """A policy to play against; torch is not needed.

    Args:
        name_or_path: a game and a policy of it, "421/optimal"; a policy alone, "optimal", where `game` says of which
            game; or the path of a run's folder or of its policy file.
        game: the game to be played, or its name for the default rules. For a path it may be left out: the file knows.

    Raises:
        ValueError: nothing of that name; the nearest is named. `PolicyFileError`, one of them, for what is wrong with a
            file.
    """
    if isinstance(game, str):
        check_choice("a game", game, GAMES)
    if isinstance(name_or_path, str):
        named = _named(name_or_path, game)
        if named is not None:
            return named
    path = Path(name_or_path).expanduser()
    if name_or_path == "":
        raise ValueError(_neither("", game))
    if _is_there(path) or not isinstance(name_or_path, str) or _looks_like_a_path(name_or_path):
        return read_policy(path, game)
    raise ValueError(_neither(name_or_path, game))


def _named(name: str, game: Game[Any] | str | None) -> Policy | None:
    """The policy that `name` and `game` name together; None if `name` may be a path."""
    if game is not None and name in policy_names(_name(game)):
        return make_policy(name, _game(game))
    prefix, slash, policy = name.partition("/")
    known = prefix in GAMES and policy in policy_names(prefix)
    if not slash or (_is_there(Path(name)) and not known):
        return None
    if any(policy in policy_names(g) for g in GAMES) and get_close_matches(prefix, GAMES, n=1, cutoff=0.5):
        check_choice("a game", prefix, GAMES)
    if prefix not in GAMES or "/" in policy:
        return None
    if game is not None and _name(game) != prefix:
        raise ValueError(f"{name!r} is a policy of {prefix}, and one of {_name(game)} is expected")
    return make_policy(policy, _game(game or prefix))


def _game(game: Game[Any] | str) -> Game[Any]:
    return make_game(game) if isinstance(game, str) else game


def _name(game: Game[Any] | str) -> str:
    return game if isinstance(game, str) else game.name


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _looks_like_a_path(text: str) -> bool:
    return text.startswith((".", "~")) or "/" in text or os.sep in text or text.endswith((".json", ".safetensors"))


def _neither(name: str, game: Game[Any] | str | None) -> str:
    """Why `name` is no opponent, in a sentence."""
    games = [_name(game)] if game is not None else list(GAMES)
    where = " and ".join(g for g in games if name in policy_names(g))
    if where:
        return f"{name!r} is a policy of {where}: say of which game, as in '{where.split(' ')[0]}/{name}'"
    known = list(dict.fromkeys(policy for g in games for policy in policy_names(g)))
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    of = f" of {games[0]}" if game is not None else ""
    return f"{name!r} is neither a policy{of} ({', '.join(known)}) nor the path of a run{hint}"
