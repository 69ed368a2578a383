// The table while a round is played. Everything that may be done, and everything that glows, is said by the server. States
// come in a queue, and the next is shown only when the cards of the last have arrived. How a state looks is the business
// of the drawing, what presses, drops and keys mean that of the moves.

import { inlineCard, withSigns } from "./cards.js";
import { openReactions } from "./choices.js";
import { say, toast } from "./dialogs.js";
import { h } from "./dom.js";
import { Drops } from "./drops.js";
import { Hand } from "./hand.js";
import { LONG_PATIENCE } from "./line.js";
import { Moves } from "./moves.js";
import { Opening } from "./opening.js";
import { seatInWords } from "./seats.js";
import { change, settings } from "./settings.js";
import * as sound from "./sound.js";
import { TableDrawing } from "./table_drawing.js";
import { TableKeys } from "./table_keys.js";
import { moveText, promptText, told } from "./telling.js";
import { boxOf, flightsOf, fly, pause, sourceOf } from "./travel.js";
import { myTurn } from "./turn.js";
import { t, why } from "./words.js";

export class Table {
  /** `game.room`: the room as last told; `game.entry`: its ruleset in the catalogue; `game.ask(message)`;
   *  `game.openMenu()`, `game.sheet()`: what is done beside the table. */
  constructor(game) {
    this.game = game;
    this.state = null;
    this.queue = [];
    this.running = false;
    this.opening = new Opening((groups) => game.ask({ type: "check", groups }));
    this.sorted = 0;
    this.hand = new Hand({
      onchange: () => this.state && this.drawing.choiceChanged(),
      ondrag: (cards, x, y) => this.drops.light(cards, x, y),
      ondrop: (cards, x, y) => this.drops.drop(cards, x, y),
    });
    this.moves = new Moves({
      game,
      hand: this.hand,
      opening: this.opening,
      state: () => this.state,
      wait: (on) => this.element.classList.toggle("sending", on),
      arrived: (n) => this.#arrived(n),
      changed: () => this.#draw(),
    });
    const { hand, opening, moves } = this;
    const deeds = { sort: () => this.#sort(), hint: () => this.#hint(), sound: () => this.#toggleSound(), react: () => this.#openReactions() };
    this.drawing = new TableDrawing({ game, hand, opening, moves, deeds });
    const { element, pile, felt } = this.drawing;
    const state = () => this.state;
    this.element = element;
    this.drops = new Drops({ element, pile, felt, hand, moves, state });
    this.keys = new TableKeys({ element, felt, hand, game, moves, deeds, state });
  }

  close() {
    this.keys.close();
    this.drawing.close();
    this.hand.close();
    this.moves.close();
    this.closed = true;
  }

  focusTitle() {
    this.drawing.focusTitle();
  }

  // --- states -----------------------------------------------------------------------------------------------

  get me() {
    return this.state?.me ?? null;
  }

  /** Cards are drawn in another way from now on. */
  look() {
    if (!this.state) return;
    const order = this.hand.order();
    const chosen = this.hand.selection();
    this.hand.empty();
    this.#draw();
    this.hand.arrange(order);
    this.hand.choose(chosen);
    this.drawing.showSound();
  }

  roomChanged() {
    if (this.state) this.#draw();
  }

  receive(table) {
    table.received = performance.now();
    this.queue.push(table);
    this.#run();
  }

  async #run() {
    if (this.running) return;
    this.running = true;
    try {
      while (this.queue.length && !this.closed) await this.#advance(this.queue.shift());
    } finally {
      this.running = false;
    }
  }

  /** Show the state that there is. Returns the cards that are new in my hand. */
  #draw() {
    const added = this.drawing.draw(this.state);
    this.#keepOrder();
    return added;
  }

  /** What comes after the table numbered `n` is shown, or there is nothing to come. */
  async #arrived(n) {
    while (this.state.n === n && !this.closed && this.running) await pause(30).then(() => new Promise(requestAnimationFrame));
  }

  async #advance(next) {
    const before = this.state;
    const fresh = !before || next.round !== before.round;
    const events = before ? next.events : [];
    const seats = next.seats.length !== before?.seats.length || next.me !== before?.me;
    const hurry = this.queue.length > 2;
    if (fresh || seats) {
      this.opening.clear();
      this.hand.empty();
      this.drawing.seat(next);
    }
    const sources = fresh ? [] : events.map((event) => sourceOf(event, this.#places));
    if (before && before.to_play !== next.to_play) this.opening.clear();
    this.state = next;
    const order = before ? null : this.#keptOrder();
    const added = this.#draw();
    if (order) this.hand.arrange(order);
    if (fresh && before && this.me !== null) await this.#deal(added, hurry);
    const flights = [];
    events.forEach((event, at) => {
      const text = told(event, this.game.room, next.me);
      if (text) say(text);
      this.#bubble(event);
      if (!hurry) this.#soundOf(event);
      if (!fresh && !hurry) flights.push(...flightsOf(event, sources[at], this.#places, added, at * 160));
    });
    if (myTurn(next) && before?.to_play !== this.me) {
      sound.play("turn");
      say(promptText(this.state, this.game.room, this.game.entry));
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(15);
    }
    await Promise.all(flights);
    if (events.length && next.to_play !== this.me && !hurry) await pause(220);
    if (next.result && !before?.result) {
      await pause(events.length ? 700 : 0);
      if (!this.closed) this.game.roundOver(next, Boolean(before));
    }
  }

  async #deal(added, hurry) {
    if (hurry) return;
    const from = boxOf(this.drawing.stock);
    sound.play("draw");
    await Promise.all(added.map((held, at) => fly(held.card, from, held.element, { delay: at * 45, time: 300 })));
  }

  /** Where cards come from and go to. */
  get #places() {
    const { stock, pile, felt, plates } = this.drawing;
    return { me: this.me, stock, pile, felt, plates, hand: this.hand };
  }

  #soundOf(event) {
    const name = { draw: "draw", take: "draw", untake: "place", discard: "place", meld: "meld", open: "meld", layoff: "place", swap: "meld", knock: "meld", declare: "meld", pack: "place", refill: "draw" }[event.kind];
    if (name) sound.play(name);
  }

  #bubble(event) {
    const plate = this.drawing.plates.get(event.seat);
    if (!plate) return;
    const cards = (event.melds?.flat() ?? event.cards ?? []).map(inlineCard);
    if (["draw", "take", "untake", "meld", "open", "layoff", "swap", "discard", "knock", "declare", "pack", "pass"].includes(event.kind))
      plate.speak([h("span", {}, t(`did_${event.kind}`)), cards.length ? [" ", cards] : null]);
  }

  react(seat, reaction) {
    const text = t(`reaction_${reaction}`);
    const said = `${seatInWords(this.game.room, this.me, seat)}: ${text}`;
    const plate = this.drawing.plates.get(seat);
    if (plate) {
      plate.speak(text, 3200);
      say(said);
    } else toast(said);
  }

  // --- the order of the hand is kept in this tab --------------------------------------------------------------

  #orderKey() {
    return `order:${this.game.code}:${this.state.round}`;
  }

  #keepOrder() {
    if (this.me === null || !this.hand.cards.length) return;
    try {
      sessionStorage.setItem(this.#orderKey(), JSON.stringify(this.hand.order()));
    } catch {
      // A browser that keeps nothing.
    }
  }

  #keptOrder() {
    try {
      const order = JSON.parse(sessionStorage.getItem(this.#orderKey()) ?? "null");
      return Array.isArray(order) ? order : null;
    } catch {
      return null; // not ours, or none
    }
  }

  // --- beside the moves -------------------------------------------------------------------------------------

  #sort() {
    if (!this.state?.hand) return;
    const orders = [this.state.sorted?.flat() ?? this.state.hand, this.state.hand];
    this.hand.arrange(orders[this.sorted % 2]);
    say(t(this.sorted % 2 ? "sorted_suit" : "sorted_melds"));
    this.sorted++;
    this.#keepOrder();
  }

  async #hint() {
    if (!myTurn(this.state)) return this.moves.refuse(t("not_your_turn"));
    if (this.drawing.hinting) return undefined;
    const { n } = this.state;
    this.drawing.showHinting(true);
    const thinking = setTimeout(() => toast(t("hint_thinks")), 700); // the adviser may look ahead for seconds
    try {
      const answer = await this.game.ask({ type: "hint" }, LONG_PATIENCE);
      if (this.closed || this.state.n !== n) return undefined; // the table has moved on
      toast(answer.text ? `${moveText(answer.move)}: ${withSigns(answer.text)}` : moveText(answer.move));
      const mine = answer.kind === "draw" || answer.kind === "take" ? [] : (answer.cards ?? []);
      this.hand.choose(mine);
      this.drawing.point(answer.kind);
    } catch (error) {
      this.moves.refuse(why(error));
    } finally {
      clearTimeout(thinking);
      if (!this.closed) this.drawing.showHinting(false);
    }
    return undefined;
  }

  #toggleSound() {
    change({ sound: !settings.sound });
    sound.wake();
    this.drawing.showSound();
    toast(t(settings.sound ? "sound_on" : "sound_off"));
  }

  #openReactions() {
    openReactions(this.game.catalogue.reactions, (reaction) =>
      this.game.ask({ type: "react", reaction }).catch((error) => toast(why(error), { alarm: true })),
    );
  }
}
