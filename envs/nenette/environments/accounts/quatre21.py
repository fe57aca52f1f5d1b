"""The account of a match of 421."""

from collections.abc import Mapping, Sequence

import numpy as np

from nenette.environments.accounts.speaker import Speaker, Tally
from nenette.environments.accounts.words import Cast, counted, listed
from nenette.games.quatre21 import STOP, Quatre21, State
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import (
    MAX_THROWS,
    NENETTE,
    Claims,
    Dice,
    Settlement,
    settle,
    strength,
    worst_places,
    worth,
)

CALLS = {1: "sec", 2: "en deux", 3: "à fond"}
_SPECIAL = {(4, 2, 1): "421!", NENETTE: "nénette!", (1, 1, 1): "trois as!"}


def spoken(dice: Dice) -> str:
    """Three dice as players call them, from high to low: "6-2-1", "421!", "nénette!"."""
    return _SPECIAL.get(dice, "-".join(map(str, dice)))


def _sentence(text: str) -> str:
    return text if text.endswith(("!", "?")) else text + "."


class Quatre21Account(Speaker):
    """Who throws what, keeps what, stops when; who takes how many fiches; who loses a manche."""

    names_faces = True
    stop_words: tuple[str, ...] = ("s", "stop", "0")
    all_words: tuple[str, ...] = ("a", "all")
    tally_labels: tuple[str, str] = ("fiches", "manches lost")
    all_that_is_left: tuple[str, ...] = (": none is left", ", the last", ", all there are")
    for_the_nenette: str = " for the nénette"
    colon, bang = ": ", "!"
    against: str = "against"

    def __init__(self, game: Quatre21, cast: Cast) -> None:
        super().__init__(game, cast)

    def start(self, state: State) -> list[str]:
        """Who leads the first charge."""
        lead = self.cast.then_does(state.order[0], "lead")
        return [f"{counted(state.bank, 'fiche').capitalize()} in the bank. The lowest die of the opening: {lead}."]

    def event(self, state: State, action: int, fallen: Dice | None, after: State) -> list[str]:
        """A line for dice that fall or a turn that stops; more when that ends the round, the charge or the manche."""
        if fallen is not None:
            line, ends = self._throw(state, fallen), state.thrown + 1 == state.limit
        elif action == STOP:
            line, ends = self.stops(state), True
        else:
            return []  # one sentence together with what falls
        throws = (*state.throws, fallen or state.dice)
        if not ends or len(throws) < len(state.order):
            return [line]
        return [line, *self._round(state, throws, after)]

    def _throw(self, state: State, fallen: Dice) -> str:
        sentence = f"{self.throws(state)}{self.colon}{self.spoken(fallen)}"
        if not state.bank and not state.throws and state.thrown + 1 == MAX_THROWS:
            return f"{sentence.rstrip(' !')}, à fond{self.bang}"
        return _sentence(sentence)

    def spoken(self, dice: Dice) -> str:
        """See `spoken`."""
        return spoken(dice)

    def throws(self, state: State) -> str:
        """Who throws which dice, a sentence without its end."""
        mover = self.game.seat(state)
        does = self.cast.does
        if state.thrown == 0:
            return does(mover, "throw") + ("" if state.throws else " first")
        if not state.dice:
            return f"{does(mover, 'throw')} all three again"
        kept = "-".join(map(str, state.dice))
        again = counted(3 - len(state.dice), "die", "dice")
        return f"{does(mover, 'keep')} {kept} and {'throw' if mover == self.cast.you else 'throws'} {again}"

    def stops(self, state: State) -> str:
        """Who stops, and after how many throws."""
        mover = self.game.seat(state)
        if state.throws:
            return f"{self.cast.does(mover, 'leave')} it at {spoken(state.dice).rstrip('!')}."
        return f"{self.cast.does(mover, 'stop')}: {CALLS[state.thrown]}!"

    def _round(self, state: State, throws: tuple[Dice, ...], after: State) -> list[str]:
        best = state.best.dice if state.best else None
        places = (*state.order, state.best.seat) if state.best else state.order
        settled = settle(throws, self.game.rules, [state.fiches[seat] for seat in places], state.bank, best)
        if settled.claims.tied:
            again = [state.order[place] for place in worst_places(throws)]
            everybody = state.best is None and len(again) == len(state.order)
            return [f"  {self.tie(after.order[0], None if everybody else after.order)}"]
        takers = [place for place, stake in enumerate(settled.claims.stakes) if stake]
        lines = [f"  {self._takes(state, throws, settled, place)}." for place in takers]
        if after.manches != state.manches:
            return [*lines, *self._manche(places[settled.fiches.index(self.game.rules.fiches)], after)]
        if state.bank and not after.bank:
            lines.append(f"  {self.decharge(after.order[0])}")
        return lines

    def tie(self, leader: int, again: Sequence[int] | None) -> str:
        """A round that is thrown again; by some alone, where they threw worst together."""
        lead = self.cast.then_does(leader, "lead")
        if again is None:
            return f"A tie: once more, {lead}."
        names = listed([self.called(seat) for seat in again])
        return f"A tie for the worst throw, once more between {names}: {lead}."

    def decharge(self, leader: int) -> str:
        """The end of the charge."""
        return f"The bank is empty: décharge, {self.cast.then_does(leader, 'lead')}."

    def _takes(self, state: State, throws: tuple[Dice, ...], settled: Settlement, place: int) -> str:
        """What somebody takes from whom, and why that many."""
        from_bank, from_others = settled.from_bank[place], settled.from_others[place]
        places = (*state.order, state.best.seat) if state.best else state.order
        giver = places[settled.gives(place)]
        sources: list[tuple[int, int | None]] = [(from_bank, None)] if state.bank else [(from_others, giver)]
        if state.bank and from_others:
            sources.append((from_others, giver))
        sentence = self.takes(state.order[place], sources)
        best = state.best.dice if state.best else max(throws, key=strength)
        return sentence + self._why(best, settled.claims, place, from_bank + from_others)

    def takes(self, taker: int, sources: Sequence[tuple[int, int | None]]) -> str:
        """How many fiches somebody takes from which other seat, or from the bank (None)."""
        each = [
            f"{counted(taken, 'fiche')} from {'the bank' if giver is None else self.cast.called(giver)}"
            for taken, giver in sources
        ]
        return f"{self.cast.does(taker, 'take')} {' and '.join(each)}"

    def _why(self, best: Dice, claims: Claims, place: int, taken: int) -> str:
        stake = claims.stakes[place]
        if taken < stake:
            return self.all_that_is_left[min(taken, 2)]
        if claims.by_nenette and stake != worth(best, self.game.rules):
            return self.for_the_nenette
        return ""

    def _manche(self, loser: int, after: State) -> list[str]:
        return [f"  {self.loses(loser, None if self.game.returns(after) is not None else after.order[0])}"]

    def loses(self, loser: int, leads: int | None) -> str:
        """Who has lost the manche, and who leads the next; None where there is none."""
        total = self.game.rules.fiches
        sentence = f"{self.cast.does(loser, 'hold')} all {total} and {'lose' if loser == self.cast.you else 'loses'}"
        if leads is None:
            return f"{sentence} the manche."
        return f"{sentence} the manche. A new one: the bank holds {total} again, {self.cast.then_does(leads, 'lead')}."

    def table(self, state: State, *, cut: bool) -> list[str]:
        """Fiches and manches, then what lies on the table and what may be done about it."""
        if self.game.returns(state) is not None:
            return [f"  [ manches lost: {self._each(state.manches)} ]  {self.ending(state, cut=False)}"]
        parts = [self.phase(state), *(f"{tally.label}: {self._each(tally.numbers)}" for tally in self.tallies(state))]
        return [f"  [ {' | '.join(parts)} ]  {self.nobody_won if cut else self.question(state)}"]

    def ending(self, state: State, *, cut: bool) -> str:
        """Who has won what."""
        if cut:
            return self.nobody_won
        won = "match" if self.game.rules.manches_to_lose > 1 else "manche"
        if self.game.players > FOR_TWO:
            return f"{self.cast.does(self.loser(state), 'lose')} the {won}."
        return f"{self.cast.does(1 - self.loser(state), 'win')} the {won}."

    def loser(self, state: State) -> int:
        """The seat that has lost a match that is over."""
        returns = self.game.returns(state) or ()
        return returns.index(min(returns))

    def _each(self, numbers: Sequence[int]) -> str:
        return " · ".join(f"{name} {number}" for name, number in zip(self.cast.names, numbers, strict=True))

    def phase(self, state: State) -> str:
        """Charge or décharge."""
        return f"charge · bank {state.bank}" if state.bank else "décharge"

    def tallies(self, state: State) -> list[Tally]:
        """Fiches and lost manches."""
        rules, (fiches, manches) = self.game.rules, self.tally_labels
        held = [Tally(fiches, state.fiches, rules.fiches)]
        return [*held, Tally(manches, state.manches, rules.manches_to_lose)] if rules.manches_to_lose > 1 else held

    def lies(self, state: State) -> str:
        """What lies on the table, against what, and how many throws are left."""
        mover = self.game.seat(state)
        lies = f"{self.cast.does(mover, 'have')} {'-'.join(map(str, state.dice))}"
        frozen = [str(die) for i, die in enumerate(state.dice) if state.frozen >> i & 1]
        if frozen:
            lies += f" ({'-'.join(frozen)} stays)"
        return f"{lies}{self._against(state)}, {counted(state.limit - state.thrown, 'more throw')}"

    def _against(self, state: State) -> str:
        throws = [spoken(dice).rstrip("!") for dice in state.throws]
        return f" {self.against} {', '.join(throws)}" if throws else ""

    def question(self, state: State) -> str:
        """What lies on the table and what may be done about it."""
        if not state.thrown or len(state.dice) < 3:
            return f"{self.cast.does(self.game.seat(state), 'throw')}{self._against(state)}."
        asked = "stop, or which dice again?" if STOP in self.game.legal_actions(state) else "which dice again?"
        return f"{self.lies(state)}: {asked}"

    def keys(self, state: State) -> Mapping[str, int]:
        """The faces to throw again, from high to low, and what stops: of equal dice it is the same which are thrown."""
        keys: dict[str, int] = {}
        for action in self.game.legal_actions(state):
            again = "".join(str(die) for i, die in enumerate(state.dice) if action >> i & 1)
            keys.setdefault(again or self.stop_words[0] if len(state.dice) == 3 else self.all_words[0], action)
        return keys

    def read(self, state: State, text: str) -> int | None:
        """Faces in any order, "6 5" and "6-5" too; or a word for none, or for all."""
        keys, typed = self.keys(state), "".join(char for char in text.lower() if char not in " -,;+.")
        if typed in self.stop_words:
            return keys.get(self.stop_words[0])
        if typed in self.all_words:
            typed = "".join(map(str, state.dice))
        return keys.get("".join(sorted(typed, reverse=True)))

    def move(self, state: State, action: int) -> str:
        """Which dice are thrown again and which are kept."""
        if len(state.dice) < 3:
            return "throw"
        again = "-".join(str(die) for i, die in enumerate(state.dice) if action >> i & 1)
        kept = "-".join(str(die) for i, die in enumerate(state.dice) if not action >> i & 1)
        return f"throw {again} again, keep {kept}" if again and kept else "throw all again" if again else "stop"

    def dice(self, state: State, action: int, fallen: Dice | None, rng: np.random.Generator) -> tuple[int, ...]:
        """The three dice on the table."""
        return fallen or ()
