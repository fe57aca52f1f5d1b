"""421 as a Gymnasium environment."""

from collections.abc import Sequence
from typing import Any, Literal

from nenette.environments.opponents import OpponentChoice
from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.environments.turn_based import TurnBasedEnv
from nenette.games import Game, make_game
from nenette.games.checks import check_choice
from nenette.games.quatre21 import Quatre21, Quatre21Rules

EPISODES = ("match", "manche")


class Quatre21Env(TurnBasedEnv):
    """`nenette/421-v0`: a match of 421, or a single manche.

    Observation: `Box(0, 1, (size,), float32)`, M being `manches_to_lose` and F `fiches`: 93 features in a match by the
    default rules, 91 in a manche. Dice lie sorted from high to low.

    | features | meaning |
    |---|---|
    | M + 1 | own fiches de manche, one-hot |
    | M + 1 | the other's fiches de manche, one-hot |
    | F + 1 | own fiches, one-hot |
    | F + 1 | the other's fiches, one-hot |
    | F + 1 | fiches in the bank, one-hot: none in the décharge |
    | 1 | 1 if it is the other's move (at the end of a cut game only) |
    | 1 | 1 if the other leads the round |
    | 18 | the leader's throw once it has been left: each of three dice, its face one-hot |
    | 2 | its strength (1/56: nénette, 1: 421), and its worth over the best combination's |
    | 3 | how often the seat to move may throw, one-hot: 1, 2, 3 times |
    | 3 | how often it has thrown this turn, one-hot: 0, 1, 2 times |
    | 18 | the dice on the table: each of three dice, its face one-hot (all 0 for dice in hand) |
    | 2 | their strength and their worth, if all three are on the table |
    | 3 | 1 for each die that is frozen (only with `kept_dice="frozen"`) |

    With n players, three to six, others are seen in turn order, and all that lies on the table (175 features in a match
    of three by the default rules):

    | features | meaning |
    |---|---|
    | n (M + 1) | fiches de manche: own, the next player's, ..., each one-hot |
    | n (F + 1) | fiches, likewise |
    | F + 1 | fiches in the bank, one-hot |
    | n | how many seats after the learner the player to move sits, one-hot: 0 is the learner |
    | n | how many seats after the learner the leader of the round sits, one-hot |
    | n | 1 for each player who throws in this round: not who is safe, nor who need not throw again |
    | 20 n | what lies before each player as above, that of the best throw included while others throw again |
    | 20 | the weakest throw of the round so far |
    | 29 | the turn and the dice, as above |

    Action: `Discrete(8)`: die i of the table is thrown again where bit i of the action is set, the first die being the
    highest; 0 stops. 7 is the only legal action while there are dice in hand.

    Reward: with the last step -1 for a match lost, +1/(n - 1) if another player has lost it, 0 if it is cut.

    End: terminated when the match is lost; truncated after `max_turns` turns of all players together, a turn being a
    player's throws in one round.

    Args:
        episode: "match", or "manche" for `manches_to_lose=1`.
        opponents: a policy's name, a run's path or a policy, for all other seats; or a list of them, one for each other
            seat in turn order.
        seat: the learner's, from 0 on (who leads is drawn), or "random": drawn at each reset.
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of `Quatre21Rules`: `players=2` (to 6), `fiches=11`, `value_of_421=8`, `nenette=2`,
            `nenette_in_decharge=True`, `nenette_capped=True`, `nenettes_tie=True`, `manches_to_lose=2`,
            `next_manche_leader="loser"`, `followers="at_most"`, `kept_dice="free"`, `limit_after_tie="fresh"`,
            `max_turns=None` (never cut).

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    env_id = "nenette/421-v0"

    def __init__(
        self,
        *,
        episode: Literal["match", "manche"] = "match",
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        seat: int | Literal["random"] = "random",
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(
            self.env_id, ("episode", "opponents", "seat", "render_mode", "render_size"), Quatre21Rules, rules
        )
        super().__init__(
            quatre21_game(episode, rules),
            opponents=opponents,
            seat=seat,
            render_mode=render_mode,
            render_size=render_size,
        )


def quatre21_game(episode: str, rules: dict[str, Any]) -> Game[Any]:
    """The game of an environment's keyword `episode` and its rules; a ValueError if they do not go together."""
    check_choice("episode", episode, EPISODES)
    if episode == "manche":
        manches = rules.setdefault("manches_to_lose", 1)
        if manches != 1:
            raise ValueError(
                f"episode='manche' is played until 1 manche is lost, so manches_to_lose is 1, not {manches!r}"
            )
    return make_game(Quatre21.name, **rules)
