"""The rules in short, as `?` tells them at the terminal: those of the page, as they are for this table."""

import json
from importlib import resources
from typing import Any

from nenette.games import Game, spec_of
from nenette.games.registry import other_rules

__all__ = ["rules_in_short"]

_TWO = 2
_SEVERAL: dict[str, dict[str, dict[int, str]]] = {
    "en": {
        "demi-iles": {
            0: "All begin at 0. In turn each throws no die, one, or two, and whoever stands on exactly 21 after a "
            "throw of their own wins.",
            4: "A score that would leave 0 to 21 becomes 0. As many points as you throw dice are also taken from each "
            "of the others, down to 0.",
        },
        "421": {
            1: "Charge: all throw once. The worst throw takes from the bank what the best one is worth.",
            2: "Décharge: the leader throws up to three times, the others at most as often, each time any of the dice. "
            "The worst throw takes the fiches from the player with the best. Who has no fiches left sits out the rest "
            "of the manche.",
            3: "A nénette takes two fiches, whatever the others threw. Those who threw the worst together throw again.",
        },
    },
    "fr": {
        "demi-iles": {
            0: "On part tous de 0. Chacun son tour, on lance zéro, un ou deux dés ; celui qui se retrouve à 21 tout "
            "rond après son lancer a gagné.",
            4: "Un score qui sortirait de 0 à 21 retombe à 0. Chacun des autres perd autant de points qu'on a lancé de "
            "dés, sans passer sous 0.",
        },
        "421": {
            2: "La décharge : le premier lance jusqu'à trois fois, les autres autant de fois au plus, en relançant à "
            "chaque fois les dés qu'on veut. Le moins bon coup reçoit les fiches de celui qui a fait le meilleur. "
            "Celui qui n'a plus de fiches est tranquille jusqu'à la fin de la manche.",
            3: "Une nénette prend deux fiches, quoi qu'aient fait les autres. Ceux qui sont à égalité pour le moins "
            "bon coup relancent.",
        },
    },
}
"""What the page, on which two play, says otherwise where more do: by language, game and place of the sentence."""
_ALONE: dict[str, dict[int, str]] = {
    "en": {
        0: "You begin at 0 and throw no die, one, or two, until you stand on exactly 21 and have stood on every score "
        "from 1 to 20 before. 21 reached sooner is a score like another.",
        4: "A score that would leave 0 to 21 becomes 0.",
        5: "The fewer throws the better; after 1000 throws the game is cut.",
    },
    "fr": {
        0: "On part de 0 et on lance zéro, un ou deux dés, jusqu'à se trouver à 21 tout rond après s'être trouvé sur "
        "chaque score de 1 à 20. Un 21 atteint plus tôt est un score comme un autre.",
        4: "Un score qui sortirait de 0 à 21 retombe à 0.",
        5: "Moins on lance, mieux c'est ; après 1000 lancers, la partie s'arrête.",
    },
}
"""The same of the game that is played alone, whose throws are those of the other one."""
_FIGURES = {"fiches": "11 fiches", "value_of_421": "421 (8)", "max_turns": "{} "}
"""Where the sentences say the value of a rule, which is then the one of this table."""
_HERE = {
    "en": "Other rules here: {rules}. Where the sentences above say otherwise, these count.",
    "fr": "Autres règles ici : {rules}. Elles l'emportent sur les phrases qui précèdent.",
}


def rules_in_short(game: Game[Any], language: str) -> list[str]:
    """A heading and the rules in a few sentences, the last of which names the rules that are not the default ones.

    Nothing where it is a game of somebody else's, or a variation of one of ours.
    """
    texts = json.loads(resources.files("nenette_agents.page").joinpath("texts.json").read_text("utf-8"))[language]
    spec = spec_of(game)
    of_two = {**texts["rulesOf"], "demi-iles-solo": texts["rulesOf"]["demi-iles"]}
    if spec is None or game.name not in of_two:
        return []
    otherwise = _ALONE[language] if game.players < _TWO else {}
    if game.players > _TWO:
        otherwise = _SEVERAL[language][game.name]
    sentences = [otherwise.get(place, sentence) for place, sentence in enumerate(of_two[game.name])]
    usual, other = spec.make().rules, other_rules(game)
    if game.rules.max_turns != usual.max_turns:
        other["max_turns"] = game.rules.max_turns
    for rule, where in _FIGURES.items():
        if other.get(rule) is not None:
            stock = str(getattr(usual, rule))
            said = where.format(stock)
            now = said.replace(stock, str(other[rule]))
            sentences = [sentence.replace(said, now) for sentence in sentences]
    if other:
        named = ", ".join(f"{rule} {value}" for rule, value in other.items())
        sentences.append(_HERE[language].format(rules=named))
    return [texts["rules"], *sentences]
