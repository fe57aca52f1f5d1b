"""What is documented of configs is current, and configs are found by name."""

import json
from pathlib import Path

import pytest
from test_wiring import keys_of
from typer.testing import CliRunner

from nenette_agents.cli import train as train_command
from nenette_agents.cli.app import app
from nenette_agents.config import files
from nenette_agents.config import reference as config_reference
from nenette_agents.config.files import SCHEMA_FILE, shipped_configs
from nenette_agents.config.model import Config

ROOT = Path(__file__).parents[2]


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_every_key_is_described():
    described = {key.name: key for _, _, own in config_reference.sections() for key in own}
    assert {*keys_of(Config)} <= set(described)
    assert all(key.description.strip() and key.expected for key in described.values())
    assert {key for key in described if described[key].default is None} == {"game", "algorithm"}


def test_the_page_and_the_schema_are_current():
    assert (ROOT / "docs" / "config.md").read_text() == config_reference.markdown(), "nenette config --markdown"
    assert SCHEMA_FILE.read_text() == config_reference.schema_text(), "nenette config --schema"


@pytest.mark.parametrize("path", shipped_configs().values(), ids=lambda path: path.stem)
def test_each_config_names_the_schema_and_has_only_keys_that_it_knows(path):
    first, second, third = path.read_text().splitlines()[:3]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("=")[2]).resolve() == SCHEMA_FILE.resolve()
    assert second.startswith("# ")
    assert third.startswith("# ")
    schema = config_reference.schema()

    def check(document, known, where):
        for key, value in document.items():
            assert key in known["properties"], f"{where}{key}"
            inner = known["properties"][key]
            reference = next((one["$ref"] for one in [inner, *inner.get("anyOf", [])] if "$ref" in one), None)
            if reference is not None and isinstance(value, dict):
                check(value, schema["$defs"][reference.rpartition("/")[2]], f"{where}{key}.")

    check(files.read(path), schema, "")


def test_the_command_tells_one_key_a_section_or_all():
    (key,) = json.loads(run("config", "ppo.gamma", "--json").stdout)["keys"]
    assert (key["name"], key["default"]) == ("ppo.gamma", "0.99")
    output = run("config", "dqn").stdout
    assert "dqn.target_update_interval [default: 2000]" in output
    assert "dqn.prioritized.alpha" in output
    assert "ppo." not in output
    assert max(map(len, output.splitlines())) <= 80
    assert "checkpoint.keep" in run("config").stdout
    refused = run("config", "ppo.gama")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == "nenette: 'ppo.gama' is no key of a config; did you mean 'ppo.gamma'?\n"


def test_a_config_is_found_by_name_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("train", "421-ppo", "--print")
    assert result.exit_code == 0, result.stderr
    first, _, rest = result.stdout.partition("\n")
    assert first == f"# yaml-language-server: $schema={SCHEMA_FILE.as_uri()}"
    assert rest == (ROOT / "configs" / "421-ppo.yaml").read_text().partition("\n")[2]
    met = []
    monkeypatch.setattr(
        "nenette_agents.config.loading.load_config", lambda path, *more, **settings: met.append(path) or 1 / 0
    )
    assert isinstance(run("train", "421-ppo").exception, ZeroDivisionError)
    assert met == [shipped_configs()["421-ppo"]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["421-pp"], "nenette: '421-pp' is neither a file nor a config that comes with the package (421-"),
        (["--print"], "nenette: --print takes a YAML file or the name of a config, such as 421-ppo\n"),
        (["x.yaml", "--print"], "nenette: x.yaml: there is no such file\n"),
    ],
)
def test_a_config_that_is_not_there_gets_a_sentence(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = run("train", *arguments)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(sentence)


def test_names_of_earlier_versions_are_reported_once_on_stderr(tmp_path, monkeypatch):
    path = tmp_path / "c.yaml"
    path.write_text("game: 421\nalgorithm: ppo\nopponents: random\ntotal_steps: 4096\n")
    monkeypatch.setattr(train_command, "_training", lambda: 1 / 0)
    result = run("train", str(path))
    sentence = "these names are of an earlier version, and mean what they meant: total_steps is now total_timesteps"
    assert (result.stdout, result.stderr) == ("", f"nenette: {path}: {sentence}\n")
