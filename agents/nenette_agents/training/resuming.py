"""A run that goes on: from its last checkpoint after a stop or a kill, or for more steps once it is finished."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.errors import CheckpointError, RunError, short, shown
from nenette_agents.runs.checkpoints.files import Checkpoint
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.runs.folders import (
    CONFIG_FILE,
    MAY_CHANGE,
    dependencies,
    differences,
    held,
    open_run,
    versions,
)
from nenette_agents.training.build import build
from nenette_agents.training.run import Outcome, train_built

__all__ = ["check_fits", "continued", "resume", "tell_dependencies"]


def resume(folder: Path, console: Console, overrides: Sequence[str] = ()) -> Outcome:
    """Goes on with the run in `folder` from its last checkpoint, and ends as if it had never been stopped.

    Bit for bit so on the same machine with the same versions of what it depends on; other versions are reported. A run
    that was stopped before its first checkpoint begins anew; of a finished one this is the outcome, unless it is to
    make more steps.

    Args:
        folder: the run's.
        console: on which progress is shown.
        overrides: "key=value" of `total_timesteps`, `evaluation` and `checkpoint`, which the run has from then on.

    Raises:
        RunError: there is no run in the folder, another process is training it, or an override would make it another
            run, or asks for no more steps than it has made.
        CheckpointError: the checkpoint is of another config or other rules, or none can be read.
        ValueError, OSError: as in `train`.
    """
    open_run(folder)
    with held(folder):
        run, config = open_run(folder)  # whoever held it may have finished it
        shelf = Shelf(folder)

        def tell(sentence: str) -> None:
            console.print(f"{folder.name}: {sentence}", soft_wrap=True, highlight=False, markup=False)

        finished = run.facts["status"] == "finished"
        if finished and not run.metrics():
            raise RunError(f"{folder} is finished, and its metrics are gone: there is no line in its metrics.jsonl")
        asked = continued(folder, config, overrides)
        if finished and asked == config:
            tell("is finished")
            if config.checkpoint.keep is False:
                shelf.clear()  # a kill may have come before
            last = run.metrics()[-1]
            return Outcome(folder, config, "finished", last["step"], last)
        checkpoint = shelf.newest(tell)
        done = run.metrics()[-1]["step"] if finished else checkpoint.step if checkpoint else 0
        if done >= asked.total_timesteps and (finished or asked != config):
            raise RunError(
                f"{folder} has made {done:,} steps, and total_timesteps is {asked.total_timesteps:,}: "
                "more was expected. nenette evaluate scores its policy otherwise"
            )
        if finished and checkpoint is None:
            raise RunError(
                f"{folder} is finished, and its last checkpoint was not kept (checkpoint.keep): "
                f"a new run can begin with its policy, by --set init={folder}"
            )
        if checkpoint is not None:
            check_fits(checkpoint, asked)
            tell_dependencies(checkpoint, asked, tell)
        else:  # nothing is left of what was met before
            run.note(versions=versions(), opponents=asked.opponent_hashes)
        tell(f"goes on from step {checkpoint.step:,}" if checkpoint else "begins anew, for there is no checkpoint yet")
        built = build(asked)
        if asked != config:
            run.change(asked, list(overrides))
        return train_built(built, run, asked, console, checkpoint or 0, changed=asked != config)


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
    """Checks that a checkpoint was made in a training by `config`.

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


def tell_dependencies(checkpoint: Checkpoint, config: Config, tell: Callable[[str], None]) -> None:
    """Reports versions and opponents that differ from the checkpoint's: the result may not be the same bit for bit."""
    now = dependencies(config)
    differ = [
        f"{name} {shown(checkpoint.versions.get(name))} and not {version}"
        for name, version in now.items()
        if checkpoint.versions.get(name) != version
    ]
    if differ:
        tell(f"the checkpoint was made with {', '.join(differ)}: the run goes on, but not bit for bit as it would have")
