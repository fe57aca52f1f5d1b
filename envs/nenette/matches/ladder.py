"""The ladder of a game, from weak to perfect: the exact figures on its opponents' cards, and whether they are right."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nenette.games import Game
from nenette.matches.cross_table import cross_table
from nenette.matches.score import score
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Policy
from nenette.policies.registry import make_policy

__all__ = ["TOLERANCE", "differences", "elo_of_all", "figures", "strength"]

TOLERANCE = 1e-9
"""How far two figures may be apart, as a share of the larger one or of 1: what rounding may do, and no more."""

_AGAINST_OPTIMAL = ("value", "win", "draw", "loss", "exploitability", "exploitability_within_max_turns", "regret")
_ALONE = ("finishes", "turns", "capped_turns", "regret", "lost", "agreement")


def figures(policy: Policy, game: Game[Any]) -> dict[str, Any]:
    """What a card tells of a policy, exactly, but for its Elo; networks are asked in double precision.

    Returns:
        In a game for two: chances, value and regret against `optimal`, exploitability, and where the game is cut, that
        of the cut game too; see `nenette.matches.Score`. In the solo game: the fewest possible turns, and figures of
        the policy as it is ("sampled") and when it always takes its likeliest action ("greedy"); see
        `nenette.exact.solo.scores.SoloPlay`.

    Raises:
        Unsolvable: the game is not one of those that are scored exactly.
    """
    policy = _precise(policy)
    against = make_policy("optimal", game) if game.players > 1 else None
    found = score(policy, game, against, exact=True)
    if found.solo is not None:
        plays = {way: {figure: found.solo[way][figure] for figure in _ALONE} for way in ("sampled", "greedy")}
        return {"optimum": found.solo["optimum"], **plays}
    report = found.report()
    return {figure: report[figure] for figure in _AGAINST_OPTIMAL if report[figure] is not None}


def elo_of_all(
    policies: Sequence[Policy], game: Game[Any], progress: Callable[[int], None] | None = None
) -> dict[str, float]:
    """Elo ratings from the exact results of all pairs, by name; of the solo game none, for nobody meets anybody there.

    Args:
        policies: the whole ladder: a rating depends on who else is rated.
        game: what they play.
        progress: called with the number of pairs that have been scored.
    """
    if game.players == 1:
        return {}
    table = cross_table([_precise(policy) for policy in policies], game, progress)
    return dict(zip(table.policies, table.elo, strict=True))


def strength(card: Mapping[str, Any] | None) -> tuple[float, float]:
    """What a ladder is sorted by, the weakest first: Elo, or the expected turns of the better way of playing.

    A play that may get stuck stands below all that finish; whoever has no card, below everybody.
    """
    known = (card or {}).get("figures") or {}
    if "elo" in known:
        return float(known["elo"]), -float(known.get("exploitability", math.inf))
    plays = [play for way in ("sampled", "greedy") if (play := known.get(way))]
    turns = min((float(play["turns"]) for play in plays if play["turns"] is not None), default=math.inf)
    capped = min((float(play["capped_turns"]) for play in plays), default=math.inf)
    return -turns, -capped


def differences(told: Any, found: Any, where: str = "") -> list[str]:
    """Where figures on a card differ from those that were found, a line each; both are figures or objects of them."""
    if isinstance(told, Mapping) and isinstance(found, Mapping):
        lines = []
        for key in dict.fromkeys([*told, *found]):
            inside = f"{where}.{key}" if where else str(key)
            if key not in found:
                lines.append(f"{inside} is on the card, and there is no such figure")
            elif key not in told:
                lines.append(f"{inside} is missing on the card, and is {_shown(found[key])}")
            else:
                lines += differences(told[key], found[key], inside)
        return lines
    return [] if _same(told, found) else [f"{where} is {_shown(told)} on the card, and is {_shown(found)}"]


def _same(told: Any, found: Any) -> bool:
    if type(told) is not float or type(found) is not float:
        return type(told) is type(found) and bool(told == found)
    return math.isclose(told, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _shown(figure: Any) -> str:
    text = repr(figure)
    return text if len(text) <= 60 else text[:57] + "..."


def _precise(policy: Policy) -> Policy:
    return policy.precise() if isinstance(policy, NetworkPolicy) else policy
