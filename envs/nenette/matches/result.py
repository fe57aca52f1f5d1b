"""The result of scoring a policy: one type for all games, for exact scores and for estimates."""

from dataclasses import asdict, dataclass
from typing import Any

from nenette.matches.sample import Adjustment

__all__ = ["Endless", "Score"]


@dataclass(frozen=True)
class Endless:
    """The exact figures of a game that is not cut, where `max_turns` cuts the one that is played.

    Attributes:
        win: probability of winning.
        draw: probability that the game never ends.
        loss: probability of losing.
        value: expected return, in units of a win (+1 a win, -1 a loss).
        value_by_seat: the value from each seat.
        exploitability: what the best response wins against the policy, on average over the seats. It can wait for a
            mistake for ever, so this is nearly all or nothing.
        best_response_by_seat: the same by the seat at which the best response sits.
        rare: how many action probabilities of the policy count as 0 in these figures, because they are below
            `nenette.exact.model.RARE`, 1e-9: the policy is scored as if it never took these actions.
    """

    win: float
    draw: float
    loss: float
    value: float
    value_by_seat: list[float]
    exploitability: float
    best_response_by_seat: list[float]
    rare: int


@dataclass(frozen=True)
class Score:
    """What a policy achieves, seats counted equally.

    The figures are those of the game as it is played: cut, and drawn, after `max_turns` turns, where the rules say so.
    What they would be if it were not cut stands in `endless`.

    Attributes:
        agent: the policy's name.
        game: the game's name.
        against: the name of the opponent, which sits at all other seats, or the names of several; None in a solo game.
        exact: whether the figures are exact but for rounding; if not, they are estimated from played games.
        plays: which player the figures are of. "greedy": it always takes one action, such as the likeliest one;
            "sampled": it draws actions by its probabilities; None: not known.
        max_turns: after how many turns of all players together the game of these figures is cut; None: it is not cut.
        win: probability of winning; in a solo game, of finishing.
        draw: probability of a draw: that the game is cut or, where it is not cut, that it never ends.
        loss: probability of losing.
        value: expected return: +1 a win, -1 a loss (shared out among several losers). In a solo game minus the turns,
            None if they are without bound.
        value_by_seat: the value from each seat. Seat 0 begins in demi-iles; in an exact score of 421 it leads the first
            charge.

        exploitability: what the best response wins against the policy, on average over the seats, in units of a win;
            None if it is not known.
        best_response_by_seat: the same by the seat at which the best response sits.
        regret: what the policy gives away at a decision, in units of a win (turns in a solo game). The mean is over all
            decisions that the policy meets in a game against the opponent; see `nenette.exact.AnswerKey.regret`. None
            if it is not known.
        turns: expected turns of the solo game, or the mean number of turns of played games, those cut included; None in
            exact scores of other games.
        endless: the figures of the game that is not cut, if it is cut at `max_turns`; None otherwise.
        other_player: the same score of the same network played the other way, "sampled" for "greedy" and the other way
            round. None where there is no other way, or it makes no difference.
        solo: what is known exactly of a policy in the solo game, both as it is and always taking its likeliest action
            (see `nenette.exact.solo.scores.SoloPlay`). The other figures are then those of the policy as it is, in the
            game that is not cut.

        games: how many games were played for the figures; None if they are exact.
        half_width: half the width of the 95 % confidence interval of `value`; None if it is exact.
        adjusted_value: another estimate of `value` without bias, from the played games with their luck taken out (see
            `nenette.matches.luck`); None if the score is exact or the game is not solved.
        adjusted_half_width: half the width of its 95 % confidence interval.
        variance_ratio: how many times as many games the plain mean takes to be as precise; None where one of the two
            does not vary.
        adjusted_by: what luck was measured by: whichever of "optimal play", "observed play" and mixtures of them left
            least variance in games played before.
            In 421 for three, "the charge" (see `nenette.matches.charge_luck`).
        adjustments: the three adjusted figures by that, and by optimal play.
    """

    agent: str
    game: str
    against: str | None
    exact: bool
    win: float
    draw: float
    loss: float
    value: float | None
    value_by_seat: list[float]
    plays: str | None = None
    max_turns: int | None = None
    exploitability: float | None = None
    best_response_by_seat: list[float] | None = None
    regret: float | None = None
    turns: float | None = None
    endless: Endless | None = None
    other_player: "Score | None" = None
    solo: dict[str, Any] | None = None
    games: int | None = None
    half_width: float | None = None
    adjusted_value: float | None = None
    adjusted_half_width: float | None = None
    variance_ratio: float | None = None
    adjusted_by: str | None = None
    adjustments: dict[str, Adjustment] | None = None

    def __str__(self) -> str:
        """The main figures in a few lines; `report` has all of them."""
        against = "" if self.against is None else f" against {self.against}"
        plays = "" if self.plays is None else f" ({self.plays})"
        lines = [f"{self.agent} in {self.game}{against}{plays}: {_figures(self)}"]
        if self.endless is not None:
            lines.append(f"endless game: {_figures(self.endless)}")
        if self.other_player is not None:
            lines.append(f"the same network, {self.other_player.plays}: {_figures(self.other_player)}")
        return "\n".join(lines)

    def report(self) -> dict[str, Any]:
        """One JSON object."""
        return asdict(self)


def _figures(score: Any) -> str:
    """Those that are known, by name, in the order in which they are read."""
    shown = [
        f"{name} {getattr(score, name):{'+' if name == 'value' else ''}.4f}"
        for name in ("value", "exploitability", "regret", "turns", "win", "draw", "loss")
        if getattr(score, name, None) is not None
    ]
    half_width, games = (getattr(score, name, None) for name in ("half_width", "games"))
    if half_width is not None:
        shown.append(f"value known within {half_width:.4f}, from {games:,} games")
    return ", ".join(shown)
