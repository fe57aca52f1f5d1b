"""The account of a game of 21 des Demi-Îles."""

from nenette.environments.accounts.words import Cast, counted, listed
from nenette.games.demi_iles import ALL_SEEN, TARGET, DemiIles, DemiIlesSolo, SoloState, State


def _throws(cast: Cast, seat: int, dice: int, score: int, fallen: int) -> str:
    """Who throws how many dice, and where that leads; without dice, what happens to an even or an odd score."""
    if dice:
        return f"{cast.does(seat, 'throw')} {counted(dice, 'die', 'dice')}: {score} → {fallen}"
    if score % 2:
        return f"{cast.does(seat, 'step')} down without a die: {score} → {fallen}"
    return (
        f"{cast.does(seat, 'halve')} without a die: {score} → {fallen}" if score else f"{cast.does(seat, 'stay')} at 0"
    )


class DemiIlesAccount:
    """Who throws how many dice, where that leads, and whom it pulls down."""

    def __init__(self, game: DemiIles, cast: Cast) -> None:
        self.cast = cast

    def start(self, state: State) -> list[str]:
        """Who throws first."""
        return [f"Everybody is on 0; {self.cast.then_does(state.seat, 'start')}."]

    def event(self, state: State, action: int, fallen: int, after: State) -> list[str]:
        """One line a throw."""
        mover = state.seat
        line = _throws(self.cast, mover, action, state.scores[mover], fallen)
        if fallen == TARGET:
            return [f"{line} — Demi-Îles! {self.cast.does(mover, 'win')}."]
        pulled = [
            f"{self.cast.called(seat)} to {score}"
            for seat, score in enumerate(after.scores)
            if seat != mover and score != state.scores[seat]
        ]
        return [f"{line}, pulling {listed(pulled)}." if pulled else f"{line}."]

    def table(self, state: State, *, cut: bool) -> list[str]:
        """The scores, and what is next."""
        scores = " · ".join(f"{name}: {score}" for name, score in zip(self.cast.names, state.scores, strict=True))
        if cut:
            last = "Cut here: nobody has won."
        elif state.scores[state.seat] == TARGET:
            last = f"{self.cast.does(state.seat, 'stand')} on 21: the game is over."
        else:
            last = f"{self.cast.does(state.seat, 'choose')}: no die, one, or two?"
        return [f"  [ {scores} ]  {last}"]


class SoloAccount:
    """Where each throw leads, and what is still to be stood on."""

    def __init__(self, game: DemiIlesSolo, cast: Cast) -> None:
        self.cast = cast

    def start(self, state: SoloState) -> list[str]:
        """What is to be done."""
        return ["From 0 to 21, by way of all of 1 to 20."]

    def event(self, state: SoloState, action: int, fallen: int, after: SoloState) -> list[str]:
        """One line a throw."""
        line = _throws(self.cast, 0, action, state.score, fallen)
        if fallen == TARGET:
            return [f"{line} — and all of 1 to 20 seen: done!" if after.seen == ALL_SEEN else f"{line}, too early."]
        return [f"{line}, a new one." if after.seen != state.seen else f"{line}."]

    def table(self, state: SoloState, *, cut: bool) -> list[str]:
        """The score, and which of 1..20 have been stood on."""
        seen = " ".join(str(s) if state.seen >> (s - 1) & 1 else "·" for s in range(1, TARGET))
        done = state.score == TARGET and state.seen == ALL_SEEN
        last = "Finished." if done else "Cut here, unfinished." if cut else "No die, one, or two?"
        return [f"  [ on {state.score} · seen {state.seen.bit_count()} of 20: {seen} ]  {last}"]
