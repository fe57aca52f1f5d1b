"""What is solved, scored and kept is what the object plays that was given, whatever it is called."""

from typing import Any

import numpy as np
import pytest
from variations import Loser, Mine, OtherWayRound, SlowSolo

from nenette.exact import Unsolvable, answer_key, model_of, solve, store
from nenette.exact.certificates.maker import certify
from nenette.exact.certificates.walk import CertificateError
from nenette.games import Distribution, demi_iles, make_game, quatre21, spec_of
from nenette.games.quatre21_rules import Quatre21Rules
from nenette.matches import score
from nenette.matches.sampled import play
from nenette.policies import load_opponent, make_policy, policy_names


@pytest.mark.parametrize("game", [Loser(), Mine()])
def test_the_solution_is_of_the_game_that_was_given(game: Any) -> None:
    stock = make_game("demi-iles")
    near = np.array([[own, 10, 0] for own in range(10, 21)])
    ours, theirs = solve(game), solve(stock)
    assert ours.values_of(near).max() < 1e-6 < 1e-3 < theirs.values_of(near).max()
    assert not model_of(game).win.any()  # nobody wins with a throw of their own
    for fields, action in zip(near.tolist(), ours.actions_of(near).tolist(), strict=True):
        chances = [dict(stock.chance(stock.decode(fields), dice)).get(21, 0) for dice in range(3)]
        assert chances[action] == min(chances)


def test_scores_are_of_the_game_that_was_given() -> None:
    game, stock = Loser(), make_game("demi-iles")
    random, optimal = make_policy("random", game), make_policy("optimal", game)
    found = score(random, game, optimal)
    assert found.exact
    assert found.value is not None
    assert found.value < -0.5
    assert answer_key(game).best_response(answer_key(game).tabulate(random.action_probabilities)).values.max() <= 1.0
    assert answer_key(Loser()) is not answer_key(stock)
    assert play(game, [optimal, random], 50, np.random.default_rng(0)).returns[:, 0].mean() >= 0.0


def test_nothing_is_kept_of_what_may_be_another_game_tomorrow(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path))
    assert not solve(Loser()).cached
    assert not solve(Loser()).cached
    assert not list(tmp_path.iterdir())
    assert store.can_cache(make_game("demi-iles"))


def test_a_variation_of_421_is_written_out_by_walking_through_it() -> None:
    rules = Quatre21Rules(fiches=1, manches_to_lose=1)
    ours, stock = OtherWayRound(rules), make_game("421", fiches=1, manches_to_lose=1)
    model, other = model_of(ours), model_of(stock)
    assert model.n_states == other.n_states
    assert model.win.sum() == pytest.approx(other.loss.sum())
    assert model.win.sum() != pytest.approx(other.win.sum())


def test_a_variation_of_the_solo_game_is_refused_at_once() -> None:
    with pytest.raises(Unsolvable, match="which does not know the variation SlowSolo"):
        solve(SlowSolo())
    with pytest.raises(Unsolvable, match="played alone"):
        score(make_policy("collector", SlowSolo()), SlowSolo(), exact=True)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A die on which 1 is as likely as all other faces together; two dice fall as ever."""

    def throw(score: int, dice: int) -> Distribution[int]:
        faces = (1, 1, 1, 1, 1, 2, 3, 4, 5, 6)
        after = (demi_iles._bounded(demi_iles._after_one_die(score, face)) for face in faces)
        return Distribution.uniform(after) if dice == 1 else stock(score, dice)

    stock = demi_iles.throw
    monkeypatch.setattr(demi_iles, "throw", throw)
    return monkeypatch


def test_a_solution_of_the_package_is_none_of_the_game_with_a_loaded_die(
    tmp_path: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path))
    game = make_game("demi-iles")
    near = np.array([[own, 10, 0] for own in range(21)])
    stock, key = solve(game), answer_key(game)
    files = sorted(tmp_path.iterdir())
    patch = request.getfixturevalue("loaded")
    assert spec_of(game) is None
    for asked in (game, make_game("demi-iles")):
        other = solve(asked)
        assert not other.cached
        assert np.abs(other.values_of(near) - stock.values_of(near)).max() > 1e-5  # residuals are below 1e-14
        assert np.array_equal(answer_key(asked).optimum, answer_key(asked).model.pure(_rows(asked, other)))
    assert sorted(tmp_path.iterdir()) == files
    assert answer_key(game) is not key
    patch.undo()
    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path))
    again = solve(game)
    assert again.cached
    assert np.array_equal(again.values_of(near), stock.values_of(near))
    assert answer_key(game) is key


def _rows(game: Any, optimum: Any) -> Any:
    model = answer_key(game).model
    actions = optimum.actions_of(model.fields)
    assert (np.diff(model.row_start) == 3).all()
    return model.row_start[:-1] + actions


@pytest.mark.usefixtures("loaded")
def test_what_knows_the_solo_game_by_its_class_refuses_it_with_a_loaded_die() -> None:
    with pytest.raises(Unsolvable, match=r"does not know nenette\.games\.demi_iles\.throw, which was replaced$"):
        solve(make_game("demi-iles-solo"))


@pytest.mark.parametrize("leader", ["loser", "opening"])
def test_an_opening_that_favours_a_seat_is_solved_or_refused(leader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("421", fiches=1, manches_to_lose=1 if leader == "loser" else 2, next_manche_leader=leader)
    stock = model_of(game)
    monkeypatch.setattr(quatre21, "opening", lambda players: Distribution.of({0: 2, 1: 1}))
    if leader == "loser":
        assert model_of(game).n_states == stock.n_states  # walked through, and of the same values to whoever leads
        assert not solve(game).cached
    else:
        with pytest.raises(Unsolvable, match=r"^421 draws who moves next otherwise for one seat than for another$"):
            solve(game)


def test_there_are_certificates_about_the_games_that_come_with_the_package_only() -> None:
    with pytest.raises(CertificateError, match=r"^certificates are about the games .* not about a variation, Loser"):
        certify(Loser())


def test_policies_of_a_variation() -> None:
    game = Mine()
    assert policy_names(game) == ["random", "optimal", "greedy", "blocker"]
    with pytest.raises(
        ValueError,
        match=r"^'ppo-strong' plays mine by its default rules only, not with the variation Mine of it$",
    ):
        make_policy("ppo-strong", game)
    assert load_opponent("greedy", game).name == "greedy"
    assert load_opponent("best-response:greedy", game).name == "best-response:greedy"
    with pytest.raises(ValueError, match="a policy of mine is one of 'random', 'optimal', 'greedy', 'blocker'"):
        make_policy("gredy", game)


def test_a_variation_is_written_out_once() -> None:
    game = Loser()
    assert answer_key(game) is answer_key(game)
    assert answer_key(game) is not answer_key(Loser())
