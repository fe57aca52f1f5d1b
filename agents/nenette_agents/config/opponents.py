"""Whom a config names as opponents: who is met in which of the parallel environments, and where each is found."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game, make_game
from nenette.policies import BEST_RESPONSE
from nenette.policies.files import JSON_FILE, LARGEST_FILE, TENSORS_FILE
from nenette.policies.ladders import table_named
from nenette.policies.load import runs_called
from nenette.policies.registry import is_policy
from nenette.untrusted import NotReadableError, read_bytes

__all__ = ["PAST", "SELF", "Assignment", "assign", "hashes", "in_turn", "resolved"]

SELF = "self"
"""The learner plays all seats of a game, and learns from each."""
PAST = "past"
"""A past self: a frozen copy of the learner as it once was."""


@dataclass(frozen=True)
class Assignment:
    """Which opponent is met in which of the parallel environments.

    Attributes:
        self_games: games in which the learner has all seats; each takes as many environments as it has seats.
        opponents: the name of the opponent in each of the other environments.
    """

    self_games: int
    opponents: list[str]


def in_turn(shares: Mapping[str, float], n: int) -> list[str]:
    """`n` names, each as often as its share says, as evenly spread as can be; equal shares take turns."""
    total, counts, names = sum(shares.values()), dict.fromkeys(shares, 0), []
    for k in range(1, n + 1 if shares else 1):
        name = max(shares, key=lambda one: shares[one] / total * k - counts[one])  # the first one of several
        counts[name] += 1
        names.append(name)
    return names


def assign(shares: Mapping[str, float], n_envs: int, players: int) -> Assignment:
    """The assignment of so many environments by the shares of a config's `opponents`, whose order counts.

    Where there are others, the share of `self` is rounded to whole games, of which there is at least one; where there
    are none, environments that are too few for another game are left out.
    """
    others = {name: share for name, share in shares.items() if name != SELF}
    if SELF not in shares:
        return Assignment(0, in_turn(others, n_envs))
    if not others:
        return Assignment(n_envs // players, [])
    games = max(1, round(in_turn(shares, n_envs).count(SELF) / players))
    return Assignment(games, in_turn(others, max(0, n_envs - games * players)))


def resolved(name: str, game: Game[Any]) -> str:
    """The opponent's name as it is found from any folder: for a run, the full path of its folder.

    Args:
        name: an opponent that `nenette.load_opponent` finds; paths are relative to the working folder.
        game: what it plays.
    """
    before, found, other = name.rpartition(BEST_RESPONSE)
    prefix, _, policy = other.partition("/")
    named = make_game(prefix) if prefix in GAMES else table_named(prefix)
    of_a_game = named is not None and is_policy(policy, named)
    if name in (SELF, PAST) or is_policy(other, game) or of_a_game:
        return name
    path = Path(other).expanduser()
    called = [] if path.exists() else runs_called(other) or runs_called(policy)
    return f"{before}{found}{(called[0] if called else path).resolve()}"


def hashes(names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the policy of each of these opponents that is a file, by its name."""
    found = {name: _sha256(Path(name.removeprefix(BEST_RESPONSE))) for name in dict.fromkeys(names)}
    return {name: sha256 for name, sha256 in found.items() if sha256 is not None}


def _sha256(path: Path) -> str | None:
    if not path.is_absolute():
        return None
    folder = path if path.is_dir() else path.parent
    digest = hashlib.sha256()
    try:
        for file in (JSON_FILE, TENSORS_FILE):
            digest.update(read_bytes(folder / file, LARGEST_FILE))
    except (NotReadableError, OSError):
        return None
    return digest.hexdigest()
