"""The cards of the opponents: listed, and every figure on them worked out anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.text import Text

from nenette.games import Game
from nenette.matches.ladder import differences, elo_of_all, figures, strength, with_elo, without_elo
from nenette.policies.files import JSON_FILE, TENSORS_FILE
from nenette.policies.ladders import ladder_game, ladder_of
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Policy
from nenette.policies.shipped import LARGEST, ladder_names, ladder_policy, read_card
from nenette_agents.config.files import Sources
from nenette_agents.config.loading import validate
from nenette_agents.config.model import Config
from nenette_agents.opponents.manifest import Entry
from nenette_agents.terminal.progress import AtWork
from nenette_agents.terminal.tables import Column, WideTable, facts_table

__all__ = ["Findings", "cards_of", "flat", "full_card", "ladder_table", "verify"]

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
    """A row for each, in the order given, and one for a network's other way of playing; then the endless game."""
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


_TRAINED = ("kind", "algorithm", "seed", "steps", "config", "versions", "figures")


@dataclass
class Findings:
    """What a check has found.

    Attributes:
        opponents: "GAME/NAME" of those that were looked at.
        figures: how many figures their cards have.
        wrong: a line for each thing that is not as it should be.
    """

    opponents: list[str] = field(default_factory=list)
    figures: int = 0
    wrong: list[str] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return {"opponents": self.opponents, "figures": self.figures, "wrong": self.wrong, "right": not self.wrong}


def verify(
    chosen: Mapping[str, Sequence[str]], *, folder: Path, entries: Sequence[Entry] | None, console: Console
) -> Findings:
    """Works out every figure of these opponents anew and compares.

    Args:
        chosen: names by game.
        folder: where opponents lie.
        entries: the manifest's; None: there is none to compare with.
        console: where progress is shown.
    """
    findings = Findings()
    for game, names in chosen.items():
        with AtWork(f"opponents --verify --game {game}", console) as work:
            ladder = _Ladder(ladder_game(game), folder, findings, work)
            for name in names:
                who = f"{game}/{name}"
                work.now(f"scoring {who}")
                wrong = ladder.check(name, entries)
                findings.opponents.append(who)
                findings.wrong += [f"{who}: {line}" for line in wrong]
                outcome = "right" if not wrong else f"{len(wrong)} not as the card says"
                console.print(f"{who}: {outcome}", soft_wrap=True, highlight=False, markup=False)
    return findings


class _Ladder:
    """All opponents of one game, read and rated."""

    def __init__(self, game: Game[Any], folder: Path, findings: Findings, work: AtWork) -> None:
        self._game, self._folder, self._findings = game, folder, findings
        self._policies: dict[str, Policy] = {}
        self._unreadable: dict[str, str] = {}
        self._ladder = ladder_of(game)
        for name in ladder_names(self._ladder, folder):
            try:
                self._policies[name] = ladder_policy(name, game, folder)
            except ValueError as error:
                self._unreadable[name] = str(error)
        # A rating depends on all: if one cannot be read, nobody's can be checked.
        self._elo = None if self._unreadable else self._rated(work)

    def _rated(self, work: AtWork) -> dict[str, dict[str, Any]]:
        pairs = len(self._policies) * (len(self._policies) + 1) // 2
        return elo_of_all(list(self._policies.values()), self._game, work.counted("pairs scored", pairs))

    def check(self, name: str, entries: Sequence[Entry] | None) -> list[str]:
        """What is wrong with one of them, a line each."""
        if name in self._unreadable:
            return [self._unreadable[name]]
        if name not in self._policies:
            return ["the manifest names it, and it is not there"]
        try:
            card = read_card(self._ladder, name, self._folder)
        except ValueError as error:
            return [str(error)]
        if card is None:
            return ["it has no card"]
        lines = self._figures(name, card)
        if isinstance(self._policies[name], NetworkPolicy):
            lines += [f"{key} is missing on the card" for key in _TRAINED if key not in card]
            lines += self._files(name)
            if not lines and entries is not None:
                lines = _as_the_manifest_says(card, [e for e in entries if (e.game, e.name) == (self._ladder, name)])
        return lines

    def _figures(self, name: str, card: dict[str, Any]) -> list[str]:
        on_the_card = card.get("figures")
        if not isinstance(on_the_card, dict):
            return ["figures is missing on the card"]
        self._findings.figures += _count(on_the_card)
        policy = self._policies[name]
        try:
            found = figures(policy, self._game)
        except ValueError as error:
            return [str(error)]
        if self._elo is None:
            unread = next(iter(self._unreadable))
            return [
                *differences(without_elo(on_the_card), found),
                f"elo cannot be checked, for {unread} cannot be read",
            ]
        return differences(on_the_card, with_elo(found, self._elo[name]) if name in self._elo else found)

    def _files(self, name: str) -> list[str]:
        files = sorted((self._folder / self._ladder / name).iterdir())
        foreign = [file.name for file in files if file.name not in (JSON_FILE, TENSORS_FILE)]
        size = sum(file.stat().st_size for file in files)
        lines = [f"{file} is none of its files ({JSON_FILE}, {TENSORS_FILE})" for file in foreign]
        return [*lines, f"its files take {size:,} bytes, and {LARGEST:,} is too much"] if size >= LARGEST else lines


def _count(value: Any) -> int:
    return sum(map(_count, value.values())) if isinstance(value, dict) else 1


def _as_the_manifest_says(card: dict[str, Any], entries: Sequence[Entry]) -> list[str]:
    """Where the card is not about the training that the manifest names."""
    if not entries:
        return ["the manifest does not name it"]
    try:
        asked = entries[0].load()
        done = validate(dict(card["config"]), Sources("the card"))
    except (ValueError, TypeError) as error:
        return [str(error)]
    on_the_card = {key: card[key] for key in ("algorithm", "seed")}
    lines = differences(on_the_card, {"algorithm": done.algorithm, "seed": done.seed})
    if not isinstance(card["steps"], int) or card["steps"] < done.total_timesteps:
        lines.append(
            f"steps is {card['steps']} on the card, and its config's total_timesteps is {done.total_timesteps}"
        )
    return [*lines, *_changed(done, asked)]


def _changed(done: Config, asked: Config) -> list[str]:
    before, now = flat(done.model_dump(mode="json")), flat(asked.model_dump(mode="json"))
    return [
        f"config.{key} is {before.get(key)!r} on the card, and {now.get(key)!r} by the manifest"
        for key in dict.fromkeys([*before, *now])
        if before.get(key) != now.get(key) and not key.startswith("checkpoint.")
    ]
