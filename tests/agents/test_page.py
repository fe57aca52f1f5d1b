"""The page of `nenette page`, in a browser: its rules, sentences, chances and opponents held against the package's."""

import json
import re

import numpy as np
import pytest
from browser import check_width, opened, opened_browser

from nenette.environments.accounts import make_account
from nenette.exact import solve
from nenette.games import make_game
from nenette.games.demi_iles import TARGET, DemiIles, faces, throw
from nenette.games.quatre21_rules import COMBINATIONS
from nenette.matches.review import Chances
from nenette.policies import load_opponent
from nenette.policies.shipped import ladder_names
from nenette_agents.page.building import build
from nenette_agents.page.quatre21 import decisions
from nenette_agents.play.story import where

GAMES = ("demi-iles", "421")
OTHER = "optimal"

REPLAY = """async (given) => {
  const { name, language, you, other, games } = JSON.parse(given);
  const game = await nenette.page.gameOf(name);
  const story = nenette.storyOf(game, nenette.castIn(language, you, other));
  const judge = new nenette.Judge(game);
  const table = (state) => {
    if (name === "demi-iles") return [state.scores, state.seat];
    if (state.winner !== undefined) return state.winner;
    const { manches, fiches, bank, leader } = game.facts(state.round);
    const first = state.first === null ? null : game.combinations[state.first];
    return [manches, fiches, bank, leader, first, state.limit, state.thrown, state.dice];
  };
  return JSON.stringify(games.map(({ leader, moves }) => {
    let state = { scores: [0, 0], seat: leader, turns: 0 };
    if (name === "421") state = game.begin(game.starts.find((round) => game.facts(round).leader === leader));
    const steps = [story.start(state)];
    for (const { action, faces, dice } of moves) {
      const choice = game.legal(state).length > 1;
      const after = game.follow(state, action, faces);
      steps.push({
        legal: game.legal(state),
        count: game.diceToThrow(state, action),
        event: name === "421" ? story.event(state, action, dice, after) : story.event(state, action, after),
        question: choice ? story.question(state) : "",
        where: choice ? story.where(state) : "",
        moves: game.legal(state).map((one) => story.move(state, one)),
        chances: judge.choices(state),
        chance: judge.chance(state, 1),
        table: table(after),
      });
      state = after;
    }
    return [...steps, game.winner(state), game.winner(state) === null ? "" : story.ending(state)];
  }));
}"""

ASK = """async (given) => {
  const { name, opponent, tables } = JSON.parse(given);
  const game = await nenette.page.gameOf(name);
  const plays = await nenette.page.opponentOf(name, opponent);
  const rounds = new Map();
  for (let round = 0; name === "421" && round < game.rounds.length / 7; round++) {
    const { manches, fiches, bank, leader } = game.facts(round);
    rounds.set(JSON.stringify([manches, fiches, bank, leader]), round);
  }
  return JSON.stringify(tables.map((table) => {
    if (name === "demi-iles") return plays({ scores: table[0], seat: table[1], turns: 0 });
    const [manches, fiches, bank, leader, first, limit, thrown, dice] = table;
    const round = rounds.get(JSON.stringify([manches, fiches, bank, leader]));
    return plays({ round, first: first === null ? null : game.combinationOf.get(first), limit, thrown, dice });
  }));
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of the two games for two."""
    file = tmp_path_factory.mktemp("page") / "a page.html"
    file.write_bytes(build(GAMES))
    return file


@pytest.fixture(scope="module")
def browser():
    with opened_browser() as found:
        yield found


def digits(dice):
    return "".join(map(str, dice))


def table(game, state):
    """A state as the page's script above tells it."""
    if isinstance(game, DemiIles):
        return [list(state.scores), state.seat]
    if game.returns(state) is not None:
        return game.returns(state).index(1.0)
    first = digits(state.throws[0]) if state.throws else None
    held = [list(state.manches), list(state.fiches), state.bank, state.order[0]]
    return [*held, first, state.limit, state.thrown, digits(state.dice)]


def shown(game, state, action, fallen, rng):
    """The dice that were thrown."""
    if isinstance(game, DemiIles):
        return faces(state.scores[state.seat], action, fallen).sample(rng)
    left = list(fallen or ())
    for die in state.dice if fallen else ():
        left.remove(die)
    return tuple(rng.permutation(left).tolist())


def played(game, count, rng):
    """So many games, played at random: lists of (state, action, fallen, after)."""
    games = []
    for _ in range(count):
        state = game.initial().sample(rng)
        if isinstance(game, DemiIles):
            state = state._replace(seat=int(rng.integers(2)))
        moves = []
        while game.returns(state) is None and (game.max_turns is None or len(moves) < game.max_turns):
            action = int(rng.choice(game.legal_actions(state)))
            fallen = game.chance(state, action).sample(rng)
            after = game.follow(state, action, fallen).sample(rng)
            moves.append((state, action, fallen, after))
            state = after
        games.append(moves)
    return games


@pytest.mark.parametrize(("name", "count"), [("421", 24), ("demi-iles", 15)])
def test_rules_sentences_and_chances_are_the_packages_on_thousands_of_transitions(browser, page, name, count):
    rng = np.random.default_rng(1)
    game = make_game(name)
    games, chances = played(game, count, rng), Chances(game)
    assert sum(map(len, games)) > 2000
    recorded = [
        {
            "leader": game.seat(moves[0][0]),
            "moves": [
                {
                    "action": action,
                    "faces": shown(game, state, action, fallen, rng),
                    "dice": digits(fallen) if name == "421" and fallen else "",
                }
                for state, action, fallen, _ in moves
            ],
        }
        for moves in games
    ]
    known = [[(list(chances.choices(state).values()), chances.of(state, 1)) for state, *_ in moves] for moves in games]
    furthest = 0.0
    for language, you in (("en", 0), ("fr", 1)):
        account = make_account(game, you, [OTHER], language)
        semicolon = "; " if language == "en" else " ; "
        with opened(browser, page, game=name) as tab:
            given = {"name": name, "language": language, "you": you, "other": OTHER, "games": recorded}
            replayed = json.loads(tab.evaluate(REPLAY, json.dumps(given)))
        for moves, figures, record, (start, *steps, winner, ending) in zip(
            games, known, recorded, replayed, strict=True
        ):
            assert start == account.start(moves[0][0])
            for move, (choices, chance), sent, one in zip(moves, figures, record["moves"], steps, strict=True):
                state, action, fallen, after = move
                legal = game.legal_actions(state)
                assert one["table"] == table(game, after)
                assert one["legal"] == list(legal)
                assert one["count"] == len(sent["faces"])
                assert one["event"] == [line.strip() for line in account.event(state, action, fallen, after)]
                assert one["moves"] == [account.move(state, other) for other in legal]
                if len(legal) > 1:
                    assert one["question"] == account.question(state)
                    assert one["where"] == where(account, state, semicolon)
                differences = np.subtract([*one["chances"], one["chance"]], [*choices, chance])
                furthest = max(furthest, np.abs(differences).max())
            last = moves[-1][-1]
            returns = game.returns(last)
            assert winner == (None if returns is None else returns.index(1.0))
            assert ending == ("" if returns is None else account.ending(last, cut=False))
    assert furthest < 1e-12


@pytest.mark.parametrize(("name", "count"), [("421", 4), ("demi-iles", 3)])
def test_opponents_play_as_the_packages_do(browser, page, name, count):
    game = make_game(name)
    games = played(game, count, np.random.default_rng(2))
    states = [state for moves in games for state, *_ in moves if len(game.legal_actions(state)) > 1]
    if name == "421":  # both what is met at random, and anything at all
        states = states[:200] + decisions(game)[::317]
    assert len(states) > 400
    observations = game.codec.encode(np.array([game.fields(state, game.seat(state)) for state in states]))
    masks = np.ones((len(states), game.n_actions), dtype=np.int8)
    tables = [table(game, state) for state in states]
    with opened(browser, page, game=name) as tab:
        listed = tab.evaluate("name => nenette.page.data.opponents[name].map((one) => one.name)", name)
        assert sorted(listed) == sorted(ladder_names(name))
        for opponent in listed:
            given = json.dumps({"name": name, "opponent": opponent, "tables": tables})
            there = np.array(json.loads(tab.evaluate(ASK, given)))
            here = load_opponent(opponent, game).action_probabilities(observations, masks)
            assert np.abs(there - here).max() < 1e-6, opponent


def press_through(tab):
    """Plays a game to its end by keyboard, always the best choice; returns how many keys it took."""
    keys = 0
    while not tab.evaluate("nenette.page.play.sitting.over"):
        best = tab.evaluate("document.querySelector('#choices .best kbd')?.textContent ?? 'Enter'")
        tab.keyboard.press(best)
        keys += 1
    return keys


@pytest.mark.parametrize(
    ("name", "language", "width", "opponent"),
    [
        ("421", "en", 360, "cautious"),
        ("421", "fr", 1280, "ppo-weak"),
        ("demi-iles", "en", 1280, "random"),
        ("demi-iles", "fr", 360, "greedy"),
    ],
)
def test_a_whole_game_by_keyboard(browser, page, name, language, width, opponent):
    game = make_game(name)
    asked = {"game": name, "lang": language, "opponent": opponent, "seed": 5, "seat": 1}
    with opened(browser, page, width=width, **asked) as tab:
        assert press_through(tab) > 3
        sitting = "nenette.page.play.sitting"
        moves = tab.evaluate(f"{sitting}.moves.map(({{ action, dice }}) => [action, dice])")
        first = tab.evaluate(f"{sitting}.game.mover({sitting}.first)")
        state = next(s for s in game.initial().outcomes if name == "demi-iles" or game.seat(s) == first)
        state = state._replace(seat=first) if name == "demi-iles" else state
        account = make_account(game, 1, [opponent], language)
        lines = account.start(state)
        for action, dice in moves:
            assert action in game.legal_actions(state)
            fallen = tuple(map(int, dice)) or None
            if name == "demi-iles":
                (fallen,) = [
                    reached
                    for reached, _ in throw(state.scores[state.seat], action)
                    if (fallen or ()) in faces(state.scores[state.seat], action, reached).outcomes
                ]
            after = game.follow(state, action, fallen).outcomes[0]
            lines += account.event(state, action, fallen, after)
            state = after
        cut = game.returns(state) is None
        assert not cut or len(moves) == game.max_turns
        lines.append(account.ending(state, cut=cut))
        log = [line.replace("\u00a0", " ") for line in tab.locator("#log li").all_text_contents()]
        assert log == [line.strip() for line in lines]
        assert tab.text_content("#question").replace("\u00a0", " ") == lines[-1]
        assert tab.text_content("#review h2").startswith("THE GAME" if language == "en" else "RETOUR")
        assert tab.locator("#choices button").count() == 0
        if name == "421":  # the loser holds all the fiches, and has lost as many manches as lose the match
            number = {"en": r"fiches: (\d+)", "fr": r"fiches\u00a0: (\d+)"}[language]
            held = [int(re.search(number, text)[1]) for text in tab.locator(".seat").all_text_contents()]
            assert held == ([11, 0] if game.returns(state)[1] < 0 else [0, 11])
        other = "fr" if language == "en" else "en"
        tab.click(f"[data-language={other}]")
        assert tab.locator("#log li").count() == len(lines)
        assert tab.text_content("#log li:last-child").replace("\u00a0", " ") == make_account(
            game, 1, [opponent], other
        ).ending(state, cut=cut)
        assert tab.get_attribute("html", "lang") == other


def test_a_seed_repeats_a_game_and_dice_without_one_are_the_browsers(browser, page):
    texts = []
    for asked in ({"seed": 7}, {"seed": 7}, {}, {}):
        with opened(browser, page, game="demi-iles", opponent="greedy", seat=0, **asked) as tab:
            for key in "121212121212":
                tab.keyboard.press(key)
            texts.append(tab.text_content("#log"))
    assert texts[0] == texts[1]
    assert len(set(texts[1:])) == 3


def test_buttons_and_figures_tell_all_without_colour_and_to_a_screen_reader(browser, page):
    asked = {"game": "421", "opponent": "optimal", "seed": 3, "seat": 0, "lang": "en"}
    with opened(browser, page, width=360, **asked) as tab:
        while tab.locator("#choices .best").count() == 0:
            tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "question"
        best = tab.text_content("#choices .best")
        assert "* best" in best
        assert "%" in best
        assert tab.get_attribute("#log", "aria-live") == "polite"
        assert tab.locator(".seat.moves h3").text_content() == "▶ You (to move)"
        labels = tab.evaluate("[...document.querySelectorAll('.die')].map((die) => die.getAttribute('aria-label'))")
        assert set(labels) <= set("123456")
        assert all(
            tab.evaluate(
                "[...document.querySelectorAll('button, select, input')]"
                ".map((one) => one.labels?.length || one.textContent.trim().length)"
            )
        )
        tab.uncheck("#hints")
        assert "%" not in tab.text_content("#choices")
        assert tab.text_content("#standing") == ""


@pytest.mark.parametrize(("width", "language"), [(360, "fr"), (1280, "en")])
def test_the_maps_are_the_optimal_policies(browser, page, width, language):
    with opened(browser, page, width=width, lang=language, tab="explore", game="demi-iles") as tab:
        game = make_game("demi-iles")
        fields = np.array([(own, other, 0) for own in range(TARGET) for other in range(TARGET)])
        assert (
            list(map(int, tab.locator("#map td[role=gridcell]").all_text_contents()))
            == solve(game).actions_of(fields).tolist()
        )
        check_width(tab)
        tab.focus("#map td[tabindex='0']")
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
            tab.keyboard.press(key)
        assert tab.text_content("#found h2") == (
            "own score 1, the other's 1" if language == "en" else "son score 1, celui de l'autre 1"
        )
        chances = Chances(game).choices(game.state((1, 1, 0)))
        percent = "%.2f%%" if language == "en" else "%.2f %%"
        assert percent % (100 * max(chances.values())) in tab.text_content("#found .best").replace(
            "\u00a0", " "
        ).replace(",", ".")
        tab.select_option("#explored", "421")
        tab.wait_for_selector("#pick-place")
        match = make_game("421")
        leading = [state for state in decisions(match) if not state.throws and state.thrown == 1]
        actions = solve(match).actions_of(np.array([match.fields(state, 0) for state in leading]))
        by_fiches = np.array([kept(state, action) for state, action in zip(leading, actions.tolist(), strict=True)])
        expected = by_fiches.reshape(-1, len(COMBINATIONS)).T.reshape(-1)
        assert tab.locator("#map td[role=gridcell]").all_text_contents() == expected.tolist()
        check_width(tab)
        tab.select_option("#pick-place", "following")
        tab.select_option("#pick-allowed", "2")
        assert tab.locator("#map td[role=gridcell]").count() == len(expected)


def kept(state, action):
    """What the page's map shows of an action."""
    left = digits(die for place, die in enumerate(state.dice) if not action >> place & 1)
    return "✓" if action == 0 else left or "∅"


SOLVE = """async (missing) => {
  const { landings } = nenette.page.data.throws;
  await nenette.page.gameOf("demi-iles");
  const game = new nenette.Solo({ mostMissing: 15, turns: [] }, nenette.page.landings);
  const seen = (1 << 20) - 1 - missing;
  await game.prepare({ seen });
  return [...game.solved].map(([set, turns]) => [set, [...turns]]);
}"""


def test_the_solo_game_is_solved_in_the_page(browser, page):
    """Values that satisfy the optimality equation in all states are the optimum: every play that pays ends."""
    missing = sum(1 << score - 1 for score in (3, 9, 10, 14, 20))
    with opened(browser, page) as tab:
        solved = dict(tab.evaluate(SOLVE, missing))
    assert len(solved) == 2**5
    everything = (1 << 20) - 1
    for seen, turns in solved.items():
        for score in range(TARGET + 1):
            if (0 < score < TARGET and not seen >> score - 1 & 1) or (score, seen) == (TARGET, everything):
                continue
            each = []
            for dice in range(3):
                total = 1.0
                for fallen, probability in throw(score, dice):
                    after = seen | (1 << fallen - 1 if 0 < fallen < TARGET else 0)
                    total += float(probability) * (
                        0 if (fallen, after) == (TARGET, everything) else solved[after][fallen]
                    )
                each.append(total)
            assert turns[score] == pytest.approx(min(each), abs=1e-9)


@pytest.mark.slow
def test_the_whole_page_with_the_solo_game(browser, tmp_path):
    file = tmp_path / "all.html"
    file.write_bytes(build())
    assert file.stat().st_size < 2_000_000
    optimum, rng = solve(make_game("demi-iles-solo")), np.random.default_rng(3)
    with opened(browser, file, tab="explore", game="demi-iles-solo", lang="en", seed=1) as tab:
        assert tab.text_content("#found h2") == f"{optimum.facts['turns']:.2f} turns to go, on average."
        for missing in (20, 19, 17, 16, 16, 15, 10, 3, 0):
            bits = rng.permutation(20)[: 20 - missing]
            seen = int((1 << bits.astype(np.int64)).sum())
            scores = [score for score in range(TARGET + 1) if score in (0, TARGET) or seen >> score - 1 & 1]
            scores = scores[:-1] if missing == 0 else scores
            script = "async ({ seen, scores }) => { const game = await nenette.page.gameOf('demi-iles-solo'); "
            script += "await game.prepare({ seen }); return scores.map((score) => game.choices({ score, seen })); }"
            there = np.array(tab.evaluate(script, {"seen": seen, "scores": scores}))
            fields = np.array([[score, *(seen >> k & 1 for k in range(20))] for score in scores])
            assert there.min(axis=1) == pytest.approx(-optimum.values_of(fields), abs=1e-5)
            assert np.take_along_axis(there, optimum.actions_of(fields)[:, None], axis=1)[:, 0] == pytest.approx(
                there.min(axis=1), abs=1e-5
            )
        thrown = 0
        while tab.locator("#throw-0").count():
            tab.locator("#found .best").first.click()
            thrown += 1
            tab.wait_for_selector("#found h2")
        assert 21 <= thrown < 1000
