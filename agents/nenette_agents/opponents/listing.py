"""Ladders as tables for a terminal, and as JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.text import Text

from nenette.matches.ladder import strength
from nenette.policies.shipped import read_card
from nenette_agents.terminal.screen import Column, WideTable
from nenette_agents.terminal.tables import facts_table

__all__ = ["cards_of", "flat", "full_card", "ladder_table"]

_FOR_TWO = {
    "plays": ("plays", "{}"),
    "value": ("value", "{:+.4f}"),
    "exploitability": ("exploitability", "{:.4f}"),
    "nash_conv": ("NashConv", "{:.4f}"),
    "elo": ("Elo", "{:.0f}"),
}
_SOLO = {
    "sampled.turns": ("turns", "{:.3f}"),
    "sampled.finishes": ("finishes", "{:.2%}"),
    "greedy.turns": ("greedily", "{:.3f}"),
    "greedy.finishes": ("finishes", "{:.2%}"),
}
_PLAYS = "greedy: always the likeliest action; sampled: actions drawn by their probabilities"
_WORDS = {
    "value": f"value against optimal, over both seats; {_PLAYS}",
    "greedy.turns": "greedily: always its likeliest action",
}
"""What is said below a table, if it has these."""
_WORDS_OF_SEVERAL = {
    "value": f"value against equilibrium at all other seats, over all seats; {_PLAYS}",
    "nash_conv": "NashConv: what the seats could gain by playing otherwise, if all play so, summed up",
}
"""Likewise of a table of more than two."""


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
    """A line for each, in the order given, and one for a network's other player; the endless game in a second table."""
    figures = [(card, dict(card.get("figures") or {})) for card in cards]
    cuts = sorted({known["max_turns"] for _, known in figures if known.get("max_turns") is not None})
    cut = f", games cut after {' or '.join(map(str, cuts))} turns" if cuts else ""
    parts: list[Text | WideTable] = [Text(f"{game}, from weak to perfect{cut}", style="bold"), *_table(figures)]
    endless = [(card, _endless(known)) for card, known in figures]
    if any("value" in known for _, known in endless):
        parts += [Text(f"{game}, the endless game: it is never cut", style="bold"), *_table(endless)]
    return Group(*parts)


def _endless(known: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of the endless game, of both players."""
    found = {"plays": known.get("plays"), **known.get("endless", {})}
    return found | ({"other_player": _endless(known["other_player"])} if "other_player" in known else {})


def _table(figures: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> tuple[WideTable, Text]:
    lines = [(card, flat(known)) for card, known in figures]
    shown = {figure: how for figure, how in (_FOR_TWO | _SOLO).items() if any(figure in known for _, known in lines)}
    headings = [Column(heading, figures=figure != "plays") for figure, (heading, _) in shown.items()]
    rows = []
    for card, known in lines:
        cells = [_cell(known, figure, form) for figure, (_, form) in shown.items()]
        rows.append([card["name"], *cells, _maker(card)])
        others = {key.removeprefix("other_player."): one for key, one in known.items() if key.startswith("other_")}
        if others:
            rows.append(["", *(_cell(others, figure, form) for figure, (_, form) in shown.items()), ""])
    table = WideTable([Column("opponent", figures=False, key=True), *headings, Column("made by", figures=False)], rows)
    among = next((known["against"] for _, known in lines if "against" in known), None)
    known_words = _WORDS_OF_SEVERAL if "nash_conv" in shown else _WORDS
    if among is not None:
        known_words = _WORDS | {"value": f"value against {among} at all other seats, over all seats; {_PLAYS}"}
    words = "; ".join(["exact", *(said for figure, said in known_words.items() if figure in shown)])
    return table, Text(words)


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
        return f"{str(card.get('algorithm')).upper()}, {_brief(card.get('steps', 0))} steps"
    return str(card.get("kind", "no card"))


def _brief(steps: int) -> str:
    return f"{steps / 1e6:.1f}M" if steps >= 1e6 else f"{steps / 1e3:.0f}k"


def _cell(known: Mapping[str, Any], figure: str, form: str) -> str:
    value = known.get(figure)
    if value is None:
        return "no end" if figure in known and figure != "plays" else ""
    if isinstance(value, str):
        return value
    way, _, name = figure.partition(".")
    if name == "finishes" and known.get(f"{way}.turns") is None and value > 0.9999:  # it is no certainty, however near
        return ">99.99%"
    text = form.format(value) if abs(value) < 1e6 else f"{value:.2e}"
    return text if float(text.strip("%")) else form.format(0.0)  # no -0
