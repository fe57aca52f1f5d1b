"""What a run that goes on may be given anew, and what would make it another run."""

from collections.abc import Sequence
from pathlib import Path

from nenette_agents.config import Config, load_config
from nenette_agents.errors import RunError, short, shown
from nenette_agents.runs.folders import CONFIG_FILE, MAY_CHANGE, differences

__all__ = ["continued"]


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
