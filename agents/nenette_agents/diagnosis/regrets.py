"""Where an agent gives value away: by phase of the game, by field of its observation, and the states where it is most.

A decision's regret is the value of the best action less that of the one taken, under optimal play from then on, and all
sums are exact. They are about the game that `nenette.exact.AnswerKey.regret` is about: for demi-iles the one with
trembling hands, which is played to its end and not truncated. In the solo game regret is counted in turns, else in
units of the outcome (a win is +1, a loss -1).
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.exact import AnswerKey, Unsolvable, answer_key
from nenette.exact.model import Floats, Ints, Model
from nenette.exact.solo.scores import SoloPlay, solo_score
from nenette.games import Game, spec_of
from nenette.games.checks import check_choice
from nenette.games.demi_iles import ALL_SEEN, SoloState
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette_agents.diagnosis.phases import common_field, missing_words, phases_of
from nenette_agents.diagnosis.words import Words

__all__ = ["Mistake", "PhaseRegret", "Regrets", "StateRegret", "regret_by_phase", "regrets_of", "worst_states"]

_ROUNDING = 1e-12
"""What is given away at a visit is no mistake up to here."""


@dataclass(frozen=True)
class PhaseRegret:
    """What is given away in a part of the game.

    Attributes:
        phase: the part, in words.
        decisions: expected number of decisions there in a game.
        lost: what is given away there in a game.
        regret: the same for each decision; 0 where there are none.
        share: the part of all that is given away in a game; 0 where nothing is.
    """

    phase: str
    decisions: float
    lost: float
    regret: float
    share: float


@dataclass(frozen=True)
class StateRegret:
    """A state, and what is given away there.

    Attributes:
        fields: the state as its mover sees it, see `Game.encode`.
        position: the same as a player would say it; the agent is "it".
        plays: what the agent does there, in words, with probabilities if it does several things.
        best: the best move, in words.
        visits: how often the agent is to move there in a game, on average.
        regret: what is given away at each visit.
        lost: what is given away there in a game.
        share: the part of all that is given away in a game.
    """

    fields: tuple[int, ...]
    position: str
    plays: str
    best: str
    visits: float
    regret: float
    lost: float
    share: float


@dataclass(frozen=True)
class Mistake:
    """The same mistake in all the states in which it is made.

    Attributes:
        where: what the states have in common, in words: in demi-iles the own score, in 421 the dice on the table.
        plays: what the agent does most often there, in words.
        best: the best move, in words; the same as `plays` where the agent errs by chance.
        states: in how many states.
        lost: what is given away there in a game.
        share: the part of all that is given away in a game.
    """

    where: str
    plays: str
    best: str
    states: int
    lost: float
    share: float


@dataclass(frozen=True, eq=False)
class Regrets:
    """What an agent gives away in a game.

    Attributes:
        policy: the agent's name.
        game: the game's name.
        against: the opponent's name; None in the solo game.
        unit: what regret is counted in: "value" (a win is +1, a loss -1) or "turns".
        about: which game the figures are about, in words; "" for the one that is played.
        decisions: expected number of decisions in a game.
        lost: what is given away in a game.
        phases: the parts of the game, in order.
        by_field: called with the name of a field of the observation, gives the same parts by its values.
        worst: called with a number, gives the states where most is lost, at most so many, the worst first.
        mistakes: called with a number, gives the mistakes that cost most, at most so many; none in the solo game.
    """

    policy: str
    game: str
    against: str | None
    unit: str
    about: str
    decisions: float
    lost: float
    phases: tuple[PhaseRegret, ...]
    by_field: Callable[[str], tuple[PhaseRegret, ...]]
    worst: Callable[[int], tuple[StateRegret, ...]]
    mistakes: Callable[[int], tuple[Mistake, ...]]

    @property
    def regret(self) -> float:
        """What is given away at a decision, on average over those that are met."""
        return self.lost / self.decisions if self.decisions > 0 else 0.0

    def report(self, most: int = 10) -> dict[str, Any]:
        """JSON values; `most` is the number of states."""
        return {
            "against": self.against,
            "unit": self.unit,
            "about": self.about or None,
            "decisions": self.decisions,
            "lost": self.lost,
            "regret": self.regret,
            "phases": [asdict(phase) for phase in self.phases],
            "mistakes": [asdict(mistake) for mistake in self.mistakes(most)],
            "worst_states": [{**asdict(state), "fields": list(state.fields)} for state in self.worst(most)],
        }


def regret_by_phase(
    policy: GivenPolicy, game: Game[Any] | str, against: GivenPolicy = "optimal"
) -> tuple[PhaseRegret, ...]:
    """What a policy gives away in each phase of a game; see `regrets_of`, which gives this and more at once."""
    return regrets_of(policy, game, against).phases


def worst_states(
    policy: GivenPolicy, game: Game[Any] | str, against: GivenPolicy = "optimal", most: int = 10
) -> tuple[StateRegret, ...]:
    """The states in which a policy gives most away in a game, the worst first; see `regrets_of`.

    In the solo game ten at most are known.
    """
    return regrets_of(policy, game, against).worst(most)


def regrets_of(policy: GivenPolicy, game: Game[Any] | str, against: GivenPolicy = "optimal") -> Regrets:
    """What a policy gives away in a game against an opponent, exactly.

    Args:
        policy: any object with `action_probabilities`, or what `nenette.load_opponent` takes.
        game: what is played, or its name for the default rules.
        against: the opponent, likewise; of no account in the solo game.

    Raises:
        ValueError: a policy or a game is not known, or a policy's probabilities are no distribution.
        nenette.exact.Unsolvable: the game is not solved, or more than two play it.
    """
    played = as_game(game)
    player = as_policy(policy, played)
    spec = spec_of(played)
    if spec is not None and spec.solo:
        found = solo_score(played, player.action_probabilities)  # type: ignore[arg-type] # it plays what its class says
        return solo_regrets(found.sampled, played, player.name)
    if played.players != 2:
        raise Unsolvable(f"regret is known for two players, and {played.name} has {played.players} here")
    opponent = as_policy(against, played)
    key = answer_key(played)
    behaviour = key.tabulate(partial(ask, player))
    return key_regrets(key, behaviour, key.tabulate(partial(ask, opponent)), player.name, opponent.name)


def key_regrets(key: AnswerKey, player: Floats, opponent: Floats, name: str, against: str) -> Regrets:
    """The same of behaviours in a game for two, see `nenette.exact.AnswerKey`."""
    model = key.model
    visits = np.where(model.decides, key.visits(player, opponent), 0.0)
    regrets = key.regrets_of(player)
    regrets = np.where(regrets > _ROUNDING, regrets, 0.0)
    lost = visits * regrets
    names, places = phases_of(model.game, model.fields)

    def by_field(field: str) -> tuple[PhaseRegret, ...]:
        check_choice(f"a field of {model.game.name}", field, model.game.codec.names)
        values, at = np.unique(model.fields[:, model.game.codec.names.index(field)], return_inverse=True)
        return tuple(
            part for part in _parts([f"{field} {value}" for value in values], at, visits, lost) if part.decisions > 0
        )

    def worst(most: int) -> tuple[StateRegret, ...]:
        words = Words(model.game)
        best = _first_best(key)
        order = np.argsort(-lost, kind="stable")[:most]
        return tuple(
            StateRegret(
                tuple(model.fields[state].tolist()),
                words.position(model.fields[state]),
                words.play(model.fields[state], probabilities_in(key, player, state)),
                words.move(model.fields[state], int(best[state])),
                float(visits[state]),
                float(regrets[state]),
                float(lost[state]),
                float(lost[state] / lost.sum()),
            )
            for state in order.tolist()
            if lost[state] > 0
        )

    return Regrets(
        name,
        model.game.name,
        against,
        "value",
        "the game with trembling hands, which is not cut" if key.epsilon else "",
        float(visits.sum()),
        float(lost.sum()),
        _parts(names, places, visits, lost),
        by_field,
        worst,
        partial(_mistakes, key, player, lost),
    )


def solo_regrets(play: SoloPlay, game: Game[Any], name: str) -> Regrets:
    """The same of a measured play of the solo game."""
    lost = play.lost
    phases = tuple(
        PhaseRegret(
            missing_words(phase.missing),
            phase.decisions,
            phase.lost,
            phase.regret or 0.0,
            phase.lost / lost if lost > 0 else 0.0,
        )
        for phase in play.phases
    )

    def by_field(field: str) -> tuple[PhaseRegret, ...]:
        raise ValueError(f"regret by field ({field}) is known for games of two, and not for {game.name}")

    def worst(most: int) -> tuple[StateRegret, ...]:
        words = Words(game)
        found = []
        for loss in play.losses[:most]:
            if loss.lost <= 0:
                continue
            seen = ALL_SEEN & ~sum(1 << (score - 1) for score in loss.missing)
            fields = game.encode(SoloState(loss.score, seen), 0)
            found.append(
                StateRegret(
                    tuple(fields),
                    words.position(fields),
                    words.play(fields, np.array(loss.plays)),
                    words.move(fields, loss.best),
                    loss.visits,
                    loss.regret,
                    loss.lost,
                    loss.lost / lost,
                )
            )
        return tuple(found)

    decisions = sum(phase.decisions for phase in play.phases)
    return Regrets(name, game.name, None, "turns", "", decisions, lost, phases, by_field, worst, lambda most: ())


def probabilities_in(key: AnswerKey, behaviour: Floats, state: int) -> NDArray[np.float64]:
    """float64, (n_actions,): of each action in a state."""
    model = key.model
    rows = slice(model.row_start[state], model.row_start[state + 1])
    probabilities = np.zeros(model.game.n_actions)
    probabilities[model.row_action[rows]] = behaviour[rows]
    return probabilities


def _mistakes(key: AnswerKey, player: Floats, lost: Floats, most: int) -> tuple[Mistake, ...]:
    """States in which the same is seen, done and missed are one mistake."""
    model = key.model
    field = common_field(model.game)
    if field is None:
        return ()
    states = np.flatnonzero(lost > 0)
    likeliest = model.row_action[_first_highest(model, player)[states]]
    kinds = np.stack([model.fields[states, field], likeliest, _first_best(key)[states]], axis=1).astype(np.int64)
    found, example, which, counts = np.unique(kinds, axis=0, return_index=True, return_inverse=True, return_counts=True)
    sums = np.bincount(which.ravel(), lost[states], len(found))
    words = Words(model.game)
    merged: dict[tuple[str, str, str], tuple[int, float]] = {}  # of equal dice it is the same which are thrown again
    for at in np.argsort(-sums, kind="stable")[: 4 * most].tolist():
        fields = model.fields[states[example[at]]]
        key_words = (words.common(fields), words.move(fields, found[at, 1]), words.move(fields, found[at, 2]))
        n, amount = merged.get(key_words, (0, 0.0))
        merged[key_words] = (n + int(counts[at]), amount + float(sums[at]))
    ranked = sorted(merged.items(), key=lambda one: -one[1][1])[:most]
    total = float(lost.sum())
    return tuple(Mistake(*told, n, amount, amount / total) for told, (n, amount) in ranked)


def _first_highest(model: Model, player: Floats) -> Ints:
    """int64, (n_states,): the likeliest row of each state, of equals the first."""
    highest = np.maximum.reduceat(player, model.row_start[:-1])
    rows = np.flatnonzero(player == highest[model.row_state])
    _, first = np.unique(model.row_state[rows], return_index=True)
    likeliest: Ints = rows[first]
    return likeliest


def _first_best(key: AnswerKey) -> Ints:
    """int64, (n_states,): the optimum's action in each state."""
    taken: Ints = key.model.row_action[np.flatnonzero(key.optimum > 0)]
    return taken


def _parts(names: Sequence[str], places: Ints, visits: Floats, lost: Floats) -> tuple[PhaseRegret, ...]:
    decisions = np.bincount(places, visits, len(names)).tolist()
    given_away = np.bincount(places, lost, len(names)).tolist()
    total = sum(given_away)
    return tuple(
        PhaseRegret(name, met, part, part / met if met > 0 else 0.0, part / total if total > 0 else 0.0)
        for name, met, part in zip(names, decisions, given_away, strict=True)
    )
