"""What a caller may ask of an environment: names and values that are wrong get one sentence."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches

from nenette.games.game import check_range

RENDER_MODES = ("ansi",)


def check_option_names(env_id: str, options: Iterable[str], rules_type: type, given: Mapping[str, object]) -> None:
    """Raises a TypeError for a keyword that is neither one of `options` nor a rule of the game, naming the nearest."""
    known = [*options, *(f.name for f in fields(rules_type))]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{env_id} has no option {name!r} (it has {', '.join(known)}){hint}")


def check_seat(seat: object, players: int) -> None:
    """Raises a ValueError unless `seat` is "random" or a seat at the table."""
    if seat != "random" and (type(seat) is not int or seat not in range(players)):
        raise ValueError(f"seat is 'random' or an integer from 0 to {players - 1}, not {seat!r}")


def check_render_mode(render_mode: object) -> None:
    """Raises a ValueError unless `render_mode` is None or "ansi"."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode is None or {' or '.join(map(repr, RENDER_MODES))}, not {render_mode!r}")


def check_max_turns(max_turns: int | None, players: int) -> None:
    """Raises a ValueError unless everybody has a turn before the game is cut: else some episodes had no step."""
    if max_turns is not None:
        check_range("max_turns", max_turns, players)
