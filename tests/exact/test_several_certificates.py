"""Certificates about three players prove what they claim, and nothing else is taken for one."""

import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from made_up_many import random_many, slow_values

from nenette.exact.certificates.several import (
    TURN,
    UNIT,
    SeveralCertificate,
    check,
    is_about_several,
    prove,
)
from nenette.exact.certificates.several_maker import certify_several
from nenette.exact.certificates.several_walk import Row, SeveralWalk
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.many.equilibrium import find_equilibrium
from nenette.games import make_game

EPSILON = Fraction(1, 4)
STATES = 3


def made_up() -> tuple[SeveralCertificate, SeveralWalk, list[float]]:
    """A game in which only the mover may win, and never from the states that the lone player comes to move in."""
    rng = np.random.default_rng(8)
    model = random_many(rng, 3, STATES, ends=0.7)
    wins = np.zeros_like(model.wins)
    wins[:, 0] = model.wins.sum(axis=1)
    model = replace(model, wins=wins)
    trembling = model.trembling(float(EPSILON))
    rows = find_equilibrium(trembling).rows
    everybody = [trembling.pure(rows)] * 3
    worth = slow_values(trembling, everybody, 0)
    dense = model.step.toarray()
    dense_rows = [
        tuple(
            Row(
                action,
                tuple(np.flatnonzero(dense[2 * s + action]).tolist()),
                tuple(round(8 * p) for p in dense[2 * s + action] if p),
                8,
                round(8 * wins[2 * s + action, 0]),
            )
            for action in (0, 1)
        )
        for s in range(STATES)
    ]
    game: Any = SimpleNamespace(name="made-up", players=3)
    walk = SeveralWalk(game, [(s,) for s in range(STATES)], dense_rows)
    ends = trembling.wins[rows, 0]
    turns = np.linalg.solve(np.eye(STATES) - trembling.step[rows].toarray(), np.ones(STATES))
    assert ends.max() > 0
    certificate = SeveralCertificate(
        game,
        "1/4",
        STATES,
        "".join(str(row % 2) for row in rows),
        [round(worth[-j % 3][s] * UNIT) for s in range(STATES) for j in range(3)],
        [round(1.01 * t * TURN) for t in turns],
        "",
        {},
    )
    return certificate, walk, [float(worth[-seat % 3][0]) for seat in range(3)]


@pytest.fixture(scope="module")
def example():
    return made_up()


@pytest.fixture
def without_coalition(monkeypatch):
    monkeypatch.setattr("nenette.exact.certificates.several._check_coalition", lambda states, others: None)
    monkeypatch.setattr("nenette.exact.certificates.several._decode", _decode_plays)


def _decode_plays(states, digits, each):
    return [int(digit) for digit in digits]


def test_an_equilibrium_is_proved_and_its_values_are_bounded(example, without_coalition):
    certificate, walk, worth = example
    proved = prove(certificate, walk)
    assert proved["nash_conv"] == "0/1"
    for seat in range(3):
        low, high = (Fraction(bound) for bound in proved["equilibrium"][f"seat {seat}"])
        assert low <= worth[seat] <= high
        assert high - low < Fraction(1, 10**9)


@pytest.mark.parametrize("state", range(STATES))
def test_another_play_is_none(example, without_coalition, state):
    certificate, walk, _ = example
    play = certificate.play[:state] + str(1 - int(certificate.play[state])) + certificate.play[state + 1 :]
    with pytest.raises(CertificateError, match=r"no equilibrium|more turns"):
        prove(replace(certificate, play=play), walk)


def test_numbers_that_are_not_so_are_refused(example, without_coalition):
    certificate, walk, _ = example
    fewer = [turn // 2 for turn in certificate.turns]
    with pytest.raises(CertificateError, match="more turns are left than it says"):
        prove(replace(certificate, turns=fewer), walk)
    for place in range(len(certificate.values)):
        values = list(certificate.values)
        values[place] += UNIT // 10
        with pytest.raises(CertificateError, match="too rough"):
            prove(replace(certificate, values=values), walk)
    for change in ({"states": 4}, {"epsilon": "0/1"}, {"epsilon": "1"}, {"turns": [1]}, {"values": []}):
        with pytest.raises(CertificateError):
            prove(replace(certificate, **change), walk)


def _line(leads, wins=0):
    """A row that leads to each of some states equally often, or to the mover's win."""
    return Row(0, tuple(leads), (1,) * len(leads), len(leads) + wins, wins)


def test_a_coalition_that_lets_the_lone_player_win_or_wait_is_none():
    from nenette.exact.certificates.several import _check_coalition

    game: Any = SimpleNamespace(name="made-up", players=3)
    two = lambda *rows: tuple(row._replace(action=k) for k, row in enumerate(rows))  # noqa: E731
    # In state 0 nobody wins at once; it leads to 1, from where the mover may win, or back to 0.
    ends = SeveralWalk(game, [(0,), (1,)], [two(_line([0]), _line([0])), two(_line([1], 1), _line([0]))])
    with pytest.raises(CertificateError, match="keep the game for ever"):
        _check_coalition(ends, [0] * 4)
    wins = SeveralWalk(game, [(0,), (1,)], [two(_line([1]), _line([1])), two(_line([1], 1), _line([0]))])
    with pytest.raises(CertificateError, match="the lone player may win"):
        _check_coalition(wins, [0] * 4)


@pytest.mark.slow
def test_the_figures_of_three_players_are_proved_and_a_file_that_claims_others_is_refused(own_cache, tmp_path):
    file = tmp_path / "three.json"
    certificate = certify_several(make_game("demi-iles", players=3))
    assert certificate.exact["nash_conv"] == "0/1"
    assert set(certificate.exact["coalition"].values()) == {"-1/2"}
    file.write_text(certificate.text())
    assert is_about_several(file)
    assert check(file).exact == certificate.exact
    content = json.loads(certificate.text())
    content["exact"]["coalition"]["seat 0"] = "0/1"
    file.write_text(json.dumps(content))
    with pytest.raises(CertificateError, match=r"claims what is not so: coalition is not"):
        check(file)
    for name, value in (("epsilon", "1/2"), ("rules_id", "0"), ("play", "x"), ("states", 1.5), ("others", "")):
        file.write_text(json.dumps({**json.loads(certificate.text()), name: value}))
        with pytest.raises(CertificateError):
            check(file)
