"""Policy files: what is written is read back, and nothing else is."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rule_variants import decisions
from safetensors.numpy import save
from small_networks import small_network

from nenette.games import make_game
from nenette.policies import PolicyFileError, files, read_policy, save_policy

GAME = make_game("demi-iles", max_turns=50)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "a run"
    save_policy(folder, small_network(GAME, name="mine"), {"steps": 3, "seeds": [1, 2]})
    return folder


def edit(folder: Path, **entries: Any) -> None:
    """Changes entries of the JSON; None takes one away."""
    path = folder / "policy.json"
    about = json.loads(path.read_text()) | entries
    path.write_text(json.dumps({key: value for key, value in about.items() if value is not None}))


def put_tensors(folder: Path, content: bytes) -> None:
    """Replaces the weights by something that the JSON vouches for."""
    (folder / "policy.safetensors").write_bytes(content)
    edit(folder, tensors_sha256=hashlib.sha256(content).hexdigest())


def tensors(**changed: Any) -> dict[str, Any]:
    sizes = [GAME.codec.size, 5, 3]
    made = {}
    for k in range(2):
        made[f"layers.{k}.weight"] = np.ones((sizes[k + 1], sizes[k]), np.float32)
        made[f"layers.{k}.bias"] = np.ones(sizes[k + 1], np.float32)
    return {name: value for name, value in (made | changed).items() if value is not None}


def refusal(path: Path, game: Any = None) -> str:
    """The one sentence with which `path` is refused."""
    with pytest.raises(PolicyFileError) as error:
        read_policy(path, game)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence.replace(str(path.parent), "RUNS").replace("RUNS/a run/", "")


@pytest.mark.parametrize("part", ["", "policy.json", "policy.safetensors"])
@pytest.mark.parametrize("game", [None, "demi-iles", GAME, make_game("demi-iles")])
def test_what_is_written_is_read_back(run, part, game):
    policy = read_policy(run / part, game)
    written = small_network(GAME, name="mine")
    observations, masks = decisions(GAME)
    np.testing.assert_array_equal(
        policy.action_probabilities(observations, masks), written.action_probabilities(observations, masks)
    )
    assert (policy.name, policy.activation, policy.head, policy.sizes) == ("mine", "tanh", "softmax", [46, 5, 3])
    assert policy.card == {"steps": 3, "seeds": [1, 2]}
    assert policy.game.rules_id == GAME.rules_id
    assert policy.game.max_turns == (200 if isinstance(game, type(GAME)) and game is not GAME else 50)


def test_the_json_says_what_it_is(run):
    about = json.loads((run / "policy.json").read_text())
    assert about["format"] == "nenette-policy"
    assert about["version"] == 1
    assert about["rules"] == {"players": 2, "max_turns": 50}
    assert about["rules_id"] == GAME.rules_id


def test_writing_replaces_and_leaves_nothing_beside(run):
    save_policy(run, small_network(GAME, name="newer", seed=1, head="argmax", activation="relu"), {})
    newer = read_policy(run)
    assert (newer.name, newer.head, newer.activation, newer.card) == ("newer", "argmax", "relu", {})
    assert sorted(os.listdir(run)) == ["policy.json", "policy.safetensors"]


def test_a_write_that_fails_leaves_the_old_policy(run, monkeypatch):
    def fail(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        save_policy(run, small_network(GAME, name="newer", seed=1), {})
    assert read_policy(run).name == "mine"
    assert sorted(os.listdir(run)) == ["policy.json", "policy.safetensors"]


@pytest.mark.parametrize("card", [{"x": object()}, {"x": float("nan")}])
def test_a_card_that_is_no_json_is_refused_before_anything_is_written(tmp_path, card):
    with pytest.raises(PolicyFileError, match=r"^the card of policy 'network' cannot be written as JSON: "):
        save_policy(tmp_path / "new", small_network(GAME), card)
    assert not (tmp_path / "new").exists()


def test_what_is_missing(run):
    assert refusal(run / "nowhere") == "there is no policy at RUNS/nowhere: no such file or folder"
    assert refusal(run.parent) == f"RUNS/{run.parent.name} holds no policy: there is no policy.json in it"
    (run / "notes.txt").write_text("hello")
    assert refusal(run / "notes.txt").startswith("RUNS/notes.txt is not a policy: a folder, a policy.json or a ")
    (run / "policy.safetensors").unlink()
    missing = "policy.safetensors is missing: a policy is a policy.json and a policy.safetensors"
    assert refusal(run) == missing
    (run / "policy.safetensors").mkdir()
    assert refusal(run) == "policy.safetensors is not a regular file"
    (run / "policy.json").unlink()
    assert refusal(run) == "policy.json is missing: a policy is a policy.json and a policy.safetensors"


def test_another_game(run):
    assert refusal(run, "421") == "policy.json is a policy of demi-iles, and one of 421 is expected"
    assert refusal(run, make_game("421")) == "policy.json is a policy of demi-iles, and one of 421 is expected"


def test_other_rules_of_the_game(run):
    three = make_game("demi-iles", players=3)
    assert refusal(run, three) == ("policy.json was made for other rules of demi-iles: players is 2 there and 3 here")
    edit(run, rules_id="0" * 16)
    assert refusal(run, GAME).endswith("other rules of demi-iles: its rules_id is that of another version")
    assert refusal(run) == "policy.json was made for another version of demi-iles: its rules_id is another"


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"format": "other"}, "policy.json is not a policy: \"format\" is 'other', and 'nenette-policy' is expected"),
        ({"format": None}, "policy.json is not a policy: \"format\" is missing, and 'nenette-policy' is expected"),
        ({"version": 2}, "policy.json is of format version 2, and this nenette reads version 1"),
        ({"version": True}, "policy.json is of format version True, and this nenette reads version 1"),
        ({"game": "chess"}, "\"game\" is 'chess', and one of demi-iles-solo, demi-iles, 421 is expected"),
        ({"game": ["421"]}, "\"game\" is ['421'], and one of demi-iles-solo, demi-iles, 421 is expected"),
        ({"game": None}, '"game" is missing, and one of demi-iles-solo, demi-iles, 421 is expected'),
        ({"name": "a\u001b[2J"}, "\"name\" is 'a\\x1b[2J', and a text of 1 to 100 printable characters is expected"),
        ({"name": "x" * 101}, "and a text of 1 to 100 printable characters is expected"),
        ({"head": "max"}, "\"head\" is 'max', and one of softmax, argmax is expected"),
        ({"activation": {}}, '"activation" is {}, and one of tanh, relu is expected'),
        ({"layers": [46]}, '"layers" is [46], and a list of 2 to 33 sizes from 1 to 16384 is expected'),
        ({"layers": [46, 10**9, 3]}, "and a list of 2 to 33 sizes from 1 to 16384 is expected"),
        ({"layers": [46, 5.0, 3]}, "and a list of 2 to 33 sizes from 1 to 16384 is expected"),
        ({"layers": [46, True, 3]}, "and a list of 2 to 33 sizes from 1 to 16384 is expected"),
        ({"layers": [1] * 1000}, "and a list of 2 to 33 sizes from 1 to 16384 is expected"),
        ({"layers": "46"}, "and a list of 2 to 33 sizes from 1 to 16384 is expected"),
        ({"rules": []}, '"rules" is [], and an object of rules is expected'),
        (
            {"rules": {"player": 2}},
            "policy.json has rules that demi-iles does not know: demi-iles has no rule 'player'",
        ),
        ({"rules": {"players": 9}}, "policy.json has rules that demi-iles does not know: players is an integer from 2"),
        (
            {"rules": {"players": [2]}},
            "policy.json has rules that demi-iles does not know: players is an integer from 2",
        ),
        (
            {"game": "421", "rules": {"fiches": 10**9}},
            "policy.json has the rule 'fiches' = 1000000000, and 1000 is the most",
        ),
        ({"rules_id": 3}, '"rules_id" is 3, and a text is expected'),
        ({"card": 3}, '"card" is 3, and an object is expected'),
        ({"tensors_sha256": None}, '"tensors_sha256" is missing, and a text is expected'),
        (
            {"tensors_sha256": "0"},
            "policy.safetensors is damaged, or not the file that its policy.json was written with",
        ),
        (
            {"layers": [46, 6, 3]},
            "policy.safetensors has layers.0.weight as 'F32' [5, 46], and 'F32' [6, 46] is expected",
        ),
        (
            {"layers": [46, 3]},
            "policy.safetensors does not hold the layers that its policy.json names: 'layers.1.bias' is none",
        ),
    ],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, dict) else "",
)
def test_entries_that_are_not_what_they_should_be(run, entries, sentence):
    edit(run, **entries)
    assert sentence in refusal(run)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            b"",
            "policy.json is truncated or not a policy: its text is no JSON (Expecting value: line 1 column 1 (char 0))",
        ),
        (b"[" * 200_000, "policy.json is not a policy: its text is nested too deep"),
        (b'{"a":' * 100_000, "policy.json is not a policy: its text is nested too deep"),
        (b"[1, 2]", "policy.json is not a policy: its text is no JSON object"),
        (b'{"format": NaN}', "policy.json is truncated or not a policy: its text is no JSON (NaN is no JSON number)"),
        (
            b'{"version": ' + b"9" * 10_000 + b"}",
            "policy.json is truncated or not a policy: its text is no JSON (Exceeds",
        ),
        (b"\xff\xfe{}", "policy.json is truncated or not a policy: its text is no JSON ('utf-8' codec can't decode"),
        (b" " * (1 << 20) + b"{}", "policy.json is too large for a policy: more than 1048576 bytes"),
    ],
    ids=range(8),
)
def test_text_that_is_no_policy(run, text, sentence):
    (run / "policy.json").write_bytes(text)
    assert refusal(run).startswith(sentence)


def header(about: object, body: bytes = b"") -> bytes:
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    return len(text).to_bytes(8, "little") + text + body


def announced(name: str, **changed: Any) -> bytes:
    """A safetensors file whose header says something else of one tensor than what is there."""
    content = save(tensors())
    length = int.from_bytes(content[:8], "little")
    about = json.loads(content[8 : 8 + length])
    about[name] |= changed
    return header(about, content[8 + length :])


NAN = np.full((5, 46), np.nan, np.float32)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"", "policy.safetensors is truncated or no safetensors file: its header does not fit in it"),
        (
            lambda: b"\xff" * 100,
            "policy.safetensors is truncated or no safetensors file: its header does not fit in it",
        ),
        (lambda: header(b"{"), "policy.safetensors is truncated or not a policy: its header is no JSON"),
        (lambda: header(b"[" * 100_000), "policy.safetensors is not a policy: its header is nested too deep"),
        (lambda: header({}), "does not hold the layers that its policy.json names: layers.0.bias is missing"),
        (lambda: save(tensors(extra=NAN)), "the layers that its policy.json names: 'extra' is none of its layers"),
        (lambda: save(tensors(**{"layers.1.bias": None})), "that its policy.json names: layers.1.bias is missing"),
        (
            lambda: save(tensors(**{"layers.1.bias": np.ones(3)})),
            "policy.safetensors has layers.1.bias as 'F64' [3], and 'F32' [3] is expected",
        ),
        (
            lambda: save(tensors(**{"layers.1.bias": np.ones((3, 1), np.float32)})),
            "policy.safetensors has layers.1.bias as 'F32' [3, 1], and 'F32' [3] is expected",
        ),
        (
            lambda: announced("layers.0.weight", shape=[1 << 40, 46]),
            "as 'F32' [1099511627776, 46], and 'F32' [5, 46] is",
        ),
        (lambda: announced("layers.0.bias", data_offsets=[0, 1 << 60]), "policy.safetensors is no safetensors file: "),
        (lambda: announced("layers.0.bias", data_offsets=[4, 24]), "policy.safetensors is no safetensors file: "),
        (lambda: announced("layers.0.bias", data_offsets="all"), "policy.safetensors is no safetensors file: "),
        (lambda: save(tensors()) + b"more", "policy.safetensors is truncated or damaged: "),
        (
            lambda: save(tensors(**{"layers.0.weight": NAN})),
            "policy.safetensors does not fit demi-iles: layer 0 has a weight that is not finite",
        ),
    ],
    ids=range(15),
)
def test_weights_that_are_not_what_they_should_be(run: Path, content: Callable[[], bytes], sentence: str):
    put_tensors(run, content())
    assert sentence in refusal(run)


def test_weights_of_another_size_than_the_game(run):
    edit(run, layers=[93, 5, 8])
    put_tensors(run, save(small_tensors(93, 5, 8)))
    assert refusal(run).startswith(
        "policy.safetensors does not fit demi-iles: layer 0 has a weight of shape (5, 93) and a bias of shape (5,), "
    )


def small_tensors(*sizes: int) -> dict[str, Any]:
    made = {}
    for k in range(len(sizes) - 1):
        made[f"layers.{k}.weight"] = np.ones((sizes[k + 1], sizes[k]), np.float32)
        made[f"layers.{k}.bias"] = np.ones(sizes[k + 1], np.float32)
    return made


@pytest.mark.parametrize("name", ["policy.json", "policy.safetensors"])
def test_a_truncated_file_is_refused_wherever_it_ends(run, name):
    content = (run / name).read_bytes()
    for length in range(0, len(content) - 2, max(1, len(content) // 150)):
        (run / name).write_bytes(content[:length])
        assert refusal(run).startswith(name)


def test_a_flipped_bit_of_the_weights_is_refused(run):
    content = (run / "policy.safetensors").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << int(rng.integers(8))
        (run / "policy.safetensors").write_bytes(damaged)
        assert refusal(run).startswith("policy.safetensors")


def test_damaged_weights_that_the_json_vouches_for_are_refused_or_play(run):
    content = (run / "policy.safetensors").read_bytes()
    observations, masks = decisions(GAME, steps=100)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged) // 2)] ^= 1 << int(rng.integers(8))
        put_tensors(run, bytes(damaged))
        try:
            policy = read_policy(run)
        except PolicyFileError:
            refused += 1
        else:
            try:
                assert policy.action_probabilities(observations, masks).sum() == pytest.approx(len(masks))
            except ValueError as error:
                assert "its weights are too large" in str(error)  # noqa: PT017
    assert 0 < refused < 200


def test_a_flipped_bit_of_the_json_is_refused_or_harmless(run):
    content = (run / "policy.json").read_bytes()
    rng = np.random.default_rng(2)
    refused = 0
    for _ in range(400):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << int(rng.integers(8))
        (run / "policy.json").write_bytes(damaged)
        try:
            assert read_policy(run).sizes == [46, 5, 3]
        except PolicyFileError as error:
            assert "\n" not in str(error)  # noqa: PT017
            refused += 1
    assert refused > 200
