"""A run from beginning to end, and what it leaves behind."""

import io
import json
import subprocess
import sys
from threading import Thread
from typing import Any

import numpy as np
import pytest
import yaml
from rich.console import Console

from nenette.matches import score
from nenette.policies import load_opponent, make_policy, read_policy
from nenette_agents.config.loading import load_config
from nenette_agents.errors import TrainingError
from nenette_agents.export import export_policy
from nenette_agents.self_play import FrozenPolicy, PastSelves
from nenette_agents.training import run as training
from nenette_agents.training.build import build
from nenette_agents.training.run import train

ALL = ("demi-iles-ppo", "421-ppo", "421-dqn", "demi-iles-solo-dqn")


@pytest.mark.parametrize("name", ALL)
def test_a_run_leaves_everything_behind(trained, name):
    outcome = trained(name)
    folder = outcome.folder
    game, algorithm = name.rsplit("-", 1)
    assert folder.parts[-3:-1] == (game, algorithm)
    assert outcome.status == "finished"
    files = {path.name for path in folder.iterdir()}
    assert {"config.yaml", "run.json", "metrics.jsonl", "policy.json", "policy.safetensors", "curve.png"} <= files
    assert {file for file in files if file.startswith(".")} == {".lock"}  # no temporary file
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    facts = json.loads((folder / "run.json").read_text())
    assert (facts["status"], facts["seed"], facts["game"]) == ("finished", 0, game)
    assert set(facts["versions"]) == {
        *("python", "numpy", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "nenette"),
        "instruction set",
    }
    assert facts["started"] <= facts["finished"]
    policy = load_opponent(folder)
    assert policy.game.rules_id == facts["rules_id"]
    assert policy.card["steps"] == outcome.steps
    assert policy.head == {"421-ppo": "argmax", "demi-iles-ppo": "softmax"}.get(name, "argmax")


def test_metrics_have_a_line_for_each_evaluation(trained):
    outcome = trained("demi-iles-ppo")
    lines = [json.loads(line) for line in (outcome.folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 512, 1024]
    assert lines[-1] == outcome.last
    for line in lines:
        assert line["exact"] is True
        assert line["win"] + line["draw"] + line["loss"] == pytest.approx(1)
        assert line["value"] == pytest.approx(line["win"] - line["loss"])
        assert {"exploitability", "regret", "seconds", "training_return"} <= set(line)
    spent = [line["cpu_seconds"] for line in lines]
    assert 0 < spent[0] < spent[1] < spent[2]


@pytest.mark.parametrize("name", ["demi-iles-ppo", "421-ppo", "421-dqn"])
def test_what_is_kept_and_scored_last_is_what_was_learned_last(name, monkeypatch, small_config, tmp_path):
    # An evaluation falls on the last step, before the last update, which is to be in what is kept.
    made, make = [], training.build
    monkeypatch.setattr(training, "build", lambda config: made.append(make(config)) or made[-1])
    config = load_config(small_config(name), ["total_timesteps=256", "evaluation.every=128"])
    outcome = train(config, tmp_path, "run", Console(file=io.StringIO()))
    learned = export_policy(made[0].learner, config.make_game(), "run", config.head)
    for kept, own in zip(read_policy(outcome.folder).layers, learned.layers, strict=True):
        np.testing.assert_array_equal(kept[0], own[0])
    lines = [json.loads(line) for line in (outcome.folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 128, 256]
    value = score(learned, config.make_game(), make_policy("random", config.make_game())).value
    assert outcome.last["value"] == pytest.approx(value, abs=1e-6)


def test_a_run_can_be_trained_outside_the_main_thread(small_config, tmp_path):
    outcomes = []
    config = load_config(small_config("421-dqn"), [])
    thread = Thread(target=lambda: outcomes.append(train(config, tmp_path, "run", Console(file=io.StringIO()))))
    thread.start()
    thread.join()
    assert [outcome.status for outcome in outcomes] == ["finished"]


def test_the_solo_game_is_scored_by_games(trained):
    last = trained("demi-iles-solo-dqn").last
    assert last["exact"] is False
    assert last["half_width"] >= 0
    assert -60 <= last["value"] <= -20


def test_three_players_are_scored_exactly_with_nash_conv_in_the_metrics_and_in_tensorboard(trained):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    outcome = trained("demi-iles-ppo", "rules.players=3")
    last = outcome.last
    assert (last["exact"], last["against"]) == (True, "random")
    assert last["nash_conv"] == pytest.approx(3 * last["exploitability"])
    events = EventAccumulator(str(outcome.folder))
    events.Reload()
    for tag, expected in (("exact", last), ("exact_endless", last["endless"])):
        assert events.Scalars(f"{tag}/nash_conv")[-1].value == pytest.approx(expected["nash_conv"])


def test_four_players_are_trained_and_scored_by_games(trained):
    last = trained("demi-iles-ppo", "rules.players=4", "evaluation.games=60").last
    assert (last["exact"], last["against"], last["exploitability"]) == (False, "random", None)
    assert "nash_conv" not in last
    assert last["win"] + last["draw"] + last["loss"] == pytest.approx(1)


def test_the_config_of_a_run_trains_the_same_policy_again(trained, tmp_path):
    outcome = trained("421-ppo")
    config = load_config(outcome.folder / "config.yaml")
    again = train(config, tmp_path, "again", Console(file=io.StringIO()))
    assert weights(again) == weights(outcome)


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(trained, name):
    assert weights(trained(name, again=1)) == weights(trained(name))
    assert weights(trained(name, "seed=1")) != weights(trained(name))


def weights(outcome):
    return (outcome.folder / "policy.safetensors").read_bytes()


def test_nothing_is_written_over(trained):
    first = trained("421-dqn").folder
    before = {path: path.read_bytes() for path in first.rglob("*") if path.is_file()}
    config = load_config(first / "config.yaml")
    said = io.StringIO()
    second = train(config, first.parents[2], first.name, Console(file=said)).folder
    assert said.getvalue().startswith(f"there is a run called {first.name} already: this one is called {second.name}\n")
    assert second != first
    assert second.name.startswith("421-dqn-")
    assert {path: path.read_bytes() for path in first.rglob("*") if path.is_file()} == before


def test_tensorboard_gets_the_scalars_of_the_learner_and_the_exact_ones(trained):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    outcome = trained("demi-iles-ppo")
    events = EventAccumulator(str(outcome.folder))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {f"exact/{name}" for name in ("value", "exploitability", "regret", "win", "draw", "loss")} <= tags
    assert {"train/loss", "rollout/ep_rew_mean"} <= tags
    last = events.Scalars("exact/value")[-1]
    assert (last.step, last.value) == (1024, pytest.approx(outcome.last["value"]))


def test_sampled_scores_are_called_so_in_tensorboard(trained):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(trained("demi-iles-solo-dqn").folder))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert "sampled/value" in tags
    assert not {tag for tag in tags if tag.startswith("exact/")}


def test_a_run_is_an_opponent_where_torch_is_not_installed(trained):
    folder = trained("421-ppo").folder
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'stable_baselines3', 'matplotlib']))\n"
        "import gymnasium, nenette\n"
        f"opponent = nenette.load_opponent({str(folder)!r})\n"
        "env = gymnasium.make('nenette/421-v0', opponents=[opponent], fiches=3, manches_to_lose=1)\n"
        "observation, info = env.reset(seed=1)\n"
        "masks = info['action_mask'][None]\n"
        "print(opponent.action_probabilities(observation[None], masks).sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("1.0", "")


def test_a_run_can_be_trained_against(trained, small_config, tmp_path):
    against = trained("421-ppo").folder
    config = load_config(small_config("421-dqn"), [f"opponents=[{against}]", f"evaluation.against={against}"])
    outcome = train(config, tmp_path, "second", Console(file=io.StringIO()))
    assert outcome.last["against"] == read_policy(against).name


@pytest.mark.parametrize(
    ("override", "sizes"), [("ppo.n_epochs=1", [16, 16]), ("ppo.vf_net_arch=[4, 5, 6]", [4, 5, 6])]
)
def test_the_value_function_has_layers_of_its_own_if_the_config_says_so(small_config, override, sizes):
    config = load_config(small_config("421-ppo"), [override])
    extractor: Any = build(config).learner.policy.mlp_extractor
    assert [m.out_features for m in extractor.policy_net if hasattr(m, "out_features")] == [16, 16]
    assert [m.out_features for m in extractor.value_net if hasattr(m, "out_features")] == sizes


def test_training_that_diverges_gets_a_sentence(small_config, tmp_path):
    config = load_config(small_config("demi-iles-ppo"), ["ppo.vf_coef=1e300"])
    with pytest.raises(TrainingError, match=r"training diverged after \d+ steps: .* ppo\.learning_rate may help$"):
        train(config, tmp_path, "diverged", Console(file=io.StringIO()))
    facts = json.loads((tmp_path / "demi-iles" / "ppo" / "diverged" / "run.json").read_text())
    assert facts["status"] == "failed"


def test_frozen_copies_change_when_they_are_renewed_and_at_no_other_time():
    from nenette.games import make_game

    game = make_game("demi-iles")
    state, _ = next(iter(game.initial()))
    observation = game.codec.encode_one(game.encode(state, 0))[None]
    masks = np.ones((1, 3), dtype=np.int8)
    selves = PastSelves(2, game)
    with pytest.raises(RuntimeError, match="before it was given a policy"):
        FrozenPolicy().action_probabilities(observation, masks)
    first, second = make_policy("greedy", game), make_policy("random", game)
    selves.renew(first)
    played = [copy.action_probabilities(observation, masks) for copy in selves.policies]
    np.testing.assert_array_equal(played[0], first.action_probabilities(observation, masks))
    np.testing.assert_array_equal(played[1], played[0])
    selves.renew(second)
    played = {copy.action_probabilities(observation, masks).tobytes() for copy in selves.policies}
    assert played == {p.action_probabilities(observation, masks).tobytes() for p in (first, second)}
    selves.renew(second)
    for copy in selves.policies:
        np.testing.assert_array_equal(
            copy.action_probabilities(observation, masks), second.action_probabilities(observation, masks)
        )


def test_copies_are_renewed_as_often_as_the_config_says(monkeypatch, small_config, tmp_path):
    renewed = []
    monkeypatch.setattr(PastSelves, "renew", lambda self, policy: (renewed.append(policy), renew(self, policy))[1])
    train(load_config(small_config("demi-iles-ppo")), tmp_path, "renewals", Console(file=io.StringIO()))
    # At the start, after 512 steps and at the end; the first is the untrained network, the others are not.
    assert len(renewed) == 3
    first, second, third = (policy.layers[0][0] for policy in renewed)
    assert not np.array_equal(first, second)
    assert not np.array_equal(second, third)


renew = PastSelves.renew


def test_the_config_that_a_run_keeps_has_every_default(trained):
    kept = yaml.safe_load((trained("demi-iles-ppo").folder / "config.yaml").read_text())
    assert kept["ppo"]["clip_range"] == 0.2
    assert kept["evaluation"] == {"every": 512, "against": "random", "games": 1000}
    assert "dqn" not in kept
