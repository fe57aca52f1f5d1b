"""The diagnosis of an agent: all parts of it, put together."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.exact.model import Floats
from nenette.exact.solo.scores import measure
from nenette.exact.solo.solving import solve_solo
from nenette.games import Game
from nenette.games.demi_iles import DemiIles, DemiIlesSolo
from nenette.policies import NetworkPolicy, load_opponent
from nenette.policies.ask import ask
from nenette.policies.players import plays
from nenette_agents.diagnosis.capacity import Capacity, capacity
from nenette_agents.diagnosis.critics import CriticReport, critic_report, report_of
from nenette_agents.diagnosis.decisive import DecisiveMoves, SingleChanges, decisive_moves, single_changes
from nenette_agents.diagnosis.regrets import Regrets, key_regrets, solo_regrets
from nenette_agents.diagnosis.solo import SoloSample, compared_alone, turns_of_actions
from nenette_agents.diagnosis.subject import VALUE_BASED, Subject, Training, find_subject
from nenette_agents.diagnosis.visits import faced_in_training
from nenette_agents.errors import RunError

__all__ = ["Diagnosis", "Met", "diagnose"]

SELDOM = 100
_TREMBLE, _DISCOUNTS = 0.05, (0.95, 0.8, 0.5, 0.3, 0.2)
_SOLO_STEPS, _STEPS = 1500, 4000


@dataclass(frozen=True, eq=False)
class Met:
    """How often training met the states that matter; see `nenette_agents.diagnosis.visits`.

    Attributes:
        decisions: of the training.
        seldom_decisions: part of the decisions of a game against the opponent that lie in states which training met
            fewer than `SELDOM` times.
        seldom_lost: part of what is given away in such states.
        times: called with the fields of a state, gives how often training met it.
        how: what is counted, in words.
    """

    decisions: int
    seldom_decisions: float
    seldom_lost: float
    times: Callable[[tuple[int, ...]], float]
    how: str = "exact visits of the last network as it explored, against its training's opponents"


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Why an agent is as good as it is.

    Attributes:
        subject: who it is.
        figures: its exact figures: value, exploitability, or turns.
        regrets: where it gives value away.
        fields: the fields of the observation that were asked for, with what is given away by each value.
        critic: its critic held against the truth; None where there is none, see `no_critic`.
        no_critic: why not, in a few words.
        met: what training met; None where nothing says how it was trained.
        capacity: what its network could do; None if it was not asked for.
        changes: its single changes; None if they were not asked for.
        decisive: the moves that decide everything, by discount; None if they were not asked for.
    """

    subject: Subject
    figures: dict[str, float | None]
    regrets: Regrets
    fields: dict[str, tuple[Any, ...]]
    critic: CriticReport | None
    no_critic: str
    met: Met | None
    capacity: Capacity | None
    changes: SingleChanges | None
    decisive: tuple[DecisiveMoves, ...] | None

    def report(self, most: int = 10) -> dict[str, Any]:
        """One JSON object."""
        training, regrets = self.subject.training, self.regrets.report(most)
        if self.met is not None:
            for state in regrets["worst_states"]:
                state["met_in_training"] = self.met.times(tuple(state["fields"]))
        return {
            "agent": self.subject.policy.name,
            "game": self.subject.game.name,
            "plays": plays(self.subject.policy),
            "run": None if self.subject.folder is None else str(self.subject.folder),
            "training": None if training is None else _as_json(training),
            "figures": self.figures,
            "regret": {
                **regrets,
                "by_field": {name: [part.__dict__ for part in parts] for name, parts in self.fields.items()},
            },
            "critic": None if self.critic is None else self.critic.report(),
            "no_critic": self.no_critic or None,
            "met": None
            if self.met is None
            else {
                "how": self.met.how,
                "decisions": self.met.decisions,
                "seldom": SELDOM,
                "seldom_decisions": self.met.seldom_decisions,
                "seldom_lost": self.met.seldom_lost,
            },
            "capacity": None if self.capacity is None else self.capacity.report(),
            "single_changes": None if self.changes is None else self.changes.report(),
            "decisive_moves": None if self.decisive is None else [one.report() for one in self.decisive],
        }


def diagnose(
    agent: str,
    *,
    game: str | None = None,
    against: str = "optimal",
    rules: list[str] | None = None,
    runs: Path = Path("runs"),
    by: list[str] | None = None,
    with_capacity: bool = False,
    capacity_steps: int | None = None,
    with_decisive: bool = False,
    discounts: list[float] | None = None,
    tremble: float | None = None,
    now: Callable[[str], None] = lambda doing: None,
) -> Diagnosis:
    """The diagnosis of an agent.

    Args:
        agent: a run's folder or name, a benchmark's run, or an opponent: whatever `nenette.load_opponent` takes.
        game: the game's name, where `agent` does not say it.
        against: the opponent in games for two.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        runs: where runs are looked for by name.
        by: fields of the observation by which to tell what is given away.
        with_capacity: whether its network is fitted to the optimum: a minute or more.
        capacity_steps: of that fit; None: as many as are enough.
        with_decisive: whether to look for the moves of demi-iles that decide everything: half a minute.
        discounts: for which discounts that is reported; None: the training's, or several.
        tremble: for which share of moves that are slips; None: the training's, or a twentieth.
        now: called with what is being done.

    Raises:
        ValueError: something named does not exist or does not fit; one sentence.
    """
    subject = find_subject(agent, game=game, rules=rules or [], runs=runs)
    played = subject.game
    _check_asked(played, by or [], with_decisive, with_capacity and not isinstance(subject.policy, NetworkPolicy))
    if isinstance(played, DemiIlesSolo):
        found = _solo(subject, played, now)
    else:
        found = _for_two(subject, against, by or [], now)
    if with_decisive:
        now("looking for decisive moves")
        found.update(_decisive(found.pop("key"), found.pop("behaviour"), subject, discounts, tremble))
    if with_capacity:
        now("fitting its network to the optimum")
        found["capacity"] = _capacity(subject, capacity_steps)
    for name in ("key", "behaviour"):
        found.pop(name, None)
    nothing: dict[str, Any] = {"capacity": None, "changes": None, "decisive": None}
    return Diagnosis(subject, **{**nothing, **found})


def _check_asked(game: Game[Any], by: list[str], with_decisive: bool, no_network: bool) -> None:
    if game.players > 2:
        raise Unsolvable(f"a diagnosis is of a game for one or two players, and {game.name} has {game.players} here")
    if with_decisive and (not isinstance(game, DemiIles) or game.players != 2):
        raise RunError(f"--decisive is about the endless game of demi-iles for two, and {game.name} was given")
    if no_network:
        raise RunError("--capacity is about an agent's network, and this one has none: a run or a network was expected")
    if by and game.players == 1:
        raise RunError(f"--by {by[0]} is about games for two, and {game.name} is played alone")


def _for_two(subject: Subject, against: str, by: list[str], now: Callable[[str], None]) -> dict[str, Any]:
    game, policy = subject.game, subject.policy
    now("solving")
    key = answer_key(game)
    try:
        opponent = load_opponent(against, game)
    except ValueError as error:
        raise RunError(f"--against: {error}") from error
    now("asking it about every state")
    behaviour, other = (key.tabulate(partial(ask, one)) for one in (policy, opponent))
    now("scoring")
    cut = game.max_turns if key.can_be_cut else None
    best = key.exploitability(behaviour) if cut is None else float(key.best_response_within(behaviour, cut).mean())
    regrets = key_regrets(key, behaviour, other, policy.name, opponent.name)
    fields = {name: regrets.by_field(name) for name in by}
    figures: dict[str, float | None] = {
        "value": key.result(behaviour, other, max_turns=cut).value,
        "exploitability": best,
    }
    if cut is not None:
        figures["exploitability_of_the_endless_game"] = key.exploitability(behaviour)
    found: dict[str, Any] = {"figures": figures, "regrets": regrets, "fields": fields, "critic": None, "met": None}
    found["no_critic"] = subject.no_critic
    if subject.training is not None:
        now("following its training")
        faced = faced_in_training(key, policy, subject.training)
        visits = sum((one.share * one.visits for one in faced), np.zeros(key.model.n_states))
        found["met"] = _met(key, subject.training, visits, behaviour, other)
        if subject.critic is not None:
            now("holding its critic against the truth")
            found["critic"] = critic_report(key, subject.critic, subject.training, faced)
    return {**found, "key": key, "behaviour": behaviour}


def _met(key: AnswerKey, training: Training, visits: Floats, behaviour: Floats, opponent: Floats) -> Met:
    times = training.timesteps * visits / visits.sum()
    decisions = np.where(key.model.decides, key.visits(behaviour, opponent), 0.0)
    lost = decisions * key.regrets_of(behaviour)
    seldom = times < SELDOM

    def met(fields: tuple[int, ...]) -> float:
        return float(times[key.index(np.array([fields]))[0]])

    return Met(training.timesteps, _part(decisions, seldom), _part(lost, seldom), met)


def _solo(subject: Subject, game: DemiIlesSolo, now: Callable[[str], None]) -> dict[str, Any]:
    now("asking it about every state it may meet")
    play, tables = measure(game, subject.policy.action_probabilities)
    optimum = solve_solo(game)
    figures = {
        "turns": play.turns,
        "capped_turns": play.capped_turns,
        "fewest_turns": float(optimum.turns[0]),
        "finishes": play.finishes,
    }
    found: dict[str, Any] = {"figures": figures, "regrets": solo_regrets(play, game, subject.policy.name), "fields": {}}
    found |= {"critic": None, "met": None, "no_critic": subject.no_critic}
    training = subject.training
    if training is None:
        return found
    sample = SoloSample(tables)
    turns = turns_of_actions(optimum.turns, sample.scores, sample.seen)
    lost = (turns * tables.play[sample.places]).sum(axis=1) - turns.min(axis=1)
    times = training.timesteps * tables.visits / tables.visits.sum()
    seldom = times[sample.places] < SELDOM

    def met(fields: tuple[int, ...]) -> float:
        return float(times[optimum.index(np.array([fields]))[0]])

    how = "exact visits of the last network as it plays, its exploration apart"
    weights = sample.weights
    found["met"] = Met(training.timesteps, _part(weights, seldom), _part(weights * lost, seldom), met, how)
    if subject.critic is not None:
        now("holding its critic against the truth")
        own = tables.turns(training.gamma)
        if own is None:
            found["no_critic"] = "its play may get stuck, so that the true values of its states have no bound"
        else:
            compared = compared_alone(game, subject.critic, training, tables, own, sample)
            found["critic"] = report_of(compared, subject.critic, training, 5)
    return found


def _part(amounts: Floats, chosen: NDArray[np.bool_]) -> float:
    """The part of the amounts that lies in the chosen places; 0 where there is nothing."""
    total = float(amounts.sum())
    return float(amounts[chosen].sum()) / total if total > 0 else 0.0


def _decisive(
    key: AnswerKey, behaviour: Floats, subject: Subject, discounts: list[float] | None, tremble: float | None
) -> dict[str, Any]:
    training = subject.training
    if tremble is None:
        tremble = training.share if training is not None and training.share > 0 else _TREMBLE
    if not discounts:
        discounts = [training.gamma] if training is not None and training.gamma < 1 else list(_DISCOUNTS)
    return {
        "changes": single_changes(key, behaviour),
        "decisive": tuple(decisive_moves(key, tremble, discount) for discount in discounts),
    }


def _capacity(subject: Subject, steps: int | None) -> Capacity:
    policy = subject.policy
    assert isinstance(policy, NetworkPolicy)
    solo = isinstance(subject.game, DemiIlesSolo)
    valued = subject.training is not None and subject.training.algorithm in VALUE_BASED
    return capacity(
        subject.game,
        policy.sizes[1:-1],
        activation=policy.activation,
        crossed=policy.crossed,
        taught="values" if valued else "probabilities",
        steps=steps or (_SOLO_STEPS if solo else _STEPS),
        sampled=policy.head == "softmax",
    )


def _as_json(training: Training) -> dict[str, Any]:
    return {
        "algorithm": training.algorithm,
        "timesteps": training.timesteps,
        "opponents": dict(training.opponents),
        "gamma": training.gamma,
        "scale": training.scale,
        "potential": dict(training.potential),
        "tremble": training.share,
        "opening_moves": training.opening_moves,
    }
