"""What is played follows from the game object, whatever it is called, and its distributions, in all ways of playing."""

import copy
import gc
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, Always, Mixed, play_on
from gymnasium.vector import AutoresetMode
from slot_stream import SlotStream, give
from slow_seats import SlowSeats

from nenette.environments.compiled_game import CompiledGame
from nenette.environments.python_game import PythonGame
from nenette.environments.turn_based import TurnBasedEnv
from nenette.environments.vector import env as vector_env
from nenette.environments.vector.all_seats import AllSeatsVectorEnv
from nenette.environments.vector.compiled_machine import CompiledMachine
from nenette.environments.vector.env import TurnBasedVectorEnv
from nenette.environments.vector.machines import compiled_machine
from nenette.environments.vector.python_machine import PythonMachine
from nenette.environments.vector.slots import OVER
from nenette.exact import enumerate_game
from nenette.games import Distribution, Game, demi_iles, make_game, quatre21
from nenette.games.demi_iles import DemiIles, DemiIlesRules, DemiIlesSolo, State
from nenette.games.quatre21 import Quatre21, Quatre21Rules
from nenette.matches.sampled import play
from nenette.pettingzoo.table import Table
from nenette.policies import make_policy

SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP
FACES = (1, 1, 2, 3, 4, 5, 6)
"""A die on which 1 is twice as likely."""


class Negated(DemiIles):
    """Whoever stands on 21 loses."""

    def returns(self, state: State) -> tuple[float, ...] | None:
        returns = super().returns(state)
        return None if returns is None else tuple(-x for x in returns)


class Mine(DemiIles):
    """Another name, a price for each turn, a start from which all may be over at once: what the tables ask about."""

    name = "mine"
    turn_reward = -0.25

    def initial(self) -> Distribution[State]:
        return Distribution.of({State((3, 20), 1): 2, State((0, 0), 0): 1})


class Crooked(Quatre21):
    """No dice are thrown again in the match's last manche."""

    def legal_actions(self, state: Any) -> tuple[int, ...]:
        legal = super().legal_actions(state)
        return (0,) if 0 in legal and max(state.manches) > 0 else legal


class Long(DemiIlesSolo):
    """Two turns are one; what has been seen is observed in reverse order."""

    def starts_turn(self, state: Any) -> bool:
        return state.score % 2 == 0

    def encode(self, state: Any, seat: int) -> tuple[int, ...]:
        score, *seen = super().encode(state, seat)
        return (score, *reversed(seen))

    def decode(self, fields: Any) -> Any:
        score, *seen = fields
        return super().decode((score, *reversed(seen)))


class Wide(DemiIles):
    """Two dice are action 69: more actions than a number of compiled code has bits."""

    def __init__(self, rules: DemiIlesRules | None = None) -> None:
        super().__init__(rules)
        self.n_actions = 70

    def legal_actions(self, state: State) -> tuple[int, ...]:
        return (0, 1, 69)

    def chance(self, state: State, action: int) -> Distribution[int]:
        return super().chance(state, min(action, 2))

    def follow(self, state: State, action: int, fallen: Any) -> Distribution[State]:
        return super().follow(state, min(action, 2), fallen)


class Ready(DemiIles):
    """Every other game is over before anybody has had a move."""

    def initial(self) -> Distribution[State]:
        return Distribution.of({State((21, 0), 0): 1, State((15, 0), 1): 1})


OTHERS: dict[str, tuple[Any, bool]] = {
    "negated": (Negated, False),
    "mine": (Mine, True),
    "crooked": (lambda: Crooked(Quatre21Rules(fiches=3)), False),
    "long": (Long, False),
    "wide": (Wide, False),
}
EACH = pytest.mark.parametrize("name", OTHERS)


def _single(game: Game[Any], **options: Any) -> TurnBasedEnv:
    opponents = {"opponents": Mixed(fixed=True)} if game.players > 1 else {}
    return TurnBasedEnv(game, **opponents, **options)


def _hold_walks_together(game: Game[Any], steps: int = 150) -> None:
    """In Python, compiled if it can be, in slots of either mode, and with all seats: all of them play the same."""
    one, other = _single(game, seat=0), _single(game, seat=0)
    other.patience = 0  # type: ignore[misc]
    for env in (one, other):
        env.reset(seed=3)
    assert list(play_on(one, steps, seed=1)) == list(play_on(other, steps, seed=1))
    assert one.np_random.bit_generator.state == other.np_random.bit_generator.state
    for mode in (SAME, NEXT):
        _hold_slots(game, mode, steps)
        if game.players > 1:
            _hold_seats(game, mode, steps)


def _hold_slots(game: Game[Any], mode: AutoresetMode, steps: int) -> None:
    options: dict[str, Any] = {"opponents": Mixed(fixed=True)} if game.players > 1 else {}
    slots = 3
    seat: Any = "random" if game.players > 1 else 0
    many = TurnBasedVectorEnv(game, slots, seat=seat, autoreset_mode=mode, **options)
    singles = [_single(game, seat=seat) for _ in range(slots)]
    for slot, env in enumerate(singles):
        give(env, 9, slot)
    observations, infos = many.reset(seed=9)
    seen = [env.reset() for env in singles]
    over = [False] * slots
    rng = np.random.default_rng(2)
    for _ in range(steps):
        for slot, (observation, info) in enumerate(seen):
            assert observations[slot].tobytes() == observation.tobytes()
            assert infos["action_mask"][slot].tolist() == info["action_mask"].tolist()
            assert infos["seat"][slot] == info["seat"]
        actions = rng.integers(game.n_actions, size=slots)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        for slot, env in enumerate(singles):
            if over[slot]:
                seen[slot], over[slot] = env.reset(), False
                continue
            observation, reward, ended, cut, info = env.step(int(actions[slot]))
            assert (rewards[slot], terminated[slot], truncated[slot]) == (reward, ended, cut)
            seen[slot] = (observation, info)
            if (ended or cut) and mode is SAME:
                assert infos["final_obs"][slot].tobytes() == observation.tobytes()
                assert infos["final_info"]["action_mask"][slot].tolist() == info["action_mask"].tolist()
                seen[slot] = env.reset()
            over[slot] = (ended or cut) and mode is NEXT


def _hold_seats(game: Game[Any], mode: AutoresetMode, steps: int) -> None:
    many = AllSeatsVectorEnv(game, 2 * game.players, autoreset_mode=mode)
    games = [SlowSeats(game, SlotStream(5, number)) for number in range(2)]
    observations, infos = many.reset(seed=5)
    over = [False, False]
    rng = np.random.default_rng(4)
    for _ in range(steps):
        assert observations.tobytes() == np.concatenate([one.observations() for one in games]).tobytes()
        assert infos["action_mask"].tolist() == [mask for one in games for mask in one.masks()]
        actions = rng.integers(game.n_actions + 1, size=2 * game.players)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        for number, one in enumerate(games):
            own = slice(number * game.players, (number + 1) * game.players)
            if over[number]:
                one.reset()
                over[number] = False
                continue
            turned = game.turn_reward * game.starts_turn(one.state) * np.eye(game.players)[game.seat(one.state)]
            paid, _ = one.step(actions[own].tolist())
            assert rewards[own].tolist() == pytest.approx((turned + paid).tolist())
            assert (terminated[own] == (one.returns is not None)).all()
            assert (truncated[own] == one.cut).all()
            if one.over and mode is SAME:
                one.reset()
            over[number] = one.over and mode is NEXT


@EACH
def test_a_subclass_is_played_as_it_is(name: str) -> None:
    make, compiled = OTHERS[name]
    assert (compiled_machine(make()) is not None) == compiled
    _hold_walks_together(make())


@pytest.mark.parametrize("mode", [SAME, NEXT], ids=lambda mode: mode.name)
def test_a_game_that_is_over_at_its_start_is_begun_again(mode: AutoresetMode) -> None:
    assert compiled_machine(Ready()) is None
    _hold_slots(Ready(), mode, 60)
    env = AllSeatsVectorEnv(Ready(), 2 * 40, autoreset_mode=mode)
    env.reset(seed=3)
    if mode is SAME:  # where every seat learns, a game that is over is over
        assert (env._batch.places[:, :2] == [15, 0]).all()
    else:
        assert 10 < (env._batch.status == OVER).sum() < 30
        _, _, terminated, _, _ = env.step(np.full(80, 3))
        assert not terminated[np.repeat(env._batch.status != OVER, 2)].any()


def test_who_loses_by_standing_on_21_does_so_after_thousands_of_steps_too() -> None:
    env = TurnBasedEnv(Negated(), opponents=[Always(0)], seat=0)
    env.patience = 0  # type: ignore[misc]
    env.reset(seed=0)
    rewards = {reward for _, reward, terminated, *_ in _steps(env, 3000) if terminated}
    assert rewards == {-1.0}
    assert type(env._playing) is PythonGame


def _steps(env: TurnBasedEnv, n: int) -> Any:
    rng = np.random.default_rng(0)
    for _ in range(n):
        step = env.step(int(rng.integers(1, 3)))
        yield step
        if step[2] or step[3]:
            env.reset()


def test_a_game_of_another_name_goes_on_in_compiled_code() -> None:
    env = TurnBasedEnv(Mine(), opponents="random", seat=0)
    env.patience = 20  # type: ignore[misc]
    env.reset(seed=0)
    list(_steps(env, 100))
    assert type(env._playing) is CompiledGame


def test_a_rule_replaced_in_the_object_itself_is_seen() -> None:
    game = DemiIles()
    assert compiled_machine(game) is not None
    game.returns = lambda state: None  # type: ignore[method-assign]
    assert compiled_machine(game) is None


def test_equal_games_share_their_tables_and_others_have_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    game, longer, turns_cost = make_game("demi-iles"), make_game("demi-iles"), make_game("demi-iles")
    longer.max_turns, turns_cost.turn_reward = 7, -0.5
    known = compiled_machine(game)
    assert known is compiled_machine(make_game("demi-iles"))
    others = [
        longer,
        turns_cost,
        make_game("demi-iles", max_turns=9),
        make_game("demi-iles", players=3),
        Mine(),
        Mine(),
    ]
    machines = [compiled_machine(other) for other in others]
    assert len({id(machine) for machine in [known, *machines]}) == 7
    for machine, other in zip(machines, others, strict=True):
        assert machine is not None
        played = machine.game  # another object of equal rules where somebody has asked for such a game before
        assert (type(played), played.rules, played.max_turns) == (type(other), other.rules, other.max_turns)
        assert played.turn_reward == other.turn_reward
        assert played is other or not isinstance(other, Mine)
    _load_dice(monkeypatch)
    assert compiled_machine(game) is not known
    monkeypatch.undo()
    assert compiled_machine(game) is known


def _machines_in_memory() -> int:
    gc.collect()
    # By type alone: isinstance also asks objects of other libraries, some of which then warn.
    return sum(issubclass(type(kept), CompiledMachine) for kept in gc.get_objects())


def test_environments_that_are_gone_leave_few_tables_behind() -> None:
    before = _machines_in_memory()
    for turns in range(10, 40):
        assert compiled_machine(make_game("demi-iles", max_turns=turns)) is not None
        assert compiled_machine(Mine()) is not None
    assert _machines_in_memory() <= before + 16


@pytest.mark.parametrize("env_id", [SOLO, DEMI_ILES, QUATRE21])
def test_slots_in_python_play_what_compiled_ones_play(env_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {SOLO: "demi-iles-solo", DEMI_ILES: "demi-iles", QUATRE21: "421"}
    rules = {
        SOLO: {"max_turns": 50},
        DEMI_ILES: {"players": 3, "max_turns": 31},
        QUATRE21: {"fiches": 3, "kept_dice": "frozen"},
    }[env_id]
    game = make_game(names[env_id], **rules)
    for seats, mode in product(("one", "all") if game.players > 1 else ("one",), (SAME, NEXT)):
        envs = []
        for machine in (None, PythonMachine):
            with monkeypatch.context() as patch:
                if machine is not None:
                    patch.setattr(vector_env, "machine_of", machine)
                if seats == "all":
                    envs.append(AllSeatsVectorEnv(game, 2 * game.players, autoreset_mode=mode))
                else:
                    options = {"opponents": "random", "seat": "random"} if game.players > 1 else {}
                    envs.append(TurnBasedVectorEnv(game, 4, autoreset_mode=mode, **options))  # type: ignore[arg-type]
        assert type(envs[1]._machine) is PythonMachine
        assert type(envs[0]._machine) is not PythonMachine
        given = [env.reset(seed=6)[0].tobytes() for env in envs]
        rng = np.random.default_rng(1)
        for step in range(80):
            assert given[0] == given[1]
            actions = rng.integers(envs[0].single_action_space.n, size=envs[0].num_envs)
            both = [env.step(actions) for env in envs]
            for one, other in zip(both[0][:4], both[1][:4], strict=True):
                assert one.tobytes() == other.tobytes()
            assert str(both[0][4]) == str(both[1][4])
            assert (envs[0]._batch.words == envs[1]._batch.words).all()
            if step % 20 == 7:
                envs = [copy.deepcopy(envs[0]), pickle.loads(pickle.dumps(envs[1]))]
                envs[1].load_state(envs[1].state())
            given = [one[0].tobytes() for one in both]


def test_a_state_that_cannot_be_is_refused_in_python_too() -> None:
    env = TurnBasedVectorEnv(Negated(), 2, opponents="random")
    env.reset(seed=0)
    for value in (-1, 22, 1 << 30):
        state = env.state()
        state["places"][1, 0] = value
        with pytest.raises(ValueError, match=r"^slot 1 stands where no game of demi-iles can$"):
            env.load_state(state)


def _load_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    def throw(score: int, dice: int) -> Distribution[int]:
        if dice < 2:
            return stock(score, dice) if dice == 0 else Distribution.uniform(one(score, d) for d in FACES)
        return Distribution.uniform(two(score, a, b) for a, b in product(FACES, FACES))

    def one(score: int, die: int) -> int:
        return demi_iles._bounded(demi_iles._after_one_die(score, die))

    def two(score: int, first: int, second: int) -> int:
        return demi_iles._bounded(demi_iles._after_two_dice(score, first, second))

    def throw_421(kept: Any) -> Distribution[Any]:
        fallen = product(sorted(FACES, reverse=True), repeat=3 - len(kept))
        return Distribution.uniform(tuple(sorted((*kept, *dice), reverse=True)) for dice in fallen)

    stock = demi_iles.throw
    monkeypatch.setattr(demi_iles, "throw", throw)
    monkeypatch.setattr(quatre21, "throw", throw_421)


def _opening(monkeypatch: pytest.MonkeyPatch, weights: dict[int, int]) -> None:
    monkeypatch.setattr(quatre21, "opening", lambda players: Distribution.of(weights))


@pytest.mark.parametrize("name", ["demi-iles", "demi-iles-solo", "421"])
def test_all_ways_of_playing_throw_loaded_dice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _load_dice(monkeypatch)
    game = make_game(name, **({"fiches": 3} if name == "421" else {}))
    assert compiled_machine(game) is not None
    _hold_walks_together(game)


@pytest.mark.parametrize("weights", [{0: 2, 1: 1}, {1: 3, 0: 1}, {1: 1}], ids=str)
@pytest.mark.parametrize("leader", ["loser", "opening"])
def test_all_ways_of_playing_open_as_the_rules_say(
    weights: dict[int, int], leader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _opening(monkeypatch, weights)
    game = Quatre21(Quatre21Rules(fiches=2, next_manche_leader=leader))
    assert compiled_machine(game) is not None
    _hold_walks_together(game)
    share = weights.get(0, 0) / sum(weights.values())
    env = AllSeatsVectorEnv(game, 2 * 4000)
    env.reset(seed=1)
    assert (1 - env._batch.places[:, 2]).mean() == pytest.approx(share, abs=0.03)
    table = Table(game, forced_throws="asked", keeps=False)
    leads = []
    for seed in range(600):
        table.reset(seed)
        leads.append(table.mover == 0)
    assert np.mean(leads) == pytest.approx(share, abs=0.06)


def test_played_matches_and_trees_open_as_the_rules_say(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = pytest.importorskip("nenette.openspiel.nodes", reason="OpenSpiel is not installed")
    _opening(monkeypatch, {0: 2, 1: 1})
    game = Quatre21(Quatre21Rules(fiches=1, manches_to_lose=1))
    assert [float(p) for _, p in nodes.Tree(game, 100).root().chance] == pytest.approx([2 / 3, 1 / 3])

    class Leaders:
        def began(self, states: Any) -> None:
            self.first = [state.order[0] for state in states]

        def moved(self, *_: Any) -> None:
            """Nothing is looked at."""

    leaders, anybody = Leaders(), make_policy("random", game)
    play(game, [anybody, anybody], 1500, np.random.default_rng(0), witness=leaders)
    assert np.mean(leaders.first) == pytest.approx(1 / 3, abs=0.04)


def test_the_solver_enumerates_loaded_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    _load_dice(monkeypatch)
    model = enumerate_game(DemiIles(DemiIlesRules(max_turns=None)))
    game = DemiIles()
    start = State((0, 0), 0)
    probabilities = {after.scores[0]: float(p) for after, p in game.outcomes(start, 1)}
    assert probabilities[1] == pytest.approx(2 / 7)
    row = model.row_start[model.start] + 1
    assert sorted(model.transition[[row]].data.tolist()) == pytest.approx(sorted(probabilities.values()))
