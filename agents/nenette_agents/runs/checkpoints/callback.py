"""When checkpoints are made, and what becomes of one that cannot be."""

import time
from collections.abc import Callable, Mapping

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from nenette_agents.config import Config
from nenette_agents.errors import sentence_of
from nenette_agents.runs.checkpoints.files import Checkpoint
from nenette_agents.runs.checkpoints.fitting import dependencies
from nenette_agents.runs.checkpoints.parts import Part, states_of
from nenette_agents.runs.checkpoints.shelf import Shelf

__all__ = ["SMALL", "CheckpointCallback"]

SMALL = 64 << 20
"""Bytes up to which a finished run keeps its last checkpoint unless its config says otherwise."""

_SHARE = 1 / 50
"""Of a training's time that checkpoints may take, however large they are and however slow the disk is."""


class CheckpointCallback(BaseCallback):
    """Makes a checkpoint when enough time has gone by and a rollout begins.

    Then a learner holds nothing but what its parts say: what has been collected is learnt, or in the replay buffer.
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
        """Makes one of a training that is finished, if the config wants that; whether there is one."""
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
