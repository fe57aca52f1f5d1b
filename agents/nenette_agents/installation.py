"""What is installed and what is kept on disk, for `nenette doctor`; nothing of it is imported to find out."""

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from platformdirs import user_cache_path

import nenette
from nenette.exact import store
from nenette.games import GAMES
from nenette.policies.files import TENSORS_FILE
from nenette.policies.shipped import OPPONENTS, shipped_names
from nenette_agents.play import records

__all__ = ["Extra", "FolderReport", "Report", "examine"]


@dataclass(frozen=True)
class Extra:
    """An optional part of the installation.

    Attributes:
        name: as in `pip install '.[name]'`.
        packages: the version of each package that is there and new enough.
        missing: the requirements that are not met.
        install: the command that installs it, in a clone of the project.
    """

    name: str
    packages: dict[str, str]
    missing: list[str]
    install: str


@dataclass(frozen=True)
class FolderReport:
    """A folder of files and its size.

    Attributes:
        what: what it holds.
        folder: where it is, or would be.
        named_by: the environment variable that names another one; None: there is none.
        files: how many there are.
        size: of all of them, in bytes.
        writable: whether more can be written.
    """

    what: str
    folder: str
    named_by: str | None
    files: int
    size: int
    writable: bool


@dataclass(frozen=True)
class Report:
    """All that `nenette doctor` reports.

    Attributes:
        nenette: the version.
        python: the interpreter's version.
        platform: the operating system and the processor.
        packages: the version of each package of the base installation that is there and new enough.
        extras: the optional parts.
        folders: what is on disk, and where.
        opponents: how many trained opponents each game has.
        problems: what does not work, each with what to do about it; empty if all is well.
    """

    nenette: str
    python: str
    platform: str
    packages: dict[str, str]
    extras: list[Extra]
    folders: list[FolderReport]
    opponents: dict[str, int]
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return asdict(self)


def examine(runs: Path = Path("runs")) -> Report:
    """Looks at this installation and its folders, and changes nothing.

    Args:
        runs: the folder in which runs lie.
    """
    declared = [Requirement(line) for line in metadata.requires("nenette") or ()]
    packages, missing = _met(_wanted(declared, ""))
    extras = [_extra(name, declared) for name in metadata.metadata("nenette").get_all("Provides-Extra") or ()]
    folders = _folders(runs)
    problems = [f"{one} is not installed: pip install '{one}'" for one in missing]
    problems += [
        f"nothing can be written to {one.folder} ({one.what}): {one.named_by} may name another folder"
        for one in folders
        if one.named_by is not None and not one.writable
    ]
    opponents = {}
    for game in GAMES:
        names = shipped_names(game)
        opponents[game] = len(names)
        if not names:
            problems.append(f"the trained opponents of {game} are not in {OPPONENTS}: install nenette again")
        problems += [
            f"{OPPONENTS / game / name / TENSORS_FILE} is not there: install nenette again"
            for name in names
            if not (OPPONENTS / game / name / TENSORS_FILE).is_file()
        ]
    return Report(
        nenette=metadata.version("nenette"),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        packages=packages,
        extras=extras,
        folders=folders,
        opponents=opponents,
        problems=problems,
    )


def _wanted(declared: Iterable[Requirement], extra: str) -> list[Requirement]:
    """What the base installation asks for, or else what `extra` adds to it, on this machine."""
    return [
        one
        for one in declared
        if (one.marker is None or one.marker.evaluate({"extra": extra}))
        and (not extra or (one.marker is not None and not one.marker.evaluate({"extra": ""})))
    ]


def _met(wanted: Iterable[Requirement]) -> tuple[dict[str, str], list[str]]:
    """The versions of the packages that are there, and the requirements that are not met."""
    there, missing = dict[str, str](), list[str]()
    for one in wanted:
        try:
            version = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            version = None
        if version is not None and one.specifier.contains(version, prereleases=True):
            there[one.name] = version
        else:
            missing.append(f"{one.name}{one.specifier}")
    return there, missing


def _extra(name: str, declared: list[Requirement]) -> Extra:
    packages, missing = _met(_wanted(declared, name))
    return Extra(name, packages, missing, f"pip install '.[{name}]'")


def _folders(runs: Path) -> list[FolderReport]:
    return [
        _folder("solved games", store.folder(), "NENETTE_CACHE", "*.safetensors"),
        _folder("compiled code", _compiled_code(), "NUMBA_CACHE_DIR", "**/*.nb[ci]"),
        _folder("played games", _played_games(), "NENETTE_GAMES", "*.jsonl"),
        _folder("runs", runs.absolute(), None, "**/*"),
    ]


def _compiled_code() -> Path:
    """Where numba writes it: in the folder that is set, else beside the sources, else in the user's cache folder."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    package = Path(nenette.__file__).parent
    if given or _writable(package):
        return Path(given) if given else package
    try:
        return user_cache_path("numba", appauthor=False)
    except RuntimeError:  # the user has no home
        return package


def _played_games() -> Path:
    try:
        return records.folder()
    except RuntimeError:  # the user has no home
        return store.NOWHERE


def _folder(what: str, folder: Path, named_by: str | None, pattern: str) -> FolderReport:
    sizes = [path.lstat().st_size for path in folder.glob(pattern) if path.is_file()]
    return FolderReport(what, str(folder), named_by, len(sizes), sum(sizes), _writable(folder))


def _writable(folder: Path) -> bool:
    """Whether files can be written there; a folder that is not there yet counts if it can be made."""
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
