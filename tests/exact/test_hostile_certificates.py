"""Whatever stands in a certificate's or a kept solution's place is proved, read, or refused in a sentence."""

import json
import logging

import numpy as np
import pytest
from hostile import INSTEAD, changed_bytes, changed_json, is_a_sentence, little_memory, put
from hypothesis import given, settings
from hypothesis import strategies as st

from nenette.exact import store
from nenette.exact.certificates.files import Certificate, check, game_named, read
from nenette.exact.certificates.maker import certify
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.solo.certificate import check_solo
from nenette.games import make_game

SOLO = {
    "format": "nenette-certificate",
    "version": 1,
    "game": "demi-iles-solo",
    "rules": {},
    "rules_id": make_game("demi-iles-solo").rules_id,
    "states": 12_582_911,
    "play": "eNoDAAAAAAE=",  # of no state
    "exact": {"turns": ["80/1", "81/1"], "only_21_left": {"0": "5/1"}},
}


@pytest.fixture(scope="module")
def certificate(own_cache) -> str:
    return certify(make_game("421", fiches=1)).text()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates") / "certificate.json"


def refused(reader, file) -> str | None:
    """The sentence with which a file is refused; None if it is read."""
    try:
        with little_memory(file.stat().st_size if file.is_file() and not file.is_symlink() else 0):
            reader(file)
    except CertificateError as error:
        assert is_a_sentence(error)  # noqa: PT017 (either is right)
        return str(error)
    return None


@settings(max_examples=150)
@given(data=st.data())
def test_certificates_that_say_something_else(file, certificate, data):
    file.write_bytes(data.draw(changed_json(json.loads(certificate))))
    refused(read, file)
    refused(game_named, file)


@settings(max_examples=150)
@given(data=st.data())
def test_certificates_in_which_bytes_went_wrong(file, certificate, data):
    file.write_bytes(data.draw(changed_bytes(certificate.encode())))
    refused(read, file)
    refused(game_named, file)


@settings(max_examples=20)
@given(data=st.data())
def test_what_is_read_is_proved_or_refused(file, data, demi_iles_certificate):
    """Without the limit on memory: a proof may need more than the file."""
    content = json.loads(demi_iles_certificate.text())
    file.write_bytes(data.draw(changed_json({"endless": content["endless"], "exact": content["exact"]})))
    try:
        file.write_text(json.dumps(content | json.loads(file.read_bytes())))
    except (ValueError, TypeError):  # too long a number for Python, or a key twice that is no key any more
        return
    try:
        check(file)
    except CertificateError as error:
        assert is_a_sentence(error)  # noqa: PT017 (either is right)


@pytest.fixture(scope="module")
def demi_iles_certificate(own_cache) -> Certificate:
    return certify(make_game("demi-iles"))


@settings(max_examples=150)
@given(data=st.data())
def test_certificates_of_the_solo_game_that_say_something_else(file, data):
    file.write_bytes(data.draw(changed_json(SOLO)))
    sentence = refused(check_solo, file)
    assert sentence is not None
    assert "is no certificate of the solo game that can be checked: " in sentence


@pytest.mark.parametrize("reader", [read, game_named, check_solo])
@pytest.mark.parametrize("instead", INSTEAD)
def test_something_else_in_a_certificate_s_place(tmp_path, reader, instead):
    file = tmp_path / "certificate.json"
    put(file, instead)
    if instead == "a link to nowhere":
        with pytest.raises(OSError, match=r"certificate\.json"):
            reader(file)
        return
    sentence = refused(reader, file)
    assert sentence is not None
    assert sentence.startswith(f"{file} is no certificate ")


ARRAYS = {"keys": np.arange(50), "actions": np.arange(50, dtype=np.int8), "values": np.linspace(0, 1, 50)}


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> bytes:
    file = tmp_path_factory.mktemp("kept") / "x.safetensors"
    store.write(file, ARRAYS, {"value": 0.5})
    return file.read_bytes()


def look(file, mapped: bool) -> bool:
    """Whether a kept solution is read, which then is the one that was written."""
    with little_memory(file.stat().st_size if file.is_file() and not file.is_symlink() else 0):
        found = store.read(file, mapped=mapped)
    if found is None:
        return False
    assert found[1] == {"value": 0.5}
    assert all(np.array_equal(found[0][name], array) for name, array in ARRAYS.items())
    return True


@pytest.mark.parametrize("mapped", [False, True])
@settings(max_examples=150)
@given(data=st.data())
def test_kept_solutions_whose_header_says_something_else(tmp_path_factory, kept, mapped, data):
    length = int.from_bytes(kept[:8], "little")
    header = data.draw(changed_json(json.loads(kept[8 : 8 + length])))
    file = tmp_path_factory.getbasetemp() / "header.safetensors"
    file.unlink(missing_ok=True)
    file.write_bytes(len(header).to_bytes(8, "little") + header + kept[8 + length :])
    look(file, mapped)


@pytest.mark.parametrize("mapped", [False, True])
@given(data=st.data())
def test_kept_solutions_in_which_bytes_went_wrong(tmp_path_factory, kept, mapped, data):
    file = tmp_path_factory.getbasetemp() / "bytes.safetensors"
    file.unlink(missing_ok=True)
    file.write_bytes(data.draw(changed_bytes(kept)))
    look(file, mapped)


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("instead", INSTEAD)
def test_something_else_in_a_kept_solution_s_place(tmp_path, kept, instead, mapped, caplog):
    file = tmp_path / "x.safetensors"
    file.write_bytes(kept)
    assert look(file, mapped)
    put(file, instead)
    with caplog.at_level(logging.WARNING, logger="nenette"):
        assert not look(file, mapped)
    assert bool(caplog.records) is (instead != "a link to nowhere")
    assert all("it is computed again" in record.getMessage() for record in caplog.records)
