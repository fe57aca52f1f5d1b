// One game at the page's table, without anything of what is shown: who plays, what has happened, what it was worth.

const SAME = 1e-9; // choices whose chances differ by less are equally good
const SEEN = 5e-5; // what is less shows as 0.00%

/** Asks what choices are worth, of whichever game. */
class Judge {
  constructor(game) {
    this.by = game.name === "421" ? new Chances421(game) : game;
  }

  choices(state) {
    return this.by.choices(state);
  }

  chance(state, seat) {
    return this.by.chance(state, seat);
  }
}

/** One game: its rules, who plays, what has happened. */
class Sitting {
  constructor(game, opponent, you, random) {
    this.game = game;
    this.opponent = opponent;
    this.you = you;
    this.random = random;
    this.judge = new Judge(game);
    this.state = game.start(random);
    this.first = this.state;
    this.moves = [];
    this.faces = [[], []]; // what each has thrown last
    this.thrownIn = [null, null]; // and in which state
  }

  get over() {
    return this.game.winner(this.state) !== null || this.game.isCut(this.state);
  }

  get yours() {
    return !this.over && this.game.mover(this.state) === this.you;
  }

  /** The moves that differ: of equal dice it is the same which are thrown. */
  options() {
    const { game, state } = this;
    const chances = this.judge.choices(state);
    const seen = new Set();
    return game
      .legal(state)
      .map((action, place) => ({ action, chance: chances[place], key: game.key(state, action) }))
      .filter(({ key }) => !seen.has(key) && seen.add(key));
  }

  /** Plays an action; the dice fall, and those taken up are thrown at once. */
  play(action) {
    const { game, state } = this;
    const mover = game.mover(state);
    const faces = this.random.dice(game.diceToThrow(state, action));
    const after = game.follow(state, action, faces);
    const thrown = faces.length > 0;
    const shown = thrown && game.name === "421" ? [...state.dice, ...faces].map(Number).sort().reverse() : faces;
    if (thrown || game.name !== "421") {
      this.faces[mover] = shown;
      this.thrownIn[mover] = state;
    }
    this.moves.push({ state, action, dice: thrown ? shown.join("") : "", after });
    this.state = after;
    if (!this.over && state.round === after.round && after.dice !== undefined && after.thrown > 0 && after.dice.length < 3) {
      this.play(game.legal(after)[0]);
    }
  }

  /** Whether what a seat has thrown last belongs to an earlier round or turn. */
  isOld(seat) {
    if (this.over) return false;
    const { game, state } = this;
    return game.name === "421" ? this.thrownIn[seat]?.round !== state.round : game.mover(state) === seat;
  }

  /** The opponent plays until it is the person's turn. */
  letOpponentPlay() {
    while (!this.over && !this.yours) {
      const { game, state } = this;
      const legal = game.legal(state);
      const probabilities = legal.length > 1 ? this.opponent(state) : null;
      this.play(probabilities === null ? legal[0] : legal[this.random.draw(probabilities)]);
    }
  }

  /** Decisions of a seat, each with what it gave away. */
  decisions(seat) {
    const found = [];
    this.moves.forEach(({ state, action }, place) => {
      const legal = this.game.legal(state);
      if (legal.length < 2 || this.game.mover(state) !== seat) return;
      const chances = this.judge.choices(state);
      const chance = chances[legal.indexOf(action)];
      const best = Math.max(...chances);
      const bestAction = chance > best - SAME ? action : legal[chances.indexOf(best)];
      found.push({ place, state, action, chance, best, bestAction, cost: best - chance });
    });
    return found;
  }
}
