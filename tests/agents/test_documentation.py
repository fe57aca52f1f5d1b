"""Pages that are made from the code are current, and nothing is missing in them."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from nenette.games import spec_of
from nenette_agents.documentation import environments

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "environment-reference.md"


def part_of(documented):
    """The part of the page that is about an environment."""
    text = PAGE.read_text()
    return text.partition(f"\n## `{documented.single.env_id}`\n")[2].partition("\n## ")[0]


def test_the_page_is_current():
    pytest.importorskip("pettingzoo", reason="an extra that is not installed here")
    assert PAGE.read_text() == environments.markdown(), "python scripts/documentation.py"


@pytest.mark.parametrize("documented", environments.DOCUMENTED, ids=lambda one: one.single.env_id)
def test_every_feature_is_in_one_row(documented):
    game = documented.single().game
    rows = environments.features(game)
    assert [row.first for row in rows] == [sum(row.many for row in rows[:k]) for k in range(len(rows))]
    assert sum(row.many for row in rows) == game.codec.size
    for row in rows:
        labels = game.codec.labels[row.first : row.first + row.many]
        first, *rest = re.findall(r"\d+ … \d+", row.meaning)[-1:] or [""]
        assert not rest
        expected = row.meaning.replace(first, "#") if first else row.meaning
        assert {label if not first else re.sub(r"\d+(?=\D*$)", "#", label) for label in labels} == {expected}
        assert f"| {row.meaning} | {row.values} |" in part_of(documented)


def test_values_that_are_no_bits_are_listed():
    rows = environments.features(environments.Quatre21Env().game)
    values_of = {row.meaning: row.values for row in rows}
    assert values_of["own fiches is 0 … 11"] == "0 or 1"
    assert values_of["dice on the table: worth"] == "0, or 8 values from 0.125 to 1"


@pytest.mark.parametrize("documented", environments.DOCUMENTED, ids=lambda one: one.single.env_id)
def test_every_option_has_a_row(documented):
    game = documented.single().game
    keywords = {*inspect.signature(documented.single.__init__).parameters}
    keywords |= {*inspect.signature(documented.entry).parameters} | {one.name for one in fields(spec_of(game).rules)}
    vector = {*inspect.signature(environments.TurnBasedVectorEnv.__init__).parameters}
    keywords |= vector if game.players > 1 else vector - {"opponents", "opponents_of_each", "seat"}
    documented_keywords = set(re.findall(r"^\| `(\w+)` \|", part_of(documented), flags=re.MULTILINE))
    assert keywords - {"self", "game", "rules", "options"} <= documented_keywords


def test_every_action_of_421_has_a_row_that_says_which_dice_fall():
    game = environments.Quatre21Env().game
    (one,) = (one for one in environments.DOCUMENTED if one.single is environments.Quatre21Env)
    rows = dict(re.findall(r"^\| `(\d)` \| ([^|]*) \|$", part_of(one), flags=re.MULTILINE))
    assert len(rows) == game.n_actions
    assert rows["0"] == "none: the player stops"
    assert rows["5"] == "1 and 3"


def test_pettingzoo_s_options_have_rows():
    form = pytest.importorskip("nenette.pettingzoo.form", reason="an extra that is not installed here")
    for options in environments.agents_options().values():
        assert {one.name for one in options} >= set(form.OPTIONS)
