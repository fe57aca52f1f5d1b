"""What docs/findings.md says is what its commands say."""

import re
from pathlib import Path

import pytest

from nenette.exact import solve
from nenette.games import make_game
from nenette_agents.benchmark import pictures

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text()
TEXT = " ".join(PAGE.split())


def figures_of(game):
    return {one.name: one.figure for one in pictures.distances(game)}


def test_the_draw_and_its_trembling_hand():
    facts = solve(make_game("demi-iles")).report()
    assert (facts["value"], facts["epsilon"]) == (0, 0.001)
    assert f"In {facts['tied_states']} of {facts['states']} states several actions are equally good" in TEXT
    assert f"a value of {facts['trembling_value']:.7f}" in TEXT


def test_the_leader_s_place():
    leading = {int(fiches): chance for fiches, chance in solve(make_game("421")).facts["leader_wins"].items()}
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, flags=re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(1, 11))
    for fiches, *printed in rows:
        following = 1 - leading[11 - int(fiches)]
        chances = (leading[int(fiches)], following, leading[int(fiches)] - following)
        assert printed == [f"{chance:.3f}" for chance in chances]
    assert f"probability of {leading[5]:.3f}; if the other leads, with {1 - leading[6]:.3f}" in TEXT
    with_the_lead, without = leading[5], 1 - leading[7]
    assert with_the_lead == pytest.approx(without, abs=0.005), "about as much as a fiche"


def test_how_far_the_networks_are():
    of_421, alone = figures_of("421"), figures_of("demi-iles-solo")
    assert f"an exploitability of {of_421['ppo-strong']:.3f}, `dqn-strong` of {of_421['dqn-strong']:.3f}" in TEXT
    assert f"`cautious`, has {of_421['cautious']:.3f}" in TEXT
    assert min(("a-fond", "beat-it", "cautious"), key=of_421.__getitem__) == "cautious"
    assert f"`greedy`, has {figures_of('demi-iles')['greedy']:.3f}" in TEXT
    shares = [f"{alone[name]:.1%}".replace("%", " %") for name in ("ppo-strong", "dqn-strong", "collector")]
    assert "`ppo-strong` needs {} more turns than perfect play, `dqn-strong` {},".format(*shares) in TEXT
    assert f"`collector`, {shares[2]}" in TEXT


def test_the_strong_networks_of_demi_iles_cannot_be_exploited():
    for name in ("ppo-strong", "dqn-strong"):
        figures = pictures.read_card("demi-iles", name)["figures"]
        assert max(figures["exploitability"], figures["endless"]["exploitability"]) < 1e-9


@pytest.mark.parametrize("game", ["421", "demi-iles", "demi-iles-solo"])
def test_the_picture_begins_with_the_weakest(game):
    figures = list(figures_of(game).values())
    assert len(figures) >= 7
    assert figures == sorted(figures, reverse=True)


@pytest.mark.slow
def test_where_the_solo_game_s_turns_go():
    turns = pictures.turns_by_missing()
    assert f"takes {sum(turns.values()):.2f} turns on average. Of these {turns[0]:.1f} pass" in TEXT
    assert f"and {turns[1]:.1f} with one score missing" in TEXT
    assert f"the first ten scores takes {sum(turns[missing] for missing in range(11, 21)):.1f}" in TEXT


def test_the_pictures_are_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="an extra that is not installed here")
    monkeypatch.setattr(pictures, "turns_by_missing", lambda: {1: 2.5, 0: 40.0})
    for draw in (pictures.draw_solo, pictures.draw_distances):
        draw(tmp_path / "there" / "picture.png")
        assert (tmp_path / "there" / "picture.png").read_bytes().startswith(b"\x89PNG")
