"""Contract tests that any game can be put through: ours are, and whoever adds one may do the same.

    from nenette.testing import check_game

    def test_my_game_keeps_what_games_promise() -> None:
        check_game(MyGame())

Each check raises an AssertionError that says in a sentence what is not so.
"""

import pickle
from collections import Counter, defaultdict
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np

from nenette.environments.turn_based import TurnBasedEnv
from nenette.exact import Unsolvable, model_of
from nenette.games import Game

__all__ = ["check_episodes", "check_game", "check_model", "check_observations", "check_rules", "walk"]

_DRAWS = 2000


def check_game(game: Game[Any], *, steps: int = 300, seed: int = 0, model: bool = True) -> None:
    """Puts a game through all checks.

    Args:
        game: any game.
        steps: how many random actions the checks look at.
        seed: of these.
        model: whether the solver's model is held against the rules, where the game can be written out; that takes as
            long as writing it out does.

    Raises:
        AssertionError: the game does not keep what games promise; the text says what.
    """
    states = walk(game, steps, seed)
    check_rules(game, states, seed)
    check_observations(game, states)
    check_episodes(game, seed)
    if model:
        check_model(game, seed)


def walk(game: Game[Any], steps: int, seed: int) -> list[Any]:
    """The distinct states that uniformly random play runs into, in the order met, finished games among them."""
    rng = np.random.default_rng(seed)
    state, met = game.initial().sample(rng), dict[Any, None]()
    for _ in range(steps):
        met[state] = None
        if game.returns(state) is not None:
            state = game.initial().sample(rng)
        else:
            state = game.sample(state, int(rng.choice(game.legal_actions(state))), rng)
    return list(met)


def check_rules(game: Game[Any], states: Sequence[Any], seed: int = 0) -> None:
    """Legal actions are some of the game's, probabilities sum to one, what is sampled is what is enumerated."""
    rng = np.random.default_rng(seed)
    cases = []
    for state in states:
        returns = game.returns(state)
        if returns is not None:
            _check_returns(game, returns)
            continue
        seat, legal = game.seat(state), game.legal_actions(state)
        assert seat in range(game.players), f"seat {seat} is to move in {state}, and there are {game.players}"
        assert len(legal) > 0, f"no action is legal in {state}, and the game is not over"
        assert list(legal) == sorted(set(legal)), f"the legal actions {legal} of {state} are not in ascending order"
        assert set(legal) <= set(range(game.n_actions)), f"{legal} in {state} are not all among 0..{game.n_actions - 1}"
        for action in legal:
            outcomes = game.outcomes(state, action)
            total = sum((p for _, p in outcomes), Fraction(0))
            assert total == 1, f"the probabilities of action {action} in {state} sum to {total}"
            assert len(set(outcomes.outcomes)) == len(outcomes), f"action {action} in {state} lists an outcome twice"
            cases.append((state, action))
    for k in rng.choice(len(cases), size=min(8, len(cases)), replace=False):
        state, action = cases[k]
        _check_sampling(game, state, action, rng)


def _check_returns(game: Game[Any], returns: Sequence[float]) -> None:
    assert len(returns) == game.players, f"{len(returns)} returns are given to {game.players} seats"
    assert all(-1 <= r <= 1 for r in returns), f"the returns {returns} are not all from -1 to 1"
    assert game.players == 1 or abs(sum(returns)) < 1e-9, f"the returns {returns} do not sum to 0"


def _check_sampling(game: Game[Any], state: Any, action: int, rng: np.random.Generator) -> None:
    counts = Counter(game.sample(state, action, rng) for _ in range(_DRAWS))
    probabilities = {outcome: float(p) for outcome, p in game.outcomes(state, action)}
    for outcome in counts:
        assert outcome in probabilities, f"action {action} in {state} led to {outcome}, which is none of its outcomes"
    for outcome, p in probabilities.items():
        error = 5.0 * np.sqrt(p * (1 - p) / _DRAWS) + 1e-12
        assert abs(counts[outcome] / _DRAWS - p) <= error, (
            f"action {action} in {state} led to {outcome} in {counts[outcome]} of {_DRAWS} draws, and its probability "
            f"is {p:.4f}"
        )


def check_observations(game: Game[Any], states: Sequence[Any]) -> None:
    """Every seat's observation is enough to decode the state, which goes on from there as it would have."""
    for state in states:
        for seat in range(game.players):
            fields = game.encode(state, seat)
            seen = game.codec.encode(np.array([fields]))
            assert game.codec.decode(seen)[0].tolist() == list(fields), f"{fields} of {state} are not read back"
            assert np.array_equal(game.codec.encode_one(fields), seen[0]), f"{fields} are encoded in two ways"
            turned = game.decode(fields)
            assert game.encode(turned, 0) == tuple(fields), f"the state of {fields} has other fields"
            if game.returns(state) is None:
                mover = (game.seat(state) - seat) % game.players
                assert game.seat(turned) == mover, f"seen by seat {seat}, another seat is to move in {state}"
                assert game.legal_actions(turned) == game.legal_actions(state), f"{state}: legal actions differ by seat"
        assert game.decode(game.encode(state, 0)) == state, f"{state} is another state once it has been observed"


class _Contract(TurnBasedEnv):
    env_id = "nenette.testing"


class _Compiled(_Contract):
    patience = 0


def check_episodes(game: Game[Any], seed: int = 0, steps: int = 120) -> None:
    """Equal seeds play equal games, compiled or not; copies, pickles and snapshots go on as the original does."""
    options: dict[str, Any] = {"opponents": "random", "seat": "random"} if game.players > 1 else {}
    expected = _episodes(_Contract(game, **options), steps, seed)
    assert _episodes(_Contract(game, **options), steps, seed) == expected, "equal seeds play different games"
    assert _episodes(_Compiled(game, **options), steps, seed) == expected, "compiled code plays another game"
    env = _Contract(game, **options)
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        _, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        if terminated or truncated:
            _, info = env.reset()
    restored = _Contract(game, **options)
    snapshot = env.snapshot()
    restored.reset(seed=seed + 1)
    restored.restore(snapshot)
    # The pickle is made here and now of this very environment: nothing of a file is loaded.
    copies = {"a copy": deepcopy(env), "a pickle": pickle.loads(pickle.dumps(env)), "a snapshot": restored}
    onward = _onward(env, info["action_mask"], steps, seed)
    for name, copy in copies.items():
        assert _onward(copy, info["action_mask"], steps, seed) == onward, f"{name} does not go on as the original does"


def _episodes(env: TurnBasedEnv, steps: int, seed: int) -> list[Any]:
    observation, info = env.reset(seed=seed)
    return [observation.tobytes(), *_onward(env, info["action_mask"], steps, seed)]


def _onward(env: TurnBasedEnv, mask: Any, steps: int, seed: int) -> list[Any]:
    rng, met = np.random.default_rng(seed), list[Any]()
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(mask))))
        met.append((observation.tobytes(), reward, terminated, truncated, info["seat"]))
        mask = info["action_mask"]
        if terminated or truncated:
            observation, info = env.reset()
            mask = info["action_mask"]
            met.append(observation.tobytes())
    return met


def check_model(game: Game[Any], seed: int = 0, rows: int = 60) -> None:
    """The solver's model says of its states what the rules say; games that cannot be written out are passed over."""
    try:
        model = model_of(game)
    except Unsolvable:
        return
    n, index = model.n_states, {tuple(fields): s for s, fields in enumerate(model.fields.tolist())}
    rng = np.random.default_rng(seed)
    for s in {model.start, *rng.integers(n, size=rows).tolist()}:
        state = game.decode(model.fields[s].tolist())
        low, high = model.row_start[s], model.row_start[s + 1]
        assert tuple(model.row_action[low:high]) == game.legal_actions(state), f"the model of {state} has other actions"
        for row in range(low, high):
            expected: dict[Any, float] = defaultdict(float)
            for outcome, p in game.outcomes(state, int(model.row_action[row])):
                returns = game.returns(outcome)
                if returns is None:
                    mover = game.seat(outcome)
                    expected[index[game.encode(outcome, mover)] + n * (mover != game.seat(state))] += float(p)
                else:
                    expected["win" if returns[0] > 0 else "loss" if returns[0] < 0 else "draw"] += float(p)
            modelled: dict[Any, float] = defaultdict(float)
            part = slice(model.transition.indptr[row], model.transition.indptr[row + 1])
            for column, p in zip(model.transition.indices[part].tolist(), model.transition.data[part], strict=True):
                modelled[column] += float(p)
            drawn = model.ends[row] - model.win[row] - model.loss[row]
            modelled |= {"win": float(model.win[row]), "loss": float(model.loss[row]), "draw": float(drawn)}
            for key in {*modelled, *expected}:
                known = abs(modelled[key] - expected[key]) < 1e-9
                assert known, f"action {model.row_action[row]} in {state} is another one in the model"
