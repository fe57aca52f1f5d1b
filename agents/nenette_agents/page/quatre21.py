"""What the page is given of 421: the rules as tables, the value of each round, and what the opponents do.

What a round leads to is asked of the rules once for each pair of throws that is settled alike, so the page knows
neither what a throw is worth nor how fiches change hands. And it needs no table of all positions: from what the next
round is worth, the chances of every choice within a round follow in a few milliseconds, and nothing is rounded.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.games.quatre21 import THROW, Quatre21, State
from nenette.games.quatre21_rules import COMBINATIONS, HANDS, MAX_THROWS, Dice, settle, throw, worth
from nenette.games.quatre21_turns import kinds_of_rounds
from nenette.matches.review import Chances
from nenette_agents.page.packing import packed

__all__ = ["actions", "decisions", "tables"]

_PHASES = (True, False)
"""Charge, then décharge."""


class _Rounds:
    """The rounds of a match, and what each leads to.

    Attributes:
        kinds: uint8, (2, 56, 56): by phase, leader's and follower's combination, how the round is settled.
        examples: by phase and kind, a pair of throws that is settled so.
        states: before the first throw of each round.
        number: where each stands in `states`.
    """

    def __init__(self, game: Quatre21) -> None:
        self.game = game
        by_phase = [kinds_of_rounds(game, charge=charge) for charge in _PHASES]
        self.kinds = np.array([kinds for kinds, _ in by_phase], dtype=np.uint8)
        self.examples = [examples for _, examples in by_phase]
        self.number = {state: place for place, state in enumerate(game.initial().outcomes)}
        to_visit = list(self.number)
        while to_visit:
            state = to_visit.pop()
            for pair in self.pairs(state):
                after = self.after(state, pair)
                if game.returns(after) is None and after not in self.number:
                    self.number[after] = len(self.number)
                    to_visit.append(after)
        self.states = list(self.number)

    def pairs(self, state: State) -> list[tuple[Dice, Dice]]:
        """An example of each kind of round."""
        return self.examples[state.bank == 0]

    def after(self, state: State, pair: tuple[Dice, Dice]) -> State:
        """What the round leads to if these two are thrown."""
        last = state._replace(throws=pair[:1], thrown=state.limit - 1)
        (after,) = self.game.follow(last, THROW, pair[1]).outcomes
        return after

    def leads_to(self, state: State, pair: tuple[Dice, Dice]) -> int:
        """The number of the next round, or -1 - the winner's seat."""
        after = self.after(state, pair)
        returns = self.game.returns(after)
        return self.number[after] if returns is None else -1 - returns.index(max(returns))

    def taken(self, state: State, pair: tuple[Dice, Dice]) -> int:
        """How many fiches whoever loses the round takes."""
        settled = settle(pair, self.game.rules, [state.fiches[seat] for seat in state.order], state.bank)
        return sum(settled.from_bank) + sum(settled.from_others)

    def claims(self, phase: int, pair: tuple[Dice, Dice]) -> dict[str, Any]:
        """Who is to take how many fiches: the place in the order of throws, None for a tie."""
        claims = settle(pair, self.game.rules, [0, 0], int(_PHASES[phase])).claims
        taker = None if claims.tied else claims.stakes.index(max(claims.stakes))
        return {"taker": taker, "stake": max(claims.stakes)}


def tables(game: Quatre21) -> dict[str, Any]:
    """The rules as tables, and the winning chance of each round's leader, float64, before its first throw."""
    found, chances = _Rounds(game), Chances(game)
    shape = len(found.states), max(map(len, found.examples))
    after, taken = np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.uint8)
    for place, state in enumerate(found.states):
        for kind, pair in enumerate(found.pairs(state)):
            after[place, kind] = found.leads_to(state, pair)
            taken[place, kind] = found.taken(state, pair)
    facts = [[*one.manches, *one.fiches, one.bank, one.order[0], one.limit] for one in found.states]
    return {
        "fiches": game.rules.fiches,
        "manchesToLose": game.rules.manches_to_lose,
        "hands": ["".join(map(str, hand)) for hand in HANDS],
        "combinations": ["".join(map(str, dice)) for dice in COMBINATIONS],
        "worth": [worth(dice, game.rules) for dice in COMBINATIONS],
        "fall": packed(_fall()),
        "kept": packed(_kept(game)),
        "kinds": packed(found.kinds),
        "claims": [[found.claims(phase, pair) for pair in pairs] for phase, pairs in enumerate(found.examples)],
        "rounds": packed(np.array(facts, dtype=np.uint8)),
        "after": packed(after),
        "taken": packed(taken),
        "starts": [found.number[state] for state in game.initial().outcomes],
        "leaderChances": packed(np.array([chances.of(one, one.order[0]) for one in found.states])),
        "observation": [
            {"width": feature.table.shape[1], "table": packed(feature.table)} for feature in game.codec.features
        ],
    }


def _fall() -> NDArray[np.uint8]:
    """uint8, (28, 56): in how many cases of 216 the dice kept become each combination."""
    some = [hand for hand in HANDS if len(hand) < len(COMBINATIONS[0])]
    cases = np.zeros((len(some), len(COMBINATIONS)), dtype=np.uint8)
    for place, kept in enumerate(some):
        for dice, probability in throw(kept):
            cases[place, COMBINATIONS.index(dice)] = probability * 6**3
    return cases


def _kept(game: Quatre21) -> NDArray[np.uint8]:
    """uint8, (56, 8): what of each combination lies on the table after each action, as a place in `HANDS`."""
    table = np.zeros((len(COMBINATIONS), game.n_actions), dtype=np.uint8)
    for place, dice in enumerate(COMBINATIONS):
        table[place, 0] = HANDS.index(dice)
        for action in range(1, game.n_actions):
            (after,) = game.follow(_leading(game, 1, dice), action, None).outcomes
            table[place, action] = HANDS.index(after.dice)
    return table


def _leading(game: Quatre21, own: int, dice: Dice, thrown: int = 1) -> State:
    return State((0, 0), (own, game.rules.fiches - own), 0, (0, 1), limit=MAX_THROWS, thrown=thrown, dice=dice)


def decisions(game: Quatre21) -> list[State]:
    """All positions of a décharge in which seat 0 chooses, at no manche lost.

    By own fiches, 1 to 10; then the leader's by throws made and combination; then the follower's by throws allowed and
    made, (2, 1), (3, 1) and (3, 2), by the leader's combination and its own.
    """
    found = []
    for own in range(1, game.rules.fiches):
        for thrown, dice in product(range(1, MAX_THROWS), COMBINATIONS):
            found.append(_leading(game, own, dice, thrown))
        for limit in range(2, MAX_THROWS + 1):
            for thrown, leaders, dice in product(range(1, limit), COMBINATIONS, COMBINATIONS):
                led = _leading(game, own, dice, thrown)
                found.append(led._replace(order=(1, 0), throws=(leaders,), limit=limit))
    return found


def actions(game: Quatre21, policy: Any) -> NDArray[np.uint8]:
    """uint8, (95200,): what a policy that draws no actions does in each of `decisions`."""
    fields = np.array([game.fields(state, 0) for state in decisions(game)])
    masks = np.ones((len(fields), game.n_actions), dtype=np.int8)
    asked = policy.action_probabilities(game.codec.encode(fields), masks)
    if not (asked.max(axis=1) == 1).all():
        raise ValueError(f"{policy.name} draws its actions, and a table of single actions was asked for")
    chosen: NDArray[np.uint8] = asked.argmax(axis=1).astype(np.uint8)
    return chosen
