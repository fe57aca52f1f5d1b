"""What everybody's files are read with: data only, and no more memory than their length accounts for."""

import os
import re
import subprocess
import sys

import pytest
from hostile import is_a_sentence, little_memory

from nenette.untrusted import MAX_DEPTH, NotReadableError, TooDeepError, TooLargeError, parse_json, read_bytes


@pytest.mark.parametrize("part", ["[]", "{}", '{"a":0}', "[[[]]]", '""', '"ab"', "10", "1.5", "null", '{"a":{"b":{}}}'])
def test_json_of_many_parts_takes_little_memory(part):
    text = f"[{','.join([part] * ((1 << 18) // (len(part) + 1)))}]".encode()
    with little_memory(len(text)):
        assert isinstance(parse_json(text), list)


def test_many_keys_take_little_memory():
    text = ("{" + ",".join(f'"{k:x}":0' for k in range(100_000)) + "}").encode()
    with little_memory(len(text)):
        assert len(parse_json(text)) == 100_000


@pytest.mark.parametrize("levels", [1, MAX_DEPTH - 1, MAX_DEPTH, 900, 100_000])
@pytest.mark.parametrize(("before", "after"), [("[", "]"), ('{"a":', "}")])
def test_how_deep_json_may_be(levels, before, after):
    text = (before * levels + "0" + after * levels).encode()
    if levels < MAX_DEPTH:
        assert parse_json(text)
        return
    with pytest.raises(TooDeepError, match=r"^is nested too deep$"):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b'{"a": 1, "a": 1}', "'a' is there twice"),
        (b'[{"x": {"b": 1, "c": 2, "b": 3}}]', "'b' is there twice"),
        (b"[NaN]", "NaN is no JSON number"),
        (b"[-Infinity]", "-Infinity is no JSON number"),
        (b"[1e400]", "1e400 is too large a number"),
        (b"1" * 5000, "Exceeds the limit"),
        (b"\xff", "'utf-8' codec can't decode"),
        (b"{'a': 1}", "Expecting property name enclosed in double quotes"),
        (b"", "Expecting value"),
    ],
    ids=range(9),
)
def test_what_is_no_json(text, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)) as refused:
        parse_json(text)
    assert is_a_sentence(refused.value)


def test_a_file_as_large_as_it_may_be_and_a_byte_larger(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    assert read_bytes(file, 100) == b"x" * 100
    with pytest.raises(TooLargeError, match=r"^is larger than 99 bytes$"):
        read_bytes(file, 99)


def test_what_is_no_file_or_too_large_is_not_even_opened(tmp_path, monkeypatch):
    """To open a device may do something."""
    (tmp_path / "large").write_bytes(b"x" * 100)
    os.mkfifo(tmp_path / "pipe")

    def opened(*_arguments):
        raise AssertionError("it was opened")

    monkeypatch.setattr(os, "open", opened)
    for name, sentence in {"large": "is larger than 99 bytes", "pipe": "is not a regular file"}.items():
        with pytest.raises(NotReadableError, match=f"^{sentence}$"):
            read_bytes(tmp_path / name, 99)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are no such files elsewhere")
def test_a_file_that_says_to_be_shorter_than_it_is():
    with pytest.raises(NotReadableError, match=r"^grows while it is read$"):
        read_bytes("/proc/self/status", 1 << 20)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is kept by Linux alone")
def test_readers_do_with_little_memory_though_a_file_is_huge(tmp_path):
    """All memory is counted here, not only Python's own."""
    (tmp_path / "policy.json").write_text("{}")
    for name in ("policy.safetensors", "certificate.json", "c.yaml"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(8 << 30)
    program = f"""
import resource
from nenette.exact import store
from nenette.exact.certificates.files import check
from nenette.policies import read_policy
from nenette_agents.config.files import read
from pathlib import Path
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
folder = Path({str(tmp_path)!r})
for reader, name in ((read_policy, ""), (check, "certificate.json"), (read, "c.yaml")):
    try:
        reader(folder / name)
    except ValueError as error:
        print(type(error).__name__)
print(store.read(folder / "policy.safetensors"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["PolicyFileError", "CertificateError", "ConfigError", "None"], done.stderr
