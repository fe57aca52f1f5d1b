"""n-step transitions between own decisions, against values worked out by hand and against a slow second telling."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nenette_agents.algorithms.dqn.decisions import Steps, UnfinishedReturns

PASS = 2
GOES_ON, OVER, CUT = range(3)


class Event(NamedTuple):
    """What a slot does in a step: its observation is the step's number, and its legal actions follow from that too."""

    action: int
    reward: float
    end: int = GOES_ON
    final_passes: bool = False


class Decision(NamedTuple):
    """A transition; `following` is the observation that is valued, None where nothing is."""

    slot: int
    at: int
    action: int
    total: float
    discount: float
    following: int | None


def own_mask(number: int) -> list[bool]:
    """Legal actions of whoever is to move: distinguished by the number's parity."""
    return [True, number % 2 == 0, False]


def run(histories: list[list[Event]], n: int, gamma: float, pass_action: int | None) -> list[Decision]:
    """Transitions of slots side by side; observation k of a slot is (slot, k), and the final one (slot, -k)."""
    slots = len(histories)
    unfinished = UnfinishedReturns(slots, 2, 3, n=n, gamma=gamma, pass_action=pass_action)
    found = []
    for k, events in enumerate(zip(*histories, strict=True)):
        seen = np.array([[slot, k] for slot in range(slots)], dtype=np.float32)
        masks = np.array([own_mask(k) if e.action != PASS else [False, False, True] for e in events])
        final = [[False, False, True] if e.final_passes else own_mask(k) for e in events]
        ends = np.array([e.end for e in events])
        steps = Steps(
            seen,
            masks,
            np.array([e.action for e in events]),
            np.array([e.reward for e in events], dtype=np.float32),
            ends == OVER,
            ends == CUT,
            seen * np.float32([1, -1]),
            np.array(final),
        )
        for batch in unfinished.add(steps):
            for (slot, at), action, total, discount, (other, following), mask in zip(*batch, strict=True):
                if discount:
                    assert other == slot
                    assert mask.tolist() == own_mask(abs(int(following)))
                else:
                    assert mask.all()
                found.append(
                    Decision(int(slot), int(at), int(action), total, discount, int(following) if discount else None)
                )
    return found


def slowly(history: list[Event], slot: int, n: int, gamma: float) -> list[Decision]:
    """The same by definition, decision by decision."""
    own = [k for k, event in enumerate(history) if event.action != PASS]
    found = []
    for k in own:
        total, decisions = 0.0, 0
        for j in range(k, len(history)):
            if j > k and history[j].action != PASS:
                decisions += 1
                if decisions == n:
                    found.append(Decision(slot, k, history[k].action, total, gamma**n, j))
                    break
            total += gamma**decisions * history[j].reward
            if history[j].end == OVER:
                found.append(Decision(slot, k, history[k].action, total, 0.0, None))
            elif history[j].end == CUT and not history[j].final_passes:
                found.append(Decision(slot, k, history[k].action, total, gamma ** (decisions + 1), -j))
            if history[j].end != GOES_ON:
                break
    return found


def test_two_steps_over_an_end_and_a_cut_by_hand():
    history = [Event(0, 1.0), Event(1, 2.0), Event(0, 4.0, OVER), Event(0, 8.0), Event(0, 16.0, CUT), Event(1, 32.0)]
    assert run([history], 2, 0.5, None) == [
        Decision(0, 0, 0, 1 + 0.5 * 2, 0.25, 2),
        Decision(0, 1, 1, 2 + 0.5 * 4, 0.0, None),  # the end takes no value, and nothing of the next game is summed
        Decision(0, 2, 0, 4, 0.0, None),
        Decision(0, 3, 0, 8 + 0.5 * 16, 0.25, -4),  # the cut takes that of what was seen last, two decisions on
        Decision(0, 4, 0, 16, 0.5, -4),  # or one
    ]


def test_passes_are_no_decisions_by_hand():
    history = [Event(PASS, 100.0), Event(0, 1.0), Event(PASS, 2.0), Event(PASS, 4.0), Event(1, 8.0), Event(PASS, 16.0)]
    history += [Event(0, 32.0), Event(PASS, 64.0, OVER)]
    assert run([history], 1, 0.5, PASS) == [
        Decision(0, 1, 0, 1 + 2 + 4, 0.5, 4),  # rewards in between are summed, and not discounted
        Decision(0, 4, 1, 8 + 16, 0.5, 6),
        Decision(0, 6, 0, 32 + 64, 0.0, None),  # the game ends while another seat is to move
    ]
    assert run([history], 2, 0.5, PASS)[0] == Decision(0, 1, 0, 7 + 0.5 * 24, 0.25, 6)


def test_a_slot_that_is_not_to_move_when_the_game_is_cut_has_nothing_to_learn_from():
    history = [Event(0, 1.0), Event(1, 2.0), Event(PASS, 4.0, CUT, final_passes=True), Event(0, 0.0, OVER)]
    assert run([history], 1, 0.5, PASS) == [Decision(0, 0, 0, 1, 0.5, 1), Decision(0, 3, 0, 0, 0.0, None)]
    # Whoever passed last and moves next does have.
    history[2] = Event(PASS, 4.0, CUT)
    assert Decision(0, 1, 1, 2 + 4, 0.5, -2) in run([history], 1, 0.5, PASS)


events = st.builds(
    Event,
    st.sampled_from([0, 1, PASS]),
    st.integers(-3, 3).map(float),
    st.sampled_from([GOES_ON] * 4 + [OVER, CUT]),
    st.booleans(),
)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 25).flatmap(
        lambda length: st.lists(st.lists(events, min_size=length, max_size=length), min_size=1, max_size=3)
    ),
    st.integers(1, 4),
    st.sampled_from([1.0, 0.5]),
)
def test_any_history_gives_what_the_definition_says(histories, n, gamma):
    expected = [decision for slot, history in enumerate(histories) for decision in slowly(history, slot, n, gamma)]
    assert sorted(run(histories, n, gamma, PASS)) == sorted(expected)  # whole numbers and halves: without rounding


def test_the_state_goes_with_as_many_slots_and_steps_only():
    state: dict[str, Any] = UnfinishedReturns(3, 2, 3, n=2, gamma=1.0, pass_action=None).state()
    with pytest.raises(ValueError, match=r"newest is int64 \(3,\), and int64 \(4,\) is expected"):
        UnfinishedReturns(4, 2, 3, n=2, gamma=1.0, pass_action=None).load_state(state)
