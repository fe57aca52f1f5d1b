"""Ctrl-C: the first asks, the second insists, and nothing else is taken for it."""

import signal

import pytest
from twins import assert_the_same, config_of, quiet

from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.training import run as training
from nenette_agents.training.callbacks import Interrupts
from nenette_agents.training.resuming import resume


def hear(*numbers: int, then: BaseException | None = None) -> None:
    """What a training sees: signals, and perhaps what one of them turns into, or what happens after it."""
    with Interrupts() as interrupts:
        for number in numbers:
            try:
                signal.raise_signal(number)
            except KeyboardInterrupt:
                if then is None:
                    raise
            assert interrupts.asked
        if then is not None:
            raise then


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_insists(number):
    before = signal.getsignal(number)
    hear(number)
    with pytest.raises(KeyboardInterrupt):
        hear(number, number)
    assert signal.getsignal(number) is before


def test_one_signal_of_each_kind_only_asks():
    hear(signal.SIGINT, signal.SIGTERM)


def test_what_a_second_signal_turns_into_in_compiled_code_is_an_interrupt():
    error = SystemError("returned a result with an exception set")
    with pytest.raises(KeyboardInterrupt) as caught:
        hear(signal.SIGINT, signal.SIGINT, then=error)
    assert caught.value.__cause__ is error


def test_an_error_after_a_single_signal_stays_what_it_is():
    with pytest.raises(OSError, match="No space left"):
        hear(signal.SIGINT, then=OSError(28, "No space left on device"))


@pytest.mark.parametrize("name", ["421-dqn", "421-ppo"])
def test_a_run_that_a_signal_stopped_goes_on_to_the_same_end(name, tmp_path, monkeypatch):
    config = config_of(name, tmp_path)
    whole = training.train(config, tmp_path / "whole", "run", quiet())
    step, made = NativeVecEnv.step_wait, [0]

    def interrupted(self):
        made[0] += 1
        if made[0] == 45:
            signal.raise_signal(signal.SIGINT)
        return step(self)

    with monkeypatch.context() as patch:
        patch.setattr(NativeVecEnv, "step_wait", interrupted)
        stopped = training.train(config, tmp_path / "stopped", "run", quiet())
    assert stopped.status == "interrupted"
    assert made[0] == 45
    assert 0 < stopped.steps < whole.steps
    assert (stopped.folder / "policy.json").exists()
    assert resume(stopped.folder, quiet()).status == "finished"
    assert_the_same(stopped.folder, whole.folder)
