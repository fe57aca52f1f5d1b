"""Where an agent gives value away: held against what is known of the optimum and of plays that differ from it once."""

import numpy as np
import pytest

from nenette.exact import Unsolvable, answer_key
from nenette.games import make_game
from nenette.policies import load_opponent
from nenette_agents.diagnosis import regret_by_phase, regrets_of, worst_states
from nenette_agents.diagnosis.regrets import key_regrets, solo_regrets

SHORT = {"421": {"fiches": 2}, "demi-iles": {}}


@pytest.fixture(params=list(SHORT))
def game(request, own_cache):
    return make_game(request.param, **SHORT[request.param])


class ChangedOnce:
    """Plays as the optimum does, but for one state."""

    name = "changed-once"

    def __init__(self, game, fields, action):
        self._optimum = load_opponent("optimal", game)
        self._there = game.codec.encode_one(fields)
        self._action = action

    def action_probabilities(self, observations, masks):
        probabilities = self._optimum.action_probabilities(observations, masks)
        there = (observations == self._there).all(axis=1)
        probabilities[there] = np.eye(masks.shape[1])[self._action]
        return probabilities


def test_the_optimum_gives_nothing_away_in_any_phase(game):
    found = regrets_of("optimal", game)
    assert found.lost == 0
    assert all((phase.lost, phase.share) == (0, 0) for phase in found.phases)
    assert (found.worst(3), found.mistakes(3)) == ((), ())
    assert sum(phase.decisions for phase in found.phases) == pytest.approx(found.decisions)


def test_a_single_mistake_is_the_worst_state_and_all_that_is_given_away(game):
    key = answer_key(game)
    visits = key.visits(key.optimum, key.optimum)
    rows = np.flatnonzero((key.row_regrets > 1e-3) & (visits[key.model.row_state] > 1e-6))
    row = int(rows[len(rows) // 2])
    fields = key.model.fields[key.model.row_state[row]]
    changed = ChangedOnce(game, fields, key.model.row_action[row])
    found = regrets_of(changed, game)
    (worst,) = found.worst(5)
    assert worst.fields == tuple(fields.tolist())
    assert worst.regret == pytest.approx(key.row_regrets[row])
    assert worst.plays != worst.best
    assert worst.share == 1
    (mistake,) = found.mistakes(5)
    assert (mistake.plays, mistake.best, mistake.states) == (worst.plays, worst.best, 1)


@pytest.mark.parametrize("against", ["optimal", "random"])
def test_what_is_given_away_adds_up_to_what_the_answer_key_says(game, against):
    key = answer_key(game)
    player, opponent = (key.tabulate(load_opponent(name, game).action_probabilities) for name in ("random", against))
    ((lost, decisions),) = key.given_away(player, opponent, [np.ones(key.model.n_states, dtype=np.bool_)])
    found = regrets_of("random", game, against)
    assert (found.lost, found.decisions) == (pytest.approx(lost), pytest.approx(decisions))
    for parts in (found.phases, *(found.by_field(field) for field in game.codec.names)):
        assert sum(part.lost for part in parts) == pytest.approx(lost)
        assert sum(part.share for part in parts) == pytest.approx(1)
        assert sum(part.decisions for part in parts) == pytest.approx(decisions)
    every = found.worst(key.model.n_states)
    assert sum(state.lost for state in every) == pytest.approx(lost)
    assert [state.lost for state in every] == sorted((state.lost for state in every), reverse=True)


def test_visits_are_those_of_played_games(own_cache):
    """A manche of 421 begins with one charge round each; the leader is to move in its first state half of the time."""
    key = answer_key(make_game("421", fiches=2))
    visits = key.visits(key.optimum, key.optimum)
    assert visits[key.model.start] >= 0.5
    everybody = key.visits(key.optimum, key.optimum) * 2  # both play alike
    steps = everybody @ np.add.reduceat(key.model.ends * key.optimum, key.model.row_start[:-1])
    assert steps == pytest.approx(1)  # a game ends once


def test_phases_of_demi_iles_are_about_who_can_win_at_once(own_cache):
    phases = regret_by_phase("random", "demi-iles")
    assert [phase.phase.split()[0] for phase in phases] == ["nobody", "only", "only", "both"]
    assert all(phase.decisions > 0 for phase in phases)


def test_states_are_told_as_a_player_would(own_cache):
    worst = worst_states("greedy", "demi-iles", most=3)
    assert len(worst) == 3
    assert worst[0].position.startswith("Score It ")
    assert worst[0].plays.startswith(("throw", "halve", "step", "stay"))
    mixed = worst_states("random", make_game("421", fiches=2), most=1)[0]
    assert "%" in mixed.plays
    assert "It has" in mixed.position


def test_more_than_two_players_get_a_sentence(own_cache):
    with pytest.raises(Unsolvable, match="regret is known for two players, and demi-iles has 3 here"):
        regrets_of("random", make_game("demi-iles", players=3))


def test_a_field_that_is_not_there_gets_the_nearest(own_cache):
    with pytest.raises(ValueError, match="did you mean 'own score'"):
        regrets_of("random", "demi-iles").by_field("own scor")


def test_the_solo_game_is_told_from_its_measured_play():
    from nenette.exact.solo.scores import Loss, Phase, SoloPlay

    game = make_game("demi-iles-solo")
    phases = [Phase(1, 10.0, 0.1, 1.0), Phase(0, 40.0, 0.075, 3.0)]
    losses = [Loss(7, [], 2.0, 1.5, 3.0, [0, 1, 0], 2), Loss(3, [20], 1.0, 1.0, 1.0, [0.5, 0.5, 0], 0)]
    play = SoloPlay(1.0, 84.0, 84.0, 0.08, 4.0, 0.9, "visits", phases, losses)
    found = solo_regrets(play, game, "agent")
    assert [phase.phase for phase in found.phases] == ["1 of 20 scores missing", "only 21 is missing"]
    assert [phase.share for phase in found.phases] == [0.25, 0.75]
    first, second = found.worst(10)
    assert (first.plays, first.best, first.share) == ("throw one die", "throw two dice", 0.75)
    assert "missing 20" in second.position
    assert second.plays == "step down without a die (50%), throw one die (50%)"
    with pytest.raises(ValueError, match="games of two"):
        found.by_field("score")


def test_figures_can_be_had_of_behaviours(own_cache):
    key = answer_key(make_game("demi-iles"))
    found = key_regrets(key, key.model.uniform(), key.optimum, "anybody", "optimal")
    assert found.regret == pytest.approx(key.regret(key.model.uniform(), key.optimum))
    assert found.report(2)["worst_states"][0]["fields"] == list(found.worst(1)[0].fields)
