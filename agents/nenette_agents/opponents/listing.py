"""Ladders as tables for a terminal, and as JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.text import Text

from nenette.matches.ladder import strength
from nenette.policies.shipped import read_card
from nenette_agents.screen import Column, WideTable
from nenette_agents.tables import facts_table

__all__ = ["cards_of", "flat", "full_card", "ladder_table"]

_FOR_TWO = {
    "value": ("value", "{:+.4f}"),
    "exploitability": ("exploitability", "{:.4f}"),
    "exploitability_within_max_turns": ("cut", "{:.4f}"),
    "elo": ("Elo", "{:.0f}"),
}
_SOLO = {
    "sampled.turns": ("turns", "{:.3f}"),
    "sampled.finishes": ("finishes", "{:.2%}"),
    "greedy.turns": ("greedily", "{:.3f}"),
    "greedy.finishes": ("finishes", "{:.2%}"),
}
_WORDS = {
    "value": "value against optimal, over both seats",
    "exploitability_within_max_turns": "cut: exploitability where the game is cut after max_turns",
    "greedy.turns": "greedily: always its likeliest action",
}
"""What is said below the table, if it has these."""


def cards_of(chosen: Mapping[str, Sequence[str]], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """By game, the names of these opponents with all that their cards say, from weak to perfect.

    Raises:
        PolicyFileError: a card cannot be read.
    """
    cards = {game: {name: read_card(game, name, folder) for name in names} for game, names in chosen.items()}
    return {
        game: [{"name": name, **(known[name] or {})} for name in sorted(known, key=lambda name: strength(known[name]))]
        for game, known in cards.items()
    }


def ladder_table(game: str, cards: Sequence[Mapping[str, Any]]) -> Group:
    """A line for each, in the order given."""
    everything = [{**card, **flat(card.get("figures") or {})} for card in cards]
    shown = {figure: how for figure, how in (_FOR_TWO | _SOLO).items() if any(figure in card for card in everything)}
    columns = [Column("opponent", figures=False, key=True), *(Column(heading) for heading, _ in shown.values())]
    rows = [
        [card["name"], *(_cell(card, figure, form) for figure, (_, form) in shown.items()), _maker(card)]
        for card in everything
    ]
    table = WideTable([*columns, Column("made by", figures=False)], rows)
    words = "; ".join(["exact", *(said for figure, said in _WORDS.items() if figure in shown)])
    return Group(Text(f"{game}, from weak to perfect", style="bold"), table, Text(words))


def full_card(game: str, card: Mapping[str, Any]) -> Group:
    """Everything that one card says."""
    said = {key.replace(".", ", "): value for key, value in flat(card).items() if key != "name"}
    return facts_table(said, title=f"{game}/{card['name']}")


def flat(card: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The entries of nested objects, under dotted names."""
    entries: dict[str, Any] = {}
    for key, value in card.items():
        if isinstance(value, Mapping) and value:
            entries |= flat(value, f"{prefix}{key}.")
        else:
            entries[f"{prefix}{key}"] = value
    return entries


def _maker(card: Mapping[str, Any]) -> str:
    if card.get("kind") == "trained":
        return f"{str(card.get('algorithm')).upper()}, {card.get('steps', 0):,} steps"
    return str(card.get("kind", "no card"))


def _cell(card: Mapping[str, Any], figure: str, form: str) -> str:
    value = card.get(figure)
    if value is None:
        return "no end" if figure in card else ""
    way, _, name = figure.partition(".")
    if name == "finishes" and card.get(f"{way}.turns") is None and value > 0.9999:  # it is no certainty, however near
        return ">99.99%"
    text = form.format(value) if abs(value) < 1e6 else f"{value:.2e}"
    return text if float(text.strip("%")) else form.format(0.0)  # no -0
