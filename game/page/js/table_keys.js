// Keys at the table.

import { set } from "./dom.js";
import { openHelp } from "./help.js";
import { may } from "./turn.js";

export class TableKeys {
  /** `element`: the table; `felt`: where its melds lie; `game`: as the table has it; `state()`: the table as it is shown,
   *  or null. `deeds`: `sort()`, `hint()` and `sound()`, which have keys and are no moves. */
  constructor({ element, felt, hand, game, moves, deeds, state }) {
    this.element = element;
    this.felt = felt;
    this.hand = hand;
    this.game = game;
    this.moves = moves;
    this.deeds = deeds;
    this.shown = state;
    this.ending = new AbortController();
    const { signal } = this.ending;
    addEventListener("keydown", (event) => this.#key(event), { signal });
    felt.addEventListener("keydown", (event) => this.#meldKey(event), { signal });
  }

  close() {
    this.ending.abort();
  }

  get state() {
    return this.shown();
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || !this.state) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, select, textarea")) return;
    if (!this.element.isConnected) return;
    const inHand = this.hand.element.contains(document.activeElement);
    const onButton = document.activeElement?.closest?.("button, a") && !inHand;
    const watcher = this.state.me === null;
    const acts = this.#acts();
    // Korean keyboards in Hangul mode send the letter that lies on the key.
    const key = /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key.toLowerCase();
    if (event.key === "?" || event.key === "F1") openHelp(this.game.entry);
    else if (key === "m") this.deeds.sound();
    else if (!watcher && key in acts) acts[key]();
    else if (!watcher && event.key === "Enter" && !onButton) this.#enter();
    else if (event.key === "Escape") this.hand.clear();
    else if (!watcher && event.key === "ArrowUp" && inHand) this.felt.querySelector("[data-meld]")?.focus();
    else if (!watcher && ["ArrowLeft", "ArrowRight", "ArrowDown"].includes(event.key) && !onButton) this.hand.focusCard();
    else return;
    event.preventDefault();
  }

  /** What the letters do. Only what there is in this game has one. */
  #acts() {
    const { moves } = this;
    const acts = { s: () => this.deeds.sort(), h: () => this.deeds.hint() };
    const letters = {
      draw: ["d", () => moves.draw()],
      take: ["f", () => moves.take()],
      discard: ["x", () => moves.discard()],
      layoff: ["l", () => moves.layOff()],
      open: ["o", () => moves.open()],
      untake: ["u", () => moves.untake()],
      knock: ["k", () => moves.knock()],
      declare: ["c", () => moves.declare()],
      pass: ["p", () => moves.pass()],
      pack: ["p", () => moves.pack()],
    };
    for (const kind of this.game.entry.kinds) if (kind in letters) acts[letters[kind][0]] = letters[kind][1];
    return acts;
  }

  /** Enter: three and more are laid down; one is laid off where it fits, or else discarded. After the round: its sheet. */
  #enter() {
    const { state, moves } = this;
    if (state.phase === "over") return this.game.sheet();
    const cards = this.hand.subject();
    if (cards.length !== 1) return moves.layDown(cards);
    if (may(state, "layoff", cards[0]) || may(state, "swap", cards[0])) return moves.layOff(cards);
    return moves.discard(cards);
  }

  /** From meld to meld, and back to the hand. */
  #meldKey(event) {
    const melds = [...this.felt.querySelectorAll("[data-meld]")];
    const at = melds.indexOf(document.activeElement);
    if (at < 0) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const to = melds[Math.max(0, Math.min(melds.length - 1, at + step))];
      for (const meld of melds) set(meld, { tabindex: meld === to ? "0" : "-1" });
      to.focus();
    } else if (event.key === "ArrowDown" || event.key === "Escape") this.hand.focusCard();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
