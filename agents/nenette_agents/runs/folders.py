"""Run folders: `runs/<game>/<algorithm>/<name>/`, what lies in one, and who may write there."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from platform import python_version
from typing import Any

import yaml
from pydantic import ValidationError

from nenette.untrusted import NotReadableError, parse_json, read_bytes
from nenette.writing import append_bytes, replace_file
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.errors import RunError, json_object, nearest, shown

__all__ = ["CARD", "Run", "find_run", "held", "new_run", "open_run", "read_json", "versions"]

_PACKAGES = ("numpy", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "nenette")
_LARGEST_METRICS = 1 << 26  # bytes; an evaluation takes some hundred
_LARGEST_FACTS = 1 << 20
CONFIG_FILE = "config.yaml"
FREE = "checkpoint"
"""The section of a config that does not matter to the result."""
MAY_CHANGE = (FREE, "total_timesteps", "evaluation")
"""What a run that goes on may have anew: how long it trains, and how it is scored."""
_NEEDED = ("algorithm", "seed", "started", "versions")
CARD = (*_NEEDED, "init")
"""What a run's policy says of it; `init` only if it began with a policy."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass
class Run:
    """The folder of one training run.

    `config.yaml` (all defaults written out), `run.json` (seed, versions, times, status), `metrics.jsonl` (one line an
    evaluation), TensorBoard's event files, `policy.safetensors` with `policy.json`, and `curve.png`; until it is
    finished, `checkpoints/`.

    Attributes:
        folder: where it lies.
        facts: what `run.json` says.
    """

    folder: Path
    facts: dict[str, Any]

    def note(self, **facts: Any) -> None:
        """Adds to `run.json`, which is never seen half written."""
        self.facts.update(facts)
        _replace(self.folder / "run.json", json.dumps(self.facts, indent=2) + "\n")

    def finish(self, status: str) -> None:
        """Notes how the run ended: finished, interrupted or failed."""
        self.note(status=status, finished=_now())

    def resume(self, step: int) -> None:
        """Notes that the run goes on from `step`."""
        earlier = self.facts.get("resumed")
        resumed = {"step": step, "at": _now()}
        self.note(status="running", finished=None, resumed=[*(earlier if isinstance(earlier, list) else ()), resumed])

    def change(self, config: Config, overrides: list[str]) -> None:
        """Gives the run another config, by `overrides`. After a kill in between, the old or the new config holds."""
        before, given = self.facts.get("config"), self.facts.get("overrides")
        given = [*(given if isinstance(given, list) else ()), *overrides]
        self.note(config=config.model_dump(mode="json"), config_before=before, overrides=given)
        _replace(self.folder / CONFIG_FILE, _as_yaml(config))
        self.note(config_before=None)

    def add_metrics(self, line: Mapping[str, Any]) -> None:
        """Appends one line to `metrics.jsonl`."""
        append_bytes(self.folder / "metrics.jsonl", (json.dumps(line) + "\n").encode())

    def set_metrics(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Writes `metrics.jsonl` anew."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        _replace(self.folder / "metrics.jsonl", text)

    def tidy(self) -> None:
        """Removes files that were being written when the run was killed."""
        for aside in (*self.folder.glob(".policy.*"), *self.folder.glob(".*.new")):
            if aside.is_symlink() or not aside.is_dir():
                aside.unlink()

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of `metrics.jsonl`, oldest first; an incomplete last line, after a kill, is left out.

        Raises:
            RunError: another line is no JSON object with the number of a step, or no run writes such a file.
        """
        path = self.folder / "metrics.jsonl"
        try:
            lines = read_bytes(path, _LARGEST_METRICS).split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        except (NotReadableError, OSError) as error:
            raise RunError(f"{path} cannot be read: {_reason(error)}") from error
        return [_metrics_line(line, f"line {number} of {path}") for number, line in enumerate(lines, start=1)]


def _metrics_line(text: bytes, where: str) -> dict[str, Any]:
    line = json_object(text, where, RunError)
    if type(line.get("step")) is not int:
        raise RunError(f"{where} says step {shown(line.get('step'))}, and an integer is expected")
    return line


def read_json(path: Path, most: int = _LARGEST_METRICS) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        RunError: it cannot be read, or holds no JSON object; one sentence that begins with the file.
    """
    try:
        text = read_bytes(path, most)
    except (NotReadableError, OSError) as error:
        raise RunError(f"{path} cannot be read: {_reason(error)}") from error
    return json_object(text, str(path), RunError)


def _reason(error: Exception) -> str:
    return f"it {error}" if isinstance(error, NotReadableError) else str(getattr(error, "strerror", None) or error)


def new_run(root: Path, config: Config, name: str, overrides: list[str]) -> Run:
    """Makes the folder of a new run under `root`; a name that is taken gets -2, -3, …

    Raises:
        RunError: the name cannot be a folder's.
        OSError: the folder cannot be made.
    """
    if not _NAME.fullmatch(name):
        raise RunError(
            f"a run's name is made of letters, digits, dots, dashes and underscores (at most 100), not {shown(name)}"
        )
    game = config.make_game()
    parent = root / game.name / config.algorithm
    parent.mkdir(parents=True, exist_ok=True)
    folder = _make_unique(parent, name)
    _replace(folder / CONFIG_FILE, _as_yaml(config))
    run = Run(folder, {})
    run.note(
        game=game.name,
        algorithm=config.algorithm,
        rules_id=game.rules_id,
        seed=config.seed,
        status="running",
        started=_now(),
        finished=None,
        overrides=overrides,
        versions=versions(),
        config=config.model_dump(mode="json"),
        opponents=config.opponent_hashes,
    )
    return run


def open_run(folder: Path) -> tuple[Run, Config]:
    """The run in `folder`, and its config.

    Raises:
        RunError: there is none, or its config.yaml was changed since.
        ConfigError: its config is not what it should be.
    """
    path = folder / "run.json"
    try:
        facts = parse_json(read_bytes(path, _LARGEST_FACTS))
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{folder} is no run's folder: there is no run.json in it") from None
    except (NotReadableError, ValueError, OSError) as error:
        raise RunError(f"{path} is damaged: it is no JSON that can be read ({_reason(error)})") from error
    for key in ("status", *_NEEDED):
        if not isinstance(facts, dict) or key not in facts:
            raise RunError(f"{path} is damaged: it does not say the run's {key}")
    config = load_config(folder / CONFIG_FILE)
    if not _says_what(facts.get("config_before"), config):
        _check_unchanged(folder, facts.get("config"), config)
    return Run(folder, facts), config


def _says_what(noted: Any, config: Config) -> bool:
    """Whether config.yaml is the one from before a change that was killed."""
    try:
        return noted is not None and Config.read(noted).trains_as(config)
    except ValidationError:
        return False


def _check_unchanged(folder: Path, noted: Any, config: Config) -> None:
    """Raises RunError if config.yaml says something else than the run was made with."""
    if noted is None:  # a run of an earlier version, which did not note it
        return
    try:
        then = Config.read(noted)
    except ValidationError:
        raise RunError(f"{folder} was made with a config that this nenette does not know") from None
    for key, before, now in differences(then.model_dump(), config.model_dump()):
        if key.partition(".")[0] != FREE:
            raise RunError(
                f"{folder} was made with {key[:80]} {shown(before)}, and its config.yaml now says {shown(now)}"
            )


def differences(then: Any, now: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The keys in which two configs differ, written with dots, and what each says there; a missing key is None."""
    if key == "opponents" and list(then or ()) != list(now or ()):
        yield key, then, now  # by their order the environments are assigned
    elif isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*then, *now)):
            yield from differences(then.get(name), now.get(name), f"{key}.{name}" if key else name)
    elif then != now:
        yield key, then, now


def _as_yaml(config: Config) -> str:
    return yaml.safe_dump(config.model_dump(mode="json", exclude_none=True), sort_keys=False)


def _replace(path: Path, text: str) -> None:
    replace_file(path, text.encode(), aside=f".{path.name}.new")


def _make_unique(parent: Path, name: str) -> Path:
    count = 1
    while True:
        folder = parent / (name if count == 1 else f"{name}-{count}")
        try:
            folder.mkdir()
        except FileExistsError:
            count += 1
        else:
            return folder


def find_run(name_or_path: str, root: Path) -> Path:
    """The folder of a run, from its path or from the last part of it when only one run under `root` has that name.

    Raises:
        RunError: there is none, or more than one.
    """
    path = Path(name_or_path)
    try:
        if path.exists():
            return path
    except OSError as error:
        raise RunError(f"{shown(name_or_path)} is neither a run's folder nor its name: {error.strerror}") from error
    every = {found.parent for found in root.glob("*/*/*/run.json")}
    named = sorted(folder for folder in every if folder.name == name_or_path)
    if len(named) == 1:
        return named[0]
    if named:
        raise RunError(f"more than one run is called {name_or_path!r}: {', '.join(map(str, named))}; give one of these")
    near = nearest(name_or_path, sorted({folder.name for folder in every}))
    raise RunError(f"there is no run {shown(name_or_path)}, neither as a folder nor by name under {root}{near}")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages on which a result depends, and the processor's instruction set.

    torch computes with the widest instructions that the processor has. Sums are then rounded differently, and a
    training that ends at an exploitability of 0 on one machine may end at 1 on another.
    """
    found = {"python": python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    found["instruction set"] = _instruction_set()
    return found


def dependencies(config: Config) -> dict[str, str]:
    """What a result depends on beside the config: versions of packages, and what opponents are that are files."""
    return {**versions(), **{f"opponent {name}": sha256 for name, sha256 in config.opponent_hashes.items()}}


def _instruction_set() -> str:
    try:
        from torch.backends import cpu
    except ModuleNotFoundError:
        return "not known"
    return str(cpu.get_cpu_capability())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the lock of a run's folder, the file `.lock` in it; the system lets go when the process ends or is killed.

    Raises:
        RunError: another process holds it.
        OSError: the file cannot be made.
    """
    from filelock import FileLock, Timeout  # of the extra "train", which listing runs does not need

    try:
        # Not one lock for each thread: whoever trains may hand the run to another.
        with FileLock(folder / ".lock", blocking=False, thread_local=False):
            yield
    except Timeout:
        raise RunError(f"{folder} is being trained by another process right now: wait, or end that") from None
