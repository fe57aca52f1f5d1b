"""A game as a tree in which chance is a player: who decides at a node, among what, and what comes of it.

Decisions that leave no choice and chances with a single outcome are no nodes: they are passed on the way. But for each
seat's first decision of a game: so no game ends before everybody has had a move, and an episode of OpenSpiel's
`rl_environment`, which begins at the first decision, does not begin at its end.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from nenette.games import Distribution, Game
from nenette.games.episode import end_of


class Kind(Enum):
    """Who decides at a node."""

    PLAYER = "to move"
    DICE = "dice fall"
    STATES = "chance decides"
    END = "over"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree; it never changes, so that copies of a game share it.

    Attributes:
        kind: who decides: the seat to move; chance, of what falls or of the state that follows; or nobody any more.
        turns: the turns of all players so far.
        state: the game's state; None where chance decides which state follows.
        action: what the seat to move has done, where dice are to fall.
        chance: the distribution that chance draws from, where it decides.
        returns: each seat's return at the end; 0 where the game is cut. What turns cost a player alone counts in it.
    """

    kind: Kind
    turns: int
    state: Any = None
    action: int | None = None
    chance: Distribution[Any] | None = None
    returns: tuple[float, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Node":
        """Itself."""
        return self

    def __str__(self) -> str:
        """Tells the node from every other one of its game, the number of turns included."""
        what = " or ".join(map(str, self.chance.outcomes)) if self.state is None and self.chance else str(self.state)
        done = "" if self.action is None else f" after action {self.action}"
        return f"turn {self.turns}, {self.kind.value}{done}: {what}"


class Tree:
    """The tree of a game that is cut after `max_turns` turns of all players."""

    def __init__(self, game: Game[Any], max_turns: int) -> None:
        self.game = game
        self.max_turns = max_turns

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tree":
        """Itself."""
        return self

    def root(self) -> Node:
        """The first node."""
        return self._follows(self.game.initial(), 0)

    def child(self, node: Node, move: int) -> Node:
        """The node after a legal action of the seat to move, or after chance's outcome number `move`."""
        if node.chance is None:
            return self._acts(node.state, move, node.turns)
        outcome = node.chance.outcomes[move]
        if node.kind is Kind.STATES:
            return self._arrives(outcome, node.turns)
        assert node.action is not None
        return self._follows(self.game.follow(node.state, node.action, outcome), node.turns)

    def _acts(self, state: Any, action: int, turns: int) -> Node:
        turns += self.game.starts_turn(state)
        drawn = self.game.chance(state, action)
        if len(drawn) > 1:
            return Node(Kind.DICE, turns, state, action, drawn)
        return self._follows(self.game.follow(state, action, drawn.outcomes[0]), turns)

    def _follows(self, states: Distribution[Any], turns: int) -> Node:
        if len(states) > 1:
            return Node(Kind.STATES, turns, chance=states)
        return self._arrives(states.outcomes[0], turns)

    def _arrives(self, state: Any, turns: int) -> Node:
        returns, cut = end_of(self.game, state, turns, self.max_turns)
        if cut or returns is not None:
            ending = returns or (0.0,) * self.game.players
            paid = self.game.turn_reward * turns if self.game.players == 1 else 0.0
            return Node(Kind.END, turns, state, returns=tuple(one + paid for one in ending))
        legal = self.game.legal_actions(state)
        # Everybody has one turn before anybody has a second.
        first = turns < self.game.players and self.game.starts_turn(state)
        return Node(Kind.PLAYER, turns, state) if first or len(legal) > 1 else self._acts(state, legal[0], turns)
