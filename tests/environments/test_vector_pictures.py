"""What is shown of many games: the first tables, with the throws of the last step, which Python plays again."""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, MORE, QUATRE21, SOLO, Mixed, make
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from slot_stream import give

from nenette.environments.vector.watching import WATCHED

MANY = [(env_id, {k: v for k, v in options.items() if k != "render_mode"}) for env_id, options in [*CASES, *MORE]]
ALL_SEATS: list[tuple[str, dict[str, Any]]] = [
    (QUATRE21, {"seats": "all", "num_envs": 6}),
    (DEMI_ILES, {"seats": "all", "players": 3, "num_envs": 6}),
]


# Every option once, with one autoreset mode or another.
EACH = [(*case, list(AutoresetMode)[number % 3]) for number, case in enumerate([*MANY, *ALL_SEATS * 3])]


@pytest.mark.parametrize(("env_id", "options", "mode"), EACH, ids=str)
def test_what_happened_leads_from_one_picture_to_the_next(
    env_id: str, options: dict[str, Any], mode: AutoresetMode
) -> None:
    """The events of each step begin where the table stood, and end where it stands; watched and plain games agree."""
    options = {"num_envs": 3, "max_episode_steps": 9, "autoreset_mode": mode, **options}
    watched, plain = gym.make_vec(env_id, render_mode="ansi", **options), gym.make_vec(env_id, **options)
    (_, infos), _ = watched.reset(seed=1), plain.reset(seed=1)
    rng = np.random.default_rng(2)
    game, before = watched.unwrapped.game, [view.state for view in watched.unwrapped.views()]
    for _ in range(12):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        stepped, same = watched.step(actions), plain.step(actions)
        assert all(np.array_equal(one, other) for one, other in zip(stepped[:4], same[:4], strict=True))
        infos, over = stepped[4], stepped[2] | stepped[3]
        if mode is AutoresetMode.DISABLED and over.any():
            (_, infos), _ = (envs.reset(options={"reset_mask": over}) for envs in (watched, plain))
        for table, view in enumerate(watched.unwrapped.views()):
            states = [before[table] if view.start is None else view.start]
            for event in view.events:
                assert event.state == states[-1]
                assert event.action in game.legal_actions(event.state)
                states.append(event.after)
            assert states[-1] == view.state
            before[table] = view.state


@pytest.mark.parametrize(("env_id", "options"), [(QUATRE21, {"opponents": "cautious"}), (DEMI_ILES, {"players": 3})])
def test_a_table_is_described_as_a_single_one_is(env_id: str, options: dict[str, Any]) -> None:
    """Given the same random numbers, word for word."""
    envs = gym.make_vec(env_id, num_envs=2, seat=1, render_mode="ansi", **options)
    envs.reset(seed=4)
    singles = [make(env_id, seat=1, render_mode="ansi", **options) for _ in range(2)]
    for slot, single in enumerate(singles):
        give(single, 4, slot)
        single.reset()
    for action in (1, 2, 0, 1):
        assert envs.render() == tuple(single.render() for single in singles)
        envs.step(np.full(2, action))
        for single in singles:
            single.step(action)


def test_an_end_is_shown_before_the_next_game() -> None:
    envs = gym.make_vec(SOLO, num_envs=2, render_mode="ansi", max_episode_steps=3)
    envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.array([1, 2]))
    assert all(view.cut for view in envs.unwrapped.views())
    envs.step(np.array([1, 2]))
    assert not any(view.cut for view in envs.unwrapped.views())
    assert all(view.start is not None and not view.events for view in envs.unwrapped.views())


def test_an_opponent_that_forgets_what_it_did_is_not_described_wrongly() -> None:
    """Whoever answers otherwise when asked again leaves a table without a story, and never with another one."""

    class Fickle(Mixed):
        def action_probabilities(self, observations: Any, masks: Any) -> Any:
            super().action_probabilities(observations, masks)
            probabilities = np.zeros(masks.shape)
            probabilities[:, self.asked % 3] = 1
            return probabilities

    envs = gym.make_vec(DEMI_ILES, num_envs=4, seat=0, opponents=Fickle(fixed=False), render_mode="ansi")
    envs.reset(seed=0)
    with_events = 0
    for _ in range(10):
        envs.step(np.ones(4, dtype=np.int64))
        for view in envs.unwrapped.views():
            with_events += bool(view.events)
            assert not view.events or view.events[-1].after == view.state
    assert with_events < 40


def test_pictures_of_all_slots_are_one_a_table() -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    envs = gym.make_vec(QUATRE21, num_envs=WATCHED + 4, render_mode="rgb_array", render_size=(80, 64))
    envs.reset(seed=0)
    pictures: Any = envs.render()
    assert len(pictures) == WATCHED + 4
    assert {(p.shape, p.dtype.name) for p in pictures} == {((64, 80, 3), "uint8")}
    assert pictures[WATCHED] is pictures[-1]
    assert (pictures[0] != pictures[-1]).any()
    seats = gym.make_vec(DEMI_ILES, num_envs=6, players=3, seats="all", render_mode="rgb_array", render_size=(80, 64))
    seats.reset(seed=0)
    pictures = seats.render()
    assert [pictures[0] is picture for picture in pictures] == [True, True, True, False, False, False]


def test_a_window_shows_the_first_tables_side_by_side() -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed")
    envs = gym.make_vec(DEMI_ILES, num_envs=9, render_mode="human", render_size=(480, 360))
    envs.reset(seed=0)
    assert pygame.display.get_surface().get_size() == (480, 360)
    first = pygame.surfarray.array3d(pygame.display.get_surface())
    envs.step(np.full(9, 2))
    then = pygame.surfarray.array3d(pygame.display.get_surface())
    changed = (first != then).any(axis=2)
    assert all(changed[x : x + 240, y : y + 180].any() for x in (0, 240) for y in (0, 180))
    assert envs.render() is None
    envs.close()
    assert not pygame.display.get_init()


def test_rendering_before_the_first_reset_says_so() -> None:
    envs = gym.make_vec(QUATRE21, num_envs=2, render_mode="ansi")
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        envs.render()
    with pytest.warns(UserWarning, match='render_mode="ansi" or "rgb_array"'):
        assert gym.make_vec(QUATRE21, num_envs=2).render() is None


def test_a_copy_is_watched_for_itself() -> None:
    envs = gym.make_vec(DEMI_ILES, num_envs=3, render_mode="ansi").unwrapped
    envs.reset(seed=0)
    envs.step(np.ones(3, dtype=np.int64))
    twin = copy.deepcopy(envs)
    assert twin.render() == envs.render()
    envs.step(np.full(3, 2))
    assert twin.render() != envs.render()
    twin.step(np.full(3, 2))
    assert twin.render() == envs.render()


def test_who_goes_on_from_a_state_knows_nothing_of_before() -> None:
    envs = gym.make_vec(DEMI_ILES, num_envs=3, render_mode="ansi").unwrapped
    envs.reset(seed=0)
    envs.step(np.ones(3, dtype=np.int64))
    envs.load_state(envs.state())
    assert all(view.start is None and not view.events for view in envs.views())
