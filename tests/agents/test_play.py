"""Playing in the terminal: through a real pseudo-terminal where the terminal matters, else in the test's process."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nenette.games import make_game
from nenette_agents.cli import app as cli
from nenette_agents.play import records
from nenette_agents.play.rules import rules_in_short
from nenette_agents.play.texts import ENGLISH, FRENCH, texts_in

pty = pytest.importorskip("pty", reason="pseudo-terminals are not known to this system")
from terminal import Terminal  # noqa: E402  it needs pty

runner = CliRunner()
SHORT = ("--set", "fiches=3", "--set", "manches_to_lose=1", "--opponent", "cautious")


@pytest.fixture(autouse=True)
def games(tmp_path, monkeypatch):
    """A folder for saved games of the test's own, and a locale that is English."""
    monkeypatch.setenv("NENETTE_GAMES", str(tmp_path / "games"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return tmp_path / "games"


def nenette(*arguments, typed=""):
    return runner.invoke(cli.app, [str(argument) for argument in arguments], input=typed)


def test_a_match_at_a_terminal_without_colour_with_mistakes_of_every_kind(games):
    game = ("play", "421", *SHORT, "--seed", "1", "--hints", "--seat", "0")
    terminal = Terminal(*game, environment={"NO_COLOR": "1"})
    mistakes = iter(["x", "", "9", "6666", "-1", "\x1b[A", "é" * 50, "[bold]", "0x1"])
    asked = refused = 0
    while (shown := terminal.until_asked()) is not None:
        asked += 1
        last = shown.rstrip("> ").rstrip().splitlines()[-1]
        if "Type one of these" in shown:
            refused += 1
            assert not {"Traceback", "╭"} & set(shown.split())
        mistake = next(mistakes, None) if last != ENGLISH.throw else None
        terminal.type("" if last == ENGLISH.throw else "s" if mistake is None else mistake)
    assert terminal.end() == 0
    text = terminal.text
    assert (next(mistakes, None), refused) == (None, 9)
    assert asked > refused
    assert "'x' is no move here. Type one of these: s, " in text
    assert "Nothing was typed. Type one of these: s, " in text
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", terminal.raw)
    assert "┌───────┐ ┌───────┐ ┌───────┐" in text
    assert re.search(r"> You +fiches \d [●·]{3}\n", text)
    assert re.search(r"s  stop +\d+\.\d\d%", text)
    assert "* best" in text
    assert re.search(r"(You|Cautious) wins? the manche\.\n", text)
    assert not [line for line in text.splitlines() if len(line) > 80 and not line.startswith("Saved: ")]
    (saved,) = games.iterdir()
    assert records.read(saved).over


def test_ctrl_c_leaves_politely_and_keeps_the_game_and_plain_is_without_signs(games):
    game = ("play", "demi-iles", "--opponent", "greedy", "--seed", "2", "--seat", "0")
    terminal = Terminal(*game, "--plain", "--hints")
    terminal.until_asked()
    terminal.type("1")
    terminal.until_asked()
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert "\x1b" not in terminal.raw
    assert not set("┌│●·→—*\t") & set(terminal.text)
    assert re.search(r"\n1: throw one die, \d+\.\d\d%(, best)?\.\n", terminal.text)
    assert "\nYou: score 0 of 21.\n" in terminal.text
    assert re.search(r"\nDice: [1-6]\.\n", terminal.text)
    assert "\nYou have left the game.\nSaved: " in terminal.text
    assert "Traceback" not in terminal.text
    (saved,) = games.iterdir()
    record = records.read(saved)
    assert (len(record.moves), record.over, record.moves[0].action) == (2, False, 1)


def test_a_game_in_french_is_spoken_as_at_a_table(games):
    typed = "?\n" + "\n" * 30 + "s\n" * 90
    played = nenette("play", "421", "--lang", "fr", "--seed", 2, "--opponent", "cautious", typed=typed)
    assert played.exit_code == 0
    assert played.stdout.count("Les règles en bref\n  Les meilleurs coups et ce qu'ils valent") == 1
    for said in ("Onze fiches à la banque", "La banque est vide : décharge", "Charge · banque", "Tu prends", "sec !"):
        assert said in played.stdout
    for english in ("throw", "You", "fiche from", "Press", "Type"):
        assert english not in played.stdout


def test_the_rules_in_short_are_those_of_the_game_that_is_played():
    assert rules_in_short(make_game("demi-iles"), "en")[0] == "The rules in short"
    assert len(rules_in_short(make_game("421"), "fr")) > 3


def test_the_rules_in_short_name_the_rules_that_are_not_the_default_ones():
    said = rules_in_short(make_game("421", fiches=5, value_of_421=10), "en")
    assert said[-1].startswith("Other rules here: fiches 5, value_of_421 10. ")
    text = " ".join(said)
    assert "all 5 fiches" in text
    assert "421 (10), 111 (7)" in text
    three = rules_in_short(make_game("421", players=3), "fr")
    assert three[-1].startswith("Autres règles ici : players 3. ")
    assert "des autres" not in " ".join(rules_in_short(make_game("demi-iles"), "fr"))
    short = rules_in_short(make_game("demi-iles", players=3, max_turns=12), "en")
    assert "After 12 throws in all the game is a draw." in short
    assert short[-1].startswith("Other rules here: players 3, max_turns 12. ")


@pytest.mark.parametrize("players", [3, 6])
def test_the_rules_in_short_of_several_do_not_speak_of_two(players):
    for game in ("421", "demi-iles"):
        english, french = (" ".join(rules_in_short(make_game(game, players=players), one)) for one in ("en", "fr"))
        assert not re.search(r"[Bb]oth|the other\b(?! way)|\bbetter\b|\bworse\b", english)
        assert not re.search(r"les deux de|l'autre|L'autre", french)


def test_the_rules_in_short_of_the_game_that_is_played_alone():
    for language in ("en", "fr"):
        two, alone = (rules_in_short(make_game(game), language) for game in ("demi-iles", "demi-iles-solo"))
        assert [one == other for one, other in zip(alone, two, strict=True)] == [True, False, *[True] * 3, False, False]
    assert "after 12 throws the game is cut." in rules_in_short(make_game("demi-iles-solo", max_turns=12), "en")[-2]


def test_help_at_a_table_of_three_tells_the_rules(games):
    played = nenette("play", "421", "--players", 3, "--seed", 1, typed="?\nq\n")
    assert "The rules in short\n" in played.stdout
    assert "Other rules here: players 3." in played.stdout


def test_three_in_french_and_plain(games):
    game = ("play", "demi-iles", "--players", 3, "--opponent", "greedy", "--set", "max_turns=12", "--seat", 0)
    result = nenette(*game, "--seed", 5, "--lang", "fr", "--plain", typed="1\n" * 9)
    assert result.exit_code == 0
    assert re.search(r"Greedy 1 lance un dé : 0 à \d, ce qui te ramène à \d\.", result.stdout)
    assert re.search(r"ramène Greedy 2 à \d", result.stdout)
    assert "Toi : points 0 sur 21." in result.stdout
    assert "La partie s'arrête là : personne n'a gagné." in result.stdout
    assert not set("┌│●·→—") & set(result.stdout)


@pytest.mark.parametrize(
    ("variables", "texts"),
    [
        ({"LANG": "fr_FR.UTF-8"}, FRENCH),
        ({"LANG": "fr_CA", "LC_ALL": "C"}, ENGLISH),
        ({"LANG": "C", "LC_MESSAGES": "fr_BE.UTF-8"}, FRENCH),
        ({"LANG": "de_DE.UTF-8"}, ENGLISH),
        ({}, ENGLISH),
    ],
)
def test_the_language_is_the_locale_s(variables, texts, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert texts_in(None) is texts


def test_both_languages_fill_in_the_same_words():
    for name, text in vars(ENGLISH).items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", vars(FRENCH)[name])), name


def test_a_seed_repeats_a_game_and_the_saved_one_is_shown_as_it_was_played(games):
    first, second = (nenette("play", "421", *SHORT, "--seed", 4, "--quick", typed="6\ns\n" * 40) for _ in range(2))
    printed = first.stdout.partition("Saved")[0]
    assert printed == second.stdout.partition("Saved")[0]
    files = sorted(games.iterdir())
    assert [read_moves(path) for path in files] == [read_moves(files[0])] * 2
    shown = nenette("play", "--replay", files[0])
    assert shown.exit_code == 0
    for line in shown.stdout.splitlines():
        assert line in printed
    assert nenette("play", "--replay", "last").stdout == shown.stdout


def read_moves(path):
    return records.read(path).moves


def test_the_review_adds_up_and_is_one_object_on_stdout(games):
    played = nenette("play", "421", *SHORT, "--seed", 11, "--review", "--quick", typed="a\n" * 90)
    assert played.exit_code == 0
    assert re.search(r"Luck was worth [+-]\d+\.\d\d% to you\.", played.stdout)
    assert "What cost you most:" in played.stdout
    result = nenette("play", "--replay", "last", "--review", "--json")
    report = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    assert "Cautious" in result.stderr
    whole = report["start"] - report["own_given_away"] + report["other_given_away"] + report["luck"]
    assert whole == pytest.approx(report["result"])
    worst = report["costliest"][0]
    assert worst["cost"] == max(line["cost"] for line in report["decisions"] if line["seat"] == report["seat"])
    assert worst["move"] == "throw all again"
    assert worst["best_move"] != worst["move"]


def test_three_play_and_there_are_no_exact_chances_for_them(games):
    game = (
        "play",
        "demi-iles",
        "--players",
        3,
        "--opponent",
        "greedy",
        "--opponent",
        "random",
        "--set",
        "max_turns=30",
    )
    result = nenette(*game, "--seed", 5, "--hints", "--review", typed="2\n" * 40)
    assert result.exit_code == 0
    sentence = "There are no exact chances to show: they are known for games of two players (players here: 3)."
    assert " ".join(result.stdout.split()).count(sentence) == 1
    assert "Greedy  score" in result.stdout
    (saved,) = games.iterdir()
    assert records.read(saved).game.players == 3


@pytest.mark.parametrize(
    ("game", "players", "rules", "opponent"),
    [
        ("421", 3, "manches_to_lose=1", "Beat-it"),
        ("421", 6, "manches_to_lose=1", "Beat-it"),
        ("demi-iles", 4, "max_turns=8", "Greedy"),
    ],
)
def test_a_rule_of_thumb_sits_where_so_many_have_no_optimum(game, players, rules, opponent, games):
    result = nenette("play", game, "--players", players, "--set", rules, "--seed", 5, "--quick", typed="s\n1\n" * 60)
    assert result.exit_code == 0, result.stderr
    assert {f"{opponent} {seat}" for seat in range(1, players)} <= set(re.findall(r"[A-Z][\w-]+ \d", result.stdout))


def test_alone_there_is_nobody_to_be_named_and_the_end_of_the_input_leaves(games):
    result = nenette("play", "demi-iles-solo", "--seed", 1, typed="1\n2\n")
    assert (result.exit_code, "You have left the game." in result.stdout) == (0, True)
    assert "Seen 0 of 20, missing 1 2 3 4" in result.stdout


def test_agents_play_before_one_s_eyes_with_the_chances():
    rules = ("--set", "fiches=3", "--set", "manches_to_lose=1")
    result = nenette("watch", "random", "optimal", "--game", "421", "--seed", 1, *rules, "--review")
    assert result.exit_code == 0
    assert re.search(r"Chances to win: Random \d+\.\d\d% · Optimal \d+\.\d\d%\.", result.stdout)
    assert re.search(r"Random chooses: .*That gives away \d", result.stdout)
    assert "There was nothing better to decide for Optimal." in " ".join(result.stdout.split())


def test_the_readme_shows_what_its_command_prints():
    page = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- play:begin -->\n```text\n")[2].partition("```\n<!-- play:end -->")[0]
    typed, command = re.search(r"From the end of `printf '(.*)' \| nenette (.*)`:", page).groups()
    printed = nenette(*command.split(), typed=typed.replace("\\n", "\n"))
    assert shown.count("\n") > 20
    assert shown in printed.stdout


def test_nobody_who_plays_needs_torch_and_nobody_else_waits_for_the_solver(monkeypatch):
    code = (
        "import sys\nfrom nenette_agents import cli\nassert not {'numba', 'scipy', 'pydantic'} & set(sys.modules)\n"
        "sys.modules['torch'] = None\n"
        "cli.main(['play', '421', '--opponent', 'ppo-weak', '--seed', '1', '--quick'])\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input="s\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Ppo-weak throws" in done.stdout
    assert "--seed 1 repeats the game" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("play",), "say which game: nenette play 421, or nenette play demi-iles"),
        (("play", "422"), "not '422'; did you mean '421'?"),
        (("play", "421", "--opponent", "optimul"), "did you mean 'optimal'?"),
        (("play", "421", "--players", 7), "players is an integer from 2 to 6, not 7"),
        (("play", "421", "--players", 3, "--opponent", "optimal"), "421 is solved for two players, not for 3"),
        (("play", "demi-iles", "--seat", 2), "--seat is from 0 to 1 here, not 2"),
        (("play", "demi-iles-solo", "--opponent", "greedy"), "nobody else plays demi-iles-solo"),
        (("play", "demi-iles-solo", "--players", 2), "demi-iles-solo is played alone"),
        (("play", "421", "--lang", "de"), "--lang is one of 'en', 'fr', not 'de'"),
        (("play", "421", "--json"), "--json is for the review: say --review, too"),
        (("play", "demi-iles", "--players", 4, *["--opponent", "greedy"] * 2), "--opponent names one, or 3"),
        (("play", "421", "--replay", "last"), "GAME: a game that is shown again is as it was saved"),
        (("play", "--replay", "last"), "no game is saved in "),
        (("play", "--replay", "/nowhere.jsonl"), "/nowhere.jsonl: No such file or directory"),
        (("watch", "optimal", "--game", "421"), "421 has 2 seats here, and 1 agents were named"),
    ],
)
def test_what_cannot_be_played_gets_one_sentence(arguments, sentence):
    result = nenette(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_file_is_never_written_over_and_an_unwritable_folder_stops_nobody(games, tmp_path, monkeypatch):
    there = tmp_path / "mine.jsonl"
    there.write_text("mine")
    result = nenette("play", "421", *SHORT, "--save", there)
    assert (result.exit_code, result.stderr) == (2, f"nenette: {there}: File exists\n")
    assert there.read_text() == "mine"
    monkeypatch.setenv("NENETTE_GAMES", str(there / "below"))
    result = nenette("play", "421", *SHORT, "--seed", 1, "--quick", typed="s\n" * 40)
    assert result.exit_code == 0
    assert "The game is not saved:" in result.stdout


def test_a_disk_that_is_full_ends_the_saving_and_not_the_game(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records.Recorder, "move", full)
    result = nenette("play", "421", *SHORT, "--seed", 1, "--quick", typed="s\n" * 40)
    assert result.exit_code == 0
    assert result.stdout.count("The game is not saved: ") == 1
    assert re.search(r"wins? the manche\.", result.stdout)
    assert "Saved: " not in result.stdout


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A game that was played to its end."""
    folder = tmp_path_factory.mktemp("saved")
    path = folder / "game.jsonl"
    assert nenette("play", "421", *SHORT, "--seed", 11, "--quick", "--save", path, typed="s\n" * 60).exit_code == 0
    return path


def changed(line, **values):
    def change(lines):
        lines[line] = {**lines[line], **values}

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (changed(0, format=2), "is no saved game"),
        (changed(0, game="poker"), "line 1 of .*: a game is one of"),
        (changed(0, rules={"fishes": 3}), "did you mean 'fiches'"),
        (changed(0, you=2), "you is null or a seat from 0 to 1, not 2"),
        (changed(0, players=["a"]), "players are 2 names"),
        (changed(0, players=["a", "\x1b[2J"]), "players are 2 names"),
        (changed(0, seed=-1), "seed is an integer from 0, not -1"),
        (changed(1, start=[0]), "line 2 of .*: a state is 12 integers"),
        (changed(1, start=[0] * 12), "line 2 of .*: no game of 421 begins there"),
        (changed(2, action=3), "line 3 of .*: action 3 is not legal there"),
        (changed(2, action=True), "line 3 of .*: action True is not legal there"),
        (changed(2, fallen=[1, 2, 3]), "line 3 of .*: .* cannot fall there"),
        (changed(2, fallen={}), "line 3 of .*: .* cannot fall there"),
        (changed(2, state=[0] * 12), "line 3 of .*: the move does not lead to"),
        (changed(2, state=[10**30] * 12), "line 3 of "),
        (lambda lines: lines.append(lines[2]), "the game has ended in the line before"),
        (lambda lines: lines.pop(3), "line 4 of "),
    ],
)
def test_a_saved_game_is_held_against_the_rules(saved, tmp_path, change, sentence):
    lines = [json.loads(line) for line in saved.read_text().splitlines()]
    change(lines)
    path = tmp_path / "changed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = nenette("play", "--replay", path)
    assert result.exit_code == 2
    assert re.search(sentence, result.stderr), result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 400 + 2 * len(str(path))


def test_a_game_that_a_kill_cut_short_is_there_as_far_as_it_went(saved, tmp_path):
    whole = saved.read_bytes()
    path = tmp_path / "cut.jsonl"
    shutil.copy(saved, path)
    os.truncate(path, len(whole) - len(whole.splitlines()[-1]) - 10)
    record = records.read(Path(path))
    assert record.moves == records.read(saved).moves[:-1]
    assert "It was left after" in nenette("play", "--replay", path).stdout
