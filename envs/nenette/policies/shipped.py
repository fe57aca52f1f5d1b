"""The opponents that come with the package: a folder each, `opponents/<ladder>/<name>/`, with a card.

Trained ones lie there as any network does, `policy.json` (the card is a part of it) beside `policy.safetensors`, and
are registered by name like the others, for the default rules. They are read when they are first wanted. Those that are
code have a `card.json`.
"""

from pathlib import Path
from typing import Any

from nenette.games import Game
from nenette.policies.files import JSON_FILE, PolicyFileError, read_policy
from nenette.policies.ladders import LADDERS, TABLES, ladder_game, ladder_of
from nenette.policies.network import NetworkPolicy
from nenette.policies.registry import make_policy, policy_names, register
from nenette.untrusted import NotReadableError, parse_json, read_bytes

__all__ = [
    "CARD_FILE",
    "LARGEST",
    "OPPONENTS",
    "ladder_names",
    "ladder_policy",
    "read_card",
    "shipped_names",
]

OPPONENTS = Path(__file__).parents[1] / "opponents"
"""Where the package's lie."""
CARD_FILE = "card.json"
LARGEST = 1_000_000
"""Bytes that the files of an opponent may have together."""


def shipped_names(game: str, folder: Path = OPPONENTS) -> list[str]:
    """Names of the trained opponents in `folder` on the ladder called `game`, in alphabetical order."""
    return sorted(path.parent.name for path in folder.glob(f"{game}/[!.]*/{JSON_FILE}"))


def ladder_names(game: str, folder: Path = OPPONENTS) -> list[str]:
    """Names of all rungs of a ladder: the policies that are code, then the trained ones in `folder`.

    At tables of more than two there is no `optimal`: it is the same policy as `equilibrium`, or there is none.

    Args:
        game: a game's name, or one with a number of players, such as "demi-iles-3".
        folder: where trained ones lie.

    Raises:
        ValueError: no game of that name.
    """
    trained = set(shipped_names(game))
    coded = [name for name in policy_names(ladder_game(game)) if name not in trained]
    if game in TABLES:
        coded.remove("optimal")
    return [*coded, *shipped_names(game, folder)]


def ladder_policy(name: str, game: Game[Any], folder: Path = OPPONENTS) -> Any:
    """A rung of the ladder of `game`: from `folder` if it is a trained one, else the registered one.

    Raises:
        ValueError: there is none of that name, or its files cannot be read.
    """
    place = folder / ladder_of(game) / name
    return _read(place, game) if (place / JSON_FILE).exists() else make_policy(name, game)


def read_card(game: str, name: str, folder: Path = OPPONENTS) -> dict[str, Any] | None:
    """The card of an opponent; None if it has none.

    Raises:
        PolicyFileError: the file holds no card.
    """
    for path in (folder / game / name / JSON_FILE, folder / game / name / CARD_FILE):
        try:
            return _card(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PolicyFileError(f"{path} cannot be read: {error.strerror}") from error
    return None


def _card(path: Path) -> dict[str, Any]:
    try:
        about = parse_json(read_bytes(path, LARGEST))
    except NotReadableError as error:
        raise PolicyFileError(f"{path} {error}") from error
    except ValueError as error:
        raise PolicyFileError(f"{path} is no JSON: {error}") from error
    card = about.get("card") if isinstance(about, dict) else None
    if not isinstance(card, dict):
        raise PolicyFileError(f"{path} holds no card")
    return card


def _read(folder: Path, game: Game[Any]) -> NetworkPolicy:
    policy = read_policy(folder, game)
    if policy.name != folder.name:
        raise PolicyFileError(f"{folder} holds a policy that is called {policy.name!r}")
    return policy


class _Shipped:
    """Makes a trained opponent; its files are read only then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, game: Game[Any]) -> NetworkPolicy:
        return _read(self._folder, game)


def _register_all() -> None:
    for ladder in LADDERS:
        game = ladder_game(ladder)
        known = {"default_rules_only": True, "least_players": game.players, "most_players": game.players}
        for name in shipped_names(ladder):
            register(game.name, name, **known)(_Shipped(OPPONENTS / ladder / name))  # type: ignore[arg-type]


_register_all()
