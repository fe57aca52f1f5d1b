"""Scoring a run, or anybody else with a name, as the command line asks for it."""

from pathlib import Path
from typing import Any

from nenette.games import Game, make_game
from nenette.matches import CrossTable, score
from nenette.matches import cross_table as exact_cross_table
from nenette.policies import BEST_RESPONSE, BestResponsePolicy, load_opponent, make_policy, policy_names, read_policy
from nenette.policies.policy import Policy
from nenette_agents.errors import ConfigError, RunError, nearest, shown
from nenette_agents.overrides import parse_override
from nenette_agents.runs import find_run

__all__ = ["cross_table", "evaluate", "game_with_rules", "named_policy"]


def game_with_rules(name: str, overrides: list[str]) -> Game[Any]:
    """The game called `name` with the rules in `overrides` ("field=value").

    Raises:
        ConfigError: an override is no rule of the game, or its value is none that the rule can have.
        ValueError: there is no game of that name.
    """
    rules = dict(parse_override(override) for override in overrides)
    try:
        return make_game(name, **rules)
    except TypeError as error:
        raise ConfigError(f"--set: {error}") from error


def evaluate(
    agent: str,
    *,
    game: str | None,
    against: str | None,
    rules: list[str],
    games: int | None,
    seed: int,
    runs: Path,
) -> dict[str, Any]:
    """The score of `agent`, a run or an opponent's name, against another, as JSON values.

    Args:
        agent: a run's folder or name, or (with `game`) the name of an opponent.
        game: the game's name; a run knows its own.
        against: a name or a run; None: "optimal", or a random player where nobody has solved the game.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        games: how many are played, even where a score could be exact; None plays only where it cannot be.
        seed: of those games.
        runs: where runs are looked for by name.

    Raises:
        ValueError: something named does not exist or does not fit; one sentence.
    """
    policy, played = _agent(agent, game, rules, runs)
    opponent = _against(against, played, runs)
    if games is None:
        return score(policy, played, opponent, seed=seed).report()
    return score(policy, played, opponent, games=games, seed=seed, exact=False).report()


def cross_table(names: list[str], *, game: str | None, rules: list[str], runs: Path) -> CrossTable:
    """The table of all pairs of agents.

    Args:
        names: opponents' names and runs; none names all opponents of the game.
        game: the game's name; None: that of the first agent, which is a run.
        rules: overrides "field=value" of the game's rules; a run knows its own.
        runs: where runs are looked for by name.

    Raises:
        ValueError: something named does not exist or does not fit; one sentence.
    """
    if not names and game is None:
        raise RunError("name the agents to compare, or say with --game of which game all opponents are compared")
    if not names:
        names = policy_names(game_with_rules(str(game), rules))
    first, played = _agent(names[0], game, rules, runs)
    if played.players == 1:
        raise RunError(f"{played.name} is played alone: its agents do not meet")
    return exact_cross_table([first, *(named_policy(name, played, runs) for name in names[1:])], played)


def named_policy(name: str, game: Game[Any], runs: Path) -> Policy:
    """A policy of `game`: a registered one, a run's, or the best response to either.

    Args:
        name: an opponent's name, or a run's folder or name; after "best-response:" whom it responds to.
        game: what it is to play.
        runs: where runs are looked for by name.

    Raises:
        ValueError: it does not exist or does not fit; one sentence.
    """
    if name in policy_names(game.name):
        return make_policy(name, game)
    if name.startswith(BEST_RESPONSE):
        other = name.removeprefix(BEST_RESPONSE)
        if other in policy_names(game.name):
            return load_opponent(name, game)
        return BestResponsePolicy(game, named_policy(other, game, runs))
    try:
        return read_policy(find_run(name, runs), game)
    except RunError as error:
        known = policy_names(game.name)
        raise RunError(
            f"{shown(name)}: one of {', '.join(known)} or a run was expected{nearest(name, known)}"
        ) from error


def _agent(agent: str, game: str | None, rules: list[str], runs: Path) -> tuple[Policy, Game[Any]]:
    if game is not None:
        played = game_with_rules(game, rules)
        return named_policy(agent, played, runs), played
    if _is_a_name(agent.removeprefix(BEST_RESPONSE)):
        raise RunError(f"{agent!r} is the name of an opponent: say with --game which game it is to play")
    if agent.startswith(BEST_RESPONSE):
        other = read_policy(find_run(agent.removeprefix(BEST_RESPONSE), runs))
        policy: Policy = BestResponsePolicy(other.game, other)
    else:
        policy = other = read_policy(find_run(agent, runs))
    if rules:
        raise ConfigError(f"--set {rules[0]}: a run is scored by the rules that it was trained with")
    return policy, other.game


def _is_a_name(agent: str) -> bool:
    from nenette.games import GAMES

    return not Path(agent).exists() and any(agent in policy_names(game) for game in GAMES)


def _against(against: str | None, game: Game[Any], runs: Path) -> Policy | None:
    if game.players == 1:
        if against is not None:
            raise RunError(f"--against {shown(against)}: nobody else plays {game.name}")
        return None
    if against is None:
        against = "optimal" if game.players == 2 else "random"
    try:
        return named_policy(against, game, runs)
    except RunError as error:
        raise RunError(f"--against {error}") from error
