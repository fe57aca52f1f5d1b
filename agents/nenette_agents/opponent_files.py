"""Opponents of a training that are files: told by full path, and by a hash of what was met."""

import hashlib
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game
from nenette.policies import BEST_RESPONSE, policy_names
from nenette.policies.files import JSON_FILE, LARGEST_FILE, TENSORS_FILE
from nenette.untrusted import NotReadableError, read_bytes
from nenette_agents.config import Config
from nenette_agents.mixture import PAST, SELF

__all__ = ["opponent_files", "resolved"]


def resolved(name: str, game: Game[Any]) -> str:
    """The same opponent, found from any folder: a path, which is relative to the working folder, is made absolute."""
    before, found, other = name.rpartition(BEST_RESPONSE)
    if name in (SELF, PAST) or other in policy_names(game.name) or _of_a_game(other):
        return name
    return f"{before}{found}{Path(other).expanduser().resolve()}"


def _of_a_game(name: str) -> bool:
    game, _, policy = name.partition("/")
    return game in GAMES and policy in policy_names(game)


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
