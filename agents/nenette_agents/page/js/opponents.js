// The opponents: what each does in a position, as probabilities of the legal actions. Uniform play, a table, or a network.

/** A multi-layer perceptron, as nenette.policies.network has it: float32 layers, computed in double precision.
 * `observation` has the features of each field of an observation. */
class Network {
  constructor({ layers, activation, head }, observation) {
    this.layers = layers;
    this.activate = activation === "tanh" ? Math.tanh : (x) => Math.max(x, 0);
    this.head = head;
    this.observation = observation;
  }

  encode(fields) {
    return fields.flatMap((value, k) => {
      const { table, width } = this.observation[k];
      return Array.from(table.subarray(value * width, (value + 1) * width));
    });
  }

  scores(fields) {
    let values = this.encode(fields);
    this.layers.forEach(({ weight, bias }, depth) => {
      const last = depth === this.layers.length - 1;
      values = Array.from(bias, (shift, row) => {
        let sum = shift;
        const from = row * values.length;
        for (let k = 0; k < values.length; k++) sum += weight[from + k] * values[k];
        return last ? sum : this.activate(sum);
      });
    });
    return values;
  }

  /** Probabilities of all actions; those that are not legal have none. */
  probabilities(fields, legal) {
    const scores = this.scores(fields);
    const best = legal.reduce((found, action) => (scores[action] > scores[found] ? action : found));
    const weights = scores.map((score, action) => {
      if (!legal.includes(action)) return 0;
      return this.head === "argmax" ? Number(action === best) : Math.exp(score - scores[best]);
    });
    const sum = weights.reduce((total, one) => total + one, 0);
    return weights.map((one) => one / sum);
  }
}

/** Where a decision of 421 stands in a table: see `decisions` in quatre21.py. */
function place421(game, state) {
  const [, , own, , , , , strength, limit, thrown] = game.fields(state, game.mover(state));
  const n = game.combinations.length;
  const blocks = 2 + 3 * n;
  const dice = game.combinationOf.get(state.dice);
  const leaders = n - strength;
  const block = strength === 0 ? thrown - 1 : 2 + (limit === 1 ? 0 : thrown) * n + leaders;
  return ((own - 1) * blocks + block) * n + dice;
}

/** A function from a state with a choice to the probabilities of all actions. */
async function makeOpponent(game, about, observation) {
  if (about.kind === "uniform") {
    return (state) => {
      const legal = game.legal(state);
      return legal.map(() => 1 / legal.length);
    };
  }
  if (about.kind === "actions") {
    const actions = await unpack(about.actions);
    return (state) => game.legal(state).map((action) => Number(action === actions[place421(game, state)]));
  }
  if (about.kind === "probabilities") {
    const table = await unpack(about.probabilities);
    return (state) => Array.from(table.subarray(3 * game.place(state), 3 * game.place(state) + 3));
  }
  const network = new Network(await unpack(about), observation);
  return (state) => network.probabilities(game.fields(state, game.mover(state)), game.legal(state));
}
