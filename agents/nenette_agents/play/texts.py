"""What the terminal says beside the account of a game, in English and in French."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from nenette.games.checks import check_choice

__all__ = ["LANGUAGES", "Texts", "texts_in"]


@dataclass(frozen=True)
class Texts:
    """Sentences of one language; those with braces are filled in.

    Attributes:
        language: its code.
        decimal: what stands before the decimals.
        percent: what stands after a figure.
        to: what an arrow is read as.
    """

    language: str
    decimal: str
    percent: str
    colon: str
    semicolon: str
    to: str
    welcome: str
    how: str
    leaving: str
    throw: str
    number: str
    dice: str
    best: str
    refused: str
    may_type: str
    nothing_typed: str
    left: str
    saved: str
    again: str
    preparing: str
    not_saved: str
    repeats: str
    hints: str
    trembling: str
    no_chances: str
    chances: str
    gave_away: str
    review: str
    unfinished: str
    start: str
    decided: str
    luck: str
    cut: str
    result: str
    worst: str
    none_worst: str
    move: str
    chose: str
    better: str
    luckiest: str
    unluckiest: str
    no_review: str

    def chance(self, chance: float, *, sign: bool = False) -> str:
        """A winning chance, or a difference of two: "48.20 %"."""
        rounded = round(100 * chance, 2) + 0.0  # no -0
        return f"{rounded:{'+' if sign else ''}.2f}{self.percent}".replace(".", self.decimal)


ENGLISH = Texts(
    language="en",
    decimal=".",
    percent="%",
    colon=": ",
    semicolon="; ",
    to="to",
    welcome="{game}: {players}.",
    how="? shows the rules in short and the moves; q leaves, and so does Ctrl-C.",
    leaving="You have left the game.",
    throw="Press Enter to throw.",
    number="{number} of {of}",
    dice="Dice: {faces}.",
    best="best",
    refused="{typed} is no move here.",
    may_type="Type one of these: {keys}",
    nothing_typed="Nothing was typed.",
    left="It was left after {moves} moves.",
    saved="Saved: {path}",
    again="To see it again: nenette play --replay last{review}",
    preparing="getting ready",
    not_saved="The game is not saved: {reason}.",
    repeats="--seed {seed} repeats the game, as long as the same moves are made.",
    hints="The figures are your exact chances to win, if both play perfectly after the move.",
    trembling="A draw counts as half a win, and perfect hands slip once in {times} moves.",
    no_chances="There are no exact chances to show: they are known for games of two players (players here: {players}).",
    chances="Chances to win: {each}.",
    gave_away="{name} chooses: {move}. That gives away {cost}; best: {best}.",
    review="THE GAME, GONE THROUGH. All figures are chances to win.",
    unfinished="The game was left before its end.",
    start="{name} began with {chance}.",
    decided="{name}: {count} decisions gave away {cost}.",
    luck="Luck was worth {luck} to {name}.",
    cut="The end without a winner was worth {cut}.",
    result="All together: {result}.",
    worst="What cost {name} most:",
    none_worst="There was nothing better to decide for {name}.",
    move="Move {place}. {where}",
    chose="Chosen: {move} ({chance}).",
    better="Best: {move} ({chance}). Cost: {cost}.",
    luckiest="The luckiest throw, move {place} ({luck}): {story}",
    unluckiest="The unluckiest throw, move {place} ({luck}): {story}",
    no_review="There is nothing to go through: no move was made.",
)

FRENCH = Texts(
    language="fr",
    decimal=",",
    percent=" %",
    colon=" : ",
    semicolon=" ; ",
    to="à",
    welcome="{game} : {players}.",
    how="? donne les règles en bref et les coups ; q quitte, Ctrl-C aussi.",
    leaving="Tu as quitté la partie.",
    throw="Entrée pour lancer.",
    number="{number} sur {of}",
    dice="Dés : {faces}.",
    best="le meilleur",
    refused="{typed} n'est pas un coup possible.",
    may_type="Au choix : {keys}",
    nothing_typed="Rien n'a été tapé.",
    left="Elle s'est arrêtée après {moves} coups.",
    saved="Partie gardée : {path}",
    again="Pour la revoir : nenette play --replay last{review}",
    preparing="préparation",
    not_saved="La partie n'est pas gardée : {reason}.",
    repeats="--seed {seed} redonne la même partie, à coups égaux.",
    hints="Les chiffres sont tes chances exactes de gagner, si tout le monde joue ensuite à la perfection.",
    trembling="Une partie nulle compte pour une demi-victoire ; la main parfaite tremble un coup sur {times}.",
    no_chances="Pas de chances exactes à montrer : on ne les connaît qu'à deux joueurs (ici : {players}).",
    chances="Chances de gagner : {each}.",
    gave_away="{name} choisit : {move}. Coût : {cost} ; le meilleur : {best}.",
    review="RETOUR SUR LA PARTIE. Tous les chiffres sont des chances de gagner.",
    unfinished="La partie s'est arrêtée avant la fin.",
    start="{name}, au départ : {chance}.",
    decided="{name} : {count} décisions ont coûté {cost}.",
    luck="La chance a valu {luck} ({name}).",
    cut="La fin sans vainqueur a valu {cut}.",
    result="En tout : {result}.",
    worst="Ce qui a coûté le plus ({name}) :",
    none_worst="Aucune décision n'aurait pu être meilleure ({name}).",
    move="Coup {place}. {where}",
    chose="Choisi : {move} ({chance}).",
    better="Le meilleur : {move} ({chance}). Coût : {cost}.",
    luckiest="Le lancer le plus heureux, coup {place} ({luck}) : {story}",
    unluckiest="Le lancer le plus malheureux, coup {place} ({luck}) : {story}",
    no_review="Il n'y a rien à revoir : aucun coup n'a été joué.",
)

LANGUAGES: Mapping[str, Texts] = {"en": ENGLISH, "fr": FRENCH}


def texts_in(language: str | None) -> Texts:
    """The texts of a language; None takes the locale's, and English where the locale's is not known.

    Raises:
        ValueError: a language that is not spoken here.
    """
    if language is None:
        locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
        return LANGUAGES.get(locale[:2].lower(), ENGLISH)
    check_choice("--lang", language, tuple(LANGUAGES))
    return LANGUAGES[language]
