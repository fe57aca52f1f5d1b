"""With seats="all" the vector environment plays the games that the rules, sampled in plain Python, play."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from environment_cases import CASES, DEMI_ILES, QUATRE21, SOLO, Always, in_modes, make
from gymnasium.vector import AutoresetMode
from slot_stream import SlotStream
from slow_seats import SlowSeats

SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP
MODES = pytest.mark.parametrize("mode", [NEXT, SAME], ids=lambda mode: mode.name)

MORE: list[tuple[str, dict[str, Any]]] = [
    (DEMI_ILES, {"max_turns": 2}),
    (DEMI_ILES, {"players": 3, "max_turns": 10}),
    (DEMI_ILES, {"players": 6, "max_turns": 31}),
    (QUATRE21, {"max_turns": 2}),
    (QUATRE21, {"max_turns": 9, "fiches": 3}),
    (QUATRE21, {"max_turns": 5, "followers": "exactly", "episode": "manche"}),
    (QUATRE21, {"fiches": 5, "kept_dice": "frozen", "followers": "exactly"}),
    (QUATRE21, {"fiches": 2, "limit_after_tie": "kept"}),
    (QUATRE21, {"fiches": 2, "next_manche_leader": "opening", "manches_to_lose": 3}),
    (QUATRE21, {"fiches": 30, "value_of_421": 3, "nenette": 9, "manches_to_lose": 1, "kept_dice": "frozen"}),
]


def _rules(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in {"render_mode", "opponents", "seat"}}


EVERY = list({repr(case): case for case in [(i, _rules(o)) for i, o in CASES if i != SOLO]}.values())


def _walk(env_id: str, rules: dict[str, Any], mode: AutoresetMode, games: int, steps: int, legal_only: bool) -> int:
    """Walks both side by side; how many games were finished."""
    seed = 11
    game = make(env_id, **rules).game
    players, passes = game.players, game.n_actions
    slots = games * players
    many = gym.make_vec(env_id, num_envs=slots, autoreset_mode=mode, seats="all", **rules)
    assert many.single_action_space.n == passes + 1
    singles = [SlowSeats(game, SlotStream(seed, number)) for number in range(games)]
    observations, infos = many.reset(seed=seed)
    rng = np.random.default_rng(3)
    over, finished = [False] * games, 0
    for _ in range(steps):
        assert observations.tobytes() == np.concatenate([one.observations() for one in singles]).tobytes()
        masks = [mask for one in singles for mask in one.masks()]
        assert infos["action_mask"].tolist() == masks
        assert many.unwrapped.action_masks().tolist() == [[bool(m) for m in mask] for mask in masks]
        assert infos["seat"].tolist() == list(range(players)) * games
        assert [one.rng.state for one in singles] == many.unwrapped._batch.words.tolist()
        if legal_only:
            actions = (rng.random((slots, passes + 1)) * masks).argmax(axis=1)
        else:
            actions = rng.integers(passes + 1, size=slots)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        illegal = infos.get("illegal_action", np.zeros(slots, dtype=bool))
        illegal_at_the_end = infos.get("final_info", {}).get("illegal_action", np.zeros(slots, dtype=bool))
        for number, one in enumerate(singles):
            own = slice(number * players, (number + 1) * players)
            if over[number]:  # with NEXT_STEP
                one.reset()
                over[number] = False
                for output in (rewards, terminated, truncated, illegal):
                    assert not output[own].any()
                continue
            paid, wrong = one.step(actions[own].tolist())
            assert rewards[own].tolist() == paid
            assert terminated[own].tolist() == [one.returns is not None] * players
            assert truncated[own].tolist() == [one.cut] * players
            assert (illegal | illegal_at_the_end)[own].tolist() == wrong
            finished += one.over
            over[number] = one.over and mode is NEXT
            if one.over and mode is SAME:
                final = infos["final_obs"][own]
                assert np.stack(final).tobytes() == one.observations().tobytes()
                assert infos["final_info"]["action_mask"][own].tolist() == one.masks()
                assert infos["final_info"]["seat"][own].tolist() == list(range(players))
                assert infos["_final_obs"][own].all()
                assert not illegal[own].any()
                one.reset()
            elif "_final_obs" in infos:
                assert not infos["_final_obs"][own].any()
    return finished


@pytest.mark.parametrize(("mode", "case"), in_modes(EVERY, MORE), ids=str)
def test_every_game_walks_as_the_rules_say(mode: AutoresetMode, case: tuple[str, dict[str, Any]]) -> None:
    _walk(*case, mode, games=4, steps=100, legal_only=False)


@MODES
@pytest.mark.parametrize(("env_id", "least"), [(DEMI_ILES, 50), (QUATRE21, 150)])
def test_games_walk_as_the_rules_say_for_many_thousand_steps(mode: AutoresetMode, env_id: str, least: int) -> None:
    assert _walk(env_id, {}, mode, games=5, steps=2000, legal_only=True) > least


class Seated:
    """A stream of dice; the choices of players that never hesitate use none of them."""

    def __init__(self, seed: int, number: int) -> None:
        self._dice = SlotStream(seed, number)

    def integers(self, n: int) -> int:
        return self._dice.integers(n)

    def random(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("env_id", "rules"),
    [(DEMI_ILES, {}), (DEMI_ILES, {"players": 3, "max_turns": 50}), (QUATRE21, {}), (QUATRE21, {"max_turns": 12})],
    ids=str,
)
def test_a_seat_meets_what_the_single_environment_shows_it(env_id: str, rules: dict[str, Any]) -> None:
    other = Always(2)
    players = make(env_id, **rules).game.players
    many = gym.make_vec(env_id, num_envs=players, seats="all", autoreset_mode=SAME, **rules)
    passes = many.unwrapped.passes
    for seat in range(players):
        single = make(env_id, seat=seat, opponents=[other], **rules)
        single._np_random = Seated(4, 0)
        rng = np.random.default_rng(seat)
        observations, infos = many.reset(seed=4)
        expected, info = single.reset()
        games = 0
        while games < 6:
            masks = infos["action_mask"]
            actions = np.where(masks[:, passes] == 1, passes, np.where(masks[:, 2] == 1, 2, masks.argmax(axis=1)))
            decides = masks[seat, passes] == 0
            if decides:
                assert observations[seat].tobytes() == expected.tobytes()
                assert masks[seat, :passes].tolist() == info["action_mask"].tolist()
                actions[seat] = rng.choice(np.flatnonzero(masks[seat]))
                expected, reward, ended, cut, info = single.step(int(actions[seat]))
            observations, rewards, terminated, truncated, infos = many.step(actions)
            if terminated[seat] or truncated[seat]:
                assert (rewards[seat], terminated[seat], truncated[seat]) == (reward, ended, cut)
                assert infos["final_obs"][seat].tobytes() == expected.tobytes()
                expected, info = single.reset()
                games += 1
            else:
                assert rewards[seat] == 0
