"""Whether a checkpoint is one of this training."""

from collections.abc import Callable

from pydantic import ValidationError

from nenette_agents.config import Config
from nenette_agents.errors import CheckpointError, shown
from nenette_agents.runs.checkpoints.files import Checkpoint
from nenette_agents.runs.folders import MAY_CHANGE, differences, versions

__all__ = ["check_fits", "dependencies", "tell_dependencies"]


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
        theirs = Config.read(checkpoint.config)
    except ValidationError:
        raise CheckpointError("the checkpoint was made with a config that this nenette does not know") from None
    for key, then, now in differences(theirs.model_dump(), config.model_dump()):
        if key.partition(".")[0] not in MAY_CHANGE:
            raise CheckpointError(
                f"the checkpoint was made with {key[:80]} {shown(then)}, "
                f"and the run's config.yaml now says {shown(now)}"
            )


def dependencies(config: Config) -> dict[str, str]:
    """What a result depends on beside the config: versions of packages, and what opponents are that are files."""
    return {**versions(), **{f"opponent {name}": sha256 for name, sha256 in config.opponent_hashes.items()}}


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
