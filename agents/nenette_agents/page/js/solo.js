// 21 des Demi-Îles alone: the fewest turns on average. Where few scores are missing, all that can follow is solved here,
// set by set from the full one down, by policy iteration (Puterman, Markov Decision Processes, 1994, ch. 7); the others
// are listed in a table. A state is { score, seen }, the bits of `seen` as in `SoloState`.

const SCORES = 22;
const ALL_SEEN = (1 << 20) - 1;
const ACTIONS = [0, 1, 2];

function countBits(bits) {
  let count = 0;
  for (let left = bits; left; left &= left - 1) count++;
  return count;
}

/** The bit of a score among those seen; none of 0 and 21. */
function bitOf(score) {
  return score > 0 && score < 21 ? 1 << (score - 1) : 0;
}

class Solo {
  name = "demi-iles-solo";

  constructor({ mostMissing, turns }, landings) {
    this.mostMissing = mostMissing;
    this.landings = landings;
    this.throws = Array.from({ length: SCORES }, (_, score) => ACTIONS.map((dice) => this.distribution(score, dice)));
    this.listed = this.list(turns);
    this.solved = new Map();
  }

  /** Pairs of a score and its probability. */
  distribution(score, dice) {
    const cases = 6 ** dice;
    const counts = new Map();
    for (const fallen of this.landings[dice].subarray(score * cases, (score + 1) * cases)) {
      counts.set(fallen, (counts.get(fallen) ?? 0) + 1);
    }
    return [...counts].map(([fallen, count]) => [fallen, count / cases]);
  }

  missing(seen) {
    return 20 - countBits(seen);
  }

  scoresOf(seen) {
    return Array.from({ length: SCORES }, (_, score) => score).filter(
      (score) => score === 0 || score === 21 || seen & bitOf(score),
    );
  }

  /** Turns by set and score, from the table. */
  list(turns) {
    const listed = new Map();
    let place = 0;
    for (let seen = 0; seen <= ALL_SEEN && place < turns.length; seen++) {
      if (this.missing(seen) <= this.mostMissing) continue;
      const values = new Float64Array(SCORES);
      for (const score of this.scoresOf(seen)) values[score] = turns[place++];
      listed.set(seen, values);
    }
    return listed;
  }

  isOver({ score, seen }) {
    return score === 21 && seen === ALL_SEEN;
  }

  follow({ seen }, fallen) {
    return { score: fallen, seen: seen | bitOf(fallen) };
  }

  /** Solves all sets that can follow and are not solved yet, pausing now and then; `progress` is told the share done. */
  async prepare({ seen }, progress = () => {}) {
    const first = this.missing(seen) > this.mostMissing ? this.needed(seen) : [seen];
    if (this.solved.size > 300000) this.solved.clear();
    let paused = performance.now();
    for (const set of first) {
      const missing = ALL_SEEN & ~set;
      const total = 2 ** countBits(missing);
      let done = 0;
      for (let more = missing; ; more = (more - 1) & missing) {
        if (!this.solved.has(set | more)) this.solved.set(set | more, this.solve(set | more));
        done++;
        if (performance.now() - paused > 40) {
          progress(done / total);
          await new Promise((resolve) => setTimeout(resolve));
          paused = performance.now();
        }
        if (more === 0) break;
      }
    }
  }

  /** Sets that can follow at once a listed one and are not listed. */
  needed(seen) {
    if (this.missing(seen) - 1 > this.mostMissing) return [];
    return this.scoresOf(ALL_SEEN & ~seen)
      .filter((score) => bitOf(score))
      .map((score) => seen | bitOf(score));
  }

  /** Expected turns from a state that is listed or solved. */
  turns({ score, seen }) {
    if (this.isOver({ score, seen })) return 0;
    return (this.listed.get(seen) ?? this.solved.get(seen))[score];
  }

  /** Expected turns with each number of dice. */
  choices(state) {
    return this.throws[state.score].map((outcomes) =>
      outcomes.reduce((sum, [fallen, probability]) => sum + probability * this.turns(this.follow(state, fallen)), 1),
    );
  }

  /** Expected turns from each score of a set, once all larger ones are solved. */
  solve(seen) {
    const scores = this.scoresOf(seen).filter((score) => !(score === 21 && seen === ALL_SEEN));
    const inside = new Int8Array(SCORES).fill(-1);
    scores.forEach((score, place) => (inside[score] = place));
    const values = new Float64Array(SCORES);
    for (let score = 1; score < 21; score++) {
      if (inside[score] < 0) values[score] = this.solved.get(seen | bitOf(score))[score];
    }
    const choice = this.leavingPlay(scores, inside);
    for (let changed = true; changed; ) {
      this.evaluate(scores, inside, choice, values);
      changed = false;
      scores.forEach((score, place) => {
        let least = values[score] - 1e-11;
        for (const dice of ACTIONS) {
          let turns = 1;
          for (const [fallen, probability] of this.throws[score][dice]) turns += probability * values[fallen];
          if (turns < least) {
            least = turns;
            choice[place] = dice;
            changed = true;
          }
        }
      });
    }
    return values;
  }

  /** A play that leaves the set for certain: always a throw that may leave it, or come a throw nearer to that. */
  leavingPlay(scores, inside) {
    const near = Array.from(inside, (place) => place < 0);
    const choice = new Int8Array(scores.length);
    for (let left = scores.length; left > 0; ) {
      const added = [];
      scores.forEach((score, place) => {
        if (near[score]) return;
        const dice = ACTIONS.find((k) => this.throws[score][k].some(([fallen]) => near[fallen]));
        if (dice === undefined) return;
        choice[place] = dice;
        added.push(score);
      });
      for (const score of added) near[score] = true;
      left -= added.length;
    }
    return choice;
  }

  /** Solves v = 1 + P v for the play `choice` by elimination; what lies outside the set is in `values` already. */
  evaluate(scores, inside, choice, values) {
    const n = scores.length;
    const width = n + 1;
    const rows = new Float64Array(n * width);
    for (let i = 0; i < n; i++) {
      rows[i * width + i] += 1;
      rows[i * width + n] = 1;
      for (const [fallen, probability] of this.throws[scores[i]][choice[i]]) {
        if (inside[fallen] < 0) rows[i * width + n] += probability * values[fallen];
        else rows[i * width + inside[fallen]] -= probability;
      }
    }
    for (let k = 0; k < n; k++) {
      for (let i = k + 1; i < n; i++) {
        const factor = rows[i * width + k] / rows[k * width + k];
        if (factor === 0) continue;
        for (let j = k + 1; j <= n; j++) rows[i * width + j] -= factor * rows[k * width + j];
      }
    }
    for (let i = n - 1; i >= 0; i--) {
      let sum = rows[i * width + n];
      for (let j = i + 1; j < n; j++) sum -= rows[i * width + j] * values[scores[j]];
      values[scores[i]] = sum / rows[i * width + i];
    }
  }
}
