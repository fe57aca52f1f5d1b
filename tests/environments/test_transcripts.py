"""Whole games as accounts describe them, against the files in golden/.

After a change that is meant, write the files anew and read what has become of them:

    python tests/environments/test_transcripts.py
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from environment_cases import DEMI_ILES, QUATRE21, SOLO, make

from nenette.environments.accounts.words import Cast, counted, listed
from nenette.policies import choose, make_policy

GOLDEN = Path(__file__).parent / "golden"
# name: environment, its options, the policy of the learner's seat, seed
GAMES: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "demi_iles_solo": (SOLO, {}, "collector", 1),
    "demi_iles_solo_cut": (SOLO, {"max_turns": 8}, "random", 2),
    "demi_iles_two": (DEMI_ILES, {"opponents": "blocker", "seat": 1}, "greedy", 11),
    "demi_iles_four": (DEMI_ILES, {"players": 4, "opponents": ["greedy", "random", "greedy"]}, "blocker", 4),
    "demi_iles_cut": (DEMI_ILES, {"players": 3, "max_turns": 10}, "random", 5),
    "421_match": (QUATRE21, {"opponents": "cautious"}, "a-fond", 6),
    "421_manche": (QUATRE21, {"episode": "manche", "opponents": "random"}, "beat-it", 7),
    "421_opening_each_manche": (QUATRE21, {"next_manche_leader": "opening", "fiches": 4}, "cautious", 8),
    "421_exactly_and_frozen": (
        QUATRE21,
        {"followers": "exactly", "kept_dice": "frozen", "episode": "manche", "opponents": "a-fond", "seat": 0},
        "random",
        9,
    ),
    "421_cut": (QUATRE21, {"max_turns": 20, "seat": 1}, "a-fond", 10),
}


def transcript(name: str) -> str:
    """A game from its start to its end, with a line for each of the learner's decisions."""
    env_id, options, policy_name, seed = GAMES[name]
    env = make(env_id, render_mode="ansi", **options)
    policy = make_policy(policy_name, env.game)
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    parts, over = [env.render()], False
    while not over:
        probabilities = policy.action_probabilities(observation[None], info["action_mask"][None])
        action = int(choose(probabilities, rng)[0])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        parts.append(env.render())
    return "".join(f"{part}\n" for part in parts) + f"Reward: {reward:g}\n"


@pytest.mark.parametrize("name", GAMES)
def test_the_account_of_a_game_is_as_before(name: str) -> None:
    assert transcript(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_all_files_are_of_games() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(GAMES)


def test_players_are_called_you_and_by_their_policies() -> None:
    assert Cast(1, ["random", "greedy", "random"]).names == ["Random 2", "You", "Random 1", "Greedy"]
    cast = Cast(0, ["greedy"])
    assert (cast.does(0, "throw"), cast.does(1, "throw"), cast.then_does(0, "lead")) == (
        "You throw",
        "Greedy throws",
        "you lead",
    )
    assert cast.does(1, "have") == "Greedy has"


def test_numbers_and_lists_are_spoken() -> None:
    assert [counted(n, "die", "dice") for n in (0, 1, 2, 13)] == ["no die", "one die", "two dice", "13 dice"]
    assert [listed(list("abc")[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


if __name__ == "__main__":
    for game in GAMES:
        (GOLDEN / f"{game}.txt").write_text(transcript(game), encoding="utf-8")
