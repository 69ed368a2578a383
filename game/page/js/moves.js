// What I do at the table: presses, drops and keys become messages here, one after another, and what cannot be done is
// refused in words.

import { openArrangement } from "./arrange.js";
import { cardSign, isWild, withSigns } from "./cards.js";
import { openKnock, openPack, openWays } from "./choices.js";
import { toast } from "./dialogs.js";
import { Refused } from "./line.js";
import * as sound from "./sound.js";
import { fitting, may, myTurn } from "./turn.js";
import { t, why } from "./words.js";

const SLOW = 400; // milliseconds: an answer that takes longer is waited for visibly

export class Moves {
  /** `game`: as the table has it; `hand`, `opening`: what is chosen in there is moved; `state()`: the table as it is
   *  shown, or null. `wait(on)`: an answer is long in coming; `arrived(n)`: resolves when the table that came after the
   *  one numbered `n` is shown; `changed()`: the opening has. */
  constructor({ game, hand, opening, state, wait, arrived, changed }) {
    this.game = game;
    this.hand = hand;
    this.opening = opening;
    this.shown = state;
    this.wait = wait;
    this.arrived = arrived;
    this.changed = changed;
    this.sending = null; // the message on its way
  }

  close() {
    this.closed = true;
  }

  get state() {
    return this.shown();
  }

  // --- messages ---------------------------------------------------------------------------------------------

  /** One message after the other; the second press of a double click is none. */
  async #send(message) {
    const wanted = JSON.stringify(message);
    while (this.sending) {
      if (this.sending.wanted === wanted) return false;
      await this.sending.answered;
    }
    if (!this.state || this.closed) return false;
    const answered = this.#ask(message);
    this.sending = { wanted, answered };
    const slow = setTimeout(() => this.wait(true), SLOW);
    const done = await answered;
    clearTimeout(slow);
    this.wait(false);
    this.sending = null;
    return done;
  }

  async #ask(message) {
    try {
      await this.game.ask({ ...message, n: this.state.n });
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === "choose") this.#chooseWay(error.ways);
      else if (error.code === "late") this.game.ask({ type: "table" }).catch(() => {});
      else this.refuse(why(error));
      return false;
    }
  }

  refuse(text) {
    sound.play("refused");
    toast(withSigns(text), { alarm: true });
  }

  play(move) {
    return this.#send({ type: "move", move });
  }

  #chooseWay(ways) {
    openWays(ways, this.state.table, (move) => this.play(move));
  }

  #need(kind, text) {
    if (!myTurn(this.state)) this.refuse(t("not_your_turn"));
    else if (!may(this.state, kind)) this.refuse(text);
    else return true;
    return false;
  }

  // --- the kinds of moves -----------------------------------------------------------------------------------

  draw() {
    if (this.#need("draw", t(this.state?.phase === "play" ? "drawn_already" : "cannot_draw"))) return this.play("draw");
  }

  take() {
    if (this.#need("take", t(this.state?.phase === "play" ? "drawn_already" : "cannot_take"))) return this.play("take");
  }

  pass() {
    if (this.#need("pass", t("not_now"))) return this.play("pass");
  }

  untake() {
    if (this.#need("untake", t("not_now"))) return this.play("untake");
  }

  open() {
    if (this.state?.opening?.move) return this.play(this.state.opening.move);
    this.refuse(t("opening_short"));
  }

  discard(cards = this.hand.subject()) {
    if (!myTurn(this.state)) return this.refuse(t("not_your_turn"));
    if (this.state.phase !== "play") return this.refuse(t("draw_first"));
    if (cards.length !== 1) return this.refuse(t("choose_one"));
    return this.play(`discard ${cards[0]}`);
  }

  async layDown(cards = this.hand.selection()) {
    if (!myTurn(this.state)) return this.refuse(t("not_your_turn"));
    if (this.state.phase !== "play") return this.refuse(t("draw_first"));
    if (!this.game.entry.table) return this.refuse(t("no_melds_here"));
    if (cards.length < 3) return this.refuse(t("choose_three"));
    if (this.game.entry.opens && !this.state.seats[this.state.me].opened && this.state.opening) return this.#stage(cards);
    if (await this.#send({ type: "lay", cards })) this.hand.clear();
  }

  /** One more meld of an opening that is put together by hand. */
  async #stage(cards) {
    const { move, threshold, refused } = await this.opening.add(cards);
    if (move) {
      if (await this.play(move)) this.opening.clear();
    } else if (threshold !== undefined) {
      this.hand.clear();
      this.changed();
      toast(t("staged_so_far", { total: this.opening.total, threshold }));
    } else this.refuse(refused);
  }

  /** Take a meld of that opening back into the hand. `at`: which. */
  unstage(at) {
    this.opening.remove(at);
    this.changed();
  }

  layOff(cards = this.hand.subject(), meld = null) {
    if (!myTurn(this.state)) return this.refuse(t("not_your_turn"));
    if (this.state.phase !== "play") return this.refuse(t("draw_first"));
    if (cards.length !== 1) return this.refuse(t("choose_one"));
    if (meld !== null) return this.#send({ type: "lay", cards, meld });
    const moves = fitting(this.state, cards[0]);
    const melds = [...new Set(moves.map((move) => move.meld))];
    if (!melds.length) return this.refuse(t("fits_nowhere", { card: cardSign(cards[0]) }));
    if (melds.length === 1 && moves.length === 1) return this.play(moves[0].move);
    if (melds.length === 1) return this.#send({ type: "lay", cards, meld: melds[0] });
    this.#chooseWay(moves.map((move) => move.move));
  }

  /** Several cards onto one meld: one after another, whichever fits next. */
  async #layOffAll(cards, meld) {
    const left = [...cards];
    while (left.length) {
      const at = left.findIndex((card) => this.state.moves?.some((move) => move.kind === "layoff" && move.meld === meld && move.cards[0] === card));
      if (at < 0) {
        this.refuse(t("fits_not", { card: cardSign(left[0]) }));
        return;
      }
      const [card] = left.splice(at, 1);
      const { n } = this.state;
      if (!(await this.#send({ type: "lay", cards: [card], meld }))) return;
      await this.arrived(n);
    }
  }

  knock() {
    const moves = this.state?.moves?.filter((move) => move.kind === "knock") ?? [];
    if (!myTurn(this.state) || !moves.length) return this.refuse(t(myTurn(this.state) ? "cannot_knock" : "not_your_turn"));
    const chosen = this.hand.selection();
    openKnock(moves, chosen.length === 1 ? chosen[0] : null, (move) => this.play(move));
  }

  declare() {
    const { state } = this;
    if (!myTurn(state) || state.phase !== "play") return this.refuse(t(myTurn(state) ? "draw_first" : "not_your_turn"));
    const moves = state.moves.filter((move) => move.kind === "declare");
    const chosen = this.hand.selection();
    const move = moves.find((one) => chosen.length === 1 && one.cards[0] === chosen[0]) ?? moves[0] ?? null;
    openArrangement({
      hand: this.hand.order(),
      arrangement: move?.left ?? state.arrangement,
      discard: move?.cards[0] ?? (chosen.length === 1 ? chosen[0] : null),
      isWild: (card) => isWild(card, this.state.wild),
      check: (groups) => this.game.ask({ type: "check", groups }),
      declare: (text) => this.play(text),
      reorder: (order) => this.hand.arrange(order),
    });
  }

  pack() {
    if (this.#need("pack", t("cannot_pack"))) openPack(() => this.play("pack"));
  }

  // --- places that are pressed ------------------------------------------------------------------------------

  pressPile() {
    if (!this.state) return;
    if (myTurn(this.state) && this.state.phase === "play" && this.hand.selection().length === 1) return this.discard();
    return this.take();
  }

  /** `meld`: its number on the table. */
  pressMeld(meld) {
    const chosen = this.hand.selection();
    if (!chosen.length) return this.refuse(t("choose_card_first"));
    return chosen.length === 1 ? this.layOff(chosen, meld) : this.#layOffAll(chosen, meld);
  }
}
