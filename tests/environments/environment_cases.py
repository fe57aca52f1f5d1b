"""Every environment with every option, and how to play one in a test."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle, product
from typing import Any, TypeVar

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

import nenette  # noqa: F401  registers the environments
from nenette.environments.turn_based import TurnBasedEnv
from nenette.games import Game
from nenette.policies import Policy

T = TypeVar("T")

SOLO, DEMI_ILES, QUATRE21 = "nenette/DemiIlesSolo-v0", "nenette/DemiIles-v0", "nenette/421-v0"


class Always:
    """Takes the same action wherever it is legal, else the first that is; counts how often it is asked."""

    def __repr__(self) -> str:
        """The same in every process, so that tests can be handed out to several."""
        return "Always()"

    def __init__(self, action: int, name: str = "always") -> None:
        self.action, self.name, self.asked = action, name, 0

    def action_probabilities(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        self.asked += len(masks)
        probabilities = np.zeros(masks.shape)
        rows = np.arange(len(masks))
        probabilities[rows, np.where(masks[:, self.action] == 1, self.action, masks.argmax(axis=1))] = 1
        return probabilities


class Mixed:
    """Odds that are neither equal nor certain, and differ from state to state."""

    name = "mixed"

    def __init__(self, *, fixed: bool) -> None:
        self.fixed, self.asked = fixed, 0

    def __repr__(self) -> str:
        return f"Mixed(fixed={self.fixed})"

    def action_probabilities(self, observations: Any, masks: Any) -> Any:
        self.asked += len(masks)
        weights = masks * (1.0 + (observations @ np.arange(observations.shape[1], dtype=np.float64) % 7)[:, None])
        weights = weights * np.arange(1.0, 1.0 + masks.shape[1])
        return weights / weights.sum(axis=1, keepdims=True)


CASES: list[tuple[str, dict[str, Any]]] = [
    (SOLO, {}),
    (SOLO, {"max_turns": 60, "render_mode": "ansi"}),
    (SOLO, {"max_turns": None}),
    (DEMI_ILES, {}),
    *((DEMI_ILES, {"players": players}) for players in range(2, 7)),
    *((DEMI_ILES, {"players": 3, "seat": seat}) for seat in range(3)),
    (DEMI_ILES, {"players": 3, "seat": "random", "opponents": ["greedy", "blocker"]}),
    (DEMI_ILES, {"players": 5, "opponents": ["greedy"], "render_mode": "ansi"}),
    (DEMI_ILES, {"opponents": Always(1), "max_turns": 20}),
    (DEMI_ILES, {"max_turns": None, "opponents": "blocker"}),
    (QUATRE21, {}),
    (QUATRE21, {"seat": 0}),
    (QUATRE21, {"seat": 1, "opponents": ["a-fond"], "render_mode": "ansi"}),
    (QUATRE21, {"opponents": [Always(0)]}),
    (QUATRE21, {"episode": "match"}),
    (QUATRE21, {"episode": "manche"}),
    (QUATRE21, {"players": 2, "fiches": 21, "value_of_421": 10}),
    (QUATRE21, {"nenette": 0}),
    (QUATRE21, {"nenette": 3, "nenette_in_decharge": False}),
    (QUATRE21, {"manches_to_lose": 3, "fiches": 4}),
    (QUATRE21, {"next_manche_leader": "opening", "fiches": 4}),
    (QUATRE21, {"followers": "exactly", "opponents": "cautious"}),
    (QUATRE21, {"kept_dice": "frozen"}),
    (QUATRE21, {"followers": "exactly", "kept_dice": "frozen", "render_mode": "ansi", "episode": "manche"}),
    (QUATRE21, {"max_turns": 40}),
    (QUATRE21, {"episode": "manche", "max_turns": None, "fiches": 1}),
    (QUATRE21, {"players": 3}),
    (QUATRE21, {"players": 3, "seat": 2, "opponents": ["a-fond", "beat-it"], "render_mode": "ansi"}),
    (QUATRE21, {"players": 4, "episode": "manche", "opponents": ["random", "cautious", "beat-it"]}),
    (QUATRE21, {"players": 6, "fiches": 5, "max_turns": 90}),
]


# Odds that differ from state to state, and rules at their edges.
MORE: list[tuple[str, dict[str, Any]]] = [
    (SOLO, {"max_turns": 7}),
    (DEMI_ILES, {"opponents": Mixed(fixed=True), "seat": 1}),
    (DEMI_ILES, {"opponents": Mixed(fixed=False), "seat": 1}),
    (DEMI_ILES, {"opponents": "optimal"}),
    (DEMI_ILES, {"players": 3, "opponents": [Mixed(fixed=False), Mixed(fixed=True)], "max_turns": 10}),
    (DEMI_ILES, {"players": 6, "opponents": "greedy", "max_turns": 31}),
    (QUATRE21, {"opponents": "optimal", "episode": "manche", "fiches": 3}),
    (QUATRE21, {"opponents": Mixed(fixed=True), "fiches": 2, "next_manche_leader": "opening", "manches_to_lose": 3}),
    (QUATRE21, {"opponents": Mixed(fixed=False), "fiches": 5, "kept_dice": "frozen", "followers": "exactly"}),
    (QUATRE21, {"opponents": Mixed(fixed=False), "max_turns": 9, "seat": 0, "fiches": 3}),
    (QUATRE21, {"opponents": Mixed(fixed=True), "max_turns": 5, "followers": "exactly", "episode": "manche"}),
    (QUATRE21, {"fiches": 30, "value_of_421": 3, "nenette": 9, "manches_to_lose": 1, "kept_dice": "frozen"}),
    (
        QUATRE21,
        {
            "players": 3,
            "fiches": 3,
            "nenette": 3,
            "nenettes_tie": False,
            "nenette_capped": False,
            "limit_after_tie": "kept",
            "opponents": [Mixed(fixed=False), Mixed(fixed=True)],
        },
    ),
    (
        QUATRE21,
        {
            "players": 5,
            "fiches": 7,
            "followers": "exactly",
            "kept_dice": "frozen",
            "next_manche_leader": "opening",
            "manches_to_lose": 3,
            "nenettes_tie": False,
        },
    ),
    (QUATRE21, {"players": 4, "fiches": 1, "opponents": "beat-it", "max_turns": 13, "nenette_in_decharge": False}),
]


def in_modes(cases: Sequence[T], edges: Sequence[T]) -> list[tuple[AutoresetMode, T]]:
    """Each case with one autoreset mode, in turn, and each edge with both: what a mode does hangs on no rule."""
    modes = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
    return [*zip(cycle(modes), cases, strict=False), *product(modes, edges)]


def make(env_id: str, **options: Any) -> TurnBasedEnv:
    env = gym.make(env_id, disable_env_checker=True, **options).unwrapped
    assert isinstance(env, TurnBasedEnv)
    return env


def fields_of(env: TurnBasedEnv, observation: NDArray[np.float32]) -> dict[str, int]:
    """What an observation tells, by name."""
    values = env.game.codec.decode(observation[None])[0].tolist()
    return dict(zip(env.game.codec.names, values, strict=True))


def play_on(env: TurnBasedEnv, steps: int, seed: int) -> Iterator[tuple[Any, ...]]:
    """Random actions, forbidden ones among them, with a reset after each end; what comes back, ready for comparison."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(int(rng.integers(env.game.n_actions)))
        yield from _comparable(env, observation, reward, terminated, truncated, info)
        if terminated or truncated:
            observation, info = env.reset()
            yield from _comparable(env, observation, info)


def _comparable(env: TurnBasedEnv, *items: Any) -> Iterator[tuple[Any, ...]]:
    plain = []
    for item in items:
        if isinstance(item, dict):
            item = {key: value.tolist() if key == "action_mask" else value for key, value in item.items()}
        plain.append(item.tobytes() if isinstance(item, np.ndarray) else item)
    yield (*plain, env.render() if env.render_mode else None)


def exact_mean(game: Game[Any], own: Policy, other: Policy) -> float:
    """The mean return of `own` at seat 0 against `other` at seat 1: all ways that the game can go, added up."""

    @cache
    def moves(state: Any) -> list[tuple[Any, float, float | None]]:
        mover, legal = game.seat(state), game.legal_actions(state)
        mask = np.array([[int(a in legal) for a in range(game.n_actions)]], dtype=np.int8)
        observation = game.codec.encode_one(game.encode(state, mover))[None]
        probabilities = (own, other)[mover].action_probabilities(observation, mask)[0]
        found = []
        for action in np.flatnonzero(probabilities).tolist():
            for after, p in game.outcomes(state, action):
                returns = game.returns(after)
                found.append((after, float(probabilities[action]) * float(p), None if returns is None else returns[0]))
        return found

    going: dict[Any, float] = {state: float(p) for state, p in game.initial()}
    mean = 0.0
    while sum(going.values()) > 1e-9:
        later: dict[Any, float] = {}
        for state, weight in going.items():
            for after, p, ending in moves(state):
                if ending is None:
                    later[after] = later.get(after, 0.0) + weight * p
                else:
                    mean += weight * p * ending
        going = later
    return mean
