"""Copies in the middle of a game go on as the original does."""

import pytest

pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")

import copy
import pickle
from types import ModuleType
from typing import Any

from zoo_cases import CASES, named, play_aec, play_parallel


@pytest.mark.parametrize(("module", "options"), CASES, ids=named)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on(module: ModuleType, options: dict[str, Any], copied: Any) -> None:
    turns = module.env(render_mode="ansi", **options)
    turns.reset(seed=1)
    turns.action_space("player_1").seed(0)
    play_aec(turns, 37, seed=2)
    other = copied(turns)
    assert play_aec(turns, 60, seed=5) == play_aec(other, 60, seed=5)
    assert turns.action_space("player_1").sample() == other.action_space("player_1").sample()
    parallel = module.parallel_env(**options)
    parallel.reset(seed=1)
    play_parallel(parallel, 37, seed=2)
    other = copied(parallel)
    assert play_parallel(parallel, 60, seed=5) == play_parallel(other, 60, seed=5)
