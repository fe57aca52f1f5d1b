"""All runs under a folder, from their `run.json` and their metrics alone: no config is read, nothing is imported."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nenette_agents.errors import RunError
from nenette_agents.runs.folders import Run, differences, find_run, read_json

__all__ = ["FIGURES", "config_differences", "facts_of", "run_folders"]

FIGURES = ("value", "exploitability", "regret", "turns")
"""What is listed of the last line of a run's metrics."""
_NOTED = ("game", "algorithm", "seed", "status", "started", "finished")


def run_folders(root: Path, names: Sequence[str] = ()) -> list[Path]:
    """The folders of these runs, or of all runs under `root`, those that were started last at the end.

    Raises:
        RunError: a run that is named is not there.
    """
    if names:
        return [find_run(name, root) for name in names]
    folders = [found.parent for found in root.glob("*/*/*/run.json")]
    return sorted(folders, key=lambda folder: (facts_of(folder).get("started") or "", folder))


def facts_of(folder: Path) -> dict[str, Any]:
    """What is listed of a run, as JSON values; "damaged" says in one sentence what cannot be read."""
    facts: dict[str, Any] = {"run": str(folder), "name": folder.name}
    try:
        noted = read_json(folder / "run.json")
        lines = Run(folder, noted).metrics()
    except RunError as error:
        return {**facts, "status": "damaged", "damaged": str(error)}
    last = lines[-1] if lines else {}
    config = noted.get("config")
    facts.update({name: noted.get(name) for name in _NOTED})
    facts["init"] = (noted.get("init") or {}).get("policy")
    facts["steps"] = last.get("step", 0)
    facts["total_timesteps"] = config.get("total_timesteps") if isinstance(config, Mapping) else None
    facts["seconds"] = last.get("seconds")
    facts["against"] = last.get("against")
    facts["exact"] = last.get("exact")
    facts.update({name: last.get(name) for name in FIGURES})
    facts["endless"] = {name: last["endless"].get(name) for name in FIGURES} if last.get("endless") else None
    return facts


def config_differences(folders: Sequence[Path]) -> dict[str, list[Any]]:
    """The keys in which the configs of these runs differ, and what each says there.

    Raises:
        RunError: a run's facts cannot be read.
    """
    configs = [read_json(folder / "run.json").get("config") or {} for folder in folders]
    keys = {key: None for one in configs for key, _, _ in differences(configs[0], one)}
    return {key: [_at(config, key) for config in configs] for key in keys}


def _at(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = config.get(part) if isinstance(config, Mapping) else None
    return config
