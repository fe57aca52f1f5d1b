"""Whether the opponents that come with the package are what their cards say: every figure is worked out again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from nenette.games import Game
from nenette.matches.ladder import differences, elo_of_all, figures, with_elo, without_elo
from nenette.policies.files import JSON_FILE, TENSORS_FILE
from nenette.policies.ladders import ladder_game, ladder_of
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Policy
from nenette.policies.shipped import LARGEST, ladder_names, ladder_policy, read_card
from nenette_agents.config.files import Sources
from nenette_agents.config.loading import validate
from nenette_agents.config.model import Config
from nenette_agents.opponents.listing import flat
from nenette_agents.opponents.manifest import Entry
from nenette_agents.terminal.progress import AtWork

__all__ = ["Findings", "verify"]

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
