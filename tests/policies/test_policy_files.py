"""Policy files: what is written is read back, and nothing else is."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from policy_folders import GAME, edit, refusal
from rule_variants import decisions
from small_networks import small_network

from nenette.games import make_game
from nenette.policies import PolicyFileError, read_policy, save_policy


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "a run"
    save_policy(folder, small_network(GAME, name="mine"), {"steps": 3, "seeds": [1, 2]})
    return folder


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
    assert about["rules"] == {"players": 2, "max_turns": 50, "starter": "seat_0"}
    assert about["rules_id"] == GAME.rules_id


def test_writing_replaces_and_leaves_nothing_beside(run):
    save_policy(run, small_network(GAME, name="newer", seed=1, head="argmax", activation="relu"), {})
    newer = read_policy(run)
    assert (newer.name, newer.head, newer.activation, newer.card) == ("newer", "argmax", "relu", {})
    assert sorted(os.listdir(run)) == ["policy.json", "policy.safetensors"]


def test_a_write_that_fails_leaves_the_old_policy(run, monkeypatch):
    def fail(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
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
            "policy.safetensors does not hold the tensors that its policy.json names: 'layers.1.bias' is not one of "
            "them",
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
