"""Shaped rewards: what is best stays best, and what is reported of games stays theirs."""

import numpy as np
import pytest

from nenette.games import make_game
from nenette_agents.config.loading import load_config
from nenette_agents.config.named import potential_weights
from nenette_agents.training.build import build

SOLO = """
game: demi-iles-solo
algorithm: ppo
n_envs: 4
total_timesteps: 512
rules: {{max_turns: {max_turns}}}
rewards: {{scale: 0.5, potential: {{"*_has_been_stood_on": 3.0, "score": 0.25}}}}
ppo: {{n_steps: 32, batch_size: 64, gamma: {gamma}}}
"""


def potential(observation):
    """By hand: 3 a score stood on, a quarter of the score."""
    return 3.0 * observation[22:].sum() + 0.25 * observation[:22].argmax()


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_each_step_pays_the_gain_in_potential(tmp_path, gamma):
    path = tmp_path / "c.yaml"
    path.write_text(SOLO.format(max_turns=40, gamma=gamma))
    environments = build(load_config(path)).environments
    environments.seed(3)
    before = environments.reset()
    rng = np.random.default_rng(0)
    cut = 0
    for _ in range(300):
        after, rewards, dones, infos = environments.step(rng.integers(3, size=4))
        for slot in range(4):
            reached = infos[slot]["terminal_observation"] if dones[slot] else after[slot]
            cut += dones[slot]
            expected = 0.5 * (-1 + gamma * potential(reached) - potential(before[slot]))
            assert rewards[slot] == pytest.approx(expected, abs=1e-4)
            if dones[slot]:
                assert infos[slot]["episode"]["r"] == -infos[slot]["episode"]["l"]  # the game's own return
        before = after
    assert cut >= 20


def test_a_finished_game_ends_at_potential_zero():
    """What is paid in a finished game is its turns and what it began with, whichever way it went."""
    from gymnasium import make_vec
    from stable_baselines3.common.vec_env import VecMonitor

    from nenette_agents.environments.vec_env import NativeVecEnv
    from nenette_agents.environments.wrappers import ShapedRewards

    game = make_game("demi-iles")
    weights = potential_weights(game, {"own_score": 0.5, "score_of_the_next_player": -0.25})
    native = NativeVecEnv(make_vec("nenette/DemiIles-v0", num_envs=8, autoreset_mode="SameStep", opponents="random"))
    environments = ShapedRewards(VecMonitor(native), weights, scale=1.0, gamma=1.0)
    environments.seed(1)
    began = environments.reset() @ weights
    paid = np.zeros(8)
    games = 0
    rng = np.random.default_rng(0)
    for _ in range(1500):
        observations, rewards, dones, infos = environments.step(rng.integers(3, size=8))
        paid += rewards
        for slot in np.flatnonzero(dones):
            if not infos[slot]["TimeLimit.truncated"]:
                games += 1
                assert paid[slot] == pytest.approx(infos[slot]["episode"]["r"] - began[slot], abs=1e-3)
            paid[slot], began[slot] = 0.0, observations[slot] @ weights
    assert games > 10


SELF = """
game: "421"
algorithm: dqn
n_envs: 8
total_timesteps: 512
opponents: {mixture}
rewards: {{scale: 0.5, potential: {{own_fiches: -0.25, opponent_fiches: 0.5}}}}
dqn: {{gamma: 0.9, learning_starts: 100}}
"""


@pytest.mark.parametrize("mixture", ["{self: 1.0}", "{self: 1.0, random: 1.0}"])
def test_a_seat_that_passes_is_paid_from_one_own_decision_to_its_next(tmp_path, mixture):
    path = tmp_path / "c.yaml"
    path.write_text(SELF.format(mixture=mixture))
    config = load_config(path)
    environments = build(config).environments
    n_actions = config.make_game().n_actions

    def potential_of(observation):  # two fields that tell fiches de manche come first, 3 values each
        return -0.25 * observation[6:18].argmax() + 0.5 * observation[18:30].argmax()

    environments.seed(5)
    seen = environments.reset()
    rng = np.random.default_rng(0)
    decided_at, paid = {}, dict.fromkeys(range(environments.num_envs), 0.0)
    finished = waited = 0
    for _ in range(2000):
        masks = np.stack(environments.env_method("action_masks"))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        for slot in np.flatnonzero(actions < n_actions):
            decided_at[slot] = potential_of(seen[slot])
        seen, rewards, dones, infos = environments.step(actions)
        to_move = np.stack(environments.env_method("action_masks"))[:, :n_actions].any(axis=1)
        for slot in range(environments.num_envs):
            paid[slot] += rewards[slot]
            if slot not in decided_at:
                assert rewards[slot] == 0 or dones[slot]
            elif dones[slot] or to_move[slot]:
                reached = 0.0 if dones[slot] else potential_of(seen[slot])
                own = infos[slot]["episode"]["r"] if dones[slot] else 0.0
                assert paid[slot] == pytest.approx(0.5 * (own + 0.9 * reached - decided_at.pop(slot)), abs=1e-5)
                finished += dones[slot]
            else:
                waited += 1
                continue
            if dones[slot] or to_move[slot]:
                paid[slot] = 0.0
    assert finished > 20
    assert waited > 1000


def test_games_that_begin_anew_forget_what_was_decided(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(SELF.format(mixture="{self: 1.0}"))
    environments = build(load_config(path)).environments
    environments.seed(1)
    environments.reset()
    rng = np.random.default_rng(0)

    def legal():
        return np.array(
            [rng.choice(np.flatnonzero(mask)) for mask in np.stack(environments.env_method("action_masks"))]
        )

    for _ in range(40):
        environments.step(legal())
    environments.reset()
    moved = np.zeros(environments.num_envs, dtype=bool)
    waited = 0
    while not moved.all():
        actions = legal()
        moved |= actions != environments.action_space.n - 1
        _, rewards, _, _ = environments.step(actions)
        assert not rewards[~moved].any()  # nobody is paid for what another game was like
        waited += np.count_nonzero(~moved)
    assert waited >= 4


def test_where_a_game_against_itself_is_cut_each_seat_is_paid_for_where_it_stands(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(
        "game: demi-iles\nrules: {max_turns: 20}\nalgorithm: ppo\nenvironments: 8\nopponents: self\n"
        "rewards: {potential: {own_score: 0.25, score_of_the_next_player: -0.25}}\nppo: {gamma: 0.9}\n"
    )
    environments = build(load_config(path)).environments
    weights = potential_weights(make_game("demi-iles"), {"own_score": 0.25, "score_of_the_next_player": -0.25})
    seen = environments.reset()
    rng = np.random.default_rng(0)
    decided_at, paid = np.zeros(8), np.zeros(8)
    ends = {True: 0, False: 0}
    for _ in range(3000):
        moves = ~np.stack(environments.env_method("action_masks"))[:, 3]
        decided_at[moves], paid[moves] = (seen @ weights)[moves], 0.0
        seen, rewards, dones, infos = environments.step(np.where(moves, rng.integers(3, size=8), 3))
        paid += rewards
        for slot in np.flatnonzero(dones):
            cut = infos[slot]["TimeLimit.truncated"]
            reached = infos[slot]["terminal_observation"] @ weights if cut else 0.0
            own = infos[slot]["episode"]["r"]
            assert paid[slot] == pytest.approx(own + 0.9 * reached - decided_at[slot], abs=1e-4)
            ends[cut] += 1
    assert ends[True] > 100
    assert ends[False] > 0


def test_what_no_potential_can_be_made_of_gets_a_sentence():
    with pytest.raises(ValueError, match=r"^no field of 421 is called 'own_fichs'; did you mean 'own_fiches'\?$"):
        potential_weights(make_game("421"), {"own_fichs": 1.0})
    with pytest.raises(ValueError, match=r"^the field dice_on_the_table is no number, "):
        potential_weights(make_game("421"), {"dice_*": 1.0})


def test_the_state_of_the_rewards_can_be_taken_up(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(SOLO.format(max_turns=40, gamma=1.0))
    config = load_config(path)
    first, second = build(config).environments, build(config).environments
    first.reset()
    second.reset()
    first.step(np.array([1, 1, 2, 2]))
    second.load_state(first.state())
    assert first.state()["seen"].any()
    for name, array in first.state().items():
        np.testing.assert_array_equal(array, second.state()[name])
