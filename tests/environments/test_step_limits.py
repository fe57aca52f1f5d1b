"""`max_episode_steps` in `make_vec` cuts as Gymnasium's TimeLimit cuts single games; and when games begin again."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, Mixed
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import nenette  # noqa: F401  registers the environments

NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
N = 6
FORMS: list[tuple[str, dict[str, Any]]] = [
    (SOLO, {}),
    (DEMI_ILES, {"max_turns": 9}),
    (DEMI_ILES, {"opponents": Mixed(fixed=False)}),
    (QUATRE21, {"fiches": 2, "manches_to_lose": 1}),
    (DEMI_ILES, {"seats": "all", "max_turns": 9}),
    (QUATRE21, {"seats": "all", "fiches": 2, "manches_to_lose": 1}),
]


class Apart:
    """One game of a vector environment in an environment of its own, begun again and cut by hand, as Gymnasium does it.

    Gymnasium's code for it: `SyncVectorEnv.step` and `TimeLimit.step`.
    """

    def __init__(self, env: Any, seeds: list[int], limit: int, mode: AutoresetMode) -> None:
        self.env, self.limit, self.mode = env, limit, mode
        self.steps, self.over = 0, False
        self.observations, _ = env.reset(seed=seeds)

    def begin(self) -> None:
        self.steps, self.over = 0, False
        self.observations, _ = self.env.reset()

    def step(self, actions: Any) -> tuple[Any, ...]:
        n = len(actions)
        if self.mode is NEXT and self.over:
            self.begin()
            return self.observations, np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool), None
        observations, rewards, terminated, truncated, _ = self.env.step(actions)
        self.steps += 1
        truncated = truncated | (self.steps >= self.limit)
        self.over, final = bool((terminated | truncated).any()), None
        if self.mode is SAME and self.over:
            final = observations
            self.begin()
            observations = self.observations
        return observations, rewards, terminated, truncated, final


@pytest.mark.parametrize("limit", [1, 4])
@pytest.mark.parametrize("mode", [NEXT, SAME, DISABLED])
@pytest.mark.parametrize(("env_id", "options"), FORMS, ids=str)
def test_games_begin_again_and_are_cut_as_gymnasium_does_it(
    env_id: str, options: dict[str, Any], limit: int, mode: AutoresetMode
) -> None:
    env, reloaded = (
        gym.make_vec(env_id, num_envs=N, autoreset_mode=mode, max_episode_steps=limit, **options) for _ in range(2)
    )
    seats = 2 if "seats" in options else 1
    env.reset(seed=list(range(N)))
    alone = [gym.make_vec(env_id, num_envs=seats, autoreset_mode="Disabled", **options) for _ in range(N // seats)]
    games = [Apart(one, [seats * g] * seats, limit, mode) for g, one in enumerate(alone)]
    rng, ends = np.random.default_rng(0), 0
    for _ in range(40):
        actions = rng.integers(env.single_action_space.n, size=N)
        over = np.repeat([game.over for game in games], seats)
        if mode is DISABLED and over.any():
            before = env.unwrapped.state()
            with pytest.raises(ResetNeeded, match=f"^the episode of slot {over.argmax()} is over: begin another"):
                env.step(actions)
            assert all((array == before[name]).all() for name, array in env.unwrapped.state().items())
            env.reset(options={"reset_mask": over})
            for game in games:
                if game.over:
                    game.begin()
        reloaded.unwrapped.load_state(env.unwrapped.state())
        *outputs, infos = env.step(actions)
        *again, _ = reloaded.step(actions)
        walked = [game.step(own) for game, own in zip(games, actions.reshape(-1, seats), strict=True)]
        for part, same, expected in zip(outputs, again, list(zip(*walked, strict=True))[:4], strict=True):
            np.testing.assert_array_equal(part, np.concatenate(expected))
            np.testing.assert_array_equal(part, same)
        finals = [row for *_, final in walked for row in ([None] * seats if final is None else final)]
        for slot, final in enumerate(finals):
            assert bool(infos.get("_final_obs", np.zeros(N))[slot]) == (final is not None)
            if final is not None:
                np.testing.assert_array_equal(infos["final_obs"][slot], final)
        ends += (outputs[2] | outputs[3]).sum()
    assert ends >= 40 // (limit + 1) * N


def test_a_step_that_is_refused_counts_for_nothing() -> None:
    env = gym.make_vec(DEMI_ILES, num_envs=2, max_episode_steps=1)
    env.reset(seed=0)
    env.step(np.zeros(2, dtype=np.int64))
    before = env.unwrapped.state()
    with pytest.raises(ValueError, match="an action is an integer from 0 to 2, not 3"):
        env.step(np.array([0, 3]))
    assert all((array == before[name]).all() for name, array in env.unwrapped.state().items())


@pytest.mark.parametrize("steps", [None, [1, 1], np.array([1, 9]), np.array([-1, 1]), np.array([1]), np.ones(2)])
def test_counts_that_are_none_are_refused(steps: Any) -> None:
    env = gym.make_vec(DEMI_ILES, num_envs=2, max_episode_steps=3).unwrapped
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^steps are "):
        env.load_state(env.state() | {"steps": steps})


def test_minus_one_cuts_nothing() -> None:
    """As in `gymnasium.make`."""
    env = gym.make_vec(SOLO, max_episode_steps=-1)
    env.reset(seed=0)
    assert not any(env.step(np.zeros(1, dtype=np.int64))[3].any() for _ in range(50))
