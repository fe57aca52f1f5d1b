"""How a table of 21 des Demi-Îles looks: the scores from 0 to 21, who stands where, and the dice."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from nenette.environments.accounts.words import Cast
from nenette.environments.pictures.scene import Board, Counter, Die, Event, Player, Scene, View
from nenette.games.demi_iles import TARGET, DemiIles, DemiIlesSolo, SoloState, State, faces


def lay_out(game: DemiIles, view: View, cast: Cast) -> Scene:
    """The scene of a view; `Scene.lines` and `question` are left out."""
    state: State = view.state
    returns = game.returns(state)
    last = {event.state.seat: (event, event is view.events[-1]) for event in view.events}
    players = []
    for seat, name in enumerate(cast.names):
        dice, note = _thrown(*last[seat]) if seat in last else ((), "")
        players.append(
            Player(
                name,
                [Counter("score", state.scores[seat], TARGET)],
                dice,
                note,
                to_move=returns is None and not view.cut and seat == state.seat,
                result=None if returns is None else returns[seat],
            )
        )
    return Scene("21 des Demi-Îles", players, board=Board(TARGET + 1, state.scores, target=TARGET))


def lay_out_solo(game: DemiIlesSolo, view: View, cast: Cast) -> Scene:
    """The scene of a view of the solo game; `Scene.lines` and `question` are left out."""
    state: SoloState = view.state
    over = view.cut or game.returns(state) is not None
    dice, note = _thrown(view.events[-1], True) if view.events else ((), "")
    seen = frozenset(score for score in range(1, TARGET) if state.seen >> (score - 1) & 1)
    counters = [Counter("score", state.score, TARGET), Counter("seen", len(seen), TARGET - 1)]
    player = Player(cast.names[0], counters, dice, note, to_move=not over)
    return Scene("21 des Demi-Îles, alone", [player], board=Board(TARGET + 1, [state.score], seen, TARGET))


def _thrown(event: Event, latest: bool) -> tuple[Sequence[Die], str]:
    """The dice of a throw, and where it led.

    The game draws the score that a throw leads to, and not the faces. Those shown are drawn here, each as often as it
    falls, from numbers that the throw itself gives: the same throw looks the same again, and the game's own random
    numbers are left alone.
    """
    score = event.state.scores[event.state.seat] if isinstance(event.state, State) else event.state.score
    own = np.random.default_rng(crc32(repr(event).encode()))
    shown = faces(score, event.action, event.fallen).sample(own)
    dice = tuple(Die(face, "fresh" if latest else "past") for face in shown)
    return dice, f"{score} → {event.fallen}" if dice else "no die"
