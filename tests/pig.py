"""Pig, and with a coin Piglet: a game made outside of the package, as docs/adding-a-game.md tells it.

A turn is as many throws as the player likes. What falls is added up, and kept by holding; a 1 (or tails) loses it all.
Whoever reaches the target first has won. Neller and Presser, *Optimal play of the dice game Pig*, 2004.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nenette.environments.accounts.words import Cast
from nenette.environments.pictures import Counter, Die, Player, Scene, View
from nenette.games import Distribution, Game, GameSpec
from nenette.games.observation import Codec, one_hot

HOLD, ROLL = 0, 1


@dataclass(frozen=True)
class PigRules:
    target: int = 100
    coin: bool = False
    max_turns: int | None = 1000


class Turn(NamedTuple):
    scores: tuple[int, int]
    seat: int
    total: int = 0


class Pig(Game[Turn]):
    name = "pig"

    def __init__(self, rules: PigRules | None = None) -> None:
        self.rules: PigRules = rules or PigRules()
        self.players, self.n_actions, self.max_turns = 2, 2, self.rules.max_turns
        scores = self.rules.target + 1
        self.codec = Codec([one_hot(name, scores) for name in ("own", "other", "turn total")] + [one_hot("mover", 2)])

    def initial(self) -> Distribution[Turn]:
        return Distribution.certain(Turn((0, 0), 0))

    def seat(self, state: Turn) -> int:
        return state.seat

    def legal_actions(self, state: Turn) -> tuple[int, ...]:
        return (HOLD, ROLL) if state.total else (ROLL,)

    def chance(self, state: Turn, action: int) -> Distribution[int | None]:
        return (
            Distribution.certain(None)
            if action == HOLD
            else Distribution.uniform((0, 1) if self.rules.coin else (0, 2, 3, 4, 5, 6))
        )

    def follow(self, state: Turn, action: int, fallen: int | None) -> Distribution[Turn]:
        total = state.total + (fallen or 0)
        own = min(state.scores[state.seat] + total, self.rules.target)
        if fallen and own < self.rules.target:
            return Distribution.certain(state._replace(total=total))
        scores = list(state.scores)
        if fallen != 0:
            scores[state.seat] = own
        won = scores[state.seat] == self.rules.target
        return Distribution.certain(Turn((scores[0], scores[1]), state.seat if won else 1 - state.seat))

    def returns(self, state: Turn) -> tuple[float, ...] | None:
        winner = next((seat for seat in (0, 1) if state.scores[seat] == self.rules.target), None)
        return None if winner is None else ((1.0, -1.0), (-1.0, 1.0))[winner]

    def starts_turn(self, state: Turn) -> bool:
        return state.total == 0

    def encode(self, state: Turn, seat: int) -> tuple[int, ...]:
        return (state.scores[seat], state.scores[1 - seat], state.total, (state.seat - seat) % 2)

    def decode(self, fields: Sequence[int]) -> Turn:
        own, other, total, mover = map(int, fields)
        return Turn((own, other), mover, total)


def pigs_table(game: Pig, view: View, cast: Cast) -> Scene:
    state, returns = view.state, game.returns(view.state)
    fallen = [event.fallen for event in view.events if event.fallen]  # since the last decision
    players = [
        Player(
            name,
            [Counter("score", state.scores[seat], game.rules.target)],
            [Die(face) for face in fallen[-2:]] if seat == state.seat else [],
            to_move=returns is None and seat == state.seat,
            result=None if returns is None else returns[seat],
        )
        for seat, name in enumerate(cast.names)
    ]
    return Scene("Pig", players, Counter("turn total", state.total))


SPEC = GameSpec(
    game=Pig, rules=PigRules, env_id="pig/Pig-v0", openspiel="nenette_pig", most_outcomes=6, most_decisions=50
)
