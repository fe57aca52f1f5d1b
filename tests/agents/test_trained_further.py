"""A run that goes on may make more steps and be scored otherwise; what would make it another run is refused."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from twins import config_of, everything, quiet, stopped

from nenette.policies import load_opponent
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.runs.checkpoints import shelf
from nenette_agents.runs.folders import open_run
from nenette_agents.training.resuming import resume
from nenette_agents.training.run import train

# What does not follow from how many steps there are in all.
STEADY = ("ppo.learning_rate=3e-4", "evaluation.every=256")


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("short")
    return train(config_of("421-ppo", root, *STEADY, "total_timesteps=512"), root, "run", quiet()).folder


@pytest.fixture
def run(short: Path, tmp_path: Path) -> Path:
    return shutil.copytree(short, tmp_path / "run")


def test_a_finished_run_ends_as_one_that_was_that_long_from_the_beginning(run, tmp_path) -> None:
    twin = train(config_of("421-ppo", tmp_path, *STEADY, "total_timesteps=768"), tmp_path, "twin", quiet()).folder
    outcome = resume(run, quiet(), ["total_timesteps=768"])
    assert (outcome.status, outcome.steps) == ("finished", 768)
    mine, other = everything(run), everything(twin)
    # The line of step 512 is of the policy after the update that ended the shorter run.
    steps = [[line["step"] for line in both.pop("metrics")] for both in (mine, other)]
    assert steps == [[0, 256, 512, 768], [0, 256, 512, 768]]
    assert [key for key in mine if mine[key] != other[key]] == []
    facts = json.loads((run / "run.json").read_text())
    assert (facts["status"], facts["overrides"]) == ("finished", ["total_timesteps=768"])
    assert load_opponent(run).card["steps"] == 768
    assert open_run(run)[1].total_timesteps == 768
    assert resume(run, quiet()).last == outcome.last  # and is shown again as it is now


def test_a_run_that_was_stopped_is_given_more_steps_and_another_evaluation(stop_at, tmp_path) -> None:
    stop_at(80)
    folder = stopped(config_of("421-ppo", tmp_path, *STEADY), tmp_path)
    stop_at(10_000)
    outcome = resume(folder, quiet(), ["total_timesteps=1024", "evaluation={every: 200, against: cautious}"])
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert {line["against"] for line in lines} == {"random", "cautious"}
    assert [line["step"] for line in lines] == [0, 256, 400, 600, 800, 1000, 1024]
    assert outcome.steps == 1024


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("ppo.gamma=0.5", "ppo.gamma is 0.99 in RUN, and 0.5 would make it another run: only checkpoint, "),
        ("seed=1", "seed is 0 in RUN, and 1 would make it another run: "),
        ("opponents=[optimal, random]", "opponents is {'optimal': 1.0, 'random': 1.0} in RUN"),
        ("total_timesteps=512", None),
        ("evaluation.against=cautious", "RUN has made 512 steps, and total_timesteps is 512: more was expected. "),
        ("total_timesteps=400", "RUN has made 512 steps, and total_timesteps is 400: more was expected. "),
    ],
)
def test_what_would_make_it_another_run_is_refused(run, override, sentence) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    if sentence is None:  # it says what is so already
        assert resume(run, quiet(), [override]).steps == 512
    else:
        with pytest.raises(RunError) as refused:
            resume(run, quiet(), [override])
        if not override.startswith("opponents"):
            assert str(refused.value).startswith(sentence.replace("RUN", str(run)))
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_key_that_is_wrong_gets_the_sentence_as_elsewhere(run) -> None:
    with pytest.raises(ConfigError, match=r"^--set total_timestep=9: total_timestep \(9\) is no key of a config"):
        resume(run, quiet(), ["total_timestep=9"])


def test_a_run_whose_checkpoint_was_not_kept_says_what_can_be_done(run) -> None:
    shutil.rmtree(run / "checkpoints")
    with pytest.raises(RunError, match=r"its last checkpoint was not kept .*: a new run can begin .* --set init="):
        resume(run, quiet(), ["total_timesteps=768"])


@pytest.mark.parametrize(("small", "kept"), [(shelf.SMALL, True), (100, False)])
def test_a_finished_run_keeps_its_checkpoint_if_that_is_small(small, kept, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(shelf, "SMALL", small)
    overrides = ["checkpoint={every_seconds: 0}", "total_timesteps=256", "evaluation.every=null"]
    folder = train(config_of("421-ppo", tmp_path, *overrides), tmp_path, "run", quiet()).folder
    assert (folder / "checkpoints").exists() == kept


def test_a_kill_while_the_config_changes_leaves_one_of_both(run, monkeypatch) -> None:
    from nenette_agents.runs import folders

    replace = folders._replace

    def kill(path: Path, text: str) -> None:
        if path.name == "config.yaml":
            raise KeyboardInterrupt
        replace(path, text)

    monkeypatch.setattr(folders, "_replace", kill)
    with pytest.raises(KeyboardInterrupt):
        resume(run, quiet(), ["total_timesteps=768"])
    monkeypatch.setattr(folders, "_replace", replace)
    assert open_run(run)[1].total_timesteps == 512
    assert resume(run, quiet(), ["total_timesteps=768"]).steps == 768


INIT = ("init=demi-iles/ppo-weak", "rules={}", "total_timesteps=256", "evaluation.every=null")


def _same_network(policy) -> list[str]:
    sizes = [len(bias) for _, bias in policy.layers[:-1]]
    crossed = "null" if policy.crossed is None else policy.crossed.replace(" ", "_")
    return [f"network={{net_arch: {sizes}, activation_fn: {policy.activation}, crossed: {crossed}}}"]


def test_a_learner_begins_with_a_policy(tmp_path, monkeypatch) -> None:
    from nenette_agents.training import run as training

    policy = load_opponent("demi-iles/ppo-weak")
    made, make = [], training.build
    monkeypatch.setattr(training, "build", lambda config: made.append(make(config)) or made[-1])
    config = config_of("demi-iles-past", tmp_path, *INIT, *_same_network(policy), "opponents=self", "ppo.n_steps=16")
    built = training.build(config)
    from nenette_agents.export import export_policy

    begun = export_policy(built.learner, built.game, "begun", "softmax")
    for mine, its in zip(begun.layers, policy.layers, strict=True):
        assert all((a == b).all() for a, b in zip(mine, its, strict=True))
    run = train(config, tmp_path, "run", quiet()).folder
    card = load_opponent(run).card
    assert card["init"]["policy"] == "demi-iles/ppo-weak"
    assert (card["init"]["algorithm"], card["init"]["seed"]) == ("ppo", policy.card["seed"])
    # A run that begins with that one records it, with what it began with itself, and the file's hash.
    again = train(load_config(run / "config.yaml", [f"init={run}"]), tmp_path, "again", quiet()).folder
    init = load_opponent(again).card["init"]
    assert (init["policy"], init["init"]["policy"]) == (str(run), "demi-iles/ppo-weak")
    assert len(init["sha256"]) == 64


def test_dqn_and_its_target_begin_with_it(tmp_path) -> None:
    from nenette_agents.export import acting_networks
    from nenette_agents.training.build import build

    policy = load_opponent("421/dqn-medium")
    config = config_of("421-dqn", tmp_path, "init=421/dqn-medium", "rules={}", *_same_network(policy))
    networks = acting_networks(build(config).learner.policy)
    assert len(networks) == 3
    for network in networks:
        assert (network[0].weight.detach().numpy() == policy.layers[0][0]).all()


@pytest.mark.parametrize(
    ("init", "sentence"),
    [
        ("421/optimal", "init is '421/optimal'; a policy with a network was expected, and optimal has none"),
        ("421/ppo-medium", "init is '421/ppo-medium'; its network has net_arch ["),
        ("421/dqn-medium", "init is '421/dqn-medium'; a policy of ppo was expected, and it is one of dqn"),
        ("nobody", "init is 'nobody'; a policy was expected, but nobody is neither a policy of 421"),
    ],
)
def test_what_a_learner_cannot_begin_with_gets_a_sentence(init, sentence, tmp_path) -> None:
    with pytest.raises(ConfigError) as refused:
        config_of("421-ppo", tmp_path, f"init={init}", "rules={}")
    assert sentence in str(refused.value).replace("'nobody' is neither", "nobody is neither")


def test_tensorboard_has_the_config_and_the_versions(short) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(short))
    events.Reload()
    (text,) = events.Tensors("run/config/text_summary")
    shown = yaml.safe_load(text.tensor_proto.string_val[0].decode().replace("\n    ", "\n").removeprefix("    "))
    assert shown == yaml.safe_load((short / "config.yaml").read_text())
    assert "torch" in events.Tensors("run/versions/text_summary")[0].tensor_proto.string_val[0].decode()
    assert "hparams" in events.summary_metadata["_hparams_/experiment"].plugin_data.plugin_name
