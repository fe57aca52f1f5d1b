"""How a table of 421 looks: fiches, the bank, and the dice of this round and of the one before."""

from nenette.environments.accounts.words import Cast
from nenette.environments.pictures.scene import Counter, Die, Player, Scene, View
from nenette.games.quatre21 import Quatre21, State
from nenette.games.quatre21_rules import Dice, worth

_ALL = 3


def lay_out(game: Quatre21, view: View, cast: Cast) -> Scene:
    """The scene of a view; `Scene.lines` and `question` are left out."""
    state, rules, returns = view.state, game.rules, game.returns(view.state)
    over = view.cut or returns is not None
    thrown = _thrown(game, view)
    players = []
    for seat, name in enumerate(cast.names):
        counters = [Counter("fiches", state.fiches[seat], rules.fiches, "fiches")]
        if rules.manches_to_lose > 1:
            counters.append(Counter("manches lost", state.manches[seat], rules.manches_to_lose, "marks"))
        dice = thrown.get(seat, ())
        whole = tuple(die.face for die in dice) if len(dice) == _ALL and all(die.face for die in dice) else None
        players.append(
            Player(
                name,
                counters,
                dice,
                f"worth {worth(whole, rules)}" if whole else "",
                to_move=not over and game.seat(state) == seat,
                result=None if returns is None else returns[seat],
            )
        )
    bank = Counter("bank", state.bank, rules.fiches, "fiches") if returns is None else None
    phase = "charge" if state.bank else "décharge"
    return Scene("421" if returns is not None else f"421 · {phase}", players, bank)


def _thrown(game: Quatre21, view: View) -> dict[int, tuple[Die, ...]]:
    """The dice before each seat that has thrown in the events or in the round that is on."""
    state: State = view.state
    dice: dict[int, tuple[Die, ...]] = {}
    for event in view.events:
        for seat, throw in zip(event.state.order, event.state.throws, strict=False):
            dice.setdefault(seat, tuple(Die(face) for face in throw))
        if event.fallen is not None:
            dice[game.seat(event.state)] = _fallen(event.state.dice, event.fallen)
    if not state.throws and not state.thrown:  # a round begins: what lies on the table has ended the last one
        return dice
    done = dict(zip(state.order, state.throws, strict=False))
    for seat, throw in done.items():
        dice.setdefault(seat, tuple(Die(face) for face in throw))
    mover = game.seat(state)
    for seat in set(dice) - set(done) - {mover}:
        dice[seat] = tuple(die._replace(look="past") for die in dice[seat])
    if not state.thrown:
        dice[mover] = (Die(0),) * _ALL
    elif len(state.dice) < _ALL:
        dice[mover] = (*(Die(face, "kept") for face in state.dice), *(Die(0),) * (_ALL - len(state.dice)))
    elif tuple(die.face for die in dice.get(mover, ())) != state.dice:
        dice[mover] = tuple(Die(face) for face in state.dice)
    return dice


def _fallen(before: Dice, fallen: Dice) -> tuple[Die, ...]:
    """The dice on the table, distinguished by whether they lay there before the throw."""
    kept, dice = list(before), []
    for face in fallen:
        lay = face in kept
        if lay:
            kept.remove(face)
        dice.append(Die(face, "kept" if lay else "fresh"))
    return tuple(dice)
