"""Puts the page together: template, style, scripts, texts, and the tables of the games."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any

from nenette.exact import solve
from nenette.games import make_game
from nenette_agents.page import demi_iles, quatre21, solo
from nenette_agents.page.opponents import opponents
from nenette_agents.play.texts import LANGUAGES

__all__ = ["GAMES", "build", "texts"]

GAMES = ("demi-iles", "421", "demi-iles-solo")
"""The games that a page can hold, in the order in which it lists them."""
_SCRIPTS = (
    "data",
    "random",
    "demi-iles",
    "quatre21",
    "chances-421",
    "opponents",
    "solo",
    "cast",
    "story",
    "ui",
    "sitting",
    "play",
    "explore",
    "main",
)
"""The page's scripts, those first that others need."""
_SHARED = (
    *("decimal", "percent", "colon", "best", "hints", "trembling"),
    *("review", "decided", "luck", "worst", "none_worst", "move", "chose", "better"),
)
"""What the page says as the terminal does."""


def texts() -> dict[str, dict[str, Any]]:
    """By language, all that the page says beside the story of a game."""
    own = json.loads(_read("texts.json"))
    return {
        language: {**own[language], **{name: asdict(spoken)[name] for name in _SHARED}}
        for language, spoken in LANGUAGES.items()
    }


def build(games: Sequence[str] = GAMES, working_on: Callable[[str], None] = lambda what: None) -> bytes:
    """The page, UTF-8.

    Args:
        games: those that it holds, of `GAMES`; one for two players at least.
        working_on: is called with what is being made.
    """
    data: dict[str, Any] = {"texts": texts(), "throws": demi_iles.landings(), "games": {}, "opponents": {}}
    for name in (name for name in GAMES if name in games):
        working_on(name)
        game: Any = make_game(name)
        if name == "demi-iles-solo":
            data["games"][name] = solo.tables(solve(game))  # type: ignore[arg-type] # the solo game's has turns
            continue
        data["games"][name] = (demi_iles if name == "demi-iles" else quatre21).tables(game)
        data["opponents"][name] = opponents(game, working_on)
    filled = {
        "css": _read("page.css").strip(),
        "script": "\n".join(_read(f"js/{name}.js").strip() for name in _SCRIPTS),
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: filled[match[1]], _read("template.html"))
    return page.encode()


def _read(name: str) -> str:
    return resources.files("nenette_agents.page").joinpath(name).read_text("utf-8")
