// What somebody at the table would tell of a game, in English and in French: sentence for sentence as
// nenette.environments.accounts tells it.

/** Tells 21 des Demi-Îles. */
class DemiIlesStory {
  constructor(game, cast) {
    this.game = game;
    this.cast = cast;
    this.french = cast.language === "fr";
  }

  start(state) {
    const { cast } = this;
    return this.french
      ? [`Tout le monde est à 0 ; ${cast.thenDoes(state.seat, "commence")}.`]
      : [`Everybody is on 0; ${cast.thenDoes(state.seat, "start")}.`];
  }

  move(state, action) {
    return this.moveFrom(state.scores[state.seat], action);
  }

  moveFrom(score, action) {
    if (action) return `${this.french ? "lancer" : "throw"} ${this.cast.countedDice(action)}`;
    if (score % 2) return this.french ? "descendre d'un point sans lancer" : "step down without a die";
    if (score) return this.french ? "diviser par deux sans lancer" : "halve without a die";
    return this.french ? "rester à 0" : "stay at 0";
  }

  throws(seat, dice, score, fallen) {
    const { cast, french } = this;
    const led = `${score} → ${fallen}`;
    if (dice) return `${cast.does(seat, french ? "lance" : "throw")} ${cast.countedDice(dice)}${cast.colon}${led}`;
    if (score % 2) return `${cast.does(seat, french ? "descend" : "step")} ${french ? "sans lancer" : "down without a die"}${cast.colon}${led}`;
    if (score) return `${cast.does(seat, french ? "divise" : "halve")} ${french ? "par deux sans lancer" : "without a die"}${cast.colon}${led}`;
    return `${cast.does(seat, french ? "reste" : "stay")} ${french ? "à" : "at"} 0`;
  }

  event(state, action, after) {
    const { cast, french } = this;
    const mover = state.seat;
    const fallen = after.scores[mover];
    const line = this.throws(mover, action, state.scores[mover], fallen);
    if (fallen === this.game.target) {
      return [`${line} — Demi-Îles${cast.bang} ${cast.does(mover, french ? "gagne" : "win")}.`];
    }
    const other = 1 - mover;
    const score = after.scores[other];
    if (score === state.scores[other]) return [`${line}.`];
    if (!french) return [`${line}, pulling ${cast.called(other)} to ${score}.`];
    return [`${line}, ce qui ${other === cast.you ? "te ramène" : `ramène ${cast.names[other]}`} à ${score}.`];
  }

  ending(state) {
    const { cast, french } = this;
    if (this.game.isCut(state)) {
      return french ? "La partie s'arrête là : personne n'a gagné." : "Cut here: nobody has won.";
    }
    return french
      ? `${cast.does(state.seat, "arrive")} à 21 : la partie est finie.`
      : `${cast.does(state.seat, "stand")} on 21: the game is over.`;
  }

  /** The table before a choice. */
  where(state) {
    const scores = state.scores.map((score, seat) => `${this.cast.names[seat]} ${score}`).join(" · ");
    return `${this.french ? "Points" : "Score"} ${scores}.`;
  }

  question(state) {
    return this.french
      ? `${this.cast.does(state.seat, "choisit")} : aucun dé, un ou deux ?`
      : `${this.cast.does(state.seat, "choose")}: no die, one, or two?`;
  }
}

/** Tells 421. */
class Story421 {
  constructor(game, cast) {
    this.game = game;
    this.cast = cast;
    this.french = cast.language === "fr";
  }

  start(state) {
    const { cast, game, french } = this;
    const { bank, leader } = game.facts(state.round);
    const fiches = capital(cast.counted(bank, "fiche"));
    return french
      ? [`${fiches} à la banque. Le plus petit dé de l'ouverture : ${cast.thenDoes(leader, "commence")}.`]
      : [`${fiches} in the bank. The lowest die of the opening: ${cast.thenDoes(leader, "lead")}.`];
  }

  /** `dice` are what fell, as digits from high to low; "" where nothing did. */
  event(state, action, dice, after) {
    const { game } = this;
    let line;
    if (dice) line = this.thrown(state, dice);
    else if (action === 0) line = this.stops(state);
    else return [];
    const ends = dice ? state.thrown + 1 === state.limit : true;
    if (!ends || state.first === null) return [line];
    return [line, ...this.round(state, game.combinationOf.get(dice || state.dice), after)];
  }

  thrown(state, dice) {
    const { cast, game } = this;
    const told = `${this.throws(state)}${cast.colon}${cast.called421(dice)}`;
    if (game.facts(state.round).bank === 0 && state.first === null && state.thrown + 1 === 3) {
      return `${told.replace(/[ !]+$/, "")}, à fond${cast.bang}`;
    }
    return /[!?]$/.test(told) ? told : `${told}.`;
  }

  throws(state) {
    const { cast, french } = this;
    const mover = this.game.mover(state);
    if (state.thrown === 0) {
      const first = state.first === null ? (french ? " en premier" : " first") : "";
      return cast.does(mover, french ? "lance" : "throw") + first;
    }
    if (state.dice === "") return french ? `${cast.does(mover, "relance")} les trois dés` : `${cast.does(mover, "throw")} all three again`;
    const again = cast.countedDice(3 - state.dice.length);
    return french
      ? `${cast.does(mover, "garde")} ${dashed(state.dice)} et ${cast.verb(mover, "relance")} ${again}`
      : `${cast.does(mover, "keep")} ${dashed(state.dice)} and ${cast.verb(mover, "throw")} ${again}`;
  }

  stops(state) {
    const { cast, french } = this;
    const mover = this.game.mover(state);
    if (state.first !== null) {
      const at = (SPECIAL[state.dice] ?? dashed(state.dice)).replace("!", "");
      return french ? `${cast.does(mover, "en reste")} à ${at}.` : `${cast.does(mover, "leave")} it at ${at}.`;
    }
    return `${cast.does(mover, french ? "s'arrête" : "stop")}${cast.colon}${CALLS[state.thrown]}${cast.bang}`;
  }

  round(state, followers, after) {
    const { cast, game, french } = this;
    const { bank, leader, manches } = game.facts(state.round);
    const settled = game.settlement(state.round, state.first, followers);
    if (settled.seat === null) {
      const next = 1 - leader;
      return [
        french
          ? `Égalité : on relance, ${cast.thenDoes(next, "commence")}.`
          : `A tie: once more, ${cast.thenDoes(next, "lead")}.`,
      ];
    }
    const best = Math.min(state.first, followers);
    const lines = [`${this.takes(settled.seat, settled.taken, bank > 0)}${this.why(settled, best)}.`];
    if (after.winner !== undefined) return [...lines, this.loses(1 - after.winner, null)];
    const next = game.facts(after.round);
    if (next.manches.some((lost, seat) => lost !== manches[seat])) {
      return [...lines, this.loses(next.manches.findIndex((lost, seat) => lost !== manches[seat]), next.leader)];
    }
    if (bank > 0 && next.bank === 0) {
      lines.push(
        french
          ? `La banque est vide : décharge, ${cast.thenDoes(next.leader, "commence")}.`
          : `The bank is empty: décharge, ${cast.thenDoes(next.leader, "lead")}.`,
      );
    }
    return lines;
  }

  takes(taker, taken, fromBank) {
    const { cast, french } = this;
    const fiches = cast.counted(taken, "fiche");
    if (french) {
      return `${cast.does(taker, fromBank ? "prend" : "reçoit")} ${fiches} ${fromBank ? "à la banque" : cast.of(1 - taker)}`;
    }
    return `${cast.does(taker, "take")} ${fiches} from ${fromBank ? "the bank" : cast.called(1 - taker)}`;
  }

  /** Why that many: there were no more, or it is the price of a nénette and not what the best throw is worth. */
  why({ taken, stake }, best) {
    const { french } = this;
    if (taken < stake) {
      const left = french
        ? [" : il n'en reste plus", ", la dernière", ", toutes celles qui restent"]
        : [": none is left", ", the last", ", all there are"];
      return left[Math.min(taken, 2)];
    }
    if (stake !== this.game.worth[best]) return french ? " pour la nénette" : " for the nénette";
    return "";
  }

  loses(loser, leads) {
    const { cast, french } = this;
    const total = this.game.fiches;
    if (french) {
      const told = `${cast.does(loser, "a")} les ${total} et ${cast.verb(loser, "perd")} la manche.`;
      return leads === null ? told : `${told} Nouvelle manche : ${total} à la banque, ${cast.thenDoes(leads, "commence")}.`;
    }
    const told = `${cast.does(loser, "hold")} all ${total} and ${cast.verb(loser, "lose")} the manche.`;
    return leads === null ? told : `${told} A new one: the bank holds ${total} again, ${cast.thenDoes(leads, "lead")}.`;
  }

  ending(state) {
    return this.french ? `${this.cast.does(state.winner, "gagne")} la partie.` : `${this.cast.does(state.winner, "win")} the match.`;
  }

  against(state) {
    if (state.first === null) return "";
    const dice = this.game.combinations[state.first];
    return ` ${this.french ? "contre" : "against"} ${(SPECIAL[dice] ?? dashed(dice)).replace("!", "")}`;
  }

  /** What lies on the table, against what, and how many throws are left. */
  lies(state) {
    const { cast, french } = this;
    const left = state.limit - state.thrown;
    const lies = `${cast.does(this.game.mover(state), french ? "a" : "have")} ${dashed(state.dice)}${this.against(state)}`;
    if (french) return `${lies}, encore ${left === 1 ? "un lancer" : `${left} lancers`}`;
    return `${lies}, ${cast.counted(left, "more throw")}`;
  }

  /** The table before a choice. */
  where(state) {
    const { cast, french } = this;
    const { fiches, manches, bank } = this.game.facts(state.round);
    const each = (numbers) => numbers.map((number, seat) => `${cast.names[seat]} ${number}`).join(" · ");
    const phase = bank ? `Charge · ${french ? "banque" : "bank"} ${bank}` : "Décharge";
    const parts = [phase, `fiches ${each(fiches)}`, `${french ? "manches perdues" : "manches lost"} ${each(manches)}`];
    return `${parts.join(french ? " ; " : "; ")}. ${this.lies(state)}.`;
  }

  question(state) {
    const { cast, french } = this;
    if (state.dice.length < 3) {
      return `${cast.does(this.game.mover(state), french ? "lance" : "throw")}${this.against(state)}.`;
    }
    return french
      ? `${this.lies(state)} : s'arrêter, ou relancer quels dés ?`
      : `${this.lies(state)}: stop, or which dice again?`;
  }

  move(state, action) {
    const { french } = this;
    if (state.dice.length < 3) return french ? "lancer" : "throw";
    const again = [...state.dice].filter((_, place) => (action >> place) & 1);
    const kept = [...state.dice].filter((_, place) => !((action >> place) & 1));
    if (again.length === 0) return french ? "s'arrêter" : "stop";
    if (kept.length === 0) return french ? "tout relancer" : "throw all again";
    return french ? `relancer ${again.join("-")}, garder ${kept.join("-")}` : `throw ${again.join("-")} again, keep ${kept.join("-")}`;
  }
}

function storyOf(game, cast) {
  return game.name === "421" ? new Story421(game, cast) : new DemiIlesStory(game, cast);
}
