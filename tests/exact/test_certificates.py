"""Certificates prove what they say; whatever is changed in one is refused, in one sentence."""

import base64
import json
import subprocess
import sys
import zlib
from dataclasses import replace
from fractions import Fraction

import pytest

from nenette.exact import solve
from nenette.exact.certificates.claims import subject
from nenette.exact.certificates.endless import MOVES, WAITS, prove_safe
from nenette.exact.certificates.files import Certificate, check, decode, encode_bounds, prove
from nenette.exact.certificates.maker import certify
from nenette.exact.certificates.proof import prove_optimal
from nenette.exact.certificates.storm import storms_chance, storms_endless_chance, storms_interval
from nenette.exact.certificates.walk import CertificateError, Row, Walk, walk
from nenette.games import make_game

SMALL = {"fiches": 2}


@pytest.fixture(scope="session")
def demi_iles_certificate(own_cache) -> Certificate:
    return certify(make_game("demi-iles"))


@pytest.fixture(scope="session")
def small_certificate(own_cache) -> Certificate:
    return certify(make_game("421", **SMALL))


@pytest.fixture
def content(demi_iles_certificate) -> dict:
    """What the certificate of demi-iles says, to be changed."""
    return json.loads(demi_iles_certificate.text())


@pytest.fixture
def refusal(tmp_path):
    """Why a file with this content is refused."""

    def why(content: object) -> str:
        file = tmp_path / "changed.json"
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with pytest.raises(CertificateError) as refused:
            check(file)
        sentence = str(refused.value)
        assert sentence.startswith(str(file))
        assert "\n" not in sentence
        assert len(sentence.removeprefix(str(file))) < 400
        return sentence.removeprefix(f"{file} ")

    return why


def packed(digits: str) -> str:
    return base64.b64encode(zlib.compress(digits.encode())).decode()


def test_a_certificate_is_checked_from_its_file_alone(demi_iles_certificate, small_certificate, tmp_path):
    for certificate in (demi_iles_certificate, small_certificate):
        file = tmp_path / "certificate.json"
        file.write_text(certificate.text())
        assert file.stat().st_size < 10_000
        assert check(file).exact == certificate.exact


def test_the_check_imports_nothing_of_the_solver_and_needs_no_floating_point_library():
    program = "import sys, nenette.exact.certificates.files; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    solver = ("zero_sum", "responses", "solution", "sweeps", "chain", "model", "enumeration", "store")
    for module in (*(f"nenette.exact.{name}" for name in solver), "scipy", "numba"):
        assert module not in modules


def test_exact_figures_agree_with_the_solvers(demi_iles_certificate, small_certificate):
    facts = solve(make_game("demi-iles")).facts
    assert demi_iles_certificate.exact["value"] == "0/1"
    assert float(Fraction(demi_iles_certificate.exact["trembling_value"])) == pytest.approx(
        facts["trembling_value"], abs=1e-13
    )
    facts = solve(make_game("421", **SMALL)).facts
    assert small_certificate.exact["value"] == small_certificate.exact["manche_value"] == "1/2"
    (chance,) = small_certificate.exact["leader_wins"].values()
    assert float(Fraction(chance)) == pytest.approx(facts["leader_wins"]["1"], abs=1e-13)


def test_a_solutions_report_shows_what_was_certified(small_certificate):
    report = solve(make_game("421", **SMALL)).report()
    assert report["exact"] == "1/2"
    assert report["exact_leader_wins"] == small_certificate.exact["leader_wins"]
    assert "exact" not in solve(make_game("421", fiches=3)).report()


@pytest.mark.slow
def test_421_is_certified(own_cache, tmp_path):
    game = make_game("421")
    certificate = certify(game)
    facts = solve(game).facts
    for fiches, chance in certificate.exact["leader_wins"].items():
        assert float(Fraction(chance)) == pytest.approx(facts["leader_wins"][fiches], abs=1e-13)
    file = tmp_path / "421.json"
    file.write_text(certificate.text())
    assert check(file).states == 148252


# What a manche is worth to its leader is v, so it wins with probability p = (1 + v) / 2; the loser leads the next.
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(2, 3)])
def test_a_match_is_put_together_from_manches(p):
    from nenette.exact.certificates.claims import _value_of_match

    deciding = p  # at 1 all the leader of the last manche needs it
    won_the_first, lost_the_first = (1 - p) + p * deciding, p * (1 - deciding)
    match = p * won_the_first + (1 - p) * lost_the_first
    assert _value_of_match(make_game("421"), 2 * p - 1) == 2 * match - 1


def test_a_whole_match_walked_through_is_worth_what_its_manches_say():
    game = make_game("421", fiches=1, next_manche_leader="opening")
    states = walk(game)
    values = prove_optimal(states, [0] * len(states), Fraction(0))  # with one fiche there is nothing to decide
    assert not states.decisions
    assert subject("421").claims(game, walk(subject("421").core(game)), values)["value"] == "1/2"
    assert values[0] == 0


def test_a_changed_value_is_refused(content, refusal):
    content["exact"]["trembling_value"] = "1/3"
    assert refusal(content) == "claims what is not so: trembling_value is not what its play is worth"
    content["exact"] = {"value": "0/1", "trembling_value": ["1/3"], "more": "1/1"}
    assert refusal(content) == "claims what is not so: more, trembling_value is not what its play is worth"


@pytest.mark.parametrize("state", [0, 434])
def test_a_changed_action_is_refused(state, demi_iles_certificate, content, refusal):
    play = demi_iles_certificate.play
    content["play"] = packed(play[:state] + str((int(play[state]) + 1) % 3) + play[state + 1 :])
    assert refusal(content).startswith("proves nothing: the play is not optimal: with the fields (")


def test_play_that_does_not_fit_is_refused(demi_iles_certificate, content, refusal):
    play = demi_iles_certificate.play
    content["play"] = packed("3" + play[1:])
    assert refusal(content) == "proves nothing: its play takes action '3' with the fields (0, 0, 0): illegal"
    content["play"] = packed(play[:-1])
    assert refusal(content) == "proves nothing: its play has 434 actions for 435 decisions"
    for unreadable in ("%", packed(play)[:-8], packed("0" * (9 << 20)), packed("é" * 435)):
        content["play"] = unreadable
        assert refusal(content) == "is no certificate that can be checked: its play cannot be unpacked"


def test_bounds_that_do_not_hold_are_refused(content, refusal):
    endless = dict(content["endless"])
    key = next(k for k, bound in endless.items() if k.endswith("moves") and Fraction(bound) > 0)
    content["endless"] = {**endless, key: "0/1"}
    assert "may get more than the bound that is claimed, 0" in refusal(content)
    content["endless"] = {**endless, key: "1/0"}
    assert refusal(content).endswith(f"{key!r}: '1/0' is no bound of a state")
    content["endless"] = {**endless, key: "9" * 5000 + "/1"}
    assert refusal(content).endswith("is no bound of a state")
    content["endless"] = {**endless, "435 moves": "1/1"}
    assert refusal(content).endswith("'435 moves': '1/1' is no bound of a state")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "chess"}, "there are certificates about demi-iles and 421, not about 'chess'"),
        ({"game": "421"}, "its rules are those of no game here: 421 has no rule 'starter'"),
        ({"game": "421", "rules": {"players": 2}}, "it is about rules"),
        ({"rules": {"players": 7}}, "its rules are those of no game here: players is an integer from 2 to 6, not 7"),
        ({"rules": {"plyers": 2}}, "its rules are those of no game here: demi-iles has no rule 'plyers'"),
        ({"rules": {"players": 3}}, "it is about rules"),
        ({"rules_id": "0" * 16}, "it is about rules '0000000000000000', and the rules that it names are"),
        ({"epsilon": "1/100"}, "proves nothing: it is about hands that tremble with probability '1/100', not 1/1000"),
        ({"states": 441}, "proves nothing: it speaks of 441 states, and 435 can be met"),
        ({"states": True}, "states is True, which is no int"),
        ({"states": 1.5}, "states is 1.5, which is no int"),
        ({"version": 2}, "its version is 2, and 1 is what can be read"),
        ({"format": "nenette-policy"}, 'it does not say "format": "nenette-certificate"'),
        ({"play": None}, "play is None, which is no str"),
        ({"remark": 1}, "'remark' is nothing that it may say"),
    ],
)
def test_a_certificate_of_something_else_is_refused(changes, sentence, content, refusal):
    assert sentence in refusal({**content, **changes})


def test_files_that_are_no_certificate_are_refused(content, refusal):
    text = json.dumps(content).encode()
    not_json = "is no certificate that can be checked: it is not JSON, or not all of it is there"
    for data in (b"", text[:-20], b"\xff\xfe", b"[" * 100_000, text.replace(b"435", b"4" * 5000)):
        assert refusal(data) == not_json
    for data in (b"[]", b"null", b"1", b"{}"):
        assert "it does not say" in refusal(data)
    assert refusal(b" " * (9 << 20)) == "is no certificate that can be checked: it is larger than 8 MiB"
    del content["states"]
    assert refusal(content) == "is no certificate that can be checked: 'states' is missing"


def test_a_game_that_need_not_end_is_not_proved_by_bellmans_equation(demi_iles_certificate):
    states = walk(make_game("demi-iles"))
    play = decode(states, demi_iles_certificate.play)
    with pytest.raises(CertificateError, match="can be kept going for ever, so Bellman's equation proves nothing"):
        prove_optimal(states, play, Fraction(0))


def test_no_bounds_are_claimed_of_a_game_that_ends(small_certificate):
    with pytest.raises(CertificateError, match="this one always ends"):
        prove(replace(small_certificate, endless=encode_bounds({(0, MOVES): Fraction(1)})))


def one_state(*rows: Row) -> Walk:
    return Walk(make_game("demi-iles"), [(0, 0, 0)], [rows])


ONE_STATE = one_state(Row(0, (~0,), (3,), 4, 1, True), Row(1, (~0,), (1,), 2, 1, True))


def test_negative_bounds_must_be_left():
    """Two players who pass for ever get 0, whatever smaller bounds satisfy the equations."""
    passing = one_state(Row(0, (~0,), (1,), 1, 0, False))
    prove_safe(passing, [0], {})
    with pytest.raises(CertificateError, match="can be kept going for ever among states whose bounds are below zero"):
        prove_safe(passing, [0], {(0, MOVES): Fraction(-1), (0, WAITS): Fraction(-1)})


def test_bounds_above_zero_at_the_start_prove_nothing():
    winning = one_state(Row(0, (~0,), (1,), 2, 1, True))
    with pytest.raises(CertificateError, match="may get more than the bound"):
        prove_safe(winning, [0], {})
    third = Fraction(1, 3)
    with pytest.raises(CertificateError, match="something to gain from the start"):
        prove_safe(winning, [0], {(0, MOVES): third, (0, WAITS): -third})


def test_a_small_game_by_hand():
    """Win with 1/4 or with 1/2, or pass: the second action gives v = 1/2 - v / 2."""
    values = prove_optimal(ONE_STATE, [1], Fraction(0))
    assert values[0] == Fraction(1, 3)
    with pytest.raises(CertificateError, match="action 1 is worth more than action 0, which it takes"):
        prove_optimal(ONE_STATE, [0], Fraction(0))
    # Trembling with 1/2: the better row with 3/4, the other with 1/4: v = 7/16 - 9/16 v.
    assert prove_optimal(ONE_STATE, [1], Fraction(1, 2))[0] == Fraction(7, 25)


def test_storm_comes_to_the_same_value_of_a_small_game():
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    chances = [storms_chance(ONE_STATE, [1], Fraction(1, 2), side) for side in (MOVES, WAITS)]
    assert chances == [Fraction(16, 25), Fraction(9, 25)]
    low, high = storms_interval(ONE_STATE, [1], Fraction(1, 2), MOVES)
    assert low - 1e-12 <= 16 / 25 <= high + 1e-12
    # Against the worse action the responder gets more than that play gets itself.
    assert sum(storms_chance(ONE_STATE, [0], Fraction(1, 2), side) for side in (MOVES, WAITS)) > 1


def proved(certificate: Certificate) -> tuple[Walk, list[int], Fraction, Fraction]:
    """The states, the play, how it trembles, and what whoever begins gets: its chance of winning."""
    about = subject(certificate.game.name)
    states = walk(about.core(certificate.game))
    play = decode(states, certificate.play)
    return states, play, about.epsilon, (1 + prove_optimal(states, play, about.epsilon)[0]) / 2


@pytest.mark.slow
@pytest.mark.parametrize("rules", [SMALL, {"fiches": 3}, {}], ids=str)
def test_storm_comes_to_the_same_value_of_421(own_cache, rules):
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    certificate = certify(make_game("421", **rules))
    *game, chance = proved(certificate)
    assert [storms_chance(*game, side) for side in (MOVES, WAITS)] == [chance, 1 - chance]


@pytest.mark.slow
def test_storm_comes_to_the_same_value_of_a_single_round_of_421(small_certificate):
    """Who leads it has another chance than one half."""
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    states, *rest = proved(small_certificate)[:3]
    (leads,) = (i for i, row in enumerate(states.fields) if is_decharge(states, row))
    chance = Fraction(small_certificate.exact["leader_wins"]["1"])
    assert chance != Fraction(1, 2)
    assert [storms_chance(states, *rest, side, leads) for side in (MOVES, WAITS)] == [chance, 1 - chance]


def is_decharge(states: Walk, row: tuple[int, ...]) -> bool:
    """Whether nothing is in the bank and nothing has been thrown."""
    state = states.game.decode(row)
    return not (state.bank or state.throws or state.thrown)


def test_storm_finds_that_nobody_gains_anything_in_the_endless_game(demi_iles_certificate):
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    states, play, *_ = proved(demi_iles_certificate)
    assert [storms_endless_chance(states, play, side) for side in (MOVES, WAITS)] == [Fraction(1, 2)] * 2
    throws_none = [0] * len(states)
    assert storms_endless_chance(states, throws_none, WAITS) > Fraction(1, 2)


def test_storm_comes_to_the_same_value_of_trembling_demi_iles(demi_iles_certificate):
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    states, play, epsilon, chance = proved(demi_iles_certificate)
    said = prove_optimal(states, play, epsilon)
    answers = [storms_chance(states, play, epsilon, side, said=said) for side in (MOVES, WAITS)]
    assert answers == [chance, 1 - chance]
    assert 5e-6 < 2 * answers[0] - 1 < 6e-6


def test_what_storm_is_given_proves_nothing_by_itself():
    """Said too much, the chances make more than 1; said too little, Storm finds the true ones."""
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")

    def answers(play: int, said: Fraction) -> list[Fraction]:
        return [storms_chance(ONE_STATE, [play], Fraction(1, 2), side, said=[said]) for side in (MOVES, WAITS)]

    value = Fraction(7, 25)
    assert answers(1, value) == [Fraction(16, 25), Fraction(9, 25)]
    for wrong in (value + Fraction(1, 100), value - Fraction(1, 100)):
        assert sum(answers(1, wrong)) > 1
    assert sum(answers(0, value)) > 1


@pytest.mark.slow
def test_storms_bounds_hold_the_value_of_trembling_demi_iles(demi_iles_certificate):
    pytest.importorskip("stormpy", reason="stormpy is not installed (the extra 'storm')")
    *game, chance = proved(demi_iles_certificate)
    for side, ours in ((MOVES, chance), (WAITS, 1 - chance)):
        low, high = storms_interval(*game, side)
        assert low - 1e-12 <= ours <= high + 1e-12
        assert high - low < 1e-7  # the value itself, 5e-6, is distinguished from 0
