"""What a learning algorithm is given, and what it gives back: `LearningTask` and `Learner`.

Everything that takes part in a benchmark is a `Learner`, ours and anybody's. It is found by `find_learner`, and
`run_learner` lets it learn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gymnasium.vector import AutoresetMode

from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.games import Game
from nenette.policies.adapted import adapt
from nenette_agents.config.named import PAST, SELF, Assignment, in_turn
from nenette_agents.self_play import FrozenPolicy, Opponents

__all__ = ["Agent", "Learner", "LearningTask"]

Env = TypeVar("Env", bound=TurnBasedVectorEnv)
Agent = Any
"""Whatever `nenette.score` adapts: an object with `action_probabilities`, a model of stable-baselines3 or sb3-contrib,
a torch module from observations to logits, or a function from observations (and masks) to actions or probabilities."""


@dataclass(frozen=True, kw_only=True)
class LearningTask:
    """What is to be learned, for how long, and to whom it is reported.

    A timestep is a decision of the learner; those of all environments count together.

    Attributes:
        game: with its rules.
        opponents: names of the policies that the learner sits against, which take turns in the parallel environments;
            ("self",) in self-play; () in a solo game.
        total_timesteps: how many decisions the learner makes; the last update may come a few later.
        seed: everything random follows from it.
        report_at: timesteps, increasing, at which the agent is reported; the last is `total_timesteps`.
        report: called with a timestep of `report_at` and the agent as it is then, at the first chance after that many
            decisions. It copies what it needs before it returns.
        settings: the learner's own.
        folder: the learner's place for scratch files; it is there.
    """

    game: Game[Any]
    opponents: tuple[str, ...]
    total_timesteps: int
    seed: int
    report_at: tuple[int, ...]
    report: Callable[[int, Agent], None]
    settings: Mapping[str, Any]
    folder: Path
    _other: FrozenPolicy = field(default_factory=FrozenPolicy, init=False, repr=False, compare=False)

    @property
    def self_play(self) -> bool:
        """Whether the learner is its own opponent."""
        return self.opponents == (SELF,)

    def make_env(self, n_envs: int) -> TurnBasedVectorEnv:
        """So many games side by side, in each of which the learner has one seat, drawn anew for every game.

        A Gymnasium `VectorEnv`: observations float32 (n_envs, size); what is legal in `infos["action_mask"]`, int8
        (n_envs, n_actions); a game that is over is reset in the same step, and `infos["final_obs"]` and
        `infos["final_info"]` tell how it ended. The opponents take turns: environment k has number k, and at a table of
        more than two the following ones have the other seats. In self-play the opponent is the one of
        `renew_opponent`. Games follow from the task's seed, or from the one that `reset` is given.

        Raises:
            ValueError: an opponent cannot be loaded.
        """
        names = [PAST] if self.self_play else self.opponents
        opponents = Opponents(Assignment(0, in_turn(dict.fromkeys(names, 1.0), n_envs)), self.game)
        return self._begun(
            TurnBasedVectorEnv(
                self.game,
                n_envs,
                opponents_of_each=opponents.of_each([self._playing()]) if names else None,
                seat="random" if names else 0,
                autoreset_mode=AutoresetMode.SAME_STEP,
            )
        )

    def make_all_seats_env(self, n_envs: int) -> AllSeatsVectorEnv:
        """Games in which every seat is the learner's, and a slot of its own: so many slots, for self-play.

        All slots act at every step. There is one action more than the game has, the last: *pass*, the only legal one of
        a seat that is not to move. A pass is no decision, and no timestep.

        Raises:
            ValueError: the task is no self-play, or n_envs is no multiple of the number of players.
        """
        if not self.self_play:
            raise ValueError(f"{self._faced()}: all seats are the learner's in self-play only; make_env was expected")
        return self._begun(AllSeatsVectorEnv(self.game, n_envs, autoreset_mode=AutoresetMode.SAME_STEP))

    def renew_opponent(self, agent: Agent) -> None:
        """In self-play: from now on the opponent in all environments of `make_env` plays as `agent` does.

        Before the first call it plays at random. An agent that goes on learning is handed over as a copy.

        Raises:
            ValueError: the task is no self-play, or `agent` is nothing that plays this game.
        """
        if not self.self_play:
            raise ValueError(f"{self._faced()}, and stay: only in self-play the opponent is renewed")
        self._other.renew(adapt(agent, self.game))

    def _playing(self) -> FrozenPolicy:
        if self.self_play and not self._other.plays:
            self.renew_opponent("random")
        return self._other

    def _faced(self) -> str:
        return f"the opponents are {', '.join(self.opponents) or 'nobody'}"

    def _begun(self, env: Env) -> Env:
        env.reset(seed=self.seed)
        return env


class Learner(Protocol):
    """Anything that learns: a function or another object that can be called.

    It plays in environments of `task.make_env` or `task.make_all_seats_env` for `task.total_timesteps` decisions, and
    calls `task.report(timestep, agent)` once for each of `task.report_at`. The same seed gives the same agent.

    It may have an attribute `check`, called with the settings, the game, the opponents and the total timesteps before
    anything begins; it raises a `ValueError` whose text is one sentence about what is wrong.
    """

    def __call__(self, task: LearningTask) -> Agent:
        """Learns; the agent as it is at the end, which was reported last."""
        ...
