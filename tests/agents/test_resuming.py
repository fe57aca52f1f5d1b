"""A run that was stopped at any step, and goes on, ends as the one that was not."""

import errno
import itertools
import json
import os
import random
import re
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import yaml
from twins import CONFIGS, Stopped, assert_the_same, config_of, everything, in_earlier_names, places, quiet, stopped

from nenette_agents.environments.vec_env import NativeVecEnv
from nenette_agents.runs.checkpoints.files import read_checkpoint, write_checkpoint
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.training.callbacks import EvaluationCallback
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train


def disturb() -> None:
    """What another process would not share with this one."""
    torch.manual_seed(99)
    np.random.seed(99)  # noqa: NPY002
    random.seed(99)


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_run_stopped_again_and_again_ends_as_if_it_never_had_been(kind, whole, stop_at, tmp_path):
    twin = whole(kind)
    draw = random.Random(kind)
    config = config_of(kind, tmp_path)
    steps = config.total_timesteps // config.n_envs
    stop_at(draw.randrange(steps // 4))
    folder = stopped(config, tmp_path)
    for _ in range(3):
        disturb()
        stop_at(draw.randrange(steps // 8, steps // 4))
        with pytest.raises(Stopped):
            resume(folder, quiet())
    stop_at(100 * steps)
    assert resume(folder, quiet()).status == "finished"
    assert_the_same(folder, twin)
    resumed = json.loads((folder / "run.json").read_text())["resumed"]
    assert [entry["step"] for entry in resumed] == sorted(entry["step"] for entry in resumed)
    assert len(resumed) == 4


def test_the_clocks_of_a_run_that_goes_on_count_what_came_before(tmp_path):
    config = config_of("demi-iles-past", tmp_path)
    run = SimpleNamespace(metrics=list)
    for _ in range(2):  # a second time in the same process counts nothing twice
        clocks = EvaluationCallback(run, config.make_game(), config, None)
        clocks.load_state({"next": 8, "seconds": 500.0, "cpu_seconds": 300.0, "metrics": [{"step": 4}]})
        clocks._on_training_start()
        state = clocks.state()
        assert 500 <= state["seconds"] < 550
        assert 300 <= state["cpu_seconds"] < 350


@pytest.mark.parametrize("kind", ["421-dqn", "421-pool"])
def test_when_checkpoints_are_made_does_not_matter(kind, whole, tmp_path):
    never = config_of(kind, tmp_path, "checkpoint.every_seconds=1e9")
    assert_the_same(train(never, tmp_path, "run", quiet()).folder, whole(kind))


PARTS = ["learner", "NativeVecEnv", "ShapedRewards", "evaluation", "selves", "renewals", "randomness"]
KINDS = [
    *((part, "demi-iles-past") for part in PARTS),
    ("rollout_buffer", "421-mixture"),
    ("SideBySideVecEnv", "421-mixture"),
    ("TremblingHands", "421-mixture"),
    ("selves", "421-pool"),
    ("selves", "421-dqn-pool"),
]


@pytest.fixture(scope="module")
def stopped_at_60(tmp_path_factory):
    """The folder of a run of each kind that was stopped after 60 steps of its environments, made once."""
    known = {}

    def folder(kind: str):
        if kind not in known:
            root = tmp_path_factory.mktemp("stopped")
            known[kind] = stopped(config_of(kind, root), root)
        return known[kind]

    return folder


@pytest.mark.parametrize(("part", "kind"), KINDS)
def test_no_part_is_kept_in_vain(part, kind, whole, stopped_at_60, stop_at, tmp_path, monkeypatch):
    """What a part had forgotten would show."""
    from nenette_agents.runs.checkpoints.parts import load_states
    from nenette_agents.training import run as training

    twin = everything(whole(kind))
    stop_at(60)
    folder = shutil.copytree(stopped_at_60(kind), tmp_path / "run")
    disturb()

    def all_but_one(parts, states):
        load_states(
            {name: p for name, p in parts.items() if name != part}, {n: s for n, s in states.items() if n != part}
        )
        if part.endswith("VecEnv"):
            parts[part].reset()
        if part == "learner":  # without it there would be nothing to go on from
            load_states({part: parts[part]}, {part: {**states[part], "exploration_rate": 0.5, "_n_updates": 999}})

    monkeypatch.setattr(training, "load_states", all_but_one)
    stop_at(1000)
    resume(folder, quiet())
    assert everything(folder) != twin


def test_a_run_stopped_before_its_first_checkpoint_begins_anew(whole, stop_at, tmp_path):
    twin = whole("421-ppo")
    stop_at(5)
    folder = stopped(config_of("421-ppo", tmp_path), tmp_path)
    (folder / "metrics.jsonl").write_text('{"step": 4}\n{"st')
    (folder / ".policy.json.77").write_text("{")
    stop_at(1000)
    console = quiet()
    resume(folder, console)
    assert console.file.getvalue().startswith("run: begins anew, for there is no checkpoint yet\n")
    assert_the_same(folder, twin)
    assert [path.name for path in folder.rglob(".*")] == [".lock"]


def test_a_run_that_was_interrupted_goes_on_like_any_other(whole, stop_at, tmp_path):
    twin = whole("421-dqn")
    stop_at(70, KeyboardInterrupt)
    outcome = train(config_of("421-dqn", tmp_path), tmp_path, "run", quiet())
    assert (outcome.status, outcome.steps) == ("interrupted", 280)
    assert json.loads((outcome.folder / "policy.json").read_text())["card"]["steps"] == 280
    stop_at(1000)
    resume(outcome.folder, quiet())
    assert_the_same(outcome.folder, twin)


@pytest.mark.parametrize("keep", ["true", "false"])
def test_checkpoints_of_a_finished_run_stay_if_the_config_says_so(keep, tmp_path):
    config = config_of("421-ppo", tmp_path, f"checkpoint.keep={keep}", "total_timesteps=256")
    outcome = train(config, tmp_path, "run", quiet())
    assert (outcome.folder / "checkpoints").exists() == (keep == "true")
    files = {path: path.read_bytes() for path in outcome.folder.rglob("*") if path.is_file()}
    console = quiet()
    if keep == "false":  # as if a kill had come before they were taken away
        (outcome.folder / "checkpoints" / "step-000000000256").mkdir(parents=True)
    again = resume(outcome.folder, console)
    assert (again.status, again.steps, again.last) == ("finished", 256, outcome.last)
    assert console.file.getvalue() == "run: is finished\n"
    assert (outcome.folder / "checkpoints").exists() == (keep == "true")
    assert {path: path.read_bytes() for path in outcome.folder.rglob("*") if path.is_file()} == files


def test_a_full_disk_is_reported_and_costs_nothing(whole, monkeypatch, tmp_path):
    twin = whole("421-ppo")
    put = Shelf.put
    puts = []

    def full_at_times(shelf, checkpoint):
        puts.append(checkpoint.step)
        if len(puts) in (2, 3):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")
        put(shelf, checkpoint)

    monkeypatch.setattr(Shelf, "put", full_at_times)
    console = quiet()
    outcome = train(config_of("421-ppo", tmp_path), tmp_path, "run", console)
    assert_the_same(outcome.folder, twin)
    warnings = [line for line in console.file.getvalue().splitlines() if "could not be written" in line]
    assert warnings == [
        f"run: the checkpoint at step {step} could not be written (x: No space left on device); "
        "the training goes on, and the checkpoint before it is kept"
        for step in puts[1:3]
    ]


def test_no_more_than_a_fiftieth_of_the_time_goes_into_checkpoints(monkeypatch, tmp_path):
    """A disk on which each takes a second, by a clock that runs a hundredth of a second a rollout."""
    from nenette_agents.runs.checkpoints import shelf

    now = [0.0]
    puts = []

    def slow(shelf, checkpoint):
        puts.append(now[0])
        now[0] += 1.0

    monkeypatch.setattr(Shelf, "put", slow)
    monkeypatch.setattr(shelf.time, "monotonic", lambda: now[0])
    step = NativeVecEnv.step_wait
    monkeypatch.setattr(NativeVecEnv, "step_wait", lambda self: (now.__setitem__(0, now[0] + 1.0), step(self))[1])
    config = config_of(
        "421-ppo", tmp_path, "checkpoint.every_seconds=0.1", "checkpoint.keep=false", "total_timesteps=768"
    )
    train(config, tmp_path, "run", quiet())
    assert len(puts) == 3
    assert all(later - earlier >= 50 for earlier, later in itertools.pairwise(puts))


def test_damage_to_the_newest_checkpoint_costs_only_time(whole, halfway):
    arrays = places(halfway)[-1] / "arrays.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:-1])
    console = quiet()
    resume(halfway, console)
    lines = console.file.getvalue().splitlines()
    assert lines[0].endswith("it is cut short; the checkpoint before it is taken, of step 64")
    assert lines[1] == "run: goes on from step 64"
    assert_the_same(halfway, whole("421-ppo"))


def test_a_run_of_an_earlier_version_goes_on_bit_for_bit(whole, halfway):
    facts = json.loads((halfway / "run.json").read_text())
    earlier = in_earlier_names(facts["config"])
    assert {"total_steps", "environments"} <= set(earlier)
    assert (earlier["ppo"]["learning_rate_schedule"], earlier["ppo"]["plays"]) == ("linear", "odds")
    (halfway / "run.json").write_text(json.dumps({**facts, "config": earlier}))
    said = {key: value for key, value in earlier.items() if value is not None}
    (halfway / "config.yaml").write_text(yaml.safe_dump(said, sort_keys=False))
    for place in places(halfway):
        checkpoint = read_checkpoint(place)
        for path in place.iterdir():
            path.unlink()
        write_checkpoint(place, replace(checkpoint, config=earlier))
    console = quiet()
    resume(halfway, console)
    assert console.file.getvalue().startswith("run: goes on from step 128\n")
    assert_the_same(halfway, whole("421-ppo"))


def test_tensorboard_sees_one_run(whole, halfway):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    # TensorBoard reads files in the order of their names: the second, and within it a count that is compared as text,
    # so that the tenth file of a process stands before its ninth. The first half was not made in this second.
    for file in halfway.glob("events.out.tfevents.*"):
        file.rename(file.with_name(re.sub(r"\d{10}", lambda second: str(int(second[0]) - 60), file.name, count=1)))
    resume(halfway, quiet())
    events = [EventAccumulator(str(folder)) for folder in (halfway, whole("421-ppo"))]
    for accumulator in events:
        accumulator.Reload()
    tags = [set(accumulator.Tags()["scalars"]) - {"time/fps"} for accumulator in events]
    assert tags[0] == tags[1]
    for tag in tags[0]:
        one, other = ([(e.step, e.value) for e in accumulator.Scalars(tag)] for accumulator in events)
        assert one == other, tag
