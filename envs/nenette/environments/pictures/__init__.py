"""Pictures of a table, drawn with pygame-ce, which is imported when the first one is asked for.

A game's own module says what is on the table, as a `Scene` of players, counters, dice and a board; `drawing` draws any
scene. A game that says nothing is shown in the words of its account. `GameSpec.scene` names a function of the game, a
`View` (where it stands and what has happened) and a `Cast` (who plays), which returns the scene.
"""

from nenette.environments.pictures.display import Display, picture
from nenette.environments.pictures.scene import Board, Counter, Die, Event, Player, Scene, View
from nenette.environments.pictures.telling import account_of, scene_of

__all__ = [
    "Board",
    "Counter",
    "Die",
    "Display",
    "Event",
    "Player",
    "Scene",
    "View",
    "account_of",
    "picture",
    "scene_of",
]
