"""A game in which every seat acts at every step, written again in plain Python on the rules alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nenette.environments.turn_based import nearest_legal
from nenette.games import Game


class SlowSeats:
    """One game of an all-seats environment that begins again when asked to."""

    def __init__(self, game: Game[Any], rng: Any) -> None:
        self.game, self.rng = game, rng
        self.reset()

    def reset(self) -> None:
        self.state = self.game.initial().sample(self.rng)
        self.turns, self.acted = 0, set[int]()
        self.returns: tuple[float, ...] | None = None
        self.cut = False

    @property
    def over(self) -> bool:
        return self.returns is not None or self.cut

    def step(self, actions: list[int]) -> tuple[list[float], list[bool]]:
        """Rewards of all seats, and whose actions were not legal."""
        game, mover = self.game, self.game.seat(self.state)
        legal, asked = game.legal_actions(self.state), actions[mover]
        illegal = [action != game.n_actions for action in actions]
        illegal[mover] = asked not in legal
        action = legal[0] if asked == game.n_actions else asked if asked in legal else nearest_legal(asked, legal)
        self.acted.add(mover)
        self._play(action)
        while not self.over and game.seat(self.state) in self.acted and len(game.legal_actions(self.state)) == 1:
            self._play(game.legal_actions(self.state)[0])
        return list(self.returns or [0.0] * game.players), illegal

    def _play(self, action: int) -> None:
        game = self.game
        self.turns += game.starts_turn(self.state)
        self.state = game.sample(self.state, action, self.rng)
        self.returns = game.returns(self.state)
        used_up = game.max_turns is not None and self.turns >= game.max_turns
        self.cut = self.returns is None and used_up and game.starts_turn(self.state)

    def observations(self) -> NDArray[np.float32]:
        game = self.game
        return np.stack([game.codec.encode_one(game.encode(self.state, seat)) for seat in range(game.players)])

    def masks(self) -> list[list[int]]:
        game, passing = self.game, [0] * self.game.n_actions + [1]
        masks = [passing] * game.players
        if self.returns is None:
            legal = game.legal_actions(self.state)
            masks[game.seat(self.state)] = [int(a in legal) for a in range(game.n_actions)] + [0]
        return masks
