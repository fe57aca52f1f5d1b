// A person at the page's table, against one of the opponents: what is shown, and the keys and buttons.

/** A score as a length, and fiches as dots; the numbers stand beside them. */
function bar(share) {
  const filled = element("div");
  filled.style.width = `${100 * share}%`;
  return element("div", { className: "bar", "aria-hidden": "true" }, filled);
}

function track(number, of) {
  return element("p", { className: "track", "aria-hidden": "true" }, "●".repeat(number) + "○".repeat(of - number));
}

/** Shows a sitting and takes the person's moves. */
class PlayView {
  constructor(page) {
    this.page = page;
    this.sitting = null;
    this.told = 0;
    $("setup").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin(true);
    });
    $("game").addEventListener("change", () => {
      this.fillOpponents();
      this.begin();
    });
    $("opponent").addEventListener("change", () => this.begin());
    $("hints").addEventListener("change", () => this.show());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  fillOpponents() {
    const { texts } = this.page;
    const listed = this.page.data.opponents[$("game").value];
    const known = listed.some(({ name }) => name === $("opponent").value);
    fillSelect(
      $("opponent"),
      listed.map(({ name, elo }) => [name, elo === null ? name : texts.say("elo", { name, elo: Math.round(elo) })]),
    );
    if (!known) $("opponent").value = listed.at(-1).name;
  }

  /** A new game. */
  async begin(focus = false) {
    const { page } = this;
    const [name, opponent] = [$("game").value, $("opponent").value];
    const asked = (this.asked = (this.asked ?? 0) + 1);
    this.busy(true);
    const game = await page.gameOf(name);
    const plays = await page.opponentOf(name, opponent);
    if (asked !== this.asked) return;
    const random = new Random(page.nextSeed());
    const you = page.seat ?? random.below(2);
    this.opponentName = opponent;
    this.sitting = new Sitting(game, plays, you, random);
    this.sitting.letOpponentPlay();
    this.busy(false);
    this.tellAll();
    this.show();
    if (focus) this.focus();
  }

  busy(yes) {
    $("loading").textContent = this.page.texts.say("preparing");
    $("loading").hidden = !yes;
  }

  get story() {
    return storyOf(this.sitting.game, castIn(this.page.texts.language, this.sitting.you, this.opponentName));
  }

  choose(action, byKey) {
    this.sitting.play(action);
    this.sitting.letOpponentPlay();
    this.tell();
    this.show();
    if (byKey) this.focus();
  }

  /** Where the keyboard goes on: to what is asked, or to the only button there is. */
  focus() {
    const buttons = $("choices").querySelectorAll("button");
    (buttons.length === 1 ? buttons[0] : $("question")).focus({ preventScroll: false });
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || $("play").hidden || !this.sitting?.yours) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const options = this.sitting.options();
    if (event.key === "Enter" && event.target.tagName !== "BUTTON" && options.length === 1) {
      event.preventDefault();
      this.choose(options[0].action, true);
    } else if (options.length > 1 && /^\d$/.test(event.key) && Number(event.key) < options.length) {
      event.preventDefault();
      this.choose(options[Number(event.key)].action, true);
    }
  }

  /** What has happened since, in the log: at once, so that it is read out as one. */
  tell() {
    const { sitting, story } = this;
    const lines = [];
    if (this.told === 0) lines.push(...story.start(sitting.first).map((text) => ({ text })));
    const moves = this.told === 0 ? sitting.moves : sitting.moves.slice(this.told - 1);
    for (const { state, action, dice, after } of moves) {
      const event = sitting.game.name === "421" ? story.event(state, action, dice, after) : story.event(state, action, after);
      lines.push(...event.map((text, k) => ({ text, inner: k > 0 })));
    }
    if (sitting.over) lines.push({ text: story.ending(sitting.state), last: true });
    this.told = sitting.moves.length + 1;
    $("log").append(
      ...lines.map(({ text, inner, last }) => element("li", { className: last ? "last" : inner ? "inner" : "" }, this.page.texts.typeset(text))),
    );
    $("log").scrollTop = $("log").scrollHeight;
  }

  /** All of it, anew. */
  tellAll() {
    this.told = 0;
    $("log").replaceChildren();
    this.tell();
  }

  show() {
    if (this.sitting === null) return;
    const { sitting, story } = this;
    const { texts, data } = this.page;
    const { game, state } = sitting;
    const hints = $("hints").checked;
    $("rules").replaceChildren(...texts.raw("rulesOf")[game.name].map((text) => element("p", {}, text)));
    this.showSeats(story);
    $("question").textContent = texts.typeset(sitting.over ? story.ending(state) : story.question(state));
    this.showChoices(story, hints);
    $("standing").textContent =
      hints && !sitting.over ? texts.say("standing", { chance: texts.chance(sitting.judge.chance(state, sitting.you)) }) : "";
    const epsilon = game.epsilon ?? 0;
    const trembling = epsilon ? ` ${texts.say("trembling", { times: Math.round(1 / epsilon) })}` : "";
    $("about-chances").textContent = hints ? `${texts.say("hints")}${trembling}` : "";
    $("review").replaceChildren(...(sitting.over ? this.review(story) : []));
  }

  showSeats(story) {
    const { sitting } = this;
    const { texts } = this.page;
    const { game, state } = sitting;
    const facts = game.name === "421" ? game.facts(state.winner === undefined ? state.round : state.last) : null;
    $("phase").textContent = facts === null || sitting.over ? "" : facts.bank ? texts.say("charge", facts) : texts.say("decharge");
    const order = [sitting.you, 1 - sitting.you];
    $("seats").replaceChildren(
      ...order.map((seat) => {
        const moves = !sitting.over && game.mover(state) === seat;
        const of = facts === null ? game.target : game.fiches;
        const lostAll = facts !== null && sitting.over && seat !== state.winner;
        const held = facts === null ? state.scores[seat] : facts.fiches[seat];
        const number = facts === null || !sitting.over ? held : lostAll ? of : 0;
        const lost = lostAll ? game.manchesToLose : facts?.manches[seat];
        const lines = [element("p", {}, texts.say(facts === null ? "score" : "fiches", { number, of }))];
        lines.push(facts === null ? bar(number / of) : track(number, of));
        if (facts !== null) lines.push(element("p", {}, texts.say("manches", { number: lost, of: game.manchesToLose })));
        const name = element("h3", {}, moves ? `▶ ${story.cast.names[seat]} (${texts.say("toMove")})` : story.cast.names[seat]);
        const dice = element("div", { className: "dice" }, ...sitting.faces[seat].map((face) => die(face, sitting.isOld(seat))));
        return element("div", { className: moves ? "seat moves" : "seat" }, name, ...lines, dice);
      }),
    );
  }

  showChoices(story, hints) {
    const { sitting } = this;
    const { texts } = this.page;
    if (!sitting.yours) {
      $("choices").replaceChildren();
      return;
    }
    const options = sitting.options();
    const best = Math.max(...options.map(({ chance }) => chance));
    $("choices").replaceChildren(
      ...options.map(({ action, chance }, place) => {
        const alone = options.length === 1;
        const label = alone ? texts.say("throw") : story.move(sitting.state, action);
        const figure = hints && !alone ? texts.chance(chance) : "";
        const line = choiceLine("button", alone ? "⏎" : String(place), label, figure, hints && !alone && chance > best - SAME, texts);
        line.type = "button";
        line.addEventListener("click", (event) => this.choose(action, event.detail === 0));
        return line;
      }),
    );
  }

  /** What decisions cost, once the game is over. */
  review(story) {
    const { sitting } = this;
    const { texts } = this.page;
    const { you, game } = sitting;
    const names = story.cast.names;
    const called = texts.language === "fr" ? names[you] : "you";
    const lines = [];
    const given = [0, 1].map((seat) => {
      const decisions = sitting.decisions(seat);
      return { decisions, cost: decisions.reduce((sum, { cost }) => sum + cost, 0) };
    });
    for (const seat of [you, 1 - you]) {
      const { decisions, cost } = given[seat];
      lines.push(element("p", {}, texts.say("decided", { name: names[seat], count: decisions.length, cost: texts.chance(cost) })));
    }
    const winner = game.winner(sitting.state);
    const last = winner === null ? sitting.judge.chance(sitting.state, you) : Number(winner === you);
    const luck = last - 0.5 + given[you].cost - given[1 - you].cost;
    lines.push(element("p", {}, texts.say("luck", { luck: texts.chance(luck, true), name: called })));
    const worst = given[you].decisions.filter(({ cost }) => cost >= SEEN).sort((a, b) => b.cost - a.cost).slice(0, 3);
    if (worst.length === 0) lines.push(element("p", {}, texts.say("none_worst", { name: called })));
    else {
      lines.push(element("p", {}, texts.say("worst", { name: called })));
      lines.push(element("ol", {}, ...worst.map((one) => this.mistake(story, one))));
    }
    return [element("h2", {}, texts.say("review")), ...lines];
  }

  mistake(story, { place, state, action, chance, best, bestAction, cost }) {
    const { texts } = this.page;
    const chose = texts.say("chose", { move: story.move(state, action), chance: texts.chance(chance) });
    const better = texts.say("better", { move: story.move(state, bestAction), chance: texts.chance(best), cost: texts.chance(cost) });
    return element("li", {}, `${texts.say("move", { place: place + 1, where: story.where(state) })} ${chose} ${better}`);
  }
}
