"""The checkpoints of a run: a folder of which the newest whole one counts, and when one is added."""

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from nenette_agents.config.model import Config
from nenette_agents.errors import CheckpointError, DamagedCheckpoint, sentence_of
from nenette_agents.runs.checkpoints.files import JSON_FILE, Checkpoint, read_checkpoint, write_checkpoint
from nenette_agents.runs.checkpoints.parts import Part, states_of
from nenette_agents.runs.folders import dependencies

__all__ = ["SMALL", "CheckpointCallback", "Shelf"]

_NAME = re.compile(r"step-([0-9]{12,16})")
_ASIDE = ".aside"
_COPIES = 2  # should the newest be damaged, the one before leads to the same end


class Shelf:
    """The folder of a run's checkpoints: `checkpoints/step-000000012345/` and so on.

    One is written aside, down to the disk, and then renamed: whenever the machine stops, the one before is whole.

    Attributes:
        folder: `checkpoints` in the run's folder; there may be none yet.
    """

    def __init__(self, run: Path) -> None:
        self.folder = run / "checkpoints"

    def put(self, checkpoint: Checkpoint) -> None:
        """Writes a checkpoint, and removes all but it and the one before it.

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
        """Removes checkpoints after `step`, which are damaged, and one that was being written at a kill."""
        for place in self._places():
            if _step(place) > step:
                _remove(place)
        _remove(self.folder / _ASIDE)

    def clear(self) -> None:
        """Removes all checkpoints."""
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


SMALL = 64 << 20
"""Bytes up to which a finished run keeps its last checkpoint unless its config says otherwise."""

_SHARE = 1 / 50
"""Of a training's time that checkpoints may take, however large they are and however slow the disk is."""


class CheckpointCallback(BaseCallback):
    """Makes a checkpoint when enough time has gone by and a rollout begins.

    All that was collected has then been learned from, or is in the replay buffer: the parts' states are all there is.
    A checkpoint draws nothing and changes nothing, so the result does not depend on when there is one.
    """

    def __init__(self, shelf: Shelf, config: Config, parts: Mapping[str, Part], tell: Callable[[str], None]) -> None:
        super().__init__()
        self._shelf, self._config, self._parts, self._tell = shelf, config, parts, tell
        self._game = config.make_game()
        self._versions = dependencies(config)
        self._last = self._due = 0.0

    def _on_training_start(self) -> None:
        self._last = self.num_timesteps  # there is one of this step, or nothing has happened yet
        self._due = time.monotonic() + self._config.checkpoint.every_seconds

    def _on_rollout_start(self) -> None:
        if time.monotonic() >= self._due and self.model.num_timesteps != self._last:
            self.keep()

    def _on_step(self) -> bool:
        return True

    def keep(self) -> None:
        """Makes a checkpoint now. A full disk is reported; the training goes on, and checkpoints before it stay."""
        self._put(self._checkpoint())

    def keep_last(self) -> bool:
        """Makes the checkpoint of a finished training, if the config says so; returns whether there is one."""
        if self._config.checkpoint.keep is False:
            return False
        checkpoint = self._checkpoint()
        if self._config.checkpoint.keep is None and _size(checkpoint) > SMALL:
            return False
        return self._put(checkpoint)

    def _put(self, checkpoint: Checkpoint) -> bool:
        began = time.monotonic()
        if _diverged(checkpoint):  # nothing can be gone on from it; the learner will say so itself
            return False
        written = True
        try:
            self._shelf.put(checkpoint)
        except OSError as error:
            written = False
            self._tell(
                f"the checkpoint at step {checkpoint.step:,} could not be written ({sentence_of(error)}); "
                "the training goes on, and the checkpoint before it is kept"
            )
        self._last = checkpoint.step
        now = time.monotonic()
        every = self._config.checkpoint.every_seconds
        self._due = now + max(every, (now - began) / _SHARE) if every else now
        return written

    def _checkpoint(self) -> Checkpoint:
        return Checkpoint(
            step=self.model.num_timesteps,
            game=self._game.name,
            rules_id=self._game.rules_id,
            config=self._config.model_dump(mode="json"),
            versions=self._versions,
            states=states_of(self._parts),
        )


def _size(checkpoint: Checkpoint) -> int:
    """Bytes that its arrays take."""
    return sum(
        value.nbytes
        for state in checkpoint.states.values()
        for value in state.values()
        if isinstance(value, np.ndarray)
    )


def _diverged(checkpoint: Checkpoint) -> bool:
    return not all(
        np.isfinite(value).all()
        for state in checkpoint.states.values()
        for value in state.values()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )
