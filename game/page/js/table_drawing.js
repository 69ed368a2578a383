// The table as it is seen: from a state that the server has told to the elements that show it. What is pressed in there is
// one of the `moves`, or one of the deeds beside them.

import { extraActions, mainActions } from "./actions.js";
import { cardElement, cardName, inlineCard, isWild } from "./cards.js";
import { Clock } from "./clock.js";
import { button } from "./dialogs.js";
import { h, keep, redraw, set, show } from "./dom.js";
import { openHelp } from "./help.js";
import { icon } from "./icons.js";
import { Plate, avatar, colourOf, openSeat, seatInWords, seatName } from "./seats.js";
import { settings } from "./settings.js";
import { dutyText, promptText } from "./telling.js";
import { fitting, may, myTurn } from "./turn.js";
import { t } from "./words.js";

const PILE_SHOWN = 3;

export class TableDrawing {
  /** `game`: as the table has it; `hand` and `opening`: shown as they are; `deeds`: `sort()`, `hint()`, `sound()`, `react()`.
   *  For those who look where something lies: `element`, and in it `stock`, `pile` and `felt`; `plates` by seat. */
  constructor({ game, hand, opening, moves, deeds }) {
    this.game = game;
    this.hand = hand;
    this.opening = opening;
    this.moves = moves;
    this.deeds = deeds;
    this.state = null;
    this.hinting = false;
    this.plates = new Map();
    this.#build();
    this.clock = new Clock({ plates: this.plates, status: this.status, seconds: this.seconds });
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
      this.#tool("smile", t("react"), () => this.deeds.react()),
      this.#tool("sheet", t("sheet"), () => this.game.sheet()),
      (this.soundTool = this.#tool(settings.sound ? "sound" : "mute", t("sound_key"), () => this.deeds.sound())),
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

  get me() {
    return this.state?.me ?? null;
  }

  close() {
    this.clock.close();
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

  /** Whether the page is heard. */
  showSound() {
    show(this.soundTool, icon(settings.sound ? "sound" : "mute"));
  }

  /** The adviser is thinking, or has done. */
  showHinting(on) {
    this.hinting = on;
    this.#drawActions();
  }

  /** Where a hint points, for a moment. `kind`: the move it advises. */
  point(kind) {
    const place = { draw: this.stock, take: this.pile }[kind];
    place?.classList.add("hinted");
    setTimeout(() => place?.classList.remove("hinted"), 2200);
  }

  // --- a state ----------------------------------------------------------------------------------------------

  /** A plate for everybody else, in the order of play after me. */
  seat(state) {
    this.plates.clear();
    const count = state.seats.length;
    const from = state.me ?? -1;
    const order = Array.from({ length: count }, (_, at) => (from + 1 + at) % count).filter((seat) => seat !== state.me);
    for (const seat of order) this.plates.set(seat, new Plate(seat, () => openSeat(this.game.room, this.state, seat)));
    this.plateList.dataset.count = String(order.length);
    this.plateList.classList.toggle("many", order.length > 3);
    show(this.plateList, [...this.plates.values()].map((plate) => plate.element));
  }

  /** Show a table. Returns the cards that are new in my hand. */
  draw(state) {
    this.state = state;
    const { room, entry } = this.game;
    if (!this.plates.size) this.seat(state);
    this.element.dataset.ruleset = state.ruleset;
    this.element.dataset.melds = entry.table ? "yes" : "no";
    this.element.classList.toggle("watching", this.me === null);
    this.element.classList.toggle("my-turn", myTurn(state));
    const target = room.settings.length === "match" && entry.target ? t("to_target", { target: entry.target }) : "";
    show(this.title, h("span", { class: "bar-name" }, t(`ruleset_${state.ruleset}`)), h("span", { class: "bar-round" }, [t("round_number", { number: state.round }), target].filter(Boolean).join(" · ")));
    for (const plate of this.plates.values()) plate.update(room, state);
    this.#drawPiles();
    this.#drawMelds();
    this.#drawMine();
    const added = this.me === null ? [] : this.hand.update(state.hand ?? [], this.#handInfo());
    const aside = this.opening.setAside(this.hand.cards);
    for (const held of this.hand.cards) held.element.classList.toggle("set-aside", aside.has(held));
    this.#drawGroups();
    this.#drawActions();
    this.clock.show(state);
    return added;
  }

  #handInfo() {
    const { state } = this;
    return {
      meld: new Set(state.glow?.meld ?? []),
      layoff: new Set([...Object.keys(state.glow?.layoff ?? {}), ...Object.keys(state.glow?.swap ?? {})]),
      taken: myTurn(state) ? state.taken : null,
      wild: (card) => isWild(card, state.wild),
    };
  }

  #drawPiles() {
    const { state } = this;
    keep(this.stock, state.stock ? cardElement(null) : h("span", { class: "empty" }, t("stock_empty")), h("span", { class: "count", "aria-hidden": "true" }, String(state.stock)));
    set(this.stock, { "aria-label": t("stock_label", { n: state.stock }), "aria-disabled": String(!may(state, "draw")) });
    this.stock.classList.toggle("ready", may(state, "draw"));
    const shown = state.pile.slice(-PILE_SHOWN);
    keep(this.pile, shown.length ? shown.map((card) => cardElement(card, { wild: isWild(card, state.wild) })) : h("span", { class: "empty" }, t("pile_empty")));
    const top = state.pile.at(-1);
    const label = top ? t("pile_label", { card: cardName(top), n: state.pile_size ?? state.pile.length }) : t("pile_empty");
    set(this.pile, { "aria-label": label, "aria-disabled": String(!may(state, "take") && !may(state, "discard") && !state.may_untake) });
    this.pile.classList.toggle("ready", may(state, "take"));
    this.wild.hidden = !state.wild;
    if (state.wild) show(this.wild, cardElement(state.wild, { label: t("wild_label", { card: cardName(state.wild) }) }), h("span", { class: "count" }, t("wild_tag")));
  }

  #drawMelds() {
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
        { class: "meld staged", type: "button", "data-staged": String(at), "aria-label": t("staged_label", { cards: group.cards.map(cardName).join(", ") }), onclick: () => this.moves.unstage(at) },
        h("span", { class: "meld-cards", "aria-hidden": "true" }, group.cards.map((card) => cardElement(card))),
      ),
    );
    const own = (this.me === null || state.phase === "over" ? [] : (state.arrangement?.melds ?? [])).map((meld) =>
      h(
        "button",
        { class: "meld own", type: "button", "aria-label": t("chip_label", { cards: meld.cards.map(cardName).join(", "), n: 0 }), onclick: () => this.hand.choose(meld.cards) },
        h("span", { class: "meld-cards", "aria-hidden": "true" }, meld.cards.map((card) => cardElement(card, { wild: isWild(card, state.wild) }))),
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

  #drawMine() {
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
    show(this.prompt, promptText(state, this.game.room, this.game.entry));
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

  #drawGroups() {
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

  #drawActions() {
    if (this.me === null) {
      keep(this.actions, button(t("stop_watching"), () => this.game.leave(), { iconName: "back" }));
      return;
    }
    const main = mainActions(this.state, this.hand.selection(), this.game, this.moves);
    const extra = extraActions(this.state, this.game, this.moves);
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
        h("button", { class: "button round", type: "button", "data-action": "sort", "aria-label": t("sort_key"), title: t("sort_key"), "aria-keyshortcuts": "S", onclick: () => this.deeds.sort() }, icon("sort")),
        main.map(make),
        h("button", { class: "button round", type: "button", "data-action": "hint", "aria-busy": String(Boolean(this.hinting)), "aria-label": t("hint_key"), title: t("hint_key"), "aria-keyshortcuts": "H", onclick: () => this.deeds.hint() }, icon("hint")),
      ),
    ];
    // What was pressed may be done: on to the next thing to press, or else to the cards.
    redraw(this.actions, "data-action", () => keep(this.actions, buttons), () => {
      const next = this.actions.querySelector('.action[aria-disabled="false"]');
      if (next) next.focus();
      else this.hand.focusCard();
    });
  }

  /** Other cards of my hand are chosen. */
  choiceChanged() {
    if (!this.state) return;
    this.#drawMelds();
    this.#drawActions();
  }
}
