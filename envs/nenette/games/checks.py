"""Checks of what is given: each raises one sentence that names what was expected and what was given."""

from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

import numpy as np

__all__ = ["check_choice", "check_range", "check_rule_names", "plain", "shown"]


def check_choice(what: str, given: object, choices: Sequence[object]) -> None:
    """Raises a one-sentence ValueError unless `given` is one of `choices`, naming the nearest."""
    # 1 equals True, but a rule set that holds it has another hash: only the choices themselves will do.
    if not any(isinstance(given, type(choice)) and given == choice for choice in choices):
        by_name = {str(choice): choice for choice in choices}
        near = get_close_matches(str(given)[:80], by_name, n=1, cutoff=0.5)
        hint = f"; did you mean {by_name[near[0]]!r}?" if near else ""
        raise ValueError(f"{what} is one of {', '.join(map(repr, choices))}, not {shown(given)}{hint}")


def check_range(what: str, given: object, low: int, high: int | None = None) -> None:
    """Raises a one-sentence ValueError unless `given` is an integer from `low` to `high`."""
    if type(given) is not int or given < low or (high is not None and given > high):
        bounds = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
        raise ValueError(f"{what} is {bounds if low != high else low}, not {shown(given)}")


def plain(given: Any) -> Any:
    """`given` as Python has it if it is numpy's integer or bool, else as it is."""
    return given.item() if isinstance(given, np.integer | np.bool_) else given


def check_rule_names(rules_type: type, game: str, given: Sequence[str]) -> None:
    """Raises a one-sentence TypeError for a rule that the game does not have, naming the nearest."""
    known = [f.name for f in fields(rules_type)]
    for name in given:
        if name not in known:
            near = get_close_matches(name[:80], known, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{game} has no rule {shown(name)} (it has {', '.join(known)}){hint}")


def shown(given: object) -> str:
    """As a sentence can carry it: what comes from a file may be of any length."""
    short = Repr()
    short.maxlevel, short.maxstring, short.maxlong, short.maxother = 3, 80, 60, 80
    return " ".join(short.repr(given).split())
