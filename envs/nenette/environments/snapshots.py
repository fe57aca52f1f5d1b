"""Snapshots of a single game: a snapshot is checked as a whole before any part of it is used."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nenette.games import Game
from nenette.games.checks import check_range, plain, shown

__all__ = ["Standing", "checked_snapshot"]


class Standing(NamedTuple):
    """Where a game stands.

    Attributes:
        state: the game's.
        seat: the learner's.
        turns: how many are complete, of all players together.
        account: what has happened since the learner's last decision, in lines.
        random_stream: the state of the bit generator.
    """

    state: Any
    seat: int
    turns: int
    account: list[str]
    random_stream: Any


def checked_snapshot(snapshot: object, game: Game[Any], bits: np.random.BitGenerator) -> Standing:
    """What a snapshot says, if an environment of `game` can go on from there.

    Args:
        snapshot: what `TurnBasedEnv.snapshot` gives, or anything else.
        game: what the environment plays.
        bits: a bit generator of the type that the environment uses; it is not changed.

    Raises:
        ValueError: one sentence: it is of another game, or there is something in it that is in no snapshot.
    """
    if not isinstance(snapshot, Mapping):
        raise ValueError(f"a snapshot is a dictionary, as snapshot() gives it, not {shown(snapshot)}")
    if snapshot.get("rules_id") != game.rules_id:
        raise ValueError(
            f"the snapshot is of {shown(snapshot.get('game'))} with rules {shown(snapshot.get('rules_id'))}, "
            f"this environment plays {game.name!r} with rules {game.rules_id!r}"
        )
    for key in ("fields", "seat", "turns", "account", "rng"):
        if key not in snapshot:
            raise ValueError(f"the snapshot lacks {key!r}")
    seat, turns, account = plain(snapshot["seat"]), plain(snapshot["turns"]), snapshot["account"]
    state = _state(snapshot["fields"], game)
    check_range("the snapshot's seat", seat, 0, game.players - 1)
    check_range("the snapshot's number of turns", turns, 0, game.max_turns)
    cut = game.max_turns is not None and turns >= game.max_turns and game.starts_turn(state)
    if game.returns(state) is None and not cut and game.seat(state) != seat:
        raise ValueError(f"in the snapshot's game seat {game.seat(state)} is to move, and the learner's is {seat}")
    if not isinstance(account, list | tuple) or not all(map(_can_be_printed, account)):
        raise ValueError(f"the snapshot's account is a list of lines, not {shown(account)}")
    return Standing(state, seat, turns, list(account), _random_stream(snapshot["rng"], bits))


def _state(given: Any, game: Game[Any]) -> Any:
    features = game.codec.features
    if not isinstance(given, list | tuple) or len(given) != len(features):
        raise ValueError(f"the snapshot's fields are a list of {len(features)} integers, not {shown(given)}")
    fields = tuple(map(plain, given))
    for feature, value in zip(features, fields, strict=True):
        check_range(f"the snapshot's field {feature.name!r}", value, 0, feature.values - 1)
    state = game.decode(fields)
    if not game.possible(state) or game.encode(state, 0) != fields:
        raise ValueError(f"the snapshot's fields {shown(fields)} are of no game of {game.name}")
    return state


def _can_be_printed(line: object) -> bool:
    """Whether it is text that can be printed: surrogates, which are halves of characters, cannot."""
    return isinstance(line, str) and not any("\ud800" <= letter <= "\udfff" for letter in line)


def _random_stream(given: Any, bits: np.random.BitGenerator) -> Any:
    kind = type(bits)
    refusal = ValueError(f"the snapshot's rng is no state of {kind.__name__}, but {shown(given)}")
    probe: Any = kind(0)
    try:
        probe.state = given
        taken = probe.state
    except Exception as error:  # numpy says what is wrong in many ways
        raise refusal from error
    if not _same(taken, given) or len(set(probe.random_raw(8).tolist())) == 1:  # a stuck stream: 421 would never end
        raise refusal
    increment = taken["state"].get("inc", 1) if isinstance(taken.get("state"), Mapping) else 1
    if increment % 2 == 0:  # a PCG of a short cycle, or of a cycle of one
        raise refusal
    return given


def _same(taken: Any, given: Any) -> bool:
    if isinstance(taken, Mapping):
        return (
            isinstance(given, Mapping)
            and taken.keys() == given.keys()
            and all(_same(taken[key], given[key]) for key in taken)
        )
    return bool(np.array_equal(taken, given))
