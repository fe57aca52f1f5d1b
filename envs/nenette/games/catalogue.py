"""The games by name."""

from typing import Any

from nenette.games.demi_iles import DemiIles, DemiIlesRules, DemiIlesSolo, DemiIlesSoloRules
from nenette.games.game import Game, check_choice, check_rule_names, plain
from nenette.games.quatre21 import Quatre21, Quatre21Rules

_CATALOGUE: dict[str, tuple[type[Game[Any]], type]] = {
    DemiIlesSolo.name: (DemiIlesSolo, DemiIlesSoloRules),
    DemiIles.name: (DemiIles, DemiIlesRules),
    Quatre21.name: (Quatre21, Quatre21Rules),
}

GAMES: tuple[str, ...] = tuple(_CATALOGUE)
"""Names that `make_game` knows."""


def make_game(name: str, /, **rules: Any) -> Game[Any]:
    """The game called `name`, with the fields of its rule set that are given and the defaults of all others.

    Raises:
        ValueError: no game of that name, or a rule's value is out of range.
        TypeError: the game has no rule of that name.
    """
    check_choice("a game", name, GAMES)
    game, rules_type = _CATALOGUE[name]
    check_rule_names(rules_type, name, list(rules))
    return game(rules_type(**{rule: plain(value) for rule, value in rules.items()}))  # type: ignore[call-arg]
