// The table while a round is played. Everything that may be done, and everything that glows, is said by the server;
// here it is shown, and presses, drops and keys are turned into messages.

import { cardElement, cardName, inlineCard, isWild, withSigns } from "./cards.js";
import { openReactions } from "./choices.js";
import { button, say, toast } from "./dialogs.js";
import { h, keep, redraw, set, show } from "./dom.js";
import { Drops } from "./drops.js";
import { Hand } from "./hand.js";
import { openHelp } from "./help.js";
import { icon } from "./icons.js";
import { LONG_PATIENCE } from "./line.js";
import { Moves } from "./moves.js";
import { Opening } from "./opening.js";
import { Plate, avatar, colourOf, openSeat, seatInWords, seatName } from "./seats.js";
import { change, settings } from "./settings.js";
import * as sound from "./sound.js";
import { TableKeys } from "./table_keys.js";
import { dutyText, moveText, promptText, told } from "./telling.js";
import { boxOf, flightsOf, fly, pause, sourceOf } from "./travel.js";
import { fitting, may, myTurn } from "./turn.js";
import { t } from "./words.js";

const PILE_SHOWN = 3;

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
    this.plates = new Map();
    this.hand = new Hand({
      onchange: () => this.#choiceChanged(),
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
      changed: () => this.#render(),
    });
    this.#build();
    const { element, pile, felt, hand, moves } = this;
    const state = () => this.state;
    this.drops = new Drops({ element, pile, felt, hand, moves, state });
    this.keys = new TableKeys({ element, felt, hand, game, moves, state, sort: () => this.sort(), hint: () => this.hint(), sound: () => this.toggleSound() });
    this.ticking = setInterval(() => this.#tick(), 250);
  }

  close() {
    this.keys.close();
    clearInterval(this.ticking);
    this.hand.close();
    this.moves.close();
    this.closed = true;
  }

  #build() {
    this.title = h("h1", { class: "bar-title" });
    this.plateList = h("ul", { class: "plates", "aria-label": t("players") });
    this.felt = h("section", { class: "felt", "aria-label": t("melds_label") });
    this.stock = h("button", { class: "place stock", type: "button", onclick: () => this.moves.draw() });
    this.pile = h("button", { class: "place pile", type: "button", onclick: () => this.moves.pressPile() });
    this.wild = h("div", { class: "place wild-place", hidden: true });
    this.piles = h("div", { class: "piles" }, this.stock, this.pile, this.wild);
    this.mine = h("div", { class: "mine" });
    this.seconds = h("span", { class: "seconds", "aria-hidden": "true" });
    this.prompt = h("p", { class: "prompt" });
    this.duties = h("div", { class: "duties" });
    this.meter = h("span", { class: "meter", hidden: true });
    this.groups = h("div", { class: "groups", role: "group", "aria-label": t("groups_label") });
    this.status = h("div", { class: "status" }, this.mine, this.prompt, this.duties);
    this.actions = h("div", { class: "actions", role: "group", "aria-label": t("actions_label") });
    this.tools = h(
      "div",
      { class: "bar-tools" },
      this.#tool("smile", t("react"), () => this.openReactions()),
      this.#tool("sheet", t("sheet"), () => this.game.sheet()),
      (this.soundTool = this.#tool(settings.sound ? "sound" : "mute", t("sound_key"), () => this.toggleSound())),
      this.#tool("help", t("help_key"), () => openHelp(this.game.entry)),
    );
    this.element = h(
      "main",
      { class: "table" },
      h("header", { class: "bar" }, this.#tool("menu", t("menu"), () => this.game.openMenu()), this.title, this.tools),
      this.plateList,
      this.felt,
      this.groups,
      h("section", { class: "side", "aria-label": t("piles_label") }, this.piles, this.status),
      h("div", { class: "hand-zone" }, this.hand.element),
      this.actions,
    );
    new ResizeObserver(() => this.state && this.#fitMelds()).observe(this.felt);
  }

  #tool(name, label, onclick) {
    return h("button", { class: "button quiet round", type: "button", "aria-label": label, title: label, onclick }, icon(name));
  }

  /** Whoever comes to the table with no focus of theirs begins at its title. */
  focusTitle() {
    if (document.activeElement !== document.body) return;
    this.title.tabIndex = -1;
    this.title.focus({ preventScroll: true });
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
    this.#render();
    this.hand.arrange(order);
    this.hand.choose(chosen);
    show(this.soundTool, icon(settings.sound ? "sound" : "mute"));
  }

  roomChanged() {
    if (this.state) this.#render();
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
      this.#makePlates(next);
    }
    const sources = fresh ? [] : events.map((event) => sourceOf(event, this.#places));
    if (before && before.to_play !== next.to_play) this.opening.clear();
    this.state = next;
    const order = before ? null : this.#keptOrder();
    const added = this.#render();
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
    const from = boxOf(this.stock);
    sound.play("draw");
    await Promise.all(added.map((held, at) => fly(held.card, from, held.element, { delay: at * 45, time: 300 })));
  }

  /** Where cards come from and go to. */
  get #places() {
    const { stock, pile, felt, hand } = this;
    return { me: this.me, stock, pile, felt, hand, plates: this.plates };
  }

  #soundOf(event) {
    const name = { draw: "draw", take: "draw", untake: "place", discard: "place", meld: "meld", open: "meld", layoff: "place", swap: "meld", knock: "meld", declare: "meld", pack: "place", refill: "draw" }[event.kind];
    if (name) sound.play(name);
  }

  #bubble(event) {
    const plate = this.plates.get(event.seat);
    if (!plate) return;
    const cards = (event.melds?.flat() ?? event.cards ?? []).map(inlineCard);
    if (["draw", "take", "untake", "meld", "open", "layoff", "swap", "discard", "knock", "declare", "pack", "pass"].includes(event.kind))
      plate.speak([h("span", {}, t(`did_${event.kind}`)), cards.length ? [" ", cards] : null]);
  }

  react(seat, reaction) {
    const text = t(`reaction_${reaction}`);
    const said = `${seatInWords(this.game.room, this.me, seat)}: ${text}`;
    const plate = this.plates.get(seat);
    if (plate) {
      plate.speak(text, 3200);
      say(said);
    } else toast(said);
  }

  // --- drawing ----------------------------------------------------------------------------------------------

  #makePlates(state) {
    this.plates.clear();
    const count = state.seats.length;
    const from = state.me ?? -1;
    const order = Array.from({ length: count }, (_, at) => (from + 1 + at) % count).filter((seat) => seat !== state.me);
    for (const seat of order) this.plates.set(seat, new Plate(seat, () => openSeat(this.game.room, this.state, seat)));
    this.plateList.dataset.count = String(order.length);
    this.plateList.classList.toggle("many", order.length > 3);
    show(this.plateList, [...this.plates.values()].map((plate) => plate.element));
  }

  #render() {
    const { state } = this;
    const { room, entry } = this.game;
    if (!this.plates.size) this.#makePlates(state);
    this.element.dataset.ruleset = state.ruleset;
    this.element.dataset.melds = entry.table ? "yes" : "no";
    this.element.classList.toggle("watching", this.me === null);
    this.element.classList.toggle("my-turn", myTurn(this.state));
    const target = room.settings.length === "match" && entry.target ? t("to_target", { target: entry.target }) : "";
    show(this.title, h("span", { class: "bar-name" }, t(`ruleset_${state.ruleset}`)), h("span", { class: "bar-round" }, [t("round_number", { number: state.round }), target].filter(Boolean).join(" · ")));
    for (const plate of this.plates.values()) plate.update(room, state);
    this.#renderPiles();
    this.#renderMelds();
    this.#renderMine();
    const added = this.me === null ? [] : this.hand.update(state.hand ?? [], this.#handInfo());
    const aside = this.opening.setAside(this.hand.cards);
    for (const held of this.hand.cards) held.element.classList.toggle("set-aside", aside.has(held));
    this.#renderGroups();
    this.#renderActions();
    this.#tick();
    this.#keepOrder();
    return added;
  }

  #handInfo() {
    const { state } = this;
    return {
      meld: new Set(state.glow?.meld ?? []),
      layoff: new Set([...Object.keys(state.glow?.layoff ?? {}), ...Object.keys(state.glow?.swap ?? {})]),
      taken: myTurn(this.state) ? state.taken : null,
      wild: (card) => isWild(card, this.state.wild),
    };
  }

  #renderPiles() {
    const { state } = this;
    keep(this.stock, state.stock ? cardElement(null) : h("span", { class: "empty" }, t("stock_empty")), h("span", { class: "count", "aria-hidden": "true" }, String(state.stock)));
    set(this.stock, { "aria-label": t("stock_label", { n: state.stock }), "aria-disabled": String(!may(state, "draw")) });
    this.stock.classList.toggle("ready", may(state, "draw"));
    const shown = state.pile.slice(-PILE_SHOWN);
    keep(this.pile, shown.length ? shown.map((card) => cardElement(card, { wild: isWild(card, this.state.wild) })) : h("span", { class: "empty" }, t("pile_empty")));
    const top = state.pile.at(-1);
    const label = top ? t("pile_label", { card: cardName(top), n: state.pile_size ?? state.pile.length }) : t("pile_empty");
    set(this.pile, { "aria-label": label, "aria-disabled": String(!may(state, "take") && !may(state, "discard") && !state.may_untake) });
    this.pile.classList.toggle("ready", may(state, "take"));
    this.wild.hidden = !state.wild;
    if (state.wild) show(this.wild, cardElement(state.wild, { label: t("wild_label", { card: cardName(state.wild) }) }), h("span", { class: "count" }, t("wild_tag")));
  }

  #renderMelds() {
    const { state } = this;
    const fits = this.#fitsOfChoice();
    const melds = state.table.map((meld, number) => {
      const name = t("meld_label", { cards: meld.cards.map(cardName).join(", "), name: seatInWords(this.game.room, this.me, meld.by) });
      const element = h(
        "button",
        {
          class: `meld${fits.has(number) ? " fits" : ""}`,
          type: "button",
          "data-meld": String(number),
          "aria-label": fits.has(number) ? `${name}, ${t("label_takes_choice")}` : name,
          tabindex: number === 0 ? "0" : "-1",
          onclick: () => this.moves.pressMeld(number),
        },
        h("span", { class: "meld-cards", "aria-hidden": "true" }, meld.cards.map((card) => cardElement(card))),
      );
      element.style.setProperty("--seat", colourOf(meld.by));
      return element;
    });
    const staged = this.opening.groups.map((group, at) =>
      h(
        "button",
        { class: "meld staged", type: "button", "data-staged": String(at), "aria-label": t("staged_label", { cards: group.cards.map(cardName).join(", ") }), onclick: () => this.#unstage(at) },
        h("span", { class: "meld-cards", "aria-hidden": "true" }, group.cards.map((card) => cardElement(card))),
      ),
    );
    const own = (this.me === null || state.phase === "over" ? [] : (state.arrangement?.melds ?? [])).map((meld) =>
      h(
        "button",
        { class: "meld own", type: "button", "aria-label": t("chip_label", { cards: meld.cards.map(cardName).join(", "), n: 0 }), onclick: () => this.hand.choose(meld.cards) },
        h("span", { class: "meld-cards", "aria-hidden": "true" }, meld.cards.map((card) => cardElement(card, { wild: isWild(card, this.state.wild) }))),
        h("span", { class: "meld-name", "aria-hidden": "true" }, t(`kind_${meld.kind}`)),
      ),
    );
    const empty = !melds.length && !staged.length && this.game.entry.table ? h("p", { class: "felt-empty" }, t(this.me === null ? "felt_empty_watch" : "felt_empty")) : null;
    redraw(this.felt, "data-meld", () => keep(this.felt, melds, staged, own, empty), () => this.hand.focusCard());
    this.#fitMelds();
  }

  /** The largest cards at which all melds lie on the table at once; below the smallest size the table scrolls. */
  #fitMelds() {
    const { felt } = this;
    const top = parseFloat(getComputedStyle(this.element).getPropertyValue("--meld"));
    for (let size = top; size >= 24; size -= 2) {
      felt.style.setProperty("--meld", `${size}px`);
      if (felt.scrollHeight <= felt.clientHeight && felt.scrollWidth <= felt.clientWidth) return;
    }
  }

  #fitsOfChoice() {
    const chosen = this.hand.selection();
    if (chosen.length !== 1 || !myTurn(this.state)) return new Set();
    return new Set(fitting(this.state, chosen[0]).map((move) => move.meld));
  }

  #renderMine() {
    const { state } = this;
    const { room } = this.game;
    if (this.me === null) {
      show(this.mine, h("span", { class: "mine-name" }, t("watching")));
    } else {
      const place = state.seats[this.me];
      show(
        this.mine,
        avatar(room, this.me),
        h("span", { class: "mine-name" }, seatName(room, this.me)),
        h("span", { class: "mine-total" }, String(place.total), t("points_unit")),
        h("span", { class: "mine-points" }, t("in_hand", { n: state.points ?? 0 })),
        this.seconds,
      );
    }
    const duties = this.me === null ? [] : (state.duties ?? []);
    show(this.prompt, promptText(this.state, this.game.room, this.game.entry));
    this.prompt.hidden = duties.length > 0; // what must be done is said instead
    show(
      this.duties,
      duties.map((duty) => h("p", { class: "duty" }, dutyText(duty, state, this.game.entry))),
    );
    const { opening } = state;
    this.meter.hidden = !opening || this.me === null;
    if (!this.meter.hidden) {
      const best = this.opening.groups.length ? this.opening.total : opening.best;
      const share = Math.min(1, opening.threshold ? best / opening.threshold : 1);
      const bar = h("span", { class: "meter-bar" }, h("span", { class: "meter-fill" }));
      bar.firstChild.style.setProperty("--share", String(share));
      show(this.meter, h("span", { class: "meter-text" }, t("meter", { best, threshold: opening.threshold })), bar);
      this.meter.classList.toggle("reached", share >= 1);
    }
  }

  #renderGroups() {
    const { state } = this;
    const chips = [];
    if (this.me !== null && state.phase !== "over") {
      const { arrangement } = state;
      const groups = arrangement ? arrangement.melds : state.opening?.groups?.length ? state.opening.groups : (state.melds ?? []);
      for (const group of groups) chips.push(this.#chip(group));
      if (arrangement) chips.push(h("span", { class: "chip plain" }, t(state.ruleset === "gin" ? "deadwood_chip" : "left_chip", { n: arrangement.points })));
    }
    redraw(this.groups, "data-cards", () => keep(this.groups, this.meter.hidden ? null : this.meter, chips), () => this.hand.focusCard());
    this.groups.hidden = !chips.length && this.meter.hidden;
  }

  #chip(group) {
    const names = group.cards.map(cardName).join(", ");
    const kind = group.kind === "natural" || group.kind === "triplet" ? h("span", { class: "chip-kind" }, t(`kind_${group.kind}`)) : null;
    return h(
      "button",
      { class: "chip", type: "button", "data-cards": group.cards.join(" "), "aria-label": t("chip_label", { cards: names, n: group.points ?? 0 }), onclick: () => this.hand.choose(group.cards) },
      group.cards.map(inlineCard),
      kind,
      group.points === undefined || group.points === null ? null : h("span", { class: "chip-points" }, String(group.points)),
    );
  }

  #renderActions() {
    if (this.me === null) {
      keep(this.actions, button(t("stop_watching"), () => this.game.leave(), { iconName: "back" }));
      return;
    }
    const main = this.#mainActions();
    const extra = this.#extraActions();
    const make = (action) =>
      h(
        "button",
        {
          class: `button action${action.primary ? " primary" : ""}`,
          type: "button",
          "data-action": action.name,
          "aria-disabled": String(!action.enabled),
          "aria-keyshortcuts": action.key,
          onclick: () => action.run(),
        },
        h("span", {}, action.text),
      );
    const buttons = [
      extra.length ? h("div", { class: "extra" }, extra.map(make)) : null,
      h(
        "div",
        { class: "main-actions" },
        h("button", { class: "button round", type: "button", "data-action": "sort", "aria-label": t("sort_key"), title: t("sort_key"), "aria-keyshortcuts": "S", onclick: () => this.sort() }, icon("sort")),
        main.map(make),
        h("button", { class: "button round", type: "button", "data-action": "hint", "aria-busy": String(Boolean(this.hinting)), "aria-label": t("hint_key"), title: t("hint_key"), "aria-keyshortcuts": "H", onclick: () => this.hint() }, icon("hint")),
      ),
    ];
    // What was pressed may be done: on to the next thing to press, or else to the cards.
    redraw(this.actions, "data-action", () => keep(this.actions, buttons), () => {
      const next = this.actions.querySelector('.action[aria-disabled="false"]');
      if (next) next.focus();
      else this.hand.focusCard();
    });
  }

  #mainActions() {
    const { state } = this;
    // The sheet has been put away: from there it goes on.
    if (state.phase === "over") return [{ name: "sheet", key: "Enter", text: t("sheet"), enabled: true, primary: true, run: () => this.game.sheet() }];
    if (myTurn(this.state) && (state.phase === "draw" || state.phase === "upcard")) {
      const second =
        state.phase === "upcard"
          ? { name: "pass", key: "P", text: t("do_pass"), enabled: may(this.state, "pass"), run: () => this.moves.pass() }
          : { name: "draw", key: "D", text: t("do_draw"), enabled: may(this.state, "draw"), primary: may(this.state, "draw"), run: () => this.moves.draw() };
      return [second, { name: "take", key: "F", text: t("do_take"), enabled: may(this.state, "take"), primary: !may(this.state, "draw"), run: () => this.moves.take() }];
    }
    const chosen = this.hand.selection();
    const one = chosen.length === 1 ? chosen[0] : null;
    const lays = one !== null && (may(this.state, "layoff", one) || may(this.state, "swap", one));
    const actions = [];
    if (this.game.entry.table) {
      if (lays) {
        const text = may(this.state, "layoff", one) ? t("do_layoff") : t("do_swap");
        actions.push({ name: "layoff", key: "L", text, enabled: true, primary: true, run: () => this.moves.layOff() });
      } else {
        const enabled = myTurn(this.state) && chosen.length >= 3;
        actions.push({ name: "meld", key: "Enter", text: t("do_meld"), enabled, primary: enabled, run: () => this.moves.layDown() });
      }
    }
    const enabled = myTurn(this.state) && one !== null;
    actions.push({ name: "discard", key: "X", text: t("do_discard"), enabled, primary: enabled && !lays, run: () => this.moves.discard() });
    return actions;
  }

  #extraActions() {
    const { state } = this;
    if (!myTurn(this.state)) return [];
    const actions = [];
    if (state.opening?.move) actions.push({ name: "open", key: "O", text: t("do_open", { n: state.opening.best }), enabled: true, primary: true, run: () => this.moves.open() });
    if (state.may_untake) actions.push({ name: "untake", key: "U", text: t("do_untake"), enabled: true, run: () => this.moves.untake() });
    if (may(this.state, "knock")) {
      const gin = state.moves.some((move) => move.kind === "knock" && move.left?.points === 0);
      actions.push({ name: "knock", key: "K", text: t(gin ? "do_gin" : "do_knock"), enabled: true, primary: gin, run: () => this.moves.knock() });
    }
    if (this.game.entry.kinds.includes("declare") && state.phase === "play") {
      const ready = may(this.state, "declare");
      actions.push({ name: "declare", key: "C", text: t(ready ? "do_declare" : "do_arrange"), enabled: true, primary: Boolean(ready), run: () => this.moves.declare() });
    }
    if (may(this.state, "pack")) actions.push({ name: "pack", key: "P", text: t("do_pack"), enabled: true, run: () => this.moves.pack() });
    return actions;
  }

  #choiceChanged() {
    if (!this.state) return;
    this.#renderMelds();
    this.#renderActions();
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

  /** Take a meld of an opening that is put together back into the hand. */
  #unstage(at) {
    this.opening.remove(at);
    this.#render();
  }

  // --- beside the moves -------------------------------------------------------------------------------------

  sort() {
    if (!this.state?.hand) return;
    const orders = [this.state.sorted?.flat() ?? this.state.hand, this.state.hand];
    this.hand.arrange(orders[this.sorted % 2]);
    say(t(this.sorted % 2 ? "sorted_suit" : "sorted_melds"));
    this.sorted++;
    this.#keepOrder();
  }

  async hint() {
    if (!myTurn(this.state)) return this.moves.refuse(t("not_your_turn"));
    if (this.hinting) return undefined;
    const { n } = this.state;
    this.hinting = true;
    this.#renderActions();
    const thinking = setTimeout(() => toast(t("hint_thinks")), 700); // the adviser may look ahead for seconds
    try {
      const answer = await this.game.ask({ type: "hint" }, LONG_PATIENCE);
      if (this.closed || this.state.n !== n) return undefined; // the table has moved on
      toast(answer.text ? `${moveText(answer.move)}: ${withSigns(answer.text)}` : moveText(answer.move));
      const mine = answer.kind === "draw" || answer.kind === "take" ? [] : (answer.cards ?? []);
      this.hand.choose(mine);
      const place = { draw: this.stock, take: this.pile }[answer.kind];
      place?.classList.add("hinted");
      setTimeout(() => place?.classList.remove("hinted"), 2200);
    } catch (error) {
      this.moves.refuse(error.code === "offline" ? t("offline") : error.message);
    } finally {
      clearTimeout(thinking);
      this.hinting = false;
      if (!this.closed) this.#renderActions();
    }
    return undefined;
  }

  toggleSound() {
    change({ sound: !settings.sound });
    sound.wake();
    show(this.soundTool, icon(settings.sound ? "sound" : "mute"));
    toast(t(settings.sound ? "sound_on" : "sound_off"));
  }

  openReactions() {
    openReactions(this.game.catalogue.reactions, (reaction) =>
      this.game.ask({ type: "react", reaction }).catch((error) => toast(error.code === "offline" ? t("offline") : error.message, { alarm: true })),
    );
  }

  // --- the clock --------------------------------------------------------------------------------------------

  #tick() {
    const clock = this.state?.clock;
    const left = clock ? Math.max(0, clock.left - (performance.now() - this.state.received) / 1000) : null;
    for (const [seat, plate] of this.plates) plate.clock(clock?.seat === seat ? left / clock.total : null, left);
    const mine = clock && clock.seat === this.me;
    this.status.classList.toggle("timed", Boolean(mine));
    this.status.style.setProperty("--left", mine ? String(left / clock.total) : "0");
    this.status.classList.toggle("urgent", Boolean(mine) && left <= 10);
    const seconds = mine ? Math.ceil(left) : null;
    if (this.shownSeconds !== seconds) {
      this.shownSeconds = seconds;
      this.seconds.textContent = clockText(seconds);
      if (mine && seconds <= 5 && seconds > 0) sound.play("tick");
      if (mine && seconds === 10) say(t("ten_seconds"));
    }
  }
}

/** Seconds as people read them: 45, and 9:45 from a hundred on. */
function clockText(seconds) {
  if (seconds === null) return "";
  return seconds < 100 ? String(seconds) : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
