"""The manifest: which trained opponents there are, and by which config, overrides and seed each is made."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from nenette.games import GAMES
from nenette.policies.ladders import TABLES, ladder_game, ladder_of
from nenette.policies.registry import policy_names
from nenette.policies.shipped import LARGEST, shipped_names
from nenette_agents.config import files
from nenette_agents.config.files import shipped_configs
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.config.named import crossing_called
from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["MANIFEST", "Entry", "choose", "read_manifest"]

MANIFEST = Path(__file__).with_name("manifest.yaml")
"""That of the opponents that come with the package."""

_KEYS = ("game", "name", "config", "seed", "overrides")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Entry:
    """How one opponent is made.

    Attributes:
        game: the game's name; with a number of players, such as demi-iles-3, at a table of more than two.
        name: what it is called there.
        path: the config file.
        overrides: "key=value", as after --set.
        seed: in place of the config's.
    """

    game: str
    name: str
    path: Path
    overrides: tuple[str, ...]
    seed: int

    def load(self) -> Config:
        """The resolved config.

        Raises:
            ConfigError: it is wrong, about another game or other rules, or its network would be too large.
        """
        config = load_config(self.path, list(self.overrides), seed=self.seed)
        who = f"the opponent {self.game}/{self.name}"
        if ladder_of(config.make_game()) != self.game and config.game != self.game:
            raise ConfigError(f"{self.path}: game is {config.game}, and {who} is made by it")
        if config.make_game().rules_id != ladder_game(self.game).rules_id:
            raise ConfigError(f"{self.path}: rules is {shown(config.rules)}; {who} plays by the default ones")
        if (size := _bytes(config)) >= LARGEST:
            raise ConfigError(
                f"{self.path}: network takes {size:,} bytes, and {who} is to have less than {LARGEST:,} in all"
            )
        return config


def _bytes(config: Config) -> int:
    """What the weights of the kept policy take."""
    game = config.make_game()
    crossed = crossing_called(game, config.network.crossed)
    inputs = game.codec.size if crossed is None else crossed.size
    sizes: list[int] = [inputs, *config.network.net_arch, game.n_actions]
    return 4 * sum((before + 1) * after for before, after in pairwise(sizes))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of the manifest, a YAML list; a config is named as one that comes with the package, or lies
    relative to it.

    Raises:
        ConfigError: it is not there, or something in it is wrong; one sentence.
    """
    document = files.read(path)
    if not isinstance(document, list) or not document:
        raise ConfigError(f"{path}: a list of opponents was expected")
    entries = [_entry(f"{path}: entry {place}", path.parent, given) for place, given in enumerate(document, start=1)]
    places = [(entry.game, entry.name) for entry in entries]
    for game, name in places:
        if places.count((game, name)) > 1:
            raise ConfigError(f"{path}: {game}/{name} is there {places.count((game, name))} times")
    return entries


def _entry(where: str, folder: Path, given: Any) -> Entry:
    if not isinstance(given, dict):
        raise ConfigError(f"{where} is {shown(given)}; a mapping with {', '.join(_KEYS)} was expected")
    for key in given:
        if key not in _KEYS:
            hint = nearest(str(key), list(_KEYS))
            raise ConfigError(f"{where}: {shown(key)} is no key of it ({', '.join(_KEYS)}){hint}")
    given = {"overrides": [], **given}
    for key in _KEYS:
        if key not in given:
            raise ConfigError(f"{where}: {key} is missing")

    def expect(key: str, holds: bool, expected: str) -> None:
        if not holds:
            raise ConfigError(f"{where}: {key} is {shown(given[key])}; {expected} was expected")

    game, name, overrides = str(given["game"]), given["name"], given["overrides"]
    known = [*GAMES, *TABLES]
    expect("game", game in known, f"one of {', '.join(known)}{nearest(game, known)}")
    expect("name", isinstance(name, str) and bool(_NAME.fullmatch(name)), "a word of small letters, digits and dashes")
    coded = [one for one in policy_names(ladder_game(game)) if one not in shipped_names(game)]
    expect("name", name not in coded, f"a name that no policy of {game} has")
    expect("config", isinstance(given["config"], str), "a file")
    expect("seed", type(given["seed"]) is int, "an integer")
    texts = isinstance(overrides, list) and all(isinstance(override, str) for override in overrides)
    expect("overrides", texts, 'a list of texts "key=value"')
    shipped = shipped_configs().get(given["config"])
    return Entry(game, name, shipped or folder / given["config"], tuple(overrides), given["seed"])


def choose(names: Sequence[str], game: str | None, known: dict[str, list[str]]) -> dict[str, list[str]]:
    """Which opponents are meant, by game.

    Args:
        names: "NAME" or "GAME/NAME"; none means all.
        game: only this one's; None: any's.
        known: names that there are, by game.

    Raises:
        ConfigError: nothing of that name; the nearest and all others are named.
    """
    games = {one: known[one] for one in known if game in (None, one)}
    if not names:
        return {one: list(there) for one, there in games.items() if there}
    chosen: dict[str, list[str]] = {}
    for name in names:
        prefix, slash, alone = name.rpartition("/")
        found = [one for one, there in games.items() if alone in there and (not slash or prefix == one)]
        if not found:
            every = list(dict.fromkeys([*(n for there in games.values() for n in there)]))
            full = [f"{one}/{n}" for one, there in games.items() for n in there]
            hint = nearest(name, full if slash else every)
            raise ConfigError(f"{shown(name)}: one of {', '.join(every)} was expected{hint}")
        for one in found:
            if alone not in chosen.setdefault(one, []):
                chosen[one].append(alone)
    return chosen
