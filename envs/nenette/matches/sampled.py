"""Policies play many games against each other, all games a step at a time so that each policy answers in batches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nenette.games import Game
from nenette.games.episode import Episode
from nenette.policies.ask import ask
from nenette.policies.given import GivenPolicy, as_game, as_policy
from nenette.policies.policy import Masks, Policy, Probabilities, choose

__all__ = ["Played", "Witness", "play"]

S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class Played:
    """What came of games that were played.

    Attributes:
        returns: float64 (games, players), the sum of each seat's rewards; a cut game ends with 0 for everybody.
        turns: int64 (games,), turns of all players together.
        cut: bool (games,), whether the game was cut before its end.
    """

    returns: NDArray[np.float64]
    turns: NDArray[np.int64]
    cut: NDArray[np.bool_]


class Witness(Protocol):
    """An observer of games that are played, all of them a step at a time."""

    def began(self, states: Sequence[Any]) -> None:
        """Game i is about to start from states[i]."""

    def moved(
        self, games: NDArray[np.int64], probabilities: Probabilities, actions: NDArray[np.int64], after: list[Any]
    ) -> None:
        """One action was taken in each game that is still played.

        Args:
            games: int64 (n,), which games these are.
            probabilities: float64 (n, n_actions), what each action was drawn from; 1 for an action without alternative.
            actions: int64 (n,).
            after: the n states that they led to.
        """


def play(
    game: Game[S] | str,
    policies: Sequence[GivenPolicy],
    games: int,
    rng: np.random.Generator,
    *,
    max_turns: int | Literal["rules"] | None = "rules",
    tremble: float = 0.0,
    start: S | None = None,
    progress: Callable[[int], None] | None = None,
    witness: Witness | None = None,
) -> Played:
    """Plays games to their end, `policies[k]` at seat k.

    States that leave no choice are played without asking anybody. The same generator state gives the same games.

    Args:
        game: what is played, or its name for the default rules.
        policies: one for each seat, an object with `action_probabilities` or what `nenette.load_opponent` takes; the
            same object may sit at several.
        games: how many, at least 1.
        rng: where dice and choices come from.
        max_turns: turns of all players together, each whole, after which a game is cut; "rules" is what the game says,
            None never cuts (and never returns if the policies never finish).
        tremble: the chance that a decision is replaced by a legal action drawn uniformly.
        start: the state that each game starts from; None starts as the rules say.
        progress: called now and then with the number of games that have ended.
        witness: is called with every action and what it led to.

    Returns:
        Returns, turns and which games were cut.

    Raises:
        ValueError: a wrong number of policies or of games, or a policy whose probabilities are no distribution.
    """
    game = as_game(game)
    players = [as_policy(policy, game) for policy in policies]
    _check(game, players, games, max_turns, tremble)
    limit = game.max_turns if max_turns == "rules" else max_turns
    table = _Table(game, players, games, rng, limit, tremble, start, witness)
    ended = 0
    while table.playing:
        table.step()
        if progress is not None and games - len(table.playing) > ended:
            ended = games - len(table.playing)
            progress(ended)
    return table.played()


def _check(
    game: Game[Any], policies: Sequence[Policy], games: int, max_turns: int | str | None, tremble: float
) -> None:
    if len(policies) != game.players:
        raise ValueError(f"{game.name} has {game.players} seats here, and {len(policies)} policies were given")
    if games < 1:
        raise ValueError(f"at least 1 game is played, not {games}")
    if max_turns not in ("rules", None) and (type(max_turns) is not int or max_turns < 1):
        raise ValueError(f"max_turns is an integer of at least 1, None or 'rules', not {max_turns!r}")
    if not 0 <= tremble <= 1:
        raise ValueError(f"tremble is a probability from 0 to 1, not {tremble!r}")


class _Table(Generic[S]):
    """Games under way."""

    def __init__(
        self,
        game: Game[S],
        policies: Sequence[Policy],
        games: int,
        rng: np.random.Generator,
        max_turns: int | None,
        tremble: float,
        start: S | None,
        witness: Witness | None,
    ) -> None:
        self.witness = witness
        self.game = game
        self.rng = rng
        self.tremble = tremble
        # One batch for each distinct policy: what it sees does not depend on where it sits.
        self.players = list({id(policy): policy for policy in policies}.values())
        self.player_at = [next(k for k, p in enumerate(self.players) if p is policy) for policy in policies]
        self.returns = np.zeros((games, game.players))
        self.episodes = [Episode(game, rng, start, max_turns=max_turns) for _ in range(games)]
        if witness is not None:
            witness.began([episode.state for episode in self.episodes])
        self.playing = [i for i in range(games) if not self._is_over(i)]

    def played(self) -> Played:
        """What came of the games."""
        turns, cut = [episode.turns for episode in self.episodes], [episode.cut for episode in self.episodes]
        return Played(self.returns, np.array(turns, dtype=np.int64), np.array(cut, dtype=np.bool_))

    def step(self) -> None:
        """One action in each game that is still played."""
        asked: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in self.players]
        forced: list[tuple[int, int]] = []
        for i in self.playing:
            legal = self.episodes[i].legal_actions()
            if len(legal) == 1:
                forced.append((i, legal[0]))
            else:
                asked[self.player_at[self.episodes[i].mover]].append((i, legal))
        chosen: list[tuple[NDArray[np.int64], Probabilities | None]] = [(np.array(forced), None)] if forced else []
        for policy, questions in zip(self.players, asked, strict=True):
            if questions:
                probabilities = self._probabilities(policy, questions)
                chosen.append(
                    (np.stack([[i for i, _ in questions], choose(probabilities, self.rng)], axis=1), probabilities)
                )
        for moves, _ in chosen:
            for i, action in moves.tolist():
                mover = self.episodes[i].mover
                self.returns[i, mover] += self.episodes[i].play(action)
        if self.witness is not None:
            self._tell(self.witness, chosen)
        self.playing = [i for i in self.playing if not self._is_over(i)]

    def _tell(self, witness: Witness, chosen: Sequence[tuple[NDArray[np.int64], Probabilities | None]]) -> None:
        certain = np.eye(self.game.n_actions)
        games, actions = np.concatenate([moves for moves, _ in chosen]).T
        probabilities = np.concatenate(
            [certain[moves[:, 1]] if probabilities is None else probabilities for moves, probabilities in chosen]
        )
        witness.moved(games, probabilities, actions, [self.episodes[i].state for i in games.tolist()])

    def _probabilities(self, policy: Policy, questions: Sequence[tuple[int, tuple[int, ...]]]) -> Probabilities:
        game = self.game
        fields = np.array([game.encode(each.state, each.mover) for each in (self.episodes[i] for i, _ in questions)])
        masks: Masks = np.zeros((len(questions), game.n_actions), dtype=np.int8)
        rows = np.repeat(np.arange(len(questions)), [len(legal) for _, legal in questions])
        masks[rows, [action for _, legal in questions for action in legal]] = 1
        probabilities = ask(policy, game.codec.encode(fields), masks)
        if self.tremble:
            probabilities = (1 - self.tremble) * probabilities + self.tremble * masks / masks.sum(axis=1, keepdims=True)
        return probabilities

    def _is_over(self, i: int) -> bool:
        """Enters the result of a game that has ended."""
        episode = self.episodes[i]
        if episode.returns is not None:
            self.returns[i] += episode.returns
        return episode.over
