"""One training run from beginning to end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, configure

from nenette.games import Game
from nenette_agents.callbacks import EvaluationCallback, ProgressCallback, RenewalCallback
from nenette_agents.config import Config
from nenette_agents.curve import draw_curve
from nenette_agents.errors import TrainingError
from nenette_agents.export import export_policy
from nenette_agents.learners import make_environments, make_learner
from nenette_agents.mixture import PAST
from nenette_agents.progress import Progress
from nenette_agents.runs import Run, new_run
from nenette_agents.self_play import PastSelves

__all__ = ["Outcome", "train"]


@dataclass(frozen=True)
class Outcome:
    """What a training left behind.

    Attributes:
        folder: the run's.
        config: by which it was trained.
        status: "finished" or "interrupted".
        steps: decisions of the learner.
        last: the newest line of the metrics; None if it was interrupted before the first evaluation.
    """

    folder: Path
    config: Config
    status: str
    steps: int
    last: dict[str, Any] | None

    def report(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        config = self.config
        return {
            "run": str(self.folder),
            "game": config.game,
            "algorithm": config.algorithm,
            "seed": config.seed,
            "status": self.status,
            "steps": self.steps,
            "score": self.last,
        }


def train(config: Config, root: Path, name: str, console: Console, overrides: list[str] | None = None) -> Outcome:
    """Trains as `config` says, into a new folder under `root`.

    SIGINT and SIGTERM end the training at once; the policy as it then is, the metrics and the curve are kept.

    Raises:
        ValueError: the settings do not work out: a `ConfigError`, a `TrainingError`, or what an opponent's file raises.
        OSError: the run's folder cannot be written.
    """
    torch.set_num_threads(config.threads)
    game = config.make_game()
    selves = PastSelves(config.self_play.copies if PAST in config.opponents else 0)
    learner = make_learner(config, make_environments(config, selves.opponents))
    run = new_run(root, config, name, overrides or [])
    progress = Progress(console, config.total_steps, f"{config.game} {config.algorithm} seed {config.seed}")
    evaluation = EvaluationCallback(run, game, config, progress)
    callbacks: list[BaseCallback] = [ProgressCallback(progress.moved), evaluation]
    if PAST in config.opponents:
        callbacks.append(_renewals(learner, game, config, selves))
    logger = configure(str(run.folder), ["tensorboard"])
    learner.set_logger(logger)
    try:
        with progress, _signals_interrupt():
            status = _learn(learner, config, callbacks, evaluation)
        if status == "interrupted":
            evaluation.keep()
        _draw(run, game, config)
    except BaseException as error:
        run.finish("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    finally:
        _close(logger, learner)
    run.finish(status)
    return Outcome(run.folder, config, status, learner.num_timesteps, evaluation.last)


def _learn(
    learner: BaseAlgorithm, config: Config, callbacks: list[BaseCallback], evaluation: EvaluationCallback
) -> str:
    try:
        learner.learn(config.total_steps, callback=callbacks)
        if evaluation.last is None or evaluation.last["step"] != learner.num_timesteps:
            evaluation.evaluate()
    except KeyboardInterrupt:
        return "interrupted"
    except ValueError as error:
        if all(bool(p.isfinite().all()) for p in learner.policy.parameters()):
            raise
        raise TrainingError(
            f"training diverged after {learner.num_timesteps:,} steps: weights are no finite numbers any more; "
            f"a lower {config.algorithm}.learning_rate may help"
        ) from error
    return "finished"


def _renewals(learner: BaseAlgorithm, game: Game[Any], config: Config, selves: PastSelves) -> BaseCallback:
    """Gives the frozen copies their first policy, with which games begin, and renews them from then on."""
    # PPO's copies play their odds even if the kept policy will not: more of the game is met that way.
    head = "argmax" if config.algorithm == "dqn" else "softmax"
    selves.renew(export_policy(learner, game, PAST, head))
    return RenewalCallback(selves, game, head, config.self_play.renew_every)


def _draw(run: Run, game: Game[Any], config: Config) -> None:
    title = f"{config.algorithm.upper()} on {game.name}, seed {config.seed}"
    draw_curve(run.metrics(), run.folder / "curve.png", title)


def _close(logger: Logger, learner: BaseAlgorithm) -> None:
    logger.close()
    environments = learner.get_env()
    if environments is not None:
        environments.close()


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """SIGTERM does what Ctrl-C does, and both do it in a process that a shell has put in the background, too."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
