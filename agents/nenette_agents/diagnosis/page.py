"""A diagnosis as one page of text."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.text import Text

from nenette_agents.diagnosis.diagnosis import SELDOM, Diagnosis
from nenette_agents.terminal.tables import Column, WideTable

__all__ = ["page"]

_MOST = 5


def page(diagnosis: Diagnosis) -> Group:
    """The page, for a terminal."""
    report = diagnosis.report(_MOST)
    return Group(*_parts(report))


def _parts(report: dict[str, Any]) -> Iterator[Any]:
    yield from _head(report)
    yield from _regret(report["regret"])
    yield from _states(report["regret"])
    yield from _critic(report)
    yield from _met(report)
    yield from _capacity(report)
    yield from _decisive(report)


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _head(report: dict[str, Any]) -> Iterator[Text]:
    against = report["regret"]["against"]
    shown = [f"{name.replace('_', ' ')} {_figure(value)}" for name, value in report["figures"].items()]
    yield Text(f"{report['game']}: {report['agent']}{f' against {against}' if against else ''}", style="bold")
    yield Text(", ".join(shown))
    training = report["training"]
    if training is not None:
        opponents = ", ".join(training["opponents"]) or "nobody"
        yield Text(
            f"Trained by {training['algorithm']} for {training['timesteps']:,} decisions against {opponents}, "
            f"with a discount of {training['gamma']:g}."
        )


def _regret(regret: dict[str, Any]) -> Iterator[Any]:
    unit = "turns" if regret["unit"] == "turns" else "of a win"
    yield _title("Where it gives value away")
    lost, decisions, each = _figure(regret["lost"]), regret["decisions"], regret["regret"]
    about = f" (of {regret['about']})" if regret["about"] else ""
    yield Text(f"{lost} {unit} in {decisions:,.1f} decisions a game{about}, {each:.2g} at each.")
    yield _phases("phase", [part for part in regret["phases"] if part["decisions"] > 0])
    for field, parts in regret["by_field"].items():
        yield _phases(field, parts)
    if regret["mistakes"]:
        yield _title("The mistakes that cost most")
        rows = [
            [one["where"], one["plays"], _best(one), f"{one['states']:,}", _figure(one["lost"]), f"{one['share']:.1%}"]
            for one in regret["mistakes"]
        ]
        keys = [Column(name, figures=False, key=name == "where") for name in ("where", "plays", "best")]
        yield WideTable([*keys, Column("states"), Column("given away"), Column("share")], rows)


def _best(mistake: dict[str, Any]) -> str:
    return "the same, but it errs by chance" if mistake["best"] == mistake["plays"] else mistake["best"]


def _phases(name: str, parts: list[dict[str, Any]]) -> WideTable:
    rows = [
        [
            part["phase"],
            f"{part['decisions']:,.2f}",
            _figure(part["lost"]),
            f"{part['regret']:.2g}",
            f"{part['share']:.1%}",
        ]
        for part in parts
    ]
    figures = ("decisions", "given away", "at each", "share")
    return WideTable([Column(name, figures=False, key=True), *map(Column, figures)], rows)


def _states(regret: dict[str, Any]) -> Iterator[Text]:
    if not regret["worst_states"]:
        yield Text("It makes no mistake.")
        return
    yield _title("The states in which it loses most")
    for place, state in enumerate(regret["worst_states"], start=1):
        met = state.get("met_in_training")
        seen = "" if met is None else f", met some {_count(met)} times in training"
        yield Text(f"{place}. {state['position']}")
        yield Text(f"   It plays: {state['plays']}. Best: {state['best']}.")
        yield Text(f"   Costs {state['regret']:.2g} each time, {state['share']:.1%} of all it gives away{seen}.")


def _critic(report: dict[str, Any]) -> Iterator[Any]:
    critic = report["critic"]
    yield _title("What its critic knows")
    if critic is None:
        yield Text(f"Nothing to tell: {report['no_critic']}.")
        return
    yield Text(
        f"Its {critic['kind']} against the true values of its own play (discount {critic['gamma']:g}): "
        f"off by {critic['rmse']:.3g} (root mean square; the truth spreads by {critic['spread']:.3g}), "
        f"{critic['bias']:+.3g} on average; {critic['explained']:.1%} of the truth's variance is explained."
    )
    if critic["misranked"] is not None:
        yield Text(f"At {critic['misranked']:.1%} of its decisions another action than it values most brings more.")
    rows = [
        [one["phase"], f"{one['share']:.1%}", f"{one['bias']:+.3g}", f"{one['rmse']:.3g}"] for one in critic["phases"]
    ]
    yield WideTable([Column("phase", figures=False, key=True), *map(Column, ("of decisions", "bias", "error"))], rows)
    for one in critic["worst"][:2]:
        move = "" if one["move"] is None else f" To {one['move']}:"
        yield Text(f"Most wrong: {one['position']}{move} {one['estimate']:+.3g}, and really {one['truth']:+.3g}.")


def _met(report: dict[str, Any]) -> Iterator[Text]:
    yield _title("What training met")
    met = report["met"]
    if met is None:
        yield Text("Not known: nothing says how it was trained.")
        return
    yield Text(
        f"States that training met fewer than {SELDOM} times make up {met['seldom_decisions']:.1%} of its decisions "
        f"here, and {met['seldom_lost']:.1%} of what it gives away. Counted are {met['how']}, in "
        f"{met['decisions']:,} decisions."
    )


def _capacity(report: dict[str, Any]) -> Iterator[Text]:
    found = report["capacity"]
    if found is None:
        return
    yield _title("What its network could do")
    names = ("value", "exploitability", "turns", "capped_turns")
    figures = [f"{name.replace('_', ' ')} {_figure(found[name])}" for name in names if found[name] is not None]
    yield Text(
        f"The same network ({'-'.join(map(str, found['layers']))}), taught the optimum's {found['taught']} in "
        f"{found['steps']:,} steps: {', '.join(figures)}."
    )


def _decisive(report: dict[str, Any]) -> Iterator[Any]:
    changes = report["single_changes"]
    if changes is None:
        return
    yield _title("Moves that decide everything in the endless game")
    yield Text(
        f"Of {changes['changes']} plays that differ from it in one state, {changes['worthless']} are worth 0 against "
        f"the optimum, and {changes['exploitable']} of these can be exploited."
    )
    rows = []
    for one in report["decisive_moves"]:
        known = (one["moves"], one["faintest"], one["median"])
        cells = ["-"] * 3 if known[0] is None else [str(known[0]), f"{known[1]:.3f}", f"{known[2]:.3f}"]
        rows.append([f"{one['discount']:g}", f"{one['tremble']:.0%}", f"{one['exploitability']:.4f}", *cells])
    names = ("discount", "tremble", "exploitability", "decisive moves", "faintest", "median")
    yield WideTable([Column(name, key=name == "discount") for name in names], rows)
    yield Text("Faintest, median: standard deviations of a single game by which the right move is better.")


def _figure(value: float | None) -> str:
    return "without bound" if value is None else f"{value + 0.0:.4f}"


def _count(times: float) -> str:
    return f"{times:,.0f}" if times >= 1 else f"{times:.2g}"
