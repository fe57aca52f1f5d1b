"""TensorBoard's log of a run that goes on after a kill."""

from typing import Any

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

__all__ = ["forget_later"]


def forget_later(logger: Logger, step: int) -> None:
    """Has TensorBoard forget what the run's older event files tell of steps after `step`: these are made again."""
    for output in logger.output_formats:
        if isinstance(output, TensorBoardOutputFormat):
            writer: Any = output.writer.file_writer
            writer.add_event(Event(session_log=SessionLog(status=SessionLog.START)), step=step + 1)
            writer.flush()
