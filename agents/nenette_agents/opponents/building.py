"""Making the opponents that come with the package: training, exact scores, cards.

Each is trained as any run is, by the manifest's config. Runs are found again, finished or not, so that whatever
interrupts this, calling it again goes on where it was.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from nenette.games import GAMES, Game
from nenette.games.checks import check_choice
from nenette.matches.ladder import elo_of_all, figures, with_elo
from nenette.policies.files import read_policy, save_policy
from nenette.policies.ladders import TABLES, ladder_game, ladder_of
from nenette.policies.network import NetworkPolicy
from nenette.policies.shipped import CARD_FILE, ladder_names, ladder_policy, read_card
from nenette.writing import replace_file
from nenette_agents.config.model import Config
from nenette_agents.errors import RunError
from nenette_agents.opponents.manifest import Entry, choose, read_manifest
from nenette_agents.runs.folders import open_run
from nenette_agents.training.parallel import Job, run_trainings

__all__ = ["newest_run", "rebuild", "rescore"]

_Said = Callable[[str], None]


def rebuild(
    names: list[str], *, game: str | None, manifest: Path, folder: Path, runs: Path, at_a_time: int, console: Console
) -> dict[str, list[str]]:
    """Makes opponents anew, and rates all of their games' opponents.

    Args:
        names: "NAME" or "GAME/NAME"; none means all. Those that are code are scored anew.
        game: only this one's; None: any's.
        manifest: says how the trained ones are made.
        folder: where opponents lie.
        runs: where the trainings' runs lie.
        at_a_time: how many trainings run in parallel.
        console: where progress is shown.

    Returns:
        The names of those that were made, by game.

    Raises:
        ValueError: a name, the manifest or a config is wrong, a training failed, or a policy is too large.
        OSError: a file cannot be written.
    """
    entries = {(entry.game, entry.name): entry for entry in read_manifest(manifest)}
    known = {one: ladder_names(one, folder) for one in _games(game)}
    for one, name in entries:
        if one in known and name not in known[one]:
            known[one].append(name)
    chosen = choose(names, game, known)
    wanted = [entries[one, name] for one, there in chosen.items() for name in there if (one, name) in entries]
    for one, there in chosen.items():
        lost = [name for name in there if (one, name) not in entries and _is_trained(folder, one, name)]
        if lost:
            raise RunError(f"{manifest} does not say how {one}/{lost[0]} is made")
    configs = {entry: entry.load() for entry in wanted}

    def said(text: str) -> None:
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    _train(configs, runs, at_a_time, said)
    for one, there in chosen.items():
        played = ladder_game(one)
        with console.status(f"{one}: scoring exactly"):
            for name in there:
                if (one, name) in entries:
                    _make_trained(entries[one, name], configs[entries[one, name]], played, folder, runs)
                else:
                    _make_card(name, played, folder)
                said(f"{one}/{name}: scored exactly")
            _rate_all(played, folder)
        said(f"{one}: all are rated")
    return chosen


def rescore(names: list[str], *, game: str | None, folder: Path, console: Console) -> dict[str, list[str]]:
    """Works out the figures on cards anew, trains nobody, and rates all of their games' opponents.

    Args:
        names: "NAME" or "GAME/NAME"; none means all.
        game: only this one's; None: any's.
        folder: where opponents lie.
        console: where progress is shown.

    Returns:
        The names of those whose figures are new, by game.

    Raises:
        ValueError: a name or a policy's files are wrong.
        OSError: a file cannot be written.
    """
    chosen = choose(names, game, {one: ladder_names(one, folder) for one in _games(game)})
    for one, there in chosen.items():
        played = ladder_game(one)
        with console.status(f"{one}: scoring exactly"):
            for name in there:
                policy, card = ladder_policy(name, played, folder), read_card(one, name, folder)
                if isinstance(policy, NetworkPolicy):
                    save_policy(folder / one / name, policy, {**(card or {}), "figures": figures(policy, played)})
                else:
                    _make_card(name, played, folder)
                console.print(f"{one}/{name}: scored exactly", soft_wrap=True, highlight=False, markup=False)
            _rate_all(played, folder)
    return chosen


def _games(game: str | None) -> list[str]:
    if game is None:
        return [*GAMES, *TABLES]
    check_choice("a game", game, [*GAMES, *TABLES])
    return [game]


def _is_trained(folder: Path, game: str, name: str) -> bool:
    return (read_card(game, name, folder) or {}).get("kind") == "trained"


def _train(configs: dict[Entry, Config], runs: Path, at_a_time: int, said: _Said) -> None:
    """Trains those that have no finished run; a run that was stopped goes on, and ends as if it had not been."""
    waiting = [entry for entry, config in configs.items() if newest_run(runs, entry, config, finished=True) is None]
    jobs = [
        Job(
            entry.path, entry.seed, entry.overrides, entry.name, newest_run(runs, entry, configs[entry], finished=False)
        )
        for entry in waiting
    ]
    if jobs:
        said(f"{len(jobs)} to train: {', '.join(f'{entry.game}/{entry.name}' for entry in waiting)}")
    run_trainings(jobs, runs, at_a_time=at_a_time, ended=lambda job: said(f"{job.name}: trained"))


def newest_run(runs: Path, entry: Entry, config: Config, *, finished: bool) -> Path | None:
    """The newest run of an opponent by just this config that is finished, or that is not; None if there is none."""
    found = []
    for facts in runs.glob(f"{config.make_game().name}/{config.algorithm}/{entry.name}*/run.json"):
        if not _is_named(facts.parent.name, entry.name):
            continue
        try:
            run, done = open_run(facts.parent)
        except (ValueError, OSError):
            continue  # whatever this is, it is no run that can be used
        if done.trains_as(config) and (run.facts["status"] == "finished") == finished:
            found.append((str(run.facts.get("started")), facts.parent))
    return max(found)[1] if found else None


def _is_named(run: str, name: str) -> bool:
    """Whether a run's name is an opponent's, or that with the number that a second run of the name gets."""
    return run == name or run.removeprefix(f"{name}-").isdigit()


def _make_trained(entry: Entry, config: Config, game: Game[Any], folder: Path, runs: Path) -> None:
    run = newest_run(runs, entry, config, finished=True)
    if run is None:
        raise RunError(f"{runs} has no finished run of {entry.game}/{entry.name}")
    policy = read_policy(run, game)
    policy.name = entry.name
    card = {
        "kind": "trained",
        "algorithm": config.algorithm,
        "seed": config.seed,
        "steps": policy.card["steps"],
        "config": config.model_dump(mode="json", exclude_none=True),
        "versions": open_run(run)[0].facts["versions"],
        "figures": figures(policy, game),
    }
    place = folder / entry.game / entry.name
    aside = place.with_name(f".{entry.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    save_policy(aside, policy, card)
    _swap(aside, place)


def _swap(new: Path, place: Path) -> None:
    """Puts a whole folder in the place of another."""
    old = place.with_name(f".{place.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        os.replace(place, old)
    os.replace(new, place)
    shutil.rmtree(old, ignore_errors=True)


def _make_card(name: str, game: Game[Any], folder: Path) -> None:
    """The card of a policy that is code."""
    kind = "solver" if name in ("optimal", "equilibrium") else "hand-written"
    _write_card(name, game, folder, {"kind": kind, "figures": figures(ladder_policy(name, game, folder), game)})


def _write_card(name: str, game: Game[Any], folder: Path, card: dict[str, Any]) -> None:
    place = folder / ladder_of(game) / name / CARD_FILE
    place.parent.mkdir(parents=True, exist_ok=True)
    about = {"name": name, "game": game.name, "rules_id": game.rules_id, "card": card}
    replace_file(place, (json.dumps(about, indent=2) + "\n").encode())


def _rate_all(game: Game[Any], folder: Path) -> None:
    """Gives every card of the game the Elo of the ladder as it is now, and a card to whoever has none."""
    ladder = ladder_of(game)
    names = ladder_names(ladder, folder)
    for name in names:
        if read_card(ladder, name, folder) is None:
            _make_card(name, game, folder)
    policies = {name: ladder_policy(name, game, folder) for name in names}
    for name, ratings in elo_of_all(list(policies.values()), game).items():
        card = read_card(ladder, name, folder) or {}
        card["figures"] = with_elo(card["figures"], ratings)
        policy = policies[name]
        if isinstance(policy, NetworkPolicy):
            save_policy(folder / ladder / name, policy, card)
        else:
            _write_card(name, game, folder, card)
