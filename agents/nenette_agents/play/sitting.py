"""A game at the terminal: somebody plays, agents play, or a saved game is gone through again."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from nenette.environments.accounts import make_account, make_speaker
from nenette.environments.opponents import Opponent
from nenette.games import Game
from nenette.games.episode import Episode
from nenette.matches.review import Chances, Move
from nenette_agents.errors import sentence_of
from nenette_agents.play.records import Recorder
from nenette_agents.play.rules import rules_in_short
from nenette_agents.play.screen import Screen

__all__ = ["SEEN", "Sitting", "Teller"]

_SAME = 1e-9
"""Choices whose winning chances differ by less are equally good."""
SEEN = 5e-5
"""What is less shows as 0.00%."""


class Teller:
    """Shows a game as it goes on.

    Attributes:
        speaker: who asks and names the moves.
        you: the seat of whoever is spoken to; None where nobody is.

    Args:
        game: what is played.
        players: everybody's name by seat.
        you: the seat of whoever is spoken to; None where nobody is.
        seed: of the game, from which the faces to show are drawn.
        screen: where it is shown.
        chances: shown after each move; None: they are not.
        pause: seconds after each move.
    """

    def __init__(
        self,
        game: Game[Any],
        players: Sequence[str],
        you: int | None,
        seed: int,
        screen: Screen,
        chances: Chances | None = None,
        pause: float = 0.0,
    ) -> None:
        others = list(players) if you is None else [*players[you + 1 :], *players[:you]]
        self.you = you
        self._game = game
        self._account = make_account(game, you, others, screen.texts.language)
        self.speaker = make_speaker(self._account, game, you, others)
        self._screen = screen
        self._faces = np.random.default_rng([seed, 1])
        self._chances = chances
        self._pause = pause

    def start(self, state: Any) -> None:
        """How the game begins."""
        names = ", ".join(self.speaker.cast.names)
        self._screen.say(self._screen.texts.welcome.format(game=self._game.name, players=names), "bold")
        for line in self._account.start(state):
            self._screen.say(line)

    def lines_of(self, move: Move) -> list[str]:
        """A move in sentences; none where nothing shows."""
        return self._account.event(*move)

    def move(self, move: Move) -> None:
        """Shows a move and the dice that were thrown."""
        faces = self.speaker.dice(*move[:3], self._faces)
        lines = self.lines_of(move)
        if self._chances is not None:
            self._show_cost(self._chances, move)
        for k, line in enumerate(lines):
            self._screen.say(line)
            if k == 0 and not (self._screen.plain and self.speaker.names_faces):
                self._screen.dice(faces)
        if self._chances is not None:
            self._show_chances(self._chances, move, shown=bool(lines))
        if lines and self._pause:
            time.sleep(self._pause)

    def _show_cost(self, chances: Chances, move: Move) -> None:
        """What a choice gives away, before its dice fall."""
        texts, speaker = self._screen.texts, self.speaker
        choices = chances.choices(move.state)
        best = max(choices, key=lambda action: choices[action])
        cost = choices[best] - choices[move.action]
        if cost >= SEEN:
            sentence = texts.gave_away.format(
                name=speaker.cast.names[self._game.seat(move.state)],
                move=speaker.move(move.state, move.action),
                cost=texts.chance(cost),
                best=speaker.move(move.state, best),
            )
            self._screen.say(sentence, indent=2)

    def _show_chances(self, chances: Chances, move: Move, *, shown: bool) -> None:
        texts, names = self._screen.texts, self.speaker.cast.names
        if shown and self._game.returns(move.after) is None:
            each = " · ".join(f"{name} {texts.chance(chances.of(move.after, k))}" for k, name in enumerate(names))
            self._screen.say(texts.chances.format(each=each), indent=2)

    def end(self, state: Any, *, cut: bool) -> None:
        """How the game has ended."""
        self._screen.say(self.speaker.ending(state, cut=cut), "bold")


class Sitting:
    """A game that is played now.

    Attributes:
        moves: what has been played.
        episode: the game.

    Args:
        game: what is played.
        seats: who plays: an agent at each seat but the person's, which is None.
        seed: of all dice and of all that agents draw.
        teller: shows it.
        screen: where a person is asked.
        chances: shown to a person before each choice; None: they are not.
        quick: a person's throws that leave no choice are thrown without waiting for Enter.
    """

    def __init__(
        self,
        game: Game[Any],
        seats: Sequence[Opponent | None],
        seed: int,
        teller: Teller,
        screen: Screen,
        *,
        chances: Chances | None = None,
        quick: bool = False,
    ) -> None:
        self.moves: list[Move] = []
        self.episode = Episode(game, np.random.default_rng(seed), event=self._event)
        self.recorder: Recorder | None = None
        self._game, self._seats, self._teller, self._screen = game, seats, teller, screen
        self._chances, self._quick = chances, quick

    def play(self) -> None:
        """Plays the game to its end.

        Raises:
            LeftError: the person wants to leave.
            KeyboardInterrupt: likewise.
        """
        episode = self.episode
        self._teller.start(episode.state)
        while not episode.over:
            legal = episode.legal_actions()
            agent = self._seats[episode.mover]
            if agent is None:
                episode.play(self._ask(legal))
            else:
                episode.play(legal[0] if len(legal) == 1 else agent.act(episode.state, legal, episode.rng))
        if self.recorder is not None:
            self.recorder.end(episode.returns, cut=episode.cut)
        self._teller.end(episode.state, cut=episode.cut)

    def _event(self, state: Any, action: int, fallen: Any, after: Any) -> None:
        move = Move(state, action, fallen, after)
        self.moves.append(move)
        if self.recorder is not None:
            self._keep(self.recorder, move)
        self._teller.move(move)

    def _keep(self, recorder: Recorder, move: Move) -> None:
        """Saves a move; a disk that is full by now ends the saving and not the game."""
        try:
            recorder.move(move)
        except OSError as error:
            self.recorder = None
            with suppress(OSError):
                recorder.close()
            self._screen.path(self._screen.texts.not_saved.format(reason=sentence_of(error)))

    def _ask(self, legal: Sequence[int]) -> int:
        state, speaker, screen = self.episode.state, self._teller.speaker, self._screen
        if len(legal) == 1:
            if not self._quick and self._game.starts_turn(state):
                self._wait(state)
            return legal[0]
        screen.say()
        screen.table(speaker, state)
        screen.say(speaker.question(state), "bold")
        if self._chances is not None:
            self._choices()
        return screen.ask(speaker.keys(state), lambda typed: speaker.read(state, typed), self._help)

    def _wait(self, state: Any) -> None:
        """A throw that leaves no choice is the player's all the same."""
        speaker, screen = self._teller.speaker, self._screen
        screen.say()
        screen.table(speaker, state)
        screen.wait(self._rules)

    def _help(self) -> None:
        self._rules()
        self._choices()

    def _rules(self) -> None:
        heading, *sentences = rules_in_short(self._game, self._screen.texts.language) or [""]
        if sentences:
            self._screen.say(heading, "bold")
        for sentence in sentences:
            self._screen.say(sentence, indent=2)

    def _choices(self) -> None:
        """The moves, the best first where chances are shown, else in the order of their keys."""
        state, speaker = self.episode.state, self._teller.speaker
        keys = speaker.keys(state)
        chances: Mapping[int, float] = {} if self._chances is None else self._chances.choices(state)
        best = max(chances.values(), default=0.0)
        lines = [
            (key, speaker.move(state, action), chances.get(action), bool(chances) and chances[action] > best - _SAME)
            for key, action in keys.items()
        ]
        self._screen.choices(sorted(lines, key=lambda line: -(line[2] or 0.0)))
