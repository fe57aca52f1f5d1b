"""Opponents by name or from a run: the one function for whoever wants somebody to play against."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game, make_game
from nenette.games.game import check_choice
from nenette.policies.best_response import BEST_RESPONSE, BestResponsePolicy, best_response_to
from nenette.policies.files import read_policy
from nenette.policies.policy import Policy
from nenette.policies.registry import is_policy, make_policy, policy_names

__all__ = ["load_opponent"]


def load_opponent(name_or_path: str | os.PathLike[str], game: Game[Any] | str | None = None) -> Policy:
    """A policy to play against; torch is not needed.

    Args:
        name_or_path: a game and a policy of it, "421/optimal"; a policy alone, "optimal", where `game` says of which
            game; the path of a run's folder or of its policy file; or the best response to any of these, told by
            "best-response:" before the policy or the path, "421/best-response:cautious".
        game: the game to be played, or its name for the default rules. For a path it may be left out: the file knows.

    Raises:
        ValueError: nothing of that name; the nearest is named. `PolicyFileError`, one of them, for what is wrong with a
            file. `Unsolvable`, another, for a best response in a game that is not solved.
    """
    if isinstance(game, str):
        check_choice("a game", game, GAMES)
    if isinstance(name_or_path, str):
        named = _best_response(name_or_path, game) or _named(name_or_path, game)
        if named is not None:
            return named
    path = Path(name_or_path).expanduser()
    if name_or_path == "":
        raise ValueError(_neither("", game))
    if _is_there(path) or not isinstance(name_or_path, str) or _looks_like_a_path(name_or_path):
        return read_policy(path, game)
    raise ValueError(_neither(name_or_path, game))


def _best_response(name: str, game: Game[Any] | str | None) -> Policy | None:
    """The best response that `name` asks for; None if it asks for something else."""
    before, found, other = name.partition(BEST_RESPONSE)
    prefix = before.removesuffix("/")
    if not found or (before and (prefix == before or prefix not in GAMES)):
        return None
    if prefix:
        _check_game(name, prefix, game)
    elif game is None:  # "best-response:421/cautious", or a path, which knows its game
        prefix = other.partition("/")[0]
    played = _game(game or prefix) if game is not None or prefix in GAMES else None
    if played is not None and is_policy(other, played):
        return best_response_to(other, played)
    policy = load_opponent(other, played)
    return BestResponsePolicy(played or policy.game, policy)  # type: ignore[attr-defined] # it was read from a file


def _check_game(name: str, prefix: str, game: Game[Any] | str | None) -> None:
    if game is not None and _name(game) != prefix:
        raise ValueError(f"{name!r} is a policy of {prefix}, and one of {_name(game)} is expected")


def _named(name: str, game: Game[Any] | str | None) -> Policy | None:
    """The policy that `name` and `game` name together; None if `name` may be a path."""
    if game is not None and is_policy(name, game):
        return make_policy(name, _game(game))
    prefix, slash, policy = name.partition("/")
    known = prefix in GAMES and is_policy(policy, prefix)
    if not slash or (_is_there(Path(name)) and not known):
        return None
    if any(is_policy(policy, g) for g in GAMES) and get_close_matches(prefix, GAMES, n=1, cutoff=0.5):
        check_choice("a game", prefix, GAMES)
    if prefix not in GAMES or "/" in policy:
        return None
    _check_game(name, prefix, game)
    return make_policy(policy, _game(game or prefix))


def _game(game: Game[Any] | str) -> Game[Any]:
    return make_game(game) if isinstance(game, str) else game


def _name(game: Game[Any] | str) -> str:
    return game if isinstance(game, str) else game.name


def _all_names(game: Game[Any] | str) -> list[str]:
    """Those that play by other rules included."""
    return policy_names(game.name if isinstance(game, Game) and game.name in GAMES else game)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _looks_like_a_path(text: str) -> bool:
    return text.startswith((".", "~")) or "/" in text or os.sep in text or text.endswith((".json", ".safetensors"))


def _neither(name: str, game: Game[Any] | str | None) -> str:
    """Why `name` is no opponent, in a sentence."""
    games: list[Game[Any] | str] = [game] if game is not None else list(GAMES)
    where = " and ".join(_name(g) for g in games if is_policy(name, g))
    if where:
        return f"{name!r} is a policy of {where}: say of which game, as in '{where.split(' ')[0]}/{name}'"
    known = list(dict.fromkeys(policy for g in games for policy in _all_names(g)))
    near = get_close_matches(name, [*known, *(BEST_RESPONSE + policy for policy in known)], n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    of = f" of {_name(game)}" if game is not None else ""
    return f"{name!r} is neither a policy{of} ({', '.join(known)}) nor the path of a run{hint}"
