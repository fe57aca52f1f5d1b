"""Every reader of files, held against whatever may stand in a file's place; and every writer against a full disk."""

import ast
import errno
import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from hostile import INSTEAD, changed_bytes, changed_json, is_a_sentence, little_memory, put
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_board import made_up_board
from test_checkpoint_files import rewrite_arrays

from nenette import untrusted
from nenette.exact import store
from nenette.exact.certificates.files import read as read_certificate
from nenette.exact.solo.certificate import check_solo
from nenette.games import make_game
from nenette.policies import read_policy
from nenette.policies.files import save_policy
from nenette.policies.network import NetworkPolicy
from nenette.policies.shipped import OPPONENTS, read_card
from nenette.writing import append_bytes, replace_file
from nenette_agents.config import files
from nenette_agents.config.loading import load_config
from nenette_agents.config.named import hashes
from nenette_agents.errors import CheckpointError, ConfigError, sentence_of
from nenette_agents.opponents.manifest import read_manifest
from nenette_agents.report.board import read_board
from nenette_agents.runs.checkpoints.files import Checkpoint, read_checkpoint, write_checkpoint
from nenette_agents.runs.checkpoints.shelf import Shelf
from nenette_agents.runs.folders import Run, new_run, open_run, read_json
from nenette_agents.sb3_import import read_trusted, read_trusted_statistics

GAME = make_game("demi-iles")
CONFIG = {"game": "421", "algorithm": "ppo", "opponents": ["random"], "total_timesteps": 4096}


class Reader(NamedTuple):
    """A file in a folder, and what reads it there."""

    file: str
    read: object
    silent: bool = False
    """It takes what cannot be read as missing."""


READERS = {
    "policy.json": Reader("opponent/policy.json", lambda folder: read_policy(folder / "opponent")),
    "weights": Reader("opponent/policy.safetensors", lambda folder: read_policy(folder / "opponent")),
    "card": Reader("cards/421/random/card.json", lambda folder: read_card("421", "random", folder / "cards")),
    "config": Reader("run/config.yaml", lambda folder: open_run(folder / "run")),
    "manifest": Reader("run/config.yaml", lambda folder: read_manifest(folder / "run" / "config.yaml")),
    "board": Reader("board.json", lambda folder: read_board(folder / "board.json")),
    "run.json": Reader("run/run.json", lambda folder: open_run(folder / "run")),
    "metrics": Reader("run/metrics.jsonl", lambda folder: Run(folder / "run", {}).metrics()),
    "json": Reader("run/run.json", lambda folder: read_json(folder / "run" / "run.json")),
    "checkpoint": Reader("checkpoint/checkpoint.json", lambda folder: read_checkpoint(folder / "checkpoint")),
    "arrays": Reader("checkpoint/arrays.safetensors", lambda folder: read_checkpoint(folder / "checkpoint")),
    "shelf": Reader("run/checkpoints/step-000000000007", lambda folder: Shelf(folder / "run").newest(print)),
    "certificate": Reader("certificate.json", lambda folder: read_certificate(folder / "certificate.json")),
    "solo certificate": Reader("certificate.json", lambda folder: check_solo(folder / "certificate.json")),
    "zip": Reader("mine.zip", lambda folder: read_trusted(folder / "mine.zip", GAME, name="mine", greedy=False)),
    "statistics": Reader("mine.zip", lambda folder: read_trusted_statistics(folder / "mine.zip", GAME)),
    "kept solution": Reader("kept.safetensors", lambda folder: store.read(folder / "kept.safetensors"), silent=True),
    "mapped solution": Reader(
        "kept.safetensors", lambda folder: store.read(folder / "kept.safetensors", mapped=True), silent=True
    ),
    "opponent's hash": Reader(
        "opponent/policy.safetensors",
        lambda folder: hashes([str(folder / "opponent")]).get(str(folder / "opponent")),
        silent=True,
    ),
}


@pytest.fixture
def folder(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    size = GAME.codec.size
    layers = [(rng.random((3, size), dtype=np.float32), rng.random(3, dtype=np.float32))]
    save_policy(tmp_path / "opponent", NetworkPolicy(GAME, layers, head="argmax", name="mine"), {})
    shutil.copytree(OPPONENTS / "421" / "random", tmp_path / "cards" / "421" / "random")
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(CONFIG))
    run = new_run(tmp_path, load_config(tmp_path / "c.yaml"), "run", [])
    run.add_metrics({"step": 1})
    run.folder.rename(tmp_path / "run")
    checkpoint = Checkpoint(7, "421", "abc", {}, {}, {"a": {"x": np.arange(3.0)}})
    (tmp_path / "checkpoint").mkdir()
    write_checkpoint(tmp_path / "checkpoint", checkpoint)
    (tmp_path / "run" / "checkpoints").mkdir()
    (tmp_path / "board.json").write_text(made_up_board(seeds=[0]).model_dump_json())
    store.write(tmp_path / "kept.safetensors", {"keys": np.arange(9)}, {"value": 0.5})
    return tmp_path


def unreadable(monkeypatch, path: Path) -> None:
    """As for somebody who has no right to read it: whoever runs the tests may have every right."""
    opened = os.open

    def refuse(given, *arguments, **options):
        if str(given) == str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(given))
        return opened(given, *arguments, **options)

    monkeypatch.setattr(untrusted.os, "open", refuse)


MISSING = {
    ("metrics", "a link to nowhere"),
    ("metrics", "an empty file"),
    ("card", "a link to nowhere"),
    ("opponent's hash", "an empty file"),
}


def outcome(reader: Reader, folder: Path) -> None:
    """Asserts that it refuses in one sentence of its own, in which the file is named."""
    if reader.silent:
        assert reader.read(folder) is None
        return
    with pytest.raises((ValueError, FileNotFoundError)) as refused:
        reader.read(folder)
    sentence = sentence_of(refused.value)
    assert is_a_sentence(ValueError(sentence)), sentence
    assert Path(reader.file).name in sentence or str(folder / "run") in sentence
    assert type(refused.value) is not ValueError


@pytest.mark.parametrize("instead", [*INSTEAD, "a file that nobody may read"])
@pytest.mark.parametrize("name", READERS)
def test_whatever_stands_in_a_file_s_place_is_refused(folder, monkeypatch, name, instead):
    reader = READERS[name]
    file = folder / reader.file
    if (name, instead) in MISSING:
        return  # which is no fault there, and other tests say what comes of it
    if instead == "a file that nobody may read":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"") if not file.exists() else None
        unreadable(monkeypatch, file)
    else:
        put(file, instead)
    with little_memory(60_000):
        outcome(reader, folder)


def calls(path: Path) -> set[str]:
    """What a module calls that opens files."""
    found = [node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    methods = {f".{function.attr}" for function in found if isinstance(function, ast.Attribute)}
    return (methods | {function.id for function in found if isinstance(function, ast.Name)}) & {
        *("open", ".open", ".read_bytes", ".read_text", ".write_bytes", ".write_text"),
        *(".memmap", ".fromfile", ".load_file", ".save_file", "safe_open", "ZipFile", ".ZipFile"),
    }


def test_no_file_is_opened_but_by_what_looks_at_it_first():
    """Whoever adds a reader reads by `nenette.untrusted`, and whoever adds a writer writes by `nenette.writing`."""
    root = Path(__file__).parents[2]
    sources = [path for source in ("envs", "agents") for path in (root / source).rglob("*.py")]
    assert len(sources) > 100
    assert {str(path.relative_to(root)): found for path in sources if (found := calls(path))} == {
        "envs/nenette/untrusted.py": {"open", ".open"},
        "envs/nenette/writing.py": {"open", ".open"},
        "envs/nenette/exact/store.py": {".read_bytes", ".memmap"},  # the package's own source; what is looked at
        "envs/nenette/exact/certificates/storm.py": {".open"},  # a file in a temporary folder of its own
        "agents/nenette_agents/runs/checkpoints/shelf.py": {".open"},  # folders, to bring their names to the disk
        "agents/nenette_agents/play/records.py": {".open"},  # a file that it creates, and is refused where there is one
        "agents/nenette_agents/config/files.py": {".read_text"},  # the configs that come with the package
        "agents/nenette_agents/page/building.py": {".read_text"},  # the page's own sources, which come with the package
        "agents/nenette_agents/play/rules.py": {".read_text"},  # the same
        "agents/nenette_agents/algorithms/saving.py": {".ZipFile"},  # a file that was looked at
        "agents/nenette_agents/benchmark/demo.py": {".read_text"},  # the repository's own README
        # What the run itself has just written into a temporary folder; what the system says of its processor.
        "agents/nenette_agents/benchmark/one_run.py": {".read_bytes", ".read_text"},
    }


MOST_ECHOED = 160


@pytest.mark.parametrize("name", ["config", "run.json", "metrics", "policy.json", "checkpoint", "certificate"])
def test_a_sentence_says_no_more_than_a_line_of_a_file(folder, name):
    reader = READERS[name]
    file = folder / reader.file
    long = "x" * 5000
    content = CONFIG if name == "config" else json.loads(file.read_bytes()) if file.exists() else {"format": "x"}
    sentences = []
    for key in [*content, "more"]:
        for value in (long, {long: 1}, {"a": {long: long}}, [long], {long: {long: {long: long}}}):
            for changed in ({**content, key: value}, {**content, long: value}):
                text = yaml.safe_dump(changed, width=10_000) if name == "config" else json.dumps(changed)
                file.write_text(text + "\n")
                try:
                    reader.read(folder)
                except (ValueError, OSError) as error:
                    sentences.append(str(error))
    assert sentences
    assert [sentence[:400] for sentence in sentences if long[:MOST_ECHOED] in sentence] == []


MUCH = ["{" + "a," * 24_000, "[" * 50_000, "- 1\n" * 12_000, "a: " * 10_000, "? " * 20_000]


@pytest.mark.parametrize("text", MUCH, ids=range(len(MUCH)))
def test_yaml_that_says_much_is_refused_before_it_is_read(text):
    events = 0

    class Counting(files._Loader):
        def get_event(self):
            nonlocal events
            events += 1
            return super().get_event()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_Loader", Counting)
        with pytest.raises(ConfigError, match=r"it says more than 2,000 things|nested too deeply|not YAML"):
            files.parse(text, "x")
    assert events < 5000


def test_yaml_longer_than_any_config_is_not_looked_at():
    with pytest.raises(ConfigError, match=r"^x: this is longer than any config \(over 50,000 characters\)$"):
        files.parse("a" * 50_001, "x")


@settings(max_examples=150)
@given(data=st.data())
def test_a_checkpoint_in_which_bytes_went_wrong_and_are_vouched_for(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("checkpoint")
    state = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "y": np.array([True, False]), "n": 1}
    write_checkpoint(folder, Checkpoint(7, "421", "abc", {"seed": 0}, {}, {"a": state}))
    if data.draw(st.booleans()):
        content = (folder / "arrays.safetensors").read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = data.draw(changed_json(json.loads(content[8 : 8 + length])))
        content = data.draw(
            st.sampled_from([len(header).to_bytes(8, "little") + header + content[8 + length :]])
            | changed_bytes(content)
        )
        rewrite_arrays(folder, content)
    else:
        about = json.loads((folder / "checkpoint.json").read_bytes())
        (folder / "checkpoint.json").write_bytes(data.draw(changed_json(about)))
    try:
        checkpoint = read_checkpoint(folder)
    except CheckpointError as error:
        assert is_a_sentence(error), str(error)  # noqa: PT017 (either is right)
    else:
        assert all(np.isfinite(a).all() for a in checkpoint.states["a"].values() if isinstance(a, np.ndarray))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    (folder / "c.yaml").write_text(yaml.safe_dump(CONFIG))
    return new_run(folder, load_config(folder / "c.yaml"), "run", [])


@settings(max_examples=80)
@given(data=st.data())
def test_a_run_json_that_says_something_else(run, data):
    file = run.folder / "run.json"
    file.write_bytes(data.draw(st.one_of(changed_json(run.facts), changed_bytes(json.dumps(run.facts).encode()))))
    try:
        open_run(run.folder)
    except ValueError as error:
        assert is_a_sentence(error), str(error)  # noqa: PT017 (either is right)
        assert type(error) is not ValueError  # noqa: PT017


@pytest.mark.parametrize("link", [".run.json.new", "metrics.jsonl", ".config.yaml.new"])
@pytest.mark.parametrize("to", ["a file of mine", "a pipe"])
def test_a_run_of_somebody_else_writes_nowhere_but_in_its_folder(folder, link, to):
    mine = folder / "mine.txt"
    mine.write_text("mine")
    (folder / "run" / link).unlink(missing_ok=True)
    if to == "a pipe":
        os.mkfifo(folder / "run" / link)
    else:
        (folder / "run" / link).symlink_to(mine)
    run, _ = open_run(folder / "run")
    run.note(status="running")
    try:
        run.add_metrics({"step": 2})
    except OSError as error:
        assert "metrics.jsonl" in sentence_of(error)  # noqa: PT017
        assert link == "metrics.jsonl"
    run.set_metrics([{"step": 2}])
    assert mine.read_text() == "mine"
    assert json.loads((folder / "run" / "run.json").read_text())["status"] == "running"


def test_checkpoints_that_are_links_take_nothing_with_them(tmp_path):
    mine, theirs = Shelf(tmp_path / "mine"), Shelf(tmp_path / "theirs")
    checkpoint = Checkpoint(7, "421", "abc", {}, {}, {"a": {"n": 1}})
    mine.put(checkpoint)
    theirs.folder.mkdir(parents=True)
    (theirs.folder / "step-000000000009").symlink_to(mine.folder / "step-000000000007")
    theirs.tidy(8)
    assert list(theirs.folder.iterdir()) == []
    theirs.folder.rmdir()
    theirs.folder.symlink_to(mine.folder)
    theirs.clear()
    assert not theirs.folder.exists()
    assert mine.newest(print) == checkpoint


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_s_error_names_the_file(tmp_path, monkeypatch):
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode: opened(Path("/dev/full"), "wb", buffering=0))
    policy = NetworkPolicy(GAME, [(np.zeros((3, 46), np.float32), np.zeros(3, np.float32))], head="argmax", name="x")
    checkpoint = Checkpoint(7, "421", "abc", {}, {}, {"a": {"x": np.arange(3.0)}})
    writers = {
        "x.json": lambda: replace_file(tmp_path / "x.json", b"{}"),
        "policy.safetensors": lambda: save_policy(tmp_path, policy, {}),
        "run.json": lambda: Run(tmp_path, {}).note(status="running"),
        "arrays.safetensors": lambda: write_checkpoint(tmp_path, checkpoint),
    }
    for name, write in writers.items():
        with pytest.raises(OSError, match="No space left on device") as full:
            write()
        assert name in sentence_of(full.value)


def test_a_full_disk_under_the_metrics_is_named(tmp_path, monkeypatch):
    (tmp_path / "metrics.jsonl").touch()
    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device") as full:
        append_bytes(tmp_path / "metrics.jsonl", b"x")
    assert sentence_of(full.value) == f"{tmp_path / 'metrics.jsonl'}: No space left on device"
