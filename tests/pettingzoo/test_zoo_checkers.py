"""PettingZoo's own checks, for both games, both forms and every option; a warning is an error."""

import importlib
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")

with warnings.catch_warnings():
    # Where pygame is installed, its own example warns of how it is made itself.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        max_cycles_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
        state_test,
    )
from zoo_cases import CASES, named

from nenette.pettingzoo import demi_iles_v0, quatre21_v0

CASE = pytest.mark.parametrize(("module", "options"), CASES, ids=named)
MODULE = pytest.mark.parametrize("module", [demi_iles_v0, quatre21_v0], ids=["demi-iles", "421"])


@pytest.fixture
def known_to_pettingzoo(monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo warns of dictionary observations unless an environment is on its list of those that have them."""
    checks = importlib.import_module("pettingzoo.test.api_test")
    for name in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(checks, name, [*getattr(checks, name), "demi_iles_v0", "quatre21_v0"])


@CASE
@pytest.mark.usefixtures("known_to_pettingzoo")
def test_pettingzoo_accepts_the_aec_form(module: ModuleType, options: dict[str, Any]) -> None:
    api_test(module.env(**options), num_cycles=150)


@CASE
def test_pettingzoo_accepts_the_parallel_form(module: ModuleType, options: dict[str, Any]) -> None:
    parallel_api_test(module.parallel_env(**options), num_cycles=300)


@CASE
def test_seeds_reproduce(module: ModuleType, options: dict[str, Any]) -> None:
    seed_test(lambda: module.env(**options), num_cycles=100)
    parallel_seed_test(lambda: module.parallel_env(**options), num_cycles=100)


@MODULE
def test_max_cycles_cuts(module: ModuleType) -> None:
    """Every agent acts as often as there are cycles where each turn is one throw, as it is in the charge."""
    rules: dict[str, Any] = {} if module is demi_iles_v0 else {"forced_throws": "asked", "fiches": 100}

    def seeded(make: Any) -> Any:
        def made(**options: Any) -> Any:
            env = make(**options, **rules)
            env.reset(seed=1)  # nobody wins in so few cycles from here, by these actions
            for number, agent in enumerate(env.possible_agents):
                env.action_space(agent).seed(number)
            return env

        return made

    max_cycles_test(SimpleNamespace(env=seeded(module.env), parallel_env=seeded(module.parallel_env)))


@MODULE
def test_it_can_be_rendered(module: ModuleType) -> None:
    render_test(module.env)


@MODULE
def test_the_state_is_in_its_space(module: ModuleType) -> None:
    state_test(module.env(), module.parallel_env(), num_cycles=50)
