"""All that a config makes, made once: game, opponents, environments, learner and its past selves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from torch import nn

import nenette
from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.games import Game
from nenette.games.registry import referred
from nenette.policies import BEST_RESPONSE
from nenette.policies.network import NetworkPolicy
from nenette_agents.config.algorithms import find_algorithm
from nenette_agents.config.model import Config, Rewards, Tremble
from nenette_agents.config.named import PAST, potential_weights
from nenette_agents.environments.vec_env import NativeVecEnv, SideBySideVecEnv
from nenette_agents.environments.wrappers import ShapedRewards, TremblingHands
from nenette_agents.errors import ConfigError
from nenette_agents.export import acting_networks, export_policy, quantiles_of
from nenette_agents.self_play import Opponents, PastSelves, PrioritizedPastSelves

__all__ = ["Built", "begin_with", "build", "wrapped"]


@dataclass(frozen=True)
class Built:
    """What a config makes: a learner that has not begun, and what it learns in.

    Attributes:
        game: with the config's rules.
        past_selves: the learner as it was; none are kept if the config has no opponent `past`.
        environments: the learner's, with all wrappers.
        learner: one of stable-baselines3's.
        init: for cards, the policy that the learner begins with: its name, its SHA-256 and how it was made; None if it
            begins with random weights.
        callbacks: what the algorithm needs to be called while it learns.
    """

    game: Game[Any]
    past_selves: PastSelves
    environments: VecEnv
    learner: BaseAlgorithm
    init: dict[str, Any] | None
    callbacks: list[BaseCallback]


def build(config: Config) -> Built:
    """Makes all that a config says, from top to bottom: each part needs only those before it.

    Raises:
        ConfigError: the environments refuse a rule.
        ValueError: an opponent cannot be loaded.
    """
    torch.set_num_threads(config.threads)
    algorithm = find_algorithm(config.algorithm)
    game = config.make_game()
    opponents = Opponents(config.assignment, game)
    past_selves = _past_selves(config, game, opponents)
    environments = _environments(config, game, opponents, past_selves)
    past_selves.enter(environments)
    learner: BaseAlgorithm = referred(algorithm.make)(config, game, environments)
    callbacks = [] if algorithm.callbacks is None else referred(algorithm.callbacks)(config)
    init = None if config.init is None else begin_with(learner, config, game)
    if PAST in config.opponents:  # games begin against the learner as it is now
        past_selves.renew(export_policy(learner, game, PAST, algorithm.head))
    return Built(game, past_selves, environments, learner, init, callbacks)


def _past_selves(config: Config, game: Game[Any], opponents: Opponents) -> PastSelves:
    copies = config.self_play.copies if PAST in config.opponents else 0
    if config.self_play.sampling == "prioritized":
        return PrioritizedPastSelves(copies, game, opponents)
    return PastSelves(copies, game)


def _environments(config: Config, game: Game[Any], opponents: Opponents, past_selves: PastSelves) -> VecEnv:
    """The parallel environments. Where the learner plays all seats, each is a slot, and the last action is *pass*."""
    assignment = config.assignment
    parts: list[TurnBasedVectorEnv] = []
    try:
        if assignment.self_games:
            slots = assignment.self_games * game.players
            parts.append(AllSeatsVectorEnv(game, slots, autoreset_mode=AutoresetMode.SAME_STEP))
        if assignment.opponents or not assignment.self_games:
            parts.append(
                TurnBasedVectorEnv(
                    game,
                    len(assignment.opponents) or config.n_envs,
                    opponents_of_each=opponents.of_each(past_selves.policies) if assignment.opponents else None,
                    seat="random" if config.seat is None and assignment.opponents else config.seat or 0,
                    autoreset_mode=AutoresetMode.SAME_STEP,
                )
            )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the environment cannot be made: {error}") from error
    return wrapped(parts, config, game)


def begin_with(learner: BaseAlgorithm, config: Config, game: Game[Any]) -> dict[str, Any]:
    """Gives the learner's policy the weights of the config's `init`, whose network is one of the same kind and size.

    The value function of PPO, and the action *pass* where there is one, keep their random weights.

    Returns:
        What a card says of that policy: which it is, and how it was made.

    Raises:
        ValueError: the policy cannot be read, or its network is another.
    """
    policy = nenette.load_opponent(str(config.init), game)
    assert isinstance(policy, NetworkPolicy)  # a checked config's is
    quantiles = quantiles_of(learner.policy)  # which all begin with the mean
    for modules in acting_networks(learner.policy):
        linear = [module for module in modules if isinstance(module, nn.Linear)]
        for module, (weight, bias) in zip(linear, policy.layers, strict=True):
            repeats = quantiles if module is linear[-1] else 1
            with torch.no_grad():
                for mine, theirs in ((module.weight, weight), (module.bias, bias)):
                    parts = mine.view(repeats, -1, *mine.shape[1:])
                    parts[:, : len(bias)].copy_(torch.as_tensor(theirs, dtype=torch.float32))
    name = str(config.init).removeprefix(BEST_RESPONSE)
    facts: dict[str, Any] = {
        key: policy.card[key] for key in ("kind", "algorithm", "seed", "steps", "init") if key in policy.card
    }
    return {"policy": name, "sha256": config.opponent_hashes.get(name), **facts}


def wrapped(parts: Sequence[TurnBasedVectorEnv], config: Config, game: Game[Any]) -> VecEnv:
    """Environments as a learner of stable-baselines3 takes them, with all that a config puts around them.

    Args:
        parts: the environments, each with autoreset in the same step; they are put side by side.
        config: of which `tremble` and `rewards` are put around them.
        game: what is played there.
    """
    native = [NativeVecEnv(part) for part in parts]
    # The monitor is inside: what it reports are the game's own returns.
    environments: VecEnv = VecMonitor(native[0] if len(native) == 1 else SideBySideVecEnv(native))
    if config.tremble != Tremble():
        tremble = config.tremble
        environments = TremblingHands(environments, tremble.share, config.seed, opening=tremble.opening_moves)
    if config.rewards != Rewards():
        environments = ShapedRewards(
            environments,
            potential_weights(game, config.rewards.potential),
            scale=config.rewards.scale,
            gamma=config.gamma,
            pass_action=game.n_actions if config.assignment.self_games else None,
        )
    return environments
