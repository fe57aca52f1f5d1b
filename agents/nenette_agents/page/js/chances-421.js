// The exact winning chances of 421, worked out round by round from what the next round is worth.

const N_COMBINATIONS = 56;

class Chances421 {
  constructor(game) {
    this.game = game;
    this.turns = new Map();
  }

  /** The chance of `seat` where a round begins, or the match is over. */
  ofState(state, seat) {
    if (state.winner !== undefined) return Number(state.winner === seat);
    const { leader } = this.game.facts(state.round);
    const chance = this.game.leaderChances[state.round];
    return leader === seat ? chance : 1 - chance;
  }

  /** A turn of `limit` throws at most, from what ending it is worth: `ends(thrown)[combination]`, to the mover.
   * inHand[t][kept]: dice are in hand after t throws; lying[t][combination]: three lie on the table after t. */
  turn(limit, ends) {
    const { fall, kept } = this.game;
    const nKept = fall.length / N_COMBINATIONS;
    const inHand = [];
    const lying = [];
    for (let thrown = limit; thrown >= 1; thrown--) {
      const stop = ends(thrown);
      const best = Float64Array.from(stop);
      if (thrown < limit) {
        for (let dice = 0; dice < N_COMBINATIONS; dice++) {
          for (let action = 1; action < 8; action++) {
            best[dice] = Math.max(best[dice], inHand[thrown][kept[8 * dice + action]]);
          }
        }
      }
      lying[thrown] = best;
      const before = new Float64Array(nKept);
      for (let hand = 0; hand < nKept; hand++) {
        let sum = 0;
        for (let dice = 0; dice < N_COMBINATIONS; dice++) sum += fall[hand * N_COMBINATIONS + dice] * best[dice];
        before[hand] = sum / 216;
      }
      inHand[thrown - 1] = before;
    }
    return { ends, inHand, lying };
  }

  /** The turn that `state` belongs to. */
  turnOf({ round, first, limit }) {
    const name = `${round} ${first} ${limit}`;
    let turn = this.turns.get(name);
    if (turn === undefined) {
      turn = first === null ? this.leaders(round, limit) : this.followers(round, first, limit);
      if (this.turns.size > 20000) this.turns.clear();
      this.turns.set(name, turn);
    }
    return turn;
  }

  followers(round, first, limit) {
    const { game } = this;
    const follower = 1 - game.facts(round).leader;
    const ends = Float64Array.from({ length: N_COMBINATIONS }, (_, dice) =>
      this.ofState(game.leadsTo(round, game.kind(round, first, dice)), follower),
    );
    return this.turn(limit, () => ends);
  }

  leaders(round, limit) {
    const ends = [];
    for (let thrown = 1; thrown <= limit; thrown++) {
      ends[thrown] = Float64Array.from(
        { length: N_COMBINATIONS },
        (_, first) => 1 - this.turnOf({ round, first, limit: thrown }).inHand[0][0],
      );
    }
    return this.turn(limit, (thrown) => ends[thrown]);
  }

  /** The mover's winning chance with each legal action. */
  choices(state) {
    const turn = this.turnOf(state);
    if (state.dice.length < 3) return [turn.inHand[state.thrown][this.game.handOf.get(state.dice)]];
    const dice = this.game.combinationOf.get(state.dice);
    return this.game
      .legal(state)
      .map((action) =>
        action === 0 ? turn.ends(state.thrown)[dice] : turn.inHand[state.thrown][this.game.kept[8 * dice + action]],
      );
  }

  /** The winning chance of `seat`. */
  chance(state, seat) {
    if (state.winner !== undefined) return this.ofState(state, seat);
    const chance = Math.max(...this.choices(state));
    return this.game.mover(state) === seat ? chance : 1 - chance;
  }
}
