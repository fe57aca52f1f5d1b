"""What a view of a table shows: lines of text, or the scene of a picture."""

from itertools import chain
from typing import Any

from nenette.environments.accounts import Account, make_account, make_speaker
from nenette.environments.accounts.speaker import Speaker
from nenette.environments.accounts.words import Cast
from nenette.environments.pictures.scene import Scene, View
from nenette.games import Game, spec_of
from nenette.games.registry import referred

__all__ = ["account_of", "lines_of", "scene_of"]


def account_of(game: Game[Any], view: View) -> str:
    """What has happened, and the table as it stands: lines, each with its end."""
    account = make_account(game, view.learner, view.names)
    return "\n".join([*lines_of(view, account), *account.table(view.state, cut=view.cut)]) + "\n"


def lines_of(view: View, account: Account) -> list[str]:
    """What has happened since the last decision, in lines."""
    begins = [] if view.start is None else account.start(view.start)
    return [*view.lines, *begins, *chain.from_iterable(account.event(*event) for event in view.events)]


def scene_of(game: Game[Any], view: View) -> Scene:
    """The table as its game lays it out; in words where the game does not say how."""
    account = make_account(game, view.learner, view.names)
    lines = [line.strip() for line in lines_of(view, account)]
    spec = spec_of(game)
    over = view.cut or game.returns(view.state) is not None
    if spec is None or spec.scene is None:
        table = [line.strip() for line in account.table(view.state, cut=view.cut)]
        return Scene(game.name, lines=[*lines, *table], over=over)
    speaker: Speaker = make_speaker(account, game, view.learner, view.names)
    scene: Scene = referred(spec.scene)(game, view, Cast(view.learner, view.names))
    question = speaker.ending(view.state, cut=view.cut) if over else speaker.question(view.state)
    return scene._replace(lines=lines, question=question, over=over)
