// My hand: its order is mine and survives every move; cards are chosen by a press or Space, moved by dragging or with
// Shift and the arrows. Where a card may go is asked of whoever made the hand: no rule is in here.

import { cardElement, cardName } from "./cards.js";
import { h, set } from "./dom.js";
import { t } from "./words.js";

const DRAG_STARTS = 7; // pixels, more than a trembling finger

export class Hand {
  /** `options.onchange()`: something was chosen. `options.ondrop(cards, x, y)`: cards were dropped outside the hand;
   *  true if they were put somewhere. `options.ondrag(cards or null, x, y)`: to light up where they may go. */
  constructor(options) {
    this.options = options;
    this.cards = []; // {id, card, element}, in my order
    this.chosen = new Set();
    this.focus = 0;
    this.element = h("div", {
      class: "hand",
      role: "group",
      "aria-label": t("hand_label"),
      onkeydown: (event) => this.#key(event),
    });
    this.drag = null;
    this.counter = 0;
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    // The pointer may leave the hand, the window or the screen: the listeners hang on the window.
    this.ending = new AbortController();
    const { signal } = this.ending;
    addEventListener("pointermove", (event) => this.#move(event), { signal });
    addEventListener("pointerup", (event) => this.#up(event), { signal });
    addEventListener("pointercancel", (event) => event.pointerId === this.drag?.pointer && this.#letGo(), { signal });
    addEventListener("blur", () => this.#letGo(), { signal });
    new ResizeObserver(() => this.layout()).observe(this.element);
  }

  close() {
    this.#letGo();
    this.ending.abort();
  }

  /** No card is in the hand any more. */
  empty() {
    this.#letGo();
    for (const held of this.cards) held.element.remove();
    this.cards = [];
    this.chosen.clear();
  }

  /** Show these cards. Those that were there keep their places, new ones come at the right. `info.meld` and
   *  `info.layoff`: sets of card texts that glow; `info.wild(card)`: whether it is wild now. */
  update(cards, info = {}) {
    const left = [...cards];
    const kept = [];
    // Of two equal cards the chosen one goes: it is the one that was played.
    const staying = [...this.cards].sort((a, b) => this.chosen.has(a.id) - this.chosen.has(b.id));
    for (const held of staying) {
      const at = left.indexOf(held.card);
      if (at < 0) continue;
      left.splice(at, 1);
      kept.push(held.id);
    }
    const gone = this.cards.filter((held) => !kept.includes(held.id));
    const focused = this.element.contains(document.activeElement);
    for (const held of gone) {
      held.element.remove();
      this.chosen.delete(held.id);
    }
    this.cards = this.cards.filter((held) => kept.includes(held.id));
    if (gone.some((held) => held === this.drag?.held || this.drag?.ids.includes(held.id))) this.#letGo();
    const added = left.map((card) => this.#make(card, info));
    this.cards.push(...added);
    this.element.append(...added.map((held) => held.element));
    this.info = info;
    this.focus = Math.min(this.focus, Math.max(0, this.cards.length - 1));
    this.refresh();
    if (focused && gone.length && this.cards.length) this.cards[this.focus].element.focus();
    return added;
  }

  #make(card, info) {
    const id = `c${this.counter++}`;
    const element = cardElement(card, { tag: "button", wild: info.wild?.(card) });
    element.dataset.id = id;
    return { id, card, element };
  }

  /** Draw what changed: places, choice, glow, labels. */
  refresh() {
    const info = this.info ?? {};
    this.cards.forEach((held, at) => {
      const chosen = this.chosen.has(held.id);
      const melds = info.meld?.has(held.card) ?? false;
      const fits = info.layoff?.has(held.card) ?? false;
      const says = [cardName(held.card)];
      if (info.wild?.(held.card)) says.push(t("label_wild"));
      if (melds) says.push(t("label_in_meld"));
      if (fits) says.push(t("label_fits"));
      if (info.taken === held.card) says.push(t("label_taken"));
      held.element.classList.toggle("chosen", chosen);
      held.element.classList.toggle("glow-meld", melds);
      held.element.classList.toggle("glow-layoff", fits);
      held.element.classList.toggle("taken", info.taken === held.card);
      set(held.element, {
        "aria-pressed": String(chosen),
        "aria-label": says.join(", "),
        tabindex: at === this.focus ? "0" : "-1",
      });
    });
    this.layout();
  }

  /** Where the cards lie: one row, or two where a row would leave too little of each to read and press. */
  layout() {
    const width = this.element.clientWidth;
    const count = this.cards.length;
    if (!width || !count) return;
    const style = getComputedStyle(this.element);
    const card = parseFloat(style.getPropertyValue("--hand-card"));
    const room = parseFloat(style.getPropertyValue("--hand-step")); // the least of a card that should show
    const rows = count > 1 && (width - card) / (count - 1) < room ? 2 : 1;
    const perRow = Math.ceil(count / rows);
    this.perRow = perRow;
    const height = card * 1.4;
    const lift = 14;
    this.element.style.height = `${lift + height + (rows - 1) * height * 0.62}px`;
    this.cards.forEach((held, at) => {
      const row = Math.floor(at / perRow);
      const inRow = row === 0 ? Math.min(perRow, count) : count - perRow;
      const step = inRow > 1 ? Math.min(card * 1.06, (width - card) / (perRow - 1)) : 0;
      const start = (width - card - step * (inRow - 1)) / 2;
      const x = start + step * (at - row * perRow);
      const y = lift + row * height * 0.62 - (this.chosen.has(held.id) ? lift : 0);
      held.x = x;
      held.y = y;
      held.element.style.zIndex = String(row * 100 + at + 1);
      if (this.drag?.moved && this.drag.ids.includes(held.id)) return;
      held.element.style.transform = `translate(${x}px, ${y}px)`;
    });
    if (!this.drag) this.#putInOrder();
  }

  /** The page's reading order is that of the hand. A card that has the focus would lose it by being moved: the others
   *  are moved around it. */
  #putInOrder() {
    const { element } = this;
    if (this.cards.every((held, at) => element.children[at] === held.element)) return;
    const fixed = this.cards.findIndex((held) => held.element === document.activeElement);
    this.cards.forEach((held, at) => {
      if (at < fixed) element.insertBefore(held.element, this.cards[fixed].element);
      else if (at > fixed) element.append(held.element);
    });
  }

  /** The chosen cards, in my order. */
  selection() {
    return this.cards.filter((held) => this.chosen.has(held.id)).map((held) => held.card);
  }

  /** What a key or button acts on: the chosen cards, or else the card with the focus. */
  subject() {
    const chosen = this.selection();
    if (chosen.length) return chosen;
    const at = this.cards.findIndex((held) => held.element === document.activeElement);
    return at < 0 ? [] : [this.cards[at].card];
  }

  choose(cards) {
    this.chosen.clear();
    const wanted = [...cards];
    for (const held of this.cards) {
      const at = wanted.indexOf(held.card);
      if (at < 0) continue;
      wanted.splice(at, 1);
      this.chosen.add(held.id);
    }
    this.refresh();
    this.options.onchange?.();
  }

  clear() {
    this.choose([]);
  }

  /** Put the cards in this order. */
  arrange(order) {
    const left = [...this.cards];
    const arranged = [];
    for (const card of order) {
      const at = left.findIndex((held) => held.card === card);
      if (at >= 0) arranged.push(...left.splice(at, 1));
    }
    this.cards = [...arranged, ...left];
    this.refresh();
  }

  order() {
    return this.cards.map((held) => held.card);
  }

  elementOf(card) {
    const held = [...this.cards].reverse().find((one) => one.card === card);
    return held?.element ?? null;
  }

  focusCard(at = this.focus) {
    if (!this.cards.length) return;
    this.focus = Math.max(0, Math.min(this.cards.length - 1, at));
    this.cards.forEach((held, index) => set(held.element, { tabindex: index === this.focus ? "0" : "-1" }));
    this.cards[this.focus].element.focus();
  }

  toggle(id) {
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.refresh();
    this.options.onchange?.();
  }

  // --- keyboard ---------------------------------------------------------------------------------------------

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = this.cards.findIndex((held) => held.element === document.activeElement);
    if (at < 0) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -at, End: this.cards.length - 1 - at };
    if (event.key in steps) {
      const to = Math.max(0, Math.min(this.cards.length - 1, at + steps[event.key]));
      if (event.shiftKey) this.#shift(at, to);
      else this.focusCard(to);
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === " ") {
      this.toggle(this.cards[at].id);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #shift(from, to) {
    const [held] = this.cards.splice(from, 1);
    this.cards.splice(to, 0, held);
    this.focus = to;
    this.refresh();
  }

  // --- mouse and touch --------------------------------------------------------------------------------------

  #down(event) {
    if (event.button !== 0 || this.drag) return;
    const element = event.target.closest(".card");
    const held = this.cards.find((one) => one.element === element);
    if (!held) return;
    this.focus = this.cards.indexOf(held);
    this.drag = { held, pointer: event.pointerId, x: event.clientX, y: event.clientY, moved: false, ids: [] };
  }

  #move(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved) {
      if (Math.hypot(dx, dy) < DRAG_STARTS) return;
      drag.moved = true;
      // A chosen card takes the other chosen ones along.
      drag.ids = this.chosen.has(drag.held.id) ? this.cards.filter((one) => this.chosen.has(one.id)).map((one) => one.id) : [drag.held.id];
      drag.at = { x: drag.held.x, y: drag.held.y };
      document.documentElement.classList.add("dragging");
    }
    const moving = this.cards.filter((one) => drag.ids.includes(one.id));
    moving.forEach((one, index) => {
      const offset = (index - moving.indexOf(drag.held)) * 22;
      one.element.classList.add("lifted");
      one.element.style.transform = `translate(${drag.at.x + dx + offset}px, ${drag.at.y + dy}px) scale(1.06)`;
    });
    const box = this.element.getBoundingClientRect();
    drag.inside = event.clientY > box.top - 12;
    if (drag.inside) this.#insertAt(event.clientX - box.left, event.clientY - box.top);
    this.options.ondrag?.(drag.inside ? null : moving.map((one) => one.card), event.clientX, event.clientY);
  }

  #insertAt(x, y) {
    const drag = this.drag;
    const others = this.cards.filter((one) => !drag.ids.includes(one.id));
    const moving = this.cards.filter((one) => drag.ids.includes(one.id));
    const card = this.cards[0].element.offsetWidth;
    const perRow = this.perRow ?? this.cards.length;
    const row = this.cards.length > perRow && y > 14 + card * 1.4 * 0.62 ? 1 : 0;
    // The nearest place in that row, among the places as they are laid out now.
    const places = this.cards.map((one, at) => ({ at, x: one.x + card / 2 })).filter(({ at }) => Math.floor(at / perRow) === row);
    const nearest = places.reduce((best, place) => (Math.abs(place.x - x) < Math.abs(best.x - x) ? place : best), places[0] ?? { at: 0 });
    const to = Math.max(0, Math.min(others.length, nearest.at - Math.floor(moving.length / 2)));
    const order = [...others.slice(0, to), ...moving, ...others.slice(to)];
    if (order.some((one, at) => one !== this.cards[at])) {
      this.cards = order;
      this.layout();
    }
  }

  #up(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.drag = null;
    document.documentElement.classList.remove("dragging");
    if (!drag.moved) {
      this.toggle(drag.held.id);
      this.focusCard(this.cards.indexOf(drag.held));
      return;
    }
    const moving = this.cards.filter((one) => drag.ids.includes(one.id));
    this.focus = this.cards.indexOf(drag.held);
    this.options.ondrag?.(null, event.clientX, event.clientY);
    if (!drag.inside) this.options.ondrop?.(moving.map((one) => one.card), event.clientX, event.clientY, moving.map((one) => one.id));
    for (const one of moving) one.element.classList.remove("lifted");
    this.refresh();
  }

  /** What is held falls back to its place: the drag was broken off, or a card of it has gone meanwhile. */
  #letGo() {
    if (!this.drag) return;
    this.drag = null;
    document.documentElement.classList.remove("dragging");
    this.options.ondrag?.(null, 0, 0);
    for (const held of this.cards) held.element.classList.remove("lifted");
    this.refresh();
  }
}
