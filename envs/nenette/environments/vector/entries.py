"""What `gymnasium.make_vec` calls for each game; options are those of the single environments."""

from collections.abc import Sequence
from typing import Any, Literal, cast

from gymnasium.vector import AutoresetMode

from nenette.environments.demi_iles import DemiIlesEnv, DemiIlesSoloEnv
from nenette.environments.opponents import OpponentChoice
from nenette.environments.options import check_option_names
from nenette.environments.quatre21 import Quatre21Env, quatre21_game
from nenette.environments.vector.demi_iles import DemiIlesMachine
from nenette.environments.vector.env import TurnBasedVectorEnv, check_render_mode
from nenette.environments.vector.quatre21 import Quatre21Machine
from nenette.environments.vector.solo import DemiIlesSoloMachine
from nenette.games.demi_iles import DemiIles, DemiIlesRules, DemiIlesSolo, DemiIlesSoloRules
from nenette.games.quatre21 import Quatre21, Quatre21Rules

__all__ = ["DemiIlesSoloVectorEnv", "DemiIlesVectorEnv", "Quatre21VectorEnv"]

_OWN = ("autoreset_mode", "copy", "render_mode")
_SEATED = ("opponents", "opponents_of_each", "seat", *_OWN)


class DemiIlesSoloVectorEnv(TurnBasedVectorEnv):
    """`nenette/DemiIlesSolo-v0`, many at once: see `DemiIlesSoloEnv` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
        **rules: Any,
    ) -> None:
        check_option_names(DemiIlesSoloEnv.env_id, _OWN, DemiIlesSoloRules, rules)
        check_render_mode(render_mode)
        game = DemiIlesSolo(DemiIlesSoloRules(**rules))
        super().__init__(DemiIlesSoloMachine(game), num_envs, autoreset_mode=autoreset_mode, copy=copy)


class DemiIlesVectorEnv(TurnBasedVectorEnv):
    """`nenette/DemiIles-v0`, many at once: see `DemiIlesEnv` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        opponents_of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
        seat: int | Literal["random"] = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
        **rules: Any,
    ) -> None:
        check_option_names(DemiIlesEnv.env_id, _SEATED, DemiIlesRules, rules)
        check_render_mode(render_mode)
        super().__init__(
            DemiIlesMachine(DemiIles(DemiIlesRules(**rules))),
            num_envs,
            opponents=opponents,
            opponents_of_each=opponents_of_each,
            seat=seat,
            autoreset_mode=autoreset_mode,
            copy=copy,
        )


class Quatre21VectorEnv(TurnBasedVectorEnv):
    """`nenette/421-v0`, many at once: see `Quatre21Env` and `TurnBasedVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        episode: Literal["match", "manche"] = "match",
        opponents: OpponentChoice | Sequence[OpponentChoice] = "random",
        opponents_of_each: Sequence[OpponentChoice | Sequence[OpponentChoice]] | None = None,
        seat: int | Literal["random"] = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
        **rules: Any,
    ) -> None:
        check_option_names(Quatre21Env.env_id, ("episode", *_SEATED), Quatre21Rules, rules)
        check_render_mode(render_mode)
        super().__init__(
            Quatre21Machine(cast(Quatre21, quatre21_game(episode, rules))),
            num_envs,
            opponents=opponents,
            opponents_of_each=opponents_of_each,
            seat=seat,
            autoreset_mode=autoreset_mode,
            copy=copy,
        )
