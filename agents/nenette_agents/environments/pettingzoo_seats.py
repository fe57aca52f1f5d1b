"""Any PettingZoo game of turns as a `VecEnv` for self-play: every seat of every game is a slot."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from nenette_agents.environments.vec_env import SlotsVecEnv

__all__ = ["PettingZooVecEnv"]


class PettingZooVecEnv(SlotsVecEnv):
    """Games of an AEC environment whose agents are alike; what `TurnMaskedPPO` and `MaskedDQN` learn self-play from.

    Slot `game * players + seat` is that seat of that game. There is one action more than the game has, the last one:
    *pass*. The seat that is to move may do what the game's mask allows, which is looked for in the observation
    (`{"observation": ..., "action_mask": ...}`) and then in its info; all others can only pass.

    Attributes:
        pass_action: the action that means that a slot is not to move.
        games: the AEC environments.
    """

    def __init__(self, make_game: Callable[[], Any], n_games: int = 1) -> None:
        """Makes the games.

        Args:
            make_game: gives a new AEC environment at each call, such as `pettingzoo.classic.connect_four_v3.env`.
            n_games: how many are played side by side.

        Raises:
            ValueError: agents see or do different things, or their actions are not `Discrete`.
        """
        self.games = [make_game() for _ in range(n_games)]
        self._agents: list[str] = list(self.games[0].possible_agents)
        seen = [self.games[0].observation_space(agent) for agent in self._agents]
        acted = [self.games[0].action_space(agent) for agent in self._agents]
        if any(one != seen[0] for one in seen) or any(one != acted[0] for one in acted):
            raise ValueError("all agents are expected to have the same observation and action spaces")
        if not isinstance(acted[0], spaces.Discrete) or acted[0].start != 0:
            raise ValueError(f"actions 0, 1, 2, ... in a Discrete are expected, not {acted[0]}")
        space = seen[0]
        if isinstance(space, spaces.Dict) and "observation" in space.spaces:
            space = space["observation"]
        self.pass_action = int(acted[0].n)
        slots = n_games * len(self._agents)
        super().__init__(slots, space, spaces.Discrete(self.pass_action + 1))
        self._masks = np.zeros((slots, self.pass_action + 1), dtype=np.bool_)
        self._observations = np.zeros((slots, *(space.shape or ())), dtype=space.dtype)
        self._actions: NDArray[np.integer] = np.zeros(slots, dtype=np.int64)

    def reset(self) -> VecEnvObs:
        """New games, with the seeds that `seed` has set, if any; their first observations."""
        for number in range(len(self.games)):
            self._begin(number, self._seeds[number * len(self._agents)])
        self._reset_seeds()
        self._reset_options()
        return self._observations.copy()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the action of each game's seat to move."""
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        dones = np.zeros(self.num_envs, dtype=np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for number, game in enumerate(self.games):
            first = number * len(self._agents)
            self._play(game, int(self._actions[first + self._agents.index(game.agent_selection)]), rewards[first:])
            self._look(number)
            if not game.agents or all(game.terminations[one] or game.truncations[one] for one in game.agents):
                self._end(number, dones, infos)
                self._begin(number, None)
        return self._observations.copy(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Masks of all slots, bool (slots, actions)."""
        return self._masks.copy()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this, which all slots share.

        Raises:
            AttributeError: there is none of that name.
        """
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Closes the games."""
        for game in self.games:
            game.close()

    def _play(self, game: Any, action: int, rewards: NDArray[np.float32]) -> None:
        """One action; seats that are out of the game are passed over, until one is to move or the game is over."""
        while True:
            game.step(action)
            for agent, reward in game.rewards.items():
                rewards[self._agents.index(agent)] += reward
            out = {one for one in game.agents if game.terminations[one] or game.truncations[one]}
            if game.agent_selection not in out or len(out) == len(game.agents):
                return
            action = None  # type: ignore[assignment]  # as PettingZoo has it

    def _begin(self, number: int, seed: int | None) -> None:
        self.games[number].reset(seed=seed)
        self._look(number)

    def _look(self, number: int) -> None:
        """Takes in what each seat that is still in the game sees, and what is legal."""
        game, first = self.games[number], number * len(self._agents)
        for seat, agent in enumerate(self._agents):
            self._masks[first + seat] = False
            self._masks[first + seat, self.pass_action] = True
            if agent in game.agents:
                seen = game.observe(agent)
                mask = None
                if isinstance(seen, dict) and "observation" in seen:
                    seen, mask = seen["observation"], seen.get("action_mask")
                self._observations[first + seat] = seen
                if agent == game.agent_selection:
                    mask = game.infos[agent].get("action_mask") if mask is None else mask
                    self._masks[first + seat, :-1] = True if mask is None else np.asarray(mask) != 0
                    self._masks[first + seat, -1] = False

    def _end(self, number: int, dones: NDArray[np.bool_], infos: list[dict[str, Any]]) -> None:
        game, first = self.games[number], number * len(self._agents)
        truncated = bool(game.agents) and not any(game.terminations[one] for one in game.agents)
        mover = self._agents.index(game.agent_selection)
        for seat in range(len(self._agents)):
            slot = first + seat
            dones[slot] = True
            infos[slot] = {
                "terminal_observation": self._observations[slot].copy(),
                "TimeLimit.truncated": truncated,
                "action_mask": self._masks[slot].copy(),
                "players": len(self._agents),
                "slots_to_mover": mover - seat,
            }
