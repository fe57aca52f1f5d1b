// Small helpers: elements, texts in the language chosen, figures, dice.

const $ = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

class Texts {
  constructor(texts, language) {
    this.all = texts;
    this.language = language in texts ? language : "en";
  }

  /** A text with its braces filled in. */
  say(name, values = {}) {
    return this.typeset(this.raw(name).replace(/\{(\w+)\}/g, (_, key) => values[key]));
  }

  raw(name) {
    return this.all[this.language][name];
  }

  /** No line of French begins with a mark that a space comes before. */
  typeset(text) {
    return this.language === "fr" ? text.replace(/ (?=[?!:;%»])/g, "\u00a0") : text;
  }

  /** A winning chance, or a difference of two. */
  chance(chance, sign = false) {
    const rounded = Math.round(1e4 * chance) / 100 + 0;
    const shown = (sign && rounded >= 0 ? "+" : "") + rounded.toFixed(2);
    return `${shown}${this.raw("percent")}`.replace(".", this.raw("decimal"));
  }

  number(value, digits = 2) {
    return value.toFixed(digits).replace(".", this.raw("decimal"));
  }

  /** Fills in all texts of the page that stay as they are. */
  apply() {
    document.documentElement.lang = this.language;
    for (const one of document.querySelectorAll("[data-text]")) one.textContent = this.say(one.dataset.text);
    for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", this.say(one.dataset.label));
    for (const one of document.querySelectorAll("[data-language]")) {
      one.setAttribute("aria-pressed", String(one.dataset.language === this.language));
    }
  }
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function die(face, old) {
  const pips = Array.from({ length: 9 }, (_, place) => element("i", { className: PIPS[face].includes(place) ? "on" : "" }));
  return element("span", { className: old ? "die old" : "die", role: "img", "aria-label": String(face) }, ...pips);
}

/** A choice as it is shown: its key, what it does, its figure, and whether it is best. */
function choiceLine(tag, key, label, figure, best, texts) {
  const line = element(tag, { className: `choice${best ? " best" : ""}${key === null ? " keyless" : ""}` });
  if (key !== null) line.append(element("kbd", {}, key));
  const figures = [figure, ...(best ? [`* ${texts.say("best")}`] : [])].flatMap((text) => [" ", element("span", {}, text)]);
  line.append(element("span", {}, label), element("span", { className: "figure" }, ...figures));
  return line;
}

function fillSelect(select, options) {
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, label]) => element("option", { value }, label)));
  if (options.some(([value]) => String(value) === chosen)) select.value = chosen;
}

/** A table in which one field is chosen, with the arrow keys, too: `cells[row][column]` are its fields. */
function makeGrid(table, cells, chosen, choose) {
  let [row, column] = chosen;
  const mark = (on) => {
    cells[row][column].tabIndex = on ? 0 : -1;
    cells[row][column].setAttribute("aria-selected", String(on));
  };
  const go = (nextRow, nextColumn, focus) => {
    mark(false);
    row = Math.min(Math.max(nextRow, 0), cells.length - 1);
    column = Math.min(Math.max(nextColumn, 0), cells[row].length - 1);
    mark(true);
    if (focus) cells[row][column].focus();
    choose(row, column);
  };
  cells.forEach((line, i) =>
    line.forEach((cell, j) => {
      cell.setAttribute("role", "gridcell");
      cell.tabIndex = -1;
      cell.addEventListener("click", () => go(i, j, true));
    }),
  );
  table.setAttribute("role", "grid");
  table.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const end = { Home: 0, End: cells[row].length - 1 }[event.key];
    if (step === undefined && end === undefined) return;
    event.preventDefault();
    if (step === undefined) go(row, end, true);
    else go(row + step[0], column + step[1], true);
  });
  mark(true);
}
