"""421: the rules.

Three dice and eleven fiches. In the *charge* each player throws once and the worst throw takes fiches from the bank;
in the *décharge* the leader throws up to three times, the others at most as often, and the worst throw receives
fiches from the best. Whoever holds all the fiches has lost the manche, and two lost manches lose the match.

Where more than two play, those who threw worst together throw again without the others, and whoever has got rid of all
fiches in the décharge sits out the rest of the manche.

Dice are tuples sorted from high to low. A turn alternates between dice on the table, where the seat to move
chooses which of them to throw again, and dice in hand, where there is nothing to choose and chance decides.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from nenette.games.distribution import Distribution
from nenette.games.game import Game
from nenette.games.observation import Codec
from nenette.games.quatre21_observation import FOR_TWO, features
from nenette.games.quatre21_rules import (
    COMBINATIONS,
    HANDS,
    MAX_THROWS,
    Best,
    Dice,
    Quatre21Rules,
    opening,
    settle,
    strength,
    throw,
    worst_places,
)
from nenette.games.registry import GameSpec

__all__ = ["SPEC", "STOP", "THROW", "Quatre21", "Quatre21Rules", "State"]

STOP = 0
"""The action that stops: throw none again. Action 1..7 throws die i again where bit i is set."""
THROW = 7
"""The only action while there are dice in hand."""

_HAND_INDEX = {hand: index for index, hand in enumerate(HANDS)}


class State(NamedTuple):
    """421 between two actions. Once a match is over the table is cleared, and its loser stands first in the order.

    Attributes:
        manches: fiches de manche of each seat.
        fiches: fiches of each seat.
        bank: fiches in the bank; the charge lasts as long as there are any.
        order: the seats that throw this round, in the order in which they do so, the leader first.
        throws: the final throws of those who have had their turn this round.
        limit: how many times the seat to move may throw in all.
        thrown: how many times it has thrown this turn.
        dice: on the table: three after a throw, fewer while the others are in hand.
        frozen: bit i set: die i of the table stays (only with `kept_dice="frozen"`; 0 while dice are in hand, when all
            that lie there stay).
        best: while those who threw worst together throw again: the round's best throw; None otherwise.
    """

    manches: tuple[int, ...]
    fiches: tuple[int, ...]
    bank: int
    order: tuple[int, ...]
    throws: tuple[Dice, ...] = ()
    limit: int = 1
    thrown: int = 0
    dice: Dice = ()
    frozen: int = 0
    best: Best | None = None


class Quatre21(Game[State]):
    """421 for two to six: action a throws again the dice whose bits are set in a (0 stops).

    The loser of the match gets -1, each other player +1/(players - 1).
    """

    name = "421"

    def __init__(self, rules: Quatre21Rules | None = None) -> None:
        self.rules: Quatre21Rules = rules or Quatre21Rules()
        self.players = self.rules.players
        self.n_actions = THROW + 1
        self.max_turns = self.rules.max_turns
        self.codec = Codec(features(self.rules))

    def initial(self) -> Distribution[State]:
        """Nobody holds a fiche; the opening decides who leads."""
        nothing = (0,) * self.players
        return opening(self.players).map(lambda leader: self._new_manche(nothing, leader))

    def seat(self, state: State) -> int:
        """The next of the round's order who has not thrown."""
        return state.order[len(state.throws)]

    def legal_actions(self, state: State) -> tuple[int, ...]:
        """Dice in hand are thrown; of dice on the table any that are not frozen may be thrown again, or none."""
        if len(state.dice) < 3:
            return (THROW,)
        must_throw = bool(state.throws) and self.rules.followers == "exactly"
        return tuple(a for a in range(must_throw, THROW + 1) if not a & state.frozen)

    def chance(self, state: State, action: int) -> Distribution[Dice] | Distribution[None]:
        """The three dice on the table once those in hand have fallen."""
        if len(state.dice) == 3:
            return Distribution.certain(None)
        return throw(state.dice)

    def follow(self, state: State, action: int, fallen: Dice | None) -> Distribution[State]:
        """Dice that fell may end the turn; of dice on the table some are taken up, or the turn ends."""
        if fallen is not None:
            return self._after_throw(state, fallen)
        if action == STOP:
            return self._after_turn(state, state.dice, state.thrown)
        kept = tuple(die for i, die in enumerate(state.dice) if not action >> i & 1)
        return Distribution.certain(state._replace(dice=kept, frozen=0))

    def returns(self, state: State) -> tuple[float, ...] | None:
        """-1 to whoever has lost as many manches as lose the match, +1/(players - 1) to the others."""
        if max(state.manches) < self.rules.manches_to_lose:
            return None
        win = 1.0 / (self.players - 1)
        return tuple(-1.0 if lost == self.rules.manches_to_lose else win for lost in state.manches)

    def starts_turn(self, state: State) -> bool:
        """A turn is a player's throws in one round."""
        return state.thrown == 0

    def _new_manche(self, manches: tuple[int, ...], leader: int) -> State:
        return State(manches, (0,) * self.players, self.rules.fiches, self._order(leader, range(self.players)))

    def _order(self, leader: int, playing: Collection[int]) -> tuple[int, ...]:
        """Those who are playing, round the table from the leader's seat on."""
        round_the_table = ((leader + k) % self.players for k in range(self.players))
        return tuple(seat for seat in round_the_table if seat in playing)

    def _after_throw(self, state: State, dice: Dice) -> Distribution[State]:
        thrown = state.thrown + 1
        if thrown == state.limit:
            return self._after_turn(state, dice, thrown)
        frozen = _where(state.dice, dice) if self.rules.kept_dice == "frozen" else 0
        return Distribution.certain(state._replace(thrown=thrown, dice=dice, frozen=frozen))

    def _after_turn(self, state: State, dice: Dice, thrown: int) -> Distribution[State]:
        throws = (*state.throws, dice)
        if len(throws) == len(state.order):
            return self._after_round(state, throws)
        limit = state.limit if state.throws else thrown
        return Distribution.certain(state._replace(throws=throws, limit=limit, thrown=0, dice=(), frozen=0))

    def _after_round(self, state: State, throws: tuple[Dice, ...]) -> Distribution[State]:
        order, best = state.order, state.best
        places = order if best is None else (*order, best.seat)
        held = [state.fiches[seat] for seat in places]
        settled = settle(throws, self.rules, held, state.bank, best.dice if best else None)
        after = dict(zip(places, settled.fiches, strict=True))
        fiches = tuple(after.get(seat, state.fiches[seat]) for seat in range(self.players))
        if self.rules.fiches in fiches:
            return self.after_manche(state, fiches.index(self.rules.fiches))
        leader, bank = order[settled.leads], settled.bank
        keeps = not bank and settled.claims.tied and self.rules.limit_after_tie == "kept"
        limit = 1 if bank else state.limit if keeps else MAX_THROWS
        again = [order[place] for place in worst_places(throws)] if settled.claims.tied else []
        if again and (best or len(again) < len(order)):
            best = best or Best(order[settled.giver], throws[settled.giver])
            goes_on = State(state.manches, fiches, bank, self._order(leader, again), limit=limit, best=best)
        else:
            goes_on = State(state.manches, fiches, bank, self._order(leader, self.playing(fiches, bank)), limit=limit)
        return Distribution.certain(goes_on)

    def playing(self, fiches: Sequence[int], bank: int) -> list[int]:
        """The seats that throw in a round: in the décharge, those that hold fiches."""
        return [seat for seat, held in enumerate(fiches) if bank or held]

    def after_manche(self, state: State, loser: int) -> Distribution[State]:
        """The next manche of the match, or its end, once `loser` has lost the one that `state` belongs to."""
        manches = tuple(lost + (seat == loser) for seat, lost in enumerate(state.manches))
        over = manches[loser] == self.rules.manches_to_lose
        if over or self.rules.next_manche_leader == "loser":
            return Distribution.certain(self._new_manche(manches, loser))
        return opening(self.players).map(lambda leader: self._new_manche(manches, leader))

    def possible(self, state: State) -> bool:
        """No fiche is lost, nobody who holds all of them plays on, and dice lie as they can at this throw."""
        rules = self.rules
        if sum(state.fiches) + state.bank != rules.fiches or state.manches.count(rules.manches_to_lose) > 1:
            return False
        if rules.manches_to_lose in state.manches:
            return state == self._new_manche(state.manches, state.manches.index(rules.manches_to_lose))
        lie_as_after_throw = state.thrown > 0 or not state.dice
        freezes = rules.kept_dice == "frozen" and len(state.dice) == len(HANDS[-1]) and state.thrown > 1
        return (
            rules.fiches not in state.fiches
            and self._can_throw(state)
            and (not state.bank or state.limit == 1)
            and state.thrown < state.limit
            and lie_as_after_throw
            and state.frozen != THROW  # at least one of them has been thrown
            and (freezes or not state.frozen)
        )

    def _can_throw(self, state: State) -> bool:
        """Whether those who throw this round can be the ones who do."""
        playing = self.playing(state.fiches, state.bank)
        if state.best is None:
            return set(state.order) == set(playing)
        tied = set(state.order)
        return (
            1 < len(tied) < len(playing)
            and tied < set(playing)
            and state.best.seat in set(playing) - tied
            and strength(state.best.dice) > 0
        )

    def encode(self, state: State, seat: int) -> tuple[int, ...]:
        """Own numbers first, then the others' in turn order; then whose move and lead it is, and the round so far."""
        turns = [(seat + k) % self.players for k in range(self.players)]
        return (
            *(state.manches[at] for at in turns),
            *(state.fiches[at] for at in turns),
            state.bank,
            (self.seat(state) - seat) % self.players,
            (state.order[0] - seat) % self.players,
            *self._round(state, turns),
            state.limit - 1,
            state.thrown,
            _HAND_INDEX[state.dice],
            state.frozen,
        )

    def _round(self, state: State, turns: Sequence[int]) -> tuple[int, ...]:
        """The throws so far: of two players the leader's; of more, who throws, and what lies before each."""
        weakest = 1 + min(map(strength, state.throws)) if state.throws else 0
        if self.players == FOR_TWO:
            return (weakest,)
        lies = dict(zip(state.order, state.throws, strict=False))
        if state.best is not None:
            lies[state.best.seat] = state.best.dice
        throws = [1 + strength(lies[seat]) if seat in lies else 0 for seat in turns]
        return (*(int(seat in state.order) for seat in turns), *throws, weakest)

    def decode(self, fields: Sequence[int]) -> State:
        """The state with these fields, seen from seat 0."""
        n = self.players
        seats = range(n)
        numbers = list(map(int, fields))
        manches, fiches, (bank, _, leader) = numbers[:n], numbers[n : 2 * n], numbers[2 * n : 2 * n + 3]
        *this_round, limit, thrown, hand, frozen = numbers[2 * n + 3 :]
        best = None
        if n == FOR_TWO:
            order, throws = self._order(leader, seats), tuple(map(_combination, this_round)) if any(this_round) else ()
        else:
            order = self._order(leader, [seat for seat in seats if this_round[seat]])
            lies = {seat: _combination(this_round[n + seat]) for seat in seats if this_round[n + seat]}
            throws = tuple(lies[seat] for seat in order if seat in lies)
            best = next((Best(seat, dice) for seat, dice in lies.items() if seat not in order), None)
        return State(
            tuple(manches), tuple(fiches), bank, order, throws, limit + 1, thrown, HANDS[hand], frozen, best
        )  # fmt: skip


def _combination(value: int) -> Dice:
    """The throw that a field of 1 and more says."""
    return COMBINATIONS[len(COMBINATIONS) - value]


def _where(kept: Dice, dice: Dice) -> int:
    """The bits of the dice on the table that were kept; of equal dice the first ones count as kept."""
    left, bits = list(kept), 0
    for i, die in enumerate(dice):
        if die in left:
            left.remove(die)
            bits |= 1 << i
    return bits


SPEC = GameSpec(
    game=Quatre21,
    rules=Quatre21Rules,
    model="nenette.exact.quatre21_model:quatre21_model",
    solver="nenette.exact.quatre21_match:SOLVER",
    machines=(
        "nenette.environments.vector.quatre21_machine:Quatre21Machine",
        "nenette.environments.vector.quatre21_many_machine:Quatre21ManyMachine",
    ),
    account="nenette.environments.accounts.quatre21:Quatre21Account",
    scene="nenette.environments.pictures.quatre21:lay_out",
    translations={"fr": "nenette.environments.accounts.french_quatre21:FrenchQuatre21Account"},
    env_id="nenette/421-v0",
    policies=("nenette.policies.quatre21",),
    openspiel="nenette_421",
)
