"""Opponents of a training that are files: told by full path, and by a hash of what was met."""

import hashlib
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game
from nenette.policies import BEST_RESPONSE, policy_names
from nenette.policies.files import JSON_FILE, LARGEST_FILE, TENSORS_FILE
from nenette.policies.load import runs_called
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.config.mixture import PAST, SELF
from nenette_agents.config.model import Config

__all__ = ["opponent_files", "resolved"]


def resolved(name: str, game: Game[Any]) -> str:
    """The same opponent, found from any folder: of a run, told by a path or by name, the full path of its folder.

    Args:
        name: an opponent that `nenette.load_opponent` finds; paths are relative to the working folder.
        game: what it plays.
    """
    before, found, other = name.rpartition(BEST_RESPONSE)
    prefix, _, policy = other.partition("/")
    of_a_game = prefix in GAMES and policy in policy_names(prefix)
    if name in (SELF, PAST) or other in policy_names(game.name) or of_a_game:
        return name
    path = Path(other).expanduser()
    called = [] if path.exists() else runs_called(other) or runs_called(policy)
    return f"{before}{found}{(called[0] if called else path).resolve()}"


def opponent_files(config: Config) -> dict[str, str]:
    """SHA-256 of the policy of each opponent that is a file, by its name in the config; the one of evaluations, too."""
    names = dict.fromkeys([*config.opponents, *filter(None, [config.evaluation.against])])
    found = {name: _sha256(Path(name.removeprefix(BEST_RESPONSE))) for name in names}
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
