"""The account of a game of 21 des Demi-Îles."""

import numpy as np

from nenette.environments.accounts.speaker import Speaker, Tally
from nenette.environments.accounts.words import Cast, counted, listed
from nenette.games.demi_iles import ALL_SEEN, TARGET, DemiIles, DemiIlesSolo, SoloState, State, faces


class _Throws(Speaker):
    """What both forms of the game have in common: the moves."""

    def score(self, state: State | SoloState) -> int:
        """The mover's."""
        return state.scores[state.seat] if isinstance(state, State) else state.score

    def phase(self, state: State | SoloState) -> str:
        """Nothing beside the scores."""
        return ""

    def move(self, state: State | SoloState, action: int) -> str:
        """What not throwing does depends on the score."""
        if action:
            return f"throw {counted(action, 'die', 'dice')}"
        score = self.score(state)
        return "step down without a die" if score % 2 else "halve without a die" if score else "stay at 0"

    def dice(self, state: State | SoloState, action: int, fallen: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Faces that lead there, each pair as often as it falls."""
        return faces(self.score(state), action, fallen).sample(rng)

    def throws(self, seat: int, dice: int, score: int, fallen: int) -> str:
        """Who throws how many dice, and where that leads; without dice, what happens to an even or an odd score."""
        does = self.cast.does
        if dice:
            return f"{does(seat, 'throw')} {counted(dice, 'die', 'dice')}: {score} → {fallen}"
        if score % 2:
            return f"{does(seat, 'step')} down without a die: {score} → {fallen}"
        return f"{does(seat, 'halve')} without a die: {score} → {fallen}" if score else f"{does(seat, 'stay')} at 0"


class DemiIlesAccount(_Throws):
    """Who throws how many dice, where that leads, and whom it pulls down."""

    def __init__(self, game: DemiIles, cast: Cast) -> None:
        super().__init__(game, cast)

    def start(self, state: State) -> list[str]:
        """Who throws first."""
        return [f"Everybody is on 0; {self.cast.then_does(state.seat, 'start')}."]

    def event(self, state: State, action: int, fallen: int, after: State) -> list[str]:
        """One line a throw."""
        mover = state.seat
        line = self.throws(mover, action, state.scores[mover], fallen)
        if fallen == TARGET:
            return [self.wins(line, mover)]
        pulled = [
            (seat, score) for seat, score in enumerate(after.scores) if seat != mover and score != state.scores[seat]
        ]
        return [f"{line}{self.pulling(pulled)}."]

    def wins(self, line: str, mover: int) -> str:
        """The winning throw."""
        return f"{line} — Demi-Îles! {self.cast.does(mover, 'win')}."

    def pulling(self, pulled: list[tuple[int, int]]) -> str:
        """Who is pulled down to which score; nothing where nobody is."""
        each = [f"{self.cast.called(seat)} to {score}" for seat, score in pulled]
        return f", pulling {listed(each)}" if each else ""

    def table(self, state: State, *, cut: bool) -> list[str]:
        """The scores, and what is next."""
        scores = " · ".join(f"{name}: {score}" for name, score in zip(self.cast.names, state.scores, strict=True))
        over = cut or state.scores[state.seat] == TARGET
        return [f"  [ {scores} ]  {self.ending(state, cut=cut) if over else self.question(state)}"]

    def ending(self, state: State, *, cut: bool) -> str:
        """Who stands on 21."""
        return self.nobody_won if cut else f"{self.cast.does(state.seat, 'stand')} on 21: the game is over."

    def tallies(self, state: State) -> list[Tally]:
        """The scores."""
        return [Tally("score", state.scores, TARGET)]

    def question(self, state: State) -> str:
        """How many dice."""
        return f"{self.cast.does(state.seat, 'choose')}: no die, one, or two?"


class SoloAccount(_Throws):
    """Where each throw leads, and what is still to be stood on."""

    def __init__(self, game: DemiIlesSolo, cast: Cast) -> None:
        super().__init__(game, cast)

    def start(self, state: SoloState) -> list[str]:
        """What is to be done."""
        return ["From 0 to 21, by way of all of 1 to 20."]

    def event(self, state: SoloState, action: int, fallen: int, after: SoloState) -> list[str]:
        """One line a throw."""
        line = self.throws(0, action, state.score, fallen)
        if fallen == TARGET:
            return [f"{line} — and all of 1 to 20 seen: done!" if after.seen == ALL_SEEN else f"{line}, too early."]
        return [f"{line}, a new one." if after.seen != state.seen else f"{line}."]

    def table(self, state: SoloState, *, cut: bool) -> list[str]:
        """The score, and which of 1..20 have been stood on."""
        done = state.score == TARGET and state.seen == ALL_SEEN
        last = self.ending(state, cut=cut) if done or cut else self.question(state)
        seen = " ".join(str(s) if state.seen >> (s - 1) & 1 else "·" for s in range(1, TARGET))
        return [f"  [ on {state.score} · seen {state.seen.bit_count()} of 20: {seen} ]  {last}"]

    def ending(self, state: SoloState, *, cut: bool) -> str:
        """Whether all has been done."""
        return "Cut here, unfinished." if cut else "Finished."

    def tallies(self, state: SoloState) -> list[Tally]:
        """The score."""
        return [Tally("score", [state.score], TARGET)]

    def phase(self, state: State | SoloState) -> str:
        """What has been stood on."""
        assert isinstance(state, SoloState)
        return f"seen {state.seen.bit_count()} of 20, missing {self.missing(state)}"

    def missing(self, state: SoloState) -> str:
        """Which of 1..20 have not been stood on; a dash where all have been."""
        return " ".join(str(s) for s in range(1, TARGET) if not state.seen >> (s - 1) & 1) or "-"

    def question(self, state: SoloState) -> str:
        """How many dice."""
        return "No die, one, or two?"
