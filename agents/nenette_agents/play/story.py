"""The review of a game, in sentences and as JSON."""

from collections.abc import Sequence
from typing import Any

from nenette.environments.accounts.speaker import Speaker
from nenette.games import Game
from nenette.matches.review import Decision, Move, Review, Throw
from nenette_agents.play.screen import Screen
from nenette_agents.play.sitting import SEEN, Teller

__all__ = ["report", "tell"]


def tell(screen: Screen, teller: Teller, review: Review, moves: Sequence[Move]) -> None:
    """Prints what was given away, by whom and where, and what was luck."""
    texts, speaker = screen.texts, teller.speaker
    names = speaker.cast.names
    me, other = review.seat, 1 - review.seat
    called = [speaker.called(seat) for seat in range(2)]
    screen.say()
    screen.say(texts.review, "bold")
    if review.result is None:
        screen.say(texts.unfinished)
    screen.say(texts.start.format(name=names[me], chance=texts.chance(review.start)), indent=2)
    for seat in (me, other):
        cost = texts.chance(review.given_away(seat))
        screen.say(texts.decided.format(name=names[seat], count=review.count(seat), cost=cost), indent=2)
    screen.say(texts.luck.format(luck=texts.chance(review.luck, sign=True), name=called[me]), indent=2)
    if abs(review.cut) >= SEEN:
        screen.say(texts.cut.format(cut=texts.chance(review.cut, sign=True)), indent=2)
    screen.say(texts.result.format(result=_sum(screen, review)), indent=2)
    for seat in (me, other) if teller.you is None else (me,):
        worst = review.costliest(seat)
        screen.say((texts.worst if worst else texts.none_worst).format(name=called[seat]), "bold")
        for decision in worst:
            _tell_decision(screen, speaker, decision, moves[decision.place])
    _tell_luck(screen, teller, review.throws, moves)


def report(game: Game[Any], teller: Teller, review: Review, moves: Sequence[Move], *, seed: int) -> dict[str, Any]:
    """One JSON object: `Review.report`, and the moves in words."""
    speaker = teller.speaker
    reported = review.report()
    for line, decision in zip(reported["decisions"], review.decisions, strict=True):
        state = moves[decision.place].state
        line["move"], line["best_move"] = speaker.move(state, decision.action), speaker.move(state, decision.best)
    worst = [decision.place for decision in review.costliest(review.seat)]
    return {"game": game.name, "players": speaker.cast.names, "seed": seed, "moves": len(moves), **reported} | {
        "costliest": [line for place in worst for line in reported["decisions"] if line["place"] == place]
    }


def _sum(screen: Screen, review: Review) -> str:
    """The sum of all that happened, so that one can add it up: "50.00% - 3.10% + 0.20% + 52.90% = 100.00%"."""
    chance = screen.texts.chance
    me, other = review.seat, 1 - review.seat
    parts = [
        ("-", review.given_away(me)),
        ("+", review.given_away(other)),
        ("-" if review.luck < 0 else "+", review.luck),
    ]
    if abs(review.cut) >= SEEN:
        parts.append(("-" if review.cut < 0 else "+", review.cut))
    signed = " ".join(f"{sign} {chance(abs(part))}" for sign, part in parts)
    return f"{chance(review.start)} {signed} = {chance(review.last + review.cut)}"


def where(speaker: Speaker, state: Any, semicolon: str) -> str:
    """The table before a choice, in a sentence or two."""
    tallies = [
        f"{tally.label} {' · '.join(f'{n} {k}' for n, k in zip(speaker.cast.names, tally.numbers, strict=True))}"
        for tally in speaker.tallies(state)
    ]
    parts = [part for part in (speaker.phase(state), *tallies) if part]
    lies = speaker.lies(state)
    text = semicolon.join(parts) + "."
    return (text[0].upper() + text[1:]) + (f" {lies}." if lies else "")


def _tell_decision(screen: Screen, speaker: Speaker, decision: Decision, move: Move) -> None:
    texts, state = screen.texts, move.state
    screen.say(texts.move.format(place=decision.place + 1, where=where(speaker, state, texts.semicolon)), indent=2)
    chosen, best = speaker.move(state, decision.action), speaker.move(state, decision.best)
    screen.say(texts.chose.format(move=chosen, chance=texts.chance(decision.chance)), indent=4)
    better = texts.better.format(move=best, chance=texts.chance(decision.best_chance), cost=texts.chance(decision.cost))
    screen.say(better, indent=4)


def _tell_luck(screen: Screen, teller: Teller, throws: Sequence[Throw], moves: Sequence[Move]) -> None:
    texts = screen.texts
    ranked = sorted(throws, key=lambda throw: throw.luck)
    for throw, text in ((ranked[-1], texts.luckiest), (ranked[0], texts.unluckiest)):
        if abs(throw.luck) < SEEN or (throw.luck > 0) != (text == texts.luckiest):
            continue
        story = " ".join(line.strip() for line in teller.lines_of(moves[throw.place]))
        luck = texts.chance(throw.luck, sign=True)
        screen.say(text.format(place=throw.place + 1, luck=luck, story=story), indent=2)
