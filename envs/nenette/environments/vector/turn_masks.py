"""Turn masking in compiled code: every seat acts at every step, and those that are not to move *pass*.

*Pass* is the action after the game's last one. Slots of a game lie side by side, seat 0 first.
"""

from nenette.compiling import njit

__all__ = ["asked_of", "write_mask"]


@njit(inline="always")
def write_mask(legal, row, masks):  # type: ignore[no-untyped-def]
    """The mask of a slot: the actions whose bits are set in `legal`, or *pass* if there are none."""
    passes = masks.shape[1] - 1
    for a in range(passes):
        masks[row, a] = legal >> a & 1
    masks[row, passes] = legal == 0


@njit(inline="always")
def asked_of(mover, first, players, passes, chosen, illegal, counts):  # type: ignore[no-untyped-def]
    """The action of the seat to move; whoever passes when it is to move, or does not when it is not, is told."""
    for seat in range(players):
        if (chosen[first + seat] == passes) == (seat == mover):
            illegal[first + seat] = True
            counts[2] += 1
    return chosen[first + mover]
