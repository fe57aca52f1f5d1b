"""The game loop of all slots, for one learner a game or with every seat a learner: the only one there is.

`compiled_rules` has the rules of a game; here is who moves when, which actions are played without asking, what a step
is worth and where a game ends. The loop is compiled once for each game; games without compiled functions are played by
the very same functions, run in Python. `nenette.environments.python_game` plays a single game by itself.
"""

import inspect
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from nenette.compiling import jitable, njit
from nenette.environments.vector.bind import arguments_of
from nenette.environments.vector.compiled_rules import (
    begin,
    decision,
    legal,
    load,
    mover,
    observe,
    over,
    payoff,
    play,
    save,
    starts_turn,
)
from nenette.environments.vector.seating import BY_MASK, OUTSIDE
from nenette.environments.vector.slots import ANSWER, FRESH, MOVE, OVER, PLAYING, RESET, SHARED
from nenette.environments.vector.streams import INLINED, draw_below, draw_unit, pick
from nenette.games.episode import is_cut

__all__ = [
    "ILLEGAL",
    "RANDOM_SEAT",
    "TERMINATED",
    "TRUNCATED",
    "Game",
    "loop_in_python",
    "step",
    "step_alone",
]

RANDOM_SEAT = -1
"""The learner's seat is drawn."""

TERMINATED, TRUNCATED, ILLEGAL = 1, 2, 4
"""What `step_alone` says of the step, as bits."""

_BYTES = 8
_is_cut = jitable(**INLINED)(is_cut)


class Game(NamedTuple):
    """What the engine needs to know of every game, besides its tables.

    Attributes:
        players: seats.
        n_actions: the game's own.
        max_turns: ENDLESS where it is never cut.
        turn_reward: of each turn, to whoever takes it.
        same_step: whether a game that is over begins again in the same step.
        starts: int32, (numbers, columns): where a game starts, for each number that may be drawn.
    """

    players: int
    n_actions: int
    max_turns: int
    turn_reward: float
    same_step: bool
    starts: NDArray[np.int32]


def _unsigned(number: Any) -> Any:
    """Bits to be shifted; where the loop runs in Python there may be more than 64 of them."""
    return int(number)


@overload(_unsigned, jit_options=INLINED)
def _compiled_unsigned(number):  # type: ignore[no-untyped-def]
    return lambda number: np.uint64(number)


@jitable(**INLINED)
def _lowest(may):  # type: ignore[no-untyped-def]
    action = 0
    while may >> action & 1 == 0:
        action += 1
    return action


@jitable(_nrt=False)
def _nearest_legal(may, asked, n_actions):  # type: ignore[no-untyped-def]
    """The legal action that differs from `asked` in the fewest bits; the lowest of several."""
    fewest, found = 64, 0
    for action in range(n_actions):
        if may >> action & 1:
            differing, bits = action ^ asked, 0
            while differing:
                bits += differing & 1
                differing >>= 1
            if bits < fewest:
                fewest, found = bits, action
    return found


@jitable(**INLINED)
def _write_mask(may, row, masks, n_actions):  # type: ignore[no-untyped-def]
    """Of the actions whose bits are set; where none is, everything, or *pass* where there is such an action."""
    n = masks.shape[1]
    if may == 0:
        may = 1 << n_actions if n > n_actions else (1 << n_actions) - 1
    if n == _BYTES:  # which the compiler makes a single write
        for action in range(_unsigned(_BYTES)):
            masks[row, action] = _unsigned(may) >> action & _unsigned(1)
    else:
        for action in range(_unsigned(n)):
            masks[row, action] = _unsigned(may) >> action & _unsigned(1)


@jitable(**INLINED)
def _judge_passes(moves, first, players, n_actions, chosen, output):  # type: ignore[no-untyped-def]
    """Whoever passes when it is to move, or does not when it is not, is reported."""
    for s in range(players):
        if (chosen[first + np.uint64(s)] == n_actions) == (s == moves):
            output.illegal[first + np.uint64(s)] = True
            output.counts[2] += 1


@njit(_nrt=False)
def _refused(phase, chosen, n_actions):  # type: ignore[no-untyped-def]
    """Whether an action is outside of the action space."""
    largest = np.uint64(0)
    if phase == MOVE:
        for k in range(len(chosen)):
            largest = max(largest, np.uint64(chosen[k]))  # negative ones are large there
    return largest >= np.uint64(n_actions)


@njit(_nrt=False)
def _copy(masks, seats, masks_copy, seats_copy):  # type: ignore[no-untyped-def]
    """What the slots hold for themselves, and what a caller may write to."""
    for i in range(len(seats)):
        seats_copy[i] = seats[i]
    for i in range(masks.shape[0]):
        for a in range(masks.shape[1]):
            masks_copy[i, a] = masks[i, a]


def _sources() -> int:
    """The state of all files whose functions are compiled here.

    numba looks at a compiled function's own file alone to see whether what it has cached on disk is still right. So the
    functions below depend on this number, too.
    """
    files = [*sorted(Path(__file__).parent.glob("*.py")), Path(str(inspect.getsourcefile(is_cut)))]
    return crc32(repr([(file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files]).encode())


def _compile_loop(sources: int) -> Any:
    @njit(_nrt=False)  # without reference counts: see `compiled_rules`
    def loop(  # type: ignore[no-untyped-def]
        phase, chosen, answers, seat, game, tables, slots, opponents, output, returned
    ):
        """Plays; `seat` is None where every seat is a learner's slot, which the compiler knows."""
        _ = sources
        players, n_actions, same_step = game.players, game.n_actions, game.same_step
        places, seats, status, words = slots.places, slots.seats, slots.status, slots.words
        observations, rewards, terminated, truncated = returned
        columns = np.uint64(places.shape[1] - SHARED)
        acted_column = np.uint64(places.shape[1] - SHARED + 1)
        per_game = players if seat is None else 1
        waits = 0
        for k in range(len(chosen) if phase == ANSWER else len(places)):
            i, action, begins, waited = k, np.int64(-1), False, False
            if phase == ANSWER:
                i = chosen[k]
            g = np.uint64(i)
            first = g * np.uint64(per_game)
            last = first + np.uint64(per_game)
            s0, s1 = words[g, 0], words[g, 1]
            turns, acted = np.int64(places[g, columns]), np.int64(places[g, acted_column])
            if phase == RESET:
                begins = chosen[first] != 0
            elif phase == MOVE:
                begins = status[g] == OVER
            if not begins:
                position = load(tables, places, g)
            if phase == ANSWER:
                x, s0, s1 = draw_unit(s0, s1)
                action = pick(answers, k, x)
            else:
                for slot in range(first, last):
                    rewards[slot], terminated[slot], truncated[slot], output.illegal[slot] = 0.0, False, False, False
                if phase == MOVE and not begins:
                    moves, may = mover(tables, position), legal(tables, position)
                    own = first
                    if seat is None:
                        _judge_passes(moves, first, players, n_actions, chosen, output)
                        own = first + np.uint64(moves)
                    asked = int(chosen[own])
                    if asked == n_actions:
                        action = np.int64(_lowest(may))
                    elif may >> asked & 1:
                        action = np.int64(asked)
                    else:
                        action = np.int64(_nearest_legal(may, asked, n_actions))
                        output.illegal[own] = True
                        output.counts[2] += 1
                    acted |= 1 << moves
                    status[g] = PLAYING
            changed = begins or action >= 0
            while begins or action >= 0:
                if begins:
                    begins = False
                    if seat is not None:
                        seats[g] = seat
                        if seat == RANDOM_SEAT:
                            seats[g], s0, s1 = draw_below(s0, s1, players)
                    position, s0, s1 = begin(tables, game.starts, places, g, s0, s1)
                    turns, acted = np.int64(0), np.int64(0)
                    status[g] = FRESH
                else:
                    moves = mover(tables, position)
                    starts = starts_turn(tables, position)
                    turns += starts
                    if starts and (seat is None or moves == seats[g]):
                        rewards[first + np.uint64(moves if seat is None else 0)] += game.turn_reward
                    everybody = (1 << players) - 1 if seat is None else 1 << seats[g]
                    goes_on = acted & everybody == everybody and turns < game.max_turns
                    position, more, s0, s1 = play(tables, position, action, goes_on, s0, s1)
                    turns += more
                    action = np.int64(-1)
                ended = over(tables, position)
                if ended or _is_cut(turns, game.max_turns, starts_turn(tables, position)):
                    if seat is not None and status[g] == FRESH:  # over before the learner has had a move
                        begins = True
                        continue
                    status[g] = OVER
                    for slot in range(first, last):
                        s = seats[slot]
                        terminated[slot], truncated[slot] = ended, not ended
                        if ended:
                            rewards[slot] += payoff(tables, position, s)
                        if same_step:
                            row = output.counts[0]
                            output.counts[0] += 1
                            output.final_slots[row], output.final_seats[row] = slot, s
                            observe(tables, position, s, row, output.final_observations)
                            own_move = not ended and s == mover(tables, position)
                            may = legal(tables, position) if own_move else 0
                            _write_mask(may, row, output.final_masks, n_actions)
                    if not same_step:
                        break
                    begins = True
                    continue
                moves, may = mover(tables, position), legal(tables, position)
                mine = seat is None or moves == seats[g]
                if may & (may - 1) == 0 and not (mine and acted >> moves & 1 == 0):
                    action = np.int64(_lowest(may))
                    continue
                if mine:
                    break
                after = moves - seats[g] - 1
                opponent = opponents.seated[g, np.uint64(after if after >= 0 else after + players)]
                kind = opponents.kinds[np.uint64(opponent)]
                if kind == OUTSIDE:
                    output.waiting[waits], output.waiting_for[waits] = i, opponent
                    observe(tables, position, moves, waits, output.waiting_observations)
                    _write_mask(may, waits, output.waiting_masks, n_actions)
                    waits += 1
                    waited = True
                    break
                block, number = np.int64(0), np.int64(0)
                if kind != BY_MASK:
                    block, number = decision(tables, position)
                else:
                    number = np.int64(may)
                at = opponents.bases[np.uint64(opponent), np.uint64(block)] + np.uint64(number)
                x, s0, s1 = draw_unit(s0, s1)
                action = pick(opponents.probabilities, opponents.row_of[at], x)
            if changed:
                words[g, 0], words[g, 1] = s0, s1
                save(tables, places, g, position)
                places[g, columns], places[g, acted_column] = turns, acted
            if not waited:
                moves = -1 if over(tables, position) else mover(tables, position)
                may = legal(tables, position)  # which for some games is known when this is compiled: no branch
                for slot in range(first, last):
                    observe(tables, position, seats[slot], slot, observations)
                    _write_mask(may if seats[slot] == moves else 0, slot, output.masks, n_actions)
        output.counts[1] = waits

    return loop


def _compile_step(sources: int) -> Any:
    @njit(_nrt=False)
    def step(  # type: ignore[no-untyped-def]
        bound, phase, chosen, answers, observations, rewards, terminated, truncated, masks, seats
    ):
        _ = sources
        seat, game, tables, slots, opponents, output = arguments_of(bound)
        if _refused(phase, chosen, output.masks.shape[1]):
            return False
        if phase != ANSWER:
            output.counts[0], output.counts[2] = 0, 0
        returned = (observations.reshape(observations.size), rewards, terminated, truncated)
        _loop(phase, chosen, answers, seat, game, tables, slots, opponents, output, returned)
        _copy(output.masks, slots.seats, masks, seats)
        return True

    return step


def _compile_step_alone(sources: int) -> Any:
    @njit(_nrt=False)
    def step_alone(bound, phase, action):  # type: ignore[no-untyped-def]
        _ = sources
        seat, game, tables, slots, opponents, output, chosen, answers, returned = arguments_of(bound)
        observations, rewards, terminated, truncated = returned
        chosen[0] = action
        returned = (observations.reshape(observations.size), rewards, terminated, truncated)
        _loop(phase, chosen, answers, seat, game, tables, slots, opponents, output, returned)
        return terminated[0] * TERMINATED | truncated[0] * TRUNCATED | output.illegal[0] * ILLEGAL

    return step_alone


_loop = _compile_loop(_sources())
loop_in_python = _loop.py_func
"""The loop itself, as Python runs it."""
step = _compile_step(_sources())
"""The compiled call, `step(bound, phase, chosen, answers, *returned)`: see `machine.Advance`. What is bound is the seat
of `Machine.bind`, a `Game`, the tables, the slots, the opponents and the output."""
step_alone = _compile_step_alone(_sources())
"""The same for a single slot, `step_alone(bound, phase, action)`, whose other arrays are bound, too; what it gives is
bits of `TERMINATED`, `TRUNCATED` and `ILLEGAL`."""
