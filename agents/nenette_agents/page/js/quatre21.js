// 421 for two. A state is { round, first, limit, thrown, dice }: the number of the round, the leader's final throw as a
// place among the combinations (null while the leader throws), how often the mover may throw and has thrown, and the
// dice on the table as digits from high to low. A match that is over is { winner, last }, `last` the round that ended it.

const THROW_ALL = 7;

class Quatre21 {
  name = "421";

  constructor(tables) {
    Object.assign(this, tables);
    this.combinationOf = new Map(this.combinations.map((dice, place) => [dice, place]));
    this.handOf = new Map(this.hands.map((dice, place) => [dice, place]));
    this.remembered = new Map();
  }

  /** What stands on the table before the first throw of a round. */
  facts(round) {
    const [lost0, lost1, fiches0, fiches1, bank, leader, limit] = this.rounds.subarray(7 * round, 7 * round + 7);
    return { manches: [lost0, lost1], fiches: [fiches0, fiches1], bank, leader, limit };
  }

  start(random) {
    return this.begin(this.starts[random.below(this.starts.length)]);
  }

  begin(round) {
    return { round, first: null, limit: this.facts(round).limit, thrown: 0, dice: "" };
  }

  mover(state) {
    const { leader } = this.facts(state.round);
    return state.first === null ? leader : 1 - leader;
  }

  winner(state) {
    return state.winner ?? null;
  }

  isCut() {
    return false;
  }

  legal(state) {
    return state.dice.length < 3 ? [THROW_ALL] : [0, 1, 2, 3, 4, 5, 6, 7];
  }

  /** Dice that are taken up lie in hand until they are thrown. */
  diceToThrow(state) {
    return state.dice.length < 3 ? 3 - state.dice.length : 0;
  }

  follow(state, action, faces) {
    if (state.dice.length < 3) {
      const dice = [...state.dice, ...faces].sort().reverse().join("");
      const thrown = state.thrown + 1;
      return thrown === state.limit ? this.afterTurn(state, dice, thrown) : { ...state, dice, thrown };
    }
    if (action === 0) return this.afterTurn(state, state.dice, state.thrown);
    return { ...state, dice: this.keeping(state.dice, action) };
  }

  keeping(dice, action) {
    return this.hands[this.kept[8 * this.combinationOf.get(dice) + action]];
  }

  afterTurn(state, dice, thrown) {
    const combination = this.combinationOf.get(dice);
    if (state.first === null) return { ...state, first: combination, limit: thrown, thrown: 0, dice: "" };
    return this.leadsTo(state.round, this.kind(state.round, state.first, combination));
  }

  /** How a round with these throws is settled. */
  kind(round, leaders, followers) {
    const phase = Number(this.facts(round).bank === 0);
    return this.kinds[(phase * 56 + leaders) * 56 + followers];
  }

  leadsTo(round, kind) {
    const next = this.after[(round * this.after.length) / (this.rounds.length / 7) + kind];
    return next < 0 ? { winner: -1 - next, last: round } : this.begin(next);
  }

  /** Who takes how many fiches, and why: see `_Rounds.claims` in quatre21.py. */
  settlement(round, leaders, followers) {
    const kind = this.kind(round, leaders, followers);
    const { bank, leader } = this.facts(round);
    const claims = this.claims[Number(bank === 0)][kind];
    return {
      ...claims,
      seat: claims.taker === null ? null : claims.taker === 0 ? leader : 1 - leader,
      taken: this.taken[(round * this.taken.length) / (this.rounds.length / 7) + kind],
    };
  }

  /** What `seat` sees, as numbers: `Quatre21.fields`. */
  fields(state, seat) {
    const { manches, fiches, bank, leader } = this.facts(state.round);
    return [
      manches[seat],
      manches[1 - seat],
      fiches[seat],
      fiches[1 - seat],
      bank,
      this.mover(state) ^ seat,
      leader ^ seat,
      state.first === null ? 0 : this.combinations.length - state.first,
      state.limit - 1,
      state.thrown,
      this.handOf.get(state.dice),
      0, // nothing is frozen by these rules
    ];
  }

  key(state, action) {
    return state.dice.length < 3 ? "" : this.keeping(state.dice, action);
  }
}
