"""What a run goes on from: whether a checkpoint is one of it, and what it may be given anew."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from nenette_agents.config import Config, load_config
from nenette_agents.errors import CheckpointError, RunError, short, shown
from nenette_agents.runs.checkpoints.files import Checkpoint
from nenette_agents.runs.folders import CONFIG_FILE, MAY_CHANGE, differences, versions

__all__ = ["check_fits", "continued", "dependencies", "tell_dependencies"]


def continued(folder: Path, config: Config, overrides: Sequence[str]) -> Config:
    """The config of the run in `folder` with `overrides`; `config` itself without any.

    Raises:
        RunError: one of them would make it another run: the key is named.
        ConfigError: one of them is wrong.
    """
    if not overrides:
        return config
    asked = load_config(folder / CONFIG_FILE, list(overrides))
    for key, before, now in differences(config.model_dump(), asked.model_dump()):
        if key.partition(".")[0] not in MAY_CHANGE:
            raise RunError(
                f"{key[:80]} is {shown(before)} in {short(str(folder))}, and {shown(now)} would make it another run: "
                f"only {', '.join(MAY_CHANGE)} may change where a run goes on. "
                f"A new run can begin with its policy, by --set init={folder}"
            )
    return asked


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
