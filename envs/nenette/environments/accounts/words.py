"""Who is who, and the small change of English sentences."""

from collections.abc import Sequence

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Cast:
    """The players' names by seat: "You", or as the learner is called, and for the others the names of their policies.

    Attributes:
        you: the learner's seat; None where nobody is spoken to, and all names are of seats from 0 on.
        names: every seat's name.
    """

    def __init__(self, learner: int | None, others: Sequence[str], *, you: str = "You") -> None:
        self.you = learner
        seen: dict[str, int] = {}
        names = [] if learner is None else [you]
        for other in others:
            name = other[:1].upper() + other[1:]
            seen[name] = seen.get(name, 0) + 1
            names.append(f"{name} {seen[name]}" if others.count(other) > 1 else name)
        players = len(names)
        self.names = [names[(seat - (learner or 0)) % players] for seat in range(players)]

    def does(self, seat: int, verb: str) -> str:
        """The player with the verb in the present tense, at the start of a sentence: "You throw", "Random throws"."""
        return f"{self.names[seat]} {verb if seat == self.you else _third_person(verb)}"

    def then_does(self, seat: int, verb: str) -> str:
        """The same within a sentence: "you throw"."""
        return f"{self.called(seat)} {verb if seat == self.you else _third_person(verb)}"

    def called(self, seat: int) -> str:
        """The player's name within a sentence."""
        return "you" if seat == self.you else self.names[seat]


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in words up to twelve: "no fiche", "one fiche", "two fiches"."""
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} {noun if number < 2 else plural or noun + 's'}"


def listed(items: Sequence[str]) -> str:
    """A list as it is spoken: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
