"""Both games with every option, in both forms."""

from types import ModuleType
from typing import Any

import numpy as np

from nenette.pettingzoo import demi_iles_v0, quatre21_v0

CASES: list[tuple[ModuleType, dict[str, Any]]] = [
    *((demi_iles_v0, {"players": players}) for players in range(2, 7)),
    (demi_iles_v0, {"max_turns": None, "max_cycles": 30}),
    (demi_iles_v0, {"max_turns": 7, "players": 3}),
    (quatre21_v0, {}),
    (quatre21_v0, {"episode": "manche"}),
    (quatre21_v0, {"episode": "manche", "forced_throws": "asked"}),
    (quatre21_v0, {"fiches": 21, "value_of_421": 10, "max_turns": 40}),
    (quatre21_v0, {"nenette": 3, "nenette_in_decharge": False}),
    (quatre21_v0, {"manches_to_lose": 3, "fiches": 1}),
    (quatre21_v0, {"players": 3, "episode": "manche"}),
    (quatre21_v0, {"players": 5, "fiches": 3, "forced_throws": "asked", "max_cycles": 25}),
    (quatre21_v0, {"next_manche_leader": "opening", "fiches": 4}),
    (quatre21_v0, {"followers": "exactly", "kept_dice": "frozen", "forced_throws": "asked", "max_cycles": 25}),
]


def named(value: Any) -> str:
    """What a case is called in the list of tests."""
    return str(getattr(value, "NAME", value))


def seen(observation: dict[str, Any]) -> tuple[bytes, tuple[int, ...]]:
    """An observation, ready for comparison."""
    return observation["observation"].tobytes(), tuple(observation["action_mask"].tolist())


def play_aec(env: Any, moves: int, seed: int) -> list[tuple[Any, ...]]:
    """Random actions, forbidden ones among them, with a new game after each end: all that every agent sees and gets."""
    rng = np.random.default_rng(seed)
    walk: list[tuple[Any, ...]] = []
    for _ in range(moves):
        if any(env.terminations.values()) or any(env.truncations.values()):
            env.reset()
        mover = env.agent_selection
        env.step(int(rng.integers(env.game.n_actions)))
        sights = [seen(env.observe(agent)) for agent in env.possible_agents]
        illegal = env.infos[mover].get("illegal_action", False)
        picture = env.render() if env.render_mode else None
        walk.append((mover, sights, dict(env.rewards), dict(env.terminations), dict(env.truncations), illegal, picture))
    return walk


def play_parallel(env: Any, moves: int, seed: int) -> list[tuple[Any, ...]]:
    """The same for the Parallel form, in which all but the mover pass; masks without *pass*."""
    rng = np.random.default_rng(seed)
    walk: list[tuple[Any, ...]] = []
    observations = {agent: env._observation(seat) for seat, agent in enumerate(env.possible_agents)}
    for _ in range(moves):
        if not env.agents:
            observations, _ = env.reset()
        (mover,) = (agent for agent, sight in observations.items() if not sight["action_mask"][-1])
        actions = dict.fromkeys(env.agents, env.game.n_actions)
        actions[mover] = int(rng.integers(env.game.n_actions))
        observations, rewards, ended, cut, infos = env.step(actions)
        sights = [seen(sight) for sight in observations.values()]
        illegal = infos[mover].get("illegal_action", False)
        walk.append((mover, sights, rewards, ended, cut, illegal, env.render() if env.render_mode else None))
    return walk
