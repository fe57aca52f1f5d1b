"""What TensorBoard's log of a run holds beside the scalars, and how it goes on after a kill."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from stable_baselines3.common.logger import HParam, Logger, TensorBoardOutputFormat
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from nenette_agents.config import Config

__all__ = ["forget_later", "log_config"]

_METRICS = ("exact/value", "exact/exploitability", "sampled/value", "rollout/ep_rew_mean")
"""Scalars that TensorBoard's table of hyperparameters shows beside them."""


def log_config(logger: Logger, config: Config, versions: Mapping[str, str], step: int) -> None:
    """Writes the config and the versions: as texts, and the config's values as hyperparameters."""
    document = config.model_dump(mode="json", exclude_none=True)
    for name, value in (("config", document), ("versions", dict(versions))):
        logger.record(f"run/{name}", "    " + yaml.safe_dump(value, sort_keys=False).replace("\n", "\n    "))
    values = {name: value for name, value in _flat(document) if isinstance(value, str | float | int)}
    logger.record("hparams", HParam(values, dict.fromkeys(_METRICS, 0.0)))
    logger.dump(step)


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All values by their names with dots; a list as a text."""
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value) if isinstance(value, list) else value


def forget_later(logger: Logger, step: int) -> None:
    """Has TensorBoard forget what the run's older event files report of steps after `step`: these are made again."""
    for output in logger.output_formats:
        if isinstance(output, TensorBoardOutputFormat):
            writer: Any = output.writer.file_writer
            writer.add_event(Event(session_log=SessionLog(status=SessionLog.START)), step=step + 1)
            writer.flush()
