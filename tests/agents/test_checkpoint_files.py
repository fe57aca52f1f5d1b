"""Checkpoints as files: whole or not there, and read only as they were written."""

import errno
import hashlib
import json
import os
import shutil
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from safetensors.numpy import load_file

from nenette_agents.errors import CheckpointError, DamagedCheckpoint
from nenette_agents.runs.checkpoints import shelf as shelves
from nenette_agents.runs.checkpoints.files import (
    Checkpoint,
    read_arrays,
    read_checkpoint,
    write_arrays,
    write_checkpoint,
)
from nenette_agents.runs.checkpoints.shelf import Shelf

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")


def made(step: int = 7, **parts) -> Checkpoint:
    states = parts or {
        "a": {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "n": 1 << 100, "f": 0.1, "t": "é"},
        "b": {
            "scalar": np.array(2.5, dtype=np.float32),
            "none": np.zeros((0, 4), dtype=np.uint64),
            "deep": {"l": [None]},
        },
    }
    return Checkpoint(step, "421", "abc", {"seed": 0}, {"python": "3"}, states)


@pytest.fixture
def folder(tmp_path):
    write_checkpoint(tmp_path, made())
    return tmp_path


def content_of(folder):
    return json.loads((folder / "checkpoint.json").read_text())


def rewrite(folder, change):
    """What somebody does who knows the format: changes the content, and its SHA-256 with it."""
    about = content_of(folder)
    change(about["content"])
    about["sha256"] = hashlib.sha256(json.dumps(about["content"]).encode()).hexdigest()
    (folder / "checkpoint.json").write_text(json.dumps(about))


def rewrite_arrays(folder, content: bytes):
    (folder / "arrays.safetensors").write_bytes(content)
    rewrite(folder, lambda c: c.update(arrays=hashlib.sha256(content).hexdigest()))


def array_of(dtype: str):
    finite = {"allow_nan": False, "allow_infinity": False} if dtype[0] == "f" else None
    return npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0, max_side=4), elements=finite)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(NAMES, st.sampled_from(DTYPES).flatmap(array_of), max_size=5))
def test_arrays_are_read_as_they_were_written_by_us_and_by_the_library(tmp_path_factory, arrays):
    path = tmp_path_factory.mktemp("arrays") / "x"
    arrays.pop("__metadata__", None)
    sha256 = write_arrays(path, arrays)
    for read in (read_arrays(path, sha256), load_file(path)):
        assert set(read) == set(arrays)
        for name, array in arrays.items():
            assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
            assert read[name].tobytes() == array.tobytes()


def test_transposed_and_big_endian_arrays_are_written_for_what_they_say(tmp_path):
    arrays = {"t": np.arange(6).reshape(2, 3).T, "b": np.arange(3, dtype=">i4"), "s": np.arange(10.0)[::3]}
    read = read_arrays(tmp_path / "x", write_arrays(tmp_path / "x", arrays))
    for name, array in arrays.items():
        np.testing.assert_array_equal(read[name], array)


def test_a_checkpoint_is_read_as_it_was_written(folder):
    read, wrote = read_checkpoint(folder), made()
    assert (read.step, read.game, read.rules_id, read.config) == (7, "421", "abc", {"seed": 0})
    for part, state in wrote.states.items():
        assert set(read.states[part]) == set(state)
        for key, value in state.items():
            if isinstance(value, np.ndarray):
                assert (read.states[part][key].dtype, read.states[part][key].shape) == (value.dtype, value.shape)
                assert read.states[part][key].tobytes() == value.tobytes()
            else:
                assert read.states[part][key] == value


@pytest.mark.parametrize("value", [object(), float("nan"), np.array([1j]), np.array(["a"]), {1, 2}])
def test_what_has_no_word_in_the_format_is_refused(tmp_path, value):
    with pytest.raises(CheckpointError, match=r"^a checkpoint cannot be written: "):
        write_checkpoint(tmp_path, made(a={"x": value}))


@pytest.mark.parametrize("name", ["checkpoint.json", "arrays.safetensors"])
def test_every_truncation_and_every_flipped_bit_is_found(folder, name):
    path = folder / name
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole) - 1, 7)]
    for place in range(0, len(whole), 3):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(CheckpointError) as caught:
            read_checkpoint(folder)
        assert str(caught.value).startswith(str(folder))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: c.update(step="7"), "checkpoint.json is damaged: step is '7', which it cannot be"),
        (lambda c: c.pop("parts"), "checkpoint.json is damaged: parts is None, which it cannot be"),
        (lambda c: c["parts"].update(a=3), "checkpoint.json is damaged: part 'a' is no object"),
        (lambda c: c["parts"].pop("b"), "arrays.safetensors has an array 'b/none' that is of no part"),
        (lambda c: c["parts"]["a"].update(x=1), "arrays.safetensors has an array 'a/x' that is of no part"),
        (
            lambda c: c.update(arrays="0"),
            "arrays.safetensors is damaged: its SHA-256 is not the one that it was written with",
        ),
    ],
)
def test_content_that_makes_no_sense_gets_a_sentence(folder, change, sentence):
    rewrite(folder, change)
    with pytest.raises(DamagedCheckpoint) as caught:
        read_checkpoint(folder)
    assert str(caught.value) == f"{folder}/{sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"is damaged: it is no JSON \(.*\)$"),
        ("[" * 100_000, r"is damaged: it is nested too deep$"),
        ("3", r"is no checkpoint: \"format\" is not 'nenette-checkpoint'$"),
        ('{"format": "nenette-policy"}', r"is no checkpoint: \"format\" is not 'nenette-checkpoint'$"),
        ('{"format": "nenette-checkpoint", "version": 1}', r"is damaged: it has no content$"),
        ('{"format": "nenette-checkpoint", "version": NaN}', r"is damaged: it is no JSON \(NaN is no JSON number\)$"),
        (
            '{"format": "nenette-checkpoint", "version": 1, "content": {"step": 1e999}}',
            r"is damaged: it is no JSON \(1e999 is too large a number\)$",
        ),
        ("9" * 5000, r"is damaged: it is no JSON \(.*\)$"),
    ],
)
def test_an_invalid_json_file_is_reported(folder, text, sentence):
    (folder / "checkpoint.json").write_text(text)
    with pytest.raises(DamagedCheckpoint, match=sentence):
        read_checkpoint(folder)


def test_another_version_of_the_format_is_not_taken_for_damage(folder):
    text = (folder / "checkpoint.json").read_text().replace('"version": 1', '"version": 2', 1)
    (folder / "checkpoint.json").write_text(text)
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(folder)
    assert str(caught.value).endswith("checkpoint.json is of format version 2, and this nenette reads version 1")
    assert not isinstance(caught.value, DamagedCheckpoint)


def safetensors(header: dict, body: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


@pytest.mark.parametrize(
    "content",
    [
        b"",
        struct.pack("<Q", 1 << 62),
        safetensors({"a/x": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4 << 40]}}, b""),
        safetensors({"a/x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, b"\0" * 4),
        safetensors({"a/x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, b"\0" * 8),
        safetensors({"a/x": {"dtype": "PICKLE", "shape": [4], "data_offsets": [0, 4]}}, b"\0" * 4),
        safetensors({"a/x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}, b"\0" * 4),
    ],
)
def test_a_file_that_promises_more_than_it_has_is_refused(folder, content):
    rewrite_arrays(folder, content)
    with pytest.raises(DamagedCheckpoint, match=r"arrays\.safetensors is no safetensors file: "):
        read_checkpoint(folder)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(tmp_path, value):
    write_checkpoint(tmp_path, made(a={"x": np.array([0.0, value])}))
    with pytest.raises(DamagedCheckpoint, match=r"arrays\.safetensors has a number in a/x that is not finite$"):
        read_checkpoint(tmp_path)


def test_the_newest_two_checkpoints_stay(tmp_path):
    shelf = Shelf(tmp_path)
    assert shelf.newest(print) is None
    for step in (5, 1 << 40, 20, 1 << 41):
        shelf.put(made(step))
    assert sorted(path.name for path in shelf.folder.iterdir()) == ["step-1099511627776", "step-2199023255552"]
    assert shelf.newest(print).step == 1 << 41
    shelf.clear()
    assert not shelf.folder.exists()


STAGES = ["mkdir", "write arrays", "arrays", "json", "sync", "rename", "after"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("killed", [True, False], ids=["killed", "full"])
def test_whatever_stops_a_write_leaves_the_checkpoint_before(tmp_path, monkeypatch, stage, killed):
    """Both a kill, after which nothing is put in order, and a disk that is full."""
    shelf = Shelf(tmp_path)
    shelf.put(made(1))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def stop(*_arguments, **_options):
        raise full

    real = {"fsync": os.fsync, "rename": os.rename}
    synced = []

    def fsync(handle):
        synced.append(handle)
        if len(synced) > {"arrays": 0, "json": 1, "sync": 2, "after": 3}.get(stage, 9):
            raise full
        real["fsync"](handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        if stage == "mkdir":
            patch.setattr(shelves.Path, "mkdir", stop)
        if stage == "write arrays":
            patch.setattr("nenette_agents.runs.checkpoints.files._bytes", stop)
        if stage == "rename":
            patch.setattr(os, "rename", stop)
        if killed:
            patch.setattr(shutil, "rmtree", lambda *_arguments, **_options: None)
        with pytest.raises(OSError, match="No space left on device"):
            shelf.put(made(2))
    aside = shelf.folder / ".aside"
    assert aside.exists() == (killed and stage not in ("mkdir", "after"))
    reported = []
    newest = shelf.newest(reported.append)
    assert newest is not None
    assert (newest.step, reported) == (2 if stage == "after" else 1, [])
    shelf.tidy(newest.step)
    assert not aside.exists()
    shelf.put(made(3))
    assert shelf.newest(print).step == 3


def test_a_damaged_checkpoint_is_reported_and_the_one_before_it_taken(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.put(made(1000))
    shelf.put(made(2000))
    newest, before = (shelf.folder / f"step-{step:012}" for step in (2000, 1000))
    path = newest / "arrays.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    reported = []
    assert shelf.newest(reported.append).step == 1000
    damage = f"{path} is damaged: its SHA-256 is not the one that it was written with"
    assert reported == [f"{damage}; the checkpoint before it is taken, of step 1,000"]
    (before / "checkpoint.json").unlink()
    with pytest.raises(CheckpointError) as caught:
        shelf.newest(reported.append)
    assert str(caught.value) == (
        f"{damage}, and no checkpoint before it can be read either; without {shelf.folder} the run begins anew"
    )
    shelf.tidy(1000)
    assert not newest.exists()
