// The page: what travels in it, the language, the two tabs, and what the address says after its #:
// lang, game, opponent, seat (0 or 1), seed (games are the same each time), tab (play or explore), chances=no.

class Page {
  constructor(data) {
    this.data = data;
    const asked = new URLSearchParams(location.hash.slice(1));
    this.texts = new Texts(data.texts, asked.get("lang") ?? (navigator.language.startsWith("fr") ? "fr" : "en"));
    this.seat = ["0", "1"].includes(asked.get("seat")) ? Number(asked.get("seat")) : null;
    this.seed = /^\d+$/.test(asked.get("seed") ?? "") ? Number(asked.get("seed")) : null;
    this.random = new Random(this.seed);
    this.made = new Map();
    $("hints").checked = asked.get("chances") !== "no";
    this.fill();
    if (asked.get("game") in data.opponents) $("game").value = asked.get("game");
    if (asked.get("game") in data.texts.en.games) $("explored").value = asked.get("game");
    this.play = new PlayView(this);
    this.play.fillOpponents();
    if (data.opponents[$("game").value].some(({ name }) => name === asked.get("opponent"))) $("opponent").value = asked.get("opponent");
    this.explore = new ExploreView(this);
    for (const button of document.querySelectorAll("[data-language]")) {
      button.addEventListener("click", () => this.speak(button.dataset.language));
    }
    for (const tab of ["play", "explore"]) {
      $(`tab-${tab}`).addEventListener("click", () => this.open(tab));
      $(`tab-${tab}`).addEventListener("keydown", (event) => {
        if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
        const other = tab === "play" ? "explore" : "play";
        this.open(other);
        $(`tab-${other}`).focus();
      });
    }
    this.ready = Promise.all([this.play.begin(), this.open(asked.get("tab") === "explore" ? "explore" : "play")]);
  }

  /** The seed of the next game: with one in the address each game has its own, and all are the same again. */
  nextSeed() {
    return this.seed === null ? null : this.seed++;
  }

  fill() {
    this.texts.apply();
    const label = (name) => [name, this.texts.raw("games")[name]];
    fillSelect($("game"), Object.keys(this.data.opponents).map(label));
    fillSelect($("explored"), Object.keys(this.data.games).map(label));
  }

  speak(language) {
    this.texts.language = language;
    this.fill();
    this.play.fillOpponents();
    if (this.play.sitting !== null) {
      this.play.tellAll();
      this.play.show();
    }
    if (!$("explore").hidden) this.explore.show();
  }

  async open(tab) {
    for (const one of ["play", "explore"]) {
      $(one).hidden = one !== tab;
      $(`tab-${one}`).setAttribute("aria-selected", String(one === tab));
      $(`tab-${one}`).tabIndex = one === tab ? 0 : -1;
    }
    if (tab === "explore") await this.explore.show();
  }

  /** Makes what `make` makes once, however often it is asked for. */
  once(key, make) {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key);
  }

  gameOf(name) {
    return this.once(`game ${name}`, async () => {
      const tables = await unpack(this.data.games[name]);
      if (name === "421") return new Quatre21(tables);
      this.landings ??= (await unpack(this.data.throws)).landings;
      return name === "demi-iles" ? new DemiIles(tables, this.landings) : new Solo(tables, this.landings);
    });
  }

  landing(score, faces) {
    return this.landings[faces.length][faces.reduce((place, face) => 6 * place + face - 1, score)];
  }

  opponentOf(gameName, name) {
    return this.once(`opponent ${gameName} ${name}`, async () => {
      const game = await this.gameOf(gameName);
      const about = this.data.opponents[gameName].find((one) => one.name === name);
      return makeOpponent(game, about, game.observation);
    });
  }
}

const page = new Page(JSON.parse($("data").textContent));
// For tests, which hold the page against the package.
globalThis.nenette = { page, castIn, storyOf, Judge, Solo };
page.ready.then(
  () => {
    $("loading").hidden = true;
    document.body.dataset.ready = "yes";
  },
  (error) => {
    $("loading").hidden = false;
    $("loading").textContent = page.texts.say("failed", { error });
  },
);
