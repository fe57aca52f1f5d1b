"""A game from the command line: who sits where, what is saved, and what is gone through afterwards."""

import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from nenette.environments.opponents import Opponent
from nenette.games import Game
from nenette.matches.review import Chances, Move, review
from nenette.policies import load_opponent
from nenette_agents.config.named import game_with_rules
from nenette_agents.errors import ConfigError, sentence_of, shown
from nenette_agents.play import records, story
from nenette_agents.play.screen import LeftError, Screen
from nenette_agents.play.sitting import Sitting, Teller
from nenette_agents.play.texts import texts_in

__all__ = ["play", "replay", "screen_for", "watch"]

_OPTIMAL_UP_TO = {"421": (2, "beat-it"), "demi-iles": (3, "greedy")}
"""For how many players a game has `optimal`, and who plays in its place with more."""


def play(
    game: str | None,
    opponent: Sequence[str] | None,
    players: int | None,
    seat: int | None,
    settings: Sequence[str],
    seed: int | None,
    save: Path | None,
    runs: Path,
    screen: Screen,
    *,
    hints: bool,
    reviewed: bool,
    quick: bool,
    as_json: bool,
) -> None:
    """What `nenette play` does; see there."""
    if game is None:
        raise ConfigError("say which game: nenette play 421, or nenette play demi-iles")
    played = _game(game, players, len(opponent or ()), settings)
    if seat is not None and seat >= played.players:
        raise ConfigError(f"--seat is from 0 to {played.players - 1} here, not {seat}")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    you = seed % played.players if seat is None else seat
    others = _agents(_each(opponent or [_usual_opponent(played)], played.players - 1, played), played, runs, screen)
    seats: list[Opponent | None] = [None] * played.players
    for k, agent in enumerate(others):
        seats[(you + 1 + k) % played.players] = agent
    names = [agent.name if agent is not None else "you" for agent in seats]
    chances = _chances(played, screen, wanted=hints, needed=reviewed)
    teller = Teller(played, names, you, seed, screen)
    sitting = Sitting(played, seats, seed, teller, screen, chances=chances if hints else None, quick=quick)
    screen.say(screen.texts.how)
    if hints:
        _explain(screen, chances)
    _sit(sitting, screen, save, (played, seed, you, names), teller, chances if reviewed else None, as_json=as_json)


def watch(
    agents: Sequence[str],
    game: str,
    settings: Sequence[str],
    seed: int | None,
    pause: float | None,
    save: Path | None,
    runs: Path,
    screen: Screen,
    *,
    reviewed: bool,
    as_json: bool,
) -> None:
    """What `nenette watch` does; see there."""
    played = _game(game, None, len(agents) - 1, settings)
    if len(agents) != played.players:
        raise ConfigError(f"{played.name} has {played.players} seats here, and {len(agents)} agents were named")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    seats = _agents(agents, played, runs, screen)
    chances = _chances(played, screen, wanted=True, needed=reviewed)
    pause = (1.0 if sys.stdout.isatty() else 0.0) if pause is None else pause
    names = [agent.name for agent in seats]
    teller = Teller(played, names, None, seed, screen, chances, pause)
    sitting = Sitting(played, seats, seed, teller, screen)
    _sit(sitting, screen, save, (played, seed, None, names), teller, chances if reviewed else None, as_json=as_json)


def screen_for(lang: str | None, plain: bool, reviewed: bool, as_json: bool) -> Screen:
    """Where the game is shown: on stderr where stdout is for a report.

    Raises:
        ConfigError: a report of something that makes none.
    """
    if as_json and not reviewed:
        raise ConfigError("--json is for the review: say --review, too")
    return Screen(texts_in(lang), plain=plain, aside=as_json)


def _game(name: str, players: int | None, opponents: int, settings: Sequence[str]) -> Game[Any]:
    """The game with so many players: as many as are asked for, or as there are names of agents."""
    said = any(setting.partition("=")[0].strip() == "players" for setting in settings)
    if players is None and opponents > 1 and not said:
        players = opponents + 1
    if players is not None and said:
        raise ConfigError("--players and --set players=… say the same: give one of them")
    played = game_with_rules(name, list(settings))
    if players is None or players == played.players:
        return played
    if played.players == 1:
        raise ConfigError(f"{name} is played alone: there are no others in it")
    return game_with_rules(name, [*settings, f"players={players}"])


def _usual_opponent(game: Game[Any]) -> str:
    """Who sits at the other seats if nobody is named: perfect play, or a rule of thumb where none is known."""
    most, rule_of_thumb = _OPTIMAL_UP_TO.get(game.name, (game.players, ""))
    return "optimal" if game.players <= most else rule_of_thumb


def _each(names: Sequence[str], others: int, game: Game[Any]) -> list[str]:
    if others == 0:
        if list(names) != ["optimal"]:
            raise ConfigError(f"--opponent {shown(names[0])}: nobody else plays {game.name}")
        return []
    if len(names) not in (1, others):
        wanted = "one" if others == 1 else f"one, or {others}"
        raise ConfigError(f"--opponent names {wanted} for {game.players} players of {game.name}, not {len(names)}")
    return list(names) * others if len(names) == 1 else list(names)


def _agents(names: Sequence[str], game: Game[Any], runs: Path, screen: Screen) -> list[Opponent]:
    with screen.preparing():
        found = {name: load_opponent(name, game, runs=runs) for name in dict.fromkeys(names)}
    return [Opponent(game, found[name], fixed=True) for name in names]


def _chances(game: Game[Any], screen: Screen, *, wanted: bool, needed: bool) -> Chances | None:
    """The exact chances; where they are not known, that is said in a sentence."""
    if not wanted and not needed:
        return None
    if game.players != 2:
        screen.say(screen.texts.no_chances.format(players=game.players))
        return None
    with screen.preparing():
        return Chances(game)


def _explain(screen: Screen, chances: Chances | None) -> None:
    if chances is not None:
        screen.say(screen.texts.hints)
        if chances.epsilon:
            screen.say(screen.texts.trembling.format(times=round(1 / chances.epsilon)))


def _sit(
    sitting: Sitting,
    screen: Screen,
    save: Path | None,
    table: tuple[Game[Any], int, int | None, list[str]],
    teller: Teller,
    chances: Chances | None,
    *,
    as_json: bool,
) -> None:
    """Plays, saves, and goes through the game where the chances are at hand."""
    game, seed, you, names = table
    sitting.recorder = _recorder(screen, save, game, seed, you, names, sitting.episode.state)
    code = 0
    try:
        sitting.play()
    except LeftError:
        screen.say(screen.texts.leaving)
    except KeyboardInterrupt:
        screen.break_off()
        screen.say(screen.texts.leaving)
        code = 130
    finally:
        if sitting.recorder is not None:
            sitting.recorder.close()
    if chances is not None and not code:
        _go_through(game, sitting.moves, you, teller, screen, seed=seed, cut=sitting.episode.cut, as_json=as_json)
    if sitting.recorder is not None:
        screen.path(screen.texts.saved.format(path=sitting.recorder.path))
        if save is None and sitting.moves:
            review = " --review" if game.players == 2 else ""
            screen.say(screen.texts.again.format(review=review))
    screen.say(screen.texts.repeats.format(seed=seed))
    if code:
        raise typer.Exit(code)


def _recorder(
    screen: Screen, save: Path | None, game: Game[Any], seed: int, you: int | None, names: list[str], start: Any
) -> records.Recorder | None:
    """What saves the game; a folder that cannot be written keeps nobody from playing, unless a file was asked for."""
    try:
        return records.Recorder(save or records.new_file(game, seed), game, seed, you, names, start)
    except OSError as error:
        if save is not None:
            raise
        screen.path(screen.texts.not_saved.format(reason=sentence_of(error)))
        return None


def replay(name: str, screen: Screen, *, reviewed: bool, as_json: bool) -> None:
    """Shows a saved game, by its file or the "last" one, and goes through it."""
    record = records.read(records.latest() if name == "last" else Path(name))
    teller = Teller(record.game, record.players, record.you, record.seed, screen)
    teller.start(record.start)
    for move in record.moves:
        teller.move(move)
    if record.over:
        teller.end(record.moves[-1].after, cut=record.cut)
    else:
        screen.say(screen.texts.left.format(moves=len(record.moves)))
    if reviewed and _chances(record.game, screen, wanted=False, needed=True) is not None:
        _go_through(
            record.game, record.moves, record.you, teller, screen, seed=record.seed, cut=record.cut, as_json=as_json
        )


def _go_through(
    game: Game[Any],
    moves: Sequence[Move],
    you: int | None,
    teller: Teller,
    screen: Screen,
    *,
    seed: int,
    cut: bool,
    as_json: bool,
) -> None:
    if not moves:
        screen.say(screen.texts.no_review)
        return
    found = review(game, moves, you or 0, cut=cut)
    if as_json:
        print(json.dumps(story.report(game, teller, found, moves, seed=seed)))
        return
    story.tell(screen, teller, found, moves)
