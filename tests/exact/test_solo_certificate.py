"""The solo game's certificate: proved, checked, and turned down when it is tampered with."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from solo_chains import ALL, DenseGame

from nenette.exact import solve
from nenette.exact.certificates.walk import CertificateError
from nenette.exact.solo import certificate as solo_certificate
from nenette.exact.solo import certifying
from nenette.exact.solo.bounds import SHAPE, Bounds, enclose, full_set, turns_of
from nenette.exact.solo.certificate import SoloCertificate, check_solo
from nenette.games import make_game
from nenette.games.demi_iles import throw

GAME = make_game("demi-iles-solo")


@pytest.fixture(scope="module")
def made(own_cache) -> tuple[SoloCertificate, np.ndarray, Bounds]:
    """A certificate, and the turns and bounds that were worked out to make it: they take seconds."""
    turns, bounds = [], []

    def recorded(function, results):
        return lambda actions: results.append(function(actions)) or results[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solo_certificate, "turns_of", recorded(turns_of, turns))
        patch.setattr(certifying, "prove_bounds", recorded(solo_certificate.prove_bounds, bounds))
        certificate = certifying.certify_solo(GAME)
    return certificate, *turns, *bounds


@pytest.fixture(scope="module")
def certificate(made) -> SoloCertificate:
    return made[0]


@pytest.fixture(scope="module")
def turns(made) -> np.ndarray:
    return made[1]


@pytest.fixture
def proved_once(monkeypatch, made):
    """Bounds of the play that was certified are proved already; no other play is."""

    def known(actions):
        assert np.array_equal(actions, made[0].actions)
        return made[2]

    monkeypatch.setattr(solo_certificate, "prove_bounds", known)


@pytest.fixture(scope="module")
def text(certificate) -> str:
    return certificate.text()


@pytest.fixture
def file(text, tmp_path):
    path = tmp_path / "solo.json"
    path.write_text(text)
    return path


def test_the_value_lies_in_an_interval_of_a_billionth(certificate):
    assert certificate.lower < certificate.upper <= certificate.lower + Fraction(1, 10**9)
    assert certificate.lower <= Fraction(solve(GAME).report()["turns"]) <= certificate.upper


def test_with_the_full_set_turns_are_exact(certificate):
    dense = DenseGame(())
    values = dense.iterate(np.zeros(21), 2500)
    for (score, seen), turns in zip(dense.states, values, strict=True):
        assert seen == ALL
        assert float(certificate.full_set[score]) == pytest.approx(turns, abs=1e-9)
    assert certificate.full_set[16] == 1 + Fraction(34, 36) * _after_16(certificate)


def _after_16(certificate) -> Fraction:
    """From 16 two dice add their difference, and 5 of it is 21: 2 times in 36."""
    differences = {0: 6, 1: 10, 2: 8, 3: 6, 4: 4}
    return sum(weight * certificate.full_set[16 + d] for d, weight in differences.items()) / Fraction(34)


def is_checked(file, certificate):
    assert file.stat().st_size < 400_000
    checked = check_solo(file)
    assert checked.claims == certificate.claims
    assert np.array_equal(checked.actions, certificate.actions)


@pytest.mark.usefixtures("proved_once")
def test_a_certificate_is_small_and_checks(file, certificate):
    is_checked(file, certificate)


@pytest.mark.slow  # bounds are proved anew, by the same function and of the same play as when the certificate was made
def test_a_certificate_is_checked_by_proving_its_bounds_anew(file, certificate):
    is_checked(file, certificate)


def test_bounds_hold_for_any_table_and_are_only_as_good_as_it(certificate, turns):
    noisy = turns * (1 + 1e-7 * np.random.default_rng(0).standard_normal(SHAPE))
    wide = enclose(noisy, certificate.actions)
    assert wide.lower < certificate.lower < certificate.upper < wide.upper
    with pytest.raises(CertificateError, match=r"^its turns are not those of its play$"):
        enclose(np.zeros(SHAPE), certificate.actions)
    with pytest.raises(CertificateError, match=r"^its turns are not all numbers from 0 to 128$"):
        enclose(turns + 100, certificate.actions)


def test_a_worse_play_proves_less_or_nothing(certificate, turns):
    worse = certificate.actions.copy()
    worse[0, 0] = 2  # at the start, where one die is best
    stays, onward = 0.0, 1.0
    for score, chance in throw(0, 2):
        if score == 0:
            stays = float(chance)
        else:
            onward += float(chance) * turns[1 << (score - 1), score]
    its_own = turns.copy()
    its_own[0, 0] = onward / (1 - stays)
    assert its_own[0, 0] > turns[0, 0] + 1e-3
    assert enclose(its_own, worse).upper > certificate.upper
    with pytest.raises(CertificateError, match=r"^its play does not finish for certain$"):
        turns_of(np.zeros(SHAPE, dtype=np.uint8))
    worse[-1, 16] = 1  # from 16, where two dice may reach 21
    with pytest.raises(CertificateError, match=r"^its play is not the best from"):
        full_set(worse)


def change(file, **entries):
    content = json.loads(file.read_text()) | entries
    file.write_text(json.dumps({name: value for name, value in content.items() if value is not None}))


@pytest.mark.usefixtures("proved_once")
def test_a_wrong_claim_is_turned_down(file, certificate):
    claims = certificate.claims
    check_solo(file)
    change(file, exact={**claims, "turns": ["80/1", "800000000001/10000000000"]})
    with pytest.raises(CertificateError, match=r"proves nothing: the fewest turns do not lie where it says$"):
        check_solo(file)
    change(file, exact={**claims, "only_21_left": {**claims["only_21_left"], "3": "1/2"}})
    with pytest.raises(CertificateError, match=r"it claims what is not so of the states in which only 21 is left$"):
        check_solo(file)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"play": None}, "'play' is missing"),
        ({"game": "421"}, "its game is '421', not 'demi-iles-solo'"),
        ({"version": 2}, "its version is 2, and 1 is what can be read"),
        ({"version": True}, "its version is True, and 1 is what can be read"),
        ({"rules_id": "0"}, "it is about rules '0', and the rules that it names are .*"),
        ({"play": "AAAA"}, "its play cannot be unpacked"),
        ({"play": "eNoDAAAAAAE="}, "its play is not of 12582911 states"),
        ({"play": "no base64!"}, "its play cannot be unpacked"),
        ({"states": 7}, "it speaks of 7 states, and there are 12582911"),
        ({"states": "12582911"}, "states is '12582911', which is no int"),
        ({"rules": {"fiches": 3}}, "its rules are those of no game here: .*fiches.*"),
        ({"rules": {"max_turns": 7}}, "its rules say where the game is cut, and it is about the game that never is"),
        ({"rules": None}, "'rules' is missing"),
        ({"epsilon": "1/1000"}, "'epsilon' is nothing that it may say"),
        ({"exact": ["80/1"]}, r"exact is \['80/1'\], which is no dict"),
    ],
)
def test_a_broken_file_is_turned_down_in_a_sentence(file, entries, sentence):
    change(file, **entries)
    with pytest.raises(
        CertificateError, match=f"^{file} is no certificate of the solo game that can be checked: {sentence}$"
    ):
        check_solo(file)


def test_the_check_imports_nothing_of_the_solver():
    program = "import sys, nenette.exact.solo.certificate; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    solo = {f"nenette.exact.solo.{name}" for name in ("solving", "loops", "states", "scores", "visits", "both_ends")}
    solver = {f"nenette.exact.{name}" for name in ("elimination", "model", "store", "solution", "optimum", "responses")}
    assert "nenette.exact.solo.bounds" in loaded
    assert not loaded & {*solo, *solver, "numba", "scipy"}


def test_what_is_no_json_object_is_turned_down(file):
    for text in ("[]", "{", ""):
        file.write_text(text)
        with pytest.raises(CertificateError, match="is no certificate of the solo game that can be checked: "):
            check_solo(file)
