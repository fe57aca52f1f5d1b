"""The rollout buffer learns from a slot's own decisions as if there were no passes in between."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nenette_agents.algorithms.turn_ppo import OwnDecisionsBuffer

GAMMA, LAMBDA = 0.9, 0.8
PASS, ACTIONS = 2, 3


def _buffer(steps: int, slots: int = 1) -> OwnDecisionsBuffer:
    space = spaces.Box(-1e9, 1e9, (1,), np.float32)
    return OwnDecisionsBuffer(steps, space, spaces.Discrete(ACTIONS), "cpu", LAMBDA, GAMMA, slots, pass_action=PASS)


def _mask(own: bool) -> list[int]:
    return [1, 1, 0] if own else [0, 0, 1]


def _fill(buffer: OwnDecisionsBuffer, rows: list[dict[str, Any]], after: dict[str, Any]) -> None:
    """Rows of all slots (own, reward, start, value, number), and what comes after (own, value, done)."""
    buffer.reset()
    for row in rows:
        own = np.array(row["own"])
        buffer.add(
            np.array(row["number"], dtype=np.float32)[:, None],
            np.where(own, 1, PASS),
            np.array(row["reward"], dtype=np.float32),
            np.array(row["start"]),
            torch.tensor(row["value"], dtype=torch.float32),
            torch.tensor(row["number"], dtype=torch.float32) / 100,
            action_masks=np.array([_mask(one) for one in own]),
        )
    last = torch.tensor(after["value"], dtype=torch.float32)
    buffer.compute_returns_and_advantage(last, np.array(after["done"]), np.array(after["own"]))


def _learned(buffer: OwnDecisionsBuffer) -> dict[int, tuple[float, float]]:
    """Advantage and return of each decision, by its number."""
    numbers = buffer.observations.ravel().astype(int).tolist()
    return {
        number: (float(advantage), float(total))
        for number, advantage, total in zip(numbers, buffer.advantages, buffer.returns, strict=True)
    }


def test_a_small_interleaved_game_by_hand() -> None:
    nan = float("nan")
    buffer = _buffer(5, slots=2)
    # Slot 0 decides at steps 0, 2 and 3, slot 1 at 1 and 4; a game ends with step 3, and slot 1 is paid for it.
    rows = [
        {"own": [True, False], "reward": [0.0, 0.0], "start": [True, True], "value": [0.5, nan], "number": [0, 10]},
        {"own": [False, True], "reward": [0.25, 0.0], "start": [False, False], "value": [nan, 0.3], "number": [1, 11]},
        {"own": [True, False], "reward": [0.0, 0.0], "start": [False, False], "value": [0.4, nan], "number": [2, 12]},
        {"own": [True, False], "reward": [1.0, -1.0], "start": [False, False], "value": [0.6, nan], "number": [3, 13]},
        {"own": [False, True], "reward": [0.0, 0.0], "start": [True, True], "value": [nan, 0.2], "number": [4, 14]},
    ]
    _fill(buffer, rows, {"own": [True, False], "value": [0.7, nan], "done": [False, False]})
    third = 1.0 - 0.6
    second = 0.0 + GAMMA * 0.6 - 0.4 + GAMMA * LAMBDA * third
    first = 0.25 + GAMMA * 0.4 - 0.5 + GAMMA * LAMBDA * second
    lost = -1.0 - 0.3
    expected = {0: (first, first + 0.5), 2: (second, second + 0.4), 3: (third, 1.0), 11: (lost, -1.0)}
    estimates = _learned(buffer)
    assert set(estimates) == set(expected)  # slot 1's decision at step 4 waits
    for number, pair in expected.items():
        assert estimates[number] == pytest.approx(pair)
    # The next rollout: what waited is completed by the pay of step 0 and the value at step 1.
    rows = [
        {"own": [True, False], "reward": [0.0, 0.5], "start": [False, False], "value": [0.1, nan], "number": [5, 15]},
        {"own": [False, True], "reward": [0.0, 0.0], "start": [False, False], "value": [nan, 0.8], "number": [6, 16]},
    ]
    buffer.buffer_size = 2
    _fill(buffer, rows, {"own": [True, False], "value": [0.2, nan], "done": [False, False]})
    waited = 0.5 + GAMMA * 0.8 - 0.2
    later = GAMMA * 0.2 - 0.1
    estimates = _learned(buffer)
    assert set(estimates) == {14, 5}
    assert estimates[14] == pytest.approx((waited, waited + 0.2))
    assert estimates[5] == pytest.approx((later, later + 0.1))
    assert buffer.log_probs[buffer.observations.ravel() == 14] == pytest.approx(0.14)


def _ordinary(
    values: list[float], rewards: list[float], ends: list[bool], following: float | None
) -> list[tuple[float, float]]:
    """GAE of a sequence of decisions without passes, written as its sum; `following` is the value after the last."""
    n, pairs = len(values), []
    after = [*values[1:], following or 0.0]
    deltas = [rewards[k] + GAMMA * (0.0 if ends[k] else after[k]) - values[k] for k in range(n)]
    for k in range(n):
        advantage, weight = 0.0, 1.0
        for j in range(k, n):
            advantage += weight * deltas[j]
            if ends[j]:
                break
            weight *= GAMMA * LAMBDA
        pairs.append((advantage, advantage + values[k]))
    return pairs


@settings(max_examples=30)
@given(st.data())
def test_advantages_are_those_of_ordinary_estimation_on_the_sequence_of_own_decisions(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    slots, steps, rollouts = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 9)), data.draw(st.integers(1, 4))
    total = steps * rollouts
    own = rng.random((total + 1, slots)) < data.draw(st.sampled_from([0.2, 0.5, 0.9]))
    done = rng.random((total, slots)) < 0.15
    rewards = np.where(rng.random((total, slots)) < 0.5, rng.normal(size=(total, slots)), 0).astype(np.float32)
    values = np.where(own, rng.normal(size=(total + 1, slots)), np.nan).astype(np.float32)
    _decide_once_a_game(own, done)
    values[own & np.isnan(values)] = 0.25
    buffer = _buffer(steps, slots)
    starts = np.concatenate([np.ones((1, slots), dtype=bool), done[:-1]])
    estimates: dict[int, tuple[float, float]] = {}
    cuts: list[set[int]] = []
    for first in range(0, total, steps):
        rows = [
            {
                "own": own[t],
                "reward": rewards[t],
                "start": starts[t],
                "value": values[t].tolist(),
                "number": [t * slots + slot for slot in range(slots)],
            }
            for t in range(first, first + steps)
        ]
        end = first + steps
        _fill(buffer, rows, {"own": own[end], "value": values[end].tolist(), "done": done[end - 1]})
        one = _learned(buffer)
        assert not set(one) & set(estimates)
        estimates |= one
        cuts.append(set(one))
    for slot in range(slots):
        for learned in cuts:
            mine = sorted(number for number in learned if number % slots == slot)
            times = [number // slots for number in mine]
            if not times:
                continue
            paid, ends = [], []
            for t in times:
                until = t
                while not done[until, slot] and not own[until + 1, slot]:
                    until += 1
                paid.append(float(rewards[t : until + 1, slot].sum()))
                ends.append(bool(done[until, slot]))
            following = None if ends[-1] else float(values[until + 1, slot])
            expected = _ordinary([float(values[t, slot]) for t in times], paid, ends, following)
            for number, pair in zip(mine, expected, strict=True):
                assert estimates[number] == pytest.approx(pair, abs=1e-4)
        everything = {t * slots + slot for t in range(total) if own[t, slot]}
        waits = everything - set(estimates)
        assert len(waits) == int(buffer._waits[slot]) <= 1
        assert all(number % slots == slot for number in waits)


def _decide_once_a_game(own: NDArray[np.bool_], done: NDArray[np.bool_]) -> None:
    """Every slot decides in its first step of a game: so nobody is paid who has not decided yet."""
    own[0] = True
    own[1:][done] = True


def test_get_yields_each_decision_once_and_no_pass() -> None:
    buffer = _buffer(40, slots=3)
    rng = np.random.default_rng(0)
    rows = [
        {
            "own": rng.random(3) < 0.5,
            "reward": [0.0] * 3,
            "start": [t == 0] * 3,
            "value": [0.0] * 3,
            "number": [3 * t + slot for slot in range(3)],
        }
        for t in range(40)
    ]
    _fill(buffer, rows, {"own": [True] * 3, "value": [0.0] * 3, "done": [False] * 3})
    expected = sorted(3 * t + slot for t in range(40) for slot in range(3) if rows[t]["own"][slot])
    batches = list(buffer.get(16))
    assert max(len(b.actions) for b in batches) - min(len(b.actions) for b in batches) <= 1
    assert abs(len(batches[0].actions) - 16) <= 4
    seen = torch.cat([b.observations for b in batches]).ravel().int().tolist()
    assert sorted(seen) == expected
    assert seen != expected  # they are shuffled
    for batch in batches:
        assert (batch.actions != PASS).all()
        assert (batch.action_masks[:, PASS] == 0).all()


def test_a_state_keeps_the_decisions_that_wait() -> None:
    rows = [{"own": [True], "reward": [0.5], "start": [True], "value": [0.25], "number": [7]}]
    after = {"own": [False], "value": [0.0], "done": [False]}
    one, other = _buffer(1), _buffer(1)
    _fill(one, rows, after)
    assert one.decisions == 0
    other.load_state(one.state())
    rows = [{"own": [False], "reward": [1.0], "start": [False], "value": [0.0], "number": [8]}]
    for buffer in (one, other):
        _fill(buffer, rows, {"own": [False], "value": [0.0], "done": [True]})
        assert _learned(buffer) == {7: pytest.approx((1.25, 1.5))}
    with pytest.raises(ValueError, match=r"waits is missing or no array"):
        one.load_state({})
    with pytest.raises(ValueError, match=r"waits is bool \(2,\), and bool \(1,\) is expected"):
        one.load_state(_buffer(1, slots=2).state())


@pytest.mark.parametrize("env_id", ["nenette/421-v0", "nenette/DemiIles-v0"])
def test_a_rollout_asks_the_network_about_own_decisions_only_and_pays_each_for_its_game(env_id: str) -> None:
    from stable_baselines3.common.vec_env import VecMonitor

    from nenette_agents.algorithms.turn_ppo import TurnMaskedPPO
    from nenette_agents.environments.vec_env import NativeVecEnv

    native = gym.make_vec(env_id, num_envs=8, seats="all", autoreset_mode="SameStep", max_turns=40).unwrapped
    model = TurnMaskedPPO(
        "MlpPolicy", VecMonitor(NativeVecEnv(native)), n_steps=200, batch_size=64, n_epochs=1, gamma=1.0,
        gae_lambda=1.0, seed=0, device="cpu",
    )  # fmt: skip
    asked = []
    forward, predict = model.policy.forward, model.policy.predict_values
    model.policy.forward = lambda obs, **more: asked.append(obs) or forward(obs, **more)
    model.policy.predict_values = lambda obs: asked.append(obs) or predict(obs)
    model.learn(800)
    game = native.game
    fields = game.codec.decode(torch.cat(asked).numpy())
    assert len(fields) > 800
    for row in fields[::7].tolist():
        assert game.seat(game.decode(row)) == 0  # the onlooker is the one to move
    assert model.num_timesteps == 800
    # With gamma and lambda 1 the return of a decision is what its seat is paid at the end of the game, if that comes.
    assert {-1.0, 1.0} <= set(np.round(model.rollout_buffer.returns, 5).tolist())
