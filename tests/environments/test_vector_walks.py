"""Given the same random numbers, a slot of the vector environment is the single environment, whatever the options."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, MORE, QUATRE21, SOLO, Always, Mixed, in_modes, make
from gymnasium.vector import AutoresetMode
from slot_stream import SlotStream, give

from nenette.policies import make_policy

SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP
# Here alone, for it takes a second to write the opponents out: 194,481 decisions each.
FOUR = (DEMI_ILES, {"players": 4, "seat": "random", "opponents": ["greedy", "random", "blocker"]})


def _options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "render_mode"}


@pytest.mark.parametrize(("mode", "case"), in_modes([*CASES, FOUR], MORE), ids=str)
def test_every_slot_walks_as_the_single_environment(mode: AutoresetMode, case: tuple[str, dict[str, Any]]) -> None:
    slots, steps, seed = 5, 120, 11
    env_id, options = case[0], _options(case[1])
    many = gym.make_vec(env_id, num_envs=slots, autoreset_mode=mode, **options)
    singles = [make(env_id, **options) for _ in range(slots)]
    streams = [give(env, seed, slot) for slot, env in enumerate(singles)]
    observations, infos = many.reset(seed=seed)
    seen = [env.reset() for env in singles]
    rng = np.random.default_rng(3)
    over = [False] * slots
    for _ in range(steps):
        for slot, (observation, info) in enumerate(seen):
            assert observations[slot].tobytes() == observation.tobytes()
            assert infos["action_mask"][slot].tolist() == info["action_mask"].tolist()
            assert infos["seat"][slot] == info["seat"]
        assert many.unwrapped.action_masks().tolist() == [env.action_masks().tolist() for env in singles]
        assert [stream.state for stream in streams] == many.unwrapped._batch.words.tolist()
        actions = rng.integers(many.single_action_space.n, size=slots)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        for slot, env in enumerate(singles):
            if over[slot]:  # with NEXT_STEP
                seen[slot], over[slot] = env.reset(), False
                assert (rewards[slot], terminated[slot], truncated[slot]) == (0.0, False, False)
                assert not infos.get("illegal_action", np.zeros(slots))[slot]
                continue
            observation, reward, ended, cut, info = env.step(int(actions[slot]))
            assert (rewards[slot], terminated[slot], truncated[slot]) == (reward, ended, cut)
            seen[slot] = (observation, info)
            final = infos
            if (ended or cut) and mode is NEXT:
                over[slot] = True
            elif ended or cut:
                assert infos["_final_obs"][slot]
                assert infos["_final_info"][slot]
                assert infos["final_obs"][slot].tobytes() == observation.tobytes()
                final = infos["final_info"]
                assert final["action_mask"][slot].tolist() == info["action_mask"].tolist()
                assert final["seat"][slot] == info["seat"]
                seen[slot] = env.reset()
            elif "_final_obs" in infos:
                assert not infos["_final_obs"][slot]
                assert infos["final_obs"][slot] is None
            assert bool(final.get("illegal_action", np.zeros(slots))[slot]) == ("illegal_action" in info)


@pytest.mark.parametrize("mode", [NEXT, SAME], ids=lambda mode: mode.name)
@pytest.mark.parametrize("env_id", [SOLO, DEMI_ILES, QUATRE21])
def test_one_slot_walks_as_the_single_environment_for_many_thousand_steps(env_id: str, mode: AutoresetMode) -> None:
    slots, slot, steps = 8, 6, 5000
    many = gym.make_vec(env_id, num_envs=slots, autoreset_mode=mode)
    single = make(env_id)
    give(single, 5, slot)
    observations, _ = many.reset(seed=5)
    expected, _ = single.reset()
    over, games = False, 0
    every_action = np.random.default_rng(0).integers(many.single_action_space.n, size=(steps, slots))
    for actions in every_action:
        assert observations[slot].tobytes() == expected.tobytes()
        observations, rewards, terminated, truncated, _ = many.step(actions)
        if over:
            (expected, _), over = single.reset(), False
            continue
        expected, reward, ended, cut, _ = single.step(int(actions[slot]))
        assert (rewards[slot], terminated[slot], truncated[slot]) == (reward, ended, cut)
        over = ended or cut
        games += over
        if over and mode is SAME:
            (expected, _), over = single.reset(), False
    assert games > 4


def test_opponents_may_differ_from_slot_to_slot() -> None:
    slots, seed = 4, 2
    each: list[Any] = ["greedy", Mixed(fixed=False), "random", [Always(2)]]
    many = gym.make_vec(DEMI_ILES, num_envs=slots, opponents_of_each=each, autoreset_mode=SAME)
    singles = [make(DEMI_ILES, opponents=choice) for choice in each]
    for slot, env in enumerate(singles):
        give(env, seed, slot)
    observations, _ = many.reset(seed=seed)
    seen = [env.reset()[0] for env in singles]
    rng = np.random.default_rng(1)
    for _ in range(300):
        assert observations.tobytes() == np.stack(seen).tobytes()
        actions = rng.integers(3, size=slots)
        observations, *_ = many.step(actions)
        for slot, env in enumerate(singles):
            seen[slot], _, terminated, truncated, _ = env.step(int(actions[slot]))
            if terminated or truncated:
                seen[slot], _ = env.reset()


def test_policies_that_never_change_are_asked_once_about_every_decision_and_others_all_the_time() -> None:
    once, always = Mixed(fixed=True), Mixed(fixed=False)
    many = gym.make_vec(DEMI_ILES, num_envs=2, opponents_of_each=[once, always])
    assert (once.asked, always.asked) == (21 * 21, 0)
    many.reset(seed=0)
    for _ in range(50):
        many.step(np.zeros(2, dtype=np.int64))
    assert once.asked == 21 * 21
    assert always.asked >= 50


def test_decisions_are_states_of_the_game_with_their_masks() -> None:
    many = gym.make_vec(QUATRE21, num_envs=1, fiches=3, kept_dice="frozen", followers="exactly").unwrapped
    game, machine = many.game, many._machine
    fields, masks = machine.decisions(0, machine.n_decisions)
    assert len(np.unique(fields, axis=0)) == machine.n_decisions
    for row, mask in zip(fields[::97].tolist(), masks[::97].tolist(), strict=True):
        state = game.decode(row)
        assert game.seat(state) == 0
        assert game.encode(state, 0) == tuple(row)
        legal = game.legal_actions(state)
        assert len(legal) > 1
        assert mask == [int(a in legal) for a in range(8)]
    probabilities = make_policy("optimal", game).action_probabilities(game.codec.encode(fields), masks)
    assert (probabilities.sum(axis=1) == 1).all()  # the solver knows each of them


def test_streams_of_slots_and_seeds_differ() -> None:
    first = {tuple(SlotStream(seed, slot).state) for seed in range(20) for slot in range(50)}
    assert len(first) == 1000
