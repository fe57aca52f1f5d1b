"""The configs that come with the project."""

from pathlib import Path

import pytest

from nenette.games import GAMES
from nenette.policies.ladders import ladder_of
from nenette_agents.config.loading import load_config

FOLDER = Path(__file__).parents[2] / "configs"
CONFIGS = sorted(FOLDER.glob("*.yaml"))


def test_there_is_one_for_each_game_and_algorithm():
    assert {f"{game}-{algorithm}" for game in GAMES for algorithm in ("ppo", "dqn")} <= {path.stem for path in CONFIGS}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_is_valid_says_what_it_trains_and_is_called_after_that(path):
    assert path.read_text().startswith("# ")
    config = load_config(path)
    assert path.stem.startswith(f"{ladder_of(config.make_game())}-{config.algorithm}")
    assert config.evaluation.every is not None
