"""The opponents that come with the package: by name, offline, without torch, for the default rules."""

import importlib.util
import re
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from rule_variants import decisions
from small_networks import small_network

import nenette
from nenette.games import GAMES, make_game
from nenette.matches.ladder import strength
from nenette.policies import NetworkPolicy, PolicyFileError, make_policy, policy_names, save_policy
from nenette.policies.ask import ask
from nenette.policies.shipped import LARGEST, OPPONENTS, ladder_names, ladder_policy, read_card, shipped_names

TRAINED = [(game, name) for game in GAMES for name in shipped_names(game)]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", GAMES)
def test_a_ladder_has_at_least_six_rungs_with_both_algorithms_among_them(game):
    names = policy_names(game)
    assert len(names) >= 6
    assert {"random", "optimal"} < set(names)
    assert {read_card(game, name)["algorithm"] for name in shipped_names(game)} == {"ppo", "dqn"}
    assert names[-len(shipped_names(game)) :] == shipped_names(game), "the trained ones come last"
    assert ladder_names(game) == names


@pytest.mark.parametrize("algorithm", ["dqn", "ppo"])
@pytest.mark.parametrize("game", GAMES)
def test_every_rung_is_above_the_last_one(game, algorithm):
    trained = [f"{algorithm}-{rung}" for rung in ("weak", "medium", "strong")]
    rungs = ["random", *(name for name in trained if name in shipped_names(game)), "optimal"]
    assert len(rungs) >= 4
    known = {name: strength(read_card(game, name))[0] for name in rungs}
    assert all(known[one] < known[other] for one, other in pairwise(rungs)), known


@pytest.mark.parametrize(("game", "name"), TRAINED)
def test_a_trained_opponent_is_small_and_plays_legal_actions_by_its_name(game, name):
    folder = OPPONENTS / game / name
    assert sorted(path.name for path in folder.iterdir()) == ["policy.json", "policy.safetensors"]
    assert sum(path.stat().st_size for path in folder.iterdir()) < LARGEST
    played = make_game(game)
    policy = nenette.load_opponent(f"{game}/{name}")
    assert isinstance(policy, NetworkPolicy)
    assert policy.name == name
    observations, masks = decisions(played)
    probabilities = ask(policy, observations, masks)
    # Double precision is the same play, but for rounding.
    assert np.abs(probabilities - ask(policy.precise(), observations, masks)).max() < 1e-4


@pytest.mark.parametrize(("game", "name"), [(game, name) for game in GAMES for name in policy_names(game)])
def test_everybody_has_a_card(game, name):
    card = read_card(game, name)
    figures = card["figures"]
    if (game, name) in TRAINED:
        assert set(card) == {"kind", "algorithm", "seed", "steps", "config", "versions", "figures"}
        assert card == nenette.load_opponent(name, game).card
        assert card["config"]["game"] == game
        assert {"python", "numpy", "torch", "stable-baselines3", "nenette"} <= set(card["versions"])
    else:
        assert set(card) == {"kind", "figures"}
    if game == "demi-iles-solo":
        assert set(figures) == {"optimum", "sampled", "greedy"}
        for way in ("sampled", "greedy"):
            assert set(figures[way]) == {"finishes", "turns", "capped_turns", "regret", "lost", "agreement"}
    else:
        named = {"plays", "value", "win", "draw", "loss", "exploitability", "regret"}
        endless = {"value", "win", "draw", "loss", "exploitability", "rare"}
        cut = {"endless", "max_turns"} if game == "demi-iles" else set()
        both = {"other_player"} if card.get("algorithm") == "ppo" else set()
        assert set(figures) == {*named, "elo", *cut, *both}
        assert {figures["plays"]} <= {"greedy", "sampled"}
        if cut:
            assert set(figures["endless"]) == {*endless, "elo"}
        if both:
            assert set(figures["other_player"]) == named | cut
            assert {figures["plays"], figures["other_player"]["plays"]} == {"greedy", "sampled"}


def test_all_play_where_there_is_no_torch_and_are_read_when_they_are_wanted():
    program = f"""
import sys
for absent in ("torch", "stable_baselines3", "sb3_contrib", "matplotlib"):
    sys.modules[absent] = None
import nenette
assert "nenette.policies.shipped" not in sys.modules, "import nenette is to be light"
import numpy as np
from nenette.games import make_game
from nenette.policies import policy_names
for name, policy in {TRAINED!r}:
    assert policy in policy_names(name)
assert "safetensors" not in sys.modules, "weights are read when somebody plays by them"
from nenette.matches.sampled import play
for name, policy in {TRAINED!r}:
    game = make_game(name)
    table = [nenette.load_opponent(policy, game)] * game.players
    assert len(play(game, table, 2, np.random.default_rng(0), max_turns=40).returns) == 2
print("all played")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("all played\n", "")


def test_an_environment_seats_one_by_name():
    import gymnasium as gym

    env = gym.make("nenette/DemiIles-v0", opponents=shipped_names("demi-iles")[0])
    env.reset(seed=0)
    over = False
    while not over:
        observation, _, terminated, truncated, _ = env.step(1)
        assert env.observation_space.contains(observation)
        over = terminated or truncated


@pytest.mark.parametrize(
    ("game", "rules", "sentence"),
    [
        ("421", {"fiches": 21, "value_of_421": 10}, "not with fiches=21 and value_of_421=10"),
        ("demi-iles", {"starter": "drawn"}, "not with starter='drawn'"),
    ],
)
def test_other_rules_get_a_sentence(game, rules, sentence):
    name, played = shipped_names(game)[0], make_game(game, **rules)
    others = [one for one in policy_names(game) if one not in shipped_names(game)]
    assert policy_names(played) == others
    expected = f"^{re.escape(f'{name!r} plays {game} by its default rules only, {sentence}')}$"
    for ask_for in (name, f"{game}/{name}", f"best-response:{name}"):
        with pytest.raises(ValueError, match=expected):
            nenette.load_opponent(ask_for, played)


def test_where_play_is_cut_makes_no_difference():
    played = make_game("demi-iles", max_turns=50)
    assert policy_names(played) == policy_names("demi-iles")
    assert nenette.load_opponent(shipped_names("demi-iles")[0], played).game is played


def test_a_mistyped_one_is_reported_with_the_nearest_and_all_of_them():
    name = shipped_names("421")[0]
    for ask_for in (
        lambda given: make_policy(given, make_game("421")),
        lambda given: nenette.load_opponent(given, "421"),
    ):
        with pytest.raises(ValueError, match=f"; did you mean '{name}'\\?$") as error:
            ask_for(name[:-1] + "q")
        assert all(one in str(error.value) for one in policy_names("421"))


def test_a_ladder_in_another_folder_has_its_own_networks(tmp_path):
    game = make_game("421")
    save_policy(tmp_path / "421" / "mine", small_network(game, name="mine"), {"kind": "trained"})
    assert shipped_names("421", tmp_path) == ["mine"]
    assert ladder_names("421", tmp_path) == ["random", "optimal", "a-fond", "cautious", "beat-it", "mine"]
    assert ladder_policy("mine", game, tmp_path).name == "mine"
    assert ladder_policy("cautious", game, tmp_path).name == "cautious"
    assert read_card("421", "mine", tmp_path) == {"kind": "trained"}
    assert read_card("421", "cautious", tmp_path) is None
    (tmp_path / "421" / "mine").rename(tmp_path / "421" / "yours")
    with pytest.raises(PolicyFileError, match=r"yours holds a policy that is called 'mine'$"):
        ladder_policy("yours", game, tmp_path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "card.json is no JSON: "),
        ("[" * 99 + "]" * 99, "card.json is nested "),
        (" " * 1_000_001, "card.json is larger than 1000000 bytes"),
        ("[1]", "card.json holds no card"),
        ('{"card": 3}', "card.json holds no card"),
    ],
    ids=["cut", "deep", "large", "a list", "a number"],
)
def test_a_card_that_is_none_gets_a_sentence(text, sentence, tmp_path):
    (tmp_path / "421" / "mine").mkdir(parents=True)
    (tmp_path / "421" / "mine" / "card.json").write_text(text)
    with pytest.raises(PolicyFileError, match=sentence):
        read_card("421", "mine", tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="only hatchling builds the wheel")
def test_they_are_in_the_wheel(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        inside = {name for name in file.namelist() if name.startswith("nenette/opponents/")}
    assert inside == {f"nenette/{path.relative_to(OPPONENTS.parent).as_posix()}" for path in OPPONENTS.glob("*/*/*")}
