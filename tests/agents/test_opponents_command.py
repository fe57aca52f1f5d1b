"""`nenette opponents`: the ladder, its cards, and the check that finds whatever was changed."""

import hashlib
import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save
from typer.testing import CliRunner

from nenette.games import GAMES
from nenette.matches.ladder import differences
from nenette.policies import policy_names
from nenette.policies.ladders import LADDERS, TABLES
from nenette.policies.shipped import OPPONENTS, ladder_names, read_card, shipped_names
from nenette_agents.cli import app as cli
from nenette_agents.opponents import cards as cards_module
from nenette_agents.opponents.manifest import MANIFEST

runner = CliRunner()
CONFIGS = Path(__file__).parents[2] / "configs"
NAME = shipped_names("demi-iles")[0]
WHO = f"demi-iles/{NAME}"


def nenette(*arguments):
    return runner.invoke(cli.app, [str(argument) for argument in arguments])


def verified(folder, *arguments, game="demi-iles", manifest=MANIFEST):
    options = ["--game", game, "--folder", folder, "--manifest", manifest]
    result = nenette("opponents", "--verify", *options, *arguments)
    assert result.exit_code in {0, 1}, result.stderr
    return result


@pytest.fixture
def folder(tmp_path):
    """A copy of the ladder of demi-iles."""
    shutil.copytree(OPPONENTS / "demi-iles", tmp_path / "opponents" / "demi-iles")
    return tmp_path / "opponents"


@pytest.fixture
def rated(monkeypatch):
    """Ratings as the cards in the package have them, which another test finds right: a second for each check less."""

    def ratings(policies, *_):
        figures = {policy.name: read_card("demi-iles", policy.name)["figures"] for policy in policies}
        return {name: {"elo": of["elo"], "endless": {"elo": of["endless"]["elo"]}} for name, of in figures.items()}

    monkeypatch.setattr(cards_module, "elo_of_all", ratings)


def edit(path, change):
    about = json.loads(path.read_text())
    change(about)
    path.write_text(json.dumps(about))


def test_all_are_listed_from_weak_to_perfect():
    listed = json.loads(nenette("opponents", "--json").stdout)
    assert {game: sorted(card["name"] for card in cards) for game, cards in listed.items()} == {
        ladder: sorted(ladder_names(ladder)) for ladder in LADDERS
    }
    elos = [card["figures"]["elo"] for card in listed["421"]]
    assert elos == sorted(elos)
    assert (listed["421"][0]["name"], listed["421"][-1]["name"]) == ("random", "optimal")
    assert listed["demi-iles-solo"][-1]["name"] == "optimal"
    assert json.loads(nenette("opponents", "--game", "421", "--json").stdout) == {"421": listed["421"]}


def test_a_table_has_a_line_for_each():
    for game in GAMES:
        lines = nenette("opponents", "--game", game).stdout.splitlines()
        rows = [name for line in lines if line.startswith("│") and (name := line.split("│")[1].strip())]
        tables = 2 if game == "demi-iles" else 1  # of the game that is cut, and of the endless one
        assert rows == tables * rows[: len(rows) // tables]
        assert sorted(rows) == sorted(tables * policy_names(game))
        cut = ", games cut after 200 turns" if game == "demi-iles" else ""
        assert lines[0] == f"{game}, from weak to perfect{cut}"
        text = " ".join("".join(lines).split())
        assert ("greedy: always the likeliest action" in text) == (game != "demi-iles-solo")


def test_a_name_gets_the_whole_card():
    for asked in ([WHO], [NAME, "--game", "demi-iles"]):
        result = nenette("opponents", *asked)
        assert result.stdout.splitlines()[0] == WHO
        for said in ("figures, exploitability", "config, total steps", "versions, torch", "seed"):
            assert said in result.stdout
    (card,) = json.loads(nenette("opponents", WHO, "--json").stdout)["demi-iles"]
    assert card["config"]["game"] == "demi-iles"


def test_those_in_the_package_are_what_their_cards_say():
    result = verified(OPPONENTS)
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert result.stdout.startswith(f"{len(policy_names('demi-iles'))} opponents with ")
    assert result.stdout.endswith(
        " figures: all as their cards say (figures agree if they are within 1e-09 of the larger one, or of 1)\n"
    )
    assert f"{WHO}: right\n" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_all_in_the_package_are_what_their_cards_say(game):
    result = verified(OPPONENTS, "--json", game=game)
    report = json.loads(result.stdout)
    assert (result.exit_code, report["wrong"], report["right"]) == (0, [], True)
    assert len(report["opponents"]) == len(policy_names(game))


@pytest.mark.usefixtures("rated")
def test_every_figure_that_was_changed_is_found(folder):
    figures = ["value", "draw", "exploitability", "regret", "endless.exploitability", "endless.elo", "elo"]

    def change(about):
        for figure in figures:
            part, _, name = figure.rpartition(".")
            figures_of_it = about["card"]["figures"]
            (figures_of_it[part] if part else figures_of_it)[name] += 1e-6

    for name, file in ((NAME, "policy.json"), ("greedy", "card.json")):
        edit(folder / "demi-iles" / name / file, change)
    result = verified(folder, NAME, "greedy", "blocker")
    assert result.exit_code == 1
    *lines, verdict = result.stdout.splitlines()
    assert [line.partition(" is ")[0] for line in lines] == [
        f"demi-iles/{name}: {figure}" for name in (NAME, "greedy") for figure in figures
    ]
    assert verdict.startswith("3 opponents with 48 figures: 14 things are wrong (")
    assert result.stderr.endswith("demi-iles/greedy: 7 not as the card says\ndemi-iles/blocker: right\n")


def test_scored_anew_cards_are_right_again_and_nobody_is_trained(folder):
    paths = [folder / "demi-iles" / NAME / "policy.json", folder / "demi-iles" / "greedy" / "card.json"]
    right = [json.loads(path.read_text()) for path in paths]
    for path in paths:
        edit(path, lambda about: about["card"].update(figures={"value": 7.0, "exploitability_within_max_turns": 7.0}))
    result = nenette("opponents", "--rescore", "--folder", folder, NAME, "demi-iles/greedy", "--json")
    assert result.exit_code == 0, result.stderr
    assert sorted(card["name"] for card in json.loads(result.stdout)["demi-iles"]) == sorted([NAME, "greedy"])
    for path, before in zip(paths, right, strict=True):
        after = json.loads(path.read_text())
        assert differences(before["card"].pop("figures"), after["card"].pop("figures")) == []
        for about in (before, after):
            about.pop("rules", None)  # a rule that came later, with its default, is written out where it was not
        assert after == before


def test_a_weight_that_was_changed_is_found(folder):
    weights, about = folder / "demi-iles" / NAME / "policy.safetensors", folder / "demi-iles" / NAME / "policy.json"
    tensors = load(weights.read_bytes())
    tensors["layers.1.weight"] = np.ascontiguousarray(tensors["layers.1.weight"][::-1])
    weights.write_bytes(save(tensors))
    report = json.loads(verified(folder, NAME, "--json").stdout)
    (line,) = report["wrong"]
    assert line.startswith(f"{WHO}: ")
    assert "policy.safetensors is damaged, or not the file that its policy.json was written with" in line
    # Vouched for by the JSON, it is read, and plays otherwise.
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    edit(about, lambda about: about.update(tensors_sha256=digest))
    report = json.loads(verified(folder, NAME, "--json").stdout)
    assert {line.split(" ")[1] for line in report["wrong"]} >= {
        *("value", "exploitability", "elo"),
        *("endless.value", "endless.elo"),
    }
    # Everybody's rating depends on it.
    report = json.loads(verified(folder, "greedy", "--json").stdout)
    assert [line.split(" ")[:2] for line in report["wrong"]] == [
        ["demi-iles/greedy:", figure] for figure in ("endless.elo", "elo")
    ]


def another_length(config):
    """Under the name that the card has for it, today's or an earlier one."""
    config["total_steps" if "total_steps" in config else "total_timesteps"] = 9216


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda card: card.pop("versions"), "versions is missing on the card"),
        (lambda card: card.pop("figures"), "figures is missing on the card"),
        (lambda card: card["figures"].pop("win"), "win is missing on the card, and is "),
        (lambda card: card["figures"].update(luck=1.0), "luck is on the card, and there is no such figure"),
        (lambda card: card.update(seed=77), "seed is 77 on the card, and is "),
        (lambda card: card.update(algorithm="a2c"), "algorithm is 'a2c' on the card, and is "),
        (lambda card: card.update(steps=7), "steps is 7 on the card, and its config's total_timesteps is "),
        (lambda card: another_length(card["config"]), "config.total_timesteps is 9216 on the card, and "),
        (lambda card: card["config"].update(gamma=1), "the card: gamma (1) is no key of a config"),
    ],
)
@pytest.mark.usefixtures("rated")
def test_a_card_that_was_changed_is_found(change, line, folder):
    edit(folder / "demi-iles" / NAME / "policy.json", lambda about: change(about["card"]))
    result = verified(folder, WHO)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{WHO}: {line}")


def test_files_that_do_not_belong_are_found(folder):
    place = folder / "demi-iles" / NAME
    (place / "more.txt").write_text("x" * 1_000_000)
    (folder / "demi-iles" / "greedy" / "card.json").unlink()
    os.rename(folder / "demi-iles" / shipped_names("demi-iles")[-1], folder / "lost")
    lines = verified(folder).stdout.splitlines()[:-1]
    assert f"{WHO}: more.txt is none of its files (policy.json, policy.safetensors)" in lines
    assert any(line.startswith(f"{WHO}: its files take 1,0") for line in lines)
    assert "demi-iles/greedy: it has no card" in lines
    lost = f"demi-iles/{shipped_names('demi-iles')[-1]}"
    assert f"{lost}: the manifest names it, and it is not there" in lines


@pytest.mark.usefixtures("rated")
def test_the_manifest_is_compared_with(folder, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    config = CONFIGS / "demi-iles-dqn.yaml"
    manifest.write_text(f"- {{game: demi-iles, name: somebody, config: {config}, seed: 0}}\n")
    report = json.loads(verified(folder, "--json", manifest=manifest).stdout)
    assert f"{WHO}: the manifest does not name it" in report["wrong"]
    assert "demi-iles/somebody: the manifest names it, and it is not there" in report["wrong"]


@pytest.mark.usefixtures("rated")
def test_the_packages_own_manifest_is_found_from_any_folder(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = nenette("opponents", "--verify", "--folder", folder, WHO)
    assert result.exit_code == 0
    edit(folder / "demi-iles" / NAME / "policy.json", lambda about: another_length(about["card"]["config"]))
    result = nenette("opponents", "--verify", "--folder", folder, WHO)
    assert (result.exit_code, result.stdout.startswith(f"{WHO}: config.total_timesteps is 9216 on the card")) == (
        1,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--game", "422"],
            "a game is one of 'demi-iles-solo', 'demi-iles', '421', 'demi-iles-3', '421-3', not '422'; "
            "did you mean '421'?",
        ),
        (
            ["--game", "421-4"],
            "a game is one of 'demi-iles-solo', 'demi-iles', '421', 'demi-iles-3', '421-3', not '421-4'; "
            "did you mean '421-3'?",
        ),
        (["--verify", "--rebuild"], "--verify, --rebuild and --rescore are asked for one after the other"),
        (["--rescore", "no-one"], "'no-one': one of {} was expected"),
        (["421/cautios"], "'421/cautios': one of {} was expected; did you mean '421/cautious'?"),
        (["cautios"], "'cautios': one of {} was expected; did you mean 'cautious'?"),
        (["demi-iles/cautious"], "'demi-iles/cautious': one of {} was expected"),
        (["--verify", "--manifest", "no.yaml"], "no.yaml: there is no such file"),
        (["--rebuild", "--manifest", "no.yaml"], "no.yaml: there is no such file"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = nenette("opponents", *arguments)
    every = dict.fromkeys(name for ladder in LADDERS for name in ladder_names(ladder))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"nenette: {sentence.format(', '.join(every))}")
    assert result.stderr.count("\n") == 1


def test_a_play_that_may_get_stuck_is_never_said_to_finish_for_certain():
    from rich.console import Console

    from nenette_agents.opponents.cards import ladder_table

    def play(turns, finishes):
        return {"turns": turns, "finishes": finishes}

    cards = [
        {
            "name": "near",
            "kind": "hand-written",
            "figures": {"sampled": play(90.0, 1.0), "greedy": play(None, 0.999999)},
        },
        {"name": "nobody"},
    ]
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(ladder_table("demi-iles-solo", cards))
    near, nobody = [line.split("│")[1:-1] for line in console.export_text().splitlines() if line.startswith("│")]
    assert [cell.strip() for cell in near] == ["near", "90.000", "100.00%", "no end", ">99.99%", "hand-written"]
    assert [cell.strip() for cell in nobody] == ["nobody", "", "", "", "", "no card"]


def test_the_ladder_of_three_says_whom_they_were_scored_against():
    shown = nenette("opponents", "--game", "demi-iles-3").stdout
    assert "value against equilibrium at all other seats" in shown
    assert "value against optimal" not in shown
    cards = json.loads(nenette("opponents", "--game", "demi-iles-3", "--json").stdout)["demi-iles-3"]
    assert (cards[0]["name"], cards[-1]["name"]) == ("random", "equilibrium")
    gaps = [card["figures"]["nash_conv"] for card in cards]
    assert gaps == sorted(gaps, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("ladder", TABLES)
def test_the_ladder_of_three_is_what_its_cards_say(ladder):
    report = json.loads(verified(OPPONENTS, "--json", game=ladder).stdout)
    assert (report["wrong"], report["right"]) == ([], True)
    assert report["opponents"] == [f"{ladder}/{name}" for name in ladder_names(ladder)]


def test_the_ladder_of_three_at_421_is_about_the_best_rule_of_thumb():
    shown = " ".join(nenette("opponents", "--game", "421-3").stdout.split())
    assert "value against cautious at all other seats, over all seats" in shown
    assert "optimal" not in shown
    assert "NashConv" not in shown
    cards = json.loads(nenette("opponents", "--game", "421-3", "--json").stdout)["421-3"]
    assert [card["name"] for card in cards] == ["random", "a-fond", "beat-it", "cautious", "ppo"]
    assert {card["figures"]["against"] for card in cards} == {"cautious"}
