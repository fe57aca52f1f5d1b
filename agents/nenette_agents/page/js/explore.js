// Looking at the optimal policy: a map of each game for two, and the game alone with whatever is still missing.

class ExploreView {
  constructor(page) {
    this.page = page;
    this.at = {
      "demi-iles": { row: 0, column: 0 },
      421: { row: 0, column: 4, place: "leading", made: 1, allowed: 3, toBeat: 20 },
      "demi-iles-solo": { score: 0, seen: 0 },
    };
    $("explored").addEventListener("change", () => this.show());
  }

  async show() {
    const name = $("explored").value;
    const game = await this.page.gameOf(name);
    if (name !== $("explored").value) return;
    const { texts } = this.page;
    $("explained").textContent = texts.raw("explained")[name];
    $("controls").replaceChildren();
    $("found").replaceChildren();
    $("map").replaceChildren();
    if (name === "demi-iles") this.showDemiIles(game);
    else if (name === "421") this.show421(game);
    else await this.showSolo(game);
  }

  storyOf(game) {
    return storyOf(game, castIn(this.page.texts.language, 0, "…"));
  }

  /** What the choices of a position are worth. */
  showFound(title, lines) {
    const { texts } = this.page;
    const { label, figure } = lines.find(({ best }) => best);
    $("told").textContent = `${title}${texts.say("colon")}${label}, ${figure}, ${texts.say("best")}`;
    $("found").replaceChildren(
      element("h2", {}, title),
      ...lines.map(({ label, figure, best }) => choiceLine("div", null, label, figure, best, texts)),
    );
  }

  showDemiIles(game) {
    const { texts } = this.page;
    const at = this.at["demi-iles"];
    const story = this.storyOf(game);
    const scores = Array.from({ length: game.target }, (_, score) => score);
    const state = (row, column) => ({ scores: [row, column], seat: 0, turns: 0 });
    const cells = scores.map((own) =>
      scores.map((other) => {
        const chances = game.choices(state(own, other));
        const dice = chances.indexOf(Math.max(...chances));
        const label = `${texts.say("cell", { own, other })}${texts.say("colon")}${story.moveFrom(own, dice)}`;
        return element("td", { className: ["none", "one", "two"][dice], "aria-label": label }, String(dice));
      }),
    );
    const choose = (row, column) => {
      Object.assign(at, { row, column });
      const chances = game.choices(state(row, column));
      const best = Math.max(...chances);
      this.showFound(
        texts.say("cell", { own: row, other: column }),
        chances.map((chance, dice) => ({
          label: story.moveFrom(row, dice),
          figure: texts.chance(chance),
          best: chance > best - SAME,
        })),
      );
    };
    this.showMap("scores", `${texts.say("ownScore")} ↓ · ${texts.say("otherScore")} →`, scores, scores, cells, at, choose);
  }

  show421(game) {
    const { texts } = this.page;
    const at = this.at["421"];
    this.show421Controls(game, at);
    const story = this.storyOf(game);
    const judge = new Chances421(game);
    const columns = Array.from({ length: game.fiches - 1 }, (_, k) => k + 1);
    const leading = at.place === "leading";
    // The décharge is played alike whatever has been lost: positions are those of a match that has just begun.
    const find = (fiches) => {
      for (let round = 0; round < game.rounds.length / 7; round++) {
        const facts = game.facts(round);
        const held = facts.fiches[leading ? facts.leader : 1 - facts.leader];
        if (facts.bank === 0 && held === fiches && facts.manches[0] + facts.manches[1] === 0) return round;
      }
      throw new Error(`no round with ${fiches} fiches`);
    };
    const roundsOf = columns.map(find);
    const state = (row, column) => ({
      round: roundsOf[column],
      first: leading ? null : at.toBeat,
      limit: leading ? 3 : at.allowed,
      thrown: at.made,
      dice: game.combinations[row],
    });
    const bestOf = (position) => {
      const chances = judge.choices(position);
      const best = Math.max(...chances);
      return chances.findIndex((chance) => chance > best - SAME);
    };
    const cells = game.combinations.map((dice, row) =>
      columns.map((fiches, column) => {
        const position = state(row, column);
        const action = bestOf(position);
        const kept = action === 0 ? "✓" : game.keeping(dice, action) || "∅";
        const label = `${texts.say("cell421", { dice: dashed(dice), fiches })}${texts.say("colon")}${story.move(position, action)}`;
        return element("td", { className: action === 0 ? "two" : "one", "aria-label": label }, kept);
      }),
    );
    const choose = (row, column) => {
      Object.assign(at, { row, column });
      const position = state(row, column);
      const chances = judge.choices(position);
      const best = Math.max(...chances);
      const keys = new Set();
      const lines = game
        .legal(position)
        .filter((action) => !keys.has(game.key(position, action)) && keys.add(game.key(position, action)))
        .map((action) => ({
          label: story.move(position, action),
          figure: texts.chance(chances[action]),
          best: chances[action] > best - SAME,
        }));
      this.showFound(texts.say("cell421", { dice: dashed(position.dice), fiches: columns[column] }), lines);
    };
    const caption = `${texts.say("table")} ↓ · ${texts.say("ownFiches")} →`;
    this.showMap("hands", caption, game.combinations, columns, cells, at, choose);
  }

  show421Controls(game, at) {
    const { texts } = this.page;
    const pick = (name, options) => {
      const select = element("select", { id: `pick-${name}` });
      fillSelect(select, options);
      select.value = at[name];
      select.addEventListener("change", () => {
        at[name] = name === "place" ? select.value : Number(select.value);
        at.made = Math.min(at.made, (at.place === "leading" ? 3 : at.allowed) - 1);
        this.show().then(() => $(`pick-${name}`).focus());
      });
      return element("label", {}, `${texts.say(name)} `, select);
    };
    const numbers = (...list) => list.map((one) => [one, String(one)]);
    const controls = [pick("place", ["leading", "following"].map((one) => [one, texts.say(one)]))];
    if (at.place === "following") {
      controls.push(pick("toBeat", game.combinations.map((dice, place) => [place, dashed(dice)])));
      controls.push(pick("allowed", numbers(2, 3)));
    }
    const limit = at.place === "leading" ? 3 : at.allowed;
    controls.push(pick("made", numbers(...Array.from({ length: limit - 1 }, (_, k) => k + 1))));
    $("controls").replaceChildren(...controls);
  }

  showMap(className, caption, rows, columns, cells, at, choose) {
    const head = element("tr", {}, element("td", { "aria-hidden": "true" }), ...columns.map((one) => element("th", { scope: "col" }, String(one))));
    const body = rows.map((one, row) => element("tr", {}, element("th", { scope: "row" }, String(one)), ...cells[row]));
    const table = element("table", { className }, element("caption", {}, caption), head, ...body);
    makeGrid(table, cells, [at.row, at.column], choose);
    $("map").replaceChildren(element("div", { className: "scroll" }, table));
    choose(at.row, at.column);
  }

  async showSolo(game) {
    const { texts } = this.page;
    const at = this.at["demi-iles-solo"];
    const story = storyOf({ name: "demi-iles" }, castIn(texts.language, 0, "…"));
    const redraw = (focus) => this.show().then(() => focus && $(focus)?.focus());
    const scores = Array.from({ length: 20 }, (_, k) => k + 1);
    const numbers = scores.map((score) => {
      const on = Boolean(at.seen & bitOf(score));
      const button = element("button", { type: "button", id: `seen-${score}`, "aria-pressed": String(on) }, String(score));
      button.addEventListener("click", () => {
        at.seen ^= bitOf(score);
        if (on && at.score === score) at.score = 0;
        redraw(`seen-${score}`);
      });
      return button;
    });
    const standing = element("select", { id: "standing-on" });
    fillSelect(standing, game.scoresOf(at.seen).map((score) => [score, String(score)]));
    standing.value = at.score;
    standing.addEventListener("change", () => {
      at.score = Number(standing.value);
      redraw("standing-on");
    });
    const again = element("button", { type: "button", id: "again" }, texts.say("startAgain"));
    again.addEventListener("click", () => {
      Object.assign(at, { score: 0, seen: 0 });
      redraw("again");
    });
    $("controls").replaceChildren(
      element("div", { className: "numbers", role: "group", "aria-label": texts.say("seen") }, element("span", {}, `${texts.say("seen")} `), ...numbers),
      element("label", {}, `${texts.say("standingOn")} `, standing),
      again,
    );
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const working = element("p", {});
    $("found").replaceChildren(working);
    await game.prepare(at, (share) => {
      if (asked === this.asked) working.textContent = texts.say("solving", { percent: `${Math.round(100 * share)}${texts.raw("percent")}` });
    });
    if (asked !== this.asked) return;
    this.showSoloChoices(game, at, story, scores, redraw);
  }

  showSoloChoices(game, at, story, scores, redraw) {
    const { texts } = this.page;
    const missing = scores.filter((score) => !(at.seen & bitOf(score)));
    const where = missing.length ? texts.say("missing", { missing: missing.join(" ") }) : texts.say("nothingMissing");
    if (game.isOver(at)) {
      $("found").replaceChildren(element("h2", {}, ($("told").textContent = texts.say("finished"))));
      return;
    }
    const turns = game.choices(at);
    const least = Math.min(...turns);
    const toGo = texts.say("turnsToGo", { turns: texts.number(least) });
    $("told").textContent = toGo;
    $("found").replaceChildren(
      element("h2", {}, toGo),
      element("p", {}, where),
      ...turns.map((one, dice) => {
        const label = story.moveFrom(at.score, dice);
        const line = choiceLine("button", null, label, texts.say("turns", { turns: texts.number(one) }), one < least + 1e-5, texts);
        Object.assign(line, { type: "button", id: `throw-${dice}` });
        line.addEventListener("click", () => {
          const faces = this.page.random.dice(dice);
          const fallen = this.page.landing(at.score, faces);
          Object.assign(at, game.follow(at, fallen));
          redraw(`throw-${dice}`);
        });
        return line;
      }),
    );
  }
}
