"""Scoring a run, or anybody else with a name, as the command line asks for it."""

import os
from pathlib import Path
from typing import Any

from nenette.games import GAMES, Game
from nenette.games.registry import other_rules
from nenette.matches import CrossTable, score
from nenette.matches import cross_table as exact_cross_table
from nenette.matches.ladder import with_nash_conv
from nenette.policies import BEST_RESPONSE, load_opponent, policy_names
from nenette.policies.files import JSON_FILE
from nenette.policies.load import Found, find_opponent, game_named
from nenette.policies.registry import names_at_table
from nenette_agents.benchmark.results import RUN_FILE, SUITE_FILE, read_run
from nenette_agents.config.named import game_with_rules
from nenette_agents.errors import ConfigError, RunError, shown
from nenette_agents.runs.folders import read_json
from nenette_agents.terminal.progress import AtWork

__all__ = ["cross_table", "evaluate", "find_agent"]


def evaluate(
    agent: str,
    *,
    game: str | None,
    against: list[str],
    rules: list[str],
    games: int | None,
    seed: int,
    runs: Path,
    work: AtWork,
) -> dict[str, Any]:
    """The score of `agent`, a run or an opponent's name, against another, as JSON values; its "rules" are
    those that are not the default ones of the game.

    Args:
        agent: whatever `nenette.load_opponent` takes.
        game: the game's name, or module:object; None: `agent` says it, as "421/optimal" or a run does.
        against: likewise, one for all other seats or as many as there are; none: "optimal", or a random player where
            nobody has solved the game.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        games: how many are played, even where a score could be exact; None plays only where it cannot be.
        seed: of those games.
        runs: where runs are looked for by name.
        work: is called with what is being done.

    Raises:
        ValueError: something named does not exist or does not fit; one sentence.
    """
    policy, played = find_agent(agent, game, rules, runs)
    opponent = _against(against, played, runs)
    work.now("scoring")
    if games is None:
        report = with_nash_conv(score(policy, played, opponent, seed=seed, progress=work.counted("games")).report())
    else:
        count = work.counted("games", games)
        report = score(policy, played, opponent, games=games, seed=seed, exact=False, progress=count).report()
    return {**report, "rules": other_rules(played)}


def cross_table(names: list[str], *, game: str | None, rules: list[str], runs: Path, work: AtWork) -> CrossTable:
    """The table of all pairs of agents.

    Args:
        names: whatever `nenette.load_opponent` takes; none names all opponents of the game.
        game: the game's name, or module:object; None: the first name says it.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        runs: where runs are looked for by name.
        work: is called with what is being done.

    Raises:
        ValueError: something named does not exist or does not fit; one sentence.
    """
    if not names and game is None:
        raise RunError("name the agents to compare, or say with --game of which game all opponents are compared")
    if not names:
        played = game_with_rules(str(game), rules)
        names = names_at_table(played)
    first, played = find_agent(names[0], game, rules, runs)
    if played.players == 1:
        raise RunError(f"{played.name} is played alone: its agents do not meet")
    policies = [first, *(load_opponent(name, played, runs=runs) for name in names[1:])]
    pairs = len(names) * (len(names) + 1) // 2
    return exact_cross_table(policies, played, work.counted("pairs scored", pairs))


def find_agent(agent: str, game: str | None, rules: list[str], runs: Path) -> Found:
    """The policy that a person names on the command line, and its game; arguments as in `evaluate`.

    Raises:
        ValueError: there is none of that name, or it does not say of which game; one sentence.
    """
    if os.path.isdir(agent):  # False, too, for what cannot be a path
        _check_folder(Path(agent))
    game = game or game_named(agent)
    if game is not None:
        return find_opponent(agent, game_with_rules(game, rules), runs=runs)
    if _is_a_name(agent.removeprefix(BEST_RESPONSE)):
        raise RunError(
            f"{agent!r} is the name of an opponent: say of which game, as in '{_example(agent)}', or with --game"
        )
    found = find_opponent(agent, runs=runs)
    if rules:
        raise ConfigError(f"--set {rules[0]}: a run is scored by the rules that it was trained with")
    return found


def _check_folder(folder: Path) -> None:
    """Raises RunError if it is a whole benchmark, or one of its runs that left no policy."""
    if (folder / SUITE_FILE).is_file():
        runs = sorted(path.parent for path in folder.glob(f"*/*/seed-*/{JSON_FILE}"))
        such = f", such as {runs[0]}" if runs else ""
        raise RunError(f"{folder} is a whole benchmark: one of its runs that left a policy was expected{such}")
    if (folder / JSON_FILE).exists() or not (folder / RUN_FILE).is_file():
        return
    if "determined_by" in read_json(folder / RUN_FILE):
        run = read_run(folder)
        reason = run.reason if run.status == "failed" else run.policy_reason
        raise RunError(f"{folder} holds no policy: {reason or 'its file is gone'}")


def _is_a_name(agent: str) -> bool:
    return not Path(agent).exists() and any(agent in policy_names(game) for game in GAMES)


def _example(agent: str) -> str:
    name = agent.removeprefix(BEST_RESPONSE)
    game = next(game for game in GAMES if name in policy_names(game))
    return f"{game}/{agent}"


def _against(against: list[str], game: Game[Any], runs: Path) -> Any:
    if game.players == 1:
        if against:
            raise RunError(f"--against {shown(against[0])}: nobody else plays {game.name}")
        return None
    named = against or ["optimal" if game.players == 2 else "random"]
    try:
        # Who is named twice is one policy that sits twice.
        found = {name: load_opponent(name, game, runs=runs) for name in named}
    except ValueError as error:
        raise RunError(f"--against: {error}") from error
    return [found[name] for name in named]
