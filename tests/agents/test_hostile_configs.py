"""Whatever stands in a config's or a run's files is read or refused in a sentence."""

import json

import pytest
import yaml
from hostile import INSTEAD, changed_bytes, changed_json, is_a_sentence, little_memory, put
from hypothesis import given, settings
from hypothesis import strategies as st

from nenette_agents.config import files
from nenette_agents.config.loading import load_config
from nenette_agents.errors import ConfigError, RunError
from nenette_agents.runs.folders import Run, find_run

CONFIG = {
    "game": "421",
    "rules": {"fiches": 3},
    "algorithm": "ppo",
    "opponents": ["random"],
    "total_timesteps": 256,
    "network": {"net_arch": [16]},
}
STRANGE = [
    "a: !!python/object/apply:os.system [ls]",
    "!!timestamp x",
    "!!bool perhaps",
    "!!int ''",
    "!!binary x",
    "!!set {a, b}",
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
    "? [a, b]\n: c",
    "{[1]: 2}",
    "<<: {a: 1}",
    "a: 1\n<<: [1]",
    "'\\ud800': 1",
    '"\\ud800": 1',
    "game: '\0'",
    "%YAML 9.9\n---\na: 1",
    "--- a\n--- b",
    "\ufeffa: 1",
    "a: 0x" + "f" * 5000,
    "total_timesteps: " + "9" * 5000,
    "total_timesteps: 1e999",
    "{" * 3000,
    "- " * 3000,
    "a: " + "[" * 500 + "]" * 500,
]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("configs") / "c.yaml"


def load(file) -> None:
    try:
        load_config(file, [])
    except ConfigError as error:
        assert is_a_sentence(error), str(error)  # noqa: PT017 (either is right)


@settings(max_examples=100)
@given(data=st.data())
def test_configs_that_say_something_else(file, data):
    """JSON is YAML, nearly."""
    file.write_bytes(data.draw(changed_json(CONFIG)))
    load(file)


@settings(max_examples=100)
@given(data=st.data())
def test_configs_in_which_bytes_went_wrong(file, data):
    file.write_bytes(data.draw(changed_bytes(yaml.safe_dump(CONFIG).encode())))
    load(file)


@pytest.mark.parametrize("text", STRANGE, ids=lambda text: text[:20].encode("unicode_escape").decode())
def test_yaml_that_only_yaml_can_say(file, text):
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(ConfigError) as refused:
        load_config(file, [])
    assert is_a_sentence(refused.value), str(refused.value)


def test_a_bomb_of_aliases_takes_no_memory(file):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 10)]
    file.write_text("\n".join(lines))
    with little_memory(1000), pytest.raises(ConfigError, match=r"aliases \(\*name\) are not read"):
        files.read(file)


@pytest.mark.parametrize("instead", INSTEAD)
def test_something_else_in_a_config_s_place(tmp_path, instead):
    put(tmp_path / "c.yaml", instead)
    with little_memory(1000), pytest.raises(ConfigError) as refused:
        load_config(tmp_path / "c.yaml", [])
    assert is_a_sentence(refused.value)
    assert str(refused.value).startswith(f"{tmp_path / 'c.yaml'}: ")


@settings(max_examples=100)
@given(data=st.data())
def test_metrics_that_say_something_else(tmp_path_factory, data):
    run = Run(tmp_path_factory.getbasetemp(), {})
    line = data.draw(changed_json({"step": 1, "score": {"value": 0.5}}))
    content = data.draw(st.one_of(st.just(line), changed_bytes(line))) + b"\n" + line
    (run.folder / "metrics.jsonl").write_bytes(content)
    try:
        with little_memory(len(content)):
            metrics = run.metrics()
    except RunError as error:
        assert is_a_sentence(error), str(error)  # noqa: PT017 (either is right)
    else:
        assert all(isinstance(row, dict) for row in metrics)


@pytest.mark.parametrize("instead", INSTEAD)
def test_something_else_in_the_metrics_place(tmp_path, instead):
    put(tmp_path / "metrics.jsonl", instead)
    if instead in ("a link to nowhere", "an empty file"):
        assert Run(tmp_path, {}).metrics() == []
        return
    with little_memory(1000), pytest.raises(RunError, match=r"metrics\.jsonl cannot be read: ") as refused:
        Run(tmp_path, {}).metrics()
    assert is_a_sentence(refused.value)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "../../nowhere", "\ud800", "a\nb", "*", "[", "**/x"])
def test_names_that_no_run_has(tmp_path, name):
    with pytest.raises(RunError) as refused:
        find_run(name, tmp_path)
    assert is_a_sentence(refused.value)


def test_metrics_are_json_lines(tmp_path):
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"step": 1}) + "\n[1]\n")
    with pytest.raises(RunError) as refused:
        Run(tmp_path, {}).metrics()
    assert str(refused.value) == f"line 2 of {tmp_path / 'metrics.jsonl'} is no JSON object"


def keys_of(section: dict, prefix: str = "") -> list[str]:
    """All keys of a config, with dots."""
    inner = [keys_of(value, f"{prefix}{name}.") for name, value in section.items() if isinstance(value, dict)]
    return [f"{prefix}{name}" for name in section] + [key for keys in inner for key in keys]


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_whatever_a_key_is_set_to_there_is_a_sentence_or_a_config(file, algorithm):
    file.write_text(yaml.safe_dump(CONFIG | {"algorithm": algorithm, "total_timesteps": 10_000}))
    keys = [*keys_of(load_config(file, []).model_dump()), "dqn.prioritized.alpha", "rewards.potential.own_fiches"]
    odd = ["null", "-1", "x", "true", "[0]", "[null]", "[[1]]", "{a: [0]}", "{}", ".inf", "1e-400", "'0'"]
    refused = 0
    for key in keys:
        for value in odd:
            try:
                load_config(file, [f"{key}={value}"])
            except ConfigError as error:
                assert is_a_sentence(error), f"{key}={value}: {error}"  # noqa: PT017 (either is right)
                refused += 1
    assert refused > 6 * len(keys) > 200
