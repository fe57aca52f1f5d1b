"""One training run from beginning to end."""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, configure

from nenette.games import Game
from nenette.games.registry import spec_of
from nenette.policies.shipped import read_card
from nenette_agents.config.algorithms import find_algorithm
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.config.named import PAST
from nenette_agents.errors import TrainingError
from nenette_agents.runs.checkpoints.files import Checkpoint
from nenette_agents.runs.checkpoints.parts import Part, load_states, parts_of
from nenette_agents.runs.checkpoints.shelf import CheckpointCallback, Shelf
from nenette_agents.runs.folders import Run, held, new_run, versions
from nenette_agents.runs.listing import draw_curve
from nenette_agents.terminal.progress import Progress
from nenette_agents.training.build import Built, build
from nenette_agents.training.callbacks import (
    EvaluationCallback,
    InterruptCallback,
    Interrupts,
    ProgressCallback,
    RenewalCallback,
    forget_later,
    log_config,
)

__all__ = ["Outcome", "train", "train_built"]


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
            "game": config.make_game().name,
            "algorithm": config.algorithm,
            "seed": config.seed,
            "status": self.status,
            "steps": self.steps,
            "score": self.last,
        }


def train(
    config: str | Path | Config,
    runs: str | Path = "runs",
    name: str | None = None,
    console: Console | None = None,
    overrides: Sequence[str] = (),
) -> Outcome:
    """Trains as a config says, into a new folder under `runs`; what `nenette train` does.

    SIGINT and SIGTERM end the training at its next step; the policy as it then is, the metrics and the curve are kept,
    and `nenette_agents.training.resuming.resume` goes on from the last checkpoint. In a thread other than the main one,
    which alone may listen to signals, they do what they do elsewhere in the program.

    Args:
        config: a file, the name of a config that comes with the package, or what `load_config` returned.
        runs: where runs lie.
        name: of the run; None: the config's, and the seed.
        console: where progress is shown; None: nowhere.
        overrides: the options that were given beside the config's file, for the run's notes.

    Returns:
        The run's folder, its status, and its last score.

    Raises:
        ValueError: the settings do not work out: a `ConfigError`, a `TrainingError`, or what an opponent's file raises.
        OSError: the run's folder cannot be written.
    """
    loaded = config if isinstance(config, Config) else load_config(config)
    if name is None:
        known = f"{loaded.game}-{loaded.algorithm}" if isinstance(config, Config) else Path(config).stem
        name = f"{known}-seed{loaded.seed}"
    console = console or Console(file=io.StringIO())
    built = build(loaded)
    run = new_run(Path(runs), loaded, name, list(overrides))
    if run.folder.name != name:
        told = f"there is a run called {name} already: this one is called {run.folder.name}"
        console.print(told, soft_wrap=True, highlight=False, markup=False)
    if built.init is not None:
        run.note(init=built.init)
    with held(run.folder):
        return train_built(built, run, loaded, console, None)


def train_built(
    built: Built,
    run: Run,
    config: Config,
    console: Console,
    start: Checkpoint | Literal[0] | None,
    *,
    changed: bool = False,
) -> Outcome:
    """Trains what was built, and keeps what comes of it in the run's folder.

    Args:
        built: what the config makes.
        run: the run's folder, whose lock is held.
        config: by which it is trained.
        console: where progress is shown.
        start: a checkpoint to go on from; 0: the run begins anew, for it has no checkpoint; None: the run is new.
        changed: whether a run that goes on was given another config.

    Raises:
        ValueError, OSError: as in `train`.
    """
    learner, algorithm = built.learner, find_algorithm(config.algorithm)
    progress = Progress(console, config.total_timesteps, run.folder.name)
    evaluation = EvaluationCallback(run, built.game, config, progress)
    parts: dict[str, Part] = {"evaluation": evaluation}
    interrupts = Interrupts()
    interruption = InterruptCallback(interrupts)
    callbacks: list[BaseCallback] = [interruption, ProgressCallback(progress.moved), evaluation]
    if PAST in config.opponents:
        renewals = RenewalCallback(built.past_selves, built.game, algorithm.head, config.self_play.renew_every)
        parts |= {"renewals": renewals, "selves": built.past_selves}
        callbacks.append(renewals)
    callbacks += built.callbacks
    logger = configure(str(run.folder), ["tensorboard"])
    learner.set_logger(logger)
    parts = parts_of(learner, parts)
    shelf = Shelf(run.folder)
    checkpoints = CheckpointCallback(shelf, config, parts, progress.tell)
    callbacks.append(checkpoints)
    with _closing(logger, learner):
        if start is not None:
            _begin_again(run, shelf, parts, logger, start)
        if start is None or changed:
            log_config(logger, config, versions(), learner.num_timesteps)
        try:
            with interrupts, progress:
                status = _learn(learner, config, callbacks, evaluation, interruption)
                has_checkpoint = status == "finished" and checkpoints.keep_last()
            if status == "interrupted":
                evaluation.keep()
            _draw(run, built.game, config)
        except BaseException as error:
            run.finish("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise
    run.finish(status)
    if status == "finished" and not has_checkpoint:
        shelf.clear()
    return Outcome(run.folder, config, status, learner.num_timesteps, evaluation.last)


def _begin_again(
    run: Run, shelf: Shelf, parts: Mapping[str, Part], logger: Logger, start: Checkpoint | Literal[0]
) -> None:
    """Puts everything where it stood, and forgets what came later."""
    step = start.step if start else 0
    if start:
        load_states(parts, start.states)
    run.set_metrics(start.states["evaluation"]["metrics"] if start else [])
    shelf.tidy(step)
    run.tidy()
    run.resume(step)
    forget_later(logger, step)


def _learn(
    learner: BaseAlgorithm,
    config: Config,
    callbacks: list[BaseCallback],
    evaluation: EvaluationCallback,
    interruption: InterruptCallback,
) -> str:
    done = learner.num_timesteps
    try:
        learner.learn(config.total_timesteps - done, callback=callbacks, reset_num_timesteps=not done)
        if interruption.stopped:
            return "interrupted"
        if done < config.total_timesteps or evaluation.last is None:
            evaluation.evaluate()
        else:  # a run that goes on from its end has been scored there
            evaluation.keep()
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


def _draw(run: Run, game: Game[Any], config: Config) -> None:
    title = f"{config.algorithm.upper()} on {game.name}, seed {config.seed}"
    draw_curve(run.metrics(), run.folder / "curve.png", title, _fewest_turns(game))


def _fewest_turns(game: Game[Any]) -> float | None:
    """Of the solo game, from the optimum's card, which is exact: to solve the game again would take a minute."""
    if game.players > 1:
        return None
    spec = spec_of(game)  # where play is cut is in no id: the card's optimum is that of the game without a cut
    by_default = spec is not None and game.rules_id == spec.game().rules_id
    card = read_card(game.name, "optimal") if by_default else None
    return float(card["figures"]["optimum"]) if card else None


@contextmanager
def _closing(logger: Logger, learner: BaseAlgorithm) -> Iterator[None]:
    try:
        yield
    finally:
        logger.close()
        environments = learner.get_env()
        if environments is not None:
            environments.close()
