"""Maps of a policy: what it does in a plane of states that fits a picture.

- demi-iles: own score by the other's score, how many dice are thrown;
- 421: own fiches by the first throw of a leader in the décharge, how many dice are kept, and which;
- demi-iles-solo: score by the one score that is still missing, how many dice are thrown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.games.demi_iles import ALL_SEEN, TARGET, DemiIles, DemiIlesSolo, SoloState
from nenette.games.demi_iles import State as DemiIlesState
from nenette.games.quatre21 import Quatre21
from nenette.games.quatre21 import State as Quatre21State
from nenette.games.quatre21_rules import COMBINATIONS, MAX_THROWS, Dice
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy

__all__ = ["PolicyMap", "policy_map"]

DICE_LABELS = ("no die", "one die", "two dice")
KEPT_LABELS = ("keeps none", "keeps one die", "keeps two dice", "stops")


@dataclass(frozen=True, eq=False)
class PolicyMap:
    """What a policy does in a plane of states.

    Attributes:
        policy: the policy's name.
        game: the game's name.
        title: what the plane shows, in words.
        row_label: what a row is.
        column_label: what a column is.
        rows: each row's name.
        columns: each column's name.
        labels: what the policy may do, in an order that a scale of colours can follow.
        choices: int8, (rows, columns): an index into `labels`; -1 where there is no such state.
        probabilities: float64, (rows, columns): with which this is done; 0 where there is no such state.
        words: object (str), (rows, columns): the same in detail: of 421 the dice that are kept, "4-2"; "" where there
            is no such state.
    """

    policy: str
    game: str
    title: str
    row_label: str
    column_label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    choices: NDArray[np.int8]
    probabilities: NDArray[np.float64]
    words: NDArray[np.object_]

    def differs_from(self, other: "PolicyMap") -> NDArray[np.bool_]:
        """bool, (rows, columns): where another policy does something else in the same plane."""
        different: NDArray[np.bool_] = self.words != other.words
        return different


@dataclass(frozen=True)
class _Plane:
    """The states of a map, and what an action in one of them is called."""

    title: str
    row_label: str
    column_label: str
    rows: Sequence[str]
    columns: Sequence[str]
    labels: tuple[str, ...]
    states: Sequence[Sequence[Any | None]]
    choice: Callable[[Any, int], tuple[int, str]]


def policy_map(policy: GivenPolicy, game: Game[Any] | str) -> PolicyMap:
    """The map of a policy. Where it draws its actions, its likeliest choice is shown, with its probability.

    Args:
        policy: any object with `action_probabilities`, or what `nenette.load_opponent` takes; "optimal" gives the map
            to compare with.
        game: what is played, or its name for the default rules.

    Raises:
        ValueError: the policy or the game is not known, or there is no map of this game.
    """
    played = as_game(game)
    player = as_policy(policy, played)
    plane = _plane(played)
    states = [(row, column, state) for row, line in enumerate(plane.states) for column, state in enumerate(line)]
    there = [one for one in states if one[2] is not None]
    fields = np.array([played.encode(state, played.seat(state)) for _, _, state in there])
    masks = np.zeros((len(there), played.n_actions), dtype=np.int8)
    for row, (_, _, state) in enumerate(there):
        masks[row, list(played.legal_actions(state))] = 1
    probabilities = ask(player, played.codec.encode(fields), masks)
    shape = (len(plane.rows), len(plane.columns))
    choices, chances = np.full(shape, -1, dtype=np.int8), np.zeros(shape)
    words = np.full(shape, "", dtype=object)
    for (row, column, state), chance in zip(there, probabilities, strict=True):
        by_word: dict[str, float] = {}
        which: dict[str, int] = {}
        for action in np.flatnonzero(chance > 0).tolist():  # of equal dice it is the same which are thrown again
            label, word = plane.choice(state, action)
            by_word[word] = by_word.get(word, 0.0) + float(chance[action])
            which[word] = label
        likeliest = max(by_word, key=lambda word: by_word[word])
        choices[row, column], words[row, column] = which[likeliest], likeliest
        chances[row, column] = by_word[likeliest]
    return PolicyMap(
        player.name,
        played.name,
        plane.title,
        plane.row_label,
        plane.column_label,
        tuple(plane.rows),
        tuple(plane.columns),
        plane.labels,
        choices,
        chances,
        words,
    )


def _plane(game: Game[Any]) -> _Plane:
    if isinstance(game, DemiIlesSolo):
        return _solo(game)
    if isinstance(game, DemiIles) and game.players == 2:
        return _demi_iles()
    if isinstance(game, Quatre21) and game.players == 2:
        return _quatre21(game)
    raise ValueError(
        f"there is no map of {game.name} with {game.players} players; one of demi-iles or 421 for two, or of "
        "demi-iles-solo, was expected"
    )


def _dice(state: Any, action: int) -> tuple[int, str]:
    return action, DICE_LABELS[action]


def _demi_iles() -> _Plane:
    scores = range(TARGET)
    return _Plane(
        "how many dice it throws",
        "own score",
        "the other's score",
        [str(score) for score in scores],
        [str(score) for score in scores],
        DICE_LABELS,
        [[DemiIlesState((own, other), 0) for other in scores] for own in scores],
        _dice,
    )


def _solo(game: DemiIlesSolo) -> _Plane:
    scores, missing = range(TARGET + 1), [0, *range(1, TARGET)]

    def state(score: int, last: int) -> SoloState | None:
        seen = ALL_SEEN & ~(1 << (last - 1)) if last else ALL_SEEN
        return None if score == last > 0 or (score == TARGET and not last) else SoloState(score, seen)

    return _Plane(
        "how many dice it throws when one score, or only 21, is missing",
        "own score",
        "the score that is missing",
        [str(score) for score in scores],
        [str(last or TARGET) for last in missing],
        DICE_LABELS,
        [[state(score, last) for last in missing] for score in scores],
        _dice,
    )


def _quatre21(game: Quatre21) -> _Plane:
    total = game.rules.fiches
    fiches = range(1, total)

    def state(own: int, dice: Dice) -> Quatre21State:
        nothing = (0,) * game.players
        return Quatre21State(nothing, (own, total - own), 0, (0, 1), limit=MAX_THROWS, thrown=1, dice=dice)

    def choice(state: Quatre21State, action: int) -> tuple[int, str]:
        kept = [str(die) for place, die in enumerate(state.dice) if not action >> place & 1]
        return len(kept), "-".join(kept) or "none"

    return _Plane(
        "what a leader keeps of the first throw in the décharge",
        "own fiches",
        "the throw, from the best to the lowest",
        [str(own) for own in fiches],
        ["".join(map(str, dice)) for dice in COMBINATIONS],
        KEPT_LABELS,
        [[state(own, dice) for dice in COMBINATIONS] for own in fiches],
        choice,
    )
