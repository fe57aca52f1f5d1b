// Who is who, and the small change of sentences in both languages, as nenette.environments.accounts has them.

const NUMBERS = {
  en: "no one two three four five six seven eight nine ten eleven twelve".split(" "),
  fr: "zéro une deux trois quatre cinq six sept huit neuf dix onze douze".split(" "),
};
const CALLS = { 1: "sec", 2: "en deux", 3: "à fond" };
const SPECIAL = { 421: "421!", 221: "nénette!", 111: "trois as!" };

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function dashed(digits) {
  return [...digits].join("-");
}

/** Who is who, and the small change of English sentences. */
class English {
  language = "en";
  colon = ": ";
  bang = "!";

  constructor(you, other) {
    this.you = you;
    this.names = you === 0 ? ["You", capital(other)] : [capital(other), "You"];
  }

  does(seat, verb) {
    return `${this.names[seat]} ${this.verb(seat, verb)}`;
  }

  thenDoes(seat, verb) {
    return `${this.called(seat)} ${this.verb(seat, verb)}`;
  }

  verb(seat, verb) {
    if (seat === this.you) return verb;
    if (verb === "have") return "has";
    return verb + (/(s|sh|ch|x|o)$/.test(verb) ? "es" : "s");
  }

  called(seat) {
    return seat === this.you ? "you" : this.names[seat];
  }

  counted(number, noun, plural = `${noun}s`) {
    return `${NUMBERS.en[number] ?? number} ${number < 2 ? noun : plural}`;
  }

  countedDice(number) {
    return this.counted(number, "die", "dice");
  }

  called421(dice) {
    return SPECIAL[dice] ?? dashed(dice);
  }
}

/** The same in French. One says tu at a table; verbs are given in the third person. */
class French {
  language = "fr";
  colon = " : ";
  bang = " !";

  constructor(you, other) {
    this.you = you;
    this.names = you === 0 ? ["Toi", capital(other)] : [capital(other), "Toi"];
  }

  does(seat, verb) {
    return seat === this.you ? `Tu ${this.verb(seat, verb)}` : `${this.names[seat]} ${verb}`;
  }

  thenDoes(seat, verb) {
    return seat === this.you ? `tu ${this.verb(seat, verb)}` : `${this.names[seat]} ${verb}`;
  }

  verb(seat, verb) {
    if (seat !== this.you) return verb;
    const irregular = { a: "as", choisit: "choisis", reçoit: "reçois", "s'arrête": "t'arrêtes" };
    return irregular[verb] ?? `${verb}s`;
  }

  called(seat) {
    return seat === this.you ? "toi" : this.names[seat];
  }

  of(seat) {
    const name = this.called(seat);
    return "aeiouyhéè".includes(name[0].toLowerCase()) ? `d'${name}` : `de ${name}`;
  }

  counted(number) {
    if (number === 0) return "aucune fiche";
    return `${NUMBERS.fr[number] ?? number} fiche${number > 1 ? "s" : ""}`;
  }

  countedDice(number) {
    return number === 1 ? "un dé" : `${NUMBERS.fr[number]} dés`;
  }

  called421(dice) {
    return (SPECIAL[dice] ?? dashed(dice)).replace("!", " !");
  }
}

function castIn(language, you, other) {
  return language === "fr" ? new French(you, other) : new English(you, other);
}
