"""A run that cannot go on as it was, and what is said of it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from twins import config_of, places, quiet

from nenette_agents.errors import CheckpointError, RunError
from nenette_agents.runs import folders
from nenette_agents.runs.checkpoints.files import read_checkpoint, write_checkpoint
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.runs.folders import held, open_run
from nenette_agents.training.resuming import resume, tell_dependencies
from nenette_agents.training.run import train


def rewritten(folder: Path, change) -> None:
    """The newest checkpoint as somebody would write it who changes its states."""
    place = places(folder)[-1]
    checkpoint = read_checkpoint(place)
    change(checkpoint.states)
    for path in place.iterdir():
        path.unlink()
    write_checkpoint(place, checkpoint)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda s: s["learner"].update({"weights.action_net.bias": np.zeros(3, np.float32)}),
            "learner: weights.action_net.bias is float32 (3,), and float32 (8,) is expected",
        ),
        (
            lambda s: s["learner"].update({"weights.action_net.bias": np.zeros(8)}),
            "learner: weights.action_net.bias is float64 (8,), and float32 (8,) is expected",
        ),
        (
            lambda s: s["learner"].update({"optimiser.0.exp_avg": np.zeros((1, 1), np.float32)}),
            "learner: optimiser.0.exp_avg is float32 (1, 1), and float32 (16, 64) is expected",
        ),
        (
            lambda s: s["learner"].update({"optimiser.99.exp_avg": np.zeros(1, np.float32)}),
            "learner: optimiser.99.exp_avg is of no parameter: there are 8",
        ),
        (
            lambda s: s["learner"].pop("last_observations"),
            "learner: last_observations is missing or no array",
        ),
        (
            lambda s: s["learner"].update(num_timesteps=-1),
            "learner: num_timesteps is -1, and an integer from 0 to 1152921504606846976 is expected",
        ),
        (
            lambda s: s["NativeVecEnv"]["places"].__setitem__((2, 1), 1 << 30),
            "NativeVecEnv: slot 2 stands where no game of 421 can",
        ),
        (
            lambda s: s["NativeVecEnv"].update(places=np.zeros((5, 7), np.int32)),
            "NativeVecEnv: places is int32 (5, 7), and int32 (4, 8) is expected",
        ),
        (lambda s: s["evaluation"].pop("next"), "evaluation: 'next' is missing"),
        (lambda s: s["evaluation"].update(metrics=[3]), "evaluation: the metrics are not a list of lines"),
        (
            lambda s: s["randomness"].update(torch=np.zeros(3, np.uint8)),
            "randomness: torch is uint8 (3,), and uint8 (5056,) is expected",
        ),
        (
            lambda s: s["randomness"].update(actions={"bit_generator": "PCG64"}),
            "randomness: a random state is invalid: 'state'",
        ),
        (lambda s: s["monitor"].update(count=None), "monitor: count is None, and an integer from 0 to"),
    ],
)
def test_a_checkpoint_that_does_not_fit_gets_a_sentence(halfway, change, sentence):
    rewritten(halfway, change)
    (halfway / "metrics.jsonl").write_text('{"step": 999}\n')
    files = {name: (halfway / name).read_bytes() for name in ("run.json", "metrics.jsonl")}
    with pytest.raises(CheckpointError) as caught:
        resume(halfway, quiet())
    assert str(caught.value).startswith(f"the checkpoint does not fit this training: {sentence}")
    assert {name: (halfway / name).read_bytes() for name in files} == files
    assert len(places(halfway)) == 2


def note(folder: Path, **facts) -> None:
    """Changes what run.json says."""
    recorded = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**recorded, **facts}))


def test_a_checkpoint_with_other_parts_gets_a_sentence(halfway):
    rewritten(halfway, lambda s: s.pop("monitor"))
    with pytest.raises(CheckpointError, match=r"^the checkpoint has the parts .*, and this training has .*monitor"):
        resume(halfway, quiet())


def test_a_config_that_was_changed_since_gets_a_sentence(halfway):
    path = halfway / "config.yaml"
    kept = path.read_text()
    path.write_text(kept.replace("initial: 0.0003", "initial: 0.001"))
    with pytest.raises(RunError) as caught:
        resume(halfway, quiet())
    assert str(caught.value) == (
        f"{halfway} was made with ppo.learning_rate.initial 0.0003, and its config.yaml now says 0.001"
    )
    path.write_text(kept.replace("fiches: 2", "fiches: 4"))
    with pytest.raises(RunError, match=r" was made with rules\.fiches 2, and its config\.yaml now says 4$"):
        resume(halfway, quiet())
    note(halfway, config=None)  # as a run of an earlier version, which kept its config in checkpoints alone
    with pytest.raises(CheckpointError, match=r"^the checkpoint is of '421' with other rules, or another version"):
        resume(halfway, quiet())
    path.write_text(kept.replace("initial: 0.0003", "initial: 0.001"))
    with pytest.raises(
        CheckpointError, match=r"^the checkpoint was made with ppo\.learning_rate\.initial 0\.0003, and the run's"
    ):
        resume(halfway, quiet())
    path.write_text(kept.replace("every_seconds: 0.0", "every_seconds: 99.0"))
    assert resume(halfway, quiet()).status == "finished"


def test_other_versions_get_a_sentence(halfway, monkeypatch):
    now = folders.versions()
    monkeypatch.setattr(folders, "versions", lambda: {**now, "torch": "9.9", "numpy": "9.8"})
    console = quiet()
    assert resume(halfway, console).status == "finished"
    assert console.file.getvalue().splitlines()[0] == (
        f"run: the checkpoint was made with numpy {now['numpy']!r} and not 9.8, torch {now['torch']!r} and not 9.9: "
        "the run goes on, but not bit for bit as it would have"
    )


def test_an_opponent_that_has_changed_gets_a_sentence(whole, tmp_path):
    opponent = shutil.copytree(whole("421-ppo"), tmp_path / "opponent")
    config = config_of("421-ppo", tmp_path, f"opponents=[random, {opponent}]", "checkpoint.keep=true")
    checkpoint = Shelf(train(config, tmp_path, "run", quiet()).folder).newest(print)
    warnings = []
    tell_dependencies(checkpoint, config, warnings.append)
    assert warnings == []
    weights = opponent / "policy.safetensors"
    weights.write_bytes(weights.read_bytes() + b" ")
    tell_dependencies(checkpoint, config, warnings.append)
    assert len(warnings) == 1
    assert warnings[0].startswith(f"the checkpoint was made with opponent {opponent} '")


def test_a_finished_run_whose_config_was_changed_since_is_refused(whole, tmp_path):
    folder = shutil.copytree(whole("421-ppo"), tmp_path / "run")
    path = folder / "config.yaml"
    path.write_text(path.read_text().replace("initial: 0.0003", "initial: 0.3"))
    with pytest.raises(
        RunError, match=r"/run was made with ppo\.learning_rate\.initial 0\.0003, and its config\.yaml now says 0\.3$"
    ):
        resume(folder, quiet())
    note(folder, config={"game": "421", "algorithm": "sac"})
    with pytest.raises(RunError, match=r"/run was made with a config that this nenette does not know$"):
        resume(folder, quiet())


def test_a_run_goes_on_from_any_folder(whole, tmp_path, monkeypatch):
    shutil.copytree(whole("421-ppo"), tmp_path / "here" / "opponent")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    against = ["evaluation.against=best-response:./opponent", "opponents=[random, ./opponent, opponent/policy.json]"]
    config = config_of("421-ppo", tmp_path, *against, "checkpoint.keep=false")
    full = tmp_path / "here" / "opponent"
    assert list(config.opponents) == ["random", str(full), str(full / "policy.json")]
    assert config.evaluation.against == f"best-response:{full}"
    folder = train(config, tmp_path, "run", quiet()).folder
    monkeypatch.chdir(tmp_path / "elsewhere")
    run, again = open_run(folder)
    assert again == config
    assert set(run.facts["opponents"]) == {str(full), str(full / "policy.json"), f"best-response:{full}"}
    note(folder, status="interrupted", opponents={})
    assert resume(folder, quiet()).status == "finished"
    assert open_run(folder)[0].facts["opponents"] == run.facts["opponents"]


def test_a_finished_run_without_metrics_gets_a_sentence(whole, tmp_path):
    folder = shutil.copytree(whole("421-ppo"), tmp_path / "run")
    (folder / "metrics.jsonl").unlink()
    with pytest.raises(RunError, match=r"is finished, and its metrics are gone: there is no line in its metrics"):
        resume(folder, quiet())


@pytest.mark.parametrize("key", ["status", "algorithm", "seed", "started", "versions"])
def test_a_run_json_that_says_too_little_gets_a_sentence(halfway, key):
    facts = json.loads((halfway / "run.json").read_text())
    del facts[key]
    (halfway / "run.json").write_text(json.dumps(facts))
    with pytest.raises(RunError) as caught:
        resume(halfway, quiet())
    assert str(caught.value) == f"{halfway / 'run.json'} is damaged: it does not say the run's {key}"


def test_a_run_that_is_being_trained_is_left_alone(halfway):
    with held(halfway), pytest.raises(RunError) as caught:
        resume(halfway, quiet())
    assert str(caught.value) == f"{halfway} is being trained by another process right now: wait, or end that"
