// 21 des Demi-Îles for two. A state is { scores, seat, turns }: both scores, who is to throw, and the throws made.

class DemiIles {
  name = "demi-iles";

  constructor(tables, landings) {
    Object.assign(this, tables);
    this.landings = landings;
  }

  start(random) {
    return { scores: [0, 0], seat: random.below(2), turns: 0 };
  }

  mover(state) {
    return state.seat;
  }

  /** Who has won; null where nobody has. */
  winner(state) {
    return state.scores[state.seat] === this.target ? state.seat : null;
  }

  isCut(state) {
    return this.maxTurns !== null && state.turns >= this.maxTurns && this.winner(state) === null;
  }

  legal() {
    return [0, 1, 2];
  }

  diceToThrow(state, action) {
    return action;
  }

  /** The score that dice lead to from `score`. */
  landing(score, faces) {
    return this.landings[faces.length][faces.reduce((place, face) => 6 * place + face - 1, score)];
  }

  follow(state, action, faces) {
    const scores = state.scores.map((score) => Math.max(0, score - action));
    scores[state.seat] = this.landing(state.scores[state.seat], faces);
    const seat = scores[state.seat] === this.target ? state.seat : 1 - state.seat;
    return { scores, seat, turns: state.turns + 1 };
  }

  /** Where a position stands in the tables: the mover's score, then the other's. */
  place(state) {
    return this.target * state.scores[state.seat] + state.scores[1 - state.seat];
  }

  /** The mover's winning chance with each action. */
  choices(state) {
    return this.legal().map((action) => this.chances[3 * this.place(state) + action]);
  }

  /** The winning chance of `seat`. */
  chance(state, seat) {
    const winner = this.winner(state);
    if (winner !== null) return Number(winner === seat);
    const chance = Math.max(...this.choices(state));
    return seat === state.seat ? chance : 1 - chance;
  }

  /** What decides whether two moves are the same. */
  key(state, action) {
    return String(action);
  }
}
