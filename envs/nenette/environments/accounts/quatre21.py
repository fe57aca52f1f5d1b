"""The account of a match of 421."""

from collections.abc import Sequence

from nenette.environments.accounts.words import Cast, counted
from nenette.games.quatre21 import STOP, Quatre21, State
from nenette.games.quatre21_rules import MAX_THROWS, NENETTE, Claims, Dice, Settlement, settle, strength, worth

_CALLS = {1: "sec", 2: "en deux", 3: "à fond"}
_SPECIAL = {(4, 2, 1): "421!", NENETTE: "nénette!", (1, 1, 1): "trois as!"}


def spoken(dice: Dice) -> str:
    """Three dice as players call them, from high to low: "6-2-1", "421!", "nénette!"."""
    return _SPECIAL.get(dice, "-".join(map(str, dice)))


def _sentence(text: str) -> str:
    return text if text.endswith(("!", "?")) else text + "."


class Quatre21Account:
    """Who throws what, keeps what, stops when; who takes how many fiches; who loses a manche."""

    def __init__(self, game: Quatre21, cast: Cast) -> None:
        self.game = game
        self.cast = cast

    def start(self, state: State) -> list[str]:
        """Who leads the first charge."""
        lead = self.cast.then_does(state.order[0], "lead")
        return [f"{counted(state.bank, 'fiche').capitalize()} in the bank. The lowest die of the opening: {lead}."]

    def event(self, state: State, action: int, fallen: Dice | None, after: State) -> list[str]:
        """A line for dice that fall or a turn that stops; more when that ends the round, the charge or the manche."""
        if fallen is not None:
            line, ends = self._throw(state, fallen), state.thrown + 1 == state.limit
        elif action == STOP:
            line, ends = self._stop(state), True
        else:
            return []  # told together with what falls
        throws = (*state.throws, fallen or state.dice)
        if not ends or len(throws) < len(state.order):
            return [line]
        return [line, *self._round(state, throws, after)]

    def _throw(self, state: State, fallen: Dice) -> str:
        mover = self.game.seat(state)
        does = self.cast.does
        if state.thrown == 0:
            leads = " first" if not state.throws else ""
            told = f"{does(mover, 'throw')}{leads}: {spoken(fallen)}"
        elif state.dice:
            kept = "-".join(map(str, state.dice))
            again = counted(3 - len(state.dice), "die", "dice")
            told = f"{does(mover, 'keep')} {kept} and {'throw' if mover == self.cast.you else 'throws'} {again}: "
            told += spoken(fallen)
        else:
            told = f"{does(mover, 'throw')} all three again: {spoken(fallen)}"
        if not state.bank and not state.throws and state.thrown + 1 == MAX_THROWS:
            return f"{told.rstrip('!')}, à fond!"
        return _sentence(told)

    def _stop(self, state: State) -> str:
        mover = self.game.seat(state)
        if state.throws:
            return f"{self.cast.does(mover, 'leave')} it at {spoken(state.dice).rstrip('!')}."
        return f"{self.cast.does(mover, 'stop')}: {_CALLS[state.thrown]}!"

    def _round(self, state: State, throws: tuple[Dice, ...], after: State) -> list[str]:
        settled = settle(throws, self.game.rules, [state.fiches[seat] for seat in state.order], state.bank)
        if settled.claims.tied:
            return [f"  A tie: once more, {self.cast.then_does(state.order[-1], 'lead')}."]
        takers = [place for place, stake in enumerate(settled.claims.stakes) if stake]
        lines = [f"  {self._takes(state, throws, settled, place)}." for place in takers]
        if after.manches != state.manches:
            return [*lines, *self._manche(state.order[settled.fiches.index(self.game.rules.fiches)], after)]
        if state.bank and not after.bank:
            lines.append(f"  The bank is empty: décharge, {self.cast.then_does(after.order[0], 'lead')}.")
        return lines

    def _takes(self, state: State, throws: tuple[Dice, ...], settled: Settlement, place: int) -> str:
        """What somebody takes from whom, and why that many."""
        from_bank, from_others = settled.from_bank[place], settled.from_others[place]
        best = max((other for other in range(len(throws)) if other != place), key=lambda k: strength(throws[k]))
        giver = self.cast.called(state.order[best])
        sources = [(from_bank, "the bank")] if state.bank else [(from_others, giver)]
        if state.bank and from_others:
            sources.append((from_others, giver))
        takes = " and ".join(f"{counted(taken, 'fiche')} from {source}" for taken, source in sources)
        told = f"{self.cast.does(state.order[place], 'take')} {takes}"
        return told + self._why(throws, settled.claims, place, from_bank + from_others)

    def _why(self, throws: tuple[Dice, ...], claims: Claims, place: int, taken: int) -> str:
        stake = claims.stakes[place]
        if taken < stake:
            return ", all there are" if taken > 1 else ", the last" if taken else ": none is left"
        if claims.by_nenette and stake != worth(max(throws, key=strength), self.game.rules):
            return " for the nénette"
        return ""

    def _manche(self, loser: int, after: State) -> list[str]:
        rules = self.game.rules
        loses = "lose" if loser == self.cast.you else "loses"
        holds = f"  {self.cast.does(loser, 'hold')} all {rules.fiches} and {loses}"
        if self.game.returns(after) is not None:
            return [f"{holds} the manche."]
        leads = self.cast.then_does(after.order[0], "lead")
        return [f"{holds} the manche. A new one: the bank holds {rules.fiches} again, {leads}."]

    def table(self, state: State, *, cut: bool) -> list[str]:
        """Fiches and manches, then what lies on the table and what may be done about it."""
        returns = self.game.returns(state)
        if returns is not None:
            winner = self.cast.does(returns.index(max(returns)), "win")
            won = "match" if self.game.rules.manches_to_lose > 1 else "manche"
            return [f"  [ {self._lost(state)} ]  {winner} the {won}."]
        phase = f"charge · bank {state.bank}" if state.bank else "décharge"
        parts = [phase, f"fiches: {self._each(state.fiches)}"]
        if self.game.rules.manches_to_lose > 1:
            parts.append(self._lost(state))
        return [f"  [ {' | '.join(parts)} ]  {'Cut here: nobody has won.' if cut else self._next(state)}"]

    def _each(self, numbers: Sequence[int]) -> str:
        return " · ".join(f"{name} {number}" for name, number in zip(self.cast.names, numbers, strict=True))

    def _lost(self, state: State) -> str:
        return f"manches lost: {self._each(state.manches)}"

    def _next(self, state: State) -> str:
        mover = self.game.seat(state)
        against = f" against {spoken(max(state.throws, key=strength)).rstrip('!')}" if state.throws else ""
        if not state.thrown or len(state.dice) < 3:
            return f"{self.cast.does(mover, 'throw')}{against}."
        lies = f"{self.cast.does(mover, 'have')} {'-'.join(map(str, state.dice))}"
        frozen = [str(die) for i, die in enumerate(state.dice) if state.frozen >> i & 1]
        if frozen:
            lies += f" ({'-'.join(frozen)} stays)"
        left = counted(state.limit - state.thrown, "more throw")
        asked = "stop, or which dice again?" if STOP in self.game.legal_actions(state) else "which dice again?"
        return f"{lies}{against}, {left}: {asked}"
