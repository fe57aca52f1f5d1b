"""21 des Demi-Îles: the rules.

Two dice. A score starts at 0 and a turn throws 0, 1 or 2 dice. What a throw does to the score is in `throw`; all else
in this file is about whose turn it is and when the game is over. With several players each throw also takes the number
of dice thrown from all the others, and the first to stand on 21 wins. Alone, the aim is to end on 21 after having stood
on every score from 1 to 20, in as few turns as possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal, NamedTuple

from nenette.games.checks import check_choice, check_range
from nenette.games.distribution import Distribution
from nenette.games.game import Game
from nenette.games.observation import Codec, bit, one_hot
from nenette.games.registry import GameSpec

__all__ = [
    "ALL_SEEN",
    "SOLO",
    "SPEC",
    "TARGET",
    "DemiIles",
    "DemiIlesRules",
    "DemiIlesSolo",
    "DemiIlesSoloRules",
    "SoloState",
    "State",
    "faces",
    "throw",
]

TARGET = 21
SCORES = range(TARGET + 1)
DICE_COUNTS = (0, 1, 2)
ALL_SEEN = (1 << (TARGET - 1)) - 1
_PRIMES = frozenset({2, 3, 5, 7, 11, 13, 17, 19})
_FACES = range(1, 7)


def _bounded(score: int) -> int:
    return score if score in SCORES else 0


def _after_no_die(score: int) -> int:
    return score // 2 if score % 2 == 0 else score - 1


def _after_one_die(score: int, die: int) -> int:
    adds = score < 10
    if score > 0 and score % 7 == 0:
        adds = not adds
    return score + die if adds else score - die


def _after_two_dice(score: int, first: int, second: int) -> int:
    total, difference = first + second, abs(first - second)
    if score in _PRIMES:
        return score + total
    if score > 0 and score % 5 == 0:
        return score - total
    if score > 0 and score % 3 == 0:
        return score - difference
    return score + difference


@cache
def throw(score: int, dice: int) -> Distribution[int]:
    """The scores that throwing `dice` dice (0..2) leads to from `score` (0..21), each with its exact probabilities.

    0 is no multiple of anything here: from 0, one die is added and so is the difference of two. A score that would
    leave 0..21 becomes 0.
    """
    if dice == 0:
        return Distribution.certain(_bounded(_after_no_die(score)))
    if dice == 1:
        return Distribution.uniform(_bounded(_after_one_die(score, d)) for d in _FACES)
    return Distribution.uniform(_bounded(_after_two_dice(score, a, b)) for a, b in product(_FACES, _FACES))


def faces(score: int, dice: int, fallen: int) -> Distribution[tuple[int, ...]]:
    """What the dice may have shown where throwing `dice` dice led from `score` to `fallen`, with exact probabilities.

    The rules know a throw by the score that it leads to; this is for whoever shows the dice.
    """
    if dice == 0:
        return Distribution.certain(())
    if dice == 1:
        return Distribution.uniform((d,) for d in _FACES if _bounded(_after_one_die(score, d)) == fallen)
    pairs = product(_FACES, _FACES)
    return Distribution.uniform((a, b) for a, b in pairs if _bounded(_after_two_dice(score, a, b)) == fallen)


@dataclass(frozen=True)
class DemiIlesRules:
    """Rule set of the game with several players.

    Attributes:
        players: 2 to 6.
        starter: who throws first: the player at "seat_0", or one that is "drawn", each equally often.
        max_turns: turns of all players together after which a game is cut and drawn; None plays on for ever.
    """

    players: int = 2
    max_turns: int | None = 200
    starter: Literal["seat_0", "drawn"] = "seat_0"

    def __post_init__(self) -> None:
        check_range("players", self.players, 2, 6)
        check_choice("starter", self.starter, ("seat_0", "drawn"))
        if self.max_turns is not None:
            check_range("max_turns", self.max_turns, 1)


class State(NamedTuple):
    """Several players, before a throw or after the winning one.

    Attributes:
        scores: each seat's score, 0..21 (the winning throw has taken its dice from the others, too).
        seat: whose throw it is; once somebody stands on 21, the winner.
    """

    scores: tuple[int, ...]
    seat: int


class DemiIles(Game[State]):
    """21 des Demi-Îles for two to six players: action k throws k dice; a win is +1, a loss -1/(players - 1)."""

    name = "demi-iles"

    def __init__(self, rules: DemiIlesRules | None = None) -> None:
        self.rules = rules or DemiIlesRules()
        self.players = self.rules.players
        self.n_actions = len(DICE_COUNTS)
        self.max_turns = self.rules.max_turns
        others = ["score of the next player"] + [f"score of player +{k}" for k in range(2, self.players)]
        self.codec = Codec(
            [
                *(one_hot(name, TARGET + 1) for name in ("own score", *others)),
                one_hot("seats until the player to move", self.players),
            ]
        )

    def initial(self) -> Distribution[State]:
        """Everybody at 0; seat 0 is to move, or any."""
        starters = range(self.players if self.rules.starter == "drawn" else 1)
        return Distribution.uniform(State((0,) * self.players, seat) for seat in starters)

    def seat(self, state: State) -> int:
        """The seat to move."""
        return state.seat

    def legal_actions(self, state: State) -> tuple[int, ...]:
        """Always 0, 1 or 2 dice."""
        return DICE_COUNTS

    def chance(self, state: State, action: int) -> Distribution[int]:
        """The mover's next score."""
        return throw(state.scores[state.seat], action)

    def follow(self, state: State, action: int, fallen: int) -> Distribution[State]:
        """The mover stands on what fell, and everybody else's score falls by the number of dice thrown."""
        scores = [max(0, score - action) for score in state.scores]
        scores[state.seat] = fallen
        to_move = state.seat if fallen == TARGET else (state.seat + 1) % self.players
        return Distribution.certain(State(tuple(scores), to_move))

    def returns(self, state: State) -> tuple[float, ...] | None:
        """+1 to whoever stands on 21, -1/(players - 1) to the others."""
        if state.scores[state.seat] != TARGET:
            return None
        loss = -1.0 / (self.players - 1)
        return tuple(1.0 if seat == state.seat else loss for seat in range(self.players))

    def starts_turn(self, state: State) -> bool:
        """Every throw is a turn."""
        return True

    def possible(self, state: State) -> bool:
        """Only whoever has just thrown can stand on the target."""
        return all(score < TARGET for seat, score in enumerate(state.scores) if seat != state.seat)

    def encode(self, state: State, seat: int) -> tuple[int, ...]:
        """Scores from `seat` on, in turn order, then how far the player to move sits from `seat`."""
        scores = state.scores[seat:] + state.scores[:seat]
        return (*scores, (state.seat - seat) % self.players)

    def decode(self, fields: Sequence[int]) -> State:
        """The state with these fields, seen from seat 0."""
        *scores, mover = (int(x) for x in fields)
        return State(tuple(scores), mover)


@dataclass(frozen=True)
class DemiIlesSoloRules:
    """Rule set of the solo game.

    Attributes:
        max_turns: turns after which a played game is cut; None plays on until it is finished.
    """

    max_turns: int | None = 1000

    def __post_init__(self) -> None:
        if self.max_turns is not None:
            check_range("max_turns", self.max_turns, 1)


class SoloState(NamedTuple):
    """The solo game.

    Attributes:
        score: 0..21.
        seen: the scores already stood on; bit s - 1 stands for score s, 1..20.
    """

    score: int
    seen: int


class DemiIlesSolo(Game[SoloState]):
    """21 des Demi-Îles alone: every turn costs 1 until the score is 21 and all of 1..20 have been stood on."""

    name = "demi-iles-solo"
    turn_reward = -1.0

    def __init__(self, rules: DemiIlesSoloRules | None = None) -> None:
        self.rules = rules or DemiIlesSoloRules()
        self.players = 1
        self.n_actions = len(DICE_COUNTS)
        self.max_turns = self.rules.max_turns
        self.codec = Codec([one_hot("score", TARGET + 1)] + [bit(f"{s} has been stood on") for s in range(1, TARGET)])

    def initial(self) -> Distribution[SoloState]:
        """Score 0, nothing seen."""
        return Distribution.certain(SoloState(0, 0))

    def seat(self, state: SoloState) -> int:
        """The only one."""
        return 0

    def legal_actions(self, state: SoloState) -> tuple[int, ...]:
        """Always 0, 1 or 2 dice."""
        return DICE_COUNTS

    def chance(self, state: SoloState, action: int) -> Distribution[int]:
        """The next score."""
        return throw(state.score, action)

    def follow(self, state: SoloState, action: int, fallen: int) -> Distribution[SoloState]:
        """What fell is the score, and counts as seen."""
        seen = 1 << (fallen - 1) if 0 < fallen < TARGET else 0
        return Distribution.certain(SoloState(fallen, state.seen | seen))

    def returns(self, state: SoloState) -> tuple[float, ...] | None:
        """0 once finished: the turns have been paid for one by one."""
        return (0.0,) if state.score == TARGET and state.seen == ALL_SEEN else None

    def starts_turn(self, state: SoloState) -> bool:
        """Every throw is a turn."""
        return True

    def possible(self, state: SoloState) -> bool:
        """What is stood on has been stood on."""
        return state.score in (0, TARGET) or bool(state.seen >> (state.score - 1) & 1)

    def encode(self, state: SoloState, seat: int) -> tuple[int, ...]:
        """The score, then a bit for each of 1..20."""
        return (state.score, *((state.seen >> k) & 1 for k in range(TARGET - 1)))

    def decode(self, fields: Sequence[int]) -> SoloState:
        """The state with these fields."""
        return SoloState(int(fields[0]), sum(int(seen) << k for k, seen in enumerate(fields[1:])))


SPEC = GameSpec(
    game=DemiIles,
    rules=DemiIlesRules,
    model="nenette.exact.models:demi_iles_model",
    machines=("nenette.environments.vector.demi_iles:DemiIlesMachine",),
    account="nenette.environments.accounts.demi_iles:DemiIlesAccount",
    scene="nenette.environments.pictures.demi_iles:lay_out",
    translations={"fr": "nenette.environments.accounts.french_demi_iles:FrenchDemiIlesAccount"},
    env_id="nenette/DemiIles-v0",
    policies=("nenette.policies.demi_iles",),
    openspiel="nenette_demi_iles",
)
SOLO = GameSpec(
    game=DemiIlesSolo,
    rules=DemiIlesSoloRules,
    solo=True,
    machines=("nenette.environments.vector.solo:DemiIlesSoloMachine",),
    account="nenette.environments.accounts.demi_iles:SoloAccount",
    scene="nenette.environments.pictures.demi_iles:lay_out_solo",
    translations={"fr": "nenette.environments.accounts.french_demi_iles:FrenchSoloAccount"},
    env_id="nenette/DemiIlesSolo-v0",
    policies=("nenette.policies.demi_iles_solo",),
    openspiel="nenette_demi_iles_solo",
)
