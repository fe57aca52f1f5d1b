"""21 des Demi-Îles from the reference table of its source, dice enumerated face by face."""

from collections import defaultdict
from fractions import Fraction

# Copied from the source as it stands: score, then what 0, 1 and 2 dice do.
REFERENCE_TABLE = """
| 0 | Division | Ajout | Ajout différence |
| 1 | Retrait | Ajout | Ajout différence |
| 2 | Division | Ajout | Ajout somme |
| 3 | Retrait | Ajout | Ajout somme |
| 4 | Division | Ajout | Ajout différence |
| 5 | Retrait | Ajout | Ajout somme |
| 6 | Division | Ajout | Retrait différence |
| 7 | Retrait | Retrait | Ajout somme |
| 8 | Division | Ajout | Ajout différence |
| 9 | Retrait | Ajout | Retrait différence |
| 10 | Division | Retrait | Retrait somme |
| 11 | Retrait | Retrait | Ajout somme |
| 12 | Division | Retrait | Retrait différence |
| 13 | Retrait | Retrait | Ajout somme |
| 14 | Division | Ajout | Ajout différence |
| 15 | Retrait | Retrait | Retrait somme |
| 16 | Division | Retrait | Ajout différence |
| 17 | Retrait | Retrait | Ajout somme |
| 18 | Division | Retrait | Retrait différence |
| 19 | Retrait | Retrait | Ajout somme |
| 20 | Division | Retrait | Retrait somme |
| 21 | Retrait | Ajout | Retrait différence |
"""

_CELLS: dict[int, list[str]] = {}
for _line in REFERENCE_TABLE.strip().splitlines():
    _score, *_rules = [cell.strip() for cell in _line.strip("|").split("|")]
    _CELLS[int(_score)] = _rules


def _one_score(score: int, dice: tuple[int, ...]) -> int:
    """The score after these very dice have fallen."""
    rule = _CELLS[score][len(dice)]
    if len(dice) == 0:
        after = {"Division": score // 2, "Retrait": score - 1}[rule]
    elif len(dice) == 1:
        after = {"Ajout": score + dice[0], "Retrait": score - dice[0]}[rule]
    else:
        a, b = dice
        after = {
            "Ajout somme": score + (a + b),
            "Retrait somme": score - (a + b),
            "Ajout différence": score + abs(a - b),
            "Retrait différence": score - abs(a - b),
        }[rule]
    return 0 if after < 0 or after > 21 else after


def _all_dice(k: int) -> list[tuple[int, ...]]:
    faces = [1, 2, 3, 4, 5, 6]
    return {0: [()], 1: [(a,) for a in faces], 2: [(a, b) for a in faces for b in faces]}[k]


def demi_iles_scores(score: int, k: int) -> dict[int, Fraction]:
    """Scores that `k` dice (0..2) lead to from `score` (0..21), with their probabilities."""
    probabilities: dict[int, Fraction] = defaultdict(Fraction)
    throws = _all_dice(k)
    for dice in throws:
        probabilities[_one_score(score, dice)] += Fraction(1, len(throws))
    return dict(probabilities)


def demi_iles_winner(scores: tuple[int, ...]) -> int | None:
    """The seat that stands on 21, if any."""
    return scores.index(21) if 21 in scores else None


def demi_iles_next(scores: tuple[int, ...], mover: int, k: int) -> dict[tuple[tuple[int, ...], int], Fraction]:
    """(scores, seat) after `mover` throws `k` dice: the seat is the next to throw, or the winner."""
    probabilities: dict[tuple[tuple[int, ...], int], Fraction] = defaultdict(Fraction)
    for own, probability in demi_iles_scores(scores[mover], k).items():
        after = []
        for player in range(len(scores)):
            if player == mover:
                after.append(own)
            elif scores[player] - k < 0:
                after.append(0)
            else:
                after.append(scores[player] - k)
        turn = mover if own == 21 else (mover + 1) % len(scores)
        probabilities[tuple(after), turn] += probability
    return dict(probabilities)


def demi_iles_solo_next(score: int, seen: frozenset[int], k: int) -> dict[tuple[int, frozenset[int]], Fraction]:
    """(score, scores of 1..20 stood on so far) after throwing `k` dice alone."""
    probabilities: dict[tuple[int, frozenset[int]], Fraction] = defaultdict(Fraction)
    for after, probability in demi_iles_scores(score, k).items():
        probabilities[after, (seen | {after}) - {0, 21}] += probability
    return dict(probabilities)


def demi_iles_solo_over(score: int, seen: frozenset[int]) -> bool:
    """Whether the solo game has ended."""
    return score == 21 and all(s in seen for s in range(1, 21))
