"""Opponents by name or from a run: the one place that knows what a name means."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from nenette.games import GAMES, Game, make_game
from nenette.games.checks import check_choice
from nenette.policies.best_response import BEST_RESPONSE, BestResponsePolicy, best_response_to
from nenette.policies.files import JSON_FILE, read_policy
from nenette.policies.ladders import ladder_game, ladder_of, table_named
from nenette.policies.policy import Policy
from nenette.policies.registry import is_policy, make_policy, names_at_table, policy_names
from nenette.policies.stored import format_of, policy_folder
from nenette.policies.table import FORMAT as TABLE
from nenette.policies.table import read_table

__all__ = ["RUNS", "Found", "find_opponent", "game_named", "load_opponent", "runs_called"]

RUNS = "runs"
"""The folder in which runs are looked for by name."""
PathOrName = str | os.PathLike[str]


class Found(NamedTuple):
    """An opponent, and the game that it plays."""

    policy: Policy
    game: Game[Any]


def load_opponent(name_or_path: PathOrName, game: Game[Any] | str | None = None, *, runs: PathOrName = RUNS) -> Policy:
    """A policy to play against; torch is not needed.

    Args:
        name_or_path: a game and a policy of it, "421/optimal", or with a number of players, "demi-iles-3/equilibrium";
            a policy alone, "optimal", where `game` says of which
            game; the path of a run's folder or of its policy file; the name of a run, "421-ppo-seed3", which is the
            last part of its folder's path; or the best response to any of these, with "best-response:" before the
            policy or the run, "421/best-response:cautious".
        game: the game to be played, or its name for the default rules. For a run it may be left out: the file knows.
        runs: the folder in which runs are looked for by name, as `nenette train` lays them: `GAME/ALGORITHM/NAME`.

    Raises:
        ValueError: nothing of that name; the nearest is named. `PolicyFileError`, one of them, for what is wrong with a
            file. `Unsolvable`, another, for a best response in a game that is not solved.
    """
    return find_opponent(name_or_path, game, runs=runs).policy


def find_opponent(name_or_path: PathOrName, game: Game[Any] | str | None = None, *, runs: PathOrName = RUNS) -> Found:
    """The opponent that `load_opponent` gives, with its game: `game`, or the one named by the name or the file."""
    if isinstance(game, str):
        game = table_named(game) or game
    if isinstance(game, str):
        check_choice("a game", game, GAMES)
    if isinstance(name_or_path, str):
        found = _best_response(name_or_path, game, runs) or _named(name_or_path, game, runs)
        if found is not None:
            return found
    if name_or_path == "":
        raise ValueError(_neither("", game, runs))
    path = Path(name_or_path).expanduser()
    if isinstance(name_or_path, str) and not _is_there(path):
        called = runs_called(name_or_path, runs)
        if len(called) > 1:
            which = ", ".join(map(str, called))
            raise ValueError(f"more than one run is called {name_or_path!r}: {which}; give one of these")
        if not called and not _looks_like_a_path(name_or_path):
            raise ValueError(_neither(name_or_path, game, runs))
        path = called[0] if called else path
    read = read_table if format_of(policy_folder(path) / JSON_FILE) == TABLE else read_policy
    policy = read(path, game)
    return Found(policy, policy.game if game is None else _game(game))


def game_named(name: str) -> str | None:
    """The game that "421/cautious", "best-response:421/cautious" or "demi-iles-3/greedy" is about; None where the name
    says nothing about it.
    """
    prefix, slash, _ = name.removeprefix(BEST_RESPONSE).partition("/")
    known = slash and (prefix in GAMES or table_named(prefix) is not None)
    return prefix if known and not _is_there(Path(name.removeprefix(BEST_RESPONSE))) else None


def runs_called(name: str, runs: PathOrName = RUNS) -> list[Path]:
    """Folders of the runs under `runs` whose path ends with `name`; none where `name` cannot be a folder's."""
    if not name or name.startswith(".") or "\0" in name:
        return []
    return [folder for folder in _all_runs(runs) if f"/{folder.as_posix()}".endswith(f"/{name}")]


def _all_runs(runs: PathOrName) -> list[Path]:
    return sorted(found.parent for found in Path(runs).glob("*/*/*/run.json"))


def _best_response(name: str, game: Game[Any] | str | None, runs: PathOrName) -> Found | None:
    """The best response that `name` asks for; None if it asks for something else."""
    before, found, other = name.partition(BEST_RESPONSE)
    prefix = before.removesuffix("/")
    if not found or (before and (prefix == before or prefix not in GAMES)):
        return None
    if prefix:
        _check_game(name, prefix, game)
    elif game is None:  # "best-response:421/cautious", or a run, which knows its game
        prefix = game_named(other) or ""
    played = _game(game or prefix) if game is not None or prefix else None
    if played is not None and is_policy(other, played):
        return Found(best_response_to(other, played), played)
    against = find_opponent(other, played, runs=runs)
    return Found(BestResponsePolicy(against.game, against.policy), against.game)


def _check_game(name: str, prefix: str, game: Game[Any] | str | None) -> None:
    if game is not None and _name(game) != prefix:
        raise ValueError(f"{name!r} is a policy of {prefix}, and one of {_name(game)} is expected")


def _named(name: str, game: Game[Any] | str | None, runs: PathOrName) -> Found | None:
    """The policy that `name` and `game` name together; None if `name` may be a path or a run."""
    if game is not None and is_policy(name, game):
        return Found(make_policy(name, _game(game)), _game(game))
    prefix, slash, policy = name.partition("/")
    table = table_named(prefix) if slash and "/" not in policy else None
    if table is not None:
        if isinstance(game, Game) and ladder_of(game) != prefix:
            raise ValueError(f"{name!r} is a policy of {prefix}, and one of {ladder_of(game)} is expected")
        return find_opponent(policy, table if game is None else game, runs=runs)
    known = prefix in GAMES and is_policy(policy, prefix)
    if not slash or (not known and (_is_there(Path(name)) or runs_called(name, runs))):
        return None
    if any(is_policy(policy, g) for g in GAMES) and get_close_matches(prefix, GAMES, n=1, cutoff=0.5):
        check_choice("a game", prefix, GAMES)
    if prefix not in GAMES or "/" in policy:
        return None
    _check_game(name, prefix, game)
    played = _game(game or prefix)
    if not known and runs_called(policy, runs):  # "421/421-ppo-seed3"
        return find_opponent(policy, played, runs=runs)
    return Found(make_policy(policy, played), played)


def _game(game: Game[Any] | str) -> Game[Any]:
    return make_game(game) if isinstance(game, str) else game


def _name(game: Game[Any] | str) -> str:
    return game if isinstance(game, str) else game.name


def _all_names(game: Game[Any] | str) -> list[str]:
    """Those that play by other rules included."""
    if isinstance(game, str) or game.name not in GAMES:
        return policy_names(game)
    ladder = ladder_of(game)
    return policy_names(game.name) if ladder == game.name else names_at_table(ladder_game(ladder))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _looks_like_a_path(text: str) -> bool:
    return text.startswith((".", "~")) or "/" in text or os.sep in text or text.endswith((".json", ".safetensors"))


def _neither(name: str, game: Game[Any] | str | None, runs: PathOrName) -> str:
    """Why `name` is no opponent, in a sentence."""
    games: list[Game[Any] | str] = [game] if game is not None else list(GAMES)
    where = " and ".join(_name(g) for g in games if is_policy(name, g))
    if where:
        return f"{name!r} is a policy of {where}: say of which game, as in '{where.split(' ')[0]}/{name}'"
    known = list(dict.fromkeys(policy for g in games for policy in _all_names(g)))
    called = [folder.name for folder in _all_runs(runs)]
    near = get_close_matches(name, [*known, *(BEST_RESPONSE + one for one in known), *called], n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    of = f" of {game if isinstance(game, str) else ladder_of(game)}" if game is not None else ""
    return f"{name!r} is neither a policy{of} ({', '.join(known)}) nor a run, by its folder or by name in {runs}{hint}"
