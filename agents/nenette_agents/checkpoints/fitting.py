"""Whether a checkpoint is one of this training."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nenette.policies.files import TENSORS_FILE
from nenette_agents.checkpoints.files import Checkpoint
from nenette_agents.config import Config
from nenette_agents.errors import CheckpointError, shown
from nenette_agents.runs import versions

__all__ = ["check_fits", "dependencies", "tell_dependencies"]

_FREE = "checkpoint"
"""The section of a config that does not matter to the result."""


def check_fits(checkpoint: Checkpoint, config: Config) -> None:
    """Looks whether it was made in a training by `config`.

    Raises:
        CheckpointError: the game, its rules or a key of the config differ.
    """
    game = config.make_game()
    if (checkpoint.game, checkpoint.rules_id) != (game.name, game.rules_id):
        raise CheckpointError(
            f"the checkpoint is of {shown(checkpoint.game)} with other rules, or another version of them, "
            f"than the run's {game.name}"
        )
    try:
        theirs = Config.model_validate(checkpoint.config)
    except ValidationError:
        raise CheckpointError("the checkpoint was made with a config that this nenette does not know") from None
    for key, then, now in _differences("", theirs.model_dump(), config.model_dump()):
        if key.partition(".")[0] != _FREE:
            raise CheckpointError(
                f"the checkpoint was made with {key} {shown(then)}, and the run's config.yaml now says {shown(now)}"
            )


def _differences(key: str, then: Any, now: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*then, *now)):
            yield from _differences(f"{key}.{name}" if key else name, then.get(name), now.get(name))
    elif then != now:
        yield key, then, now


def dependencies(config: Config) -> dict[str, str]:
    """What a result depends on beside the config: versions of packages, and what opponents are that are files."""
    found = versions()
    for name in config.opponents:
        path = Path(name)
        weights = path / TENSORS_FILE if path.is_dir() else path.with_name(TENSORS_FILE)
        if path.exists() and weights.is_file():
            found[f"opponent {name}"] = hashlib.sha256(weights.read_bytes()).hexdigest()
    return found


def tell_dependencies(checkpoint: Checkpoint, config: Config, tell: Callable[[str], None]) -> None:
    """Says so if the result may not be, bit for bit, that of the run that was never stopped."""
    now = dependencies(config)
    differ = [
        f"{name} {shown(checkpoint.versions.get(name))} and not {version}"
        for name, version in now.items()
        if checkpoint.versions.get(name) != version
    ]
    if differ:
        tell(f"the checkpoint was made with {', '.join(differ)}: the run goes on, but not bit for bit as it would have")
