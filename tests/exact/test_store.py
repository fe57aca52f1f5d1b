"""Solutions on disk: saved, distinguished, and computed again whenever something is wrong with them."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nenette.exact import solve, store
from nenette.games import make_game

GAME = make_game("421", fiches=2)
"""Solved in no time."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("NENETTE_CACHE", str(tmp_path / "not there yet"))
    return tmp_path / "not there yet"


def same(one, other) -> bool:
    arrays = all(np.array_equal(getattr(one, a), getattr(other, a)) for a in ("keys", "actions", "values"))
    return arrays and one.facts == other.facts


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.parametrize("game", [GAME, make_game("demi-iles")], ids=["421", "demi-iles"])
def test_a_solution_is_kept_and_read_back(folder, game, caplog):
    first, second = solve(game), solve(game)
    assert (first.cached, second.cached) == (False, True)
    assert same(first, second)
    assert second.seconds < first.seconds
    (file,) = files(folder)
    assert file.name.startswith(f"{game.name}-")
    assert file.suffix == ".safetensors"
    assert not caplog.records


def test_what_is_not_to_be_kept_leaves_nothing(folder):
    assert not solve(GAME, use_cache=False).cached
    assert not folder.exists()
    solve(GAME)
    assert not solve(GAME, use_cache=False).cached


def test_other_rules_are_other_files_but_the_match_shares_its_manche(folder):
    solve(GAME)
    for rules in [{"manches_to_lose": 1}, {"manches_to_lose": 5}, {"next_manche_leader": "opening"}, {"max_turns": 9}]:
        assert solve(make_game("421", fiches=2, **rules)).cached
    assert len(files(folder)) == 1
    for rules in [
        {"fiches": 3},
        {"nenette": 0},
        {"kept_dice": "frozen"},
        {"followers": "exactly"},
        {"value_of_421": 9},
    ]:
        assert not solve(make_game("421", **{"fiches": 2, **rules})).cached
    assert len(files(folder)) == 6


def test_other_code_is_another_file(folder, monkeypatch):
    solve(GAME)
    monkeypatch.setattr(store, "_code_id", lambda *_: "0123456789abcdef")
    assert not solve(GAME).cached
    assert len(files(folder)) == 2


def flipped(content: bytes, where: int) -> bytes:
    return content[:where] + bytes([content[where] ^ 0x10]) + content[where + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte longer": lambda content: content + b"\0",
    "nothing but the header's length": lambda content: content[:8],
    "garbage": lambda content: b"\xff" * 1000,
    "text": lambda content: b"Not Found\n" * 100,
    "a value changed": lambda content: flipped(content, len(content) - 3),
    "an action changed": lambda content: flipped(content, len(content) - 40_000),
    "a fact changed": lambda content: content.replace(b"manche_value", b"Manche_value"),
    "another checksum": lambda content: content.replace(b'"checksum":"', b'"checksum":"0', 1)[: len(content)],
    "no facts": lambda content: content.replace(b'"facts"', b'"fakts"', 1),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_computed_again(folder, damage, caplog):
    first = solve(GAME)
    (file,) = files(folder)
    content = file.read_bytes()
    assert damage(content) != content
    file.write_bytes(damage(content))
    second = solve(GAME)
    assert not second.cached
    assert same(first, second)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.name == "nenette"
    assert record.getMessage().startswith(f"the cached solution {file} is damaged (")
    assert record.getMessage().endswith("): it is computed again")
    assert solve(GAME).cached


@pytest.mark.parametrize("mapped", [False, True])
def test_no_damage_goes_unnoticed_or_raises(tmp_path, mapped, caplog):
    file = tmp_path / "x.safetensors"
    arrays = {"keys": np.arange(50), "actions": np.arange(50, dtype=np.int8), "values": np.linspace(0, 1, 50)}
    store.write(file, arrays, {"value": 0.5, "leader_wins": {"1": 0.25}})
    content = file.read_bytes()
    sound = store.read(file, mapped=mapped)
    assert sound is not None
    assert sound[1] == {"value": 0.5, "leader_wins": {"1": 0.25}}
    assert all(np.array_equal(sound[0][name], array) for name, array in arrays.items())
    rng = np.random.default_rng(0)
    for where in range(mapped, len(content), 2):
        changed = bytearray(content)
        changed[where] = rng.choice(np.setdiff1d(np.arange(256), [content[where]]))
        file.write_bytes(changed)
        damaged = store.read(file, mapped=mapped)
        # Spaces may be tabs, and the like: what is still read is what was written.
        if damaged is not None:
            assert damaged[1] == sound[1]
            assert damaged[0].keys() == arrays.keys()
            assert all(np.array_equal(damaged[0][name], array) for name, array in arrays.items())
    for length in range(0, len(content), 5):
        file.write_bytes(content[:length])
        assert store.read(file, mapped=mapped) is None


@pytest.mark.parametrize("place", ["a file", "below a file", "a folder in the file's place"])
def test_a_folder_that_cannot_be_used_does_no_harm(tmp_path, monkeypatch, caplog, place):
    (tmp_path / "file").write_text("mine")
    given = {"a file": tmp_path / "file", "below a file": tmp_path / "file" / "cache"}.get(place, tmp_path / "cache")
    monkeypatch.setenv("NENETTE_CACHE", str(given))
    if place == "a folder in the file's place":
        solve(GAME)
        (file,) = files(given)
        file.unlink()
        file.mkdir()
    for _ in range(2):
        solution = solve(GAME)
        assert not solution.cached
        assert len(solution.actions) == len(solution.keys)
    assert (tmp_path / "file").read_text() == "mine"
    assert any(
        record.getMessage().startswith(f"the solution cannot be cached in {given} (")
        and record.getMessage().endswith("): it will be computed again next time")
        for record in caplog.records
    )
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("method", ["exists", "mkdir"])
def test_a_folder_without_permission_does_no_harm(folder, monkeypatch, method):
    solve(GAME)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, method, refuse)
    assert len(solve(GAME).actions) > 1000


def test_a_full_disk_leaves_no_rest(folder, monkeypatch, caplog):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "fsync", full)
    assert not solve(GAME).cached
    assert files(folder) == []
    assert "No space left on device" in caplog.text


def test_two_processes_at_once_do_each_other_no_harm(folder):
    program = (
        "from nenette.exact import solve; from nenette.games import make_game\n"
        "for _ in range(3): s = solve(make_game('421', fiches=2)); print(len(s.actions), s.facts['value'])\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert outputs[0] == outputs[1]
    assert outputs[0][1] == ""
    assert len(files(folder)) == 1


def test_the_cache_is_the_users_unless_it_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("NENETTE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.folder().name == "nenette"
    monkeypatch.setenv("NENETTE_CACHE", "here")
    assert store.folder() == Path("here")
    assert "here" not in os.listdir()


def test_tests_do_not_touch_the_users_cache(own_cache):
    assert store.folder() == own_cache


@pytest.mark.parametrize("homeless", [RuntimeError("could not determine the home directory"), Path("~/.cache/nenette")])
def test_without_a_home_solutions_are_computed_each_time(
    homeless: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def user_cache_path(*_: object, **__: object) -> object:
        if isinstance(homeless, Exception):
            raise homeless
        return homeless

    monkeypatch.delenv("NENETTE_CACHE")
    monkeypatch.setattr(store, "user_cache_path", user_cache_path)
    monkeypatch.chdir(tmp_path)
    file = store.path(make_game("demi-iles"), "optimum")
    assert store.read(file) is None
    assert not caplog.messages
    store.write(file, {}, {})
    assert caplog.messages == [
        "there is no folder for cached solutions, so each process computes them: NENETTE_CACHE names one"
    ]
    assert not list(tmp_path.iterdir())
