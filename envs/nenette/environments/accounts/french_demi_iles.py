"""The account of a game of 21 des Demi-Îles in French."""

from nenette.environments.accounts.demi_iles import DemiIlesAccount, SoloAccount
from nenette.environments.accounts.french import called, counted_dice, does, listed
from nenette.environments.accounts.speaker import Tally
from nenette.environments.accounts.words import Cast
from nenette.games.demi_iles import ALL_SEEN, TARGET, SoloState, State


def _throws(cast: Cast, seat: int, dice: int, score: int, fallen: int) -> str:
    if dice:
        return f"{does(cast, seat, 'lance')} {counted_dice(dice)} : {score} → {fallen}"
    if score % 2:
        return f"{does(cast, seat, 'descend')} sans lancer : {score} → {fallen}"
    if score:
        return f"{does(cast, seat, 'divise')} par deux sans lancer : {score} → {fallen}"
    return f"{does(cast, seat, 'reste')} à 0"


def _move(score: int, action: int) -> str:
    if action:
        return f"lancer {counted_dice(action)}"
    return (
        "descendre d'un point sans lancer" if score % 2 else "diviser par deux sans lancer" if score else "rester à 0"
    )


class FrenchDemiIlesAccount(DemiIlesAccount):
    """See `DemiIlesAccount`."""

    def called(self, seat: int) -> str:
        """A player's name within a sentence."""
        return called(self.cast, seat)

    def start(self, state: State) -> list[str]:
        """Who throws first."""
        return [f"Tout le monde est à 0 ; {does(self.cast, state.seat, 'commence', within=True)}."]

    def throws(self, seat: int, dice: int, score: int, fallen: int) -> str:
        """See `DemiIlesAccount`."""
        return _throws(self.cast, seat, dice, score, fallen)

    def move(self, state: State | SoloState, action: int) -> str:
        """See `DemiIlesAccount`."""
        return _move(self.score(state), action)

    def wins(self, line: str, mover: int) -> str:
        """The winning throw."""
        return f"{line} — Demi-Îles ! {does(self.cast, mover, 'gagne')}."

    def pulling(self, pulled: list[tuple[int, int]]) -> str:
        """Who is pulled down."""
        each = [
            f"te ramène à {score}" if seat == self.cast.you else f"ramène {self.cast.names[seat]} à {score}"
            for seat, score in pulled
        ]
        return f", ce qui {listed(each)}" if each else ""

    nobody_won = "La partie s'arrête là : personne n'a gagné."

    def ending(self, state: State, *, cut: bool) -> str:
        """Who stands on 21."""
        return self.nobody_won if cut else f"{does(self.cast, state.seat, 'arrive')} à 21 : la partie est finie."

    def tallies(self, state: State) -> list[Tally]:
        """The scores."""
        return [Tally("points", state.scores, TARGET)]

    def question(self, state: State) -> str:
        """How many dice."""
        return f"{does(self.cast, state.seat, 'choisit')} : aucun dé, un ou deux ?"


class FrenchSoloAccount(SoloAccount):
    """See `SoloAccount`."""

    def called(self, seat: int) -> str:
        """A player's name within a sentence."""
        return called(self.cast, seat)

    def start(self, state: SoloState) -> list[str]:
        """What is to be done."""
        return ["De 0 à 21, en passant par tous les scores de 1 à 20."]

    def throws(self, seat: int, dice: int, score: int, fallen: int) -> str:
        """See `DemiIlesAccount`."""
        return _throws(self.cast, seat, dice, score, fallen)

    def move(self, state: State | SoloState, action: int) -> str:
        """See `SoloAccount`."""
        return _move(self.score(state), action)

    def event(self, state: SoloState, action: int, fallen: int, after: SoloState) -> list[str]:
        """One line a throw."""
        line = self.throws(0, action, state.score, fallen)
        if fallen == TARGET:
            return [f"{line} — et tous sont vus : fini !" if after.seen == ALL_SEEN else f"{line}, trop tôt."]
        return [f"{line}, un nouveau." if after.seen != state.seen else f"{line}."]

    def ending(self, state: SoloState, *, cut: bool) -> str:
        """Whether all has been done."""
        return "La partie s'arrête là, inachevée." if cut else "Fini."

    def tallies(self, state: SoloState) -> list[Tally]:
        """The score."""
        return [Tally("points", [state.score], TARGET)]

    def phase(self, state: State | SoloState) -> str:
        """What has been stood on."""
        assert isinstance(state, SoloState)
        return f"{state.seen.bit_count()} vus sur 20, manquent {self.missing(state)}"

    def question(self, state: SoloState) -> str:
        """How many dice."""
        return "Aucun dé, un ou deux ?"
