"""21 des Demi-Îles as Gymnasium environments."""

from collections.abc import Sequence
from typing import Any, Literal

from nenette.environments.opponents import OpponentChoice
from nenette.environments.options import check_option_names
from nenette.environments.pictures.display import SIZE
from nenette.environments.turn_based import TurnBasedEnv
from nenette.games import make_game
from nenette.games.demi_iles import DemiIles, DemiIlesRules, DemiIlesSolo, DemiIlesSoloRules


class DemiIlesSoloEnv(TurnBasedEnv):
    """`nenette/DemiIlesSolo-v0`: 21 des Demi-Îles alone, in as few turns as possible.

    Observation: `Box(0, 1, (42,), float32)`.

    | features | meaning |
    |---|---|
    | 0..21 | the score, one-hot |
    | 22..41 | 1 if score 1, 2, ... 20 has been stood on |

    Action: `Discrete(3)`, how many dice to throw; always all legal.

    Reward: -1 a turn.

    End: terminated on 21 once every score from 1 to 20 has been stood on; truncated after `max_turns` turns.

    Args:
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of `DemiIlesSoloRules`: `max_turns=1000` (None: never cut).

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    env_id = "nenette/DemiIlesSolo-v0"

    def __init__(self, *, render_mode: str | None = None, render_size: Sequence[int] = SIZE, **rules: Any) -> None:
        check_option_names(self.env_id, ("render_mode", "render_size"), DemiIlesSoloRules, rules)
        super().__init__(make_game(DemiIlesSolo.name, **rules), render_mode=render_mode, render_size=render_size)


class DemiIlesEnv(TurnBasedEnv):
    """`nenette/DemiIles-v0`: 21 des Demi-Îles for two to six players.

    Observation: `Box(0, 1, (23 * players,), float32)`.

    | features | meaning |
    |---|---|
    | 0..21 | own score, one-hot |
    | 22..43 | score of the player who is next after the learner, one-hot |
    | ... | the other players' scores in turn order, 22 features each |
    | the last `players` | how many seats after the learner the player to move sits, one-hot: 0 is the learner |

    Action: `Discrete(3)`, how many dice to throw; always all legal.

    Reward: with the last step +1 for a win, -1 / (players - 1) for a loss, 0 if the game is cut.

    End: terminated when somebody stands on 21; truncated after `max_turns` turns of all players together.

    Args:
        opponents: a policy's name, a run's path or a policy, for all other seats; or a list of one for all, or of one
            for each in turn order after the learner's seat.
        seat: the learner's, 0 .. players - 1 (seat 0 starts unless the rules say otherwise), or "random": drawn at each
            reset.
        render_mode: None, "ansi" (text), "rgb_array" (a picture) or "human" (a window).
        render_size: width and height of the picture in pixels.
        rules: the fields of `DemiIlesRules`: `players=2`, `max_turns=200` (None: never cut), `starter="seat_0"` (or
            "drawn").

    Raises:
        ValueError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    env_id = "nenette/DemiIles-v0"

    def __init__(
        self,
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        seat: int | Literal["random"] = "random",
        render_mode: str | None = None,
        render_size: Sequence[int] = SIZE,
        **rules: Any,
    ) -> None:
        check_option_names(self.env_id, ("opponents", "seat", "render_mode", "render_size"), DemiIlesRules, rules)
        game = make_game(DemiIles.name, **rules)
        super().__init__(game, opponents=opponents, seat=seat, render_mode=render_mode, render_size=render_size)
