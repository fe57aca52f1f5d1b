"""The games among OpenSpiel's: its own tests, its algorithms, and the probabilities of the rules."""

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

import subprocess
import sys
from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts

from nenette.exact.models import model_of
from nenette.games import Game, make_game
from nenette.games.demi_iles import State
from nenette.openspiel import GAMES
from nenette.openspiel.nodes import Kind, Node

LOADED = [
    "nenette_demi_iles",
    "nenette_demi_iles(max_turns=2)",
    "nenette_421",
    "nenette_421(manches_to_lose=1,fiches=21,value_of_421=10)",
    "nenette_421(next_manche_leader=opening,fiches=3,manches_to_lose=3)",
    "nenette_421(followers=exactly,kept_dice=frozen,nenette_in_decharge=False,nenette=3)",
    "nenette_421(nenette=0,max_turns=9)",
    "nenette_demi_iles(players=4,max_turns=30)",
    "nenette_421(players=3,manches_to_lose=1)",
    "nenette_421(players=6,fiches=4,nenettes_tie=False,max_turns=60)",
    "nenette_demi_iles_solo(max_turns=150)",
]


def test_they_are_registered() -> None:
    assert set(GAMES) <= set(pyspiel.registered_names())


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("serialize", [False, True])
def test_openspiels_simulation_accepts_it(name: str, serialize: bool) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=serialize, verbose=False)


@pytest.mark.parametrize("name", LOADED)
def test_chance_has_the_probabilities_of_the_rules(name: str) -> None:
    """Where each throw of a game leads, and how likely: OpenSpiel's chance nodes added up against `Game.outcomes`."""
    game = pyspiel.load_game(name)
    rules = game.tree.game
    rng = np.random.default_rng(0)
    state = game.new_initial_state()
    thrown = 0
    for _ in range(100):
        if state.is_terminal():
            state = game.new_initial_state()
        if not state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        node, found = state.node, Counter[Any]()
        for outcome, p in state.chance_outcomes():
            _land(state.child(outcome), p, found)
        wanted = rules.initial() if node.kind is Kind.STATES else rules.outcomes(node.state, node.action)
        if node.turns == 0 or node.kind is Kind.DICE:
            expected = wanted.map(lambda after: _next_to_be_thrown_or_decided(rules, after))
            assert found == pytest.approx({after: float(p) for after, p in expected}, abs=1e-12)
            thrown += 1
        outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=probabilities)))
    assert thrown > 20


def _next_to_be_thrown_or_decided(rules: Game[Any], state: Any) -> Any:
    """Dice that must be thrown again, and can be no others, are taken up: that is no node."""
    while rules.returns(state) is None and len(legal := rules.legal_actions(state)) == 1:
        fallen = rules.chance(state, legal[0])
        if len(fallen) > 1:
            break
        ((state, _),) = rules.follow(state, legal[0], fallen.outcomes[0])
    return state


def _land(state: Any, p: float, found: Counter[Any]) -> None:
    """Adds the probabilities of the states that follow: at once, or where the rules throw for something else."""
    if state.node.kind is not Kind.STATES:
        found[state.node.state] += p  # type: ignore[assignment]
        return
    for outcome, q in state.chance_outcomes():
        _land(state.child(outcome), p * q, found)


def test_421_is_cut_after_so_many_turns() -> None:
    """A turn is a player's throws in one round, however many they are."""
    state = pyspiel.load_game("nenette_421(fiches=100,value_of_421=50,max_turns=300)").new_initial_state()
    rng = np.random.default_rng(0)
    turns = throws = 0
    while not state.is_terminal():
        assert state.node.turns == turns
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=probabilities)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
        if state.node.kind is Kind.DICE:
            throws += 1
            turns += state.node.state.thrown == 0
    assert turns == state.node.turns == 300 < throws
    assert state.returns() == [0.0, 0.0]


def test_value_iteration_meets_the_exact_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """21 des Demi-Îles within 8 turns: all values that OpenSpiel finds, by backward induction on the solver's model."""
    # OpenSpiel's module imports a solver for simultaneous moves, and with it a package that no game of turns calls for.
    monkeypatch.setitem(sys.modules, "open_spiel.python.algorithms.lp_solver", ModuleType("lp_solver"))
    from open_spiel.python.algorithms.value_iteration import value_iteration

    horizon = 8
    theirs = value_iteration(pyspiel.load_game(f"nenette_demi_iles(max_turns={horizon})"), -1, 1e-13, cyclic_game=True)
    model = model_of(make_game("demi-iles"))
    n = model.n_states
    values = np.zeros(n)
    compared = decided = 0
    for turn in reversed(range(horizon)):
        rows = model.payoff + model.transition[:, :n] @ values - model.transition[:, n:] @ values
        values = np.maximum.reduceat(rows, model.row_start[:-1])
        for (own, other, _), value in zip(model.fields.tolist(), values, strict=True):
            scores, seat = ((own, other), 0) if turn % 2 == 0 else ((other, own), 1)
            key = str(Node(Kind.PLAYER, turn, State(scores, seat)))
            if key in theirs:
                assert theirs[key] == pytest.approx(value if seat == 0 else -value, abs=1e-12)
                compared += 1
                decided += abs(value) > 1e-3
    assert compared == sum(f"turn {horizon}," not in key and "over" not in key for key in theirs)
    assert decided > 100


@pytest.mark.parametrize("name", ["nenette_demi_iles(max_turns=40)", "nenette_421(manches_to_lose=1)"])
def test_its_algorithms_run(name: str) -> None:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    rng = np.random.RandomState(0)  # the kind that the bot takes
    while state.is_chance_node():
        outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choice(outcomes, p=probabilities))
    bot = mcts.MCTSBot(game, 1.4, 10, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert bot.step(state) in state.legal_actions()


def test_a_whole_episode_through_rl_environment() -> None:
    env = rl_environment.Environment(pyspiel.load_game("nenette_421"))
    env.seed(0)
    rng = np.random.default_rng(0)
    step = env.reset()
    while not step.last():
        step = env.step([rng.choice(step.observations["legal_actions"][step.current_player()])])
    assert sorted(step.rewards) == [-1.0, 1.0]


@pytest.mark.parametrize("name", LOADED)
def test_a_player_sees_what_the_environments_show(name: str) -> None:
    game = pyspiel.load_game(name)
    rules = game.tree.game
    rng = np.random.default_rng(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        if not state.is_chance_node():
            for seat in range(rules.players):
                seen = rules.codec.encode_one(rules.encode(state.node.state, seat))
                np.testing.assert_array_equal(state.observation_tensor(seat), seen)
        state.apply_action(int(rng.choice(state.legal_actions())))
    if rules.players > 1:
        assert sum(state.returns()) == pytest.approx(0.0, abs=1e-12)
    else:
        assert state.returns() == [-state.node.turns] == [-150]


def test_the_loser_of_three_pays_the_others() -> None:
    state = pyspiel.load_game("nenette_421(players=3,manches_to_lose=1)").new_initial_state()
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert sorted(state.returns()) == [-1.0, 0.5, 0.5]


def test_actions_in_words() -> None:
    demi_iles = pyspiel.load_game("nenette_demi_iles").new_initial_state()
    assert [demi_iles.action_to_string(action) for action in range(3)] == ["no die", "one die", "two dice"]
    game = pyspiel.load_game("nenette_421")
    assert [game.describe(action) for action in (0, 1, 6, 7)] == [
        "stop",
        "throw again 1",
        "throw again 2 3",
        "throw again 1 2 3",
    ]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nenette_421(fiches=0)", "fiches is an integer from 1 to 100, not 0"),
        ("nenette_421(kept_dice=froze)", "kept_dice is one of 'free', 'frozen', not 'froze'; did you mean 'frozen'?"),
        ("nenette_demi_iles(max_turns=1)", "max_turns is an integer of at least 2, not 1"),
        ("nenette_421(players=7)", "players is an integer from 2 to 6, not 7"),
        ("nenette_421(players=3,max_turns=2)", "max_turns is an integer of at least 3, not 2"),
    ],
)
def test_a_wrong_rule_gets_one_sentence(name: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole text is compared
        pyspiel.load_game(name)
    assert str(caught.value) == sentence


def test_without_openspiel_it_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "try:\n    import nenette.openspiel\nexcept ImportError as error:\n    print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed == "nenette.openspiel needs OpenSpiel: in a clone of nenette, pip install '.[openspiel]'\n"


@pytest.mark.parametrize(
    "name",
    ["nenette_421(manches_to_lose=1)", "nenette_421(manches_to_lose=1,fiches=1)", "nenette_421(players=3)", *GAMES],
)
def test_no_episode_of_rl_environment_begins_at_its_end(name: str) -> None:
    """Nor does any end before everybody has had a move."""
    env = rl_environment.Environment(pyspiel.load_game(name))
    env.seed(0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        step, moved = env.reset(), set()
        assert step.first()
        for _ in range(env.num_players):
            assert not step.last()
            moved.add(step.current_player())
            step = env.step([rng.choice(step.observations["legal_actions"][step.current_player()])])
        assert moved == set(range(env.num_players))


@pytest.mark.parametrize("name", ["nenette_demi_iles(max_turns=2)", "nenette_421(manches_to_lose=1,fiches=1)"])
def test_what_is_not_legal_is_refused_everywhere(name: str) -> None:
    state = pyspiel.load_game(name).new_initial_state()
    kinds = set()
    while True:
        kinds.add(state.node.kind)
        for action in {-2, 5, 60, 7} - set(state.legal_actions()):
            before, history = str(state), state.history()
            with pytest.raises(
                ValueError, match=rf"^(action {action} is not|an outcome of chance is|the game is over)"
            ):
                state.apply_action(action)
            assert (str(state), state.history()) == (before, history)
        if state.is_terminal():
            break
        with pytest.raises(ValueError, match="is an integer from 0 to"):
            state.action_to_string(60)
        state.apply_action(state.legal_actions()[-1])
    assert kinds >= {Kind.PLAYER, Kind.DICE, Kind.END}
