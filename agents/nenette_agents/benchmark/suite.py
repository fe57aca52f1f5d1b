"""A benchmark as a person writes it down: one YAML file with its tasks, its learners and its baselines."""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from nenette.games import Game
from nenette_agents.config import files
from nenette_agents.config.algorithms import Section
from nenette_agents.config.fields import Expected, Share, Timesteps, Whole
from nenette_agents.config.files import Sources
from nenette_agents.config.named import SELF, game_called
from nenette_agents.config.reference import sentence
from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["SCHEMA_FILE", "LearnerEntry", "Suite", "Task", "load_suite", "schema_text"]

SCHEMA_FILE = Path(__file__).with_name("suite.schema.json")
_MOST_TIMES = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


_NAMING = "a name of letters, digits, dots, dashes and underscores, at most 100,"


def _folder_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise PydanticCustomError("name", f"is no name of a folder; {_NAMING} was expected")
    return name


Name = Annotated[str, AfterValidator(_folder_name), Expected(_NAMING)]


def _text(value: object) -> object:
    """Lets `game: 421` be written without quotes."""
    return str(value) if type(value) is int else value


def _listed(value: object) -> object:
    """Lets a single name stand for a list of one."""
    return [value] if isinstance(value, str) else value


def _parts(parts: list[float]) -> list[float]:
    if not parts or parts[0] <= 0 or parts[-1] != 1 or any(a >= b for a, b in pairwise(parts)):
        raise PydanticCustomError("parts", "increasing parts of the training were expected")
    return parts


Parts = Annotated[
    list[Share],
    AfterValidator(_parts),
    Expected("a list of increasing parts of the training, each above 0 and the last one 1,"),
]


class Task(Section):
    """Something to learn: a game, against whom, for how long, and what figure tells how well it was learned."""

    game: Annotated[
        str,
        BeforeValidator(_text),
        WithJsonSchema({"type": ["string", "integer"]}),
        Field(description="The game's name, or module:object."),
    ]
    rules: dict[str, Any] = Field(default={}, description="Fields of the game's rules that differ from their defaults.")
    opponents: Annotated[
        list[str],
        BeforeValidator(_listed),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        Field(description="Whom the learner sits against; self: it is its own opponent; none in a solo game."),
    ] = []  # noqa: RUF012  pydantic copies it
    measure: Literal["turns", "value", "exploitability"] = Field(
        description="The agent's raw figure. turns: of a solo game that is given up after each turn with a chance of "
        "1/1000; value: against the opponents; exploitability: what a best response wins."
    )
    total_timesteps: Timesteps = Field(description="The learner's decisions.")
    report_at: Parts | None = Field(
        default=None, description="At which parts of the training the agent is scored; null: as the suite says."
    )

    @property
    def self_play(self) -> bool:
        """Whether the learner is its own opponent."""
        return self.opponents == [SELF]

    @cached_property
    def played(self) -> Game[Any]:
        """The game with its rules.

        Raises:
            ConfigError, TypeError, ValueError: there is no such game, or it has no such rules.
        """
        return game_called(self.game, self.rules)


class LearnerEntry(Section):
    """A learning algorithm with its settings: the same in all tasks."""

    learner: str | None = Field(
        default=None,
        description="A name that is registered as an entry point of the group nenette.learners, or module:object; "
        "null: the entry's own name.",
    )
    settings: dict[str, Any] = Field(default={}, description="The learner's own settings.")


class Suite(Section):
    """A benchmark."""

    name: Name = Field(description="What it is called; its results lie in a folder of that name.")
    description: str = Field(default="", description="A sentence or two for whoever reads its results.")
    tasks: dict[Name, Task] = Field(min_length=1, description="What is to be learned, by name.")
    learners: dict[Name, LearnerEntry] = Field(description="Who learns, by name.")
    baselines: list[str] = Field(
        default=["random", "optimal"],
        description="Policies that are scored in each task whose game has one of that name; none of them is trained.",
    )
    report_at: Parts = Field(
        default=[0.125, 0.25, 0.5, 1.0],
        description="At which parts of the training the agent is scored; the last is 1.",
    )
    seeds: Annotated[int, Whole, Field(ge=1, le=1000, description="How many seeds there are unless one says.")] = 5

    @model_validator(mode="after")
    def _checked(self) -> Self:
        for name, task in self.tasks.items():
            _check_task(name, task)
        return self

    def only(self, tasks: Sequence[str] | None = None, learners: Sequence[str] | None = None) -> "Suite":
        """The suite with these tasks and learners alone.

        A learner that the suite does not have takes part with its default settings: a registered name or
        "module:object", whose entry is called module.object.

        Raises:
            ConfigError: the suite has no such task, or a learner of that name.
        """
        suite = self
        if tasks is not None:
            for task in tasks:
                if task not in self.tasks:
                    known = list(self.tasks)
                    raise ConfigError(
                        f"{shown(task)} is no task of {self.name}; some of {', '.join(known)} were expected"
                        f"{nearest(task, known)}"
                    )
            suite = suite.model_copy(update={"tasks": {name: self.tasks[name] for name in self.tasks if name in tasks}})
        if learners is not None:
            chosen = dict[str, LearnerEntry]()
            for learner in learners:
                if learner in self.learners:
                    chosen[learner] = self.learners[learner]
                    continue
                name = learner.replace(":", ".")  # the same wherever it takes part
                if name in self.learners:
                    raise ConfigError(
                        f"{shown(learner)} would be called {name}, as a learner of {self.name} is already"
                    )
                chosen[name] = LearnerEntry(learner=learner)
            suite = suite.model_copy(update={"learners": chosen})
        return suite

    def reports(self, task: str) -> tuple[int, ...]:
        """The timesteps of a task at which agents are scored, increasing; the last is all of them."""
        total, parts = self.tasks[task].total_timesteps, self.tasks[task].report_at or self.report_at
        return tuple(sorted({max(1, round(part * total)) for part in parts}))


def _check_task(name: str, task: Task) -> None:
    """Raises ValueError if a task's parts do not go together."""
    try:
        game = task.played
    except (ConfigError, TypeError, ValueError) as error:
        raise ValueError(f"tasks.{name}: {error}") from error
    if game.players > 2:
        raise ValueError(
            f"tasks.{name}: {game.name} with {game.players} players is not scored; two at most were expected"
        )
    if (game.players == 1) != (task.measure == "turns"):
        expected = "turns" if game.players == 1 else "value or exploitability"
        raise ValueError(f"tasks.{name}.measure is {task.measure!r}; for {game.name} {expected} was expected")
    if (game.players == 1) != (not task.opponents):
        expected = "none, for it is played alone," if game.players == 1 else "a name such as random, or self,"
        raise ValueError(f"tasks.{name}.opponents is {shown(task.opponents)}; {expected} was expected")
    if len(task.opponents) > 1:
        raise ValueError(f"tasks.{name}.opponents is {shown(task.opponents)}; one name was expected")
    if task.self_play and task.measure != "exploitability":
        raise ValueError(f"tasks.{name}.measure is {task.measure!r}; for self-play exploitability was expected")


def load_suite(path: str | Path) -> Suite:
    """The suite in a YAML file.

    Instead of all its keys it may say `like`, the name of a suite in the same folder, whose keys it has unless it gives
    them itself; and `times`, by which the budgets of all tasks are multiplied.

    Raises:
        ConfigError: one sentence that names the file, the key, its value, and what was expected.
    """
    path = Path(path)
    document = files.read(path)
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: a mapping with name, tasks and learners was expected")
    times = document.pop("times", 1)
    document = _with_the_other(document, path)
    if type(times) not in (int, float) or not 0 < times <= _MOST_TIMES:
        raise ConfigError(f"{path}: times is {shown(times)}; a number above 0 and at most {_MOST_TIMES} was expected")
    try:
        suite = Suite.model_validate(document)
    except ValidationError as error:
        raise ConfigError(sentence(error, Sources(str(path)), Suite, "a suite")) from None
    if times == 1:
        return suite
    return suite.model_copy(update={"tasks": {name: _longer(task, times) for name, task in suite.tasks.items()}})


def _with_the_other(document: dict[Any, Any], path: Path) -> dict[Any, Any]:
    """What a document says, and what it does not say but the suite beside it that it is like."""
    like = document.pop("like", None)
    if like is None:
        return document
    if not isinstance(like, str) or not _NAME.fullmatch(like):
        raise ConfigError(f"{path}: like is {shown(like)}; the name of a suite in the same folder was expected")
    other = files.read(path.with_name(f"{like}.yaml"))
    if not isinstance(other, dict) or "like" in other or "times" in other:
        raise ConfigError(f"{path}: like is {shown(like)}; a suite that says all by itself was expected")
    return {**other, **document}


def _longer(task: Task, times: float) -> Task:
    return task.model_copy(update={"total_timesteps": round(task.total_timesteps * times)})


def schema_text() -> str:
    """The JSON schema (draft 2020-12) of suites, for editors: what `SCHEMA_FILE` holds."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Suite.model_json_schema(),
        "title": "A benchmark of nenette",
        "required": ["name"],
    }
    schema["properties"] |= {
        "like": {
            "type": "string",
            "description": "A suite in the same folder, whose keys this one has unless it says.",
        },
        "times": {"type": "number", "description": "By what the budgets of all tasks are multiplied.", "default": 1},
    }
    return json.dumps(schema, indent=2) + "\n"
