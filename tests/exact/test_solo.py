"""The solo game's optimum, against value iteration on the re-stated rules and the game's own outcomes."""

import json
import logging
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from restatement import demi_iles_solo_next
from solo_chains import DenseGame, bits

from nenette.exact import solve, store
from nenette.exact.solo import solving
from nenette.exact.solo.states import N_SETS, N_STATES, index, members, pack, unpack
from nenette.games import make_game
from nenette.games.demi_iles import ALL_SEEN, SoloState
from nenette.policies import make_policy

GAME = make_game("demi-iles-solo")


@pytest.fixture(scope="module")
def optimum(own_cache):
    return solve(GAME)


def fields_of(*states):
    return np.array([GAME.encode(SoloState(*state), 0) for state in states])


def test_the_report(optimum):
    report = json.loads(json.dumps(optimum.report()))
    assert report["game"] == "demi-iles-solo"
    assert report["states"] == 12_582_911
    assert report["turns"] == pytest.approx(80.8830733438, abs=1e-9)
    assert report["value"] == -report["turns"]
    assert report["cached"] is optimum.cached


@pytest.mark.parametrize("missing", [(), (20,), (3, 11), (18, 19, 20), (1, 7, 12, 20)])
def test_values_are_those_that_value_iteration_comes_to_from_both_ends(optimum, missing):
    dense = DenseGame(missing)
    lower, upper = (dense.iterate(np.full(len(dense.states), end), 2500) for end in (0.0, 200.0))
    assert np.abs(upper - lower).max() < 1e-9
    assert -optimum.values_of(dense.fields) == pytest.approx(lower, abs=1e-9)


@given(seen=st.integers(0, ALL_SEEN), pick=st.integers(0, 21))
def test_bellmans_equation_holds_and_the_action_attains_it(optimum, seen, pick):
    scores = [0, *(s for s in range(1, 21) if seen >> (s - 1) & 1), 21]
    state = SoloState(scores[pick % len(scores)], seen)
    if GAME.returns(state) is not None:
        assert optimum.values_of(fields_of(state)) == [0.0]
        return
    worth = [
        -1 + sum(float(p) * optimum.values_of(fields_of(after))[0] for after, p in GAME.outcomes(state, dice))
        for dice in range(3)
    ]
    assert optimum.values_of(fields_of(state))[0] == pytest.approx(max(worth), abs=1e-11)
    assert worth[optimum.actions_of(fields_of(state))[0]] == pytest.approx(max(worth), abs=1e-11)


def test_reachable_states_are_those_that_a_search_finds():
    """All of those with up to four scores seen: sets only grow, so the search may leave out what lies beyond."""
    reached, count = solving.reachable()
    found, todo = {(0, frozenset())}, [(0, frozenset())]
    while todo:
        state = todo.pop()
        for dice in range(3):
            new = {after for after in demi_iles_solo_next(*state, dice) if len(after[1]) <= 4} - found
            found |= new
            todo += new
    expected = {
        (score, frozenset(seen))
        for size in range(5)
        for seen in combinations(range(1, 21), size)
        for score in range(22)
        if reached[bits(seen)] >> score & 1
    }
    assert expected == found
    assert count == 11_718_208
    assert count == sum(int(reached >> s & 1).bit_count() for s in ()) + int(np.bitwise_count(reached).sum())


def test_the_layout_has_a_place_for_each_state_and_no_gaps():
    for first in (0, N_SETS // 2, N_SETS - 4096):
        sets = np.arange(first, first + 4096)
        rows, scores = np.nonzero(members(sets))
        places = index(scores, sets[rows])
        assert np.array_equal(places, places[0] + np.arange(len(places)))
    assert places[-1] == N_STATES - 2  # the end of the game is the last, and nothing is decided there


def test_what_is_no_state_has_no_place(optimum):
    with pytest.raises(
        ValueError, match=r"^a state was given with score 7, and that score is not among those stood on$"
    ):
        optimum.values_of(fields_of((0, 0), (7, 0b1)))
    with pytest.raises(ValueError, match=r"^a state was given in which no move is to be made in demi-iles-solo$"):
        optimum.actions_of(fields_of((21, ALL_SEEN)))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_actions_at_two_bits_each(actions):
    actions = np.array(actions * 4, dtype=np.uint8)
    assert len(pack(actions)) == len(actions) // 4
    assert np.array_equal(unpack(pack(actions), np.arange(len(actions))), actions)


def test_the_cut_makes_no_difference_and_the_second_time_it_is_mapped(optimum):
    again = solve(make_game("demi-iles-solo", max_turns=7))
    assert again.cached
    assert again.seconds < 0.2
    assert isinstance(again.turns.base, np.memmap | np.ndarray)
    assert not again.turns.flags.writeable
    assert np.array_equal(again.packed, optimum.packed)


def test_the_optimal_policy_plays_it(optimum):
    policy = make_policy("optimal", GAME)
    fields = fields_of((0, 0), (21, 0), (16, ALL_SEEN))
    probabilities = policy.action_probabilities(GAME.codec.encode(fields), np.ones((3, 3), dtype=np.int8))
    assert np.array_equal(probabilities.argmax(axis=1), optimum.actions_of(fields))
    assert probabilities[2].tolist() == [0, 0, 1]  # only two dice reach 21 from 16


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """A solver that takes no time, and how often it was asked."""
    calls = []

    def solved():
        calls.append(1)
        return {"packed": np.arange(64, dtype=np.uint8), "turns": np.linspace(0, 80, 30_000)}, {"turns": 80.0}

    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path))
    monkeypatch.setattr(solving, "_solve", solved)
    return calls


@pytest.mark.parametrize("where", [3, 40, 300, 5_000, -3, "cut", "empty"])
def test_a_damaged_file_is_solved_again_and_says_so(quick, tmp_path, caplog, where):
    solve(GAME)
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    if isinstance(where, int):
        content[where] ^= 0x10
    file.write_bytes({"cut": content[:-100], "empty": b""}.get(where, content))
    with caplog.at_level(logging.WARNING, logger="nenette"):
        assert not solve(GAME).cached
    (record,) = caplog.records
    assert f"the cached solution {file} is damaged" in record.getMessage()
    assert len(quick) == 2
    assert solve(GAME).cached


def test_a_map_outlives_the_file_that_another_process_puts_in_its_place(quick, tmp_path):
    first = solve(GAME)
    mapped = solve(GAME)
    (file,) = tmp_path.iterdir()
    store.write(file, {"packed": np.zeros(64, np.uint8), "turns": np.zeros(30_000)}, {"turns": 0.0})
    assert np.array_equal(mapped.turns, first.turns)
    assert solve(GAME).turns.max() == 0


@pytest.mark.slow
def test_two_processes_at_once_do_no_harm(tmp_path):
    program = (
        "from nenette.exact import solve; from nenette.games import make_game;"
        "print(solve(make_game('demi-iles-solo')).turns[0])"
    )
    environment = {"NENETTE_CACHE": str(tmp_path), "PATH": "", "HOME": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert {process.communicate(timeout=300)[0].strip()[:12] for process in both} == {"80.883073343"}
    (file,) = Path(tmp_path).glob("*.safetensors")
    assert store.read(file, mapped=True) is not None
    assert not list(tmp_path.glob("*.part"))
