"""Whatever somebody puts in a policy's folder is read as a policy or refused in a sentence, in little memory."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hostile import INSTEAD, changed_bytes, changed_json, is_a_sentence, little_memory, put
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_folders import GAME, edit, put_tensors, refusal, tensors
from safetensors.numpy import save
from small_networks import small_network

import nenette
from nenette.policies import PolicyFileError, read_policy, save_policy

NAMES = ("policy.json", "policy.safetensors")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "a run"
    save_policy(folder, small_network(GAME, name="mine"), {"steps": 3, "seeds": [1, 2]})
    read_policy(folder)  # whatever is imported by that is imported now
    return folder


@pytest.fixture(scope="module")
def files(run) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in NAMES}


@pytest.fixture
def fresh(run, files):
    """The folder, which is put in order before, whatever other tests left there, and afterwards."""
    restore(run, files)
    yield run
    restore(run, files)


def restore(run: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        if (run / name).is_dir() and not (run / name).is_symlink():
            (run / name).rmdir()
        (run / name).unlink(missing_ok=True)
        (run / name).write_bytes(content)


def read(folder: Path) -> None:
    size = sum((folder / name).stat().st_size for name in NAMES)
    with little_memory(size):
        try:
            policy = read_policy(folder)
        except PolicyFileError as error:
            assert is_a_sentence(error)  # noqa: PT017 (either is right)
            return
    nothing = np.zeros((1, policy.game.codec.size), dtype=np.float32)
    assert policy.action_probabilities(nothing, np.ones((1, policy.game.n_actions), np.int8)).sum() == pytest.approx(1)


@settings(max_examples=150)
@given(data=st.data())
def test_json_that_says_something_else(run, files, data):
    about = json.loads(files["policy.json"])
    (run / "policy.json").write_bytes(data.draw(changed_json(about)))
    (run / "policy.safetensors").write_bytes(files["policy.safetensors"])
    read(run)


@settings(max_examples=150)
@given(data=st.data())
def test_a_header_that_says_something_else_and_is_vouched_for(run, files, data):
    content = files["policy.safetensors"]
    length = int.from_bytes(content[:8], "little")
    header = data.draw(changed_json(json.loads(content[8 : 8 + length])))
    (run / "policy.json").write_bytes(files["policy.json"])
    put_tensors(run, len(header).to_bytes(8, "little") + header + content[8 + length :])
    read(run)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_bytes_that_went_wrong(run, files, name, data):
    for other in NAMES:
        (run / other).write_bytes(files[other])
    (run / name).write_bytes(data.draw(changed_bytes(files[name])))
    read(run)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("instead", INSTEAD)
def test_something_else_in_a_file_s_place(fresh, name, instead):
    put(fresh / name, instead)
    with little_memory(1000):
        sentence = refusal(fresh)
    assert sentence.startswith(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_link_to_a_file_is_as_good_as_the_file(fresh, name, tmp_path):
    (fresh / name).rename(tmp_path / "elsewhere")
    (fresh / name).symlink_to(tmp_path / "elsewhere")
    assert read_policy(fresh).name == "mine"


def test_a_large_file_is_not_read_for_a_small_network(fresh):
    with (fresh / "policy.safetensors").open("r+b") as file:
        file.truncate(200 << 20)
    with little_memory(1000):
        assert refusal(fresh).startswith("policy.safetensors is too large for a policy: more than 10")


@pytest.mark.parametrize("layers", [[46, 16384, 16384, 3], [46, *[16384] * 31, 3]])
def test_layers_that_are_announced_and_not_there(fresh, layers):
    edit(fresh, layers=layers)
    with little_memory(1000):
        assert (
            "[5, 46], and 'F32' [16384, 46] is expected" in refusal(fresh)
            or "is not one of them" in refusal(fresh)
            or "is missing" in refusal(fresh)
        )


def test_a_key_twice_is_refused(fresh):
    text = (fresh / "policy.json").read_text()
    (fresh / "policy.json").write_text(text.rstrip()[:-1] + ', "game": "421"}')
    assert refusal(fresh).endswith("is truncated or not a policy: its text is no JSON ('game' is there twice)")


def test_a_tensor_twice_is_refused(fresh):
    content = save(tensors())
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].rstrip()
    header = header[:-1] + b"," + header[1:]
    put_tensors(fresh, len(header).to_bytes(8, "little") + header + content[8 + length :])
    assert "its header is no JSON ('layers" in refusal(fresh)


def test_weights_in_each_other_s_place_are_refused(fresh):
    content = save(tensors())
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["layers.1.bias"]["data_offsets"] = [0, 12]
    text = json.dumps(header).encode()
    put_tensors(fresh, len(text).to_bytes(8, "little") + text + content[8 + length :])
    assert refusal(fresh).startswith("policy.safetensors is no safetensors file: ")


@pytest.mark.parametrize(
    "path", ["x" * 5000, "x/" * 3000, "a\0b/policy.json", "/proc/self/mem", "/dev/zero", "/dev/stdin/..", "\ud800/x"]
)
def test_names_that_no_policy_can_have(path):
    with pytest.raises(ValueError, match=r"policy|cannot be opened") as refused:
        nenette.load_opponent(path if "/" in path else f"./{path}")
    assert "\n" not in str(refused.value)


def test_the_checksum_is_of_all_that_is_read(fresh):
    """A file that is exchanged for another of the same shapes is not the one that was saved."""
    content = save(tensors())
    (fresh / "policy.safetensors").write_bytes(content)
    assert refusal(fresh).startswith("policy.safetensors is damaged, or not the file that its policy.json was written")
    edit(fresh, tensors_sha256=hashlib.sha256(content).hexdigest())
    assert read_policy(fresh).name == "mine"


def test_no_file_is_left_open(fresh):
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    for instead in ("a folder", "a pipe", "a file of a terabyte"):
        if (fresh / "policy.json").is_dir():
            (fresh / "policy.json").rmdir()
        put(fresh / "policy.json", instead)
        refusal(fresh)
    assert opened() == before
