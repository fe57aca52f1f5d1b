"""The checkpoints of a run: a folder of folders, of which the newest whole one counts."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from nenette_agents.errors import CheckpointError, DamagedCheckpoint
from nenette_agents.runs.checkpoints.files import JSON_FILE, Checkpoint, read_checkpoint, write_checkpoint

__all__ = ["Shelf"]

_NAME = re.compile(r"step-([0-9]{12,16})")
_ASIDE = ".aside"
_COPIES = 2  # should the newest be damaged, the one before leads to the same end


class Shelf:
    """Where a run's checkpoints stand: `checkpoints/step-000000012345/` and so on.

    One is written aside, down to the disk, and then renamed: whenever the machine stops, the one before is whole.

    Attributes:
        folder: `checkpoints` in the run's folder; there may be none yet.
    """

    def __init__(self, run: Path) -> None:
        self.folder = run / "checkpoints"

    def put(self, checkpoint: Checkpoint) -> None:
        """Writes it; older ones go, but for the last before it.

        Raises:
            OSError: it cannot be written: the disk is full, for instance. Those before stay as they are.
            CheckpointError: it holds what cannot be written.
        """
        aside = self.folder / _ASIDE
        place = self.folder / f"step-{checkpoint.step:012}"
        try:
            _remove(aside)
            aside.mkdir(parents=True)
            write_checkpoint(aside, checkpoint)
            _sync(aside)
            _remove(place)
            os.rename(aside, place)
            _sync(self.folder)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        for old in self._places()[_COPIES:]:
            _remove(old)

    def newest(self, tell: Callable[[str], None]) -> Checkpoint | None:
        """The newest checkpoint that can be read; None if there has been none. Damaged ones before it are reported.

        Raises:
            CheckpointError: there are some, and none can be read.
        """
        damages: list[str] = []
        for place in self._places():
            try:
                checkpoint = read_checkpoint(place)
            except DamagedCheckpoint as damage:
                damages.append(str(damage))
                continue
            for sentence in damages:
                tell(f"{sentence}; the checkpoint before it is taken, of step {checkpoint.step:,}")
            return checkpoint
        if damages:
            raise CheckpointError(
                f"{damages[0]}, and no checkpoint before it can be read either; "
                f"without {self.folder} the run begins anew"
            )
        return None

    def tidy(self, step: int) -> None:
        """Takes away what is newer than `step`, which is damaged, and what a kill has left half done."""
        for place in self._places():
            if _step(place) > step:
                _remove(place)
        _remove(self.folder / _ASIDE)

    def clear(self) -> None:
        """Takes all of it away."""
        if self.folder.is_symlink():
            self.folder.unlink()
        elif self.folder.is_dir():
            for place in self._places():
                _remove(place)
            shutil.rmtree(self.folder)

    def _places(self) -> list[Path]:
        """Of whole checkpoints and of damaged ones, the newest first."""
        if not self.folder.is_dir():
            return []
        return sorted((path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)), key=_step, reverse=True)


def _step(place: Path) -> int:
    found = _NAME.fullmatch(place.name)
    assert found is not None
    return int(found[1])


def _remove(place: Path) -> None:
    """What says that a checkpoint is one goes first: one that is half taken away is none.

    Nothing is taken away that lies elsewhere, and to which somebody has laid a link.
    """
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        (place / JSON_FILE).unlink(missing_ok=True)
        shutil.rmtree(place)


def _sync(folder: Path) -> None:
    """Brings the names in a folder to the disk, where the system lets folders be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
