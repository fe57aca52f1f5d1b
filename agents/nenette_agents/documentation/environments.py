"""docs/environment-reference.md: every feature, action, reward and option of the environments, as the code has them."""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from enum import Enum
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from nenette.environments.demi_iles import DemiIlesEnv, DemiIlesSoloEnv
from nenette.environments.quatre21 import Quatre21Env
from nenette.environments.turn_based import TurnBasedEnv
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.environments.vector_entries import demi_iles, demi_iles_solo, quatre21
from nenette.games import Game, spec_of
from nenette_agents.documentation.docstrings import entries, paragraph

__all__ = [
    "DOCUMENTED",
    "Documented",
    "Feature",
    "Option",
    "agents_options",
    "features",
    "markdown",
    "options",
    "rules",
    "vector_options",
]


class Documented(NamedTuple):
    """An environment that has a part of the page.

    Attributes:
        single: its class.
        entry: what `gymnasium.make_vec` calls, with options of `TurnBasedVectorEnv`.
        larger: rules with which it has features that it has not by default, and what these are in a word.
    """

    single: type[DemiIlesSoloEnv] | type[DemiIlesEnv] | type[Quatre21Env]
    entry: Callable[..., Any]
    larger: tuple[dict[str, Any], str] | None = None


DOCUMENTED = (
    Documented(DemiIlesSoloEnv, demi_iles_solo),
    Documented(DemiIlesEnv, demi_iles, ({"players": 3}, "With `players=3`")),
    Documented(Quatre21Env, quatre21),
)

_SEATS = '"one": a slot is one learner, and the others are played inside; "all": every seat of each game is a slot.'
_RENDER = "as in the single environment."
_DICE = (
    "*Strength* is a throw's place among the 56 combinations, divided by 56: 1/56 for the nénette, 1 for 421. *Worth* "
    "is how many fiches it is worth, divided by those of the best combination. Dice lie sorted, the highest first; for "
    "a die in hand all features are 0."
)


class Feature(NamedTuple):
    """A row of the page: features that lie side by side and differ in a number only.

    Attributes:
        first: the place of the first one in an observation.
        many: how many there are.
        meaning: what they tell, with the first and the last number.
        values: what they may be.
    """

    first: int
    many: int
    meaning: str
    values: str


class Option(NamedTuple):
    """A keyword of an environment.

    Attributes:
        name: the keyword.
        default: as Python writes it; None: it has to be given.
        meaning: what it does, and what it may be.
    """

    name: str
    default: str | None
    meaning: str


def features(game: Game[Any]) -> list[Feature]:
    """All features of an observation, in order."""
    labels = [_parted(label) for label in game.codec.labels]
    values = [np.unique(column).tolist() for field in game.codec.features for column in field.table.T]
    rows, first = list[Feature](), 0
    for (before, after), run in groupby(labels, key=lambda label: (label.before, label.after)):
        numbers = [label.number for label in run]
        span = numbers[0] if len(numbers) == 1 else f"{numbers[0]} … {numbers[-1]}"
        among = sorted({value for column in values[first : first + len(numbers)] for value in column})
        rows.append(Feature(first, len(numbers), f"{before}{span}{after}", _values(among)))
        first += len(numbers)
    return rows


class _Label(NamedTuple):
    """A feature's label: what stands before its last number, the number, and what stands after it."""

    before: str
    number: str
    after: str


def _parted(label: str) -> _Label:
    """A label in its parts; one without a number is by itself."""
    found = re.fullmatch(r"(|.*\D)(\d+)(\D*)", label)
    return _Label(*found.groups()) if found else _Label(label, "", "")


def _values(values: list[float]) -> str:
    if set(values) <= {0.0, 1.0}:
        return "0 or 1"
    above = [value for value in values if value > 0]
    return f"{'0, or ' if 0.0 in values else ''}{len(above)} values from {min(above):.4g} to {max(above):.4g}"


def options(documented: Documented) -> list[Option]:
    """Keywords of the single environment that are no rules of the game."""
    return list(_keywords(documented.single.__init__, entries(documented.single, "Args")))


def vector_options(documented: Documented) -> list[Option]:
    """Keywords of many environments at once that the single one has not."""
    texts = {"seats": _SEATS, "render_mode": _RENDER, **entries(TurnBasedVectorEnv.__init__, "Args")}
    not_here = {option.name for option in options(documented)} - {"render_mode"} | {"game", "options"}
    if documented.single().game.players == 1:
        not_here |= {"opponents", "opponents_of_each", "seat"}
    found = [*_keywords(TurnBasedVectorEnv.__init__, texts), *_keywords(documented.entry, texts)]
    by_name = {option.name: option for option in found if option.name not in not_here}
    return list(by_name.values())


def _keywords(function: Callable[..., Any], texts: dict[str, str]) -> Iterator[Option]:
    for name, parameter in inspect.signature(function).parameters.items():
        if name != "self" and parameter.kind is not parameter.VAR_KEYWORD and name in texts:
            yield Option(name, _default(parameter.default), texts[name])


def _default(value: object) -> str | None:
    if value is inspect.Parameter.empty:
        return None
    value = value.value if isinstance(value, Enum) else value
    return f'"{value}"' if isinstance(value, str) else repr(value)


def rules(game: Game[Any]) -> list[Option]:
    """The fields of the game's rule set."""
    spec = spec_of(game)
    assert spec is not None
    texts = entries(spec.rules, "Attributes")
    return [Option(field.name, _default(field.default), texts[field.name]) for field in fields(spec.rules)]


def agents_options() -> dict[str, list[Option]]:
    """Keywords of PettingZoo's forms that are no rules of a game, by the name of the game's module."""
    from nenette.pettingzoo import demi_iles_v0, quatre21_v0

    modules = {"demi_iles_v0": demi_iles_v0, "quatre21_v0": quatre21_v0}
    return {name: list(_keywords(module.env, entries(module.env, "Args"))) for name, module in modules.items()}


def markdown() -> str:
    """The page of the docs."""
    parts = [
        "# The environments, feature by feature",
        "<!-- Made by `python scripts/documentation.py`; a test says whether it is current. -->",
        "What they have in common, and how to use them, is on [the page about environments](environments.md); "
        "the rules of the games on [theirs](rules.md). Sizes are those of the default rules. "
        "`env.unwrapped.game.codec.labels` lists the features of an environment that was made with others.",
    ]
    parts += [_part(documented) for documented in DOCUMENTED]
    parts.append(_pettingzoo())
    return "\n\n".join(parts) + "\n"


def _part(documented: Documented) -> str:
    single = documented.single
    env = single()
    game = env.game
    lines = [
        f"## `{single.env_id}`",
        f"### Observation: {env.observation_space.shape[0]} features, float32",  # type: ignore[index]
        _features_table(features(game)),
    ]
    if documented.larger is not None:
        more, where = documented.larger
        larger = single(**more).game
        lines += [f"{where}, {larger.codec.size} features:", _features_table(features(larger))]
    if single is Quatre21Env:
        lines.append(_DICE)
    lines += [f"### Action: {game.n_actions}, from 0 to {game.n_actions - 1}", paragraph(single, "Action")]
    if single is Quatre21Env:
        rows = [(f"`{action}`", _thrown(action)) for action in range(game.n_actions)]
        lines.append(_table(("action", "dice that are thrown again, the first being the highest"), rows))
    lines += [
        "### Reward",
        _sentence(paragraph(single, "Reward")),
        "### End",
        _sentence(paragraph(single, "End")),
        "### Info",
        paragraph(TurnBasedEnv, "Info"),
        "### Options",
        _options_table(options(documented)),
        "Of `gymnasium.make_vec`, also:",
        _options_table(vector_options(documented)),
        "Rules, of both:",
        _options_table(rules(game)),
    ]
    return "\n\n".join(lines)


def _pettingzoo() -> str:
    lines = [
        "## PettingZoo",
        "Observations, rewards and rules of both forms, `env` and `parallel_env`, are those above. In the Parallel "
        "form there is one action more, the last: *pass*. `max_cycles` then counts steps.",
    ]
    for name, found in agents_options().items():
        lines += [f"### `nenette.pettingzoo.{name}`", _options_table(found)]
    return "\n\n".join(lines)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _thrown(action: int) -> str:
    dice = [str(die + 1) for die in range(3) if action >> die & 1]
    return " and ".join(dice) if dice else "none: the player stops"


def _features_table(rows: list[Feature]) -> str:
    cells = [
        (str(row.first) if row.many == 1 else f"{row.first} to {row.first + row.many - 1}", row.meaning, row.values)
        for row in rows
    ]
    return _table(("place", "meaning", "value"), cells)


def _options_table(rows: list[Option]) -> str:
    cells = [
        (f"`{row.name}`", "–" if row.default is None else f"`{row.default}`", _sentence(row.meaning)) for row in rows
    ]
    return _table(("option", "default", "meaning"), cells)


def _table(heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
