"""Answer keys that many tests ask; each is made once a run."""

import pytest

from nenette.exact import AnswerKey, answer_key
from nenette.games import make_game


@pytest.fixture(scope="session")
def demi_iles(own_cache) -> AnswerKey:
    return answer_key(make_game("demi-iles"))


@pytest.fixture(scope="session")
def short_421(own_cache) -> AnswerKey:
    """A match of 421 with two fiches."""
    return answer_key(make_game("421", fiches=2))


@pytest.fixture(scope="session")
def whole_421(own_cache) -> AnswerKey:
    return answer_key(make_game("421"))


@pytest.fixture(params=["demi_iles", "short_421"])
def key(request) -> AnswerKey:
    return request.getfixturevalue(request.param)
