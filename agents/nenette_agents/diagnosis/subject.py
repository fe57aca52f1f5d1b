"""Who is diagnosed: a policy, and what is known of how it was trained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from nenette.games import Game
from nenette.policies import NetworkPolicy, Policy, TablePolicy
from nenette.policies.inputs import features_of
from nenette_agents.benchmark.evaluation import find_agent
from nenette_agents.benchmark.results import SUITE_FILE, read_run
from nenette_agents.benchmark.suite import load_suite
from nenette_agents.config.model import Config
from nenette_agents.config.named import potential_weights
from nenette_agents.errors import RunError
from nenette_agents.learners.configured import ConfiguredLearner
from nenette_agents.learners.finding import find_learner
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.runs.folders import find_run, read_json

__all__ = ["Critic", "Subject", "Training", "find_subject"]

Estimates = Callable[[NDArray[np.float32]], NDArray[np.floating]]
VALUE_BASED = ("dqn", "qr-dqn")
"""Algorithms whose network gives action values."""
Q_VALUES, VALUE_FUNCTION = "Q-values", "value function"


@dataclass(frozen=True)
class Training:
    """How an agent was trained, as far as its run, its card or its benchmark's suite says.

    Attributes:
        algorithm: the algorithm's name.
        timesteps: the learner's decisions.
        opponents: names with their shares; "self" and "past" are the agent itself.
        gamma: the discount.
        scale: factor of the rewards.
        potential: fields with the weights by which rewards are shaped.
        share: probability that an action of the learner came out as a random one.
        opening_moves: moves at the beginning of games, none to all of which were random.
        exploration: probabilities of a random action at equal parts of the training.
        temperature: by which exploration draws actions by their values; 0: the best.
        policy_temperature: what the outputs of the kept network were divided by.
        max_turns: after how many turns games were truncated; None: they were not.
    """

    algorithm: str
    timesteps: int
    opponents: Mapping[str, float]
    gamma: float
    scale: float = 1.0
    potential: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.0
    opening_moves: int = 0
    exploration: tuple[float, ...] = (0.0,)
    temperature: float = 0.0
    policy_temperature: float = 1.0
    max_turns: int | None = None


@dataclass(frozen=True, eq=False)
class Critic:
    """An agent's own values of states or of actions.

    Attributes:
        kind: "Q-values" or "value function".
        estimates: from observations, float32 (n, codec.size), to float (n, n_actions) or (n,).
    """

    kind: str
    estimates: Estimates


@dataclass(frozen=True, eq=False)
class Subject:
    """Who is diagnosed.

    Attributes:
        policy: how it plays.
        game: what it plays.
        folder: its run's folder; None for an opponent by name.
        training: how it was trained; None if nothing says so.
        critic: its own values of states or of actions; None if these are not known.
        no_critic: why there is none, in a few words; "" if there is one.
    """

    policy: Policy
    game: Game[Any]
    folder: Path | None
    training: Training | None
    critic: Critic | None
    no_critic: str


def find_subject(agent: str, *, game: str | None, rules: list[str], runs: Path) -> Subject:
    """Who is meant by `agent`: a run or a benchmark's run, by folder or by name, or an opponent.

    Args:
        agent: whatever `nenette.load_opponent` takes.
        game: the game's name; None: `agent` says it, as "421/ppo-medium" or a run does.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        runs: where runs are looked for by name.

    Raises:
        ValueError: there is none; one sentence.
    """
    policy, played = find_agent(agent, game, rules, runs)
    folder = _folder(agent, runs) if isinstance(policy, NetworkPolicy | TablePolicy) else None
    training = _training(policy, folder)
    critic, reason = _critic(policy, folder, training)
    return Subject(policy, played, folder, training, critic, reason)


def _folder(agent: str, runs: Path) -> Path | None:
    """The run's folder, where `agent` is one."""
    try:
        found = find_run(agent, runs)
    except RunError:
        return None
    folder = found if found.is_dir() else found.parent
    return folder if (folder / "run.json").is_file() else None


def _training(policy: Policy, folder: Path | None) -> Training | None:
    facts = read_json(folder / "run.json") if folder is not None else {}
    if folder is not None and "determined_by" in facts:
        return _of_benchmark(folder)
    card = getattr(policy, "card", {})
    document = facts.get("config") or card.get("config")
    if not isinstance(document, dict):
        return None
    try:
        config = Config.read(document)
    except ValidationError:  # of a version whose settings are no longer known
        return None
    timesteps = card.get("steps")
    return _of_config(config, timesteps if isinstance(timesteps, int) else config.total_timesteps)


def _of_config(config: Config, timesteps: int) -> Training:
    settings = config.settings
    return Training(
        config.algorithm,
        timesteps,
        dict(config.opponents),
        config.gamma,
        scale=config.rewards.scale,
        potential=dict(config.rewards.potential),
        share=config.tremble.share,
        opening_moves=config.tremble.opening_moves,
        exploration=_exploration(settings) if hasattr(settings, "exploration_final_eps") else (0.0,),
        temperature=getattr(settings, "exploration_temperature", 0.0),
        policy_temperature=config.policy_temperature or 1.0,
        max_turns=config.make_game().max_turns,
    )


def _of_benchmark(folder: Path) -> Training | None:
    """By the suite that lies beside a benchmark's runs; None where the learner is none of ours that plays to learn."""
    run = read_run(folder)
    path = folder.absolute().parents[2] / SUITE_FILE
    if not path.is_file():
        return None
    suite = load_suite(path)
    if run.task not in suite.tasks or run.learner not in suite.learners:
        return None
    task, entry = suite.tasks[run.task], suite.learners[run.learner]
    learner = find_learner(entry.learner or run.learner)
    if not isinstance(learner, ConfiguredLearner):
        return None
    config = learner.config(run.settings, task.played, tuple(task.opponents), task.total_timesteps, run.seed)
    return _of_config(config, task.total_timesteps)


def _exploration(settings: Any, parts: int = 8) -> tuple[float, ...]:
    """Probabilities of a random action in the middle of equal parts of the training."""
    last, over = settings.exploration_final_eps, settings.exploration_fraction
    middles = (np.arange(parts) + 0.5) / parts
    gone = np.minimum(1.0, middles / over) if over > 0 else np.ones(parts)
    return tuple((1.0 + gone * (last - 1.0)).tolist())


def _critic(policy: Policy, folder: Path | None, training: Training | None) -> tuple[Critic | None, str]:
    if isinstance(policy, TablePolicy):
        return None, "a table of actions is kept, and not what they were worth"
    if not isinstance(policy, NetworkPolicy):
        return None, "it is a program, and holds nothing to be worth anything"
    if training is None:
        return None, "nothing says how it was trained"
    if training.algorithm in VALUE_BASED:
        temperature = training.policy_temperature
        return Critic(Q_VALUES, lambda observations: policy.scores(observations) * temperature), ""
    if folder is None or not (folder / "checkpoints").is_dir():
        return None, "a policy alone has no value function, and no checkpoint of its run is there"
    network = _value_network(policy, folder)
    if network is None:
        return None, f"the checkpoint of its run has no value function that is known ({training.algorithm})"
    return Critic(VALUE_FUNCTION, lambda observations: network.scores(observations)[:, 0]), ""


def _value_network(policy: NetworkPolicy, folder: Path) -> NetworkPolicy | None:
    """PPO's value function in the run's newest checkpoint, as a network that scores all actions alike."""
    checkpoint = Shelf(folder).newest(lambda sentence: None)
    state = checkpoint.states.get("learner", {}) if checkpoint is not None else {}
    head = "weights.value_net.weight"
    if head not in state:
        return None
    hidden = sorted(
        (name for name in state if name.startswith("weights.mlp_extractor.value_net.") and name.endswith(".weight")),
        key=lambda name: int(name.split(".")[-2]),
    )
    layers = [(state[name], state[name.replace(".weight", ".bias")]) for name in hidden]
    if policy.looks_at is not None:  # what it does not look at is hidden from its value function, too
        first, shift = layers[0]
        layers[0] = (np.where(features_of(policy.game, policy.looks_at), first, np.float32(0.0)), shift)
    actions = policy.game.n_actions
    weight, bias = state[head], state["weights.value_net.bias"]
    layers.append((np.repeat(weight, actions, axis=0), np.repeat(bias, actions)))
    return NetworkPolicy(policy.game, layers, activation=policy.activation, crossed=policy.crossed, name="critic")


def potential_of(training: Training, game: Game[Any], fields: NDArray[np.integer]) -> NDArray[np.float64]:
    """float64, (n,): by which potential the rewards were shaped in each state; 0 where they were not."""
    if not training.potential:
        return np.zeros(len(fields))
    potentials = game.codec.encode(fields) @ potential_weights(game, training.potential)
    return np.asarray(potentials, dtype=np.float64)
