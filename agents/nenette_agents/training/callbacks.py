"""What happens while a learner learns: evaluations, renewals of past selves, progress, TensorBoard's log, Ctrl-C."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, Self

import numpy as np
import yaml
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import HParam, Logger, TensorBoardOutputFormat
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from nenette.games import Game
from nenette.matches import score
from nenette.matches.ladder import with_nash_conv
from nenette.policies import load_opponent, save_policy
from nenette.policies.network import NetworkPolicy
from nenette_agents.config.model import Config
from nenette_agents.config.named import PAST
from nenette_agents.export import export_policy
from nenette_agents.runs.folders import CARD, Run
from nenette_agents.self_play import PastSelves
from nenette_agents.terminal.progress import Progress

__all__ = [
    "EvaluationCallback",
    "InterruptCallback",
    "Interrupts",
    "ProgressCallback",
    "RenewalCallback",
    "forget_later",
    "log_config",
]

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


_FIGURES = ("value", "exploitability", "nash_conv", "regret", "win", "draw", "loss", "turns")


class RenewalCallback(BaseCallback):
    """Renews the learner's past selves every so many steps, and lets them know how games end."""

    def __init__(self, past_selves: PastSelves, game: Game[Any], head: str, every: int) -> None:
        super().__init__()
        self._past_selves, self._game, self._head = past_selves, game, head
        self._every = self._next = every

    def _on_step(self) -> bool:
        self._past_selves.watch(self.locals["dones"], self.locals["infos"])
        if self.num_timesteps >= self._next:
            self._next += self._every
            self._past_selves.renew(export_policy(self.model, self._game, PAST, self._head))
        return True

    def state(self) -> dict[str, Any]:
        """When the next renewal is due, in steps."""
        return {"next": self._next}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores what `state` gave."""
        self._next = int(state["next"])


class EvaluationCallback(BaseCallback):
    """Every so many steps: exports, keeps and scores the policy, and reports to TensorBoard, the metrics and the bar.

    The policy after the last update is not scored here: whoever calls `learn` calls `evaluate` after it.

    Attributes:
        last: the newest line of the metrics; None before the first.
    """

    def __init__(self, run: Run, game: Game[Any], config: Config, progress: Progress) -> None:
        super().__init__()
        self.last: dict[str, Any] | None = None
        self._run, self._game, self._config, self._progress = run, game, config, progress
        against = config.evaluation.against
        self._against = load_opponent(against, game) if against is not None else None
        self._next = config.evaluation.every or 0
        self._earlier = self._earlier_cpu = 0.0
        self._changed = False
        self._start_clocks()

    def _on_training_start(self) -> None:
        self._start_clocks()
        every = self._config.evaluation.every
        if self._changed and every is not None:  # by what the run has been given anew since its checkpoint
            self._next = (self.num_timesteps // every + 1) * every
        # A curve begins where the learner does; one that goes on from a checkpoint has that line already.
        if self._config.evaluation.every is not None and self.last is None and not self.num_timesteps:
            self.evaluate()

    def _start_clocks(self) -> None:
        self._began = time.monotonic() - self._earlier
        self._began_cpu = time.process_time() - self._earlier_cpu

    def state(self) -> dict[str, Any]:
        """When the next evaluation is due, the seconds and processor seconds so far, and the lines of the metrics."""
        return {
            "next": self._next,
            "until": self._until(),
            "seconds": time.monotonic() - self._began,
            "cpu_seconds": time.process_time() - self._began_cpu,
            "metrics": self._run.metrics(),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores what `state` gave.

        Raises:
            ValueError: the metrics are not a list of objects with a step.
        """
        lines = state["metrics"]
        if not isinstance(lines, list) or not all(isinstance(line, dict) and "step" in line for line in lines):
            raise ValueError("the metrics are not a list of lines")
        self._changed = state.get("until", self._until()) != self._until()
        self._next, self._earlier = int(state["next"]), float(state["seconds"])
        self._earlier_cpu = float(state.get("cpu_seconds", 0.0))  # earlier versions did not count them
        self.last = lines[-1] if lines else None

    def _until(self) -> list[int | None]:
        """How often, and how long, evaluations are made."""
        return [self._config.evaluation.every, self._config.total_timesteps]

    def _on_step(self) -> bool:
        every = self._config.evaluation.every
        if every is not None and self._next <= self.num_timesteps < self._config.total_timesteps:
            self._next += every
            self.evaluate()
        return True

    def keep(self) -> NetworkPolicy:
        """Writes the policy as it is now into the run's folder."""
        config = self._config
        temperature = config.policy_temperature or 1.0
        policy = export_policy(self.model, self._game, self._run.folder.name, config.head, temperature=temperature)
        facts = self._run.facts
        card = {name: facts[name] for name in CARD if name in facts}
        save_policy(self._run.folder, policy, {**card, "steps": self.num_timesteps})
        return policy

    def evaluate(self) -> dict[str, Any]:
        """Keeps and scores the policy as it is now; the line that went to the metrics."""
        policy = self.keep()
        games, seed = self._config.evaluation.games, self._config.seed
        # The exact score of the solo game, or with four players and more, takes too long to be asked for every time.
        exact = None if self._game.players in (2, 3) else False
        # The same network played the other way is scored where the training ends: it takes as long again.
        both = self.num_timesteps >= self._config.total_timesteps
        found = score(policy, self._game, self._against, games=games, seed=seed, exact=exact, both_players=both)
        report = with_nash_conv(found.report())
        returns = [episode["r"] for episode in self.model.ep_info_buffer or []]
        self.last = {
            "step": self.num_timesteps,
            "seconds": round(time.monotonic() - self._began, 3),
            # What a training costs wherever it runs: seconds depend on what else the machine does.
            "cpu_seconds": round(time.process_time() - self._began_cpu, 3),
            **report,
            "training_return": round(float(np.mean(returns)), 6) if returns else None,
        }
        self._run.add_metrics(self.last)
        self._log(report)
        self._progress.scored(self.last)
        return self.last

    def _log(self, report: dict[str, Any]) -> None:
        prefix = "exact" if report["exact"] else "sampled"
        for part, figures in ((prefix, report), (f"{prefix}_endless", report["endless"] or {})):
            for figure in _FIGURES:
                if figures.get(figure) is not None:
                    self.logger.record(f"{part}/{figure}", figures[figure])
        self.logger.dump(self.num_timesteps)


class ProgressCallback(BaseCallback):
    """Moves the progress bar."""

    def __init__(self, moved: Callable[[int], None]) -> None:
        super().__init__()
        self._moved = moved

    def _on_step(self) -> bool:
        self._moved(self.num_timesteps)
        return True


class Interrupts:
    """A context in which SIGINT or SIGTERM asks the training to stop at its next step, and once more stops it at once.

    The first raises nothing: an exception in the middle of a compiled call comes out as another one, and in the middle
    of an update it leaves half of one. One signal of each kind only asks: on Ctrl-C in a terminal all its processes get
    SIGINT, and one that has started others sends them SIGTERM besides. Both signals are heard in a process that a shell
    has put in the background, too.

    In another thread than the main one nothing is heard: Python lets that one alone set handlers, and runs them there.
    """

    def __init__(self) -> None:
        self._heard = set[int]()
        self._insisted = False
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return bool(self._heard)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._insisted and isinstance(error, Exception):
            raise KeyboardInterrupt from error  # what it has turned into

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if number in self._heard:
            self._insisted = True
            raise KeyboardInterrupt
        self._heard.add(number)


class InterruptCallback(BaseCallback):
    """Ends the learning at the first step after a signal.

    Attributes:
        stopped: whether it has.
    """

    def __init__(self, interrupts: Interrupts) -> None:
        super().__init__()
        self.stopped = False
        self._interrupts = interrupts

    def _on_step(self) -> bool:
        self.stopped = self.stopped or self._interrupts.asked
        return not self.stopped
