"""A pool of past selves that is dealt out by how well each still does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import config_of, everything, quiet, stopped

from nenette.policies.network import NetworkPolicy
from nenette_agents import self_play
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.self_play import PrioritizedPastSelves, Record, apportion, reassign
from nenette_agents.training.build import build
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train


@pytest.mark.parametrize(
    ("weights", "n", "expected"),
    [
        ([0.5625, 0.0625, 0.25], 17, [10, 2, 5]),  # one each, and 9, 1 and 4 of the other 14
        ([1.0, 0.0], 8, [7, 1]),
        ([0.0, 0.0, 0.0], 7, [2, 2, 3]),
        ([3.0, 1.0], 4, [2, 2]),  # 1.5 and 0.5 of the other two: the remainders are equal
        ([5.0, 3.0, 2.0], 6, [2, 2, 2]),  # 1.5, 0.9 and 0.6 of the other three
        ([4.0, 1.0, 2.0, 3.0], 2, [1, 0, 0, 1]),  # not enough for one each: 0.8, 0.2, 0.4 and 0.6
        ([1.0], 5, [5]),
    ],
)
def test_environments_are_dealt_out_as_worked_out_by_hand(weights, n, expected) -> None:
    assert apportion(weights, n) == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(1, 60))
def test_every_environment_is_dealt_and_more_weight_never_gets_less(weights, n) -> None:
    counts = apportion(weights, n)
    assert sum(counts) == n
    assert min(counts) >= (n >= len(weights))
    ordered = sorted(range(len(weights)), key=lambda k: (weights[k], counts[k]))
    assert [counts[k] for k in ordered] == sorted(counts)


def test_a_copys_weight_is_the_square_of_how_often_it_wins() -> None:
    assert Record().weight == 0.25  # half of all games, before there are any
    assert Record(games=10, won=0).weight == 0.5625  # 15 of 20
    assert Record(games=10, won=10).weight == 0.0625  # 5 of 20
    assert Record(games=10, won=5).weight == 0.25
    record = Record(games=10, won=10)
    record.fade()
    assert record.weight == (1 - 10 / 15) ** 2


def test_whoever_may_stay_stays() -> None:
    assert reassign([0, 0, 1, 1, 2, 2], [1, 2, 3]) == [0, 2, 1, 1, 2, 2]
    assert reassign([-1, -1, 0, 0], [2, 2]) == [1, 1, 0, 0]


class Named:
    """A copy that can be distinguished from others."""

    def __init__(self, name: str) -> None:
        self.name = name

    def action_probabilities(self, observations: Any, masks: Any) -> Any:
        return masks / masks.sum(axis=1, keepdims=True)


@pytest.fixture
def pool_of(small_config):
    """A pool of three in environments, and who plays in each of these."""

    def make(name: str, *overrides: str):
        drawn = ["self_play.copies=3", "self_play.sampling=prioritized", "ppo.batch_size=32"]
        config = load_config(small_config(name), [*drawn, *overrides])
        built = build(config)
        environments, selves = built.environments, PrioritizedPastSelves(3, built.game, built.past_selves._opponents)
        selves.policies = built.past_selves.policies
        selves.enter(environments)

        def sitting() -> list[str]:
            inside: Any = environments.unwrapped
            env = inside.parts[-1].env if hasattr(inside, "parts") else inside.env
            played = [env._seating.opponents[k].policy for k in env._seating.tables.seated.ravel()]
            return [policy._policy.name if policy in selves.policies else policy.name for policy in played]

        return selves, sitting

    return make


def _play(selves: PrioritizedPastSelves, results: list[float | None]) -> None:
    """A step in which games end with these returns; None: it goes on."""
    dones = np.array([result is not None for result in results])
    selves.watch(dones, [{} if result is None else {"episode": {"r": np.float32(result)}} for result in results])


def test_who_always_loses_gets_the_least_and_who_always_wins_the_most(pool_of) -> None:
    selves, sitting = pool_of("demi-iles-ppo", "opponents=past", "n_envs=17")
    selves.renew(Named("a"))
    assert sitting() == ["a"] * 17
    selves.renew(Named("b"))
    assert sorted(sitting()) == ["a"] * 8 + ["b"] * 9
    selves.renew(Named("c"))
    assert sorted(sitting()) == ["a"] * 5 + ["b"] * 6 + ["c"] * 6
    returns = {"a": 1.0, "b": -1.0, "c": 0.0}
    for _ in range(100):
        _play(selves, [returns[name] for name in sitting()])
    assert [record.won / record.games for record in selves._records] == [1, 0, 0.5]
    # a is the oldest, and goes; b has lost nothing, c half, and d is taken to do so.
    selves.renew(Named("d"))
    b, half = 1 - 5 / (300 - 3 + 10), 0.5
    assert selves._records[0].games == (6 * 100 - 6) / 2 == 297
    shares = [14 * weight / (b**2 + 2 * half**2) for weight in (b**2, half**2, half**2)]
    assert shares == pytest.approx([9.22, 2.39, 2.39], abs=0.02)
    assert {name: sitting().count(name) for name in "bcd"} == {"b": 10, "c": 3, "d": 4}
    for _ in range(1000):
        _play(selves, [1.0 if name == "b" else -1.0 for name in sitting()])
    selves.renew(Named("e"))  # b goes
    selves.renew(Named("f"))
    for _ in range(1000):
        _play(selves, [1.0 if name == "e" else -1.0 for name in sitting()])
    selves.renew(Named("g"))
    assert sitting().count("e") == 1


def test_only_games_that_were_begun_against_a_copy_count_for_it(pool_of) -> None:
    selves, sitting = pool_of("421-ppo", "opponents={self: 1, random: 1, past: 2}", "n_envs=8", "rules.players=2")
    selves.renew(Named("a"))
    assert sitting() == ["a", "random", "a", "a", "random", "a"][: len(sitting())]
    before = sitting()
    mine = [k for k, name in enumerate(before) if name == "a"]
    selves.renew(Named("b"))
    moved = [k for k in mine if sitting()[k] == "b"]
    assert 0 < len(moved) < len(mine)
    ends: list[float | None] = [1.0] * (selves._opponents.first_slot + len(before))
    _play(selves, ends)
    assert [record.games for record in selves._records] == [len(mine) - len(moved), 0]
    _play(selves, ends)
    assert [record.games for record in selves._records] == [2 * (len(mine) - len(moved)), len(moved)]
    assert [record.won for record in selves._records] == [record.games for record in selves._records]
    assert sitting().count("random") == before.count("random")


def test_with_more_seats_a_game_counts_for_each_copy_that_sits_there(pool_of) -> None:
    selves, sitting = pool_of("demi-iles-ppo", "opponents=[past, random, past]", "n_envs=6", "rules.players=3")
    assert selves._opponents.n_past == 4
    assert selves._opponents.past_at.tolist() == [[0, -1], [-1, 1], [1, 2], [2, -1], [-1, 3], [3, 0]]
    selves.renew(Named("a"))
    selves.renew(Named("b"))
    assert sitting().count("random") == 4
    assert {sitting().count("a"), sitting().count("b")} == {4}
    selves._whole[:] = True
    _play(selves, [1.0, None, -0.5, None, None, None])
    by_name = {name: sitting()[0:1].count(name) + sitting()[4:6].count(name) for name in "ab"}
    assert [record.games for record in selves._records] == [by_name["a"], by_name["b"]]
    # The first game was won. The other was lost, which is paid for with half of what a win brings.
    assert [record.won for record in selves._records] == [float(sitting()[0] == name) for name in "ab"]


def test_its_state_is_all_there_is_to_it(pool_of) -> None:
    one, _ = pool_of("demi-iles-ppo", "opponents=past", "n_envs=9")
    size = one._game.codec.size
    rng = np.random.default_rng(0)
    for _ in range(5):
        layers = [(rng.normal(size=(3, size)).astype(np.float32), np.zeros(3, dtype=np.float32))]
        one.renew(NetworkPolicy(one._game, layers, name="past", head="softmax", activation="tanh"))
        _play(one, [1.0, -1.0, 0.0, *[None] * 6])
    other, _ = pool_of("demi-iles-ppo", "opponents=past", "n_envs=9")
    assert not one.state()["whole"].all()
    other.load_state(one.state())
    assert {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in other.state().items()} == {
        k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in one.state().items()
    }
    for key, value, sentence in [
        ("seated", np.full(9, 1), "a copy that is not kept is assigned an environment"),
        ("won", np.full(3, 99.0), "won is negative or larger than games, and numbers from 0 to games were expected"),
        ("whole", np.ones(8, dtype=np.bool_), r"whole is bool \(8,\), and bool \(9,\) is expected"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            other.load_state({**one.state(), key: value})


@pytest.mark.parametrize("kind", ["421-pool", "421-dqn-pool"])
def test_in_a_training_results_are_counted_and_change_who_is_met(kind, monkeypatch, tmp_path) -> None:
    deals: list[tuple[list[float], int, list[int]]] = []
    monkeypatch.setattr(
        self_play,
        "apportion",
        lambda weights, n: (deals.append((weights, n, apportion(weights, n))), deals[-1][2])[1],
    )
    outcome = train(config_of(kind, tmp_path), tmp_path, "run", quiet())
    equal = [apportion([1.0] * len(weights), n) for weights, n, _ in deals]
    assert any(len(set(weights)) == 3 for weights, _, _ in deals)
    assert [counts for _, _, counts in deals] != equal
    checkpoint = Shelf(outcome.folder).newest(print)
    assert checkpoint is not None
    state = checkpoint.states["selves"]
    assert np.bincount(state["seated"] - (len(deals) - 3)).tolist() == deals[-1][2]
    assert ((state["won"] > 0) & (state["won"] < state["games"])).any()


@pytest.mark.parametrize("forgotten", ["won", "seated", "whole"])
def test_nothing_that_it_keeps_is_kept_in_vain(forgotten, whole, stop_at, tmp_path, monkeypatch) -> None:
    stop_at(170)  # late enough for the last copies to be among those that are kept
    folder = stopped(config_of("421-pool", tmp_path), tmp_path)
    load_state = PrioritizedPastSelves.load_state

    def forget(self: PrioritizedPastSelves, state: dict[str, Any]) -> None:
        oldest = state["renewals"] - len(state["networks"])
        anew = {"won": state["games"], "seated": np.full_like(state["seated"], oldest), "whole": ~state["whole"]}
        load_state(self, {**state, forgotten: anew[forgotten]})

    monkeypatch.setattr(PrioritizedPastSelves, "load_state", forget)
    stop_at(10_000)
    resume(folder, quiet())
    assert everything(folder) != everything(whole("421-pool"))


def test_it_counts_the_games_own_results_in_demi_iles_too(tmp_path) -> None:
    overrides = ["self_play.sampling=prioritized", "rules.max_turns=12", "self_play.renew_every=200"]
    overrides += ["rewards={scale: 3.0}", "opponents={past: 0.8, random: 0.2}"]
    outcome = train(config_of("demi-iles-past", tmp_path, *overrides), tmp_path, "run", quiet())
    checkpoint = Shelf(outcome.folder).newest(print)
    assert checkpoint is not None
    state = checkpoint.states["selves"]
    assert state["games"].sum() > 0
    assert np.isin(state["won"] * 2**5, np.arange(1000)).all()  # wins and draws, faded, whatever is paid for them


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        (["opponents=random"], "opponents has no past"),
        (["opponents=past"], "self_play.copies is 1"),
        (
            ["opponents={past: 1, random: 7}", "self_play.copies=2"],
            "past has a single one of the environments",
        ),
    ],
)
def test_where_there_is_nothing_to_deal_that_is_reported(small_config, overrides, why) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(small_config("demi-iles-ppo"), ["self_play.sampling=prioritized", *overrides])
    assert str(error.value).endswith(f": self_play.sampling is 'prioritized'; uniform was expected, for {why}")


def test_another_word_for_how_they_are_drawn_is_refused(small_config) -> None:
    with pytest.raises(
        ConfigError, match=r"self_play\.sampling is 'prioritised'; one of uniform, prioritized was expected"
    ):
        load_config(small_config("demi-iles-ppo"), ["self_play.sampling=prioritised"])
