"""Who is who, and the small change of French sentences. One says *tu* at a table."""

from collections.abc import Sequence

from nenette.environments.accounts.words import Cast

_NUMBERS = ("zéro", "une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze")
_SECOND_PERSON = {"a": "as", "choisit": "choisis", "reçoit": "reçois", "s'arrête": "t'arrêtes"}
"""Other verbs take an s."""


def does(cast: Cast, seat: int, verb: str, *, within: bool = False) -> str:
    """The player with a verb, which is given in the third person: "Tu lances", "Greedy lance"."""
    if seat != cast.you:
        return f"{cast.names[seat]} {verb}"
    return f"{'tu' if within else 'Tu'} {verb_for(cast, seat, verb)}"


def verb_for(cast: Cast, seat: int, verb: str) -> str:
    """The verb alone, as it goes with the player."""
    return verb if seat != cast.you else _SECOND_PERSON.get(verb, verb + "s")


def called(cast: Cast, seat: int) -> str:
    """The player's name within a sentence, after a preposition or as an object: "toi", "Greedy"."""
    return "toi" if seat == cast.you else cast.names[seat]


def of(cast: Cast, seat: int) -> str:
    """The name after "de": "de toi", "d'Optimal"."""
    name = called(cast, seat)
    return f"d'{name}" if name[0].lower() in "aeiouyhéè" else f"de {name}"


def fiches(number: int) -> str:
    """A number of fiches: "aucune fiche", "une fiche", "deux fiches"."""
    if number == 0:
        return "aucune fiche"
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} fiche{'s' if number > 1 else ''}"


def counted_dice(number: int) -> str:
    """A number of dice: "un dé", "deux dés"."""
    return "un dé" if number == 1 else f"{_NUMBERS[number]} dés"


def listed(items: Sequence[str]) -> str:
    """A list as it is spoken: "a, b et c"."""
    return " et ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
