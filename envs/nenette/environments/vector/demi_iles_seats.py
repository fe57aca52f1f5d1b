"""21 des Demi-Îles for several players with every seat a slot, compiled; a game's numbers are those of `demi_iles`."""

from nenette.compiling import njit
from nenette.environments.vector.batch import OVER, PLAYING, RESET, Advance, Batch, Given, example
from nenette.environments.vector.bound import bound
from nenette.environments.vector.demi_iles import DemiIlesMachine, look, thrown
from nenette.environments.vector.frame import refused, tell
from nenette.environments.vector.turn_masks import asked_of, write_mask
from nenette.games.demi_iles import DICE_COUNTS, TARGET

__all__ = ["DemiIlesSeatsMachine"]

_ALL = (1 << len(DICE_COUNTS)) - 1
_PASS = len(DICE_COUNTS)


class DemiIlesSeatsMachine(DemiIlesMachine):
    """See `nenette.environments.vector.all_seats.SeatsMachine`."""

    def bind_seats(self, batch: Batch, given: Given, *, same_step: bool) -> Advance:
        """See `SeatsMachine`."""
        parts = (
            same_step,
            self.game.players,
            self._max_turns,
            self._falls,
            self._totals,
            self._lowered,
            self._pay,
            batch.places,
            batch.status,
            batch.words,
            given.masks,
            given.illegal,
            given.counts,
            given.final_slots,
            given.final_observations.ravel(),
            given.final_masks,
        )
        return bound(_step, parts, (given.masks, batch.seats), *example(given))


@njit()
def _advance_seats(  # type: ignore[no-untyped-def]
    phase,
    chosen,
    observations,
    rewards,
    terminated,
    truncated,
    same_step,
    players,
    max_turns,
    falls,
    totals,
    lowered,
    pay,
    places,
    status,
    words,
    masks,
    illegal,
    counts,
    final_slots,
    final_observations,
    final_masks,
):
    """See `nenette.environments.vector.all_seats.SeatsMachine`; observations are flat."""
    for game in range(len(places)):
        first = game * players
        for slot in range(first, first + players):
            rewards[slot], terminated[slot], truncated[slot], illegal[slot] = 0.0, False, False, False
        begins = chosen[first] != 0 if phase == RESET else status[game] == OVER
        if phase != RESET and not begins:
            mover = places[game, players]
            action = asked_of(mover, first, players, _PASS, chosen, illegal, counts)
            if action == _PASS:
                action = 0
            s0, s1 = words[game, 0], words[game, 1]
            wins, s0, s1 = thrown(places, game, action, players, falls, totals, lowered, s0, s1)
            words[game, 0], words[game, 1] = s0, s1
            status[game] = PLAYING
            if wins or places[game, players + 1] >= max_turns:
                status[game] = OVER
                begins = same_step
                for seat in range(players):
                    slot = first + seat
                    terminated[slot], truncated[slot] = wins, not wins
                    if wins:
                        rewards[slot] = pay[0] if seat == mover else pay[1]
                    if same_step:
                        row = counts[0]
                        counts[0] += 1
                        final_slots[row] = slot
                        look(places, game, seat, players, row, final_observations)
                        moves = not wins and seat == places[game, players]
                        write_mask(_ALL if moves else 0, row, final_masks)
        if begins:
            for j in range(players + 2):
                places[game, j] = 0
            status[game] = PLAYING
        mover = places[game, players]
        if places[game, mover] == TARGET:  # the game is over: nobody is to move
            mover = -1
        for seat in range(players):
            look(places, game, seat, players, first + seat, observations)
            write_mask(_ALL if seat == mover else 0, first + seat, masks)


@njit()
def _step(  # type: ignore[no-untyped-def]
    parts, phase, chosen, answers, observations, rewards, terminated, truncated, masks_told, seats_told
):
    """See `nenette.environments.vector.batch.Advance`."""
    if refused(phase, chosen, answers):
        return False
    _advance_seats(phase, chosen, observations.ravel(), rewards, terminated, truncated, *parts.parts)
    masks, seats = parts.own
    tell(masks, seats, masks_told, seats_told)
    return True
