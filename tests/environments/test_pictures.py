"""render_mode="rgb_array" and "human" of single environments; pictures are held against those in golden/pictures.

After a change that is meant, draw them anew and look at them:

    python tests/environments/test_pictures.py
"""

import copy
import logging
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, make, play_on
from gymnasium.error import DependencyNotInstalled
from gymnasium.wrappers import HumanRendering
from numpy.typing import NDArray

pytest.importorskip("pygame", reason="pygame-ce is not installed")

import pygame

from nenette.environments.compiled_game import CompiledGame
from nenette.environments.pictures import View, picture, scene_of
from nenette.games import make_game
from nenette.games.quatre21 import Quatre21

GOLDEN = Path(__file__).parent / "golden" / "pictures"
SMALL, LARGE = (240, 180), (640, 480)

# name: environment, its options, seed, steps that are random, size
PICTURES: dict[str, tuple[str, dict[str, Any], int, int, tuple[int, int]]] = {
    "421_small": (QUATRE21, {"seat": 0, "opponents": "cautious"}, 1, 6, SMALL),
    "421_large": (QUATRE21, {"seat": 0, "opponents": "cautious"}, 2, 5, LARGE),
    "demi_iles_small": (DEMI_ILES, {"seat": 0, "opponents": "greedy"}, 3, 6, SMALL),
    "demi_iles_six": (DEMI_ILES, {"players": 6, "seat": 2, "opponents": "greedy"}, 4, 5, SMALL),
    "demi_iles_solo": (SOLO, {}, 5, 12, LARGE),
}


def drawn(name: str) -> NDArray[np.uint8]:
    env_id, options, seed, steps, size = PICTURES[name]
    env = make(env_id, render_mode="rgb_array", render_size=size, **options)
    env.reset(seed=seed)
    for _ in play_on(env, steps, seed):
        pass
    shown = env.render()
    assert isinstance(shown, np.ndarray)
    return shown


def difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """The mean difference of a colour value, of 255, in that square of 8 by 8 pixels in which it is largest.

    Letters and edges that are smoothed otherwise change a square a little, a pip that is missing changes one a lot.
    """
    apart = np.abs(one.astype(np.int16) - other).mean(axis=2)
    apart = np.pad(apart, [(0, -side % 8) for side in apart.shape])
    rows, columns = apart.shape
    return float(apart.reshape(rows // 8, 8, columns // 8, 8).mean(axis=(1, 3)).max())


ALIKE = 12.0
"""Differences up to which two pictures show the same."""


@pytest.mark.parametrize("name", PICTURES)
def test_a_table_looks_as_before(name: str) -> None:
    """Within what other versions of pygame may do to letters and edges."""
    known = pygame.surfarray.array3d(pygame.image.load(GOLDEN / f"{name}.png")).transpose(1, 0, 2)
    found = drawn(name)
    assert found.shape == known.shape
    assert found.dtype == np.uint8
    assert difference(found, known) < ALIKE


def test_a_pip_or_a_fiche_more_is_a_difference() -> None:
    """What the tolerance lets pass is less than either, at the smallest size that is looked at."""
    game = make_game("421")
    assert isinstance(game, Quatre21)
    state = game.initial().outcomes[0]._replace(fiches=(3, 2), bank=6, order=(0, 1))

    def looks(**changes: Any) -> NDArray[np.uint8]:
        return picture(scene_of(game, View(state._replace(**changes), learner=0, names=["cautious"])), SMALL)

    alike = {"limit": 3, "thrown": 1}
    assert difference(looks(), looks()) == 0
    assert difference(looks(), looks(fiches=(3, 3))) > ALIKE
    assert difference(looks(), looks(manches=(1, 0))) > ALIKE
    for face in range(1, 6):
        assert difference(looks(dice=(6, 6, face), **alike), looks(dice=(6, 6, face + 1), **alike)) > ALIKE


@pytest.mark.parametrize("env_id", [SOLO, DEMI_ILES, QUATRE21])
@pytest.mark.parametrize("patience", [0, 10_000], ids=["compiled", "in Python"])
def test_looking_changes_nothing_of_the_game(env_id: str, patience: int) -> None:
    plain, watched = make(env_id), make(env_id, render_mode="rgb_array", render_size=(64, 64))
    plain.patience = watched.patience = patience  # type: ignore[misc]
    rng = np.random.default_rng(0)
    for seed in (0, None):
        assert plain.reset(seed=seed)[0].tobytes() == watched.reset(seed=seed)[0].tobytes()
        for _ in range(25):
            if rng.random() < 0.5:
                watched.render()
            action = int(rng.integers(plain.game.n_actions))
            one, other = plain.step(action), watched.step(action)
            assert (one[0].tobytes(), one[1:4]) == (other[0].tobytes(), other[1:4])
            if one[2] or one[3]:
                break
        assert plain.np_random.bit_generator.state == watched.np_random.bit_generator.state


def test_until_somebody_looks_compiled_code_plays() -> None:
    """stable-baselines3 asks for "rgb_array" unasked: whoever does not look pays nothing."""
    env = make(QUATRE21, render_mode="rgb_array", render_size=SMALL)
    env.patience = 0  # type: ignore[misc]
    env.reset(seed=0)
    env.step(7)
    assert type(env._playing) is CompiledGame
    assert env.render_mode == "rgb_array"
    before = env.render()
    assert type(env._playing) is not CompiledGame
    env.reset(seed=0)
    assert type(env._playing) is not CompiledGame
    env.step(7)
    after = env.render()
    assert isinstance(before, np.ndarray)
    assert isinstance(after, np.ndarray)
    assert difference(before, after) > 0  # now it is known what was thrown on the way


def test_copies_show_the_same() -> None:
    env = make(DEMI_ILES, render_mode="rgb_array", render_size=SMALL)
    env.reset(seed=1)
    env.step(2)
    shown = env.render()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        np.testing.assert_array_equal(twin.render(), shown)


def test_a_list_of_pictures_comes_from_gym_make() -> None:
    env = gym.make(DEMI_ILES, render_mode="rgb_array_list", render_size=SMALL)
    env.reset(seed=0)
    for action in (1, 2, 0):
        env.step(action)
    frames: Any = env.render()
    assert [frame.shape for frame in frames] == [(180, 240, 3)] * 4


def test_human_rendering_shows_pictures_and_leaves_us_unharmed() -> None:
    """It shuts pygame down when it closes: our next picture is drawn all the same."""
    inner = gym.make(DEMI_ILES, render_mode="rgb_array", render_size=SMALL)
    inner.unwrapped.metadata["render_fps"] = 1000
    env = HumanRendering(inner)
    env.reset(seed=0)
    env.step(1)
    env.close()
    assert not pygame.get_init()
    inner.reset(seed=0)
    assert isinstance(inner.render(), np.ndarray)


def test_a_window_shows_each_step_and_may_be_closed() -> None:
    env, other = make(QUATRE21, render_mode="human", render_size=SMALL), make(SOLO, render_mode="human")
    env.reset(seed=0)
    assert pygame.display.get_surface().get_size() == SMALL
    first = pygame.surfarray.array3d(pygame.display.get_surface())
    env.step(7)
    assert (first != pygame.surfarray.array3d(pygame.display.get_surface())).any()
    assert env.render() is None
    other.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(7)
    assert not pygame.display.get_init()
    other.step(1)
    assert not pygame.display.get_init()  # it was theirs both, and stays closed
    assert env.render() is None
    env.close()
    env.reset(seed=0)
    assert pygame.display.get_init()  # and may be opened again
    env.close()
    other.close()
    assert not pygame.display.get_init()


def test_a_window_shows_so_many_pictures_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "x11")  # somebody watches
    waited: list[int] = []
    now = [0]
    monkeypatch.setattr(pygame.time, "get_ticks", lambda: now[0])
    monkeypatch.setattr(pygame.time, "wait", lambda ms: (waited.append(ms), now.__setitem__(0, now[0] + ms)))
    env = make(SOLO, render_mode="human")
    env.metadata["render_fps"] = 4
    env.reset(seed=0)
    env.step(1)
    env.step(1)
    env.close()
    assert 750 <= sum(waited) <= 900
    assert max(waited) <= 51  # the desktop is answered in between
    assert make(SOLO).metadata["render_fps"] == 2


@pytest.fixture
def no_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)


@pytest.mark.usefixtures("no_pygame")
def test_without_pygame_only_the_picture_is_missing() -> None:
    env = gym.make(QUATRE21, render_mode="rgb_array")
    env.reset(seed=0)
    env.step(7)
    with pytest.raises(DependencyNotInstalled, match=r"^a picture needs pygame-ce, .*: pip install pygame-ce; "):
        env.render()
    env.step(0)
    env.close()


@pytest.mark.usefixtures("no_pygame")
def test_without_pygame_what_happens_is_printed(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    prints_what_ansi_tells(capsys, caplog, "pip install pygame-ce")


def test_without_a_screen_what_happens_is_printed(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_screen(*_: Any) -> None:
        raise pygame.error("No available video device")

    monkeypatch.setattr(pygame.display, "set_mode", no_screen)
    prints_what_ansi_tells(capsys, caplog, "no window can be opened here (No available video device)")


def prints_what_ansi_tells(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, because: str) -> None:
    caplog.set_level(logging.WARNING)
    env, printed = make(SOLO, render_mode="human"), make(SOLO, render_mode="ansi")
    for call in (lambda one: one.reset(seed=0), lambda one: one.step(1), lambda one: one.step(2)):
        call(env)
        call(printed)
        assert capsys.readouterr().out == printed.render() != ""
        assert env.render() is None
    assert capsys.readouterr().out == ""
    assert len(caplog.messages) == 1
    assert because in caplog.messages[0]
    env.close()


def test_pygame_is_imported_for_pictures_only_and_greets_nobody() -> None:
    script = (
        "import sys, gymnasium, nenette, nenette.environments.pictures\n"
        "env = gymnasium.make('nenette/421-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(7)\n"
        "assert 'pygame' not in sys.modules\n"
        "env.render()\n"
        "assert 'pygame' in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == ""


@pytest.mark.parametrize("size", [(640,), (640, 63), (640, 4097), "640x480", 640, (640.0, 480), (True, 480), None])
def test_a_size_that_is_none_gets_one_sentence(size: Any) -> None:
    with pytest.raises(ValueError, match=r"^render_size is a picture's width and height in pixels, two integers from"):
        make(QUATRE21, render_size=size)


@pytest.mark.parametrize("size", [(64, 64), (64, 400), (900, 100), np.array([84, 84])])
def test_any_size_can_be_drawn(size: Any) -> None:
    for env_id, options in ((QUATRE21, {"fiches": 100}), (DEMI_ILES, {"players": 6}), (SOLO, {})):
        env = make(env_id, render_mode="rgb_array", render_size=size, **options)
        env.reset(seed=0)
        shown = env.render()
        assert isinstance(shown, np.ndarray)
        assert shown.shape == (size[1], size[0], 3)


if __name__ == "__main__":
    for name in PICTURES:
        surface = pygame.surfarray.make_surface(drawn(name).transpose(1, 0, 2))
        pygame.image.save(surface, GOLDEN / f"{name}.png")
