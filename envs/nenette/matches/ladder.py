"""The ladder of a game, from weak to perfect: the exact figures on its opponents' cards, and whether they are right."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nenette.games import Game
from nenette.games.checks import shown
from nenette.matches.cross_table import cross_table
from nenette.matches.score import Score, score
from nenette.policies.ladders import reference_of
from nenette.policies.network import NetworkPolicy
from nenette.policies.policy import Policy
from nenette.policies.registry import make_policy

__all__ = ["TOLERANCE", "differences", "elo_of_all", "figures", "strength", "with_elo", "with_nash_conv", "without_elo"]

TOLERANCE = 1e-9
"""How far two figures may be apart, as a share of the larger one or of 1: what rounding may do, and no more."""

_PLAYED = ("max_turns", "value", "win", "draw", "loss", "exploitability", "nash_conv", "regret")
_ENDLESS = ("value", "win", "draw", "loss", "exploitability", "nash_conv", "rare")
_ALONE = ("finishes", "turns", "capped_turns", "regret", "lost", "agreement")


def figures(policy: Policy, game: Game[Any]) -> dict[str, Any]:
    """What a card says of a policy, exactly, but for its Elo; networks are asked in double precision.

    Returns:
        In a game for two: which player the figures are of ("greedy" or "sampled"); value, chances and regret against
        `optimal` and the exploitability, in the game as it is played by default, cut after `max_turns` if it is; under
        "endless" those of the game that is not cut; and under "other_player" the same of the network played the other
        way, where that differs. See `nenette.matches.Score`. With three players likewise, against two of `equilibrium`,
        with NashConv where all seats play so; in 421, where no equilibrium of three is known, against two of the policy
        that "against" names, and neither exploitability nor NashConv. In the solo game: the fewest possible turns, and
        figures of the policy as it is ("sampled") and when it always takes its likeliest action ("greedy"); see
        `nenette.exact.solo.scores.SoloPlay`.

    Raises:
        Unsolvable: the game is not one of those that are scored exactly.
    """
    policy = _precise(policy)
    reference = reference_of(game)
    against = make_policy(reference, game) if game.players > 1 else None
    found = score(policy, game, against, exact=True)
    if found.solo is not None:
        plays = {way: {figure: found.solo[way][figure] for figure in _ALONE} for way in ("sampled", "greedy")}
        return {"optimum": found.solo["optimum"], **plays}
    known = _of_one_player(found)
    return (
        known if reference in ("optimal", "equilibrium") else {"plays": known["plays"], "against": reference, **known}
    )


def _of_one_player(found: Score) -> dict[str, Any]:
    report = with_nash_conv(found.report())
    figures: dict[str, Any] = {"plays": found.plays}
    figures |= {figure: report[figure] for figure in _PLAYED if report.get(figure) is not None}
    if found.endless is not None:
        endless = report["endless"]
        figures["endless"] = {figure: endless[figure] for figure in _ENDLESS if figure in endless}
    if found.other_player is not None:
        figures["other_player"] = _of_one_player(found.other_player)
    return figures


def with_nash_conv(report: dict[str, Any]) -> dict[str, Any]:
    """The report of a score; with more than two players with `nash_conv`, of the endless game, too.

    NashConv is what each seat could gain where all play as the scored policy, summed over the seats. They all play
    alike, so that their values sum to 0, and it is the sum of what best responses get. With two it is twice the
    exploitability, and is left out.
    """
    gets = report.get("best_response_by_seat")
    endless = report.get("endless")
    found = dict(report)
    if endless is not None:
        found["endless"] = with_nash_conv(endless)
    if gets is not None and len(gets) > 2:
        found["nash_conv"] = float(sum(gets))
    return found


def elo_of_all(
    policies: Sequence[Policy], game: Game[Any], progress: Callable[[int], None] | None = None
) -> dict[str, dict[str, Any]]:
    """Elo ratings from the exact results of all pairs, by name; of the solo game none, for nobody meets anybody there.

    Args:
        policies: the whole ladder: a rating depends on who else is rated.
        game: what they play.
        progress: called with the number of pairs that have been scored.

    Returns:
        What `with_elo` adds to a card's figures: "elo", of the game as it is played, and under "endless" that of the
        game that is not cut, if it is.
    """
    if game.players == 1:
        return {}
    table = cross_table([_precise(policy) for policy in policies], game, progress, both_players=False)
    ratings: dict[str, dict[str, Any]] = {
        name: {"elo": elo} for name, elo in zip(table.policies, table.elo, strict=True)
    }
    if table.endless is not None:
        for name, elo in zip(table.policies, table.endless.elo, strict=True):
            ratings[name]["endless"] = {"elo": elo}
    return ratings


def with_elo(figures: Mapping[str, Any], ratings: Mapping[str, Any]) -> dict[str, Any]:
    """A card's figures with what `elo_of_all` says of it, in place of any earlier rating."""
    card = {**figures, "elo": ratings["elo"]}
    if "endless" in ratings:
        card["endless"] = {**figures["endless"], **ratings["endless"]}
    return card


def without_elo(figures: Mapping[str, Any]) -> dict[str, Any]:
    """A card's figures but for its ratings."""
    return {
        name: without_elo(figure) if name == "endless" and isinstance(figure, Mapping) else figure
        for name, figure in figures.items()
        if name != "elo"
    }


def strength(card: Mapping[str, Any] | None) -> tuple[float, float]:
    """What a ladder is sorted by, the weakest first: Elo, or the expected turns of the better way of playing.

    Where the played game is cut it is the Elo of the endless game: perfect play loses nothing there against anybody,
    and wins against whoever makes a mistake, so it stands on top. A play that may get stuck stands below all that
    finish; whoever has no card, below everybody.
    """
    known = (card or {}).get("figures") or {}
    endless = known.get("endless")
    if isinstance(endless, Mapping) and "elo" in endless:
        return float(endless["elo"]), -float(known.get("exploitability", math.inf))
    if "elo" in known:
        return float(known["elo"]), -float(known.get("exploitability", math.inf))
    plays = [play for way in ("sampled", "greedy") if (play := known.get(way))]
    turns = min((float(play["turns"]) for play in plays if play["turns"] is not None), default=math.inf)
    capped = min((float(play["capped_turns"]) for play in plays), default=math.inf)
    return -turns, -capped


def differences(stated: Any, found: Any, where: str = "") -> list[str]:
    """Where figures on a card differ from those that were found, a line each; both are figures or objects of them."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        lines = []
        for key in dict.fromkeys([*stated, *found]):
            inside = f"{where}.{key}" if where else str(key)
            if key not in found:
                lines.append(f"{inside} is on the card, and there is no such figure")
            elif key not in stated:
                lines.append(f"{inside} is missing on the card, and is {shown(found[key])}")
            else:
                lines += differences(stated[key], found[key], inside)
        return lines
    return [] if _same(stated, found) else [f"{where} is {shown(stated)} on the card, and is {shown(found)}"]


def _same(stated: Any, found: Any) -> bool:
    if type(stated) is not float or type(found) is not float:
        return type(stated) is type(found) and bool(stated == found)
    return math.isclose(stated, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _precise(policy: Policy) -> Policy:
    return policy.precise() if isinstance(policy, NetworkPolicy) else policy
