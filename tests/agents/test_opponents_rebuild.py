"""Making opponents from a manifest: the same bits each time, and what is wrong is reported."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
from here import trainings_here
from rich.console import Console
from typer.testing import CliRunner

from nenette.policies.shipped import read_card, shipped_names
from nenette_agents.cli import app as cli
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.opponents import building
from nenette_agents.opponents.building import newest_run, rebuild
from nenette_agents.opponents.manifest import choose, read_manifest

runner = CliRunner()
ENTRY = "- {game: demi-iles, name: tiny, config: demi-iles-ppo.yaml, seed: 4, overrides: [total_timesteps=512]}\n"


@pytest.fixture
def manifest(small_config, tmp_path):
    shutil.copy(small_config("demi-iles-ppo"), tmp_path)
    shutil.copy(small_config("421-ppo"), tmp_path)
    path = tmp_path / "manifest.yaml"
    path.write_text(ENTRY)
    return path


def build(manifest, place, *names, runs=None):
    return rebuild(
        list(names),
        game=None,
        manifest=manifest,
        folder=place / "opponents",
        runs=runs or place / "runs",
        at_a_time=1,
        console=Console(file=io.StringIO()),
    )


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_rebuilds_are_the_same_bit_for_bit_and_verified(manifest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in ("one", "two"):
        with trainings_here():
            assert build(manifest, tmp_path / place, "tiny") == {"demi-iles": ["tiny"]}
    made = contents(tmp_path / "one" / "opponents")
    assert made == contents(tmp_path / "two" / "opponents")
    rungs = {"demi-iles/tiny/policy.json", "demi-iles/tiny/policy.safetensors"}
    assert set(made) == rungs | {f"demi-iles/{name}/card.json" for name in ("random", "optimal", "greedy", "blocker")}
    card = read_card("demi-iles", "tiny", tmp_path / "one" / "opponents")
    assert (card["algorithm"], card["seed"], card["steps"]) == ("ppo", 4, 512)
    assert (card["config"]["total_timesteps"], card["config"]["seed"]) == (512, 4)

    arguments = ["opponents", "--manifest", manifest, "--folder", tmp_path / "one" / "opponents", "--json"]
    verified = runner.invoke(cli.app, [*map(str, arguments), "--verify", "tiny", "demi-iles/random"])
    assert verified.exit_code == 0, verified.stdout
    assert json.loads(verified.stdout)["opponents"] == ["demi-iles/tiny", "demi-iles/random"]

    # What is finished is not trained again, also by the command; scores and ratings are.
    monkeypatch.setattr(building, "run_trainings", lambda jobs, *_, **__: pytest.fail("trained") if jobs else [])
    again = [*map(str, arguments), "--rebuild", "--runs", str(tmp_path / "one" / "runs"), "tiny", "demi-iles/greedy"]
    result = runner.invoke(cli.app, again)
    assert result.exit_code == 0, result.output
    assert [rung["name"] for rung in json.loads(result.stdout)["demi-iles"]] == ["tiny", "greedy"]
    assert contents(tmp_path / "one" / "opponents") == made
    assert "demi-iles/tiny: scored exactly\n" in result.stderr


def test_a_run_is_used_or_goes_on_if_it_is_of_just_this_config_and_name(manifest, trained, tmp_path, monkeypatch):
    (entry,) = read_manifest(manifest)
    runs = tmp_path / "runs"
    place = runs / "demi-iles" / "ppo" / "tiny-2"
    shutil.copytree(trained("demi-iles-ppo", "seed=4", "total_timesteps=512").folder, place)

    def found(entry):
        return [newest_run(runs, entry, entry.load(), finished=finished) for finished in (True, False)]

    assert found(entry) == [place, None]
    manifest.write_text(ENTRY.replace("seed: 4", "seed: 5"))
    assert found(*read_manifest(manifest)) == [None, None]
    other = place.rename(place.with_name("tiny-er"))
    assert found(entry) == [None, None]
    place = other.rename(place.with_name("tiny"))
    facts = place / "run.json"
    facts.write_text(facts.read_text().replace('"finished"', '"interrupted"', 1))
    assert found(entry) == [None, place]

    def goes_on(jobs, *_, **__):
        assert [job.resume for job in jobs] == [place]
        assert jobs[0].arguments(runs) == ["--resume", str(place), "--json"]
        raise RunError("as far as this")

    monkeypatch.setattr(building, "run_trainings", goes_on)
    manifest.write_text(ENTRY)
    with pytest.raises(RunError, match="as far as this"):
        build(manifest, tmp_path, "tiny")
    facts.write_text("{")
    assert found(entry) == [None, None]


def test_a_training_that_fails_leaves_what_there_was(manifest, tmp_path, monkeypatch):
    def fail(jobs, runs, **_):
        raise RunError(f"training {jobs[0].config} ended with exit code 2")

    monkeypatch.setattr(building, "run_trainings", fail)
    with pytest.raises(RunError, match="ended with exit code 2"):
        build(manifest, tmp_path, "tiny")
    assert not (tmp_path / "opponents").exists()
    assert shipped_names("demi-iles", tmp_path / "opponents") == []


def test_one_that_the_manifest_does_not_name_cannot_be_made(manifest, trained, tmp_path):
    place = tmp_path / "opponents" / "demi-iles" / "old"
    shutil.copytree(trained("demi-iles-ppo").folder, place)
    about = json.loads((place / "policy.json").read_text())
    (place / "policy.json").write_text(json.dumps(about | {"name": "old", "card": {"kind": "trained"}}))
    with pytest.raises(RunError, match=r"manifest.yaml does not say how demi-iles/old is made$"):
        build(manifest, tmp_path, "old")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1", "MANIFEST: a list of opponents was expected"),
        ("- 3", "MANIFEST: entry 1 is 3; a mapping with game, name, config, seed, overrides was expected"),
        (
            ENTRY.replace("seed", "sed"),
            "MANIFEST: entry 1: 'sed' is no key of it (game, name, config, seed, overrides)",
        ),
        (ENTRY.replace("seed: 4, ", ""), "MANIFEST: entry 1: seed is missing"),
        (ENTRY.replace("seed: 4", "seed: x"), "MANIFEST: entry 1: seed is 'x'; an integer was expected"),
        (ENTRY.replace("name: tiny", "name: ../x"), "MANIFEST: entry 1: name is '../x'; a word of small letters, "),
        (
            ENTRY.replace("tiny", "greedy"),
            "MANIFEST: entry 1: name is 'greedy'; a name that no policy of demi-il",
        ),
        (ENTRY.replace("demi-iles,", "demi-ile,"), "MANIFEST: entry 1: game is 'demi-ile'; one of demi-iles-solo, "),
        (ENTRY.replace("[total_timesteps=512]", "x"), "MANIFEST: entry 1: overrides is 'x'; a list of texts "),
        (ENTRY + ENTRY, "MANIFEST: demi-iles/tiny is there 2 times"),
    ],
)
def test_a_manifest_that_is_wrong_gets_a_sentence(text, sentence, tmp_path):
    path = tmp_path / "manifest.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="^" + re.escape(sentence.replace("MANIFEST", str(path)))):
        read_manifest(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("demi-iles-ppo.yaml", "421-ppo.yaml"), "game is 421, and the opponent demi-iles/tiny is made by it"),
        (
            ("total_timesteps=512", "rules.players=3"),
            "rules is {'players': 3}; the opponent demi-iles/tiny plays by the ",
        ),
        (
            ("total_timesteps=512", '"network.net_arch=[512, 512]"'),
            "and the opponent demi-iles/tiny is to have less than 1,000,000 in all",
        ),
        (("total_timesteps=512", "total_step=512"), "total_step (512) is no key of a config"),
        (("demi-iles-ppo.yaml", "demi-iles-ppx.yaml"), "there is no such file; did you mean"),
    ],
)
def test_a_config_that_makes_no_opponent_gets_a_sentence(change, sentence, manifest):
    manifest.write_text(ENTRY.replace(*change))
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        read_manifest(manifest)[0].load()


def test_names_are_chosen_by_game_and_by_name():
    known = {"421": ["random", "dqn"], "demi-iles": ["random", "ppo"]}
    assert choose([], None, known) == known
    assert choose([], "421", known) == {"421": ["random", "dqn"]}
    assert choose(["random", "ppo", "random"], None, known) == {"421": ["random"], "demi-iles": ["random", "ppo"]}
    assert choose(["421/random"], None, known) == {"421": ["random"]}
    with pytest.raises(ConfigError, match=r"^'421/ppo': one of random, dqn, ppo was expected"):
        choose(["421/ppo"], None, known)
    with pytest.raises(ConfigError, match=r"^'ppo': one of random, dqn was expected"):
        choose(["ppo"], "421", known)


@pytest.mark.slow
def test_an_interrupted_rebuild_goes_on_where_it_was(manifest, tmp_path):
    overrides = "total_timesteps=16_384, evaluation.every=2048, checkpoint.every_seconds=0"
    long = ENTRY.replace("tiny", "long").replace("total_timesteps=512", overrides)
    manifest.write_text(ENTRY + long)

    def command(place):
        options = {"manifest": manifest, "folder": place / "opponents", "runs": place / "runs", "game": "demi-iles"}
        words = [sys.executable, "-m", "nenette_agents", "opponents", "--rebuild", "--at-a-time", "1"]
        return words + [str(word) for name, value in options.items() for word in (f"--{name}", value)]

    # Tests that a shell runs in the background ignore SIGINT, and what they start would, too.
    heeds_it = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command(tmp_path / "one"), stderr=subprocess.PIPE, text=True, preexec_fn=heeds_it) as process:
        assert any(line == "tiny: trained\n" for line in process.stderr)
        assert any("step 4,096 of 16,384" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().endswith("nenette: interrupted\n")
    assert process.returncode == 130
    assert not (tmp_path / "one" / "opponents").exists()
    run = tmp_path / "one" / "runs" / "demi-iles" / "ppo" / "long" / "run.json"
    assert json.loads(run.read_text())["status"] == "interrupted"
    done = [
        subprocess.run(command(tmp_path / place), capture_output=True, text=True, check=True)
        for place in ("one", "two")
    ]
    assert "1 to train: demi-iles/long\n" in done[0].stderr
    assert "long: goes on from step " in done[0].stderr
    assert "2 to train: demi-iles/tiny, demi-iles/long\n" in done[1].stderr
    assert contents(tmp_path / "one" / "opponents") == contents(tmp_path / "two" / "opponents")
