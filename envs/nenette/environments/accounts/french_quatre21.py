"""The account of a match of 421 in French, in the words used at a table."""

from collections.abc import Sequence

from nenette.environments.accounts.french import called, counted_dice, does, fiches, listed, of, verb_for
from nenette.environments.accounts.quatre21 import CALLS, Quatre21Account, spoken
from nenette.games.quatre21 import STOP, State
from nenette.games.quatre21_observation import FOR_TWO
from nenette.games.quatre21_rules import Dice


class FrenchQuatre21Account(Quatre21Account):
    """See `Quatre21Account`."""

    stop_words = ("s", "stop", "0", "rien")
    all_words = ("t", "tout", "tous")
    tally_labels = ("fiches", "manches perdues")
    all_that_is_left = (" : il n'en reste plus", ", la dernière", ", toutes celles qui restent")
    for_the_nenette = " pour la nénette"
    colon, bang = " : ", " !"
    against = "contre"
    nobody_won = "La partie s'arrête là : personne n'a gagné."

    def called(self, seat: int) -> str:
        """A player's name within a sentence."""
        return called(self.cast, seat)

    def start(self, state: State) -> list[str]:
        """Who leads the first charge."""
        lead = does(self.cast, state.order[0], "commence", within=True)
        return [f"{fiches(state.bank).capitalize()} à la banque. Le plus petit dé de l'ouverture : {lead}."]

    def throws(self, state: State) -> str:
        """Who throws which dice."""
        cast, mover = self.cast, self.game.seat(state)
        if state.thrown == 0:
            return does(cast, mover, "lance") + ("" if state.throws else " en premier")
        if not state.dice:
            return f"{does(cast, mover, 'relance')} les trois dés"
        again = f"{verb_for(cast, mover, 'relance')} {counted_dice(3 - len(state.dice))}"
        return f"{does(cast, mover, 'garde')} {'-'.join(map(str, state.dice))} et {again}"

    def spoken(self, dice: Dice) -> str:
        """With the space that French puts before the mark."""
        return spoken(dice).replace("!", " !")

    def stops(self, state: State) -> str:
        """Who stops, and after how many throws."""
        mover = self.game.seat(state)
        if state.throws:
            return f"{does(self.cast, mover, 'en reste')} à {spoken(state.dice).rstrip('!')}."
        stops = does(self.cast, mover, "s'arrête")
        return f"{stops} : {CALLS[state.thrown]} !"

    def tie(self, leader: int, again: Sequence[int] | None) -> str:
        """A round that is thrown again; by some alone, where they threw worst together."""
        lead = does(self.cast, leader, "commence", within=True)
        if again is None:
            return f"Égalité : on relance, {lead}."
        names = listed([self.called(seat) for seat in again])
        return f"Égalité au plus bas, on relance entre {names} : {lead}."

    def decharge(self, leader: int) -> str:
        """The end of the charge."""
        return f"La banque est vide : décharge, {does(self.cast, leader, 'commence', within=True)}."

    def takes(self, taker: int, sources: Sequence[tuple[int, int | None]]) -> str:
        """How many fiches somebody takes from whom."""
        each = [
            f"{fiches(taken)} {'à la banque' if giver is None else of(self.cast, giver)}" for taken, giver in sources
        ]
        verb = "prend" if sources[0][1] is None else "reçoit"
        return f"{does(self.cast, taker, verb)} {' et '.join(each)}"

    def loses(self, loser: int, leads: int | None) -> str:
        """Who has lost the manche, and who leads the next."""
        total = self.game.rules.fiches
        sentence = f"{does(self.cast, loser, 'a')} les {total} et {verb_for(self.cast, loser, 'perd')} la manche."
        if leads is None:
            return sentence
        return f"{sentence} Nouvelle manche : {total} à la banque, {does(self.cast, leads, 'commence', within=True)}."

    def phase(self, state: State) -> str:
        """Charge or décharge."""
        return f"charge · banque {state.bank}" if state.bank else "décharge"

    def ending(self, state: State, *, cut: bool) -> str:
        """Who has won what."""
        if cut:
            return self.nobody_won
        won = "partie" if self.game.rules.manches_to_lose > 1 else "manche"
        if self.game.players > FOR_TWO:
            return f"{does(self.cast, self.loser(state), 'perd')} la {won}."
        return f"{does(self.cast, 1 - self.loser(state), 'gagne')} la {won}."

    def lies(self, state: State) -> str:
        """What lies on the table, against what, and how many throws are left."""
        lies = f"{does(self.cast, self.game.seat(state), 'a')} {'-'.join(map(str, state.dice))}"
        frozen = [str(die) for i, die in enumerate(state.dice) if state.frozen >> i & 1]
        if frozen:
            lies += f" ({'-'.join(frozen)} reste)"
        left = state.limit - state.thrown
        return f"{lies}{self._against(state)}, encore {'un lancer' if left == 1 else f'{left} lancers'}"

    def question(self, state: State) -> str:
        """What lies on the table and what may be done about it."""
        if not state.thrown or len(state.dice) < 3:
            return f"{does(self.cast, self.game.seat(state), 'lance')}{self._against(state)}."
        can_stop = STOP in self.game.legal_actions(state)
        asked = "s'arrêter, ou relancer quels dés ?" if can_stop else "relancer quels dés ?"
        return f"{self.lies(state)} : {asked}"

    def move(self, state: State, action: int) -> str:
        """Which dice are thrown again and which are kept."""
        if len(state.dice) < 3:
            return "lancer"
        again = "-".join(str(die) for i, die in enumerate(state.dice) if action >> i & 1)
        kept = "-".join(str(die) for i, die in enumerate(state.dice) if not action >> i & 1)
        return f"relancer {again}, garder {kept}" if again and kept else "tout relancer" if again else "s'arrêter"
