"""`nenette play` and `nenette watch`."""

import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from nenette.environments.opponents import Opponent
from nenette.games import Game
from nenette.matches.review import Chances, Move, review
from nenette.policies import load_opponent
from nenette_agents.errors import ConfigError, sentence_of, shown
from nenette_agents.evaluation import game_with_rules
from nenette_agents.play import records, story
from nenette_agents.play.screen import LeftError, Screen
from nenette_agents.play.sitting import Sitting, Teller
from nenette_agents.play.texts import texts_in

__all__ = ["play", "watch"]

Seed = Annotated[
    int | None, typer.Option(min=0, help="Of all dice: it repeats a game.", show_default="a new one each time")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one rule; may be repeated.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain sentences, for a screen reader: no drawing, no colour.")]
Language = Annotated[
    str | None, typer.Option("--lang", metavar="en|fr", help="English or French.", show_default="the locale's")
]
Save = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where the game is saved.", show_default="your data folder")
]
Runs = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder in which runs lie.")]
ReviewIt = Annotated[
    bool, typer.Option("--review", help="Go through the game afterwards: which moves cost most, how much was luck.")
]
Json = Annotated[
    bool, typer.Option("--json", help="With --review: print one JSON object on stdout, all else on stderr.")
]


def play(
    game: Annotated[
        str | None, typer.Argument(help="The game's name: 421, demi-iles or demi-iles-solo.", show_default=False)
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays the others: an opponent's name or a run; one for all, or one each.", show_default="optimal"
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="How many play, you included.", show_default="2")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, from 0.", show_default="drawn")] = None,
    seed: Seed = None,
    settings: Settings = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show the exact winning chance of every choice.")] = False,
    review: ReviewIt = False,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Show a saved game, or the 'last' one, in place of a new one.", show_default=False
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Throw without waiting for Enter where there is no choice.")
    ] = False,
    plain: Plain = False,
    lang: Language = None,
    save: Save = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Play against agents in the terminal, and go through the game afterwards."""
    screen = _screen(lang, plain, review, as_json)
    if replay is not None:
        asked = {
            "GAME": game,
            "--opponent": opponent,
            "--players": players,
            "--seat": seat,
            "--seed": seed,
            "--set": settings,
            "--save": save,
            "--hints": hints or None,
        }
        extra = [name for name, value in asked.items() if value is not None]
        if extra:
            raise ConfigError(f"{extra[0]}: a game that is shown again is as it was saved")
        _replay(replay, screen, reviewed=review, as_json=as_json)
        return
    if game is None:
        raise ConfigError("say which game: nenette play 421, or nenette play demi-iles")
    played = _game(game, players, len(opponent or ()), settings or [])
    if seat is not None and seat >= played.players:
        raise ConfigError(f"--seat is from 0 to {played.players - 1} here, not {seat}")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    you = seed % played.players if seat is None else seat
    others = _agents(_each(opponent or ["optimal"], played.players - 1, played), played, runs, screen)
    seats: list[Opponent | None] = [None] * played.players
    for k, agent in enumerate(others):
        seats[(you + 1 + k) % played.players] = agent
    names = [agent.name if agent is not None else "you" for agent in seats]
    chances = _chances(played, screen, wanted=hints, needed=review)
    teller = Teller(played, names, you, seed, screen)
    sitting = Sitting(played, seats, seed, teller, screen, chances=chances if hints else None, quick=quick)
    screen.say(screen.texts.how)
    if hints:
        _explain(screen, chances)
    _sit(sitting, screen, save, (played, seed, you, names), teller, chances if review else None, as_json=as_json)


def watch(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Who plays, by seat: opponents' names or runs.", show_default=False),
    ],
    game: Annotated[str, typer.Option(help="The game's name.", show_default=False)],
    seed: Seed = None,
    settings: Settings = None,
    pause: Annotated[
        float | None,
        typer.Option(min=0, max=60, metavar="SECONDS", help="After each move.", show_default="1 on a terminal, else 0"),
    ] = None,
    review: ReviewIt = False,
    plain: Plain = False,
    lang: Language = None,
    save: Save = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Watch agents play a game, with the exact winning chances after each move."""
    screen = _screen(lang, plain, review, as_json)
    played = _game(game, None, len(agents) - 1, settings or [])
    if len(agents) != played.players:
        raise ConfigError(f"{played.name} has {played.players} seats here, and {len(agents)} agents were named")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    seats = _agents(agents, played, runs, screen)
    chances = _chances(played, screen, wanted=True, needed=review)
    pause = (1.0 if sys.stdout.isatty() else 0.0) if pause is None else pause
    names = [agent.name for agent in seats]
    teller = Teller(played, names, None, seed, screen, chances, pause)
    sitting = Sitting(played, seats, seed, teller, screen)
    _sit(sitting, screen, save, (played, seed, None, names), teller, chances if review else None, as_json=as_json)


def _screen(lang: str | None, plain: bool, reviewed: bool, as_json: bool) -> Screen:
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


def _replay(name: str, screen: Screen, *, reviewed: bool, as_json: bool) -> None:
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
