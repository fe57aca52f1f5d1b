"""The score of an agent that was trained anywhere, in one call."""

from collections.abc import Sequence
from typing import Any

from nenette.games import Game
from nenette.matches.result import Score
from nenette.matches.score import score as score_policy
from nenette.policies.adapted import adapt
from nenette.policies.given import GivenPolicy, as_game

__all__ = ["score"]


def score(
    agent: Any,
    game: Game[Any] | str,
    against: GivenPolicy | Sequence[GivenPolicy] | None = None,
    *,
    deterministic: bool = False,
    outputs: str | None = None,
    name: str | None = None,
    **options: Any,
) -> Score:
    """Scores an agent, exactly where the game is solved: its value, its exploitability, its regret.

    An agent is one of these:

    - a model of stable-baselines3 or sb3-contrib. PPO, A2C and MaskablePPO act by their probabilities, DQN and QRDQN
      take the action that they value most. Where the model has a `VecNormalize`, that scales the observations.
    - a torch module from observations, float32 (n, size), to logits, or to action values with `outputs="q-values"`;
      float (n, n_actions). It is asked without gradients, in evaluation mode.
    - a function from observations, float32 (n, size), to actions, integer (n,), or to probabilities, float
      (n, n_actions). It is given masks, int8 (n, n_actions), too, if it has a second parameter without a default, or
      one with "mask" in its name; so is a torch module (bool).
    - an object with `action_probabilities(observations, masks)`, a name such as "greedy", or the folder of a run.

    Illegal actions: logits and action values count among the legal actions only, and probabilities of illegal actions
    are shared out among the legal ones in proportion. Where no legal action has any probability, what the environments
    do when they are asked for an illegal action is done: the legal action nearest to it (see
    `nenette.games.episode.nearest_legal`) is taken.

    Args:
        agent: who is scored.
        game: what is played, or its name for the default rules.
        against: who sits at all other seats, as `nenette.load_opponent` takes it; None: "optimal", and nobody in a solo
            game.
        deterministic: whether the agent always takes its likeliest action. What has action values does anyway.
        outputs: what a torch module or a function gives: "actions", "probabilities", "logits" or "q-values". None:
            logits of a module; of a function, actions if there is one number a row, else probabilities.
        name: what the score calls the agent; None: its class's or its function's name.
        options: `games`, `seed`, `exact`, `both_players` and `progress` of `nenette.matches.score`.

    Raises:
        ValueError: the agent is none of these, or it was made for other observations or actions.
        nenette.exact.Unsolvable: `exact=True`, and the game is not solved.
    """
    played = as_game(game)
    repeatable = options.get("exact") is not False
    policy = adapt(agent, played, deterministic=deterministic, outputs=outputs, name=name, repeatable=repeatable)
    if against is None and played.players > 1:
        against = "optimal"
    return score_policy(policy, played, against, **options)
