"""One function scores any policy: exactly where it can, from played games where it cannot."""

import json
import re
from dataclasses import asdict

import numpy as np
import pytest

from nenette.exact import Unsolvable, answer_key
from nenette.games import make_game
from nenette.matches import score
from nenette.policies import load_opponent, make_policy
from nenette.policies.players import other_player

DEMI_ILES = make_game("demi-iles")
SHORT_421 = make_game("421", fiches=2)


class Spoilt:
    """Gives the same probabilities everywhere, whatever is legal."""

    name = "spoilt"

    def __init__(self, *probabilities: float) -> None:
        self.probabilities = np.array(probabilities)

    def action_probabilities(self, observations, masks):
        return np.tile(self.probabilities, (len(masks), 1))


def scored(policy: str, game, against: str | None, **options):
    return score(make_policy(policy, game), game, make_policy(against, game) if against else None, **options)


def test_a_score_is_printed_in_a_few_lines():
    found = scored("greedy", DEMI_ILES, "optimal")
    first, endless = str(found).split("\n")
    assert first.startswith(
        f"greedy in demi-iles against optimal (greedy): value {found.value:+.4f}, exploitability 0.8"
    )
    assert endless.startswith(f"endless game: value {found.endless.value:+.4f}, exploitability 1.0000, win ")
    played = scored("greedy", make_game("demi-iles", players=5), "random", games=20)
    assert f"value known within {played.half_width:.4f}, from 20 games" in str(played)


@pytest.mark.parametrize(
    ("game", "policy", "against"),
    [(make_game("demi-iles", max_turns=5000), "greedy", "blocker"), (SHORT_421, "a-fond", "random")],
)
def test_played_games_agree_with_the_exact_score(game, policy, against):
    exact = scored(policy, game, against)
    played = scored(policy, game, against, games=800, exact=False)
    assert (exact.exact, played.exact) == (True, False)
    assert (exact.half_width, exact.games) == (None, None)
    assert played.games == 800
    for figure in ("win", "draw", "loss"):
        assert getattr(played, figure) == pytest.approx(getattr(exact, figure), abs=0.08)
    assert played.value == pytest.approx(played.win - played.loss, abs=1e-12)
    assert abs(played.value - exact.value) < 2 * played.half_width
    # The interval of a mean of 800 wins and losses.
    assert played.half_width == pytest.approx(1.96 * np.sqrt((1 - played.value**2) / 800), rel=0.02)
    assert (exact.agent, exact.against, exact.game) == (policy, against, game.name)
    if played.adjusted_value is not None:
        assert abs(played.adjusted_value - exact.value) < 2 * played.adjusted_half_width


@pytest.mark.parametrize("game", [DEMI_ILES, SHORT_421])
def test_an_exact_score(game):
    optimal, other = scored("optimal", game, "random"), scored("random", game, "optimal")
    assert optimal.exploitability == pytest.approx(0, abs=1e-9)
    assert optimal.regret == pytest.approx(0, abs=1e-9)
    assert optimal.value > 0.05
    assert other.value == pytest.approx(-optimal.value, abs=1e-9)
    assert other.exploitability >= optimal.value - 1e-9
    assert 0 < other.regret < 1
    for result in (optimal, other):
        assert result.win + result.draw + result.loss == pytest.approx(1, abs=1e-9)
        assert np.mean(result.value_by_seat) == pytest.approx(result.value)
        report = json.loads(json.dumps(result.report(), allow_nan=False))
        assert {"win", "draw", "loss", "value", "exploitability", "regret", "exact"} <= set(report)


def test_the_cut_is_reported_beside_the_endless_game():
    random = scored("random", DEMI_ILES, "optimal")
    assert random.max_turns == 200
    assert 0 < random.exploitability < random.endless.exploitability
    assert 0 > random.value > random.endless.value
    assert random.draw > 0.1 > random.endless.draw
    sooner = scored("random", make_game("demi-iles", max_turns=20), "optimal")
    assert sooner.exploitability < random.exploitability
    assert sooner.endless == random.endless
    never = scored("random", make_game("demi-iles", max_turns=None), "optimal")
    assert (never.max_turns, never.endless) == (None, None)
    of_it = asdict(random.endless)
    assert of_it.pop("rare") == 0
    assert {figure: getattr(never, figure) for figure in of_it} == of_it
    short = scored("random", SHORT_421, "optimal")
    assert (short.max_turns, short.endless) == (None, None)


def test_what_is_played_is_what_is_scored_where_games_are_cut():
    # The same figures by another way, value for value, and by games that are played.
    game = make_game("demi-iles", max_turns=30)
    key = answer_key(game)
    player, opponent = (key.tabulate(make_policy(n, game).action_probabilities) for n in ("greedy", "blocker"))
    exact = scored("greedy", game, "blocker")
    foreseen = key.forecast(player, opponent, max_turns=30).at(0)[0][key.model.start]
    assert exact.value_by_seat == pytest.approx(foreseen, abs=1e-12)
    assert exact.exploitability == key.best_response_within(player, 30).mean()
    assert exact.win - exact.loss == pytest.approx(exact.value, abs=1e-12)
    assert exact.win + exact.draw + exact.loss == pytest.approx(1, abs=1e-12)
    played = scored("greedy", game, "blocker", games=2000, exact=False)
    assert played.max_turns == 30
    for figure in ("win", "draw", "loss"):
        assert getattr(played, figure) == pytest.approx(getattr(exact, figure), abs=0.05)
    assert exact.draw > 0.2


@pytest.mark.parametrize(("share", "rare", "endless"), [(3.1e-9, 0, 1), (2.9e-9, 2 * 441, 0)])
def test_probabilities_that_count_as_never_are_reported(share, rare, endless):
    """A hand that trembles this little, towards each of three actions a third as often, is on either side of `RARE`."""
    optimum = make_policy("optimal", DEMI_ILES)

    class Trembles:
        name = "trembles"

        def action_probabilities(self, observations, masks):
            return (1 - share) * optimum.action_probabilities(observations, masks) + share / 3

    result = score(Trembles(), DEMI_ILES, optimum)
    assert result.endless.rare == rare
    assert result.endless.exploitability == pytest.approx(endless, abs=1e-9)
    assert 1e-9 < result.exploitability < 1e-6  # where the game is cut nothing is left out


@pytest.mark.parametrize("way", ["softmax", "argmax"])
def test_a_score_says_which_player_it_is_of_and_tells_of_both(way):
    network = load_opponent("demi-iles/ppo-strong").with_head(way)
    result = score(network, DEMI_ILES, make_policy("optimal", DEMI_ILES))
    assert result.plays == {"softmax": "sampled", "argmax": "greedy"}[way]
    assert result.other_player.plays != result.plays
    other = score(other_player(network), DEMI_ILES, make_policy("optimal", DEMI_ILES), both_players=False)
    assert result.other_player == other
    assert other.other_player is None


def test_the_solo_game_played():
    game = make_game("demi-iles-solo", max_turns=300)
    result = scored("random", game, None, games=40, exact=False)
    assert not result.exact
    assert result.against is None
    assert result.win + result.draw == 1
    assert result.value == -result.turns
    assert 20 < result.turns <= 300
    assert result.half_width > 0
    assert result.exploitability is None


def test_three_players_are_played():
    game = make_game("demi-iles", players=3)
    result = scored("greedy", game, "random", games=301, exact=False)
    assert not result.exact
    assert result.games == 303  # as many from each seat
    assert len(result.value_by_seat) == 3
    assert result.value == pytest.approx(result.win - result.loss / 2)
    assert result.win > 0.5
    assert result.exploitability is None
    with pytest.raises(Unsolvable, match=r"^demi-iles is scored exactly for up to four players, not for 5$"):
        scored("greedy", make_game("demi-iles", players=5), "random", exact=True)
    five = scored("greedy", make_game("demi-iles", players=5, max_turns=40), "random", games=10)
    assert (five.exact, five.games) == (False, 10)


def test_the_same_seed_scores_the_same():
    first, same, other = (scored("random", DEMI_ILES, "greedy", games=50, exact=False, seed=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("game", "against", "sentence"),
    [
        (make_game("demi-iles-solo"), "random", "demi-iles-solo is played alone: it takes no opponent"),
        (DEMI_ILES, None, "demi-iles is scored against an opponent, and none was given"),
        (make_game("421"), None, "421 is scored against an opponent, and none was given"),
    ],
)
def test_a_missing_or_a_needless_opponent(game, against, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        scored("random", game, against)


@pytest.mark.parametrize("exact", [None, False])
@pytest.mark.parametrize(
    "probabilities", [(0.5, 0.5, 0.5), (1.5, -0.5, 0.0), (np.nan, 0.5, 0.5), (0.0, 0.0, 0.0), (1.0,)]
)
def test_invalid_probabilities_are_refused(probabilities, exact):
    with pytest.raises(ValueError, match=r"^policy 'spoilt' gave "):
        score(Spoilt(*probabilities), DEMI_ILES, make_policy("random", DEMI_ILES), games=4, exact=exact)


@pytest.mark.parametrize("exact", [None, False])
def test_probabilities_off_by_a_rounding_error_are_accepted(exact):
    result = score(Spoilt(0.5, 0.25, 0.25002), DEMI_ILES, make_policy("random", DEMI_ILES), games=4, exact=exact)
    assert result.win + result.draw + result.loss == pytest.approx(1)


@pytest.mark.parametrize("exact", [None, False])
def test_chances_for_illegal_actions_are_refused(exact):
    frozen = make_game("421", fiches=2, kept_dice="frozen")
    with pytest.raises(ValueError, match=r"^policy 'spoilt' gave the probabilities .* where actions .* are legal"):
        score(Spoilt(*np.full(8, 1 / 8)), frozen, make_policy("random", frozen), games=50, exact=exact)
