"""Names in configs: of an observation's fields, and those of earlier versions, read as today's."""

import re
from collections.abc import Mapping
from typing import Any

from nenette_agents.errors import ConfigError, short, shown

__all__ = [
    "NEW_KEYS",
    "SCHEDULE_KEYS",
    "current",
    "field_name",
    "fold_schedules",
]


def field_name(name: str) -> str:
    """A field of an observation as configs name it: "the other's fiches" is `opponent_fiches`.

    A pattern (`*`) stays one.
    """
    words = name.replace("the other", "opponent").replace("'s", "")
    return re.sub(r"[^\w*?\[\]!-]+", "_", words).strip("_")


NEW_KEYS = {
    "total_steps": "total_timesteps",
    "environments": "n_envs",
    "network.layers": "network.net_arch",
    "network.activation": "network.activation_fn",
    "tremble.opening": "tremble.opening_moves",
    "self_play.drawn": "self_play.sampling",
    "checkpoint.every": "checkpoint.every_seconds",
    "ppo.rollout_steps": "ppo.n_steps",
    "ppo.epochs": "ppo.n_epochs",
    "ppo.entropy_coefficient": "ppo.ent_coef",
    "ppo.value_coefficient": "ppo.vf_coef",
    "ppo.largest_gradient": "ppo.max_grad_norm",
    "ppo.value_layers": "ppo.vf_net_arch",
    "ppo.plays": "policy_temperature",
    "dqn.train_every": "dqn.train_freq",
    "dqn.target_update_every": "dqn.target_update_interval",
    "dqn.n_step": "dqn.n_steps",
    "dqn.exploration_final": "dqn.exploration_final_eps",
    "dqn.largest_gradient": "dqn.max_grad_norm",
    "dqn.temperature": "policy_temperature",
}
"""The names of an earlier version, and those of today."""
_NEW_VALUES: dict[str, dict[Any, Any]] = {
    "ppo.plays": {"odds": 1.0, "best": 0.0},
    "self_play.drawn": {"by strength": "prioritized"},
}
_SCHEDULES = {
    "ppo.learning_rate_schedule": ("ppo.learning_rate", 3e-4),
    "ppo.entropy_coefficient_schedule": ("ppo.ent_coef", 0.0),
    "dqn.learning_rate_schedule": ("dqn.learning_rate", 5e-4),
}
"""Keys of an earlier version that gave another key a schedule, that key, and its default."""
SCHEDULE_KEYS = {old: new for old, (new, _) in _SCHEDULES.items()}


def current(document: Mapping[Any, Any], prefix: str = "") -> tuple[dict[Any, Any], dict[str, str]]:
    """A config's document in today's names, and which old names it had, with the new ones.

    A number and its schedule, which an earlier version had in two keys, are left to `fold_schedules`.

    Raises:
        ConfigError: a setting is there under both of its names.
    """
    top: dict[Any, Any] = {}
    renamed: dict[str, str] = {}
    for key, value in document.items():
        if isinstance(value, Mapping) and f"{key}." in _PREFIXES:
            value = _renamed_section(f"{key}.", value, top, renamed)
        value = _with_field_names(str(key), value)
        new = NEW_KEYS.get(str(key))
        _put(top, new or key, value)
        if new is not None:
            renamed[str(key)] = new
    return top, renamed


def _renamed_section(
    prefix: str, section: Mapping[Any, Any], top: dict[Any, Any], renamed: dict[str, str]
) -> dict[Any, Any]:
    """The section in today's names; what is a setting of no section any more goes to `top`."""
    found: dict[Any, Any] = {}
    for key, value in section.items():
        old = f"{prefix}{key}"
        new = NEW_KEYS.get(old, old)
        if new != old:
            renamed[old] = new
            values = _NEW_VALUES.get(old, {})
            value = values.get(value, value) if isinstance(value, str) else value
        if new.startswith(prefix):
            _put(found, new.removeprefix(prefix) if new != old else key, value)
        else:
            _put(top, new, value)
    return found


def _put(section: dict[Any, Any], key: Any, value: Any) -> None:
    if key in section:
        raise ConfigError(f"{short(str(key))} is given twice: by this name, and by one of an earlier version")
    section[key] = value


_PREFIXES = {f"{old.partition('.')[0]}." for old in NEW_KEYS if "." in old}


def _with_field_names(key: str, section: Any) -> Any:
    """The section with `own_score` where an earlier version said "own score"."""
    if key == "network" and isinstance(section, Mapping) and isinstance(section.get("crossed"), str):
        return {**section, "crossed": field_name(section["crossed"])}
    potential = section.get("potential") if key == "rewards" and isinstance(section, Mapping) else None
    if not isinstance(potential, Mapping):
        return section
    named: dict[Any, Any] = {}
    for field, weight in potential.items():
        _put(named, field_name(field) if isinstance(field, str) else field, weight)
    return {**section, "potential": named}


def fold_schedules(document: dict[Any, Any]) -> dict[str, str]:
    """Makes one key of a number and its schedule, in place; returns which old keys there were, with the new ones."""
    renamed: dict[str, str] = {}
    for old, (new, default) in _SCHEDULES.items():
        name, _, key = old.partition(".")
        section = document.get(name)
        if not isinstance(section, dict) or key not in section:
            continue
        how, whose = section[key], new.partition(".")[2]
        if how not in ("linear", "constant"):
            raise ConfigError(f"{old} is {shown(how)}; linear or constant was expected, or {new}: lin_1e-3")
        del section[key]
        value = section.get(whose, default)
        if how == "linear" and type(value) in (int, float):
            section[whose] = {"initial": value, "final": 0.0}
        elif how == "constant" and isinstance(value, dict):
            section[whose] = value.get("initial")
        elif how == "constant" and isinstance(value, str):
            section[whose] = _number(value.removeprefix("lin_"))
        renamed[old] = new
    return renamed


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
